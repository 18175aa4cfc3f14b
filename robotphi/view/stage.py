"""The stage: what there is to be seen in a recording and where it is at a frame, whoever draws it.

Everything comes from the recording alone, whose statements make its scene anew; a scene or model that is at hand saves that.
"""
import os
from functools import cached_property, update_wrapper

import numpy as np

from robotphi.kernels.mechanism.kinds import JOINTS
from robotphi.kernels.springs.table import DRAWN, KINDS
from robotphi.record.acts import act_reading
from robotphi.scene.touching import TouchingBalls, TouchingField, TouchingObject, TouchingPlane, TouchingRound
from robotphi.scene.turns import matrix_of

AXIS = 0.25   # of what a child reaches: half the line that stands for the axis of its joint
LEAST = 0.3   # of the longest line of a joint
USUAL = 0.98  # share of springs within the colour scale: a few extreme ones must not pale all others


class Stage:
    """What a recording shows. Rows of arrays are particles of the scene; what is worked out is worked out when asked for.

    Attributes:
        recording: the frames.
        scene: what was simulated.
    """

    def __init__(self, recording, scene=None):
        self.recording = recording
        self.scene = recording.scene if scene is None else getattr(scene, "scene", scene)   # a Model knows its scene

    # what there is

    @cached_property
    def free(self):
        """Particles that belong to no rigid."""
        return np.flatnonzero(self.scene.rigid_of_particle < 0)

    @cached_property
    def held(self):
        """Free particles with a mass that a support or a drive holds on every axis."""
        found = [block.indices[_decided(block) & (block.mass > 0.0)] for block in self.scene.particle_blocks if block.rigid < 0]
        return np.concatenate([np.empty(0, int), *found])

    @cached_property
    def rigids(self):
        """Particles of each rigid."""
        return [rigid.particles for rigid in self.scene.rigids]

    def springs(self, kind):
        """(m, 2 | 3 | 4) particles of the springs of a kind, in the order of its ends."""
        ends = KINDS[kind].ends
        blocks = [np.stack([getattr(block, end) for end in ends], axis=1) for block in self.scene.springs[kind]]
        return np.concatenate([np.empty((0, len(ends)), np.int32), *blocks])

    @cached_property
    def lines(self):
        """(m, 2) ends of the springs that pictures show as lines."""
        return np.concatenate([np.empty((0, 2), np.int32), *(self.springs(kind)[:, :2] for kind in DRAWN)])

    @cached_property
    def rest_lengths(self):
        """(m,) m, of the `lines`; NaN where there is none, see `shown_rest`."""
        return np.concatenate([np.empty(0), *(shown_rest(block, getattr(block, KINDS[kind].rest.name)) for kind in DRAWN
                                              for block in self.scene.springs[kind])])

    @cached_property
    def surfaces(self):
        """Name → Placed of all that has facets: objects, and links of robots that touch."""
        return placed_of(self.scene)

    @cached_property
    def rounds(self):
        """Balls, capsules and cylinders that touch."""
        return self._touching(TouchingRound)

    @cached_property
    def balls(self):
        """Particles with a size."""
        return self._touching(TouchingBalls)

    @cached_property
    def planes(self):
        """Half spaces, fixed in the world or on a rigid."""
        return self._touching(TouchingPlane)

    @cached_property
    def fields(self):
        """Height fields."""
        return self._touching(TouchingField)

    def _touching(self, kind):
        return [thing for thing in self.scene.touching.values() if isinstance(thing, kind)]

    # where it is

    def chosen(self, frames):
        """Indices of frames from their number, evenly spread over the run, or from themselves."""
        last = len(self.recording) - 1
        return np.unique(np.linspace(0, last, frames).round().astype(int)) if np.ndim(frames) == 0 else np.asarray(frames)

    def titles(self, chosen, digits=3):
        """The instants of some frames, for people."""
        return [f"t = {self.recording.time[index]:.{digits}g} s" for index in chosen]

    def position(self, frame):
        """(n, 3) m, of all particles."""
        return self.recording.position[frame]

    def carried(self, points, rigid, frame):
        """Points of the first frame [m] that a rigid takes along, at a frame."""
        record = self.recording
        turn = matrix_of(record.rigid_orientation[frame, rigid]) @ matrix_of(record.rigid_orientation[0, rigid]).T
        return record.rigid_position[frame, rigid] + (points - record.rigid_position[0, rigid]) @ turn.T

    @property
    def all_joints(self):
        """Exact joints, then those by springs."""
        return [*self.scene.joints, *self.scene.spring_joints]

    @cached_property
    def joint_reaches(self):
        """(j,) m, half the line that stands for each joint: a share of what its child reaches, and of the widest so
        much that it is seen; 0 without an axis."""
        own = np.array([AXIS * self._reach(joint) for joint in self.all_joints])
        axes = [JOINTS[joint.kind].needs_axis for joint in self.all_joints]
        return np.where(axes, np.maximum(own, LEAST * own.max(initial=0.0)), 0.0)

    def _reach(self, joint):
        """m, how far the child stands off, with its centre and all particles."""
        child = self.scene.rigids[joint.child.index]
        return float(np.linalg.norm(np.vstack((child.centre, self.scene.position[child.particles])) - joint.at, axis=1).max())

    def joints(self, frame):
        """(j, 2, 3) m, ends of a short line through each joint along its axis; of one without axis both where it is."""
        found = []
        for joint, reach in zip(self.all_joints, self.joint_reaches, strict=True):
            at, axis = self.carried(joint.at, joint.child.index, frame), joint.frame[:, 0]
            if joint.parent is not None:
                ends = self.carried(np.stack((joint.at, joint.at + axis)), joint.parent.index, frame)
                axis = ends[1] - ends[0]
            found.append((at - reach * axis, at + reach * axis))
        return np.reshape(found, (-1, 2, 3))

    @cached_property
    def tensions(self):
        """Number of a tendon among the acts → (f,) its tension as a share of the largest of all of them in the run."""
        record = self.recording
        found = {number: act_reading(record.model, number, "tension", record)
                 for number, act in enumerate(self.scene.acts) if act.kind == "tendon"}
        largest = max((float(pull.max()) for pull in found.values()), default=0.0)
        return {number: pull / largest if largest > 0.0 else pull for number, pull in found.items()}

    @cached_property
    def motor_efforts(self):
        """Name of a joint with a motor → (f,) what drives its coordinate on, by motors and all else [N·m, N]."""
        driven = dict.fromkeys(motor.joint for motor in self.scene.motors)
        readings = {name: np.asarray(self.recording.joint(name).effort) for name in driven}
        return {name: each if each.ndim == 1 else each[:, 0] for name, each in readings.items()}

    def forces(self, frame):
        """Where virtual forces pull at a frame [m] and how hard [N], (k, 3) each; torques have no place and are left out."""
        record, time, found = self.recording, self.recording.time[frame], []
        for force in self.scene.forces:
            if force.kind in ("particle", "rigid"):
                place = (record.position if force.kind == "particle" else record.rigid_position)[frame, force.target]
                pulled = force.vector * (1.0 if force.drive is None else force.drive.value(time))
                found += zip(np.atleast_2d(place), np.atleast_2d(pulled), strict=True)
        return np.array(found).reshape(-1, 2, 3).swapaxes(0, 1)

    def contacts(self, frame):
        """All contacts of a frame with their forces, as `Recording.contacts`."""
        return self.recording.contacts(int(frame))


