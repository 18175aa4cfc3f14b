"""Sensors: the named quantities of a scene, read from one instant or from all frames."""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.springs.table import KINDS, POWER
from robotphi.record import measure
from robotphi.record.acts import act_reading
from robotphi.record.contacts import contact_signs, frame_sums
from robotphi.record.joints import joint_reading, motor_reading
from robotphi.record.poses import pose
from robotphi.record.slips import slip_speeds
from robotphi.record.spring_joints import spring_joint_reading
from robotphi.record.springs import drive_value, springs
from robotphi.scene.sensors import QUANTITIES, is_live


class Seen(NamedTuple):
    """What sensors read: the arrays of one instant, or of frames with f in front."""
    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    rigid_position: np.ndarray
    rigid_velocity: np.ndarray
    rigid_spin: np.ndarray
    rigid_momentum: np.ndarray
    linear_law: np.ndarray | None = None   # states of springs with a law, rows as in the model
    angular_law: np.ndarray | None = None
    articular: np.ndarray | None = None
    rigid_orientation: np.ndarray | None = None
    joint_place: np.ndarray | None = None  # coordinates of joints and what they do, see `kernels/step/frames`
    joint_rate: np.ndarray | None = None
    joint_turn: np.ndarray | None = None
    joint_motor: np.ndarray | None = None
    joint_reaction: np.ndarray | None = None
    joint_closing: np.ndarray | None = None
    joint_exerted: np.ndarray | None = None
    commands: np.ndarray | None = None     # what commands stand at, see `run/commands`
    told: np.ndarray | None = None         # what sensors have that follow from forces, see `run/live`
    contacts: dict | None = None           # of frames: rows of contact, see `kernels/contact/rows`, and their "start"


def sensor_sets(model):
    """Name of each sensor of springs → its `SpringSet`, to be gathered once and read often."""
    return {sensor.name: springs(model, sensor.of.kind, sensor.of.indices)
            for sensor in model.scene.sensors if sensor.of.kind in KINDS}


def read_sensor(model, sensor, seen, chosen=None):
    """Value of a sensor at an instant: a number, or (3,); with frames in front where the instant has them."""
    if is_live(sensor):
        found = seen.told[..., live_places(model.scene)[sensor.name]]
        return found[..., 0] if QUANTITIES[sensor.quantity].width == 1 else found
    if sensor.of.kind == "pose":
        return pose(model, sensor.of.indices, seen)
    if sensor.of.kind == "distance":
        return _distance(sensor.of.indices, seen)
    if sensor.of.kind == "force":
        return _force_power(model, sensor.of.indices[0], seen)
    if sensor.of.kind in ("particle", "rigid", "scene"):
        return _read_primitives(model, sensor.quantity, sensor.of, seen)
    if sensor.of.kind == "contact":
        if sensor.quantity == "contact_slip":
            return slip_speeds(model, sensor.of, seen)
        return _read_contacts(model, sensor.quantity, sensor.of, seen.contacts)
    if sensor.of.kind == "joint":
        return joint_reading(model, sensor.of.indices[0], sensor.quantity, seen, sensor.of.indices[1])
    if sensor.of.kind == "motor":
        return motor_reading(model, int(sensor.of.indices[0]), sensor.quantity, seen)
    if sensor.of.kind == "spring joint":
        return spring_joint_reading(model, sensor.of.indices[0], sensor.quantity, seen, sensor.of.indices[1])
    if sensor.of.kind == "command":
        return _read_command(seen.commands[..., sensor.of.indices[0], :], seen.time)
    if sensor.of.kind not in KINDS:
        return act_reading(model, int(sensor.of.indices[0]), sensor.quantity, seen)
    chosen = springs(model, sensor.of.kind, sensor.of.indices) if chosen is None else chosen
    return _read_springs(model, sensor.quantity, chosen, seen)


def read_sensors(model, seen, sets=None):
    """Name → value of all sensors of the scene; `sets` is what `sensor_sets` gave."""
    sets = sensor_sets(model) if sets is None else sets
    return {sensor.name: read_sensor(model, sensor, seen, sets.get(sensor.name)) for sensor in model.scene.sensors}


def _read_springs(model, quantity, chosen, seen):
    time, position, velocity = seen.time, seen.position, seen.velocity
    law = getattr(seen, KINDS[chosen.kind].own)
    if quantity == "length":
        value = measure.lengths(model, position, chosen)
    elif quantity == "broken":
        value = measure.broken(model, law, chosen).astype(float)
    elif quantity == "elongation":
        value = measure.elongations(model, position, time, chosen)
    elif quantity == "strain":
        value = measure.elongations(model, position, time, chosen)
        return np.ascontiguousarray(value).sum(axis=-1) / np.ascontiguousarray(
            measure.lengths(model, position, chosen) - value).sum(axis=-1)
    elif quantity == "power":
        value = np.zeros((*np.shape(time), 1)) if law is None else np.where(
            (chosen.row >= 0) & (chosen.drive >= 0), law[..., chosen.row, POWER] if law.shape[-2] else 0.0, 0.0)
    elif quantity == "energy":
        value = measure.readings(model, chosen, position, velocity, time, law).stored
    elif quantity == KINDS[chosen.kind].force:
        found = measure.readings(model, chosen, position, velocity, time, law)
        value = found.elastic + found.viscous
    elif quantity == "bend":
        value = measure.bends(model, position, law, chosen)
    else:
        value = measure.angles(model, position, law, chosen, chosen.kind)
    return np.ascontiguousarray(value).sum(axis=-1)


