"""A hand of three fingers with three joints each holds a ball by friction, or lets it slip, when the table goes down.

Links are boxes of aluminium. Each joint has six linear springs and an articular damper; the first of a finger turns it
sideways, the others bend it. Tips are part of the last link, rigid, or soft and glued on. A spring from each tip towards the
middle of the hand becomes shorter until it pulls with a given force. Metres, z up; the fingers hang down around the ball.
"""
import numpy as np

from robotphi import ContactMaterial, Drive, Scene, Stepping
from robotphi.discretise import Material, deformable, discretise, glue, rigid
from robotphi.discretise.joining.transform import turned
from robotphi.geometry import shapes
from robotphi.geometry.polyhedron import Compound

from .mechanism import Link, hinge, join, particle, place, turning

GRAVITY = 9.81
BALL, MASS = 0.03, 0.05              # radius and kg
WIDTH = 0.016                        # of links and tips
PAD = 0.01                           # thickness of the tips
GAP = 0.002                          # between tips and ball at first
LENGTHS = (0.05, 0.05, 0.06)         # of links, from the palm on
PALM = 0.02                          # its thickness
OVERHANG = 0.012                     # of the last link below the middle of its tip
HALF = 0.0075                        # from the middle of a joint to its particles on the axis
DENSITY = 2700.0
ROUND = 0.008                        # radius of round tips
CLOSED, LOWERED, DEPTH = (0.05, 0.25), (0.35, 0.55), 0.1    # s, s, m: fingers close, the table goes down by DEPTH
PULL, PULL_DAMPING = 120.0, 3.0      # N/m and N·s/m of the springs that close the hand
FINGERS = ("thumb", "index", "middle")


def build(soft=False, friction=0.8, force=1.2, young=2e5, stiffness=2e7, joints=2e4, damping=1e-4,
          holding=0.05, turns=5e-4, duration=2.0, frames=100, budget=1e-4, dt=None, round_tips=False,
          stiff=False):
    """The hand over the ball on its table.

    Args:
        soft: whether the tips are soft, of 2 × 2 × 2 cells of a modulus `young` [Pa].
        friction: of everything; stiffness: λ of everything [N/m³].
        force: with which each finger closes [N].
        joints: stiffness of their linear springs [N/m], None for exact joints; damping: viscosity over it [s].
        holding, turns: stiffness and viscosity about the axes of joints [N·m/rad, N·m·s/rad].
        dt: fixed steps [s] in place of a budget.
        round_tips: whether the tips are balls, which alone touch the ball; for exact joints.
        stiff: of soft tips, as of `Scene.add_object`.
    """
    stepping = Stepping(budget=budget) if dt is None else Stepping(control="fixed", dt=dt)
    scene = Scene("hand", duration=duration, frames=frames, gravity=(0.0, 0.0, -GRAVITY), stepping=stepping)
    skin = ContactMaterial(stiffness=stiffness, restitution=0.3, speed=1.0, friction=friction)
    base = BALL - OVERHANG + sum(LENGTHS)                        # height of the joints at the palm
    palm = Link("palm", rigid(shapes.box((0.13, 0.13, PALM), (0, 0, base + PALM / 2)), density=DENSITY), support="xyz",
                contact=skin, contact_group="hand")
    middle = palm.mark((0.0, 0.0, BALL))
    links, hinges, pulls = [palm], [], []
    for number, name in enumerate(FINGERS):
        own, between, pull = finger(name, palm, 2.0 * np.pi / 3.0 * number, base, soft, young,
                                    None if round_tips else skin, None if joints is None else HALF, stiff)
        links, hinges, pulls = links + own, hinges + between, [*pulls, pull]
    place(scene, links, hinges, joints, damping)
    for each in hinges:
        if joints is None:
            join(scene, each, stiffness=holding, viscosity=turns)
        else:
            turning(scene, f"{each.name} bend", each, holding, turns)
    for name, pull in zip(FINGERS, pulls, strict=True) if round_tips else ():
        at = scene.position[particle(pull)]
        inwards = (middle_of(scene, middle) - at) / np.linalg.norm(middle_of(scene, middle) - at)
        tip = scene.add_ball(f"{name} tip", at + (PAD - ROUND) * inwards, ROUND, density=1000.0, contact=skin,
                             contact_group="hand")
        scene.add_joint(f"{name} tip on bone", "fixed", pull[0].rigid, tip, at)
    shorter = Drive.table([0.0, *CLOSED], [0.0, 0.0, -GAP - force / PULL])
    for name, pull in zip(FINGERS, pulls, strict=True):
        scene.add_linear(f"{name} pull", particle(pull), particle(middle), PULL, viscosity=PULL_DAMPING, drive=shorter)
    scene.exclude_contact("hand", "hand")
    scene.add_ball("ball", (0.0, 0.0, BALL), BALL, mass=MASS, contact=skin)
    table = scene.add_rigid("table", [(0.0, 0.0, 0.0)], support="xy", rotation_support="xyz",
                            drive={"z": Drive.table([0.0, *LOWERED], [0.0, 0.0, -DEPTH])})
    scene.add_plane("table top", contact=skin, rigid=table)
    scene.exclude_contact("hand", "table top")
    scene.add_sensor("ball", "position", "ball")
    for name in FINGERS:
        scene.add_sensor(f"force of {name}", "contact_force", ("ball", f"{name} tip" if round_tips else f"{name} 3"))
    return scene


def middle_of(scene, mark):
    return scene.position[particle(mark)]


def finger(name, palm, angle, base, soft, young, skin, half, stiff):
    """Links, hinges and the mark of the pull of one finger, at an angle [rad] around the hand."""
    radial, across = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([-np.sin(angle), np.cos(angle), 0.0])
    out = BALL + GAP + PAD + WIDTH / 2                           # of the middle of the links
    links, hinges, top, parent = [], [], base, palm
    for number, length in enumerate(LENGTHS, 1):
        bone = shapes.box((WIDTH, WIDTH, length), (out, 0.0, top - length / 2))
        thing = last(bone, out, soft, young) if number == len(LENGTHS) else rigid(bone, density=DENSITY)
        more = {"stiff": stiff} if soft and number == len(LENGTHS) else {}
        link = Link(f"{name} {number}", turned(thing, (0, 0, 1), angle), contact=skin, contact_group=skin and "hand", **more)
        axis = radial if number == 1 else across
        hinges.append(hinge(f"{name} joint {number}", parent, link, out * radial + np.array([0, 0, top]), axis, half))
        links.append(link)
        parent, top = link, top - length
    return links, hinges, links[-1].mark((out - WIDTH / 2) * radial + np.array([0.0, 0.0, BALL]))


def last(bone, out, soft, young):
    """The last link with its tip, which faces inwards: its inner facet is GAP away from the ball."""
    tip = shapes.box((PAD, WIDTH, WIDTH), (out - (WIDTH + PAD) / 2, 0.0, BALL))
    if not soft:
        return rigid(Compound((bone, tip)), density=DENSITY)
    foam = Material(young=young, density=1000.0, damping_ratio=0.1, damping_frequency=100.0)
    return glue({"bone": rigid(bone, density=DENSITY), "tip": deformable(discretise(tip, counts=(2, 2, 2)), foam)})
