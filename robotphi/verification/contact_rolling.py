"""Group "contact", rolling: from sliding to rolling, down slopes, cylinders with flat sides, balls on a pulled table."""
import math

import numpy as np

from robotphi import ContactMaterial, Scene, Stepping, simulate
from robotphi.discretise import rigid
from robotphi.geometry import shapes
from robotphi.verification import contact_reference as exact
from robotphi.verification.contact_friction import leaning
from robotphi.verification.contact_reference import GRAVITY
from robotphi.verification.estimate import slope
from robotphi.verification.registry import Figure, case

GROUP = "contact"
RADIUS, LENGTH = 0.1, 0.2    # m
STIFFNESS = 1e9              # N/m³
PRISM = 0.5                  # m, length of a prism of radius 1 m
SHARES = {"sphere": exact.SPHERE, "cylinder": exact.CYLINDER}


# A round body of radius R that is sunk in by d touches at a lever between R − d and R, where friction turns it. So a rolling
# speed v = ω r, which by the angular momentum about the contact is v₀ r²/(r² + share R²), is off by no more than
# 2 share/(1 + share) d/R of itself, and the other figures by the shares of d/R given there. Depth and shift fall like the
# square root (sphere) or the power 2/3 (cylinder) of the stiffness.
def sunk(kind, weight, stiffness, radius=RADIUS, length=LENGTH):
    """Depth [m] at which a round body is borne: λ π R d² = W for a ball, λ l × section of the disc below = W."""
    if kind == "sphere":
        return math.sqrt(weight / (stiffness * math.pi * radius))
    from scipy.optimize import brentq
    return brentq(lambda d: stiffness * length * disc_section(d, radius) - weight, 1e-15, radius, xtol=1e-18)


def disc_section(depth, radius):
    """Area of the part of a disc that is deeper than a line: R² (ψ − sin ψ cos ψ), cos ψ = 1 − d/R [m²]."""
    angle = 2 * math.asin(math.sqrt(depth / (2 * radius)))
    return radius ** 2 * (angle - math.sin(angle) * math.cos(angle))


def round_scene(kind, tangent, friction, duration, frames, speed=0.0):
    """A sphere or cylinder of 1 kg, without losses, on a slope that falls towards x; its weight is borne from the start."""
    gravity = leaning(tangent)
    depth = sunk(kind, -gravity[2], STIFFNESS)
    contact = ContactMaterial(stiffness=STIFFNESS, friction=friction)
    scene = Scene(f"rolling {kind}", duration=duration, frames=frames, gravity=gravity, stepping=Stepping(budget=1e-6))
    scene.add_plane("slope", contact=contact)
    height, motion = RADIUS - depth, {"mass": 1.0, "contact": contact, "velocity": (speed, 0, 0)}
    if kind == "sphere":
        scene.add_ball("body", (0, 0, height), RADIUS, **motion)
    else:
        scene.add_cylinder("body", (0, -LENGTH / 2, height), (0, LENGTH / 2, height), RADIUS, **motion)
    scene.set_contact("body", "slope", contact)
    return scene, depth / RADIUS


@case(GROUP, "from sliding to rolling", "a body thrown without spin at 1 m/s, c = 0.2",
      "rolls from v₀/(c g) × share/(1 + share) on, at v₀/(1 + share)")
def sliding_to_rolling():
    figures = []
    for kind, share in SHARES.items():
        scene, sunk_in = round_scene(kind, 0.0, 0.2, 0.3, 300, speed=1.0)
        recording = simulate(scene)
        instant, end = exact.rolling_start(share, 1.0, 0.2)
        speed = recording.rigid_velocity[:, 0, 0]
        slip = speed - recording.rigid_spin[:, 0, 1] * RADIUS
        first = recording.time < 0.9 * instant
        rate, start = np.polyfit(recording.time[first], slip[first], 1)   # a straight line: Coulomb
        # slip falls at c g (1 + r R/(share R²))
        figures += [Figure(instant, -start / rate, instant * sunk_in / (1 + share), f"{kind}, instant [s]"),
                    Figure(end, speed[-1], end * 2 * share / (1 + share) * sunk_in, f"{kind}, speed from there on [m/s]")]
    return figures


