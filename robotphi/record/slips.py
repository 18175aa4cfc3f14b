"""Slip: how fast two things that touch move along their surfaces, from how each moves where they touch."""
import numpy as np

from robotphi.record import measure
from robotphi.record.contacts import contact_signs, frame_sums


def slip_speeds(model, of, seen):
    """Mean speed along the surfaces of the contacts of each frame [m/s], counted by their normal force; 0 without contact."""
    rows, parts = seen.contacts, model.arrays.contact.parts
    on = parts.owner == of.indices[0]
    by = parts.owner == of.indices[1] if of.indices[1] >= 0 else ~on
    counts = np.abs(contact_signs(rows["first"], rows["second"], on, by))
    frame = np.repeat(np.arange(len(rows["start"]) - 1), np.diff(rows["start"]))
    relative = (_velocity(parts, rows["first"], rows["point"], frame, seen)
                - _velocity(parts, rows["second"], rows["point"], frame, seen))
    n = rows["direction"]
    along = np.linalg.norm(relative - measure.dot(relative, n)[:, None] * n, axis=1)
    size = counts * np.linalg.norm(rows["normal"], axis=1)
    whole = frame_sums(size, rows["start"])
    return frame_sums(np.where(size > 0.0, size * along, 0.0), rows["start"]) / np.where(whole > 0.0, whole, 1.0)


def _velocity(parts, part, point, frame, seen):
    """(c, 3) velocities of parts where they touch: as rigids move, as particles with a size do, none of what is fixed."""
    position, velocity, spin, single = (np.reshape(each, (-1, *each.shape[-2:])) for each in (
        seen.rigid_position, seen.rigid_velocity, seen.rigid_spin, seen.velocity))
    rigid, found = parts.rigid[part], np.zeros((len(part), 3))
    held = rigid >= 0
    f, i = frame[held], rigid[held]
    found[held] = velocity[f, i] + np.cross(spin[f, i], point[held] - position[f, i])
    first, last = parts.vertex_start[part], parts.vertex_start[part + 1]
    loose = ~held & (last > first)
    found[loose] = single[frame[loose], parts.vertex[first[loose]]]
    return found
