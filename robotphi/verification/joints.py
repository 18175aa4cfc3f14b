"""Group "joints": mechanisms held by exact joints, beside closed forms and tight integrations of the same bodies.

Steps are fixed, and values extrapolated in them: the step is of second order, and nearly the same forwards and backwards, so
that its error has even powers of τ alone but for small remainders. From τ, τ/2 and τ/4 two extrapolations follow; what the
second moved the first by is the error bar.
"""
import itertools

import numpy as np

from robotphi import Scene, Stepping, simulate
from robotphi.verification import reference
from robotphi.verification.estimate import ROUNDING, SAFETY, extrapolated, observed_order, richardson
from robotphi.verification.registry import Figure, case

GROUP = "joints"
POINT = 1e-12        # kg·m² of a body that stands for a point mass, at arms of a metre
G = 9.81


def scene_of(name, dt, duration, frames=1, gravity=(0, 0, -G)):
    return Scene(name, duration=duration, frames=frames, gravity=gravity, stepping=Stepping(control="fixed", dt=dt))


def point(scene, name, at, mass=1.0):
    """A rigid as good as a point mass."""
    return scene.add_rigid(name, [at], mass=mass, centre=at, inertia=(POINT,) * 3)


def places(scene):
    """(coordinates, rates) of all joints at every frame, (f, k) each."""
    record = simulate(scene).checkpoint
    return record["joint_place"][:, :, 0], record["joint_rate"][:, :, 0]


def converged(values, rounding):
    """The value by two extrapolations of three refinements by 2, and its error bar; `rounding` as a number of that size."""
    first, second = extrapolated(values[0], values[1]), extrapolated(values[1], values[2])
    value = extrapolated(first, second, order=4)
    return value, SAFETY * (richardson(first, second, order=4) + rounding)


# --- pendulums -----------------------------------------------------------------------------------------------------
def swing(dt, angle, duration, frames, inertia=None, arm=1.0, mass=1.0):
    """A pendulum on a revolute joint, let go at an angle: (times, angles)."""
    scene = scene_of("pendulum", dt, duration, frames)
    at = (arm * np.sin(angle), 0.0, -arm * np.cos(angle))
    bob = scene.add_rigid("bob", [at], mass=mass, centre=at, inertia=(POINT if inertia is None else inertia,) * 3)
    scene.add_joint("hook", "revolute", None, bob, (0, 0, 0), axis=(0, -1, 0), place=angle)
    return scene.frame_times, places(scene)[0][:, 0]


def half_period(times, angles):
    """Time between the first two zeros, by a spline through the samples."""
    from scipy.interpolate import CubicSpline
    zeros = CubicSpline(times, angles).roots(extrapolate=False)
    return zeros[1] - zeros[0]


@case(GROUP, "pendulum", "half period [s] of a point mass on a revolute joint, and of a compound body on one",
      "2 K(sin² ½θ)/ω; the body of Faure's table, m = 1, I = 1, d = 0.5, 0.1 rad")
def pendulum():
    from scipy.special import ellipk
    figures = []
    for what, angle, inertia, arm in [("swung by 2 rad", 2.0, None, 1.0), ("compound, by 0.1 rad", 0.1, 1.0, 0.5)]:
        rate = np.sqrt(G * arm / (arm ** 2 + (inertia or POINT)))
        exact = 2 * ellipk(np.sin(angle / 2) ** 2) / rate
        steps = 1.6 * exact / 2 ** np.arange(11, 14)
        # the spline through samples h apart is off by (h ω)⁴/384 of the amplitude, over the slope at zero, twice
        samples = 800
        spline = 2 * (1.6 * exact / samples * rate) ** 4 / 384 / rate
        value, bar = converged([half_period(*swing(dt, angle, 1.6 * exact, samples, inertia, arm)) for dt in steps],
                               1e3 * ROUNDING)
        figures.append(Figure(exact, value, bar + spline, what))
    return figures


