"""Assembly: merged, connected, unified and glued objects keep mass, centre and inertia, and refuse what cannot be."""
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robotphi.discretise.deform import deformable
from robotphi.discretise.joining.assembly import _spans, connect, glue, join, merge, unify
from robotphi.discretise.joining.touching import distance_within, touching_pairs
from robotphi.discretise.joining.transform import moved
from robotphi.discretise.matter.material import Material
from robotphi.discretise.rigid import rigid
from robotphi.discretise.shape import discretise
from robotphi.discretise.sheet import sheet
from robotphi.errors import SceneError
from robotphi.geometry import shapes
from robotphi.geometry.mesh import Mesh
from robotphi.record.balance import check_balance
from robotphi.record.measure import recorded_momenta
from robotphi.run.simulator import simulate
from robotphi.scene import Scene
from robotphi.scene.objects import Object, SpringGroup
from robotphi.scene.rigid import mass_properties
from tests.counted import python_lines


def pad(counts=(2, 2, 2), centre=(0, 0, 0), size=(1, 1, 1), way="centre"):
    mesh = discretise(shapes.box(size, centre=centre), counts=counts)
    return deformable(mesh, Material(1e5, density=1000.0), way, articular=True)


def bone(centre=(0, 0, 1), size=(1, 1, 1), density=2000.0):
    return rigid(shapes.box(size, centre=centre), density=density)


def check_sum(whole, objects, rtol=1e-13):
    """Mass, centre and inertia of the whole are the sums of the parts', also as its particles have them."""
    pieces = [each.properties for each in objects.values()]
    mass, centre, between = mass_properties(np.array([p[1] for p in pieces]), np.array([p[0] for p in pieces]))
    inertia = between + sum(p[2] for p in pieces)
    for reached in (whole.properties, mass_properties(whole.position, whole.mass)):
        assert_allclose(reached[0], mass, rtol=rtol)
        assert_allclose(reached[1], centre, atol=rtol)
        assert_allclose(reached[2], inertia, atol=rtol * np.trace(inertia))


def check_closed(whole):
    """The polyhedron of every part is closed: each edge is run once each way."""
    for rows in whole.polyhedra.values():
        facets = whole.facets[rows]
        edges = np.concatenate([facets[:, [0, 1]], facets[:, [1, 2]], facets[:, [2, 0]]])
        assert_array_equal(np.unique(edges, axis=0), np.unique(edges[:, ::-1], axis=0))
        assert len(np.unique(edges, axis=0)) == len(edges)


def check_moves(whole, support="", velocity=(1, 2, 3), spin=(0.3, 0.2, 0.1)):
    """In a scene it keeps its momenta and its ledger."""
    scene = Scene("assembled", duration=0.02, frames=2, gravity=(0, 0, 0))
    placed = scene.add_object("thing", whole, velocity=velocity, spin=spin, support=support)
    recording = simulate(scene)
    momentum, angular = (np.array(each) for each in recorded_momenta(recording)[:2])
    scale = np.abs(angular).max() + np.abs(momentum).max()
    assert_allclose(momentum[0], whole.properties[0] * np.array(velocity), rtol=1e-12)
    assert_allclose(momentum - momentum[0], 0, atol=1e-12 * scale)  # rounding of a few hundred steps
    assert_allclose(angular - angular[0], 0, atol=1e-12 * scale)
    check_balance(recording)
    return placed, recording


def test_joined_objects_keep_their_names():
    whole = join({"pad": pad(), "bone": bone()})
    assert set(whole.springs) == {"pad.linear", "pad.folds"}
    assert {"pad.top", "bone.top", "pad", "bone"} <= set(whole.regions)
    assert set(whole.polyhedra) == {"pad.body", "bone.body"}
    assert [part.name for part in whole.rigids] == ["bone.body"]
    assert "bone.top" in whole.facet_regions
    assert "pad.top" in whole.facet_regions
    assert_allclose(whole.position[whole.regions["bone.top"]][:, 2], 1.5)
    corners = whole.position[whole.facets[whole.facet_regions["bone.top"]]]
    assert_allclose(corners[..., 2], 1.5)
    assert whole.notes["way"] == "centre"
    assert "certificate" not in whole.notes["parts"]["pad"]
    check_closed(whole)


