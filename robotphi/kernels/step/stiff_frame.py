"""Frames of stiff objects (`stiff`), and their matrices times a vector of all their particles.

The matrices are symmetric: of each there are panels of 16 columns with the rows from their first column on, half of it, in the
order in which it is read.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.lanes import lane_sum, load, splat, store
from robotphi.kernels.maths.matrices import applied, get9, inverse_transposed, set9, turn_of
from robotphi.kernels.maths.vectors import cross, get3, minus, plus, read, scaled, set3
from robotphi.kernels.step.rigids import CENTRE, SPIN, VELOCITY, get_orientation, rotate

FREE, HELD, ON_RIGID = 0, 1, 2   # ways
PADDED = 16                      # columns of a panel; vectors have a multiple of this, and at least one to spare
# columns of the motion of an object: centre, its velocity, spin, frame, inverse of the inertia about the centre, mass
AT, SPEED, TURN, FRAME, EASE, MASS = 0, 3, 6, 9, 18, 27
MOTION_COLUMNS = 28


class NoStiff:
    """Class of the rows of stiff objects of a scene without any: by it the compiler knows it, see `kernel_unless`."""
    __slots__ = ()


@kernel
def multiply(matrix, begin, count, width, given, first, got):
    """got[…] = matrix · given, of a matrix whose panels start at `begin`; four columns to a lane. A row below the square on the
    diagonal counts for its columns and, as a column, for its row."""
    none, place = splat(0.0), begin
    for j in range(0, width, 4):
        store(got, first + j, none)
    for column in range(0, width, PADDED):
        j = first + column
        a, b, c, d = load(got, j), load(got, j + 4), load(got, j + 8), load(got, j + 12)
        square = min(column + PADDED, count)
        for j in range(column, square):
            z = splat(given[first + j])
            a = a + load(matrix, place) * z
            b = b + load(matrix, place + 4) * z
            c = c + load(matrix, place + 8) * z
            d = d + load(matrix, place + 12) * z
            place += PADDED
        j = first + column
        x, y, u, v = load(given, j), load(given, j + 4), load(given, j + 8), load(given, j + 12)
        for j in range(square, count):
            z = splat(given[first + j])
            p, q, r, s = load(matrix, place), load(matrix, place + 4), load(matrix, place + 8), load(matrix, place + 12)
            a, b, c, d = a + p * z, b + q * z, c + r * z, d + s * z
            got[first + j] += lane_sum((p * x + q * y) + (r * u + s * v))
            place += PADDED
        store(got, first + column, a)
        store(got, first + column + 4, b)
        store(got, first + column + 8, c)
        store(got, first + column + 12, d)


@inlined
def place_of(begin, count, j, k):
    """Where number j, k of a matrix of `count` rows stands whose panels start at `begin`; k is in no panel behind that of j."""
    panel = k // PADDED
    before = PADDED * panel * count - PADDED * PADDED * panel * (panel - 1) // 2
    return begin + before + PADDED * (j - PADDED * panel) + k - PADDED * panel


@kernel
def pulled(matrix, begin, count, j, a, k, b):
    """a·B b with the block B of three rows from j and three columns from k on."""
    if k // PADDED > j // PADDED:
        j, k, a, b = k, j, b, a
    total = 0.0
    if k % PADDED + 3 <= PADDED:
        place = place_of(begin, count, j, k)
        for row in range(3):
            total += a[row] * (matrix[place] * b[0] + matrix[place + 1] * b[1] + matrix[place + 2] * b[2])
            place += PADDED
        return total
    for row in range(3):   # across two panels
        for column in range(3):
            r, s = j + row, k + column
            place = place_of(begin, count, s, r) if s // PADDED > r // PADDED else place_of(begin, count, r, s)
            total += a[row] * matrix[place] * b[column]
    return total


@inlined
def three(values, k):
    return values[k], values[k + 1], values[k + 2]


@inlined
def outward(w, r):
    """ω × (ω × r)."""
    return cross(w, cross(w, r))


@kernel
def through_inverse(stiff, slow, o):
    """D times what was given."""
    multiply(stiff.inertia_inverse, stiff.matrix_start[o], 3 * (stiff.free_end[o] - stiff.start[o]), stiff.width[o], slow.given,
             stiff.first[o], slow.got)


@inlined
def set_three(values, k, a):
    values[k], values[k + 1], values[k + 2] = a


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