@case(GROUP, "double pendulum on joints", "two point masses on revolute joints after 1 s from horizontal, extrapolated in τ",
      "point masses on rigid arms, DOP853 at 1e-13")
def double_pendulum():
    def angles(dt):
        scene = scene_of("double pendulum", dt, 1.0)
        upper, lower = point(scene, "upper", (1, 0, 0)), point(scene, "lower", (2, 0, 0))
        scene.add_joint("hook", "revolute", None, upper, (0, 0, 0), axis=(0, -1, 0), place=np.pi / 2)
        scene.add_joint("knee", "revolute", upper, lower, (1, 0, 0), axis=(0, -1, 0))
        (one, two), (first, second) = (each[-1] for each in places(scene))
        return np.array([one, one + two, first, first + second])

    values = [angles(dt) for dt in (1 / 4000, 1 / 8000, 1 / 16000)]
    value = converged(values, 0.0)[0]
    exact = reference.double_pendulum(1.0)[0]
    names = ("upper angle [rad]", "lower angle [rad]", "upper rate [rad/s]", "lower rate [rad/s]")
    # asked is 1e-8; 16 000 roundings of 1e-16, which the motion spreads by some e^3, leave 1e-11
    return [Figure(*row, 1e-8, name) for *row, name in zip(exact, value, names, strict=True)] + [
        Figure(2.0, observed_order(*values)[0], 0.1, "order in τ of the upper angle")]


@case(GROUP, "spherical pendulum", "place [m] of a point mass on a ball joint after 2 s", "x'' = −g + pull, DOP853 at 1e-13")
def spherical_pendulum():
    start, spin = np.array([0.6, 0.0, -0.8]), np.array([0.4, 0.0, 2.5])

    def place(dt):
        scene = scene_of("spherical pendulum", dt, 2.0)
        bob = point(scene, "bob", start)
        scene.add_joint("hook", "ball", None, bob, (0, 0, 0), rate=spin)
        return simulate(scene).rigid_position[-1, 0]

    def slope(_, y):
        x, v = y[:3], y[3:]
        return np.concatenate([v, -(v @ v - G * x[2]) / (x @ x) * x - [0, 0, G]])

    exact = reference.integrated(slope, [0.0, 2.0], [*start, *np.cross(spin, start)])[-1, :3]
    value, bar = converged([place(dt) for dt in (1 / 1000, 1 / 2000, 1 / 4000)], 1e3 * ROUNDING)
    return [Figure(*row) for row in zip(exact, value, bar, "xyz", strict=True)]


# --- tops ----------------------------------------------------------------------------------------------------------
TOP = {"across": 1.0, "along": 0.5, "mass": 2.0, "arm": 0.4}   # kg·m² about the point it stands on; kg; m


def top(dt, duration, frames, tilt, precession, own):
    """A symmetric top on a ball joint: (times, cosine of its tilt, azimuth of its axis)."""
    scene = scene_of("top", dt, duration, frames)
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    centre = TOP["arm"] * axis
    across = TOP["across"] - TOP["mass"] * TOP["arm"] ** 2   # about the centre
    inertia = across * np.eye(3) + (TOP["along"] - across) * np.outer(axis, axis)
    body = scene.add_rigid("top", [centre, centre + 0.1 * axis], mass=TOP["mass"], centre=centre, inertia=inertia)
    scene.add_joint("point", "ball", None, body, (0, 0, 0), rate=np.array([0, 0, precession]) + own * axis)
    centres = simulate(scene).rigid_position[:, 0]
    return scene.frame_times, centres[:, 2] / TOP["arm"], np.unwrap(np.arctan2(centres[:, 1], centres[:, 0]))


