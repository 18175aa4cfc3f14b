"""The equilibrium of springs that all pull, such as heavy cables and fibres that hang slack.

Where a cable bears little more than its weight its stretch is some 1e-10 m, far below any length by which differences of forces
can be taken: across it a spring that is taut looks as if it were half slack. And what moves across by a hair is stretched by
thousands of times its weight. So here springs push as well as pull, by their law mirrored at the rest length,
K = Σ T' u uᵀ + (T/L) (1 − u uᵀ), with T never below the load and T' never below what it is under the load, so that K is
positive definite wherever the search may be (a modified Newton method, Nocedal & Wright 2006, section 3.4); near the end both
are above that and K the stiffness itself. What is found counts if every spring pulls: then no law is other than it was taken to
be, and a K without negative eigenvalues says that it is stable.
"""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.acts.forces import ON_PARTICLE
from robotphi.kernels.step import slots
from robotphi.record.springs import drive_value, rests, springs
from robotphi.run.newton import unknowns

MOST_STEPS = 100
PATIENCE = 20       # steps in which nothing gets better, after which nothing will
HALVINGS = 60       # of an elongation that is looked for
FARTHEST = 0.02     # of the extent, in one step
NEAR = 0.5          # of the force that was asked for: where the search ends
WIDEST = 60         # of a band of the matrix, beyond which a factor takes longer than one that knows where its noughts are


class Tables(NamedTuple):
    """Pieces of the tables of springs, (k, p) of each with as many as the longest has, the last ones beyond all."""
    rows: np.ndarray       # (k,) of the springs
    start: np.ndarray      # (k, p − 1) m, of all pieces but the first
    terms: np.ndarray      # (k, p, 5) m, N, N/m, …: origin and four coefficients

    def pulls(self, stretch):
        """Pull [N] and its slope [N/m]."""
        piece = np.count_nonzero(stretch[:, None] >= self.start, axis=1)
        origin, a, b, c, d = self.terms[np.arange(len(piece)), piece].T
        s = stretch - origin
        return a + s * (b + s * (c + s * d)), b + s * (2.0 * c + 3.0 * s * d)


class Laws(NamedTuple):
    """What linear springs do when they pull: their stiffness, a toe (Blankevoort et al. 1991) or a table that only rises."""
    stiffness: np.ndarray   # (m,) N/m
    toe: np.ndarray         # (m,) m, nought without
    tables: Tables | None   # of those that follow one

    def pulls(self, stretch):
        """Pull [N] and its slope [N/m] at elongations, both mirrored below nought."""
        e, k, toe = np.abs(stretch), self.stiffness, self.toe
        bent = e < 2.0 * toe
        quadratic = 0.5 * k * e / np.where(toe > 0.0, toe, 1.0)
        pull, slope = np.where(bent, 0.5 * quadratic * e, k * (e - toe)), np.where(bent, quadratic, k)
        if self.tables:
            pull[self.tables.rows], slope[self.tables.rows] = self.tables.pulls(e[self.tables.rows])
        return np.copysign(pull, stretch), slope

    def slopes_under(self, load, most):
        """Their slopes [N/m] where they bear the load, or are stretched by as much as `most` [m] where that is less."""
        low, high = np.zeros(len(self.stiffness)), np.array(most)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            above = self.pulls(middle)[0] > load
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return self.pulls(high)[1]


def laws_of(model, chosen):
    """The Laws of springs; None where one of them does otherwise when it pulls."""
    if not (np.isinf(chosen.yield_force).all() and np.isinf(chosen.break_force).all() and np.isinf(chosen.break_strain).all()
            and (chosen.stiffness > 0.0).all()):
        return None
    toe, rows = chosen.toe_strain * chosen.rest, np.flatnonzero(chosen.table >= 0)
    if not len(rows):
        return Laws(chosen.stiffness, toe, None)
    tables, (numbers, own) = model.arrays.tables, np.unique(chosen.table[rows], return_inverse=True)
    pieces = [tables.piece[tables.start[number]:tables.start[number + 1]] for number in numbers]
    if not all(map(_rises, pieces)):
        return None
    most = max(map(len, pieces))
    start, terms = np.full((len(pieces), most), np.inf), np.zeros((len(pieces), most, 5))
    for k, piece in enumerate(pieces):
        start[k, :len(piece)], terms[k, :len(piece)] = piece[:, 0], piece[:, 1:6]
    own = own.reshape(-1)
    return Laws(chosen.stiffness, toe, Tables(rows, start[own, 1:], terms[own]))


