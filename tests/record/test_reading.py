"""What people read of contact: tables of a frame, forces over time, sensors, the report, pictures, who is to blame."""

import numpy as np
import pytest

from robotphi import ContactMaterial, Recording, RecordingError, Scene, SceneError, SimulationDiverged, Stepping, simulate
from robotphi.commands.info import describe_recording
from robotphi.discretise import Material, rigid, sheet
from robotphi.geometry import shapes
from robotphi.geometry.mesh import Mesh
from robotphi.kernels.contact.tell import facet_at, square_to_triangle
from robotphi.record.contacts import CONTACTS, Contacts, packed_names
from tests.kernels.contact.touching_scenes import HARD, ball_on_box, soft_block, square, stack
from tests.record.old_files import write_old


def resting_box(tilt=0.0, **stepping):
    """A box of 8 kg that has come to rest on the ground."""
    scene = Scene("rest", duration=2.0, frames=6, gravity=(9.81 * np.sin(tilt), 0, -9.81 * np.cos(tilt)),
                  stepping=Stepping(**{"budget": 1e-5} | stepping))
    scene.add_plane("ground", contact=HARD)
    scene.add_object("box", rigid(shapes.box((0.2, 0.2, 0.2)).transformed(shift=(0, 0, 0.0999)), density=1000.0), contact=HARD)
    for quantity in ("contact_force", "contact_normal_force", "contact_friction", "contact_area"):
        scene.add_sensor(quantity, quantity, ("box", "ground"))
    scene.add_sensor("on the ground", "contact_force", "ground")
    return scene


@pytest.fixture(scope="module")
def rested():
    return simulate(resting_box(tilt=0.2))


@pytest.fixture(scope="module")
def soft():
    scene = soft_block()
    return scene, simulate(scene)


def test_a_box_at_rest_is_carried_where_its_weight_goes(rested):
    weight = 8.0 * 9.81 * np.array([np.sin(0.2), 0, -np.cos(0.2)])
    contacts = rested.contacts(-1)
    assert (contacts.first[0], contacts.second[0], contacts.first_owner[0]) == ("box", "ground", "box")
    # after 2 s hardly 1e-14 m/s are left: 1e-9 of the weight is what friction's damper may still do
    np.testing.assert_allclose(contacts.normal[0] + contacts.friction[0], -weight, atol=1e-9 * 78.5)
    np.testing.assert_allclose(contacts.direction[0], (0, 0, 1), atol=1e-12)
    np.testing.assert_allclose(contacts.area[0], 0.04, rtol=1e-3)
    # λ A × mean depth = normal force, with half the stiffness of the two materials: both give way
    depth = np.linalg.norm(contacts.normal[0]) / (contacts.area[0] * 0.5e7)
    assert contacts.depth[0] == pytest.approx(depth, rel=1e-12)
    # the moment about the centre vanishes: the pressure has moved downhill by half the height × tan
    arm = contacts.point[0] - rested.rigid_position[-1, 0]
    np.testing.assert_allclose(np.cross(arm, contacts.normal[0] + contacts.friction[0]), 0.0, atol=1e-9 * 78.5)
    assert arm[0] == pytest.approx(0.1 * np.tan(0.2), rel=2e-3)  # the box has sunk in by 4e-4 of its height
    assert contacts.sticks[0]
    assert contacts.second_facet[0] == -1


def test_forces_over_time_are_opposite_and_agree_with_sensors(rested):
    on_box = rested.contact_forces("box", "ground")
    np.testing.assert_array_equal(on_box, -rested.contact_forces("ground", "box"))
    np.testing.assert_array_equal(on_box, rested.contact_force("box"))
    np.testing.assert_array_equal(on_box, rested.sensors["contact_force"])
    np.testing.assert_array_equal(-on_box, rested.sensors["on the ground"])
    rows = rested.rows["contacts"]
    assert rows["start"].tolist() == list(range(8)), "the box always touches"
    np.testing.assert_array_equal(rows["friction"], rested.sensors["contact_friction"])
    np.testing.assert_allclose(rested.sensors["contact_normal_force"], np.linalg.norm(rows["normal"], axis=1), rtol=1e-15)
    np.testing.assert_array_equal(rows["area"], rested.sensors["contact_area"])


