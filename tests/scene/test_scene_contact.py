"""What a scene says about contact: materials, things that touch, laws of pairs, and what is refused."""

import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, SceneError
from robotphi.discretise.deform import deformable
from robotphi.discretise.joining.assembly import join, merge
from robotphi.discretise.joining.transform import moved
from robotphi.discretise.rigid import rigid
from robotphi.discretise.shape import discretise
from robotphi.geometry import shapes
from robotphi.geometry.polyhedron import Compound
from robotphi.scene.contact import restitution_of
from robotphi.scene.object_parts import is_closed, surfaces
from robotphi.scene.objects import Object
from tests.kernels.contact.press.small_things import RUBBER, cloth, soft_box

HARD = ContactMaterial(stiffness=1e9)


def refusal(call, **options):
    """What is said where a call is refused."""
    with pytest.raises(SceneError) as error:
        call(**options)
    return str(error.value)


def missing(text, *patterns):
    return [pattern for pattern in patterns if pattern not in text]


def test_a_material_takes_its_stiffness_or_a_layer():
    assert ContactMaterial(stiffness=1e8).stiffness == 1e8
    assert ContactMaterial(young=2e6, thickness=0.01).stiffness == 2e8
    assert ContactMaterial(stiffness=1e8).damping == 0.0


def test_a_restitution_at_a_speed_becomes_a_damping():
    material = ContactMaterial(stiffness=1e8, restitution=0.7, speed=2.0)
    assert restitution_of(material.damping, 2.0) == pytest.approx(0.7, abs=1e-12)   # two inversions, each to rounding
    assert ContactMaterial(stiffness=1e8, restitution=1.0).damping == 0.0
    assert ContactMaterial(stiffness=1e8, damping=0.3).damping == 0.3


def test_static_friction_is_kinetic_friction_where_left_out():
    assert ContactMaterial(stiffness=1.0, friction=0.4).static_friction == 0.4
    assert ContactMaterial(stiffness=1.0, friction=0.4, static_friction=0.6).static_friction == 0.6


def test_materials_of_equal_values_are_one():
    assert ContactMaterial(stiffness=1e8, friction=0.5) == ContactMaterial(stiffness=1e8, friction=0.5, static_friction=0.5)
    assert len({ContactMaterial(stiffness=1e8), ContactMaterial(stiffness=1e8), ContactMaterial(stiffness=2e8)}) == 2


@pytest.mark.parametrize(("options", "patterns"), [
    ({}, ("stiffness is missing", "1e9", "young")),
    ({"stiffness": 0.0}, ("stiffness is 0", "> 0")),
    ({"stiffness": np.nan}, ("stiffness is nan", "finite")),
    ({"stiffness": "hard"}, ("'hard'", "one number")),
    ({"stiffness": 1e8, "young": 1e6}, ("stiffness is given and young",)),
    ({"young": 1e6}, ("thickness is missing",)),
    ({"thickness": 0.1}, ("young is missing",)),
    ({"young": -1.0, "thickness": 0.1}, ("young is -1",)),
    ({"stiffness": 1e8, "restitution": 0.5}, ("speed is missing", "slower hits")),
    ({"stiffness": 1e8, "speed": 0.5}, ("restitution is missing",)),
    ({"stiffness": 1e8, "restitution": 0.5, "speed": 0.0}, ("speed is 0",)),
    ({"stiffness": 1e8, "restitution": 0.0, "speed": 1.0}, ("restitution is 0",)),
    ({"stiffness": 1e8, "restitution": -0.1, "speed": 1.0}, ("restitution is -0.1",)),
    ({"stiffness": 1e8, "restitution": 1.2, "speed": 1.0}, ("restitution is 1.2", "<= 1")),
    ({"stiffness": 1e8, "restitution": 0.5, "speed": 1.0, "damping": 1.0}, ("both given",)),
    ({"stiffness": 1e8, "damping": -1.0}, ("damping is -1", ">= 0")),
    ({"stiffness": 1e8, "friction": -0.1}, ("friction is -0.1",)),
    ({"stiffness": 1e8, "friction": 0.5, "static_friction": 0.4}, ("static_friction is 0.4", "give 0.5 or more")),
    ({"stiffness": 1e8, "tangential_stiffness": 0.0}, ("tangential_stiffness is 0",)),
    ({"stiffness": 1e8, "ball_law": "herz"}, ("'herz'", "did you mean 'hertz'")),
    ({"stiffness": 1e8, "ball_law": "hertz"}, ("ball_stiffness is missing", "N/m^1.5")),
    ({"stiffness": 1e8, "ball_law": "linear"}, ("ball_stiffness is missing", "N/m,")),
])
def test_a_material_says_what_is_wrong(options, patterns):
    text = refusal(ContactMaterial, **options)
    assert not missing(text, "contact material", *patterns), text


