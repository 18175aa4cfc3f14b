"""Newton's method on the springs of a scene: its unknowns, which of them feel each other, and the search itself."""
import numpy as np

from robotphi.kernels.compiling.reference import Laid
from robotphi.kernels.springs.table import OF_LIST
from robotphi.kernels.step.newton import KNOWN, LOOSE, NEGATIVE, STEPS, Pattern, Work, follow_on
from robotphi.kernels.step.rigids import HELD
from robotphi.run.buffers import aligned_zeros

MOST_ENTRIES = 10_000_000   # of the profile of the matrix: beyond, a factor takes longer than kinetic damping
MOST_STEPS = 25
ALONE = 1e-9                # of a tie: by which what is tied to nothing stays where it is


def unknowns(model):
    """(u, 2) body and axis of all that may move: rows of free particles, −1 − rigid."""
    particles, rigids = model.arrays.particles, model.arrays.rigids
    n = model.particle_count
    free = particles.moves[particles.axes[:n], :3] > 0.0
    turns = (rigids.inverse_inertia > 0.0) & (rigids.rotation != HELD)[:, None] & (rigids.support == 0.0)
    freedoms = np.concatenate([rigids.inverse_mass > 0.0, turns], axis=1)
    rows, rigid_rows = np.argwhere(free), np.argwhere(freedoms)
    rigid_rows[:, 0] = -1 - rigid_rows[:, 0]
    return np.concatenate([rows, rigid_rows]), free, freedoms


def neighbours(model):
    """Pairs of bodies that a spring joins, (p, 2): rows of particles, −1 − rigid for those of rigids."""
    rigids, body = model.arrays.rigids, np.arange(len(model.arrays.particles.mass))
    body[rigids.particle] = -1 - np.repeat(np.arange(len(rigids.mass)), np.diff(rigids.start))
    pairs = []
    for name, kind in OF_LIST.items():
        springs = getattr(model.arrays, name)
        own = springs.identity >= 0
        ends = [body[getattr(springs, end)[own]] for end in kind.ends]
        pairs += [np.stack([one, other], axis=1) for i, one in enumerate(ends) for other in ends[:i]]
    return np.concatenate(pairs)


