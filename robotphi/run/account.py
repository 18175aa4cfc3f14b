"""The account of a run: plain facts of what was simulated, with what, and how."""
import numpy as np

from robotphi.kernels.step import slots
from robotphi.kernels.step.codes import LIMITS
from robotphi.record.causes import step_causes
from robotphi.record.contacts import packed_names
from robotphi.record.joints import joint_facts

COUNTS = {"attempts": slots.ATTEMPTS, "accepted": slots.ACCEPTED, "refused": slots.REFUSED, "evaluations": slots.EVALUATIONS,
          "floor_hits": slots.FLOOR_HITS, "reserve": slots.ON_RESERVE, "rounding": slots.ON_ROUNDING,
          **{f"limited_by_{limit.name}": slots.LIMITED + k for k, limit in enumerate(LIMITS)}}


def step_counts(state):
    """What the step control did."""
    counters = state.buffers.counters
    return {name: int(counters[place]) for name, place in COUNTS.items()}


def object_notes(scene):
    """What is to be known of each object, its certificate included."""
    from robotphi.discretise.masses.certificate import certified_notes

    return {name: certified_notes(placed.object) for name, placed in scene.objects.items()}


def run_facts(simulator, objects, warnings, wall_time):
    """Plain JSON values of a run; `objects` is what is to be known of each, `warnings` what the user is to be told."""
    import numba

    from robotphi import __version__
    model = simulator.model
    scene, stepping = model.scene, model.scene.stepping
    return {"scene": scene.name, "scheme": stepping.scheme, "control": stepping.control, "budget": stepping.budget,
            "accuracy": stepping.accuracy, "duration": scene.duration, "particles": model.particle_count,
            "rigids": len(scene.rigids),
            "springs": {kind: scene.spring_count(kind) for kind in ("linear", "angular", "articular")},
            "objects": objects, **_touching(model), **joint_facts(model), "warnings": warnings, "causes": _causes(simulator),
            "threads": simulator.threads, "wall_time": wall_time, "seeds": [], **_kept(simulator),
            "sampling_errors": getattr(scene, "sampling_errors", {}),
            "versions": {"robotphi": __version__, "numpy": np.__version__, "numba": numba.__version__}}


def _touching(model):
    """Names of what can touch."""
    owner = model.arrays.contact.parts.owner
    return {"touching": packed_names(model.part_names, owner, model.owner_names)} if len(owner) else {}


def _causes(simulator):
    """What set the steps, by name."""
    return [cause._asdict() for cause in step_causes(simulator.model, simulator.state.buffers.causes)]


def _kept(simulator):
    """Whether the ledger closed within its budget, where the budget set the step."""
    if simulator.model.scene.stepping.control != "ledger":
        return {}
    numbers = simulator.state.buffers.numbers
    allowed = numbers[slots.BUDGET] * numbers[slots.REFERENCE]
    return {"budget_kept": bool(numbers[slots.LARGEST_RESIDUAL] <= allowed)}
