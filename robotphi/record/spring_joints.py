"""Readings of joints that springs hold, with the words of exact ones, from how the two rigids stand and what the springs do.

Angles are within half a turn of the one that was drawn, but for those about which a spring counts turns.
"""
import numpy as np

from robotphi.kernels.springs.table import KINDS
from robotphi.record import measure
from robotphi.record.relative import along, carried_frame, coordinates, point_of, rates
from robotphi.record.springs import springs


def spring_joint_reading(model, number, quantity, seen, freedom=-1):
    """As `joints.joint_reading`."""
    joint = model.scene.spring_joints[number]
    if quantity in ("reaction_force", "reaction_couple"):
        return along(carried_frame(model, joint, seen), _reaction(model, joint, seen)[quantity == "reaction_couple"])
    chosen = slice(None) if freedom < 0 else slice(freedom, freedom + 1)
    if quantity == "power":
        return (_effort(model, joint, seen) * rates(model, joint, seen))[..., chosen].sum(axis=-1)
    found = {"coordinate": _coordinate, "rate": rates, "effort": _effort}[quantity](model, joint, seen)[..., chosen]
    return found[..., 0] if found.shape[-1] == 1 else found


def _coordinate(model, joint, seen):
    if joint.kind == "revolute" and joint.axis is not None:   # it counts turns
        return _on_axis(model, joint, seen)[0][..., None]
    return coordinates(model, joint, seen)


def _on_axis(model, joint, seen):
    """Angle or length of the spring on the coordinate, and its moment or tension."""
    chosen = springs(model, joint.axis.kind, joint.axis.indices)
    value = (measure.angles if joint.axis.kind == "articular" else measure.lengths)
    given = (seen.articular, chosen) if joint.axis.kind == "articular" else (chosen,)
    done = measure.readings(model, chosen, seen.position, seen.velocity, seen.time, getattr(seen, KINDS[joint.axis.kind].own))
    return value(model, seen.position, *given)[..., 0], (done.elastic + done.viscous)[..., 0]


def _effort(model, joint, seen):
    if joint.axis is None:
        return np.zeros((*np.shape(seen.rigid_spin)[:-2], len(joint.place)))
    return -_on_axis(model, joint, seen)[1][..., None]


def _reaction(model, joint, seen):
    """Force and couple on the child of all springs of a joint, at the joint in axes of the world."""
    force, couple, at = 0.0, 0.0, point_of(model, joint.child, joint.at, seen)[0]
    for held in (*joint.holding, *([] if joint.axis is None else [joint.axis])):
        chosen = springs(model, held.kind, held.indices)
        for rows, push in _pushes(model, chosen, seen):
            on_child = model.scene.rigid_of_particle[rows] == joint.child.index
            arm = measure.rows_of(seen.position, rows[on_child]) - at[..., None, :]
            own = push[..., on_child, :]
            force, couple = force + own.sum(axis=-2), couple + np.cross(arm, own).sum(axis=-2)
    return force, couple


def _pushes(model, chosen, seen):
    """(particles, forces on them) of the ends of springs, as `kernels/springs` has them."""
    done = measure.readings(model, chosen, seen.position, seen.velocity, seen.time, getattr(seen, KINDS[chosen.kind].own))
    size, places = (done.elastic + done.viscous)[..., None], [measure.rows_of(seen.position, end) for end in chosen.ends]
    if chosen.kind == "linear":
        d = places[0] - places[1]
        length = np.linalg.norm(d, axis=-1, keepdims=True)
        pull = -size * d / np.where(length > 0.0, length, 1.0)
        return [(chosen.first, pull), (chosen.second, -pull)]
    if chosen.kind == "angular":
        p, q = places[0] - places[1], places[2] - places[1]
        normal = np.cross(p, q)
        sine = np.linalg.norm(normal, axis=-1, keepdims=True)
        moment = -size * normal / np.where(sine > 0.0, sine, 1.0)
        on_p, on_q = np.cross(moment, p) / measure.dot(p, p)[..., None], np.cross(q, moment) / measure.dot(q, q)[..., None]
        return [(chosen.first, on_p), (chosen.centre, -on_p - on_q), (chosen.second, on_q)]
    axis = places[2] - places[1]
    along, p, q = np.linalg.norm(axis, axis=-1, keepdims=True), places[0] - places[1], places[3] - places[1]
    a, b = np.cross(p, axis), np.cross(q, axis)
    on_a, on_b = a * along / measure.dot(a, a)[..., None], -b * along / measure.dot(b, b)[..., None]
    foot = [(measure.dot(arm, axis) / measure.dot(axis, axis))[..., None] for arm in (p, q)]
    on_d = -foot[0] * on_a - foot[1] * on_b
    gradients = (on_a, -on_a - on_b - on_d, on_d, on_b)
    return [(end, -size * gradient) for end, gradient in zip(chosen.ends, gradients, strict=True)]