@case(GROUP, "heavy top, steady", "precession [rad] in 2 s, and change of the tilt", "A Ω² cos θ − C n Ω + m g l = 0")
def steady_top():
    tilt, spin = 0.7, 12.0      # spin n of the body about its axis, the axis' own share of Ω within
    weight = TOP["mass"] * G * TOP["arm"]
    slow = 2 * weight / (TOP["along"] * spin + np.sqrt((TOP["along"] * spin) ** 2 - 4 * TOP["across"] * np.cos(tilt) * weight))

    def seen(dt):
        _, height, azimuth = top(dt, 2.0, 200, tilt, slow, spin - slow * np.cos(tilt))
        return np.array([azimuth[-1], height[-1]])

    value, bar = converged([seen(dt) for dt in (1e-3, 5e-4, 2.5e-4)], 1e3 * ROUNDING)
    return [Figure(2.0 * slow, value[0], bar[0], "azimuth"), Figure(np.cos(tilt), value[1], bar[1], "cos of the tilt")]


@case(GROUP, "heavy top, nutation", "cosine of the tilt and azimuth [rad] after 2 s, let go with spin alone",
      "u̇² = (α − β u)(1 − u²) − (b − a u)², by its second-order form, DOP853 at 1e-13")
def nutating_top():
    tilt, spin = 0.7, 15.0
    a = TOP["along"] * spin / TOP["across"]
    height, beta = np.cos(tilt), 2 * TOP["mass"] * G * TOP["arm"] / TOP["across"]
    b, alpha = a * height, beta * height         # no nutation and no precession at the start

    def slope(_, y):
        u, rate, _ = y
        return [rate, -0.5 * beta * (1 - u * u) - (alpha - beta * u) * u + a * (b - a * u), (b - a * u) / (1 - u * u)]

    exact = reference.integrated(slope, [0.0, 2.0], [height, 0.0, 0.0])[-1]

    def seen(dt):
        _, heights, azimuth = top(dt, 2.0, 200, tilt, 0.0, spin)
        return np.array([heights[-1], azimuth[-1]])

    value, bar = converged([seen(dt) for dt in (1e-3, 5e-4, 2.5e-4)], 1e3 * ROUNDING)
    return [Figure(exact[0], value[0], bar[0], "cos of the tilt"), Figure(exact[2], value[1], bar[1], "azimuth")]


# --- slides --------------------------------------------------------------------------------------------------------
@case(GROUP, "cart and pole", "place [m] and angle [rad] after 2 s: a pole on a cart that slides",
      "(M + m) ẍ + m l (θ̈ cos θ − θ̇² sin θ) = 0, ẍ cos θ + l θ̈ + g sin θ = 0, DOP853 at 1e-13")
def cart_and_pole():
    heavy, light, arm, angle = 2.0, 1.0, 0.8, 1.2

    def seen(dt):
        scene = scene_of("cart and pole", dt, 2.0)
        cart = point(scene, "cart", (0, 0, 0), heavy)
        pole = point(scene, "pole", (arm * np.sin(angle), 0, -arm * np.cos(angle)), light)
        scene.add_joint("rail", "prismatic", None, cart, (0, 0, 0), axis=(1, 0, 0), rate=0.3)
        scene.add_joint("hinge", "revolute", cart, pole, (0, 0, 0), axis=(0, -1, 0), place=angle)
        return places(scene)[0][-1]

    def slope(_, y):
        _, theta, speed, rate = y
        s, c = np.sin(theta), np.cos(theta)
        matrix = [[heavy + light, light * arm * c], [c, arm]]
        return [speed, rate, *np.linalg.solve(matrix, [light * arm * rate ** 2 * s, -G * s])]

    exact = reference.integrated(slope, [0.0, 2.0], [0.0, angle, 0.3, 0.0])[-1, :2]
    value, bar = converged([seen(dt) for dt in (1 / 1000, 1 / 2000, 1 / 4000)], 1e3 * ROUNDING)
    return [Figure(*row) for row in zip(exact, value, bar, ("cart", "pole"), strict=True)]


