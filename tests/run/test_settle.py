"""Settle: rest with contact, friction and exact joints, against statics, catenaries of links and roots of a potential."""
import itertools

import numpy as np
import pytest
from scipy.optimize import brentq

from robotphi import ContactMaterial, Drive, NoEquilibrium, RobotphiError, Scene, Simulator, build_model, relax, settle
from robotphi.discretise import Material, deformable, discretise, rigid
from robotphi.geometry.shapes import box, hexahedron
from robotphi.scene.turns import rotation_about

G = 9.81
Y = np.array([0.0, 1.0, 0.0])


def on_each(recording, model):
    """Name → sum of forces and of moments about its mass centre of all that touches it, from the table of contacts."""
    found = {rigid.name: (np.zeros(3), np.zeros(3)) for rigid in model.scene.rigids}
    table, centre = recording.contacts(-1), dict(zip(found, recording.rigid_position[-1], strict=True))
    for k in range(len(table.first)):
        force = table.normal[k] + table.friction[k]
        for name, sign in ((table.first_owner[k], 1.0), (table.second_owner[k], -1.0)):
            if name in found:
                arm = table.point[k] - centre[name]
                found[name] = (found[name][0] + sign * force,
                               found[name][1] + sign * (np.cross(arm, force) + table.twist[k] * table.direction[k]))
    return found


# Contact and friction -------------------------------------------------------------------------------------------------

def block_on_pad(over=0.0):
    scene = Scene("pad", duration=1.0)
    pad = deformable(discretise(box((0.1, 0.1, 0.04), centre=(0, 0, 0.02)), counts=(3, 3, 2)),
                     Material(young=2e5, density=1000.0))
    law = ContactMaterial(stiffness=2e7, friction=0.5, restitution=0.3, speed=0.1)
    scene.add_object("pad", pad, support={"bottom": "xyz"}, contact=law)
    scene.add_object("block", rigid(box(0.06, centre=(0.01, 0, 0.07 + over)), mass=0.5), contact=law)
    return scene


@pytest.fixture(scope="module")
def pad_at_rest():
    simulator = Simulator(build_model(block_on_pad()))
    return simulator, settle(simulator)


def test_contact_forces_on_a_block_on_a_soft_pad_come_to_its_weight(pad_at_rest):
    simulator, found = pad_at_rest
    assert found.residual <= 1e-8 * found.load
    force, _ = on_each(found.recording, simulator.model)["block"]
    np.testing.assert_allclose(force, (0, 0, 0.5 * G), atol=1e-8 * 0.5 * G)


def test_a_settled_block_stays_where_it_is(pad_at_rest):
    simulator, found = pad_at_rest
    assert simulator.state.time == 0.0
    simulator.advance_to(0.05)
    moved = np.abs(simulator.state.rigid(0) - found.rigid_position).max()
    sunk = 0.07 - found.rigid_position[0, 2]
    assert moved < 1e-6 * sunk   # the force that is left over the stiffness is 1e-8 of it
    assert simulator.state.ledger()["kinetic"] < 1e-12 * 0.5 * G * sunk


@pytest.mark.slow
def test_rest_on_a_pad_is_where_slow_dynamics_ends():
    scene = block_on_pad()
    found = settle(scene)
    simulator = Simulator(build_model(scene))
    simulator.advance_to(1.0)
    left = np.abs(simulator.state.rigid(3)).max()   # m/s: what dynamics still shows
    assert abs(simulator.state.rigid(0)[0, 2] - found.rigid_position[0, 2]) < max(left * 0.01, 1e-8)


