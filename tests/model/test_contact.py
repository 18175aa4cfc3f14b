"""From what a scene says about contact to the arrays of the model."""

import numpy as np
import pytest

from robotphi import ContactMaterial, Drive, Scene, SceneError, build_model
from robotphi.discretise.deform import deformable
from robotphi.discretise.joining.assembly import join, merge
from robotphi.discretise.joining.transform import moved
from robotphi.discretise.rigid import rigid
from robotphi.discretise.shape import discretise
from robotphi.geometry import shapes
from robotphi.geometry.hull import hull
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.polyhedron import Compound
from robotphi.kernels.contact import columns, kinds
from robotphi.kernels.contact.columns import NoOutlines
from robotphi.model.laws import law_between, law_of
from robotphi.scene.turns import rotation_about
from tests.counted import python_lines
from tests.kernels.contact.press.small_things import RUBBER, cloth, soft_box

HARD = ContactMaterial(stiffness=1e9)
ROUGH = ContactMaterial(stiffness=3e9, damping=0.2, friction=0.4, static_friction=0.9)


def box(size=(1, 1, 1), at=(0, 0, 0)):
    return moved(rigid(shapes.box(size), density=100.0), at)


def contact(scene):
    return build_model(scene).arrays.contact


def excluded(model):
    """{(name, name)} of the pairs that never touch."""
    keys, count = model.arrays.contact.excluded, len(model.part_names)
    assert keys.dtype == np.int64
    assert (np.diff(keys) > 0).all()
    assert (keys // count < keys % count).all()
    return {(model.part_names[key // count], model.part_names[key % count]) for key in keys}


def test_a_scene_without_contact_has_arrays_without_rows():
    scene = Scene("none")
    scene.add_particle("one", (0, 0, 0), 1.0)
    scene.add_ball("ghost", (0, 0, 0), 0.1, mass=1.0)
    model = build_model(scene)
    parts, fields, tree, law, never = model.arrays.contact
    assert type(parts.outline) is NoOutlines
    assert [column.shape for column in (*parts[:-1], *parts.outline)] == [
        (0,), (0,), (0,), (0,), (0, 6), (1,), (0,), (0,), (1,), (0,), (1,), (0, 3), (0, 3), (0, 6), (0,), (0,), (0, 2)]
    assert [column.shape for column in fields] == [(1,), (0,), (0, 2), (0, 3), (0, 2)]
    assert (law.shape, never.shape) == ((0, 8), (0,))
    assert (model.part_names, model.owner_names) == ((), ())


def everything():
    scene = Scene("all")
    scene.add_plane("floor", point=(0, 0, -1), contact=HARD)
    scene.add_object("box", box((1, 2, 3)), contact=ROUGH)
    scene.add_object("soft", moved(soft_box(), (5, 0, 0)), contact=HARD, self_contact=True)
    scene.add_object("cloth", moved(cloth(), (0, 5, 0)), contact=HARD)
    scene.add_ball("ball", (0, 0, 5), 0.5, mass=2.0, contact=ROUGH)
    scene.add_capsule("capsule", (0, 0, 7), (1, 0, 7), 0.25, mass=3.0, contact=HARD)
    scene.add_cylinder("cylinder", (0, 0, 8), (0.1, 0, 8), 0.25, mass=4.0, contact=HARD)
    scene.add_height_field("hills", np.arange(6.0).reshape(2, 3), (0.5, 0.25), (1, 2, 3), contact=HARD)
    grains = scene.add_particles("grains", np.eye(3) + 9, [1.0, 2.0, 3.0])
    scene.add_contact_balls("sized", grains, [0.1, 0.2, 0.3], contact=HARD)
    return scene


def test_every_array_is_read_only_aligned_and_of_its_type():
    model = build_model(everything())
    parts, fields, tree, law, never = model.arrays.contact
    for array in (*parts[:-1], *parts.outline, *fields, *tree, law, never):
        assert not array.flags.writeable
        assert array.flags.c_contiguous
        assert array.size == 0 or array.ctypes.data % 64 == 0
    floats = {"size", "vertex_area", "plane", "height", "origin", "spacing"}
    for name, array in (*parts._replace(outline=parts.facet)._asdict().items(), *fields._asdict().items()):
        assert array.dtype == (np.float64 if name in floats else np.int32), name


def test_parts_come_in_order_with_names_kinds_and_sizes():
    scene = everything()
    model = build_model(scene)
    parts = model.arrays.contact.parts
    assert model.part_names == ("floor", "box", "soft", "cloth", "ball", "capsule", "cylinder", "hills",
                                "sized:0", "sized:1", "sized:2")
    assert model.owner_names == ("floor", "box", "soft", "cloth", "ball", "capsule", "cylinder", "hills", "sized")
    assert parts.kind.tolist() == [kinds.PLANE, kinds.POLYHEDRON, kinds.POLYHEDRON, kinds.SHEET, kinds.SPHERE, kinds.CAPSULE,
                                   kinds.CYLINDER, kinds.FIELD, *[kinds.SPHERE] * 3]
    assert parts.owner.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8]
    assert parts.rigid.tolist() == [-1, 0, -1, -1, 1, 2, 3, -1, -1, -1, -1]
    assert parts.field.tolist() == [-1] * 7 + [0] + [-1] * 3
    assert parts.self_touch.tolist() == [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    inf, soft_area, cloth_area = np.inf, 4.0 / 18, 0.04 / 9   # surface of the box over 18 particles, 0.04 m² over nine
    expected = [[0, inf, inf, inf], [0, 0.5, 22 / 6, 600], [0, 0.25, soft_area, 500], [0.001, 0.001, cloth_area, 0.024],
                [0.5, 0.5, 0.01 * 0.25, 2], [0.25, 0.25, 0.01 * 0.5 * 1.5, 3], [0.25, 0.05, 0.01 * 0.5 * 0.1, 4],
                [0, inf, inf, inf], *([r, r, 0.01 * r * r, m] for r, m in ((0.1, 1), (0.2, 2), (0.3, 3)))]
    np.testing.assert_allclose(parts.size[:, :4], expected, rtol=1e-12)   # sums of a few dozen rounded areas and masses
    # kg/m² of surface and kg a vertex: a third of the soft box is on its 18 vertices, all of the cloth on its nine
    moved = [[0, inf], [0, inf], [500 / 3 / 4.0, 500 / 3 / 18], [0.024 / 0.04, 0.024 / 9], *[[0, inf]] * 7]
    np.testing.assert_allclose(parts.size[:, 4:], moved, rtol=1e-12)


def test_round_parts_have_the_rows_of_their_axis_and_their_surface():
    scene = everything()
    model = build_model(scene)
    parts = model.arrays.contact.parts
    row = {name: slice(*parts.vertex_start[i:i + 2]) for i, name in enumerate(model.part_names)}
    assert model.position[parts.vertex[row["ball"]]].tolist() == [[0, 0, 5]]
    assert model.position[parts.vertex[row["capsule"]]].tolist() == [[0, 0, 7], [1, 0, 7]]
    assert model.position[parts.vertex[row["sized:2"]]].tolist() == [[9, 9, 10]]
    assert parts.vertex[row["floor"]].size == parts.vertex[row["hills"]].size == 0
    for name, surface in (("ball", np.pi), ("capsule", 2 * np.pi * 0.25 * 1.5), ("cylinder", 2 * np.pi * 0.25 * 0.35)):
        assert parts.vertex_area[row[name]].sum() == pytest.approx(surface, rel=1e-14)


def test_height_fields_keep_their_grid():
    fields = contact(everything()).fields
    assert (fields.start.tolist(), fields.height.tolist(), fields.shape.tolist()) == ([0, 6], list(range(6)), [[2, 3]])
    assert (fields.origin.tolist(), fields.spacing.tolist()) == ([[1, 2, 3]], [[0.5, 0.25]])


def test_the_plane_of_a_rigid_is_in_its_principal_frame():
    scene = Scene("carried")
    turn = rotation_about(np.array([2.0, 1.0, 2.0]) / 3.0, 0.7)
    body = rigid(shapes.box((1, 2, 3)).transformed(matrix=turn, shift=(4, 5, 6)), density=10.0)
    scene.add_object("body", body)
    scene.add_plane("top", point=(4.5, 5, 6), normal=(1, 1, 0), contact=HARD, rigid="body")
    scene.add_plane("world", point=(1, 2, 3), normal=(0, 2, 0), contact=HARD)
    model = build_model(scene)
    parts = model.arrays.contact.parts
    assert parts.rigid.tolist() == [0, -1]
    assert parts.plane[1].tolist() == [1, 2, 3, 0, 1, 0]
    local, moving = model.arrays.rigids.local, model.position - model.rigid_position[0]
    spin = np.linalg.lstsq(local, moving, rcond=None)[0]   # principal frame to world, rows
    np.testing.assert_allclose(parts.plane[0, :3] @ spin + model.rigid_position[0], [4.5, 5, 6], atol=1e-13)
    np.testing.assert_allclose(parts.plane[0, 3:] @ spin, np.array([1, 1, 0]) / np.sqrt(2), atol=1e-13)


def rigid_part(shape):
    scene = Scene("one")
    scene.add_particle("before", (9, 9, 9), 1.0)
    scene.add_object("it", rigid(shape, density=10.0), contact=HARD)
    model = build_model(scene)
    return model, model.arrays.contact.parts


@pytest.mark.parametrize("shape", [shapes.box((1, 2, 3)), shapes.cylinder(0.5, 1.0, 12), shapes.sphere(1.0, 2),
                                   shapes.cone(0.5, 1.0, 7)], ids=["box", "cylinder", "sphere", "cone"])
def test_a_rigid_polyhedron_has_the_corners_and_edges_of_its_hull(shape):
    shape = shape.transformed(matrix=rotation_about(np.array([0.6, 0.0, 0.8]), 0.3), shift=(3, -2, 1))   # nothing is exact
    model, parts = rigid_part(shape)
    count = len(shape.vertices)
    assert len(parts.vertex) == count
    found = model.position[parts.vertex]
    assert {tuple(one) for one in found} == {tuple(one) for one in shape.vertices}
    number = {tuple(one): i for i, one in enumerate(shape.vertices)}
    of_shape = np.array([number[tuple(one)] for one in found])
    edges = {tuple(sorted((of_shape[a], of_shape[b]))) for a in range(count)
             for b in parts.neighbour[parts.neighbour_start[a]:parts.neighbour_start[a + 1]]}
    assert edges == {tuple(edge) for edge in shape.edges.tolist()}
    assert all((np.diff(parts.neighbour[first:last]) > 0).all()
               for first, last in zip(parts.neighbour_start[:-1], parts.neighbour_start[1:], strict=True))
    assert parts.vertex_area.sum() == pytest.approx(shape.areas.sum(), rel=1e-13)


def test_climbing_along_the_edges_finds_the_farthest_corner():
    model, parts = rigid_part(shapes.sphere(1.0, 2))
    found = model.position[parts.vertex]
    for direction in np.random.default_rng(1).normal(size=(200, 3)):
        at, height = 0, found @ direction
        while True:
            near = parts.neighbour[parts.neighbour_start[at]:parts.neighbour_start[at + 1]]
            best = near[np.argmax(height[near])]
            if height[best] <= height[at]:
                break
            at = best
        assert height[at] == height.max()


def test_facet_centres_are_no_corners_but_belong_to_facets():
    model, parts = rigid_part(shapes.box((1, 1, 1)))
    assert parts.facet.shape == (24, 3)
    assert ((parts.facet_vertex >= 0).sum(axis=1) == 2).all()
    on = parts.facet_vertex >= 0
    assert (parts.vertex[parts.facet_vertex[on]] == parts.facet[on]).all()
    assert parts.vertex_area.tolist() == pytest.approx([0.75] * 8)
    a, b, c = (model.position[parts.facet[:, i]] for i in range(3))
    assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), a - model.rigid_position[0]) > 0).all()


def test_several_parts_count_places_and_rows_from_their_own_start():
    scene = Scene("several")
    scene.add_object("first", box(), contact=HARD)
    scene.add_object("second", box(at=(3, 0, 0)), contact=HARD)
    scene.add_object("third", moved(soft_box(), (6, 0, 0)), contact=HARD)
    model = build_model(scene)
    parts = model.arrays.contact.parts
    assert parts.vertex_start.tolist() == [0, 8, 16, 34]
    assert parts.facet_start.tolist() == [0, 24, 48, 80]
    for part in range(3):
        rows = slice(*parts.facet_start[part:part + 2])
        places = parts.facet_vertex[rows]
        on = places >= 0
        assert ((places[on] >= parts.vertex_start[part]) & (places[on] < parts.vertex_start[part + 1])).all()
        assert (parts.vertex[places[on]] == parts.facet[rows][on]).all()
        near = parts.neighbour[parts.neighbour_start[parts.vertex_start[part]]:
                               parts.neighbour_start[parts.vertex_start[part + 1]]]
        assert len(near) == (24 if part < 2 else 0)
        assert ((near >= parts.vertex_start[part]) & (near < parts.vertex_start[part + 1])).all()
    shift = len(box().position)
    assert (parts.vertex[8:16] == parts.vertex[:8] + shift).all()


def test_one_object_placed_twice_gives_what_two_objects_give():
    one, thing = Scene("one"), box((1, 2, 3))
    two = Scene("two")
    for name in ("a", "b"):
        one.add_object(name, thing, contact=HARD)
        two.add_object(name, box((1, 2, 3)), contact=HARD)
    for first, second in zip(contact(one).parts, contact(two).parts, strict=True):
        assert np.array_equal(first, second)


def test_parts_of_one_object_and_other_thicknesses_of_one_sheet_are_told_apart():
    scene, linen = Scene("apart"), cloth()
    scene.add_object("thin", linen, contact=HARD)
    scene.add_object("thick", linen, contact=HARD, contact_thickness=0.01)
    scene.add_object("two", rigid(Compound((shapes.box((1, 1, 1)), shapes.box((3, 1, 1)).transformed(shift=(2, 0, 0)))),
                                  density=1.0), contact=HARD)
    model = build_model(scene)
    parts = model.arrays.contact.parts
    assert parts.size[:2, columns.HALF_THICKNESS].tolist() == [0.001, 0.005]
    last = parts.vertex[parts.vertex_start[3]:parts.vertex_start[4]]
    assert (model.position[last, 0].min(), model.position[last, 0].max()) == (0.5, 3.5)
    assert parts.size[2:, columns.REFERENCE_AREA].tolist() == pytest.approx([6 / 6, 14 / 6])


def test_a_rigid_polyhedron_that_is_not_convex_is_refused():
    points, triangles, _ = shapes.box((1, 1, 1)).triangulated(centres=True)
    points = np.where(np.arange(len(points))[:, None] == 8, 0.4 * points, points)   # the first centre 0.3 m inwards
    scene = Scene("dented")
    scene.add_object("tray", rigid(Mesh(points, {"triangle": triangles}), density=1.0), contact=HARD)
    with pytest.raises(SceneError, match=r"object 'tray', polyhedron 'body': .*not convex: 0\.1 of.*Compound") as error:
        build_model(scene)
    assert "convex_parts" in str(error.value)


def test_a_rigid_surface_turned_inside_out_is_refused():
    from robotphi.scene.objects import Object
    thing = box()
    scene = Scene("turned")
    scene.add_object("sock", Object(thing.position, thing.mass, rigids=thing.rigids, facets=thing.facets[:, ::-1].copy()),
                     contact=HARD)
    with pytest.raises(SceneError, match="inwards"):
        build_model(scene)


@pytest.mark.parametrize("shape", [shapes.sphere(1e-3, 3), shapes.cylinder(2e-3, 1e-3, 50)], ids=["sphere", "cylinder"])
def test_small_things_far_away_have_no_corners_made_of_rounding(shape):
    for shift in ((100.0, -57.3, 31.1), (13.7, 211.9, -0.3)):   # 1e-14 m of rounding there, 1e-11 of the size
        there = shape.transformed(matrix=rotation_about(np.array([0.6, 0.0, 0.8]), 0.3), shift=shift)
        assert len(rigid_part(there)[1].vertex) == len(shape.vertices)


def test_meshes_with_points_on_flat_faces_keep_only_real_corners():
    fine = discretise(shapes.box((1, 1, 1)), size=0.25)
    used, triangles = np.unique(fine.triangles, return_inverse=True)
    mesh = Mesh(fine.points[used], {"triangle": triangles.reshape(-1, 3)})
    model, parts = rigid_part(mesh)
    assert len(parts.vertex) == 8
    assert sorted(map(tuple, np.abs(model.position[parts.vertex]))) == [(0.5, 0.5, 0.5)] * 8
    assert parts.vertex_area.sum() == pytest.approx(6.0, rel=1e-13)


def test_random_hulls_have_as_many_corners_as_their_hull():
    rng = np.random.default_rng(5)
    for count in (4, 8, 60, 200):
        shape = hull(rng.normal(size=(count, 3)) * [1, 2, 0.01])
        _, parts = rigid_part(shape)
        assert len(parts.vertex) == len(shape.vertices)
        assert len(parts.neighbour) == 2 * len(shape.edges)


def test_materials_of_equal_values_are_one_class():
    scene = Scene("classes")
    for i in range(4):
        scene.add_ball(f"ball{i}", (i, 0, 0), 0.1, mass=1.0, contact=ContactMaterial(stiffness=1e9 * (1 + i % 2)))
    one = contact(scene)
    assert one.parts.material.tolist() == [0, 1, 0, 1]
    assert one.law[:, columns.STIFFNESS].tolist() == pytest.approx([5e8, 2e9 / 3, 2e9 / 3, 1e9])


def test_the_law_of_two_materials():
    law = law_between(HARD, ROUGH)
    assert law[columns.STIFFNESS] == pytest.approx(0.75e9)
    assert law[columns.DAMPING] == pytest.approx((0.0 * 3e9 + 0.2 * 1e9) / 4e9)
    assert law[[columns.STATIC_FRICTION, columns.KINETIC_FRICTION]].tolist() == [0, 0]
    assert law[[columns.TANGENTIAL, columns.BALL_POWER, columns.BALL_STIFFNESS]].tolist() == [0, 2, 0]
    slippery = ContactMaterial(stiffness=1e9, friction=0.1, static_friction=0.4)
    assert law_between(ROUGH, slippery)[[columns.STATIC_FRICTION, columns.KINETIC_FRICTION]] == pytest.approx([0.6, 0.2])


def test_two_things_of_one_material_have_its_damping_friction_and_half_its_stiffness():
    law = law_between(ROUGH, ROUGH)
    told = [columns.STIFFNESS, columns.DAMPING, columns.STATIC_FRICTION, columns.KINETIC_FRICTION]
    assert law[told].tolist() == [1.5e9, 0.2, 0.9, 0.4]


def test_tangential_stiffnesses_are_in_series_and_one_counts_alone():
    def material(value):
        return ContactMaterial(stiffness=1e9, tangential_stiffness=value)
    pairs = ((2e5, 2e5), (2e5, 6e5), (2e5, None), (None, None))
    found = [law_between(material(a), material(b))[columns.TANGENTIAL] for a, b in pairs]
    assert found == pytest.approx([1e5, 1.5e5, 2e5, 0])


@pytest.mark.parametrize(("law", "power"), [("volume", 2.0), ("hertz", 1.5), ("linear", 1.0)])
def test_ball_laws_in_series_share_the_depth(law, power):
    first, second = (ContactMaterial(stiffness=1e9, ball_law=law, ball_stiffness=k) for k in (3e6, 7e6))
    row = law_between(first, second)
    assert row[columns.BALL_POWER] == power
    depths = [(50.0 / k) ** (1 / power) for k in (3e6, 7e6)]   # under 50 N
    assert row[columns.BALL_STIFFNESS] * sum(depths) ** power == pytest.approx(50.0, rel=1e-14)


def test_a_ball_of_law_volume_takes_the_law_of_the_other_and_two_others_must_agree():
    hertz = ContactMaterial(stiffness=1e9, ball_law="hertz", ball_stiffness=1e8)
    linear = ContactMaterial(stiffness=1e9, ball_law="linear", ball_stiffness=1e5)
    for pair in ((hertz, HARD), (HARD, hertz)):
        assert law_between(*pair)[[columns.BALL_POWER, columns.BALL_STIFFNESS]].tolist() == [1.5, 1e8]
    with pytest.raises(SceneError, match=r'"hertz".*"linear".*set_contact'):
        law_between(hertz, linear)
    scene = Scene("two laws")
    scene.add_ball("a", (0, 0, 0), 0.1, mass=1.0, contact=hertz)
    scene.add_object("box", box(at=(3, 0, 0)), contact=linear)
    build_model(scene)   # only balls have a ball law
    scene.add_ball("b", (1, 0, 0), 0.1, mass=1.0, contact=linear)
    with pytest.raises(SceneError, match="same ball_law"):
        build_model(scene)
    scene.set_contact("a", "b", hertz)
    assert law_of_pair(build_model(scene), "a", "b")[columns.BALL_POWER] == 1.5


def law_of_pair(model, first, second):
    parts, law = model.arrays.contact.parts, model.arrays.contact.law
    a, b = (parts.material[model.part_names.index(name)] for name in (first, second))
    classes = round(len(law) ** 0.5)
    assert np.array_equal(law[a * classes + b], law[b * classes + a])
    return law[a * classes + b]


def three_balls():
    scene = Scene("three")
    scene.add_plane("floor", contact=HARD)
    for i, name in enumerate("abc"):
        scene.add_ball(name, (i, 0, 1), 0.1, mass=1.0, contact=HARD, contact_group=None if name == "c" else "pair")
    return scene


def test_a_pair_may_have_a_law_of_its_own():
    scene = three_balls()
    special = ContactMaterial(stiffness=7e7, damping=0.5, friction=0.1, tangential_stiffness=3e3)
    scene.set_contact("a", "floor", special)
    model = build_model(scene)
    assert np.array_equal(law_of_pair(model, "a", "floor"), law_of(special))
    assert np.array_equal(law_of_pair(model, "floor", "a"), law_of(special))
    for pair in (("b", "floor"), ("a", "b"), ("c", "a"), ("floor", "c")):
        assert np.array_equal(law_of_pair(model, *pair), law_between(HARD, HARD))
    assert len(model.arrays.contact.law) == 9   # a, the floor, and the rest


def test_groups_take_laws_and_the_later_one_counts():
    scene = three_balls()
    first, second = ContactMaterial(stiffness=1e7), ContactMaterial(stiffness=2e7)
    scene.set_contact("pair", "floor", first)
    scene.set_contact("pair", "pair", first)
    scene.set_contact("floor", "b", second)
    model = build_model(scene)
    assert law_of_pair(model, "a", "floor")[columns.STIFFNESS] == 1e7
    assert law_of_pair(model, "a", "b")[columns.STIFFNESS] == 1e7
    assert law_of_pair(model, "b", "floor")[columns.STIFFNESS] == 2e7
    assert law_of_pair(model, "c", "floor")[columns.STIFFNESS] == 5e8


def test_names_and_groups_can_be_kept_from_touching():
    scene = three_balls()
    scene.exclude_contact("c", "floor")
    scene.exclude_contact("pair", "pair")
    assert excluded(build_model(scene)) == {("floor", "c"), ("a", "b")}


def test_what_shares_a_rigid_or_rests_for_ever_never_touches():
    scene = Scene("fixed")
    scene.add_plane("floor", contact=HARD)
    two = rigid(Compound((shapes.box((1, 1, 1)), shapes.box((1, 1, 1)).transformed(shift=(1, 0, 0)))), density=1.0)
    scene.add_object("two", two, contact=HARD)
    scene.add_plane("lid", point=(0, 0, 1), contact=HARD, rigid="two")
    scene.add_object("wall", box(at=(5, 0, 0)), contact=HARD, support="xyz")
    scene.add_object("block", moved(soft_box(), (9, 0, 0)), contact=HARD, support="xyz")
    scene.add_ball("hinge", (0, 9, 0), 0.1, mass=1.0, contact=HARD, support="xyz")
    scene.add_ball("pulled", (0, 12, 0), 0.1, mass=1.0, contact=HARD, support="yz", rotation_support="xyz",
                   drive={"x": Drive.sine(0.1, 1.0)})
    model = build_model(scene)
    assert excluded(model) == {("two:part 0", "two:part 1"), ("two:part 0", "lid"), ("two:part 1", "lid"), ("floor", "wall"),
                               ("floor", "block"), ("wall", "block")}
    mass = dict(zip(model.part_names, model.arrays.contact.parts.size[:, columns.MASS], strict=True))
    assert mass == {"floor": np.inf, "two:part 0": 2.0, "two:part 1": 2.0, "lid": 2.0, "wall": np.inf, "block": np.inf,
                    "hinge": 1.0, "pulled": np.inf}


def parts_of_one(**options):
    """A bone with a pad grown on it, and a box beside them, as one object."""
    thing = join({"limb": merge({"bone": box(), "pad": moved(soft_box((1, 1, 0.5), 0.5), (0, 0, 0.75))}),
                  "box": box(at=(3, 0, 0))})
    scene = Scene("one")
    scene.add_object("all", thing, contact=HARD, **options)
    return build_model(scene)


def test_parts_of_one_thing_touch_only_where_asked_and_never_where_they_share_particles():
    bone, pad, other = "all:limb.bone.body", "all:limb.pad.body", "all:box.body"
    assert excluded(parts_of_one()) == {(bone, pad), (bone, other), (pad, other)}
    model = parts_of_one(self_contact=True)
    assert excluded(model) == {(bone, pad)}
    assert model.arrays.contact.parts.self_touch.tolist() == [0, 1, 0]


def test_grains_touch_each_other_but_beads_do_not():
    for self_contact, pairs in ((True, set()), (False, {("g:0", "g:1"), ("g:0", "g:2"), ("g:1", "g:2")})):
        scene = Scene("grains")
        scene.add_contact_balls("g", scene.add_particles("p", np.eye(3), 1.0), 0.1, contact=HARD, self_contact=self_contact)
        assert excluded(build_model(scene)) == pairs


def test_particles_of_a_rigid_with_a_size_belong_to_it_and_held_ones_weigh_infinitely():
    scene = Scene("feet")
    feet = scene.add_rigid("body", np.eye(3), mass=3.0)
    held = scene.add_particle("post", (5, 5, 5), 1.0, support="xyz")
    scene.add_contact_balls("feet", feet.particles, 0.1, contact=HARD)
    scene.add_contact_balls("tip", held, 0.1, contact=HARD)
    model = build_model(scene)
    parts = model.arrays.contact.parts
    assert model.part_names == ("feet:0", "feet:1", "feet:2", "tip")
    assert parts.rigid.tolist() == [0, 0, 0, -1]
    assert parts.size[:, columns.MASS].tolist() == [3, 3, 3, np.inf]
    assert excluded(model) == {("feet:0", "feet:1"), ("feet:0", "feet:2"), ("feet:1", "feet:2")}


def test_concave_soft_bodies_are_about_as_thick_as_their_walls():
    """An angle of two walls 0.2 m thick: 0.44 m³ and 5.68 m²; along the normals of its facets it is 1 m wide at least."""
    corner = shapes.box((0.2, 0.2, 1.0))
    arms = [shapes.box(size).transformed(shift=at) for size, at in (((1, 0.2, 1), (0.6, 0, 0)), ((0.2, 1, 1), (0, 0.6, 0)))]
    scene = Scene("angle")
    scene.add_object("it", deformable(discretise(Compound((corner, *arms)), size=0.5), RUBBER), contact=HARD)
    scene.add_object("plain", moved(soft_box((1, 1, 0.2)), (5, 5, 5)), contact=HARD)
    assert contact(scene).parts.size[:, columns.HALF_THICKNESS] == pytest.approx([0.44 / 5.68, 0.1])


def test_many_balls_share_one_law_and_the_work_grows_as_their_number():
    def balls(count):
        scene = Scene("many")
        scene.add_plane("floor", contact=HARD)
        for i in range(count):
            scene.add_ball(f"ball{i}", (i % 50, i // 50, 1.0), 0.4, mass=1.0, contact=HARD)
        return scene

    model = build_model(balls(3000))
    assert model.arrays.contact.law.shape == (1, 8)
    assert len(model.part_names) == 3001
    few, many = balls(100), balls(800)
    assert python_lines(lambda: build_model(many)) < 1.1 * 8 * python_lines(lambda: build_model(few))  # over pairs: 64
