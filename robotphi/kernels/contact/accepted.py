"""Once an accepted step: keep what friction did, see who is near whom, ask for contact directions, bound the next step."""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.reference import refer
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact import kinds
from robotphi.kernels.contact.bounds import touch_bounds
from robotphi.kernels.contact.find.pairs import find_near, measure_parts
from robotphi.kernels.contact.find.renew import renew_direction
from robotphi.kernels.contact.hold.slide import set_slide
from robotphi.kernels.contact.pair_terms import pair_cause
from robotphi.kernels.contact.sides import effective_mass
from robotphi.kernels.maths.vectors import dot, get3, norm, set3
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.buffers import Instant
from robotphi.kernels.step.codes import APPROACH

RESOLUTION = 4.0 * 2.220446049250313e-16   # of the size of the scene: differences of places are rounding below it
ALL, FIRM, LIMP = range(3)   # pairs, see `slide_pairs`


@kernel
def count_lasting(parts, numbers, k, a, b, touched, touching, dt):
    """How long pair k has been in touch, in half periods of its springs; a break as long as that wipes it out.

    A step at whose start or end it does not touch tells nothing, however long it is.
    """
    lasted = numbers[k, c.LASTED]
    if touched and touching:
        mass = effective_mass(parts.size[a, c.MASS], parts.size[b, c.MASS])
        numbers[k, c.LASTED] = lasted + dt
        numbers[k, c.LASTING] += dt * math.sqrt(numbers[k, c.STEEPNESS] / mass) / math.pi
    elif lasted > 0.0 and not touching and not touched:
        left = max(lasted - dt, 0.0)
        numbers[k, c.LASTED] = left
        numbers[k, c.LASTING] *= left / lasted


@kernel
def keep_pair(parts, touch, k, dt):
    """The accepted attempt's trials of pair k become what is."""
    pairs, numbers = touch.pairs, touch.numbers
    for i in range(4):
        numbers[k, c.ANCHOR + i] = numbers[k, c.TRIAL + i]
    pairs[k, c.STICKS] = pairs[k, c.TRIAL_STICKS]
    touched, touching = pairs[k, c.TOUCHING] == 1, pairs[k, c.TRIAL_TOUCHING] == 1
    pairs[k, c.TOUCHING] = pairs[k, c.TRIAL_TOUCHING]
    set3(numbers, k, c.NORMAL_X, get3(numbers, k, c.NOW))
    count_lasting(parts, numbers, k, pairs[k, c.FIRST], pairs[k, c.SECOND], touched, touching, dt)


@kernel
def keep_place(touch, place):
    """Likewise of a vertex; slots without a force are free."""
    for s in range(c.SLOTS):
        if touch.node[place, s] == 0:
            continue
        first = s * c.SLOT_NUMBERS
        if touch.slots[place, first + c.SLOT_FORCE] > 0.0:
            for i in range(3):
                touch.slots[place, first + c.SLOT_ANCHOR + i] = touch.slots[place, first + c.SLOT_TRIAL + i]
                touch.slots[place, first + c.SLOT_NORMAL + i] = touch.slots[place, first + c.SLOT_TRIAL_NORMAL + i]
            touch.slots[place, first + c.SLOT_STICKS] = touch.slots[place, first + c.SLOT_TRIAL_STICKS]
            touch.slots[place, first + c.SLOT_USED] = 1.0
        else:
            touch.node[place, s] = 0
            for i in range(c.SLOT_NUMBERS):
                touch.slots[place, first + i] = 0.0


