"""Post-mortem: which spring, contact or rigid brought in most energy before a run stopped, when, and what would help."""
import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from robotphi.errors import SimulationDiverged
from robotphi.kernels.mechanism.columns import OPENED, OPENED_AT
from robotphi.kernels.springs.measured import formula
from robotphi.kernels.springs.table import KINDS
from robotphi.kernels.step import slots, stiffness
from robotphi.kernels.step.codes import CAUSE_KINDS, CAUSES, STATUSES
from robotphi.kernels.step.renewal import TIGHTEST
from robotphi.kernels.step.rigids import MOMENTUM, SPIN, VELOCITY
from robotphi.model.mechanisms import freedom_rows
from robotphi.record import measure
from robotphi.record.springs import springs
from robotphi.run.advice.arms import SHORT, Folded, arm_lengths, before_energy_was_made, held_off
from robotphi.run.advice.culprit import advise_contact, blamed_contact
from robotphi.run.advice.depths import passed_through
from robotphi.run.advice.strong import sentence, strongest_joint

ANGULAR_SIZES, ARTICULAR_SIZES = formula(stiffness.angular_sizes), formula(stiffness.articular_sizes)
FOLDED = 1.1          # times the shortest step to which bounds follow a shape: a spring that asks for so little has folded
AT_STOP = 1e-6        # rad or m, and of what a limit is: so near a coordinate is at its stop
DEFAULT_FLOOR = 1e-6  # of the stable step: a floor so low only ends runs that get nowhere


class PostMortem(NamedTuple):
    """What is known about a failed run."""
    time: float       # s
    dt: float         # s, the step that was tried last
    culprit: str      # name of the spring, contact or rigid
    energy: float     # J, what it gained since the last frame
    suggestion: str
    text: str
    remedy: dict      # what to change, such as {"dt": 1e-4} in Stepping or {"stiffness": 25.0} of the culprit


def examine(simulator, code):
    """Compare the last frame with the state now, spring by spring and rigid by rigid."""
    numbers = simulator.state.buffers.numbers
    time, dt = float(numbers[slots.TIME]), float(numbers[slots.STEP_TAU])
    stopped_by_floor = code == slots.FLOOR
    folded = folded_spring(simulator) if stopped_by_floor else None
    # where the floor lies above the stable step, the spring that asks for shorter ones is to blame
    tried = max(dt, float(numbers[slots.DT_MIN])) if stopped_by_floor else dt
    kind, index, culprit, energy = find_culprit(simulator, tried)
    if folded:
        remedy, advice = {}, ("Hold its ends apart, such as by a linear spring that is compressed before they meet, or let it "
                              "turn about another particle.")
    elif kind == "contact":
        remedy, advice = advise_contact(simulator.model, index)
    else:
        remedy, advice = advise(simulator, stopped_by_floor, kind, index)
    why = (f"the step fell below its floor of {numbers[slots.DT_MIN]:.3g} s" if stopped_by_floor
           else STATUSES[code].sentence)
    blame = (f"Most energy since the last frame came in through {culprit} ({energy:+.3g} J)." if energy > 0.0
             else f"Nothing gained energy since the last frame; the first suspect is {culprit}.")
    if folded:
        culprit = folded
        blame = (f"An arm of {culprit} has all but vanished: there its direction, and with it the angle, leaps, and its force "
                 "has no bound.")
    fallen = fallen_spring(simulator) if simulator.model.scene.stepping.control == "fixed" else None
    if fallen is not None:
        culprit, energy = f"{fallen.kind} spring {simulator.model.scene.spring_name(fallen.kind, fallen.index)}", fallen.made
        blame = (f"At t = {fallen.time:.6g} s an arm of {culprit} was {fallen.arm:.2g} m long, {fallen.at_start:.2g} m at the "
                 f"start: no step above {fallen.stable:.2g} s is stable there.")
        remedy, advice = {"control": "ledger"}, f'{held_off(fallen.kind)}, or leave the step to control="ledger".'
    strong = strongest_joint(simulator) if kind in (None, "rigid") and not folded else None
    if strong:
        culprit, remedy, blame = strong.name.removeprefix("the "), {}, sentence(strong)
        advice = "Give a smaller one, or the rotor or what it carries more inertia."
    unclosed, sure = open_loop(simulator, index if kind == "rigid" and not folded else -1)
    if unclosed and stopped_by_floor:
        blame = (f"A loop closed by {unclosed} cannot be closed any further." if sure
                 else f"{blame} It belongs to a loop that {unclosed} closes: the first suspect is that this is drawn tight.")
        culprit, remedy = unclosed, {}
        advice = ("What is driven or held on its way leaves it no place to go to, or it stands where its bars lie in line: "
                  "change the drive, or what else holds it.")
    fixed = simulator.model.scene.stepping.control == "fixed"   # whose last step would have met it
    pressed = driven_onto_stop(simulator, 2.0 * dt if fixed else 0.0) if fixed or stopped_by_floor else None
    if pressed:
        culprit, remedy = pressed[0], {}
        blame = f"J{pressed[0][1:]} is at its stop at {pressed[1]:g}, and {pressed[2]} leads it on: no step could do both."
        advice = "Let the drive end or turn before, widen limits, or let a motor with a limit drive, which the stop holds back."
    text = (f"scene {simulator.model.scene.name!r} stopped at t = {time:.6g} s: {why} (last step tried {dt:.3g} s, its "
            f"residual {numbers[slots.STEP_RESIDUAL]:.3g} J). {blame} {advice}")
    return PostMortem(time, dt, culprit, energy, advice, text, remedy)


