"""Poses of a motion at the door: quaternions that name turns, next to each other, and places that do not leap."""
import numpy as np

from robotphi.scene.checks import floats, refuse

SHARPEST = 0.5 * np.pi   # rad between two poses: from there on nobody knows which way round it went
LEAP = 50.0              # times the way that is usual from pose to pose
DENSE = 9                # poses of a table from which on a way by itself is no stage of the motion
RARE = 8                 # ways, of which one by itself is a leap
SMALL = 1e-2             # of the largest coordinate, and 1/RARE of all that it moves: what digits of a file may leave …
ROUNDED = 1e-9           # m; … and what sums do


def steady_turns(where, quaternions, times):
    """(k, 4) of length one, each next to the one before it."""
    turns = floats(where, "quaternions", quaternions)
    if turns.shape != (len(times), 4):
        refuse(where, f"quaternions has shape {turns.shape}", f"give ({len(times)}, 4), w first")
    size = np.linalg.norm(turns, axis=1)
    largest = size.max()
    bad = np.flatnonzero(~(size > 1e-6 * largest)) if largest > 0.0 else np.array([0])
    if len(bad):
        refuse(where, f"the quaternion at {times[bad[0]]:g} s is {turns[bad[0]].tolist()}", "a turn needs one of some length",
               int(bad[0]))
    turns = turns / size[:, None]
    near = np.einsum("ij,ij->i", turns[1:], turns[:-1])
    angle = 2.0 * np.arccos(np.minimum(np.abs(near), 1.0))
    if angle.max() > SHARPEST:
        n = int(angle.argmax()) + 1
        refuse(where, f"it turns by {np.degrees(angle.max()):.0f}° between {times[n - 1]:g} s and {times[n]:g} s",
               "give poses in between, by less than a right angle each; quaternions are (w, x, y, z)", n)
    turns[1:] *= np.cumprod(np.where(near < 0.0, -1.0, 1.0))[:, None]
    return turns


def check_places(where, times, places):
    """Refuse a pose that leaps out of line, as one in other units does.

    Beside the usual way, the median, count those next to a leap: what moves in one interval alone, or there and back, where all
    was still before and after, moves faster than its table tells. A few poses may be stages, between which it stands still;
    there a pose leaps that is far from both its neighbours, and all others are near each other.
    """
    way = np.linalg.norm(np.diff(places, axis=0), axis=1)
    if len(places) < DENSE:
        pair = np.minimum(way[1:], way[:-1])   # there and back
        n = int(pair.argmax()) + 1 if len(pair) else 0
        usual = np.delete(way, [n - 1, n]).max(initial=0.0)
        leaps = usual > 0.0 and pair.max(initial=0.0) > LEAP * usual
    else:
        n, usual = int(way.argmax()) + 1, np.median(way)
        leaps = usual > 0.0 and way.max() > LEAP * usual
        if not leaps:
            far = max(ROUNDED, SMALL * np.abs(places).max(), np.linalg.norm(np.ptp(places, axis=0)) / RARE)
            alone = np.flatnonzero(_by_themselves(way) & (way > far))
            leaps = 0 < len(alone) * RARE <= len(way)
            n = int(alone[way[alone].argmax()]) + 1 if leaps else n
    if leaps:
        told = f"where {usual:.3g} m is usual" if usual > 0.0 else "and stands still before and after"
        refuse(where, f"it leaps by {way[n - 1]:.3g} m between {times[n - 1]:g} s and {times[n]:g} s, {told}",
               "mend that pose, or give poses in between", n)


def _by_themselves(way):
    """Of each way from pose to pose, whether it is the first of one or two that are far longer than what is beside them."""
    beside = np.concatenate([[0.0], way, [0.0, 0.0]])
    one = way > LEAP * np.maximum(beside[:-3], beside[2:-1])
    two = np.minimum(way, beside[2:-1]) > LEAP * np.maximum(beside[:-3], beside[3:])
    return one | two