@case(GROUP, "cylinder on a slope", "acceleration [m/s²] from rest, s = c = 0.2",
      "rolls where tan θ ≤ 3 s with (2/3) g sin θ, else slides")
def cylinder_on_a_slope():
    figures = []
    for part in (1.5, 2.9, 3.1):
        tangent = part * 0.2
        scene, sunk_in = round_scene("cylinder", tangent, 0.2, 0.5, 20)
        recording = simulate(scene)
        speed = recording.rigid_velocity[:, 0, 0]
        found = (speed[-1] - speed[10]) / (recording.time[-1] - recording.time[10])
        if part < 3.0:   # g sin θ/(1 + R²/2r²)
            rolls = exact.rolling_acceleration(exact.CYLINDER, tangent)
            figures.append(Figure(rolls, found, rolls * 2 / 3 * sunk_in, f"tan θ = {part:g} s"))
        else:            # friction is c times what presses, whatever turns
            figures.append(Figure(exact.slope_acceleration(tangent, 0.2), found, 1e-8, f"tan θ = {part:g} s"))
    return figures


# --- flat sides ----------------------------------------------------------------------------------------------------
def prism_scene(sides, gravity, mass, stiffness, depth, duration, speed=0.0, budget=1e-5):
    """A prism of radius 1 m and length 0.5 m with a flat side down, sunk in by a depth below its circle, perhaps rolling."""
    contact = ContactMaterial(stiffness=stiffness, friction=0.9)
    scene = Scene("prism", duration=duration, frames=100, gravity=gravity, stepping=Stepping(budget=budget))
    scene.add_plane("slope", contact=contact)
    standing = shapes.cylinder(1.0, PRISM, sides=sides).transformed([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    first = standing.vertices[0]
    turn = -math.pi / 2 - math.pi / sides - math.atan2(first[2], first[0])
    c, s = math.cos(turn), math.sin(turn)
    shape = standing.transformed([[c, 0, -s], [0, 1, 0], [s, 0, c]], shift=(0, 0, 1.0 - depth))
    scene.add_object("prism", rigid(shape, mass=mass), contact=contact, velocity=(speed, 0, 0), spin=(0, speed, 0))
    scene.set_contact("prism", "slope", contact)
    return scene


def facetted_way(sides, sagittas=4.0, speed=1.0, tangent=0.1, duration=2.0):
    """Root mean square over time of how far a prism's way down a slope is from a round cylinder's, as a part of the way.

    The ground is so soft that the prism sinks in by some sagittas 1 − cos π/n, so that it rolls over its edges without
    hopping; everything that is off is then a multiple of 1/n².
    """
    gravity, mass, depth = leaning(tangent), 100.0, sagittas * (1 - math.cos(math.pi / sides))
    stiffness = -mass * gravity[2] / (PRISM * disc_section(depth, 1.0))
    recording = simulate(prism_scene(sides, gravity, mass, stiffness, depth, duration, speed))
    time = recording.time
    way = speed * time + 0.5 * exact.rolling_acceleration(exact.CYLINDER, tangent) * time ** 2
    return math.sqrt(((recording.rigid_position[:, 0, 0] - way) ** 2).mean()) / way[-1]


@case(GROUP, "cylinder with flat sides", "order in 1/n of the way of a prism with 8, 16, 32, 64 sides down a slope",
      "sagitta and perimeter are those of the circle up to 1/n²")
def flat_sides():
    sides = np.array([8, 16, 32, 64])
    return Figure(2.0, slope(1 / sides, [facetted_way(n) for n in sides]), 0.1)


@case(GROUP, "prism on a flat side", "whether it rolls off a slope within 1.5 s: 1, or stays: 0", "stays where tan θ < tan π/n")
def prism_on_a_flat_side():
    # At 0.9 of this slope the weight goes through the side at 0.1 of its half width ε from the edge: it bears by a strip 0.3 ε
    # wide and leans by 2 W/(λ l (0.3 ε)²) times the radius. The ground is so hard that this is a twentieth of 0.1 ε.
    figures = []
    for sides in (8, 32):
        for part in (0.9, 1.1):
            gravity = leaning(part * math.tan(math.pi / sides))
            sagitta, half = 1 - math.cos(math.pi / sides), math.sin(math.pi / sides)
            stiffness = -20 * gravity[2] * 2 / (PRISM * 0.3 ** 2 * 0.1 * half ** 3)
            depth = -gravity[2] / (stiffness * PRISM * 2 * half)
            recording = simulate(prism_scene(sides, gravity, 1.0, stiffness, sagitta + depth, 1.5))
            figures.append(Figure(float(part > 1), float(recording.rigid_position[-1, 0, 0] > half), 0.0,
                                  f"n = {sides}, tan θ = {part:g} tan π/n"))
    return figures


# --- a table that is pulled ----------------------------------------------------------------------------------------
def table_scene(duration, stiffness=1e10):
    """A table of 10 kg (friction 0.4) with 25 balls of 1 kg on it (0.8), pulled by 150 N at 60° to its side."""
    radius, size = 0.1, (12.0, 12.0, 0.2)
    ground = ContactMaterial(stiffness=1e5, friction=0.4, tangential_stiffness=1e8)
    above = ContactMaterial(stiffness=stiffness, friction=0.8)
    scene = Scene("balls on a table", duration=duration, frames=40, stepping=Stepping(budget=1e-4))
    scene.add_plane("ground", contact=ground)
    low = 35 * GRAVITY / (ground.stiffness * size[0] * size[1])
    table = scene.add_object("table", rigid(shapes.box(size, centre=(0, 0, size[2] / 2 - low)), mass=10.0), contact=above)
    depth = sunk("sphere", GRAVITY, stiffness, radius)
    for i in range(25):
        place = (0.3 * (i % 5) - 0.6, 0.3 * (i // 5) - 0.6, size[2] - low + radius - depth)
        scene.add_ball(f"ball {i}", place, radius, mass=1.0, contact=above, contact_group="balls")
    scene.set_contact("ground", "table", ground)
    scene.set_contact("table", "balls", above)
    scene.add_force("pull", table.rigids[0], (150.0 * math.cos(math.pi / 3), 150.0 * math.sin(math.pi / 3), 0.0))
    return scene, depth / radius


@case(GROUP, "balls on a table", "SimBenchmark's rolling test: 10 kg under 25 balls of 1 kg, pulled by 150 N for 4 s",
      "(150 − 0.4·35 g)/(10 + 25·2/7), 2/7 of it; published for RaiSim 4.1e-7, Bullet 4.5e-5, MuJoCo 2.4e-3, ODE and DART 3.1")
def balls_on_a_table():
    scene, sunk_in = table_scene(4.0)
    recording = simulate(scene)
    along = np.array([math.cos(math.pi / 3), math.sin(math.pi / 3)])
    time, speed = recording.time, recording.rigid_velocity[:, :, :2] @ along
    exactly = exact.rolling_table(10.0, 25.0, 150.0, 0.4)
    found = (speed[-1] - speed[20]) / (time[-1] - time[20])
    # Sunk in by d a ball takes share/(share + r²/R²) of the table's acceleration, up to 10/7 d/R more than 2/7; the table
    # loses what the balls take.
    more = 10 / 7 * sunk_in
    less = 25 * 2 / 7 * more / (10 + 25 * 2 / 7)
    off = speed - np.outer(time, [exactly[0]] + 25 * [exactly[1]])
    # In the end speeds are off by these shares; at the start by what the pull does before friction is stretched. The best
    # figure published is asked for.
    return [Figure(exactly[0], found[0], less * exactly[0], "acceleration of the table [m/s²]"),
            Figure(exactly[1], found[1:].mean(), more * exactly[1], "mean acceleration of the balls [m/s²]"),
            Figure(0.0, np.ptp(found[1:]), more * exactly[1], "spread of the balls' accelerations [m/s²]"),
            Figure(0.0, (off ** 2).mean(), 4.1e-7, "mean square of the error of the speeds [m²/s²]")]