@case(GROUP, "screw", "turn [rad] in 1 s of a nut that falls along a screw, and of one with a spring",
      "φ'' = −m g p/(I + m p²): a uniform acceleration; with a spring a cosine")
def screw():
    mass, moment, pitch, stiffness = 1.5, 0.02, 0.05, 2.0
    inertia, figures = moment + mass * pitch ** 2, []
    for what, spring in (("free", 0.0), ("with a spring", stiffness)):
        def turn(dt, spring=spring):
            scene = scene_of("screw", dt, 1.0)
            nut = scene.add_rigid("nut", [(0.1, 0, 0)], mass=mass, centre=(0, 0, 0), inertia=(0.03, 0.03, moment))
            scene.add_joint("thread", "screw", None, nut, (0, 0, 0), axis=(0, 0, 1), pitch=pitch, stiffness=spring)
            return places(scene)[0][-1, 0]

        pull = -mass * G * pitch
        rate = np.sqrt(spring / inertia)
        exact = pull / spring * (1 - np.cos(rate)) if spring else 0.5 * pull / inertia
        value, bar = converged([turn(dt) for dt in (1e-3, 5e-4, 2.5e-4)], 1e3 * ROUNDING * abs(exact))
        figures.append(Figure(exact, value, bar, what))
    return figures


@case(GROUP, "planar joint", "place [m] and turn [rad] after 1 s of a body on a tilted plane", "a = g sin α down the plane")
def planar():
    slant, rates = 0.4, np.array([0.3, -0.2, 1.1])

    scene = scene_of("planar", 1e-3, 1.0)
    body = scene.add_rigid("body", [(0.1, 0, 0)], mass=1.0, centre=(0.2, 0.1, 0), inertia=(0.1, 0.2, 0.3))
    normal = (np.sin(slant), 0.0, np.cos(slant))
    down = (np.cos(slant), 0.0, -np.sin(slant))
    scene.add_joint("plane", "planar", None, body, (0.2, 0.1, 0), axis=normal, across=down, rate=rates)
    found = places(scene)[0][-1]
    exact = rates + np.array([0.5 * G * np.sin(slant), 0.0, 0.0])
    # uniform accelerations and rates: exact in every step, what is left is a thousand roundings of numbers up to 10
    return [Figure(*row) for row in zip(exact, found, [1e3 * ROUNDING] * 3, ("down", "across", "turn"), strict=True)]


# --- a long chain ----------------------------------------------------------------------------------------------------
BODIES, LINK = 1000, 0.01     # m


def long_chain(dt, duration, hung, frames=20):
    """A thousand bars in a zigzag, on hinges about y and z in turn, let go at rest; free, it also turns."""
    scene = scene_of("chain", dt, duration, frames)
    above, at = None, np.zeros(3)
    for n in range(BODIES):
        way = LINK * np.array([0.8, 0.0, 0.6 if n % 2 else -0.6])
        moving = {} if hung or n else {"velocity": (0.3, 0.1, 0.0), "spin": (0.2, 0.0, 1.5)}
        bar = scene.add_rigid(f"bar {n}", [at], mass=0.01, centre=at + way / 2, inertia=(2e-7,) * 3, **moving)
        if hung or n:
            scene.add_joint(f"joint {n}", "revolute", above, bar, at, axis=(0, 1, 0) if n % 2 else (0, 0, 1))
        above, at = bar, at + way
    return scene


@case(GROUP, "falling chain", "a thousand bodies let go",
      "of a free one the centre of mass falls freely and nothing turns the whole")
