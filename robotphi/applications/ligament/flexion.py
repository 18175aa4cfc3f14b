"""How a femur moves on a tibia: recorded poses, or the polynomials of Walker; x anterior, y proximal, z lateral.

Walker, Rovick & Robertson, J. Biomechanics 21 (1988): passive motion over the flexion d [deg] of a right knee,
the femur relative to the tibia, origin half-way between the epicondyles. They are read as R = Rz(−d) Rx(varus) Ry(internal),
which takes axes of the tibia to those of the femur, and a shift s = (anterior, proximal, 0) of the femur's origin along axes of
the tibia, so that x_femur = R (x_tibia − s). Other ways to read them are there by name: lengths of ligaments differ by them.
"""
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from robotphi.scene.checks import floats, number, refuse, whole, word
from robotphi.scene.measured.clusters import GAP, read_clusters, relative_motion
from robotphi.scene.motion import Motion
from robotphi.scene.motion_file import SHOWN, TURNS, Poses, knee_turn, table_of
from robotphi.scene.turns import quaternion_of

INTERNAL = np.polynomial.Polynomial([0.0, 0.3695, -2.958e-3, 7.666e-6])                  # deg over deg
VARUS = np.polynomial.Polynomial([0.0, 0.0791, -5.733e-4, -7.682e-6, 5.759e-8])
ANTERIOR = np.polynomial.Polynomial([0.0, -0.1283, 4.796e-4])                            # mm over deg
PROXIMAL = np.polynomial.Polynomial([0.0, -0.0683, 8.804e-4, -3.75e-6])
BACKWARDS = -10.0                                                                       # deg, no knee bends so
MOST = 120.0                                                                             # deg, as far as they were measured

READINGS = {"source": "s shifts the femur along axes of the tibia",
            "femur axes": "s shifts the femur, told along axes of the femur",
            "tibia": "s shifts the tibia along axes of the femur",
            "rotations": "without the shift"}
TOLD = {"quaternion": "qw", "grood-suntay": "flexion", "matrix": "r11"}   # a column by which a convention is known


def walker(degrees, reading="source"):
    """(k, 4, 4) poses of the femur in axes of the tibia at flexions [deg]."""
    word("flexion", "reading of Walker's polynomials", reading, tuple(READINGS))
    poses = np.tile(np.eye(4), (len(degrees), 1, 1))
    for pose, d in zip(poses, floats("flexion", "degrees", degrees), strict=True):
        turn = knee_turn(*np.radians([d, VARUS(d), INTERNAL(d)]))
        s = 1e-3 * np.array([ANTERIOR(d), PROXIMAL(d), 0.0])
        shift = {"source": s, "femur axes": turn.T @ s, "tibia": -turn.T @ s, "rotations": 0.0 * s}[reading]
        pose[:3, :3], pose[:3, 3] = turn.T, shift
    return poses


def angles_of(poses):
    """(k, 3) deg: flexion, varus and internal turn of the tibia, of poses of the femur in its axes (Grood & Suntay 1983)."""
    turn = np.swapaxes(np.asarray(poses)[:, :3, :3], 1, 2)
    return np.degrees(np.stack([np.arctan2(turn[:, 0, 1], turn[:, 1, 1]), np.arcsin(np.clip(turn[:, 2, 1], -1.0, 1.0)),
                                np.arctan2(-turn[:, 2, 0], turn[:, 2, 2])], axis=1))


