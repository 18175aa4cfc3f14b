"""Paths: curves in space by arc length, for goals that run along them."""
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from robotphi.scene.checks import floats, frozen, number, refuse
from robotphi.scene.curves import curve_at, spline
from robotphi.scene.drive import Drive, is_number
from robotphi.scene.saying import made

GAUSS = np.polynomial.legendre.leggauss(8)   # of the arc length of a part of a piece
PARTS = 16            # of a piece, between which the arc length is summed up
SAMPLES = 1001        # of a run along a path, at least
OF_PIECE = 60         # … for each piece


@made
@dataclass(frozen=True, eq=False)
class Path:
    """The cubic spline through points, by arc length; closed, it goes on at its first point.

    Attributes:
        points: (n, 3) m.
        closed: whether the last point is followed by the first.
        length: of all of it [m].
    """
    points: np.ndarray
    closed: bool = False
    length: float = field(init=False)

    def __post_init__(self):
        points = floats("path", "points", self.points)
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < (3 if self.closed else 2):
            refuse("path", f"points has shape {points.shape}", "give rows of three numbers, two at least, three if closed")
        if (np.linalg.norm(np.diff(points, axis=0), axis=1) == 0.0).any():
            refuse("path", "two of its points in a row are the same", "leave one of them out")
        object.__setattr__(self, "points", frozen(points))
        knot, piece = spline(points, self.closed)
        ends = np.concatenate([np.linspace(a, b, PARTS, endpoint=False) for a, b in pairwise(knot)])
        ends = np.append(ends, knot[-1])
        object.__setattr__(self, "_spline", (knot, piece, ends, self._lengths(knot, piece, ends)))
        object.__setattr__(self, "length", float(self._spline[3][-1]))

    def _lengths(self, knot, piece, ends):
        half = 0.5 * np.diff(ends)
        speeds = np.array([[np.linalg.norm(curve_at(knot, piece, self.closed, at)[1]) for at in a + h * (1.0 + GAUSS[0])]
                           for a, h in zip(ends, half, strict=False)])
        return np.concatenate(([0.0], np.cumsum(half * (speeds @ GAUSS[1]))))

    def at(self, distance):
        """Place [m] at a distance along the path [m]; beyond its ends that of the end, on a closed one round again."""
        knot, piece, ends, lengths = self._spline
        distance = distance % self.length if self.closed else min(max(distance, 0.0), self.length)
        k = min(max(int(np.searchsorted(lengths, distance, side="right")) - 1, 0), len(ends) - 2)
        place = ends[k] + (distance - lengths[k]) / (lengths[k + 1] - lengths[k]) * (ends[k + 1] - ends[k])
        for _ in range(4):   # Newton: the length from the last end to the place is what is left
            half = 0.5 * (place - ends[k])
            speeds = [np.linalg.norm(curve_at(knot, piece, self.closed, at)[1]) for at in ends[k] + half * (1.0 + GAUSS[0])]
            place -= (lengths[k] + half * (np.array(speeds) @ GAUSS[1]) - distance) / np.linalg.norm(
                curve_at(knot, piece, self.closed, place)[1])
        return curve_at(knot, piece, self.closed, place)[0]

    def run(self, where, speed, duration):
        """Three Drives of a place that runs along the path, at a speed [m/s] or at a distance [m] that a Drive tells."""
        along, end = speed, duration
        if is_number(speed):
            speed = number(where, "speed", speed, above=0.0)
            end = duration if self.closed else min(duration, self.length / speed)
        elif not isinstance(along, Drive):
            refuse(where, f"speed is {speed!r:.60}", "give a number [m/s], or a Drive of the distance along the path [m]")
        times = np.linspace(0.0, end, max(SAMPLES, OF_PIECE * len(self.points)))
        distances = speed * times if is_number(speed) else along.value(times)
        places = np.array([self.at(distance) for distance in distances])
        return tuple(Drive.table(times, places[:, axis], kind="cubic") for axis in range(3))
