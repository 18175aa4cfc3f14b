"""Buffers of a model at time zero: all that changes, before any force is known.

What contact writes is made with room for pairs, handed over when it grows, kept with a frame and taken from one.
"""
import itertools

import numpy as np

from robotphi.errors import RecordingError
from robotphi.kernels.acts.forces import ON_PARTICLE
from robotphi.kernels.acts.gates import OPEN, SEARCH
from robotphi.kernels.compiling.team import SYNC_LENGTH
from robotphi.kernels.contact import columns
from robotphi.kernels.contact.find.broad import scratch_sizes
from robotphi.kernels.contact.press.ball_soft import PATCH_COLUMNS
from robotphi.kernels.contact.press.clip import CORNER_ROWS
from robotphi.kernels.contact.press.round_facet import BREAK_ROWS
from robotphi.kernels.contact.row_faces import TAKEN_COLUMNS
from robotphi.kernels.mechanism.as_body import FREEDOMS, TREE_COLUMNS
from robotphi.kernels.mechanism.columns import BOUND_DENSE, FLOW_COLUMNS, HUNG_COLUMNS, SUM_COLUMNS, Bound, Joints, Links
from robotphi.kernels.springs.table import ANGLE, ANGULAR, ARTICULAR, LINEAR, NORMAL, OF_LIST
from robotphi.kernels.step import bodies, slots
from robotphi.kernels.step.buffers import Buffers, Damping, Slow, Touch
from robotphi.kernels.step.causes import CAUSE_COLUMNS, CAUSE_ROWS
from robotphi.kernels.step.entries import BOOK_COLUMNS, ENTRIES, FIXED_ENTRIES, act_entries, work_entry
from robotphi.kernels.step.frames import CHECKPOINT
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, RIGID_COLUMNS, SPIN, VELOCITY
from robotphi.kernels.step.slots import STIFF_BASE
from robotphi.kernels.step.stiff_bounds import EXTRA_COLUMNS
from robotphi.kernels.step.stiff_frame import MOTION_COLUMNS
from robotphi.kernels.step.stiff_glued import GLUE_COLUMNS
from robotphi.model.acts import open_at_start, states_of
from robotphi.run.members import aligned_zeros, make_members, may_share
from robotphi.scene.turns import matrix_of

HISTORY_ROWS = 4096
OF_JOINTS = "joint_"
ROWS_SHARED = 96  # a part, so that all pairs that are looked at have room and may be shared
ACT_STATE = 6      # columns of what an act remembers
NEAR_FLAT = 1e-6  # rad: what rounding of positions makes of half a turn, and more


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
    for i, turn in enumerate(matrix_of(model.rigid_orientation)):
        rigid[i, MOMENTUM:MOMENTUM + 3] = turn @ (arrays.rigids.inertia[i] * (turn.T @ model.rigid_spin[i]))
    groups, entries = len(arrays.linear.start) - 1, all_entries(model)
    return Buffers(
        position, velocity, aligned_zeros((rows, 4)), rigid, aligned_zeros((r, 6)),
        position.copy() if rows < 1000 else _aligned_copy(position), aligned_zeros((rows, 4)), aligned_zeros((rows, 4)),
        rigid.copy(), aligned_zeros((r, 6)), make_joints(model), make_joints(model), make_links(arrays),
        aligned_zeros((len(arrays.linear_law.first), len(LINEAR.state))), _first_normals(arrays.angular_law),
        _first_angles(arrays.articular, position),
        aligned_zeros((groups, slots.SUM_COLUMNS)), aligned_zeros((len(arrays.particles.block), slots.PART_COLUMNS)),
        aligned_zeros((r, slots.PART_COLUMNS)), aligned_zeros((len(entries), BOOK_COLUMNS)),
        np.array([entry.kind for entry in entries], np.int32), _book_rows(model.work_of_drive),
        _book_rows(model.work_of_force), _book_rows(model.work_of_motor),
        model.rigid_orientation.copy(), _force_origins(arrays.acts.forces, model), stiffness_base(arrays, rows),
        aligned_zeros((r, 4)), aligned_zeros((r, 6)), aligned_zeros((len(entries), 6)),
        _first_states(arrays.acts), _first_states(arrays.acts), aligned_zeros(SEARCH), _carriers(arrays.rigids, rows),
        aligned_zeros((rows, bodies.PARTICLE_COLUMNS)), _rigid_blocks(arrays.mechanisms, r),
        aligned_zeros((bodies.TERM_ENDS, bodies.TERM_COLUMNS)), aligned_zeros((2, BOUND_DENSE**2)),
        aligned_zeros((HISTORY_ROWS, 5)), aligned_zeros((CAUSE_ROWS, CAUSE_COLUMNS)),
        make_touch(arrays, r, 0), make_members(arrays), _make_damping(arrays), _make_slow(arrays.stiff),
        aligned_zeros((rows, 4)), aligned_zeros((r, 6)),
        aligned_zeros(slots.NUMBER_COUNT), np.zeros(slots.COUNTER_COUNT, np.int64), np.zeros(SYNC_LENGTH, np.int64))


