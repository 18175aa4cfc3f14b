"""Balls and sheets on soft bodies: the volume of the overlap, its gradient, and what comes of it in scenes."""
import math

import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Simulator, Stepping, build_model
from robotphi.discretise import Material, deformable, discretise, moved, sheet
from robotphi.geometry import shapes
from robotphi.geometry.inside import surrounds
from robotphi.geometry.mesh import Mesh
from robotphi.kernels.compiling.compiled import PLAIN
from robotphi.kernels.contact.press import ball_soft as soft
from tests.kernels.contact.press.evaluated import evaluate

ROUGH = ContactMaterial(stiffness=1e7, restitution=0.5, speed=1.0, friction=0.5)


def cut(points, facets, p, radius):
    """Volume of a ball within a closed surface, ∂V/∂points, ∫ N dA and the length of the rim × height."""
    volume, rim, rows, normals = 0.0, 0.0, np.zeros_like(points), np.zeros(3)
    for facet in facets:
        part, area, areas, rims, n = soft.cut_facet(tuple(p), radius, *map(tuple, points[facet]))
        volume, rim, normals = volume + part, rim + sum(rims), normals + area * np.array(n)
        rows[facet] += np.outer(areas, n)
        assert sum(areas) == pytest.approx(area, rel=1e-12, abs=0)
    whole = 4 / 3 * math.pi * radius**3
    return volume + whole * surrounds(points, facets, np.array([p]))[0], rows, normals, rim


def block(cells=(3, 3, 3), shake=0.0, seed=0, dent=0.0):
    """Surface of a box of side 1 about the origin; shaken, its top dented around the middle."""
    thing = deformable(discretise(shapes.box((1, 1, 1)), counts=cells), Material(young=1e5, density=1000.0))
    used, facets = np.unique(thing.facets, return_inverse=True)
    points = thing.position[used]
    top = points[:, 2] > 0.5 - 1e-9
    points = points + shake * np.random.default_rng(seed).normal(size=points.shape)
    points[top, 2] -= dent * np.exp(-10 * np.sum(points[top, :2]**2, axis=1))
    return points, facets.reshape(-1, 3)


# the volume ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("radius", [1e-3, 1.0, 50.0])
def test_the_depth_of_a_cap_is_found_from_its_volume(radius):
    for share in (0.0, 1e-12, 1e-6, 1e-3, 0.1, 0.7, 1.0, 1.3, 1.99, 2.0):
        x = share * radius
        # near 2 R the volume hardly grows: rounding of it moves the depth by its square root
        found = soft.cap_depth(math.pi * x * x * (3 * radius - x) / 3, radius)
        assert found == pytest.approx(x, rel=1e-13 if share < 1.9 else 1e-7)
    assert soft.cap_depth(-1e-30, radius) == soft.cap_depth(math.nan, radius) == 0.0
    assert soft.cap_depth(100 * radius**3, radius) == 2 * radius


def test_over_a_face_it_is_a_cap_however_the_face_is_cut():
    points, facets = block((5, 4, 2))
    inner = (np.abs(points[:, :2]) < 0.49).all(axis=1) & (points[:, 2] > 0.49)
    points[inner, :2] += np.random.default_rng(1).uniform(-0.05, 0.05, (inner.sum(), 2))
    radius = 0.3
    for seed in range(20):
        x, y = np.random.default_rng(seed).uniform(-0.2, 0.2, 2)
        for depth in (1e-7, 1e-3, 0.05, 0.25, 0.31, 0.5):
            volume, rows, normals, rim = cut(points, facets, (x, y, 0.5 + radius - depth), radius)
            # relative to R³ rounding of some facets, of which a cap has 3 (x/R)²
            assert volume == pytest.approx(math.pi * depth**2 * (3 * radius - depth) / 3, rel=1e-12, abs=1e-15 * radius**3)
            assert normals == pytest.approx([0, 0, math.pi * depth * (2 * radius - depth)], rel=1e-10, abs=1e-15)
            assert rows.sum(axis=0) == pytest.approx(normals, rel=1e-10, abs=1e-15)
            assert rim == pytest.approx(2 * math.pi * abs(radius - depth), rel=1e-7)


