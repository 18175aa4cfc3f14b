"""What is compiled in a way of its own, for running the kernels without compilation: lanes are numpy arrays of four, what is
referred to is itself, and a team never waits."""
import numpy as np


def splat(number):
    return np.full(4, float(number))


def lane_of(a):
    return np.array([*a, 0.0])


root = np.sqrt
magnitude = np.abs


def where_less(a, b, yes, no):
    return np.where(a < b, yes, no)


def lane_sum(a):
    return (a[0] + a[1]) + (a[2] + a[3])


def load(array, start):
    return array[start:start + 4].copy()


def store(array, start, value):
    array[start:start + 4] = value


def crossed(a, b):
    turned, back = [1, 2, 0, 3], [2, 0, 1, 3]
    return a[turned] * b[back] - a[back] * b[turned]


def vector_of(a):
    return float(a[0]), float(a[1]), float(a[2])


def row(rows, index):
    return rows[index].copy()


def set_row(rows, index, value):
    rows[index] = value


def gather_difference(rows, first, second, start):
    difference = rows[first[start:start + 4]] - rows[second[start:start + 4]]
    return difference[:, 0], difference[:, 1], difference[:, 2]


def gather_arms(rows, first, centre, second, start):
    return gather_difference(rows, first, centre, start) + gather_difference(rows, second, centre, start)


def scatter_pair(rows, first, second, start, x, y, z):
    for q in range(4):
        value = np.array([x[q], y[q], z[q], 0.0])
        rows[first[start + q]] += value
        rows[second[start + q]] -= value


def scatter_arms(rows, first, centre, second, start, ax, ay, az, bx, by, bz):
    for q in range(4):
        a = np.array([ax[q], ay[q], az[q], 0.0])
        b = np.array([bx[q], by[q], bz[q], 0.0])
        rows[first[start + q]] += a
        rows[second[start + q]] += b
        rows[centre[start + q]] -= a + b


def refer(given):
    return given


def value(reference):
    return reference


def meet(sync, team, generation):
    return generation + 1


def take(sync):
    sync[24] += 1
    return sync[24] - 1
