"""Relax: the static equilibrium of a model under its loads, by kinetic damping."""
import time as clock
from typing import Any, NamedTuple

import numpy as np

from robotphi.errors import NoEquilibrium, RobotphiError
from robotphi.kernels.acts.forces import TORQUE
from robotphi.kernels.springs.table import KINDS
from robotphi.kernels.step import slots
from robotphi.kernels.step.relax import relax_on
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, SPIN, VELOCITY
from robotphi.kernels.step.slots import STIFF
from robotphi.model.build import model_of
from robotphi.record import measure
from robotphi.record.springs import drive_value, springs
from robotphi.run.buffers import aligned_zeros
from robotphi.run.curvature import Around
from robotphi.run.simulator import Simulator
from robotphi.run.state import State
from robotphi.run.study import STABLE
from robotphi.run.taut import Taut
from robotphi.scene.checks import number, whole

CHUNK = 2000  # steps between two looks at the clock


class Equilibrium(NamedTuple):
    """A shape at rest."""
    position: np.ndarray           # (n, 3) m
    rigid_position: np.ndarray     # (r, 3) m
    rigid_orientation: np.ndarray  # (r, 4)
    residual: float                # N, largest force left on a free axis; moments count over the arm of their rigid
    load: float                    # N, largest external force, or spring force at rest where there is none
    rounding: float                # N, what rounding of the positions alone makes of the forces: no residual can be below
    steps: int
    peaks: int                     # times the motion was stopped
    unstable: int                  # unstable equilibria that it came to and left
    recording: Any = None          # with contact, acts or joints one frame, for contacts, joints and sensors
    stability: str = STABLE        # or "unstable", where it was not left


class Wanted:
    """How small the forces that are left shall be: a share of the load, or a force."""

    def __init__(self, where, tolerance, newtons=None):
        self.where = where
        self.share = number(where, "tolerance, a share of the load such as 1e-8,", tolerance, above=0.0)
        self.newtons = None if newtons is None else number(where, "newtons, the force that may be left,", newtons, above=0.0)

    def force(self, load, rounding):
        """N, not below what rounding leaves."""
        return max(self.share * load if self.newtons is None else self.newtons, rounding)

    def within(self, step_limit, wall_limit):
        """Itself, where the limits are some that can be kept."""
        if step_limit is not None:
            whole(self.where, "step_limit", step_limit)
        if wall_limit is not None:
            number(self.where, "wall_limit [s]", wall_limit, low=0.0)
        return self

    @property
    def said(self):
        return f"{self.share:g}" if self.newtons is None else f"{self.newtons:g} N"


def relax(model_or_simulator, tolerance=1e-8, step_limit=20_000_000, wall_limit=None, newtons=None):
    """Static equilibrium of springs with a residual of at most `tolerance` × load, or what rounding leaves where that is more.

    The load is the largest external force, or where there is none the largest force of a spring in the equilibrium; `newtons`
    says the residual itself in place of a share.

    Given a `Simulator`, its state is left at rest in the equilibrium, so that it can run on from there; given a model,
    nothing but the result changes. Drives stand still at their value of the moment. Viscosity plays no part, plastic flow
    and turns stay as they are. An equilibrium that is not stable, such as a pressed straight line, is left along the
    direction in which it gives way, and counted. Raises NoEquilibrium where nothing holds a part, or a limit is reached.
    Of springs that all pull, such as heavy cables, Newton's method finds it (`taut`), of all others kinetic damping.
    """
    simulator = model_or_simulator if isinstance(model_or_simulator, Simulator) else None
    if simulator:
        simulator.only_between_calls("relax")
    wanted = Wanted("relax", tolerance, newtons).within(step_limit, wall_limit)
    state = simulator.state if simulator else State(model_of("relax", model_or_simulator, ", or a Simulator"))
    model, b = state.model, state.buffers
    if b.counters[slots.HAS_CONTACT] or b.counters[slots.HAS_ACTS]:
        raise RobotphiError(f"scene {model.scene.name!r} has contact, a medium or another act, which relax does not know: use "
                            "settle, or relax the scene without them")
    if len(model.arrays.mechanisms.free):
        raise RobotphiError(f"scene {model.scene.name!r} has exact joints, which relax does not know: use settle")
    return rest_of_springs(state, wanted, step_limit, wall_limit, taut=Taut(model))


