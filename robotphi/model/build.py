"""Build: a Scene in, a Model of read-only arrays out, in the order in which the kernels read them."""
from functools import cached_property

import numpy as np

from robotphi.errors import SceneError
from robotphi.kernels.acts.table import NoActs
from robotphi.kernels.compiling.lanes import GHOSTS
from robotphi.kernels.mechanism.columns import NoMechanisms
from robotphi.model import arrays as m
from robotphi.model.acts import NO_ACTS, act_arrays, act_books, force_rows
from robotphi.model.arrays import aligned
from robotphi.model.contact import NO_CONTACT, BuiltContact, build_contact
from robotphi.model.led import led_arrays, motions_of
from robotphi.model.mechanisms import build_mechanisms, numbered_freedoms, rows_of_joints
from robotphi.model.springs import divide, row_blocks, slabs, spring_lists
from robotphi.model.stiff import stiff_arrays
from robotphi.model.used import busy_blocks, used_first, used_rows
from robotphi.scene.acts import PlacedAct
from robotphi.scene.blocks import Force, Joint, ParticleBlock, Rigid
from robotphi.scene.checks import AXES, refuse
from robotphi.scene.drive import COMMAND, Drive
from robotphi.scene.motors import Motor
from robotphi.scene.rigid import principal_frame
from robotphi.scene.scene import Scene
from robotphi.scene.turns import quaternion_of, rotation_about

MERGED = 1e-12  # of the duration: instants nearer than this are one


def model_of(where, given, also=""):
    """The Model of a scene, or a Model as it is; all else is refused by what takes it, with what that takes `also`."""
    if isinstance(given, Scene):
        return build_model(given)
    if not isinstance(given, m.Model):
        refuse(where, f"{given!r:.60} is neither a Scene nor a Model", f"give a Scene, what build_model made of one{also}")
    return given


def build_model(scene):
    """Model of a scene; raises SceneError when there is nothing to simulate."""
    if isinstance(scene, m.Model):
        refuse("build_model", f"it is given the model of scene {scene.scene.name!r}", "run that with Simulator(model).run()")
    if not isinstance(scene, Scene):
        refuse("build_model", f"{scene!r:.60} is no Scene", 'make one, as in Scene("name"), and add what there is to it')
    if not scene.particle_count:
        raise SceneError(f"scene {scene.name!r}: it has no particles; add some with add_particles")
    drives = DriveList(scene)
    pose = Pose(scene)
    tables = _table_numbers(scene)
    built = build_mechanisms(scene, pose, {**drives.number, **tables})
    partition = divide(pose.position)
    lists = spring_lists(scene, partition, {**drives.number, **tables})
    touching = build_contact(scene) if scene.touching else BuiltContact(
        NO_CONTACT._replace(tree=NO_CONTACT.tree._replace(rest=scene.position)), (), ())
    acts = act_arrays(scene, drives, numbered_freedoms(scene, built)) if scene.forces or scene.acts or scene.medium else NO_ACTS
    rigids = used_first(pose.rigids, used_rows(scene.particle_count, lists, acts, touching.contact))
    rows = scene.particle_count + GHOSTS
    particles = particle_arrays(scene, *busy_blocks(row_blocks(rows), rigids, lists, rows))
    stiff, stiff_told = stiff_arrays(scene, particles, pose.rigids, lists, built)
    surrounded = bool(scene.touching or scene.acts or scene.medium)   # one loop then, whatever of it is there
    arrays = m.Arrays(
        particles=particles,
        rigids=rigids,
        **lists,
        tables=m.Tables(*_pieces(list(tables), 7)),
        drives=drives.arrays,
        motions=_motions(scene, drives),
        mechanisms=built.mechanisms if len(built.mechanisms.free) else NoMechanisms(*built.mechanisms),
        closures=built.closures,
        acts=_aligned_all(acts if surrounded else NoActs(*acts)),
        contact=_aligned_all(touching.contact),
        tree=m.Tree(aligned(partition.level_start, np.int32)),
        slabs=slabs(scene, partition, lists["linear"], lists["angular"]),
        stiff=stiff if surrounded or len(stiff.way) else m.NoStiffObjects(*stiff),
        breakpoints=aligned(drives.breakpoints))
    return m.Model(
        arrays=arrays, scene=scene,
        position=aligned(pose.position), velocity=aligned(pose.velocity),
        rigid_position=aligned(pose.rigid_position), rigid_orientation=aligned(pose.rigid_orientation),
        rigid_velocity=aligned(pose.rigid_velocity), rigid_spin=aligned(pose.rigid_spin),
        joint_place=aligned(built.place), joint_rate=aligned(built.rate), joint_turn=aligned(built.turn),
        **{name: aligned(rows, np.int32) for name, rows in zip(
            ("link_of_joint", "freedoms_of_joints"), rows_of_joints(scene, built), strict=True)},
        particle_count=scene.particle_count,
        work_names=drives.work_names, work_of_drive=aligned(drives.work, np.int32),
        work_of_force=aligned(np.repeat(np.arange(len(scene.forces)), force_rows(scene)) + drives.work.max(initial=-1) + 1,
                              np.int32),
        work_of_motor=aligned(built.motors + len(scene.forces) + drives.work.max(initial=-1) + 1, np.int32),
        drive_of_command=aligned(drives.of_command, np.int32),
        act_books=act_books(scene) if scene.acts else (), part_names=touching.part_names, owner_names=touching.owner_names,
        stiff_told=stiff_told)


