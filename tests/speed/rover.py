"""A rover of six wheels on rough ground: a body on two rockers, each with a bogie, and a differential bar between the rockers.

41 kg, 12 rigids, 11 passive hinges of six linear springs. By statics each wheel carries a sixth of the weight: the pivot of a
rocker stands twice as far from the front wheel as from the bogie, which weighs half as much. It is pulled by a spring and a
damper to a carrot that goes ahead, or driven by motors in its wheels. Metres, x ahead, y to the left, z up.
"""
import functools

import numpy as np

from robotphi import ContactMaterial, Scene, Stepping
from robotphi.discretise.joining.transform import moved, turned
from robotphi.discretise.rigid import rigid
from robotphi.geometry import shapes

from .mechanism import Link, fattened, hinge, join, particle, place, turning

GRAVITY = 9.81
MASS = {"body": 22.0, "rocker": 2.0, "bogie": 1.0, "bar": 1.0, "wheel": 2.0}     # kg
WEIGHT = GRAVITY * (22.0 + 2 * (2.0 + 1.0) + 1.0 + 6 * 2.0)                      # N
RADIUS, WIDTH = 0.12, 0.1             # of the wheels
ARM = 0.2                             # from the pivot of a rocker back to its bogie, and from there to the bogie's wheels
TRACK = 0.3                           # from the middle to the wheels
LINKS = 0.22                          # from the middle to rockers and bogies
THIN = 0.03                           # width and height of rockers and bogies
PIVOT, ROOF = 0.3, 0.45               # heights of the pivots of the rockers and of the bar
FAT = 0.02                            # kg·m², least moment of "fat" links
HALF = WIDTH / 2                      # from the middle of a hinge to its particles on the axis
WHEELS = {"front": 2 * ARM, "middle": 0.0, "rear": -2 * ARM}                     # x
SIDES = {"left": 1.0, "right": -1.0}
NAMES = [f"{side} {wheel}" for side in SIDES for wheel in WHEELS]
APRON, CREST = 0.6, 0.1               # x up to which rough ground is level; height of its hills above and below
REACH = 0.6                           # of the draw bar, from the nose to the carrot
START = 0.5                           # s, in which carrot and motors come up to speed
Y = (0.0, 1.0, 0.0)


def build(ground="rough", drive="carrot", fat=False, sides=24, cell=0.1, stiffness=2e7, restitution=0.3, friction=0.7,
          hinges=6.5e4, damping=1e-4, rods=6.5e5, speed=0.25, gains=(800.0, 200.0), motors=(20.0, 0.2), duration=8.0,
          frames=200, budget=1e-3, dt=None):
    """The rover at rest on the level, then on its way.

    Args:
        ground: "rough", a height field of cells of `cell`, or "plane".
        drive: "carrot", "motors" or "none".
        fat: whether its thin links have a roll inertia of 0.02 kg·m² at least.
        sides: of a wheel.
        stiffness: λ of ground and wheels [N/m³], half of which is that of the pair; restitution at 1 m/s; friction.
        hinges, rods: stiffness [N/m] of their springs, hinges=None for exact joints; damping: viscosity over it [s].
        speed: of the carrot, or of the rim of the wheels [m/s].
        gains: of the carrot [N/m, N·s/m]; motors: of the motors [N·m/rad, N·m·s/rad].
        dt: fixed steps [s] in place of a budget.
    """
    stepping = Stepping(budget=budget) if dt is None else Stepping(control="fixed", dt=dt)
    scene = Scene("rover", duration=duration, frames=frames, gravity=(0.0, 0.0, -GRAVITY), stepping=stepping)
    tyre = ContactMaterial(stiffness=stiffness, restitution=restitution, speed=1.0, friction=friction)
    reach = 3 * ARM + REACH + speed * duration
    if ground == "plane":
        scene.add_plane("ground", contact=tyre)
    else:
        heights, origin = hills(-1.0, reach, cell)
        scene.add_height_field("ground", heights, cell, origin, contact=tyre)
    links, joints = vehicle(sides, tyre, axle_height(sides, stiffness / 2), fat, None if hinges is None else HALF)
    ends = {side: (links["bar"].mark((0.0, y * LINKS, ROOF)), links[f"{side} rocker"].mark((ARM, y * LINKS, ROOF)))
            for side, y in SIDES.items()}
    if hinges is None and drive == "motors":
        raise ValueError("motors are springs about the hinges")
    nose = links["body"].mark((ARM, 0.0, PIVOT))
    place(scene, links.values(), joints.values(), hinges, damping)
    for each in joints.values() if hinges is None else ():
        join(scene, each)
    for side, (bar, rocker) in ends.items():
        if hinges is None:
            places = [scene.position[particle(mark)] for mark in (bar, rocker)]
            scene.add_joint(f"{side} rod", "rod", bar[0].rigid, rocker[0].rigid, places)
            continue
        scene.add_linear(f"{side} rod", particle(bar), particle(rocker), rods, viscosity=damping * rods)
    if drive == "carrot":
        add_carrot(scene, particle(nose), speed, gains, ground)
    elif drive == "motors":
        angle = functools.partial(travelled, speed=speed / RADIUS)
        for name in NAMES:
            turning(scene, f"{name} motor", joints[f"{name} axle"], *motors, drive=angle)
    for name in NAMES:
        scene.add_sensor(f"load of {name}", "contact_force", f"{name} wheel")
    return scene