def test_merged_deformable_parts_are_one_body():
    objects = {"low": pad(), "high": pad(centre=(0, 0, 1))}
    whole = merge(objects)
    assert len(whole.position) == sum(len(each.position) for each in objects.values()) - 9
    assert_array_equal(np.sort(whole.regions["low.top"]), np.sort(whole.regions["high.bottom"]))
    assert_array_equal(whole.regions["merged"], np.sort(whole.regions["low.top"]))
    check_sum(whole, objects)
    check_closed(whole)
    # the same springs as if the block had been divided as a whole: stiffnesses of both parts add up
    one = pad((2, 2, 4), (0, 0, 0.5), (1, 1, 2))
    rows = np.concatenate([group.particles for name, group in whole.springs.items() if name.endswith("linear")])
    stiffness = np.concatenate([group.stiffness for name, group in whole.springs.items() if name.endswith("linear")])
    assert_allclose(energy(whole.position, rows, stiffness), energy(one.position, one.springs["linear"].particles,
                                                                    one.springs["linear"].stiffness), rtol=1e-12)
    check_moves(whole)


def energy(position, rows, stiffness):
    """Of linear springs, stretched and sheared."""
    strained = position @ np.array([[1.01, 0.02, 0], [0, 0.99, 0], [0, 0, 1.03]])
    length, rest = (np.linalg.norm(x[rows[:, 0]] - x[rows[:, 1]], axis=1) for x in (strained, position))
    return float(stiffness @ (length - rest) ** 2) / 2


def test_a_merged_particle_gives_its_mass_to_the_rigid_part():
    objects = {"pad": pad(), "bone": bone()}
    whole = merge(objects)
    part = whole.rigids[0]
    assert len(whole.regions["merged"]) == 5  # four corners and the facet's centre
    check_sum(whole, objects)
    gave = objects["pad"].mass[touching(objects)]
    assert_allclose(part.mass, objects["bone"].rigids[0].mass + gave.sum(), rtol=1e-14)
    assert_allclose(np.sort(part.taken)[-5:], np.sort(gave), rtol=1e-14)
    own, before = part.own(whole.position), objects["bone"].rigids[0]
    assert_allclose(own.mass, before.mass, rtol=1e-13)
    assert_allclose(own.centre, before.centre, atol=1e-13)
    assert_allclose(own.inertia, before.inertia, atol=1e-12 * np.trace(before.inertia))
    owner = whole.rigid_of_particle
    assert not any((owner[group.particles] == 0).all(axis=1).any() for group in whole.springs.values())
    check_moves(whole)


def touching(objects):
    return touching_pairs([each.position for each in objects.values()], 1e-9)[0, 1][:, 0]


def test_particles_a_little_apart_meet_in_their_centre_or_at_the_rigid_one():
    objects = {"low": pad(), "high": pad(centre=(0, 0, 1.001))}
    whole = merge(objects, tolerance=0.002)
    assert_allclose(whole.position[whole.regions["merged"], 2], 0.5005, rtol=1e-12)
    assert_allclose(whole.properties[1], join(objects).properties[1], atol=1e-15)
    upper = bone((0, 0, 1.001))
    whole = merge({"low": pad(), "bone": upper}, tolerance=0.002)
    assert_array_equal(whole.position[whole.regions["bone.bottom"]], upper.position[upper.regions["bottom"]])
    assert_array_equal(whole.regions["merged"], np.sort(whole.regions["bone.bottom"]))


def test_four_parts_may_meet_in_one_edge():
    objects = {"a": pad(), "b": pad(centre=(1, 0, 0)), "c": pad(centre=(0, 0, 1)), "d": pad(centre=(1, 0, 1))}
    whole = merge(objects)
    check_sum(whole, objects)
    assert len(whole.position) == 5 * 3 * 5 + 4 * 8  # a grid of corners, and the centres of the cells
    assert len(np.unique(whole.position.round(9), axis=0)) == len(whole.position)
    check_closed(whole)


def test_plastic_springs_keep_their_limits():
    soft = deformable(discretise(shapes.box((1, 1, 1)), counts=(2, 2, 2)), Material(1e5, yield_stress=1e3), articular=True)
    whole = glue({"pad": soft, "bone": bone()})
    group = whole.springs["pad.linear"]
    assert len(group) < len(soft.springs["linear"])
    assert len(group.limit) == len(group) == len(group.stiffness)
    check_moves(whole)