@dataclass(frozen=True, eq=False)
class Flexion:
    """A way of the femur, as seen from the tibia.

    Attributes:
        motion: of the femur in axes of the tibia.
        instants: (m,) s of its poses.
        said: where it comes from and how it was read, in a line for titles.
        recorded: the motion before it was smoothed; None of one that was not recorded.
        cutoff: Hz, above which it was filtered out; 0 for none.
    """
    motion: Motion
    instants: np.ndarray
    said: str
    recorded: Motion | None = None
    cutoff: float = 0.0

    @classmethod
    def walker(cls, end=MOST, poses=91, reading="source"):
        """Walker's polynomials from extension to an end [deg], at even steps of flexion, one degree a second."""
        end, poses = number("flexion", "end [deg]", end, above=0.0, high=MOST), whole("flexion", "poses", poses, 3)
        degrees = np.linspace(0.0, end, poses)
        return cls.of(degrees, walker(degrees, reading), f"Walker 1988, {READINGS[reading]}")

    @classmethod
    def of(cls, times, poses, said):
        """(m, 4, 4) poses of the femur in axes of the tibia at times [s]."""
        poses = floats("flexion", "poses", poses)
        return cls(Motion(times, poses[:, :3, 3], np.array([quaternion_of(pose[:3, :3]) for pose in poses])),
                   np.asarray(times, float), said)

    @classmethod
    def read(cls, path, of="tibia", axes="", smoothing=0.0, names=None, markers="", gap=GAP):
        """A recorded one: a file of poses or joint angles as `Motion.read` takes it, or of markers.

        Args:
            path: of the file: CSV, MOT, STO of poses; TRC, C3D or CSV of markers.
            of: whose poses these are, the "tibia" in axes of the femur, or the "femur" in axes of the tibia.
            axes: convention of its turns; found by its heads unless they are rx, ry, rz.
            smoothing: frequency above which it is filtered out [Hz], 0 for none; `said` tells it.
            names: of columns that are called otherwise, see `Motion.read`.
            markers: of a file of markers, the table that says where they are on femur and tibia, see `read_clusters`.
            gap: s, the longest time without three markers of a bone that is bridged.
        """
        word("flexion", "bone", of, ("tibia", "femur"))
        name = Path(path).name if isinstance(path, (str, Path)) else ""
        if markers or Path(name).suffix.lower() in (".trc", ".c3d"):
            if not markers:
                refuse(f"motion {name!r}", "it has markers, and nobody knows where they are on the bones",
                       "tell it by markers=, a table with heads marker,bone,x [mm],y [mm],z [mm] in axes of femur and tibia")
            raw, fits = relative_motion(read_clusters(path, markers), "femur", "tibia", gap)
            of, said = "femur", f"{name}, {fits}"
        else:
            raw, said = Motion.read(path, axes or known_axes(path, names), names=names), f"{name}, poses of the {of}"
        motion = raw
        if number("flexion", "smoothing [Hz]", smoothing, low=0.0) > 0.0:
            motion = raw.smoothed(smoothing)
            far, turned = motion.largest_distance(raw)
            said += f", smoothed at {smoothing:g} Hz (by {1e3 * far:.2g} mm, {np.degrees(turned):.2g}° at most)"
        motion, raw = (each.inverted() if of == "tibia" else each for each in (motion, raw))
        found = cls(motion, raw.times, said, raw, float(smoothing))
        if np.median(found.degrees) < BACKWARDS:
            refuse(f"motion {name!r}", f"the knee bends backwards, to {found.degrees.min():.0f}° of flexion",
                   "a minus turns a column round, names='flexion=-knee_angle_r'; of= tells whose poses they are")
        return found

    def __len__(self):
        return len(self.instants)

    @cached_property
    def poses(self):
        """(m, 4, 4) of the femur in axes of the tibia."""
        return self.poses_at(self.instants)

    def poses_at(self, times):
        """(k, 4, 4) at some times."""
        return np.array([self.motion.pose(time) for time in times])

    @cached_property
    def angles(self):
        """(m, 3) deg: flexion, varus, internal turn of the tibia."""
        return angles_of(self.poses)

    @property
    def degrees(self):
        """(m,) deg of flexion."""
        return self.angles[:, 0]

    def nearest(self, degrees):
        """The flexion [deg] that it comes to and that is nearest to one asked for."""
        return float(np.clip(degrees, self.degrees.min(), self.degrees.max()))

    def pose_at(self, degrees):
        """(4, 4) where it first comes through a flexion [deg]."""
        degrees, found = number("flexion", "at [deg]", degrees), self.degrees
        beyond = np.flatnonzero((found[:-1] - degrees) * (found[1:] - degrees) <= 0.0)
        if not len(beyond):
            refuse("flexion", f"it does not come to {degrees:g}°", f"it goes from {found.min():.1f}° to {found.max():.1f}°")
        low, high = self.instants[beyond[0]:beyond[0] + 2]
        rising = found[beyond[0] + 1] > found[beyond[0]]
        for _ in range(60):
            middle = 0.5 * (low + high)
            if (angles_of(self.poses_at([middle]))[0, 0] < degrees) == rising:
                low = middle
            else:
                high = middle
        return self.motion.pose(high)

    def slowly(self, duration, samples=4):
        """(Motion, (m,) s): the same way, from rest to rest within a duration [s], and the times of its poses.

        The share of the way is 10 u³ − 15 u⁴ + 6 u⁵, which starts and ends without speed and acceleration.
        """
        share = np.linspace(0.0, 1.0, samples * len(self) + 1)
        first, last = self.instants[0], self.instants[-1]
        poses = self.poses_at(first + (last - first) * share**3 * (10.0 - 15.0 * share + 6.0 * share**2))
        fine = np.linspace(0.0, 1.0, 20 * len(share))
        own = np.interp((self.instants - first) / (last - first), fine**3 * (10.0 - 15.0 * fine + 6.0 * fine**2), fine)
        return Flexion.of(duration * share, poses, self.said).motion, duration * own


def known_axes(path, names=None):
    """The convention that the heads of a file of poses tell."""
    table = table_of(path)
    poses = Poses(table, names)
    for axes, column in TOLD.items():
        if poses.head(column) is not None:
            return axes
    heads = list(table.titles)
    return refuse(table.where, f"its heads {', '.join(heads[:SHOWN])} do not tell how turns are meant",
                  f"name the convention of turns, axes=, one of {', '.join(TURNS)}; or its columns: "
                  "names='flexion=knee_angle_r,…'")