def test_the_volume_is_that_of_a_count_of_points():
    rng = np.random.default_rng(2)
    for seed in range(6):
        points, facets = block(shake=0.0)
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn[0] *= np.linalg.det(turn)
        p, radius = rng.uniform(-0.6, 0.6, 3), rng.uniform(0.2, 0.7)
        sample = rng.normal(size=(100_000, 3))
        sample *= (rng.uniform(0, 1, 100_000)**(1 / 3) / np.linalg.norm(sample, axis=1))[:, None]
        share = (np.abs(p + radius * sample) < 0.5).all(axis=1).mean()
        volume = cut(points @ turn.T, facets, turn @ p, radius)[0] / (4 / 3 * math.pi * radius**3)
        assert volume == pytest.approx(share, abs=5 * math.sqrt(0.25 / 100_000)), seed


def test_the_forces_are_the_gradient_of_the_volume_over_faces_edges_corners_and_dents():
    # differences over 1e-6: volumes of ~0.1 R³ rounded to 1e-17, h² × third derivatives ~ 1e-9
    rng, h = np.random.default_rng(3), 1e-6
    places = [(0.1, 0.05, 0.6), (0.5, 0.02, 0.55), (0.52, 0.51, 0.5), (0.0, 0.0, 0.45), (0.05, -0.02, 0.3), (0.48, 0.47, 0.46)]
    for trial in range(2 if PLAIN else 24):
        points, facets = block(shake=0.03, seed=trial, dent=0.3 * (trial % 2))
        p, radius = np.array(places[trial % 6]) + rng.normal(size=3) * 0.02, rng.uniform(0.15, 0.4)
        _, rows, normals, _ = cut(points, facets, p, radius)
        assert np.abs(np.cross(points - p, rows).sum(axis=0)).max() < 1e-14   # through the centre: both momenta
        for axis in range(3):
            step = h * np.eye(3)[axis]
            slope = (cut(points, facets, p + step, radius)[0] - cut(points, facets, p - step, radius)[0]) / (2 * h)
            assert slope == pytest.approx(-normals[axis], abs=2e-8)
        for row in np.argsort(-np.abs(rows).sum(axis=1))[:4]:
            for axis in range(3):
                volumes = []
                for sign in (1, -1):
                    other = points.copy()
                    other[row, axis] += sign * h
                    volumes.append(cut(other, facets, p, radius)[0])
                assert (volumes[0] - volumes[1]) / (2 * h) == pytest.approx(rows[row, axis], abs=2e-8)


def test_sliding_over_an_edge_and_into_a_dent_the_force_has_no_jumps():
    """Twice as fine steps have half the differences, the largest of them included."""
    points, facets = block((4, 4, 4), dent=0.25)
    for start, end in (((-0.3, 0.05, 0.55), (0.3, 0.0, 0.5)), ((0.2, 0.1, 0.58), (0.62, 0.1, 0.3))):
        largest = []
        for count in (200, 400):
            path = np.linspace(start, end, count + 1)
            rows = np.array([cut(points, facets, p, 0.2)[1] for p in path])
            largest.append(np.abs(np.diff(rows, axis=0)).max())
        assert largest[1] < 0.6 * largest[0]
        assert 0.0 < largest[0] < 0.05 * np.abs(rows).max()


# centre and radius: volume, areas and rims of the corners, of the triangle (0, 0), (1, 0), (0, 1), sector by sector
CUT = (
    ((0.2, 0.2, 0.1), 0.15, 0.0010471975511965972, (0.02356194490192344, 0.00785398163397448, 0.00785398163397448),
     (0.3769911184307752, 0.12566370614359174, 0.12566370614359174)),                     # all of the disc
    ((0.0, 0.0, 0.1), 0.3, 0.0073303828583761825, (0.04774690840648285, 0.007542472332656507, 0.007542472332656507),
     (0.10051109018456585, 0.0282842712474619, 0.0282842712474619)),                      # straight over a corner
    ((0.5, 0.0, 0.1), 0.3, 0.014660765716752363, (0.04774690840648284, 0.06283185307179585, 0.015084944665313014),
     (0.10051109018456586, 0.15707963267948966, 0.0565685424949238)),                     # straight over a side
    ((0.3, 0.3, -0.2), 3.0, -29.44646841698193, (0.1666666666666667, 0.16666666666666666, 0.16666666666666666),
     (0.0, 0.0, 0.0)),                                                                    # all of the triangle
    ((0.3, 0.3, 0.05), 0.6, 0.3821386137967075, (0.1653144987801463, 0.1560644006528161, 0.15606440065281607),
     (0.0020965716388205366, 0.01060002877309827, 0.010600028773098277)),
    ((1.0, 1.0, 0.1), 0.8, 0.00020355600828951548, (0.0020736927526267615, 0.020022058472942014, 0.020022058472942007),
     (0.00767283935815731, 0.04331735577777057, 0.04331735577777056)),                    # from beside it
    ((0.3, -0.1, 0.1), 0.2, 0.00025113536724323006, (0.009728272252839346, 0.004355208876001303, 0.00043388179116369326),
     (0.12456638765245963, 0.057318997087470555, 0.009177938884971714)),
    ((0.3, 0.2, -0.3), 0.45, -0.026628596947586434, (0.1323749554909236, 0.09083346226489918, 0.07206978979384117),
     (0.2722492143948151, 0.4042824951653103, 0.3710766076575752)),
    ((0.4, 0.4, 0.0), 0.3, -0.05654866776461627, (0.062054604670008645, 0.08045653982765472, 0.08045653982765472),
     (0.0, 0.0, 0.0)))                                                                    # the centre within its plane


