"""What bounds the step at the start, by name: blocks of springs, joints, acts, what turns, and the hits that are expected.

The simulator bounds ω² from above over all bodies (`kernels/step/stability`). What a block of springs asks for by itself is the
same bound of the same model in which all other springs are so soft that they do not count. Steps of what acts together are
shorter than that of the stiffest alone, by √2 where two ask as much of the same body.
"""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.springs.table import KINDS, OF_LIST
from robotphi.kernels.step import slots
from robotphi.kernels.step.relief import damping_apart, relieved_step, stable_step
from robotphi.kernels.step.stability import TURN_LIMIT
from robotphi.kernels.step.viscosity import may_go_apart, staged_step
from robotphi.model.arrays import aligned
from robotphi.model.mechanisms import freedom_rows
from robotphi.record.causes import cause_names, sentence_of
from robotphi.run.loop import Loop
from robotphi.run.state import SAFETY, State

SOFT = 1e-12         # of a stiffness: what does not count
TRIED = 12           # blocks of springs that are tried by themselves, those that look stiffest
SHORTER = 1e-6       # of the longest step: what bounds no step of that size is left out
RELIEFS = 12         # that are tried at the start
WIDER = 1.05         # what the best relief may allow beyond those that were tried


class Setter(NamedTuple):
    """Something that bounds the step."""
    name: str        # as a part of a sentence
    what: str        # "stiffness", "damping", "turning", "hit", "act"
    thing: str       # kind of spring, "joint", "rigid", "pair", "act"
    names: tuple     # of the thing
    step: float      # s, that it allows by itself
    share: float     # of the largest ω² of any


def longest_step(simulator, reliefs):
    """s: what is stable at the start, dampers apart where the scheme can do that, nothing touching; inf where all is."""
    numbers = simulator.state.buffers.numbers
    damping, limit = numbers[slots.ACT_DAMPING if reliefs else slots.SPRING_DAMPING], numbers[slots.SPRING_STEP]
    longest = _longest(numbers, reliefs, damping, limit)
    return min(longest, _staged(simulator)) if reliefs else longest


def _staged(simulator):
    """s: for which dampers apart have stages enough; fixed steps take them several times."""
    fixed = simulator.model.scene.stepping.control == "fixed"
    return np.inf if fixed else staged_step(simulator.state.buffers.numbers)


def longest_undamped(simulator, reliefs):
    """s: the same by stiffness alone, and what dampers apart take off it."""
    numbers = simulator.state.buffers.numbers
    return _longest(numbers, reliefs, 0.0, np.inf) * (WIDER if reliefs else 1.0)


def _longest(numbers, reliefs, damping, limit):
    rate = damping_apart(numbers)
    return float(max([stable_step(numbers[slots.SPRING_SQUARE], damping, limit, SAFETY),
                      *(relieved_step(square, relief, rate, damping, limit, SAFETY) for square, relief in reliefs)]))


def reliefs_of(simulator):
    """[(1/s², 1/s)]: bounds of what dampers apart leave of ω² at the start, and by which reliefs, as a run finds them; [] where
    dampers cannot go apart."""
    model, found = simulator.model, []
    if not may_go_apart(simulator.state.buffers.counters):
        return found
    state, loop, best = State(model), Loop(model, 1), 0.0
    for _ in range(RELIEFS):
        if not _evaluated(state, loop):
            break
        numbers, counters = state.buffers.numbers, state.buffers.counters
        found.append((float(numbers[slots.RELIEVED_SQUARE]), float(numbers[slots.RELIEF])))
        step = relieved_step(*found[-1], damping_apart(numbers), numbers[slots.ACT_DAMPING], np.inf, SAFETY)
        if not step > best and len(found) > 2:
            break
        best, numbers[slots.RELIEVED_STEP] = max(step, best), step
        for place in (slots.STARTED, slots.BLOCKS):
            counters[place] = 0
        counters[slots.VISCOSITY] = slots.APART
    return found


def setters(simulator, hits):
    """A list of `Setter`, the shortest step first; shares are (shortest/step)²."""
    beside = _square_of(_softened(simulator.model))
    found = [*_springs(simulator, beside), *_joints(simulator, beside), *_others(simulator, beside), *_turning(simulator),
             *_damping(simulator)]
    for hit in hits:
        found.append(_setter(f"a hit of {hit.names[0]!r} and {hit.names[1]!r} at {hit.speed:.2g} m/s" if hit.speed > 0.0 else
                             f"contact of {hit.names[0]!r} and {hit.names[1]!r} under their weight",
                             "hit", "pair", hit.names, hit.step))
    found = sorted((each for each in found if np.isfinite(each.step)), key=lambda each: (each.step, each.name))
    shortest = found[0].step if found else np.inf
    return [each._replace(share=float((shortest / each.step) ** 2)) for each in found if shortest > SHORTER * each.step]


def _setter(name, what, thing, names, step):
    return Setter(name, what, thing, tuple(names), float(step), 0.0)


# Springs --------------------------------------------------------------------------------------------------------------------

def _springs(simulator, beside):
    """One for each block of springs, of those that look stiffest."""
    model = simulator.model
    blocks = [block for kind in KINDS for block in model.scene.springs[kind] if np.max(block.stiffness, initial=0.0) > 0.0]
    if len(blocks) > TRIED:
        rough = _rough_squares(model)
        blocks = sorted(blocks, key=lambda block: -rough[block.kind][block.indices].max(initial=0.0))[:TRIED]
    for block in blocks:
        square = _square_of(_softened(model, block.kind, block.indices))
        if square > beside * (1.0 + SHORTER):
            yield _setter(f"the stiffness of {block.name!r}", "stiffness", block.kind, (block.name,), _step(square))


