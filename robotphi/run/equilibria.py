"""Equilibria along a path, each started from the one before.

Springs alone go by Newton's method (`kernels/step/newton`), from where what is held takes them, or else where the last two
poses point to; heavy ones that all pull, such as slack cables, by one of their own (`taut`). What neither finds, such as a
shape that snaps through, is found by kinetic damping from the last pose, and so is the first. With contact, acts or exact
joints the first pose settles by the loop (`along_motion`). The scene is built once.
"""
import numpy as np

from robotphi.errors import NoEquilibrium
from robotphi.kernels.springs.table import KINDS
from robotphi.kernels.step import slots
from robotphi.kernels.step.rigids import RIGID_COLUMNS
from robotphi.model.build import model_of
from robotphi.run.along_motion import AlongMotion
from robotphi.run.dragged import take_contacts
from robotphi.run.leading import Leading
from robotphi.run.newton import Carried, Newton, unknowns
from robotphi.run.pose import row_of, stand
from robotphi.run.settle import STEP_LIMIT, springs_alone
from robotphi.run.state import State
from robotphi.run.statics import Wanted, arms_of, external_load, rest_of_springs
from robotphi.run.study import LOOSE, STABLE, UNSTABLE, Study
from robotphi.run.taut import Taut
from robotphi.scene.checks import word

NEAR = 1e-3    # of the load: forces that kinetic damping leaves to Newton's method
ANYWHERE = 1e300   # N: what kinetic damping leaves where it is


def equilibria(scene, over, tolerance=1e-8, newtons=None, unstable="leave", step_limit=None, wall_limit=None):
    """Equilibria along a path, as a `Study`; each is started from the one before.

    Args:
        scene: a Scene, or a Model of one.
        over: what leads from pose to pose, one entry for each: times of the drives [s], or a dict of
            "time" → times; an address such as ("acl", "rest_length") → values; a rigid, object or particles that are held, or
            their name → poses, by which they are moved from where they stand in the scene: (4, 4) matrices, (position,
            quaternion), seven numbers of these, or shifts; of particles (m, k, 3) places as well. A way along which friction
            drags is gone in shares of a fifth of how deep things press in, 200 at most (`Study.shares`), or up to 16 times as
            many where no rest is found behind one: of a longer one give more poses.
        tolerance: largest force that may be left, as a share of the load, see `settle`.
        newtons: that force itself [N].
        unstable: "leave" an equilibrium that is not stable for the stable one beside it, or "keep" to the branch; either way it
            is named.
        step_limit: steps of each pose that has to be settled.
        wall_limit: seconds for each of them.
    """
    model = model_of("equilibria", scene)
    wanted = Wanted("equilibria", tolerance, newtons).within(step_limit, wall_limit)
    keeps = word("equilibria", "unstable", unstable, ("leave", "keep")) == "keep"
    leading = Leading(model, over)
    state = State(leading.model_at(model, 0))
    way = (AlongSprings if springs_alone(state) else AlongMotion)(state, wanted, keeps, step_limit, wall_limit)
    rows = []
    for k in range(leading.count):
        if leading.values and k:
            way.take(with_values_of(leading.model_at(model, k), way.state))
        try:
            rows.append(way.pose(lambda share=1.0, k=k: leading.lead(way.state, k, share)))
        except NoEquilibrium as error:
            raise NoEquilibrium(f"pose {k} of {leading.count}: {error}") from None
    return Study(model, leading.given, rows, way.recording())


def with_values_of(model, before):
    """A state of another model, with everything free where it was."""
    state = State(model)
    b, old = state.buffers, before.buffers
    free = model.arrays.particles.moves[model.arrays.particles.axes] > 0.0
    if b.position.shape != old.position.shape or b.rigid.shape != old.rigid.shape:
        raise NoEquilibrium("the values change what there is: give values that leave the number of particles as it is")
    b.position[free] = old.position[free]
    still = (model.arrays.rigids.inverse_mass == 0.0).all(axis=1) & (model.arrays.rigids.rotation == 2)
    b.rigid[~still, :RIGID_COLUMNS] = old.rigid[~still, :RIGID_COLUMNS]
    for kind in KINDS.values():
        if getattr(b, kind.own).shape == getattr(old, kind.own).shape:
            getattr(b, kind.own)[:] = getattr(old, kind.own)
    for name in ("place", "turn"):
        getattr(b.joints, name)[:] = getattr(old.joints, name)
    take_contacts(state, before)
    b = state.buffers
    b.numbers[slots.TIME] = old.numbers[slots.TIME]
    return state


