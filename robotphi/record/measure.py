"""Measures: from positions and velocities to lengths, tensions, bends, moments, energies and momenta, in SI.

Every function takes arrays of one instant, (n, 3), or of many frames, (f, n, 3), and gives one value per spring and
frame. Springs are counted as the user added them, plain ones and those with a law together; `which` is None for all,
their indices, or a `SpringSet` gathered before. `law` is the state of springs with a law, which keeps plastic flow,
bend signs and turns: without it flow is zero, bends are positive and angles lie near their rest.
"""
from typing import NamedTuple

import numpy as np

from robotphi.errors import SceneError
from robotphi.record.contacts import contact_signs
from robotphi.record.springs import SpringSet, rests, springs, table_force

FLOW, NORMAL, ANGLE = 0, slice(5, 8), 5  # columns of the state of springs with a law, as the kernels keep them


def _chosen(model, kind, which):
    return which if isinstance(which, SpringSet) else springs(model, kind, which)


def _flow(chosen, law):
    """Plastic flow of each spring, zero without a state."""
    if law is None or not np.any(chosen.row >= 0):
        return 0.0
    return np.where(chosen.row >= 0, law[..., chosen.row, FLOW], 0.0)


# Springs -------------------------------------------------------------------------------------------------------------

def _arms(chosen, points):
    centre = points[..., chosen.centre, :]
    return points[..., chosen.first, :] - centre, points[..., chosen.second, :] - centre


def _dot(a, b):
    return np.einsum("...i,...i->...", a, b)


def lengths(model, position, which=None):
    """Lengths of linear springs [m]."""
    chosen = _chosen(model, "linear", which)
    return np.linalg.norm(position[..., chosen.first, :] - position[..., chosen.second, :], axis=-1)


def elongations(model, position, time=0.0, which=None):
    """Length beyond the rest length of the moment [m]; plastic flow counts as elongation."""
    chosen = _chosen(model, "linear", which)
    return lengths(model, position, chosen) - rests(model, chosen, time)


def tensions(model, position, velocity, time=0.0, law=None, which=None):
    """Pull of linear springs on their ends, damping included [N]."""
    chosen = _chosen(model, "linear", which)
    d = position[..., chosen.first, :] - position[..., chosen.second, :]
    length = np.linalg.norm(d, axis=-1)
    rate = _dot(d, velocity[..., chosen.first, :] - velocity[..., chosen.second, :]) / np.where(length > 0, length, 1.0)
    stretch = length - rests(model, chosen, time)
    elastic = chosen.stiffness * (stretch - _flow(chosen, law))
    for index in np.flatnonzero(chosen.table >= 0):
        elastic[..., index] = table_force(model.arrays.tables, chosen.table[index], stretch[..., index])
    total = elastic + chosen.viscosity * rate
    slack = (chosen.tension_only > 0) & (stretch <= 0.0)
    return np.where(slack, 0.0, np.where(chosen.tension_only > 0, np.maximum(total, 0.0), total))


def bends(model, position, law=None, which=None):
    """Bends φ = π − θ of angular springs [rad]; with their state, law springs have signed ones."""
    chosen = _chosen(model, "angular", which)
    p, q = _arms(chosen, position)
    normal = np.cross(p, q)
    bend = np.arctan2(np.linalg.norm(normal, axis=-1), -_dot(p, q))
    if law is not None and np.any(chosen.row >= 0):
        kept = np.where((chosen.row >= 0)[:, None], law[..., chosen.row, NORMAL], 0.0)
        bend = np.where(_dot(normal, kept) < 0.0, -bend, bend)
    return bend


def angles(model, position, law=None, which=None, kind="articular"):
    """Angles of articular springs (signed, unwrapped by their state where it is given) or of angular ones [rad]."""
    if kind == "angular":
        return np.pi - bends(model, position, law, which)
    chosen = _chosen(model, "articular", which)
    axis = position[..., chosen.end, :] - position[..., chosen.centre, :]
    p, q = _arms(chosen, position)
    a, b = np.cross(p, axis), np.cross(q, axis)
    angle = np.arctan2(_dot(axis, np.cross(a, b)) / np.linalg.norm(axis, axis=-1), _dot(a, b))
    near = rests(model, chosen, 0.0) if law is None else law[..., chosen.row, ANGLE]
    return angle + 2 * np.pi * np.round((near - angle) / (2 * np.pi))


