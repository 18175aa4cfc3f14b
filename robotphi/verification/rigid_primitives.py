"""Group "rigid primitives": the flip of a free body, momenta and energy over many steps, and a double pendulum of springs."""
import itertools

import numpy as np

from robotphi import Scene, Stepping, build_model, simulate
from robotphi.record import measure
from robotphi.verification import reference
from robotphi.verification.estimate import SAFETY, extrapolated, observed_order, richardson
from robotphi.verification.mixed import KINDS, mixed_scene
from robotphi.verification.orders import turned
from robotphi.verification.registry import Figure, case

GROUP = "rigid primitives"
INERTIA = np.array([1.0, 2.0, 3.0])
MOMENTUM_LIMIT = 1e-12  # of the scales below: the target; 1e5 roundings of 1e-16 that add up at random leave 3e-14
STEPS = 100_000


# --- the flip ------------------------------------------------------------------------------------------------------
def body_scene(spin, stepping, duration, frames, velocity=(0, 0, 0)):
    """A free body with principal moments 1, 2, 3 along x, y, z."""
    scene = Scene("free body", duration=duration, frames=frames, gravity=(0, 0, 0), stepping=stepping)
    body = scene.add_rigid("body", [(1, 0, 0), (0, 1, 0), (0, 0, 1)], mass=1.0, inertia=INERTIA, centre=(0, 0, 0),
                           velocity=velocity, spin=spin)
    return scene, body


def body_axis(recording, start):
    """World components over time of what was the world vector `start` at time 0 and turns with the body, (f, 3)."""
    from_world = recording.rigid_orientation[:, 0] * [1, -1, -1, -1]
    rest = turned(from_world[:1], np.asarray(start, float))[0]
    return turned(recording.rigid_orientation[:, 0], rest)


def middle_spin(recording):
    """Spin about the body's own y axis, that of the middle moment."""
    return np.einsum("fi,fi->f", recording.rigid_spin[:, 0], body_axis(recording, (0, 1, 0)))


def crossings(time, values):
    """Instants at which a sampled signal changes sign, by the cubic through four samples."""
    from scipy.interpolate import CubicSpline
    return CubicSpline(time, values).roots(extrapolate=False)


def half_period(spin, dt):
    """Time between the first two reversals of the middle spin."""
    scene, _ = body_scene(spin, Stepping(control="fixed", dt=dt), duration=36.0, frames=720)
    recording = simulate(scene)
    first, second = crossings(recording.time, middle_spin(recording))[:2]
    return second - first


@case(GROUP, "flip", "half flip period [s] of a free body with moments 1, 2, 3", "Jacobi's functions: 2 K(m)/p")
def flip():
    figures = []
    for spin in ((0.01, 1.0, 0.0), (0.0, 1.0, 0.01)):
        coarse, fine = [half_period(spin, dt) for dt in (0.01, 0.005)]
        # order 2 in the step; the spline through samples 0.05 s apart adds (0.05)⁴/384 of the fourth derivative, that is
        # 2e-8 near a reversal, where the spin runs through zero with slope 0.6 and its fourth derivative is below 1
        bar = SAFETY * (richardson(coarse, fine) + 2e-8)
        figures.append(Figure(reference.flip_half_period(INERTIA, spin), fine, bar, f"first spin {spin}"))
    return figures


@case(GROUP, "free rotation", "largest error of the directions of three body axes over 20 s, moments 1, 2, 3",
      "Euler's equations, DOP853 at 1e-13")
def free_rotation():
    spin, points = (0.3, 1.0, -0.2), np.eye(3)

    def places(dt):
        scene, body = body_scene(spin, Stepping(control="fixed", dt=dt), duration=20.0, frames=100)
        return simulate(scene).position[:, body.particles]

    coarse, fine = places(0.01), places(0.005)
    _, turn = reference.torque_free_motion(np.linspace(0, 20, 101), INERTIA, spin)
    exact = np.stack([turned(turn, point) for point in points], axis=1)
    return Figure(0.0, np.abs(fine - exact).max(), SAFETY * richardson(coarse, fine).max())


