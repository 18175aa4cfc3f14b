"""Sensors: the named quantities of a scene, read from one instant or from all frames."""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.springs.table import KINDS
from robotphi.record import measure
from robotphi.record.acts import act_reading
from robotphi.record.contacts import contact_signs, frame_sums
from robotphi.record.joints import joint_reading
from robotphi.record.spring_joints import spring_joint_reading
from robotphi.record.springs import springs


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
    joint_reaction: np.ndarray | None = None
    joint_closing: np.ndarray | None = None
    joint_exerted: np.ndarray | None = None
    contacts: dict | None = None           # of frames: rows of contact, see `kernels/contact/rows`, and their "start"


def sensor_sets(model):
    """Name of each sensor of springs → its `SpringSet`, to be gathered once and read often."""
    return {sensor.name: springs(model, sensor.of.kind, sensor.of.indices)
            for sensor in model.scene.sensors if sensor.of.kind in KINDS}


def read_sensor(model, sensor, seen, chosen=None):
    """Value of a sensor at an instant: a number, or (3,); with frames in front where the instant has them."""
    if sensor.of.kind in ("particle", "rigid", "scene"):
        return _read_primitives(model, sensor.quantity, sensor.of, seen)
    if sensor.of.kind == "contact":
        return _read_contacts(model, sensor.quantity, sensor.of, seen.contacts)
    if sensor.of.kind == "joint":
        return joint_reading(model, sensor.of.indices[0], sensor.quantity, seen, sensor.of.indices[1])
    if sensor.of.kind == "spring joint":
        return spring_joint_reading(model, sensor.of.indices[0], sensor.quantity, seen, sensor.of.indices[1])
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
    elif quantity == KINDS[chosen.kind].force:
        found = measure.readings(model, chosen, position, velocity, time, law)
        value = found.elastic + found.viscous
    elif quantity == "bend":
        value = measure.bends(model, position, law, chosen)
    else:
        value = measure.angles(model, position, law, chosen, chosen.kind)
    return np.ascontiguousarray(value).sum(axis=-1)


def _read_contacts(model, quantity, of, rows):
    """Sums over the contacts of each frame."""
    owner = model.arrays.contact.parts.owner
    on = owner == of.indices[0]
    by = owner == of.indices[1] if of.indices[1] >= 0 else ~on
    signs = contact_signs(rows["first"], rows["second"], on, by)
    if quantity == "contact_area":
        return frame_sums(np.abs(signs) * rows["area"], rows["start"])
    if quantity == "contact_normal_force":
        return frame_sums(np.abs(signs) * np.linalg.norm(rows["normal"], axis=1), rows["start"])
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