def angle_rates(model, position, velocity, which=None, kind="articular"):
    """Rates θ̇ of articular or angular springs [rad/s]; zero where an angular spring is straight."""
    chosen = _chosen(model, kind, which)
    p, q = _arms(chosen, position)
    u, v = _arms(chosen, velocity)
    if kind == "angular":
        normal = np.cross(p, q)
        size = np.linalg.norm(normal, axis=-1, keepdims=True)
        turning = np.cross(q, v) / _dot(q, q)[..., None] - np.cross(p, u) / _dot(p, p)[..., None]
        return _dot(turning, normal / np.where(size > 0, size, 1.0))
    axis = position[..., chosen.end, :] - position[..., chosen.centre, :]
    axis_rate = velocity[..., chosen.end, :] - velocity[..., chosen.centre, :]

    def turning_back(arm, arm_rate):
        # rate at which the arm turns against the axis, the motion of the axis itself taken off at the arm's foot
        foot = _dot(arm, axis) / _dot(axis, axis)
        normal = np.cross(arm, axis)
        on_arm = normal * (np.linalg.norm(axis, axis=-1) / _dot(normal, normal))[..., None]
        return _dot(on_arm, arm_rate - foot[..., None] * axis_rate)

    return turning_back(p, u) - turning_back(q, v)


def moments(model, position, velocity, time=0.0, law=None, which=None, kind="angular"):
    """Moments with which angular springs work against their bend, or articular ones against their angle [N·m]."""
    chosen = _chosen(model, kind, which)
    rate = angle_rates(model, position, velocity, chosen, kind)
    if kind == "angular":
        value, rate = bends(model, position, law, chosen), -rate
    else:
        value = angles(model, position, law, chosen)
    return chosen.stiffness * (value - rests(model, chosen, time) - _flow(chosen, law)) + chosen.viscosity * rate


# Everything together -------------------------------------------------------------------------------------------------

def _masses(model):
    return model.arrays.particles.mass[:model.particle_count], model.arrays.rigids.mass


def kinetic_energy(model, velocity, rigid_velocity, rigid_spin, rigid_momentum):
    """½ Σ m v² over free particles and ½ (M V² + ω·L) over rigids [J]."""
    mass, rigid_mass = _masses(model)
    return 0.5 * (_dot(velocity, velocity) @ mass + _dot(rigid_velocity, rigid_velocity) @ rigid_mass
                  + _dot(rigid_spin, rigid_momentum).sum(axis=-1))


def centre_of_mass(model, position, rigid_position):
    """Centre of all masses [m], (3,) per frame."""
    mass, rigid_mass = _masses(model)
    total = mass.sum() + rigid_mass.sum()
    if not total > 0:
        raise SceneError("this scene has no mass, so no centre of mass")
    return (mass @ position + rigid_mass @ rigid_position) / total


def momentum(model, velocity, rigid_velocity):
    """Linear momentum of everything [kg·m/s], (3,) per frame."""
    mass, rigid_mass = _masses(model)
    return mass @ velocity + rigid_mass @ rigid_velocity


def angular_momentum(model, position, velocity, rigid_position, rigid_velocity, rigid_momentum, about=(0.0, 0.0, 0.0)):
    """Angular momentum of everything about a point [kg·m²/s], (3,) per frame."""
    mass, rigid_mass = _masses(model)
    about = np.asarray(about, float)
    return (mass @ np.cross(position - about, velocity) + rigid_mass @ np.cross(rigid_position - about, rigid_velocity)
            + rigid_momentum.sum(axis=-2))


def recorded_momenta(recording, about=(0.0, 0.0, 0.0)):
    """Linear and angular momentum of every frame, (f, 3) each."""
    model = recording.model
    return (momentum(model, recording.velocity, recording.rigid_velocity),
            angular_momentum(model, recording.position, recording.velocity, recording.rigid_position,
                             recording.rigid_velocity, recording.rigid_momentum, about))


# Sensors -------------------------------------------------------------------------------------------------------------

class Instant(NamedTuple):
    """What sensors read: the arrays of one instant, or of all frames with f in front."""
    time: float
    position: np.ndarray
    velocity: np.ndarray
    rigid_position: np.ndarray
    rigid_velocity: np.ndarray
    rigid_spin: np.ndarray
    rigid_momentum: np.ndarray
    linear_law: np.ndarray | None = None   # states of springs with a law, rows as in the model
    angular_law: np.ndarray | None = None
    articular: np.ndarray | None = None
    contacts: dict | None = None           # rows of contact, see `contacts.CONTACTS`