def open_loop(simulator, rigid):
    """(Names of the joints that close the loops of a mechanism, None where there is none; whether steps from here could not
    close it). Where no step says so, it is the mechanism of the rigid that gained most, more than any spring or contact."""
    arrays, buffers = simulator.model.arrays, simulator.state.buffers
    sums, mechanisms = buffers.links.sums, arrays.mechanisms
    opened = (sums[:, OPENED] > 0.0) & (sums[:, OPENED_AT] == buffers.numbers[slots.TIME])
    sure = bool(opened.any())
    if not sure and rigid >= 0 and mechanisms.link_of_rigid[rigid] >= 0:
        opened[np.searchsorted(mechanisms.start, mechanisms.link_of_rigid[rigid], side="right") - 1] = True
    for m in np.flatnonzero(opened):
        own = slice(*arrays.closures.start[m:m + 2])
        numbers = [number for number in dict.fromkeys(arrays.closures.joint[own]) if number >= 0]
        names = [simulator.model.scene.joints[number].name for number in numbers]
        if names:
            return ", ".join(f"joint {name!r}" for name in names[:3]), sure
    return None, False


def driven_onto_stop(simulator, within):
    """(joint, coordinate, what drives) where a coordinate is at its stop in a mechanism that is driven, or would be `within`
    so many seconds; None where none is."""
    model, mechanisms = simulator.model, simulator.model.arrays.mechanisms
    place, rate = (getattr(simulator.state.buffers.joints, what)[:, 0] for what in ("place", "rate"))
    joints = model.scene.joints
    rows = [[int(row) for row in freedom_rows(model, number)] for number in range(len(joints))]
    for begin, end in pairwise(mechanisms.freedom_start[mechanisms.start]):
        drives = [f"the drive of {joint.name!r}" for joint, own in zip(joints, rows, strict=True)
                  if any(begin <= row < end and mechanisms.drive[row] >= 0 for row in own)]
        for joint, own in zip(joints, rows, strict=True):
            for row in own:
                limits = mechanisms.limits[row][np.isfinite(mechanisms.limits[row])]
                near = AT_STOP * np.maximum(np.abs(limits), 1.0)
                way = np.clip(limits - place[row], *sorted((0.0, within * rate[row])))
                at = limits[np.abs(place[row] + way - limits) <= near]
                if drives and begin <= row < end and len(at):
                    return f"joint {joint.name!r}", float(at[0]), " and ".join(drives[:3])
    return None