def rest_of_springs(state, wanted, step_limit, wall_limit, leaves=True, taut=None):
    """The equilibrium of a state with springs alone, in which it is left; `leaves`: not one that is unstable. `taut` looks for
    one first."""
    model, b = state.model, state.buffers
    r = len(model.arrays.rigids.mass)
    speed, gain, still = (aligned_zeros(b.position.shape) for _ in range(3))
    rigid_speed, rigid_gain = aligned_zeros((r, 6)), aligned_zeros((r, 6))
    b.numbers[slots.INSIDE] = np.nextafter(b.numbers[slots.TIME], np.inf)
    progress = np.array([-1.0, 0.0, 0.0])
    rest_all(b)  # rigids carry their particles at their own speed
    relax_steps = state.on(relax_on)
    arguments = (speed, gain, rigid_speed, rigid_gain, arms_of(model), still, progress)
    relax_steps(*arguments, np.inf, 1)  # forces and masses of the start
    outside, rounding = external_load(model, b), rest_rounding(state)
    load = outside or max(np.abs(b.force).max(), np.abs(b.load).max(initial=0.0), 1e-300)
    least = wanted.force(load, rounding)
    _check_held(model, b, gain, rigid_gain)
    hangs, chunks = bool(taut and taut.applies and outside > 0.0), 0   # whether they may be springs that all pull
    around = Around(b, speed, rigid_speed, gain, rigid_gain, lambda: relax_steps(*arguments, least, 0))
    unstable, started = 0, clock.perf_counter()
    while True:
        asked = wanted.force(outside, 0.0)
        if hangs and chunks & (chunks - 1) == 0 and (taut.again or not chunks) and taut.find(state, least, outside, asked):
            hangs = leaves = False   # it is stable, by its stiffness: differences of forces see less there
            speed[:], rigid_speed[:], progress[0] = 0.0, 0.0, 0.0
        chunks += 1
        residual = relax_steps(*arguments, least, CHUNK)
        if not np.isfinite(residual):
            raise NoEquilibrium("positions are no longer finite: a spring may have been turned inside out; "
                                "start nearer to the shape")
        if not residual > least:
            load = outside or _largest_force(model, b)
            least = wanted.force(load, rounding)
            if not residual > least:
                if not leaves or not around.leave():
                    break
                unstable += 1
                progress[0] = 0.0
        if progress[2] >= step_limit or (wall_limit is not None and clock.perf_counter() - started > wall_limit):
            raise NoEquilibrium(f"after {int(progress[2])} steps a force of {residual:.3g} N is left, {residual / load:.1e} of "
                                f"the load of {load:.3g} N (wanted {wanted.said}): a part may be free to move, or give a "
                                "larger limit")
    rest_all(b)
    return Equilibrium(state.position.copy(), state.rigid(CENTRE).copy(), state.rigid(ORIENTATION, 4).copy(), float(residual),
                       float(load), float(rounding), int(progress[2]) + (taut.steps if taut else 0), int(progress[1]), unstable)


def arms_of(model):
    """Largest distance of a rigid's particles from its centre, (r,)."""
    rigids = model.arrays.rigids
    reach = np.linalg.norm(rigids.local, axis=1)
    return np.array([max(reach[a:b].max(initial=0.0), 1e-300)
                     for a, b in zip(rigids.start[:-1], rigids.start[1:], strict=True)])


def external_load(model, b):
    """Largest external force: weights and virtual forces."""
    particles, rigids = model.arrays.particles, model.arrays.rigids
    heaviest = max(particles.mass.max(initial=0.0, where=particles.inverse_mass > 0),
                   rigids.mass.max(initial=0.0, where=(rigids.inverse_mass > 0).any(axis=1)))
    time = float(b.numbers[slots.TIME])
    forces = model.arrays.acts.forces
    pushes = [np.linalg.norm(direction) * abs(float(drive_value(model.arrays.drives, drive, time)))
              for kind, direction, drive in zip(forces.kind, forces.direction, forces.drive, strict=True) if kind != TORQUE]
    return max([np.linalg.norm(particles.gravity) * heaviest, *pushes])


def _largest_force(model, b):
    """N: the largest force of a spring on one of its ends, at rest; moments count over the arm of that end."""
    position, still = b.position[:model.particle_count, :3], np.zeros((model.particle_count, 3))
    time, largest = float(b.numbers[slots.TIME]), 1e-300
    for kind, row in KINDS.items():
        chosen = springs(model, kind)
        if not len(chosen.first):
            continue
        pull = np.abs(measure.readings(model, chosen, position, still, time, getattr(b, row.own)).elastic)
        if kind != "linear":
            arms = np.linalg.norm(position[chosen.first] - position[chosen.centre], axis=1)
            pull = pull / np.where(arms > 0.0, arms, np.inf)
        largest = max(largest, float(pull.max()))
    return largest


def rest_rounding(state):
    """Stiffness × rounding of the coordinates [N]; of particles alone, as other rows of the arrays stand anywhere."""
    return np.finfo(float).eps * state.buffers.stiffness_bound[:, STIFF].max() * np.abs(state.position).max()


def _check_held(model, b, gain, rigid_gain):
    """A part without springs and with a force on it has no equilibrium."""
    n = model.particle_count
    particles = model.arrays.particles
    unsupported = particles.moves[particles.axes, :3] > 0.0
    loose = unsupported[:n] & (gain[:n, :3] == 0) & (b.force[:n, :3] != 0)
    if loose.any():
        name = model.scene.particle_name(int(np.argwhere(loose)[0, 0]))
        raise NoEquilibrium(f"nothing holds particle {name}: no spring with a stiffness is tied to it; support it or tie it")
    for i, rigid in enumerate(model.scene.rigids):
        if np.any((model.arrays.rigids.inverse_mass[i] > 0) & (rigid_gain[i, :3] == 0) & (b.load[i, :3] != 0)):
            raise NoEquilibrium(f"nothing holds rigid {rigid.name!r}: no spring with a stiffness is tied to it; "
                                "support it or tie it")


def rest_all(b):
    """Everything at rest; the ledger starts anew from here."""
    b.velocity[:] = 0.0
    b.rigid[:, VELOCITY:VELOCITY + 3] = 0.0
    b.rigid[:, MOMENTUM:MOMENTUM + 3] = 0.0
    b.rigid[:, SPIN:SPIN + 3] = 0.0
    b.joints.rate[:] = 0.0
    b.counters[slots.FRESH] = slots.STALE
    b.counters[slots.STARTED] = 0