def live_places(scene):
    """Name → columns of `Seen.told` of each sensor that follows from forces."""
    found, begin = {}, 0
    for sensor in scene.sensors:
        if is_live(sensor):
            end = begin + QUANTITIES[sensor.quantity].width
            found[sensor.name], begin = slice(begin, end), end
    return found


def _distance(ends, seen):
    places = [(seen.position, seen.rigid_position)[kind][..., row, :] for kind, row in ends]
    return np.linalg.norm(places[0] - places[1], axis=-1)


def _force_power(model, number, seen):
    """Force × velocity of what it acts on, torque × spin."""
    force, forces = model.scene.forces[number], model.arrays.acts.forces
    moving = {"particle": seen.velocity, "rigid": seen.rigid_velocity, "torque": seen.rigid_spin}[force.kind]
    size = drive_value(model.arrays.drives, forces.drive[number], seen.time)
    return size * measure.dot(np.take(moving, force.target, axis=-2), force.vector)


def _read_command(rows, time):
    """What a command stands at; the columns are those of `run/commands`."""
    start, since, slope, until, value = np.moveaxis(rows, -1, 0)
    return np.where(time >= until, value, start + slope * (time - since))


def _read_contacts(model, quantity, of, rows):
    """Sums over the contacts of each frame."""
    owner = model.arrays.contact.parts.owner
    on = owner == of.indices[0]
    by = owner == of.indices[1] if of.indices[1] >= 0 else ~on
    signs = contact_signs(rows["first"], rows["second"], on, by)
    if quantity == "contact_area":
        return frame_sums(np.abs(signs) * rows["area"], rows["start"])
    size = np.abs(signs) * np.linalg.norm(rows["normal"], axis=1)
    if quantity == "contact_normal_force":
        return frame_sums(size, rows["start"])
    if quantity in ("contact_pressure", "contact_centre"):
        place = np.where(size[:, None] > 0.0, size[:, None] * rows["point"], 0.0)
        area, pressed = frame_sums(np.abs(signs) * rows["area"], rows["start"]), frame_sums(size, rows["start"])
        with np.errstate(divide="ignore", invalid="ignore"):
            if quantity == "contact_pressure":
                return np.where(area > 0.0, pressed / area, 0.0)
            return frame_sums(place, rows["start"]) / np.where(pressed > 0.0, pressed, np.nan)[:, None]
    force = rows["friction"] if quantity == "contact_friction" else rows["normal"] + rows["friction"]
    return frame_sums(signs[:, None] * force, rows["start"])


def _read_primitives(model, quantity, of, seen):
    particles, rigids = _members(model, of)
    mass, rigid_mass = (whole[part] for whole, part in zip(measure.masses(model), (particles, rigids), strict=True))
    x = np.concatenate([measure.rows_of(seen.position, particles), measure.rows_of(seen.rigid_position, rigids)], axis=-2)
    v = np.concatenate([measure.rows_of(seen.velocity, particles), measure.rows_of(seen.rigid_velocity, rigids)], axis=-2)
    mass = np.concatenate([mass, rigid_mass])
    spin, turning = measure.rows_of(seen.rigid_spin, rigids), measure.rows_of(seen.rigid_momentum, rigids)
    if quantity == "kinetic_energy":
        return 0.5 * ((measure.dot(v, v) * mass).sum(axis=-1) + measure.dot(spin, turning).sum(axis=-1))
    if quantity == "momentum":
        return _sums(mass, v)
    if quantity == "centre":
        # primitives without mass have their centre in the middle
        return _sums(mass, x) / mass.sum() if mass.sum() > 0 else _sums(np.ones(len(mass)), x) / len(mass)
    single = {"position": x, "velocity": v, "spin": spin, "angular_momentum": turning}
    return np.linalg.norm(v[..., 0, :], axis=-1) if quantity == "speed" else single[quantity][..., 0, :]


def _sums(weight, rows):
    """Σ weight × row of each frame, (…, 3): in the same order however many frames are read at once."""
    return np.stack([np.ascontiguousarray(rows[..., axis] * weight).sum(axis=-1) for axis in range(3)], axis=-1)


def _members(model, of):
    """Indices of the particles and of the rigids that a reference means."""
    nothing = np.empty(0, int)
    if of.kind == "scene":
        mass, rigid_mass = measure.masses(model)
        return np.flatnonzero(mass > 0), np.arange(len(rigid_mass))
    return (of.indices, nothing) if of.kind == "particle" else (nothing, of.indices)