def _aligned_all(arrays):
    """Named tuples of arrays, nested, with every array aligned."""
    return type(arrays)(*(aligned(each, each.dtype) if isinstance(each, np.ndarray) else _aligned_all(each) for each in arrays))


def particle_arrays(scene, busy, damped):
    """The arrays of all particles; those of rigids have no mass of their own."""
    rows = scene.particle_count + GHOSTS
    mass, inverse_mass, bits = np.zeros(rows), np.zeros(rows), np.zeros(rows, np.uint8)
    for block in scene.particle_blocks:
        if block.rigid >= 0:
            continue
        part = slice(block.start, block.start + block.count)
        mass[part] = block.mass
        free = ~block.prescribed
        bits[part] = free @ np.array([1, 2, 4], np.uint8)
        with np.errstate(divide="ignore"):
            inverse_mass[part] = np.where(free.any(axis=1), 1.0 / block.mass, 0.0)
    moves = np.array([[which & 1, which >> 1 & 1, which >> 2, 0] for which in range(8)], float)
    return m.Particles(aligned(mass), aligned(inverse_mass), aligned(bits, np.uint8), aligned(moves),
                       busy, damped, aligned([*scene.gravity, 0.0]))


class Pose:
    """Where everything is at time zero: as given, plus the drives' values; and the arrays of the rigids."""

    def __init__(self, scene):
        self.position = scene.position.copy()
        self.velocity = np.zeros_like(self.position)
        for block in scene.particle_blocks:
            part = slice(block.start, block.start + block.count)
            self.velocity[part] = block.velocity
            for axis, drive in block.drive.items():
                self.position[part, AXES.index(axis)] += drive.value(0.0)
                self.velocity[part, AXES.index(axis)] = drive.rate(0.0)
            for motion, rows in block.led:
                speed, spin = motion.speed()
                arms = block.position[rows] - motion.pose()[:3, 3]
                self.velocity[block.start + rows] = speed + np.cross(spin, arms)
        count = len(scene.rigids)
        self.rigid_position, self.rigid_velocity = np.zeros((count, 3)), np.zeros((count, 3))
        self.rigid_orientation, self.rigid_spin = np.zeros((count, 4)), np.zeros((count, 3))
        moments, local = np.zeros((count, 3)), []
        for i, rigid in enumerate(scene.rigids):
            moments[i], frame = principal_frame(rigid.inertia)
            local.append((scene.position[rigid.particles] - rigid.centre) @ frame)
            self._place(i, rigid, frame, local[-1])
        self.rigids = _rigids(scene, moments, local)

    def _place(self, i, rigid, frame, local):
        centre, velocity, spin = rigid.centre.copy(), rigid.velocity.copy(), rigid.spin
        turned = frame
        for axis, drive in rigid.drive.items():
            if axis == "rotation":
                turned = rotation_about(rigid.drive_axis, float(drive.value(0.0))) @ frame
                spin = rigid.drive_axis * float(drive.rate(0.0))
            else:
                centre[AXES.index(axis)] += drive.value(0.0)
                velocity[AXES.index(axis)] = drive.rate(0.0)
        if rigid.motion is not None:
            velocity, spin = rigid.motion.speed()
            velocity = velocity + np.cross(spin, centre - rigid.motion.pose()[:3, 3])
        if rigid.drive:
            self.position[rigid.particles] = centre + local @ turned.T
        self.velocity[rigid.particles] = velocity + np.cross(spin, self.position[rigid.particles] - centre)
        self.rigid_position[i], self.rigid_velocity[i] = centre, velocity
        self.rigid_orientation[i], self.rigid_spin[i] = quaternion_of(turned), spin


