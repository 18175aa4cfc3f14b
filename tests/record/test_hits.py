"""Hits read from recordings: impulse, speeds, effective restitution; what frames do not show is said."""
import warnings

import numpy as np
import pytest

from robotphi import ContactMaterial, RecordingError, Scene, Stepping, build_model, simulate
from robotphi.discretise import rigid
from robotphi.geometry import shapes
from robotphi.record.bodies import Body
from robotphi.scene.contact import restitution_of
from robotphi.verification.contact_effective import hit_scene, soft_bodies, soft_drop, whereabouts
from tests.kernels.contact.touching_scenes import ball_on_box, soft_block


def thrown_ball(duration=0.3, frames=300, speed=-1.0, height=0.12, gravity=-9.81, restitution=0.6, **more):
    """A ball that falls on the ground, its hit a few ms long."""
    scene = Scene("thrown", duration=duration, frames=frames, gravity=(0, 0, gravity), stepping=Stepping(budget=1e-6))
    contact = ContactMaterial(stiffness=1e9, restitution=restitution, speed=1.0, friction=0.2)
    scene.add_plane("ground", contact=contact)
    scene.add_ball("ball", (0, 0, height), 0.1, mass=2.0, contact=contact, velocity=(3.0, 0, speed), **more)
    return scene


@pytest.fixture(scope="module")
def thrown():
    scene = thrown_ball()
    return scene, simulate(scene)


def test_a_hit_tells_what_it_did(thrown):
    scene, recording = thrown
    hit = recording.hits("ball", "ground", scene)[0]
    assert (hit.first, hit.second, hit.complete, hit.impulse_from) == ("ball", "ground", True, "momentum")
    assert hit.time_error == pytest.approx(5e-4)
    # the ball is 2 cm up and falls at 1 m/s: 1 t + g/2 t² = 0.02
    assert hit.start == pytest.approx((np.sqrt(1 + 2 * 9.81 * 0.02) - 1) / 9.81, abs=hit.time_error)
    # it slips all the time: the tangential part is 0.2 of the normal one
    assert -hit.impulse[0] == pytest.approx(0.2 * hit.impulse[2], rel=1e-6)
    before, after = hit.frames[0] - 1, hit.frames[1] + 1
    np.testing.assert_allclose(hit.impulse, 2.0 * (recording.rigid_velocity[after, 0] - recording.rigid_velocity[before, 0])
                               + 2.0 * 9.81 * (after - before) * 1e-3 * np.array([0, 0, 1]), atol=1e-12)
    np.testing.assert_allclose(hit.direction, (0, 0, 1), atol=1e-12)
    assert hit.restitution == hit.separation / hit.approach
    # what it came with up to gravity in the hit, some g × duration
    assert hit.restitution == pytest.approx(restitution_of(scene.touching["ball"].contact.damping, hit.approach), abs=0.05)
    assert hit.energy_lost == pytest.approx(0.5 * 2.0 * (hit.approach ** 2 - hit.separation ** 2), rel=1e-12)
    rows = [recording.contacts(frame) for frame in range(hit.frames[0], hit.frames[1] + 1)]
    assert hit.depth == max(row.depth[0] for row in rows)
    forces = [row.normal[0] + row.friction[0] for row in rows]
    # two squares added in another order: half of 3 roundings under the root, and that of the root, on either side
    assert hit.peak_force == pytest.approx(max(map(np.linalg.norm, forces)), rel=5 * np.finfo(float).eps, abs=0)
    assert hit.ledger["contact_dissipation"] > 0.5 * hit.energy_lost


def test_the_other_thing_gets_the_opposite(thrown):
    scene, recording = thrown
    turned = recording.hits("ground", "ball", build_model(scene))
    for one, other in zip(recording.hits("ball", "ground", scene), turned, strict=True):
        np.testing.assert_array_equal(one.impulse, -other.impulse)
        assert one.frames == other.frames
        np.testing.assert_array_equal([one.approach, one.separation], [other.approach, other.separation])


