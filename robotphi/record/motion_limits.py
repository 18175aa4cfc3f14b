"""Limits of a motion: whether coordinates, speeds and efforts stay within them, between the instants as well."""
from typing import NamedTuple

import numpy as np

from robotphi.scene.checks import floats, number, refuse, word

KINDS = ("position", "speed", "torque")


class Passed(NamedTuple):
    """A limit that a motion passes, where it does so most."""
    joint: str
    what: str                     # "position", "speed" or "torque"
    time: float                   # s
    value: float
    limit: float

    def __str__(self):
        return f"{self.what} of joint {self.joint!r} is {self.value:.6g} at {self.time:.6g} s, its limit {self.limit:.6g}"


def passed(motion, limits):
    """All `Passed` of a motion; see `Motion.passed`."""
    found = []
    for joint, what, low, high in _checked(motion, limits):
        time, value = WORST[what](motion, motion.joints.index(joint))
        for bound, beyond in ((low, low - value), (high, value - high)):
            worst = int(np.argmax(beyond))
            if beyond[worst] > 0.0:
                found.append(Passed(joint, what, float(time[worst]), float(value[worst]), bound))
    return found


def _checked(motion, limits):
    """(joint, what, lowest, highest) of each limit."""
    if not isinstance(limits, dict):
        refuse("limits", f"they are {limits!r:.60}", 'give {joint: {"position": (low, high), "speed": most, "torque": most}}')
    found = []
    for joint, given in limits.items():
        word("limits", "joint", joint, motion.joints)
        where = f"limits of joint {joint!r}"
        if not isinstance(given, dict):
            refuse(where, f"they are {given!r:.60}", 'give a dictionary such as {"speed": 2.0}')
        for what, value in given.items():
            word(where, "limit", what, KINDS)
            if what != "position":
                most = number(where, what, value, above=0.0)
                found.append((joint, what, -most, most))
                continue
            pair = floats(where, what, value)
            if pair.shape != (2,) or not pair[0] < pair[1]:
                refuse(where, f"position is {value!r:.60}", "give (lowest, highest)")
            found.append((joint, what, *pair.tolist()))
    return found


# (time, value) of each quantity where it may be largest: at all instants, and where the cubic between two of them turns back.

def _positions(motion, k):
    time, h, a, u, second, third = _pieces(motion, k)
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(second * second - 3.0 * third * u)
        size = -(second + np.copysign(root, second))
        turns = np.stack([size / (3.0 * third), u / size])   # of u + 2 second s + 3 third s², without cancellation
    return _with_inner(motion, motion.position[:, k], turns, time, h, lambda s: a + s * (u + s * (second + s * third)))


def _speeds(motion, k):
    time, h, a, u, second, third = _pieces(motion, k)
    with np.errstate(divide="ignore", invalid="ignore"):
        turns = (-second / (3.0 * third))[None]
    return _with_inner(motion, motion.rate[:, k], turns, time, h, lambda s: (u + s * (2.0 * second + s * 3.0 * third)) / h)


def _efforts(motion, k):
    return motion.time, motion.effort[:, k]


def _pieces(motion, k):
    """Start, length and coefficients of the cubic of each piece."""
    h, q, v = np.diff(motion.time), motion.position[:, k], motion.rate[:, k]
    a, b, u, w = q[:-1], q[1:], h * v[:-1], h * v[1:]
    return motion.time[:-1], h, a, u, 3.0 * (b - a) - 2.0 * u - w, 2.0 * (a - b) + u + w


def _with_inner(motion, value, turns, time, h, at):
    inside = (turns > 0.0) & (turns < 1.0)
    s = np.where(inside, turns, 0.0)
    return (np.concatenate([motion.time, *(time + each * h for each in s)]), np.concatenate([value, *(at(each) for each in s)]))


WORST = {"position": _positions, "speed": _speeds, "torque": _efforts}