def _rigids(scene, moments, local):
    count = len(scene.rigids)
    mass = np.array([rigid.mass for rigid in scene.rigids])
    free = ~np.array([rigid.prescribed for rigid in scene.rigids], dtype=bool).reshape(count, 3)
    held = np.array([rigid.rotation_support for rigid in scene.rigids], dtype=float).reshape(count, 3)
    driven = np.array([rigid.turn_prescribed.all() for rigid in scene.rigids], dtype=bool)
    rotation = np.where(driven | held.all(axis=1), 2, np.where(held.any(axis=1), 1, 0))
    with np.errstate(divide="ignore"):
        inverse_mass = np.where(free & (mass[:, None] > 0.0), 1.0 / mass[:, None], 0.0)
        inverse_inertia = np.where(moments > 0.0, 1.0 / moments, 0.0)
    start = np.concatenate(([0], np.cumsum([len(one) for one in local], dtype=np.int64)))
    particle = np.concatenate([np.empty(0, np.int32), *(rigid.particles for rigid in scene.rigids)])
    return m.Rigids(aligned(mass), aligned(inverse_mass), aligned(moments), aligned(inverse_inertia), aligned(held),
                    aligned(rotation, np.int32), aligned(start, np.int32), aligned(start[1:], np.int32),
                    aligned(particle, np.int32), aligned(np.concatenate([np.empty((0, 3)), *local])))


def _table_numbers(scene):
    """{Table: number}, in the order of first use."""
    used = dict.fromkeys(thing.table for thing in [*scene.springs["linear"], *scene.joints] if thing.table is not None)
    return {table: number for number, table in enumerate(used)}


def _pieces(things, width):
    start = np.concatenate(([0], np.cumsum([len(thing.piece) for thing in things], dtype=np.int64)))
    return aligned(start, np.int32), aligned(np.concatenate([np.empty((0, width)), *(one.piece for one in things)]))


