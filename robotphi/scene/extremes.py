"""The lowest and the highest value of a drive, and when it has them: exact; a sine beside a polynomial is sampled."""
import numpy as np

from robotphi.scene.drive import LONG_AGO

OF_PERIOD, MOST = 256, 100_000   # samples of a period where a piece has a polynomial and a sine, and of a piece at most


def extremes(drive, duration):
    """((lowest value, s), (highest value, s)) of a Drive from 0 to `duration`, where it has them first."""
    begins, ends = np.maximum(drive.piece[:, 0], 0.0), np.append(drive.piece[1:, 0], np.inf)
    times = [np.array([0.0, duration])]
    for row, begin, end in zip(drive.piece, begins, np.minimum(ends, duration), strict=True):
        if begin < end:
            inner = _still(row, begin, end)
            times += [np.array([begin]), inner[(inner > begin) & (inner < end)]]
    times = np.unique(np.concatenate(times))
    values = drive.value(times)
    return tuple((float(values[i]), float(times[i])) for i in (np.argmin(values), np.argmax(values)))


def _still(row, begin, end):
    """Times at which the rate of a piece may be nought."""
    start, _, first, second, third, size, frequency, phase = row
    if start == LONG_AGO:
        return np.empty(0)
    if size == 0.0 or frequency == 0.0:
        roots = np.roots([3.0 * third, 2.0 * second, first])
        return start + roots[np.isreal(roots)].real
    if first == second == third == 0.0:   # ω s + ϕ = ½ π + n π, twice from the beginning on
        n = np.ceil(np.sign(frequency) * (frequency * (begin - start) + phase) / np.pi - 0.5) + np.arange(2)
        return start + (np.sign(frequency) * (n + 0.5) * np.pi - phase) / frequency
    return np.linspace(begin, end, int(min(OF_PERIOD * abs(frequency) * (end - begin) / 6.0, MOST)) + OF_PERIOD)