def diverged(simulator, code, overlaps):
    """The error that ends a run, with its recording so far; `overlaps` are sentences about what overlapped at the start."""
    scene = simulator.model.scene
    if not simulator.recorder.frame_count:
        return SimulationDiverged(f"scene {scene.name!r}: the forces of its first instant are beyond the range of numbers; "
                                  "give smaller stiffnesses, speeds or lengths")
    found, recording = examine(simulator, code), simulator.recording("diverged")
    deep = overlaps + (passed_through(simulator.model, recording) if simulator.model.part_names else [])
    text = ". ".join([found.text.removesuffix("."), *deep])
    return SimulationDiverged(text, recording=recording, post_mortem=found._replace(text=text))


# Who ------------------------------------------------------------------------------------------------------------------

def fallen_spring(simulator):
    """The `Folded` spring with an arm too short for fixed steps where they began to make energy; None where there is none."""
    model, frames = simulator.model, simulator.recorder.frames["", "position"]
    kinds = [kind for kind in ("angular", "articular") if len(springs(model, kind).first)]
    if not kinds:
        return None
    time, place, made = before_energy_was_made(simulator, simulator.recording("diverged"))
    best = None
    for kind in kinds:
        chosen = springs(model, kind)
        with np.errstate(all="ignore"):
            arm, at_start = arm_lengths(chosen, place), arm_lengths(chosen, frames[0])
            rate = np.where(arm < SHORT * at_start, np.nan_to_num(rates(simulator, chosen, place)), 0.0)
        k = int(np.argmax(rate))
        if rate[k] * model.scene.stepping.dt > 2.0 and (best is None or 2.0 / rate[k] < best.stable):
            best = Folded(kind, k, float(arm[k]), float(at_start[k]), 2.0 / float(rate[k]), time, made)
    return best


def find_culprit(simulator, dt):
    """Kind, index (of a contact its `Blame`), name and gain [J] of the spring, contact or rigid that gained most since the
    last frame.

    Where springs are too stiff or too viscous for the step, the one among them that gained most is to blame: what it moves
    gains as well. Energies are compared as logarithms, for a run that blows up leaves the range of numbers.
    """
    model, state = simulator.model, simulator.state
    n = model.particle_count
    before, now = simulator.recorder.frames["", "position"][-1], state.position
    best = (None, -1, "no spring", 0.0, (False, -np.inf))
    for kind in KINDS:
        chosen = springs(model, kind)
        if not len(chosen.first):
            continue
        with np.errstate(all="ignore"):
            old, new = (strain_sizes(simulator, chosen, points) for points in (before, now))
            if np.allclose(new, old):  # not one step was accepted since: look at the attempt
                new = strain_sizes(simulator, chosen, state.buffers.next_position[:n, :3])
            gain = np.exp2(new) - np.exp2(old)
            rank = np.where(gain > 0.0, new, -np.inf)
            unstable = dt * rates(simulator, chosen, before) > 2.0
        order = np.lexsort((np.nan_to_num(rank, nan=-np.inf, posinf=np.inf), unstable))
        k = int(order[-1])
        if (bool(unstable[k]), rank[k]) > best[4]:
            best = (kind, k, f"{kind} spring {model.scene.spring_name(kind, k)}", float(gain[k]), (bool(unstable[k]), rank[k]))
    return contact_culprit(simulator, rigid_culprit(simulator, best), dt)[:4]


