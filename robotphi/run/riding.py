"""How free things go along with what is led: as the springs of contact that join them would take them, were there nothing else.

Each pair that touches is a spring at its point of pressure, with the stiffness of its pressure along n and of its friction
across it, and of both by the gyration radius of the pressure against turning. Rigids, and soft things as wholes, are put where
the energy of all of them is least: there friction has the least to hold. What lies on a table rides on it wherever it goes, and
what is between two things that part is left between both. It is where the rest is looked for from, and by how much friction is
stretched then.
"""
import numpy as np

from robotphi.kernels.contact import columns as c
from robotphi.kernels.step import slots
from robotphi.kernels.step.rigids import CENTRE, HELD, ORIENTATION
from robotphi.run.dragged import Ways, places_of, touching
from robotphi.scene.turns import matrix_of, quaternion_of

ROUNDS = 4         # large turns bend the ways that are taken as straight …
STRAIGHT = 1e-4    # rad: … by some 1e-8 of them where they turn by less
MOST = 300         # bodies, beyond which the matrix is too large to be worth it
WEAK = 1e-9        # of the stiffest spring: what holds that to which nothing is tied


class Loose:
    """A soft thing of which nothing is held: it rides as a whole, as a rigid would."""

    def __init__(self, state, parts, particles):
        self.parts, self.particles = parts, particles
        self.first = state.position[particles].mean(axis=0)
        self.centre, self.turn = self.first.copy(), np.eye(3)

    def move(self, state, way, turn):
        from scipy.spatial.transform import Rotation

        turn = Rotation.from_rotvec(turn).as_matrix()
        places = state.position[self.particles]
        state.position[self.particles] = (places - self.centre) @ turn.T + self.centre + way
        self.centre, self.turn = self.centre + way, turn @ self.turn


def loose_things(state):
    """The soft things of a state that may move as a whole."""
    model, parts, particles = state.model, state.model.arrays.contact.parts, state.model.arrays.particles
    free, found = (particles.moves[particles.axes[:model.particle_count], :3] > 0.0).all(axis=1), []
    for number, name in enumerate(model.owner_names):
        thing, own = model.scene.objects.get(name), np.flatnonzero(parts.owner == number)
        if thing is not None and not thing.rigids and len(own) and free[thing.particles].all():
            found.append(Loose(state, own, thing.particles))
    return found


def ride(state, before, stand):
    """Take what is free along with what has moved since `before`; `stand` puts what rigids carry in its place. Returns the Ways
    that all have gone then; None where nothing has moved, or nothing could feel it."""
    if not state.buffers.counters[slots.HAS_CONTACT] or all(map(np.array_equal, places_of(state), before)):
        return None
    rigids, links, loose = state.model.arrays.rigids, state.model.arrays.mechanisms.link_of_rigid, loose_things(state)
    turns = ((rigids.inverse_inertia > 0.0).all(axis=1) & (rigids.rotation != HELD))[:, None]
    free = np.hstack([rigids.inverse_mass > 0.0, np.broadcast_to(turns, rigids.inverse_mass.shape)]) & (links < 0)[:, None]
    free, count = np.concatenate([free, np.ones((len(loose), 6), bool)]), len(free)
    if not free.any() or len(free) > MOST or not len(touching(state.buffers.touch)[0]):
        return Ways(state, before, loose)
    for _ in range(ROUNDS):
        twist = _twists(state, Ways(state, before, loose), free)
        _turn(state.buffers.rigid, twist[:count])
        for thing, own in zip(loose, twist[count:], strict=True):
            thing.move(state, own[:3], own[3:])
        stand(state)
        if np.abs(twist[:, 3:]).max() <= STRAIGHT:
            break
    return Ways(state, before, loose)


def _twists(state, ways, free):
    """(b, 6) m and rad: what is missing of the ways of free bodies."""
    rows, numbers, *sides = touching(state.buffers.touch)
    point, n = numbers[:, c.POINT:c.POINT + 3], numbers[:, c.NORMAL_X:c.NORMAL_X + 3]
    along = n[:, :, None] * n[:, None, :]
    across = np.eye(3) - along
    press, rub = (np.sqrt(numbers[:, column])[:, None, None] for column in (c.STEEPNESS, c.SIDE))
    area = state.buffers.touch.sums[rows, c.PAIR_AREA]
    wide = np.where(numbers[:, c.GYRATION] > 0.0, numbers[:, c.GYRATION], np.sqrt(area / (2.0 * np.pi)))[:, None, None]
    springs = np.concatenate([press * along + rub * across, wide * (rub * along + press * across)])
    pair, bodies = np.arange(len(rows)), len(free)
    matrix, way = np.zeros((2, len(rows), 3, bodies, 6)), np.zeros((2, len(rows), 3))
    for parts, sign in zip(sides, (1.0, -1.0), strict=True):
        body, gone = ways.body[parts], ways.of_parts(parts, point)
        own = body >= 0
        matrix[0, pair[own], :, body[own], :3] += sign * np.eye(3)
        matrix[0, pair[own], :, body[own], 3:] += sign * _lever((point + gone - ways.centre[body])[own])
        matrix[1, pair[own], :, body[own], 3:] += sign * np.eye(3)
        way += sign * np.stack([gone, ways.turns(parts)])
    wanted = np.einsum("kij,kjbu->kibu", springs, matrix.reshape(-1, 3, bodies, 6)).reshape(-1, 6 * bodies)[:, free.ravel()]
    found = np.zeros((bodies, 6))
    found[free] = -np.linalg.lstsq(wanted, np.einsum("kij,kj->ki", springs, way.reshape(-1, 3)).ravel(), rcond=WEAK)[0]
    return found


def _lever(arm):
    """(k, 3, 3): way of points at an arm per turn, w × r = −r × w."""
    lever = np.zeros((len(arm), 3, 3))
    lever[:, [0, 1, 2], [1, 2, 0]], lever[:, [0, 1, 2], [2, 0, 1]] = arm[:, [2, 0, 1]], -arm[:, [1, 2, 0]]
    return lever


def _turn(rigid, twist):
    from scipy.spatial.transform import Rotation

    rigid[:, CENTRE:CENTRE + 3] += twist[:, :3]
    for i in np.flatnonzero(twist[:, 3:].any(axis=1)):
        turned = Rotation.from_rotvec(twist[i, 3:]).as_matrix() @ matrix_of(rigid[i, ORIENTATION:ORIENTATION + 4])
        rigid[i, ORIENTATION:ORIENTATION + 4] = quaternion_of(turned)