def test_things_that_touch_are_kept_in_the_order_in_which_they_came():
    scene = Scene("order")
    scene.add_plane("floor", contact=HARD)
    scene.add_object("box", rigid(shapes.box((1, 1, 1)), density=1.0), contact=HARD)
    scene.add_ball("ball", (0, 0, 3), 0.5, mass=1.0, contact=HARD)
    scene.add_ball("ghost", (0, 0, 3), 0.5, mass=1.0)
    scene.add_object("still", rigid(shapes.box((1, 1, 1)), density=1.0))
    scene.add_height_field("hills", np.zeros((2, 3)), 0.5, contact=HARD)
    assert list(scene.touching) == ["floor", "box", "ball", "hills"]


def test_a_plane_has_a_unit_normal_and_may_be_carried():
    scene = Scene("plane")
    box = scene.add_object("box", rigid(shapes.box((1, 1, 1)), density=1.0))
    assert scene.add_plane("slope", normal=(3, 0, 4), contact=HARD).normal.tolist() == [0.6, 0, 0.8]
    assert scene.add_plane("steep", normal=(3e200, 0, 4e200), contact=HARD).normal.tolist() == [0.6, 0, 0.8]
    carried = [scene.add_plane(f"p{i}", contact=HARD, rigid=one) for i, one in enumerate((box, "box", box.rigids[0]))]
    assert [plane.rigid for plane in carried] == [0, 0, 0]


def test_a_ball_is_a_rigid_of_exact_inertia_with_its_centre_first():
    scene = Scene("ball")
    ball = scene.add_ball("ball", (1, 2, 3), 0.5, density=10.0, contact=HARD, velocity=(1, 0, 0), spin=(0, 2, 0))
    mass = 10.0 * 4 / 3 * np.pi * 0.125
    assert ball.mass == pytest.approx(mass, rel=1e-15)
    assert ball.inertia.tolist() == (np.eye(3) * 0.4 * ball.mass * 0.25).tolist()
    assert ball.centre.tolist() == [1, 2, 3]
    assert scene.position[ball.particles[0]].tolist() == [1, 2, 3]
    assert len(ball.particles) == 7
    np.testing.assert_allclose(np.linalg.norm(scene.position[ball.particles[1:]] - ball.centre, axis=1), 0.5, rtol=1e-15)
    assert (ball.velocity[0], ball.spin[1]) == (1, 2)


@pytest.mark.parametrize("shape", ["capsule", "cylinder"])
@pytest.mark.parametrize(("length", "radius"), [(1.0, 0.1), (0.2, 0.5)])
def test_capsules_and_cylinders_have_the_inertia_of_the_solid(shape, length, radius):
    """Against the solid cut into slices: discs of r(z) have dm r²/4 across and dm r²/2 along; the midpoint rule of 40 000
    slices leaves about 1e-8 where the profile ends vertically."""
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    scene = Scene(shape)
    start = np.array([0.3, 0.2, -0.1])
    made = getattr(scene, f"add_{shape}")("one", start, start + length * axis, radius, density=7.0, contact=HARD)
    reach = length / 2 + (radius if shape == "capsule" else 0.0)
    z = (np.arange(40000) + 0.5) / 40000 * 2 * reach - reach
    square = np.clip(radius ** 2 - np.maximum(np.abs(z) - length / 2, 0.0) ** 2, 0.0, None)
    mass = 7.0 * np.pi * square * 2 * reach / 40000
    along, across = (mass * square / 2).sum(), (mass * (square / 4 + z ** 2)).sum()
    np.testing.assert_allclose(made.mass, mass.sum(), rtol=1e-6)
    np.testing.assert_allclose(made.inertia, along * np.outer(axis, axis) + across * (np.eye(3) - np.outer(axis, axis)),
                               atol=1e-6 * across)
    np.testing.assert_allclose(made.centre, start + length / 2 * axis, atol=1e-15)
    np.testing.assert_allclose(scene.position[made.particles[:2]], [start, start + length * axis], rtol=1e-15)
    assert scene.touching["one"].shape == shape


def test_balls_that_are_held_all_round_need_no_mass():
    ball = Scene("held").add_ball("post", (0, 0, 0), 0.1, contact=HARD, support="xyz", rotation_support="xyz")
    assert ball.mass == 0.0


