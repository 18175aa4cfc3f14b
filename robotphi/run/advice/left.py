"""Things that went over the edge of a height field, beside which there is no ground, and fell."""
import numpy as np

from robotphi.kernels.contact import columns, kinds

LISTED = 5


def over_the_edge(model, recording):
    """One sentence for each thing that was over a height field and, later, beside it and below all of it."""
    parts, told = model.arrays.contact.parts, {}
    if np.any((parts.kind == kinds.PLANE) & (parts.rigid < 0)):
        return []   # there is ground beside it
    grounds = np.flatnonzero(parts.kind == kinds.FIELD)
    for part in np.flatnonzero(~np.isin(parts.kind, kinds.GROUNDS)) if len(grounds) else ():
        rows = parts.vertex[parts.vertex_start[part]:parts.vertex_start[part + 1]]
        place = recording.position[:, rows].mean(axis=1)
        over, low = zip(*(_beside(model, part, ground, place) for ground in grounds), strict=True)
        for ground, inside, lowest in zip(grounds, over, low, strict=True):
            key = parts.owner[part], parts.owner[ground]
            if key not in told and inside.any() and place[-1, 2] + parts.size[part, columns.RADIUS] < min(low):
                last = int(np.flatnonzero(inside)[-1])
                if last < len(recording) - 1 and not any(one[-1] for one in over) and place[last, 2] > lowest:
                    told[key] = _sentence(model, recording, part, ground, last + 1, place[last + 1])
    told = list(told.values())
    return told[:LISTED] + ([f"{len(told) - LISTED} more things went over the edge"] if len(told) > LISTED else [])


def _beside(model, part, ground, place):
    """(frames,) whether a part is over a field, and the lowest height of that [m]; never where the two do not touch."""
    contact = model.arrays.contact
    fields, number, count = contact.fields, contact.parts.field[ground], len(contact.parts.kind)
    key = min(part, ground) * count + max(part, ground)
    if np.isin(key, contact.excluded):
        return np.zeros(len(place), bool), -np.inf
    low = fields.origin[number, :2]
    high = low + fields.spacing[number] * (fields.shape[number] - 1)
    heights = fields.height[fields.start[number]:fields.start[number + 1]]
    return np.all((place[:, :2] >= low) & (place[:, :2] <= high), axis=1), fields.origin[number, 2] + heights.min()


def _sentence(model, recording, part, ground, frame, place):
    fields, number = model.arrays.contact.fields, model.arrays.contact.parts.field[ground]
    low = fields.origin[number, :2]
    high = low + fields.spacing[number] * (fields.shape[number] - 1)
    names = model.part_names
    return (f"{names[part]!r} went over the edge of {names[ground]!r} by t = {recording.time[frame]:.6g} s, "
            f"at ({place[0]:.3g}, {place[1]:.3g}), and fell: the field reaches from ({low[0]:g}, {low[1]:g}) to "
            f"({high[0]:g}, {high[1]:g}), and there is no ground beside it; make it larger, or add a plane")
