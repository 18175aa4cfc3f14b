"""Whether a rest withstands a push, with contact, friction, acts and joints: the loop is its judge.

All that may move gets a small velocity, first one way, then the other. Where the rest is stable the kinetic energy never
exceeds what the push gave, K = K₀ − ΔU − losses; where the energy goes down somewhere near, K grows like exp(2 λ t). What grows
so slowly that it does not show while the push is watched, or stands this push and falls by a larger one, passes for stable.
Behind a push that was withstood all is as it was, to the bit.
"""
import numpy as np

from robotphi.kernels.step import slots
from robotphi.kernels.step.rigids import CENTRE, HELD, MOMENTUM, ORIENTATION, SPIN, VELOCITY
from robotphi.run.state import arrays_in
from robotphi.scene.turns import matrix_of

PUSH = 1e-3         # of the size of the scene in its natural time: the speed of the push
GROWN = 4.0         # times the energy of the push: what stands gives less
WATCHED = 10.0      # natural times
LEAST = 1e-6        # of the size of the scene: arms by which things are turned
FEWEST, LOOK = 2000, 32   # steps that are watched at most, unless settling took more, and steps between two looks


class Kept:
    """All that a state is, to be put back."""

    def __init__(self, state):
        self._state, self._names = state, (state.buffers, state._exchanged)
        self._arrays = [(array, array.copy()) for array in arrays_in(state.buffers)]

    def put_back(self):
        self._state.buffers, self._state._exchanged = self._names
        for array, kept in self._arrays:
            array[...] = kept


def withstands(motion, speed, span, arms, leaves):
    """Whether the rest in which a `Damped` motion stands withstands a push of that speed [m/s] for so long [s]; it stands there
    as before, but where it does not and `leaves`: then where the push has led."""
    kept, unbalanced = Kept(motion.state), motion.unbalanced
    most, steps = max(FEWEST, motion.steps), motion.steps
    for way in (1.0, -1.0):
        motion.stop()
        give_speed(motion.state, way * speed, arms)
        motion.place_links()
        given = motion.run(1)
        while motion.state.buffers.numbers[slots.TIME] < span and motion.steps - steps < most:
            if motion.run(LOOK) > GROWN * given:
                if leaves:
                    motion.stop()
                    motion.unbalanced = motion.evaluate()
                else:
                    kept.put_back()
                return False
        kept.put_back()
    motion.unbalanced, motion.steps = unbalanced, steps
    return True


def give_speed(state, speed, arms):
    """Velocities for all that may move: the same on every machine; what is smooth over the scene, and a part that is not."""
    model, b, chance = state.model, state.buffers, np.random.default_rng(0)
    particles, rigids, mechanisms = model.arrays.particles, model.arrays.rigids, model.arrays.mechanisms
    size = max(float(np.ptp(state.position, axis=0).max()), 1e-300)
    middle, turn, shift = state.position.mean(axis=0), chance.standard_normal((3, 3)) / size, chance.standard_normal(3)

    def speeds(places):
        return speed * (shift + (places - middle) @ turn + chance.standard_normal(places.shape))

    free = particles.moves[particles.axes[:model.particle_count], :3] > 0.0
    state.velocity[...] = np.where(free, speeds(state.position), 0.0)
    alone = (mechanisms.link_of_rigid < 0)[:, None]
    state.rigid(VELOCITY)[...] = np.where(alone & (rigids.inverse_mass > 0.0), speeds(state.rigid(CENTRE)), 0.0)
    spin, turns = state.rigid(SPIN), alone & (rigids.rotation != HELD)[:, None] & (rigids.support == 0.0)
    spin[...] = np.where(turns, speed * chance.standard_normal(spin.shape) / np.maximum(arms, LEAST * size)[:, None], 0.0)
    axes = np.array([matrix_of(q) for q in state.rigid(ORIENTATION, 4)]).reshape(-1, 3, 3)
    own = rigids.inertia * np.einsum("rij,ri->rj", axes, spin)
    state.rigid(MOMENTUM)[...] = np.einsum("rij,rj->ri", axes, own)
    reach = np.where(mechanisms.turn != 0.0, size, 1.0)
    b.joints.rate[:, 0] = np.where(mechanisms.drive < 0, speed * chance.standard_normal(len(reach)) / reach, 0.0)
