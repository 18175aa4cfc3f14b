"""Newton's method with contact: the rest next to where a scene stands, along a path.

Forces are those of the loop at rest (`kernels/step/advance`), of springs, contact and friction. Unknowns are shifts δ of free
particles and rigids, and turns of these, from where the search begins; springs of friction are stretched by y₀ + D δ and bear no
more than their limits (`rubbing`), so that the answer does not depend on the way of the search: an implicit step of what
is elastic and slips (Simo & Hughes 1998, chapter 3). K = −∂f/∂δ has a part from differences of forces with these springs held
as they are, which serves as long as it brings forces down, and that of friction in closed form at every step.

Stable is a rest whose K, with all springs of friction holding, has nothing but positive eigenvalues, and where springs at their
limits cannot run away: of those with a pull along t, (A = t D, N = ∂N/∂δ, stiffness k, limit c N), slips γ ≥ 0 change what is
beyond the limits by −k M γ, M = 1 − (A − c/k N) K⁻¹ Aᵀ k. Where M + Mᵀ is positive definite all principal minors of M are
positive, and every small load has one answer, in which slips come to an end (Cottle, Pang & Stone 1992, section 3.3); what holds
then is elastic. What is nearer to nothing than differences of forces can tell is left to a push (`pushed`).
"""
import numpy as np

from robotphi.kernels.contact import columns as c
from robotphi.kernels.mechanism.columns import BASE
from robotphi.kernels.step import slots
from robotphi.kernels.step.rigids import CENTRE, ORIENTATION
from robotphi.kernels.step.stand import stand_on
from robotphi.run.loop import Loop
from robotphi.run.newton import unknowns
from robotphi.run.rubbing import Rubbing

MOST = 400         # unknowns, beyond which differences one by one take longer than motion
REACH = 1e-9       # of the extent: the differences are taken over; joints are pressed in by little more
FARTHEST = 0.1     # of the smallest half thickness, in all: what has to go farther may meet another rest
MOST_STEPS, ROUNDS, HALVINGS = 12, 4, 3
FALLS = 0.5        # times the forces: what a step must bring them down to, or the matrix is made anew
SURE = 1e-5        # of the stiffness of each unknown: eigenvalues beyond it are no error of a difference
AT_LIMIT = 1e-9    # of its limit: nearer to it a spring of friction may slip


class Lost(Exception):
    """The search leads nowhere near."""


