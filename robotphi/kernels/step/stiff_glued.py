"""Stiff objects that are glued to a rigid (`stiff`): what they are to the rigid, and how they follow it.

All in the frame of the rigid: with X at rest and u what particles are off it, B_0 and B = B_0 + U the motions of the rigid at
X and at X + u (U a = α × u), and Z_0 = B_0 − D M B_0 how particles follow at rest, they have beside what forces give them Z a
by the acceleration a of the rigid,

    v̇ = Z a + c + D (f − M c)        Z = Z_0 + λ U − B G⁻¹ F        F = (λ B_0 − Z_0)ᵀ M U        G = Bᵀ M B

λ = 1 − κ, the mean share of 1 − D M, stands for it where the shape is not that at rest. The rigid finds at its centre, beside
its own inertia M_r, the symmetric

    S = Bᵀ M Z = S_0 + Uᵀ M Z_0 + (Uᵀ M Z_0)ᵀ + λ Uᵀ M U        (M_r + S) a = w + Bᵀ (1 − M D) (f − M c)

which is right but for squares of u. Momenta are exact for any such Z; the power of what it lacks is known (`stiff_energy`).
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.lanes import crossed, lane_of, load, row, set_row, splat, store, vector_of
from robotphi.kernels.maths.matrices import (
    applied,
    applied_back,
    columns_of,
    get9,
    inverse_transposed,
    rows_of,
    set9,
    summed_up,
)
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3
from robotphi.kernels.step.stiff_frame import AT, FRAME, through_inverse

# Columns of `Slow.glue`, and the first of `Stiff.whole` at rest: S in blocks of nine, force by push and by turn, couple by turn
LINEAR, MIXED, ANGULAR = 0, 9, 18
SHIFT, SPREAD = 27, 30           # of `Stiff.whole`: Σ m X, Σ m X Xᵀ, Σ m; of `Slow.glue`: Σ m u, Σ m u Xᵀ
MASS = 39
TURNS = 39                       # of `Slow.glue`: Σ m u × Z_0, motion by motion
MIDDLE, EASE = 57, 60            # centre of mass of the particles, inverse of their inertia about it
GLUE_COLUMNS = 72


@kernel
def know_glued(arrays, slow, now, o):
    """S of object o where its particles are, and what Z is made of; its motion is known."""
    stiff, mass, motion, glue = arrays.stiff, arrays.particles.mass, slow.motion, slow.glue
    begin, end, none = stiff.start[o], stiff.free_end[o], splat(0.0)
    centre, frame = lane_of(get3(motion, o, AT)), rows_of(get9(motion, o, FRAME))
    moved, w0, w1, w2, u0, u1, u2 = none, none, none, none, none, none, none
    for k in range(begin, end):
        i, rest = stiff.particle[k], row(stiff.rest, k)
        u = summed_up(frame, vector_of(row(now.position, i) - centre)) - rest
        set_row(slow.away, k, u)
        mu = u * splat(mass[i])
        x, y, z = vector_of(mu)
        moved = moved + mu
        w0, w1, w2 = w0 + rest * splat(x), w1 + rest * splat(y), w2 + rest * splat(z)
        u0, u1, u2 = u0 + u * splat(x), u1 + u * splat(y), u2 + u * splat(z)
    shift, w0, w1, w2 = vector_of(moved), vector_of(w0), vector_of(w1), vector_of(w2)
    u0, u1, u2 = vector_of(u0), vector_of(u1), vector_of(u2)
    for b in range(6):
        set3(glue, o, TURNS + 3 * b, turned_by(stiff, slow, o, b))
    whole, lag, trace = stiff.whole, 1.0 - stiff.kept[o], u0[0] + u1[1] + u2[2]
    for b in range(3):
        set3(glue, o, LINEAR + 3 * b, get3(whole, o, LINEAR + 3 * b))
        set3(glue, o, MIXED + 3 * b, plus(get3(whole, o, MIXED + 3 * b), get3(glue, o, TURNS + 3 * b)))
    squares = (u0, u1, u2)
    for a in range(3):
        for b in range(3):
            added = glue[o, TURNS + 9 + 3 * b + a] + glue[o, TURNS + 9 + 3 * a + b] - lag * squares[a][b]
            glue[o, ANGULAR + 3 * a + b] = whole[o, ANGULAR + 3 * a + b] + added + (lag * trace if a == b else 0.0)
    set3(glue, o, SHIFT, shift)
    set9(glue, o, SPREAD, (w0, w1, w2))
    total = whole[o, MASS]
    middle = scaled(plus(get3(whole, o, SHIFT), shift), 1.0 / total)
    set3(glue, o, MIDDLE, middle)
    x0, x1, x2 = get9(whole, o, SPREAD)
    s0 = plus(plus(x0, u0), minus(plus(w0, (w0[0], w1[0], w2[0])), scaled(middle, total * middle[0])))
    s1 = plus(plus(x1, u1), minus(plus(w1, (w0[1], w1[1], w2[1])), scaled(middle, total * middle[1])))
    s2 = plus(plus(x2, u2), minus(plus(w2, (w0[2], w1[2], w2[2])), scaled(middle, total * middle[2])))
    trace = s0[0] + s1[1] + s2[2]
    set9(glue, o, EASE, inverse_transposed(((trace - s0[0], -s0[1], -s0[2]), (-s1[0], trace - s1[1], -s1[2]),
                                                  (-s2[0], -s2[1], trace - s2[2]))))


@kernel
def turned_by(stiff, slow, o, b):
    """Σ m u × Z_0 of motion b."""
    x, y, z, outer = splat(0.0), splat(0.0), splat(0.0), slow.outer
    for k in range(stiff.start[o], stiff.free_end[o]):
        own = row(stiff.lag, 6 * k + b)
        x = x + own * slow.away[k, 0]
        y = y + own * slow.away[k, 1]
        z = z + own * slow.away[k, 2]
    set_row(outer, 3 * o, x)
    set_row(outer, 3 * o + 1, y)
    set_row(outer, 3 * o + 2, z)
    return (outer[3 * o + 1, 2] - outer[3 * o + 2, 1], outer[3 * o + 2, 0] - outer[3 * o, 2],
            outer[3 * o, 1] - outer[3 * o + 1, 0])


@kernel
def push_glued(arrays, slow, o, force, spin):
    """D (f − M c) of object o, and into `slow.load` what that leaves for its rigid, Bᵀ (1 − M D) (f − M c), in the world."""
    stiff, mass = arrays.stiff, arrays.particles.mass
    begin, end, first, frame = stiff.start[o], stiff.free_end[o], stiff.first[o], get9(slow.motion, o, FRAME)
    own, across = lane_of(applied_back(frame, spin)), rows_of(frame)
    for k in range(begin, end):
        i, place = stiff.particle[k], row(stiff.rest, k) + row(slow.away, k)
        store(slow.given, first + 3 * (k - begin),
              summed_up(across, read(force, i)) - crossed(own, crossed(own, place)) * splat(mass[i]))
    through_inverse(stiff, slow, o)
    total, moment = splat(0.0), splat(0.0)
    for k in range(begin, end):
        j, place = first + 3 * (k - begin), row(stiff.rest, k) + row(slow.away, k)
        left = load(slow.given, j) - load(slow.got, j) * splat(mass[stiff.particle[k]])
        total, moment = total + left, moment + crossed(place, left)
    set3(slow.load, o, 0, applied(frame, vector_of(total)))
    set3(slow.load, o, 3, applied(frame, vector_of(moment)))


@kernel
def lean_back(stiff, slow, o, turn):
    """G⁻¹ F a, the motion that Z has less: of the centre of the rigid, and the turn."""
    glue, lag = slow.glue, 1.0 - stiff.kept[o]
    w0, w1, w2 = get9(glue, o, SPREAD)
    trace = w0[0] + w1[1] + w2[2]
    force = minus(scaled(cross(turn, get3(glue, o, SHIFT)), lag),
                  (dot(turn, get3(glue, o, TURNS)), dot(turn, get3(glue, o, TURNS + 3)), dot(turn, get3(glue, o, TURNS + 6))))
    moment = minus(scaled(minus(scaled(turn, trace), (dot(w0, turn), dot(w1, turn), dot(w2, turn))), lag),
                   (dot(turn, get3(glue, o, TURNS + 9)), dot(turn, get3(glue, o, TURNS + 12)),
                    dot(turn, get3(glue, o, TURNS + 15))))
    middle = get3(glue, o, MIDDLE)
    back = applied(get9(glue, o, EASE), minus(moment, cross(middle, force)))
    return minus(scaled(force, 1.0 / stiff.whole[o, MASS]), cross(back, middle)), back


@kernel
def follow(arrays, slow, o, push, turn, into):
    """M Z a of all particles of object o into rows, in the frame; `push`, `turn`: a of its rigid, in the world."""
    stiff, mass, frame = arrays.stiff, arrays.particles.mass, get9(slow.motion, o, FRAME)
    a, t, lag = applied_back(frame, push), applied_back(frame, turn), 1.0 - stiff.kept[o]
    shift, back = lean_back(stiff, slow, o, t)
    shift, back, t_lane, share = lane_of(shift), lane_of(back), lane_of(t), splat(lag)
    for k in range(stiff.start[o], stiff.free_end[o]):
        j, u = 6 * k, row(slow.away, k)
        own = row(stiff.lag, j) * a[0] + row(stiff.lag, j + 1) * a[1] + row(stiff.lag, j + 2) * a[2]
        own = own + (row(stiff.lag, j + 3) * t[0] + row(stiff.lag, j + 4) * t[1] + row(stiff.lag, j + 5) * t[2])
        beside = crossed(t_lane, u) * share - (shift + crossed(back, row(stiff.rest, k) + u))
        set_row(into, k, own + beside * splat(mass[stiff.particle[k]]))


@inlined
def held_back(rows, o, push, turn):
    """S a in the frame, with S as it stands in columns 0 … 27 of rows."""
    l0, l1, l2 = get9(rows, o, LINEAR)
    x0, x1, x2 = get9(rows, o, MIXED)
    a0, a1, a2 = get9(rows, o, ANGULAR)
    force = (dot(l0, push) + dot(x0, turn), dot(l1, push) + dot(x1, turn), dot(l2, push) + dot(x2, turn))
    couple = plus(plus(scaled(x0, push[0]), scaled(x1, push[1])), scaled(x2, push[2]))
    return force, plus(couple, (dot(a0, turn), dot(a1, turn), dot(a2, turn)))


@kernel
def take_accelerations(arrays, slow, o, force, spin, push, turn):
    """Forces of particles become what gives them their accelerations, D (f − M c) being known; `push`, `turn`: of the rigid.

    What they follow is kept in the frame, for the energies.
    """
    stiff, mass, first, begin = arrays.stiff, arrays.particles.mass, arrays.stiff.first[o], arrays.stiff.start[o]
    frame = get9(slow.motion, o, FRAME)
    own, out = lane_of(applied_back(frame, spin)), columns_of(frame)
    follow(arrays, slow, o, push, turn, slow.followed)
    set3(slow.lead, o, 0, applied_back(frame, push))
    set3(slow.lead, o, 3, applied_back(frame, turn))
    for k in range(begin, stiff.free_end[o]):
        i, place = stiff.particle[k], row(stiff.rest, k) + row(slow.away, k)
        brought = load(slow.got, first + 3 * (k - begin)) + crossed(own, crossed(own, place))
        set_row(force, i, summed_up(out, vector_of(row(slow.followed, k) + brought * splat(mass[i]))))
