"""Sensors that follow from the forces of an instant: accelerations, what supports and drives do, the power of drives, and what
virtual forces pull and turn with.

With F and τ all forces and moments but those of supports and drives:
* a support gives −F along its axes, a drive m a − F with the acceleration a of its quantity;
* a couple that holds the turn about axes N makes N ω̇ = 0: c = Nᵀ λ, N I⁻¹ Nᵀ λ = −N I⁻¹ (τ − ω × L); one that holds or drives
  all of it is I ω̇ + ω × L − τ.
They are told as a frame is kept, and as they are read; the forces are evaluated at the velocities of the instant before.
"""
from functools import cached_property

import numpy as np

from robotphi.kernels.acts.table import OPEN
from robotphi.kernels.step.entries import FIXED_ENTRIES, OF_ACT
from robotphi.kernels.step.rigids import CENTRE, HELD, MOMENTUM, ORIENTATION, PARTLY, SPIN, VELOCITY
from robotphi.record.sensors import live_places
from robotphi.record.springs import piece_of
from robotphi.scene.sensors import is_live
from robotphi.scene.turns import matrix_of


class Live:
    """What such sensors of a scene have at an instant."""

    def __init__(self, model, commands):
        self._commands, self._model = commands, model
        self._sensors = [sensor for sensor in model.scene.sensors if is_live(sensor)]
        self._places = live_places(model.scene)
        self.width = max((place.stop for place in self._places.values()), default=0)

    @cached_property
    def _drives(self):
        """(0 of particles, 1 of rigids; index; axis) → drive. Made when somebody asks: there may be many."""
        motions = self._model.arrays.motions
        found = {(0, int(p), int(axis)): int(drive) for p, axis, drive in zip(
            motions.particle, motions.particle_axis, motions.particle_drive, strict=True)}
        return found | {(1, int(i), int(axis)): int(drive) for i, axis, drive in zip(
            motions.rigid, motions.rigid_axis, motions.rigid_drive, strict=True)}

    @cached_property
    def _led(self):
        """(0 of particles, 1 of rigids; index) → drives of the motion it follows, and its place in the frame of that."""
        led = self._model.arrays.motions.led
        found = {(0, int(p)): (led.pose[k], at) for p, k, at in zip(
            led.particle, led.particle_motion, led.particle_at, strict=True)}
        return found | {(1, int(i)): (led.pose[k], at) for i, k, at in zip(
            led.rigid, led.rigid_motion, led.rigid_at, strict=True)}

    def __bool__(self):
        return bool(self._sensors)

    def told(self, state):
        """(m,) values of all of them, at the present instant."""
        found = np.zeros(self.width)
        for sensor in self._sensors:
            found[self._places[sensor.name]] = self.value(state, sensor)
        return found

    def value(self, state, sensor):
        """The value of one."""
        index, quantity = int(sensor.of.indices[0]), sensor.quantity
        if sensor.of.kind in OPEN:
            first = FIXED_ENTRIES + len(self._model.work_names) + len(OF_ACT) * index
            return state.buffers.act_push[first, :3] if quantity == "force" else state.buffers.act_push[first, 3:]
        if sensor.of.kind == "rigid":
            return self._of_rigid(state, quantity, index)
        rigid = int(self._model.scene.rigid_of_particle[index])
        if rigid < 0:
            return self._of_particle(state, quantity, index)
        speeding, turning = self._rigid_acceleration(state, rigid)
        arm, spin = state.position[index] - state.rigid(CENTRE)[rigid], state.rigid(SPIN)[rigid]
        return speeding + np.cross(turning, arm) + np.cross(spin, np.cross(spin, arm))

    def _of_particle(self, state, quantity, p):
        particles = self._model.arrays.particles
        force, mass = state.buffers.force[p, :3], particles.mass[p]
        free = particles.moves[particles.axes[p], :3] > 0.0
        gain = np.where(free, force * particles.inverse_mass[p], self._gains(state, 0, p)[0])
        if quantity == "acceleration":
            return gain
        held = np.where(free, 0.0, mass * gain - force)
        return held if quantity == "support_force" else held @ state.velocity[p]

    def _of_rigid(self, state, quantity, i):
        speeding, turning = self._rigid_acceleration(state, i)
        if quantity == "acceleration":
            return speeding
        force, couple = self._held(state, i, speeding, turning)
        if quantity == "power":
            row = state.buffers.rigid[i]
            return force @ row[VELOCITY:VELOCITY + 3] + couple @ row[SPIN:SPIN + 3]
        return force if quantity == "support_force" else couple

    def _held(self, state, i, speeding, turning):
        """Force and couple of supports and drives on a rigid."""
        rigids, load = self._model.arrays.rigids, state.buffers.load[i]
        if self._model.arrays.mechanisms.link_of_rigid[i] >= 0:
            return np.zeros(3), np.zeros(3)
        decided = ~(rigids.inverse_mass[i] > 0.0)
        force = np.where(decided, rigids.mass[i] * speeding - load[:3], 0.0)
        inertia, spinning = self._turning(state, i)
        kind, couple = rigids.rotation[i], np.zeros(3)
        if kind == HELD:
            couple = inertia @ turning + spinning - load[3:]
        elif kind == PARTLY:
            couple = self._partly(i, inertia, load[3:] - spinning)
        return force, couple

    def _partly(self, i, inertia, moment):
        axes = np.eye(3)[self._model.arrays.rigids.support[i] > 0.0]
        answer = np.linalg.solve(inertia, axes.T)
        return -axes.T @ np.linalg.solve(axes @ answer, answer.T @ moment)

    def _turning(self, state, i):
        """Inertia in axes of the world, and ω × L."""
        row = state.buffers.rigid[i]
        turn = matrix_of(row[ORIENTATION:ORIENTATION + 4])
        inertia = turn @ np.diag(self._model.arrays.rigids.inertia[i]) @ turn.T
        return inertia, np.cross(row[SPIN:SPIN + 3], row[MOMENTUM:MOMENTUM + 3])

    def _rigid_acceleration(self, state, i):
        """Of the centre, and of the turn."""
        arrays, load = self._model.arrays, state.buffers.load[i]
        link = arrays.mechanisms.link_of_rigid[i]
        if link >= 0:
            links = state.buffers.links
            found = links.acceleration[link] + links.swing[link]
            return found[:3].copy(), found[3:].copy()
        rigids = arrays.rigids
        free = rigids.inverse_mass[i] > 0.0
        given, turned = self._gains(state, 1, i)
        speeding = np.where(free, load[:3] * rigids.inverse_mass[i], given)
        kind = rigids.rotation[i]
        if kind == HELD:
            return speeding, turned
        inertia, spinning = self._turning(state, i)
        moment = load[3:] - spinning
        if kind == PARTLY:
            moment = moment + self._partly(i, inertia, moment)
        return speeding, np.linalg.solve(inertia, moment)

    def _gains(self, state, kind, index):
        """Accelerations that drives or a motion ask for, of the place and of the turn; 0 of what is held."""
        if (kind, index) in self._led:
            return self._led_gains(state, *self._led[kind, index])
        given = np.array([self._gain(state, kind, index, axis) for axis in range(3)])
        about = self._model.scene.rigids[index].drive_axis if kind == 1 else None
        return given, np.zeros(3) if about is None else about * self._gain(state, kind, index, 3)

    def _gain(self, state, kind, index, axis):
        drive = self._drives.get((kind, index, axis))
        return 0.0 if drive is None else self._of_drive(state, drive)[2]

    def _of_drive(self, state, drive):
        """(value, rate, acceleration) of a drive."""
        begin, value, first, second, third, size, rate, phase = piece_of(self._commands.model.arrays.drives, drive, state.time)
        s = state.time - begin
        sine, cosine = size * np.sin(rate * s + phase), size * np.cos(rate * s + phase)
        return (value + s * (first + s * (second + s * third)) + sine, first + s * (2.0 * second + 3.0 * third * s)
                + rate * cosine, 2.0 * second + 6.0 * third * s - rate * rate * sine)

    def _led_gains(self, state, pose, at):
        """The same of what stands at a place in the frame of a motion, see `kernels/acts/led`."""
        value, rate, gain = np.array([self._of_drive(state, drive) for drive in pose]).T
        q, first, second = value[3:], rate[3:], gain[3:]
        spin = 2.0 * _vector(first, q) / (q @ q)
        turning = 2.0 * (_vector(second, q) - (q @ first) * spin) / (q @ q)
        arm = matrix_of(q / np.linalg.norm(q)) @ at
        return gain[:3] + np.cross(turning, arm) + np.cross(spin, np.cross(spin, arm)), turning


def _vector(a, b):
    """vec(a b*) of two quaternions."""
    return b[0] * a[1:] - a[0] * b[1:] - np.cross(a[1:], b[1:])
