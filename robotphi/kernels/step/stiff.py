"""Stiff objects: what is fast in them is slowed down, so that it asks for no shorter steps; forces stay what they are.

The particles of a stiff object have inertia against straining beside their mass. With y = Rᵀ (x − c) in the frame R that turns
with the object and y' its rate there,

    (M + R A Rᵀ) v̇ = f + R A Rᵀ c        that is    v̇ = c + (M + R A Rᵀ)⁻¹ (f − M c)        c = ω × (ω × r)

A acts on y' alone: it is zero on motions of a rigid, so that both momenta, rests, and steady turns are those of the mass M. It
is laid down at the build (`model/stiff`), in the modes of the object at rest: of a frequency ω it leaves

    ω/(1 + (ω/ω_c)⁴)^(1/4)

slow ones are what they are (to 1 % at 0.45 ω_c), fast ones come near ω_c = 1.5/T for the step T that the object is to allow.
(M + A)⁻¹ is dense and constant in the frame: one product each evaluation of the forces. What A stores, ½ y'·A y', is an entry
of the ledger. As the frame turns, fast modes change into each other with their speeds, not with what A has of them: a second
entry has the power −2 y'·A (ω × y') of that.

Three ways. HELD: supports leave no rigid motion, the frame is the world. FREE: the frame is the best-fit rotation, R of the
polar decomposition of Σ m r Xᵀ (Σ m X Xᵀ)⁻¹, and ω follows from the momenta. The inverse is Π R D Rᵀ Πᵀ + B G⁻¹ Bᵀ: B the rigid
motions of now, G their inertia, Π = 1 − B G⁻¹ Bᵀ M, D = (M + A)⁻¹; symmetric, with both momenta exact for any R and D.
ON_RIGID: the frame is the rigid the object is glued to, whose acceleration a follows from the momenta of both together:

    (M_r + Bᵀ M B − Bᵀ M Y) a = w + Bᵀ (f − M c) − Bᵀ M D (f − M c)        Y = D M B_0 + κ (B − B_0)
    v̇ = B a + c + D (f − M c) − Y a

with w the load of the rigid, B_0 at rest; κ, the mean share of D M, stands for D M where the shape is not that at rest, an
error of inertia of the order of the strain. Momenta are exact for any Y. Forces of particles and the load are replaced by what
gives these accelerations to M and M_r, so that all that comes after them does not know.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.lanes import load, set_row, splat
from robotphi.kernels.compiling.team import meet
from robotphi.kernels.maths.matrices import applied, applied_back, get9, inverse_transposed, set9, turn_of
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3
from robotphi.kernels.step.entries import NEXT, NEXT_RATE, places
from robotphi.kernels.step.ledger import column_sum
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, SPIN, VELOCITY, get_orientation, rotate, row3
from robotphi.kernels.step.rigids import HELD as NO_TURN

ADDED, TURNED_IN = places("added_inertia", "added_inertia_turning")
FREE, HELD, ON_RIGID = 0, 1, 2   # ways
PADDED = 16                      # rows of the matrices have a multiple of this
# columns of the motion of an object: centre, its velocity, spin, frame, inverse of the inertia about the centre, mass
AT, SPEED, TURN, FRAME, EASE, MASS = 0, 3, 6, 9, 18, 27
MOTION_COLUMNS = 28
ENERGY, POWER = 0, 1             # columns of the sums


@kernel
def multiply(matrix, begin, count, width, given, first, got):
    """got[…] = matrix · given, of a symmetric matrix whose rows start at `begin`; four columns to a lane."""
    for column in range(0, width, PADDED):
        a, b, c, d = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
        place = begin + column
        for j in range(count):
            z = splat(given[first + j])
            a = a + load(matrix, place) * z
            b = b + load(matrix, place + 4) * z
            c = c + load(matrix, place + 8) * z
            d = d + load(matrix, place + 12) * z
            place += width
        into = (first + column) >> 2
        set_row(got, into, a)
        set_row(got, into + 1, b)
        set_row(got, into + 2, c)
        set_row(got, into + 3, d)


@inlined
def three(rows, k):
    """Numbers k, k + 1, k + 2 of rows of four."""
    return rows[k >> 2, k & 3], rows[(k + 1) >> 2, (k + 1) & 3], rows[(k + 2) >> 2, (k + 2) & 3]


@inlined
def outward(w, r):
    """ω × (ω × r)."""
    return cross(w, cross(w, r))


@kernel
def know_motion(arrays, slow, now, o):
    """Centre, velocity, spin and frame of object o."""
    stiff, motion = arrays.stiff, slow.motion
    if stiff.way[o] == HELD:
        return
    if stiff.way[o] == ON_RIGID:
        i = stiff.rigid[o]
        q = get_orientation(now.rigid, i)
        x, y, z = rotate(q, (1.0, 0.0, 0.0)), rotate(q, (0.0, 1.0, 0.0)), rotate(q, (0.0, 0.0, 1.0))
        set3(motion, o, AT, get3(now.rigid, i, CENTRE))
        set3(motion, o, SPEED, get3(now.rigid, i, VELOCITY))
        set3(motion, o, TURN, get3(now.rigid, i, SPIN))
        set9(motion, o, FRAME, ((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])))
        return
    begin, end = stiff.start[o], stiff.free_end[o]
    total, centre, speed = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(begin, end):
        i = stiff.particle[k]
        m = arrays.particles.mass[i]
        total += m
        centre, speed = plus(centre, scaled(read(now.position, i), m)), plus(speed, scaled(read(now.velocity, i), m))
    centre, speed = scaled(centre, 1.0 / total), scaled(speed, 1.0 / total)
    momentum, zero = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    s0, s1, s2 = zero, zero, zero      # Σ m r rᵀ
    f0, f1, f2 = zero, zero, zero      # Σ m r Xᵀ
    for k in range(begin, end):
        i = stiff.particle[k]
        r, rest = minus(read(now.position, i), centre), get3(stiff.rest, k, 0)
        mr = scaled(r, arrays.particles.mass[i])
        momentum = plus(momentum, cross(mr, minus(read(now.velocity, i), speed)))
        s0, s1, s2 = plus(s0, scaled(r, mr[0])), plus(s1, scaled(r, mr[1])), plus(s2, scaled(r, mr[2]))
        f0, f1, f2 = plus(f0, scaled(rest, mr[0])), plus(f1, scaled(rest, mr[1])), plus(f2, scaled(rest, mr[2]))
    trace = s0[0] + s1[1] + s2[2]
    ease = inverse_transposed(((trace - s0[0], -s0[1], -s0[2]), (-s1[0], trace - s1[1], -s1[2]),
                               (-s2[0], -s2[1], trace - s2[2])))
    shape = get9(stiff.inverse, o, 0)   # symmetric: m times it, row by row
    set3(motion, o, AT, centre)
    set3(motion, o, SPEED, speed)
    set3(motion, o, TURN, applied(ease, momentum))
    set9(motion, o, FRAME, turn_of((applied(shape, f0), applied(shape, f1), applied(shape, f2))))
    set9(motion, o, EASE, ease)
    motion[o, MASS] = total


# Accelerations ----------------------------------------------------------------------------------------------------------

@kernel
def slow_forces(arrays, buffers, now, member, team, generation):
    """Forces of particles and loads of rigids that are in stiff objects become what gives them their accelerations."""
    stiff, slow = arrays.stiff, buffers.slow
    for o in range(member, len(stiff.way), team):
        know_motion(arrays, slow, now, o)
        i = stiff.rigid[o]
        if i >= 0:
            know_joint(arrays, slow, now, o)
            for axis in range(6):
                slow.load[o, axis] = now.load[i, axis]
        respond(arrays, slow, now, o, now.force, now.force, get3(slow.motion, o, TURN))
        if i >= 0:
            for axis in range(6):
                now.load[i, axis] = slow.load[o, axis]
    return meet(buffers.sync, team, generation)


@kernel
def respond(arrays, slow, now, o, force, answer, spin):
    """What gives the particles of object o, and in `slow.load` its rigid, their accelerations by forces (or impulses) on them.

    `spin`: ω of c, or zero where velocities bring nothing along.
    """
    if arrays.stiff.way[o] == HELD:
        respond_held(arrays, slow, o, force, answer)
    elif arrays.stiff.way[o] == FREE:
        respond_free(arrays, slow, now, o, force, answer, spin)
    else:
        respond_on_rigid(arrays, slow, now, o, force, answer, spin)


@kernel
def through_inverse(stiff, slow, o):
    """D times what was given."""
    multiply(stiff.inertia_inverse, stiff.matrix_start[o], 3 * (stiff.free_end[o] - stiff.start[o]), stiff.width[o], slow.given,
             stiff.first[o], slow.got)


@inlined
def set_three(values, k, a):
    values[k], values[k + 1], values[k + 2] = a


@kernel
def respond_held(arrays, slow, o, force, answer):
    stiff, mass = arrays.stiff, arrays.particles.mass
    begin, first = stiff.start[o], stiff.first[o]
    for k in range(begin, stiff.free_end[o]):
        set_three(slow.given, first + 3 * (k - begin), read(force, stiff.particle[k]))
    through_inverse(stiff, slow, o)
    for k in range(begin, stiff.free_end[o]):
        i = stiff.particle[k]
        set3(answer, i, 0, scaled(three(slow.got, first + 3 * (k - begin)), mass[i]))


@kernel
def respond_free(arrays, slow, now, o, force, answer, spin):
    stiff, mass, motion = arrays.stiff, arrays.particles.mass, slow.motion
    begin, end, first = stiff.start[o], stiff.free_end[o], stiff.first[o]
    centre, frame, ease = get3(motion, o, AT), get9(motion, o, FRAME), get9(motion, o, EASE)
    total, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(begin, end):
        i = stiff.particle[k]
        r = minus(read(now.position, i), centre)
        b = minus(read(force, i), scaled(outward(spin, r), mass[i]))
        total, moment = plus(total, b), plus(moment, cross(r, b))
    share = 1.0 / motion[o, MASS]
    push, turn = scaled(total, share), applied(ease, moment)
    for k in range(begin, end):
        i = stiff.particle[k]
        r = minus(read(now.position, i), centre)
        rigid = plus(outward(spin, r), plus(push, cross(turn, r)))
        set_three(slow.given, first + 3 * (k - begin), applied_back(frame, minus(read(force, i), scaled(rigid, mass[i]))))
    through_inverse(stiff, slow, o)
    linear, angular = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(begin, end):
        i = stiff.particle[k]
        w = scaled(applied(frame, three(slow.got, first + 3 * (k - begin))), mass[i])
        linear, angular = plus(linear, w), plus(angular, cross(minus(read(now.position, i), centre), w))
    push, turn = minus(push, scaled(linear, share)), minus(turn, applied(ease, angular))
    for k in range(begin, end):
        i = stiff.particle[k]
        r = minus(read(now.position, i), centre)
        strained = applied(frame, three(slow.got, first + 3 * (k - begin)))
        set3(answer, i, 0, scaled(plus(strained, plus(outward(spin, r), plus(push, cross(turn, r)))), mass[i]))


@kernel
def respond_on_rigid(arrays, slow, now, o, force, answer, spin):
    stiff, mass, motion, rigids, solve = arrays.stiff, arrays.particles.mass, slow.motion, arrays.rigids, slow.solve
    begin, end, first, body, top = stiff.start[o], stiff.free_end[o], stiff.first[o], stiff.rigid[o], 6 * o
    centre, frame, load = get3(motion, o, AT), get9(motion, o, FRAME), slow.load
    for k in range(begin, end):
        i = stiff.particle[k]
        b = minus(read(force, i), scaled(outward(spin, minus(read(now.position, i), centre)), mass[i]))
        set_three(slow.given, first + 3 * (k - begin), applied_back(frame, b))
    through_inverse(stiff, slow, o)
    left, moment = gather_left(arrays, slow, now, o)
    gyro = cross(spin, get3(now.rigid, body, MOMENTUM))
    for a in range(6):
        for b in range(6):
            solve[top + a, b] = slow.joint[top + a, b]
    for axis in range(3):
        solve[top + axis, 6] = left[axis] + load[o, axis] if rigids.inverse_mass[body, axis] > 0.0 else 0.0
        solve[top + 3 + axis, 6] = moment[axis] + load[o, 3 + axis] - gyro[axis] if rigids.rotation[body] != NO_TURN else 0.0
    eliminate(solve, top)
    push = (solve[top, 6], solve[top + 1, 6], solve[top + 2, 6])
    turn = (solve[top + 3, 6], solve[top + 4, 6], solve[top + 5, 6])
    own_push, own_turn = applied_back(frame, push), applied_back(frame, turn)
    for k in range(begin, end):
        i, j = stiff.particle[k], first + 3 * (k - begin)
        r = minus(read(now.position, i), centre)
        away = scaled(minus(applied_back(frame, r), get3(stiff.rest, k, 0)), stiff.kept[o])
        followed = plus(follow_of(stiff, k, own_push, own_turn), cross(own_turn, away))
        strained = applied(frame, minus(three(slow.got, j), followed))
        set3(answer, i, 0, scaled(plus(strained, plus(outward(spin, r), plus(push, cross(turn, r)))), mass[i]))
    inertia = row3(rigids.inertia, body)
    torque = plus(applied(frame, (inertia[0] * own_turn[0], inertia[1] * own_turn[1], inertia[2] * own_turn[2])), gyro)
    for axis in range(3):
        if rigids.inverse_mass[body, axis] > 0.0:
            load[o, axis] = rigids.mass[body] * push[axis]
        if rigids.rotation[body] != NO_TURN:
            load[o, 3 + axis] = torque[axis]


@inlined
def follow_of(stiff, k, push, turn):
    """D M B_0 a of particle k, in the frame."""
    return (dot(get3(stiff.follow, k, 0), push) + dot(get3(stiff.follow, k, 3), turn),
            dot(get3(stiff.follow, k, 6), push) + dot(get3(stiff.follow, k, 9), turn),
            dot(get3(stiff.follow, k, 12), push) + dot(get3(stiff.follow, k, 15), turn))


@kernel
def know_joint(arrays, slow, now, o):
    """M_r + Bᵀ M B − Bᵀ M Y of object o and its rigid, in the world; with held axes as they are."""
    stiff, mass, motion, joint, rigids = arrays.stiff, arrays.particles.mass, slow.motion, slow.joint, arrays.rigids
    body, top, begin = stiff.rigid[o], 6 * o, stiff.start[o]
    centre, frame = get3(motion, o, AT), get9(motion, o, FRAME)
    for a in range(6):
        for b in range(6):
            joint[top + a, b] = 0.0
    for k in range(begin, stiff.free_end[o]):
        i = stiff.particle[k]
        m, r = mass[i], applied_back(frame, minus(read(now.position, i), centre))
        away = scaled(minus(r, get3(stiff.rest, k, 0)), stiff.kept[o])
        for b in range(6):   # what the particle does not follow of motion b: B − Y
            e = (1.0 if b % 3 == 0 else 0.0, 1.0 if b % 3 == 1 else 0.0, 1.0 if b % 3 == 2 else 0.0)
            moved = e if b < 3 else cross(e, minus(r, away))
            pushed = scaled(minus(moved, (stiff.follow[k, b], stiff.follow[k, 6 + b], stiff.follow[k, 12 + b])), m)
            turned = cross(r, pushed)
            for a in range(3):
                joint[top + a, b] += pushed[a]
                joint[top + 3 + a, b] += turned[a]
    inertia = row3(rigids.inertia, body)
    for a in range(3):
        joint[top + a, a] += rigids.mass[body]
        joint[top + 3 + a, 3 + a] += inertia[a]
    turn_to_world(joint, top, frame)
    for axis in range(3):
        hold_axis(joint, top, axis, not rigids.inverse_mass[body, axis] > 0.0)
        hold_axis(joint, top, 3 + axis, rigids.rotation[body] == NO_TURN)


@kernel
def gather_left(arrays, slow, now, o):
    """Bᵀ (f − M c − M D (f − M c)) of object o, in the world: force, and moment about the centre of its rigid."""
    stiff, mass, motion = arrays.stiff, arrays.particles.mass, slow.motion
    begin, first, force, moment = stiff.start[o], stiff.first[o], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    centre, frame = get3(motion, o, AT), get9(motion, o, FRAME)
    for k in range(begin, stiff.free_end[o]):
        i, j = stiff.particle[k], first + 3 * (k - begin)
        left = applied(frame, minus((slow.given[j], slow.given[j + 1], slow.given[j + 2]), scaled(three(slow.got, j), mass[i])))
        force, moment = plus(force, left), plus(moment, cross(minus(read(now.position, i), centre), left))
    return force, moment


@kernel
def turn_to_world(solve, top, frame):
    """Z → T Z Tᵀ with T = diag(R, R)."""
    for half in range(0, 6, 3):
        for b in range(6):
            a = applied(frame, (solve[top + half, b], solve[top + half + 1, b], solve[top + half + 2, b]))
            for k in range(3):
                solve[top + half + k, b] = a[k]
    for a in range(6):
        for half in range(0, 6, 3):
            set3(solve, top + a, half, applied(frame, get3(solve, top + a, half)))


@inlined
def hold_axis(joint, top, a, held):
    """Unknown a is zero where the right side is."""
    if held:
        for b in range(6):
            joint[top + a, b] = joint[top + b, a] = 0.0
        joint[top + a, a] = 1.0


@kernel
def eliminate(solve, top):
    """Solve six equations in place; the inertia of a body needs no pivoting."""
    for a in range(6):
        share = 1.0 / solve[top + a, a]
        for b in range(a + 1, 6):
            factor = solve[top + b, a] * share
            for column in range(a + 1, 7):
                solve[top + b, column] -= factor * solve[top + a, column]
    for a in range(5, -1, -1):
        for b in range(a + 1, 6):
            solve[top + a, 6] -= solve[top + a, b] * solve[top + b, 6]
        solve[top + a, 6] /= solve[top + a, a]


# Energy -----------------------------------------------------------------------------------------------------------------

@kernel
def stiff_energies(arrays, buffers, now, member, team, generation):
    """½ y'·A y' of each stiff object, and 2 y'·A (ω × y')."""
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
    return meet(buffers.sync, team, generation)


@inlined
def enter_stiff(buffers):
    """What the added inertia stores, and what turning takes from it, at the end of the attempt."""
    buffers.books[ADDED, NEXT] = column_sum(buffers.slow.sums, ENERGY)
    buffers.books[TURNED_IN, NEXT_RATE] = column_sum(buffers.slow.sums, POWER)