def folded_spring(simulator):
    """The angular or articular spring of which an arm has all but vanished: what it asks of the step is far beyond the bounds
    of the start; or None."""
    model, b = simulator.model, simulator.state.buffers
    shortest = TIGHTEST * float(b.numbers[slots.FIRST_STABLE])
    stiff = float(b.numbers[slots.SAFETY] * 2.0 / np.sqrt(max(b.numbers[slots.SPRING_SQUARE], 1e-300)))
    damped = float(b.numbers[slots.SAFETY] / max(b.numbers[slots.SPRING_DAMPING], 1e-300))
    for bound, cause in ((damped, slots.DAMP_CAUSE), (stiff, slots.STIFF_CAUSE)):
        code = int(b.counters[cause])
        kind = CAUSES[code % CAUSE_KINDS].thing
        if bound <= FOLDED * shortest and kind in ("angular", "articular"):
            return f"{kind} spring {model.scene.spring_name(kind, code // CAUSE_KINDS)}"
    return None


def contact_culprit(simulator, best, dt):
    """The contact to blame, where it gained more than all else or is the first that is too stiff for the step."""
    blame = blamed_contact(simulator, dt)
    if blame is None or (best[4][0] and not (blame.unstable and blame.gained > best[3])):
        return best
    if blame.unstable or blame.gained > best[3] or best[0] is None:
        return ("contact", blame, blame.name, blame.gained, best[4])
    return best


def rigid_culprit(simulator, best):
    """The rigid that gained most kinetic energy, where that is more than any spring did and no spring is unstable."""
    model, state, frames = simulator.model, simulator.state, simulator.recorder.frames
    rigids = model.scene.rigids
    if not rigids or best[4][0]:
        return best
    old_velocity, old_spin, old_momentum = (frames["", f"rigid_{name}"][-1]
                                            for name in ("velocity", "spin", "momentum"))
    with np.errstate(all="ignore"):
        kinetic = 0.5 * model.arrays.rigids.mass * (np.sum(state.rigid(VELOCITY)**2, 1) - np.sum(old_velocity**2, 1))
        kinetic += 0.5 * (np.sum(state.rigid(MOMENTUM) * state.rigid(SPIN), 1) - np.sum(old_momentum * old_spin, 1))
        k = int(np.argmax(np.nan_to_num(kinetic, nan=-np.inf)))
    if kinetic[k] > best[3]:
        return ("rigid", k, f"rigid {rigids[k].name!r}", float(kinetic[k]), best[4])
    return best


def present(simulator, chosen, position):
    """What springs do at a position, at rest."""
    buffers = simulator.state.buffers
    return measure.readings(simulator.model, chosen, position, np.zeros_like(position), float(buffers.numbers[slots.TIME]),
                            getattr(buffers, KINDS[chosen.kind].own))


def strain_sizes(simulator, chosen, position):
    """log2 of the energy [J] of each spring; what has left the range of numbers counts by its strain and stiffness."""
    found = present(simulator, chosen, position)
    beyond = np.log2(0.5 * found.stiffness) + 2.0 * np.log2(np.abs(found.strain))
    return np.where(np.isinf(found.stored), beyond, np.log2(found.stored))


def rates(simulator, chosen, position):
    """1/s: c + √(c² + ω²) of each spring by itself; a step τ is stable for it where τ times the rate is at most 2."""
    columns = chosen.ends
    if chosen.kind == "linear":
        sizes = np.ones((2, len(chosen.first)))
    else:
        centre = position[chosen.centre]
        p, q = position[chosen.first] - centre, position[chosen.second] - centre
        columns = [getattr(chosen, name) for name in ("first", "second", "centre", "end")[:len(columns)]]
        if chosen.kind == "angular":
            sizes = ANGULAR_SIZES(np.linalg.norm(p, axis=1), np.linalg.norm(q, axis=1))
        else:
            axis = position[chosen.end] - centre
            square = np.sum(axis * axis, axis=1)
            sizes = ARTICULAR_SIZES(np.sqrt(square), *(np.linalg.norm(np.cross(arm, axis), axis=1) for arm in (p, q)),
                                    *(np.sum(arm * axis, axis=1) / square for arm in (p, q)))
        sizes = np.stack(sizes)
    inverse = inverse_masses(simulator.model)
    share = np.max([inverse[column] * size for column, size in zip(columns, sizes, strict=True)], axis=0) * sizes.sum(axis=0)
    damping = chosen.viscosity * share
    return damping + np.sqrt(damping**2 + present(simulator, chosen, position).stiffness * share)