def test_what_merge_refuses():
    with pytest.raises(SceneError, match=r"part 'low' touches no other: the nearest particle is 0.5 m away"):
        merge({"low": pad(), "high": pad(centre=(0, 0, 1.5))})
    both = r"particle \d+ of 'a' and particle \d+ of 'b' touch, and both belong to rigid parts; .*unify"
    with pytest.raises(SceneError, match=both):
        merge({"a": bone((0, 0, 0)), "b": bone()})
    with pytest.raises(SceneError, match=r"particle \d+ of 'low' and particle \d+ of 'low' both touch particle \d+ of 'high'"):
        merge({"low": pad((2, 2, 8)), "high": pad((2, 2, 2), centre=(0, 0, 1))}, tolerance=0.13)
    with pytest.raises(SceneError, match="give at least 2 by name"):
        merge({"low": pad()})
    with pytest.raises(SceneError, match="give at least 2 by name"):
        merge([pad(), pad()])
    with pytest.raises(SceneError, match='a word without ":"'):
        merge({"a:b": pad(), "b": pad()})
    one = Object(np.zeros((1, 3)), np.ones(1), regions={"b.c": [0]})
    with pytest.raises(SceneError, match=r"two of regions would be called 'a.b.c'"):
        join({"a": one, "a.b": replace(one, regions={"c": [0]})})


def test_connected_parts_are_at_rest_and_keep_their_momenta():
    objects = {"a": bone((0, 0, 0)), "b": bone((0, 0, 1.2))}
    whole = connect(objects, "ties", "a.top", "b.bottom", stiffness=1e4, viscosity=10.0, within=0.3)
    group = whole.springs["ties"]
    assert len(group) == 5
    assert_allclose(np.linalg.norm(np.diff(whole.position[group.particles], axis=1), axis=2), 0.2, rtol=1e-12)
    whole = connect(whole, "diagonals", [0, 1], whole.regions["b.top"][:2], stiffness=[1e4, 2e4])
    assert_array_equal(whole.springs["diagonals"].stiffness, [1e4, 2e4])
    check_sum(whole, objects)
    _, recording = check_moves(whole, spin=(0, 0, 0))
    assert_allclose(recording.position[-1], recording.position[0] + 0.02 * np.array([1, 2, 3]), atol=1e-13)


def test_what_connect_refuses():
    objects = {"a": bone((0, 0, 0)), "b": bone((0, 0, 1.2))}
    with pytest.raises(SceneError, match=r"within 0.1 m of first; the smallest gap is 0.2 m"):
        connect(objects, "ties", "a", "b", 1e4, within=0.1)
    with pytest.raises(SceneError, match=r"did you mean 'a.top'"):
        connect(objects, "ties", "a.tip", "b", 1e4, within=0.1)
    with pytest.raises(SceneError, match="first holds 15 particles and second 5"):
        connect(objects, "ties", "a", "b.top", 1e4)
    with pytest.raises(SceneError, match="belong to one rigid part"):
        connect(objects, "ties", [0], [1], 1e4)
    with pytest.raises(SceneError, match="in one place, and a spring needs a length"):
        connect({"a": bone((0, 0, 0)), "b": bone()}, "ties", "a.top", "b.bottom", 1e4, within=0.1)
    with pytest.raises(SceneError, match="both zero"):
        connect(objects, "ties", "a.top", "b.bottom", 0.0, within=1)
    whole = connect(objects, "ties", "a.top", "b.bottom", 1.0, within=1)
    with pytest.raises(SceneError, match="give the springs a new name; there are ties"):
        connect(whole, "ties", "a.top", "b.bottom", 1.0, within=1)


def test_unified_rigid_parts_are_one_primitive():
    objects = {"a": bone((0, 0, 0)), "b": bone(density=500.0), "c": bone((1, 0, 0), density=3000.0)}
    whole = unify(objects, name="block")
    assert [part.name for part in whole.rigids] == ["block"]
    assert len(whole.position) == 3 * 15 - 5 - 5  # two facets shared; the edge that b and c share belongs to them
    check_sum(whole, objects)
    check_closed(whole)
    placed, recording = check_moves(whole)
    assert len(placed.rigids) == 1
    for name in objects:  # parts keep their form
        rows = placed.region(name)
        apart = [np.linalg.norm(x[rows][:, None] - x[rows], axis=2) for x in recording.position[[0, -1]]]
        assert_allclose(*apart, atol=1e-14)