def test_forces_of_contact_are_what_momentum_misses():
    """Over short frames the change of momentum is the mean of the forces: trapezoid, its error ∝ the square of the frame."""
    scene = stack(duration=0.04, frames=400, slope=0.9)
    recording = simulate(scene)
    masses = [4.0, 4.0]
    for index, name in enumerate(("box 0", "box 1")):
        force = recording.contact_force(name)[200:] + masses[index] * scene.gravity
        gained = masses[index] * (recording.rigid_velocity[-1, index] - recording.rigid_velocity[200, index])
        pushed = np.sum(0.5 * (force[1:] + force[:-1]), axis=0) * 1e-4
        np.testing.assert_allclose(pushed, gained, atol=2e-3 * np.abs(force).max() * 0.02)


def test_vertices_of_a_soft_part_add_up_to_its_friction(soft):
    _, recording = soft
    for frame in range(1, len(recording)):
        contacts, vertices = recording.contacts(frame), recording.contact_vertices(frame)
        assert len(vertices.part)
        for k in range(len(contacts.first)):
            own = (vertices.part == contacts.first[k]) & (vertices.other == contacts.second[k])
            turned = (vertices.part == contacts.second[k]) & (vertices.other == contacts.first[k])
            total = vertices.friction[own].sum(axis=0) - vertices.friction[turned].sum(axis=0)
            np.testing.assert_allclose(contacts.friction[k], total, atol=1e-12 * np.abs(vertices.friction).max())
            assert contacts.sticks[k] == vertices.sticks[own | turned].all()
            # Coulomb: no vertex holds more than its static share, static equal to kinetic here
            share = np.linalg.norm(vertices.friction, axis=1) / vertices.normal
            assert share.max() <= 0.6 * (1 + 1e-9)
            np.testing.assert_allclose(vertices.normal[own | turned].sum(), np.linalg.norm(contacts.normal[k]), rtol=1e-3)


def test_facets_shown_are_those_at_the_point(soft):
    scene, recording = soft
    contacts = recording.contacts(-1)
    k = list(contacts.second).index("ground")
    from robotphi import build_model
    parts = build_model(scene).arrays.contact.parts
    block = parts.facet[parts.facet_start[1]:parts.facet_start[2]]
    corner = recording.position[-1][block[contacts.first_facet[k]]]
    assert corner[:, 2].max() < 0.01, "a facet of the underside"
    low, high = corner.min(axis=0), corner.max(axis=0)
    assert (low[:2] - 1e-9 <= contacts.point[k, :2]).all()
    assert (contacts.point[k, :2] <= high[:2] + 1e-9).all()


def test_the_square_to_a_triangle_against_a_fine_search():
    rng = np.random.default_rng(1)
    corner, point = rng.normal(size=(40, 3, 3)), 2.0 * rng.normal(size=(40, 3))
    u, w = np.meshgrid(np.linspace(0, 1, 401), np.linspace(0, 1, 401), indexing="ij")
    inside = u + w <= 1.0 + 1e-12
    weights = np.stack([1 - u - w, u, w], axis=-1)[inside]
    for k in range(40):
        found = square_to_triangle(tuple(point[k]), *map(tuple, corner[k]), np.inf)
        square = np.min(np.sum((weights @ corner[k] - point[k])**2, axis=1))
        # the nearest of the grid is at most a cell's diagonal away from the nearest point
        assert found <= square + 1e-12
        assert square_to_triangle(tuple(point[k]), *map(tuple, corner[k]), found) == found, "no farther than what is known"
        assert np.sqrt(square) - np.sqrt(found) <= 1.5 * np.abs(corner[k]).max() / 400 * np.sqrt(2)


def test_parts_without_facets_show_none():
    from robotphi import build_model
    model = build_model(ball_on_box())
    kinds = model.part_names.index("ball"), model.part_names.index("land")
    found = [facet_at(model.arrays.contact, part, model.position, point)
             for part, point in zip(kinds, ((0.0, 0.0, 0.0), (0.3, 0.1, 0.0)), strict=True)]
    # (0.3 + 1)/0.25 = 5.2, (0.1 + 1)/0.25 = 4.4: cell (5, 4) of 8 x 8, larger y
    assert found == [-1, 2 * (5 * 8 + 4) + 1]