def inverse_masses(model):
    """(n,) 1/kg: what a force on each particle has to move at least, turning of its rigid included."""
    particles, rigids = model.arrays.particles, model.arrays.rigids
    inverse = particles.inverse_mass[:model.particle_count].copy()
    for i in range(len(rigids.mass)):
        part = slice(rigids.start[i], rigids.start[i + 1])
        turning = rigids.inverse_inertia[i].max() if rigids.rotation[i] != 2 else 0.0
        inverse[rigids.particle[part]] = rigids.inverse_mass[i].max() + turning * np.sum(rigids.local[part]**2, axis=1)
    return inverse


# What would help ------------------------------------------------------------------------------------------------------

def advise(simulator, stopped_by_floor, kind, index):
    """What to change, and the sentence that says so."""
    model, stepping = simulator.model, simulator.model.scene.stepping
    stable = stable_step(simulator)
    if stepping.control == "fixed":
        if stepping.dt <= 0.5 * stable and stepping.scheme == "verlet":
            return {"control": "ledger"}, 'The step is within the stability of small motions: leave it to control="ledger".'
        dt = rounded_down(min(stepping.dt, 0.5 * stable))
        advice = f'The largest stable step is about {stable:.3g} s: give dt={dt:g}, or leave the step to control="ledger".'
        if stepping.scheme == "taylor":
            return {"scheme": "verlet", "dt": dt}, 'The scheme "taylor" gains energy with every step: use "verlet". ' + advice
        return {"dt": dt}, advice
    if stopped_by_floor and stepping.dt_min is not None and stepping.dt_min > DEFAULT_FLOOR * stable:
        floor = rounded_down(DEFAULT_FLOOR * stable)
        return {"dt_min": floor}, (f"The floor dt_min={stepping.dt_min:g} s is high beside the stable step of {stable:.3g} s: "
                                   f"give dt_min={floor:g}, or leave it out.")
    if kind in KINDS:
        return soften(model, kind, index, stable)
    if kind == "rigid":
        return {}, "Check the forces, springs and contacts on it, or give it a larger mass."
    return {"at_floor": "accept"}, 'Give a larger budget, or at_floor="accept" to go on at the floor and count how often.'


def stable_step(simulator):
    """s: the smallest stability bound of the frames so far."""
    bounds = simulator.recorder.frames["checkpoint", "numbers"][:, slots.STABLE]
    return float(np.min(bounds, initial=np.inf, where=bounds > 0.0))


def rounded_down(value):
    """To two digits, never upwards."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.floor(value / unit) * unit


def soften(model, kind, index, stable):
    """A softer spring where no setting of the step is to blame."""
    chosen = springs(model, kind, np.array([index]))
    stiffness, viscosity = float(chosen.stiffness[0]), float(chosen.viscosity[0])
    unit = KINDS[kind].stiffness.unit, KINDS[kind].viscosity.unit
    remedy = {name: value / 4.0 for name, value in (("stiffness", stiffness), ("viscosity", viscosity)) if value > 0.0}
    changes = " and ".join(f"a {name} of {value:.3g} {unit[name == 'viscosity']}" for name, value in remedy.items())
    return remedy, (f"Its stiffness is {stiffness:.3g} {unit[0]}, its viscosity {viscosity:.3g} {unit[1]}; the stable step "
                    f"is {stable:.3g} s. Try {changes}, or four times the mass on its ends, or a larger budget.")
