"""The outline of what has an axis: places along it and radii there, straight in between; of all but wheels two of them."""
from robotphi.kernels.compiling.compiled import inlined
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.kinds import WHEEL


@inlined
def outline_count(parts, part):
    """How many places an outline has."""
    return int(parts.outline.row[parts.field[part], 0]) if parts.kind[part] == WHEEL else 2


@inlined
def outline_at(parts, part, i, length):
    """Place i of an outline, from the first row of the part along its axis of this length, and the radius there [m]."""
    if parts.kind[part] == WHEEL:
        row = parts.field[part] + 1 + i
        return parts.outline.row[row, 0], parts.outline.row[row, 1]
    return (0.0 if i == 0 else length), parts.size[part, c.RADIUS]
