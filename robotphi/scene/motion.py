"""Motions: poses over time that lead bodies; places and turns as tables in each of their components.

A quaternion is a table in each of its four numbers, read as the turn that it has when brought to length one. So a motion is as
smooth as its tables, and its spin is exact; what a spline of poses is off between them shrinks with the fourth power of their
distance, and the turn about a fixed axis at a constant rate is a motion of two sines.
"""
from dataclasses import dataclass

import numpy as np

from robotphi.errors import SceneError
from robotphi.scene.checks import floats, frozen, number, refuse, vector, word
from robotphi.scene.drive import KINDS, Drive, as_drive
from robotphi.scene.motion_poses import check_places, steady_turns
from robotphi.scene.saying import made
from robotphi.scene.turns import matrix_of, quaternion_of

SHORTEST = 1e-3          # length of a quaternion between poses, of those at them
PLACE, TURN = ("x", "y", "z"), ("w", "i", "j", "k")


@made
@dataclass(frozen=True, eq=False, init=False)
class Motion:
    """A pose over time.

    Attributes:
        drives: of x, y, z [m] and of the quaternion (w, x, y, z).

    Args:
        times: [s], growing.
        positions: (k, 3) m. From nine poses on what moves in one interval alone, all being still before and after, is refused
            as a leap; fewer may be stages between which it stands.
        quaternions: (k, 4) w, x, y, z, of any length but none; None for a motion without turns.
        kind: "cubic", a spline through the poses, or "linear", which starts and stops at each of them.
    """
    drives: tuple

    def __init__(self, times, positions, quaternions=None, kind="cubic"):
        where = "motion"
        word(where, "kind", kind, KINDS)
        times, places = floats(where, "times", times), floats(where, "positions", positions)
        if times.ndim != 1 or places.shape != (len(times), 3) or len(times) < 2:
            refuse(where, f"times has shape {times.shape} and positions {places.shape}",
                   "give (k,) times and (k, 3) positions of two poses at least")
        backward = np.flatnonzero(np.diff(times) <= 0.0)
        if len(backward):
            i = int(backward[0]) + 1
            refuse(where, f"the pose at {times[i]:g} s follows that at {times[i - 1]:g} s",
                   "times must grow from each to the next", i)
        still = np.tile((1.0, 0.0, 0.0, 0.0), (len(times), 1))
        turns = still if quaternions is None else steady_turns(where, quaternions, times)
        check_places(where, times, places)
        table = [Drive.table(times, column, kind=kind) for column in (*places.T, *turns.T)]
        object.__setattr__(self, "drives", tuple(table))

    @classmethod
    @made
    def of_drives(cls, x=0.0, y=0.0, z=0.0, w=1.0, i=0.0, j=0.0, k=0.0, duration=None):
        """Each number of the pose by itself, (x, y, z) [m] and quaternion (w, i, j, k): Drives or numbers; with a duration [s]
        functions of time as well."""
        where, given = "motion of_drives", (x, y, z, w, i, j, k)
        duration = None if duration is None else number(where, "duration", duration, above=0.0)
        found = []
        for what, one in zip((*PLACE, *TURN), given, strict=True):
            if callable(one) and duration is None and not isinstance(one, Drive):
                refuse(where, f"{what} is a function of time, and there is no duration", "give duration= [s], for which it is "
                       "sampled, or a Drive")
            found.append(as_drive(where, what, one, duration))
            if found[-1].jumps:
                refuse(where, f"{what} jumps", "nothing can follow a jump: use Drive.table with short ramps")
        if any(callable(one) and not isinstance(one, Drive) for one in given):
            return cls.of_drives(*found)   # what was sampled can be said again, a function cannot
        return _of(where, found)

    @classmethod
    @made
    def spinning(cls, axis, rate, through=(0.0, 0.0, 0.0), start=0.0):
        """A turn at a constant rate [rad/s] about a fixed axis through a point [m], from an angle on [rad]."""
        where = "motion spinning"
        axis, through = vector(where, "axis", axis), vector(where, "through", through)
        rate, start, size = number(where, "rate", rate), number(where, "start", start), np.linalg.norm(axis)
        if not size > 0.0:
            refuse(where, "the axis is zero", "give a direction such as (0, 0, 1)")
        axis = axis / size
        along = (axis @ through) * axis
        across = through - along
        beside = np.cross(axis, across)
        # c − R c = c⊥ − c⊥ cos − (n × c⊥) sin
        places = [_sines(across[a], -across[a], -beside[a], rate, start) for a in range(3)]
        turns = [_sines(0.0, 1.0, 0.0, 0.5 * rate, 0.5 * start), *(_sines(0.0, 0.0, n, 0.5 * rate, 0.5 * start) for n in axis)]
        return _of(where, [*places, *turns])

    @classmethod
    def read(cls, path, axes="quaternion", kind="cubic", names=None):
        """A table of poses out of a file of comma-separated values, with units in its heads: time [s], x [mm], y [mm], z [mm]
        and the turn in a convention `axes`; or out of a MOT or STO file of OpenSim.

        Args:
            path: of the file.
            axes: "quaternion" (columns qw, qx, qy, qz), "rotation-vector" (rx, ry, rz [deg] or [rad]), "euler-xyz" and other
                orders (angles rx, ry, rz about axes that turn along: R = Rx Ry Rz), "roll-pitch-yaw" (columns roll, pitch, yaw,
                R = Rz(yaw) Ry(pitch) Rx(roll)), "grood-suntay" of knees (flexion, varus,
                internal: R = Rz(−flexion) Rx(varus) Ry(internal)), or "matrix" (r11, r12, … r33, row by row).
            kind: as of a Motion.
            names: where columns are called otherwise, what is meant → its column, with a minus for the other sense, or a
                number; a dict or words: names="flexion=-knee_angle_r,z=0".
        """
        from robotphi.scene.motion_file import read_poses

        found = read_poses(path, axes, names)
        try:
            return cls(*found, kind=kind)
        except SceneError as error:
            raise SceneError(f"poses of {str(path)!r}: {error}") from None

    @classmethod
    def of(cls, recording, rigid):
        """What a rigid of a recording did, by its handle or name: its centre and its principal axes."""
        if not hasattr(recording, "rigid_orientation"):
            refuse("motion of a recording", f"{recording!r:.60} is no recording", "give what simulate or Recording.load gave")
        name = getattr(rigid, "name", rigid)
        names = [one.name for one in recording.scene.rigids]
        index = names.index(word("motion of a recording", "rigid", name, tuple(names)))
        return cls(recording.time, recording.rigid_position[:, index], recording.rigid_orientation[:, index])

    @property
    def times(self):
        """Instants of its poses [s]; none of a motion that is no table."""
        starts = [one.piece[np.abs(one.piece[:, 0]) < 1e29, 0] for one in self.drives]
        return np.unique(np.concatenate(starts)) if any(len(one) > 1 for one in starts) else np.empty(0)

    def poses(self, times):
        """((k, 3) m, (k, 4)) at some times."""
        times = np.atleast_1d(floats("motion poses", "times", times))
        if times.ndim != 1:
            refuse("motion poses", f"times has shape {times.shape}", "give one list of them")
        turns = np.stack([one.value(times) for one in self.drives[3:]], axis=1)
        return (np.stack([one.value(times) for one in self.drives[:3]], axis=1),
                turns / np.linalg.norm(turns, axis=1, keepdims=True))

    def smoothed(self, cutoff):
        """The same without what is faster than a frequency [Hz]: a Butterworth filter of fourth order there and back.

        It is taken at as many poses in equal steps as the table has; `largest_distance` tells what that changes.
        """
        from scipy.signal import butter, sosfiltfilt

        where, times = "motion smoothed", self.times
        if len(times) < 20:
            refuse(where, f"it has {len(times)} poses", "give a table of twenty at least")
        even = np.linspace(times[0], times[-1], len(times))
        rate = (len(times) - 1) / (times[-1] - times[0])
        cutoff = number(where, "cutoff [Hz]", cutoff, above=0.0, high=0.49 * rate)
        places, turns = self.poses(even)
        turns[1:] *= np.cumprod(np.where(np.einsum("ij,ij->i", turns[1:], turns[:-1]) < 0.0, -1.0, 1.0))[:, None]
        both = sosfiltfilt(butter(4, cutoff, fs=rate, output="sos"), np.hstack((places, turns)), axis=0)
        return Motion(even, both[:, :3], both[:, 3:])

    def largest_distance(self, other):
        """(m, rad) by which two motions differ at most, at the poses of either."""
        times = np.union1d(self.times, as_motion("motion largest_distance", other).times)
        (a, p), (b, q) = self.poses(times), other.poses(times)
        near = np.minimum(np.abs(np.einsum("ij,ij->i", p, q)), 1.0)
        return float(np.linalg.norm(a - b, axis=1).max(initial=0.0)), float(2.0 * np.arccos(near.min(initial=1.0)))

    def inverted(self):
        """The motion of what this one is told in: poses of the frame as seen from the body, at the instants of the table."""
        times = self.times
        if not len(times):
            refuse("motion inverted", "it is no table", "give Motion(times, positions, quaternions)")
        places, turns = self.poses(times)
        back = np.einsum("kji,kj->ki", matrix_of(turns), -places)
        return Motion(times, back, turns * (1.0, -1.0, -1.0, -1.0))

    def pose(self, time=0.0):
        """(4, 4) at a time [s]."""
        time, matrix = number("motion pose", "time", time), np.eye(4)
        q = np.array([float(one.value(time)) for one in self.drives[3:]])
        matrix[:3, :3] = matrix_of(q / np.linalg.norm(q))
        matrix[:3, 3] = [float(one.value(time)) for one in self.drives[:3]]
        return matrix

    def speed(self, time=0.0):
        """(velocity of its origin [m/s], spin [rad/s]) at a time."""
        time = number("motion speed", "time", time)
        q, rate = (np.array([float(getattr(one, what)(time)) for one in self.drives[3:]]) for what in ("value", "rate"))
        spin = 2.0 * (q[0] * rate[1:] - rate[0] * q[1:] - np.cross(rate[1:], q[1:])) / (q @ q)
        return np.array([float(one.rate(time)) for one in self.drives[:3]]), spin

    @property
    def quaternion(self):
        """(4,) at the start, of length one."""
        return quaternion_of(self.pose()[:3, :3])


