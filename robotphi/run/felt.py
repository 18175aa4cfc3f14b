"""Forces of rest on what may move, as the loop evaluates them, at places near to where it stands."""
import numpy as np

from robotphi.kernels.contact import columns as c
from robotphi.kernels.springs.table import KINDS
from robotphi.kernels.step import slots
from robotphi.kernels.step.rigids import CENTRE, ORIENTATION
from robotphi.kernels.step.stand import stand_on
from robotphi.model.arrays import aligned
from robotphi.run.damped import stand_still
from robotphi.run.loop import Loop
from robotphi.run.newton import unknowns
from robotphi.run.rubbing import Rubbing
from robotphi.run.tangent import slipping

YIELDS = "yield_force", "yield_moment"
INSIDE = 0.9       # of their limits, so that springs of friction hold while differences are taken


class Lost(Exception):
    """A search leads nowhere near."""


class Felt:
    """Places δ of a state: shifts of free particles and rigids and turns of these, from where it stood at `begin`; the forces
    on these unknowns, and the springs of friction, which the way stretches.

    Attributes:
        arm: (u,) m, over which a moment counts as a force; 1 of forces.
        rubbing: the springs of friction; `stretch` and `sticks` as they are.
        extent: m, of the scene.
    """

    def __init__(self, state, arms):
        self.state, self._whole, self._still, self._firm, self._since = state, Loop(state.model, 1), None, None, None
        self.yields = any(np.isfinite(limit).any() for limit in _yields(state.model))
        mechanisms, found = state.model.arrays.mechanisms, unknowns(state.model)[0]
        found = found[[body >= 0 or mechanisms.link_of_rigid[-1 - body] < 0 for body in found[:, 0]]]
        self.count, self._point = len(found), found[:, 0] >= 0
        self._rows, self._rigids = tuple(found[self._point].T), (-1 - found[~self._point, 0], found[~self._point, 1])
        self.arm = np.ones(self.count)
        self.arm[~self._point] = np.where(self._rigids[1] >= 3, arms[self._rigids[0]], 1.0)
        of_particle = np.full((len(state.model.arrays.particles.mass), 3), -1)
        of_rigid = np.full((len(state.model.arrays.rigids.mass), 6), -1)
        of_particle[self._rows], of_rigid[self._rigids] = np.flatnonzero(self._point), np.flatnonzero(~self._point)
        self._columns = of_particle, of_rigid, self.count
        self.rubbing = self.stretch = self.sticks = None

    def aim(self, firm=False):
        """Forces, and what touches, from places alone: drives stand still, and dampers are left out, until it is `done`; where
        it is `firm` no spring yields."""
        model, time = self.state.model, self.state.time
        if self._since != time and (len(model.arrays.drives.start) > 1 or self._still is None):
            still = stand_still(model, time)
            self._still, self._firm = Loop(still, 1), Loop(_without_yield(still), 1)
        self._since, self._loop = time, self._firm if firm else self._still
        self.state.begin_frame(time)
        self._advance()

    def yielding(self):
        """The forces with springs that yield, from here on."""
        self._loop = self._still
        return self.forces()

    def done(self):
        """Forces, contacts and reactions with drives and dampers as they are."""
        self._loop = self._whole
        self.state.begin_frame(self.state.time)
        self._advance()

    def forces(self, pairs=slots.PAIRS_KNOWN):
        """(u,) N and N·m; `pairs`: whether directions are asked for anew."""
        b = self.state.buffers
        b.counters[slots.STATUS], b.counters[slots.FRESH], b.counters[slots.BEGIN_CONTACT] = slots.RUNNING, slots.STALE, pairs
        b.numbers[slots.FRAME_END] = b.numbers[slots.TIME]
        self._advance()
        found = np.empty(self.count)
        found[self._point], found[~self._point] = b.force[self._rows], b.load[self._rigids]
        return found

    def _advance(self):
        self._loop.advance(self.state)
        if self.state.buffers.counters[slots.STATUS] != slots.FRAME_DONE:
            raise Lost

    def largest(self, force):
        """N"""
        return float(np.abs(force / self.arm).max())

    def farthest(self, way):
        """m"""
        return float(np.abs(way * self.arm).max())

    def begin(self):
        """From here on all is told from here."""
        b = self.state.buffers
        b.counters[slots.STARTED] = 1   # forces keep nothing of friction
        self._position, self._rigid = b.position.copy(), b.rigid.copy()
        self.extent = max(float(np.ptp(self.state.position, axis=0).max()), 1e-300)
        self.forces()
        self.rubbing = Rubbing(self.state, self._columns, self._rigid[:, CENTRE:CENTRE + 3])
        if not self.rubbing.known:
            raise Lost
        self.stretch, self.sticks = self.rubbing.start, self.rubbing.start_sticks.copy()

    def forces_at(self, way):
        """The forces at a way from the beginning, with springs of friction stretched by it."""
        self._place(way)
        self.stretch = self.rubbing.start + np.einsum("kiu,u->ki", self.rubbing.ways, way)
        self.rubbing.set(self.stretch, self.sticks)
        return self.forces()

    def _place(self, way):
        b = self.state.buffers
        b.position[:], b.rigid[:] = self._position, self._rigid
        b.position[self._rows] += way[self._point]
        if len(self._rigids[0]):
            gone = np.zeros((len(b.rigid), 6))
            gone[self._rigids] = way[~self._point]
            b.rigid[:, CENTRE:CENTRE + 3] += gone[:, :3]
            b.rigid[:, ORIENTATION:ORIENTATION + 4] = _turned(b.rigid[:, ORIENTATION:ORIENTATION + 4], gone[:, 3:])
            self._stand()

    def _stand(self):
        self.state.on(stand_on, len(self.state.model.arrays.mechanisms.free) > 0)()

    def _set_inside(self, stretch):
        """Springs of friction stretched so, but well inside their limits, so that none slips."""
        at_most = self.rubbing.limits(self.sticks, self.rubbing.pressures())
        share = np.minimum(1.0, INSIDE * at_most / np.maximum(self.rubbing.sizes(stretch), 1e-300))
        self.rubbing.set(stretch * share[:, None], self.sticks)

    def differences(self, way, reach):
        """K with springs of friction held as they are, and the slopes of pressures, by differences over a reach [m]."""
        self._place(way)
        self._set_inside(self.stretch)
        here, pressures = self.forces(), self.rubbing.pressures()
        b, lengths = self.state.buffers, reach / self.arm
        matrix, slopes = np.empty((self.count, self.count)), np.empty((len(pressures), self.count))
        position, rigid = b.position.copy(), b.rigid.copy()
        points, rigids = zip(*self._rows, strict=True), zip(*self._rigids, strict=True)
        for u, length in enumerate(lengths):
            if self._point[u]:
                place = next(points)
                b.position[place] += length
            else:
                i, axis = next(rigids)
                if axis < 3:
                    b.rigid[i, CENTRE + axis] += length
                else:
                    turn = length * (np.arange(3) == axis - 3)[None]
                    b.rigid[i, ORIENTATION:ORIENTATION + 4] = _turned(rigid[i:i + 1, ORIENTATION:ORIENTATION + 4], turn)[0]
                self._stand()
            matrix[:, u], slopes[:, u] = here - self.forces(), self.rubbing.pressures() - pressures
            if self._point[u]:
                b.position[place] = position[place]
            else:
                b.position[:], b.rigid[:] = position, rigid
        return matrix / lengths, slopes / lengths

    def along(self, direction, reach):
        """K times a direction whose farthest way is 1 m, all springs of friction holding, at the beginning."""
        self._place(0.0 * direction)
        self._set_inside(self.rubbing.start)
        here = self.forces()
        self._place(reach * direction)
        return (here - self.forces()) / reach + self.rubbing.resists(direction)

    def slipping(self, less=0.0):
        """The springs of friction that bear what they can."""
        return slipping(self.rubbing, self.stretch, self.sticks, less)

    def release(self):
        """What bears more than holds slips from now on."""
        self.sticks &= self.rubbing.sizes(self.stretch) <= self.rubbing.limits(self.sticks, self.rubbing.pressures())

    def keep_slips(self):
        """What has slipped has, for good."""
        at_most, size = self.rubbing.limits(self.sticks, self.rubbing.pressures()), self.rubbing.sizes(self.stretch)
        slips = size > at_most
        share = np.where(slips, at_most / np.maximum(size, 1e-300), 1.0)
        self.rubbing.set(self.stretch * share[:, None], ~slips)
        self.state.buffers.counters[slots.STARTED] = 0   # forces that are evaluated then keep what friction did
        self.forces()

    def kept(self):
        """What a search changes, with copies of it: of the state, of what the loop counts, and of what springs remember."""
        b = self.state.buffers
        touch = b.touch
        places = b.position, b.rigid, b.velocity, touch.pairs, touch.numbers, touch.node, touch.slots, touch.sizes
        laws = [getattr(b, kind.own) for kind in KINDS.values()]
        counts = b.numbers, b.counters, b.books, b.causes
        return [[(array, array.copy()) for array in arrays] for arrays in (places, counts, laws)]

    def thinnest(self):
        """m, half of it."""
        size = self.state.model.arrays.contact.parts.size[:, c.HALF_THICKNESS]
        return size.min(initial=np.inf, where=size > 0.0)


def _yields(model):
    laws = (getattr(model.arrays, kind.own) for kind in KINDS.values())
    return [getattr(law, limit) for law in laws for limit in YIELDS if hasattr(law, limit)]


def _without_yield(model):
    """The model with springs that bear whatever comes."""
    changed = {}
    for own in (kind.own for kind in KINDS.values()):
        law = getattr(model.arrays, own)
        limits = {name: aligned(np.full_like(getattr(law, name), np.inf)) for name in YIELDS if hasattr(law, name)}
        changed[own] = law._replace(**limits)
    return model._replace(arrays=model.arrays._replace(**changed))


def _turned(q, turn):
    """Quaternions turned further by vectors."""
    angle = np.linalg.norm(turn, axis=1)
    w, (x, y, z) = np.cos(0.5 * angle), (turn * (0.5 * np.sinc(angle / (2.0 * np.pi)))[:, None]).T
    a, b, d, e = q.T
    return np.stack([w * a - x * b - y * d - z * e, w * b + x * a + y * e - z * d,
                     w * d - x * e + y * a + z * b, w * e + x * d - y * b + z * a], axis=1)