def placed_of(scene):
    """Name → Placed of all that has facets: objects, and links of robots that touch."""
    links = {name: thing.placed for name, thing in scene.touching.items() if isinstance(thing, TouchingObject)}
    return {**scene.objects, **{name: placed for name, placed in links.items() if name not in scene.objects}}


def _decided(block):
    """(m,) whether a support or a drive decides every coordinate of a particle."""
    return (block.support | np.array([axis in block.drive for axis in "xyz"])).all(axis=1)


def staged(draw):
    """A picture of a stage, drawn of a recording as well: `draw(recording, path, …)`, or `draw(recording, scene, path, …)`
    with the Scene or Model of which it was made, where that is at hand. Without a path it gives a `style.Picture`.
    """
    def drawing(recording, *given, scene=None, **options):
        if given and not isinstance(given[0], (str, os.PathLike, type(None))):
            scene, *given = given
        stage = recording if isinstance(recording, Stage) else Stage(recording, scene)
        return draw(stage, *given, **options)

    return update_wrapper(drawing, draw)


def shown_rest(block, rest):
    """Rest lengths of springs; NaN where elongation says nothing: of dampers, and where the ends are to meet."""
    idle = (np.asarray(block.stiffness) == 0.0) if getattr(block, "table", None) is None else False
    return np.where(idle | (rest <= 0.0), np.nan, rest)


def largest_usual(shares):
    """What few of the shares exceed; those of springs without rest length, NaN, do not count."""
    known = np.abs(shares[np.isfinite(shares)])
    return max(float(np.quantile(known, USUAL)) if len(known) else 0.0, 1e-9)
