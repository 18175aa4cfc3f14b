"""Arms of angular and articular springs that fold to nothing.

Near its centre or axis a spring is as stiff as one over the square of the arm, and its damper as quick: a step that is fine
elsewhere makes energy there.
"""
from typing import NamedTuple

import numpy as np

SHORT = 0.1   # of an arm as it was at the start: what is shorter has fallen on its centre or axis


class Folded(NamedTuple):
    """A spring with an arm that is too short for a step."""
    kind: str
    index: int
    arm: float        # m
    at_start: float   # m
    stable: float     # s, the longest step that is stable for it by itself
    time: float       # s
    made: float       # J that had come from nowhere by then


def arm_lengths(chosen, position):
    """(s,) m: the shorter arm of angular springs, the arm of articular ones that is nearer to the axis."""
    centre = position[chosen.centre]
    arms = [position[end] - centre for end in (chosen.first, chosen.second)]
    if chosen.kind == "articular":
        axis = position[chosen.end] - centre
        axis = axis / np.linalg.norm(axis, axis=1)[:, None]
        arms = [np.cross(arm, axis) for arm in arms]
    return np.min([np.linalg.norm(arm, axis=1) for arm in arms], axis=0)


def before_energy_was_made(simulator, recording):
    """(time, positions, J made): the start of the step since the last frame by which more energy had come from nowhere than
    there was, found by going there once more."""
    steps, began = recording.steps, float(recording.time[-1])
    late = np.flatnonzero(steps["time"] > began)
    if not len(late):
        return simulator.state.time, simulator.state.position, 0.0
    made = np.abs(np.cumsum(steps["residual"][late]))
    there = float(recording.ledger["reference_energy"][-1])
    k = int(np.argmax(made > there) if there > 0.0 and made.max() > there else np.argmax(np.abs(steps["residual"][late])))
    time = float(steps["time"][late[k]] - steps["dt"][late[k]])
    again = type(simulator).continued(simulator.model, recording)
    if time > began + 0.5 * float(steps["dt"][late[k]]):
        again.advance_to(time)
    return again.state.time, again.state.position.copy(), float(made[k])


def held_off(kind):
    """What to do about it, as the start of a sentence."""
    return f"Hold the arm off its {'axis' if kind == 'articular' else 'centre'}, such as by a linear spring"
