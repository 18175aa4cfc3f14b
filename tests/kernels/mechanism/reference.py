"""Mechanisms by other means than the kernels': places as products of 4 × 4 matrices, forces by the virtual work of every body.

With T of a body, D = ∂T/∂u for the rate of each freedom and H = ∫ρ x xᵀ dV its second moments (x homogeneous), d'Alembert's
principle says (Uicker 1965; Paul 1981, Robot Manipulators)

    Σ tr(D_j H T̈ᵀ) = Q_j,    T̈ = Σ D_k u̇_k + what the rates bring along

Nothing here knows the tables and kernels of mechanisms: trees are read off the joints of the scene. Dense, and slow.
"""
import numpy as np

SLIDES = {"prismatic": "x", "cylindrical": "x", "planar": "yz"}     # freedoms of a joint one behind the other: slides first
TURNS = {"revolute": "x", "screw": "x", "cylindrical": "x", "universal": "xy", "planar": "x"}


def skew(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def turn_about(axis, angle):
    """Rodrigues."""
    k = skew(axis)
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)


def matrix_of(q):
    w, u = q[0], np.asarray(q[1:])
    return np.eye(3) + 2.0 * w * skew(u) + 2.0 * skew(u) @ skew(u)


def placed(turn, at):
    t = np.eye(4)
    t[:3, :3], t[:3, 3] = turn, at
    return t


def screw_of(joint, n):
    """(4, 4) rate of displacement for the unit rate of freedom n, in world axes as the joint is drawn."""
    slides, turns = SLIDES.get(joint.kind, ""), TURNS.get(joint.kind, "")
    rate = np.zeros((4, 4))
    if joint.kind == "ball":
        axis, slide, turn = joint.frame[:, n], 0.0, 1.0
    elif n < len(slides):
        axis, slide, turn = joint.frame[:, "xyz".index(slides[n])], 1.0, 0.0
    else:
        axis, slide, turn = joint.frame[:, "xyz".index(turns[n - len(slides)])], joint.pitch, 1.0
    rate[:3, :3] = turn * skew(axis)
    rate[:3, 3] = slide * axis - rate[:3, :3] @ joint.at
    return rate


def displaced(rate, by):
    """exp(by × rate): a screw."""
    spin = np.array([rate[2, 1], rate[0, 2], rate[1, 0]])
    size = np.linalg.norm(spin)
    if size == 0.0:
        return np.eye(4) + by * rate
    k = rate / size
    angle = size * by
    return np.eye(4) + angle * k + (1.0 - np.cos(angle)) * (k @ k) + (angle - np.sin(angle)) * (k @ k @ k)


class Motion:
    """Place of a body and what it does: T, its derivatives by the rates of all freedoms, Ṫ, and T̈ without accelerations."""

    def __init__(self, place, by, speed, brought):
        self.place, self.by, self.speed, self.brought = place, by, speed, brought

    def behind(self, place, by, speed, brought):
        """Another that moves relative to it."""
        each = np.einsum("kab,bc->kac", self.by, place) + np.einsum("ab,kbc->kac", self.place, by)
        return Motion(self.place @ place, each, self.speed @ place + self.place @ speed,
                      self.brought @ place + 2.0 * self.speed @ speed + self.place @ brought)


