"""Scene: what the user says, checked at the door and kept as frozen blocks of arrays, in SI units."""
import numpy as np

from robotphi.scene import objects, rounds, sensors, springs, structures, touching
from robotphi.scene import rigid as rigids
from robotphi.scene.blocks import Force, ParticleBlock, Rigid, Sensor, Springs
from robotphi.scene.checks import (
    AXES,
    axes,
    first_true,
    floats,
    frozen,
    indices,
    number,
    numbers,
    refuse,
    vector,
    vectors,
    whole,
    word,
)
from robotphi.scene.drive import as_drive
from robotphi.scene.medium import medium
from robotphi.scene.stepping import Stepping

SPRING_KINDS = ("linear", "angular", "articular")
FRAMES = 200


class Scene:
    """A description of particles, rigid primitives, springs, forces and sensors.

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
        self.springs = {kind: [] for kind in SPRING_KINDS}
        self.objects = {}         # name → Placed
        self.medium = None        # Medium, where there is one
        self.touching = {}        # name → what touches, in the order it was added
        self.between = []         # Between, …: laws of pairs and pairs that never touch; of two laws the later one counts
        self.particle_count = 0
        self.extent = 0.0         # m, largest coordinate of any particle
        self._position, self._rigid = np.empty((16, 3)), np.empty(16, dtype=np.int32)

    def __repr__(self):
        counts = ", ".join(f"{self.spring_count(kind)} {kind}" for kind in SPRING_KINDS)
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

    def add_particles(self, name, positions, mass, velocity=(0.0, 0.0, 0.0), support="", drive=None):
        """Add point masses as one block; returns their indices. One mass, velocity or support may stand for all."""
        where = self._new_name("particles", name)
        position = _positions(where, positions)
        count = len(position)
        velocity = vectors(where, "velocity", velocity, count)
        held = _supports(where, support, count)
        drive = rigids.axis_drives(where, drive, held.any(axis=0), self.duration)
        decided = held | np.array([axis in drive for axis in AXES])
        if (bad := first_true((velocity != 0.0) & decided)) is not None:
            rigids.check_still(where, "velocity", velocity[bad], held[bad], drive, bad)
        mass = numbers(where, "mass", mass, count, low=0.0)
        if (bad := first_true((mass == 0.0) & ~decided.all(axis=1))) is not None:
            refuse(where, "mass is 0", "give a mass > 0, or hold every axis with support=\"xyz\"", bad)
        block = ParticleBlock(name, self.particle_count, position, velocity, mass, held, drive)
        return self._keep_particles(block)

    def add_rigid(self, name, positions, mass=None, inertia=None, centre=None, velocity=(0.0, 0.0, 0.0),
                  spin=(0.0, 0.0, 0.0), support="", rotation_support="", drive=None):
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
        """
        where = self._new_name("rigid", name)
        position = _positions(where, positions)
        particles = np.arange(self.particle_count, self.particle_count + len(position), dtype=np.int32)
        made = rigids.rigid_primitive(name, len(self.rigids), particles, position, mass, inertia, centre, velocity,
                                      spin, support, rotation_support, drive, self.duration)
        nothing = np.broadcast_to(0.0, (len(position), 3))
        self._keep_particles(ParticleBlock(name, self.particle_count, position, nothing, nothing[:, 0],
                                           np.broadcast_to(False, (len(position), 3)), rigid=made.index))
        self.rigids.append(made)
        self.things[name] = made
        return made

    def add_linear(self, name, first, second, stiffness=0.0, viscosity=0.0, rest_length=None, yield_force=None,
                   hardening=0.0, tension_only=False, table=None, drive=None):
        """Add linear springs between particles; returns their handle.

        Args:
            name: of the block.
            first, second: particle indices, one or (m,).
            stiffness: [N/m], one or (m,); 0 beside a table.
            viscosity: [N·s/m].
            rest_length: [m]; the current length unless told.
            yield_force: [N] past which the rest length flows.
            hardening: [N/m] growth of the yield force per metre of flow.
            tension_only: no elastic force below the rest length.
            table: force over elongation instead of a stiffness.
            drive: Drive, number or function of time, added to the rest length.
        """
        self._new_name("linear springs", name)
        return self._keep_springs(springs.linear_block(
            self, name, self.spring_count("linear"), first, second, stiffness, viscosity, rest_length, yield_force,
            hardening, tension_only, table, drive))

    def add_angular(self, name, first, centre, second, stiffness=0.0, viscosity=0.0, rest_angle=None, yield_moment=None,
                    hardening=0.0, normal=None, drive=None):
        """Add angular springs; returns their handle.

        Args:
            name: of the block.
            first, centre, second: particle indices, one or (m,); the angle is at centre.
            stiffness: [N·m/rad], one or (m,).
            viscosity: [N·m·s/rad].
            rest_angle: in [0, pi]; the current angle unless told.
            yield_moment: [N·m] past which the rest angle flows.
            hardening: [N·m/rad] growth of the yield moment per radian of flow.
            normal: direction of (first − centre) × (second − centre) when the bend is positive, (3,) or (m, 3).
            drive: Drive, number or function of time, added to the rest angle.
        """
        self._new_name("angular springs", name)
        return self._keep_springs(springs.angular_block(
            self, name, self.spring_count("angular"), first, centre, second, stiffness, viscosity, rest_angle,
            yield_moment, hardening, normal, drive))

    def add_articular(self, name, first, centre, end, second, stiffness=0.0, viscosity=0.0, rest_angle=None,
                      yield_moment=None, hardening=0.0, drive=None):
        """Add articular springs: the signed angle from first to second about the axis centre → end.

        Args:
            name: of the block.
            first, centre, end, second: particle indices, one or (m,).
            stiffness: [N·m/rad], one or (m,).
            viscosity: [N·m·s/rad].
            rest_angle: any number of turns; the current angle in (−pi, pi] unless told.
            yield_moment: [N·m] past which the rest angle flows.
            hardening: [N·m/rad] growth of the yield moment per radian of flow.
            drive: Drive, number or function of time, added to the rest angle.
        """
        self._new_name("articular springs", name)
        return self._keep_springs(springs.articular_block(
            self, name, self.spring_count("articular"), first, centre, end, second, stiffness, viscosity, rest_angle,
            yield_moment, hardening, drive))

    def add_force(self, name, target, vector, drive=None):
        """Add a force vector × drive(t) [N] on a particle (index) or on the centre of a rigid; returns it.

        The drive is a Drive, a number or a function of time; 1 where left out.
        """
        where = self._new_name("force", name)
        if isinstance(target, str):
            target = self.find(target, where)
        if isinstance(target, ParticleBlock) and target.count == 1:
            target = target.start
        if isinstance(target, Rigid):
            return self._keep_force(where, name, "rigid", target.index, vector, drive)
        target = indices(where, "target", target, self.particle_count)
        if target.ndim:
            refuse(where, f"target is {len(target)} particles", "give one particle or a rigid")
        return self._keep_force(where, name, "particle", int(target), vector, drive)

    def add_torque(self, name, rigid, vector, drive=None):
        """Add a torque vector × drive(t) [N·m], world frame, on a rigid; returns it. The drive is that of `add_force`."""
        where = self._new_name("torque", name)
        if isinstance(rigid, str):
            rigid = self.find(rigid, where)
        if not isinstance(rigid, Rigid):
            refuse(where, f"rigid is {rigid!r:.60}", "give the handle that add_rigid returned, or its name")
        return self._keep_force(where, name, "torque", rigid.index, vector, drive)

    def add_rod(self, name, start, end, segments, axial_stiffness, bending_stiffness, mass_per_length,
                axial_viscosity=0.0, bending_viscosity=0.0, clamp_start=None, clamp_end=None):
        """Add a straight rod as a chain of equal segments l; returns its handle (particles, linear, angular).

        Linear springs EA/l, angular springs EI/l at 180° on inner nodes, half masses at the ends.

        Args:
            name: of the particles; the springs are name.linear and name.angular.
            start, end: [m], (3,).
            segments: number of segments.
            axial_stiffness: EA [N].
            bending_stiffness: EI [N·m²]; 0 for none.
            mass_per_length: [kg/m].
            axial_viscosity: [N·s], divided by l.
            bending_viscosity: [N·m²·s], divided by l.
            clamp_start, clamp_end: None free, "pin" holds the end, "clamp" also its direction by a fixed particle one
                segment behind and an angular spring of 2 EI/l.
        """
        return structures.rod(self, name, start, end, segments, axial_stiffness, bending_stiffness, mass_per_length,
                              axial_viscosity, bending_viscosity, clamp_start, clamp_end)

    def add_grid(self, name, origin, edge_u, edge_v, shape, mass, structural=None, shear=None, bending=None,
                 structural_viscosity=0.0, shear_viscosity=0.0, bending_viscosity=0.0, velocity=(0.0, 0.0, 0.0),
                 support=""):
        """Add a cloth; returns its handle (particles (nu, nv), structural, shear, bending).

        Args:
            name: of the particles; the springs are name.structural, name.shear and name.bending.
            origin: the corner [m]; edge_u, edge_v: the two sides [m].
            shape: (nu, nv) particles along the sides.
            mass: total [kg], shared by area: half on the border, a quarter at the corners.
            structural: [N/m] along the grid lines; shear: [N/m] both diagonals of each cell;
            bending: [N·m/rad] every three neighbours of a grid line, at 180°. Each one number, or two: along edge_u
                and edge_v (for shear: the two diagonals). None or 0 without viscosity: no such springs.
            structural_viscosity, shear_viscosity, bending_viscosity: likewise.
            velocity: initial [m/s].
            support: axes held, one word for all or (nu, nv) words.
        """
        return structures.grid(self, name, origin, edge_u, edge_v, shape, mass, structural, shear, bending,
                               structural_viscosity, shear_viscosity, bending_viscosity, velocity, support)

    def add_object(self, name, thing, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), support="", contact=None,
                   contact_group=None, self_contact=False, contact_thickness=None):
        """Add an object that `discretise` made (or that was put together by hand); returns its handle.

        Args:
            name: of the object; its springs are name.<group>, its rigid parts name.<part>.
            thing: the Object.
            velocity: of its centre [m/s].
            spin: angular velocity about its centre [rad/s].
            support: axes held, one word for all, or {region: word} (overlapping ones add up); a rigid part is held as a whole.
            contact: a ContactMaterial: each of its polyhedra and sheets can touch other things.
            contact_group: a word under which several things can be named in `set_contact` and `exclude_contact`.
            self_contact: whether its parts touch each other, and the facets of soft ones and sheets those of the same part;
                parts that share a rigid or a particle never do.
            contact_thickness: of its sheets [m]; else what `sheet` was told.
        """
        where = self._new_name("object", name)
        velocity, spin = vector(where, "velocity", velocity), vector(where, "spin", spin)
        surfaces = touching.prepare_object(where, thing, contact, contact_group, self_contact, contact_thickness)
        self.objects[name] = objects.place(self, name, thing, velocity, spin, support)
        if surfaces is not None:
            self._keep_touching(touching.TouchingObject(name, contact, contact_group, bool(self_contact), self.objects[name],
                                                        surfaces))
        return self.objects[name]

    def add_plane(self, name, point=(0.0, 0.0, 0.0), normal=(0.0, 0.0, 1.0), contact=None, rigid=None, contact_group=None):
        """Add the half space below a plane, which other things touch; returns its description.

        Args:
            name: not used before in this scene.
            point: on the plane [m], world frame.
            normal: out of the half space.
            contact: its ContactMaterial.
            rigid: handle or name of the rigid that carries it; fixed in the world where left out.
            contact_group: a word for several things, as in `add_object`.
        """
        where = self._new_name("plane", name)
        return self._keep_touching(touching.plane(self, where, name, point, normal, contact, rigid, contact_group))

    def add_height_field(self, name, heights, spacing, origin=(0.0, 0.0, 0.0), contact=None, contact_group=None):
        """Add all that lies below a surface of heights, fixed in the world; returns its description.

        Args:
            name: not used before in this scene.
            heights: [m] above the z of the origin, (nu, nv), at x = i du and y = j dv from it; each cell is two triangles along
                the diagonal from its lowest i and j to its highest.
            spacing: du and dv [m], or one for both.
            origin: of the grid [m].
            contact: its ContactMaterial.
            contact_group: a word for several things, as in `add_object`.
        """
        where = self._new_name("height field", name)
        return self._keep_touching(touching.height_field(where, name, heights, spacing, origin, contact, contact_group))

    def add_ball(self, name, position, radius, mass=None, density=None, contact=None, velocity=(0.0, 0.0, 0.0),
                 spin=(0.0, 0.0, 0.0), support="", rotation_support="", drive=None, contact_group=None):
        """Add a solid ball as a rigid primitive; returns its handle, whose first particle is the centre.

        Args:
            name: not used before in this scene.
            position: of its centre [m].
            radius: [m].
            mass: [kg], or density: [kg/m³]; neither where everything is held or driven.
            contact: its ContactMaterial; without one it touches nothing.
            velocity, spin, support, rotation_support, drive: as in `add_rigid`.
            contact_group: a word for several things, as in `add_object`.
        """
        return rounds.ball(self, name, position, radius, mass, density, contact, contact_group,
                           {"velocity": velocity, "spin": spin, "support": support, "rotation_support": rotation_support,
                            "drive": drive})

    def add_capsule(self, name, start, end, radius, mass=None, density=None, contact=None, velocity=(0.0, 0.0, 0.0),
                    spin=(0.0, 0.0, 0.0), support="", rotation_support="", drive=None, contact_group=None):
        """Add a solid cylinder with half balls on its ends as a rigid primitive; returns its handle.

        Args:
            name: not used before in this scene.
            start, end: of its axis, the centres of the half balls [m]; its first two particles.
            radius: [m]; the rest as in `add_ball`.
        """
        return rounds.along_axis(self, name, "capsule", start, end, radius, mass, density, contact, contact_group,
                                 {"velocity": velocity, "spin": spin, "support": support,
                                  "rotation_support": rotation_support, "drive": drive})

    def add_cylinder(self, name, start, end, radius, mass=None, density=None, contact=None, velocity=(0.0, 0.0, 0.0),
                     spin=(0.0, 0.0, 0.0), support="", rotation_support="", drive=None, contact_group=None):
        """Add a solid cylinder with flat ends as a rigid primitive; returns its handle.

        Args:
            name: not used before in this scene.
            start, end: of its axis, the centres of the flat ends [m]; its first two particles.
            radius: [m]; the rest as in `add_ball`.
        """
        return rounds.along_axis(self, name, "cylinder", start, end, radius, mass, density, contact, contact_group,
                                 {"velocity": velocity, "spin": spin, "support": support,
                                  "rotation_support": rotation_support, "drive": drive})

    def add_contact_balls(self, name, particles, radius, contact=None, contact_group=None, self_contact=True):
        """Give particles a size, so that they touch other things; returns the description.

        Args:
            name: not used before in this scene.
            particles: indices, or the name of a block of particles.
            radius: [m], one or one a particle.
            contact: their ContactMaterial.
            contact_group: a word for several things, as in `add_object`.
            self_contact: whether they touch each other; False for beads that overlap on a string.
        """
        where = self._new_name("contact balls", name)
        return self._keep_touching(touching.balls(self, where, name, particles, radius, contact, contact_group, self_contact))

    def set_contact(self, first, second, contact):
        """Give two things a law of their own, whatever their materials; a later call counts before an earlier one.

        Args:
            first, second: names of things that touch, or contact groups; the same twice for a group among itself.
            contact: ContactMaterial of the pair: here its stiffness, damping and friction are those of both together.
        """
        self.between.append(touching.between(self, first, second, contact, law=True))

    def exclude_contact(self, first, second):
        """Let two things never touch: names of things that touch, or contact groups, as in `set_contact`."""
        self.between.append(touching.between(self, first, second, None, law=False))

    def add_sensor(self, name, quantity, of=None):
        """Add a named quantity over time; returns it.

        Args:
            name: not used by another sensor.
            quantity: a word of `robotphi.scene.sensors.QUANTITIES`.
            of: a handle, a name, an index, (handle or name, index within), or None for the whole scene; of contact the name
                of a thing that touches, or two of them: on the first, by the second.
        """
        if not isinstance(name, str) or not name or any(sensor.name == name for sensor in self.sensors):
            refuse(f"sensor {name!r}", "the name is empty or taken", "give every sensor a name of its own")
        self.sensors.append(Sensor(name, quantity, sensors.resolve(self, name, quantity, of)))
        return self.sensors[-1]

    def set_medium(self, density=None, drag=None, linear_drag=None, wind=(0.0, 0.0, 0.0), level=None, buoyancy=None):
        """Surround all objects that have facets with air or a liquid; returns it. Called again, it takes the place of the last.

        A facet of area S and normal n whose centre moves with V relative to the medium feels −S (V·n) (k + ½ ρ c |V|) V/|V|
        where it faces the flow; of an open surface, such as a sheet, either side may. Facets that stand in the lee of others,
        and those of parts that touch with other facets, count like any.

        Args:
            density: ρ [kg/m³], 1.2 of air, 1000 of water; for drag and buoyancy.
            drag: c, of fast motion and in liquids; a number for all objects, or {name of an object: c}, others feel none.
            linear_drag: k [N·s/m³], of slow motion in air; likewise.
            wind: velocity of the medium [m/s], three numbers, Drives or functions of time.
            level: height of the surface of a liquid [m], measured against gravity (along z without): there is nothing above it.
            buoyancy: whether the liquid presses on closed surfaces, ρ g times the depth; it does below a level. Soft
                bodies are compressed by it, and collapse where it comes near to their bulk modulus.
        """
        self.medium = medium(density, drag, linear_drag, wind, level, buoyancy, self.duration, self.gravity)
        return self.medium

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

    def _keep_springs(self, block):
        self.springs[block.kind].append(block)
        self.things[block.name] = block
        return Springs(block.name, block.kind, block.start, block.count)

    def _keep_touching(self, thing):
        self.touching[thing.name] = thing
        return thing

    def _keep_force(self, where, name, kind, target, direction, drive):
        drive = None if drive is None else as_drive(where, "drive", drive, self.duration)
        self.forces.append(Force(name, kind, target, vector(where, "vector", direction), drive))
        self.things[name] = self.forces[-1]
        return self.forces[-1]


def _frames(where, duration, frames, interval):
    if interval is None:
        return whole(where, "frames", FRAMES if frames is None else frames)
    if frames is not None:
        refuse(where, "both frames and frame_interval are given", "give one of them")
    ratio = duration / number(where, "frame_interval", interval, above=0.0)
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
    words = list(support)
    if len(words) != count:
        refuse(where, f"support holds {len(words)} words", f"give one word or {count} of them")
    meaning = {held: axes(where, "support", held) for held in dict.fromkeys(words)}
    return frozen(np.array([meaning[held] for held in words]))


def _place(blocks, index):
    block = blocks[np.searchsorted([block.start for block in blocks], index, side="right") - 1]
    return f"{block.name!r}" if block.count == 1 else f"{block.name!r}, index {index - block.start}"