def make_joints(model):
    """Coordinates of all joints at time zero."""
    count = len(model.joint_place)
    links = len(model.arrays.mechanisms.rigid)
    joints = Joints(*(aligned_zeros((count, 1)) for _ in range(4)), aligned_zeros((links, 4)),
                    aligned_zeros((len(model.arrays.mechanisms.motors.freedom), 3)),
                    aligned_zeros((links if has_hung(model.arrays) else 0, 6)),
                    make_bound(model.arrays.mechanisms, model.arrays.closures))
    joints.place[:, 0], joints.rate[:, 0] = model.joint_place, model.joint_rate
    joints.turn[:, 0] = 1.0
    if len(model.joint_turn):
        joints.turn[...] = model.joint_turn
    return joints


def make_bound(mechanisms, closures):
    """Room for what the closures of an instant know; of mechanisms that have none there is nothing."""
    rows = len(closures.kind)
    links, freedoms = (len(mechanisms.rigid), len(mechanisms.turn)) if rows else (0, 0)
    own = np.diff(closures.start) * closures.dense
    moving = np.diff(mechanisms.freedom_start[mechanisms.start]) * (own > 0)
    ranks = np.zeros((rows, 1), np.int32), np.zeros((len(mechanisms.free), 1), np.int32)
    return Bound(*(aligned_zeros((rows, width)) for width in (12, 1, 1)), *ranks,
                 aligned_zeros((rows, own.max(initial=0))), aligned_zeros((rows, moving.max(initial=0))),
                 *(aligned_zeros((freedoms, width)) for width in (6, 6, 2)),
                 *(aligned_zeros((links, 6)) for _ in range(2)), aligned_zeros((freedoms, 1)), aligned_zeros((links, 6)),
                 aligned_zeros((freedoms, 1)), aligned_zeros((rows, 8)))


def make_links(arrays):
    """Room for what is worked out of mechanisms."""
    mechanisms, closed = arrays.mechanisms, len(arrays.closures.kind)
    links, freedoms = len(mechanisms.rigid), len(mechanisms.turn)
    relations, most = len(mechanisms.value), int(np.diff(mechanisms.relation_start).max(initial=0))
    rows = [*((links, width) for width in (RIGID_COLUMNS, 9, 6, 6)), (len(mechanisms.link_of_rigid), 12),
            *((links, width) for width in (6, 24, 6, 6, 6))]
    return Links(*map(aligned_zeros, rows),
                 *(aligned_zeros((freedoms, width)) for width in (2, 6, 6)), aligned_zeros((links, 6)),
                 aligned_zeros((links, 27)),
                 *(aligned_zeros((freedoms, width)) for width in (2, 1, 1, 1, 1)),
                 *_make_bodies(mechanisms), aligned_zeros((freedoms, FLOW_COLUMNS)),
                 aligned_zeros((freedoms, 1)), aligned_zeros((freedoms, 1)), aligned_zeros((len(mechanisms.free), 12)),
                 reaction=aligned_zeros((links, 6)), closing=aligned_zeros((closed, 6)), exerted=aligned_zeros((freedoms, 1)),
                 related=aligned_zeros((relations, most)), multiplier=aligned_zeros((relations, 1)),
                 then=aligned_zeros((freedoms, 1)), hung=aligned_zeros((links if has_hung(arrays) else 0, HUNG_COLUMNS)),
                 sums=aligned_zeros((len(mechanisms.free), SUM_COLUMNS)), lent=aligned_zeros((links + 2 * closed, 8)))


