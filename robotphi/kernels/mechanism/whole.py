"""A mechanism that hangs on nothing as one body: its centre of mass and its momenta go as those of a single body do.

    C⁺ = C + τ (P + ½ τ F)/M        P⁺ = P + ½ τ (F + F⁺)        L⁺ = L + ½ τ (N + N⁺)

with F, N the loads of all its rigids, moments about the centre of mass. What joints transmit is not among them, so both momenta
are kept to rounding; the base moves so that they come out: all rigids then turn and shift as one.
"""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.maths.matrices import NOTHING, diagonal, less_outer, solved, sum_of, turned_diagonal
from robotphi.kernels.maths.vectors import cross, get3, minus, plus, scaled, set3
from robotphi.kernels.mechanism.columns import FIRST_HALF, SECOND_HALF
from robotphi.kernels.step.rigids import CENTRE, SPIN, VELOCITY, axes_of, get_orientation, rotate, rotate_back, row3, times

ZERO = (0.0, 0.0, 0.0)


@kernel
def centre_of(mechanisms, rigids, rows, of_links, begin, end):
    """Centre of mass of links begin … end−1; `rows` of the links themselves, or of all rigids."""
    total, mass = ZERO, 0.0
    for i in range(begin, end):
        body = mechanisms.rigid[i]
        if body >= 0:
            total = plus(total, scaled(get3(rows, i if of_links else body, CENTRE), rigids.mass[body]))
            mass += rigids.mass[body]
    return scaled(total, 1.0 / mass)


@kernel
def momenta_of(mechanisms, rigids, rows, of_links, centre, begin, end):
    """Linear momentum, and angular about the centre of mass."""
    push, spin = ZERO, ZERO
    for i in range(begin, end):
        body = mechanisms.rigid[i]
        if body >= 0:
            row = i if of_links else body
            q = get_orientation(rows, row)
            own = scaled(get3(rows, row, VELOCITY), rigids.mass[body])
            push = plus(push, own)
            turning = rotate(q, times(rotate_back(q, get3(rows, row, SPIN)), row3(rigids.inertia, body)))
            spin = plus(spin, plus(turning, cross(minus(get3(rows, row, CENTRE), centre), own)))
    return push, spin


@kernel
def loads_on(mechanisms, rows, load, centre, begin, end):
    """Force and moment about the centre of mass of all loads together."""
    force, moment = ZERO, ZERO
    for i in range(begin, end):
        body = mechanisms.rigid[i]
        if body >= 0:
            own = get3(load, body, 0)
            force = plus(force, own)
            moment = plus(moment, plus(get3(load, body, 3), cross(minus(get3(rows, body, CENTRE), centre), own)))
    return force, moment


@kernel
def impulse_on(links, m, half, centre):
    """Impulse of dampers apart in a half of the step, and its moment about the centre of mass."""
    push = get3(links.impulse, m, half)
    return push, minus(get3(links.impulse, m, half + 3), cross(centre, push))


@kernel
def inertia_of(mechanisms, rigids, rows, centre, begin, end):
    """Inertia about the centre of mass, as if all joints were stiff."""
    total = NOTHING
    for i in range(begin, end):
        body = mechanisms.rigid[i]
        if body >= 0:
            r, mass = minus(get3(rows, i, CENTRE), centre), rigids.mass[body]
            own = turned_diagonal(axes_of(get_orientation(rows, i)), row3(rigids.inertia, body))
            square = mass * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
            total = sum_of(total, less_outer(sum_of(own, diagonal(square)), scaled(r, mass), r))
    return total


@kernel
def shift_links(links, by, begin, end):
    for i in range(begin, end):
        set3(links.pose, i, CENTRE, plus(get3(links.pose, i, CENTRE), by))


@kernel
def drift_whole(mechanisms, rigids, links, now, place, dt, m):
    """Shift the posed links, and the place of their base, to where the centre of mass goes."""
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first = mechanisms.freedom_start[begin]
    centre = centre_of(mechanisms, rigids, now.rigid, False, begin, end)
    push, _ = momenta_of(mechanisms, rigids, now.rigid, False, centre, begin, end)
    force, _ = loads_on(mechanisms, now.rigid, now.load, centre, begin, end)
    middle = plus(plus(push, scaled(force, 0.5 * dt)), get3(links.impulse, m, FIRST_HALF))
    wanted = plus(centre, scaled(middle, dt / mechanisms.mass[m]))
    by = minus(wanted, centre_of(mechanisms, rigids, links.pose, True, begin, end))
    shift_links(links, by, begin, end)
    for axis in range(3):   # the freedoms of a base are x, y, z of the world first
        place[first + axis, 0] += by[axis]


@kernel
def keep_momenta(mechanisms, rigids, links, now, ahead, rate, dt, m):
    """Change the rates of the base so that the momenta come out as the loads want; the links move with the rates given."""
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first = mechanisms.freedom_start[begin]
    centre = centre_of(mechanisms, rigids, now.rigid, False, begin, end)
    push, spin = momenta_of(mechanisms, rigids, now.rigid, False, centre, begin, end)
    force, moment = loads_on(mechanisms, now.rigid, now.load, centre, begin, end)
    centre_ahead = centre_of(mechanisms, rigids, links.pose, True, begin, end)
    force_ahead, moment_ahead = loads_on(mechanisms, ahead.rigid, ahead.load, centre_ahead, begin, end)
    push_there, spin_there = momenta_of(mechanisms, rigids, links.pose, True, centre_ahead, begin, end)
    push_first, turn_first = impulse_on(links, m, FIRST_HALF, centre)
    push_second, turn_second = impulse_on(links, m, SECOND_HALF, centre_ahead)
    wanted = plus(plus(push, scaled(plus(force, force_ahead), 0.5 * dt)), plus(push_first, push_second))
    lacking = minus(wanted, push_there)
    wanted = plus(plus(spin, scaled(plus(moment, moment_ahead), 0.5 * dt)), plus(turn_first, turn_second))
    turning = minus(wanted, spin_there)
    turn = solved(inertia_of(mechanisms, rigids, links.pose, centre_ahead, begin, end), turning)
    shift = plus(scaled(lacking, 1.0 / mechanisms.mass[m]),
                 cross(turn, minus(get3(links.pose, begin, CENTRE), centre_ahead)))
    for axis in range(3):
        rate[first + axis, 0] += shift[axis]
        rate[first + 3 + axis, 0] += turn[axis]
