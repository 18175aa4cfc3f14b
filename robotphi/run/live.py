"""Sensors that follow from the forces of an instant: accelerations, what supports and drives do, and the power of drives.

With F and τ all forces and moments but those of supports and drives:
* a support gives −F along its axes, a drive m a − F with the acceleration a of its quantity;
* a couple that holds the turn about axes N makes N ω̇ = 0: c = Nᵀ λ, N I⁻¹ Nᵀ λ = −N I⁻¹ (τ − ω × L); one that holds or drives
  all of it is I ω̇ + ω × L − τ.
They are told as a frame is kept, and as they are read; the forces are evaluated at the velocities of the instant before.
"""
import numpy as np

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
        motions = model.arrays.motions
        self._drives = {(0, int(p), int(axis)): int(drive) for p, axis, drive in zip(
            motions.particle, motions.particle_axis, motions.particle_drive, strict=True)}
        self._drives |= {(1, int(i), int(axis)): int(drive) for i, axis, drive in zip(
            motions.rigid, motions.rigid_axis, motions.rigid_drive, strict=True)}

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
        gain = np.where(free, force * particles.inverse_mass[p], [self._gain(state, 0, p, axis) for axis in range(3)])
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
            found = state.buffers.links.acceleration[link]
            return found[:3].copy(), found[3:].copy()
        rigids = arrays.rigids
        free = rigids.inverse_mass[i] > 0.0
        speeding = np.where(free, load[:3] * rigids.inverse_mass[i], [self._gain(state, 1, i, axis) for axis in range(3)])
        kind = rigids.rotation[i]
        if kind == HELD:
            drive = self._model.scene.rigids[i].drive_axis
            return speeding, np.zeros(3) if drive is None else drive * self._gain(state, 1, i, 3)
        inertia, spinning = self._turning(state, i)
        moment = load[3:] - spinning
        if kind == PARTLY:
            moment = moment + self._partly(i, inertia, moment)
        return speeding, np.linalg.solve(inertia, moment)

    def _gain(self, state, kind, index, axis):
        """Acceleration that a drive asks for, 0 of what is held."""
        drive = self._drives.get((kind, index, axis))
        if drive is None:
            return 0.0
        begin, _, _, second, third, size, rate, phase = piece_of(self._commands.model.arrays.drives, drive, state.time)
        s = state.time - begin
        return 2.0 * second + 6.0 * third * s - size * rate * rate * np.sin(rate * s + phase)