class AlongSprings:
    """Equilibria of springs alone."""

    def __init__(self, state, wanted, keeps, step_limit, wall_limit):
        self.wanted, self.keeps, self.near = wanted, keeps, Wanted("equilibria", max(NEAR, wanted.share))
        self.limits = step_limit or STEP_LIMIT, wall_limit
        self.newton, self.carried = Newton(state, arms_of(state.model)), Carried(state.model)
        self.before = []        # the last two poses found, position and rigids, as long as they follow each other smoothly
        self.state, self.least, self.free, self.taut, self.rounding = state, None, None, None, 0.0
        self.hangs = 0          # steps by which the last pose was found as one whose springs all pull
        self._look()

    def _look(self):
        found, free, freedoms = unknowns(self.state.model)
        self.free, self.turning = np.argwhere(free), bool(len(freedoms) and freedoms.any())
        self.outside = external_load(self.state.model, self.state.buffers)
        self.taut = Taut(self.state.model)

    def take(self, state):
        """Go on with a state of the model with other values."""
        self.state = state
        self._look()
        if self.newton.pattern is not None:
            self.newton.take(state)

    def recording(self):
        """Nothing that the rows do not tell."""

    def pose(self, lead):
        state, b = self.state, self.state.buffers
        start = b.position.copy(), b.rigid.copy()
        lead()
        stand(state)
        if not self.carried.go_along(b.position, start[0]):
            self._point_ahead()
        left, steps = 0, 0
        smooth = self.newton.pattern is not None and self.least is not None and not self.hangs
        residual = self._follow() if smooth else np.inf
        if not self._is_found(residual):
            self.before.clear()
            b.position[:], b.rigid[:] = start
            lead()
            stand(state)
            self.carried.go_along(b.position, start[0])
            residual, load, left, steps = self._relax()
            if self.newton.pattern is None or self.hangs:
                return row_of(state, residual, load, self.rounding, STABLE, left, steps)
        n = self.newton
        self.before = [*self.before[-1:], (b.position.copy(), b.rigid.copy())]
        stability = UNSTABLE if n.negative else LOOSE if n.loose else STABLE
        return row_of(state, residual, n.load, self.rounding, stability, left, steps + n.steps)

    def _relax(self):
        """Kinetic damping until it is near, then Newton; where that leads nowhere, or to what is not stable, to the end."""
        state, newton, left, steps = self.state, self.newton, 0, 0
        self.hangs = self._hang()
        if newton.pattern is not None and not (self.hangs or (self.taut.again and self.outside > 0.0)):
            near = rest_of_springs(state, self.near, *self.limits, leaves=False)
            self.rounding, self.least = near.rounding, near.rounding if self.least is None else self.least
            kept = state.buffers.position.copy(), state.buffers.rigid.copy()
            newton.forget()
            residual = self._follow()
            if self._is_found(residual):
                return residual, newton.load, 0, near.steps
            state.buffers.position[:], state.buffers.rigid[:] = kept
            steps = near.steps
        found = rest_of_springs(state, self.wanted, *self.limits, leaves=not self.hangs, taut=None if self.hangs else self.taut)
        residual, load, left, steps = found.residual, found.load, found.unstable, steps + found.steps + self.hangs
        self.rounding = found.rounding
        self.hangs = self.hangs or self.taut.steps
        if newton.pattern is not None and not self.hangs:
            kept = state.buffers.position.copy(), state.buffers.rigid.copy()
            newton.forget()
            polished = self._follow()
            if not self._is_found(polished):   # at a kink, say: as good as it came
                state.buffers.position[:], state.buffers.rigid[:] = kept
                self._follow(residual)
            else:
                residual = polished
        return residual, load, left, steps

    def _hang(self):
        """Steps to one whose springs all pull, 0 where there is none; heavy things alone need that."""
        if not (self.taut.applies and self.outside > 0.0):
            return 0
        if self.least is None:
            self.least = rest_of_springs(self.state, Wanted("equilibria", 1.0, ANYWHERE), *self.limits, leaves=False).rounding
        wanted = self.wanted
        return self.taut.find(self.state, wanted.force(self.outside, self.least), self.outside, wanted.force(self.outside, 0.0))

    def _follow(self, least=0.0):
        """By Newton; the residual [N]."""
        wanted = self.wanted
        share, floor = (wanted.share, 0.0) if wanted.newtons is None else (0.0, wanted.newtons)
        return self.newton.follow(share, max(floor, least, self.least or 0.0), self.outside, self.keeps)

    def _is_found(self, residual):
        n = self.newton
        return (n.pattern is not None and residual <= self.wanted.force(n.load, self.least or 0.0)
                and (self.keeps or not n.negative))

    def _point_ahead(self):
        """What is free goes on as from the last pose but one to the last."""
        if len(self.before) < 2 or self.turning:
            return
        (first, _), (second, _) = self.before
        rows, axes = self.free[:, 0], self.free[:, 1]
        self.state.buffers.position[rows, axes] += second[rows, axes] - first[rows, axes]
