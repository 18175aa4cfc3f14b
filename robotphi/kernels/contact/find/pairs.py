"""The list of pairs: every two parts whose boxes, enlarged by what they may travel, meet.

It is made anew when a part could leave its enlarged box in the next step, so that it never decides what touches, only what is
looked at.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.find.broad import find_pairs, is_excluded
from robotphi.kernels.contact.kinds import CASE_TABLE, FIELD, GROUNDS, NOTHING, SELF
from robotphi.kernels.maths.vectors import dot, get3, minus, norm, read, set3
from robotphi.kernels.step.rigids import CENTRE, SPIN, VELOCITY

BOX_MARGIN = 0.05   # of a part's size: how far its box is enlarged at least
AHEAD = 8.0     # steps for which the enlarged boxes are to last


@inlined
def case_of(parts, a, b):
    """The case of a pair whose first part is a."""
    if a == b:
        return SELF
    return CASE_TABLE[1 if parts.rigid[b] < 0 else 0, parts.kind[a], parts.kind[b]]


@inlined
def is_ground(parts, part):
    """Whether a part is a plane or a height field."""
    return parts.kind[part] in GROUNDS


@kernel
def measure_part(arrays, touch, links, part, x, v, force, rigid, load):
    """Box and motion of a part: mean velocity, largest speed about it, largest acceleration, size.

    What joints hold is not free to follow its load: links tell their accelerations (`mechanism/move.tell_motion`).
    """
    parts, box, motion = arrays.contact.parts, touch.box, touch.motion
    start, stop = parts.vertex_start[part], parts.vertex_start[part + 1]
    round_about = parts.size[part, c.RADIUS]
    for axis in range(3):
        low, high = math.inf, -math.inf
        for k in range(start, stop):
            value = x[parts.vertex[k], axis]
            low, high = min(low, value), max(high, value)
        box[part, axis], box[part, 3 + axis] = low - round_about, high + round_about
    size = norm((box[part, 3] - box[part, 0], box[part, 4] - box[part, 1], box[part, 5] - box[part, 2]))
    i = parts.rigid[part]
    if i >= 0:
        mean = get3(rigid, i, VELOCITY)
        centre = get3(rigid, i, CENTRE)
        reach = 0.0
        for k in range(start, stop):
            arm = minus(read(x, parts.vertex[k]), centre)
            reach = max(reach, math.sqrt(dot(arm, arm)))
        reach += round_about
        spin, link = norm(get3(rigid, i, SPIN)), arrays.mechanisms.link_of_rigid[i]
        if link >= 0:
            faster, turning = norm(get3(links.speeding, link, 0)), norm(get3(links.speeding, link, 3))
        else:
            rigids = arrays.rigids
            inverse = max(rigids.inverse_inertia[i, 0], max(rigids.inverse_inertia[i, 1], rigids.inverse_inertia[i, 2]))
            w = max(rigids.inverse_mass[i, 0], max(rigids.inverse_mass[i, 1], rigids.inverse_mass[i, 2]))
            faster, turning = norm(get3(load, i, 0)) * w, norm(get3(load, i, 3)) * inverse
        acceleration = faster + reach * (turning + spin * spin)
        set3(motion, part, 0, mean)
        motion[part, 3], motion[part, 4] = spin * reach, acceleration
    else:
        total = (0.0, 0.0, 0.0)
        for k in range(start, stop):
            u = read(v, parts.vertex[k])
            total = (total[0] + u[0], total[1] + u[1], total[2] + u[2])
        count = max(stop - start, 1)
        mean = (total[0] / count, total[1] / count, total[2] / count)
        apart, acceleration = 0.0, 0.0
        for k in range(start, stop):
            row = parts.vertex[k]
            apart = max(apart, norm(minus(read(v, row), mean)))
            acceleration = max(acceleration, norm(read(force, row)) * arrays.particles.inverse_mass[row])
        set3(motion, part, 0, mean)
        motion[part, 3], motion[part, 4] = apart, acceleration
    motion[part, 5] = size


@kernel
def measure_one(arrays, touch, links, part, x, v, force, rigid, load, dt):
    """Box and motion of a part; returns whether it could leave its enlarged box within dt."""
    parts = arrays.contact.parts
    if is_ground(parts, part):
        i = parts.rigid[part]
        if i >= 0:
            set3(touch.motion, part, 0, get3(rigid, i, VELOCITY))
        return False
    measure_part(arrays, touch, links, part, x, v, force, rigid, load)
    travel, leaves = reach_of(touch.motion, part, dt), False
    for axis in range(3):
        if (touch.box[part, axis] - travel < touch.fat[part, axis]
                or touch.box[part, 3 + axis] + travel > touch.fat[part, 3 + axis]):
            leaves = True
    return leaves


@kernel
def measure_parts(arrays, touch, links, x, v, force, rigid, load, dt, member, working):
    """Boxes and motions of a member's share of parts; returns whether one of them could leave its enlarged box within dt."""
    leaves, count = False, len(arrays.contact.parts.kind)
    for part in range(count * member // working, count * (member + 1) // working):
        if measure_one(arrays, touch, links, part, x, v, force, rigid, load, dt):
            leaves = True
    return leaves


@kernel
def reach_of(motion, part, dt):
    """How far the material of a part may get within dt [m]."""
    speed = norm((motion[part, 0], motion[part, 1], motion[part, 2])) + motion[part, 3]
    return speed * dt + 0.5 * motion[part, 4] * dt * dt


@kernel
def find_near(arrays, touch, dt):
    """The list of pairs anew, what is known of those in touch taken over. Returns how many there are; more than there is room
    for means that nothing was changed."""
    contact = arrays.contact
    parts = contact.parts
    count = len(parts.kind)
    for part in range(count):
        ground = is_ground(parts, part)
        touch.active[part] = 0 if ground else 1
        if not ground:
            margin = BOX_MARGIN * touch.motion[part, 5] + reach_of(touch.motion, part, AHEAD * dt)
            for axis in range(3):
                touch.fat[part, axis] = touch.box[part, axis] - margin
                touch.fat[part, 3 + axis] = touch.box[part, 3 + axis] + margin
    room = touch.found.shape[0]
    found = find_pairs(touch.fat, touch.active, contact.excluded, count, touch.scratch_whole, touch.scratch_real, touch.found)
    if found > room:
        return found
    total = found
    for ground in range(count):
        if not is_ground(parts, ground):
            continue
        for part in range(count):
            if touch.active[part] == 1 and meets_ground(arrays, touch, part, ground):
                if total < room:
                    touch.found[total, 0], touch.found[total, 1] = part, ground
                total += 1
    if total > room:
        return total
    for part in range(count):
        if parts.self_touch[part] == 1:
            if total < room:
                touch.found[total, 0], touch.found[total, 1] = part, part
            total += 1
    if total <= room:
        take_over(parts, touch, total)
    return total


@kernel
def meets_ground(arrays, touch, part, ground):
    """Whether a part may come near a plane or field; planes that move are always looked at."""
    parts = arrays.contact.parts
    first, second = min(part, ground), max(part, ground)
    if is_excluded(arrays.contact.excluded, first * len(parts.kind) + second):
        return False
    if parts.kind[ground] == FIELD:
        fields, number = arrays.contact.fields, parts.field[ground]
        for axis in range(2):
            low = fields.origin[number, axis]
            high = low + fields.spacing[number, axis] * (fields.shape[number, axis] - 1)
            if touch.fat[part, axis] > high or touch.fat[part, 3 + axis] < low:
                return False
        return True
    if parts.rigid[ground] >= 0:
        return True
    lowest = 0.0
    for axis in range(3):
        n = parts.plane[ground, 3 + axis]
        lowest += n * ((touch.fat[part, axis] if n > 0.0 else touch.fat[part, 3 + axis]) - parts.plane[ground, axis])
    return lowest <= 0.0


@kernel
def take_over(parts, touch, total):
    """Write the table of the pairs found; pairs that were in it keep what they know, and the sums of their forces.

    Both tables have the same order: pairs of parts by their numbers, then those with each ground, then parts with themselves.
    """
    before, old = touch.sizes[c.PAIR_COUNT], 0
    for k in range(before):
        for i in range(c.PAIR_WHOLES):
            touch.spare_pairs[k, i] = touch.pairs[k, i]
        for i in range(c.PAIR_NUMBERS):
            touch.spare_numbers[k, i] = touch.numbers[k, i]
        for i in range(c.PAIR_SUMS):
            touch.spare_sums[k, i] = touch.sums[k, i]
    count = 0
    for k in range(total):
        a, b = touch.found[k, 0], touch.found[k, 1]
        case = case_of(parts, a, b)
        if case == NOTHING:
            a, b = b, a
            case = case_of(parts, a, b)
        if case == NOTHING:
            continue
        key = rank(parts, a, b)
        while old < before and rank(parts, touch.spare_pairs[old, c.FIRST], touch.spare_pairs[old, c.SECOND]) < key:
            old += 1
        known = (old < before and touch.spare_pairs[old, c.FIRST] == a and touch.spare_pairs[old, c.SECOND] == b)
        for i in range(c.PAIR_WHOLES):
            touch.pairs[count, i] = touch.spare_pairs[old, i] if known else 0
        for i in range(c.PAIR_NUMBERS):
            touch.numbers[count, i] = touch.spare_numbers[old, i] if known else 0.0
        for i in range(c.PAIR_SUMS):
            touch.sums[count, i] = touch.spare_sums[old, i] if known else 0.0
        touch.pairs[count, c.FIRST], touch.pairs[count, c.SECOND], touch.pairs[count, c.CASE] = a, b, case
        if not known:
            touch.pairs[count, c.STICKS] = 1
        count += 1
    touch.sizes[c.PAIR_COUNT], touch.sizes[c.PLANNED] = count, 0


@kernel
def rank(parts, a, b):
    """Place of a pair in the order of the table, as a number."""
    count = len(parts.kind)
    ground = 0
    if is_ground(parts, b):
        ground = 1
    if a == b:
        ground = 2
    first, second = (b, a) if ground == 1 else (min(a, b), max(a, b))
    return (ground * count + first) * count + second
