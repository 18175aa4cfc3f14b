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
NEAR = 0.5          # of the force that may be left: where the search ends


class Laws(NamedTuple):
    """What linear springs do when they pull: their stiffness, a toe (Blankevoort et al. 1991) or a table that only rises."""
    stiffness: np.ndarray   # (m,) N/m
    toe: np.ndarray         # (m,) m, nought without
    tables: list            # (rows, pieces of their table)

    def pulls(self, stretch):
        """Pull [N] and its slope [N/m] at elongations, both mirrored below nought."""
        e, k, toe = np.abs(stretch), self.stiffness, self.toe
        bent = e < 2.0 * toe
        quadratic = 0.5 * k * e / np.where(toe > 0.0, toe, 1.0)
        pull, slope = np.where(bent, 0.5 * quadratic * e, k * (e - toe)), np.where(bent, quadratic, k)
        for rows, piece in self.tables:
            own = piece[np.clip(np.searchsorted(piece[:, 0], e[rows], side="right") - 1, 0, len(piece) - 1)]
            s, (a, b, c, d) = e[rows] - own[:, 1], own[:, 2:6].T
            pull[rows], slope[rows] = a + s * (b + s * (c + s * d)), b + s * (2.0 * c + 3.0 * s * d)
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
    tables, found = model.arrays.tables, []
    for number in np.unique(chosen.table[chosen.table >= 0]):
        piece = tables.piece[tables.start[number]:tables.start[number + 1]]
        if not _rises(piece):
            return None
        found.append((np.flatnonzero(chosen.table == number), piece))
    return Laws(chosen.stiffness, chosen.toe_strain * chosen.rest, found)


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
        """Where the entries of each spring go in the matrix of free particles."""
        chosen, number = self.chosen, np.full(len(self.model.arrays.particles.mass), -1)
        number[self.rows] = np.arange(len(self.rows))
        axis, other = np.meshgrid(range(3), range(3), indexing="ij")
        self._blocks = []
        for one, two, sign in ((chosen.first, chosen.first, 1.0), (chosen.second, chosen.second, 1.0),
                               (chosen.first, chosen.second, -1.0), (chosen.second, chosen.first, -1.0)):
            inner = (number[one] >= 0) & (number[two] >= 0)
            self._blocks.append((inner, sign, (3 * number[one][inner, None, None] + axis).ravel(),
                                 (3 * number[two][inner, None, None] + other).ravel()))

    def find(self, state, wanted, load):
        """Move what is free to the equilibrium; returns the steps, 0 with nothing moved where it has springs that do not pull.

        `wanted` [N]: force that may be left; `load` [N]: the largest force from outside, which is not nought.
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
            if best <= NEAR * wanted:
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
        total = outside.copy()
        np.add.at(total, self.chosen.first, -pull[:, None] * along)
        np.add.at(total, self.chosen.second, pull[:, None] * along)
        return total[self.rows]

    def _solve(self, along, stiffness, across, left):
        """(m, 3) m, K⁻¹ f; None where that is no finite change, as of what nothing holds."""
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        straight = along[:, :, None] * along[:, None, :]
        blocks = (stiffness - across)[:, None, None] * straight + across[:, None, None] * np.eye(3)
        values = np.concatenate([sign * blocks[inner].ravel() for inner, sign, _, _ in self._blocks])
        rows, columns = (np.concatenate([each[i] for each in self._blocks]) for i in (2, 3))
        matrix = csc_matrix((values, (rows, columns)), shape=(left.size, left.size))
        try:
            change = splu(matrix).solve(left.ravel()).reshape(-1, 3)
        except RuntimeError:   # exactly singular
            return None
        return change if np.isfinite(change).all() else None

