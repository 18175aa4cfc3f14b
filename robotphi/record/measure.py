"""Measures: from positions and velocities to lengths, tensions, bends, moments, energies and momenta, in SI.

Every function takes arrays of one instant, (n, 3), or of many frames, (f, n, 3), and gives one value per spring and
frame. Springs are counted as the user added them, plain ones and those with a law together; `which` is None for all,
their indices, or a `SpringSet` gathered before. `law` is the state of springs with a law, which keeps plastic flow,
bend signs and turns: without it flow is zero, bends are positive and angles lie near their rest. What springs do at their
strains comes from the kernels' own laws (`kernels/springs/measured`).
"""
from typing import NamedTuple

import numpy as np

from robotphi.errors import SceneError
from robotphi.kernels.springs import laws
from robotphi.kernels.springs.measured import formula, law_readings
from robotphi.kernels.springs.table import ACCUMULATED, ANGLE, FLOW, KINDS, NORMAL
from robotphi.record.springs import SpringSet, rests, springs
from robotphi.scene.checks import refuse

STRAIGHT = formula(laws.straight)


def _chosen(model, kind, which):
    return which if isinstance(which, SpringSet) else springs(model, kind, which)


def _state(chosen, law, columns):
    """Columns of the state of each spring, zero for plain ones and without a state."""
    if law is None or not np.any(chosen.row >= 0):
        return np.zeros(len(chosen.row) if np.ndim(columns) == 0 else (len(chosen.row), len(columns)))
    kept = law[..., chosen.row, :][..., columns]
    return np.where((chosen.row >= 0).reshape(-1, *(1,) * np.ndim(columns)), kept, 0.0)


# Springs -------------------------------------------------------------------------------------------------------------

def rows_of(points, which):
    """Some rows of each frame, laid out in order: sums over them have the same bits however many frames there are."""
    return np.take(points, which, axis=-2)


def _arms(chosen, points):
    centre = rows_of(points, chosen.centre)
    return rows_of(points, chosen.first) - centre, rows_of(points, chosen.second) - centre


def dot(a, b):
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


def lengths(model, position, which=None):
    """Lengths of linear springs [m]."""
    chosen = _chosen(model, "linear", which)
    return np.linalg.norm(rows_of(position, chosen.first) - rows_of(position, chosen.second), axis=-1)


def length_rates(model, position, velocity, which=None):
    """Rates of the lengths of linear springs [m/s]; zero where the ends meet."""
    chosen = _chosen(model, "linear", which)
    d = rows_of(position, chosen.first) - rows_of(position, chosen.second)
    length = np.linalg.norm(d, axis=-1)
    return dot(d, rows_of(velocity, chosen.first) - rows_of(velocity, chosen.second)) / np.where(length > 0, length, 1.0)


def bends(model, position, law=None, which=None):
    """Bends φ = π − θ of angular springs [rad]; with their state, law springs have signed ones."""
    chosen = _chosen(model, "angular", which)
    p, q = _arms(chosen, position)
    normal = np.cross(p, q)
    bend = np.arctan2(np.linalg.norm(normal, axis=-1), -dot(p, q))
    return np.where(dot(normal, _state(chosen, law, np.arange(NORMAL, NORMAL + 3))) < 0.0, -bend, bend)


def angles(model, position, law=None, which=None, kind="articular"):
    """Angles of articular springs (signed, unwrapped by their state where it is given) or of angular ones [rad]."""
    if kind == "angular":
        return np.pi - bends(model, position, law, which)
    chosen = _chosen(model, "articular", which)
    axis = rows_of(position, chosen.end) - rows_of(position, chosen.centre)
    p, q = _arms(chosen, position)
    a, b = np.cross(p, axis), np.cross(q, axis)
    angle = np.arctan2(dot(axis, np.cross(a, b)) / np.linalg.norm(axis, axis=-1), dot(a, b))
    near = rests(model, chosen, 0.0) if law is None else law[..., chosen.row, ANGLE]
    return angle + 2 * np.pi * np.round((near - angle) / (2 * np.pi))


def angle_rates(model, position, velocity, which=None, kind="articular", law=None):
    """Rates θ̇ of articular or angular springs [rad/s]; zero where an angular spring is straight and has no normal."""
    chosen = _chosen(model, kind, which)
    p, q = _arms(chosen, position)
    u, v = _arms(chosen, velocity)
    if kind == "angular":
        turning = np.cross(q, v) / dot(q, q)[..., None] - np.cross(p, u) / dot(p, p)[..., None]
        return dot(turning, _bend_normals(chosen, p, q, law))
    axis = rows_of(position, chosen.end) - rows_of(position, chosen.centre)
    axis_rate = rows_of(velocity, chosen.end) - rows_of(velocity, chosen.centre)

    def turning_back(arm, arm_rate):
        # rate at which the arm turns against the axis, the motion of the axis itself taken off at the arm's foot
        foot = dot(arm, axis) / dot(axis, axis)
        normal = np.cross(arm, axis)
        on_arm = normal * (np.linalg.norm(axis, axis=-1) / dot(normal, normal))[..., None]
        return dot(on_arm, arm_rate - foot[..., None] * axis_rate)

    return turning_back(p, u) - turning_back(q, v)


