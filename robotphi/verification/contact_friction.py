"""Group "contact", friction: what sticks stays for good, what slides obeys Coulomb; blocks on slopes, pinched between pads."""
import math

import numpy as np

from robotphi import ContactMaterial, Drive, Scene, Stepping, simulate
from robotphi.discretise import Material, deformable, discretise, rigid
from robotphi.geometry import shapes
from robotphi.verification import contact_reference as exact
from robotphi.verification.contact_reference import GRAVITY
from robotphi.verification.estimate import SAFETY
from robotphi.verification.registry import Figure, case

GROUP = "contact"
CREEP_LIMIT = 1e-9        # m in 10 s, and m/s: what is asked; a double holds 1e-17 m here
STATIC = 0.5
BLOCK = (0.2, 0.2, 0.1)   # m, of 1 kg
PLATE = (0.2, 0.2, 0.05)
STIFFNESS = {"rigid": 1e7, "deformable": 1e6}    # N/m³
TANGENTIAL = {"rigid": 1e5, "deformable": 1e3}   # N/m: of the block as a whole, and of each vertex in touch


def leaning(tangent):
    """Gravity as seen from a slope of this tangent that falls towards x."""
    angle = math.atan(tangent)
    return GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle)


def block_scene(kind, contact, gravity, duration, frames, velocity=(0, 0, 0), budget=1e-5, size=BLOCK):
    """A block of 1 kg on a plane, so deep in it that its weight is borne."""
    depth = -gravity[2] / (contact.stiffness * size[0] * size[1])
    shape = shapes.box(size, centre=(0, 0, size[2] / 2 - depth))
    if kind == "rigid":
        body = rigid(shape, mass=1.0)
    else:   # eight cells, 22 particles
        body = deformable(discretise(shape, size=0.1), Material(young=1e5, density=250.0, damping_ratio=0.3))
    scene = Scene(f"{kind} block", duration=duration, frames=frames, gravity=gravity, stepping=Stepping(budget=budget))
    scene.add_plane("slope", contact=contact)
    scene.add_object("block", body, contact=contact, velocity=velocity)
    scene.set_contact("block", "slope", contact)
    return scene


def block_material(kind, friction=STATIC, **other):
    return ContactMaterial(stiffness=STIFFNESS[kind], restitution=0.3, speed=1.0, friction=friction,
                           tangential_stiffness=TANGENTIAL[kind], **other)


# --- sticking ------------------------------------------------------------------------------------------------------
def creep(recording, place, speed, since=2.0):
    """Largest distance from where it was at `since` [s], and root of the mean square of the speed from then on; (f, …, 3)."""
    later = recording.time >= since
    moved = np.linalg.norm(place[later] - place[later][0], axis=-1)
    return moved.max(), math.sqrt((speed[later] ** 2).sum(axis=-1).mean())


@case(GROUP, "block that sticks", "drift in 10 s [m] or speed [m/s] on a slope, 2 s after it was put there",
      "tan θ ≤ s: nothing moves; published for MuJoCo: slip of 1.4 to 2300 µm/s in a grasp that should hold")
def block_sticks():
    figures = []
    for kind in TANGENTIAL:
        for part in (0.5, 0.95):
            recording = simulate(block_scene(kind, block_material(kind), leaning(part * STATIC), 12.0, 120))
            moves = kind == "rigid"
            drift, speed = creep(recording, recording.rigid_position if moves else recording.position,
                                 recording.rigid_velocity if moves else recording.velocity)
            figures += [Figure(0.0, drift, CREEP_LIMIT, f"{kind}, tan θ = {part:g} s, drift"),
                        Figure(0.0, speed, CREEP_LIMIT, f"{kind}, tan θ = {part:g} s, speed")]
    return figures


@case(GROUP, "stretch of friction", "shift [m] of the underside of a block that is pushed by 1 N over 0.5 s", "F/k_t")
def stretch_of_friction():
    figures = []
    for kind, each in TANGENTIAL.items():
        scene = block_scene(kind, block_material(kind), (0, 0, -GRAVITY), 2.0, 20)
        ramp = smooth_ramp(0.5, 2.0)
        if kind == "rigid":
            scene.add_force("push", scene.rigids[0], (1.0, 0, 0), ramp)
        else:
            mass = scene.objects["block"].object.mass
            for row, own in enumerate(mass / mass.sum()):
                scene.add_force(f"push {row}", row, (own, 0, 0), ramp)
        recording = simulate(scene)
        low = recording.position[0, :, 2] < 0
        shift = (recording.position[-1, low, 0] - recording.position[0, low, 0]).mean()
        stretch = 1.0 / (each if kind == "rigid" else each * low.sum())
        figures.append(Figure(stretch, shift, 0.01 * stretch, kind))
    return figures


# --- sliding -------------------------------------------------------------------------------------------------------
@case(GROUP, "block that slides", "acceleration [m/s²] down a slope with c = 0.3",
      "g (sin θ − c cos θ); published for MuJoCo: 0.005 % off")
def block_slides():
    # Friction is c times what presses: the speed is off by c times the speed across the slope. The weight is borne from the
    # start, and a plate so flat stays on all its corners while friction leans it: what is left is a second of rounding.
    figures = []
    for tangent in (0.4, 0.8):
        contact = block_material("rigid", friction=0.3, static_friction=0.35)
        recording = simulate(block_scene("rigid", contact, leaning(tangent), 2.0, 20, size=PLATE))
        speed = recording.rigid_velocity[:, 0, 0]
        figures.append(Figure(exact.slope_acceleration(tangent, 0.3), speed[-1] - speed[10], 1e-8, f"tan θ = {tangent:g}"))
    return figures