def arch(count=7, friction=0.7, moves=None):
    """Half a circle of equal blocks of mean radius 1 on two held bases, one of which may be moved."""
    scene = Scene("arch", duration=5.0)
    law = ContactMaterial(stiffness=1e9, friction=friction, restitution=0.2, speed=0.05)
    angles, inner, outer, half = np.linspace(0.0, np.pi, count + 1), 0.85, 1.15, 0.15
    for i in range(count):
        corners = [(r * np.cos(t), y, r * np.sin(t)) for y in (half, -half)
                   for r, t in ((inner, angles[i]), (outer, angles[i]), (outer, angles[i + 1]), (inner, angles[i + 1]))]
        scene.add_object(f"block {i}", rigid(hexahedron(corners), density=2000.0), contact=law)
    for side in (1, -1):
        base = rigid(box((0.6, 0.6, 0.2), centre=(side, 0, -0.1)), density=2000.0)
        held = {"motion": moves} if moves and side == 1 else {"support": "xyz"}
        scene.add_object(f"base {side}", base, contact=law, **held)
    return scene


def test_the_thrust_of_an_arch_is_that_of_statics():
    """Each block in balance by its contacts alone, friction within its limit; of half an arch the thrust H at the middle has
    the moment of its weight about its base: H × rise = Σ w (x_base − x)."""
    model = build_model(arch(6))
    found = settle(model)
    weight = model.arrays.rigids.mass * G
    for i, (name, (force, moment)) in enumerate(on_each(found.recording, model).items()):
        if name.startswith("block"):
            np.testing.assert_allclose(force, (0, 0, weight[i]), atol=1e-8 * found.load)
            assert abs(moment[1]) <= 1e-7 * found.load   # in the plane of the arch: a couple along the force has no point
    table = found.recording.contacts(-1)
    across = table.normal / np.linalg.norm(table.normal, axis=1)[:, None]
    rubbing = table.friction - (table.friction * across).sum(axis=1)[:, None] * across
    assert np.all(np.linalg.norm(rubbing, axis=1) <= 0.7 * np.linalg.norm(table.normal, axis=1))
    assert table.sticks.all()

    def between(one, other):
        row = next(k for k in range(len(table.first)) if {table.first_owner[k], table.second_owner[k]} == {one, other})
        sign = 1.0 if table.first_owner[row] == one else -1.0
        return sign * (table.normal[row] + table.friction[row]), table.point[row]

    thrust, at = between("block 2", "block 3")
    up, foot = between("block 0", "base 1")
    moment = sum(weight[i] * (foot[0] - found.rigid_position[i, 0]) for i in range(3))
    np.testing.assert_allclose(thrust[0] * (at[2] - foot[2]) - thrust[2] * (at[0] - foot[0]), moment, rtol=1e-6)
    np.testing.assert_allclose(up + thrust, (0, 0, weight[:3].sum()), atol=1e-7 * found.load)


def test_a_settled_arch_stays_where_it_is():
    """What is left of forces over the stiffness of the contacts, and what their vibrations make of it."""
    simulator = Simulator(build_model(arch(6)))
    found = settle(simulator)
    assert found.residual <= 1e-8 * found.load
    simulator.advance_to(0.05)
    weight = simulator.model.arrays.rigids.mass[:6].sum() * G
    sunk = weight / (0.5e9 * 0.3 * 0.3)   # of the lowest joints, of two surfaces in line
    assert np.abs(simulator.state.rigid(0) - found.rigid_position).max() < 1e-5 * sunk
    assert simulator.state.ledger()["kinetic"] < 1e-10 * weight * sunk


def test_an_arch_without_enough_friction_falls_and_a_block_is_named():
    with pytest.raises(NoEquilibrium, match=r"rigid 'block \d' has fallen .* nothing below.*place_on"):
        settle(arch(7, friction=0.1))


def test_a_block_beside_the_ground_has_lost_contact():
    scene = block_on_pad()
    scene.add_ball("pebble", (1.0, 0, 0.5), 0.02, mass=0.1, contact=ContactMaterial(stiffness=1e7))
    with pytest.raises(NoEquilibrium, match=r"'pebble' has fallen .* finds nothing below"):
        settle(scene)


def test_a_block_that_slides_for_ever_reaches_the_limit():
    scene = Scene("slope", duration=1.0)
    law = ContactMaterial(stiffness=1e7, friction=0.05)
    scene.add_plane("slope", normal=(0.5, 0, 1.0), contact=law)
    scene.add_object("block", rigid(box(0.1, centre=(0, 0, 0.08)), mass=1.0), contact=law)
    with pytest.raises(NoEquilibrium, match=r"a force of .* is left on rigid 'block'|has fallen"):
        settle(scene, step_limit=5000)