def _bend_normals(chosen, p, q, law):
    """Unit normals of bends, signed as `laws.signed_bend` does; zero for straight springs whose state knows none."""
    normal = np.cross(p, q)
    size = np.linalg.norm(normal, axis=-1, keepdims=True)
    unit = normal / np.where(size > 0, size, 1.0)
    kept = _state(chosen, law, np.arange(NORMAL, NORMAL + 3))
    if not kept.any():
        return unit
    upright = kept - p * (dot(kept, p) / dot(p, p))[..., None]
    height = np.linalg.norm(upright, axis=-1, keepdims=True)
    is_flat = size <= laws.FLAT * (np.abs(dot(p, q))[..., None] + size)
    unit = np.where(dot(normal, kept)[..., None] < 0.0, -unit, unit)
    return np.where(is_flat & kept.any(axis=-1, keepdims=True), upright / np.where(height > 0, height, 1.0), unit)


# What springs do -----------------------------------------------------------------------------------------------------

class Reading(NamedTuple):
    """What springs do at an instant."""
    strain: np.ndarray      # m or rad beyond the rest value of the moment
    elastic: np.ndarray     # N or N·m
    viscous: np.ndarray
    stored: np.ndarray      # J
    stiffness: np.ndarray   # N/m or N·m/rad as the stability bound takes it


STRAINS = {  # of a kind: its value and the rate of it
    "length": lambda model, chosen, x, v, law: (lengths(model, x, chosen), length_rates(model, x, v, chosen)),
    "bend": lambda model, chosen, x, v, law: (bends(model, x, law, chosen), -angle_rates(model, x, v, chosen, "angular", law)),
    "angle": lambda model, chosen, x, v, law: (angles(model, x, law, chosen), angle_rates(model, x, v, chosen))}


def readings(model, chosen, position, velocity, time, law=None):
    """What the laws of springs of any kind make of positions, velocities and their states."""
    value, rate = STRAINS[KINDS[chosen.kind].strain](model, chosen, position, velocity, law)
    strain = value - _rests(model, chosen, position, time)
    if chosen.is_straight:
        return Reading(strain, *STRAIGHT(chosen.stiffness, chosen.viscosity, strain, rate),
                       np.broadcast_to(chosen.stiffness, strain.shape))
    whole = (-1, len(chosen.row))
    found = law_readings(chosen.kind, chosen.columns, model.arrays.tables, *(
        np.array(np.broadcast_to(each, strain.shape), order="C").reshape(whole)
        for each in (strain, rate, _state(chosen, law, FLOW), _state(chosen, law, ACCUMULATED))))
    return Reading(strain, *found.reshape(-1, *strain.shape))


def broken(model, law, which=None):
    """Whether linear springs are broken, by the state of springs with a law."""
    return _state(_chosen(model, "linear", which), law, ACCUMULATED) < 0.0


def elongations(model, position, time, which=None):
    """Length beyond the rest length of the moment [m]; plastic flow counts as elongation."""
    chosen = _chosen(model, "linear", which)
    return lengths(model, position, chosen) - _rests(model, chosen, position, time)


def _rests(model, chosen, position, time):
    """Rest values at the time of the positions; one time for many frames tells those of driven springs for none but one."""
    if np.ndim(position) > 2 and np.ndim(time) == 0 and np.any(chosen.drive >= 0):
        refuse("measure", f"time is {time!r:.40} for {len(position)} frames, in which rest values are driven",
               "give one time per frame, such as recording.time")
    return rests(model, chosen, time)


def tensions(model, position, velocity, time, law=None, which=None):
    """Pull of linear springs on their ends, damping included [N]."""
    found = readings(model, _chosen(model, "linear", which), position, velocity, time, law)
    return found.elastic + found.viscous


def moments(model, position, velocity, time, law=None, which=None, kind="angular"):
    """Moments with which angular springs work against their bend, or articular ones against their angle [N·m]."""
    found = readings(model, _chosen(model, kind, which), position, velocity, time, law)
    return found.elastic + found.viscous


# Everything together -------------------------------------------------------------------------------------------------

def masses(model):
    return model.arrays.particles.mass[:model.particle_count], model.arrays.rigids.mass


def kinetic_energy(model, velocity, rigid_velocity, rigid_spin, rigid_momentum):
    """½ Σ m v² over free particles and ½ (M V² + ω·L) over rigids [J]."""
    mass, rigid_mass = masses(model)
    return 0.5 * (dot(velocity, velocity) @ mass + dot(rigid_velocity, rigid_velocity) @ rigid_mass
                  + dot(rigid_spin, rigid_momentum).sum(axis=-1))


def centre_of_mass(model, position, rigid_position):
    """Centre of all masses [m], (3,) per frame."""
    mass, rigid_mass = masses(model)
    total = mass.sum() + rigid_mass.sum()
    if not total > 0:
        raise SceneError("this scene has no mass, so no centre of mass")
    return (mass @ position + rigid_mass @ rigid_position) / total


def momentum(model, velocity, rigid_velocity):
    """Linear momentum of everything [kg·m/s], (3,) per frame."""
    mass, rigid_mass = masses(model)
    return mass @ velocity + rigid_mass @ rigid_velocity


def angular_momentum(model, position, velocity, rigid_position, rigid_velocity, rigid_momentum, about=(0.0, 0.0, 0.0)):
    """Angular momentum of everything about a point [kg·m²/s], (3,) per frame."""
    mass, rigid_mass = masses(model)
    about = np.asarray(about, float)
    return (mass @ np.cross(position - about, velocity) + rigid_mass @ np.cross(rigid_position - about, rigid_velocity)
            + rigid_momentum.sum(axis=-2))


def recorded_momenta(recording, about=(0.0, 0.0, 0.0)):
    """Linear and angular momentum of every frame, (f, 3) each."""
    model = recording.model
    return (momentum(model, recording.velocity, recording.rigid_velocity),
            angular_momentum(model, recording.position, recording.velocity, recording.rigid_position,
                             recording.rigid_velocity, recording.rigid_momentum, about))