def test_what_unify_refuses():
    with pytest.raises(SceneError, match="part 'b' shares no particle with any other; it takes three"):
        unify({"a": bone((0, 0, 0)), "b": bone((0, 0, 1.1))})
    with pytest.raises(SceneError, match="part 'b' shares 2 particles with 'a'; it takes three"):
        unify({"a": bone((0, 0, 0)), "b": bone((1, 0, 1))})
    long = {name: rigid(discretise(shapes.box((1, 4, 1), centre=(x, 0, x)), counts=(1, 4, 1)), density=1.0)
            for name, x in (("a", 0.0), ("b", 1.0))}
    with pytest.raises(SceneError, match="part 'b' shares 5 particles with 'a' on one line"):
        unify(long)
    with pytest.raises(SceneError, match="part 'pad' is not one rigid part"):
        unify({"a": bone(), "pad": pad()})


def test_a_glued_pad_moves_with_its_bones():
    objects = {"pad": pad((3, 3, 2)), "low": bone((0.1, 0, -1)), "high": bone((0, 0.2, 1))}
    whole = glue(objects)
    check_sum(whole, objects)
    check_closed(whole)
    low, high = whole.rigids
    assert (len(low.particles), len(high.particles)) == (15 + 12, 15 + 12)  # of 16 on a facet, four overhang
    assert len(whole.regions["glued"]) == 24
    owner = whole.rigid_of_particle
    assert not any(((owner[group.particles] == owner[group.particles[:, :1]]) & (owner[group.particles] >= 0)).all(axis=1).any()
                   for group in whole.springs.values())
    assert_allclose(low.own(whole.position).inertia, objects["low"].rigids[0].inertia, atol=1e-10)
    placed, recording = check_moves(whole)
    rows = placed.particles[high.particles]
    apart = [np.linalg.norm(x[rows][:, None] - x[rows], axis=2) for x in recording.position[[0, -1]]]
    assert_allclose(*apart, atol=1e-14)
    free = placed.particles[owner < 0]
    strain = [np.linalg.norm(x[free][:, None] - x[free], axis=2) for x in recording.position[[0, -1]]]
    assert np.abs(strain[1] - strain[0]).max() > 1e-8  # the spin pulls the pad


def test_glued_and_merged_parts_can_be_joined_again():
    first = glue({"pad": pad(), "low": bone((0, 0, -1))})
    objects = {"one": first, "high": bone()}
    for way in (glue, merge):
        whole = way(objects)
        check_sum(whole, objects)
        assert [part.name for part in whole.rigids] == ["one.low.body", "high.body"]
        assert whole.rigids[0].taken.sum() == first.rigids[0].taken.sum()
        assert "one.pad.top" in whole.regions
        assert "one.pad.linear" in whole.springs
        check_moves(whole)
    bones = {"a": unify({"x": bone(), "y": bone((1, 0, 1))}), "pad": pad()}
    check_sum(glue(bones), bones)


def test_what_a_rigid_part_has_taken_before_stays_known():
    made = bone()
    part = replace(made.rigids[0], taken=np.full(15, 0.1))
    before = replace(made, rigids=(part,))
    whole = glue({"pad": pad(), "bone": before})
    assert_allclose(whole.rigids[0].taken[:15], 0.1, rtol=1e-14)
    assert_allclose(whole.rigids[0].own(whole.position).mass, part.mass - 1.5, rtol=1e-13)
    whole = unify({"a": bone((0, 0, 0)), "bone": before})
    assert_allclose(whole.rigids[0].taken.sum(), 1.5, rtol=1e-14)