def sensor_sets(model):
    """Name of each sensor of springs → its `SpringSet`, to be gathered once and read often."""
    return {sensor.name: springs(model, sensor.of.kind, sensor.of.indices)
            for sensor in model.scene.sensors if sensor.of.kind in ("linear", "angular", "articular")}


def read_sensor(model, sensor, instant, chosen=None):
    """Value of a sensor at an instant: a number, or (3,); with frames in front where the instant has them."""
    if sensor.of.kind in ("particle", "rigid", "scene"):
        return _read_primitives(model, sensor.quantity, sensor.of, instant)
    if sensor.of.kind == "contact":
        return _read_contacts(model, sensor.quantity, sensor.of, instant.contacts)
    chosen = _chosen(model, sensor.of.kind, sensor.of.indices) if chosen is None else chosen
    return _read_springs(model, sensor.quantity, chosen, instant)


def read_sensors(model, instant, sets=None):
    """Name → value of all sensors of the scene; `sets` is what `sensor_sets` gave."""
    sets = sensor_sets(model) if sets is None else sets
    return {sensor.name: read_sensor(model, sensor, instant, sets.get(sensor.name)) for sensor in model.scene.sensors}


def _read_springs(model, quantity, chosen, instant):
    time, position, velocity = instant.time, instant.position, instant.velocity
    law = {"linear": instant.linear_law, "angular": instant.angular_law, "articular": instant.articular}[chosen.kind]
    if quantity == "length":
        value = lengths(model, position, chosen)
    elif quantity == "elongation":
        value = elongations(model, position, time, chosen)
    elif quantity == "tension":
        value = tensions(model, position, velocity, time, law, chosen)
    elif quantity == "bend":
        value = bends(model, position, law, chosen)
    elif quantity == "angle":
        value = angles(model, position, law, chosen, chosen.kind)
    else:
        value = moments(model, position, velocity, time, law, chosen, chosen.kind)
    return value.sum(axis=-1)


def _read_contacts(model, quantity, of, rows):
    """Sums over the contacts of one instant."""
    owner = model.arrays.contact.parts.owner
    on = owner == of.indices[0]
    by = owner == of.indices[1] if of.indices[1] >= 0 else ~on
    signs = contact_signs(rows["first"], rows["second"], on, by)
    if quantity == "contact_area":
        return float(np.abs(signs) @ rows["area"])
    if quantity == "contact_normal_force":
        return float(np.abs(signs) @ np.linalg.norm(rows["normal"], axis=1))
    return signs @ (rows["friction"] if quantity == "contact_friction" else rows["normal"] + rows["friction"])


def _read_primitives(model, quantity, of, instant):
    particles, rigids = _members(model, of)
    mass, rigid_mass = (whole[part] for whole, part in zip(_masses(model), (particles, rigids), strict=True))
    x = np.concatenate([instant.position[..., particles, :], instant.rigid_position[..., rigids, :]], axis=-2)
    v = np.concatenate([instant.velocity[..., particles, :], instant.rigid_velocity[..., rigids, :]], axis=-2)
    mass = np.concatenate([mass, rigid_mass])
    spin, turning = instant.rigid_spin[..., rigids, :], instant.rigid_momentum[..., rigids, :]
    if quantity == "kinetic_energy":
        return 0.5 * (_dot(v, v) @ mass + _dot(spin, turning).sum(axis=-1))
    if quantity == "momentum":
        return mass @ v
    if quantity == "centre":
        # primitives without mass have their centre in the middle
        return (mass @ x) / mass.sum() if mass.sum() > 0 else x.mean(axis=-2)
    single = {"position": x, "velocity": v, "spin": spin, "angular_momentum": turning}
    return np.linalg.norm(v[..., 0, :], axis=-1) if quantity == "speed" else single[quantity][..., 0, :]


def _members(model, of):
    """Indices of the particles and of the rigids that a reference means."""
    nothing = np.empty(0, int)
    if of.kind == "scene":
        mass, rigid_mass = _masses(model)
        return np.flatnonzero(mass > 0), np.arange(len(rigid_mass))
    return (of.indices, nothing) if of.kind == "particle" else (nothing, of.indices)
