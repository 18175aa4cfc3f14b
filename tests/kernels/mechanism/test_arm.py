"""An arm of six revolute joints beside recursive Newton–Euler equations in the frames of its links."""
import numpy as np
import pytest

from robotphi import Drive, Scene, Stepping, build_model, simulate
from tests.kernels.mechanism.reference import matrix_of, turn_about
from tests.kernels.mechanism.trees import Beside, body, direction

LINKS = 6
GRAVITY = np.array([0.3, -0.2, -9.81])
ROUNDING = 1e-12   # of the largest; what six links one behind the other leave of 1e-16


def arm(seed, rest=False, duration=1.0, frames=1, stepping=None):
    """Six links, one behind the other, on the world."""
    random = np.random.default_rng(seed)
    scene = Scene("arm", duration=duration, frames=frames, gravity=GRAVITY,
                  stepping=stepping or Stepping(control="fixed", dt=1e-3))
    above, at = None, np.zeros(3)
    for n in range(LINKS):
        child = body(scene, random, f"link {n}", at + 0.2 * direction(random))
        scene.add_joint(f"joint {n}", "revolute", above, child, at, axis=direction(random), place=random.normal(),
                        rate=0.0 if rest else random.normal(), armature=0.05)
        above, at = child, at + 0.5 * direction(random)
    return scene


def inverse_dynamics(model, place, rate, gain):
    """Torques Q(q, q̇, q̈) by the forward and backward recursions of Luh, Walker and Paul (1980), each link in its own frame.

    With w, β = ~ẇ + ~w ~w and α = p̈ − g in the frame of a link, d from its joint to its centre and z to the next joint.
    """
    scene, rigids = model.scene, model.arrays.rigids
    own = [matrix_of(q) for q in model.rigid_orientation]
    passed, spin, spinning, lift = [], np.zeros(3), np.zeros(3), -GRAVITY
    turned = np.eye(3)   # from the axes of the link before to those of the world, as drawn
    origin = np.zeros(3)
    for n, joint in enumerate(scene.joints):
        axis = own[n].T @ joint.frame[:, 0]
        to_here = turn_about(axis, -(place[n] - joint.place[0])) @ own[n].T @ turned     # components: the link before → this
        lift = to_here @ (lift + bent(spin, spinning, turned.T @ (joint.at - origin)))
        spin, spinning = to_here @ spin, to_here @ spinning
        spinning = spinning + np.cross(spin, axis) * rate[n] + axis * gain[n]
        spin = spin + axis * rate[n]
        centre = own[n].T @ (model.rigid_position[n] - joint.at)
        force = rigids.mass[n] * (lift + bent(spin, spinning, centre))
        couple = rigids.inertia[n] * spinning + np.cross(spin, rigids.inertia[n] * spin) + np.cross(centre, force)
        passed.append((to_here, axis, force, couple))
        turned, origin = own[n], joint.at
    torque, pull, moment = np.zeros(LINKS), np.zeros(3), np.zeros(3)
    for n in reversed(range(LINKS)):
        to_here, axis, force, couple = passed[n]
        pull, moment = pull + force, moment + couple
        torque[n] = axis @ moment + scene.joints[n].armature[0] * gain[n]
        if n:
            reach = own[n - 1].T @ (scene.joints[n].at - scene.joints[n - 1].at)
            pull = to_here.T @ pull
            moment = to_here.T @ moment + np.cross(reach, pull)
    return torque


def bent(spin, spinning, arm):
    """(~ẇ + ~w ~w) r"""
    return np.cross(spinning, arm) + np.cross(spin, np.cross(spin, arm))


