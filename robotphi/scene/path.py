"""Paths: curves in space by arc length, for goals that run along them."""
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from robotphi.scene.checks import floats, frozen, number, refuse, yes_or_no
from robotphi.scene.curves import curve_at, spline
from robotphi.scene.drive import COMMAND, Drive, is_number
from robotphi.scene.saying import made

GAUSS = np.polynomial.legendre.leggauss(8)   # of the arc length of a part of a piece
PARTS = 16            # of a piece, between which the arc length is summed up
SAMPLES = 1001        # of a run along a path, at least
OF_PIECE = 60         # … for each piece that it runs through
MOST_SAMPLES = 10**6
LOOKS = 10_001        # instants at which the speed of a Drive is looked at
UNEVEN = 4.0          # times its mean speed it may go without more of them
AT_ONCE = 20_000      # samples that are worked out together
MOST_POINTS = 3000    # their spline is found by a dense matrix


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
        points, closed = floats("path", "points", self.points), yes_or_no("path", "closed", self.closed)
        object.__setattr__(self, "closed", closed)
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < (3 if closed else 2):
            refuse("path", f"points has shape {points.shape}", "give rows of three numbers, two at least, three if closed")
        if len(points) > MOST_POINTS:
            refuse("path", f"it has {len(points)} points", f"give {MOST_POINTS} at most: a spline needs few")
        if (np.linalg.norm(np.diff(points, axis=0), axis=1) == 0.0).any():
            refuse("path", "two of its points in a row are the same", "leave one of them out")
        if closed and (points[0] == points[-1]).all():
            refuse("path", "it is closed, and its last point is the first one again",
                   "leave out the last: behind it a closed path goes on at the first")
        object.__setattr__(self, "points", frozen(points))
        knot, piece = spline(points, closed)
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
        return self._places(np.array([number("path", "distance", distance)]))[0]

    def _places(self, distance):
        """(m, 3) at (m,) distances."""
        _, _, ends, lengths = self._spline
        distance = distance % self.length if self.closed else np.clip(distance, 0.0, self.length)
        k = np.clip(np.searchsorted(lengths, distance, side="right") - 1, 0, len(ends) - 2)
        begin = ends[k]
        place = begin + (distance - lengths[k]) / (lengths[k + 1] - lengths[k]) * (ends[k + 1] - begin)
        for _ in range(4):   # Newton: the length from the last end to the place is what is left
            half = 0.5 * (place - begin)
            speeds = self._speeds(begin[:, None] + half[:, None] * (1.0 + GAUSS[0]))
            place -= (lengths[k] + half * (speeds[:, None] @ GAUSS[1])[:, 0] - distance) / self._speeds(place)
        return self._curve(place)[0]

    def _speeds(self, place):
        return np.linalg.norm(self._curve(place)[1], axis=-1)

    def _curve(self, place):
        """C and C′ at places within the knots, as `curve_at` has them."""
        knot, piece, *_ = self._spline
        if self.closed:
            place = place - knot[-1] * np.floor(place / knot[-1])
        k = np.clip(np.searchsorted(knot, place, side="right") - 1, 0, len(knot) - 2)
        t = place - knot[k]
        held = (t if self.closed else np.clip(t, 0.0, knot[k + 1] - knot[k]))[..., None]
        a, b, c, d = np.moveaxis(piece[k].reshape(*k.shape, 4, 3), -2, 0)
        square, cube = np.float_power(held, 2.0), np.float_power(held, 3.0)   # the bits of numbers one by one
        along = b + 2.0 * held * c + 3.0 * square * d
        return a + held * b + square * c + cube * d + (t[..., None] - held) * along, along

    def run(self, where, speed, duration):
        """Three Drives of a place that runs along the path, at a speed [m/s] or at a distance [m] that a Drive tells."""
        if is_number(speed):
            speed = number(where, "speed", speed, above=0.0)
            end = duration if self.closed else min(duration, self.length / speed)
            count = self._count(where, speed * end)
            times = np.linspace(0.0, end, count)
            distances = speed * times
        else:
            self._check_drive(where, speed)
            looks = np.linspace(0.0, duration, LOOKS)
            fastest = float(np.abs(speed.rate(looks)).max())
            count = self._count(where, max(float(np.abs(np.diff(speed.value(looks))).sum()), fastest * duration / UNEVEN))
            times = np.linspace(0.0, duration, count)
            distances = speed.value(times)
        places = np.concatenate([self._places(some) for some in np.array_split(distances, 1 + count // AT_ONCE)])
        return tuple(Drive.table(times, places[:, axis], kind="cubic") for axis in range(3))

    def _check_drive(self, where, along):
        if not isinstance(along, Drive):
            refuse(where, f"speed is {along!r:.60}", "give a number [m/s], or a Drive of the distance along the path [m]")
        if along.kind == COMMAND:
            refuse(where, "the distance along the path is a command, and a path is worked out before the run",
                   "give commands as the three numbers of towards=, each with a rate")
        if along.jumps:
            refuse(where, "the distance along the path jumps", "use Drive.table with short ramps")

    def _count(self, where, way):
        """How many instants of a run resolve its pieces, where it goes so far [m]."""
        count = OF_PIECE * len(self.points) * max(way / self.length, 1.0)
        if not count <= MOST_SAMPLES:
            most = MOST_SAMPLES / (OF_PIECE * len(self.points)) * self.length
            refuse(where, f"it runs {way:.4g} m along a path of {self.length:.4g} m and {len(self.points)} points",
                   f"give {most:.4g} m at most, by a lower speed, a shorter scene or fewer points")
        return max(SAMPLES, int(count))
