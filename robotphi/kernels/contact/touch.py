"""The contact forces of each pair of parts at one instant, by its case; `shared.py` goes through all pairs.

The pairs come from `accepted.py`, which runs once an accepted step. Here nothing is kept but trials, so that a refused attempt
leaves no trace.
"""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact import kinds
from robotphi.kernels.contact.dampers import begin_rows, has_rows
from robotphi.kernels.contact.press.rollers import touch_roller
from robotphi.kernels.contact.press.sheets import touch_sheet, touch_thin
from robotphi.kernels.contact.press.solids import touch_field, touch_plane, touch_solids
from robotphi.kernels.contact.press.touch_balls import (
    touch_ball_field,
    touch_ball_plane,
    touch_ball_soft,
    touch_ball_solid,
    touch_balls,
)
from robotphi.kernels.contact.press.touch_round_pairs import touch_ball_round, touch_capsules, touch_rounds
from robotphi.kernels.contact.press.touch_rounds import touch_round_field, touch_round_solid, touch_wheel_plane

# the kernel of each case of `kinds.CASES`, those first that take least: to them the asking matters
TOUCHES = (
    ((kinds.BALL_BALL,), touch_balls),
    ((kinds.BALL_PLANE,), touch_ball_plane),
    ((kinds.SOLID_PLANE,), touch_plane),
    ((kinds.SOLID_SOLID,), touch_solids),
    ((kinds.SOLID_FIELD,), touch_field),
    ((kinds.ROLLER_PLANE,), touch_roller),
    ((kinds.WHEEL_PLANE,), touch_wheel_plane),
    ((kinds.ROUND_FIELD,), touch_round_field),
    ((kinds.ROUND_SOLID,), touch_round_solid),
    ((kinds.BALL_CAPSULE, kinds.BALL_CYLINDER, kinds.BALL_WHEEL), touch_ball_round),
    ((kinds.CAPSULE_CAPSULE,), touch_capsules),
    ((kinds.ROUND_CYLINDER, kinds.ROUND_WHEEL), touch_rounds),
    ((kinds.BALL_SOLID,), touch_ball_solid),
    ((kinds.BALL_SOFT,), touch_ball_soft),
    ((kinds.BALL_FIELD,), touch_ball_field),
    ((kinds.SHEET_SHEET, kinds.SELF), touch_thin),
    ((kinds.SHEET_PLANE, kinds.SHEET_FIELD, kinds.SHEET_SOLID, kinds.SHEET_BALL, kinds.SHEET_SOFT), touch_sheet),
)


def _chain(rows):
    """One kernel of some rows of `TOUCHES`: it hands a pair to the first that has its case."""
    if not rows:
        @kernel
        def nothing(case, now, k, row):
            pass
        return nothing
    (cases, touch_case), others = rows[0], _chain(rows[1:])

    @kernel
    def touch_first(case, now, k, row):
        if case in cases:
            touch_case(now, k, row)
        else:
            others(case, now, k, row)
    return touch_first


touch_by_case = _chain(TOUCHES)


@kernel
def touch_pair(now, k):
    """The contact of pair k, by its case."""
    touch, material = now.touch, now.arrays.contact.parts.material
    for column in range(c.PAIR_SUMS):
        touch.sums[k, column] = 0.0
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    touch.pairs[k, c.HAS_ROWS] = 0
    if touch.row_counts[c.ROWS_KEPT] == 1 and has_rows(now.arrays.contact.parts, a, b, touch.pairs[k, c.CASE]):
        touch.pairs[k, c.HAS_ROWS] = 1
    touch_by_case(touch.pairs[k, c.CASE], now, k, material[a] * touch.sizes[c.MATERIALS] + material[b])


@kernel
def begin_forces(touch, apart):
    """Nothing touches yet. `apart`: 1 where dampers go apart, so that those of contact are to be known as rows."""
    begin_rows(touch, apart)
    for i in range(touch.load.shape[0]):
        for axis in range(6):
            touch.load[i, axis] = 0.0
    for i in range(c.TOTALS):
        touch.totals[i] = 0.0
    for part in range(len(touch.fresh)):
        touch.fresh[part] = 0
        touch.cut_by[part, 0] = 0
    for place in range(len(touch.hard)):
        touch.hard[place, 0], touch.hard[place, 1] = 0.0, 0.0