def _of(where, drives):
    motion = Motion.__new__(Motion)
    object.__setattr__(motion, "drives", tuple(drives))
    knots = np.unique(np.concatenate([[0.0], *(one.piece[np.abs(one.piece[:, 0]) < 1e29, 0] for one in drives[3:])]))
    times = np.concatenate([knots, 0.5 * (knots[1:] + knots[:-1])])
    size = np.sqrt(sum(one.value(times) ** 2 for one in drives[3:]))
    if not size.min() > SHORTEST * max(size.max(), 1e-300):
        refuse(where, f"its quaternion comes to nothing at {times[size.argmin()]:g} s", "a turn needs one of some length")
    return motion


def _sines(offset, of_cosine, of_sine, rate, start):
    """offset + a cos(ω t + ϕ) + b sin(ω t + ϕ) as a Drive."""
    size = float(np.hypot(of_cosine, of_sine))
    if size == 0.0:
        return Drive.constant(offset)
    phase = np.arctan2(of_cosine, of_sine)
    turn = start if rate >= 0.0 else -start          # frequencies are not negative: sin(−ω t + ϕ) = −sin(ω t − ϕ)
    sign, phase = (1.0, phase) if rate >= 0.0 else (-1.0, -phase)
    return Drive.sine(sign * size, abs(rate) / (2.0 * np.pi), phase=turn + phase, offset=offset)


def as_motion(where, value):
    """A Motion that a body may follow."""
    if not isinstance(value, Motion):
        refuse(where, f"motion is {value!r:.60}", "give a Motion, such as Motion(times, positions, quaternions)")
    return value


def places_in(motion, places):
    """(n, 3) m of places as drawn, where the motion starts, in its frame."""
    start = motion.pose()
    return frozen((np.asarray(places) - start[:3, 3]) @ start[:3, :3])