def test_particles_get_a_size_by_index_or_name():
    scene = Scene("grains")
    grains = scene.add_particles("grains", np.eye(3), 1.0)
    assert scene.add_contact_balls("sized", "grains", 0.1, HARD).particles.tolist() == grains.tolist()
    assert scene.add_contact_balls("two", grains[:2], [0.1, 0.2], HARD).radius.tolist() == [0.1, 0.2]
    assert scene.touching["sized"].self_contact


def floor_and(name="ball"):
    scene = Scene("scene")
    scene.add_plane("floor", contact=HARD, contact_group="ground")
    scene.add_ball(name, (0, 0, 1), 0.1, mass=1.0, contact=HARD)
    return scene


@pytest.mark.parametrize(("method", "options", "patterns"), [
    ("add_plane", {"name": "p"}, ("plane 'p'", "contact is None", "ContactMaterial")),
    ("add_plane", {"name": "p", "contact": 1e8}, ("contact is 100000000.0",)),
    ("add_plane", {"name": "p", "contact": HARD, "normal": (0, 0, 0)}, ("normal is zero",)),
    ("add_plane", {"name": "p", "contact": HARD, "rigid": "floor"}, ("unknown name 'floor'",)),
    ("add_plane", {"name": "p", "contact": HARD, "rigid": 3}, ("rigid is 3",)),
    ("add_plane", {"name": "p", "contact": HARD, "contact_group": "a:b"}, ("contact_group is 'a:b'",)),
    ("add_plane", {"name": "floor", "contact": HARD}, ("'floor' is taken", "floor_2")),
    ("add_plane", {"name": "ball", "contact": HARD}, ("'ball' is taken",)),
    ("add_particle", {"name": "floor", "position": (0, 0, 0), "mass": 1.0}, ("'floor' is taken",)),
    ("add_height_field", {"name": "h", "heights": [1, 2], "spacing": 1.0, "contact": HARD}, ("shape (2,)", "(nu, nv)")),
    ("add_height_field", {"name": "h", "heights": np.zeros((2, 2)), "spacing": 0.0, "contact": HARD}, ("spacing is 0",)),
    ("add_height_field", {"name": "h", "heights": np.full((2, 2), np.nan), "spacing": 1.0, "contact": HARD}, ("heights is",)),
    ("add_height_field", {"name": "h", "heights": np.zeros((2, 2)), "spacing": 1.0}, ("contact is None",)),
    ("add_ball", {"name": "b", "position": (0, 0, 0), "radius": 0.0, "mass": 1.0}, ("radius is 0",)),
    ("add_ball", {"name": "b", "position": (0, 0, 0), "radius": 1e200, "mass": 1.0}, ("radius is 1e+200", "<= 1e+90")),
    ("add_ball", {"name": "b", "position": (0, 0, 0), "radius": 1.0}, ("mass is missing",)),
    ("add_ball", {"name": "b", "position": (0, 0, 0), "radius": 1.0, "mass": 1.0, "density": 1.0}, ("both given",)),
    ("add_ball", {"name": "b", "position": (0, 0, 0), "radius": 1.0, "mass": 1.0, "contact": "rubber"}, ("'rubber'",)),
    ("add_ball", {"name": "b", "position": (0, 0, 0), "radius": 1.0, "mass": 1, "contact_group": "g"}, ("contact is missing",)),
    ("add_capsule", {"name": "c", "start": (0, 0, 0), "end": (0, 0, 0), "radius": 1.0, "mass": 1.0}, ("coincide", "add_ball")),
    ("add_capsule", {"name": "c", "start": (0, 0, 0), "end": (0, 0, 1e150), "radius": 1.0, "mass": 1.0}, ("length is 1e+150",)),
    ("add_cylinder", {"name": "c", "start": (0, 0, 0), "end": (0, 0, 1), "radius": -1.0, "mass": 1.0}, ("radius is -1",)),
    ("add_contact_balls", {"name": "g", "particles": "ball", "radius": 1.0, "contact": HARD}, ("no block of particles",)),
    ("add_contact_balls", {"name": "g", "particles": [0, 0], "radius": 1.0, "contact": HARD}, ("named twice",)),
    ("add_contact_balls", {"name": "g", "particles": [0, 99], "radius": 1.0, "contact": HARD}, ("particle 99",)),
    ("add_contact_balls", {"name": "g", "particles": [0], "radius": 0.0, "contact": HARD}, ("radius is 0",)),
    ("add_contact_balls", {"name": "g", "particles": [0], "radius": 1.0}, ("contact is None",)),
    ("set_contact", {"first": "flor", "second": "ball", "contact": HARD}, ("'flor'", "did you mean 'floor'")),
    ("set_contact", {"first": "ball", "second": "grond", "contact": HARD}, ("did you mean 'ground'",)),
    ("set_contact", {"first": "ball", "second": "floor", "contact": None}, ("contact is None",)),
    ("exclude_contact", {"first": "ball", "second": "wall"}, ("unknown thing or contact group 'wall'",)),
])
def test_a_scene_says_what_is_wrong(method, options, patterns):
    scene = floor_and()
    before = scene.particle_count, list(scene.things), list(scene.touching)
    text = refusal(getattr(scene, method), **options)
    assert not missing(text, *patterns), text
    assert (scene.particle_count, list(scene.things), list(scene.touching)) == before


