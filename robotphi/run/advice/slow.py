"""Advice after a run: what set most of its steps, by name, and what change would give what step.

What less viscosity, stiffness or a softer contact gives is tried (`trial`), likewise the other scheme. Of the budget it follows
from the rule, since the swings that a step is planned by take longer to grow than a trial: a residual of verlet is c τ³, so
that what T/τ steps of a swing or leak leave in all goes like τ², and steps like the root of the budget; the error of the path
goes like τ⁴. Steps are then as long as stability and path allow at most, and a trial tells of other limits. Of contacts it
speaks as they were: of how deep they became, and would.
"""
from copy import copy
from dataclasses import replace

import numpy as np

from robotphi.kernels.contact import columns
from robotphi.kernels.springs.table import KINDS
from robotphi.kernels.step import slots
from robotphi.kernels.step.decide import LEVEL
from robotphi.model.arrays import aligned
from robotphi.record.causes import all_causes, of_cause
from robotphi.run.advice.steps import pair_law
from robotphi.run.advice.trial import Trials, changed_model

LISTED = 3            # sentences at most
OFTEN = 0.2           # share of the steps from which a cause is told
MANY = 10_000         # steps: a shorter run is over before advice is read
WORTH = 1.5           # times the step, below which a change is not proposed
SOFTER = 4.0          # times smaller stiffnesses are proposed: twice the step
LEFT = 0.25           # of ω, to which a damping rate is brought down: it then costs a quarter of the step that it could have
TOGETHER = 3          # blocks at most that are changed together
MORE = 10.0           # times the budget is proposed


def slow_steps(simulator, recording):
    """Sentences about what set most of the steps of a run so far, the most frequent first."""
    accepted = int(simulator.state.buffers.counters[slots.ACCEPTED])
    if accepted < MANY or simulator.model.scene.stepping.control == "fixed":
        return []
    causes = [cause for cause in all_causes(recording)[:LISTED] if is_told(cause, accepted)]
    trials, told = Trials(simulator, recording, len(causes)) if causes else None, []
    for cause in causes:
        share = min(int(100.0 * cause.steps / accepted), 99) if cause.steps < accepted else 100
        told.append(f"{share} % of the steps are set by {cause.name} ({seconds(cause.dt)})"
                    + remedy(simulator, recording, trials, cause))
    return told


def is_told(cause, accepted):
    """Whether it set so many of the steps, and is none that was asked for: frames, dt_max."""
    asked_for = cause.limit in ("event", "user") and not cause.thing
    return cause.steps >= OFTEN * accepted and not asked_for and cause.dt is not None


def remedy(simulator, recording, trials, cause):
    """What would make its steps longer, as the end of a sentence; "" where nothing is known."""
    chosen = of_cause(simulator.model, recording, cause)
    if not chosen.any() or not recording.checkpoint or len(recording) < 2:
        return ""
    if cause.thing in KINDS and cause.what in ("viscosity", "stiffness"):
        return spring_remedy(simulator, recording, trials.around(chosen), cause)
    if cause.thing == "pair" and cause.what in ("stiffness", "damping"):
        return pair_remedy(simulator, recording, trials.around(chosen), cause)
    if cause.limit in ("budget", "path"):
        return (budget_remedy if simulator.model.scene.stepping.control == "ledger" else tolerance_remedy)(
            simulator, recording, trials.around(chosen), cause)
    return ""


def foretold(recording, cause, gain):
    """The step that follows, in words; none is longer than a frame."""
    return seconds(min(cause.dt * gain, float(np.median(np.diff(recording.time)))))


# Springs --------------------------------------------------------------------------------------------------------------------

