"""What can be told of a scene before it is run, as one report; it promises no time, which hangs on motion and machine."""
from typing import NamedTuple

import numpy as np

from robotphi.model.build import build_model
from robotphi.run.advice.slow import seconds
from robotphi.run.lint.subject import fewest_steps, in_force_step, subject_of
from robotphi.run.lint.table import CHECKS

HELD_BACK = 0.5   # of the longest step: dampers that hold it back by more are told


class Report(NamedTuple):
    """What sets the step, how many steps there are at least, what may ask for more, and what is likely to be wrong."""
    scene: str
    duration: float     # s
    frames: int
    step: float | None  # s, the longest at the start; None where nothing bounds it
    setters: list       # of `bounds.Setter`
    steps: int          # at least
    more: list          # sentences on what may ask for more
    found: dict         # name of a check → [Finding], of those that found something

    @property
    def serious(self):
        """Findings that are likely to be wrong."""
        return [each for all_of in self.found.values() for each in all_of if each.serious]


def lint(scene, checks=CHECKS):
    """The `Report` of a Scene."""
    subject = subject_of(build_model(scene))
    found = {check.name: check.function(subject) for check in checks}
    return Report(scene.name, scene.duration, scene.frames, subject.step if np.isfinite(subject.step) else None,
                  subject.setters, fewest_steps(subject), more_steps(subject),
                  {name: findings for name, findings in found.items() if findings})


def more_steps(subject):
    """What may make steps shorter than the longest one, as sentences."""
    scene, stepping, told = subject.scene, subject.scene.stepping, []
    if stepping.control == "fixed":
        return told
    if stepping.control == "ledger":
        path = ", which governs the path as well" if stepping.governed == "path" else ""
        told.append(f"the budget of {stepping.budget:g}{path}: as short as the motion asks for")
    if stepping.control == "energy":
        told.append(f"the energy tolerance of {stepping.energy_tolerance:g} J")
    in_force = in_force_step(subject)
    if in_force < HELD_BACK * subject.step:
        told.append(f"what is damped or in touch at the start: {seconds(in_force)} until its dampers are integrated apart")
    if subject.hits:
        hit = subject.hits[0]
        told.append(f"hits: {seconds(hit.step)} is expected of {hit.names[0]!r} and {hit.names[1]!r} at {hit.speed:.2g} m/s")
        told.append("things that come near each other: no step crosses half of what the thinner one is thick")
    if any(len(blocks) for kind, blocks in scene.springs.items() if kind != "linear"):
        told.append("arms of angular and articular springs that become shorter, and springs under load")
    if len(subject.model.arrays.drives.start) > 1:
        told.append("drives and commands: no step leaps over what they do")
    if len(scene.joints):
        told.append("joints: stops, dry friction and what turns fast")
    return told