def _make_bodies(mechanisms):
    """Room for mechanisms of few freedoms as bodies of the bounds."""
    freedoms = np.diff(mechanisms.freedom_start[mechanisms.start])
    few = np.where(freedoms <= BOUND_DENSE, freedoms, 0)
    tree, most = aligned_zeros((len(few), TREE_COLUMNS)), few.max(initial=0)
    tree[:, FREEDOMS] = few
    return tree, aligned_zeros((len(mechanisms.rigid) * (most > 0), 6 * most)), aligned_zeros((len(few), most**2))


def _rigid_blocks(mechanisms, count):
    """Room for the blocks of rigids, which know the mechanisms of few freedoms that they belong to."""
    blocks = aligned_zeros((count, bodies.RIGID_BLOCK_COLUMNS))
    freedoms = np.diff(mechanisms.freedom_start[mechanisms.start])
    for m, (begin, end) in enumerate(itertools.pairwise(mechanisms.start)):
        for link in range(begin, end):
            if freedoms[m] <= BOUND_DENSE and mechanisms.rigid[link] >= 0:
                blocks[mechanisms.rigid[link], [bodies.OWNER, bodies.LINK]] = m + 1, link + 1
    return blocks


def has_hung(arrays):
    """Whether stiff objects hang on links."""
    return any(rigid >= 0 and arrays.mechanisms.link_of_rigid[rigid] >= 0 for rigid in arrays.stiff.rigid)


def checkpointed(buffers):
    """Name → array of all that a continued run needs beside positions and velocities."""
    kept = {OF_JOINTS + name: array for name, array in (*buffers.joints._asdict().items(), *buffers.links._asdict().items())}
    return {name: kept[name] if name.startswith(OF_JOINTS) else getattr(buffers, name) for name in CHECKPOINT}


def _make_damping(arrays):
    """Room for dampers, if there are any."""
    damped = has_dampers(arrays) or has_lossy_contact(arrays)
    rows, rigids, blocks = ((len(arrays.particles.mass), len(arrays.rigids.mass), len(arrays.particles.damped)) if damped
                            else (0, 0, 0))
    angular = len(arrays.angular.first) // 4 if damped else 0
    per_particle = [aligned_zeros((rows, 4)) for _ in range(5)]
    return Damping(per_particle[0], aligned_zeros((rigids, RIGID_COLUMNS)), *per_particle[1:],
                   aligned_zeros((6 * angular, 4)), np.zeros(angular, np.int32),
                   aligned_zeros((blocks, slots.DAMPING_COLUMNS)), aligned_zeros((rigids, slots.DAMPING_COLUMNS)),
                   *[aligned_zeros((rigids, 6)) for _ in range(4)])


def _make_slow(stiff):
    count, places, particles = len(stiff.way), int(stiff.width.sum()), len(stiff.particle)
    return Slow(given=aligned_zeros((places,)), got=aligned_zeros((places,)),
                motion=aligned_zeros((count, MOTION_COLUMNS)),
                glue=aligned_zeros((count, GLUE_COLUMNS)), outer=aligned_zeros((3 * count, 4)),
                **{name: aligned_zeros((particles, 4)) for name in ("away", "followed", "behind", "calm", "going")},
                **{name: aligned_zeros((count, 6)) for name in ("lead", "change", "reaction", "load")},
                solve=aligned_zeros((6 * count, 7)), sums=aligned_zeros((count, 3)),
                damping=aligned_zeros((count, slots.DAMPING_COLUMNS)), extra=aligned_zeros((count, EXTRA_COLUMNS)))


def has_dampers(arrays):
    """Whether springs have viscosity."""
    return any(bool(np.any(getattr(arrays, name).viscosity > 0.0)) for name in OF_LIST)


def has_lossy_contact(arrays):
    """Whether contacts have dampers, of the pressure or of friction."""
    law = arrays.contact.law
    return len(arrays.contact.parts.kind) > 0 and bool(np.any(law[:, [columns.DAMPING, columns.STATIC_FRICTION]] > 0.0))


