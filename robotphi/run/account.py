"""The account of a run: plain facts of what was simulated, with what, and how."""
import math

import numpy as np

from robotphi.kernels.acts.gates import SEEN
from robotphi.kernels.step import slots
from robotphi.kernels.step.codes import LIMITS
from robotphi.record.causes import step_causes
from robotphi.record.contacts import packed_names
from robotphi.record.joints import joint_facts
from robotphi.scene.sensors import sensor_facts

COUNTS = {"attempts": slots.ATTEMPTS, "accepted": slots.ACCEPTED, "refused": slots.REFUSED, "evaluations": slots.EVALUATIONS,
          "floor_hits": slots.FLOOR_HITS, "reserve": slots.ON_RESERVE, "rounding": slots.ON_ROUNDING,
          **{f"limited_by_{limit.name}": slots.LIMITED + k for k, limit in enumerate(LIMITS)}}
AWAY = 10.0           # times the size of a scene: so far from the origin, moving it nearer helps
REST = 100.0          # times what rounding of coordinates gives: less has moved in a scene at rest
ROOM = 4.0            # times what was left, for the budget that is proposed


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
    model = simulator.model
    scene, stepping = model.scene, model.scene.stepping
    return {"scene": scene.name, "scheme": stepping.scheme, "control": stepping.control, "budget": stepping.budget,
            "accuracy": stepping.governed, "duration": scene.duration, "particles": model.particle_count,
            "rigids": len(scene.rigids),
            "springs": {kind: scene.spring_count(kind) for kind in ("linear", "angular", "articular")},
            "objects": objects, **_touching(model), **joint_facts(model), **simulator.commands.facts(), **sensor_facts(scene),
            "warnings": warnings + missed_budget(simulator) + chattered(simulator),
            "causes": _causes(simulator),
            "threads": simulator.threads, "wall_time": wall_time, "seeds": [], **_kept(simulator),
            "sampling_errors": getattr(scene, "sampling_errors", {}),
            "versions": versions()}


def versions():
    """Versions of what runs depend on."""
    import numba

    from robotphi import __version__
    return {"robotphi": __version__, "numpy": np.__version__, "numba": numba.__version__}


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


def chattered(simulator):
    """A sentence where gates turned back at once, see `kernels/step/crossing`."""
    times = int(simulator.state.buffers.counters[slots.CHATTERED])
    if not times:
        return []
    acts = [repr(act.name) for act in simulator.model.scene.acts if act.fields.get("seen", SEEN[0]) != SEEN[0]]
    return [f"{times} times a gate turned back as soon as it had turned, of {' or '.join(acts[:4])}: what it switches brings "
            "the number back that it looks at. It then turns at the ends of steps, wherever these are. Let a controller switch "
            "it that goes back at another threshold (hysteresis), or give a law that rises with the number (add_pull)"]


def missed_budget(simulator):
    """A sentence where the ledger left more than was promised; an empty list is good.

    Rounding alone can do that: coordinates far from the origin, or a budget near the precision of numbers. No step helps then,
    so that the run goes on, and says so.
    """
    numbers, counts, stepping = simulator.state.buffers.numbers, step_counts(simulator.state), simulator.model.scene.stepping
    largest, reference = float(numbers[slots.LARGEST_RESIDUAL]), float(numbers[slots.REFERENCE])
    reach = float(8.0 * np.finfo(float).eps * numbers[slots.EXTENT])
    if stepping.control != "ledger" or largest <= numbers[slots.BUDGET] * reference or reference <= _at_rest(simulator, reach):
        return []
    share = largest / reference
    told = f"the ledger leaves {share:.2g} of the largest energy unexplained, {share / stepping.budget:.2g} times the budget"
    if counts["floor_hits"]:
        return [f"{told} of {stepping.budget:g}: {counts['floor_hits']} steps stood at the floor dt_min; lower it, or give a "
                "larger budget"]
    if not counts["rounding"]:
        return [f"{told} of {stepping.budget:g}; give a larger budget"]
    nearer = f", or coordinates nearer to the origin than {farthest(simulator):.2g} m" if is_far(simulator) else ""
    return [f"{told} of {stepping.budget:g}: {counts['rounding']} steps left no more than rounding alone makes of a step, "
            f"which no shorter step mends; give budget={wide_enough(share):g}{nearer}"]


def _at_rest(simulator, reach):
    """J: what rounding of coordinates by `reach` puts into springs and takes of the weight of links, and what moves all by so
    much in the whole run."""
    numbers, arrays = simulator.state.buffers.numbers, simulator.model.arrays
    speed = reach / simulator.model.scene.duration
    return (REST * reach * (numbers[slots.STIFFEST] * reach + numbers[slots.DRIVEN_WEIGHT])
            + (arrays.particles.mass.sum() + arrays.rigids.mass.sum()) * speed * speed)


def wide_enough(share):
    """A budget that such a share keeps well within, to one digit, upwards."""
    wanted = ROOM * share
    unit = 10.0 ** math.floor(math.log10(wanted))
    return min(math.ceil(wanted / unit) * unit, 1.0)


def farthest(simulator):
    return float(np.abs(simulator.model.position).max(initial=0.0))


def is_far(simulator):
    """Whether a scene lies many times its size from the origin."""
    position = simulator.model.position
    return bool(len(position) and farthest(simulator) > AWAY * np.ptp(position, axis=0).max())
