"""Scene: what the user says, checked at the door and kept as frozen blocks of arrays, in SI units."""
from dataclasses import replace

import numpy as np

from robotphi.kernels.springs.table import KINDS
from robotphi.scene import rigid as rigids
from robotphi.scene.blocks import ParticleBlock
from robotphi.scene.checks import AXES, axes, first_true, floats, frozen, number, numbers, refuse, vector, vectors, whole, word
from robotphi.scene.poses import mark_rigid, posed_rigid
from robotphi.scene.said_data import from_data
from robotphi.scene.say_again import say_again
from robotphi.scene.saying import said
from robotphi.scene.scene_acts import SceneActs
from robotphi.scene.scene_control import SceneControl
from robotphi.scene.scene_joints import SceneJoints
from robotphi.scene.scene_loads import SceneLoads
from robotphi.scene.scene_springs import SceneSprings
from robotphi.scene.scene_touching import SceneTouching
from robotphi.scene.scene_values import SceneValues
from robotphi.scene.stepping import Stepping

FRAMES = 200
MOST_FRAMES = 10**8      # of which the times alone fill 0.8 GB


class Scene(SceneSprings, SceneTouching, SceneLoads, SceneActs, SceneJoints, SceneControl, SceneValues):
    """A description of particles, rigid primitives, springs, what touches, forces and sensors.

    Springs, what touches, what acts from outside and joints have files of their own: `scene_springs`, `scene_touching`,
    `scene_loads`, `scene_acts`, `scene_joints`, likewise what is set while it runs, `scene_control`.

    Wherever a drive is taken, a number (constant) or a Python function of time [s] will do as well: the function is sampled
    over the duration by `Drive.from_function`, and `sampling_errors` tells how far its table is off.

    Args:
        name: what the recording will be called.
        duration: simulated time [s].
        frames: number of recorded intervals (the recording holds one instant more); 200 unless told.
        gravity: acceleration [m/s²], (3,).
        stepping: scheme and step control.
        frame_interval: time between frames [s], instead of `frames`.
    """

    _speaking = False         # whether a verb is being said

    @said
    def __init__(self, name, duration=10.0, frames=None, gravity=(0.0, 0.0, -9.81), stepping=None, frame_interval=None):
        where = f"scene {name!r}"
        if not isinstance(name, str) or not name:
            refuse("scene", f"name is {name!r}", "give a word")
        self.name = name
        self.duration = number(where, "duration", duration, above=0.0)
        self.frames = _frames(where, self.duration, frames, frame_interval)
        self.gravity = vector(where, "gravity", gravity)
        self.stepping = Stepping() if stepping is None else stepping
        if not isinstance(self.stepping, Stepping):
            refuse(where, f"stepping is {stepping!r:.60}", "give a Stepping(...)")
        self.things = {}          # name → block, rigid, springs or force, in the order they were added
        self.particle_blocks, self.rigids, self.forces, self.sensors = [], [], [], []
        self.springs = {kind: [] for kind in KINDS}
        self.joints = []          # Joint, …: exact ones
        self.relations = []       # Relation, …: of their coordinates
        self.motors = []          # Motor, …: that drive them by efforts
        self.spring_joints = []   # SpringJoint, …
        self.objects = {}         # name → Placed
        self.stiff = {}           # name of a stiff object → the step it is to allow [s], True or "auto"
        self.acts = []            # PlacedAct, …: all other acts from outside
        self.commands = {}        # name → Command, what is set while it runs
        self.controllers = {}     # name → Controller, what sets it
        self.medium = None        # Medium, where there is one
        self.touching = {}        # name → what touches, in the order it was added
        self.between = []         # Between, …: laws of pairs and pairs that never touch; of two laws the later one counts
        self.particle_count = 0
        self.extent = 0.0         # m, largest coordinate of any particle
        self._position, self._rigid = np.empty((16, 3)), np.empty(16, dtype=np.int32)
        self._statements, self._handles = [], {}   # what was said; name → handle of a rod or cloth

    @classmethod
    def from_statements(cls, statements):
        """The scene that says all this: `Scene.statements`, `Recording.statements`, or the plain data made of them.

        Its model is the same to the bit where it is built by the same version on a processor of the same kind.
        """
        return say_again(cls, from_data(statements) if isinstance(statements, dict) else statements)

    @property
    def statements(self):
        """What was said to this scene, in its order: a tuple of `Statement`, the first of them its own making."""
        return tuple(self._statements)

    def __repr__(self):
        counts = ", ".join(f"{self.spring_count(kind)} {kind}" for kind in KINDS)
        return f"<Scene {self.name!r}: {self.particle_count} particles, {len(self.rigids)} rigids, springs {counts}>"

    @property
    def frame_interval(self):
        """Time between two frames [s]."""
        return self.duration / self.frames

    @property
    def frame_times(self):
        """(frames + 1,) s, instants that are recorded."""
        return np.arange(self.frames + 1) / self.frames * self.duration

    @property
    def position(self):
        """(n, 3) m, positions of all particles as given."""
        return frozen(self._position[:self.particle_count])

    @property
    def rigid_of_particle(self):
        """(n,) int32, the rigid primitive of each particle, −1 for free ones."""
        return frozen(self._rigid[:self.particle_count])

    @property
    def sampling_errors(self):
        """Name of the driven thing ("name:axis" for particles and rigids) → largest error of a drive made of a function."""
        drives = {}
        for name, thing in self.things.items():
            drive = getattr(thing, "drive", None)
            drives |= {f"{name}:{axis}": one for axis, one in drive.items()} if isinstance(drive, dict) else {name: drive}
        drives |= {} if self.medium is None else self.medium.drives
        return {name: drive.sampling_error for name, drive in drives.items() if drive is not None and drive.kind == "function"}

    def spring_count(self, kind):
        """Number of springs of a kind."""
        blocks = self.springs[kind]
        return blocks[-1].start + blocks[-1].count if blocks else 0

    def find(self, name, where="scene"):
        """The block, rigid, springs or force of that name."""
        word(where, "name", name, tuple(self.things))
        return self.things[name]

    def particle_name(self, index):
        """Name of a particle for people, such as 'rope', index 3."""
        return _place(self.particle_blocks, index)

    def spring_name(self, kind, index):
        """Name of a spring for people, from its kind and its index among all springs of that kind."""
        return _place(self.springs[kind], index)

    @said
    def add_particle(self, name, position, mass, velocity=(0.0, 0.0, 0.0), support="", drive=None):
        """Add a point mass; returns its index.

        Args:
            name: not used before in this scene.
            position: [m], (3,).
            mass: [kg]; may be 0 only where every axis is supported or driven.
            velocity: initial [m/s], (3,).
            support: axes held still, "", "x" … "xyz".
            drive: {axis: Drive, number or function of time}: the coordinate is position + drive(t) there.
        """
        position = vector(f"particle {name!r}", "position", position)
        return int(self.add_particles(name, position[None], mass, velocity, support, drive)[0])

    @said
    def add_particles(self, name, positions, mass, velocity=(0.0, 0.0, 0.0), support="", drive=None, motion=None):
        """Add point masses as one block; returns their indices. One mass, velocity or support may stand for all.

        `motion`: a Motion that all of them follow, as if they were fixed in its frame; they are drawn where it starts.
        """
        where = self._new_name("particles", name)
        position = _positions(where, positions)
        count = len(position)
        velocity = vectors(where, "velocity", velocity, count)
        held = _supports(where, support, count)
        drive = {} if drive is None else rigids.axis_drives(where, drive, held.any(axis=0), self.duration)
        if motion is not None:
            rigids.check_led(where, motion, velocity.any() or held.any() or drive)
        decided = held | np.array([motion is not None or axis in drive for axis in AXES])
        if (bad := first_true((velocity != 0.0) & decided)) is not None:
            rigids.check_still(where, "velocity", velocity[bad], held[bad], drive, bad)
        mass = numbers(where, "mass", mass, count, low=0.0)
        if (bad := first_true((mass == 0.0) & ~decided.all(axis=1))) is not None:
            refuse(where, "mass is 0", "give a mass > 0, or hold every axis with support=\"xyz\"", bad)
        led = () if motion is None else ((motion, frozen(np.arange(count, dtype=np.int32))),)
        block = ParticleBlock(name, self.particle_count, position, velocity, mass, held, drive, led=led)
        return self._keep_particles(block)

    @said
    def add_rigid(self, name, positions, mass=None, inertia=None, centre=None, velocity=(0.0, 0.0, 0.0),
                  spin=(0.0, 0.0, 0.0), support="", rotation_support="", drive=None, massless=False,
                  points=None, frames=None, pose=None, motion=None):
        """Add a rigid primitive made of new particles; returns its handle.

        Args:
            name: not used before in this scene.
            positions: of its particles [m], (k, 3), world frame.
            mass: total [kg], shared equally, or (k,); may be missing where everything is held or driven.
            inertia: about the centre, world axes [kg·m²], (3, 3) or three moments; else from the particles' masses.
            centre: centre of mass [m]; else from the particles' masses.
            velocity: of the centre [m/s].
            spin: angular velocity [rad/s], world frame.
            support: axes along which the centre is held.
            rotation_support: world axes about which rotation is held.
            drive: {"x": Drive, …, "rotation": (axis, Drive)}, each a Drive, number or function of time; a driven rotation turns
                about that world axis only.
            massless: whether it has no mass, as what stands between two joints may.
            points: {name: place} [m], marked on it: joints stand and sensors look there, at (rigid, name).
            frames: {name: (4, 4), or (position, quaternion)}, likewise.
            pose: of all places and axes given, (4, 4) or (position, quaternion); they are those of the world unless told.
            motion: a Motion that it follows in all six freedoms, fixed in its frame; it is drawn where the motion starts. What
                is to be free along some axes of a led body hangs on one by a joint.
        """
        where = self._new_name("rigid", name)
        position = _positions(where, positions)
        if pose is not None:
            position, centre, inertia, points, frames = posed_rigid(where, pose, position, centre, inertia, points, frames)
        particles = np.arange(self.particle_count, self.particle_count + len(position), dtype=np.int32)
        made = rigids.rigid_primitive(name, len(self.rigids), particles, position, mass, inertia, centre, velocity,
                                      spin, support, rotation_support, drive, self.duration, massless, motion)
        nothing = np.broadcast_to(0.0, (len(position), 3))
        self._keep_particles(ParticleBlock(name, self.particle_count, position, nothing, nothing[:, 0],
                                           np.broadcast_to(False, (len(position), 3)), rigid=made.index))
        self.rigids.append(made)
        self.things[name] = made
        return mark_rigid(self, where, made, points, frames) if points or frames else made

    def _carry(self, index, rows):
        """Let a rigid carry more particles, without mass."""
        rigid = self.rigids[index]
        self.rigids[index] = self.things[rigid.name] = replace(rigid, particles=frozen(np.concatenate([rigid.particles, rows])))

    def _new_name(self, kind, name):
        where = f"{kind} {name!r}"
        if not isinstance(name, str) or not name or set(name) & set(":/"):
            refuse(where, f"name is {name!r}", 'give a word without ":" and "/"')
        if name in self.things or name in self.touching:
            refuse(where, f"the name {name!r} is taken", f"call it {self._free_name(name)!r}, for example")
        return where

    def _free_name(self, name):
        number = 2
        while f"{name}_{number}" in self.things or f"{name}_{number}" in self.touching:
            number += 1
        return f"{name}_{number}"

    def _keep_particles(self, block):
        end = block.start + block.count
        if end > len(self._position):
            room = max(end, 2 * len(self._position))
            self._position = np.resize(self._position, (room, 3))
            self._rigid = np.resize(self._rigid, room)
        self._position[block.start:end], self._rigid[block.start:end] = block.position, block.rigid
        self.particle_count = end
        self.extent = max(self.extent, float(np.abs(block.position).max()))
        self.particle_blocks.append(block)
        self.things[block.name] = block
        return block.indices


