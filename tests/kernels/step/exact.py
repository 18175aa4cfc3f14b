"""The exact highest frequency and damping rate of a state: eigenvalues of M⁻¹ K and M⁻¹ C by central differences of all forces."""
import numpy as np
from scipy.linalg import eigvalsh

from robotphi import Simulator, build_model
from robotphi.kernels.step import slots
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, SPIN, VELOCITY
from robotphi.run.buffers import rotation_matrix


class Fastest:
    """ω² [1/s²] and c [1/s] of the motion about the present state of a simulator, at rest.

    Coordinates: the axes of free particles that move, of rigids the centre and turns about the axes of the world, supported ones
    projected away; scaled by the root of the inertia.
    """

    def __init__(self, simulator, step=1e-6):
        self.simulator, self.model = simulator, simulator.model
        self.particles, self.rigids = self.model.arrays.particles, self.model.arrays.rigids
        b = simulator.state.buffers
        self.base = [b.position.copy(), b.rigid.copy()]
        self.step = step
        n = self.model.particle_count
        moves = self.particles.moves[self.particles.axes[:n], :3] * self.particles.inverse_mass[:n, None]
        self.rows, self.axes = np.nonzero(moves)
        self.root = np.sqrt(moves[self.rows, self.axes])
        self.frames = [self._frame(i) for i in range(len(self.rigids.mass))]

    def _frame(self, i):
        """(6, 6) √ of the mobility of rigid i: displacements and turns by world axes."""
        turn = rotation_matrix(self.base[1][i, ORIENTATION:ORIENTATION + 4])
        mobility = np.zeros((6, 6))
        mobility[:3, :3] = np.diag(self.rigids.inverse_mass[i])
        if self.rigids.rotation[i] != 2:
            inverse = turn @ np.diag(self.rigids.inverse_inertia[i]) @ turn.T
            held = np.eye(3)[:, self.rigids.support[i] > 0]
            if held.size:
                inverse -= inverse @ held @ np.linalg.inv(held.T @ inverse @ held) @ held.T @ inverse
            mobility[3:, 3:] = inverse
        values, vectors = np.linalg.eigh(mobility)
        return vectors * np.sqrt(np.maximum(values, 0.0))

    def _set(self, position, rigid):
        """Put everything at a place, at rest."""
        b = self.simulator.state.buffers
        b.position[...], b.velocity[...], b.rigid[...] = position, 0.0, rigid
        for column in (VELOCITY, MOMENTUM, SPIN):
            b.rigid[:, column:column + 3] = 0.0
        return b

    def forces(self):
        """All forces at what the buffers hold, (free axes and 6 r,)."""
        b = self.simulator.state.buffers
        b.counters[slots.FRESH], b.counters[slots.STATUS], b.counters[slots.CHUNK] = slots.STALE, slots.RUNNING, 0
        self.simulator._loop.advance(self.simulator.state)
        b = self.simulator.state.buffers
        return np.concatenate([b.force[self.rows, self.axes] * self.root,
                               *(frame.T @ load for frame, load in zip(self.frames, b.load, strict=True))])

    def _carry(self, rigid, position, velocity):
        for i in range(len(self.rigids.mass)):
            rows = self.rigids.particle[self.rigids.start[i]:self.rigids.start[i + 1]]
            local = self.rigids.local[self.rigids.start[i]:self.rigids.start[i + 1]]
            arm = local @ rotation_matrix(rigid[i, ORIENTATION:ORIENTATION + 4]).T
            position[rows, :3] = rigid[i, CENTRE:CENTRE + 3] + arm
            velocity[rows, :3] = rigid[i, VELOCITY:VELOCITY + 3] + np.cross(rigid[i, SPIN:SPIN + 3], arm)

    def _shift(self, column, amount, moving):
        """The base moved by an amount along one coordinate, or moving so fast."""
        b = self._set(*self.base)
        free = len(self.rows)
        if column < free:
            (b.velocity if moving else b.position)[self.rows[column], self.axes[column]] += amount * self.root[column]
            return
        i, k = divmod(column - free, 6)
        push = amount * self.frames[i][:, k]
        if moving:
            b.rigid[i, VELOCITY:VELOCITY + 3], b.rigid[i, SPIN:SPIN + 3] = push[:3], push[3:]
        else:
            b.rigid[i, CENTRE:CENTRE + 3] += push[:3]
            b.rigid[i, ORIENTATION:ORIENTATION + 4] = turned(b.rigid[i, ORIENTATION:ORIENTATION + 4], push[3:])
        self._carry(b.rigid, b.position, b.velocity)

    def matrix(self, moving):
        """(N, N) stiffness or damping matrix over inertia, symmetric."""
        count = len(self.rows) + 6 * len(self.frames)
        found = np.zeros((count, count))
        scale = np.concatenate([self.root, *(np.linalg.norm(frame, axis=0) for frame in self.frames)])
        for column in range(count):
            if scale[column] == 0.0:
                continue
            amount = (1e-3 if moving else self.step) / scale[column]
            self._shift(column, amount, moving)
            up = self.forces()
            self._shift(column, -amount, moving)
            found[:, column] = (self.forces() - up) / (2.0 * amount)
        self._set(*self.base)
        return 0.5 * (found + found.T)

    def values(self):
        """Exact (ω², c)."""
        return tuple(float(eigvalsh(self.matrix(moving))[-1]) for moving in (False, True))


def turned(q, rotation):
    """exp(rotation) q."""
    angle = np.linalg.norm(rotation)
    w, u = np.cos(angle / 2), rotation * (np.sin(angle / 2) / angle if angle > 0 else 0.5)
    return np.concatenate([[w * q[0] - u @ q[1:]], w * q[1:] + q[0] * u + np.cross(u, q[1:])])


def begun(scene, until=0.0):
    """A simulator that stands at a time, with bounds taken there."""
    simulator = Simulator(build_model(scene))
    simulator.begin()
    if until > 0.0:
        simulator.advance_to(until)
        renew(simulator)
    return simulator


def renew(simulator):
    """Take the bounds again at the present state, as after so many steps."""
    counters = simulator.state.buffers.counters
    counters[slots.SINCE_STABLE] = counters[slots.RENEW_AFTER]
    counters[slots.STATUS], counters[slots.CHUNK] = slots.RUNNING, 1
    simulator.state.buffers.numbers[slots.FRAME_END] *= 1.0 + 1e-9
    simulator._loop.advance(simulator.state)


def compared(simulator):
    """{"exact": (ω, c), "bound": (ω, c)} of springs alone [1/s]."""
    numbers = simulator.state.buffers.numbers.copy()
    square, damping = Fastest(simulator).values()
    return {"exact": (np.sqrt(max(square, 0.0)), max(damping, 0.0)),
            "bound": (float(np.sqrt(numbers[slots.SPRING_SQUARE])), float(numbers[slots.SPRING_DAMPING]))}