def spring_remedy(simulator, recording, trials, cause):
    """Less viscosity or stiffness of a block of springs, and of those that ask as much beside it, and the step that follows.

    Where forces that are suddenly smaller set things in motion, which the budget watches, it is as long as is stable.
    """
    share = smaller(simulator, cause.what)
    model, blocks = simulator.model, [cause.names[0]]
    while True:
        tried = trials.gain(changed_model(model, {(name, cause.what): lessened(model.scene.value(name, cause.what), share)
                                                  for name in blocks}))
        if tried is None:
            return ""
        gain = max(tried.gain, tried.stable)
        if gain >= WORTH:
            return changed_to(model, cause, share, blocks[1:]) + f" would give {foretold(recording, cause, gain)}"
        beside = tried.stiffest if cause.what == "stiffness" else tried.dampest
        if beside[:1] != (cause.what,) or beside[2][0] in blocks or len(blocks) == TOGETHER:
            return (f"; less of it{', and in ' + ' and '.join(map(repr, blocks[1:])) + ',' if blocks[1:] else ''} would give "
                    f"{foretold(recording, cause, max(gain, 1.0))} at most")
        blocks.append(beside[2][0])


def smaller(simulator, what):
    """The share of a viscosity or stiffness that is proposed."""
    if what == "stiffness":
        return 1.0 / SOFTER
    numbers = simulator.state.buffers.numbers
    return float(np.clip(LEFT * np.sqrt(numbers[slots.SPRING_SQUARE]) / max(numbers[slots.SPRING_DAMPING], 1e-300), 0.01, 0.5))


def lessened(values, share):
    """Values so much smaller that the largest is told by one digit."""
    largest = float(np.max(values))
    return np.asarray(values) * (one_digit(share * largest) / largest) if largest > 0.0 else values


def changed_to(model, cause, share, beside):
    """What is proposed of a block, and of what is named beside it."""
    kind, values = KINDS[cause.thing], model.scene.value(cause.names[0], cause.what)
    unit = (kind.viscosity if cause.what == "viscosity" else kind.stiffness).unit
    value, varies = float(np.max(values)), np.ptp(values) > 0.0
    as_well = f", and as much less in {' and '.join(map(repr, beside))}," if beside else ""
    return f"; {'at most ' * bool(varies)}{one_digit(share * value):g} instead of {two_digits(value):g} {unit}{as_well}"


# Contact --------------------------------------------------------------------------------------------------------------------

def pair_remedy(simulator, recording, trials, cause):
    """A softer contact, and how deep it would become; from the deepest that a frame shows."""
    model, deepest = simulator.model, deepest_contact(simulator, recording, cause)
    if deepest is None:
        return ""
    first, second, depth, area = deepest
    law = pair_law(model, first, second, area)
    share = one_digit(law.stiffness / SOFTER**law.power) / law.stiffness   # four times as deep, where ω is half
    tried = trials.gain(softened(model, first, second, share, law.word))
    if tried is None:
        return ""
    gain = max(tried.gain, tried.stable)
    if gain < WORTH:
        return (f", {length(depth)} deep at most; a softer contact alone would give "
                f"{foretold(recording, cause, max(gain, 1.0))} at most")
    deeper = depth * share ** (-1.0 / law.power)
    return (f", {length(depth)} deep at most; a {law.word} of the pair of {law.stiffness * share:g} instead of "
            f"{two_digits(law.stiffness):g} {law.unit} would give {foretold(recording, cause, min(gain, np.sqrt(SOFTER)))}, "
            f"{length(deeper)} deep")


def deepest_contact(simulator, recording, cause):
    """(first, second part, depth, area) of the deepest contact of two things in any frame; None where no frame shows one."""
    if "contacts" not in recording.rows:
        return None
    first, second, depth, area = (recording.rows["contacts"][name] for name in ("first", "second", "depth", "area"))
    owner, names = simulator.model.arrays.contact.parts.owner, simulator.model.owner_names
    wanted = {names.index(name) for name in cause.names}
    of_pair = [k for k in np.flatnonzero(depth > 0.0) if {int(owner[first[k]]), int(owner[second[k]])} == wanted]
    if not of_pair:
        return None
    k = max(of_pair, key=lambda row: depth[row])
    return int(first[k]), int(second[k]), float(depth[k]), float(area[k])