# Exact joints ---------------------------------------------------------------------------------------------------------

LINK, MASS = 0.1, 0.2


def links(points, closed=True, **knobs):
    """Rods from point to point, hinged to each other and to the world at both ends."""
    scene, before = Scene("links", duration=1.0), None
    for i, (a, b) in enumerate(itertools.pairwise(points)):
        link = scene.add_rigid(f"link {i}", [a, b], MASS, inertia=np.diag([1e-4, 2e-4, 1e-4]), centre=0.5 * (a + b))
        scene.add_joint(f"hinge {i}", "revolute", before, link, at=a, axis=Y, **(knobs if i == 0 else {}))
        before = link
    if closed:
        scene.add_joint("end", "revolute", None, before, at=points[-1], axis=Y)
    return scene


def test_links_between_two_hinges_hang_in_their_catenary():
    """Of the k-th link from the middle tan θ = (k − ½) w/H, with the H for which 2 Σ l cos θ is the span."""
    count, span = 8, 0.55
    steep = np.arccos(span / (count * LINK))
    way = np.array([np.cos(steep), 0.0, np.sin(steep)]) * LINK
    points = [i * way * (1, 1, -1) for i in range(count // 2 + 1)]
    points += [points[-1] + i * way for i in range(1, count // 2 + 1)]
    found = settle(links(points))
    order = np.arange(count // 2) + 0.5
    pull = brentq(lambda h: 2 * LINK * np.cos(np.arctan(order * MASS * G / h)).sum() - span, 1e-3, 1e3, xtol=1e-14)
    angle = np.arctan(order * MASS * G / pull)[::-1]
    sag = np.cumsum(LINK * np.sin(angle))
    np.testing.assert_allclose(found.position[1:count:2, 2], -sag, atol=1e-8)
    assert found.residual <= 1e-8 * MASS * G
    first = found.recording.joint("hinge 0")
    np.testing.assert_allclose(np.linalg.norm(first.reaction_force[-1]), np.hypot(pull, 0.5 * count * MASS * G), rtol=1e-7)


def test_a_four_bar_with_a_torsion_spring_rests_where_its_potential_has_no_slope():
    ground, crank, coupler, rocker, stiffness = 0.4, 0.15, 0.35, 0.3, 0.7
    hinge = np.array([ground, 0.0, 0.0])

    def corners(angle):
        one = crank * np.array([np.cos(angle), 0.0, np.sin(angle)])
        far = hinge - one
        distance = np.linalg.norm(far)
        along = (distance**2 + coupler**2 - rocker**2) / (2 * distance)
        side = np.cross(far, Y) / distance
        return [np.zeros(3), one, one + along * far / distance + np.sqrt(coupler**2 - along**2) * side, hinge]

    def potential(angle):
        points = np.array(corners(angle))
        return MASS * G * (0.5 * (points[:-1] + points[1:]))[:, 2].sum() + 0.5 * stiffness * (angle - 1.2)**2

    def slope(angle, h=1e-5):
        near, far = (potential(angle + reach) - potential(angle - reach) for reach in (h, 2 * h))
        return (8 * near - far) / (12 * h)

    drawn = 1.2   # where the spring has no force; about y the coordinate turns from z to x, the angle the other way
    found = settle(links(corners(drawn), stiffness=stiffness))
    rest = brentq(slope, drawn - 0.8, drawn + 0.8, xtol=1e-12)
    turned = np.arctan2(found.position[1, 2], found.position[1, 0])
    assert abs(rest - drawn) > 0.1
    assert turned == pytest.approx(rest, abs=1e-7)


def test_joint_dampers_play_no_part_and_dry_friction_holds():
    free = settle(links([np.zeros(3), np.array([LINK, 0, 0])], closed=False, viscosity=5.0))
    np.testing.assert_allclose(free.position[1], (0, 0, -LINK), atol=1e-9)
    held = settle(links([np.zeros(3), np.array([LINK, 0, 0])], closed=False, friction=1.0))
    np.testing.assert_array_equal(held.position[1], (LINK, 0, 0))


# Springs alone, drives, doors -------------------------------------------------------------------------------------------

def hanging(count=5, support=""):
    scene = Scene("chain", duration=1.0)
    nodes = scene.add_particles("node", [(0, 0, -0.1 * i) for i in range(count + 1)], 0.3, support=["xyz"] + [support] * count)
    scene.add_linear("link", nodes[:-1], nodes[1:], 200.0)
    return scene


@pytest.mark.parametrize("joint", [("prismatic", {"target": 0.3, "stiffness": 50.0, "damping": 3.0}),
                                   ("revolute", {"target": 0.3, "stiffness": 50.0}), ("prismatic", None)])
def test_what_a_servo_or_a_spring_of_a_joint_brings_home_without_weight_is_soon_at_rest(joint):
    """All effort is gone there: what is little follows from the effort where the search begins."""
    kind, motor = joint
    scene = Scene("servo", duration=1.0, gravity=(0, 0, 0))
    body = scene.add_rigid("body", np.array(list(itertools.product((-0.1, 0.1), repeat=3))), mass=1.0)
    told = {} if motor else {"stiffness": 50.0, "rest": 0.3}
    rail = scene.add_joint("joint", kind, None, body, (0, 0, 0), axis=(1, 0, 0), **told)
    if motor:
        scene.add_motor("motor", rail, **motor)
    rest = settle(scene, step_limit=5000)
    assert rest.recording.joint("joint").coordinate[-1] == pytest.approx(0.3, abs=1e-8)
    assert rest.residual <= 1e-8 * 15.0 / (0.1 * np.sqrt(3.0) if kind == "revolute" else 1.0)


def test_of_springs_alone_settle_is_relax():
    np.testing.assert_array_equal(settle(hanging()).position, relax(build_model(hanging())).position)


def test_newtons_are_what_is_left_at_most():
    """Along one axis: what is free to all sides and pulls has less left than was asked, by Newton's method."""
    loose, tight = settle(hanging(support="xy"), newtons=1e-2), settle(hanging(support="xy"), newtons=1e-9)
    assert 1e-9 < loose.residual <= 1e-2
    assert tight.residual <= 1e-9
    assert settle(block_on_pad(), newtons=0.01).residual <= 0.01


def test_drives_stand_still_and_go_on_from_their_time():
    scene = Scene("driven", duration=1.0)
    hook = scene.add_particle("hook", (0, 0, 1.0), 1.0, support="xy", drive={"z": Drive.sine(0.1, 1.0)})
    ball = scene.add_ball("ball", (0, 0, 0.2), 0.1, mass=0.5, contact=ContactMaterial(stiffness=1e7))
    scene.add_plane("ground", contact=ContactMaterial(stiffness=1e7))
    scene.add_linear("cord", hook, ball.particles[0], 100.0, rest_length=0.6)
    simulator = Simulator(build_model(scene))
    simulator.advance_to(0.25)
    found = settle(simulator)
    assert simulator.state.time == 0.25
    np.testing.assert_allclose(found.position[hook, 2], 1.1, atol=1e-12)
    np.testing.assert_allclose(found.rigid_position[0, 2], 0.5 - 0.5 * G / 100.0, atol=1e-8)
    simulator.advance_to(0.3)
    np.testing.assert_allclose(simulator.state.position[hook, 2], 1.0 + 0.1 * np.sin(2 * np.pi * 0.3), atol=1e-12)


def test_nonsense_is_refused():
    for wrong in ({"tolerance": 0.0}, {"newtons": -1.0}, {"newtons": float("nan")}):
        with pytest.raises(RobotphiError, match=r"tolerance|newtons"):
            settle(hanging(), **wrong)


def test_relax_says_who_knows_contact():
    with pytest.raises(RobotphiError, match="use settle"):
        relax(build_model(block_on_pad()))
    with pytest.raises(RobotphiError, match="use settle"):
        relax(build_model(links([np.zeros(3), rotation_about(Y, 0.3) @ (LINK, 0, 0)], closed=False)))
