"""Parts: what the contact kernels read of each thing that touches, one record a part."""
from typing import NamedTuple

import numpy as np

from robotphi.errors import SceneError
from robotphi.geometry.mass_properties import solid_properties
from robotphi.kernels.contact import kinds
from robotphi.scene.checks import refuse
from robotphi.scene.rounds import extent_of, surface_of

CONVEX = 1e-9         # of the volume: how much smaller than its hull a rigid polyhedron may be
WITHIN = 1e-10        # of the size: height over a plane that counts as none
ROUNDED = 1e-13       # of the coordinates: likewise; far from the origin rounding is larger
FACES = 6.0           # reference area of a rigid polyhedron: its surface over these, a face of a cube
SPOT = 0.01           # reference area of round things, of the square of their radius or of their outline
SAME_NORMAL = 6       # decimals of normals that differ in nothing that matters for a width

NO_ROWS, NO_AREAS = np.empty(0, np.int32), np.empty(0)
NO_FACETS, NO_PLANE, NO_OUTLINE = np.empty((0, 3), np.int32), np.zeros(6), np.empty((0, 2))


class Part(NamedTuple):
    """One part; `vertex` and `facet` hold rows of particles, `neighbour` and `facet_vertex` places within `vertex`."""
    name: str
    kind: int
    rigid: int
    radius: float
    half_thickness: float
    reference_area: float
    vertex: np.ndarray = NO_ROWS
    vertex_area: np.ndarray = NO_AREAS
    degree: np.ndarray | None = None      # (v,) how many of `neighbour` belong to each corner; None: no neighbours
    neighbour: np.ndarray = NO_ROWS
    facet: np.ndarray = NO_FACETS
    facet_vertex: np.ndarray = NO_FACETS
    plane: np.ndarray = NO_PLANE
    field: int = -1
    self_touch: int = 0
    outline: np.ndarray = NO_OUTLINE      # (q, 2), of wheels


class Surfaces:
    """Parts of objects; what follows from an Object alone is worked out once, however often it is placed."""

    def __init__(self):
        self.known = {}

    def parts(self, thing):
        """Parts of a TouchingObject."""
        placed = thing.placed
        found = []
        for surface in thing.surfaces:
            key = id(placed.object), surface.name, surface.thickness
            if key not in self.known:
                self.known[key] = self._part(thing.name, placed.object, surface)
            part = self.known[key]
            rows = placed.particles
            found.append(part._replace(
                name=thing.name if len(thing.surfaces) == 1 else f"{thing.name}:{surface.name}",
                rigid=placed.rigids[surface.rigid].index if surface.rigid >= 0 else -1,
                vertex=rows[part.vertex], facet=rows[part.facet],
                self_touch=int(thing.self_contact and surface.rigid < 0)))
        return found

    @staticmethod
    def _part(owner, thing, surface):
        facets = thing.facets[surface.facets]
        if surface.rigid >= 0:
            return _rigid_polyhedron(f"object {owner!r}, polyhedron {surface.name!r}", thing.position, facets)
        return _loose(thing.position, facets, surface.thickness)


def _rigid_polyhedron(where, position, facets):
    """A convex polyhedron: the corners of its hull, which leave out centres of facets, and the hull's edges."""
    from robotphi.geometry.hull import hull

    used = np.unique(facets)
    used = used[_stands_out(position, facets)[used]]
    try:
        convex = hull(position[used])
    except SceneError as error:
        refuse(where, f"it is no solid ({error})", "give it a thickness, or make it a sheet")
    around, volume = convex.volume, solid_properties(position, facets).volume
    if volume < 0.0:
        refuse(where, "its facets point inwards", "turn them round")
    if not abs(around - volume) <= CONVEX * around:
        refuse(where, f"it is rigid and not convex: {(around - volume) / around:.3g} of its hull's volume is not its own",
               "make rigid(...) of a Compound of convex parts, such as convex_parts(...) of robotphi.geometry.decompose gives, "
               "or of its hull(...)")
    corner = {point: place for place, point in enumerate(map(tuple, convex.vertices.tolist()))}
    place = np.full(len(position), -1, np.int32)
    place[used] = [corner.get(point, -1) for point in map(tuple, position[used].tolist())]
    vertex = np.zeros(len(corner), np.int32)
    corners = used[place[used] >= 0][::-1]
    vertex[place[corners]] = corners   # of rows in one place the first
    areas = _areas(position, facets)
    neighbours = convex.vertex_neighbours
    return Part("", kinds.POLYHEDRON, 0, 0.0, _width(convex.vertices, convex.normals) / 2, areas.sum() / FACES, vertex,
                _shared_area(areas, place[facets], len(vertex)), np.array([len(one) for one in neighbours], np.int32),
                np.concatenate(neighbours).astype(np.int32), facets, place[facets])


