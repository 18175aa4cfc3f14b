"""Kinds of joints: what each leaves free, as freedoms one behind the other.

A freedom moves the child along its axis by `slide` metres, and turns it about the axis by `turn` radians, for each unit of its
coordinate; axes are those of the joint's frame, x along the axis that the user gives. The first of several links of a joint
have no mass: a universal joint is a turn about x, then one about the y that turned with it. "rotation" says how the turn of a
link is kept: none, an angle about one axis, or the orientation of a ball.
"""
from typing import NamedTuple

NONE, ANGLE, BALL = range(3)   # how the turn of a link is kept
# rows of closures, see `closing`: what must be nought between the two rigids of a joint that closes a loop
ALONG, ACROSS, DISTANCE, SCREWED, BESIDE, ABOVE, RELATED = range(7)   # RELATED: of coordinates, where there are loops
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class Freedom(NamedTuple):
    """One coordinate of a joint."""
    name: str                      # behind that of the joint, where it has several
    axis: tuple
    turn: float = 0.0              # rad per unit
    slide: float = 0.0             # m per unit; of a screw the joint's own pitch


class Row(NamedTuple):
    """One thing that a joint holds at nought where it closes a loop."""
    kind: int
    axis: tuple = (0.0, 0.0, 0.0)     # in the joint's frame, fixed in the parent
    across: tuple = (0.0, 0.0, 0.0)   # likewise, fixed in the child


class Kind(NamedTuple):
    """What a joint of a kind leaves free: freedoms of one link after the other; and what it holds, as rows of a closure.

    One without links is a closure wherever it stands.
    """
    links: tuple | None
    needs_axis: bool
    rows: tuple
    pitch: bool = False            # whether it slides by its pitch as it turns


def _turn(name, axis):
    return Freedom(name, axis, turn=1.0)


def _slide(name, axis):
    return Freedom(name, axis, slide=1.0)


POINT = tuple(Row(ALONG, axis) for axis in (X, Y, Z))           # two points are one
ON_AXIS = POINT[1:]                                             # one is on the axis through the other
PARALLEL = Row(ACROSS, Y, X), Row(ACROSS, Z, X)                 # two axes are
UNTURNED = *PARALLEL, Row(ACROSS, Y, Z)
ALL_TURNS = (_turn("rx", X), _turn("ry", Y), _turn("rz", Z))
JOINTS = {
    "revolute": Kind(((_turn("angle", X),),), True, (*POINT, *PARALLEL)),
    "prismatic": Kind(((_slide("shift", X),),), True, (*ON_AXIS, *UNTURNED)),
    "screw": Kind(((_turn("angle", X),),), True, (*ON_AXIS, *PARALLEL, Row(SCREWED, X, Y)), pitch=True),
    "cylindrical": Kind(((_slide("shift", X), _turn("angle", X)),), True, (*ON_AXIS, *PARALLEL)),
    "universal": Kind(((_turn("first", X),), (_turn("second", Y),)), True, (*POINT, Row(ACROSS, X, Y))),
    "planar": Kind(((_slide("y", Y), _slide("z", Z), _turn("angle", X)),), True, (POINT[0], *PARALLEL)),
    "ball": Kind((ALL_TURNS,), False, POINT),
    "fixed": Kind(((),), False, (*POINT, *UNTURNED)),
    "rod": Kind(None, False, (Row(DISTANCE),)),                         # of a length between two points
    "on_plane": Kind(None, True, POINT[:1]),                            # a point of the child on a plane of the parent
    "on_line": Kind(None, True, ON_AXIS),
    "on_circle": Kind(None, True, (POINT[0], Row(DISTANCE))),
    "on_curve": Kind(None, False, (Row(BESIDE), Row(ABOVE))),           # on a cubic spline through points
}
FREE = (_slide("x", X), _slide("y", Y), _slide("z", Z), *ALL_TURNS)   # the base of a mechanism that hangs on nothing


def freedoms_of(kind):
    """All freedoms of a joint of a kind, in the order of its coordinates."""
    return tuple(freedom for freedoms in JOINTS[kind].links or () for freedom in freedoms)


def rotation_of(freedoms):
    """How the turn of a link with these freedoms is kept."""
    return {0: NONE, 1: ANGLE, 3: BALL}[sum(freedom.turn != 0.0 for freedom in freedoms)]


def backwards(links):
    """The freedoms of a joint as its parent moves on its child: in the opposite order, and the opposite way.

    What slides before it turns, turns before it slides: the plane of a planar joint turns with the parent.
    """
    turned = []
    for freedoms in reversed(links):
        opposite = tuple(freedom._replace(axis=tuple(-e for e in freedom.axis)) for freedom in freedoms)
        slides = tuple(freedom for freedom in opposite if freedom.turn == 0.0)
        turns = tuple(freedom for freedom in opposite if freedom.turn != 0.0)
        alike = len({freedom.axis for freedom in opposite}) == 1
        turned += [opposite] if alike or not (slides and turns) else [turns, slides]
    return turned
