"""More exact variants of an experiment, by which its fitted values are checked: a tenth of the budget, half the largest step, a
mesh twice as fine where the scene has a knob for it.
"""
from dataclasses import dataclass, replace

import numpy as np

from identification.experiment.experiment import knobs_of
from identification.experiment.problem import planned
from identification.experiment.simulated import Simulated
from identification.problem import Problem
from identification.verdict.checks import SMALLER, TENTH
from identification.verdict.meshes import MESH
from robotphi.errors import RobotphiError
from robotphi.run.simulator import Simulator
from robotphi.scene.scene import Scene

STEP = 0.5
COUNTS, SIZES = ("cells", "segments"), ("cell", "cell_size")    # knobs that are a number of cells, or the length of one


@dataclass(frozen=True)
class Variant(Problem):
    """A problem whose scenes are built by a function of its knobs, one candidate at a time."""
    parameters: tuple
    series: tuple
    simulated: Simulated
    budget: float

    def evaluate(self, points, held_out=False):
        return [self.simulated.outcome(tuple(map(float, point)), held_out=held_out, budget=self.budget)
                for point in np.atleast_2d(points)]


def variants_of(experiment, problem, values, budget=1.0):
    """{what is different: Problem} of a problem of an experiment, about values fitted within a share of its budget; checks that
    cannot be had are left out."""
    plan, series = planned(experiment)
    plain = Simulated(plan)
    parameters = experiment.parameters

    def variant(build):
        return Variant(parameters, series, Simulated(replace(plan, source=build)), budget)

    found = {}
    tenth = problem.finer(TENTH * budget)
    if tenth is not None:
        found[SMALLER] = tenth
    longest = longest_step(plain, plan, values, budget)
    if longest:
        found["half the largest step"] = variant(lambda **knobs: capped(plain.scene(knobs), STEP * longest))
    finer = finer_knobs(experiment)
    if finer:
        said = " and ".join(f"{name} {value:g}" for name, value in finer.items())
        found[f"{MESH} ({said})"] = variant(lambda **knobs: plain.scene(knobs | finer))
    return found


def capped(scene, longest):
    """A copy of the scene whose steps are no longer."""
    other = scene.with_values({})
    other.stepping = replace(scene.stepping, dt_max=longest)
    return other


def longest_step(simulated, plan, values, budget):
    """The longest step of all fitted runs at the values [s]; None where one cannot be run."""
    longest = 0.0
    for number, run in enumerate(plan.runs):
        if not run.held_out:
            try:
                recording = Simulator(simulated.model(number, values, budget)).run()
            except RobotphiError:
                return None
            longest = max(longest, float(np.max(recording.steps["dt"], initial=0.0)))
    return longest or None


def finer_knobs(experiment):
    """{knob: value} of a mesh twice as fine; nothing where the scene has no such knob."""
    scene = experiment.scene
    if isinstance(scene, Scene):
        return {}
    known = knobs_of(scene, experiment.allow)
    told = experiment.knobs | {name: value for run in experiment.runs for name, value in run.knobs.items()}
    defaults = {name: told.get(name, _default(scene, experiment.allow, name)) for name in (*COUNTS, *SIZES) if name in known}
    return {name: 2 * value if name in COUNTS else value / 2 for name, value in defaults.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool)}


def _default(scene, allow, name):
    """What a knob is where nobody tells."""
    import inspect

    if callable(scene):
        return inspect.signature(scene).parameters[name].default
    from robotphi.scenario.file import load_scenario

    module = load_scenario(scene, allow).module
    known = getattr(module, "parameters", None)
    return known[name].default if known else inspect.signature(module.build).parameters[name].default
