"""Equilibria with contact, acts or exact joints along a path: by Newton's method (`balance`), or by the loop."""

from robotphi.kernels.step import slots
from robotphi.run.balance import Balance
from robotphi.run.dragged import MOST, contacts_of, drag, places_of, put_contacts, strides
from robotphi.run.pose import row_of, stand
from robotphi.run.riding import ride
from robotphi.run.settle import MOTION_LIMIT, inner_load, rest_by_motion, rounding_of
from robotphi.run.simulator import Simulator
from robotphi.run.statics import Wanted, arms_of, external_load
from robotphi.run.study import STABLE

ROUGH = Wanted("equilibria", 1e-2)   # what is left on the way to a pose, by the loop …
FINE = Wanted("equilibria", 1e-5)    # … and by Newton's method, to which that is a step more
FINER = 16       # times as many shares of the longest ways, where Newton's method finds no rest behind one


class AlongMotion:
    """Equilibria with a frame kept of each.

    What touches something that is led goes along by friction, which knows a way from pose to pose alone: it is gone in shares
    that are small beside how deep things press into each other, with a rest that need not be exact after each.
    """

    def __init__(self, state, wanted, keeps, step_limit, wall_limit):
        self.wanted, self.keeps, self.limits = wanted, keeps, (step_limit or MOTION_LIMIT, wall_limit)
        self.simulator, self.valued, self.before, self._ways = Simulator(state.model), False, None, None
        self.state = self.simulator.state
        self.balance, self.found = Balance(self.state, arms_of(self.state.model)), None

    def take(self, state):
        self.state, self.valued = state, True
        self.balance.take(state)

    def pose(self, lead):
        steps, count = 0, self._go(lead)
        gone, shares, finest = 0, count, FINER * count if count == MOST else count
        while gone < shares:
            if count > 1:
                self._back()
                self._go(lead, (gone + 1) / shares)
            contacts = contacts_of(self.state) if shares < finest else None
            if self.before is not None:
                drag(self.state, self._ways)
            spent = self._rest(gone + 1 == shares, shares == finest)
            if spent is None:   # with a share that is too long what touches may have come apart
                put_contacts(self.state, contacts)
                gone, shares = 2 * gone, 2 * shares
                continue
            if spent < 0:       # nor does a shorter one help
                spent, finest = -spent, count
            steps, gone = steps + spent, gone + 1
            self.before = places_of(self.state), self.state.time
            while finest == count < shares and gone % 2 == 0:
                gone, shares = gone // 2, shares // 2
        if not self.valued:
            self.simulator.keep_pose()
        return row_of(self.state, *self.found, steps, shares)

    def _rest(self, whole, settles):
        """Find the rest next to where it stands, at the end of a way or of a share of it; the steps it took, less than none by
        the loop. None where Newton's method finds none and it is not to settle by the loop."""
        state, wanted = self.state, self.wanted if whole else FINE
        outside = external_load(state.model, state.buffers)

        def load():
            return outside or inner_load(state)

        if self.before is not None:
            steps = self.balance.find(lambda: wanted.force(load(), rounding_of(state)), whole)
            if steps:
                self.found = self.balance.residual, load(), rounding_of(state), STABLE, 0
                return steps
            if not settles:
                self.balance.try_again()
                return None
        if whole:
            found = rest_by_motion(state, wanted, *self.limits, told=False, leaves=not self.keeps)
            self.found = found.residual, found.load, found.rounding, found.stability, found.unstable
        else:
            found = rest_by_motion(state, ROUGH, *self.limits, told=False, leaves=False, pushed=False)
        return -found.steps

    def _go(self, lead, share=1.0):
        """Put what is led, and what rides on it, where it is at a share of the way; in how many shares that is to be gone."""
        lead(share)
        stand(self.state)
        if self.before is None:
            return 1
        self._ways = ride(self.state, self.before[0], stand)
        return strides(self.state, self._ways)

    def _back(self):
        """Where the last rest was."""
        b = self.state.buffers
        (b.position[:, :3], b.rigid[...]), b.numbers[slots.TIME] = self.before

    def recording(self):
        """The frames; of values that changed there is none."""
        return None if self.valued else self.simulator.recording()
