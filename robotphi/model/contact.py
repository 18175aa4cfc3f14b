"""Build of contact: what touches in a Scene, as the arrays that the contact kernels read.

Parts are in the order in which their things were added to the scene, those of an object in the order of its polyhedra.
"""
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from robotphi.kernels.contact import columns, kinds
from robotphi.model import arrays as m
from robotphi.model.facet_tree import FacetTree, facet_tree
from robotphi.model.laws import contact_laws, named
from robotphi.model.parts import Surfaces, ball_parts, field_part, plane_part, round_part
from robotphi.scene.checks import refuse
from robotphi.scene.rigid import principal_frame
from robotphi.scene.touching import TouchingBalls, TouchingField, TouchingObject, TouchingPlane, TouchingRound


class BuiltContact(NamedTuple):
    """Arrays of contact, and names for people."""
    contact: m.Contact
    part_names: tuple
    owner_names: tuple


def build_contact(scene):
    """What touches in a scene in which something can."""
    owners = tuple(scene.touching.values())
    by_owner = _parts(scene, owners)
    parts = [part for one in by_owner for part in one]
    owner = np.repeat(np.arange(len(owners), dtype=np.int32), [len(one) for one in by_owner])
    with_balls = np.array([any(part.kind in kinds.OF_BALLS for part in one) for one in by_owner], bool)
    of_owner, law = contact_laws(scene, owners, with_balls)
    primitives = Primitives(scene)
    arrays = _arrays(owners, parts, owner, of_owner[owner], primitives)
    excluded = _excluded(scene, owners, arrays, primitives)
    _check_places(scene, arrays, parts, excluded)
    contact = m.Contact(arrays, _fields([thing for thing in owners if isinstance(thing, TouchingField)]),
                        facet_tree(arrays, scene.position), law, excluded)
    return BuiltContact(contact, tuple(part.name for part in parts), tuple(thing.name for thing in owners))


def _check_places(scene, arrays, parts, excluded):
    """Refuse two balls in one place, which no direction leads out of."""
    balls = np.flatnonzero(arrays.kind == kinds.SPHERE)
    place = scene.position[arrays.vertex[arrays.vertex_start[balls]]]
    order = np.lexsort(place.T)
    same = np.all(np.diff(place[order], axis=0) == 0.0, axis=1)
    for run in np.split(balls[order], np.flatnonzero(~same) + 1):
        keys = _within(np.sort(run), len(arrays.kind))
        meet = keys[~np.isin(keys, excluded)]
        if len(meet):
            first, second = divmod(int(meet[0]), len(arrays.kind))
            at = ", ".join(f"{x:g}" for x in scene.position[arrays.vertex[arrays.vertex_start[first]]])
            refuse(f"contact of {parts[first].name!r} and {parts[second].name!r}", f"both balls have their centre at ({at})",
                   "move one of them, or exclude_contact the two")


def _parts(scene, owners):
    """Per owner the list of its parts."""
    surfaces, rigid_of_particle = Surfaces(), scene.rigid_of_particle
    fields = [thing for thing in owners if isinstance(thing, TouchingField)]
    make = {TouchingObject: surfaces.parts,
            TouchingPlane: lambda thing: [plane_part(thing, _frame(scene, thing.rigid))],
            TouchingField: lambda thing: [field_part(thing, fields.index(thing))],
            TouchingBalls: lambda thing: ball_parts(thing, rigid_of_particle),
            TouchingRound: lambda thing: [round_part(thing)]}
    return [make[type(thing)](thing) for thing in owners]


def _frame(scene, rigid):
    """Centre and principal frame of a rigid as the scene describes it."""
    if rigid < 0:
        return None
    rigid = scene.rigids[rigid]
    return rigid.centre, principal_frame(rigid.inertia)[1]


