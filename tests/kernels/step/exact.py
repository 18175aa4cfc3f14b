"""The exact highest frequency and damping rate of a state: eigenvalues of M⁻¹ K and M⁻¹ C, by differences of all forces."""
import numpy as np
from scipy.linalg import eigvalsh

from robotphi import Simulator, build_model
from robotphi.kernels.contact import columns, kinds
from robotphi.kernels.springs.measured import formula
from robotphi.kernels.step import slots
from robotphi.kernels.step.plan import joint_bounds
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, SPIN, VELOCITY
from robotphi.scene.turns import matrix_of as rotation_matrix


class Fastest:
    """ω² [1/s²] and c [1/s] of the motion about the present state of a simulator, at rest.

    Coordinates: the axes of free particles that move, of rigids the centre and turns about the axes of the world, supported
    ones projected away; scaled by the root of the inertia.
    """

    def __init__(self, simulator, step=1e-7, speed=1e-7):
        self.simulator, self.model = simulator, simulator.model
        self.particles, self.rigids = self.model.arrays.particles, self.model.arrays.rigids
        b = simulator.state.buffers
        self.base = [b.position.copy(), b.rigid.copy()]
        self.step, self.speed = step, speed   # m, m/s: so slow that friction holds, so near that contacts stay what they are
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
        found = self.answers(moving)
        return 0.5 * (found + found.T)

    def answers(self, moving):
        """(N, N) likewise as forces say, which of stiff objects are accelerations × mass: with the eigenvalues of M⁻¹ K."""
        count = len(self.rows) + 6 * len(self.frames)
        found = np.zeros((count, count))
        scale = np.concatenate([self.root, *(np.linalg.norm(frame, axis=0) for frame in self.frames)])
        for column in range(count):
            if scale[column] == 0.0:
                continue
            amount = (self.speed if moving else self.step) / scale[column]
            self._shift(column, amount, moving)
            up = self.forces()
            self._shift(column, -amount, moving)
            found[:, column] = (self.forces() - up) / (2.0 * amount)
        self._set(*self.base)
        return found

    def friction(self):
        """(N, N) what the springs of friction add to the stiffness: forces evaluated anew leave their stretch as it is."""
        touch, parts = self.simulator.state.buffers.touch, self.model.arrays.contact.parts
        law, count = self.model.arrays.contact.law, len(self.rows) + 6 * len(self.frames)
        found = np.zeros((count, count))
        for k in range(touch.sizes[columns.PAIR_COUNT]):
            pair, numbers = touch.pairs[k], touch.numbers[k]
            a, b = pair[columns.FIRST], pair[columns.SECOND]
            row = law[parts.material[a] * touch.sizes[columns.MATERIALS] + parts.material[b]]
            if pair[columns.TRIAL_TOUCHING] == 0 or row[columns.STATIC_FRICTION] == 0.0:
                continue
            normal = numbers[columns.NOW:columns.NOW + 3]
            across = np.linalg.svd(normal[None])[2][1:]
            soft = [part for part in (a, b) if parts.rigid[part] < 0 and np.diff(parts.vertex_start[part:part + 2])[0] > 1]
            if soft:
                other = b if soft[0] == a else a
                for place in range(parts.vertex_start[soft[0]], parts.vertex_start[soft[0] + 1]):
                    if other + 1 not in touch.node[place]:
                        continue
                    k_side = row[columns.TANGENTIAL] or row[columns.STIFFNESS] * min(
                        parts.vertex_area[place], parts.size[other, columns.REFERENCE_AREA])
                    vertex = parts.vertex[place]
                    point = self.base[0][vertex, :3]
                    for d in across:
                        g = self._gradient(vertex, -1, point, d, np.zeros(3)) - self._gradient(
                            -1, parts.rigid[other], point, d, np.zeros(3))
                        found += k_side * np.outer(g, g)
                continue
            point, gyration = numbers[columns.POINT:columns.POINT + 3], numbers[columns.GYRATION]
            for d, couple in [(across[0], 0.0 * normal), (across[1], 0.0 * normal), (0.0 * normal, gyration * normal)]:
                g = np.zeros(count)
                for part, sign in ((a, 1.0), (b, -1.0)):
                    ball = parts.kind[part] == kinds.SPHERE and parts.rigid[part] < 0
                    row = parts.vertex[parts.vertex_start[part]] if ball else -1
                    g += sign * self._gradient(row, parts.rigid[part], point, d, couple)
                found += numbers[columns.SIDE] * np.outer(g, g)
        return found

    def _gradient(self, vertex, rigid, point, direction, couple):
        """Gradient of a force along a direction at a point, and a couple, on a free particle or on a rigid."""
        found = np.zeros(len(self.rows) + 6 * len(self.frames))
        if vertex >= 0:
            for k in np.flatnonzero(self.rows == vertex):
                found[k] = self.root[k] * direction[self.axes[k]]
        elif rigid >= 0:
            arm = point - self.base[1][rigid, CENTRE:CENTRE + 3]
            wrench = np.concatenate([direction, np.cross(arm, direction) + couple])
            found[len(self.rows) + 6 * rigid:][:6] = self.frames[rigid].T @ wrench
        return found

    def values(self):
        """Exact (ω², c)."""
        stiffness = self.matrix(False)
        if len(self.model.arrays.contact.parts.kind):
            stiffness = stiffness + self.friction()
        return float(eigvalsh(stiffness)[-1]), float(eigvalsh(self.matrix(True))[-1])


