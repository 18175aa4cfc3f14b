"""Values: the numbers of what a scene holds, each by its address: thing, quantity, and where within the thing.

    ("acl", "stiffness")            of all springs of a block          ("acl", "stiffness", 3)   of one, or of a list of them
    ("finger", "mass", "tip")       of the particles of a region       ("scene", "gravity")      what belongs to no thing
    ("pad", "contact.young")        of a surface that touches          (("pad", "block"), "restitution")   of a law of a pair
    ("knee", "viscosity")           of a joint, one for each freedom   ("wrist", "rate", "second")   of one of them
    ("pad", "friction")             short for "contact.friction"; what matter has as well needs the long name

Places, sizes and what springs join are not among them: those are arguments of what was said (`scene/said_values.py`).
"""
from typing import Any, NamedTuple

import numpy as np

from robotphi.kernels.mechanism.kinds import freedoms_of
from robotphi.scene.acts import PlacedAct
from robotphi.scene.blocks import Force, Joint, ParticleBlock, Rigid, SpringBlock
from robotphi.scene.checks import indices, refuse, word
from robotphi.scene.held_values import (
    of_act,
    of_force,
    of_joint,
    of_medium,
    of_motor,
    of_pair,
    of_particles,
    of_rigid,
    of_scene,
    of_springs,
    of_surface,
)
from robotphi.scene.motors import Motor

SCENE, MEDIUM = "scene", "medium"


class Address(NamedTuple):
    """Where a number is to be found."""
    thing: Any                # name of a thing, a pair of names for a law of two, "scene" or "medium"
    quantity: str
    where: Any = None         # one index, several, or a region; None for all

    def __str__(self):
        return repr(tuple(self) if self.where is not None else tuple(self)[:2])


def address_of(given):
    """An Address from (thing, quantity) or (thing, quantity, where)."""
    if not isinstance(given, tuple) or len(given) not in (2, 3) or not isinstance(given[1], str):
        refuse("value", f"its address is {given!r:.80}",
               'give (thing, quantity) or (thing, quantity, index or region), such as ("acl", "stiffness", 3)')
    thing = given[0]
    return Address(tuple(thing) if isinstance(thing, list) else thing, *given[1:])


def known_values(scene, thing):
    """Quantity → Numbers of a thing; empty for what has none."""
    if thing == SCENE and thing not in scene.things:
        return of_scene(scene)
    if thing == MEDIUM and thing not in scene.things:
        return {} if scene.medium is None else of_medium(scene)
    if isinstance(thing, tuple):
        return of_pair(scene, thing)
    found = {}
    block = scene.things.get(thing)
    if isinstance(block, SpringBlock):
        found = of_springs(block)
    elif isinstance(block, ParticleBlock):
        found = of_particles(block)
    elif isinstance(block, Rigid):
        found = of_rigid(block)
    elif isinstance(block, Joint):
        found = of_joint(block)
    elif isinstance(block, Motor):
        found = of_motor(block)
    elif isinstance(block, Force):
        found = of_force(block)
    elif isinstance(block, PlacedAct):
        found = of_act(block)
    return found | (of_surface(scene.touching[thing]) if thing in scene.touching else {})


def things_with_values(scene):
    """Names of all that has values, as they stand in addresses."""
    pairs = [(one.first, one.second) for one in scene.between if one.contact is not None]
    return [SCENE, *([MEDIUM] if scene.medium is not None else []), *dict.fromkeys((*scene.things, *scene.touching, *pairs))]


def set_value(scene, address, value):
    """Give a thing of the scene another value; see `Scene.set_value`."""
    place = f"value {address}"
    known = known_values(scene, address.thing)
    word(place, f"quantity of {address.thing!r}", address.quantity, tuple(known))
    before, change = known[address.quantity]
    rows = None
    if address.where is not None:
        if not isinstance(before, np.ndarray) or len(known_rows(scene, address.thing)) != len(before):
            refuse(place, f"{address.quantity} of {address.thing!r} is one for all", f"leave {address.where!r} out")
        rows = rows_of(scene, address, len(before))
    change(scene, place, value, rows)


def known_rows(scene, thing):
    """What the rows of a block are counted by: its particles or springs."""
    block = scene.things.get(thing)
    if isinstance(block, Joint):
        return range(len(block.place))
    return block.indices if isinstance(block, (ParticleBlock, SpringBlock)) else range(getattr(block, "count", 0))


def rows_of(scene, address, count):
    """The rows of a block that an address means."""
    if isinstance(address.where, str) and isinstance(joint := scene.things.get(address.thing), Joint):
        names = tuple(freedom.name for freedom in freedoms_of(joint.kind))
        return np.array([names.index(word(f"value {address}", f"freedom of {joint.name!r}", address.where, names))])
    if isinstance(address.where, str):
        owner = str(address.thing).removesuffix(".particles")
        placed = scene.objects.get(owner)
        block = scene.things.get(address.thing)
        if placed is None or not isinstance(block, ParticleBlock):
            refuse(f"value {address}", f"{address.thing!r} has no regions", "give an index, or the particles of an object")
        rows = placed.region(address.where) - block.start
        return rows[(rows >= 0) & (rows < block.count)]
    return np.atleast_1d(indices(f"value {address}", "where", address.where, count, "row"))
