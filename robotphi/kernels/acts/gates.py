"""Gates: acts that are on since something first holds, until it does, or while it holds.

What is looked at is known of the step that stands: whether two things press on each other, or whether a number of that instant
is above or below a threshold: a coordinate of a joint or its rate, a place or velocity along a direction, a speed, a distance.
So a gate turns between two steps, where nothing moves; what it changes of the energy that is stored is work of the act, as
where its share jumps (`step/settle`). A number passes its threshold where a step ends, see `step/crossing`; when things touch
is known to a step.
"""
from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.acts.ends import end_place, end_velocity
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.maths.vectors import dot, minus, norm
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.rigids import row3

WAYS = ("always", "since", "until", "while")
ALWAYS, SINCE, UNTIL, WHILE = range(len(WAYS))
SEEN = ("contact", "coordinate", "rate", "position", "velocity", "speed", "distance")
CONTACT, COORDINATE, RATE, POSITION, VELOCITY, SPEED, DISTANCE = range(len(SEEN))
SIDES = ("above", "below")
ABOVE = 0
OPEN, BEFORE = 0, 1   # columns of the state: 1 where it is on; the number that it looks at, where the step begins
# of what is looked for (`step/crossing`): the least share of the step at which a gate turns, its row of the state, how far its
# number is from turning it where the step begins (nought or less) and ends; the same at the end of one that is watched
LEAST, SEEN_ROW, BEHIND, BEYOND, WATCHED = range(5)
SEARCH = 8


@inlined
def present_share(rows, k, drives, buffers, time, inside):
    """The share of an act and its rate, nothing where its gate is shut."""
    share, growth = drive_value(drives, rows.share[k], time, inside)
    if rows.gate[k] >= 0:
        open_now = buffers.act_state[rows.gate[k], OPEN]
        return share * open_now, growth * open_now
    return share, growth


@kernel
def touching(owner, touch, first, second):
    """Whether a thing presses on another one, or on any where the second is −1."""
    for k in range(touch.sizes[c.PAIR_COUNT]):
        if touch.sums[k, c.PAIR_NORMAL] > 0.0:
            a, b = owner[touch.pairs[k, c.FIRST]], owner[touch.pairs[k, c.SECOND]]
            if (a == first and (second < 0 or b == second)) or (b == first and (second < 0 or a == second)):
                return True
    return False


@kernel
def seen_by(rows, k, now, joints):
    """The number that a gate looks at."""
    seen, at = rows.seen[k], rows.seen_at[k]
    if seen == COORDINATE:
        return joints.place[rows.seen_joint[k], 0]
    if seen == RATE:
        return joints.rate[rows.seen_joint[k], 0]
    if seen == POSITION:
        return dot(end_place(now, at), row3(rows.seen_along, k))
    if seen == VELOCITY:
        return dot(end_velocity(now, at), row3(rows.seen_along, k))
    if seen == SPEED:
        return norm(end_velocity(now, at))
    return norm(minus(end_place(now, at), end_place(now, rows.seen_to[k])))


@inlined
def beyond(rows, k, number):
    """How far a number is beyond the threshold of a gate."""
    return number - rows.threshold[k] if rows.side[k] == ABOVE else rows.threshold[k] - number


@kernel
def holds(rows, k, owner, buffers, now, joints):
    """Whether that holds now by which a gate turns."""
    if rows.seen[k] == CONTACT:
        return touching(owner, buffers.touch, rows.touch_first[k], rows.touch_second[k])
    number = seen_by(rows, k, now, joints)
    gate = rows.gate[k]
    buffers.act_state[gate, BEFORE] = buffers.act_ahead[gate, BEFORE] = number
    return beyond(rows, k, number) > 0.0


@kernel
def look_at_gates(rows, buffers, ahead, joints):
    """The first of the gates of one kind that turn at the end of a step by a number, and what is watched, into the search."""
    search = buffers.gates
    for k in range(len(rows.gate)):
        gate = rows.gate[k]
        if gate < 0 or rows.seen[k] == CONTACT or (k > 0 and rows.gate[k - 1] == gate):
            continue
        open_now = buffers.act_state[gate, OPEN] > 0.0
        back = open_now and rows.when[k] == WHILE
        if not back and open_now != (rows.when[k] == UNTIL):   # it has turned for good
            continue
        before = beyond(rows, k, buffers.act_state[gate, BEFORE])
        after = beyond(rows, k, seen_by(rows, k, ahead, joints))
        if back:
            before, after = -before, -after
        if gate == buffers.counters[at.GATE]:
            search[WATCHED] = after
        if before > 0.0 or not (after > 0.0 or (back and after == 0.0)):
            continue
        share = before / (before - after) if after > before else 1.0
        if share < search[LEAST]:
            search[LEAST], search[SEEN_ROW], search[BEHIND], search[BEYOND] = share, float(gate), before, after


@kernel
def turn_gates(rows, owner, buffers, now, joints):
    """Open and shut the gates of acts of one kind; returns whether one of them turned."""
    turned = False
    for k in range(len(rows.gate)):
        gate = rows.gate[k]
        if gate < 0 or (k > 0 and rows.gate[k - 1] == gate):
            continue
        before = buffers.act_state[gate, OPEN]
        after = before
        if holds(rows, k, owner, buffers, now, joints):
            after = 0.0 if rows.when[k] == UNTIL else 1.0
        elif rows.when[k] == WHILE:
            after = 0.0
        if after != before:
            buffers.act_state[gate, OPEN] = buffers.act_ahead[gate, OPEN] = after
            turned = True
    return turned