def _frames(where, duration, frames, interval):
    if interval is None:
        return whole(where, "frames", FRAMES if frames is None else frames, high=MOST_FRAMES)
    if frames is not None:
        refuse(where, "both frames and frame_interval are given", "give one of them")
    interval = number(where, "frame_interval", interval, above=0.0)
    if interval * MOST_FRAMES < duration:
        refuse(where, f"frame_interval {interval:g} s makes more than {MOST_FRAMES} frames",
               f"give at least {duration / MOST_FRAMES:g} s")
    ratio = duration / interval
    if abs(ratio - round(ratio)) > 1e-9 * ratio or round(ratio) < 1:
        refuse(where, f"frame_interval {interval:g} s does not divide the duration {duration:g} s",
               f"use {duration / max(round(ratio), 1):g} s")
    return round(ratio)


def _positions(where, value):
    position = floats(where, "positions", value)
    if position.ndim != 2 or position.shape[1] != 3 or not len(position):
        refuse(where, f"positions has shape {position.shape}", "give at least one row of three numbers")
    return frozen(position)


def _supports(where, support, count):
    """(count, 3) bool from one word or `count` words."""
    if isinstance(support, str):
        return np.broadcast_to(axes(where, "support", support), (count, 3))
    words = list(support) if hasattr(support, "__len__") and np.ndim(support) else []
    if not words or not all(isinstance(held, str) for held in words):
        refuse(where, f"support is {support!r:.60}", f'give one word or {count} of them, such as "" or "xyz"')
    if len(words) != count:
        refuse(where, f"support holds {len(words)} words", f"give one word or {count} of them")
    meaning = {held: axes(where, "support", held) for held in dict.fromkeys(words)}
    return frozen(np.array([meaning[held] for held in words]))


def _place(blocks, index):
    block = blocks[np.searchsorted([block.start for block in blocks], index, side="right") - 1]
    return f"{block.name!r}" if block.count == 1 else f"{block.name!r}, index {index - block.start}"
