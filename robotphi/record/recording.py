"""The recording: what happened, as arrays over time."""
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from os import PathLike
from pathlib import Path

import numpy as np

from robotphi.errors import FrameError, RecordingError
from robotphi.kernels.step.codes import ENDS
from robotphi.record import choice, columns, said_again
from robotphi.record import contacts as contact_table
from robotphi.record import hits as contact_hits
from robotphi.record import joints as joint_table
from robotphi.record import motion as motion_out
from robotphi.record.file import read_file, write_file
from robotphi.record.frames import Frames, frames_between
from robotphi.record.springs import broke_at
from robotphi.scene.checks import number

STATUSES = tuple(ENDS)


@dataclass(frozen=True, eq=False)
class Recording:
    """What a simulation did. `f` frames, `n` particles, `r` rigids, `k` rows of step history; all arrays are read-only.

    Attributes:
        time: instants of the frames [s], (f,).
        position: of the particles, those of rigids included [m], (f, n, 3).
        velocity: of the particles [m/s], (f, n, 3).
        rigid_position: centres of mass [m], (f, r, 3).
        rigid_orientation: quaternions (w, x, y, z), principal frame to world, (f, r, 4).
        rigid_velocity: of the centres [m/s], (f, r, 3).
        rigid_spin: angular velocity, world frame [rad/s], (f, r, 3).
        rigid_momentum: angular momentum about the centre, world frame [kg·m²/s], (f, r, 3).
        ledger: name of the entry → energy [J], (f,).
        sensors: name of the sensor → its value over time, (f,) or (f, 3).
        steps: `time`, `dt`, `residual`, `limit` of accepted steps and the `cause` of the limit (`record.causes` has its name),
            (k,); a row stands for `info["step_stride"]` steps.
        counts: attempts, accepted, refused, evaluations, … over the whole run.
        status: how the run ended, one of `STATUSES`.
        info: plain JSON values: scene, scheme, control, budget, versions, sizes, wall time.
        checkpoint: name → state of each frame, (f, …): what a run needs to go on from there.
        scene_digest: fingerprint of the model; a run may go on only with the same.
        rows: name of a table → column → rows of all frames one after the other; those of frame i are `start[i]` to
            `start[i + 1]` of its column "start", (f + 1,). Tables: see `contacts` and `contact_vertices`; the others are
            part of what a run needs to go on. Empty where nothing can touch.
        statements: what was said to the scene, see `Scene.statements`: scene and model are made of them anew.
        path: of the file in which it lies, if there is one.
    """

    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    rigid_position: np.ndarray
    rigid_orientation: np.ndarray
    rigid_velocity: np.ndarray
    rigid_spin: np.ndarray
    rigid_momentum: np.ndarray
    ledger: dict
    sensors: dict = field(default_factory=dict)
    steps: dict = field(default_factory=dict)
    counts: dict = field(default_factory=dict)
    status: str = "done"
    info: dict = field(default_factory=dict)
    checkpoint: dict = field(default_factory=dict)
    scene_digest: str = ""
    rows: dict = field(default_factory=dict)
    statements: tuple = ()
    path: Path | None = None

    def __post_init__(self):
        if "checkpoint" not in choice.kept(self).groups:
            object.__setattr__(self, "checkpoint", choice.Lacking(self.checkpoint))
        for array in _arrays_of(self):
            array.setflags(write=False)

    def __len__(self):
        """Number of frames."""
        return len(self.time)

    def __repr__(self):
        span = f"{self.time[0]:g} … {self.time[-1]:g} s" if len(self) else "no frames"
        return (f"<Recording of {self.info.get('scene', 'a scene')}: {len(self)} frames, {span}, "
                f"{self.position.shape[1]} particles, {self.rigid_position.shape[1]} rigids, {self.status}>")

    def _repr_html_(self):
        """What a notebook shows: a page that plays the recording; None where there is nothing to play."""
        from robotphi.view.page import notebook_frame

        return notebook_frame(self) if len(self) and self.statements else None

    @cached_property
    def scene(self):
        """The Scene that was simulated, said again from its statements when first asked for."""
        return said_again.scene_of(self)

    @cached_property
    def model(self):
        """The Model of the `scene`."""
        return said_again.model_of(self)

    def frame_at(self, time):
        """Index of the frame nearest to `time` [s]."""
        if not len(self):
            raise RecordingError("this recording has no frame")
        return int(np.argmin(np.abs(self.time - number("frame_at", "time", time))))

    def frame_index(self, frame):
        """The number of a frame, counted from 0; negative ones count from the end, −1 is the last."""
        count = len(self)
        if isinstance(frame, (bool, np.bool_)) or not isinstance(frame, (int, np.integer)):
            raise FrameError(f"frame is {frame!r:.60}; give one whole number, 0 to {count - 1}, or -1 back to -{count}; "
                             "frame_at(time) gives the frame nearest to a time")
        if not -count <= frame < count:
            allowed = f"use 0 to {count - 1}, or -1 back to -{count} from the end" if count else "it holds none"
            raise FrameError(f"frame {frame} is not in this recording of {count} frames; {allowed}")
        return int(frame) % count

    def frames(self, begin=None, end=None, every=1):
        """Frames one after the other, with memory for one of them: `with recording.frames(0.5, 1.0) as frames: for frame in …`.

        Each is a `frames.Frame`, whose arrays are views of the recording.

        Args:
            begin, end: times [s] of the first and the last; all unless told.
            every: so many frames, one.
        """
        begin, end = (None if time is None else number("frames", "time", time) for time in (begin, end))
        if not isinstance(every, int) or every < 1:
            raise FrameError(f"every is {every!r:.60}; give a whole number, 1 for all frames")
        return Frames(self, frames_between(self, begin, end, every))

    def to_pandas(self, *names):
        """A DataFrame over time of sensors, entries of the ledger or joints, with units in the names; needs pandas.

        `names`: of sensors and entries, "joint:NAME"; "sensors", "ledger" and "joints" for all; sensors and ledger unless told.
        """
        return columns.to_pandas(self, names or columns.USUAL)

    def frame_rows(self, table, frame):
        """Column → rows of one frame of a table of `rows`."""
        frame = self.frame_index(frame)
        rows = self.rows[table]
        own = slice(int(rows["start"][frame]), int(rows["start"][frame + 1]))
        return {name: values[own] for name, values in rows.items() if name != "start"}

    def contacts(self, frame=-1):
        """All contacts of a frame, one row for two parts that touch: a `contacts.Contacts`, SI; −1 is the last frame."""
        return contact_table.contacts(self, frame)

    def contact_vertices(self, frame=-1):
        """The vertices of soft parts that rub on something in a frame: a `contacts.ContactVertices`, SI.

        Only friction is held vertex by vertex: contacts without it have no such rows, those of `contacts` are all of them.
        """
        return contact_table.contact_vertices(self, frame)

    def contact_forces(self, first, second):
        """Force of contact, pressure and friction, on `first` by `second` [N], (f, 3). Names of things or of their parts."""
        return contact_table.force_between(self, first, second)

    def contact_force(self, name):
        """Force of all contacts on a thing or one of its parts by others [N], (f, 3)."""
        return contact_table.force_between(self, name, None)

    @cached_property
    def commands(self):
        """Name of each command → (times [s], values) of what it was set to, the first of them at the first frame."""
        rows, kept = self.rows.get("commands", {}), self.checkpoint.get("commands")
        return {name: (np.concatenate((self.time[:1], rows["time"][rows["command"] == number])),
                       np.concatenate((kept[:1, number, -1], rows["value"][rows["command"] == number])))
                for number, (name, _) in enumerate(self.info.get("commands", []))}

    def joint(self, joint, freedom=None):
        """What a joint does over time: a `joints.JointReading`, SI, (f,) of one freedom, else (f, k).

        Args:
            joint: name or handle.
            freedom: the name of one of several, such as "angle"; all where left out.
        """
        return joint_table.joint(self, joint, freedom)

    def motion(self, joints=None, rate=None, tool=None):
        """What joints do over time, for robots and other programs: a `motion.Motion`, SI; it saves itself, and checks limits.

        Args:
            joints: names or handles, of one freedom "joint:freedom"; all that have coordinates unless told.
            rate: instants per second, between which the robot goes on by itself; the frames unless told.
            tool: a rigid, or a mark as (thing, name), whose poses are to be told as well.
        """
        return motion_out.motion(self, joints, rate, tool)

    def broke_at(self, springs):
        """When each of a block of linear springs broke [s], (m,); NaN of those that are whole at the end.

        Args:
            springs: name or handle of a block.
        """
        return broke_at(self, springs)

    def hits(self, first, second, scene=None, pause=0.0):
        """What two things that touch did to each other, hit by hit: a list of `hits.Hit`, SI.

        A hit is a run of frames in which they touch; what is shorter than a frame may be missing, and a warning tells where the
        speed of one jumps. Numbers of hits that were under way in the first or last frame are NaN where a frame lacks.

        Args:
            first, second: names of things or of their parts, as in `contact_forces`.
            scene: the Scene, or its Model, from which the recording was made, where it is at hand; its own `model` unless told.
            pause: breaks up to that time [s] are part of a hit, as when something soft bounces off part by part.
        """
        return contact_hits.hits(self, first, second, scene, pause)

    def save(self, path):
        """Write one file, which VTK and ParaView play where its name ends in .vtkhdf; an existing file is replaced only by a
        whole new one. Returns the path.
        """
        return write_file(self, _path(path))

    @classmethod
    def load(cls, path, damaged=False):
        """Read a file written by `save`, bit for bit.

        `damaged`: also one whose frames are not those that were written any more, by a flipped bit, to see what is left of it.
        """
        return cls(**read_file(_path(path), damaged), path=_path(path))

    def filed(self, path):
        """The same recording, which lies in a file."""
        return replace(self, path=path)


def _path(path):
    if not isinstance(path, (str, PathLike)):
        raise RecordingError(f"{path!r:.60} is no path of a recording; give one such as \"recording.vtkhdf\"")
    return Path(path)


def _arrays_of(recording):
    for each in fields(recording):
        value = getattr(recording, each.name)
        yield from _arrays_in(value)


def _arrays_in(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _arrays_in(member)
