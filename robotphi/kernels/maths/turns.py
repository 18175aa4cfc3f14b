"""Turns as quaternions (w, x, y, z), tuples of floats: they stay in registers."""
from robotphi.kernels.compiling.compiled import inlined


@inlined
def product(p, q):
    """The turn q, then p."""
    return (p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] + p[2] * q[0] + p[3] * q[1] - p[1] * q[3], p[0] * q[3] + p[3] * q[0] + p[1] * q[2] - p[2] * q[1])


@inlined
def nearly_one(q):
    """q/|q| of one that is off by rounding: a step of Newton's for 1/|q|."""
    by = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + (q[2] * q[2] + q[3] * q[3]))
    return by * q[0], by * q[1], by * q[2], by * q[3]


@inlined
def get4(rows, i, column):
    return rows[i, column], rows[i, column + 1], rows[i, column + 2], rows[i, column + 3]


@inlined
def set4(rows, i, column, q):
    rows[i, column], rows[i, column + 1], rows[i, column + 2], rows[i, column + 3] = q


@inlined
def columns_of(q):
    """The columns of R."""
    w, x, y, z = q
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    wx, wy, wz = w * x, w * y, w * z
    return ((1.0 - 2.0 * (yy + zz), 2.0 * (xy + wz), 2.0 * (xz - wy)),
            (2.0 * (xy - wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz + wx)),
            (2.0 * (xz + wy), 2.0 * (yz - wx), 1.0 - 2.0 * (xx + yy)))
