"""Where the links of mechanisms stand and how they move, on the host: what assembles scenes and gives first velocities."""
import numpy as np

from robotphi.kernels.mechanism.columns import WORLD
from robotphi.kernels.mechanism.kinds import ABOVE, ACROSS, ALONG, BALL, BESIDE, DISTANCE, RELATED
from robotphi.model.closures import matrix_of
from robotphi.scene.curves import curve_at, nearest


def cross(a, b):
    """Of two vectors; numpy's own is made for many."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotation(axis, angle):
    """Turn about a unit axis."""
    x, y, z = axis
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * across + (1.0 - np.cos(angle)) * across @ across


class Chain:
    """All links, at given coordinates.

    Attributes:
        centre, axes: (l, 3) m and (l, 3, 3) of the links.
        slide, spin: (f, 3) velocity and spin of the child's centre for each unit of rate.
    """

    def __init__(self, mechanisms, closures, pose, place, turn):
        self.mechanisms, self.closures, self.pose = mechanisms, closures, pose
        links, freedoms = len(mechanisms.rigid), len(mechanisms.turn)
        self.centre, self.axes = np.zeros((links, 3)), np.zeros((links, 3, 3))
        self.slide, self.spin = np.zeros((freedoms, 3)), np.zeros((freedoms, 3))
        self.stand(place, turn)

    def stand(self, place, turn):
        m, self.place = self.mechanisms, place
        for i in range(len(m.rigid)):
            centre, axes = self.body(m.parent[i])
            arm, turned = m.on_parent[i].copy(), np.eye(3)
            own = range(m.freedom_start[i], m.freedom_start[i + 1])
            for k in own:
                by = place[k] - m.drawn_at[k]
                arm += m.slide[k] * by * m.axis[k]
                if m.turn[k] != 0.0 and m.rotation[i] != BALL:
                    turned = rotation(m.axis[k], m.turn[k] * by)
            if m.rotation[i] == BALL:
                turned = matrix_of(turn[i])
            self.axes[i] = axes @ turned @ matrix_of(m.drawn[i])
            behind = self.axes[i] @ m.on_child[i]
            self.centre[i] = centre + axes @ arm + behind
            for k in own:
                self.spin[k] = m.turn[k] * (axes @ m.axis[k])
                self.slide[k] = m.slide[k] * (axes @ m.axis[k]) + cross(self.spin[k], behind)

    def body(self, number):
        """Centre and axes of a link, the world or a rigid."""
        if number >= 0:
            return self.centre[number], self.axes[number]
        if number == WORLD:
            return np.zeros(3), np.eye(3)
        return self.pose.rigid_position[-2 - number], matrix_of(self.pose.rigid_orientation[-2 - number])

    def motions(self, rate):
        """(l, 6) velocities and spins of the links."""
        m, motion = self.mechanisms, np.zeros((len(self.mechanisms.rigid), 6))
        for i in range(len(m.rigid)):
            own = slice(m.freedom_start[i], m.freedom_start[i + 1])
            above = self.motion_of(m.parent[i], motion)
            apart = self.centre[i] - self.body(m.parent[i])[0]
            motion[i, :3] = above[:3] + cross(above[3:], apart) + rate[own] @ self.slide[own]
            motion[i, 3:] = above[3:] + rate[own] @ self.spin[own]
        return motion

    def motion_of(self, number, motion):
        if number >= 0:
            return motion[number]
        if number == WORLD:
            return np.zeros(6)
        return np.concatenate((self.pose.rigid_velocity[-2 - number], self.pose.rigid_spin[-2 - number]))

    def row(self, i):
        """φ of row i of the closures, and its wrenches on the other and on one, as in `kernels/mechanism/closing`."""
        c = self.closures
        centre, axes = self.body(c.one[i])
        other_centre, other_axes = self.body(c.other[i])
        a, b, kind = axes @ c.axis[i], other_axes @ c.across[i], c.kind[i]
        r, r_one = other_axes @ c.at_other[i], axes @ c.at_one[i]
        d, force, couple = other_centre + r - centre - r_one, a, np.zeros(3)
        if kind == ACROSS:
            value, force, couple = c.size[i] * (a @ b), np.zeros(3), c.size[i] * cross(b, a)
        elif kind == DISTANCE:
            value, force = np.linalg.norm(d) - c.size[i], d / max(np.linalg.norm(d), 1e-300)
        elif kind == ALONG:
            value = a @ d
        elif kind in (BESIDE, ABOVE):
            value, force = self._off_curve(i, axes, d)
        else:
            y = axes @ c.beside[i]
            off = np.arctan2(b @ cross(a, y), b @ y) - a @ d / c.size[i]
            value, couple = -c.size[i] * (off - 2.0 * np.pi * np.floor(off / (2.0 * np.pi) + 0.5)), -c.size[i] * a
        on_other = np.concatenate((force, couple + cross(r, force)))
        on_one = -np.concatenate((force, couple + cross(r_one + d, force)))
        return value, on_other, on_one

    def _off_curve(self, i, axes, d):
        c, n = self.closures, self.closures.curve[i]
        own = slice(c.knot_start[n], c.knot_start[n + 1])
        curve = c.knot[own], c.piece[own], bool(c.closed[n])
        on, along, _ = curve_at(*curve, nearest(*curve, axes.T @ d))
        along = along / np.linalg.norm(along)
        normal = cross(c.axis[i], along)
        normal /= np.linalg.norm(normal)
        normal = axes @ (normal if c.kind[i] == BESIDE else cross(along, normal))
        return normal @ (d - axes @ on), normal

    def closing(self, m):
        """φ of the rows of mechanism m, and their derivatives by its coordinates."""
        c, mechanisms = self.closures, self.mechanisms
        first = mechanisms.freedom_start[mechanisms.start[m]]
        count = mechanisms.freedom_start[mechanisms.start[m + 1]] - first
        rows = range(c.start[m], c.start[m + 1])
        value, slopes = np.zeros(len(rows)), np.zeros((len(rows), count))
        for n, i in enumerate(rows):
            if c.kind[i] == RELATED:
                value[n], slopes[n] = self._relation(i, slice(first, first + count))
                continue
            value[n], on_other, on_one = self.row(i)
            self._add_slopes(slopes[n], c.other[i], on_other, first)
            self._add_slopes(slopes[n], c.one[i], on_one, first)
        return value, slopes

    def _relation(self, i, own):
        """φ of a relation of coordinates, and its derivatives by those of its mechanism."""
        m, relation, slope = self.mechanisms, self.closures.relation[i], np.zeros(len(self.place))
        terms = slice(m.term_start[relation], m.term_start[relation + 1])
        np.add.at(slope, m.term[terms], self.closures.size[i] * m.factor[terms])
        return slope @ self.place - self.closures.size[i] * m.value[relation], slope[own]

    def rates_of(self, i, rate):
        """φ̇ of row i, by rates and the motions of rigids that the links hang on."""
        if self.closures.kind[i] == RELATED:
            return self._relation(i, slice(None))[1] @ rate
        motion, (_, on_other, on_one) = self.motions(rate), self.row(i)
        return on_other @ self.motion_of(self.closures.other[i], motion) + on_one @ self.motion_of(self.closures.one[i], motion)

    def _add_slopes(self, slopes, link, wrench, first):
        m, at = self.mechanisms, link
        while at >= 0:
            own = slice(m.freedom_start[at], m.freedom_start[at + 1])
            into = slice(own.start - first, own.stop - first)
            moment = wrench[3:] + cross(self.centre[link] - self.centre[at], wrench[:3])
            slopes[into] += self.slide[own] @ wrench[:3] + self.spin[own] @ moment
            at = m.parent[at]