STOP_BUDGET = 2e-6


@case(GROUP, "stopping distance", "way [m] from 2 m/s to rest", "v₀²/(2 c g)")
def stopping_distance():
    # At the end the block springs back by the stretch c W/k_t of friction, and from the lean φ = c W (h/2)/(λ a³ b/12) that
    # friction gave it, by which its middle was φ h/2 ahead. What the budget leaves of 2 J, over the push, is 6e-7 to 2e-6 m.
    stiffness, tangential, half = 1e8, 1e7, PLATE[2] / 2
    turning = stiffness * PLATE[0] ** 3 * PLATE[1] / 12
    figures = []
    for kinetic in (0.2, 0.4, 0.7):
        contact = ContactMaterial(stiffness=stiffness, restitution=0.3, speed=1.0, friction=kinetic,
                                  tangential_stiffness=tangential)
        push = kinetic * GRAVITY
        recording = simulate(block_scene("rigid", contact, (0, 0, -GRAVITY), 2.0 / push + 0.2, 20, (2.0, 0, 0), STOP_BUDGET,
                                         PLATE))
        back = push / tangential + push * half ** 2 / turning
        figures.append(Figure(exact.stopping_distance(2.0, kinetic), recording.rigid_position[-1, 0, 0], SAFETY * back,
                              f"c = {kinetic:g}"))
    return figures


# --- pinching ------------------------------------------------------------------------------------------------------
PINCH, WEIGHT = 0.7, 4.905                   # friction; N
CUBE, PAD, PAD_CELL = 0.05, 0.015, 0.0375    # m: the cube, thickness of the pads and their cells


def pinch_scene(kind, force, duration):
    """A cube of 0.5 kg between two pads; each presses with `force`, and its back moves along the horizontal line alone.

    The weight comes within half a second, when the pads have gripped. They are thin: friction at a distance l from the back
    wants to turn a pad, and N bears that only up to l/2 × 2 s of its width from the middle.
    """
    contact = ContactMaterial(stiffness=1e6, restitution=0.3, speed=0.1, friction=PINCH, tangential_stiffness=1e3)
    scene = Scene(f"pinch by {kind} pads", duration=duration, frames=round(20 * duration), gravity=(0, 0, 0),
                  stepping=Stepping(budget=1e-4))
    cube = scene.add_object("cube", rigid(shapes.box((CUBE,) * 3), mass=0.5), contact=contact)
    scene.add_force("weight", cube.rigids[0], (0, 0, -WEIGHT), smooth_ramp(0.5, duration))
    depth = force / (contact.stiffness * CUBE ** 2)
    for name, side in (("left", -1), ("right", 1)):
        shape = shapes.box((PAD, 1.5 * CUBE, 1.5 * CUBE), centre=(side * (CUBE / 2 + PAD / 2 - depth), 0, 0))
        if kind == "rigid":
            pad = scene.add_object(name, rigid(shape, mass=0.5), contact=contact, support="yz")
            scene.add_force(f"push {name}", pad.rigids[0], (-side * force, 0, 0))
        else:
            body = deformable(discretise(shape, size=PAD_CELL), Material(young=1e5, density=2000.0, damping_ratio=0.2))
            back = scene.add_object(name, body, contact=contact, support={name: "yz"}).region(name)
            for row in back:
                scene.add_force(f"push {name} {row}", row, (-side * force / len(back), 0, 0))
        scene.set_contact("cube", name, contact)
    return scene


def smooth_ramp(rise, duration):
    """From 0 to 1 within `rise` [s], without a kink."""
    return Drive.from_function(lambda t: 3 * min(t / rise, 1) ** 2 - 2 * min(t / rise, 1) ** 3, duration)


@case(GROUP, "pinch", "a cube of weight W between two pads that press with N each",
      "holds where 2 s N ≥ W; published for MuJoCo: 155 to 2300 µm/s where it should hold")
def pinch():
    figures = []
    # soft pads sway under the cube at some 9 Hz and take the two seconds to come to rest
    for kind, margin, since, duration in (("rigid", 1.01, 2.0, 12.0), ("deformable", 1.5, 2.0, 12.0)):
        recording = simulate(pinch_scene(kind, margin * WEIGHT / (2 * PINCH), duration))
        drift, speed = creep(recording, recording.rigid_position[:, 0], recording.rigid_velocity[:, 0], since)
        figures += [Figure(0.0, drift, CREEP_LIMIT, f"{kind}, 2 s N = {margin:g} W, drift in {duration - since:g} s [m]"),
                    Figure(0.0, speed, CREEP_LIMIT, f"{kind}, 2 s N = {margin:g} W, speed [m/s]")]
    recording = simulate(pinch_scene("rigid", 0.9 * WEIGHT / (2 * PINCH), 0.55))
    fall = (recording.rigid_velocity[-2, 0, 2] - recording.rigid_velocity[-1, 0, 2]) / 0.05
    # the ramp is a table of samples, some 1e-8 off
    figures.append(Figure(0.1 * GRAVITY, fall, 1e-6, "rigid, 2 c N = 0.9 W, acceleration [m/s²], (1 − 2 c N/W) g"))
    return figures
