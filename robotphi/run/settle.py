"""Settle: where a scene comes to rest, with contact, friction, acts and exact joints as well."""
import time as clock

import numpy as np

from robotphi.errors import NoEquilibrium
from robotphi.kernels.contact.columns import PAIR_ELASTIC
from robotphi.kernels.mechanism.columns import BASE
from robotphi.kernels.step import slots
from robotphi.kernels.step.rigids import CENTRE, ORIENTATION
from robotphi.model.build import model_of
from robotphi.run.damped import FAR, Damped
from robotphi.run.pushed import PUSH, WATCHED, withstands
from robotphi.run.simulator import Simulator
from robotphi.run.state import State
from robotphi.run.statics import Equilibrium, Wanted, arms_of, external_load, rest_of_springs, rest_rounding
from robotphi.run.study import STABLE, UNSTABLE
from robotphi.run.taut import Taut

STEP_LIMIT = 20_000_000
MOTION_LIMIT = 2_000_000   # steps of the loop, which cost more
LOOK = 4096                # steps between two looks at what falls
MOST_LEFT = 32             # unstable rests that are left: what comes to more is going round


def settle(thing, tolerance=1e-8, newtons=None, step_limit=None, wall_limit=None):
    """Rest of a scene, model or simulator, with all that acts there: springs, contact and friction, mediums, exact joints.

    Args:
        thing: a `Simulator`, whose state is left at rest there, so that it can run on; a model or scene, which stay as they
            are.
        tolerance: largest force that may be left on a free axis, as a share of the load: of the largest external force, or
            where there is none of the largest force within. Moments count over the arm of their rigid.
        newtons: that force itself [N], in place of a share.
        step_limit: steps, by default 20 million of springs alone, else 2 million.
        wall_limit: seconds.

    Drives stand still at their value of the moment; viscosity plays no part. Without friction and yielding what is found is an
    equilibrium of the energy, and one that is not stable is left, and counted. Friction holds many: the one found is where the
    motion from the given state comes to, stopped again and again before it is fast, so that it slides as little as it can. With
    contact, acts or joints a rest is stable where it withstands small pushes; one that does not is left the way it gives.
    Raises NoEquilibrium where nothing holds a part, contact is lost, or a limit is reached.
    """
    if isinstance(thing, Simulator):
        thing.only_between_calls("settle")
    state = thing.state if isinstance(thing, Simulator) else State(model_of("settle", thing, ", or a Simulator"))
    wanted = Wanted("settle", tolerance, newtons).within(step_limit, wall_limit)
    if springs_alone(state):
        return rest_of_springs(state, wanted, step_limit or STEP_LIMIT, wall_limit, taut=Taut(state.model))
    return rest_by_motion(state, wanted, step_limit or MOTION_LIMIT, wall_limit)


def springs_alone(state):
    """Whether nothing acts but weight, virtual forces and springs, on particles and rigids that no joint holds."""
    counters = state.buffers.counters
    return not (counters[slots.HAS_CONTACT] or counters[slots.HAS_ACTS] or len(state.model.arrays.mechanisms.free))


