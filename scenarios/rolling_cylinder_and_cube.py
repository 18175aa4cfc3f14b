"""A cylinder and a cube thrown on the ground: without friction they slide, with a little they also turn, with more they roll.

After A. Joukhadar, INRIA RR-3072 (1996), figure 4.20.

The cylinder starts at v without turning. Friction c slows it by c g and turns it by 2 c g/R per second until it rolls, at 2/3 v
after v/(3 c g) were that all. But the ground in front of it resists more than the ground behind it pushes: for a pressure
λ x (1 + d ẋ) over a strip of half width a, a² = 2 R × depth, that is a moment of N d ω a²/5. It slows the turning by q ω,
q = (4/5) g d × depth/R, and the rolling by q v/3.

The cube, thrown spinning, tumbles: it leaves the ground several times before it lies or slides on a face.
"""
import numpy as np
from scipy.optimize import brentq

from robotphi import CheckFailed, ContactMaterial, Scene, Stepping, simulate
from robotphi.discretise import moved, rigid, turned
from robotphi.geometry.shapes import box
from robotphi.scenario import run_scenario

GRAVITY, DENSITY = 9.81, 600.0                    # m/s², kg/m³
RADIUS, LENGTH, SIDE = 0.1, 0.3, 0.2              # m
FRICTION = {"none": 0.0, "low": 0.03, "high": 0.4}
HIT = 2.5                                         # m/s, speed at which the restitution is meant
VARIANTS = tuple(FRICTION)
AXIS, SPIN, DROP = (0.3, 1.0, 0.2), (1.0, 8.0, 0.5), 0.35   # of the cube's first turn; rad/s; m under its centre
QUICK = {"duration": 0.8, "frames": 160}


def law(variant, stiffness, restitution):
    return ContactMaterial(stiffness=stiffness, restitution=restitution, speed=HIT, friction=FRICTION[variant])


def build(variant="high", speed=1.0, stiffness=1e8, restitution=0.7, duration=2.0, frames=400, budget=1e-4):
    """Friction "none", "low" or "high"; stiffness [N/m³] and restitution are those of each pair."""
    contact = law(variant, stiffness, restitution)
    scene = Scene(f"rolling: {variant} friction", duration=duration, frames=frames, gravity=(0, 0, -GRAVITY),
                  stepping=Stepping(budget=budget))
    scene.add_plane("ground", contact=contact, contact_group="all")
    height = RADIUS - depth_of_cylinder(stiffness)
    scene.add_cylinder("cylinder", (0, 0.2, height), (0, 0.2 + LENGTH, height), RADIUS, density=DENSITY,
                       velocity=(speed, 0, 0), contact=contact, contact_group="all")
    cube = turned(rigid(box(SIDE), density=DENSITY), AXIS, 0.5)
    scene.add_object("cube", moved(cube, (0, -0.6, DROP)), velocity=(1.5 * speed, 0, 0), spin=SPIN, contact=contact,
                     contact_group="all")
    scene.set_contact("all", "all", contact)
    scene.exclude_contact("cylinder", "cube")   # they go beside each other
    return scene


def run(speed=1.0, stiffness=1e8, restitution=0.7, duration=2.0, frames=400, budget=1e-4):
    knobs = (speed, stiffness, restitution, duration, frames, budget)
    return {variant: simulate(build(variant, *knobs)) for variant in VARIANTS}


def depth_of_cylinder(stiffness):
    """m by which the cylinder sinks in under its weight: λ L (4/3) √(2 R) x^(3/2)."""
    weight = np.pi * RADIUS ** 2 * LENGTH * DENSITY * GRAVITY
    return (weight / (4 / 3 * stiffness * LENGTH * np.sqrt(2 * RADIUS))) ** (2 / 3)


def cylinder_motion(variant, speed, stiffness, restitution, time):
    """Speed and spin times radius over time [m/s]: sliding, v̇ = −c g, u̇ = 2 c g − q u, then rolling, v̇ = −q v/3."""
    pull, contact = FRICTION[variant] * GRAVITY, law(variant, stiffness, restitution)
    if not pull:
        return np.full_like(time, speed), np.zeros_like(time)
    q = 4 / 5 * GRAVITY * contact.damping * depth_of_cylinder(stiffness) / RADIUS

    def turning(t):
        return -2 * pull / q * np.expm1(-q * t)

    rolls = brentq(lambda t: speed - pull * t - turning(t), 0.0, speed / pull)
    rolling = turning(rolls) * np.exp(-q / 3 * np.maximum(time - rolls, 0.0))
    return np.where(time < rolls, speed - pull * time, rolling), np.where(time < rolls, turning(time), rolling)


