"""Buffers of a model at time zero: all that changes, before any force is known."""
import numpy as np

from robotphi.kernels.acts.forces import ON_PARTICLE
from robotphi.kernels.compiling.team import SYNC_LENGTH
from robotphi.kernels.springs.table import ANGLE, ANGULAR, ARTICULAR, LINEAR, NORMAL, OF_LIST
from robotphi.kernels.step import slots
from robotphi.kernels.step.buffers import Buffers
from robotphi.kernels.step.entries import BOOK_COLUMNS, FIXED_ENTRIES
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, RIGID_COLUMNS, SPIN, VELOCITY
from robotphi.kernels.step.slots import DAMP_BASE, STIFF_BASE
from robotphi.run.ledger import all_entries
from robotphi.run.touch import aligned_zeros, make_touch

HISTORY_ROWS = 4096
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
    for i in range(r):
        turn = rotation_matrix(model.rigid_orientation[i])
        rigid[i, MOMENTUM:MOMENTUM + 3] = turn @ (arrays.rigids.inertia[i] * (turn.T @ model.rigid_spin[i]))
    groups, entries = len(arrays.linear.start) - 1, all_entries(model)
    return Buffers(
        position, velocity, aligned_zeros((rows, 4)), rigid, aligned_zeros((r, 6)),
        position.copy() if rows < 1000 else _aligned_copy(position), aligned_zeros((rows, 4)), aligned_zeros((rows, 4)),
        rigid.copy(), aligned_zeros((r, 6)),
        aligned_zeros((len(arrays.linear_law.first), len(LINEAR.state))), _first_normals(arrays.angular_law),
        _first_angles(arrays.articular, position),
        aligned_zeros((groups, slots.SUM_COLUMNS)), aligned_zeros((len(arrays.particles.block) - 1, slots.PART_COLUMNS)),
        aligned_zeros((r, slots.PART_COLUMNS)), aligned_zeros((len(entries), BOOK_COLUMNS)),
        np.array([entry.kind for entry in entries], np.int32), _book_rows(model.work_of_drive), _book_rows(model.work_of_force),
        model.rigid_orientation.copy(), _force_origins(arrays.acts.forces, model), _stiffness_base(arrays, rows),
        aligned_zeros((r, 4)), aligned_zeros((r, 6)), aligned_zeros((HISTORY_ROWS, 4)),
        make_touch(arrays, r, 0), aligned_zeros((rows, 4)), aligned_zeros((r, 6)),
        aligned_zeros(slots.NUMBER_COUNT), np.zeros(slots.COUNTER_COUNT, np.int64), np.zeros(SYNC_LENGTH, np.int64))


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


def _force_origins(forces, model):
    origin = np.zeros((len(forces.kind), 3))
    for k, (kind, target) in enumerate(zip(forces.kind, forces.target, strict=True)):
        origin[k] = model.position[target] if kind == ON_PARTICLE else model.rigid_position[target]
    return origin


def _stiffness_base(arrays, rows):
    """Constant part of the bound of each particle: linear springs, s = 2 k on both ends."""
    bound = aligned_zeros((rows, 4))
    for springs in (getattr(arrays, name) for name, kind in OF_LIST.items() if kind.fixed_bound):
        for column, values in ((STIFF_BASE, springs.stiffness), (DAMP_BASE, springs.viscosity)):
            for ends in (springs.first, springs.second):
                bound[:, column] += np.bincount(ends, 2.0 * values, rows)
    return bound
