"""Error bars from refinement: orders, extrapolated values, frequencies of sampled motion."""
import numpy as np

SAFETY = 2.0      # times the Richardson estimate: covers the terms behind the leading one
ROUNDING = 1e-12  # relative; what 1e4 operations on doubles may leave, with room to spare


def richardson(coarse, fine, order=2, ratio=2.0):
    """Error estimate of `fine`: |fine − coarse|/(ratio^order − 1) (Richardson 1911), same shape as the values."""
    return np.abs(np.subtract(fine, coarse)) / (ratio ** order - 1)


def extrapolated(coarse, fine, order=2, ratio=2.0):
    """The value with the leading error of `fine` removed."""
    return fine + (np.subtract(fine, coarse)) / (ratio ** order - 1)


def observed_order(coarse, middle, fine, ratio=2.0):
    """log((coarse − middle)/(middle − fine))/log(ratio): the order that three refinements show."""
    return np.log(np.abs((coarse - middle) / (middle - fine))) / np.log(ratio)


def slope(steps, errors):
    """Slope of log error over log step: least squares over all points."""
    return np.polyfit(np.log(steps), np.log(errors), 1)[0]


def sampled_frequency(signal, interval):
    """Frequency of a sinusoid without offset sampled at equal intervals, Δ < π/ω [rad/s].

    q(t + Δ) + q(t − Δ) = 2 cos(ωΔ) q(t) at every sample; cos(ωΔ) by least squares over all of them.
    """
    signal = np.asarray(signal)
    middle = signal[1:-1]
    cosine = middle @ (signal[2:] + signal[:-2]) / (2 * middle @ middle)
    return np.arccos(cosine) / interval
