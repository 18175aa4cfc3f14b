"""A hand in a scene: a palm, fingers of three exact revolute joints, round or soft pads on their last links.

It hangs: its axis points down from the middle of the palm's face. The first joint of a finger swings it sideways about the line
that points away from the hand's axis, the second and third bend it inwards. Pads and palm touch, bones do not.

A soft pad is a cube around where a round one would be, whose face looks inwards as it is told: its outer half is bone, its
inner half of cells; its own vibrations, which are too fast to matter, are slowed down to steps of STIFF.
"""
from typing import NamedTuple

import numpy as np

from robotphi.applications.hand.dimensions import PADS, Dimensions
from robotphi.discretise import Material, deformable, discretise, glue, rigid
from robotphi.discretise.joining.transform import posed
from robotphi.geometry import shapes
from robotphi.scene.checks import word

STIFF = 8e-3    # s
DAMPED = 100.0  # Hz, where the damping ratio of pads is meant
MIDDLE = "middle"   # as glue calls it: bone.middle


class Finger(NamedTuple):
    """A finger of a hand.

    Attributes:
        name: of the finger; its pads are called "name pulp" and "name tip".
        joints: its three joints, from the palm on; their coordinates are angles [rad], 0 where it is straight.
        pads: {"pulp": …, "tip": …}: what pulls take hold of, the middle of the pad: a rigid, or the mark of one.
        out: unit vector, away from the axis of the hand.
    """
    name: str
    joints: tuple
    pads: dict
    out: np.ndarray


class Hand(NamedTuple):
    """A hand of a scene; `at`: middle of the palm's face as drawn [m], `palm`: its object."""
    name: str
    dimensions: Dimensions
    at: np.ndarray
    palm: object
    fingers: tuple

    @property
    def touching(self):
        """Names of all of it that touches."""
        return (self.palm.name, *(f"{finger.name} {pad}" for finger in self.fingers for pad in PADS))


def add_hand(scene, name, dimensions, at, angles, contact, motion=None, points=None, soft=()):
    """Put a hand into a scene, with fingers bent by angles; returns a `Hand`.

    Args:
        dimensions: `Dimensions`.
        at: middle of the face of the palm, as drawn [m].
        angles: (n, 2) of the second and third joint of each finger, as drawn [rad].
        contact: ContactMaterial of pads and palm.
        motion: a Motion of the palm, which is held where there is none.
        points: {name: place [m]} that are marked on the palm.
        soft: (pad, directions): which pads are soft where those of the dimensions are, "pulp" or "tip", and (n, 3), where the
            face of each looks; the tips, along the palm, unless told.
    """
    d, at = dimensions, np.asarray(at, float)
    wide = 2.0 * (d.base + d.width)
    plate = rigid(shapes.box((wide, wide, d.palm), at + np.array([0.0, 0.0, d.palm / 2])), density=d.density, points=points)
    held = {"support": "xyz"} if motion is None else {"motion": motion}
    palm = scene.add_object(f"{name} palm", plate, contact=contact, contact_group=name, **held)
    fingers = tuple(_finger(scene, f"{name} finger {number}", d, at, turn, bent, palm, contact, name, faces)
                    for number, (turn, bent, faces) in enumerate(zip(d.turns(), angles, _faces(d, soft), strict=True), 1))
    scene.exclude_contact(name, name)
    return Hand(name, d, at, palm, fingers)


def _faces(d, soft):
    """{pad: direction} of each finger, of the pads that are soft."""
    if d.tips == "rigid":
        return [{}] * d.fingers
    pad, directions = soft or ("tip", [(-np.cos(turn), -np.sin(turn), 0.0) for turn in d.turns()])
    return [{word("hand", "pad", pad, PADS): np.asarray(each, float)} for each in directions]


def _finger(scene, name, d, at, turn, bent, palm, contact, group, faces):
    out, across = np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([-np.sin(turn), np.cos(turn), 0.0])
    place, angle, parent, joints, pads = at + d.base * out, 0.0, palm, [], {}
    for number, (length, bend) in enumerate(zip(d.links, (0.0, *bent), strict=True), 1):
        angle += bend
        down = -np.sin(angle) * out - np.array([0.0, 0.0, np.cos(angle)])
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = np.stack([np.cross(down, across), across, -down], axis=1), place
        bone = rigid(shapes.box((d.width, d.width, length), (0.0, 0.0, -length / 2)), density=d.density, name="bone")
        link = scene.add_object(f"{name} link {number}", posed(bone, frame)).rigids[0]
        joints.append(scene.add_joint(f"{name} joint {number}", "revolute", parent, link, place, place=bend,
                                      axis=out if number == 1 else across, armature=d.rotor, stiffness=d.holding,
                                      viscosity=d.viscosity))
        start, place, parent = place, place + length * down, link
    for pad in PADS:
        middle, own = start + d.along(pad) * down, f"{name} {pad}"
        if pad in faces:
            placed = scene.add_object(own, soft_pad(d, middle, faces[pad], across), contact=contact, contact_group=group,
                                      stiff=STIFF)
            bone, pads[pad] = placed.rigids[0], (placed, f"bone.{MIDDLE}")
        else:
            bone = pads[pad] = scene.add_ball(own, middle, d.pad, density=d.pad_density, contact=contact, contact_group=group)
        scene.add_joint(f"{own} on bone", "fixed", link, bone, middle)
    return Finger(name, tuple(joints), pads, out)


def soft_pad(d, middle, face, across):
    """The Object of a soft pad of `Dimensions` around a place [m], whose face looks along a unit vector."""
    side, half = 2.0 * d.pad, d.pad / 2.0
    bone = rigid(shapes.box((d.pad, side, side), (-half, 0.0, 0.0)), density=d.density, points={MIDDLE: (0.0, 0.0, 0.0)})
    foam = Material(young=d.young, density=d.pad_density, damping_ratio=d.damping, damping_frequency=DAMPED)
    inner = shapes.box((d.pad, side, side), (half, 0.0, 0.0))
    cells = deformable(discretise(inner, counts=(-(-d.cells // 2), d.cells, d.cells)), foam)
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = np.stack([face, across, np.cross(face, across)], axis=1), middle
    return posed(glue({"bone": bone, "pad": cells}), frame)
