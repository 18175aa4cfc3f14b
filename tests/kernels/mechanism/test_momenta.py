"""Both momenta of mechanisms that hang on nothing, over 1e5 steps and in contact."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Simulator, Stepping, build_model, simulate
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, VELOCITY
from robotphi.verification.rigid_primitives import MOMENTUM_LIMIT, STEPS, momentum_drifts
from tests.kernels.mechanism.trees import random_tree

BOX = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
DT = 2e-3


def fixed(duration, frames=100, gravity=(0, 0, 0)):
    return Scene("free", duration=duration, frames=frames, gravity=gravity, stepping=Stepping(control="fixed", dt=DT))


def satellite(duration):
    """A hub that turns, with an arm of three links that springs in its joints wave to and fro."""
    scene = fixed(duration)
    above = scene.add_rigid("hub", 0.4 * BOX, mass=20.0, velocity=(0.3, -0.2, 0.1), spin=(0.1, 0.3, -0.2))
    for n, (axis, viscosity) in enumerate([((0, 0, 1), 0.0), ((0, 1, 0.2), 1e-4), ((0, 0, 1), 0.0)]):
        at = np.array([0.4 + 0.6 * n, 0.0, 0.0])
        link = scene.add_rigid(f"link {n}", at + [0.3, 0, 0] + BOX * [0.3, 0.05, 0.05], mass=2.0)
        scene.add_joint(f"joint {n}", "revolute", above, link, at, axis=axis, place=0.8, rest=0.0, stiffness=1.0,
                        viscosity=viscosity)
        above = link
    return scene


def cat(duration):
    """Two halves of a cat at rest on a bent back: what springs make of it turns it about, without any angular momentum."""
    scene = fixed(duration)
    front = scene.add_rigid("front", BOX * [0.2, 0.1, 0.1] - [0.2, 0, 0], mass=2.0)
    rear = scene.add_rigid("rear", BOX * [0.2, 0.1, 0.1] + [0.2, 0, 0], mass=2.5)
    scene.add_joint("back", "universal", front, rear, (0, 0, 0), axis=(0, 1, 0), across=(0, 0, 1), place=(0.4, 0.9),
                    rest=(0.0, -0.3), stiffness=(3.0, 5.0))
    return scene


@pytest.mark.parametrize("build", [satellite, cat])
def test_momenta_over_many_steps(build):
    """The angular one about the centre of mass where it is: adding the same way to a place far off 1e5 times is rounded the
    same way each time, which alone takes up to 1e5 × 2⁻⁵³ of what the momentum along the path is about a fixed point."""
    recording = simulate(build(DT * STEPS))
    mass = np.array([rigid.mass for rigid in recording.model.scene.rigids])[:, None]
    speed, place = recording.rigid_velocity, recording.rigid_position
    linear = (mass * speed).sum(axis=1)
    apart = place - (mass * place).sum(axis=1, keepdims=True) / mass.sum()
    angular = (np.cross(apart, mass * speed) + recording.rigid_momentum).sum(axis=1)
    size = (mass[:, 0] * np.linalg.norm(speed, axis=2)).sum(axis=1).max()
    turning = (mass[:, 0] * np.linalg.norm(apart, axis=2) * np.linalg.norm(speed, axis=2)
               + np.linalg.norm(recording.rigid_momentum, axis=2)).sum(axis=1).max()
    assert np.abs(linear - linear[0]).max() <= MOMENTUM_LIMIT * size
    assert np.abs(angular - angular[0]).max() <= MOMENTUM_LIMIT * turning
    assert np.ptp(np.linalg.norm(place[:, -1] - place[:, 0], axis=1)) > 0.02, "nothing waved"


@pytest.mark.parametrize("seed", range(3))
def test_momenta_of_free_trees_of_all_joints(seed):
    """With viscosity and armature; the wild ones of a hundred rad/s."""
    drifts = momentum_drifts(random_tree(seed, "free", gravity=(0, 0, 0), frames=20))
    assert max(drifts) <= MOMENTUM_LIMIT


def momenta(simulator):
    """P, and L about the origin."""
    mass, rigid = simulator.model.arrays.rigids.mass[:, None], simulator.state.buffers.rigid
    push = mass * rigid[:, VELOCITY:VELOCITY + 3]
    return push.sum(axis=0), (np.cross(rigid[:, CENTRE:CENTRE + 3], push) + rigid[:, MOMENTUM:MOMENTUM + 3]).sum(axis=0)


def thrown(restitution, friction, frames, dt=5e-4):
    scene = Scene("thrown", duration=frames * dt, frames=frames, stepping=Stepping(control="fixed", dt=dt))
    hard = ContactMaterial(stiffness=2e7, restitution=restitution, speed=1.0, friction=friction)
    scene.add_plane("ground", contact=hard)
    above = scene.add_ball("ball 0", (0, 0, 0.2), 0.1, mass=1.0, contact=hard, velocity=(0.5, 0.2, -2.0), spin=(0, 3, 1))
    for n in (1, 2, 3):
        ball = scene.add_ball(f"ball {n}", (0.3 * n, 0, 0.2 + 0.05 * n), 0.1, mass=1.0, contact=hard)
        scene.add_joint(f"joint {n}", "revolute" if n < 3 else "ball", above, ball,
                        (0.3 * n - 0.15, 0, 0.2 + 0.05 * n), **({"axis": (0, 1, 0.1 * n)} if n < 3 else {}))
        above = ball
    for a in range(4):
        for b in range(a):
            scene.exclude_contact(f"ball {a}", f"ball {b}")
    return scene


@pytest.mark.parametrize(("restitution", "axes"), [(1.0, (0, 1, 2)), (0.6, (0, 1))])
def test_a_thrown_mechanism_gets_the_impulse_of_the_ground_and_nothing_else(restitution, axes):
    """Steps of a frame each: the change of P is that of half the forces before and after, likewise of L. Where the contact is
    damped its force before is not that of the step before, and what is left to see is that a smooth ground pushes up alone."""
    frames = 600
    simulator = Simulator(build_model(thrown(restitution, 0.0, frames)), threads=1)
    simulator.begin()
    dt, scale, touched = simulator.frame_times[1], 0.0, 0.0
    before, pull, wanted = momenta(simulator), whole_load(simulator), [0.0, 0.0]
    started, worst = before, 0.0
    while simulator.advance_frame():
        now, pull_now = momenta(simulator), whole_load(simulator)
        for n in range(2):
            wanted[n] = wanted[n] + 0.5 * dt * (pull[n] + pull_now[n])
        touched = max(touched, pull_now[0][2])
        scale = max(scale, *(np.abs(each).max() for each in now))
        if len(axes) == 3:
            worst = max(worst, *(np.abs(now[n] - started[n] - wanted[n]).max() for n in range(2)))
        worst = max(worst, np.abs(now[0] - started[0])[:2].max(), abs(now[1][2] - started[1][2]))
        pull = pull_now
    assert touched > 100.0, "it never met the ground"
    assert worst <= MOMENTUM_LIMIT * scale


def whole_load(simulator):
    """Force on everything, and its moment about the origin."""
    load, rigid = simulator.state.buffers.load, simulator.state.buffers.rigid
    return load[:, :3].sum(axis=0), (np.cross(rigid[:, CENTRE:CENTRE + 3], load[:, :3]) + load[:, 3:]).sum(axis=0)
