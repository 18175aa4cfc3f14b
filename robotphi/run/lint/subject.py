"""What checks look at: a model, and its first instant, in which all forces were evaluated and no step was made."""
from typing import NamedTuple

import numpy as np

from robotphi.errors import SceneError
from robotphi.kernels.step import slots
from robotphi.run.advice.depths import starting_overlaps
from robotphi.run.lint.bounds import longest_step, longest_undamped, reliefs_of, setters
from robotphi.run.lint.hits import expected_hits
from robotphi.run.simulator import Simulator

AS_SOON = 1e-9   # relative: events so near each other are one


class Subject(NamedTuple):
    """A scene as it begins."""
    model: object
    simulator: object
    overlaps: list      # sentences on what is too deep in each other
    touching: dict      # column → rows of contact of the first frame, {} where nothing can touch
    hits: list          # of `advice.steps.Hit`, the shortest step first
    setters: list       # of `bounds.Setter`, the shortest step first
    step: float         # s, the longest that springs, acts and joints allow at the start
    undamped: float     # s, … by their stiffness alone

    @property
    def scene(self):
        return self.model.scene


def subject_of(model):
    """Evaluate the first instant of a model."""
    simulator, refused = Simulator(model), ""
    try:
        simulator.begin()
    except SceneError as error:   # things that would burst apart
        refused = str(error).partition(": ")[2]
    touching = simulator.recorder.last_rows("contacts") if "contacts" in simulator.recorder.tables else {}
    overlaps = [refused] if refused else starting_overlaps(model, touching) if touching else []
    hits, reliefs = expected_hits(model), reliefs_of(simulator)
    return Subject(model, simulator, overlaps, touching, hits, setters(simulator, hits), longest_step(simulator, reliefs),
                   longest_undamped(simulator, reliefs))


def fewest_steps(subject):
    """How many steps there are at least: between any two events, frames among them, as many as the stiffest asks for.

    Springs, acts and joints count as stiff as they begin, less what dampers apart take off them. What is damped or turns may
    come to rest, so that it promises no steps.
    """
    scene, stepping = subject.scene, subject.scene.stepping
    longest = stepping.dt if stepping.control == "fixed" else min(subject.undamped, stepping.dt_max or np.inf)
    breakpoints = subject.model.arrays.breakpoints if stepping.control != "energy" else []
    events = np.union1d(scene.frame_times, [time for time in breakpoints if 0.0 < time < scene.duration])
    spans = np.diff(events)
    spans = spans[spans > AS_SOON * scene.duration]
    return int(np.maximum(np.ceil(spans / longest * (1.0 - AS_SOON)), 1.0).sum())


def in_force_step(subject):
    """s: the step that is stable with all dampers in the force, at the start."""
    return float(subject.simulator.state.buffers.numbers[slots.STABLE])
