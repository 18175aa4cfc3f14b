"""Dampers of contact in the dampers apart (`damp`): rows of `contact/dampers`, each −c (w − w') along its ends, w = g·v.

The force f of contact is that at (x, v'), v' the velocity predicted for x: it holds what a row pushes with at w', P. In all it
is P − c (w − w'), which is −c w where the law is linear, so that nothing is left of v'; else what is wrong with c is times
v − v', and the step stays of second order.

A row has its own impulse J by the recursion of the stages, and its way X = ∫ (w − w₀) dt. What it took in a time h is
−∫ (P − c (w − w')) w dt. The ledger has the rate −P w' of the law times h; what comes to it is
    −J (w₀ + w_s)/2 − P (X + h (w₀ − w')),
J (w₀ + w_s)/2 being just what J gives to the kinetic energy.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.team import meet
from robotphi.kernels.contact import columns as c
from robotphi.kernels.maths.vectors import dot, get3, read
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.rigids import SPIN, VELOCITY
from robotphi.kernels.step.slots import HAS_ROW

ROWS_SHARED = 200   # rows of dampers from which on members share a stage of them


@inlined
def half_of(touch, ahead):
    """Which half of the rows is of the present instant, or of the end of the attempt."""
    half = touch.row_counts[c.ROW_HALF]
    return 1 - half if ahead else half


@inlined
def rows_of(touch, ahead):
    """The rows of an instant: first, one behind the last."""
    half = half_of(touch, ahead)
    first = half * (touch.row.shape[0] // 2)
    return first, first + touch.row_counts[c.ROW_COUNT + half]


@inlined
def row_damping(touch, ahead):
    """Bound of the damping rate of the rows of an instant [1/s]."""
    return touch.row_bound[half_of(touch, ahead)] if touch.row.shape[0] > 0 else 0.0


@kernel
def exchange_rows(touch, numbers):
    """The end of the attempt stands: its rows are those of the present."""
    touch.row_counts[c.ROW_HALF] = 1 - touch.row_counts[c.ROW_HALF]
    numbers[at.ROW_DAMPING] = row_damping(touch, False)


@kernel
def row_rate(touch, r, v, rigid):
    """w = g·v"""
    rate = 0.0
    for e in range(int(touch.row[r, c.DAMPER_BEGIN]), int(touch.row[r, c.DAMPER_END])):
        body, g = touch.row_body[e], get3(touch.row_way, e, 0)
        if body >= 0:
            rate += dot(g, read(v, body))
        else:
            rate += dot(g, get3(rigid, -1 - body, VELOCITY)) + dot(get3(touch.row_way, e, 3), get3(rigid, -1 - body, SPIN))
    return rate


@kernel
def push_row(touch, r, push, force, load):
    """Add what a row pushes with to the forces on particles and the loads of rigids."""
    for e in range(int(touch.row[r, c.DAMPER_BEGIN]), int(touch.row[r, c.DAMPER_END])):
        body = touch.row_body[e]
        if body >= 0:
            for axis in range(3):
                force[body, axis] += push * touch.row_way[e, axis]
        else:
            for axis in range(6):
                load[-1 - body, axis] += push * touch.row_way[e, axis]


@kernel
def find_ends(touch, sums, first, stop):
    """Which rigids are ends of rows."""
    for i in range(sums.shape[0]):
        sums[i, HAS_ROW] = 0.0
    for r in range(first, stop):
        for e in range(int(touch.row[r, c.DAMPER_BEGIN]), int(touch.row[r, c.DAMPER_END])):
            if touch.row_body[e] < 0 and -1 - touch.row_body[e] < sums.shape[0]:
                sums[-1 - touch.row_body[e], HAS_ROW] = 1.0


@kernel
def row_begins(touch, r, v, rigid, share):
    """The first stage of row r: J = share × what it pushes with at the start, which is returned."""
    rate, row = row_rate(touch, r, v, rigid), touch.row[r]
    push = -row[c.DAMPER] * (rate - row[c.DAMPER_RATE])
    row[c.DAMPER_START], row[c.DAMPER_FIRST], row[c.DAMPER_NOW] = rate, push, push
    row[c.DAMPER_IMPULSE], row[c.DAMPER_BEFORE] = share * push, 0.0
    row[c.DAMPER_WAY], row[c.DAMPER_WAY_BEFORE] = 0.0, 0.0
    return push


@kernel
def row_goes_on(touch, r, v, rigid, weights):
    """A later stage of row r, with the velocities that the one before has left; returns what it pushes with."""
    on_last, on_before, on_pushed, on_first = weights
    rate, row = row_rate(touch, r, v, rigid), touch.row[r]
    push = -row[c.DAMPER] * (rate - row[c.DAMPER_RATE])
    impulse = ((on_last * row[c.DAMPER_IMPULSE] + on_before * row[c.DAMPER_BEFORE])
               + (on_pushed * push + on_first * row[c.DAMPER_FIRST]))
    way = (on_last * row[c.DAMPER_WAY] + on_before * row[c.DAMPER_WAY_BEFORE]
           + on_pushed * (rate - row[c.DAMPER_START]))
    row[c.DAMPER_BEFORE], row[c.DAMPER_IMPULSE], row[c.DAMPER_NOW] = row[c.DAMPER_IMPULSE], impulse, push
    row[c.DAMPER_WAY_BEFORE], row[c.DAMPER_WAY] = row[c.DAMPER_WAY], way
    return push


@kernel
def stage_of_row(touch, r, v, rigid, weights, begins):
    return row_begins(touch, r, v, rigid, weights[3]) if begins else row_goes_on(touch, r, v, rigid, weights)


@kernel
def push_own(touch, first, stop, force, load, member, team):
    """What rows push with, in their order, on the bodies that fall to a member."""
    for i in range(member, load.shape[0], team):
        for axis in range(6):
            load[i, axis] = 0.0
    for r in range(first, stop):
        push = touch.row[r, c.DAMPER_NOW]
        for e in range(int(touch.row[r, c.DAMPER_BEGIN]), int(touch.row[r, c.DAMPER_END])):
            body = touch.row_body[e]
            if body >= 0 and body % team == member:
                for axis in range(3):
                    force[body, axis] += push * touch.row_way[e, axis]
            elif body < 0 and (-1 - body) % team == member:
                for axis in range(6):
                    load[-1 - body, axis] += push * touch.row_way[e, axis]


@kernel
def stage_of_rows(touch, sums, ahead, v, rigid, force, load, weights, begins, sync, member, team, generation):
    """A stage of all rows. Where they are many, each member takes a share of them, then what all push with on a share of the
    bodies: no sum has another order."""
    first, stop = rows_of(touch, ahead)
    if begins and member == 0:
        find_ends(touch, sums, first, stop)
    if team > 1 and stop - first >= ROWS_SHARED:
        count = stop - first
        for r in range(first + count * member // team, first + count * (member + 1) // team):
            stage_of_row(touch, r, v, rigid, weights, begins)
        generation = meet(sync, team, generation)
        push_own(touch, first, stop, force, load, member, team)
    elif member == 0:
        for i in range(load.shape[0]):
            if sums[i, HAS_ROW] != 0.0:
                for axis in range(6):
                    load[i, axis] = 0.0
        for r in range(first, stop):
            push_row(touch, r, stage_of_row(touch, r, v, rigid, weights, begins), force, load)
    return meet(sync, team, generation)


@kernel
def touch_taken(touch, ahead, v, rigid, h, of):
    """After the last stage: −Σ J (w₀ + w_s)/2 [J] of pressure or of friction, and what comes to the rates beside it."""
    taken, beside = 0.0, 0.0
    first, stop = rows_of(touch, ahead)
    for r in range(first, stop):
        row = touch.row[r]
        if row[c.DAMPER_OF] == of:
            taken -= 0.5 * row[c.DAMPER_IMPULSE] * (row[c.DAMPER_START] + row_rate(touch, r, v, rigid))
            beside -= row[c.DAMPER_PUSH] * (row[c.DAMPER_WAY] + h * (row[c.DAMPER_START] - row[c.DAMPER_RATE]))
    return taken, beside


# Rigids: the wrench of rows, with its own impulse ------------------------------------------------------------------------

@inlined
def rigid_impulse(damping, i, j, weights):
    """Impulse of rows on rigid i in stage j, by the recursion; kept, and returned as force and moment."""
    on_last, on_before, on_pushed, on_first = weights
    if damping.rigid_sums[i, HAS_ROW] == 0.0:
        if j == 1:
            for axis in range(6):
                damping.rigid_impulse[i, axis] = 0.0
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    last, before, pushed, first = (damping.rigid_impulse, damping.rigid_impulse_before, damping.rigid_pushed,
                                   damping.rigid_first)
    for axis in range(6):
        if j == 1:
            old, new = 0.0, on_first * first[i, axis]
        else:
            old = last[i, axis]
            new = (on_last * old + on_before * before[i, axis]) + (on_pushed * pushed[i, axis] + on_first * first[i, axis])
        before[i, axis], last[i, axis] = old, new
    return get3(last, i, 0), get3(last, i, 3)


@kernel
def rigid_on_way(damping, i, start, found):
    """J·(v₀ + v)/2 of the impulse of rows on rigid i [J]."""
    j, turn = get3(damping.rigid_impulse, i, 0), get3(damping.rigid_impulse, i, 3)
    return 0.5 * (dot(j, get3(start, i, VELOCITY)) + dot(j, get3(found, i, VELOCITY))
                  + dot(turn, get3(start, i, SPIN)) + dot(turn, get3(found, i, SPIN)))