class Primitives:
    """Of particles and rigids: which are at rest for ever, which move only as told, and what carries each particle.

    `body` numbers what moves as one: free particles by their row, rigids behind them, and last all that rests for ever.
    """

    def __init__(self, scene):
        count, rigids = scene.particle_count, len(scene.rigids)
        self.count = count
        self.fixed, self.given = np.zeros(count + rigids + 1, bool), np.zeros(count + rigids + 1, bool)
        self.mass = np.full(count + rigids + 1, np.inf)
        self.fixed[-1] = self.given[-1] = True
        for block in scene.particle_blocks:
            if block.rigid < 0:
                rows = slice(block.start, block.start + block.count)
                self.fixed[rows] = block.support.all(axis=1)
                self.given[rows] = block.prescribed.all(axis=1)
                self.mass[rows] = block.mass
        for rigid in scene.rigids:
            row = count + rigid.index
            self.fixed[row] = rigid.support.all() and rigid.rotation_support.all()
            self.given[row] = rigid.is_prescribed
            self.mass[row] = rigid.mass
        self.mass[self.given] = np.inf
        carried = scene.rigid_of_particle
        self.body = np.where(carried >= 0, count + carried, np.arange(count))

    def of_rigid(self, rigid):
        """Row of a rigid, of what rests in the world for −1."""
        return self.count + rigid if rigid >= 0 else len(self.fixed) - 1


def _arrays(owners, parts, owner, material, primitives):
    """The columns of all parts."""
    def column(name, dtype=np.int32):
        return np.array([getattr(part, name) for part in parts], dtype)

    def joined(name, empty):
        return np.concatenate([empty, *(getattr(part, name) for part in parts)])

    vertex_start, facet_start = (_starts([len(getattr(part, name)) for part in parts]) for name in ("vertex", "facet"))
    neighbour_start = _starts(np.concatenate([np.empty(0, np.int64), *(
        np.zeros(len(part.vertex), np.int64) if part.degree is None else part.degree for part in parts)]))
    neighbour = [part.neighbour + first for part, first in zip(parts, vertex_start, strict=False) if part.degree is not None]
    facet_vertex = [np.where(part.facet_vertex >= 0, part.facet_vertex + first, -1)
                    for part, first in zip(parts, vertex_start, strict=False) if len(part.facet)]
    size = np.zeros((len(parts), columns.SIZE_COLUMNS))
    for place, name in ((columns.RADIUS, "radius"), (columns.HALF_THICKNESS, "half_thickness"),
                        (columns.REFERENCE_AREA, "reference_area")):
        size[:, place] = column(name, float)
    size[:, columns.MASS] = [_mass(owners[own], part, primitives) for own, part in zip(owner, parts, strict=True)]
    size[:, [columns.SURFACE_MASS, columns.VERTEX_MASS]] = [_surface_masses(part, primitives) for part in parts]
    kind, rigid = column("kind"), column("rigid")
    field, outlined = column("field"), np.array([len(part.outline) > 0 for part in parts], bool)
    field[outlined] = _starts([len(part.outline) for part in parts])[:-1][outlined]
    rows, thirds, pairs = np.empty(0, np.int32), np.empty((0, 3), np.int32), np.empty((0, 2))
    return m.Parts(
        kind=kind, owner=owner, rigid=rigid, material=material.astype(np.int32), size=size,
        vertex_start=vertex_start, vertex=joined("vertex", rows), vertex_area=joined("vertex_area", np.empty(0)),
        neighbour_start=neighbour_start, neighbour=np.concatenate([rows, *neighbour]).astype(np.int32),
        facet_start=facet_start, facet=joined("facet", thirds),
        facet_vertex=np.concatenate([thirds, *facet_vertex]).astype(np.int32),
        plane=np.array([part.plane for part in parts], float).reshape(-1, 6), field=field,
        self_touch=column("self_touch"), outline=_outlines(kind, rigid, joined("outline", pairs)))


def _outlines(kind, rigid, rows):
    """Outlines, of none where no part with an axis meets anything but planes."""
    swept = np.isin(kind, kinds.SWEPT)
    met = np.isin(kind, (kinds.FIELD, kinds.SPHERE)) | ((kind == kinds.POLYHEDRON) & (rigid >= 0))
    needed = (kind == kinds.WHEEL).any() or (swept.any() and met.any()) or np.count_nonzero(swept) > 1
    return columns.Outlines(rows) if needed else columns.NoOutlines(rows)


def _starts(counts):
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int32)


def _mass(owner, part, primitives):
    """Mass of the rigid, the particle or the soft object [kg]; inf where nothing of it moves by itself."""
    if part.rigid >= 0 or part.kind in kinds.GROUNDS:
        return primitives.mass[primitives.of_rigid(part.rigid)]
    if len(part.vertex) == 1:
        return primitives.mass[part.vertex[0]]
    return np.inf if primitives.given[primitives.body[part.vertex]].all() else owner.placed.object.properties[0]


