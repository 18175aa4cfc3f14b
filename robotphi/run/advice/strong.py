"""Post-mortem of mechanisms: the spring, torque or motor of a joint that is so strong that nothing could follow it.

What a joint carries is taken for as heavy as it is on average over all axes, J = Σ (tr I/3 + ⅔ m r²), with r from the joint to
each centre as drawn, and what turns with the coordinate alone. A stiffness k swings it within √(J/k), an effort T moves it by
one radian, or metre, within √(2 J/T).
"""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.step import slots
from robotphi.model.mechanisms import freedom_rows
from robotphi.record.springs import drive_value

SUDDEN = 1e-4   # of the duration: what takes so little time happens at once


class Strong(NamedTuple):
    """What moves a joint far in no time."""
    name: str       # "the stiffness of joint 'knee'"
    value: float
    unit: str
    carried: float  # kg·m² or kg
    time: float     # s


def strongest_joint(simulator):
    """The `Strong` of the shortest time, where that is next to nothing beside the duration; else None."""
    found = [each for each in _efforts(simulator) if each.time < SUDDEN * simulator.model.scene.duration]
    return min(found, key=lambda each: each.time, default=None)


def sentence(strong):
    """What it does, as a sentence of a post-mortem."""
    turns = strong.unit.startswith("N·m")
    return (f"{strong.name[0].upper()}{strong.name[1:]} is {strong.value:.3g} {strong.unit}, and it carries "
            f"{strong.carried:.2g} {'kg·m²' if turns else 'kg'}, which that moves within {strong.time:.2g} s.")


def _efforts(simulator):
    """One `Strong` for each stiffness and effort on a coordinate."""
    model, time = simulator.model, float(simulator.state.buffers.numbers[slots.TIME])
    mechanisms, drives = model.arrays.mechanisms, simulator.commands.model.arrays.drives
    for number, joint in enumerate(model.scene.joints):
        for k, row in enumerate(freedom_rows(model, number)):
            turns = mechanisms.turn[row] != 0.0
            heavy = _carried(model, int(row), joint.at, turns)
            unit = "N·m" if turns else "N"
            per = f"{unit}/{'rad' if turns else 'm'}"
            n = int(mechanisms.motor[row])
            motor = next((each for each in model.scene.motors if (each.joint, each.freedom) == (joint.name, k)), None)
            yield from _stiff(f"the stiffness of joint {joint.name!r}", float(joint.stiffness[k]), per, heavy)
            yield from _pushed(f"the torque of joint {joint.name!r}", drives, int(mechanisms.torque[row]), time, unit, heavy)
            if motor is not None:
                yield from _stiff(f"the stiffness of motor {motor.name!r}", motor.stiffness, per, heavy)
                yield from _pushed(f"the torque of motor {motor.name!r}", drives, int(mechanisms.motors.torque[n]), time, unit,
                                   heavy)


def _stiff(name, stiffness, unit, heavy):
    if stiffness > 0.0:
        yield Strong(name, stiffness, unit, heavy, float(np.sqrt(heavy / stiffness)))


def _pushed(name, drives, drive, time, unit, heavy):
    effort = abs(float(drive_value(drives, drive, time))) if drive >= 0 else 0.0
    if effort > 0.0:
        yield Strong(name, effort, unit, heavy, float(np.sqrt(2.0 * heavy / effort)))


def _carried(model, row, at, turns):
    """kg·m² or kg of all links that a coordinate moves."""
    mechanisms, rigids = model.arrays.mechanisms, model.scene.rigids
    link = int(np.searchsorted(mechanisms.freedom_start, row, side="right")) - 1
    end = mechanisms.start[np.searchsorted(mechanisms.start, link, side="right")]
    beyond = {link}
    for i in range(link + 1, end):   # parents before children
        if mechanisms.parent[i] in beyond:
            beyond.add(i)
    heavy = float(mechanisms.armature[row])
    for body in (int(mechanisms.rigid[i]) for i in beyond):
        if body >= 0:
            mass, arm = rigids[body].mass, rigids[body].centre - at
            heavy += np.trace(rigids[body].inertia) / 3.0 + 2.0 / 3.0 * mass * (arm @ arm) if turns else mass
    return float(heavy)