def lowest_corner(recording, variant):
    """Height of the cube's lowest corner over time [m]."""
    placed = build(variant).objects["cube"]
    return recording.position[:, placed.particles, 2].min(axis=1)


def flights(height, least=1e-3):
    """How often what was on the ground has left it by at least 1 mm, from the height of its lowest point (f,)."""
    parts = np.split(height, np.flatnonzero(np.diff((height > 0).astype(int))) + 1)
    return sum(bool(part.max() > least) for part in parts[1:])


def check(recordings, speed=1.0, stiffness=1e8, restitution=0.7):
    figures = {}
    for variant, recording in recordings.items():
        rate, roll = recording.rigid_velocity[:, 0, 0], recording.rigid_spin[:, 0, 1] * RADIUS
        wanted, turning = cylinder_motion(variant, speed, stiffness, restitution, recording.time)
        meets = recording.time[np.abs(wanted - turning).argmin()]
        steady = (recording.time < meets - 0.02) | (recording.time > meets + 0.2)
        off = max(np.abs(rate - wanted)[steady].max(), np.abs(roll - turning)[steady].max()) / speed
        flown = flights(lowest_corner(recording, variant))
        figures |= {f"{variant}: speed of the cylinder at the end [m/s]": rate[-1],
                    f"{variant}: its spin times radius [m/s]": roll[-1], f"{variant}: error of both over speed": off,
                    f"{variant}: flights of the cube": flown, f"{variant}: mean step [s]": recording.steps["dt"].mean(),
                    f"{variant}: attempts": recording.counts["attempts"]}
        # friction acts inside the depth, at an arm between R - depth and R; where rolling begins, its spring swings over
        if off > (depth_of_cylinder(stiffness) / RADIUS if FRICTION[variant] else 1e-9):
            raise CheckFailed(f"{variant} friction: the cylinder is {off:.1e} of its speed off")
        if flown < 3:
            raise CheckFailed(f"{variant} friction: the cube should leave the ground several times, it did {flown} times")
    return figures


def draw(recordings, folder, speed=1.0, stiffness=1e8, restitution=0.7):
    from robotphi.view import style, touching
    pictures = []
    for variant, recording in recordings.items():
        last, word = recording.frame_at(1.2), "without" if variant == "none" else variant
        pictures.append(touching.picture_touching(
            recording, build(variant, speed, stiffness, restitution), folder / f"{variant}.png",
            np.linspace(0, last, 7).round().astype(int), {"cylinder": "#7fa8d6", "cube": "#d9a441"}, together=True,
            view=(-0.2, -1.6, 1.1), titles=[f"{word} friction, every {recording.time[last] / 6:.2g} s"]))
    figure, (left, right) = style.new_figure(9.2, 4.4, 1, 2)
    for (variant, recording), colour in zip(recordings.items(), style.CYCLE, strict=False):
        time = recording.time
        wanted, turning = cylinder_motion(variant, speed, stiffness, restitution, time)
        left.plot(time, recording.rigid_velocity[:, 0, 0], color=colour, linewidth=1.8, label=f"{variant}: speed")
        left.plot(time, recording.rigid_spin[:, 0, 1] * RADIUS, color=colour, linewidth=1.8, alpha=0.45,
                  label=f"{variant}: spin × radius")
        left.plot(time, wanted, color=style.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        left.plot(time, turning, color=style.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        right.plot(time, 100 * lowest_corner(recording, variant), color=colour, linewidth=1.2, label=variant)
    left.margins(y=0.1)
    style.quiet(left, "time [s]", "speed [m/s]", "The cylinder, and theory (dashes)")
    style.quiet(right, "time [s]", "height [cm]", "The cube's lowest corner")
    style.legend(left, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3)
    style.legend(right)
    return [*pictures, style.save(figure, folder / "motion.png")]


if __name__ == "__main__":
    run_scenario(__file__)
