"""Order rows of group "springs and time": slope of log error over log step, for both schemes on four scenes."""
import numpy as np

from robotphi import Scene, Stepping, simulate
from robotphi.verification import reference
from robotphi.verification.estimate import extrapolated, slope
from robotphi.verification.mixed import mixed_scene
from robotphi.verification.registry import Figure, case
from robotphi.verification.springs_and_time import stretch_and_rate, two_masses_scene

GROUP = "springs and time"
SOURCE = "the scheme's global order"
ORDERS = {"verlet": 2.0, "taylor": 1.0}
WITHIN = 0.1


def order_figures(error_of, steps):
    """Slopes for both schemes. `error_of(scheme, dt)` is a root mean square over a run, which has no zero to pass.

    Each step is half the one before. An error c τ^p (1 + b τ + …) has a slope off by about b τ of the middle steps, so the
    first-order scheme gets shorter ones.
    """
    figures = []
    for scheme, order in ORDERS.items():
        errors = [error_of(scheme, dt) for dt in steps[scheme]]
        figures.append(Figure(order, slope(steps[scheme], errors), WITHIN, scheme))
    return figures


def halves(first, count=4):
    return first / 2.0 ** np.arange(count)


def fixed(scheme, dt):
    return Stepping(scheme=scheme, control="fixed", dt=dt)


@case(GROUP, "order, damped oscillator", "slope of log error over log dt", SOURCE)
def damped_oscillator():
    frequency = np.sqrt(2 * 100.0)

    def error(scheme, dt):
        recording = simulate(two_masses_scene(100.0, 5.0, 1.0, 20, dt, scheme=scheme))
        exact = np.stack(reference.two_masses(recording.time, 0.1, 100.0, 5.0))
        off = stretch_and_rate(recording) - exact
        return np.sqrt(np.mean(off[0] ** 2 + (off[1] / frequency) ** 2))

    return order_figures(error, {"verlet": halves(5e-3), "taylor": halves(1e-3)})


@case(GROUP, "order, spring pendulum", "slope of log error over log dt", SOURCE)
def spring_pendulum():
    start, velocity, mass, stiffness, viscosity = (0.8, 0.0, -0.7), (0.0, 1.2, 0.0), 1.0, 60.0, 0.5
    exact, _ = reference.spring_pendulum(np.linspace(0, 2, 21), start, velocity, mass, stiffness, 1.0, viscosity)

    def error(scheme, dt):
        scene = Scene("spring pendulum", duration=2.0, frames=20, stepping=fixed(scheme, dt))
        hook = scene.add_particle("hook", (0, 0, 0), 1.0, support="xyz")
        ball = scene.add_particle("ball", start, mass, velocity=velocity)
        scene.add_linear("spring", hook, ball, stiffness, viscosity, rest_length=1.0)
        return np.sqrt(np.mean((simulate(scene).position[:, ball] - exact) ** 2))

    return order_figures(error, {"verlet": halves(1e-2), "taylor": halves(1e-3)})


@case(GROUP, "order, free rigid", "slope of log error over log dt", SOURCE)
def free_rigid():
    inertia, spin = np.array([1.0, 2.0, 3.0]), (0.3, 1.0, -0.2)
    points = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [-1.0, -1.0, -1.0]])
    _, turn = reference.torque_free_motion(np.linspace(0, 5, 26), inertia, spin)
    exact = np.stack([turned(turn, point) for point in points], axis=1)

    def error(scheme, dt):
        scene = Scene("free rigid", duration=5.0, frames=25, gravity=(0, 0, 0), stepping=fixed(scheme, dt))
        body = scene.add_rigid("body", points, mass=1.0, inertia=inertia, centre=(0, 0, 0), spin=spin)
        return np.sqrt(np.mean((simulate(scene).position[:, body.particles] - exact) ** 2))

    return order_figures(error, {"verlet": halves(0.05), "taylor": halves(5e-3)})


def turned(quaternion, point):
    """The point turned by each quaternion (w, x, y, z), (t, 3)."""
    w, u = quaternion[:, :1], quaternion[:, 1:]
    return point + 2 * np.cross(u, np.cross(u, point) + w * point)


@case(GROUP, "order, mixed scene", "slope of log error over log dt", SOURCE)
def mixed():
    def places(scheme, dt):
        return simulate(mixed_scene(fixed(scheme, dt), duration=1.0, frames=10, damping=0.02, gravity=(0, 0, -9.81))).position

    # No closed form: verlet at an eighth of the last step judged, its leading error removed as well
    finest = 5e-3 / 2 ** 5
    exact = extrapolated(places("verlet", 2 * finest), places("verlet", finest))

    def error(scheme, dt):
        return np.sqrt(np.mean((places(scheme, dt) - exact) ** 2))

    return order_figures(error, {"verlet": halves(5e-3), "taylor": halves(1e-3)})
