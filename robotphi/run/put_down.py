"""Put a thing down: at the height along gravity where it just touches what is below."""
import numpy as np

from robotphi.errors import NoEquilibrium
from robotphi.kernels.contact import columns
from robotphi.kernels.contact.kinds import FIELD, PLANE
from robotphi.kernels.step import slots
from robotphi.kernels.step.rigids import CENTRE
from robotphi.model.build import model_of
from robotphi.run.loop import Loop
from robotphi.run.simulator import Simulator
from robotphi.run.state import State
from robotphi.scene.checks import number, refuse

WHERE = "place_on"
STRIDE = 0.5       # of the smallest half thickness: how far it goes down at once, so that nothing is passed through
STRIDES = 20_000   # at most
LEVEL = 1e-9       # sine of the angle between a plane and the way down: of less it is never reached
HALVINGS = 200


def place_on(where, thing, ground=None, gap=0.0):
    """Put a thing down along gravity onto what is below, and return the shift [m], (3,).

    It comes from above as it stands, without turning; where it overlaps something at the start it is lifted first. The first
    place where the two touch is found to rounding, and it stands on the near side of it: without overlap, and without a force.

    Args:
        where: a Simulator, in whose state the thing is moved; of a model or scene nothing changes, the shift tells how far.
        thing: handle or name of what touches, an object, ball and the like; its particles and rigids move together.
        ground: handle or name of what it is put on; whatever there is where left out.
        gap: distance [m] to leave.
    """
    if isinstance(where, Simulator):
        where.only_between_calls(WHERE)
    model = where.model if isinstance(where, Simulator) else model_of(WHERE, where, ", or a Simulator")
    down = np.array(model.arrays.particles.gravity[:3])
    if not down.any():
        refuse(WHERE, "there is no gravity, so no below", "give the scene a gravity")
    down = down / np.linalg.norm(down)
    gap = number(WHERE, "gap", gap, low=0.0)
    thing, ground = _owner(model, thing), None if ground is None else _owner(model, ground)
    if thing == ground:
        refuse(WHERE, f"{model.owner_names[thing]!r} is to be put on itself", "name another thing as ground, or none")
    trial = Trial(model, where.state if isinstance(where, Simulator) else None, thing, ground)
    if trial.is_led(down):
        refuse(WHERE, f"{model.owner_names[trial.thing]!r} follows a drive or a motion, which would take it back",
               "let what it follows put it down")
    way = trial.first_touch(down) - gap
    if isinstance(where, Simulator):
        trial.shift(where.state, way * down)
        where.state.buffers.counters[slots.FRESH] = slots.STALE
        where.state.buffers.counters[slots.STARTED] = 0
    return way * down


def _owner(model, thing):
    name = thing if isinstance(thing, str) else getattr(thing, "name", None)
    if name not in model.owner_names:
        known = ", ".join(model.owner_names) or "none does"
        refuse(WHERE, f"{thing!r:.60} touches nothing", f"give one of what has contact: {known}")
    return model.owner_names.index(name)