def falling_chain():
    recording = simulate(long_chain(1e-3, 0.5, hung=False))
    time, place, speed = recording.time[:, None], recording.rigid_position, recording.rigid_velocity
    centre, drift = place.mean(axis=1), speed.mean(axis=1)
    exact = centre[0] + drift[0] * time - np.array([0, 0, 0.5 * G]) * time ** 2
    apart = place - centre[:, None]
    turning = (np.cross(apart, 0.01 * (speed - drift[:, None])) + recording.rigid_momentum).sum(axis=1)
    size = (np.linalg.norm(apart, axis=2) * np.linalg.norm(0.01 * (speed - drift[:, None]), axis=2)).sum(axis=1).max()
    figures = [Figure(0.0, np.abs(centre - exact).max(), ROUNDING, "free: centre of mass [m]"),
               Figure(0.0, np.abs(turning - turning[0]).max() / size, ROUNDING, "free: angular momentum, part of its size")]
    # hung, its energy stays: what a step of second order leaves falls to a quarter with half the step; the whip at its end, whose
    # next order is not small yet, has some tenths to say in it
    left = []
    for dt in (1e-3, 5e-4):
        ledger = simulate(long_chain(dt, 0.5, hung=True)).ledger
        left.append(np.abs(ledger["residual"]).max() / ledger["kinetic"].max())
    return [*figures, Figure(2.0, np.log2(left[0] / left[1]), 0.25, "hung: order of what is left of the energy")]


# --- joints and springs ----------------------------------------------------------------------------------------------
def arm_by_joints(dt, duration):
    """Where the end of a double pendulum of two bars on exact joints is, (3,)."""
    scene = scene_of("arm", dt, duration)
    above = None
    for n in range(2):
        bar = bar_of(scene, n)
        scene.add_joint(f"joint {n}", "revolute", above, bar, (n, 0, 0), axis=(0, -1, 0))
        above = bar
    return simulate(scene).position[-1, above.particles[1]]


def bar_of(scene, n):
    """A bar from (n, 0, 0) to (n + 1, 0, 0) of 1 kg, its ends and two points beside each."""
    points = [(n, 0, 0), (n + 1, 0, 0), (n, 0.2, 0), (n, -0.2, 0), (n + 1, 0.2, 0), (n + 1, -0.2, 0)]
    return scene.add_rigid(f"bar {n}", points, mass=1.0, centre=(n + 0.5, 0, 0), inertia=(0.05, 0.1, 0.1))


def arm_by_springs(stiffness, duration, part=0.05):
    """The same with two points of the axis tied by springs of length zero, one along each axis of the world."""
    fastest = np.sqrt(stiffness * 40.0)     # of two points 0.2 off the axis, on bars of 1 kg and 0.05 kg·m²: below that
    dt = duration / np.ceil(duration * fastest / (2 * part))
    scene = scene_of("arm", dt, duration)
    wall = scene.add_particles("wall", [(0, 0.2, 0), (0, -0.2, 0)], 1.0, support="xyz")
    above = list(wall)
    for n in range(2):
        bar = bar_of(scene, n)
        scene.add_linear(f"joint {n}", above, bar.particles[[2, 3]], stiffness, rest_length=0.0)
        above = bar.particles[[4, 5]]
    return simulate(scene).position[-1, bar.particles[1]]


@case(GROUP, "springs and exact joints", "end [m] of an arm of two bars after 0.6 s, its joints of springs and 1/k → 0",
      "the same arm on exact joints")
def springs_and_joints():
    duration = 0.6
    exact, _ = converged([arm_by_joints(dt, duration) for dt in (1e-3, 5e-4, 2.5e-4)], 0.0)
    # Gap and step, which falls like 1/√k, leave an error of first order in 1/k; from rest in free fall the fast motion has
    # amplitudes of second order. What the last extrapolation moved is the bar, as for the pendulum of particles.
    values = [arm_by_springs(stiffness, duration) for stiffness in (1e5, 4e5, 1.6e6)]
    before, value = (extrapolated(*pair, order=1, ratio=4) for pair in itertools.pairwise(values))
    bar = SAFETY * np.abs(value - before).max()
    return [Figure(exact[axis], value[axis], bar, "xyz"[axis]) for axis in (0, 2)]