def _surface_masses(part, primitives):
    """Mass of the vertices of a soft part per area of its surface [kg/m²], and of one of them [kg]: what a contact moves."""
    mass = primitives.mass[part.vertex] if part.rigid < 0 and len(part.vertex) > 1 else np.empty(0)
    free = np.isfinite(mass)
    if part.kind in kinds.GROUNDS or not free.any():
        return 0.0, np.inf
    return mass[free].sum() / part.vertex_area[free].sum(), mass[free].mean()


def _fields(things):
    start = _starts([thing.heights.size for thing in things])
    return m.Fields(start, np.concatenate([np.empty(0), *(thing.heights.reshape(-1) for thing in things)]),
                    np.array([thing.heights.shape for thing in things], np.int32).reshape(-1, 2),
                    np.array([thing.origin for thing in things], float).reshape(-1, 3),
                    np.array([thing.spacing for thing in things], float).reshape(-1, 2))


def _excluded(scene, owners, parts, primitives):
    """(q,) sorted keys of the pairs of parts that never touch.

    Those that have a body in common (a rigid, a free particle, or the world in which both are fixed), those of one owner
    unless its own parts may touch, and those that the user names.
    """
    count = len(parts.kind)
    body, part = _bodies(parts, primitives)
    keys = [_within(part[first:last], count) for first, last in _runs(body)]
    for index, thing in enumerate(owners):
        if not thing.self_contact:
            first, last = np.searchsorted(parts.owner, [index, index + 1])
            keys.append(_within(np.arange(first, last), count))
    for one in scene.between:
        if one.contact is None:
            first, second = (np.flatnonzero(np.array([named(thing, name) for thing in owners], bool)[parts.owner])
                             for name in (one.first, one.second))
            keys.append(_across(first, second, count))
    return np.unique(np.concatenate([np.empty(0, np.int64), *keys]))


def _bodies(parts, primitives):
    """(body, part) of all that several parts may have in common, sorted by body."""
    count, world = len(parts.kind), len(primitives.fixed) - 1
    loose = (parts.rigid < 0) & (np.diff(parts.vertex_start) > 0)
    part = np.repeat(np.arange(count), np.diff(parts.vertex_start))
    mine = loose[part]
    part = np.concatenate([part[mine], np.flatnonzero(~loose)])
    carrier = np.where(parts.rigid >= 0, primitives.count + parts.rigid, world)[~loose]
    row = np.concatenate([primitives.body[parts.vertex[mine]], carrier])
    moves = np.bincount(part, ~primitives.fixed[row], count) > 0
    pairs = np.unique(np.stack([np.where(moves[part], row, world), part], axis=1), axis=0)
    return pairs[:, 0], pairs[:, 1]


def _runs(sorted_values):
    """(first, last) of runs of more than one equal value."""
    edges = np.flatnonzero(np.diff(sorted_values, prepend=-1, append=-1))
    return [(first, last) for first, last in pairwise(edges) if last - first > 1]


def _within(rows, count):
    """Keys of all pairs of ascending parts."""
    first, second = np.triu_indices(len(rows), 1)
    return rows[first].astype(np.int64) * count + rows[second]


def _across(first, second, count):
    """Keys of each of some parts with each of others."""
    one, other = (side.reshape(-1).astype(np.int64) for side in np.meshgrid(first, second, indexing="ij"))
    apart = one != other
    return np.minimum(one, other)[apart] * count + np.maximum(one, other)[apart]


def _no_contact():
    """The arrays without rows of a scene in which nothing touches."""
    rows, thirds, starts = np.empty(0, np.int32), np.empty((0, 3), np.int32), np.zeros(1, np.int32)
    numbers, triples, pairs = np.empty(0), np.empty((0, 3)), np.empty((0, 2))
    parts = m.Parts(rows, rows, rows, rows, np.empty((0, columns.SIZE_COLUMNS)), starts, rows, numbers, starts, rows, starts,
                    thirds, thirds, np.empty((0, 6)), rows, rows, columns.NoOutlines(pairs))
    tree = FacetTree(starts, rows, rows, rows, starts, rows, rows, triples, triples, triples)
    return m.Contact(parts, m.Fields(starts, numbers, np.empty((0, 2), np.int32), triples, pairs), tree,
                     np.empty((0, columns.LAW_NUMBERS)), np.empty(0, np.int64))


NO_CONTACT = _no_contact()