def test_what_glue_refuses():
    with pytest.raises(SceneError, match=r"nothing lies on part 'bone' within .* m: the smallest gap is 0.25 m"):
        glue({"pad": pad(), "bone": bone((0.1, 0.1, 1.25))})
    with pytest.raises(SceneError, match=r"all 35 particles of part 'pad' lie on rigid parts within 0.6 m"):
        glue({"pad": pad(), "bone": bone((0, 0, 0))}, tolerance=0.6)
    with pytest.raises(SceneError, match="lies on 'a' and on 'b'; unify"):
        glue({"pad": pad(), "a": bone((0.5, 0, 1)), "b": bone((-0.5, 0, 1))})
    with pytest.raises(SceneError, match=r"part 'far' lies on no rigid part within .* the smallest gap is 3 m"):
        glue({"pad": pad(), "bone": bone(), "far": pad(centre=(0, 0, 5))})
    with pytest.raises(SceneError, match="there are 0 rigid parts with facets and 2 deformable ones"):
        glue({"pad": pad(), "bone": pad()})


def test_cells_of_unlike_ways_are_kept_by_their_corners():
    whole = join({"a": pad(way="tetrahedra"), "b": pad(centre=(0, 0, 1), way="corners"), "c": moved(bone(), (5, 0, 0))})
    assert whole.cells["hexahedron"].shape == (16, 8)
    assert whole.density["hexahedron"].shape == (16,)
    assert whole.notes["way"] == "mixed"


def test_distances_from_a_surface():
    box = bone((0, 0, 0), (1, 2, 3))
    points = np.random.default_rng(0).uniform(-3, 3, (500, 3))
    outside = np.maximum(np.abs(points) - [0.5, 1, 1.5], 0)
    exact = np.linalg.norm(outside, axis=1)
    inside = exact == 0
    exact[inside] = ([0.5, 1, 1.5] - np.abs(points[inside])).min(axis=1)
    reached = distance_within(points, box.position[box.facets], 1.0)
    assert_allclose(reached[exact <= 1], exact[exact <= 1], rtol=1e-12)
    assert np.isinf(reached[exact > 1]).all()


def test_no_loop_of_python_goes_over_the_particles_of_parts_that_are_joined():
    def join(count):
        position = np.indices((count // 400, 20, 20)).reshape(3, -1).T.astype(float)
        pairs = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
        links = SpringGroup("linear", pairs, np.ones(count - 1), np.ones(count - 1))
        block = Object(position, np.ones(count), {"linear": links})
        whole = merge({"a": block, "b": moved(block, (count // 400 - 1.0, 0, 0))})
        assert len(whole.regions["merged"]) == 400

    assert python_lines(lambda: join(40_000)) < 1.1 * python_lines(lambda: join(800))


SAME = {"pads": lambda: (pad(), pad()), "bones": lambda: (bone(), bone()),
        "pads of one cell": lambda: (pad((1, 1, 1), way="corners"), pad((1, 1, 1), way="corners")),
        "part of a pad": lambda: (pad(), pad((1, 2, 2), (0.25, 0, 0), (0.5, 1, 1), "corners"))}


@pytest.mark.parametrize("name", sorted(SAME))
def test_parts_in_the_same_place_are_refused(name):
    one, other = SAME[name]()
    with pytest.raises(SceneError, match=r"'a' and 'b' are in the same place.*only touch"):
        (unify if name == "bones" else merge)({"a": one, "b": other})


def test_a_skin_on_all_points_of_a_surface_is_merged():
    body = pad()
    used, rows = np.unique(body.facets, return_inverse=True)
    skin = sheet(Mesh(body.position[used], {"triangle": rows.reshape(-1, 3)}), Material(1e5), thickness=0.01)
    assert len(merge({"body": body, "skin": skin}).position) == len(body.position)


@pytest.mark.parametrize(("width", "wide"), [(1e-8, False), (1e-4, True), (1.0, True)])
def test_particles_of_which_one_stands_a_little_aside_are_not_on_one_line(width, wide):
    assert _spans(np.array([[0, 0, 0], [1, 0, 0], [2, width, 0]])) == wide


def test_the_recording_of_a_joined_object_has_its_certificate():
    pad = deformable(discretise(shapes.box((1.0, 1.0, 1.0)), counts=(2, 2, 2)), Material(1e5))
    bone = rigid(shapes.box((1.0, 1.0, 1.0), centre=(0, 0, -1.0)), density=500.0)
    scene = Scene("joined", duration=1e-3, frames=1)
    scene.add_object("both", glue({"pad": pad, "bone": bone}))
    told = simulate(scene).info["objects"]["both"]["certificate"]["rest"]
    assert told["mass"]["wanted"] == pytest.approx(1500.0)
    assert told["inertia error"] < 1e-12