def axle_height(sides, stiffness):
    """Height of the axles over level ground, a side of each wheel down and pressed in by a sixth of the weight.

    The stiffness λ is that of the pair. Pressed in is λ w (a d + d²/tan(2π/n)) at a depth d, with the side a and its two
    neighbours, which rise by 2π/n.
    """
    side, cot = 2.0 * RADIUS * np.sin(np.pi / sides), 1.0 / np.tan(2.0 * np.pi / sides)
    volume = WEIGHT / 6 / stiffness
    depth = 2.0 * volume / WIDTH / (side + np.sqrt(side ** 2 + 4.0 * cot * volume / WIDTH))
    return RADIUS * np.cos(np.pi / sides) - depth


def vehicle(sides, tyre, axle, fat, half):
    """Links and hinges by name, as they stand on level ground."""
    def thin(thing):
        return fattened(thing, FAT) if fat else thing

    def beam(size, mass, centre):
        return rigid(shapes.box(size, centre), mass=mass)

    wheel = rigid(shapes.cylinder(RADIUS, WIDTH, sides), mass=MASS["wheel"])
    wheel = turned(turned(wheel, (0, 0, 1), np.pi / 2 - np.pi / sides), (1, 0, 0), -np.pi / 2)   # an odd half side down
    links = {"body": Link("body", beam((0.6, 0.3, 0.15), MASS["body"], (0, 0, PIVOT))),
             "bar": Link("bar", thin(beam((THIN, 2 * LINKS, THIN), MASS["bar"], (0, 0, ROOF))))}
    joints = {"bar": hinge("bar pivot", links["body"], links["bar"], np.array([0, 0, ROOF]), (0, 0, 1), half)}
    for side, y in SIDES.items():
        beside = y * LINKS
        rocker = links[f"{side} rocker"] = Link(
            f"{side} rocker", thin(beam((3 * ARM, THIN, THIN), MASS["rocker"], (ARM / 2, beside, axle))))
        bogie = links[f"{side} bogie"] = Link(
            f"{side} bogie", thin(beam((2 * ARM, THIN, THIN), MASS["bogie"], (-ARM, beside, axle))))
        joints[f"{side} pivot"] = hinge(f"{side} pivot", links["body"], rocker, np.array([0, beside, PIVOT]), Y, half)
        joints[f"{side} bogie"] = hinge(f"{side} bogie pivot", rocker, bogie, np.array([-ARM, beside, axle]), Y, half)
        for end, x in WHEELS.items():
            name, at = f"{side} {end}", np.array([x, y * TRACK, axle])
            links[name] = Link(f"{name} wheel", moved(wheel, at), contact=tyre, contact_group="wheels")
            joints[f"{name} axle"] = hinge(f"{name} axle", rocker if end == "front" else bogie, links[name], at, Y, half)
    return links, joints


# --- ground and guides ---------------------------------------------------------------------------------------------------
def height(x, y):
    """Height of rough ground [m], ± CREST: waves of three directions, about as long as the rover, behind an apron."""
    waves = 0.5 * np.sin(6.0 * x + 1.5 * y) + 0.3 * np.sin(3.5 * x - 6.0 * y + 1.0) + 0.2 * np.sin(9.0 * x + 5.0 * y + 2.0)
    rise = np.clip((x - APRON) / 0.3, 0.0, 1.0)
    return CREST * waves * rise ** 2 * (3.0 - 2.0 * rise)


def hills(start, end, cell):
    """Heights of the grid and where it begins."""
    x = start + cell * np.arange(round((end - start) / cell) + 2)
    y = cell * np.arange(-round(0.8 / cell), round(0.8 / cell) + 1)
    return height(x[:, None], y[None, :]), (start, y[0], 0.0)


def travelled(time, speed):
    """Way [m] at a time [s], from rest up to a speed [m/s] in START."""
    late = time - START
    return speed * (late + 0.5 * START if late > 0.0 else 0.5 * time ** 2 / START)


def add_carrot(scene, nose, speed, gains, ground):
    """REACH ahead of where the nose should be by now, and as high."""
    first = np.array([ARM + REACH, 0.0, PIVOT])

    def along(time):
        return travelled(time, speed)

    def up(time):
        return float(height(ARM + along(time), 0.0)) if ground == "rough" else 0.0

    carrot = scene.add_particle("carrot", first, 0.0, support="y", drive={"x": along, "z": up})
    scene.add_linear("draw bar", nose, carrot, gains[0], viscosity=gains[1])
