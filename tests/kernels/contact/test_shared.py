"""Pairs shared over a team: the same bits for any number of members and from any frame, and each with scratch of its own."""
import numpy as np
import pytest

from robotphi import Scene, Simulator, Stepping, build_model
from robotphi.discretise import Material, deformable, discretise, moved, rigid, turned
from robotphi.geometry import shapes
from robotphi.kernels.contact import columns
from robotphi.kernels.contact.shared import own_touch
from robotphi.kernels.step.buffers import Members, Touch
from robotphi.scene.contact import ContactMaterial
from tests.run.test_continued_contact import assert_same_from

HARD = ContactMaterial(stiffness=1e7, restitution=0.3, speed=1.0, friction=0.5)


def grid(*counts):
    """Places of a grid, each a little off, so that no two pairs are alike."""
    places = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 3)
    return places, np.random.default_rng(7).uniform(-1.0, 1.0, places.shape)


def heap(duration=0.006):
    """Boxes that lie on each other and on the ground."""
    scene = Scene("heap", duration=duration, frames=2, stepping=Stepping(budget=1e-3))
    scene.add_plane("ground", contact=HARD)
    box, (places, off) = rigid(shapes.box((0.2, 0.16, 0.1)), density=1000.0), grid(3, 3, 4)
    for number, at in enumerate(places * (0.201, 0.161, 0.0998) + (0, 0, 0.0499) + 1e-4 * off):
        scene.add_object(f"box {number}", moved(box, tuple(at)), contact=HARD)
    return scene


def balls(duration=0.02):
    """More than 49 balls on each other; some are particles with a size."""
    scene = Scene("balls", duration=duration, frames=2, stepping=Stepping(budget=1e-3))
    scene.add_plane("ground", contact=HARD)
    places, off = grid(5, 4, 5)
    places = places * 0.1995 + (0, 0, 0.0999) + 1e-4 * off
    for number, at in enumerate(places[:60]):
        scene.add_ball(f"ball {number}", tuple(at), 0.1, mass=1.0, contact=HARD, spin=(0.0, 1.0, 0.0))
    scene.add_contact_balls("sand", scene.add_particles("grains", places[60:], mass=0.5), 0.1, contact=HARD)
    return scene


def on_field(duration=0.01):
    """Boxes and balls that fall onto hills, close together."""
    scene = Scene("on field", duration=duration, frames=2, stepping=Stepping(budget=1e-3))
    u, w = np.meshgrid(np.linspace(-1, 1, 17), np.linspace(-1, 1, 17), indexing="ij")
    scene.add_height_field("land", 0.03 * np.sin(3 * u) * np.cos(2 * w), (0.125, 0.125), (-1, -1, 0), contact=HARD)
    box, (places, off) = rigid(shapes.box((0.2, 0.16, 0.1)), density=1000.0), grid(6, 6, 1)
    for number, at in enumerate(places * (0.205, 0.165, 0.0) + (-0.5, -0.4, 0.07) + 2e-3 * off):
        scene.add_object(f"box {number}", moved(turned(box, off[number], 0.1), tuple(at)), contact=HARD, velocity=(0.5, 0, -1))
        scene.add_ball(f"ball {number}", tuple(at + np.array([0, 0, 0.11])), 0.04, mass=0.2, contact=HARD)
    return scene


def soft(duration=2e-4):
    """Soft cubes side by side on a plane, and a rigid ball on each."""
    scene = Scene("soft", duration=duration, frames=2, stepping=Stepping(budget=1e-3))
    contact = ContactMaterial(stiffness=2e7, restitution=0.5, speed=1.0, friction=0.6)
    scene.add_plane("ground", contact=contact)
    block = deformable(discretise(shapes.box((0.1, 0.1, 0.1)), counts=(1, 1, 1)),
                       Material(density=1000.0, young=2e5, damping_ratio=0.1))
    places, off = grid(5, 5, 1)
    for number, at in enumerate(places * (0.1004, 0.1003, 0.0) + (0, 0, 0.0495) + 1e-4 * off):
        scene.add_object(f"block {number}", moved(block, tuple(at)), contact=contact, velocity=(0.1, 0.0, -0.5))
        scene.add_ball(f"ball {number}", tuple(at + np.array([0, 0, 0.079])), 0.03, mass=0.1, contact=contact)
    return scene