def turned(q, rotation):
    """exp(rotation) q."""
    angle = np.linalg.norm(rotation)
    w, u = np.cos(angle / 2), rotation * (np.sin(angle / 2) / angle if angle > 0 else 0.5)
    return np.concatenate([[w * q[0] - u @ q[1:]], w * q[1:] + q[0] * u + np.cross(u, q[1:])])


def begun(scene, until=0.0):
    """A simulator that stands at a time and was brought to rest there, with bounds taken anew."""
    simulator = Simulator(build_model(scene))
    simulator.state.buffers.counters[slots.HAS_DAMPERS] = 0   # all viscosity stays in the forces
    simulator.begin()
    if until > 0.0:
        simulator.advance_to(until)
    renew(simulator)
    return simulator


def renew(simulator, way=slots.IN_FORCE):
    """Bring everything to rest, evaluate the forces and take the bounds, as at a frame and after so many steps; with all
    dampers in the force, or apart."""
    state = simulator.state
    b = state.buffers
    b.counters[slots.VISCOSITY] = way
    b.velocity[...] = 0.0
    for column in (VELOCITY, MOMENTUM, SPIN):
        b.rigid[:, column:column + 3] = 0.0
    state.begin_frame(state.time * (1.0 + 1e-9) + 1e-300)
    b.counters[slots.CHUNK] = 0
    simulator._loop.advance(state)
    if not b.counters[slots.HAS_CONTACT]:   # a step of next to nothing, before which they are taken
        b.counters[slots.SINCE_STABLE], b.counters[slots.STATUS] = b.counters[slots.RENEW_AFTER], slots.RUNNING
        b.counters[slots.CHUNK] = 1
        simulator._loop.advance(state)


def bounds(simulator):
    """(ω, c) as bounded at the present state, ω with what relief there is."""
    b = simulator.state.buffers
    square, damping = b.numbers[slots.RELIEVED_SQUARE], b.numbers[slots.SPRING_DAMPING]
    if b.counters[slots.HAS_CONTACT]:
        joint = formula(joint_bounds)(b.numbers, b.touch.totals)
        square = max(square, joint[0], b.touch.totals[columns.TOTAL_SQUARE])
        damping = max(damping, joint[1], b.touch.totals[columns.TOTAL_DAMPING])
    return float(np.sqrt(square)), float(damping)


def compared(simulator, **steps):
    """{"exact": (ω, c), "bound": (ω, c)} [1/s]."""
    bounded = bounds(simulator)
    square, damping = Fastest(simulator, **steps).values()
    return {"exact": (np.sqrt(max(square, 0.0)), max(damping, 0.0)), "bound": bounded}
