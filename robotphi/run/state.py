"""The state: everything that changes, so that a run continued from it gives the same bits as one that never stopped."""
import numpy as np

from robotphi.errors import RecordingError
from robotphi.kernels.compiling.team import SYNC_LENGTH
from robotphi.kernels.contact import columns
from robotphi.kernels.contact.find.broad import scratch_sizes
from robotphi.kernels.contact.kinds import TOTAL_COLUMNS
from robotphi.kernels.contact.press.ball_soft import PATCH_COLUMNS
from robotphi.kernels.contact.press.clip import CORNER_ROWS
from robotphi.kernels.springs.table import ANGLE, ANGULAR, ARTICULAR, KINDS, LINEAR, NORMAL, OF_LIST
from robotphi.kernels.step import slots
from robotphi.kernels.step.buffers import Buffers, Touch
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, RIGID_COLUMNS, SPIN, VELOCITY
from robotphi.kernels.step.stability import DAMP_BASE, STIFF_BASE

HISTORY_ROWS = 4096
SAFETY = 0.95         # share of the stability bound that a step may take
FLOOR_SHARE = 1e-13   # smallest step relative to the duration where the user gives none
UNLIMITED = 2**62
SCHEMES = {"verlet": slots.VERLET, "taylor": slots.TAYLOR}
CONTROLS = {"ledger": slots.LEDGER, "energy": slots.ENERGY, "fixed": slots.FIXED}
NEAR_FLAT = 1e-6  # rad: what rounding of positions makes of half a turn, and more


def aligned_zeros(shape):
    """Zeros that start on a cache line: rows of four doubles then never cross one."""
    count = int(np.prod(shape))
    raw = np.zeros(8 * count + 64, np.uint8)
    offset = -raw.ctypes.data % 64
    return raw[offset:offset + 8 * count].view(np.float64).reshape(shape)


def moving_axes(model):
    """(rows, 3) 1.0 where a particle moves by itself along that axis, else 0.0."""
    particles = model.arrays.particles
    return particles.moves[particles.axes, :3]


def make_buffers(model):
    """Buffers at time zero: initial positions and velocities, elastic energies not yet known."""
    arrays = model.arrays
    rows = len(arrays.particles.mass)
    n, r = model.particle_count, len(arrays.rigids.mass)
    position, velocity = aligned_zeros((rows, 4)), aligned_zeros((rows, 4))
    position[:n, :3], velocity[:n, :3] = model.position, model.velocity
    position[n:, 0] = np.arange(rows - n)  # ghosts stand apart, so that idle springs have a direction
    rigid = aligned_zeros((r, RIGID_COLUMNS))
    rigid[:, CENTRE:CENTRE + 3] = model.rigid_position
    rigid[:, VELOCITY:VELOCITY + 3] = model.rigid_velocity
    rigid[:, ORIENTATION:ORIENTATION + 4] = model.rigid_orientation
    rigid[:, SPIN:SPIN + 3] = model.rigid_spin
    for i in range(r):
        turn = rotation_matrix(model.rigid_orientation[i])
        rigid[i, MOMENTUM:MOMENTUM + 3] = turn @ (arrays.rigids.inertia[i] * (turn.T @ model.rigid_spin[i]))
    groups = len(arrays.linear.start) - 1
    return Buffers(
        position, velocity, aligned_zeros((rows, 4)), rigid, aligned_zeros((r, 6)),
        position.copy() if rows < 1000 else _aligned_copy(position), aligned_zeros((rows, 4)), aligned_zeros((rows, 4)),
        rigid.copy(), aligned_zeros((r, 6)),
        aligned_zeros((len(arrays.linear_law.first), len(LINEAR.state))), _first_normals(arrays.angular_law),
        _first_angles(arrays.articular, position),
        aligned_zeros((groups, slots.SUM_COLUMNS)), aligned_zeros((len(arrays.particles.block) - 1, slots.PART_COLUMNS)),
        aligned_zeros((r, slots.PART_COLUMNS)), aligned_zeros((len(model.work_names), slots.WORK_COLUMNS)),
        model.work_of_drive.copy(), model.work_of_force.copy(), model.rigid_orientation.copy(),
        _force_origins(arrays.forces, model), _stiffness_base(arrays, rows), aligned_zeros((HISTORY_ROWS, 4)),
        make_touch(arrays, r, 0), aligned_zeros((rows, 4)), aligned_zeros((r, 6)),
        aligned_zeros(slots.NUMBER_COUNT), np.zeros(slots.COUNTER_COUNT, np.int64), np.zeros(SYNC_LENGTH, np.int64))