class DriveList:
    """Every drive of a scene once, in the order of first use, with its ledger entry and the instants to land on."""

    def __init__(self, scene):
        self.number, entries = {}, {}
        for name, thing in scene.things.items():
            for label, drive, works in self._uses(name, thing):
                self.number.setdefault(drive, len(self.number))
                if works:
                    entries.setdefault(drive, label)
        if scene.medium is not None:
            for drive in scene.medium.wind:
                self.number.setdefault(drive, len(self.number))
        self.of_command = _commands(scene, self.number)
        entry = {drive: i for i, drive in enumerate(entries)}
        self.work = np.array([entry.get(drive, -1) for drive in self.number], dtype=int)
        self.work_names = (*entries.values(), *(force.name for force in scene.forces), *(motor.name for motor in scene.motors))
        self.breakpoints, start, piece = self._instants(scene, list(self.number))
        self.arrays = m.Drives(start, piece)

    @cached_property
    def one(self):
        """The drive of forces without one."""
        return Drive.constant(1.0)

    def _uses(self, name, thing):
        """(label, drive, whether it has a ledger entry of its own) for each drive of a thing."""
        if isinstance(thing, Force):
            return [(name, thing.drive or self.one, False)]
        if isinstance(thing, PlacedAct):
            return [(name, drive, False) for drive in thing.drive.values()]
        if isinstance(thing, (ParticleBlock, Rigid)):
            several = len(set(thing.drive.values())) > 1
            driven = [(f"{name}:{axis}" if several else name, drive, True) for axis, drive in thing.drive.items()]
            return driven + [(name, drive, n == 0) for motion in motions_of(thing) for n, drive in enumerate(motion.drives)]
        if isinstance(thing, Motor):
            return [(name, drive, False) for drive in thing.drives]
        if isinstance(thing, Joint):
            return [(label, drive, True) for label, drive in thing.drives_by_label()]
        return [(name, thing.drive, True)] if thing.drive is not None else []

    @staticmethod
    def _instants(scene, drives):
        """Breakpoints within the run, and the pieces of the drives moved onto them.

        Instants that differ by rounding from each other or from a frame time become one, or a step would have to
        be as short as their distance.
        """
        start, piece = _pieces(drives, 8)
        near = MERGED * scene.duration
        wanted = np.unique(np.concatenate([np.empty(0), *(drive.breakpoints for drive in drives)]))
        wanted = wanted[(wanted > near) & (wanted <= scene.duration + near)]
        instants = wanted[np.diff(wanted, prepend=-np.inf) > near]
        if len(instants):
            frame = scene.frame_times[np.rint(instants * scene.frames / scene.duration).astype(int)]
            instants = np.where(np.abs(instants - frame) <= near, frame, instants)
            piece = piece.copy()
            nearest = instants[np.minimum(np.searchsorted(instants, piece[:, 0] - 2.0 * near), len(instants) - 1)]
            piece[:, 0] = np.where(np.abs(nearest - piece[:, 0]) <= 2.0 * near, nearest, piece[:, 0])
        return aligned(instants), start, aligned(piece)


def _commands(scene, number):
    """The drive of each command of a scene, −1 where nothing takes it."""
    for drive in number:
        if drive.kind == COMMAND and scene.commands.get(drive.name) is not drive:
            refuse(f"scene {scene.name!r}", f"the command {drive.name!r} belongs to another scene",
                   "give each scene commands of its own by add_command")
    return np.array([number.get(command, -1) for command in scene.commands.values()], dtype=int)


def _motions(scene, drives):
    """Rows of driven axes: particles first, then rigids."""
    particle, rigid = [], []
    for block in scene.particle_blocks:
        for letter, drive in block.drive.items():
            axis = AXES.index(letter)
            particle += [(i, axis, base, drives.number[drive]) for i, base in
                         zip(block.indices.tolist(), block.position[:, axis].tolist(), strict=True)]
    for one in scene.rigids:
        for letter, drive in one.drive.items():
            number = drives.number[drive]
            if letter == "rotation":  # counted from the initial orientation, which holds the drive's first value
                rigid.append((one.index, 3, -float(drive.value(0.0)), one.drive_axis, number))
            else:
                axis = AXES.index(letter)
                rigid.append((one.index, axis, one.centre[axis], np.zeros(3), number))
    columns = [*_columns(particle, 4), *_columns(rigid, 5)]
    columns[7] = np.reshape(columns[7], (-1, 3))
    floating = (2, 6, 7)
    return m.Motions(*(aligned(column, np.float64 if i in floating else np.int32) for i, column in enumerate(columns)),
                     led_arrays(scene, drives))


def _columns(rows, width):
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(width)]
