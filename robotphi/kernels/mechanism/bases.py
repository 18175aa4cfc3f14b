"""Mechanisms on rigids that are driven: how the base moves and speeds up, and what it takes to carry them.

Both are those of its drives, A along driven axes and α about a driven one. A link on it speeds up at its own centre, r
behind, by A + α × r, and α, beside what the velocities bring along. What the base pushes the link with comes out of the
articulated recursion; its opposite joins the load of the base, so that drives book its work.

A mechanism that goes by flow (`by_flow`) borrows by impulses J, H of pieces of the step and of stops, which no load of an
instant knows: J·(V + A s) + H·(ω + α s) of the base's motion, at the time s of the middle of each piece since its instant.
"""
from robotphi.kernels.acts.drives import drive_acceleration, drive_value
from robotphi.kernels.acts.led import move_led_bases
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, scaled, set3
from robotphi.kernels.mechanism.closed import load_grounds
from robotphi.kernels.mechanism.columns import ELAPSED, KNOWN, WORLD
from robotphi.kernels.step.entries import EXTRA
from robotphi.kernels.step.rigids import row3


@kernel
def move_bases(arrays, links, time, inside):
    """Accelerations and velocities of all rigids that are driven, by their drives at `time`."""
    motions, base = arrays.motions, links.base
    for k in range(len(motions.rigid)):
        i, drive, axis = motions.rigid[k], motions.rigid_drive[k], motions.rigid_axis[k]
        rate = drive_value(arrays.drives, drive, time, inside)[1]
        gain = drive_acceleration(arrays.drives, drive, time, inside)
        if axis < 3:
            base[i, axis], base[i, 6 + axis] = gain, rate
        else:
            direction = row3(motions.rigid_direction, k)
            set3(base, i, 3, scaled(direction, gain))
            set3(base, i, 9, scaled(direction, rate))
    move_led_bases(arrays, base, time, inside)


@inlined
def pays_by_rate(mechanisms, m, apart):
    """Whether what driven rigids give mechanism m shows as power of the loads of instants: unless it goes by flow."""
    return mechanisms.led[m] == 1 and (apart or (mechanisms.eventful[m] == 0 and mechanisms.viscous[m] == 0))


@kernel
def load_bases(arrays, links, bound, load, m):
    """After the accelerations are found: what mechanism m pushes the rigids with that it hangs on joins their loads."""
    mechanisms = arrays.mechanisms
    for i in range(mechanisms.start[m], mechanisms.start[m + 1]):
        if mechanisms.parent[i] < WORLD:
            force, couple = carried_with(mechanisms, links, i)
            base = -2 - mechanisms.parent[i]
            set3(load, base, 0, minus(get3(load, base, 0), force))
            set3(load, base, 3, minus(get3(load, base, 3), couple))
    load_grounds(arrays.closures, bound, load, m)


@kernel
def carried_with(mechanisms, links, i):
    """Force and couple, about its centre, by which a rigid carries the solved link i that hangs on it."""
    force, couple = get3(links.push, i, 0), get3(links.push, i, 3)
    for k in range(mechanisms.freedom_start[i + 1] - 1, mechanisms.freedom_start[i] - 1, -1):
        left = links.share[k, 1] * links.share[k, 0] + links.flow[k, KNOWN]
        force = plus(force, scaled(get3(links.hold, k, 0), left))
        couple = plus(couple, scaled(get3(links.hold, k, 3), left))
    return force, plus(couple, cross(get3(links.reach, i, 0), force))


@kernel
def lend(mechanisms, closures, links, bound, span, m):
    """What driven rigids give solved links through a piece of the step; by impulses at once where `span` is nought."""
    if mechanisms.led[m] == 0:
        return
    share, since = span if span > 0.0 else 1.0, links.sums[m, ELAPSED] + 0.5 * span
    for i in range(mechanisms.start[m], mechanisms.start[m + 1]):
        if mechanisms.parent[i] < WORLD:
            force, couple = carried_with(mechanisms, links, i)
            lend_to(links, i, -2 - mechanisms.parent[i], scaled(force, share), scaled(couple, share), since, 0)
    for i in range(closures.start[m], closures.start[m + 1]):
        lend_to_closures(mechanisms, closures, links, bound, i, share * bound.pull[i, 0], since, 0)
    links.sums[m, ELAPSED] += span


@kernel
def lend_to(links, row, base, impulse, moment, since, column):
    """Book an impulse of a rigid, by what it does along x, y, z and about its own turn."""
    for axis in range(3):
        links.lent[row, column + axis] += impulse[axis] * (links.base[base, 6 + axis] + since * links.base[base, axis])
    links.lent[row, column + 3] += dot(moment, plus(get3(links.base, base, 9), scaled(get3(links.base, base, 3), since)))


@kernel
def lend_to_closures(mechanisms, closures, links, bound, i, impulse, since, column):
    """The same of an impulse of row i of the closures."""
    for side in range(2):
        base = -2 - (closures.other[i] if side == 0 else closures.one[i])
        if base >= 0:
            lend_to(links, len(mechanisms.rigid) + 2 * i + side, base, scaled(get3(bound.wrench, i, 6 * side), -impulse),
                    scaled(get3(bound.wrench, i, 6 * side + 3), -impulse), since, column)


@kernel
def keep_lent(mechanisms, closures, links, m, into, of):
    """Four columns of what is lent to mechanism m into others; nothing where `of` is negative."""
    links_of, rows = len(mechanisms.rigid), closures.start
    for k in range(mechanisms.start[m + 1] - mechanisms.start[m] + 2 * (rows[m + 1] - rows[m])):
        own = mechanisms.start[m] + k
        row = own if own < mechanisms.start[m + 1] else links_of + 2 * rows[m] + own - mechanisms.start[m + 1]
        for axis in range(4):
            links.lent[row, into + axis] = links.lent[row, of + axis] if of >= 0 else 0.0


@kernel
def book_lent(arrays, buffers, m):
    """The work of drives of rigids that a mechanism by flow hangs on."""
    motions = arrays.motions
    for k in range(len(motions.rigid)):
        axis = min(motions.rigid_axis[k], 3)
        work = lent_by(arrays, buffers.links.lent, motions.rigid[k], axis, axis + 1, m)
        buffers.books[buffers.book_of_drive[motions.rigid_drive[k]], EXTRA] += work
    for n in range(len(motions.led.rigid)):
        entry = buffers.book_of_drive[motions.led.pose[motions.led.rigid_motion[n], 0]]
        buffers.books[entry, EXTRA] += lent_by(arrays, buffers.links.lent, motions.led.rigid[n], 0, 4, m)


@kernel
def lent_by(arrays, lent, rigid, first, last, m):
    """What a rigid lends mechanism m, of columns first … last−1."""
    mechanisms, closures, work = arrays.mechanisms, arrays.closures, 0.0
    for i in range(mechanisms.start[m], mechanisms.start[m + 1]):
        if mechanisms.parent[i] == -2 - rigid:
            for column in range(first, last):
                work += lent[i, column]
    for i in range(closures.start[m], closures.start[m + 1]):
        for side in range(2):
            if (closures.other[i] if side == 0 else closures.one[i]) == -2 - rigid:
                for column in range(first, last):
                    work += lent[len(mechanisms.rigid) + 2 * i + side, column]
    return work

