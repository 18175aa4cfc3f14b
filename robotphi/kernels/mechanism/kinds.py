"""Kinds of joints: what each leaves free, as freedoms one behind the other.

A freedom moves the child along its axis by `slide` metres, and turns it about the axis by `turn` radians, for each unit of its
coordinate; axes are those of the joint's frame, x along the axis that the user gives. The first of several links of a joint
have no mass: a universal joint is a turn about x, then one about the y that turned with it. "rotation" says how the turn of a
link is kept: none, an angle about one axis, or the orientation of a ball.
"""
from typing import NamedTuple

NONE, ANGLE, BALL = range(3)   # how the turn of a link is kept
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class Freedom(NamedTuple):
    """One coordinate of a joint."""
    name: str                      # behind that of the joint, where it has several
    axis: tuple
    turn: float = 0.0              # rad per unit
    slide: float = 0.0             # m per unit; of a screw the joint's own pitch


class Kind(NamedTuple):
    """What a joint of a kind leaves free: freedoms of one link after the other."""
    links: tuple
    needs_axis: bool
    pitch: bool = False            # whether it slides by its pitch as it turns


def _turn(name, axis):
    return Freedom(name, axis, turn=1.0)


def _slide(name, axis):
    return Freedom(name, axis, slide=1.0)


ALL_TURNS = (_turn("rx", X), _turn("ry", Y), _turn("rz", Z))
JOINTS = {
    "revolute": Kind(((_turn("angle", X),),), True),
    "prismatic": Kind(((_slide("shift", X),),), True),
    "screw": Kind(((_turn("angle", X),),), True, pitch=True),
    "cylindrical": Kind(((_slide("shift", X), _turn("angle", X)),), True),
    "universal": Kind(((_turn("first", X),), (_turn("second", Y),)), True),
    "planar": Kind(((_slide("y", Y), _slide("z", Z), _turn("angle", X)),), True),
    "ball": Kind((ALL_TURNS,), False),
    "fixed": Kind(((),), False),
}
FREE = (_slide("x", X), _slide("y", Y), _slide("z", Z), *ALL_TURNS)   # the base of a mechanism that hangs on nothing


def freedoms_of(kind):
    """All freedoms of a joint of a kind, in the order of its coordinates."""
    return tuple(freedom for freedoms in JOINTS[kind].links for freedom in freedoms)


def rotation_of(freedoms):
    """How the turn of a link with these freedoms is kept."""
    return {0: NONE, 1: ANGLE, 3: BALL}[sum(freedom.turn != 0.0 for freedom in freedoms)]
