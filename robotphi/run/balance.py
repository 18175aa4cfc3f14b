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
from typing import NamedTuple

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
REACHES = 1e-9, 1e-10, 1e-11   # of the extent, over which differences are taken; less beside kinks, as where faces are flush
UNEVEN = 3e-2      # of the stiffest entry: what is so far from symmetric may have met a kink
INSIDE = 0.9       # of their limits, so that springs of friction hold while differences are taken
FARTHEST = 0.1     # of the smallest half thickness, in all: what has to go farther may meet another rest
MOST_STEPS, ROUNDS, HALVINGS = 20, 4, 4
ENOUGH = 0.5       # of what may be left: directions of contact, asked for anew behind the search, bring some of it
FALLS = 0.2        # times the forces: what a step with a tangent from elsewhere must bring them down to
SURE = 10.0        # times rounding over the reach, of the stiffness of each unknown: eigenvalues beyond it are no errors
LOOKS, TURNS = 3, 3   # directions in which a tangent is compared with forces, and how often each is turned towards the worst
SAME = 0.5         # of it
AT_LIMIT = 1e-9    # of its limit: nearer to it a spring of friction may slip
ENDS = 1e-2        # eigenvalues of M + Mᵀ, in units of its diagonal, from which slips come to an end


class Lost(Exception):
    """The search leads nowhere near."""


