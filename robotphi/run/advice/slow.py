"""Advice after a run: what set most of its steps, by name, and what would make them longer.

A step of the length 2/(c + √(c² + ω²)) grows where that one of ω² and c is made smaller which sets it, as far as all else
allows: the bounds of the bodies that the springs in question do not touch are known. Of contacts it speaks as they were: of how
deep they became, and how deep they would.
"""
import numpy as np

from robotphi.kernels.springs.table import KINDS
from robotphi.kernels.step import slots
from robotphi.kernels.step.bodies import DAMP_LIMIT, RIGID_DAMP_LIMIT, RIGID_STIFF_LIMIT, STIFF_LIMIT
from robotphi.record.causes import step_causes
from robotphi.run.advice.steps import pair_law

LISTED = 3            # sentences at most
OFTEN = 0.2           # share of the steps from which a cause is told
MANY = 10_000         # steps: a shorter run is over before advice is read
WORTH = 1.5           # times the step, below which nothing is proposed
SOFTER = 4.0          # stiffnesses are proposed so many times smaller: twice the step
LEFT = 0.25           # of ω, to which a damping rate is brought down: it then costs a quarter of the step that it could have


def slow_steps(simulator):
    """Sentences about what set most of the steps of a run so far, the most frequent first."""
    state, model = simulator.state, simulator.model
    accepted = int(state.buffers.counters[slots.ACCEPTED])
    if accepted < MANY or model.scene.stepping.control == "fixed":
        return []
    told = []
    for cause in step_causes(model, state.buffers.causes)[:LISTED]:
        if cause.steps >= OFTEN * accepted:
            share = min(int(100.0 * cause.steps / accepted), 99) if cause.steps < accepted else 100
            told.append(f"{share} % of the steps are set by {cause.name} ({seconds(cause.dt)})" + remedy(simulator, cause))
    return told


def remedy(simulator, cause):
    """What would make its steps longer, as the end of a sentence; "" where nothing is known."""
    if cause.thing in KINDS:
        return spring_remedy(simulator, cause)
    if cause.thing == "pair" and cause.what == "stiffness":
        return pair_remedy(simulator, cause)
    return ""


def spring_remedy(simulator, cause):
    """Less viscosity or stiffness of a block of springs, and the step that follows."""
    model, b = simulator.model, simulator.state.buffers
    block = next(each for each in model.scene.springs[cause.thing] if each.name == cause.names[0])
    square, damping = float(b.numbers[slots.SPRING_SQUARE]), float(b.numbers[slots.SPRING_DAMPING])
    others_square, others_damping = bounds_of_others(model, b, KINDS[cause.thing], block)
    now = damping + np.sqrt(damping**2 + square)
    if cause.what == "viscosity":
        new = max(LEFT * np.sqrt(square), others_damping)
        values, unit, share = block.viscosity, KINDS[cause.thing].viscosity.unit, new / damping
        then = new + np.sqrt(new**2 + square)
    else:
        new = max(square / SOFTER, others_square)
        values, unit, share = block.stiffness, KINDS[cause.thing].stiffness.unit, new / square
        then = damping + np.sqrt(damping**2 + new)
    if not now > WORTH * then:
        return ""
    value = float(np.max(values))
    return f"; {share * value:.1g} instead of {value:.2g} {unit} would give {seconds(cause.dt * now / then)}"


def bounds_of_others(model, b, kind, block):
    """(ω², c) of the bodies that no spring of a block touches."""
    ends = np.unique(np.concatenate([np.atleast_1d(getattr(block, end)) for end in kind.ends]))
    carrier = b.carrier[ends]
    rows, rigids = np.ones(len(b.particle_block), bool), np.ones(len(b.rigid_block), bool)
    rows[ends[carrier < 0]] = False
    rigids[carrier[carrier >= 0]] = False
    return tuple(float(max(b.particle_block[rows, row].max(initial=0.0), b.rigid_block[rigids, column].max(initial=0.0)))
                 for row, column in ((STIFF_LIMIT, RIGID_STIFF_LIMIT), (DAMP_LIMIT, RIGID_DAMP_LIMIT)))


def pair_remedy(simulator, cause):
    """A softer contact, and how deep it would become; from the deepest that a frame shows."""
    model, tables = simulator.model, simulator.recorder.tables
    if "contacts" not in tables:
        return ""
    first, second, depth, area = (tables["contacts"][name] for name in ("first", "second", "depth", "area"))
    owner, names = model.arrays.contact.parts.owner, model.owner_names
    wanted = {names.index(name) for name in cause.names}
    of_pair = [k for k in np.flatnonzero(depth > 0.0) if {int(owner[first[k]]), int(owner[second[k]])} == wanted]
    if not of_pair:
        return ""
    k = max(of_pair, key=lambda row: depth[row])
    law = pair_law(model, int(first[k]), int(second[k]), float(area[k]))
    deeper = float(depth[k]) * SOFTER ** (1.0 / law.power)
    return (f", {length(float(depth[k]))} deep at most; a {law.word} of the pair of {law.stiffness / SOFTER:.1g} instead of "
            f"{law.stiffness:.2g} {law.unit} would give {seconds(2.0 * cause.dt)}, {length(deeper)} deep")


def seconds(value):
    """A time to two digits, in the unit that suits it."""
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if value >= size:
            return f"{value / size:.2g} {unit}"
    return f"{value:.2g} s"


def length(value):
    """A length to two digits, in the unit that suits it."""
    for size, unit in ((1e-2, "m"), (1e-4, "mm"), (1e-7, "µm")):
        if value >= size:
            return f"{value / {'m': 1.0, 'mm': 1e-3, 'µm': 1e-6}[unit]:.2g} {unit}"
    return f"{value:.2g} m"