@pytest.mark.parametrize(("p", "radius", "volume", "areas", "rims"), CUT)
def test_a_triangle_is_cut_as_by_the_sum_of_its_sectors_one_by_one(p, radius, volume, areas, rims):
    found = soft.cut_facet(p, radius, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    # some twenty terms, each rounded to 1e-16 of R³, R² and R height
    assert found[0] == pytest.approx(volume, rel=1e-14, abs=4e-15 * radius**3)
    assert found[2] == pytest.approx(areas, rel=1e-14, abs=4e-15 * radius**2)
    assert found[3] == pytest.approx(rims, rel=1e-14, abs=4e-15 * radius)
    assert found[4] == (0.0, 0.0, 1.0)


def test_a_surface_that_was_cut_moves_as_if_it_were_cut_again():
    """Its mean velocity and its spin, at other velocities than when the ball was measured."""
    scene = Scene("ball", duration=1.0, frames=1)
    thing = deformable(discretise(shapes.box((0.2, 0.2, 0.2)), counts=(3, 3, 3)), Material(young=1e5, density=1000.0))
    scene.add_object("block", thing, contact=ROUGH)
    scene.add_ball("ball", (0.02, 0.01, 0.19), 0.1, mass=1.0, contact=ROUGH)
    model = build_model(scene)
    parts, tree, state = model.arrays.contact.parts, model.arrays.contact.tree, Simulator(model, threads=1).state
    touch, x, p = state.buffers.touch, state.buffers.position, (0.02, 0.01, 0.19)
    rng, still, arm = np.random.default_rng(5), (0.0, 0.0, 0.0), (0.01, -0.02, -0.1)
    first, second = (np.pad(rng.normal(size=(len(x), 3)), ((0, 0), (0, 1))) for _ in range(2))
    soft.measure_patch(parts, tree, touch, 0, x, second, p, still, 0.1)
    wanted, count = soft.speed_of_patch(touch.patch, arm), touch.patch[soft.PATCH_FACETS]
    soft.measure_patch(parts, tree, touch, 0, x, first, p, still, 0.1)
    assert np.abs(np.subtract(soft.speed_of_patch(touch.patch, arm), wanted)).max() > 0.1
    soft.measure_again(parts, touch, 0, x, second, p)
    assert count > 3
    # the same sums of the same numbers; the spin divides by moments of the patch, which lose two digits or so
    assert soft.speed_of_patch(touch.patch, arm) == pytest.approx(wanted, rel=0, abs=1e-12)


def test_what_only_grazes_or_is_no_number_is_left_alone():
    a, b, d = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    assert soft.cut_facet((0.2, 0.2, 0.5), 0.1, a, b, d) == soft.UNTOUCHED
    assert soft.cut_facet((0.2, 0.2, 0.5), 1.0, a, b, b) == soft.UNTOUCHED
    assert soft.cut_facet((math.nan, 0.2, 0.05), 0.1, a, b, d) == soft.UNTOUCHED
    rng = np.random.default_rng(4)
    for _ in range(300):  # its plane is within the ball, the triangle is not: rounding must not make a contact of it
        p = rng.uniform([1.1, 1.1, -0.05], [3, 3, 0.05])
        assert soft.cut_facet(tuple(p), 0.1, a, b, d) == soft.UNTOUCHED


# forces in scenes --------------------------------------------------------------------------------------------------------

def slab(cells, size=(0.3, 0.3, 0.1), damping=0.1, young=2e5):
    """A soft box that stands on z = 0."""
    thing = discretise(shapes.box(size, centre=(0, 0, size[2] / 2)), counts=cells)
    return deformable(thing, Material(young=young, density=1000.0, damping_ratio=damping))


def cloth(side, cells, thickness=0.006):
    """A square of cloth in z = 0."""
    u = np.linspace(-0.5 * side, 0.5 * side, cells + 1)
    points = np.stack([*np.meshgrid(u, u, [0.0], indexing="ij")], axis=-1).reshape(-1, 3)
    at = np.arange((cells + 1)**2).reshape(cells + 1, -1)
    low, right, high, left = (each.reshape(-1) for each in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    mesh = Mesh(points, {"triangle": np.concatenate([np.stack([low, right, high], 1), np.stack([low, high, left], 1)])})
    return sheet(mesh, Material(density=500.0, young=1e5, damping_ratio=0.1), thickness)


def pressed(what, place, damping=0.0, friction=0.0, stiffness=1e6):
    """Simulator of a free soft block without gravity, into which something is pressed at a place over its top."""
    scene = Scene("pressed", duration=1.0, frames=10, gravity=(0, 0, 0))
    contact = ContactMaterial(stiffness=stiffness, damping=damping, friction=friction)
    x, y, z = place
    scene.add_object("block", slab((3, 3, 1)), contact=contact, velocity=(0.1, 0, 0), spin=(0.3, 0.2, -0.4))
    if what == "cloth":
        scene.add_object("cloth", moved(cloth(0.2, 3), (x, y, z + 0.001)), contact=contact, velocity=(0.1, 0.3, -0.2))
    elif what == "particle":
        row = scene.add_particle("grain", (x, y, z + 0.035), 0.3, velocity=(0.5, 0.3, -0.2))
        scene.add_contact_balls("size", row, 0.05, contact=contact)
    else:
        scene.add_ball("ball", (x, y, z + 0.035), 0.05, mass=0.5, contact=contact, velocity=(0.5, 0.3, -0.2),
                       spin=(3.0, 2.0, 1.0))
    simulator = Simulator(build_model(scene))
    simulator.begin()
    rows = scene.objects["block"].particles
    simulator.state.position[rows] += 0.001 * np.random.default_rng(5).normal(size=(len(rows), 3))
    return simulator


PLACES = {"face": (0.02, 0.03, 0.1), "edge": (0.15, 0.02, 0.095), "corner": (0.145, 0.146, 0.09)}


@pytest.mark.parametrize("place", [*PLACES.values(), (0.02, 0.03, 0.05), (0.14, 0.13, 0.04)])
def test_the_tree_finds_all_that_is_within_the_ball_from_outside_and_from_within(place):
    simulator = pressed("ball", place)
    evaluate(simulator)
    thing = simulator.model.scene.objects["block"]
    facets, position = thing.particles[thing.object.facets], simulator.state.position
    volume, _, normals, rim = cut(position, facets, simulator.state.rigid(0)[0], 0.05)
    patch = simulator.state.buffers.touch.patch
    assert patch[soft.PATCH_VOLUME] == pytest.approx(volume, rel=1e-10, abs=0)
    assert patch[soft.PATCH_NORMALS:soft.PATCH_NORMALS + 3] == pytest.approx(normals, rel=1e-9, abs=1e-15)
    assert patch[soft.PATCH_RIM] == pytest.approx(rim, rel=1e-9, abs=0)
    assert 0.5 * 0.05 < patch[soft.PATCH_DEPTH] < 2 * 0.05 if place[2] < 0.06 else 0.0 < patch[soft.PATCH_DEPTH] < 0.05


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("what", ["ball", "particle", "cloth"])
def test_forces_and_moments_add_up_to_nothing(what, place):
    """Pressure, damping and friction: of a particle, too, which rubs a radius away from the surface."""
    simulator = pressed(what, PLACES[place], damping=0.5, friction=0.5)
    still, elastic, _ = evaluate(pressed(what, PLACES[place]))
    _, force, load = evaluate(simulator)
    assert still > 0.0
    position = simulator.state.position
    total, moment = force.sum(axis=0), np.cross(position, force).sum(axis=0)
    for i in range(len(load)):
        total += load[i, :3]
        moment += load[i, 3:] + np.cross(simulator.state.rigid(0)[i], load[i, :3])
    scale = np.abs(force).sum()
    assert np.abs(force - elastic).max() > 1e-2 * np.abs(force).max(), "damping and friction are to be there"
    assert np.abs(total).max() < 1e-13 * scale
    assert np.abs(moment).max() < 1e-13 * scale


@pytest.mark.parametrize("place", PLACES)
def test_forces_of_a_cloth_and_a_particle_are_the_gradient_of_the_energy(place):
    for what in ("particle", "cloth"):
        simulator, without = pressed(what, PLACES[place]), pressed(what, PLACES[place], stiffness=1e-9)
        energy, force, _ = evaluate(simulator)
        own, h = force - evaluate(without)[1], 1e-7  # less what springs do
        rest = simulator.state.position.copy()
        rows = np.argsort(-np.abs(own).max(axis=1))[:6]
        for row in rows:
            for axis in range(3):
                energies = []
                for sign in (1, -1):
                    simulator.state.position[...] = rest
                    simulator.state.position[row, axis] += sign * h
                    energies.append(evaluate(simulator)[0])
                slope = (energies[0] - energies[1]) / (2 * h)
                assert slope == pytest.approx(-own[row, axis], abs=1e-5 * np.abs(own).max() + 1e-15 * energy / h)


# motions ---------------------------------------------------------------------------------------------------------------

def closes(recording, budget=1e-4):
    return (recording.status == "done"
            and recording.ledger["largest_residual"][-1] <= budget * recording.ledger["reference_energy"][-1])


def falling(ground, cells=4, speed=2.0, duration=0.1, budget=1e-4, contact=ROUGH, mass=0.5):
    """A ball that falls on the middle of a slab, soft or with its top held, or on a plane."""
    scene = Scene("falling", duration=duration, frames=20, stepping=Stepping(budget=budget, attempt_limit=20_000))
    if ground == "plane":
        scene.add_plane("slab", point=(0, 0, 0.1), contact=contact)
    else:
        held = {"bottom": "xyz"} if ground == "soft" else {"bottom": "xyz", "top": "xyz"}
        scene.add_object("slab", slab((cells, cells, 2)), contact=contact, support=held)
    scene.add_ball("ball", (0.003, 0.002, 0.151), 0.05, mass=mass, contact=contact, velocity=(0, 0, -speed))
    return Simulator(build_model(scene)).run()


def test_on_a_face_that_is_held_a_ball_bounces_as_on_a_plane():
    """Restitution 0.5 is that of the law; the step control makes the difference."""
    held, plane = (falling(ground, budget=1e-7, speed=1.0, duration=0.02) for ground in ("held", "plane"))
    assert held.rigid_velocity[-1, 0] == pytest.approx(plane.rigid_velocity[-1, 0], abs=1e-5)
    assert held.ledger["contact_dissipation"][-1] == pytest.approx(plane.ledger["contact_dissipation"][-1], rel=1e-5)


@pytest.mark.parametrize("speed", [0.5, 2.0, 10.0])
@pytest.mark.parametrize("cells", [3, 4])
def test_a_ball_that_falls_on_a_soft_face_bounces_without_creeping_steps(cells, speed):
    recording = falling("soft", cells, speed)
    assert closes(recording)
    assert recording.counts["attempts"] < 3000
    assert recording.rigid_position[:, 0, 2].min() > 0.08  # in the slab 0.1 high, its centre never under the upper face
    assert recording.ledger["contact_dissipation"][-1] > 0.05 * 0.25 * speed**2


@pytest.mark.parametrize("first", ["ball", "particle"])
def test_what_lies_on_a_soft_face_rests(first):
    """After 2 s it drifts less than 1e-9 m in 10 s, at less than 1e-9 m/s, and is carried."""
    scene = Scene("rest", duration=12.0, frames=120, stepping=Stepping(budget=1e-4, attempt_limit=400_000))
    scene.add_object("slab", slab((4, 4, 2), damping=0.3), contact=ROUGH, support={"bottom": "xyz"})
    if first == "ball":
        scene.add_ball("ball", (0, 0, 0.15), 0.05, mass=0.5, contact=ROUGH)
    else:
        row = scene.add_particle("grain", (0.004, 0.007, 0.15), 0.5)
        scene.add_contact_balls("size", row, 0.05, contact=ROUGH)
    recording = Simulator(build_model(scene)).run()
    late = recording.time >= 2.0 - 1e-9
    place, speed = ((recording.rigid_position[late, 0], recording.rigid_velocity[late, 0]) if first == "ball" else
                    (recording.position[late, -1], recording.velocity[late, -1]))
    assert closes(recording)
    assert np.linalg.norm(place - place[0], axis=1).max() < 1e-9
    assert math.sqrt(np.mean(np.sum(speed**2, axis=1))) < 1e-9
    carried = recording.contact_forces("ball" if first == "ball" else "size", "slab")[-1]
    assert carried == pytest.approx([0, 0, 0.5 * 9.81], abs=1e-8)


def test_a_ball_thrown_along_a_soft_slab_rolls():
    """It slides, then rolls at about 5/7 of its speed, over eight facets and more; the slab takes some of it up."""
    scene = Scene("roll", duration=0.3, frames=30, stepping=Stepping(budget=1e-4, attempt_limit=20_000))
    scene.add_object("slab", slab((6, 6, 2), (0.6, 0.3, 0.1)), contact=ROUGH, support={"bottom": "xyz"})
    scene.add_ball("ball", (-0.2, 0.01, 0.15), 0.05, mass=0.5, contact=ROUGH, velocity=(1.0, 0, 0))
    recording = Simulator(build_model(scene)).run()
    assert closes(recording)
    assert recording.counts["attempts"] < 8000
    speed, spin = recording.rigid_velocity[-1, 0, 0], recording.rigid_spin[-1, 0, 1]
    assert 0.62 < speed < 5 / 7 + 0.02
    assert spin * 0.05 == pytest.approx(speed, rel=0.1)  # about the surface, which is dented
    assert np.abs(recording.rigid_position[:, 0, 1] - 0.01).max() < 0.005


@pytest.mark.parametrize("over", ["ball", "block"])
def test_a_cloth_hangs_over_something_soft_and_nothing_passes(over):
    contact = ContactMaterial(stiffness=1e7, restitution=0.5, speed=1.0, friction=0.4)
    scene = Scene("draped", duration=0.25, frames=10, stepping=Stepping(budget=1e-3, attempt_limit=60_000))
    if over == "block":
        body, top = slab((3, 3, 2), (0.15, 0.15, 0.1)), 0.1
        scene.add_object("body", body, contact=contact, support={"bottom": "xyz"})
    else:
        shape = discretise(shapes.box((0.1, 0.1, 0.1), centre=(0, 0, 0.08)), counts=(2, 2, 2))
        body, top = deformable(round_off(shape, 0.08), Material(young=2e5, density=1000.0, damping_ratio=0.1)), 0.16
        scene.add_plane("ground", contact=contact)
        scene.add_object("body", body, contact=contact)
    placed = scene.add_object("cloth", moved(cloth(0.3, 10), (0.01, 0.02, top + 0.004)), contact=contact, velocity=(0, 0, -0.5))
    simulator = Simulator(build_model(scene))
    recording = simulator.run()
    assert closes(recording, 1e-3)
    facets = scene.objects["body"].particles[scene.objects["body"].object.facets]
    for position in recording.position:
        for p in position[placed.particles]:
            # of a ball of half the thickness around each vertex at most half is in the body: the middle surface stays outside
            assert cut(position, facets[near(position, facets, p, 0.003)], p, 0.003)[0] < 2 / 3 * math.pi * 0.003**3
    assert recording.position[-1][placed.particles][:, 2].max() > top - 0.03, "it lies on the body"
    assert recording.position[-1][placed.particles][:, 2].min() < top - 0.05, "and hangs down beside it"


def near(position, facets, p, reach):
    corners = position[facets]
    return ((corners.min(axis=1) - reach <= p) & (corners.max(axis=1) + reach >= p)).all(axis=1)


def round_off(mesh, radius):
    """The points of a box mesh moved out onto balls about its middle."""
    middle = 0.5 * (mesh.points.min(axis=0) + mesh.points.max(axis=0))
    arm = mesh.points - middle
    size = np.linalg.norm(arm, axis=1)
    grown = np.abs(arm).max(axis=1) / (0.5 * np.ptp(mesh.points[:, 0]))
    return Mesh(middle + arm * np.where(size > 0, radius * grown / np.maximum(size, 1e-300), 0.0)[:, None], mesh.cells)
