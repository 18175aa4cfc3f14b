"""What only closes, at the door: rods, and points on planes, lines, circles and curves."""
import numpy as np

from robotphi.scene.checks import floats, frozen, number, refuse, vector


def reach_of(where, kind, at, length, centre, points, closed):
    """Points of a joint on its parent and on its child, its length or radius, and the points of its curve or None."""
    _check_words(where, kind, length, centre, points, closed)
    if kind == "rod":
        at, at_child = _points(where, at, 'give the two ends of the rod: at=((x, y, z), (x, y, z))')
        return at, at_child, _size(where, length, np.linalg.norm(at_child - at)), None
    if kind == "on_circle":
        if centre is None:
            refuse(where, "a circle without centre", "give centre=(x, y, z), and its normal as axis")
        centre, at = vector(where, "centre", centre), vector(where, "at", at)
        return centre, at, _size(where, length, np.linalg.norm(at - centre)), None
    if kind == "on_curve":
        curve = _curve(where, points, closed)
        return frozen(curve[0].copy()), vector(where, "at", at), 0.0, curve
    if np.shape(at) == (2, 3):
        return *_points(where, at, "give two points"), 0.0, None
    at = vector(where, "at", at)
    return at, at, 0.0, None


def _check_words(where, kind, length, centre, points, closed):
    told = {"length": (length is not None, ("rod", "on_circle")), "centre": (centre is not None, ("on_circle",)),
            "points": (points is not None, ("on_curve",)), "closed": (closed is not False, ("on_curve",))}
    for name, (given, kinds) in told.items():
        if given and kind not in kinds:
            refuse(where, f"a {kind} joint with {name}", f"leave it out, or use kind={' or '.join(map(repr, kinds))}")


def _points(where, at, advice):
    both = floats(where, "at", at)
    if both.shape != (2, 3):
        refuse(where, f"at is {at!r:.60}", advice)
    return frozen(both[0].copy()), frozen(both[1].copy())


def _size(where, length, drawn):
    size = float(drawn) if length is None else number(where, "length", length, above=0.0)
    if not size > 0.0:
        refuse(where, "a length of zero", 'give length, or join the points by kind="ball"')
    return size


def _curve(where, points, closed):
    if points is None:
        refuse(where, "a curve without points", "give points of shape (n, 3)")
    curve = floats(where, "points", points)
    least = 3 if closed else 2
    if curve.ndim != 2 or curve.shape[1] != 3 or len(curve) < least:
        refuse(where, f"points have shape {curve.shape}", f"give at least {least} points of three numbers")
    around = np.vstack((curve, curve[:1])) if closed else curve
    if (np.linalg.norm(np.diff(around, axis=0), axis=1) == 0.0).any():
        refuse(where, "two points of the curve one after the other are the same", "leave one of them out")
    return frozen(curve.copy())
