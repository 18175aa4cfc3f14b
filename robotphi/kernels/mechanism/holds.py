"""Which freedoms hold still: those that a stop or dry friction keeps from moving, and those that break away.

A freedom at rest is held, and what it needs for that, R, is compared with what is there: −s … s of static friction s, at a
lower stop −s … ∞, at an upper one −∞ … s. Where R is beyond, it moves away from then on against kinetic friction; one that
would then move the other way after all, since others gave way as well, is held again. At first all change that are to, then one
at a time, the least first, which comes to an end where kinetic and static friction are the same (Murty 1974: a complementarity
problem whose matrix is positive).
"""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.mechanism.columns import DIRECTION, DRIVEN, GIVEN, HELD, KNOWN, LOOSE, MODE, REACTION, STOP, TRIES
from robotphi.kernels.mechanism.flow import factor_for, mean_gain
from robotphi.kernels.mechanism.motors import change_motors

TOGETHER = 4      # passes in which all change that are to
PASSES = 64       # … and all passes, at most; what is still in doubt then is held


@kernel
def choose_modes(mechanisms, links, rate, first, last):
    """What moves slides against friction, what is at rest is held where anything may hold it."""
    flow = links.flow
    for k in range(first, last):
        speed = rate[k, 0]
        flow[k, DIRECTION], flow[k, TRIES] = 0.0, 0.0
        if mechanisms.drive[k] >= 0:
            flow[k, MODE], flow[k, KNOWN] = DRIVEN, flow[k, GIVEN]
            continue
        flow[k, MODE], flow[k, KNOWN] = LOOSE, 0.0
        if speed != 0.0:
            flow[k, DIRECTION] = 1.0 if speed > 0.0 else -1.0
            if speed * flow[k, STOP] < 0.0:
                flow[k, STOP] = 0.0
        elif mechanisms.friction[k, 0] > 0.0 or flow[k, STOP] != 0.0:
            flow[k, MODE] = HELD


@kernel
def settle_holds(arrays, links, rigid, joints, bound, load, rate, gain, span, m):
    """Accelerations of a piece of the step, with all holds consistent; the rates have been looked at by `choose_modes`.

    `joints` know how easily freedoms move.
    """
    mechanisms = arrays.mechanisms
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    for n in range(PASSES):
        factor_for(arrays, links, rigid, joints, bound, span, m)
        mean_gain(arrays, links, rigid, load, bound, rate, gain, span, m)
        if mechanisms.eventful[m] == 0:
            return
        turned = change_motors(mechanisms, links, span, first, last)
        if not change_holds(mechanisms, links, rate, gain, n < TOGETHER, first, last) and not turned:
            return
    for k in range(first, last):
        if rate[k, 0] == 0.0 and links.flow[k, TRIES] > 0.0:
            links.flow[k, MODE], links.flow[k, DIRECTION] = HELD, 0.0
    factor_for(arrays, links, rigid, joints, bound, span, m)
    mean_gain(arrays, links, rigid, load, bound, rate, gain, span, m)


@kernel
def change_holds(mechanisms, links, rate, gain, together, first, last):
    """Let go what asks for more than holds it, hold what goes the wrong way; whether there was any such."""
    flow, changed = links.flow, False
    for k in range(first, last):
        if flow[k, MODE] == HELD:
            asked, holds, stop = flow[k, REACTION], mechanisms.friction[k, 0], flow[k, STOP]
            if (asked > holds and stop >= 0.0) or (asked < -holds and stop <= 0.0):
                flow[k, MODE], flow[k, DIRECTION] = LOOSE, -1.0 if asked > holds else 1.0
                flow[k, TRIES] += 1.0
                changed = True
        elif flow[k, MODE] == LOOSE and rate[k, 0] == 0.0 and gain[k, 0] * flow[k, DIRECTION] < 0.0:
            flow[k, MODE], flow[k, DIRECTION] = HELD, 0.0
            changed = True
        if changed and not together:
            break
    return changed
