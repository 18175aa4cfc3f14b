"""How free rigids go along with what is led: as the springs of contact that join them would take them, were there nothing else.

Each pair that touches is a spring at its point of pressure, with the stiffness of its pressure along n and of its friction
across it, and of both by the gyration radius of the pressure against turning. Rigids are put where the energy of all of them is
least: there friction has the least to hold. What lies on a table rides on it wherever it goes, and what is between two things
that part is left between both. It is where the rest is looked for from, and by how much friction is stretched then.
"""
import numpy as np
from scipy.spatial.transform import Rotation

from robotphi.kernels.contact import columns as c
from robotphi.kernels.step.rigids import CENTRE, HELD, ORIENTATION
from robotphi.run.dragged import Ways, places_of, touching
from robotphi.scene.turns import quaternion_of

ROUNDS = 4         # large turns bend the ways that are taken as straight
MOST = 300         # rigids, beyond which the matrix is too large to be worth it
WEAK = 1e-9        # of the stiffest spring: what holds that to which nothing is tied


def ride(state, before, stand):
    """Take free rigids along with what has moved since `before`; `stand` puts what they carry in its place."""
    rigids, links = state.model.arrays.rigids, state.model.arrays.mechanisms.link_of_rigid
    turns = ((rigids.inverse_inertia > 0.0).all(axis=1) & (rigids.rotation != HELD))[:, None]
    free = np.hstack([rigids.inverse_mass > 0.0, np.broadcast_to(turns, rigids.inverse_mass.shape)]) & (links < 0)[:, None]
    if not free.any() or len(free) > MOST:
        return
    for _ in range(ROUNDS):
        rows, numbers, first, second = touching(state.buffers.touch)
        if not len(rows):
            return
        twist = _twists(state, before, free, (numbers, first, second))
        _turn(state.buffers.rigid, twist)
        stand(state)


def _twists(state, before, free, pairs):
    """(r, 6) m and rad: what is missing of the ways of free rigids."""
    numbers, sides = pairs[0], pairs[1:]
    parts, centre = state.model.arrays.contact.parts, state.buffers.rigid[:, CENTRE:CENTRE + 3]
    ways = Ways(parts, before, places_of(state))
    point, n = numbers[:, c.POINT:c.POINT + 3], numbers[:, c.NORMAL_X:c.NORMAL_X + 3]
    across = np.eye(3) - n[:, :, None] * n[:, None, :]
    press, rub = (np.sqrt(numbers[:, column])[:, None, None] for column in (c.STEEPNESS, c.SIDE))
    wide = numbers[:, c.GYRATION][:, None, None]
    springs = np.concatenate([press * n[:, :, None] * n[:, None, :] + rub * across,
                              wide * (rub * n[:, :, None] * n[:, None, :] + press * across)], axis=0)
    count, r = len(numbers), len(free)
    matrix, way = np.zeros((2 * count, 3, r, 6)), np.zeros((2 * count, 3))
    pair = np.arange(count)
    for parts_of_side, sign in zip(sides, (1.0, -1.0), strict=True):
        rigid, now = parts.rigid[parts_of_side], point + ways.of_parts(parts_of_side, point)
        arm = now - centre[rigid]
        cross = np.zeros((count, 3, 3))
        cross[:, [0, 1, 2], [1, 2, 0]], cross[:, [0, 1, 2], [2, 0, 1]] = arm[:, [2, 0, 1]], -arm[:, [1, 2, 0]]
        own = rigid >= 0
        matrix[pair[own], :, rigid[own], :3] += sign * np.eye(3)
        matrix[pair[own], :, rigid[own], 3:] += sign * cross[own]
        matrix[count + pair[own], :, rigid[own], 3:] += sign * np.eye(3)
        way[:count] += sign * ways.of_parts(parts_of_side, point)
        way[count:] += sign * ways.turns(parts_of_side)
    rows = np.einsum("kij,kjru->kiru", springs, matrix).reshape(6 * count, 6 * r)[:, free.ravel()]
    found = np.zeros((r, 6))
    found[free] = -np.linalg.lstsq(rows, np.einsum("kij,kj->ki", springs, way).ravel(), rcond=WEAK)[0]
    return found


def _turn(rigid, twist):
    rigid[:, CENTRE:CENTRE + 3] += twist[:, :3]
    for i in np.flatnonzero(twist[:, 3:].any(axis=1)):
        old = Rotation.from_quat(np.roll(rigid[i, ORIENTATION:ORIENTATION + 4], -1)).as_matrix()
        rigid[i, ORIENTATION:ORIENTATION + 4] = quaternion_of(Rotation.from_rotvec(twist[i, 3:]).as_matrix() @ old)
