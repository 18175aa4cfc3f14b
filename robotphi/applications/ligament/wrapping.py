"""Fibres that lie taut round bones: where beads without friction rest on rigid convex parts.

The beads of a fibre are joined by springs in series of one law, so that at rest all pull alike and Σ |x_{i+1} − x_i|² is least
among beads that are outside of every part. A bead is outside of a convex part where it is ahead of some facet: it is kept ahead
of the one that it is farthest ahead of, which is a quadratic programme with linear bounds, and again from there until it stays.
The programme is the least distance problem of Lawson & Hanson (Solving Least Squares Problems, 1974, chapter 23), min |z| with
G z ≥ c, by nonnegative least squares. What contact gives in a scene (`add_fibres` with a radius) is the same but for the depth
that beads sink in there.
"""
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from robotphi.scene.checks import number, whole

ROUNDS, STILL = 80, 1e-7   # at most; m, motion of beads at which it is over
NEAR = 5e-3                # m: beads that may come to a part within a round
MOST = 2                   # parts that a bead minds at once, the nearest
BEYOND, INWARD = 2e-4, 0.5 # m before a facet, and share from its corners to its middle, where it is looked for another part


class Part(NamedTuple):
    """A convex part of a bone, as large again as the radius of beads.

    Attributes:
        normals, far: (f, 3), (f,) m of the planes of its facets.
        hidden: (f,) facets that lie within another part: no bead leaves through them.
    """
    normals: np.ndarray
    far: np.ndarray
    hidden: np.ndarray

    def moved(self, pose):
        normals = self.normals @ pose[:3, :3].T
        return Part(normals, self.far + normals @ pose[:3, 3], self.hidden)


def parts_of(bone, radius):
    """The parts of a Compound for beads of a radius [m]."""
    return [Part(part.normals, part.offsets + radius, np.array([_is_hidden(bone, part, f) for f in range(len(part.normals))]))
            for part in bone.parts]


def _is_hidden(bone, part, f):
    corners = part.vertices[part.loops.corners[part.loops.facet == f]]
    middle = part.facet_centres[f]
    looked = np.vstack([middle, middle + INWARD * (corners - middle)]) + BEYOND * part.normals[f]
    return any(other.contains(looked).all() for other in bone.parts if other is not part)


def ahead_of(parts, points):
    """By how much points are ahead of parts, and the planes they are to stay ahead of: (parts, k) m, (parts, k, 3),
    (parts, k) m, the last −∞ where they are beside a part only as they are before a hidden facet."""
    rows = np.arange(len(points))
    ahead, normals, far = [], [], []
    for part in parts:
        over = points @ part.normals.T - part.far
        first, open_ = over.argmax(axis=1), np.where(part.hidden, -np.inf, over).argmax(axis=1)
        ahead.append(over[rows, first])
        normals.append(part.normals[open_])
        far.append(np.where(part.hidden[first] & (ahead[-1] >= 0.0), -np.inf, part.far[open_]))
    return np.array(ahead), np.array(normals), np.array(far)


class Wound(NamedTuple):
    """Attributes:
        places: (m, n, p + 2, 3) m, from the first bone to the second.
        straight: (m, n) whether nothing is in the way of a fibre.
        sunk: m, by which an end lies within a bone at most: the bone or the place is not right by as much.
        bones: name → Compound.
    """
    places: np.ndarray
    straight: np.ndarray
    sunk: float
    bones: dict


def wound(femur, tibia, poses, bones, particles=20, radius=1e-3):
    """Fibres along poses of the femur, as `Wound`; each starts from the pose before.

    Args:
        femur, tibia: (m, n, 3) ends in axes of the tibia.
        poses: (m, 4, 4) of the femur.
        bones: {"femur": Compound, "tibia": Compound} or one of them.
        particles: beads of a fibre; radius [m] of it.
    """
    count, radius = whole("wrapping", "particles", particles), number("wrapping", "radius [m]", radius, low=0.0)
    share = np.linspace(0.0, 1.0, count + 2)[:, None]
    places = femur[:, :, None] + share * (tibia - femur)[:, :, None]
    straight, sunk = np.ones(places.shape[:2], bool), 0.0
    springs, parts = Springs(count), {name: parts_of(bone, radius) for name, bone in bones.items()}
    for k, pose in enumerate(poses):
        there = [part.moved(pose) if name == "femur" else part for name, own in parts.items() for part in own]
        sunk = max(sunk, float(radius - ahead_of(there, np.concatenate([femur[k], tibia[k]]))[0].min()))
        for i in range(places.shape[1]):
            chord = places[k, i]
            started = k > 0 and not straight[k - 1, i]
            if not started and ahead_of(there, chord[1:-1])[0].min() >= 0.0:
                continue
            line = chord[1:-1].copy()
            places[k, i, 1:-1] = springs.taut(there, line, places[k - 1, i, 1:-1] if started else line)
            straight[k, i] = np.abs(places[k, i, 1:-1] - line).max() < 1e-9
    return Wound(places, straight, sunk, bones)


class Springs:
    """Springs in series between two ends, and the programme that lays them round planes."""

    def __init__(self, count):
        stiffness = 2.0 * np.eye(count) - np.eye(count, k=1) - np.eye(count, k=-1)
        self.root = np.linalg.inv(np.linalg.cholesky(stiffness))     # K⁻¹ = rootᵀ root

    def taut(self, parts, straight, start):
        """(p, 3) places of beads from a start on; straight is where they would be without bones."""
        beads = start
        for _ in range(ROUNDS):
            before, beads = beads, self._beside(*ahead_of(parts, beads), straight, beads)
            if np.abs(beads - before).max() < STILL:
                break
        return beads

    def _beside(self, ahead, normals, far, straight, beads):
        """Least sum of squares with each bead ahead of the planes of the parts that are near it."""
        order = np.argsort(np.where(np.isfinite(far), ahead, np.inf), axis=0, kind="stable")[:MOST]
        part, bead = order.ravel(), np.tile(np.arange(ahead.shape[1]), len(order))
        near = (ahead[part, bead] < NEAR) & np.isfinite(far[part, bead])
        part, bead = part[near], bead[near]
        n = normals[part, bead]
        lack = far[part, bead] - np.einsum("ci,ci->c", n, straight[bead])
        if not len(part) or lack.max() <= 0.0:
            return straight.copy()
        # x = straight + rootᵀ z, and n·x ≥ d is G z ≥ lack
        g = (self.root[:, bead].T[:, :, None] * n[:, None, :]).reshape(len(part), -1)
        size = np.abs(lack).max()
        wanted = np.zeros(g.shape[1] + 1)
        wanted[-1] = 1.0
        matrix = np.vstack([g.T, lack / size])
        push, _ = nnls(matrix, wanted, maxiter=20 * len(part) + 200)
        left = matrix @ push - wanted
        if not left[-1] < -1e-12:
            return beads   # between planes that leave no room
        return straight + self.root.T @ (-size * left[:-1] / left[-1]).reshape(-1, 3)