def test_momentum_and_forces_agree_on_the_impulse(thrown):
    scene, recording = thrown
    hit = recording.hits("ball", "ground", scene)[0]
    force = recording.contact_forces("ball", "ground")[hit.frames[0] - 1:hit.frames[1] + 2]
    # trapezoids of a pulse a few frames long that starts and ends like its square: ∝ the square of the interval
    np.testing.assert_allclose(np.sum(force[1:] + force[:-1], axis=0) * 0.5e-3, hit.impulse, atol=0.02 * hit.impulse[2])


def test_a_hit_does_not_depend_on_how_frames_fall():
    """Frames of other lengths cut the flight elsewhere: e and the loss stay, start and end by the error that is told."""
    found = []
    for frames in (97, 200, 411):
        scene = thrown_ball(duration=0.08, frames=frames, restitution=1.0)
        found.append(simulate(scene).hits("ball", "ground", scene)[0])
    for hit in found[:-1]:
        # the step's budget of 1e-6 in energy of a hit at 1.2 m/s, and other steps because of other frames; friction is shared
        assert hit.approach == pytest.approx(found[-1].approach, rel=2e-5)
        assert hit.restitution == pytest.approx(found[-1].restitution, rel=2e-5)
        assert abs(hit.start - found[-1].start) <= hit.time_error + found[-1].time_error


def test_a_hit_under_way_at_either_end_lacks_what_no_frame_shows():
    scene = thrown_ball(duration=0.022, frames=44)
    [hit] = simulate(scene).hits("ball", "ground", scene)
    assert (hit.complete, hit.frames[1]) == (False, 44)
    assert hit.end == 0.022
    assert hit.approach > 1.0
    assert np.isnan([hit.separation, hit.restitution, hit.restitution_error, hit.energy_lost]).all()
    assert hit.impulse[2] > 0.0
    scene = thrown_ball(duration=0.022, frames=44, speed=1.0, height=0.0999)
    [hit] = simulate(scene).hits("ball", "ground", scene)
    assert (hit.complete, hit.frames[0], hit.start) == (False, 0, 0.0)
    assert np.isnan([hit.approach, hit.restitution]).all()
    assert hit.separation > 0.9


def test_what_lies_on_the_ground_has_no_restitution():
    scene = thrown_ball(duration=0.05, frames=50, speed=0.0, height=0.1 - np.sqrt(2.0 * 9.81 / (np.pi * 5e8 * 0.1)))
    [hit] = simulate(scene).hits("ball", "ground", scene)
    assert hit.frames == (0, 50)
    assert np.isnan([hit.approach, hit.separation, hit.restitution]).all()
    assert hit.impulse[2] == pytest.approx(2.0 * 9.81 * 0.05, rel=1e-3)


def test_two_free_things_have_one_impulse():
    scene = hit_scene("ball", 0.75, mass=1.0, other=3.0, frames=90)
    recording = simulate(scene)
    [hit] = recording.hits("above", "below", scene)
    # μ (1 + e) v
    np.testing.assert_allclose(hit.impulse, (0, 0, 0.75 * 1.75 * 2.0), atol=2e-6)
    assert hit.impulse_error < 1e-14 * 3.0
    assert hit.energy_lost == pytest.approx(hit.ledger["contact_dissipation"], rel=1e-5)


def test_where_others_push_as_well_the_forces_are_summed():
    """A block between a plane and a ball that falls on it: of the ball the momentum tells, of block and plane the forces."""
    contact = ContactMaterial(stiffness=1e9, restitution=0.8, speed=1.0)
    scene = Scene("pile", duration=0.05, frames=500, stepping=Stepping(budget=1e-5))
    scene.add_plane("ground", contact=contact)
    scene.add_object("block", rigid(shapes.box((0.2, 0.2, 0.1), (0, 0, 0.049999)), density=1000.0), contact=contact)
    scene.add_ball("ball", (0, 0, 0.155), 0.05, mass=0.5, contact=contact, velocity=(0, 0, -1.0))
    recording = simulate(scene)
    on_block = recording.hits("ball", "block", scene)[0]
    assert on_block.impulse_from == "momentum"
    assert on_block.restitution_error > 0.0, "what carries the block is not known"
    under = recording.hits("block", "ground", scene)[0]
    assert under.impulse_from == "forces"
    total = recording.contact_forces("block", "ground")[under.frames[0]:under.frames[1] + 1].sum(axis=0)
    np.testing.assert_allclose(under.impulse, total * 1e-4, atol=0.01 * np.linalg.norm(under.impulse))
    assert under.impulse_error < 0.05 * under.impulse[2]