# --- momenta and energy --------------------------------------------------------------------------------------------
def momentum_drifts(scene):
    """Largest change of both momenta over a run, as parts of max Σm|v| and of max Σm|x − c||v| + Σ|Iω|.

    The angular one is taken about the first centre of mass c.
    """
    model = build_model(scene)
    recording = simulate(scene)
    centre = measure.centre_of_mass(model, recording.position[0], recording.rigid_position[0])
    linear, angular = measure.recorded_momenta(recording, about=centre)
    mass = np.concatenate([model.arrays.particles.mass[:model.particle_count], model.arrays.rigids.mass])
    place = np.concatenate([recording.position, recording.rigid_position], axis=1) - centre
    speed = np.linalg.norm(np.concatenate([recording.velocity, recording.rigid_velocity], axis=1), axis=2)
    linear_scale = (speed @ mass).max()
    turning = np.linalg.norm(recording.rigid_momentum, axis=2).sum(axis=1)
    angular_scale = ((np.linalg.norm(place, axis=2) * speed) @ mass + turning).max()
    return (np.abs(linear - linear[0]).max() / linear_scale, np.abs(angular - angular[0]).max() / angular_scale)


@case(GROUP, "momenta", "largest change over 1e5 steps of a free scene, as a part of its scale",
      "forces are gradients: both momenta are exact")
def momenta():
    dt = 1e-3
    stepping = Stepping(control="fixed", dt=dt)
    scenes = {
        "torque-free body": body_scene((0.01, 1.0, 0.0), stepping, dt * STEPS, 200, velocity=(0.2, -0.1, 0.3))[0],
        "mixed scene, elastic": mixed_scene(stepping, dt * STEPS, 200),
        "mixed scene, damped and plastic": mixed_scene(stepping, dt * STEPS, 200, damping=0.005, plastic=KINDS),
    }
    figures = []
    for name, scene in scenes.items():
        for kind, drift in zip(("linear", "angular"), momentum_drifts(scene), strict=True):
            figures.append(Figure(0.0, drift, MOMENTUM_LIMIT, f"{kind}, {name}"))
    return figures


@case(GROUP, "energy", "energy over 1e5 fixed steps", "symplectic steps: the energy swings and never drifts")
def energy():
    spin, dt, frames = (0.3, 1.0, -0.2), 0.01, 20_000
    scene, _ = body_scene(spin, Stepping(control="fixed", dt=dt), dt * STEPS, frames)
    time, energy = mechanical_energy(simulate(scene))
    swing = np.ptp(energy) / 2
    # The line through a swing A cos(Ωt + φ) rises by at most 12 A/ΩT (1 + 2/ΩT) over a run T; the slowest part of the
    # energy's swing is that of the flip, Ω = π over its half period. Its size is second order, see `turn_free`: with
    # 1/I_k − 1/I_m below 1/I_k it is less than (ωτ)²/12 of the energy.
    turns = np.pi * time[-1] / reference.flip_half_period(INERTIA, spin)
    size = (np.linalg.norm(spin) * dt) ** 2 / 12
    figures = [Figure(0.0, rise(time, energy) / swing, 12 / turns * (1 + 2 / turns), "drift over swing, torque-free body"),
               Figure(0.0, swing / energy[0], size, "swing over energy, torque-free body")]
    time, energy = mechanical_energy(simulate(mixed_scene(Stepping(control="fixed", dt=1e-3), 1e-3 * STEPS, frames)))
    # A disordered swing of standard deviation σ in which n stretches are independent gives a line that rises by σ √(12/n),
    # give or take; three times that is allowed. The slowest motion is the turning of the whole, at about 0.3 rad/s.
    independent = 0.3 * time[-1] / (2 * np.pi)
    allowed = 3 * np.sqrt(12 / independent)
    return [*figures, Figure(0.0, rise(time, energy) / energy.std(), allowed, "drift over swing, mixed scene")]


def mechanical_energy(recording):
    """Instants, and kinetic plus elastic energy at them [J]."""
    ledger = recording.ledger
    return recording.time, sum(ledger[name] for name in ("kinetic", "elastic_linear", "elastic_angular", "elastic_articular"))