class Trial:
    """A state beside the one given, in which the thing is moved up and down."""

    def __init__(self, model, given, thing, ground):
        self.model, self.given, self.thing, self.ground = model, given, thing, ground
        arrays = model.arrays
        parts = arrays.contact.parts
        own = np.flatnonzero(parts.owner == thing)
        rows = np.concatenate([parts.vertex[parts.vertex_start[part]:parts.vertex_start[part + 1]] for part in own])
        carrier = State(model).buffers.carrier
        rigids = {int(i) for i in (*carrier[rows], *parts.rigid[own]) if i >= 0}
        placed = model.scene.objects.get(model.owner_names[thing])
        if placed is not None:
            rows = np.concatenate([rows, placed.particles])
            rigids |= {rigid.index for rigid in placed.rigids}
        if any(arrays.mechanisms.link_of_rigid[i] >= 0 for i in rigids):
            refuse(WHERE, f"{model.owner_names[thing]!r} hangs on exact joints", "let settle bring the mechanism down")
        if not len(rows) and not rigids:
            refuse(WHERE, f"{model.owner_names[thing]!r} is fixed in the world", "put down what can move")
        self.rigids = np.array(sorted(rigids), int)
        of_rigids = np.flatnonzero(np.isin(carrier[:model.particle_count], self.rigids)) if len(self.rigids) else []
        self.rows = np.union1d(rows, of_rigids).astype(int)
        others = parts.owner != thing if ground is None else parts.owner == ground
        half = parts.size[:, columns.HALF_THICKNESS]
        self.stride = STRIDE * min(half[own].min(), half[others].min(initial=np.inf))
        self.loop = Loop(model, 1)

    def is_led(self, down):
        """Whether a drive or a motion says where it is along gravity."""
        motions = self.model.arrays.motions
        rigids = motions.rigid[(motions.rigid_axis < 3) & (down[motions.rigid_axis % 3] != 0.0)]
        rows = motions.particle[down[motions.particle_axis] != 0.0]
        return bool(np.isin(self.rigids, [*rigids, *motions.led.rigid]).any()
                    or np.isin(self.rows, [*rows, *motions.led.particle]).any())

    def shift(self, state, change):
        state.position[self.rows] += change
        state.rigid(CENTRE)[self.rigids] += change

    def touches(self, change):
        """Whether the thing overlaps the ground there; by a fresh state, which remembers no way out."""
        state = State(self.model)
        if self.given is not None:
            state.position[...] = self.given.position
            state.buffers.rigid[...] = self.given.buffers.rigid
            state.buffers.joints.place[...] = self.given.buffers.joints.place
            state.buffers.joints.turn[...] = self.given.buffers.joints.turn
            state.buffers.numbers[slots.TIME] = self.given.time
        self.shift(state, change)
        while True:
            state.begin_frame(state.time)
            self.loop.advance(state)
            if state.buffers.counters[slots.STATUS] != slots.PAIRS_FULL:
                break
            state.make_room()
        touch, owner = state.buffers.touch, self.model.arrays.contact.parts.owner
        self.box = touch.box
        pairs = touch.pairs[:touch.sizes[columns.PAIR_COUNT]]
        pairs = pairs[(pairs[:, columns.TRIAL_TOUCHING] == 1) | (pairs[:, columns.OVERLAPS] == 1)]
        first, second = owner[pairs[:, columns.FIRST]], owner[pairs[:, columns.SECOND]]
        ours = (first == self.thing) != (second == self.thing)
        other = np.where(first == self.thing, second, first)
        return bool((ours & ((other == self.ground) | (self.ground is None))).any())

    def is_beyond(self, down):
        """Whether all of it was below all of the ground at the last look, by their boxes."""
        parts, box = self.model.arrays.contact.parts, self.box.copy()
        for part in np.flatnonzero(parts.kind == FIELD):
            box[part] = self._field_box(parts.field[part])
        near, far = np.sort(box.reshape(-1, 2, 3) * down, axis=1).sum(axis=2).T
        away = (parts.rigid < 0) & (parts.plane[:, 3:] @ down > -LEVEL)   # one that it goes along or away from
        owner, far[parts.kind == PLANE] = parts.owner, np.where(away, -np.inf, np.inf)[parts.kind == PLANE]
        others = owner != self.thing if self.ground is None else owner == self.ground
        return bool(near[owner == self.thing].min() > far[others].max(initial=-np.inf))

    def _field_box(self, k):
        """Lower and upper corner of a height field."""
        fields = self.model.arrays.contact.fields
        heights, sides = fields.height[fields.start[k]:fields.start[k + 1]], (fields.shape[k] - 1) * fields.spacing[k]
        return [*(fields.origin[k] + (0.0, 0.0, heights.min())), *(fields.origin[k] + (*sides, heights.max()))]

    def first_touch(self, down):
        """How far down [m] it may go."""
        clear, lift = 0.0, self.stride
        while self.touches(clear * down):
            clear -= lift
            lift *= 2.0
            if lift > 2.0**60 * self.stride:
                refuse(WHERE, "it is inside what it is to be put on, however far it is lifted", "name the ground")
        for _ in range(STRIDES):
            if self.touches((clear + self.stride) * down):
                break
            clear += self.stride
            if self.is_beyond(down):
                self._miss(clear)
        else:
            self._miss(clear)
        held, touching = clear, clear + self.stride
        for _ in range(HALVINGS):
            middle = 0.5 * (held + touching)
            if not held < middle < touching:
                break
            if self.touches(middle * down):
                touching = middle
            else:
                held = middle
        return held

    def _miss(self, way):
        raise NoEquilibrium(f"place_on: {self.model.owner_names[self.thing]!r} finds nothing within {way:.3g} m below it")