def knows_other_dampers(arrays, fixed):
    """Whether mechanisms can go with the dampers apart: not where joints in loops rub or are driven, nor, with fixed steps,
    past events (`kernels/mechanism/uneventful`)."""
    mechanisms, rows = arrays.mechanisms, np.diff(arrays.closures.start)
    of_freedom = np.searchsorted(mechanisms.freedom_start[mechanisms.start], np.arange(len(mechanisms.drive)), side="right") - 1
    rubs, limited = mechanisms.friction[:, 0] > 0.0, (mechanisms.motors.damping > 0.0) & np.isfinite(mechanisms.motors.limit)
    if np.any((rubs | (mechanisms.drive >= 0)) & (rows[of_freedom] > 0)):
        return False
    return not (fixed and (rubs.any() or np.isfinite(mechanisms.limits).any() or limited.any()))


def row_room(parts):
    """Room for dampers of contact as rows, and for their ends: by what there is, so that it does not change in a run.

    Six rows for two rigids, of which a part has a few in touch and many that are near, three for a vertex; a ball on a soft
    part has all its facets as ends. What finds no room keeps its dampers in the force.
    """
    count, places, facets = len(parts.kind), len(parts.vertex), len(parts.facet)
    rows = (ROWS_SHARED if may_share(parts) else 24) * count + 3 * places
    return (rows, 2 * rows + 9 * facets + 3) if count else (0, 0)


def all_entries(model):
    """The entries of a model, one for each row of `books`."""
    entries = [*ENTRIES, *(work_entry(name) for name in model.work_names)]
    for name, books in model.act_books:
        entries += act_entries(name, books)
    return entries


def _aligned_copy(array):
    copy = aligned_zeros(array.shape)
    copy[...] = array
    return copy


def _book_rows(work):
    """Rows of `books` from numbers of work entries, −1 where there is none."""
    return np.where(work < 0, -1, work + FIXED_ENTRIES).astype(np.int32)


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


def _first_states(acts):
    """What acts remember at the start: nothing, but gates that are open."""
    state = aligned_zeros((states_of(acts), ACT_STATE))
    state[open_at_start(acts), OPEN] = 1.0
    return state


def _force_origins(forces, model):
    origin = np.zeros((len(forces.kind), 3))
    for k, (kind, target) in enumerate(zip(forces.kind, forces.target, strict=True)):
        origin[k] = model.position[target] if kind == ON_PARTICLE else model.rigid_position[target]
    return origin


def _carriers(rigids, rows):
    """The rigid that carries each row, −1 for free particles."""
    carrier = np.full(rows, -1, np.int32)
    carrier[rigids.particle] = np.repeat(np.arange(len(rigids.mass)), np.diff(rigids.start))
    return carrier


def stiffness_base(arrays, rows):
    """Constant part of the stiffness bound of each particle: linear springs, s = 2 k on both ends."""
    bound = aligned_zeros((rows, 4))
    for springs in (getattr(arrays, name) for name, kind in OF_LIST.items() if kind.fixed_bound):
        for ends in (springs.first, springs.second):
            bound[:, STIFF_BASE] += np.bincount(ends, 2.0 * springs.stiffness, rows)
    return bound