class Tree:
    """The mechanism of a scene whose joints are given from the base outwards; freedoms in that order, those of a free base
    first: velocity of its centre, spin, both in world axes."""

    def __init__(self, model, free=None):
        """`free`: the rigid that is the base, where it hangs on nothing."""
        scene = model.scene
        self.joints, self.rigids, self.free = scene.joints, scene.rigids, free
        self.mass, self.inertia = model.arrays.rigids.mass, model.arrays.rigids.inertia
        self.drawn = [placed(matrix_of(q), x) for q, x in zip(model.rigid_orientation, model.rigid_position, strict=True)]
        self.starts = np.cumsum([6 if free is not None else 0, *(len(joint.rate) for joint in self.joints)])
        self.count = self.starts[-1]

    def motions(self, place, rate, turns, base=None):
        """Motion of every rigid, {index: Motion}.

        Args:
            place, rate: (f,) coordinates and rates.
            turns: name of each ball, or of the free base, to its turn (3, 3) in the frame of its parent as drawn.
            base: of a held or driven rigid, {index: (T, Ṫ, T̈)}.
        """
        nothing = np.zeros((self.count, 4, 4))
        world = Motion(np.eye(4), nothing, np.zeros((4, 4)), np.zeros((4, 4)))
        found = {i: Motion(t, nothing, first, second) for i, (t, first, second) in (base or {}).items()}
        if self.free is not None:
            found[self.free.index] = self._free(place, rate, turns[self.free.name])
        for joint, start in zip(self.joints, self.starts[:-1], strict=True):
            above, drawn = (world, np.eye(4)) if joint.parent is None else (
                found[joint.parent.index], self.drawn[joint.parent.index])
            one = above.behind(np.linalg.inv(drawn), nothing, np.zeros((4, 4)), np.zeros((4, 4)))
            for each in self._relative(joint, start, place, rate, turns.get(joint.name)):
                one = one.behind(*each)
            found[joint.child.index] = one.behind(self.drawn[joint.child.index], nothing, np.zeros((4, 4)), np.zeros((4, 4)))
        return found

    def _free(self, place, rate, turn):
        by = np.zeros((self.count, 4, 4))
        for n in range(3):
            by[n, n, 3] = 1.0
            by[3 + n, :3, :3] = skew(np.eye(3)[n]) @ turn
        speed, spin, brought = np.zeros((4, 4)), skew(rate[3:6]), np.zeros((4, 4))
        speed[:3, 3], speed[:3, :3] = rate[:3], spin @ turn
        brought[:3, :3] = spin @ spin @ turn
        return Motion(placed(turn, place[:3]), by, speed, brought)

    def _relative(self, joint, start, place, rate, turn):
        """(T, D, Ṫ, T̈) of each freedom of a joint in turn; of a ball of all three."""
        if joint.kind == "ball":
            rates = [screw_of(joint, n) for n in range(3)]
            whole = sum(u * each for u, each in zip(rate[start:start + 3], rates, strict=True))
            t = placed(turn, joint.at - turn @ joint.at)
            by = np.zeros((self.count, 4, 4))
            for n in range(3):
                by[start + n] = rates[n] @ t
            yield t, by, whole @ t, whole @ whole @ t
            return
        for n in range(len(joint.rate)):
            k, each = start + n, screw_of(joint, n)
            t = displaced(each, place[k] - joint.place[n])
            by = np.zeros((self.count, 4, 4))
            by[k] = each @ t
            yield t, by, rate[k] * by[k], rate[k] ** 2 * each @ each @ t

    def second_moments(self, i):
        """(4, 4) of rigid i about its centre, in its own axes."""
        h = np.zeros((4, 4))
        h[:3, :3] = np.diag(0.5 * self.inertia[i].sum() - self.inertia[i])
        h[3, 3] = self.mass[i]
        return h

    def equations(self, motions, load, effort=0.0):
        """(M, Q) of M u̇ = Q: by (r, 6) forces and couples at the centres, and an effort on each freedom."""
        matrix = np.diag(np.concatenate([np.zeros(self.starts[0]), *(joint.armature for joint in self.joints)]))
        pull = np.zeros(self.count) + effort
        for joint in self.joints:
            i = joint.child.index
            self._add(matrix, pull, i, motions[i], load[i])
        if self.free is not None:
            i = self.free.index
            self._add(matrix, pull, i, motions[i], load[i])
        return matrix, pull

    def _add(self, matrix, pull, i, motion, load):
        h = self.second_moments(i)
        matrix += np.einsum("jab,bc,kac->jk", motion.by, h, motion.by)
        pull -= np.einsum("jab,bc,ac->j", motion.by, h, motion.brought)
        pull += motion.by[:, :3, 3] @ load[:3]
        spins = motion.by[:, :3, :3] @ motion.place[:3, :3].T
        pull += np.stack([spins[:, 2, 1], spins[:, 0, 2], spins[:, 1, 0]], axis=1) @ load[3:]


def velocity_of(motion):
    """(6,) of the centre, and the spin."""
    spin = motion.speed[:3, :3] @ motion.place[:3, :3].T
    return np.array([*motion.speed[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]])
