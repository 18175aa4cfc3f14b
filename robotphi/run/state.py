"""The state: everything that changes, so that a run continued from it gives the same bits as one that never stopped."""

from functools import partial

import numpy as np

from robotphi.errors import RecordingError
from robotphi.kernels.acts.table import ACTS
from robotphi.kernels.compiling.reference import Laid
from robotphi.kernels.contact import columns
from robotphi.kernels.springs.table import KINDS, OF_LIST
from robotphi.kernels.step import slots
from robotphi.kernels.step.codes import CONTROLS, SCHEMES
from robotphi.kernels.step.entries import ALWAYS, BREAKING, CONTACT, JOINTED, MEDIUM, NEVER, REST, START, STIFF, TOTAL, VALUE
from robotphi.run.buffers import (
    all_entries,
    checkpointed,
    has_dampers,
    has_lossy_contact,
    knows_other_dampers,
    make_buffers,
    make_touch,
    restore_contacts,
)
from robotphi.run.together import SMALL, laid_together

SAFETY = 0.95         # share of the stability bound that a step may take
FLOOR_SHARE = 1e-13   # smallest step relative to the duration where the user gives none
UNLIMITED = 2**62
MADE = 1e3            # times the energy there was: what comes from nowhere in a run that makes sense is far less
STILL = 1e-20         # of what it takes to stretch the stiffest by the size of the scene: less is rounding …
ROUNDED = 1e-13       # … and of what it takes to lift all by it: weight feels places as they are rounded

# What a spring or a row costs in an evaluation of all forces and in one stage of the dampers [ns], and contact at least:
# measured, but any numbers of this size will do, since all that hangs on them is when dampers go apart.
SPRING_COST = {"linear": (2.0, 1.5), "angular": (10.0, 3.0), "linear_law": (30.0, 30.0), "angular_law": (50.0, 40.0),
               "articular": (80.0, 60.0)}
ROW_COST = (3.0, 1.2)
CONTACT_COST, ROWS_COST = 20_000.0, 1000.0   # of forces, and of a stage of the dampers of contact
STIFF_COST = (10.0, 0.1)   # of a stiff object for each unknown, and for each entry of a matrix
FEWEST_STAGES = 4     # of a step


def _driven_weight(arrays, faintest):
    """Weight along driven axes, of what is led, and of links, whose places follow from coordinates [N].

    Without gravity it is what gives them the `faintest` acceleration that could be seen: else what loads do to a mechanism
    that cannot move would be judged by nothing but its own rounding.
    """
    motions, gravity = arrays.motions, np.abs(arrays.particles.gravity)
    shifts, led, links = motions.rigid_axis < 3, motions.led, arrays.mechanisms.link_of_rigid >= 0
    return (np.sum(arrays.particles.mass[motions.particle] * gravity[motions.particle_axis])
            + np.sum(arrays.rigids.mass[motions.rigid[shifts]] * gravity[motions.rigid_axis[shifts]])
            + (np.linalg.norm(gravity) or faintest) * (arrays.particles.mass[led.particle].sum()
                                                       + arrays.rigids.mass[led.rigid].sum()
                                                       + arrays.rigids.mass[links].sum()))


def stages_pay(arrays):
    """How many times a step costs with the fewest stages of dampers apart what it costs with viscosity in the force."""
    whole = ROW_COST[0] * len(arrays.particles.mass) + CONTACT_COST * (len(arrays.contact.parts.kind) > 0)
    stage = ROW_COST[1] * len(arrays.particles.mass) + ROWS_COST * has_lossy_contact(arrays)
    for name, (all_forces, damper) in SPRING_COST.items():
        viscosity = getattr(arrays, name).viscosity
        whole += all_forces * len(viscosity)
        stage += damper * np.count_nonzero(viscosity)
    for count in 3.0 * (arrays.stiff.free_end - arrays.stiff.start[:-1]):
        whole += STIFF_COST[0] * count + 2.0 * STIFF_COST[1] * count * count
        stage += STIFF_COST[0] * count + STIFF_COST[1] * count * count
    return 1.0 + FEWEST_STAGES * stage / whole


def _any_act(acts):
    """Whether the stage of acts has anything to do; virtual forces are not part of it."""
    return len(acts.medium.facet) > 0 or any(len(rows.entry) > 0 for act, rows in zip(ACTS, acts, strict=True) if act.rows)


def breaks(springs):
    """Whether any of the linear springs with a law may break."""
    return bool(np.any(np.isfinite(springs.break_force)) or np.any(np.isfinite(springs.break_strain)))


def ledger_of(model, books, numbers):
    """Name → energy [J], from the books (…, e, 8) and numbers (…, k) of an instant or of many frames."""
    arrays = model.arrays
    shown = {ALWAYS: True, CONTACT: len(arrays.contact.parts.kind) > 0, MEDIUM: len(arrays.acts.medium.facet) > 0,
             JOINTED: len(arrays.mechanisms.free) > 0, STIFF: len(arrays.stiff.way) > 0,
             BREAKING: breaks(arrays.linear_law), NEVER: False}
    ledger = {entry.name: books[..., row, TOTAL] + books[..., row, REST]
              for row, entry in enumerate(all_entries(model)) if shown[entry.shows]}
    return ledger | {"residual": numbers[..., slots.RESIDUAL] + numbers[..., slots.RESIDUAL + 1],
                     "largest_residual": numbers[..., slots.LARGEST_RESIDUAL],
                     "reference_energy": numbers[..., slots.REFERENCE]}


