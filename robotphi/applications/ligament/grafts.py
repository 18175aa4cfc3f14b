"""Where to fix a graft: change of its length and peak of its tension over a motion, for many places at once.

By the law at the straight line from end to end, which is exact where nothing is in the way of the graft.
"""
from typing import NamedTuple

import numpy as np

from robotphi.applications.ligament.strands import TRANSITION, law, slack_of_force
from robotphi.scene.checks import number, refuse, whole, word

PLANE = {"femur": (0, 1), "tibia": (0, 2)}   # axes along which places are moved: sagittal on the femur, level on the tibia


class GraftMap(NamedTuple):
    """Grafts from places on a grid to one place on the other bone.

    Attributes:
        u, v: (a,), (b,) m, shifts from the middle of the footprint along two axes of the bone.
        axes: their names.
        change: (b, a) m, largest less least length over the motion.
        peak: (b, a) N, largest tension.
        footprint: (n, 2) m, strands of the native ligament, as such shifts.
        said: the motion and how the graft is fixed.
        bone: on which the places lie.
    """
    u: np.ndarray
    v: np.ndarray
    axes: tuple
    change: np.ndarray
    peak: np.ndarray
    footprint: np.ndarray
    said: str
    bone: str

    def best(self, what="change"):
        """(u, v) m where the change, or the peak, is least."""
        row, column = np.unravel_index(np.argmin(getattr(self, what)), self.change.shape)
        return float(self.u[column]), float(self.v[row])


def graft_map(strands, flexion, bone="femur", tension=40.0, at=30.0, stiffness=5e3, toe=TRANSITION, reach=12e-3, count=25):
    """Grafts along a motion, as a `GraftMap`: of count² places on a bone, to the middle of the footprint on the other.

    Args:
        strands: of the native ligament; its ends are the footprints.
        flexion: the `Flexion`.
        bone: on which the places lie, in a plane through the middle of the footprint: along x and y of the femur, x and z of
            the tibia.
        tension: with which the graft is fixed [N]; at: in which flexion [deg].
        stiffness: of the graft [N per strain].
        toe: strain of its transition.
        reach: of the places to each side [m]; count: of them along it.
    """
    word("graft map", "bone", bone, tuple(PLANE))
    tension, stiffness, reach = (number("graft map", what, value, above=0.0) for what, value in (
        ("tension [N]", tension), ("stiffness [N per strain]", stiffness), ("reach [m]", reach)))
    count = whole("graft map", "count", count, 2)
    first, second = PLANE[bone]
    own, other = (strands.femur, strands.tibia) if bone == "femur" else (strands.tibia, strands.femur)
    middle, far = own.mean(axis=0), other.mean(axis=0)
    shifts = np.linspace(-reach, reach, count)
    places = np.tile(middle, (count, count, 1))
    places[..., first] += shifts[None, :]
    places[..., second] += shifts[:, None]
    length = _lengths(flexion.poses, bone, places.reshape(-1, 3), far)
    fixed = _lengths(flexion.pose_at(at)[None], bone, places.reshape(-1, 3), far)[0]
    if not fixed.min() > 0.0:
        refuse("graft map", "a place lies at the other end of the graft", "reach less far")
    slack = slack_of_force(fixed, tension, np.full(len(fixed), stiffness), np.nan, toe)
    shape = count, count
    peak = np.maximum(law(length / slack - 1.0, stiffness, toe).max(axis=0), tension)   # where it is fixed may be between poses
    said = f"{flexion.said}; fixed with {tension:g} N at {at:g}°"
    return GraftMap(shifts, shifts, tuple("xyz"[axis] for axis in (first, second)), np.ptp(length, axis=0).reshape(shape),
                    peak.reshape(shape), (own - middle)[:, [first, second]], said, bone)


def _lengths(poses, bone, places, far):
    """(m, s) m from places on a bone to one on the other: |R p + t − q|² = |p|² + |t − q|² + 2 p·Rᵀ(t − q)."""
    turn, shift = poses[:, :3, :3], poses[:, :3, 3]
    if bone == "tibia":   # the same as seen from the femur
        shift = -np.einsum("mji,mj->mi", turn, shift)
        turn = np.swapaxes(turn, 1, 2)
    off = np.einsum("mji,mj->mi", turn, shift - far)
    return np.linalg.norm(places[None] + off[:, None], axis=-1)