def make_touch(arrays, rigids, pairs, known=None):
    """What contact writes, with room for a number of pairs; `known` buffers hand over what they hold."""
    parts = arrays.contact.parts
    count, places, facets = len(parts.kind), len(parts.vertex), len(parts.facet)
    pairs = max(pairs, 8 + 4 * count) if count else 0
    whole, real = scratch_sizes(count, pairs) if count else (0, 0)
    rows, ends = row_room(parts)
    kept = pairs if may_share(parts) else 0
    touch = Touch(
        np.zeros((pairs, columns.PAIR_WHOLES), np.int32), aligned_zeros((pairs, columns.PAIR_NUMBERS)),
        aligned_zeros((pairs, columns.PAIR_SUMS)),
        np.zeros((pairs, columns.PAIR_WHOLES), np.int32), aligned_zeros((pairs, columns.PAIR_NUMBERS)),
        aligned_zeros((pairs, columns.PAIR_SUMS)), np.zeros((pairs, 2), np.int32),
        np.zeros((places, columns.SLOTS), np.int32), aligned_zeros((places, columns.SLOTS * columns.SLOT_NUMBERS)),
        np.zeros(places), np.zeros(places, np.int32), aligned_zeros((rigids, 6)), aligned_zeros((places, 2)),
        aligned_zeros((len(arrays.particles.mass) if places else 0, bodies.PARTICLE_COLUMNS)),
        aligned_zeros((count, 6)), np.full((count, 6), np.inf), aligned_zeros((count, 6)), np.zeros(count, np.int32),
        aligned_zeros(columns.TOTALS), np.zeros(columns.SIZES, np.int64), np.zeros(whole, np.int64), np.zeros(real),
        np.zeros(2 * facets + 2, np.int32), np.zeros((facets, 6)), np.zeros((CORNER_ROWS, 2)), np.zeros(places),
        np.zeros((len(arrays.contact.tree.behind), 6)), np.zeros(count, np.int32), np.zeros(columns.FIELD_ROWS),
        np.zeros((BREAK_ROWS, 3)), np.zeros(PATCH_COLUMNS),
        np.zeros(facets, np.int32), np.zeros((facets, 9)), np.zeros((count, 2), np.int32),
        aligned_zeros((len(arrays.stiff.way), columns.OBJECT_COLUMNS)), aligned_zeros((2 * rows, columns.DAMPER_COLUMNS)),
        np.zeros(2 * ends, np.int32), aligned_zeros((2 * ends, 12)),
        np.zeros(2 * ends),
        np.zeros(columns.ROW_SIZES, np.int64), np.zeros(2), np.zeros((columns.FEW + 1, TAKEN_COLUMNS) if rows else (0, 0)),
        np.zeros(len(arrays.particles.mass) + rigids + len(arrays.stiff.way) if rows else 0), np.ones(rigids),
        aligned_zeros((kept, columns.PUSHED_COLUMNS)), np.zeros((kept, columns.SPAN_COLUMNS), np.int32),
        np.zeros(kept, np.int32), np.zeros(columns.MOST_COLOURS + 1, np.int64), np.array(arrays.stiff.local))
    touch.sizes[columns.MATERIALS] = round(np.sqrt(len(arrays.contact.law)))
    if known is not None:
        for old, new in zip(known, touch, strict=True):
            if old.dtype == new.dtype and old.shape[1:] == new.shape[1:] and old.ndim <= new.ndim and len(old) <= len(new):
                new[:len(old)] = old
        touch.sizes[columns.LACKING] = 0
    return touch


def _names_what_is_there(arrays, pairs, vertices):
    """Whether all indices of a recorded state of contact are within the model; compiled code does not ask."""
    def within(values, low, high):
        return values.size == 0 or bool(values.min() >= low and values.max() < high)

    parts = len(arrays.contact.parts.kind)
    return (within(pairs[:, [columns.FIRST, columns.SECOND]], 0, parts)
            and within(pairs[:, columns.CARRIER_ROW:columns.KEPT_WHOLES], -1, len(arrays.particles.mass))
            and within(vertices["place"], 0, len(arrays.contact.parts.vertex))
            and within(vertices["slot"], 0, columns.SLOTS) and within(vertices["node"], 0, parts + 1))


def restore_contacts(model, buffers, recording, frame):
    """The buffers with the contacts of a recorded frame, in more room where they need it."""
    if not {"contact_state", "vertex_state"} <= recording.rows.keys():
        raise RecordingError("this recording holds no state of contact to continue from; a new run is needed")
    pairs, vertices = (recording.frame_rows(name, frame) for name in ("contact_state", "vertex_state"))
    if not ({"whole", "number"} <= pairs.keys() and {"place", "slot", "node", "number"} <= vertices.keys()):
        raise RecordingError("this recording holds only a part of the state of contact; a new run is needed")
    if not _names_what_is_there(model.arrays, pairs["whole"], vertices):
        raise RecordingError("this recording is damaged: its state of contact names parts, particles or vertices that are not "
                             "there; continue from another frame, or run anew")
    count, touch = len(pairs["whole"]), buffers.touch
    if count > len(touch.pairs):
        touch = make_touch(model.arrays, len(touch.load), count, touch)
    touch.pairs[:count, :columns.KEPT_WHOLES] = pairs["whole"]
    touch.numbers[:count, :columns.KEPT_NUMBERS] = pairs["number"]
    touch.sizes[columns.PAIR_COUNT] = count
    place, slot = vertices["place"], vertices["slot"]
    touch.node[place, slot] = vertices["node"]
    held = touch.slots.reshape(-1, columns.SLOTS, columns.SLOT_NUMBERS)
    held[place, slot, :columns.SLOT_KEPT] = vertices["number"]
    return buffers if touch is buffers.touch else buffers._replace(touch=touch)
