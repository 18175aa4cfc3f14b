"""The equilibrium of springs that all pull, such as heavy cables and fibres that hang slack.

Where a cable bears little more than its weight its stretch is some 1e-10 m, far below any length by which differences of forces
can be taken: across it a spring that is taut looks as if it were half slack. And what moves across by a hair is stretched by
thousands of times its weight. So here springs push as well as pull, K = Σ k u uᵀ + (T/L) (1 − u uᵀ), with T never below the
load, so that K is positive definite wherever the search may be (a modified Newton method, Nocedal & Wright 2006, section 3.4);
near the end T is above it and K the stiffness itself. What is found counts if every spring pulls: then no law is other than it
was taken to be, and a K without negative eigenvalues says that it is stable.
"""
import numpy as np

from robotphi.kernels.acts.forces import ON_PARTICLE
from robotphi.kernels.step import slots
from robotphi.record.springs import drive_value, rests, springs
from robotphi.run.newton import unknowns

MOST_STEPS = 100
FARTHEST = 0.02     # of the extent, in one step
NEAR = 0.5          # of the force that may be left: where the search ends


class Taut:
    """The search in scenes of particles and straight springs; `applies` tells whether a model is one."""

    def __init__(self, model):
        self.model, found = model, unknowns(model)
        self.rows = np.flatnonzero(found[1].all(axis=1))
        self.chosen = springs(model, "linear")
        others = any(len(springs(model, kind).first) for kind in ("angular", "articular"))
        whole = np.isinf(self.chosen.break_force).all() and np.isinf(self.chosen.break_strain).all()
        straight = _is_straight(self.chosen)
        self.applies = bool(len(self.rows) and 3 * len(self.rows) == len(found[0]) and not others and whole and straight)
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
        steps = 0
        place, outside = b.position[:n, :3].copy(), self._outside(state)
        rest = rests(self.model, self.chosen, state.time)
        extent, best, kept = max(float(np.ptp(place, axis=0).max()), 1e-300), np.inf, None
        for _ in range(MOST_STEPS):
            along, length, pull = self._pulls(place, rest)
            left = self._left(outside, along, pull)
            largest = np.abs(left).max()
            if largest < best:
                best, kept = largest, (place.copy(), pull.min())
            elif best <= wanted:
                break
            if best <= NEAR * wanted:
                break
            steps += 1
            change = self._solve(along, np.maximum(pull, load) / length, left)
            if change is None:
                return 0
            place[self.rows] += change * min(1.0, FARTHEST * extent / max(np.abs(change).max(), 1e-300))
        if not best <= wanted or not kept[1] > 0.0:
            return 0
        b.position[:n, :3] = kept[0]
        return max(steps, 1)   # none where it stood there already

    def _outside(self, state):
        """(n, 3) N, weights and virtual forces on particles."""
        particles, forces, n = self.model.arrays.particles, self.model.arrays.acts.forces, self.model.particle_count
        found = particles.mass[:n, None] * particles.gravity[:3]
        time = float(state.buffers.numbers[slots.TIME])
        for k in np.flatnonzero(np.asarray(forces.kind) == ON_PARTICLE):
            found[forces.target[k]] += forces.direction[k] * float(drive_value(self.model.arrays.drives, forces.drive[k], time))
        return found

    def _pulls(self, place, rest):
        """Directions of springs, their lengths [m] and pulls [N]."""
        apart = place[self.chosen.first] - place[self.chosen.second]
        length = np.linalg.norm(apart, axis=1)
        return apart / length[:, None], length, self.chosen.stiffness * (length - rest)

    def _left(self, outside, along, pull):
        """(m, 3) N, forces on what is free."""
        total = outside.copy()
        np.add.at(total, self.chosen.first, -pull[:, None] * along)
        np.add.at(total, self.chosen.second, pull[:, None] * along)
        return total[self.rows]

    def _solve(self, along, across, left):
        """(m, 3) m, K⁻¹ f; None where that is no finite change, as of what nothing holds."""
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        straight = along[:, :, None] * along[:, None, :]
        blocks = (self.chosen.stiffness - across)[:, None, None] * straight + across[:, None, None] * np.eye(3)
        values = np.concatenate([sign * blocks[inner].ravel() for inner, sign, _, _ in self._blocks])
        rows, columns = (np.concatenate([each[i] for each in self._blocks]) for i in (2, 3))
        matrix = csc_matrix((values, (rows, columns)), shape=(left.size, left.size))
        try:
            change = splu(matrix).solve(left.ravel()).reshape(-1, 3)
        except RuntimeError:   # exactly singular
            return None
        return change if np.isfinite(change).all() else None


def _is_straight(chosen):
    """Whether springs pull with their stiffness × elongation, whatever they do when they are shorter than at rest."""
    return bool((chosen.table < 0).all() and (chosen.toe_strain == 0.0).all() and np.isinf(chosen.yield_force).all()
                and (chosen.stiffness > 0.0).all())