@pytest.mark.parametrize(("thing", "options", "patterns"), [
    (lambda: rigid(shapes.box((1, 1, 1)), density=1.0), {"contact": 5.0}, ("contact is 5.0",)),
    (lambda: rigid(shapes.box((1, 1, 1)), density=1.0), {"contact_group": "g"}, ("contact_group is given", "contact=")),
    (lambda: rigid(shapes.box((1, 1, 1)), density=1.0), {"self_contact": True}, ("self_contact is given",)),
    (lambda: rigid(shapes.box((1, 1, 1)), density=1.0), {"contact": HARD, "contact_thickness": 0.1}, ("no sheet",)),
    (soft_box, {"contact": HARD, "contact_thickness": 0.1}, ("no sheet",)),
    (cloth, {"contact": HARD, "contact_thickness": 0.0}, ("contact_thickness is 0",)),
    (lambda: Object(np.eye(3), np.ones(3)), {"contact": HARD}, ("no facets", "add_contact_balls")),
    (lambda: Object(np.eye(3), np.ones(3), facets=[[0, 1, 2]]), {"contact": HARD}, ("open", "contact_thickness")),
    (lambda: "box", {"contact": HARD}, ("it is 'box'",)),
])
def test_an_object_says_what_is_wrong_and_leaves_nothing_behind(thing, options, patterns):
    scene = Scene("scene")
    text = refusal(scene.add_object, name="it", thing=thing(), **options)
    assert not missing(text, "object 'it'", *patterns), text
    assert not scene.things
    assert not scene.touching
    assert not scene.objects


def told(thing, thickness=None):
    return [(one.name, len(one.facets), one.rigid, one.thickness) for one in surfaces("it", thing, thickness)]


def test_surfaces_of_objects_are_rigid_soft_or_sheets():
    two = Compound((shapes.box((1, 1, 1)), shapes.box((1, 1, 1)).transformed(shift=(1, 0, 0))))
    assert told(rigid(shapes.box((1, 1, 1)), density=1.0)) == [("body", 24, 0, None)]
    assert told(rigid(two, density=1.0)) == [("part 0", 24, 0, None), ("part 1", 24, 0, None)]
    assert told(soft_box()) == [("body", 32, -1, None)]
    assert told(cloth()) == [("sheet", 8, -1, 0.002)]
    assert told(cloth(), thickness=0.01) == [("sheet", 8, -1, 0.01)]
    bare = Object(np.eye(3), np.ones(3), facets=[[0, 1, 2]])
    assert told(bare, thickness=0.1) == [("surface", 1, -1, 0.1)]


def test_soft_parts_that_are_open_where_they_meet_are_one_polyhedron():
    two = Compound((shapes.box((1, 1, 1)), shapes.box((1, 1, 1)).transformed(shift=(1, 0, 0))))
    thing = deformable(discretise(two, size=1.0), RUBBER)
    [one] = surfaces("it", thing)
    assert one.name == "part 0 + part 1"
    assert one.rigid == -1
    assert is_closed(thing.facets[one.facets])
    assert len(one.facets) == len(thing.facets)


def test_joined_objects_keep_the_thickness_of_their_sheets_and_their_rigid_parts():
    bone, pad = rigid(shapes.box((1, 1, 1)), density=1000.0), moved(soft_box((1, 1, 0.5), 0.5), (0, 0, 0.75))
    far = moved(cloth(), (5, 0, 0))
    assert told(join({"bone": bone, "far": far})) == [("bone.body", 24, 0, None), ("far.sheet", 8, -1, 0.002)]
    assert told(merge({"bone": bone, "pad": pad})) == [("bone.body", 24, 0, None), ("pad.body", 32, -1, None)]
    nested = join({"a": join({"far": far}), "bone": bone})
    assert told(nested) == [("a.far.sheet", 8, -1, 0.002), ("bone.body", 24, 0, None)]


def test_an_open_rigid_surface_is_refused():
    box = rigid(shapes.box((1, 1, 1)), density=1.0)
    opened = Object(box.position, box.mass, rigids=box.rigids, facets=box.facets[:-1])
    with pytest.raises(SceneError, match="rigid polyhedron 'surface' is open"):
        surfaces("it", opened)
