"""The kinds of parts that can touch, and the cases that pairs of them make: the one table of both.

What is known of a kind stands in its row, its number in the line behind the rows; nobody else knows numbers. A case is a first
kind on a second one; its forces are the kernel that `touch.TOUCHES` names. Pairs without a case never touch: two grounds, and
what `run/advice/misses.py` tells before a run.

A new round shape on planes is a row here, a row of `press/below.MOMENTS`, a row of `scene/rounds.SHAPES` and the method of the
scene that adds it (`tests/recipes/test_round_shape.py` does it).
"""
from typing import NamedTuple

import numpy as np

FACETS, CENTRE_ROW, AXIS, GROUND = range(4)   # what rows a part has, see `PartKind.form`


class PartKind(NamedTuple):
    """A kind of parts. Its box is around its rows, wider by its RADIUS; a ground has none and is asked for itself."""
    word: str           # what people call it; of round things the word of their description
    form: int           # FACETS: corners and triangles; CENTRE_ROW: one row; AXIS: two; GROUND: none
    carried: bool       # whether only a rigid can carry it; else also free particles, or the world
    of_balls: bool      # whether the laws of balls apply, which must then be clear
    outlined: bool = False   # whether its outline is a curve of its own, in `profile`


PART_KINDS = (
    PartKind("polyhedron", FACETS, carried=False, of_balls=False),     # closed; rigid and convex, or soft on free particles
    PartKind("sheet", FACETS, carried=False, of_balls=False),          # open surface with a thickness, on free particles
    PartKind("ball", CENTRE_ROW, carried=False, of_balls=True),        # a ball on a rigid, or a free particle with a size
    PartKind("capsule", AXIS, carried=True, of_balls=False),           # two rows, the ends of the axis, and a radius
    PartKind("cylinder", AXIS, carried=True, of_balls=False),          # likewise, with flat ends
    PartKind("plane", GROUND, carried=False, of_balls=False),          # half space, fixed in the world or on a rigid
    PartKind("height field", GROUND, carried=False, of_balls=False),   # fixed in the world
    PartKind("wheel", AXIS, carried=True, of_balls=False, outlined=True),   # with a curve
)
POLYHEDRON, SHEET, SPHERE, CAPSULE, CYLINDER, PLANE, FIELD, WHEEL = range(len(PART_KINDS))

CODE = {kind.word: code for code, kind in enumerate(PART_KINDS)}
OF_BALLS = tuple(code for code, kind in enumerate(PART_KINDS) if kind.of_balls)
GROUNDS = tuple(code for code, kind in enumerate(PART_KINDS) if kind.form == GROUND)
ROLLERS = tuple(code for code, kind in enumerate(PART_KINDS) if kind.form == AXIS and not kind.outlined)
SWEPT = (CAPSULE, CYLINDER, WHEEL)   # whose surface is swept by lines and arcs, see `press/round_facet`


class PairCase(NamedTuple):
    """First parts of some kinds on a second part of one kind."""
    first: tuple
    second: int
    soft: bool | None = None   # whether the second is on free particles; None: either


CASES = (  # runs are continued by their numbers: new ones come last
    PairCase((POLYHEDRON,), PLANE),
    PairCase((POLYHEDRON,), FIELD),
    PairCase((POLYHEDRON,), POLYHEDRON),
    PairCase((SPHERE,), PLANE),
    PairCase((SPHERE,), FIELD),
    PairCase((SPHERE,), SPHERE),
    PairCase((SPHERE,), POLYHEDRON, soft=False),
    PairCase(ROLLERS, PLANE),
    PairCase((SHEET,), PLANE),
    PairCase((SHEET,), FIELD),
    PairCase((SHEET,), POLYHEDRON, soft=False),
    PairCase((SHEET,), SPHERE),
    PairCase((SHEET,), SHEET),
    PairCase((), -1),   # a part on itself
    PairCase((SPHERE,), POLYHEDRON, soft=True),
    PairCase((SHEET,), POLYHEDRON, soft=True),
    PairCase((WHEEL,), PLANE),
    PairCase(SWEPT, FIELD),
    PairCase(SWEPT, POLYHEDRON, soft=False),
    PairCase((SPHERE,), CAPSULE),
    PairCase((SPHERE,), CYLINDER),
    PairCase((SPHERE,), WHEEL),
    PairCase((CAPSULE,), CAPSULE),
    PairCase((CAPSULE, CYLINDER), CYLINDER),
    PairCase(SWEPT, WHEEL),
)
(SOLID_PLANE, SOLID_FIELD, SOLID_SOLID, BALL_PLANE, BALL_FIELD, BALL_BALL, BALL_SOLID, ROLLER_PLANE,
 SHEET_PLANE, SHEET_FIELD, SHEET_SOLID, SHEET_BALL, SHEET_SHEET, SELF, BALL_SOFT, SHEET_SOFT, WHEEL_PLANE, ROUND_FIELD,
 ROUND_SOLID, BALL_CAPSULE, BALL_CYLINDER, BALL_WHEEL, CAPSULE_CAPSULE, ROUND_CYLINDER, ROUND_WHEEL) = range(len(CASES))
NOTHING = -1   # the pair is to be taken the other way round, or never touches


def _case_table():
    """(2, kinds, kinds) case of a first kind on a second one, on a rigid or fixed (0) or on free particles (1)."""
    table = np.full((2, len(PART_KINDS), len(PART_KINDS)), NOTHING)
    for number, case in enumerate(CASES):
        for first in case.first:
            for soft in (0, 1) if case.soft is None else (int(case.soft),):
                table[soft, first, case.second] = number
    return table


CASE_TABLE = _case_table()
ON_SOFT = tuple(sorted({first for case in CASES if case.soft for first in case.first}))   # kinds that ask a soft body's facets


def met_by(kind):
    """Kinds with which a kind has a case, either way round."""
    either = (CASE_TABLE != NOTHING).any(axis=0)
    return tuple(np.flatnonzero(either[kind] | either[:, kind]).tolist())
