"""Two soft fingers take a fruit from a table by friction: air is pumped in, the fingers bend towards each other, then go up.

Nothing but contact holds the fruit. All times in s: the pressure rises until PUMPED, the roots go up within LIFTED.
"""
from typing import NamedTuple

import numpy as np

from robotphi.applications.gripper.fingers import Fruit, SoftFinger
from robotphi.applications.moves import smooth_step
from robotphi.discretise import moved, turned
from robotphi.scene.checks import number
from robotphi.scene.contact import ContactMaterial
from robotphi.scene.drive import Drive
from robotphi.scene.motion import Motion
from robotphi.scene.scene import Scene
from robotphi.scene.stepping import Stepping

PUMPED, LIFTED, RISE = 0.2, (0.28, 0.5), 0.02     # s; s; m
SIDES = ("left", "right")
GRAVITY = 9.81


class Lifting(NamedTuple):
    """A scene of two fingers and a fruit."""
    scene: Scene
    finger: SoftFinger
    fruit: Fruit


def lifting_scene(pressure=7e4, friction=0.6, finger=None, fruit=None, gap=1.5e-3, deep=0.9, contact=1e7, rise=RISE,
                  duration=0.7, frames=70, budget=1e-4, gravity=GRAVITY):
    """The scene, as `Lifting`.

    Args:
        pressure: in the fingers [Pa].
        friction: of fingers, fruit and table.
        finger, fruit: `SoftFinger`, `Fruit`.
        gap: between fingers and fruit at first, where it is widest [m].
        deep: how far down the fruit the ends of the fingers reach, as a share of its height.
        contact: λ of all that touches [N/m³].
        rise: of the fingers' roots [m].
    """
    finger, fruit = finger or SoftFinger(), fruit or Fruit()
    number("gripper", "pressure", pressure, low=0.0), number("gripper", "gap", gap, above=0.0)
    scene = Scene(f"two soft fingers, {pressure / 1e3:g} kPa, friction {friction:g}", duration=duration, frames=frames,
                  gravity=(0.0, 0.0, -gravity), stepping=Stepping(budget=budget))
    skin = ContactMaterial(stiffness=contact, restitution=0.5, speed=1.0, friction=friction)
    scene.add_plane("table", (0.0, 0.0, 0.0), contact=skin)
    scene.add_object("fruit", fruit.object(), contact=skin)
    height, beside = fruit.height * (1.0 - deep) + finger.length, fruit.radius + gap
    up = Motion.of_drives(z=smooth_step(*LIFTED, number("gripper", "rise", rise, above=0.0), duration))
    own, pumped = finger.object(), Drive.table([0.0, PUMPED], [0.0, pressure])
    for side, turn, x in zip(SIDES, (0.0, np.pi), (-beside, beside), strict=True):
        thing = moved(turned(own, (0.0, 0.0, 1.0), turn), (x, 0.0, height))
        placed = scene.add_object(f"{side} finger", thing, contact=skin, contact_group="fingers", motion={"root": up})
        scene.add_pressure(f"{side} air", placed, pressure=pumped, facets="chamber")
        scene.exclude_contact(f"{side} finger", "table")
    scene.exclude_contact("fingers", "fingers")
    return Lifting(scene, finger, fruit)