def _rough_squares(model):
    """Kind → (springs,) 1/s²: k Σ w/arm², with what moves most easily at each end; only for the order of blocks."""
    particles, rigids = model.arrays.particles, model.arrays.rigids
    ease = particles.inverse_mass.copy()
    for i in range(len(rigids.mass)):
        rows = slice(rigids.start[i], rigids.start[i + 1])
        reach = np.einsum("ij,ij->i", rigids.local[rows], rigids.local[rows])
        ease[rigids.particle[rows]] = rigids.inverse_mass[i].max() + reach * rigids.inverse_inertia[i].max()
    found = {name: np.zeros(model.scene.spring_count(name)) for name in KINDS}
    for name, kind in OF_LIST.items():
        springs = getattr(model.arrays, name)
        there = springs.identity >= 0
        ends = [getattr(springs, end)[there] for end in kind.ends]
        square = springs.stiffness[there] * sum(ease[end] for end in ends)
        if kind.name != "linear":
            arms = [np.linalg.norm(model.position[end] - model.position[ends[1]], axis=1) for end in ends if end is not ends[1]]
            square = square / np.maximum(np.min(arms, axis=0), 1e-300) ** 2
        found[kind.name][springs.identity[there]] = square
    return found


def _softened(model, kind=None, indices=()):
    """The model with all springs soft but those, and its joints too."""
    arrays, changed = model.arrays, {}
    for name, of_kind in OF_LIST.items():
        springs = getattr(arrays, name)
        keep = np.isin(springs.identity, indices) if of_kind.name == kind else np.zeros(len(springs.identity), bool)
        soft = {"stiffness": aligned(np.where(keep, springs.stiffness, SOFT * springs.stiffness)),
                "viscosity": aligned(np.zeros(len(springs.viscosity)))}
        if "table" in springs._fields:
            soft["table"] = aligned(np.where(keep, springs.table, -1), springs.table.dtype)
        changed[name] = springs._replace(**soft)
    mechanisms = arrays.mechanisms
    changed["mechanisms"] = mechanisms._replace(steepest=aligned(SOFT * mechanisms.steepest))
    return model._replace(arrays=arrays._replace(**changed))


def _square_of(model):
    """1/s²: the bound of ω² at the start by all but contact; nought where it cannot be told."""
    state = State(model)
    told = _evaluated(state, Loop(model, 1))
    return float(state.buffers.numbers[slots.SPRING_SQUARE]) if told else 0.0


def _evaluated(state, loop):
    """Whether forces and bounds could be evaluated at the start, without a step."""
    state.begin_frame(0.0)
    state.buffers.counters[slots.CHUNK] = 1
    loop.advance(state)
    while state.buffers.counters[slots.STATUS] == slots.PAIRS_FULL:
        state.make_room()
        loop.advance(state)
    return (state.buffers.counters[slots.STATUS] == slots.FRAME_DONE
            and bool(np.isfinite(state.buffers.numbers[slots.SPRING_SQUARE])))


def _step(square):
    return 2.0 * SAFETY / np.sqrt(square) if square > 0.0 else np.inf


# What else ------------------------------------------------------------------------------------------------------------------

def _joints(simulator, beside):
    """Springs and tables on the coordinates of joints, joint by joint."""
    model = simulator.model
    mechanisms = model.arrays.mechanisms
    for number, joint in enumerate(model.scene.joints):
        own = freedom_rows(model, number)
        if len(own) and mechanisms.steepest[own].max() > 0.0:
            keep = np.full(len(mechanisms.steepest), SOFT)
            keep[own] = 1.0
            soft = _softened(model)
            stiff = soft.arrays.mechanisms._replace(steepest=aligned(keep * mechanisms.steepest))
            square = _square_of(soft._replace(arrays=soft.arrays._replace(mechanisms=stiff)))
            if square > beside * (1.0 + SHORTER):
                yield _setter(f"the stiffness on joint {joint.name!r}", "stiffness", "joint", (joint.name,), _step(square))


def _others(simulator, beside):
    """Acts and stiff objects, which are in the bounds of all others as well."""
    words = ["acts"] * bool(simulator.state.buffers.counters[slots.HAS_ACTS])
    words += ["stiff objects"] * bool(len(simulator.model.arrays.stiff.way))
    if words and beside > 0.0:
        yield _setter(" and ".join(words), "act", "act", (), _step(beside))


def _damping(simulator):
    """What brakes fastest: in the force, as acts always do, or where dampers that go apart have no more stages."""
    numbers, counters = simulator.state.buffers.numbers, simulator.state.buffers.counters
    apart = may_go_apart(counters)
    strongest = cause_names(simulator.model, counters[slots.DAMP_CAUSE])
    rate = float(numbers[slots.ACT_DAMPING if apart else slots.SPRING_DAMPING])
    if rate > 0.0:
        yield _damper(None if apart else strongest, SAFETY / rate)
    if apart and strongest is not None:
        yield _damper(strongest, _staged(simulator))


def _damper(cause, step):
    """A setter that brakes, of what `cause_names` tells; None where it is known to be an act."""
    name = "the damping of acts" if cause is None else "the damping of " * (cause[1] == "act") + sentence_of(*cause[:3])
    return _setter(name, "damping", cause[1] if cause else "act", cause[2] if cause else (), step)


def _turning(simulator):
    """The rigid that turns fastest at the start."""
    numbers, counters = simulator.state.buffers.numbers, simulator.state.buffers.counters
    step, body = float(numbers[slots.SPRING_STEP]), int(counters[slots.TURN_BODY])
    if np.isfinite(step) and body != slots.NO_BODY:
        name = simulator.model.scene.rigids[body].name
        yield _setter(f"the turning of {name!r} at {TURN_LIMIT / step:.3g} rad/s", "turning", "rigid", (name,), step)
