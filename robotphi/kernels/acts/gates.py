"""Gates: acts that are on since two things first touched, until they do, or while they touch.

What touches is known of the step that stands: a gate turns between two steps, where nothing moves, and what it changes of the
energy that is stored is work of the act, as where its share jumps (`step/settle`).
"""
from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c

WAYS = ("always", "since", "until", "while")
ALWAYS, SINCE, UNTIL, WHILE = range(len(WAYS))
OPEN = 0              # column of the state: 1 where it is on


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
def turn_gates(rows, owner, touch, buffers):
    """Open and shut the gates of acts of one kind; returns whether one of them turned."""
    turned = False
    for k in range(len(rows.gate)):
        gate = rows.gate[k]
        if gate < 0 or (k > 0 and rows.gate[k - 1] == gate):
            continue
        before = buffers.act_state[gate, OPEN]
        after = before
        if touching(owner, touch, rows.touch_first[k], rows.touch_second[k]):
            after = 0.0 if rows.when[k] == UNTIL else 1.0
        elif rows.when[k] == WHILE:
            after = 0.0
        if after != before:
            buffers.act_state[gate, OPEN] = buffers.act_ahead[gate, OPEN] = after
            turned = True
    return turned