def rise(time, values):
    """How far the least-squares line through the values rises over the run."""
    return np.polyfit(time, values, 1)[0] * (time[-1] - time[0])


@case(GROUP, "ledger", "largest residual over reference energy in 10 s, budget 1e-4",
      "free scenes: what kinetic and stored energy lose is dissipated")
def ledger():
    stepping, budget = Stepping(budget=1e-4), 1e-4
    scenes = {
        "torque-free body": body_scene((0.01, 1.0, 0.0), stepping, 10.0, 20)[0],
        "mixed scene, elastic": mixed_scene(stepping, 10.0, 20),
        "mixed scene, damped and plastic": mixed_scene(stepping, 10.0, 20, damping=0.005, plastic=KINDS),
    }
    ledgers = {name: simulate(scene).ledger for name, scene in scenes.items()}
    return [Figure(0.0, each["largest_residual"][-1] / each["reference_energy"][-1], budget, name)
            for name, each in ledgers.items()]


# --- the double pendulum -------------------------------------------------------------------------------------------
def pendulum_scene(stiffness, duration=1.0, frames=1, gravity=9.81, part=0.1, stepping=None):
    """Two unit masses on unit springs, both horizontal and at rest.

    Horizontal arms at rest fall freely: the rods pull with nothing at first, nor with a growing force, so springs at their
    rest length start on the slow motion and the fast one stays of the order 1/k².
    """
    # The stiffest motion of two unit masses on two springs has ω² = k (3 + √5)/2; the step is a part of 2/ω. With the
    # step falling like 1/√k the error of the step and that of the stretch both fall like 1/k.
    fastest = np.sqrt(stiffness * (3 + np.sqrt(5)) / 2)
    dt = duration / np.ceil(duration * fastest / (2 * part))
    scene = Scene("double pendulum", duration=duration, frames=frames, gravity=(0, 0, -gravity),
                  stepping=stepping or Stepping(control="fixed", dt=dt))
    hook = scene.add_particle("hook", (0, 0, 0), 1.0, support="xyz")
    upper = scene.add_particle("upper", (1, 0, 0), 1.0)
    lower = scene.add_particle("lower", (2, 0, 0), 1.0)
    scene.add_linear("upper arm", hook, upper, stiffness)
    scene.add_linear("lower arm", upper, lower, stiffness)
    return scene


def pendulum_angles(recording):
    """Angles of both arms from the downward vertical and their rates, (f, 4)."""
    arms = np.diff(recording.position[:, :3], axis=1)[:, :, [0, 2]]
    rates = np.diff(recording.velocity[:, :3], axis=1)[:, :, [0, 2]]
    turning = (rates[:, :, 1] * arms[:, :, 0] - rates[:, :, 0] * arms[:, :, 1]) / (arms ** 2).sum(axis=2)
    return np.concatenate([np.arctan2(arms[:, :, 0], -arms[:, :, 1]), turning], axis=1)


@case(GROUP, "double pendulum", "two particles on stiff springs after 1 s from horizontal, extrapolated to 1/k → 0",
      "point masses on rigid arms, DOP853 at 1e-13")
def double_pendulum():
    # Stretch and step leave an error of first order in 1/k, which the extrapolation takes away. What is left is of second
    # order, and in the rates the fast motion √k/k² with a phase that differs from k to k: no next order to divide by, so
    # the bar is all that the last refinement moved.
    values = [pendulum_angles(simulate(pendulum_scene(k)))[-1] for k in (4e5, 1.6e6, 6.4e6)]
    before, value = [extrapolated(*pair, order=1, ratio=4) for pair in itertools.pairwise(values)]
    bar = SAFETY * np.abs(value - before)
    exact = reference.double_pendulum(1.0)[0]
    names = ("upper angle [rad]", "lower angle [rad]", "upper rate [rad/s]", "lower rate [rad/s]")
    order = observed_order(*values, ratio=4)[0]
    return [Figure(*row) for row in zip(exact, value, bar, names, strict=True)] + \
        [Figure(1.0, order, 0.1, "order in 1/k of the upper angle")]
