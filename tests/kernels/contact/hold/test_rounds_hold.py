"""What has an axis in valleys, on slopes and on ground that is cut up: friction of each wall, no creep, no ripple."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Simulator, Stepping, build_model, simulate
from robotphi.discretise import rigid
from robotphi.geometry import shapes
from tests.kernels.contact.press.evaluated import evaluate
from tests.kernels.contact.press.test_round_facet import move

RADIUS, MASS, GRAVITY, HALF = 0.12, 10.0, 9.81, 0.1
DEPTH = 1e-4
OUTLINE = [0.11, 0.118, 0.12, 0.118, 0.11]    # m, over the width of a wheel


def law(friction, restitution=0.05, stiffness=2e8, **more):
    return ContactMaterial(stiffness=stiffness, restitution=restitution, speed=1.0, friction=friction, **more)


def add_long(scene, kind, at, axis, contact, **motion):
    ends = np.asarray(at) - HALF * np.asarray(axis), np.asarray(at) + HALF * np.asarray(axis)
    if kind == "wheel":
        scene.add_wheel("thing", *ends, OUTLINE, mass=MASS, contact=contact, **motion)
    else:
        getattr(scene, f"add_{kind}")("thing", *ends, RADIUS, mass=MASS, contact=contact, **motion)


def valley(kind, ground="field", friction=0.3, restitution=0.05, duration=0.1, frames=20, **motion):
    """Two walls that rise at 45° to either side of the y axis, along which the thing lies."""
    contact = law(friction, restitution)
    scene = Scene("valley", duration=duration, frames=frames, stepping=Stepping(attempt_limit=100_000))
    if ground == "field":
        grid = np.linspace(-1.0, 1.0, 41)   # cells of 0.05 m
        heights = np.tile(np.abs(grid)[:, None], (1, 41))
        scene.add_height_field("land", heights, (0.05, 0.05), (-1.0, -1.0, 0.0), contact=contact)
    else:
        scene.add_plane("left", normal=(1, 0, 1), contact=contact)
        scene.add_plane("right", normal=(-1, 0, 1), contact=contact)
    add_long(scene, kind, (0.0, 0.01, RADIUS * np.sqrt(2.0) - DEPTH), (0, 1, 0), contact, **motion)
    return scene


@pytest.mark.parametrize("kind", ["cylinder", "capsule"])
def test_what_slides_along_a_valley_is_braked_by_both_walls(kind):
    """μ (N₁ + N₂) = √2 μ (W + m v_z') while it slides, and still swings up and down; one force for both would be half of it."""
    recording = simulate(valley(kind, velocity=(0.0, 3.0, 0.0)))
    late, braking = recording.time > 0.03, np.sqrt(2.0) * 0.3
    speed = recording.rigid_velocity[late, 0]
    slope = np.polyfit(recording.time[late], speed[:, 1] + braking * speed[:, 2], 1)[0]
    assert -slope == pytest.approx(braking * GRAVITY, rel=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["cylinder", "capsule"])
def test_a_valley_of_a_field_costs_no_more_than_ten_times_the_steps_of_two_planes(kind):
    def steps(ground):
        recording = simulate(valley(kind, ground, friction=0.7, restitution=0.3, duration=0.2, spin=(0.0, 60.0, 0.0)))
        assert recording.status == "done"
        return recording.counts["attempts"]
    assert steps("field") < 10.0 * steps("planes")


def test_a_run_in_a_valley_is_continued_with_the_same_bits_for_one_thread_and_two():
    model = build_model(valley("cylinder", restitution=0.3, duration=0.02, frames=4, spin=(0.0, 60.0, 1.0),
                               velocity=(0.3, 0.2, 0.0)))
    whole = Simulator(model, threads=1).run()
    again = Simulator(model, threads=2).run()
    assert np.array_equal(again.rigid_position, whole.rigid_position)
    for frame in (1, 2):
        rest = Simulator.continued(model, whole, frame=frame).run()
        assert np.array_equal(rest.rigid_spin[-1], whole.rigid_spin[-1])
        assert np.array_equal(rest.rigid_position[-1], whole.rigid_position[-1])


def add_ground(scene, ground, contact):
    if ground == "plane":
        scene.add_plane("ground", contact=contact)
    elif ground == "field":
        scene.add_height_field("ground", np.zeros((29, 23)), (0.05, 0.07), (-0.713, -0.707, 0.0), contact=contact)
    else:
        box = rigid(shapes.box((2.0, 2.0, 1.0), centre=(0.01, 0.02, -0.5)), density=1000.0)
        scene.add_object("ground", box, contact=contact, support="xyz")


@pytest.mark.slow
@pytest.mark.parametrize("ground", ["field", "box"])
@pytest.mark.parametrize("kind", ["capsule", "cylinder"])
def test_what_lies_across_a_slope_sticks_and_does_not_creep(kind, ground):
    """Along its axis, tan 0.35 = 0.365 of friction 0.5: once it lies, it holds to rounding."""
    contact, slope = ContactMaterial(stiffness=1e7, restitution=0.3, speed=1.0, friction=0.5), 0.35
    scene = Scene("slope", duration=2.0, frames=20, gravity=(0.0, GRAVITY * np.sin(slope), -GRAVITY * np.cos(slope)),
                  stepping=Stepping(budget=1e-4))
    add_ground(scene, ground, contact)
    getattr(scene, f"add_{kind}")("thing", (0, -0.1, 0.1), (0, 0.1, 0.1), 0.1, mass=1.0, contact=contact)
    recording = simulate(scene)
    late = recording.time > 1.45
    assert recording.rigid_position[-1, -1, 2] > 0.09
    assert np.ptp(recording.rigid_position[late, -1], axis=0).max() < 1e-9


def load_at(ground, slope, along, spin, lift):
    """Force and moment on a wheel that is so far along the ground and has turned so far about its axle."""
    contact = ContactMaterial(stiffness=1e6)
    scene = Scene("wheel", duration=1.0, frames=10)
    if ground == "plane":
        scene.add_plane("ground", normal=(-np.sin(slope), 0, np.cos(slope)), contact=contact)
    else:
        place = np.arange(31) * 0.05
        scene.add_height_field("ground", np.tile(np.tan(slope) * (place - 0.7)[:, None], (1, 25)), (0.05, 0.07),
                               (-0.7, -0.807, 0.0), contact=contact)
    way, up = np.array([np.cos(slope), 0, np.sin(slope)]), np.array([-np.sin(slope), 0, np.cos(slope)])
    add_long(scene, "wheel", along * way + lift * up, (0, 1, 0), contact)
    simulator = Simulator(build_model(scene))
    simulator.begin()
    move(simulator, 0, np.zeros(3), np.array([0.0, spin, 0.0]))
    return evaluate(simulator)[2][0]


@pytest.mark.parametrize("slope", [0.0, 0.2])
@pytest.mark.parametrize("ground", ["plane", "field"])
def test_the_load_of_a_wheel_has_no_ripple_however_ground_is_cut_up_and_it_has_turned(ground, slope):
    """A polyhedron of 48 sides has ± 0.4 %."""
    loads = np.array([load_at(ground, slope, 0.0123 * i, 0.37 * i, RADIUS - 0.003) for i in range(12)])
    size = np.linalg.norm(loads[0, :3])
    assert size > 1.0
    assert np.ptp(loads[:, :3], axis=0).max() < 1e-6 * size
    assert np.ptp(loads[:, 3:], axis=0).max() < 1e-6 * size * RADIUS