def make_touch(arrays, rigids, pairs, known=None):
    """What contact writes, with room for a number of pairs; `known` buffers hand over what they hold."""
    parts = arrays.contact.parts
    count, places, facets = len(parts.kind), len(parts.vertex), len(parts.facet)
    pairs = max(pairs, 8 + 4 * count) if count else 0
    whole, real = scratch_sizes(count, pairs)
    touch = Touch(
        np.zeros((pairs, columns.PAIR_WHOLES), np.int32), aligned_zeros((pairs, columns.PAIR_NUMBERS)),
        aligned_zeros((pairs, TOTAL_COLUMNS)),
        np.zeros((pairs, columns.PAIR_WHOLES), np.int32), aligned_zeros((pairs, columns.PAIR_NUMBERS)),
        aligned_zeros((pairs, TOTAL_COLUMNS)), np.zeros((pairs, 2), np.int32),
        np.zeros((places, columns.SLOTS), np.int32), aligned_zeros((places, columns.SLOTS * columns.SLOT_NUMBERS)),
        np.zeros(places), np.zeros(places, np.int32), aligned_zeros((rigids, 6)), aligned_zeros((rigids, 2)),
        aligned_zeros((count, 6)), np.full((count, 6), np.inf), aligned_zeros((count, 6)), np.zeros(count, np.int32),
        aligned_zeros(columns.TOTALS), np.zeros(columns.SIZES, np.int64), np.zeros(whole, np.int64), np.zeros(real),
        np.zeros(2 * facets + 2, np.int32), np.zeros((facets, 6)), np.zeros((CORNER_ROWS, 2)), np.zeros(places),
        np.zeros((len(arrays.contact.tree.behind), 6)), np.zeros(count, np.int32), np.zeros((8, 8)), np.zeros(PATCH_COLUMNS))
    touch.sizes[columns.MATERIALS] = round(np.sqrt(len(arrays.contact.law)))
    if known is not None:
        for old, new in zip(known, touch, strict=True):
            if old.dtype == new.dtype and old.shape[1:] == new.shape[1:] and old.ndim <= new.ndim and len(old) <= len(new):
                new[:len(old)] = old
        touch.sizes[columns.LACKING] = 0
    return touch


def _aligned_copy(array):
    copy = aligned_zeros(array.shape)
    copy[...] = array
    return copy


def rotation_matrix(q):
    """Rotation matrix of a quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def _first_normals(springs):
    """Angular springs with a law start with the user's normal, or with that of their first bend."""
    state = aligned_zeros((len(springs.first), len(ANGULAR.state)))
    state[:, NORMAL:NORMAL + 3] = springs.normal
    return state


def _first_angles(springs, position):
    """Articular springs start with the angle between −π and π that they have.

    At half a turn, where flat folds stand, rounding decides its sign: the side of the rest angle is taken, if it is there too.
    """
    state = aligned_zeros((len(springs.first), len(ARTICULAR.state)))
    centre = position[springs.centre, :3]
    axis = position[springs.end, :3] - centre
    a = np.cross(position[springs.first, :3] - centre, axis)
    b = np.cross(position[springs.second, :3] - centre, axis)
    along = np.einsum("ij,ij->i", axis, np.cross(a, b)) / np.maximum(np.linalg.norm(axis, axis=1), 1e-300)
    angle = np.arctan2(along, np.einsum("ij,ij->i", a, b))
    flat = (np.pi - np.abs(angle) < NEAR_FLAT) & (np.abs(np.pi - np.abs(springs.rest_angle)) < NEAR_FLAT)
    turn = np.where(flat & (angle * springs.rest_angle < 0.0), np.copysign(2.0 * np.pi, springs.rest_angle), 0.0)
    state[:, ANGLE] = angle + turn
    return state


def _force_origins(forces, model):
    origin = np.zeros((len(forces.kind), 3))
    for k, (kind, target) in enumerate(zip(forces.kind, forces.target, strict=True)):
        origin[k] = model.position[target] if kind == 0 else model.rigid_position[target]
    return origin


def _driven_weight(arrays):
    """Weight along driven axes [N]."""
    motions, gravity = arrays.motions, np.abs(arrays.particles.gravity)
    shifts = motions.rigid_axis < 3
    return (np.sum(arrays.particles.mass[motions.particle] * gravity[motions.particle_axis])
            + np.sum(arrays.rigids.mass[motions.rigid[shifts]] * gravity[motions.rigid_axis[shifts]]))