@pytest.mark.parametrize("seed", range(4))
def test_inverse_and_forward_dynamics(seed):
    beside = Beside(arm(seed), "world")
    for time in (0.0, 0.1):
        beside.to(time)
        place, rate, gain = beside.numbers()
        # the columns of M and what is left without accelerations, each from the recursion alone
        rest = inverse_dynamics(beside.model, place, rate, np.zeros(LINKS))
        matrix = np.stack([inverse_dynamics(beside.model, place, rate, one) - rest for one in np.eye(LINKS)], axis=1)
        sizes = np.abs(matrix) @ np.abs(gain) + np.abs(rest)
        # inverse: nothing pulls at the joints
        np.testing.assert_allclose(inverse_dynamics(beside.model, place, rate, gain), 0.0, rtol=0, atol=ROUNDING * sizes.max())
        exact = np.linalg.solve(matrix, -rest)
        np.testing.assert_allclose(gain, exact, rtol=0, atol=ROUNDING * np.abs(exact).max() * np.linalg.cond(matrix) ** 0.5)
        # and the two references agree
        matrix_too, pull = beside.tree.equations(beside.motions(), beside.load())
        np.testing.assert_allclose(matrix_too, matrix, rtol=0, atol=ROUNDING * np.abs(matrix).max())
        np.testing.assert_allclose(pull, -rest, rtol=0, atol=ROUNDING * sizes.max())


# Servos -----------------------------------------------------------------------------------------------------------------

SWING = np.array([0.4, -0.3, 0.5, -0.4, 0.3, 0.6])   # rad


def trajectory(start, time, period):
    """q, q̇, q̈ of a swing that begins at rest."""
    w = 2.0 * np.pi / period
    turn = np.asarray(time)[:, None] * w
    return start + SWING * (1.0 - np.cos(turn)), SWING * w * np.sin(turn), SWING * w**2 * np.cos(turn)


def needed(model, start, time, period):
    """Torques of the trajectory, (f, 6)."""
    return np.array([inverse_dynamics(model, *each) for each in zip(*trajectory(start, time, period), strict=True)])


def follow(period, stepping):
    """An arm whose servos have the torques of the recursion fed forward: (times, what the servos do, what is needed)."""
    given = {"rest": True, "duration": 0.4 * period, "frames": 8, "stepping": stepping}
    model = build_model(arm(1, **given))
    start, times = np.array([joint.place[0] for joint in model.scene.joints]), np.linspace(0.0, 0.4 * period, 400)
    fed, scene = needed(model, start, times, period), arm(1, **given)
    for n in range(LINKS):
        wanted = Drive.sine(-SWING[n], 1.0 / period, phase=np.pi / 2.0, offset=start[n] + SWING[n])
        scene.add_motor(f"servo {n}", f"joint {n}", target=wanted, torque=Drive.table(times, fed[:, n], kind="cubic"),
                        stiffness=400.0, damping=4.0)   # c τ/I below `by_flow.LARGE` at all steps
    recording = simulate(scene)
    effort = np.column_stack([recording.joint(f"joint {n}").effort for n in range(LINKS)])
    return effort[1:], needed(model, start, recording.time[1:], period)


@pytest.mark.parametrize("period", [4.0, 1.0])
def test_servos_do_what_newton_euler_ask_for(period):
    """Slowly and fast: extrapolated in the step to a millionth of the largest torque, by the default budget to a thousandth."""
    coarse, exact = follow(period, Stepping(control="fixed", dt=period / 2000.0))
    fine, _ = follow(period, Stepping(control="fixed", dt=period / 4000.0))
    largest = np.abs(exact).max()
    extrapolated, by_budget = (4.0 * fine - coarse) / 3.0, follow(period, Stepping())[0]
    figures = {"step": coarse, "half the step": fine, "extrapolated": extrapolated, "default budget": by_budget}
    off = {what: np.abs(found - exact).max() / largest for what, found in figures.items()}
    print(", ".join(f"{what} {share:.1e}" for what, share in off.items()), "of", f"{largest:.1f} N·m")
    assert off["extrapolated"] < 1e-6
    assert off["default budget"] < 1e-3