class State:
    """The changing arrays of one simulation and the single values of its step control."""

    def __init__(self, model):
        self.model = model
        self.buffers, self.block = laid_together(make_buffers(model))
        self._start, self._exchanged, self._first = self.buffers, None, None
        self._laid, self._functions = None, {}
        self._set_control(model)

    def on(self, maker, *options):
        """The compiled function that `maker(types of arrays and buffers, *options)` gives, for this state: the arrays are laid
        down once, and types, whose digests take longer than a pose, are looked up once."""
        laid = self._laid
        if laid is None or laid[0].given is not self.model.arrays or laid[1].given is not self.buffers:
            laid, self._functions = (Laid(self.model.arrays), Laid(self.buffers)), {}
            self._laid = laid
        if (maker, options) not in self._functions:
            self._functions[maker, options] = maker(*(each.kind for each in laid), *options)
        return partial(self._functions[maker, options], *(each.address for each in laid))

    def remember(self):
        """Keep the arrays as they are, before any force is known: what `restart` goes back to needs no other state then."""
        self._first = [(now, now.copy()) for now in self._wholes()]

    def restart(self):
        """Back to what it was before any force was known."""
        if self._first is None:
            self._first = list(zip(self._wholes(), State(self.model)._wholes(), strict=True))
        if self.buffers is not self._start:   # tuples that are laid down serve on, where contact has not got more room
            self._exchanged = self.buffers if self.buffers.touch is self._start.touch else None
            self.buffers = self._start
        for now, first in self._first:
            now[...] = first

    def renew(self, model):
        """Go on from the start of another model; False, and nothing is changed, where its arrays have other sizes."""
        fresh = State(model)
        if self._first is None or [*map(np.shape, arrays_in(fresh.buffers))] != [*map(np.shape, arrays_in(self._start))]:
            return False
        for new, (now, first) in zip(fresh._wholes(), self._first, strict=True):
            now[...] = first[...] = new
        return True

    def _wholes(self):
        """All arrays of the start: the block of the small ones, and those that are too large for it."""
        return [self.block, *(array for array in arrays_in(self._start) if array.nbytes > SMALL)]

    def _set_control(self, model):
        numbers, counters = self.buffers.numbers, self.buffers.counters
        scene, arrays = model.scene, model.arrays
        stepping = scene.stepping
        numbers[slots.DURATION] = scene.duration
        numbers[slots.BUDGET] = stepping.budget
        numbers[slots.TOLERANCE] = stepping.energy_tolerance or 0.0
        numbers[slots.DT_MIN] = stepping.dt_min or FLOOR_SHARE * scene.duration
        numbers[slots.DT_MAX] = stepping.dt_max or np.inf
        numbers[slots.SAFETY] = SAFETY
        numbers[slots.TAU] = stepping.dt or 0.0
        numbers[slots.TURNED], counters[slots.GATE] = -np.inf, -1
        numbers[slots.DRIVEN_WEIGHT] = _driven_weight(
            arrays, np.finfo(float).eps * np.abs(model.position).max(initial=0.0) / scene.duration**2)
        numbers[slots.STAGES_PAY] = stages_pay(arrays)
        numbers[slots.TERMS] = np.sqrt(len(arrays.particles.mass) + sum(len(getattr(arrays, name).first) for name in OF_LIST))
        counters[slots.SCHEME] = [scheme.name for scheme in SCHEMES].index(stepping.scheme)
        counters[slots.CONTROL] = [control.name for control in CONTROLS].index(stepping.control)
        if stepping.control == "fixed":
            counters[slots.LIMIT] = slots.BY_USER
            numbers[slots.DT_MAX] = stepping.dt   # no drive has shortened it
        counters[slots.ACCEPT_FLOOR] = stepping.at_floor == "accept"
        counters[slots.PATH] = stepping.governed == "path"
        counters[slots.COUNT_POTENTIAL] = stepping.count_force_potential
        counters[slots.ATTEMPT_LIMIT] = min(stepping.attempt_limit or UNLIMITED, UNLIMITED)
        springs = {name: getattr(arrays, name) for name in OF_LIST}
        counters[slots.HAS_CONTACT] = len(arrays.contact.parts.kind) > 0
        counters[slots.HAS_ACTS] = _any_act(arrays.acts)
        stiff = len(arrays.stiff.way) > 0
        counters[slots.HAS_DAMPERS] = ((has_dampers(arrays) or has_lossy_contact(arrays))
                                       and knows_other_dampers(arrays, stepping.control == "fixed"))
        follows = counters[slots.HAS_DAMPERS] or counters[slots.HAS_CONTACT] or counters[slots.HAS_ACTS]
        counters[slots.HAS_VISCOSITY] = slots.BY_TURNS if stiff else follows
        counters[slots.HAS_LAWS] = any(len(springs[kind.own].first) for kind in KINDS.values())
        counters[slots.VARIABLE_STIFFNESS] = (stiff or counters[slots.HAS_ACTS] or len(arrays.rigids.mass) > 0
                                              or any(len(each.first) for each in springs.values()))

    @property
    def time(self):
        """s"""
        return self.buffers.numbers.item(slots.TIME)

    @property
    def started(self):
        """Whether the energies of the start are known; true in a state taken over from a recording."""
        return bool(self.buffers.counters[slots.STARTED])

    @property
    def position(self):
        """(n, 3) m, a view."""
        return self.buffers.position[:self.model.particle_count, :3]

    @property
    def velocity(self):
        """(n, 3) m/s, a view."""
        return self.buffers.velocity[:self.model.particle_count, :3]

    def rigid(self, column, width=3):
        """(r, width) a view of the rigids' rows."""
        return self.buffers.rigid[:, column:column + width]

    def is_senseless(self):
        """Whether fixed steps have made far more energy than there was: at the start, and that the ledger can account for.

        Rough steps that are still stable make at most 1/(1 − (ω τ/2)²) times what there is. Scenes at rest, whose energies are
        rounding, tell nothing.
        """
        numbers, books = self.buffers.numbers, self.buffers.books
        if self.buffers.counters[slots.CONTROL] != slots.FIXED:
            return False
        made, reference = numbers[slots.LARGEST_RESIDUAL], numbers[slots.REFERENCE]
        there = np.abs(books[self.buffers.book_kind == VALUE, START]).sum() + max(reference - made, 0.0)
        extent, arrays = numbers[slots.EXTENT], self.model.arrays
        weight = np.linalg.norm(arrays.particles.gravity) * (arrays.particles.mass.sum() + arrays.rigids.mass.sum())
        return bool(made > MADE * there and reference > extent * (STILL * numbers[slots.STIFFEST] * extent + ROUNDED * weight))

    def swap(self):
        """The loop ended with the buffers in exchanged roles: exchange the names; two tuples serve in turn."""
        b, other = self.buffers, self._exchanged
        if other is None or other.touch is not b.touch:
            other = b._replace(
                position=b.next_position, velocity=b.next_velocity, force=b.next_force, rigid=b.next_rigid, load=b.next_load,
                joints=b.next_joints, next_joints=b.joints,
                next_position=b.position, next_velocity=b.velocity, next_force=b.force, next_rigid=b.rigid, next_load=b.load)
        self.buffers, self._exchanged = other, b

    def begin_frame(self, end):
        """Aim at the next frame; the loop evaluates the forces anew before it sets out, as after a restart."""
        self.buffers.numbers[slots.FRAME_END] = end
        self.buffers.counters[slots.STATUS] = slots.AIMED

    def make_room(self):
        """More room for pairs of parts that may touch, as many as the loop found and half as many again."""
        touch, counters = self.buffers.touch, self.buffers.counters
        room = int(1.5 * touch.sizes[columns.LACKING])
        self.buffers = self.buffers._replace(touch=make_touch(self.model.arrays, len(touch.load), room, touch))
        if counters[slots.BEGIN_CONTACT] == slots.PAIRS_KNOWN:
            counters[slots.BEGIN_CONTACT] = slots.PAIRS_TO_FIND_AGAIN
        counters[slots.STATUS] = slots.RUNNING

    def ledger(self):
        """Name → energy [J] of every entry that shows in scenes of this kind, and the figures behind them."""
        b = self.buffers
        return {name: float(value) for name, value in ledger_of(self.model, b.books, b.numbers).items()}

    def frame_record(self):
        """Everything beside positions and velocities that a continued run needs; see also `kernels/step/frames`."""
        return checkpointed(self.buffers)

    def restore(self, recording, frame):
        """Take over the state of a recorded frame."""
        record = recording.checkpoint
        wanted = self.frame_record()
        if not wanted.keys() <= record.keys():
            raise RecordingError("this recording holds no state to continue from")
        for name, array in wanted.items():
            if record[name][frame].shape != array.shape:
                raise RecordingError(f"the recording was made with another model: its {name} has shape "
                                     f"{record[name][frame].shape}, this model's {array.shape}")
            array[...] = record[name][frame]
        self.buffers.act_ahead[...] = self.buffers.act_state
        self.position[...] = recording.position[frame]
        self.velocity[...] = recording.velocity[frame]
        if self.buffers.counters[slots.HAS_CONTACT]:
            self.buffers = restore_contacts(self.model, self.buffers, recording, frame)
        self.buffers.counters[slots.FRESH] = slots.STALE
        self.buffers.counters[slots.FITTED] = 0


def arrays_in(buffers):
    """All arrays of nested buffers, in their order; the history of steps, which is written before it is read, left out."""
    for name, value in zip(buffers._fields, buffers, strict=True):
        if isinstance(value, tuple):
            yield from arrays_in(value)
        elif name != "history":
            yield value
