"""What the inertia of stiff objects stores, and what is taken from it, for the ledger.

A stores ½ y'·A y'. As the frame turns, fast modes change into each other with their speeds, not with what A has of them: that
has the power −2 y'·A (ω × y'). Where an object is glued to a rigid, particles follow it with Z a, which lacks of what A wants

    y'·((M + A) Z a − A B a)        nothing at rest, of the order of the strain else

Both are in one entry, with these powers at the ends of a step, a those that forces there were taken with; what it was beside
that in a half of the step, by dampers and joints, is booked along that half. What y' changes by following a meanwhile counts
half: in smooth motion both halves of a step have it alike, but not where a stop is hit. It is what slowing down does to energy.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel, kernel_unless
from robotphi.kernels.compiling.lanes import crossed, lane_of, load, row, splat, store, vector_of
from robotphi.kernels.compiling.team import meet
from robotphi.kernels.maths.matrices import applied_back, get9, rows_of, summed_up
from robotphi.kernels.maths.vectors import get3, plus, read, scaled, set3
from robotphi.kernels.step.entries import NEXT, NEXT_RATE, places
from robotphi.kernels.step.ledger import column_sum
from robotphi.kernels.step.rigids import SPIN, VELOCITY
from robotphi.kernels.step.stiff_frame import (
    AT,
    FRAME,
    HELD,
    ON_RIGID,
    SPEED,
    TURN,
    NoStiff,
    know_motion,
    multiply,
    set_three,
)
from robotphi.kernels.step.stiff_glued import follow

ADDED, TURNED_IN = places("added_inertia", "added_inertia_turning")
ENERGY, POWER, LACKED = range(3)   # columns of the sums
STILL = (0.0, 0.0, 0.0)


@inlined
def sum_of_three(a):
    """Of a lane whose pad means nothing."""
    x, y, z = vector_of(a)
    return x + y + z


@kernel_unless(NoStiff, lambda arrays, buffers, now, member, team, generation: generation)
def stiff_energies(arrays, buffers, now, member, team, generation):
    """½ y'·A y' of each stiff object, and the power that is taken from it."""
    stiff, slow = arrays.stiff, buffers.slow
    for o in range(member, len(stiff.way), team):
        know_motion(arrays, slow, now, o)
        begin, end, first = stiff.start[o], stiff.free_end[o], stiff.first[o]
        centre, speed, spin = get3(slow.motion, o, AT), get3(slow.motion, o, SPEED), get3(slow.motion, o, TURN)
        frame, held = get9(slow.motion, o, FRAME), stiff.way[o] == HELD
        if held:
            for k in range(begin, end):
                set_three(slow.given, first + 3 * (k - begin), read(now.velocity, stiff.particle[k]))
        else:
            at, along, about, across = lane_of(centre), lane_of(speed), lane_of(spin), rows_of(frame)
            for k in range(begin, end):
                i = stiff.particle[k]
                off = row(now.velocity, i) - (along + crossed(about, row(now.position, i) - at))
                store(slow.given, first + 3 * (k - begin), summed_up(across, vector_of(off)))
        multiply(stiff.inertia_added, stiff.matrix_start[o], 3 * (end - begin), stiff.width[o], slow.given, first, slow.got)
        energy, power, own = splat(0.0), splat(0.0), lane_of(STILL if held else applied_back(frame, spin))
        for k in range(begin, end):
            j = first + 3 * (k - begin)
            rate, added = load(slow.given, j), load(slow.got, j)
            energy = energy + rate * added
            power = power + added * crossed(own, rate)
        energy, power = sum_of_three(energy), sum_of_three(power)
        slow.sums[o, ENERGY], slow.sums[o, POWER] = 0.5 * energy, 2.0 * power
        if stiff.way[o] == ON_RIGID:
            slow.sums[o, POWER] -= lacking_power(arrays, slow, o, slow.followed, slow.lead)
    return meet(buffers.sync, team, generation)


@kernel
def lacking_power(arrays, slow, o, following, lead):
    """y'·M Z a − A y'·(B − Z) a, with y', A y' as they stand, M Z a in rows and a, both in the frame."""
    stiff, mass, first, begin = arrays.stiff, arrays.particles.mass, arrays.stiff.first[o], arrays.stiff.start[o]
    push, turn, power = lane_of(get3(lead, o, 0)), lane_of(get3(lead, o, 3)), splat(0.0)
    for k in range(begin, stiff.free_end[o]):
        j, followed = first + 3 * (k - begin), row(following, k)
        whole = push + crossed(turn, row(stiff.rest, k) + row(slow.away, k))
        less = whole - followed * splat(1.0 / mass[stiff.particle[k]])
        power = power + (load(slow.given, j) * followed - load(slow.got, j) * less)
    return sum_of_three(power)


@kernel
def lacked(arrays, slow, o, start, start_rigid, found, found_rigid, push, turn):
    """What Z lacked while object o followed a change of velocity of its rigid [J]; velocities before and behind that."""
    stiff, body, first, begin = arrays.stiff, arrays.stiff.rigid[o], arrays.stiff.first[o], arrays.stiff.start[o]
    frame = get9(slow.motion, o, FRAME)
    speed = scaled(plus(get3(start_rigid, body, VELOCITY), get3(found_rigid, body, VELOCITY)), 0.5)
    spin = applied_back(frame, scaled(plus(get3(start_rigid, body, SPIN), get3(found_rigid, body, SPIN)), 0.5))
    along, about, across, half = lane_of(speed), lane_of(spin), rows_of(frame), splat(0.5)
    for k in range(begin, stiff.free_end[o]):
        i = stiff.particle[k]
        own = (row(start, i) + row(found, i)) * half - along
        carried = crossed(about, row(stiff.rest, k) + row(slow.away, k))
        store(slow.given, first + 3 * (k - begin), summed_up(across, vector_of(own)) - carried)
    multiply(stiff.inertia_added, stiff.matrix_start[o], 3 * (stiff.free_end[o] - begin), stiff.width[o], slow.given, first,
             slow.got)
    follow(arrays, slow, o, push, turn, slow.behind)
    set3(slow.change, o, 0, applied_back(frame, push))
    set3(slow.change, o, 3, applied_back(frame, turn))
    return lacking_power(arrays, slow, o, slow.behind, slow.change)


@kernel
def lacked_by_jump(arrays, slow, o, push, turn):
    """What Z lacks of the velocities (Z − B) a that object o gets in a unit of time by an acceleration a of its rigid [W/s]."""
    stiff, mass, first, begin = arrays.stiff, arrays.particles.mass, arrays.stiff.first[o], arrays.stiff.start[o]
    frame = get9(slow.motion, o, FRAME)
    own, own_turn = applied_back(frame, push), applied_back(frame, turn)
    follow(arrays, slow, o, push, turn, slow.behind)
    along, about = lane_of(own), lane_of(own_turn)
    for k in range(begin, stiff.free_end[o]):
        whole = along + crossed(about, row(stiff.rest, k) + row(slow.away, k))
        store(slow.given, first + 3 * (k - begin), row(slow.behind, k) * splat(1.0 / mass[stiff.particle[k]]) - whole)
    multiply(stiff.inertia_added, stiff.matrix_start[o], 3 * (stiff.free_end[o] - begin), stiff.width[o], slow.given, first,
             slow.got)
    set3(slow.change, o, 0, own)
    set3(slow.change, o, 3, own_turn)
    return lacking_power(arrays, slow, o, slow.behind, slow.change)


@inlined
def enter_stiff(buffers):
    """What the added inertia stores, and what is taken from it, at the end of the attempt."""
    buffers.books[ADDED, NEXT] = column_sum(buffers.slow.sums, ENERGY)
    buffers.books[TURNED_IN, NEXT_RATE] = column_sum(buffers.slow.sums, POWER)