def softened(model, first, second, share, word):
    """The model with another stiffness of all pairs of the materials of two parts."""
    contact = model.arrays.contact
    law, count = contact.law.copy(), round(np.sqrt(len(contact.law)))
    a, b = contact.parts.material[[first, second]]
    column = columns.BALL_STIFFNESS if word == "ball_stiffness" else columns.STIFFNESS
    law[list({a * count + b, b * count + a}), column] *= share
    return model._replace(arrays=model.arrays._replace(contact=contact._replace(law=aligned(law))))


# The budget -----------------------------------------------------------------------------------------------------------------

def budget_remedy(simulator, recording, trials, cause):
    """A larger budget, and the step that follows."""
    stepping = simulator.model.scene.stepping
    if stepping.scheme == "taylor":
        tried = trials.gain(stepped(simulator.model, scheme="verlet"))
        worth = tried is not None and tried.gain >= WORTH
        return f'; scheme="verlet" would give {foretold(recording, cause, tried.gain)} or more' if worth else ""
    larger = min(MORE * stepping.budget, 1.0)
    gain = min((larger / stepping.budget) ** (0.25 if cause.limit == "path" else 0.5),
               longest_step(recording, trials.frames, larger, stepping) / cause.dt)
    tried = trials.gain(stepped(simulator.model, budget=larger))
    if tried is not None and tried.limit not in ("budget", "path"):
        gain = min(gain, tried.gain)
    freed = '; accuracy="energy" asks nothing of the path' if cause.limit == "path" else ""
    if larger == stepping.budget:
        return freed
    at_most = "" if gain >= WORTH else " at most"
    return f"; {larger:g} instead would give {foretold(recording, cause, max(gain, 1.0))}{at_most}{freed}"


def tolerance_remedy(simulator, recording, trials, cause):
    """A larger tolerance of the energy rule; what it gives hangs on what changes the energy, and is tried."""
    tolerance = simulator.model.scene.stepping.energy_tolerance
    tried = trials.gain(stepped(simulator.model, energy_tolerance=MORE * tolerance))
    if tried is None or tried.gain < WORTH:
        return ""
    return f"; {MORE * tolerance:g} instead of {tolerance:g} J would give {foretold(recording, cause, tried.gain)}"


def stepped(model, **changes):
    """The model with other settings of the step."""
    scene = copy(model.scene)
    scene.stepping = replace(scene.stepping, **changes)
    return model._replace(scene=scene)


def longest_step(recording, frames, budget, stepping):
    """s: the step that stability and the path, where that is watched, allow with a budget; the median of some frames.

    Frames are few, and the error of the path swings: where it set steps of the run their mean tells as well.
    """
    numbers = recording.checkpoint["numbers"][frames]
    longest = numbers[:, slots.STABLE]
    if stepping.governed == "path":
        with np.errstate(divide="ignore", invalid="ignore"):
            path = (LEVEL * budget * numbers[:, slots.REFERENCE] / numbers[:, slots.PATH_DENSITY])**0.25
        longest = np.fmin(longest, path)
        for each in all_causes(recording):
            if each.limit == "path" and each.dt:
                longest = np.fmin(longest, each.dt * (budget / stepping.budget)**0.25)
    return float(np.median(longest)) if len(longest) else np.inf


# Numbers for people -----------------------------------------------------------------------------------------------------------

def one_digit(value):
    return float(f"{value:.0e}")


def two_digits(value):
    return float(f"{value:.1e}")


def seconds(value):
    """A time to two digits, in the unit that suits it."""
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if value >= size:
            return f"{two_digits(value / size):g} {unit}"
    return f"{value:.2g} s"


def length(value):
    """A length to two digits, in the unit that suits it."""
    for size, unit in ((1e-2, "m"), (1e-4, "mm"), (1e-7, "µm")):
        if value >= size:
            return f"{two_digits(value / {'m': 1.0, 'mm': 1e-3, 'µm': 1e-6}[unit]):g} {unit}"
    return f"{value:.2g} m"
