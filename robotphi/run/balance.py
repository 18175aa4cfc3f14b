"""Newton's method with contact: the rest next to where a scene stands, along a path.

Forces are those of the loop at rest, of springs, contact and friction (`felt`); springs of friction are stretched by y₀ + D δ
and bear no more than their limits (`rubbing`), so that what is found does not depend on the way of the search: an implicit step
of what is elastic and slips (Simo & Hughes 1998, chapter 3). K comes from differences of forces and is factored once; it
serves, in the next pose as well, for as long as it brings forces down (`tangent`). Where that leads to nothing that is certain
to be stable, all is as it was, and the loop finds the rest and judges it (`damped`, `pushed`).
"""
import numpy as np

from robotphi.kernels.step import slots
from robotphi.run.felt import Felt, Lost
from robotphi.run.tangent import Tangent

MOST = 400         # unknowns, beyond which differences one by one take longer than motion
REACHES = 1e-9, 1e-10, 1e-11   # of the extent, over which differences are taken; less beside kinks, as where faces are flush
UNEVEN = 3e-2      # of the stiffest entry: what is so far from symmetric may have met a kink …
KINKED = 0.3       # … and what is so over the least reach has
FARTHEST = 0.1     # of the smallest half thickness, in all: what has to go farther may meet another rest
MOST_STEPS, ROUNDS, HALVINGS = 20, 4, 4
ENOUGH = 0.5       # of what may be left: directions of contact, asked for anew behind the search, bring some of it
FALLS = 0.2        # times the forces: what a step with a tangent from elsewhere must bring them down to
SURE = 10.0        # times rounding over the reach, of the stiffness of each unknown: eigenvalues beyond it are no errors
LOOKS, TURNS = 3, 3   # directions in which a tangent is compared with forces, and how often each is turned towards the worst
SAME = 0.5         # of it
AT_LIMIT = 1e-9    # of its limit: nearer to it a spring of friction may slip


