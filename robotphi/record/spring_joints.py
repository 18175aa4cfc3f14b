"""Readings of joints that springs hold, with the words of exact ones, from how the two rigids stand and what the springs do.

Coordinates are those of the kind, taken of the relative pose R = R_pᵀ R_c in axes of the joint: of a revolute joint the twist
about x, of a universal one R = R_x(a) R_y(b), of a ball the rotation vector. Angles are within half a turn of the one that was
drawn, but for those about which a spring counts turns.
"""
import numpy as np

from robotphi.kernels.springs.table import KINDS
from robotphi.record import measure
from robotphi.record.springs import springs
from robotphi.scene.rigid import matrix_of


def spring_joint_reading(model, number, quantity, seen, freedom=-1):
    """As `joints.joint_reading`."""
    joint = model.scene.spring_joints[number]
    if quantity in ("reaction_force", "reaction_couple"):
        frame = _frame(model, joint, seen)
        return _along(frame, _reaction(model, joint, seen)[quantity == "reaction_couple"])
    chosen = slice(None) if freedom < 0 else slice(freedom, freedom + 1)
    if quantity == "power":
        return (_effort(model, joint, seen) * _rate(model, joint, seen))[..., chosen].sum(axis=-1)
    found = {"coordinate": _coordinate, "rate": _rate, "effort": _effort}[quantity](model, joint, seen)[..., chosen]
    return found[..., 0] if found.shape[-1] == 1 else found


def _turn(model, rigid, seen):
    """(…, 3, 3) by which a rigid has turned since it was drawn."""
    if rigid is None:
        return np.eye(3)
    return matrix_of(seen.rigid_orientation[..., rigid.index, :]) @ matrix_of(model.rigid_orientation[rigid.index]).T


def _frame(model, joint, seen):
    """(…, 3, 3) axes of the joint as its parent carries them."""
    return _turn(model, joint.parent, seen) @ joint.frame


def _along(frame, vector):
    return np.stack([(frame[..., :, k] * vector).sum(axis=-1) for k in range(3)], axis=-1)


def _point(model, joint, rigid, seen):
    """Where a rigid has the joint, and how that point moves."""
    if rigid is None:
        return joint.at, np.zeros(3), np.zeros(3)
    i = rigid.index
    arm = (_turn(model, rigid, seen) @ (joint.at - model.rigid_position[i])[:, None])[..., 0]
    spin = seen.rigid_spin[..., i, :]
    return seen.rigid_position[..., i, :] + arm, seen.rigid_velocity[..., i, :] + np.cross(spin, arm), spin


def _coordinate(model, joint, seen):
    frame = _frame(model, joint, seen)
    r = np.swapaxes(frame, -1, -2) @ _turn(model, joint.child, seen) @ joint.frame
    apart = _point(model, joint, joint.child, seen)[0] - _point(model, joint, joint.parent, seen)[0]
    shift = (frame[..., :, 0] * apart).sum(axis=-1)
    twist = np.arctan2(r[..., 2, 1] - r[..., 1, 2], r[..., 1, 1] + r[..., 2, 2])
    if joint.kind == "revolute" and joint.axis is not None:   # it counts turns
        return _on_axis(model, joint, seen)[0][..., None]
    found = {"revolute": (twist,), "prismatic": (shift,), "cylindrical": (shift, twist), "fixed": (),
             "universal": (np.arctan2(r[..., 2, 1], r[..., 1, 1]), np.arctan2(r[..., 0, 2], r[..., 0, 0])),
             "ball": tuple(np.moveaxis(_rotation_vector(r), -1, 0))}[joint.kind]
    return np.stack(found, axis=-1) + joint.place if found else np.zeros((*np.shape(shift), 0))


def _rotation_vector(r):
    """Axis × angle of rotation matrices."""
    skew = 0.5 * np.stack([r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]], axis=-1)
    sine = np.linalg.norm(skew, axis=-1, keepdims=True)
    angle = np.arctan2(sine, 0.5 * (np.trace(r, axis1=-2, axis2=-1)[..., None] - 1.0))
    return skew * np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 1.0)


def _rate(model, joint, seen):
    frame = _frame(model, joint, seen)
    (at, speed, spin), (own_at, own_speed, own_spin) = (_point(model, joint, end, seen) for end in (joint.parent, joint.child))
    turning = _along(frame, own_spin - spin)
    sliding = (frame[..., :, 0] * (own_speed - speed - np.cross(spin, own_at - at))).sum(axis=-1)
    if joint.kind == "universal":   # ω = ȧ x + ḃ (y turned by a)
        first = _coordinate(model, joint, seen)[..., 0] - joint.place[0]
        return np.stack([turning[..., 0], np.cos(first) * turning[..., 1] + np.sin(first) * turning[..., 2]], axis=-1)
    found = {"revolute": (turning[..., 0],), "prismatic": (sliding,), "cylindrical": (sliding, turning[..., 0]), "fixed": (),
             "ball": tuple(np.moveaxis(turning, -1, 0))}[joint.kind]
    return np.stack(found, axis=-1) if found else np.zeros((*np.shape(sliding), 0))


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
    force, couple, at = 0.0, 0.0, _point(model, joint, joint.child, seen)[0]
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