def _rises(piece):
    """Whether a table of lines and parabolas is nought up to nought and falls nowhere behind."""
    start, origin, _, slope, bend, third, _ = piece.T
    ends = np.append(start[1:], start[-1] + 1.0)
    behind = ends > 0.0
    slopes = [slope + 2.0 * bend * (np.maximum(at, 0.0) - origin) for at in (start, ends)]
    at_nought = piece[np.searchsorted(start, 0.0, side="right") - 1]
    s = -at_nought[1]
    return bool((third == 0.0).all() and all((each[behind] >= 0.0).all() for each in slopes)
                and at_nought[2] + s * (at_nought[3] + s * at_nought[4]) == 0.0)


class Taut:
    """The search in scenes of particles and linear springs.

    Attributes:
        applies: whether a model is one.
        again: whether none of its springs can push. One that looks as if it did is slack, and has to come down first: the
            search is worth trying again from there. Where springs do push, no other place helps.
        steps: of the last search that found something, 0 of one that did not.
    """

    def __init__(self, model):
        self.model, found = model, unknowns(model)
        self.rows = np.flatnonzero(found[1].all(axis=1))
        self.chosen = springs(model, "linear")
        others = any(len(springs(model, kind).first) for kind in ("angular", "articular"))
        self.laws = laws_of(model, self.chosen)
        self.applies = bool(len(self.rows) and 3 * len(self.rows) == len(found[0]) and not others and self.laws)
        self.again = bool(self.applies and (self.chosen.tension_only.astype(bool) | (self.chosen.table >= 0)
                                            | (self.chosen.toe_strain > 0.0)).all())
        self.steps, self._under = 0, (None, None)   # a load, and the slopes of the laws there
        if self.applies:
            self._lay()

    def _lay(self):
        """Where the entries of each spring go in the matrix of free particles, which stand so that those tied to each other
        are near each other."""
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import reverse_cuthill_mckee

        first, second, count = self.chosen.first, self.chosen.second, len(self.rows)
        number = np.full(len(self.model.arrays.particles.mass), -1)
        number[self.rows] = np.arange(count)
        tied = (number[first] >= 0) & (number[second] >= 0)
        ends = number[first[tied]], number[second[tied]]
        graph = csr_matrix((np.ones(len(ends[0])), ends), shape=(count, count))
        self.rows = self.rows[reverse_cuthill_mckee((graph + graph.T).tocsr(), symmetric_mode=True)]
        number[self.rows] = np.arange(count)
        springs = np.arange(len(first))   # what pulls its first end back pulls its second end on
        pulled = [(sign * np.ones(len(own)), (number[end][own], springs[own])) for sign, end in ((-1.0, first), (1.0, second))
                  for own in (np.flatnonzero(number[end] >= 0),)]
        self._ends = sum(csr_matrix(each, shape=(count, len(first))) for each in pulled)
        later, sooner = (np.where(number[first] > number[second], *ends) for ends in ((first, second), (second, first)))
        axis, other = np.meshgrid(range(3), range(3), indexing="ij")
        found = []   # (entry of the springs' matrices, sign, row, column), of the lower half
        for one, two, sign in ((first, first, 1.0), (second, second, 1.0), (later, sooner, -1.0)):
            own = np.flatnonzero((number[one] >= 0) & (number[two] >= 0))[:, None, None]
            parts = np.broadcast_arrays(9 * own + 3 * axis + other, sign,
                                        3 * number[one][own] + axis, 3 * number[two][own] + other)
            low = parts[2] >= parts[3]
            found.append([each[low] for each in parts])
        self._taken, self._signs, self._row, self._column = (np.concatenate(each) for each in zip(*found, strict=True))
        self._width = int((self._row - self._column).max(initial=0))
        self._into = len(self.rows) * 3 * (self._row - self._column) + self._column   # of a matrix whose rows are diagonals

    def find(self, state, wanted, load, asked=None):
        """Move what is free to the equilibrium; returns the steps, 0 with nothing moved where it has springs that do not pull.

        `wanted` [N]: force that may be left; `load` [N]: the largest force from outside, which is not nought; `asked` [N]: what
        would be left were it not for rounding.
        """
        b, n = state.buffers, self.model.particle_count
        self.steps = steps = worse = 0
        place, outside = b.position[:n, :3].copy(), self._outside(state)
        rest = rests(self.model, self.chosen, state.time)
        extent, best, kept = max(float(np.ptp(place, axis=0).max()), 1e-300), np.inf, None
        if self._under[0] != load:
            self._under = load, self.laws.slopes_under(load, np.maximum(rest, extent))
        least = self._under[1]
        for _ in range(MOST_STEPS):
            along, length, pull, slope = self._pulls(place, rest)
            left = self._left(outside, along, pull)
            largest = np.abs(left).max()
            if largest < best:
                best, kept, worse = largest, (place.copy(), pull.min()), 0
            elif best <= wanted or worse == PATIENCE:
                break
            if best <= NEAR * (wanted if asked is None else asked):
                break
            steps, worse = steps + 1, worse + 1
            change = self._solve(along, np.maximum(slope, least), np.maximum(pull, load) / length, left)
            if change is None:
                return 0
            place[self.rows] += change * min(1.0, FARTHEST * extent / max(np.abs(change).max(), 1e-300))
        if not best <= wanted or not kept[1] > 0.0:
            return 0
        b.position[:n, :3] = kept[0]
        self.steps = max(steps, 1)   # none where it stood there already
        return self.steps

    def _outside(self, state):
        """(n, 3) N, weights and virtual forces on particles."""
        particles, forces, n = self.model.arrays.particles, self.model.arrays.acts.forces, self.model.particle_count
        found = particles.mass[:n, None] * particles.gravity[:3]
        time = float(state.buffers.numbers[slots.TIME])
        for k in np.flatnonzero(np.asarray(forces.kind) == ON_PARTICLE):
            found[forces.target[k]] += forces.direction[k] * float(drive_value(self.model.arrays.drives, forces.drive[k], time))
        return found

    def _pulls(self, place, rest):
        """Directions of springs, their lengths [m], pulls [N] and the slopes of these [N/m]."""
        apart = place[self.chosen.first] - place[self.chosen.second]
        length = np.linalg.norm(apart, axis=1)
        return apart / length[:, None], length, *self.laws.pulls(length - rest)

    def _left(self, outside, along, pull):
        """(m, 3) N, forces on what is free."""
        return outside[self.rows] + self._ends @ (pull[:, None] * along)

    def _solve(self, along, stiffness, across, left):
        """(m, 3) m, K⁻¹ f; None where that is no finite change, as of what nothing holds."""
        straight = along[:, :, None] * along[:, None, :]
        blocks = (stiffness - across)[:, None, None] * straight + across[:, None, None] * np.eye(3)
        values = blocks.ravel()[self._taken] * self._signs
        change = (self._by_band if self._width <= WIDEST else self._by_graph)(values, left.ravel())
        return None if change is None or not np.isfinite(change).all() else change.reshape(-1, 3)

    def _by_band(self, values, left):
        """By Cholesky, where what is tied together is near each other, as along cables."""
        from scipy.linalg.lapack import dpbsv

        band = np.bincount(self._into, values, (self._width + 1) * len(left)).reshape(-1, len(left))
        _, change, failed = dpbsv(band, left, lower=1)
        return None if failed else change

    def _by_graph(self, values, left):
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        inner = self._row > self._column
        rows, columns = np.append(self._row, self._column[inner]), np.append(self._column, self._row[inner])
        try:
            return splu(csc_matrix((np.append(values, values[inner]), (rows, columns)), shape=(len(left),) * 2)).solve(left)
        except RuntimeError:   # exactly singular
            return None