class Tangent:
    """K with all springs of friction holding, factored, and the slopes of the pressures on these.

    Attributes:
        springs: which springs of friction it knows.
        holds: whether it has nothing but positive eigenvalues, by the signs of its factor.
    """

    def __init__(self, matrix, slopes, rubbing, sure):
        from scipy.sparse import csc_matrix, diags
        from scipy.sparse.linalg import splu

        whole = csc_matrix(matrix) + rubbing.holding()
        self.springs, self.solve = rubbing.springs, splu(whole).solve
        self._slopes, self._rubbing = slopes, rubbing
        size = np.sqrt(np.abs(whole.diagonal()))
        self.holds = bool(size.all())
        if self.holds:
            scaled = diags(1.0 / size) @ (0.5 * (whole + whole.T)) @ diags(1.0 / size) - sure * diags(np.ones(len(size)))
            factor = splu(scaled.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
            self.holds = bool((factor.perm_r == factor.perm_c).all() and (factor.U.diagonal() > 0.0).all())

    def step(self, force, slipping):
        """K⁻¹ f, where some springs slip."""
        step = self.solve(force)
        if not len(slipping.springs):
            return step
        matrix, beyond, answer = self._slips(slipping)
        return step + answer @ np.linalg.solve(matrix, np.einsum("ku,u->k", beyond, step))

    def comes_to_an_end(self, slipping):
        """Whether slips of springs at their limits do, whatever small load comes."""
        if not len(slipping.springs):
            return True
        matrix = self._slips(slipping)[0][::4, ::4]   # at the limit nothing is lost across
        size = np.sqrt(np.abs(np.diag(matrix)))
        return bool(size.all() and np.linalg.eigvalsh(0.5 * (matrix + matrix.T) / np.outer(size, size))[0] > ENDS)

    def _slips(self, slipping):
        """M of the slips, along what each bears and across it; A − c/k N; K⁻¹ Aᵀ k, of k what is lost."""
        springs, ways = slipping.springs, slipping.ways
        rows = ways.reshape(-1, ways.shape[2])
        answer = self.solve(np.ascontiguousarray(rows.T * slipping.lost.ravel()))
        beyond = ways.copy()
        beyond[:, 0] -= (self._rubbing.kinetic[springs] / self._rubbing.stiffness[springs])[:, None] * self._slopes[springs]
        beyond = beyond.reshape(rows.shape)
        return np.eye(len(rows)) - np.einsum("ku,uj->kj", beyond, answer), beyond, answer


class Slipping(NamedTuple):
    """Springs of friction that bear what they can."""
    springs: np.ndarray   # (m,)
    ways: np.ndarray      # (m, 4, u) along what they bear, and across it
    lost: np.ndarray      # (m, 4) N/m of their stiffness


class Balance:
    """The search on one state after the other."""

    def __init__(self, state, arms):
        self._arms, self._misses, self._wait, self._reaches = arms, 0, 0, list(REACHES)
        self._tangent = None
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
            for asked in range(ROUNDS):
                self._begin()
                self._search(target)
                self._settle_springs()
                # of two directions that are as good as each other each asks for the other: it stays with the last one then
                residual = self._largest(self._feel(slots.PAIRS_TO_FIND_AGAIN if asked < ROUNDS - 1 else slots.PAIRS_KNOWN))
                if residual <= target():
                    break
            else:
                raise Lost
            if surely and not self._is_stable():
                raise Lost
        except (Lost, np.linalg.LinAlgError, RuntimeError):   # the last where a factor does not exist
            self._put_back(kept)
            self._put_back(books)
            self._tangent = None
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
        force, fresh = self._feel_at(way), False
        while True:
            self._release()
            left = self._largest(force)
            if left <= ENOUGH * target():
                return
            self.steps, tries = self.steps + 1, tries + 1
            if tries > MOST_STEPS or not np.isfinite(left):
                raise Lost
            if self._tangent is None or self._tangent.springs != self._rubbing.springs:
                self._tangent, fresh = self._differ(way), True
                self._feel_at(way)
            step, after = self._tangent.step(force, self._slipping()), None
            for _ in range(HALVINGS if fresh else 1):
                if np.abs((way + step) * self._arm).max() <= self._farthest:
                    after = self._feel_at(way + step)
                    if self._largest(after) < (1.0 if fresh else FALLS) * left:
                        break
                    after = None
                step *= 0.5
            if after is not None:
                way, force = way + step, after
            elif fresh:
                raise Lost
            else:
                self._tangent, force = None, self._feel_at(way)

    def _release(self):
        """What bears more than holds slips from now on."""
        at_most = self._rubbing.limits(self._sticks, self._rubbing.pressures())
        self._sticks &= self._rubbing.sizes(self._stretch) <= at_most

    def _slipping(self, less=0.0):
        rubbing = self._rubbing
        at_most, size = rubbing.limits(self._sticks, rubbing.pressures()), rubbing.sizes(self._stretch)
        springs = np.flatnonzero((size > (1.0 - less) * at_most) & (size > 0.0))
        k, share = rubbing.stiffness[springs], np.minimum(at_most[springs] / size[springs], 1.0)
        along = self._stretch[springs] * (k / size[springs])[:, None]
        mirror = along - np.copysign(1.0, along[:, :1]) * -np.eye(4)[0]     # Householder: ± the first axis to what they bear
        mirror /= np.linalg.norm(mirror, axis=1)[:, None]
        frame = np.eye(4) - 2.0 * mirror[:, :, None] * mirror[:, None, :]
        frame[:, 0] = along
        lost = np.repeat((k * (1.0 - share))[:, None], 4, axis=1)
        lost[:, 0] = k
        return Slipping(springs, np.einsum("kij,kju->kiu", frame, rubbing.ways[springs]), lost)

    def _differ(self, way):
        """The tangent there, over a reach that meets no kink: that of lesser reach is the same, or symmetric."""
        matrix, slopes = self._differences(way, self._reaches[0])
        size = np.abs(self._by_arms(matrix)).max()
        while np.abs(self._by_arms(matrix - matrix.T)).max() > UNEVEN * size:
            if len(self._reaches) == 1:
                raise Lost
            other, other_slopes = self._differences(way, self._reaches[1])
            if np.abs(self._by_arms(matrix - other)).max() <= UNEVEN * size:
                break
            matrix, slopes, size = other, other_slopes, np.abs(self._by_arms(other)).max()
            self._reaches.pop(0)
        return Tangent(matrix, slopes, self._rubbing, SURE * np.finfo(float).eps / self._reaches[0])

    def _by_arms(self, matrix):
        """Turns as ways of their arms."""
        return matrix / np.outer(self._arm, self._arm)

    def _differences(self, way, reach):
        """K with springs of friction held as they are, inside their limits, and the slopes of pressures, by differences."""
        rubbing, b, count = self._rubbing, self._state.buffers, len(self._arm)
        self._place(way)
        self._set_inside(self._stretch)
        here, pressures = self._feel(), rubbing.pressures()
        lengths = reach * self._extent() / self._arm
        matrix, slopes = np.empty((count, count)), np.empty((len(pressures), count))
        position, rigid = b.position.copy(), b.rigid.copy()
        points, rigids = zip(*self._rows, strict=True), zip(*self._rigids, strict=True)
        for u, length in enumerate(lengths):
            if self._point[u]:
                row, axis = next(points)
                b.position[row, axis] += length
                matrix[:, u], slopes[:, u] = here - self._feel(), rubbing.pressures() - pressures
                b.position[row, axis] = position[row, axis]
            else:
                i, axis = next(rigids)
                if axis < 3:
                    b.rigid[i, CENTRE + axis] += length
                else:
                    turn = np.zeros((1, 3))
                    turn[0, axis - 3] = length
                    b.rigid[i, ORIENTATION:ORIENTATION + 4] = _turned(rigid[i:i + 1, ORIENTATION:ORIENTATION + 4], turn)[0]
                self._stand()
                matrix[:, u], slopes[:, u] = here - self._feel(), rubbing.pressures() - pressures
                b.position[:], b.rigid[:] = position, rigid
        return matrix / lengths, slopes / lengths

    def _set_inside(self, stretch):
        """Springs of friction stretched so, but well inside their limits, so that none slips."""
        at_most = self._rubbing.limits(self._sticks, self._rubbing.pressures())
        share = np.minimum(1.0, INSIDE * at_most / np.maximum(self._rubbing.sizes(stretch), 1e-300))
        self._rubbing.set(stretch * share[:, None], self._sticks)

    def _extent(self):
        return max(float(np.ptp(self._state.position, axis=0).max()), 1e-300)

    def _settle_springs(self):
        """What has slipped has; all else begins anew from here."""
        at_most, size = self._rubbing.limits(self._sticks, self._rubbing.pressures()), self._rubbing.sizes(self._stretch)
        slips = size > at_most
        share = np.where(slips, at_most / np.maximum(size, 1e-300), 1.0)
        self._rubbing.set(self._stretch * share[:, None], ~slips)
        self._state.buffers.counters[slots.STARTED] = 0   # forces evaluated then keep what friction did
        self._feel()

    # Whether it stands -------------------------------------------------------------------------------------------------

    def _is_stable(self):
        self._begin()
        self._stretch, nowhere = self._rubbing.start, np.zeros(len(self._arm))
        if self._tangent is None or self._tangent.springs != self._rubbing.springs or self._differs() > SAME:
            self._tangent = self._differ(nowhere)
            self._feel_at(nowhere)
        return self._tangent.holds and self._tangent.comes_to_an_end(self._slipping(AT_LIMIT))

    def _differs(self):
        """The largest |1 − λ|, λ of K₀⁻¹ K, for the tangent K₀ that is known and K here, by iteration of a few directions: below
        one K has as many negative eigenvalues as K₀."""
        rubbing, count = self._rubbing, len(self._arm)
        directions, largest = np.random.default_rng(0).standard_normal((LOOKS, count)) / self._arm, 0.0
        length = self._reaches[0] * self._extent()
        self._place(np.zeros(count))
        self._set_inside(rubbing.start)
        inside, here = rubbing.stretch(), self._feel()
        for direction in directions:
            for _ in range(TURNS):
                direction /= np.abs(direction * self._arm).max()
                self._place(length * direction)
                rubbing.set(inside + length * np.einsum("kiu,u->ki", rubbing.ways, direction), self._sticks)
                other = direction - self._tangent.solve((here - self._feel()) / length)
                size = np.abs(other * self._arm).max()
                largest, direction = max(largest, size), other
                if not 0.0 < size <= SAME:
                    break
        self._place(np.zeros(count))
        rubbing.set(rubbing.start, self._sticks)
        self._feel()
        return largest

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