@kernel
def keep_trials(parts, touch, dt, member, working):
    """The accepted attempt's trials of friction become what is: a member's share of pairs and vertices."""
    count = touch.sizes[c.PAIR_COUNT]
    for k in range(count * member // working, count * (member + 1) // working):
        keep_pair(parts, touch, k, dt)
    count = touch.node.shape[0]
    for place in range(count * member // working, count * (member + 1) // working):
        keep_place(touch, place)


@inlined
def meeting_time(room, speed, acceleration):
    """Smallest t > 0 with speed t + ½ acceleration t² = room; infinite where they never meet."""
    rate = speed + math.sqrt(max(speed * speed + 2.0 * acceleration * room, 0.0))
    return 2.0 * room / rate if rate > 0.0 else math.inf


@kernel
def closing_time(arrays, touch, k, n, gap):
    """Time in which pair k could pass through each other: (max(gap, 0) + half the smallest thickness) / closing speed.

    Round things and sheets that are among the facets of something soft may meet it on any side.
    """
    parts, motion = arrays.contact.parts, touch.motion
    a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
    room = max(gap, 0.0) + min(parts.size[a, c.HALF_THICKNESS], parts.size[b, c.HALF_THICKNESS])
    apart = (motion[b, 0] - motion[a, 0], motion[b, 1] - motion[a, 1], motion[b, 2] - motion[a, 2])
    case = touch.pairs[k, c.CASE]
    along = norm(apart) if gap <= 0.0 and (case == kinds.BALL_SOFT or case == kinds.SHEET_SOFT) else dot(apart, n)
    return meeting_time(room, max(along + motion[a, 3] + motion[b, 3], 0.0), motion[a, 4] + motion[b, 4])


@kernel
def leaving_time(touch, part):
    """Time in which a part could leave its enlarged box."""
    left, motion = math.inf, touch.motion
    for axis in range(3):
        left = min(left, touch.box[part, axis] - touch.fat[part, axis])
        left = min(left, touch.fat[part, 3 + axis] - touch.box[part, 3 + axis])
    speed = norm((motion[part, 0], motion[part, 1], motion[part, 2])) + motion[part, 3]
    return meeting_time(max(left, 0.0), speed, motion[part, 4])


@kernel
def leave_soonest(touch, first, count, step):
    """The part that could leave its enlarged box first, of every so many, and when."""
    soonest, found_part = math.inf, -1
    for part in range(first, count, step):
        if touch.active[part] == 1:
            found = leaving_time(touch, part)
            if found < soonest:
                soonest, found_part = found, part
    return soonest, found_part


@kernel
def slide_pairs(arrays, touch, x, v, rigid, first, last, resolution, which):
    """Speeds of sliding of a run of pairs, and which could pass through each other first, and when.

    `which`: ALL, or in a team FIRM, what needs no scratch, beside others, and then LIMP, what does, by one member.
    """
    soonest, found_pair = math.inf, -1
    for k in range(first, last):
        if which != LIMP:
            found = closing_time(arrays, touch, k, get3(touch.numbers, k, c.NORMAL_X), touch.numbers[k, c.GAP])
            if found < soonest:
                soonest, found_pair = found, k
        if which == ALL or (touch.span[k, c.WITH_SOFT] == 1) == (which == LIMP):
            set_slide(arrays, touch, x, v, rigid, k, resolution)
    return soonest, found_pair


@kernel
def bound_step(arrays, buffers, x, v, rigid):
    """The longest step in which no part leaves its enlarged box and no pair passes through each other; speeds of sliding."""
    touch, parts = buffers.touch, arrays.contact.parts
    soonest, part = leave_soonest(touch, 0, len(parts.kind), 1)
    through, k = slide_pairs(arrays, touch, x, v, rigid, 0, touch.sizes[c.PAIR_COUNT],
                             RESOLUTION * buffers.numbers[at.EXTENT], ALL)
    if part >= 0:
        buffers.counters[at.APPROACH_CAUSE] = pair_cause(parts, APPROACH, part, part)
    if through < soonest:
        a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
        soonest, buffers.counters[at.APPROACH_CAUSE] = through, pair_cause(parts, APPROACH, a, b)
    buffers.numbers[at.CONTACT_STEP] = soonest
    buffers.numbers[at.TOUCH_STIFFEST] = touch.totals[c.TOTAL_STIFFEST]


@kernel
def renew_pairs(arrays, touch, x, v, rigid, first, last, cold):
    """Directions of a run of pairs; returns whether one in use changed."""
    stale = False
    for k in range(first, last):
        if renew_direction(arrays, touch, x, v, rigid, k, cold):
            stale = True
    return stale


@kernel
def look_around(arrays, buffers, x, v, force, rigid, load, cold):
    """The list of pairs, where it is to be made anew, and the contact directions. Returns whether a direction in use changed.

    Leaves LACKING > 0 where there is no room for the pairs: the caller makes room and comes again.
    """
    touch = buffers.touch
    dt = buffers.numbers[at.TAU]
    leaves = measure_parts(arrays, touch, buffers.links, x, v, force, rigid, load, dt, 0, 1)
    touch.sizes[c.LACKING] = 0
    if leaves or cold:
        found = find_near(arrays, touch, dt)
        if found > touch.found.shape[0]:
            touch.sizes[c.LACKING] = found
            return False
    return renew_pairs(arrays, touch, x, v, rigid, 0, touch.sizes[c.PAIR_COUNT], cold)


@kernel
def begin_contacts(arrays, buffers, x, v, rigid):
    """Before the forces of a frame's first instant: pairs and directions from positions alone, as after a restart.

    No force is known yet, so that nothing but what the frame holds has a say.
    """
    touch, contact = buffers.touch, arrays.contact
    buffers.counters[at.BLOCKS] = 0
    if touch.row_taken.shape[0] > 0:
        touch.row_taken[c.FEW, c.TAKEN_COUNT] = 0.0   # a run continued from here knows no more
    for part in range(touch.motion.shape[0]):
        touch.fat[part, 0] = math.inf
    for i in range(buffers.links.speeding.shape[0]):
        for axis in range(6):
            buffers.links.speeding[i, axis] = 0.0
    for place in range(len(touch.local)):
        touch.local[place] = arrays.stiff.local[place]
    for o in range(touch.stiff.shape[0]):
        for column in range(c.BY_BALLS, c.OBJECT_COLUMNS):
            touch.stiff[o, column] = 0.0
    forget(touch)
    look_around(arrays, buffers, x, v, buffers.still, rigid, buffers.still_load, True)
    for k in range(touch.sizes[c.PAIR_COUNT]):
        if touch.pairs[k, c.TOUCHING] == 0:
            a, b = touch.pairs[k, c.FIRST], touch.pairs[k, c.SECOND]
            row = contact.parts.material[a] * touch.sizes[c.MATERIALS] + contact.parts.material[b]
            touch.numbers[k, c.LOSSY] = contact.law[row, c.DAMPING]


@kernel
def forget(touch):
    """Leave of pairs and vertices what a frame records of them: the kept columns of those that touch or overlap."""
    for i in range(len(touch.ease)):
        touch.ease[i] = 1.0
    for k in range(touch.sizes[c.PAIR_COUNT]):
        pairs, numbers = touch.pairs, touch.numbers
        apart = pairs[k, c.TOUCHING] == 0 and pairs[k, c.OVERLAPS] == 0
        for i in range(c.TOUCHING if apart else c.KEPT_WHOLES, c.PAIR_WHOLES):
            pairs[k, i] = 0
        for i in range(0 if apart else c.KEPT_NUMBERS, c.PAIR_NUMBERS):
            numbers[k, i] = 0.0
        if apart:
            pairs[k, c.STICKS] = 1
    for place in range(touch.node.shape[0]):
        for s in range(c.SLOTS):
            first = s * c.SLOT_NUMBERS
            unused = touch.slots[place, first + c.SLOT_USED] == 0.0
            if unused:
                touch.node[place, s] = 0
            for i in range(0 if unused else c.SLOT_KEPT, c.SLOT_NUMBERS):
                touch.slots[place, first + i] = 0.0


@kernel
def end_contacts(arrays, buffers, x, v, force, rigid, load):
    """After the forces of an instant were evaluated anew: motions and the bound of the next step.

    What touches when a run starts has touched before: its friction is anchored there and then, not a step later.
    """
    if buffers.counters[at.STARTED] == 0:
        keep_trials(arrays.contact.parts, buffers.touch, 0.0, 0, 1)
    measure_parts(arrays, buffers.touch, buffers.links, x, v, force, rigid, load, 0.0, 0, 1)
    bound_step(arrays, buffers, x, v, rigid)
    touch_bounds(arrays, buffers, refer(Instant(x, v, force, rigid, load)), 0)


@kernel
def renew_contacts(arrays, buffers, x, v, force, rigid, load):
    """After an accepted step: what friction did is kept, directions are asked for, the next step is bounded."""
    keep_trials(arrays.contact.parts, buffers.touch, buffers.numbers[at.STEP_TAU], 0, 1)
    touch_bounds(arrays, buffers, refer(Instant(x, v, force, rigid, load)), 1)
    if look_around(arrays, buffers, x, v, force, rigid, load, False):
        buffers.counters[at.FRESH] = at.STALE
    bound_step(arrays, buffers, x, v, rigid)


@kernel
def look_again(arrays, buffers, x, v, force, rigid, load):
    """The rest of `renew_contacts` after room was made for the pairs that it found."""
    buffers.counters[at.BEGIN_CONTACT] = 0
    for part in range(buffers.touch.fat.shape[0]):
        buffers.touch.fat[part, 0] = math.inf
    if look_around(arrays, buffers, x, v, force, rigid, load, False):
        buffers.counters[at.FRESH] = at.STALE
    bound_step(arrays, buffers, x, v, rigid)