class Balance:
    """The search on one state after the other."""

    def __init__(self, state, arms):
        self._arms, self._misses, self._wait = arms, 0, 0
        self._free = None      # the matrix with springs of friction held as they are, and the slopes of pressures with its springs
        self.take(state)

    def take(self, state):
        """Go on with a state of the model with other values."""
        self._state, self._loop = state, Loop(state.model, 1)
        arrays, found = state.model.arrays, unknowns(state.model)[0]
        found = found[[body >= 0 or arrays.mechanisms.link_of_rigid[-1 - body] < 0 for body in found[:, 0]]]
        self._point, self._body = found[:, 0] >= 0, found[:, 0]
        self._rows, self._rigids = tuple(found[self._point].T), (-1 - found[~self._point, 0], found[~self._point, 1])
        self._arm = np.ones(len(found))
        self._arm[~self._point] = np.where(self._rigids[1] >= 3, self._arms[self._rigids[0]], 1.0)
        of_particle = np.full((len(arrays.particles.mass), 3), -1)
        of_rigid = np.full((len(arrays.rigids.mass), 6), -1)
        of_particle[self._rows], of_rigid[self._rigids] = np.flatnonzero(self._point), np.flatnonzero(~self._point)
        self._columns = of_particle, of_rigid, len(found)
        size = arrays.contact.parts.size[:, c.HALF_THICKNESS]
        self._farthest = FARTHEST * size.min(initial=np.inf, where=size > 0.0)
        counters = state.buffers.counters
        self.applies = bool(0 < len(found) <= MOST and counters[slots.HAS_CONTACT] and not counters[slots.HAS_ACTS]
                            and not len(arrays.stiff.way) and (arrays.mechanisms.drive >= 0).all())

    def find(self, target, surely=True):
        """Bring the state to rest with at most `target()` N left; the steps it took, 0 with nothing changed where it does not
        find one, or, `surely`, none that is certain to be stable."""
        if not self.applies or self._wait > 0:
            self._wait -= 1
            return 0
        kept, books = self._keep(), self._keep_books()
        self.steps = 0
        try:
            self._aim()
            for _ in range(ROUNDS):
                self._begin()
                self._search(target)
                self._settle_springs()
                residual = self._largest(self._feel(slots.PAIRS_TO_FIND_AGAIN))
                if residual <= target():
                    break
            else:
                raise Lost
            if surely and not self._is_stable():
                raise Lost
        except (Lost, np.linalg.LinAlgError):
            self._put_back(kept)
            self._put_back(books)
            self._free = None
            self._misses += 1
            self._wait = 2**self._misses - 2
            return 0
        self.residual = residual
        self._misses = 0
        self._finish(books)
        return max(self.steps, 1)

    # Forces ------------------------------------------------------------------------------------------------------------

    def _aim(self):
        """Forces, and what touches, from places alone."""
        self._state.begin_frame(self._state.time)
        self._advance()

    def _feel(self, pairs=slots.PAIRS_KNOWN):
        """The forces on unknowns, N and N·m."""
        b = self._state.buffers
        counters = b.counters
        counters[slots.STATUS], counters[slots.FRESH], counters[slots.BEGIN_CONTACT] = slots.RUNNING, slots.STALE, pairs
        b.numbers[slots.FRAME_END] = b.numbers[slots.TIME]
        self._advance()
        found = np.empty(len(self._arm))
        found[self._point], found[~self._point] = b.force[self._rows], b.load[self._rigids]
        return found

    def _advance(self):
        self._loop.advance(self._state)
        if self._state.buffers.counters[slots.STATUS] != slots.FRAME_DONE:
            raise Lost

    def _largest(self, force):
        return float(np.abs(force / self._arm).max())

    def _begin(self):
        """From here on all is told from here."""
        b = self._state.buffers
        b.counters[slots.STARTED] = 1
        self._position, self._rigid = b.position.copy(), b.rigid.copy()
        self._feel()
        self._rubbing = Rubbing(self._state, self._columns, self._rigid[:, CENTRE:CENTRE + 3])
        if not self._rubbing.known:
            raise Lost
        self._sticks = self._rubbing.start_sticks.copy()

    def _place(self, way):
        b = self._state.buffers
        b.position[:], b.rigid[:] = self._position, self._rigid
        b.position[self._rows] += way[self._point]
        if len(self._rigids[0]):
            gone = np.zeros((len(b.rigid), 6))
            gone[self._rigids] = way[~self._point]
            b.rigid[:, CENTRE:CENTRE + 3] += gone[:, :3]
            b.rigid[:, ORIENTATION:ORIENTATION + 4] = _turned(b.rigid[:, ORIENTATION:ORIENTATION + 4], gone[:, 3:])
            self._stand()

    def _stand(self):
        state = self._state
        state.on(stand_on, len(state.model.arrays.mechanisms.free) > 0)()

    def _feel_at(self, way):
        self._place(way)
        self._stretch = self._rubbing.start + np.einsum("kiu,u->ki", self._rubbing.ways, way)
        self._rubbing.set(self._stretch, self._sticks)
        return self._feel()

    # The search --------------------------------------------------------------------------------------------------------

    def _search(self, target):
        way, tries = np.zeros(len(self._arm)), 0
        force = self._feel_at(way)
        fresh = False
        if self._free is None:
            self._differ(way)
            fresh, force = True, self._feel_at(way)
        while True:
            self._release()
            left = self._largest(force)
            if left <= 0.5 * target():
                return
            self.steps, tries = self.steps + 1, tries + 1
            if tries > MOST_STEPS or not np.isfinite(left):
                raise Lost
            step = np.linalg.solve(self._stiffness(), force)
            for _ in range(HALVINGS):
                if np.abs((way + step) * self._arm).max() <= self._farthest:
                    force = self._feel_at(way + step)
                    if self._largest(force) < left:
                        break
                step *= 0.5
            else:
                if fresh:
                    raise Lost
                self._differ(way)
                fresh, force = True, self._feel_at(way)
                continue
            way = way + step
            if not fresh and self._largest(force) > FALLS * left:
                self._differ(way)
                fresh, force = True, self._feel_at(way)

    def _release(self):
        """What bears more than holds slips from now on."""
        at_most = self._rubbing.limits(self._sticks, self._rubbing.pressures())
        size = self._rubbing.stiffness * np.linalg.norm(self._stretch, axis=1)
        self._sticks &= size <= at_most

    def _slipping(self, less=AT_LIMIT):
        """Which springs of friction bear what they can, and what that is."""
        at_most = self._rubbing.limits(self._sticks, self._rubbing.pressures())
        size = self._rubbing.stiffness * np.linalg.norm(self._stretch, axis=1)
        return size > (1.0 - less) * at_most, at_most

    def _stiffness(self):
        matrix, slopes, key = self._free
        if key != self._key():
            slopes = np.zeros((len(self._stretch), len(self._arm)))
        return matrix + self._rubbing.matrix(self._stretch, *self._slipping(0.0), slopes)

    def _key(self):
        return self._rubbing.pairs.tobytes(), *(each.tobytes() for each in self._rubbing.slots)

    def _differ(self, way):
        """The matrix with springs of friction held as they are, inside their limits, by differences over a small reach."""
        rubbing, b, count = self._rubbing, self._state.buffers, len(self._arm)
        self._place(way)
        at_most = rubbing.limits(self._sticks, rubbing.pressures())
        size = np.maximum(rubbing.stiffness * np.linalg.norm(self._stretch, axis=1), 1e-300)
        rubbing.set(self._stretch * np.minimum(1.0, 0.9 * at_most / size)[:, None], self._sticks)
        here, pressures = self._feel(), rubbing.pressures()
        reach = REACH * max(float(np.ptp(self._state.position, axis=0).max()), 1e-300)
        matrix, slopes = np.empty((count, count)), np.empty((len(pressures), count))
        position, rigid = b.position.copy(), b.rigid.copy()
        number, of_rigid = 0, 0
        for u in range(count):
            b = self._state.buffers
            if self._point[u]:
                row, axis = self._rows[0][number], self._rows[1][number]
                b.position[row, axis] += reach
                matrix[:, u] = (here - self._feel()) / reach
                b.position[row, axis] = position[row, axis]
                number += 1
            else:
                i, axis, length = self._rigids[0][of_rigid], self._rigids[1][of_rigid], reach / self._arm[u]
                if axis < 3:
                    b.rigid[i, CENTRE + axis] += length
                else:
                    turn = np.zeros((1, 3))
                    turn[0, axis - 3] = length
                    b.rigid[i, ORIENTATION:ORIENTATION + 4] = _turned(rigid[i:i + 1, ORIENTATION:ORIENTATION + 4], turn)[0]
                self._stand()
                matrix[:, u] = (here - self._feel()) / length
                b.position[:], b.rigid[:] = position, rigid
                of_rigid += 1
            slopes[:, u] = (rubbing.pressures() - pressures) * (matrix.shape[0] and 1.0 / (reach / self._arm[u]))
        self._free = matrix, slopes, self._key()

    def _settle_springs(self):
        """What has slipped has; all else begins anew from here."""
        slips, at_most = self._slipping(0.0)
        size = np.maximum(self._rubbing.stiffness * np.linalg.norm(self._stretch, axis=1), 1e-300)
        share = np.where(slips, at_most / size, 1.0)
        self._rubbing.set(self._stretch * np.minimum(share, 1.0)[:, None], ~slips)
        self._state.buffers.counters[slots.STARTED] = 0   # forces evaluated then keep what friction did
        self._feel()

    # Whether it stands -------------------------------------------------------------------------------------------------

    def _is_stable(self):
        self._begin()
        self._stretch = self._rubbing.start
        self._differ(np.zeros(len(self._arm)))
        force = self._feel_at(np.zeros(len(self._arm)))
        rubbing, (matrix, slopes, _) = self._rubbing, self._free
        slips, at_most = self._slipping()
        whole = matrix + rubbing.matrix(self._stretch, np.zeros(len(slips), bool), at_most, slopes)
        size = np.sqrt(np.abs(np.diag(whole)))
        if not size.all():
            return False
        scaled = whole / np.outer(size, size)
        even = 0.5 * (scaled + scaled.T)
        even[np.diag_indices(len(even))] -= SURE
        np.linalg.cholesky(even)   # LinAlgError where it is not positive
        if slips.any():
            pull = self._stretch[slips] / np.linalg.norm(self._stretch[slips], axis=1)[:, None]
            along, k = np.einsum("kiu,ki->ku", rubbing.ways[slips], pull), rubbing.stiffness[slips]
            beyond = along - (rubbing.kinetic[slips] / k)[:, None] * slopes[slips]
            held = np.eye(len(k)) - beyond @ np.linalg.solve(whole, along.T * k)
            size = np.sqrt(np.abs(np.diag(held)))
            np.linalg.cholesky(0.5 * (held + held.T) / np.outer(size, size) - SURE * np.eye(len(k)))
        return True

    # What is kept ------------------------------------------------------------------------------------------------------

    def _keep(self):
        b = self._state.buffers
        touch = b.touch
        return [(array, array.copy()) for array in (b.position, b.rigid, touch.pairs, touch.numbers, touch.node, touch.slots,
                                                    touch.sizes, b.velocity, b.joints.place)]

    def _keep_books(self):
        b = self._state.buffers
        return [(array, array.copy()) for array in (b.numbers, b.counters, b.books, b.causes)]

    @staticmethod
    def _put_back(kept):
        for array, before in kept:
            array[...] = before

    def _finish(self, books):
        b = self._state.buffers
        self._put_back(books)
        b.counters[slots.STARTED] = 0
        self._aim()
        b.counters[slots.FRESH], b.counters[slots.STARTED], b.counters[slots.HISTORY_COUNT] = slots.STALE, 0, 0


def _turned(q, turn):
    """Quaternions turned further by small vectors."""
    angle = np.linalg.norm(turn, axis=1)
    w, (x, y, z) = np.cos(0.5 * angle), (turn * (0.5 * np.sinc(angle / (2.0 * np.pi)))[:, None]).T
    a, b, d, e = q.T
    return np.stack([w * a - x * b - y * d - z * e, w * b + x * a + y * e - z * d,
                     w * d - x * e + y * a + z * b, w * e + x * d - y * b + z * a], axis=1)