class Balance:
    """The search on one state after the other.

    Attributes:
        residual: N, behind a search that found something.
    """

    def __init__(self, state, arms):
        self._arms, self._misses, self._wait, self._reaches = arms, 0, 0, list(REACHES)
        self._tangent, self.residual, self._steps = None, np.inf, 0
        self.take(state)

    def take(self, state):
        """Go on with a state of the model with other values."""
        self._felt, arrays, b = Felt(state, self._arms), state.model.arrays, state.buffers
        led = (arrays.mechanisms.drive >= 0).all() and not (arrays.mechanisms.free.any() or len(arrays.closures.kind))
        remembers = b.counters[slots.HAS_ACTS] or len(b.act_state) or len(arrays.stiff.way)
        self._applies = bool(0 < self._felt.count <= MOST and b.counters[slots.HAS_CONTACT] and led and not remembers)

    def try_again(self):
        """What was lost last does not count: it is tried from nearer."""
        self._misses, self._wait = max(self._misses - 1, 0), 0

    def find(self, target, surely=True):
        """Bring the state to rest with at most `target()` N left; the steps it took, or 0 with nothing changed where it finds
        none, or, `surely`, none that is certain to be stable."""
        if not self._applies or self._wait > 0:
            self._wait -= 1
            return 0
        felt, self._steps = self._felt, 0
        places, books, laws = felt.kept()
        try:
            if not (felt.yields and self._rests_firmly(target, places + books + laws, laws)):
                self._begin(target, laws)
            if surely and not self._is_stable():
                raise Lost
        except (Lost, np.linalg.LinAlgError, RuntimeError):   # the last where there is no factor
            _put_back(places + books + laws)
            self._tangent, self._misses = None, self._misses + 1
            self._wait = 2**min(self._misses, 10) - 2
            return 0
        self._misses = 0
        _put_back(books)
        counters = felt.state.buffers.counters
        counters[slots.STARTED] = 0
        felt.done()
        counters[slots.FRESH], counters[slots.STARTED], counters[slots.HISTORY_COUNT] = slots.STALE, 0, 0
        return max(self._steps, 1)

    def _begin(self, target, laws, firm=False):
        self._felt.aim(firm)
        _put_back(laws)    # nothing yields, breaks or turns over on the way, but where it comes to rest
        self._come_to_rest(target)

    def _rests_firmly(self, target, kept, laws):
        """Whether there is a rest in which nothing yields any further: what would on the way there does not count."""
        try:
            self._begin(target, laws, firm=True)
            self.residual = self._felt.largest(self._felt.yielding())
            if self.residual <= target():
                return True
        except (Lost, RuntimeError):
            pass
        _put_back(kept)
        self._tangent = None
        return False

    def _come_to_rest(self, target):
        for asked in range(1, ROUNDS + 1):
            self._felt.begin()
            self._search(target)
            self._felt.keep_slips()
            # of two directions that are as good as each other each asks for the other: it stays with the last one then
            pairs = slots.PAIRS_TO_FIND_AGAIN if asked < ROUNDS else slots.PAIRS_KNOWN
            self.residual = self._felt.largest(self._felt.forces(pairs))
            if self.residual <= target():
                return
        raise Lost

    def _search(self, target):
        felt, way = self._felt, np.zeros(self._felt.count)
        force, fresh = felt.forces_at(way), False
        for _ in range(MOST_STEPS):
            felt.release()
            left = felt.largest(force)
            if left <= ENOUGH * target():
                return
            self._steps += 1
            if self._tangent is None or self._tangent.springs != felt.rubbing.springs:
                self._tangent, fresh = self._differ(way), True
                felt.forces_at(way)
            step = self._tangent.step(force, felt.slipping())
            after = self._go(way, step, left if fresh else FALLS * left, HALVINGS if fresh else 1)
            if after is not None:
                way, force = after
            elif fresh:
                break
            else:
                self._tangent, force = None, felt.forces_at(way)
        raise Lost

    def _go(self, way, step, less, tries):
        """The way and forces behind a step, or half of it, that leaves less; None where none does."""
        for halving in range(tries):
            ahead = way + step * 0.5**halving
            if self._felt.farthest(ahead) <= FARTHEST * self._felt.thinnest():
                force = self._felt.forces_at(ahead)
                if self._felt.largest(force) < less:
                    return ahead, force
        return None

    def _differ(self, way):
        """The tangent there, over a reach that meets no kink: that of a lesser one is the same, or it is symmetric."""
        felt = self._felt
        matrix, slopes = felt.differences(way, self._reaches[0] * felt.extent)
        if not np.isfinite(matrix).all() or not matrix.any():   # of the latter nothing holds anything
            raise Lost
        while (uneven := self._share(matrix - matrix.T, matrix)) > UNEVEN:
            if len(self._reaches) == 1:
                if not uneven <= KINKED:
                    raise Lost
                break
            other, other_slopes = felt.differences(way, self._reaches[1] * felt.extent)
            if self._share(matrix - other, matrix) <= UNEVEN:
                break
            matrix, slopes = other, other_slopes
            self._reaches.pop(0)
        return Tangent(matrix, slopes, felt.rubbing, SURE * np.finfo(float).eps / self._reaches[0])

    def _share(self, matrix, of):
        """How large it is beside the other one, turns taken as ways of their arms."""
        arms = np.outer(self._felt.arm, self._felt.arm)
        return np.abs(matrix / arms).max() / np.abs(of / arms).max()

    def _is_stable(self):
        felt = self._felt
        felt.begin()
        if self._tangent is None or self._tangent.springs != felt.rubbing.springs or self._differs() > SAME:
            self._tangent = self._differ(np.zeros(felt.count))
        felt.forces_at(np.zeros(felt.count))
        return self._tangent.holds and self._tangent.comes_to_an_end(felt.slipping(AT_LIMIT))

    def _differs(self):
        """The largest |1 − λ|, λ of K₀⁻¹ K, for the tangent K₀ that is known and K here, by iteration of a few directions.

        Below one K has as many negative eigenvalues as K₀.
        """
        felt, largest = self._felt, 0.0
        for direction in np.random.default_rng(0).standard_normal((LOOKS, felt.count)) / felt.arm:
            for _ in range(TURNS):
                direction = direction / felt.farthest(direction)
                direction -= self._tangent.solve(felt.along(direction, self._reaches[0] * felt.extent))
                largest = max(largest, felt.farthest(direction))
                if not 0.0 < largest <= SAME:
                    return largest
        return largest


def _put_back(kept):
    for array, before in kept:
        array[...] = before