def _stiffness_base(arrays, rows):
    """Constant part of the bound of each particle: linear springs, s = 2 k on both ends."""
    bound = aligned_zeros((rows, 4))
    for springs in (getattr(arrays, name) for name, kind in OF_LIST.items() if kind.fixed_bound):
        for column, values in ((STIFF_BASE, springs.stiffness), (DAMP_BASE, springs.viscosity)):
            for ends in (springs.first, springs.second):
                bound[:, column] += np.bincount(ends, 2.0 * values, rows)
    return bound


def _varies(springs, kind):
    """Whether the bound of some springs of a list depends on where they are."""
    stiffening = [field for field in kind.law_fields if field.stiffens and hasattr(springs, field.name)]
    return ((len(springs.first) > 0 and not kind.fixed_bound)
            or any(np.any(getattr(springs, field.name) != field.missing) for field in stiffening))


class State:
    """The changing arrays of one simulation and the single values of its step control."""

    def __init__(self, model):
        self.model = model
        self.buffers = make_buffers(model)
        self._set_control(model)

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
        numbers[slots.DRIVEN_WEIGHT] = _driven_weight(arrays)
        counters[slots.SCHEME] = SCHEMES[stepping.scheme]
        counters[slots.CONTROL] = CONTROLS[stepping.control]
        counters[slots.ACCEPT_FLOOR] = stepping.at_floor == "accept"
        counters[slots.COUNT_POTENTIAL] = stepping.count_force_potential
        counters[slots.ATTEMPT_LIMIT] = stepping.attempt_limit or UNLIMITED
        springs = {name: getattr(arrays, name) for name in OF_LIST}
        counters[slots.HAS_CONTACT] = len(arrays.contact.parts.kind) > 0
        counters[slots.HAS_VISCOSITY] = (any(np.any(each.viscosity > 0) for each in springs.values())
                                         or counters[slots.HAS_CONTACT])
        counters[slots.HAS_VISCOSITY] |= len(arrays.medium.facet) > 0
        counters[slots.HAS_MEDIUM] = len(arrays.medium.facet) > 0
        counters[slots.HAS_LAWS] = any(len(springs[kind.own].first) for kind in KINDS.values())
        counters[slots.VARIABLE_STIFFNESS] = (len(arrays.medium.facet) > 0 or len(arrays.rigids.mass) > 0
                                              or any(_varies(each, OF_LIST[name]) for name, each in springs.items()))

    @property
    def time(self):
        """s"""
        return float(self.buffers.numbers[slots.TIME])

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

    def swap(self):
        """The loop ended with the buffers in exchanged roles: exchange the names."""
        b = self.buffers
        self.buffers = b._replace(
            position=b.next_position, velocity=b.next_velocity, force=b.next_force, rigid=b.next_rigid, load=b.next_load,
            next_position=b.position, next_velocity=b.velocity, next_force=b.force, next_rigid=b.rigid, next_load=b.load)

    def begin_frame(self, end):
        """Aim at the next frame; the forces are evaluated anew, as after a restart."""
        numbers, counters = self.buffers.numbers, self.buffers.counters
        numbers[slots.FRAME_END] = end
        numbers[slots.EXTENT] = np.abs(self.position).max()
        numbers[slots.INSIDE] = numbers[slots.TIME]
        if counters[slots.CONTROL] != slots.ENERGY:
            numbers[slots.INSIDE] = np.nextafter(numbers[slots.TIME], np.inf)
        counters[slots.FRESH] = slots.STALE
        counters[slots.BEGIN_CONTACT] = counters[slots.HAS_CONTACT]
        counters[slots.STATUS] = slots.RUNNING

    def make_room(self):
        """More room for pairs of parts that may touch, as many as the loop found and half as many again."""
        touch, counters = self.buffers.touch, self.buffers.counters
        room = int(1.5 * touch.sizes[columns.LACKING])
        self.buffers = self.buffers._replace(touch=make_touch(self.model.arrays, len(touch.load), room, touch))
        if counters[slots.BEGIN_CONTACT] == 0:
            counters[slots.BEGIN_CONTACT] = 2
        counters[slots.STATUS] = slots.RUNNING

    def ledger(self):
        """Entries of the ledger at this instant [J]."""
        numbers, work = self.buffers.numbers, self.buffers.work

        def total(place):
            return float(numbers[place] + numbers[place + 1])

        entries = {
            "kinetic": float(numbers[slots.KINETIC]), "elastic_linear": float(numbers[slots.LINEAR]),
            "elastic_angular": float(numbers[slots.ANGULAR]), "elastic_articular": float(numbers[slots.ARTICULAR]),
            **({"contact": float(numbers[slots.CONTACT])} if self.buffers.counters[slots.HAS_CONTACT] else {}),
            "gravity": total(slots.GRAVITY), "spring_dissipation": total(slots.SPRING_LOSS),
            "plastic_flow": total(slots.PLASTIC_LOSS)}
        if self.buffers.counters[slots.HAS_CONTACT]:
            entries |= {"contact_dissipation": total(slots.CONTACT_LOSS), "friction": total(slots.FRICTION),
                        "contact_direction": total(slots.DIRECTION)}
        if self.buffers.counters[slots.HAS_MEDIUM]:
            entries |= {"buoyancy": float(numbers[slots.BUOYANCY]), "drag": total(slots.DRAG)}
        for name, row in zip(self.model.work_names, work, strict=True):
            entries[f"work:{name}"] = float(row[slots.WORK_SUM] + row[slots.WORK_REST])
        if self.buffers.counters[slots.HAS_MEDIUM]:
            entries["work:wind"] = total(slots.WIND_WORK)
        entries["residual"] = total(slots.RESIDUAL)
        entries["largest_residual"] = float(numbers[slots.LARGEST_RESIDUAL])
        entries["reference_energy"] = float(numbers[slots.REFERENCE])
        return entries

    def frame_record(self):
        """Everything beside positions and velocities that a continued run needs."""
        b = self.buffers
        counters = b.counters.copy()
        counters[[slots.CHUNK, slots.HISTORY_COUNT, slots.PARITY]] = 0  # these belong to one call of the loop
        return {"numbers": b.numbers, "counters": counters, "work": b.work, "rigid": b.rigid,
                **{kind.own: getattr(b, kind.own) for kind in KINDS.values()}}

    def frame_rows(self):
        """What a continued run needs of contact: of pairs that touch or overlap, and of vertices with friction in use."""
        if not self.buffers.counters[slots.HAS_CONTACT]:
            return {}
        touch = self.buffers.touch
        count = touch.sizes[columns.PAIR_COUNT]
        pairs = touch.pairs[:count]
        kept = (pairs[:, columns.TOUCHING] == 1) | (pairs[:, columns.OVERLAPS] == 1)
        vertices = touch.slots.reshape(-1, columns.SLOTS, columns.SLOT_NUMBERS)
        place, slot = np.nonzero((touch.node > 0) & (vertices[:, :, columns.SLOT_USED] > 0.0))
        return {
            "contact_state": {"whole": pairs[kept, :columns.KEPT_WHOLES],
                              "number": touch.numbers[:count][kept, :columns.KEPT_NUMBERS]},
            "vertex_state": {"place": place.astype(np.int32), "slot": slot.astype(np.int32),
                             "node": touch.node[place, slot], "number": vertices[place, slot, :columns.SLOT_KEPT]}}

    def _restore_contacts(self, recording, frame):
        if not self.buffers.counters[slots.HAS_CONTACT]:
            return
        if not {"contact_state", "vertex_state"} <= recording.rows.keys():
            raise RecordingError("this recording holds no state of contact to continue from; a new run is needed")
        pairs, vertices = (recording.frame_rows(name, frame) for name in ("contact_state", "vertex_state"))
        count = len(pairs["whole"])
        touch = self.buffers.touch
        if count > len(touch.pairs):
            touch = make_touch(self.model.arrays, len(touch.load), count, touch)
            self.buffers = self.buffers._replace(touch=touch)
        touch.pairs[:count, :columns.KEPT_WHOLES] = pairs["whole"]
        touch.numbers[:count, :columns.KEPT_NUMBERS] = pairs["number"]
        touch.sizes[columns.PAIR_COUNT] = count
        place, slot = vertices["place"], vertices["slot"]
        touch.node[place, slot] = vertices["node"]
        held = touch.slots.reshape(-1, columns.SLOTS, columns.SLOT_NUMBERS)
        held[place, slot, :columns.SLOT_KEPT] = vertices["number"]

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
            getattr(self.buffers, name)[...] = record[name][frame]
        self.position[...] = recording.position[frame]
        self.velocity[...] = recording.velocity[frame]
        self._restore_contacts(recording, frame)
        self.buffers.counters[slots.FRESH] = slots.STALE