def rest_by_motion(state, wanted, step_limit=MOTION_LIMIT, wall_limit=None, told=True, leaves=True, pushed=True):
    """The state at rest, by the loop itself; with a frame of it, where it is `told`. `leaves`: not one that is unstable, which
    is not looked at where it is not `pushed`."""
    model, started = state.model, clock.perf_counter()
    outside = external_load(model, state.buffers)
    before = state.position.copy()
    size = max(float(np.ptp(before, axis=0).max()), 1e-300)
    jointed = len(model.arrays.mechanisms.free) > 0   # their links stand where the coordinates say behind a step
    arms, natural, left, stability = arms_of(model), _natural_time(model, outside, size), 0, STABLE
    motion = Damped(state, arms, natural)
    driving = outside or _efforts(state, arms)
    try:
        while True:
            load = outside or max(driving, inner_load(state))
            rounding = rounding_of(state)
            residual = motion.unbalanced
            if residual <= wanted.force(load, rounding) and (motion.peaks or not jointed):
                push = PUSH * size / natural, WATCHED * natural
                if not pushed or withstands(motion, *push, arms, leaves and left < MOST_LEFT):
                    break
                if not leaves or left == MOST_LEFT:
                    stability = UNSTABLE
                    break
                left += 1
            motion.to_a_peak(LOOK)
            residual = motion.unbalanced
            _check_fallen(state, before, size)
            if motion.steps >= step_limit or (wall_limit is not None and clock.perf_counter() - started > wall_limit):
                raise NoEquilibrium(
                    f"after {motion.steps} steps a force of {residual:.3g} N is left on {_named(model, motion.worst)}, "
                    f"{residual / load:.1e} of the load of {load:.3g} N (wanted {wanted.said}): it may slide or fall "
                    "for ever, or give a larger limit")
    finally:
        motion.finish()
    return Equilibrium(state.position.copy(), state.rigid(CENTRE).copy(), state.rigid(ORIENTATION, 4).copy(),
                       residual, float(load), float(rounding), motion.steps, motion.peaks, left,
                       frame_of(state) if told else None, stability)


def frame_of(state):
    """A recording of the state as it is, of one frame."""
    simulator = Simulator(state.model, threads=1)
    simulator.state = state
    simulator.keep_pose()
    return simulator.recording()


def _natural_time(model, outside, size):
    """√(size/acceleration) under the load [s]; the duration of the scene where nothing acts from outside."""
    heaviest = max(model.arrays.particles.mass.max(initial=0.0), model.arrays.rigids.mass.max(initial=0.0))
    return min(np.sqrt(size * heaviest / outside), model.scene.duration) if outside > 0.0 else model.scene.duration


def inner_load(state):
    """N: the largest force that anything bears, where nothing acts from outside."""
    b = state.buffers
    touch = b.touch.sums[:, PAIR_ELASTIC].max(initial=0.0) if b.counters[slots.HAS_CONTACT] else 0.0
    return max(rest_rounding(state), np.abs(b.force).max(), np.abs(b.load[:, :3]).max(initial=0.0), touch, 1e-300)


def _efforts(state, arms):
    """N: the largest effort of springs, torques and motors of joints where the search begins; moments count over arms.

    Where all of it is gone at rest, as of a servo at its target, nothing else tells what is little.
    """
    mechanisms, flow = state.model.arrays.mechanisms, state.buffers.links.flow
    link = np.repeat(np.arange(len(mechanisms.rigid)), np.diff(mechanisms.freedom_start))
    body = mechanisms.rigid[link]
    arm = np.where(body >= 0, np.append(arms, 0.0)[body], arms.max(initial=0.0))
    return float((np.abs(flow[:, BASE]) / np.where(mechanisms.turn != 0.0, arm, 1.0)).max(initial=0.0))


def rounding_of(state):
    """N: what rounding of the positions alone makes of the forces of springs and contact."""
    b = state.buffers
    stiffest = max(b.numbers[slots.STIFFEST], b.numbers[slots.TOUCH_STIFFEST])
    return np.finfo(float).eps * stiffest * np.abs(state.position).max()


def _named(model, body):
    if body >= 0:
        return f"particle {model.scene.particle_name(body)}"
    return f"rigid {model.scene.rigids[-1 - body].name!r}"


def _check_fallen(state, before, size):
    """What has fallen far under nothing but its weight has nothing below."""
    model, b = state.model, state.buffers
    gravity = np.array(model.arrays.particles.gravity[:3])
    strength = np.linalg.norm(gravity)
    if not strength > 0.0:
        return
    fallen = (state.position - before) @ gravity / strength
    low = int(np.argmax(fallen))
    if not fallen[low] > FAR * size:
        return
    rigid = int(b.carrier[low])
    name = _named(model, low if rigid < 0 else -1 - rigid)
    raise NoEquilibrium(f"{name} has fallen {fallen[low]:.3g} m and finds nothing below: nothing holds it, or it has lost the "
                        "contact it had; support it, or put it down on something with place_on")
