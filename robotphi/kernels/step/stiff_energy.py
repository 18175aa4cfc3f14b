"""What the inertia of stiff objects stores, and what is taken from it, for the ledger.

A stores ½ y'·A y'. As the frame turns, fast modes change into each other with their speeds, not with what A has of them: that
has the power −2 y'·A (ω × y'). Where an object is glued to a rigid, particles follow it with Z a, which lacks of what A wants

    y'·((M + A) Z a − A B a)        nothing at rest, of the order of the strain else

Both are in one entry, with these powers at the ends of a step, a those that forces there were taken with; what it was beside
that in a half of the step, by dampers and joints, is booked along that half. What y' changes by following a meanwhile counts
half: in smooth motion both halves of a step have it alike, but not where a stop is hit. It is what slowing down does to energy.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel, kernel_unless
from robotphi.kernels.compiling.team import meet
from robotphi.kernels.maths.matrices import applied_back, get9
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3
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
    three,
)
from robotphi.kernels.step.stiff_glued import follow

ADDED, TURNED_IN = places("added_inertia", "added_inertia_turning")
ENERGY, POWER, LACKED = range(3)   # columns of the sums


@kernel_unless(NoStiff, lambda arrays, buffers, now, member, team, generation: generation)
def stiff_energies(arrays, buffers, now, member, team, generation):
    """½ y'·A y' of each stiff object, and the power that is taken from it."""
    stiff, slow = arrays.stiff, buffers.slow
    for o in range(member, len(stiff.way), team):
        know_motion(arrays, slow, now, o)
        begin, end, first = stiff.start[o], stiff.free_end[o], stiff.first[o]
        centre, speed, spin = get3(slow.motion, o, AT), get3(slow.motion, o, SPEED), get3(slow.motion, o, TURN)
        frame, held = get9(slow.motion, o, FRAME), stiff.way[o] == HELD
        for k in range(begin, end):
            i = stiff.particle[k]
            rate = read(now.velocity, i)
            if not held:
                carried = plus(speed, cross(spin, minus(read(now.position, i), centre)))
                rate = applied_back(frame, minus(rate, carried))
            set_three(slow.given, first + 3 * (k - begin), rate)
        multiply(stiff.inertia_added, stiff.matrix_start[o], 3 * (end - begin), stiff.width[o], slow.given, first, slow.got)
        energy, power, own = 0.0, 0.0, applied_back(frame, spin)
        for k in range(begin, end):
            j = first + 3 * (k - begin)
            rate, added = (slow.given[j], slow.given[j + 1], slow.given[j + 2]), three(slow.got, j)
            energy += dot(rate, added)
            if not held:
                power += dot(added, cross(own, rate))
        slow.sums[o, ENERGY], slow.sums[o, POWER] = 0.5 * energy, 2.0 * power
        if stiff.way[o] == ON_RIGID:
            slow.sums[o, POWER] -= lacking_power(arrays, slow, o, slow.followed, slow.lead)
    return meet(buffers.sync, team, generation)


@kernel
def lacking_power(arrays, slow, o, following, lead):
    """y'·M Z a − A y'·(B − Z) a, with y', A y' as they stand, M Z a in rows and a, both in the frame."""
    stiff, mass, first, begin = arrays.stiff, arrays.particles.mass, arrays.stiff.first[o], arrays.stiff.start[o]
    push, turn, power = get3(lead, o, 0), get3(lead, o, 3), 0.0
    for k in range(begin, stiff.free_end[o]):
        j, followed = first + 3 * (k - begin), get3(following, k, 0)
        whole = plus(push, cross(turn, plus(get3(stiff.rest, k, 0), get3(slow.away, k, 0))))
        less = minus(whole, scaled(followed, 1.0 / mass[stiff.particle[k]]))
        power += dot((slow.given[j], slow.given[j + 1], slow.given[j + 2]), followed) - dot(three(slow.got, j), less)
    return power


@kernel
def lacked(arrays, slow, o, start, start_rigid, found, found_rigid, push, turn):
    """What Z lacked while object o followed a change of velocity of its rigid [J]; velocities before and behind that."""
    stiff, body, first, begin = arrays.stiff, arrays.stiff.rigid[o], arrays.stiff.first[o], arrays.stiff.start[o]
    frame = get9(slow.motion, o, FRAME)
    speed = scaled(plus(get3(start_rigid, body, VELOCITY), get3(found_rigid, body, VELOCITY)), 0.5)
    spin = applied_back(frame, scaled(plus(get3(start_rigid, body, SPIN), get3(found_rigid, body, SPIN)), 0.5))
    for k in range(begin, stiff.free_end[o]):
        i = stiff.particle[k]
        own = minus(scaled(plus(read(start, i), read(found, i)), 0.5), speed)
        carried = cross(spin, plus(get3(stiff.rest, k, 0), get3(slow.away, k, 0)))
        set_three(slow.given, first + 3 * (k - begin), minus(applied_back(frame, own), carried))
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
    for k in range(begin, stiff.free_end[o]):
        whole = plus(own, cross(own_turn, plus(get3(stiff.rest, k, 0), get3(slow.away, k, 0))))
        set_three(slow.given, first + 3 * (k - begin),
                  minus(scaled(get3(slow.behind, k, 0), 1.0 / mass[stiff.particle[k]]), whole))
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
