"""What falls on what first, and how fast: solid things that begin free in the air, by the boxes around them."""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.contact import columns, kinds


class Fall(NamedTuple):
    """A part that falls on another."""
    parts: tuple
    speed: float     # m/s


def falls_on(model, falls, touching):
    """A `Fall` of each part that falls, on what is next below it. `falls`: (parts,) which may; `touching`: rows of contact of
    the first frame, of parts that lie on something already. Things far off the vertical do not count, nor does what is soft,
    of which only a part is stopped at once."""
    contact, gravity = model.arrays.contact, model.scene.gravity
    parts = contact.parts
    up = -gravity / np.linalg.norm(gravity)
    lie = np.zeros(len(falls), bool)
    if touching:
        lie[touching["first"]] = lie[touching["second"]] = True
    soft = (parts.rigid < 0) & np.isin(parts.kind, (kinds.POLYHEDRON, kinds.SHEET))
    low, high, boxes = _boxes(model, up)
    for part in np.flatnonzero(falls & ~soft & ~lie):
        under = _tops(model, part, up, boxes, high)
        under[part] = -np.inf
        under[soft | (under > low[part]) | _never(contact, part)] = -np.inf
        below = int(np.argmax(under))
        if np.isfinite(under[below]):
            first = parts.vertex[parts.vertex_start[part]]
            start = max(-float(model.velocity[first] @ up), 0.0)
            drop = float(low[part] - under[below])
            yield Fall((int(part), below), float(np.sqrt(start**2 + 2.0 * np.linalg.norm(gravity) * drop)))


def _boxes(model, up):
    """(lowest, highest) of each part along the vertical, and its box (2, parts, 2) across it; infinite of grounds."""
    parts = model.arrays.contact.parts
    count = len(parts.kind)
    across = np.linalg.svd(up[None])[2][1:]
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    boxes = np.stack([np.full((count, 2), -np.inf), np.full((count, 2), np.inf)])
    for part in range(count):
        rows = parts.vertex[parts.vertex_start[part]:parts.vertex_start[part + 1]]
        if len(rows):
            radius, places = float(parts.size[part, columns.RADIUS]), model.position[rows]
            low[part], high[part] = np.min(places @ up) - radius, np.max(places @ up) + radius
            boxes[0, part], boxes[1, part] = (places @ across.T).min(axis=0) - radius, (places @ across.T).max(axis=0) + radius
    return low, high, boxes


def _tops(model, part, up, boxes, high):
    """(parts,) m: how high others are where a part falls, −∞ of what it passes by."""
    contact = model.arrays.contact
    parts, tops = contact.parts, high.copy()
    meet = np.all((boxes[0] <= boxes[1, part]) & (boxes[1] >= boxes[0, part]), axis=1)
    tops[~meet] = -np.inf
    centre = model.position[parts.vertex[parts.vertex_start[part]:parts.vertex_start[part + 1]]].mean(axis=0)
    for ground in np.flatnonzero(np.isin(parts.kind, kinds.GROUNDS)):
        if parts.kind[ground] == kinds.FIELD:
            row = parts.field[ground]
            tops[ground] = contact.fields.origin[row] @ up + up[2] * contact.fields.height[
                contact.fields.start[row]:contact.fields.start[row + 1]].max()
        elif parts.rigid[ground] < 0 and parts.plane[ground, 3:] @ up > 0.1:
            point, n = parts.plane[ground, :3], parts.plane[ground, 3:]
            tops[ground] = centre @ up - ((centre - point) @ n) / (n @ up)
    return tops


def _never(contact, part):
    """(parts,) whether two parts never touch."""
    count = len(contact.parts.kind)
    others = np.arange(count)
    return np.isin(np.minimum(others, part) * np.int64(count) + np.maximum(others, part), contact.excluded)