def pattern_of(model, arms):
    """The Pattern of a model; None where there is nothing to move, or too much for a factor."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    found, free, _ = unknowns(model)
    if not len(found):
        return None
    bodies, of = np.unique(found[:, 0], return_inverse=True)
    count, of = len(bodies), of.reshape(-1)
    pairs = neighbours(model)
    place = np.searchsorted(bodies, pairs)
    place = place[(bodies[np.minimum(place, count - 1)] == pairs).all(axis=1)]
    graph = csr_matrix((np.ones(len(place)), (place[:, 0], place[:, 1])), shape=(count, count))
    graph = ((graph + graph.T + csr_matrix((np.ones(count), (np.arange(count), np.arange(count))), shape=(count, count))) > 0)
    order = np.argsort(reverse_cuthill_mckee(csr_matrix(graph), symmetric_mode=True))   # body → its turn
    sequence = np.lexsort((found[:, 1], order[of]))
    found, of = found[sequence], of[sequence]
    ends = np.searchsorted(order[of], np.arange(count + 1))   # bodies stand by their turns
    of_body = [np.arange(ends[turn], ends[turn + 1]) for turn in order]
    near = [graph.indices[graph.indptr[b]:graph.indptr[b + 1]] for b in range(count)]
    rows = [np.concatenate([of_body[other] for other in near[b]]) for b in range(count)]
    first = np.array([rows[b].min() for b in of])
    begin = np.concatenate(([0], np.cumsum(np.arange(len(of)) - first + 1)))
    if begin[-1] > MOST_ENTRIES:
        return None
    colours = _colours(near)
    groups = np.stack([colours[of], found[:, 1]], axis=1)
    member = np.lexsort((groups[:, 1], groups[:, 0]))
    changes = np.flatnonzero(np.any(np.diff(groups[member], axis=0) != 0, axis=1)) + 1
    arm, turning = np.ones(len(of)), found[:, 1] >= 3
    arm[turning] = arms[-1 - found[turning, 0]]
    held = np.setdiff1d(np.arange(model.particle_count), np.flatnonzero(free.any(axis=1)))
    whole = np.int32
    return Pattern(found[:, 0].astype(whole), found[:, 1].astype(whole), arm, np.array([0, *changes, len(of)], whole),
                   member.astype(whole), np.concatenate(([0], np.cumsum([len(rows[b]) for b in of]))).astype(whole),
                   np.concatenate([rows[b] for b in of]).astype(whole), first.astype(whole), begin.astype(np.int64),
                   held.astype(whole))


def _colours(near):
    """A colour for each body, so that no third one feels two of a colour."""
    colour = np.full(len(near), -1)
    for b, around in enumerate(near):
        taken = set(colour[np.concatenate([near[other] for other in around])].tolist())
        colour[b] = next(c for c in range(len(near) + 1) if c not in taken)
    return colour


class Carried:
    """How free particles go along when held ones move: each as the mean of those it is tied to. A stretched fibre stays
    straight, and a slack one slack."""

    def __init__(self, model):
        from scipy.sparse import csr_matrix, diags
        from scipy.sparse.linalg import splu

        _, free, _ = unknowns(model)
        self.rows = np.flatnonzero(free.all(axis=1))
        number = np.full(len(model.arrays.particles.mass), -1)
        number[self.rows] = np.arange(len(self.rows))
        pairs = np.concatenate([np.stack([getattr(springs, one)[own], getattr(springs, other)[own]], axis=1)
                                for springs, own, one, other in _ties(model)])
        pairs = np.concatenate([pairs, pairs[:, ::-1]])
        pairs = pairs[number[pairs[:, 0]] >= 0]
        own, other, count = number[pairs[:, 0]], number[pairs[:, 1]], len(self.rows)
        inner = other >= 0
        near = csr_matrix((np.ones(inner.sum()), (own[inner], other[inner])), shape=(count, count))
        ties = np.bincount(own, minlength=count)
        self._solve = splu((diags(ties + ALONE) - near).tocsc()).solve if count else None
        self._held = csr_matrix((np.ones((~inner).sum()), (own[~inner], pairs[~inner, 1])), shape=(count, len(number)))

    def go_along(self, position, before):
        """Move what is free, where what is held has come from `before`; whether anything has."""
        change = position[:, :3] - before[:, :3]
        if self._solve is None or not change.any():
            return False
        position[self.rows, :3] += self._solve(self._held @ change)
        return True


def _ties(model):
    for name, kind in OF_LIST.items():
        springs = getattr(model.arrays, name)
        for one, other in zip(kind.ends[:-1], kind.ends[1:], strict=True):
            yield springs, springs.identity >= 0, one, other


class Newton:
    """The search on one state: the matrix of a pose serves the next as well."""

    def __init__(self, state, arms):
        self.pattern, self._state, self._laid, self._function = pattern_of(state.model, arms), state, None, None
        if self.pattern is None:
            return
        b, u = state.buffers, len(self.pattern.body)
        entries = int(self.pattern.begin[-1])
        self.work = Work(*(np.zeros(count) for count in (entries, entries, u, u, u)), aligned_zeros(b.position.shape),
                         aligned_zeros((len(b.rigid), 6)), aligned_zeros(b.position.shape), aligned_zeros(b.position.shape),
                         aligned_zeros(b.rigid.shape), np.zeros(4, np.int64), np.zeros(2))
        self.take(state)

    def take(self, state):
        """The state to search on: of the same model, or one with other values."""
        self._laid = [Laid(each) for each in (state.model.arrays, state.buffers, self.pattern, self.work)]
        self._function = follow_on(*(each.kind for each in self._laid))

    def forget(self):
        """The matrix is to be made anew."""
        self.work.counts[KNOWN] = 0

    def follow(self, tolerance, least, outside, keeps=False):
        """To the equilibrium next to the present place; returns the residual [N]."""
        self.work.load[0] = outside
        extent = max(float(np.ptp(self._state.position, axis=0).max()), 1e-300)
        return self._function(*(each.address for each in self._laid), tolerance, least, extent, MOST_STEPS, keeps)

    @property
    def load(self):
        """N, at the last place."""
        return float(self.work.load[1])

    @property
    def steps(self):
        return int(self.work.counts[STEPS])

    @property
    def negative(self):
        """Directions along which the energy curves down."""
        return int(self.work.counts[NEGATIVE])

    @property
    def loose(self):
        """Directions along which it does not curve."""
        return int(self.work.counts[LOOSE])