def test_a_short_break_may_be_part_of_a_hit(thrown):
    scene, recording = thrown
    one, other = recording.hits("ball", "ground", scene)[:2]
    gap = recording.time[other.frames[0]] - recording.time[one.frames[1]]
    joined = recording.hits("ball", "ground", scene, pause=1.001 * gap)[0]
    assert joined.frames[0] == one.frames[0]
    assert joined.frames[1] >= other.frames[1]


def test_hits_between_two_frames_are_told():
    scene = thrown_ball(frames=15, height=0.13)
    recording = simulate(scene)
    with pytest.warns(UserWarning, match=r"'ball' jumps \d times between two frames.*record more frames"):
        recording.hits("ball", "ground", scene)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scene = thrown_ball()
        assert simulate(scene).hits("ball", "ground", scene)


def test_what_cannot_be_read_is_refused(thrown):
    scene, recording = thrown
    with pytest.raises(RecordingError, match="'table' is nothing that can touch"):
        recording.hits("ball", "table", scene)
    with pytest.raises(RecordingError, match="pause is -1"):
        recording.hits("ball", "ground", scene, pause=-1)
    with pytest.raises(RecordingError, match="'thrown' and not of this scene, 'soft'"):
        recording.hits("ball", "ground", soft_block())
    with pytest.raises(RecordingError, match="scene is 'thrown'; give the Scene or Model"):
        recording.hits("ball", "ground", "thrown")
    scene = Scene("free", duration=0.1, frames=1)
    scene.add_particle("p", (0, 0, 0), 1.0)
    with pytest.raises(RecordingError, match="holds no contacts"):
        simulate(scene).hits("p", "p", scene)


def test_bodies_of_names():
    model = build_model(ball_on_box())
    body = {name: Body(model, np.array([part == name for part in model.part_names])) for name in model.part_names}
    assert body["land"].rests
    assert not body["land"].alone
    assert body["land"].mass == np.inf
    assert body["sand:1"].mass == 0.1
    assert body["sand:1"].particles.tolist() == [model.particle_count - 2]
    assert body["ball"].mass == 0.5
    assert body["ball"].alone


def test_what_something_else_acts_on_is_not_alone():
    def alone(change):
        scene = thrown_ball()
        change(scene)
        model = build_model(scene)
        return Body(model, np.array([part == "ball" for part in model.part_names])).alone

    def spring(scene):
        other = scene.add_particle("other", (1, 0, 0), 1.0)
        scene.add_linear("string", [scene.rigids[0].particles[0]], [other], stiffness=1.0)

    assert alone(lambda scene: None)
    assert not alone(spring)
    assert not alone(lambda scene: scene.add_force("push", scene.rigids[0], (1, 0, 0)))
    held = thrown_ball(support="y")
    model = build_model(held)
    assert not Body(model, np.array([part == "ball" for part in model.part_names])).alone


@pytest.mark.parametrize("name", soft_bodies())
def test_what_a_soft_hit_misses_is_in_the_body(name):
    shape, young = soft_bodies()[name]
    scene = soft_drop(shape, young)
    recording = simulate(scene)
    [hit] = recording.hits("body", "ground", scene)
    assert 0.5 < hit.restitution < 0.99, "an elastic contact, and yet it comes back slower"
    places = whereabouts(scene, hit, recording)
    assert places["lost"] == 0.0
    # within the ledger's budget, of the energies that it knows
    assert sum(places.values()) == pytest.approx(hit.energy_lost, abs=1e-5 * recording.ledger["reference_energy"][-1])
