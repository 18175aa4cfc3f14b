"""Coordinates that a run has led beyond their stops.

A stop holds what falls onto it; a drive that leads the coordinate through a loop or a relation is the stronger one. Adaptive
steps end there with the joint named, fixed ones go on, and nothing but the coordinate in the frames tells.
"""
import numpy as np

from robotphi.kernels.mechanism.kinds import freedoms_of
from robotphi.model.mechanisms import freedom_rows

LISTED = 5        # joints
BEYOND = 1e-6     # of the way between both stops, of one alone rad or m: more than a step leaves behind a hit


def passed_stops(model, recording):
    """One sentence for each joint that is beyond a stop in some frame; an empty list is good."""
    found = []
    for number, joint in enumerate(model.scene.joints):
        if model.link_of_joint[number, 0] < 0 or not np.isfinite(joint.limits).any():
            continue
        place = recording.checkpoint["joint_place"][:, freedom_rows(model, number), 0]
        for k, (low, high) in enumerate(joint.limits):
            beyond = np.maximum(low - place[:, k], place[:, k] - high)
            worst = int(np.argmax(beyond))
            if beyond[worst] > BEYOND * (high - low if np.isfinite(high - low) else 1.0):
                found.append(_sentence(joint, k, low, high, recording.time[worst], place[worst, k]))
    return found[:LISTED] + ([f"{len(found) - LISTED} more joints are beyond their stops"] if len(found) > LISTED else [])


def _sentence(joint, k, low, high, time, place):
    which = f"joint {joint.name!r}" if len(joint.limits) == 1 else f"{freedoms_of(joint.kind)[k].name} of joint {joint.name!r}"
    return (f"{which} is at {place:.6g} at t = {time:.6g} s, beyond its stops at [{low:g}, {high:g}]: what is driven leads it "
            "there, and is stronger than a stop; let a motor with that target drive, or keep the drive within the stops")