def test_a_recording_tells_names_and_refuses_unknown_ones(rested, tmp_path):
    loaded = Recording.load(rested.save(tmp_path / "run.h5"))
    assert isinstance(loaded.contacts(2), Contacts)
    assert set(Contacts._fields) == {*CONTACTS, "first_owner", "second_owner"}
    with pytest.raises(RecordingError, match=r"'table' is nothing that can touch.*'ground', 'box'"):
        loaded.contact_force("table")
    with pytest.raises(RecordingError, match="have a part in common"):
        loaded.contact_forces("box", "box")


@pytest.mark.parametrize("read", ["contacts", "contact_vertices"])
def test_a_frame_that_is_not_there_is_refused(rested, read):
    read = getattr(rested, read)
    assert len(read(-7)) == len(read(np.int64(6)))
    for frame in (7, 99, -8):
        with pytest.raises(IndexError, match=rf"frame {frame} is not in this recording of 7 frames; use 0 to 6, or -1"):
            read(frame)
    for frame in (1.0, True, None, "last", [1], slice(2)):
        with pytest.raises(RecordingError, match=r"give one whole number, 0 to 6, or -1 back to -7; frame_at\(time\)"):
            read(frame)


def test_a_part_that_touches_itself_has_a_row_of_its_own():
    """Two layers of one sheet, apart at rest, are thrown together: places and forces are told, no point and no direction."""
    layers = [square(0.2, 2, height) for height in (0.05, 0.075)]
    both = Mesh(np.concatenate([one.points for one in layers]),
                {"triangle": np.concatenate([one.cells["triangle"] + 9 * k for k, one in enumerate(layers)])})
    scene = Scene("layers", duration=0.1, frames=200, gravity=(0, 0, 0), stepping=Stepping(budget=1e-3))
    contact = ContactMaterial(stiffness=1e7)
    body = sheet(both, Material(density=500.0, young=1e5), 0.004)
    cloth = scene.add_object("cloth", body, contact=contact, self_contact=True)
    for name, rows, way in (("down", cloth.particles[9:], -1.0), ("up", cloth.particles[:9], 1.0)):
        for i, row in enumerate(rows):
            scene.add_force(f"{name} {i}", int(row), (0, 0, 0.05 * way))
    recording = simulate(scene)
    table = recording.rows["contacts"]
    assert len(table["first"]), "they touch in some frames"
    assert (table["first"] == table["second"]).all()
    assert ((table["places"] >= 1) & (table["places"] <= 18)).all(), "each vertex on the other layer at most"
    assert (table["pressed"] > 0.0).all()
    np.testing.assert_allclose(table["normal"], 0.0, atol=1e-12 * table["pressed"].max())
    assert np.isnan(table["point"]).all()
    assert np.isnan(table["direction"]).all()
    assert (table["first_facet"] == -1).all()
    # λ × area × mean depth, of one material with itself half its stiffness
    np.testing.assert_allclose(table["pressed"], 0.5e7 * table["area"] * table["depth"], rtol=1e-12)


def test_a_file_of_a_version_without_tables_is_read(rested, tmp_path):
    path = write_old(rested, tmp_path / "run.h5", rows=False)
    loaded = Recording.load(path)
    assert loaded.rows == {}
    assert len(loaded.contacts().first) == 0
    np.testing.assert_array_equal(loaded.position, rested.position)


def test_a_damaged_table_is_refused(rested, tmp_path):
    import h5py
    path = rested.save(tmp_path / "run.h5")
    with h5py.File(path, "a") as file:
        start = file["robotphi/rows/contacts/start"][()]
        file["robotphi/rows/contacts/start"][...] = start + 1
    with pytest.raises(RecordingError, match="damaged"):
        Recording.load(path)


def test_without_contact_there_is_nothing_to_read():
    scene = Scene("free", duration=0.1, frames=1)
    scene.add_particle("p", (0, 0, 0), 1.0)
    recording = simulate(scene)
    assert recording.rows == {}
    assert len(recording.contacts(0).point) == len(recording.contact_vertices().normal) == 0


