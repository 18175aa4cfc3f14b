"""Reading contact: what the kernels hold at one instant, as the rows of a recording's tables.

What is recorded of a contact is what its forces were at the end of the last step, or at the first instant.
"""
import numpy as np

from robotphi.kernels.contact import columns, kinds
from robotphi.record import contacts as contact_table

NEXT = [1, 2, 0]  # the corner behind each of a triangle


def read_contacts(model, touch, position):
    """Tables "contacts" and "contact_vertices" of an instant: name → column → rows."""
    count = touch.sizes[columns.PAIR_COUNT]
    kept = np.flatnonzero(touch.pairs[:count, columns.TRIAL_TOUCHING] == 1)
    pairs, numbers, sums = touch.pairs[kept], touch.numbers[kept], touch.sums[kept]
    first, second = pairs[:, columns.FIRST], pairs[:, columns.SECOND]
    vertices = _vertices(model, touch)
    # friction is held by the pair where both parts are rigid or balls, else by vertices: one of the two is nothing
    friction, sticks = _vertex_friction(vertices, first, second, len(model.arrays.contact.parts.kind))
    # what a part does to itself adds up to nothing and has no one place or direction
    itself = (first == second)[:, None]
    point, direction = (np.where(itself, np.nan, numbers[:, place:place + 3]) for place in (columns.POINT, columns.NOW))
    facets = nearest_facets(model, position, np.concatenate([first, second]), np.concatenate([point, point]))
    rows = {
        "first": first, "second": second, "point": point, "direction": direction,
        "depth": numbers[:, columns.DEPTH], "normal": sums[:, columns.PAIR_FORCE:columns.PAIR_FORCE + 3],
        "friction": numbers[:, columns.RUB_FORCE:columns.RUB_FORCE + 3] + friction,
        "twist": numbers[:, columns.RUB_FORCE + 3] * numbers[:, columns.GYRATION], "area": sums[:, columns.PAIR_AREA],
        "energy": sums[:, columns.PAIR_ENERGY], "places": np.maximum(sums[:, columns.PAIR_POINTS], 1.0).astype(np.int32),
        "pressed": sums[:, columns.PAIR_ELASTIC], "sticks": (pairs[:, columns.TRIAL_STICKS] == 1) & sticks,
        "first_facet": facets[:len(first)], "second_facet": facets[len(first):]}
    return {"contacts": {name: rows[name] for name in contact_table.CONTACTS}, "contact_vertices": vertices}


def _vertices(model, touch):
    """Rows of the vertices that rub on something."""
    parts = model.arrays.contact.parts
    slots = touch.slots.reshape(len(touch.node), columns.SLOTS, columns.SLOT_NUMBERS)
    place, slot = np.nonzero((touch.node > 0) & (slots[:, :, columns.SLOT_FORCE] > 0.0))
    own, other = slots[place, slot], touch.node[place, slot] - 1
    facet = own[:, columns.SLOT_FACET].astype(np.int32)
    rows = {
        "part": np.searchsorted(parts.vertex_start, place, side="right") - 1, "other": other, "particle": parts.vertex[place],
        "normal": own[:, columns.SLOT_FORCE], "friction": own[:, columns.SLOT_FRICTION:columns.SLOT_FRICTION + 3],
        "sticks": own[:, columns.SLOT_TRIAL_STICKS] == 1.0, "facet": np.where(facet >= 0, facet - parts.facet_start[other], -1)}
    return {name: np.asarray(rows[name], dtype) for name, (_, dtype) in contact_table.VERTICES.items()}


def _vertex_friction(vertices, first, second, count):
    """Friction of the vertices of each pair on its first part, and whether all that carry force stick."""
    friction, sticks = np.zeros((len(first), 3)), np.ones(len(first), bool)
    if not len(vertices["part"]) or not len(first):
        return friction, sticks
    keys = first.astype(np.int64) * count + second
    order = np.argsort(keys)
    for one, other, sign in (("part", "other", 1.0), ("other", "part", -1.0)):
        wanted = vertices[one].astype(np.int64) * count + vertices[other]
        place = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
        pair, rows = order[place], keys[order[place]] == wanted
        if sign < 0.0:
            rows &= vertices["part"] != vertices["other"]  # a part on itself gives to and takes from itself
        np.add.at(friction, pair[rows], sign * vertices["friction"][rows])
        np.logical_and.at(sticks, pair[rows], vertices["sticks"][rows])
    return friction, sticks


# The facet nearest to a point -----------------------------------------------------------------------------------------

def nearest_facets(model, position, part, point):
    """The facet of each of some parts that is nearest to a point, by its number in the part; −1 where it has none."""
    contact = model.arrays.contact
    parts = contact.parts
    found = np.full(len(part), -1, np.int32)
    start, count = parts.facet_start[part], parts.facet_start[part + 1] - parts.facet_start[part]
    row = np.repeat(np.arange(len(part)), count)
    if len(row):
        first = np.cumsum(count) - count
        facet = np.arange(len(row)) - np.repeat(first - start, count)
        square = squares_to_triangles(point[row], position[parts.facet[facet]])
        faceted = np.flatnonzero(count)
        least = np.minimum.reduceat(square, first[faceted])
        hits = np.flatnonzero(square == np.repeat(least, count[faceted]))
        rows, at = np.unique(row[hits], return_index=True)
        found[rows] = facet[hits[at]] - start[rows]
    for k in np.flatnonzero(parts.kind[part] == kinds.FIELD):
        found[k] = _field_facet(contact.fields, parts.field[part[k]], point[k])
    return found


def squares_to_triangles(point, corner):
    """Square of the distance of each point from a triangle [m²]: (k, 3) and (k, 3, 3)."""
    # the three sides are one array more, and sums and products are asked for by their short names: facets are few, calls dear
    begin = np.ascontiguousarray(corner.transpose(1, 0, 2))
    side = begin[NEXT] - begin
    away = point - begin
    normal = _cross(side[0], begin[2] - begin[0])
    size = np.add.reduce(normal * normal, axis=-1)
    length = np.add.reduce(side * side, axis=-1)
    share = np.add.reduce(away * side, axis=-1) / np.where(length > 0.0, length, 1.0)
    from_side = away - np.minimum(np.maximum(share, 0.0), 1.0)[..., None] * side
    square = np.minimum.reduce(np.add.reduce(from_side * from_side, axis=-1))
    inside = (size > 0.0) & np.logical_and.reduce(np.add.reduce(_cross(side, away) * normal, axis=-1) >= 0.0)
    height = np.add.reduce(away[0] * normal, axis=-1)
    return np.where(inside, height * height / np.where(size > 0.0, size, 1.0), square)


def _cross(a, b):
    """a × b, as `np.cross` gives it."""
    product = np.empty(a.shape)
    for axis, (one, two) in enumerate(((1, 2), (2, 0), (0, 1))):
        product[..., axis] = a[..., one] * b[..., two] - a[..., two] * b[..., one]
    return product


def _field_facet(fields, number, point):
    """Number of the triangle of a height field over which a point is."""
    shape = fields.shape[number]
    place = (point[:2] - fields.origin[number, :2]) / fields.spacing[number]
    cell = np.clip(np.floor(place), 0, shape - 2).astype(int)
    u, w = place - cell
    return 2 * (cell[0] * (shape[1] - 1) + cell[1]) + (w > u)
