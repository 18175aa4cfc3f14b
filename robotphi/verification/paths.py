"""Group "path": phases, orbits and attitudes after 50 rad, which no ledger sees, by the budget alone.

What is asked of a path is √budget (`kernels/step/path`). Steady circular motion has it from the rule itself; where energy is
exchanged the ledger asks for shorter steps than the path, and the error falls with the budget itself.
"""
import numpy as np

from robotphi import Scene, Stepping, Table, simulate
from robotphi.verification import reference
from robotphi.verification.registry import Figure, case

GROUP = "path"
BUDGETS = (1e-4, 1e-6)
HORIZON = 50.0                       # rad
ECCENTRICITY = 0.5
EPSILON = np.finfo(float).eps
BODIES = {"equal moments": ((2, 2, 2), (30, 20, 25)), "symmetric top about a transverse axis": ((2, 2, 3), (10, 2, 3)),
          "moments 6, 5, 4": ((6, 5, 4), (3, 2, 1))}


def circle_scene(budget, turning=5.0, stiffness=100.0, radius=0.5, mass=1.0):
    """Two masses on a spring that holds them on one circle: k (2R − L0) = m ω² R."""
    rest = 2 * radius - mass * turning ** 2 * radius / stiffness
    scene = Scene("circle", duration=HORIZON / turning, frames=10, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    pair = scene.add_particles("mass", [(radius, 0, 0), (-radius, 0, 0)], mass,
                               velocity=[(0, turning * radius, 0), (0, -turning * radius, 0)])
    scene.add_linear("spring", pair[0], pair[1], stiffness, rest_length=rest)
    return scene


def circle_error(budget):
    """rad, the largest at any frame, and the recording."""
    recording = simulate(circle_scene(budget))
    path = recording.position[:, 0]
    ahead = np.unwrap(np.arctan2(path[:, 1], path[:, 0])) - 5.0 * recording.time
    return np.abs((ahead + np.pi) % (2 * np.pi) - np.pi).max(), recording


def orbit_scene(budget, eccentricity=ECCENTRICITY):
    """A mass on an orbit of half axis 1 and period 2π about a fixed centre, pulled by 1/r²; it starts farthest away."""
    reach = np.linspace(0.3, 2.0, 3401)  # cubic between knots 5e-4 apart: 1e-12 of the force
    scene = Scene("orbit", duration=HORIZON, frames=50, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    sun = scene.add_particle("sun", (0, 0, 0), 1.0, support="xyz")
    slowest = np.sqrt((1 - eccentricity) / (1 + eccentricity))
    planet = scene.add_particle("planet", (1 + eccentricity, 0, 0), 1.0, velocity=(0, slowest, 0))
    scene.add_linear("pull", sun, planet, rest_length=1.0, table=Table(reach - 1.0, reach ** -2, kind="cubic"))
    return scene


def orbit_error(budget):
    """rad of mean anomaly, the largest at any frame, and the recording: how far along its orbit the mass is ahead."""
    recording = simulate(orbit_scene(budget))
    place, speed = exact_orbit(recording.time)
    off = recording.position[:, 1, :2] - place
    return np.abs((off * speed).sum(axis=1) / (speed ** 2).sum(axis=1)).max(), recording


def exact_orbit(time, eccentricity=ECCENTRICITY):
    """Places and velocities by Kepler's equation M = E − e sin E."""
    mean = np.pi + time
    anomaly = mean.copy()
    for _ in range(60):
        anomaly -= (anomaly - eccentricity * np.sin(anomaly) - mean) / (1 - eccentricity * np.cos(anomaly))
    narrow = np.sqrt(1 - eccentricity ** 2)
    rate = 1 / (1 - eccentricity * np.cos(anomaly))
    place = np.stack([eccentricity - np.cos(anomaly), -narrow * np.sin(anomaly)], axis=1)
    return place, rate[:, None] * np.stack([np.sin(anomaly), -narrow * np.cos(anomaly)], axis=1)


def beats_error(budget):
    """Of the amplitude, the largest at any frame, and the recording: two oscillators of 10 rad/s and a weak spring."""
    scene = Scene("beats", duration=HORIZON / 10, frames=20, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    walls = scene.add_particles("wall", [(0, 0, 0), (3, 0, 0)], 1.0, support="xyz")
    left, right = scene.add_particles("mass", [(1.1, 0, 0), (2, 0, 0)], 1.0, support="yz")
    scene.add_linear("springs", [walls[0], left, right], [left, right, walls[1]], [100.0, 5.0, 100.0], rest_length=1.0)
    recording = simulate(scene)
    together, apart = np.cos(10 * recording.time), np.cos(np.sqrt(110) * recording.time)
    moved = recording.position[:, [left, right], 0] - [1, 2]
    exact = 0.05 * np.stack([together + apart, together - apart], axis=1)
    return np.abs(moved - exact).max() / 0.1, recording


def attitude_error(inertia, spin, budget):
    """rad after 44 rad, the largest at any frame, and the recording."""
    duration = 44.0 / np.linalg.norm(spin)
    scene = Scene("body", duration=duration, frames=4, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    scene.add_rigid("body", np.eye(3), mass=1.0, inertia=inertia, centre=(0, 0, 0), spin=spin)
    recording = simulate(scene)
    _, exact = reference.torque_free_motion(recording.time, inertia, spin)
    q = recording.rigid_orientation[:, 0]
    chord = np.minimum(np.linalg.norm(q - exact, axis=1), np.linalg.norm(q + exact, axis=1))
    return 4 * np.arcsin(chord / 2).max(), recording


@case(GROUP, "steady circle", "angle [rad] by which two masses on a spring are ahead after 50 rad", "√budget, see the rule")
def steady_circle():
    return [Figure(0.0, circle_error(budget)[0], np.sqrt(budget), f"budget {budget:g}") for budget in BUDGETS]


@case(GROUP, "Kepler orbit", "mean anomaly [rad] by which an orbit of eccentricity 0.5 is ahead, after 50 rad",
      "Kepler's equation")
def kepler_orbit():
    return [Figure(0.0, orbit_error(budget)[0], np.sqrt(budget), f"budget {budget:g}") for budget in BUDGETS]


@case(GROUP, "beats", "error over amplitude of two weakly coupled oscillators after 50 rad", "two modes, closed form")
def beats():
    return [Figure(0.0, beats_error(budget)[0], np.sqrt(budget), f"budget {budget:g}") for budget in BUDGETS]


@case(GROUP, "attitude", "attitude [rad] of a free body after 44 rad", "Euler's equations, DOP853 at 1e-13")
def attitude():
    figures = []
    for name, (inertia, spin) in BODIES.items():
        for budget in BUDGETS:
            # 1e-13 of relative tolerance over 44 rad is what the reference is good for, some 1e-12
            asked = np.sqrt(budget) if len(set(inertia)) == 3 else 5e-12
            figures.append(Figure(0.0, attitude_error(inertia, spin, budget)[0], asked, f"{name}, budget {budget:g}"))
    return figures
