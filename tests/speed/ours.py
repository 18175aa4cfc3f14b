"""Our side of the measurements: the bare spring step on our kernels, and the cloth as a scene for the whole step."""
import math
import threading
import time

import numba
import numpy as np

from robotphi.kernels.compiling.lanes import row, set_row
from robotphi.kernels.compiling.store import keep
from robotphi.kernels.compiling.team import SYNC_LENGTH, meet
from robotphi.kernels.springs.plain import add_angular_forces, add_linear_forces
from robotphi.kernels.step import slots
from robotphi.kernels.step.particles import mobility
from robotphi.model.arrays import Particles
from robotphi.model.build import build_model
from robotphi.run.loop import Loop
from robotphi.run.state import State
from robotphi.scene import Scene, Stepping

from .cloth import BEND_STIFFNESS, BEND_VISCOSITY, GRAVITY, MASS, STIFFNESS, VISCOSITY, aligned

DURATION = 100.0  # s, of the scene; more than all timings together take
SETTLE = 40       # attempts before the clock runs: the step finds its size from nothing, refused every other time


@keep
@numba.njit(error_model="numpy")
def move_particles(particles, begin, end, position, velocity, force, dt):
    """v += dt f/m, x += dt v (semi-implicit Euler); the force starts anew with the weight."""
    gravity = row(particles.gravity.reshape((1, 4)), 0)
    for i in range(begin, end):
        v = row(velocity, i) + mobility(particles, i) * dt * row(force, i)
        set_row(velocity, i, v)
        set_row(position, i, row(position, i) + v * dt)
        set_row(force, i, gravity * particles.mass[i])


@keep
@numba.njit(error_model="numpy", nogil=True)
def bare_steps(particles, linear, angular, level_start, position, velocity, force, dt, steps, sync, team, member):
    """Steps of the springs alone, the share of one member of a team; returns the sum of its energies over all steps, so
    that the kernels' energies are not left out."""
    generation = 0
    total = 0.0
    blocks = len(particles.block)
    for _ in range(steps):
        for level in range(len(level_start) - 1):
            begin, count = level_start[level], level_start[level + 1] - level_start[level]
            for group in range(begin + count * member // team, begin + count * (member + 1) // team):
                stored, _ = add_linear_forces(linear, linear.start[group], linear.start[group + 1],
                                              position, velocity, force)
                bent, _ = add_angular_forces(angular, angular.start[group], angular.start[group + 1],
                                             position, velocity, force)
                total += stored + bent
            generation = meet(sync, team, generation)
        for block in range(blocks * member // team, blocks * (member + 1) // team):
            move_particles(particles, particles.block[block, 0], particles.block[block, 1], position, velocity, force, dt)
        generation = meet(sync, team, generation)
    return total


class BareStep:
    """The bare step on one set of lists, with a state of its own."""

    def __init__(self, particles, linear, angular, level_start, position, velocity):
        self._fixed = (particles, linear, angular, level_start)
        self._first = (position, velocity)
        self.position, self.velocity, self.force = (aligned((len(particles.mass), 4)) for _ in range(3))
        self.reset()

    @classmethod
    def of_cloth(cls, cloth):
        """On the lists that the C functions read, as one group."""
        free = cloth.inverse_mass[:, 0] > 0
        block = np.array([[0, len(cloth.mass)]], np.int32)
        particles = Particles(cloth.mass, cloth.inverse_mass[:, 0].copy(), np.where(free, 7, 0).astype(np.uint8),
                              np.outer(np.arange(8) == 7, [1.0, 1.0, 1.0, 0.0]).copy(), block, block, cloth.gravity)
        return cls(particles, cloth.linear, cloth.angular, np.array([0, 1], np.int32),
                   cloth.position[:cloth.count, :3], cloth.velocity[:cloth.count, :3])

    @classmethod
    def of_model(cls, model):
        """On the lists of a model, in its groups."""
        arrays = model.arrays
        return cls(arrays.particles, arrays.linear, arrays.angular, arrays.tree.level_start,
                   model.position, model.velocity)

    def reset(self):
        """Back to the initial state; ghosts rest on the corners of a box."""
        count = len(self._first[0])
        self.position[:count, :3], self.velocity[:count, :3] = self._first
        self.position[count:, :3] = np.tri(len(self.position) - count, 3, -1)
        self.velocity[count:] = 0
        self.force[:] = self._fixed[0].mass[:, None] * self._fixed[0].gravity

    def run(self, dt, steps, threads=1):
        """Take `steps` steps with a team of `threads`."""
        sync = aligned((SYNC_LENGTH,), np.int64)
        arguments = (*self._fixed, self.position, self.velocity, self.force, dt, steps, sync, threads)
        together(lambda member: bare_steps(*arguments, member), threads)


class WholeStep:
    """The adaptive step with its ledger, without recording; the cloth falls on from one timing to the next."""

    def __init__(self, model, threads, clock=time.perf_counter):
        self._model = model
        self._state = None
        self._loop = Loop(model, threads)
        self._clock = clock

    def cost(self, attempts):
        """Time of one accepted step [s] by the clock, over so many attempts, those that are refused included."""
        if self._state is None:
            self._state = State(self._model)
            self._state.begin_frame(DURATION)
            self._advance(self._state, SETTLE)
        accepted = self._state.buffers.counters[slots.ACCEPTED]
        start = self._clock()
        self._advance(self._state, attempts)
        elapsed = self._clock() - start
        return elapsed / (self._state.buffers.counters[slots.ACCEPTED] - accepted)

    def _advance(self, state, attempts):
        """Let the compiled loop make attempts; it comes back when they are made, or its history of steps is full."""
        state.buffers.counters[slots.CHUNK] = attempts
        while True:
            self._loop.advance(state)
            buffers = state.buffers
            buffers.counters[slots.HISTORY_COUNT] = 0
            if buffers.counters[slots.STATUS] == slots.PAIRS_FULL:
                state.make_room()
                continue
            if buffers.counters[slots.STATUS] != slots.HISTORY_FULL:
                break
        if buffers.counters[slots.STATUS] != slots.PAUSED:
            raise RuntimeError(f"the cloth should go on for {DURATION} s, but the step stopped with status "
                               f"{buffers.counters[slots.STATUS]} at {state.time} s")


def together(function, team):
    """Call `function(member)` for every member of a team, each in its thread."""
    others = [threading.Thread(target=function, args=(member,)) for member in range(1, team)]
    for other in others:
        other.start()
    function(0)
    for other in others:
        other.join()


def build_cloth_model(cloth):
    """The model of the cloth as a user would write it: three blocks and one held line."""
    scene = Scene(f"cloth of {cloth.count}", duration=DURATION, frames=1, gravity=GRAVITY[:3],
                  stepping=Stepping(scheme="verlet", control="ledger", budget=1e-4))
    held = cloth.inverse_mass[:cloth.count, 0] == 0
    scene.add_particles("node", cloth.position[:cloth.count, :3], MASS, support=["xyz" if h else "" for h in held])
    linear, angular = cloth.linear, cloth.angular
    m = cloth.linear_count
    scene.add_linear("thread", linear.first[:m], linear.second[:m], STIFFNESS, VISCOSITY,
                     rest_length=linear.rest_length[:m])
    m = cloth.angular_count
    scene.add_angular("bend", angular.first[:m], angular.centre[:m], angular.second[:m], BEND_STIFFNESS, BEND_VISCOSITY,
                      rest_angle=math.pi)
    return build_model(scene)