def _stands_out(position, facets):
    """(n,) whether a particle is more than a point within a plane, such as the centre of a facet, up to rounding."""
    corners = position[facets]
    normal = np.zeros_like(position)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for i in range(3):
        np.add.at(normal, facets[:, i], across)
    normal /= np.maximum(np.linalg.norm(normal, axis=1), np.finfo(float).tiny)[:, None]
    height = np.zeros(len(position))
    for i in range(3):
        for j in (1, 2):
            arm = corners[:, (i + j) % 3] - corners[:, i]
            np.maximum.at(height, facets[:, i], np.abs(np.einsum("ij,ij->i", arm, normal[facets[:, i]])))
    size = np.linalg.norm(np.ptp(corners.reshape(-1, 3), axis=0))
    return height > WITHIN * size + ROUNDED * np.abs(corners).max()


def _loose(position, facets, thickness):
    """A soft polyhedron, or a sheet of this thickness: every particle of the surface is a corner."""
    vertex, facet_vertex = np.unique(facets, return_inverse=True)
    facet_vertex = facet_vertex.reshape(-1, 3).astype(np.int32)
    areas = _areas(position, facets)
    share = _shared_area(areas, facet_vertex, len(vertex))
    half = _half_thickness(position, facets, areas) if thickness is None else thickness / 2
    kind, radius = (kinds.POLYHEDRON, 0.0) if thickness is None else (kinds.SHEET, half)
    return Part("", kind, -1, radius, half, share.mean(), vertex.astype(np.int32), share, facet=facets,
                facet_vertex=facet_vertex)


def _areas(position, facets):
    a, b, c = (position[facets[:, i]] for i in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


def _shared_area(areas, facet_vertex, count):
    """(count,) area around each corner: a triangle's is shared by those of its corners that count, by all where none does."""
    on = facet_vertex >= 0
    corners = on.sum(axis=1)
    share = np.where(corners > 0, areas / np.maximum(corners, 1), 0.0)
    return (np.bincount(facet_vertex[on], np.broadcast_to(share[:, None], on.shape)[on], count)
            + areas[corners == 0].sum() / count)


def _half_thickness(position, facets, areas):
    """Half the smallest width of a soft body at rest, along the normals of its facets.

    Twice the volume over the surface is the mean thickness of thin things; concave ones may be thinner than wide, so there the
    lesser of both counts.
    """
    from scipy.spatial import ConvexHull, QhullError

    points = position[np.unique(facets)]
    corners = position[facets]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[areas > 0.0]
    normals = np.unique(np.round(normals / (2.0 * areas[areas > 0.0, None]), SAME_NORMAL), axis=0)
    try:
        found = ConvexHull(points - points.mean(axis=0))
        points, around = points[found.vertices], found.volume
    except QhullError:   # flat as yet
        around = 0.0
    width = _width(points, normals)
    volume = abs(solid_properties(position, facets).volume)
    if volume < (1.0 - CONVEX) * around:
        width = min(width, 2.0 * volume / areas.sum())
    return width / 2


def _width(points, normals):
    """Smallest extent of points along any of the normals [m]."""
    return min(np.ptp(points @ rows.T, axis=0).min() for rows in np.array_split(normals, 1 + len(normals) // 1000))


def round_part(thing):
    """The part of a TouchingRound."""
    radius = thing.radius
    if thing.length == 0.0:
        return _ball(thing.name, thing.rigid, thing.particles, radius)
    extent = extent_of(thing)
    return Part(thing.name, kinds.CODE[thing.shape], thing.rigid, radius, min(radius, extent / 2), SPOT * 2.0 * radius * extent,
                thing.particles, np.full(2, surface_of(thing) / 2),
                outline=NO_OUTLINE if thing.profile is None else np.vstack([(len(thing.profile), 0.0), thing.profile]))


def _ball(name, rigid, particle, radius):
    return Part(name, kinds.SPHERE, rigid, radius, radius, SPOT * radius ** 2, particle, np.array([4.0 * np.pi * radius ** 2]))


def ball_parts(thing, rigid_of_particle):
    """Parts of TouchingBalls, one a particle."""
    names = [thing.name] if len(thing.particles) == 1 else [f"{thing.name}:{i}" for i in range(len(thing.particles))]
    return [_ball(name, int(rigid_of_particle[row[0]]), row, radius) for name, row, radius in
            zip(names, thing.particles[:, None], thing.radius.tolist(), strict=True)]


def plane_part(thing, frame):
    """The part of a TouchingPlane; `frame` is (centre, rotation) of its rigid, None in the world."""
    plane = np.concatenate([thing.point, thing.normal])
    if frame is not None:
        centre, rotation = frame
        plane = np.concatenate([(thing.point - centre) @ rotation, thing.normal @ rotation])
    return Part(thing.name, kinds.PLANE, thing.rigid, 0.0, np.inf, np.inf, plane=plane)


def field_part(thing, row):
    """The part of a TouchingField."""
    return Part(thing.name, kinds.FIELD, -1, 0.0, np.inf, np.inf, field=row)
