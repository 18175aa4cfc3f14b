"""Small vectors as tuples of floats: they stay in registers."""
import math

from robotphi.kernels.compiling.compiled import inlined


@inlined
def read(rows, i):
    return rows[i, 0], rows[i, 1], rows[i, 2]


@inlined
def get3(rows, i, column):
    return rows[i, column], rows[i, column + 1], rows[i, column + 2]


@inlined
def set3(rows, i, column, a):
    rows[i, column], rows[i, column + 1], rows[i, column + 2] = a


@inlined
def add_to(rows, i, a, factor):
    """rows[i] += factor · a"""
    rows[i, 0] += factor * a[0]
    rows[i, 1] += factor * a[1]
    rows[i, 2] += factor * a[2]


@inlined
def minus(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inlined
def plus(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inlined
def scaled(a, factor):
    return a[0] * factor, a[1] * factor, a[2] * factor


@inlined
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def norm(a):
    return math.sqrt(dot(a, a))


@inlined
def unit(a):
    """a over its length, zero for zero."""
    size = norm(a)
    return scaled(a, 1.0 / size) if size > 0.0 else (0.0, 0.0, 0.0)


@inlined
def across(a, n):
    """The part of a across the unit vector n."""
    along = dot(a, n)
    return a[0] - along * n[0], a[1] - along * n[1], a[2] - along * n[2]