def wheels(duration=0.1):
    """Wheels that roll over hills, with dampers apart: rows for each side that presses; stones among them."""
    scene = Scene("wheels", duration=duration, frames=2, stepping=Stepping(budget=1e-3))
    u, w = np.meshgrid(np.linspace(-1.5, 1.5, 61), np.linspace(-1.5, 1.5, 61), indexing="ij")
    tyre = ContactMaterial(stiffness=1e7, restitution=0.1, speed=0.1, friction=0.7)
    scene.add_height_field("land", 0.03 * np.sin(23 * u) * np.cos(17 * w), (0.05, 0.05), (-1.5, -1.5, 0), contact=tyre)
    (places, off), half = grid(5, 5, 1), np.array([0.0, 0.04, 0.0])
    stone = rigid(shapes.box((0.06, 0.05, 0.04)), density=2000.0)   # pairs with ground leave room where its ends would be
    for number, (x, y, _) in enumerate(places[:8] * (0.5, 0.5, 0.0) + (-0.8, -0.8, 0.0) + 5e-3 * off[:8]):
        low = 0.03 * np.sin(23 * x) * np.cos(17 * y)
        scene.add_object(f"stone {number}", moved(stone, (x, y, low + 0.025)), contact=tyre)
    for number, at in enumerate(places * (0.5, 0.5, 0.0) + (-1.0, -1.0, 0.125) + 5e-3 * off):
        scene.add_wheel(f"wheel {number}", at - half, at + half, [0.09, 0.1, 0.09], mass=2.0, contact=tyre,
                        velocity=(0.5, 0.0, 0.0), spin=(0.0, 5.0, 0.0))
    scene.add_linear("axle", scene.add_particles("a", [[2.0, 0, 1.0]], mass=1.0),
                     scene.add_particles("b", [[2.1, 0, 1.0]], mass=1.0), stiffness=100.0, viscosity=1e5)
    return scene


SCENES = {scene.__name__: scene for scene in (heap, balls, on_field, soft, wheels)}


@pytest.fixture(scope="module", params=list(SCENES))
def straight(request):
    model = build_model(SCENES[request.param]())
    simulator = Simulator(model, threads=1)
    recording = simulator.run()
    touch = simulator.state.buffers.touch
    assert touch.sizes[columns.SHARED] == 1, "the pairs must be shared"
    assert touch.pairs[:touch.sizes[columns.PAIR_COUNT], columns.TOUCHING].sum() > 20, "many must touch"
    return model, recording, simulator


@pytest.mark.parametrize("threads", [2, 3])
def test_members_that_share_pairs_change_no_bit(straight, threads):
    model, recording, _ = straight
    assert_same_from(recording, Simulator(model, threads=threads).run(), 0)


def test_a_run_with_shared_pairs_continued_from_any_frame_has_the_same_bits(straight):
    model, recording, _ = straight
    for frame in range(len(recording) - 1):
        assert_same_from(recording, Simulator.continued(model, recording, frame, threads=2).run(), frame)


def test_nothing_is_left_of_a_pair_on_a_member(straight):
    members = straight[2].state.buffers.members
    for array in (members.force, members.load, members.totals):
        assert not array.any()


SCRATCH = ("share", "below", "facet_index", "facet_box", "facet_corner", "facet_most", "points", "breaks", "patch")
POISON = 77


def test_a_member_sees_all_that_contact_writes_but_for_its_own_scratch():
    """Each in its own place, so that a column that is added to `Touch` is not forgotten here, and none stands for another."""
    touch = Touch(*(np.full((1, 1), i) for i in range(len(Touch._fields))))
    members = Members(*(np.full((1, 1), 1000 + i) for i in range(len(Members._fields))))
    seen = getattr(own_touch, "py_func", own_touch)(touch, members, 0)
    for field, found in seen._asdict().items():
        own = field in (*SCRATCH, "load", "totals", "sizes", "row_counts")
        assert found.flat[0] == getattr(members if own else touch, field).flat[0], field


@pytest.mark.parametrize("name", ["heap", "on_field"])
def test_the_scratch_of_a_member_is_its_own(name):
    """With poison in the scratch of everybody else a member does the same, and leaves the poison there."""
    model = build_model(SCENES[name](duration=0.01))
    clean, poisoned = Simulator(model, threads=1), Simulator(model, threads=1)
    poisoned.begin()
    buffers = poisoned.state.buffers
    others = [getattr(buffers.touch, field) for field in SCRATCH] + [getattr(buffers.members, field)[1:] for field in SCRATCH]
    for array in others:
        array[...] = POISON
    assert_same_from(clean.run(), poisoned.run(), 0)
    assert poisoned.state.buffers.touch.sizes[columns.SHARED] == 1
    for array in others:
        assert (array == POISON).all()


def test_few_pairs_are_done_in_turn():
    """By counts alone: scratch of members is for scenes of many parts."""
    scene = Scene("few", duration=0.01, frames=1)
    scene.add_plane("ground", contact=HARD)
    for i in range(3):
        scene.add_ball(f"ball {i}", (0.3 * i, 0, 0.0999), 0.1, mass=1.0, contact=HARD)
    simulator = Simulator(build_model(scene), threads=2)
    simulator.run()
    assert len(simulator.state.buffers.members.load) == 0
    assert simulator.state.buffers.touch.sizes[columns.SHARED] == 0
