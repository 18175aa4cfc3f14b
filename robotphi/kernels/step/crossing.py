"""Steps that end where the gate of an act turns, as they end on what a drive does.

When a gate turns is not known before, but how far the number that it looks at is beyond its threshold, h, is a smooth function
of the length of a step from where this one begins. An attempt behind whose end a gate would have turned is tried again with the
length at which h = 0, by false position (Illinois: Dowell & Jarratt 1971), until one ends beyond it by no more than LANDED of
the first one's length; that one stands if the budget lets it, and the gate turns at its end. What a gate that turned late would
push for too long is else an error of first order, of which no ledger knows. A number that is beyond for less than a step is not
seen.

A gate that turns back at once, since what it opens pushes the number back, would turn ever faster. Where that begins gates turn
at the ends of steps again, for a while, and the run tells.
"""
import math

from robotphi.kernels.acts.gates import BEHIND, BEYOND, LEAST, SEEN_ROW, WATCHED
from robotphi.kernels.acts.table import look_acts
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.scales import EPSILON

LANDED = 1e-8      # of the first attempt: an end so little behind the instant is on it
CLOCK = 16.0       # times what the clock can tell apart, likewise
LITTLE = 1e-6      # of a step, in which a number that has just passed its threshold seems to come back: it goes away first
NEARER = 0.8       # of how far it was from its threshold: what is no less leads nowhere
AGAIN = 0.5        # of what is chatter: whether it is, is tried first
MOST = 40          # attempts for one instant; the last ends where a gate surely turns
CHATTER = 1e-4     # of the first attempt: gates that turn again so soon chatter …
REST = 64          # … and none is looked for in so many attempts


@kernel
def lands_on_gates(arrays, buffers, ahead, joints):
    """Whether the attempt is to be made again, with another length: `LANDING` [s]."""
    numbers, counters, search = buffers.numbers, buffers.counters, buffers.gates
    if counters[at.GATE_REST] > 0:
        counters[at.GATE_REST] -= 1
        return False
    tau, stuck, again = numbers[at.STEP_TAU], False, False
    search[LEAST], search[SEEN_ROW] = math.inf, -1.0
    look_acts(arrays.acts, buffers, ahead, joints)
    if search[SEEN_ROW] < 0.0:                      # none turns: too short, or nothing is looked for
        if not numbers[at.LANDING] > 0.0:
            return False
        stuck = narrow(numbers, counters, -1, at.GATE_LOW, at.GATE_BELOW, at.GATE_ABOVE, tau, search[WATCHED])
    elif search[SEEN_ROW] == counters[at.GATE]:
        stuck = narrow(numbers, counters, 1, at.GATE_HIGH, at.GATE_ABOVE, at.GATE_BELOW, tau, search[BEYOND])
    else:                                           # the first attempt, or another one turns before
        numbers[at.GATE_LOW], numbers[at.GATE_HIGH], numbers[at.GATE_FIRST] = 0.0, tau, tau
        numbers[at.GATE_BELOW], numbers[at.GATE_ABOVE] = search[BEHIND], search[BEYOND]
        counters[at.GATE], counters[at.GATE_TRIES], counters[at.GATE_SIDE] = int(search[SEEN_ROW]), 0, 0
        again = search[LEAST] < LITTLE
    low, high = numbers[at.GATE_LOW], numbers[at.GATE_HIGH]
    near = low + (high - low) * numbers[at.GATE_BELOW] / (numbers[at.GATE_BELOW] - numbers[at.GATE_ABOVE])
    on_it = max(LANDED * numbers[at.GATE_FIRST], CLOCK * EPSILON * numbers[at.TIME])
    counters[at.GATE_TRIES] += 1
    if search[SEEN_ROW] >= 0.0:
        if numbers[at.TIME] + tau - numbers[at.TURNED] < CHATTER * numbers[at.GATE_FIRST]:
            counters[at.GATE_REST] = REST
            counters[at.CHATTERED] += 1
            return False
        if tau - low <= on_it or (tau - near <= on_it and not stuck and not again) or counters[at.GATE_TRIES] > MOST:
            return False
    if again:
        near = AGAIN * CHATTER * tau
    elif stuck:
        near = 0.5 * (low + high)
    numbers[at.LANDING] = high if counters[at.GATE_TRIES] >= MOST else min(max(near, low) + 0.5 * on_it, high)
    return True


@kernel
def narrow(numbers, counters, side, end, height, other, tau, found):
    """Move one end of where the gate turns; returns whether that is hardly any nearer: halves then lead on. The end that stays
    for the second time counts half, so that both come nearer."""
    stuck = abs(found) > NEARER * abs(numbers[height])
    if counters[at.GATE_SIDE] == side:
        numbers[other] *= 0.5
    numbers[end], numbers[height], counters[at.GATE_SIDE] = tau, found, side
    return stuck


@kernel
def end_search(numbers, counters):
    numbers[at.LANDING], counters[at.GATE] = 0.0, -1
