"""Drives: quantities over time as pieces of polynomial plus sine, a closed catalogue."""
import math
import numbers as number_types
import warnings
from dataclasses import dataclass

import numpy as np

from robotphi.scene.checks import floats, frozen, number, refuse, user_level, whole, word
from robotphi.scene.saying import made, sampled

LIMITED = 4001     # instants at which a drive is looked at that is limited in its rate
ROUNDED = 1e-9     # of a rate, and of the way at that rate, that is none
LONG_AGO = -1e30  # s; start of a piece that is held since ever: finite, so that t − start is never NaN
KINDS = ("linear", "cubic")
COMMAND = "command"   # kind of a drive that is set while a scene runs, see `commands`
TOLERATED = 1e-3  # of the range of a function's values: a larger error of its table is told


@dataclass(frozen=True, eq=False)
class Drive:
    """A quantity over time. Sharing one Drive among blocks makes them one entry of the ledger.

    On a piece that starts at `from`, with s = t − from:
    value = c0 + c1 s + c2 s² + c3 s³ + amplitude sin(angular_frequency s + phase).

    Attributes:
        kind: the word of the catalogue that made it.
        piece: (k, 8) rows of from, c0, c1, c2, c3, amplitude, angular frequency, phase.
        breakpoints: (b,) s, instants at which the drive or its rate jumps: steps land on them.
        jumps: whether the value itself jumps at any of them.
        sampling_error: largest error seen between the samples of a function, 0 for all others.
    """
    kind: str
    piece: np.ndarray
    breakpoints: np.ndarray
    jumps: bool = False
    sampling_error: float = 0.0

    @classmethod
    @made
    def constant(cls, value):
        """The same value always."""
        value = number("drive constant", "value", value)
        return cls("constant", _pieces([LONG_AGO], [[value]]), frozen(np.empty(0)))

    @classmethod
    @made
    def sine(cls, amplitude, frequency, phase=0.0, offset=0.0):
        """offset + amplitude sin(2π frequency t + phase); frequency in hertz, phase in radians."""
        where = "drive sine"
        amplitude, offset = number(where, "amplitude", amplitude), number(where, "offset", offset)
        frequency, phase = number(where, "frequency", frequency, low=0.0), number(where, "phase", phase)
        piece = np.array([[0.0, offset, 0.0, 0.0, 0.0, amplitude, 2.0 * math.pi * frequency, phase]])
        return cls("sine", frozen(piece), frozen(np.empty(0)))

    @classmethod
    @made
    def steps(cls, times, values):
        """values[i] from times[i] on; values[0] also before."""
        times, values = _knots("drive steps", times, values, least=1)
        jump = np.flatnonzero(np.diff(values)) + 1
        starts = np.concatenate(([LONG_AGO], times[jump]))
        heights = np.concatenate((values[:1], values[jump]))
        return cls("steps", _pieces(starts, heights[:, None]), frozen(times[jump]), jumps=len(jump) > 0)

    @classmethod
    @made
    def table(cls, times, values, kind="linear"):
        """Through all points, straight or as a cubic spline (not-a-knot); the end values are held outside."""
        word("drive table", "kind", kind, KINDS)
        times, values = _knots("drive table", times, values, least=2)
        if kind == "linear":
            inner = np.column_stack((values[:-1], np.diff(values) / np.diff(times)))
            breakpoints = times
        else:
            from scipy.interpolate import CubicSpline
            inner = CubicSpline(times, values).c[::-1].T
            breakpoints = times[[0, -1]]  # a spline is smooth to its second derivative everywhere else
        width = inner.shape[1]
        held = np.zeros((2, width))
        held[:, 0] = values[[0, -1]]
        starts = np.concatenate(([LONG_AGO], times))
        return cls(kind, _pieces(starts, np.vstack((held[:1], inner, held[1:]))), frozen(breakpoints.copy()))

    @classmethod
    def from_function(cls, function, duration, samples=1001):
        """A cubic table of `function` from 0 to `duration`; `sampling_error` is its largest error between samples.

        A UserWarning tells an error above a thousandth of the range of the function's values.
        """
        return cls._of_function("drive from_function", function, duration, samples)

    @classmethod
    def _of_function(cls, where, function, duration, samples=1001):
        duration = number(where, "duration", duration, above=0.0)
        whole(where, "samples", samples, low=4)
        times = np.linspace(0.0, duration, samples)
        drive = cls.table(times, _sampled(where, function, times), kind="cubic")
        between = (times[:-1, None] + np.diff(times)[:, None] * np.array([0.25, 0.5, 0.75])).ravel()
        values = _sampled(where, function, between)
        error = float(np.abs(drive.value(between) - values).max())
        spread = float(np.ptp(np.concatenate((drive.value(times), values))))
        if error > TOLERATED * spread:
            warnings.warn(f"{where}: {samples} samples over {duration:g} s miss the function by up to {error:.2g}, "
                          f"{error / spread:.1%} of the range of its values; more samples by Drive.from_function(…, samples=) "
                          "help where it is smooth, Drive.steps or Drive.table where it jumps", UserWarning, user_level())
        return cls("function", drive.piece, drive.breakpoints, sampling_error=error)

    @property
    def why_jumps(self):
        """Where it jumps, and what to do where that cannot be."""
        return f"jumps at {self.breakpoints[0]:g} s", "use Drive.table with short ramps"

    def limited(self, fastest, duration, begin=None):
        """The same from 0 to `duration`, changing by no more than `fastest` per second: behind what is faster, such as a jump,
        it goes along a ramp, also from where it is to `begin`. What is slow enough, or is a command, which has a rate of its
        own, stays as it is."""
        if self.kind == COMMAND:
            return self
        begin = self.value(0.0) if begin is None else begin
        inner = self.breakpoints[(self.breakpoints > 0.0) & (self.breakpoints < duration)]
        times = np.union1d(np.linspace(0.0, duration, LIMITED), inner)
        slow = not self.jumps and np.abs(self.rate(times)).max() <= fastest * (1.0 + ROUNDED)
        if slow and abs(begin - self.value(0.0)) <= fastest * ROUNDED * duration:
            return self
        wanted, found = self.value(times), np.empty(len(times))
        found[0] = begin
        for n in range(1, len(times)):
            most = fastest * (times[n] - times[n - 1])
            found[n] = found[n - 1] + min(max(float(wanted[n]) - found[n - 1], -most), most)
        bent = np.abs(np.diff(found, 2) / np.diff(times)[1:]) > ROUNDED * fastest
        kept = np.concatenate(([True], bent, [True]))
        return Drive.table(times[kept], found[kept])

    def value(self, time):
        """The value at `time` [s], a number or an array."""
        s, row = self._at(time)
        polynomial = row[1] + s * (row[2] + s * (row[3] + s * row[4]))
        return polynomial + row[5] * np.sin(row[6] * s + row[7])

    def rate(self, time):
        """The rate of change per second at `time`."""
        s, row = self._at(time)
        return row[2] + s * (2.0 * row[3] + s * 3.0 * row[4]) + row[5] * row[6] * np.cos(row[6] * s + row[7])

    def _at(self, time):
        time = np.asarray(time, dtype=np.float64)
        row = np.maximum(np.searchsorted(self.piece[:, 0], time, side="right") - 1, 0)
        columns = np.moveaxis(self.piece[row], -1, 0)
        held = columns[0] == LONG_AGO  # all its coefficients but c0 are zero
        return np.where(held, 0.0, time - columns[0]), columns