def test_names_of_many_parts_are_packed():
    names = ("ground", "sand:0", "sand:1", "hand:palm", "hand:thumb")
    packed = packed_names(names, np.array([0, 1, 1, 2, 2]), ("ground", "sand", "hand"))
    assert packed == [["ground", 1], ["sand", 2], ["hand", ["hand:palm", "hand:thumb"]]]


@pytest.mark.parametrize("of", ["table", ("box", "box"), ("box", "ground", "box"), None, 3])
def test_a_contact_sensor_of_nothing_that_touches_is_refused(of):
    with pytest.raises(SceneError, match="give the name of a thing that touches"):
        resting_box().add_sensor("wrong", "contact_force", of)


def test_the_report_tells_who_touched(rested, tmp_path):
    report = describe_recording(rested.save(tmp_path / "run.h5"))
    (pair,) = report["contacts"]
    assert (pair["first"], pair["second"], pair["frames"]) == ("box", "ground", 7)
    largest = np.linalg.norm(rested.rows["contacts"]["normal"], axis=1).max()
    assert pair["largest_normal_force"] == pytest.approx(largest, rel=5 * np.finfo(float).eps, abs=0)  # sums in any order
    assert not pair["slips"]


def dropped(contact, duration=0.1, ceiling=False, **stepping):
    scene = Scene("drop", duration=duration, frames=2, gravity=(0, 0, 0), stepping=Stepping(**stepping))
    scene.add_plane("ground", contact=contact)
    if ceiling:
        scene.add_plane("ceiling", (0, 0, 0.3), (0, 0, -1), contact=contact)
    scene.add_ball("ball", (0, 0, 0.12), 0.1, mass=1.0, contact=contact, velocity=(0, 0, -1.0))
    return scene


def test_warnings_of_stiff_contact_are_kept_with_the_run():
    stiff = ContactMaterial(stiffness=1e10)
    recording = simulate(dropped(stiff, control="fixed", dt=5e-3), until=0.0)
    assert len(recording.info["warnings"]) == 1
    assert "'ground' and 'ball'" in recording.info["warnings"][0]
    assert simulate(dropped(HARD)).info["warnings"] == []


def test_a_contact_too_stiff_for_a_fixed_step_is_to_blame():
    """Between two planes every hit brings energy in: the step is beyond its stability."""
    stiff = ContactMaterial(stiffness=1e10)
    with pytest.raises(SimulationDiverged, match=r"the contact of 'ball' and '(ground|ceiling)'") as caught:
        simulate(dropped(stiff, duration=20.0, ceiling=True, control="fixed", dt=5e-3))
    remedy, suggestion = caught.value.post_mortem.remedy, caught.value.post_mortem.suggestion
    assert 1e-4 < remedy["dt"] < 2e-3, "of the size that a hit asks for"
    assert "stiffness of the pair of 1.25e+09 instead of 5e+09" in suggestion
    assert simulate(dropped(stiff, ceiling=True, **{"control": "fixed"} | remedy)).status == "done"


def test_a_contact_that_closes_at_the_floor_is_to_blame():
    stiff = ContactMaterial(stiffness=1e9)
    with pytest.raises(SimulationDiverged, match="the contact of 'ball' and 'ground'") as caught:
        simulate(dropped(stiff, dt_min=3e-4, budget=1e-6))
    assert caught.value.post_mortem.remedy == {"dt_min": None}
    assert 0.0 < caught.value.post_mortem.energy < 0.5, "part of the ball's kinetic energy"
    assert simulate(dropped(stiff, dt_min=None, budget=1e-6)).status == "done"


def test_a_picture_shows_forces(soft, tmp_path):
    from matplotlib.image import imread

    from robotphi.view.contacts import picture_contacts
    scene, recording = soft
    image = imread(picture_contacts(recording, scene, tmp_path / "contacts.png", frames=[1]))[..., :3]
    red = (image[..., 0] > image[..., 1] + 0.3) & (image[..., 0] > image[..., 2] + 0.3)
    assert red.sum() > 20, "nothing else is red"
