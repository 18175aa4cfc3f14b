"""Cubic splines through points, which a point of a mechanism may run along."""
import numpy as np

LOOKS = 20          # places of each piece that are looked at
LEAST = 0.1         # sine of the angle between a curve and the direction that its normals are made of


def spline(points, closed):
    """Knots [m along the chords] and (pieces, 12) coefficients a, b, c, d of the natural cubic spline through points, or of the
    closed one, whose last point is not the first one again. Two points make a straight line."""
    points = np.asarray(points, float)
    through = np.vstack((points, points[:1])) if closed else points
    length = np.linalg.norm(np.diff(through, axis=0), axis=1)
    knot = np.concatenate(([0.0], np.cumsum(length)))
    bend = _second_derivatives(through, length, closed)
    a, ahead, h = through[:-1], bend[1:], length[:, None]
    b = (through[1:] - a) / h - h * (2.0 * bend[:-1] + ahead) / 6.0
    return knot, np.hstack((a, b, bend[:-1] / 2.0, (ahead - bend[:-1]) / (6.0 * h)))


def _second_derivatives(through, h, closed):
    """At the knots: h₋ M₋ + 2 (h₋ + h) M + h M₊ = 6 (slope ahead − slope behind)."""
    slope = np.diff(through, axis=0) / h[:, None]
    n = len(through)
    matrix, right = np.eye(n), np.zeros((n, 3))
    for k in range(1, n - 1):
        matrix[k, k - 1:k + 2] = h[k - 1], 2.0 * (h[k - 1] + h[k]), h[k]
        right[k] = 6.0 * (slope[k] - slope[k - 1])
    if closed:
        matrix[0, :2], matrix[0, -2] = (2.0 * (h[-1] + h[0]), h[0]), h[-1]
        right[0] = 6.0 * (slope[0] - slope[-1])
        matrix[-1, 0] = -1.0
    return np.linalg.solve(matrix, right)


def curve_at(knot, piece, closed, place):
    """C, C′ and C″ at a place; straight beyond the ends."""
    if closed:
        place = place - knot[-1] * np.floor(place / knot[-1])
    k = int(np.clip(np.searchsorted(knot, place, side="right") - 1, 0, len(knot) - 2))
    t = place - knot[k]
    held = t if closed else min(max(t, 0.0), knot[k + 1] - knot[k])
    a, b, c, d = piece[k].reshape(4, 3)
    along = b + 2.0 * held * c + 3.0 * held**2 * d
    turn = 2.0 * c + 6.0 * held * d if t == held else np.zeros(3)
    return a + held * b + held**2 * c + held**3 * d + (t - held) * along, along, turn


def nearest(knot, piece, closed, point):
    """The place nearest to a point."""
    looks = np.linspace(0.0, knot[-1], LOOKS * (len(knot) - 1) + 1)
    place = min(looks, key=lambda at: float(np.sum((point - curve_at(knot, piece, closed, at)[0])**2)))
    for _ in range(50):
        on, along, turn = curve_at(knot, piece, closed, place)
        slope = along @ along - (point - on) @ turn
        place += (point - on) @ along / (slope if slope > 0.0 else along @ along)
    return place


def upright(knot, piece, closed):
    """A direction that the curve never goes along, or None."""
    looks = np.linspace(0.0, knot[-1], LOOKS * (len(knot) - 1) + 1)
    along = np.array([curve_at(knot, piece, closed, place)[1] for place in looks])
    along /= np.linalg.norm(along, axis=1)[:, None]
    tries = np.vstack((np.linalg.svd(along)[2][::-1], [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (1,)]))
    tries = tries / np.linalg.norm(tries, axis=1)[:, None]
    sines = np.sqrt(np.maximum(1.0 - (along @ tries.T)**2, 0.0)).min(axis=0)
    best = int(np.argmax(sines))
    return tries[best] if sines[best] >= LEAST else None