def _knots(where, times, values, least):
    times, values = floats(where, "times", times), floats(where, "values", values)
    if times.ndim == 1 and values.ndim == 2 and len(values) == len(times):
        refuse(where, f"values has {values.shape[1]} columns", "a drive is one quantity over time: give one for each, such as "
               '{"x": Drive.table(times, values[:, 0]), "y": Drive.table(times, values[:, 1])}')
    if times.ndim != 1 or times.shape != values.shape or len(times) < least:
        refuse(where, f"times has shape {times.shape} and values {values.shape}",
               f"give two lists of one length of at least {least}")
    backward = np.flatnonzero(np.diff(times) <= 0.0)
    if len(backward):
        i = int(backward[0]) + 1
        refuse(where, f"time {times[i]:g} follows {times[i - 1]:g}", "times must grow from each to the next", i)
    return times, values


def _pieces(starts, coefficients):
    piece = np.zeros((len(starts), 8))
    coefficients = np.asarray(coefficients)
    piece[:, 0] = starts
    piece[:, 1:1 + coefficients.shape[1]] = coefficients
    return frozen(piece)


def drive_of_pieces(kind, piece, breakpoints=(), jumps=False, sampling_error=0.0):
    """A Drive from its own fields, checked as whoever said them may have changed them."""
    where = f"drive {kind!r:.20}"
    piece, breakpoints = floats(where, "piece", piece), floats(where, "breakpoints", breakpoints)
    if piece.ndim != 2 or piece.shape[1] != 8 or not len(piece) or np.any(np.diff(piece[:, 0]) <= 0.0):
        refuse(where, f"piece has shape {piece.shape}", "give rows of eight numbers, each from a later time than the last")
    if breakpoints.ndim != 1 or np.any(np.diff(breakpoints) <= 0.0):
        refuse(where, f"breakpoints are {breakpoints!r:.60}", "give times that grow from each to the next")
    if not isinstance(kind, str):
        refuse(where, f"kind is {kind!r:.20}", "give a word")
    return Drive(kind, frozen(piece), frozen(breakpoints), bool(jumps),
                 number(where, "sampling_error", sampling_error, low=0.0))


def as_drive(where, what, value, duration):
    """A Drive from what a user may give for one: a Drive, a number (constant), or a function of time [s]."""
    if isinstance(value, Drive):
        return value
    if is_number(value):
        return Drive.constant(number(where, what, value))
    if callable(value) and not isinstance(value, type):
        return sampled(value, Drive._of_function(f"{where}, {what}", value, duration))
    return refuse(where, f"{what} is {value!r:.60}",
                  "give a Drive such as Drive.sine(amplitude, frequency), a number, or a function of time in seconds")


def is_number(value):
    """Whether a value is one real number; True and False are none."""
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "iuf"
    return isinstance(value, number_types.Real) and not isinstance(value, bool)


def _sampled(where, function, times):
    values = np.empty(len(times))
    remedy = "it must return one finite number for every time of the run"
    for place, time in enumerate(times.tolist()):
        try:
            value = function(time)
        except Exception as error:
            refuse(where, f"the function fails at {time:g} s with {type(error).__name__}: {error}", remedy)
        if not is_number(value) or not math.isfinite(value):
            refuse(where, f"the function returns {value!r:.60} at {time:g} s", remedy)
        values[place] = value
    return values
