"""Bodies: what pictures of solids show of objects, meshes and scenes: facets, edges, springs, particles, quantities."""
from typing import NamedTuple

import numpy as np

from robotphi.geometry.cells import KINDS
from robotphi.geometry.mesh import Mesh, unique_pairs
from robotphi.kernels.springs.table import DRAWN
from robotphi.scene.objects import Object
from robotphi.view.stage import placed_of, shown_rest

SHARP = np.cos(np.radians(35))  # facets that meet at a larger angle have an edge that is drawn stronger


class Shown(NamedTuple):
    """What a panel shows, the same in every frame but for positions."""
    facets: np.ndarray          # (f, 3) particles
    edges: np.ndarray           # (e, 2) edges of cells on the surface
    springs: np.ndarray         # (m, 2) drawn as lines
    rest: np.ndarray            # (m,) m
    dots: np.ndarray            # particles drawn as small balls
    held: np.ndarray            # particles drawn as balls that hold something


def body_of(thing, springs=False, dots=False):
    """What is Shown of an Object, a Placed (particles of its scene) or a Mesh; its springs and particles where asked for."""
    if isinstance(thing, Mesh):
        count, facets, cells, groups, rest_at = len(thing.points), thing.triangles, thing.cells, {}, thing.points
    else:
        made = thing if isinstance(thing, Object) else thing.object
        count, facets, cells, groups, rest_at = len(made.position), made.facets, made.cells, made.springs, made.position
    drawn = [group for group in groups.values() if group.kind in DRAWN] if springs else []
    pairs = np.concatenate([np.empty((0, 2), np.int32), *(group.particles for group in drawn)])
    rest = np.concatenate([np.empty(0), *(shown_rest(group, np.linalg.norm(
        rest_at[group.particles[:, 0]] - rest_at[group.particles[:, 1]], axis=1)) for group in drawn)])
    balls = np.arange(count) if dots else np.empty(0, int)
    body = Shown(facets, surface_edges(facets, cells, count), pairs, rest, balls, np.empty(0, int))
    return body if isinstance(thing, (Mesh, Object)) else _renumbered(body, thing.particles)


def body_of_scene(scene, springs=False, dots=False):
    """What is Shown of all objects of a scene, and of the linear springs and particles that belong to none."""
    shown = placed_of(scene)
    bodies = [body_of(placed, springs, dots) for placed in shown.values()]
    inside = np.zeros(scene.particle_count, bool)
    for placed in shown.values():
        inside[placed.particles] = True
    own = {handle.name for placed in shown.values() for handle in placed.springs.values()}
    blocks = [block for kind in DRAWN for block in scene.springs[kind] if block.name not in own]
    pairs = np.concatenate([np.empty((0, 2), np.int32), *(np.column_stack([block.first, block.second]) for block in blocks)])
    rest = np.concatenate([np.empty(0), *(shown_rest(one, np.broadcast_to(one.rest_length, one.count)) for one in blocks)])
    held = np.concatenate([np.empty(0, bool), *(block.support.all(axis=1) for block in scene.particle_blocks)])
    free = np.flatnonzero(~inside & (scene.rigid_of_particle < 0))
    bare = np.concatenate([np.empty((0, 3), int), *bare_facets(scene).values()])
    no_edges = np.empty((0, 2), int)
    return united([*bodies, Shown(bare, no_edges, pairs, rest, free[~held[free]], free[held[free]])])


def bare_facets(scene):
    """Name → (f, 3) outward facets around the particles of each rigid that nothing else shows; none of bars."""
    shown = {rigid.index for placed in placed_of(scene).values() for rigid in placed.rigids}
    shown |= {thing.rigid for thing in scene.touching.values() if hasattr(thing, "shape")}
    found = {}
    for rigid in scene.rigids:
        if rigid.index not in shown:
            points = scene.position[rigid.particles]
            found[rigid.name] = rigid.particles[outward(points, hull_triangles(points))]
    return found


def hull_triangles(points):
    """Triangles of the convex hull of a rigid's particles; of a flat one its outline, filled; none of a bar."""
    from scipy.spatial import ConvexHull

    axes, sizes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2:0:-1]
    thick = sizes > 1e-6 * max(sizes[0], np.finfo(float).tiny)
    if thick.sum() == 3:
        return ConvexHull(points).simplices
    if thick.sum() == 2:
        outline = ConvexHull(points @ axes[:2].T).vertices
        return np.stack([np.full(len(outline) - 2, outline[0]), outline[1:-1], outline[2:]], axis=1)
    return np.empty((0, 3), int)


def outward(points, triangles):
    """The triangles of a convex hull, turned so that their normals point away from its middle."""
    corner = points[triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    inward = np.einsum("ti,ti->t", normal, corner[:, 0] - points.mean(axis=0)) < 0.0
    return np.where(inward[:, None], triangles[:, ::-1], triangles)


def united(bodies):
    """One Shown of several that count particles alike."""
    return Shown(*(np.concatenate(parts) for parts in zip(*bodies, strict=True)))


def _renumbered(body, particles):
    """What is Shown of an object, with the rows of its scene."""
    return Shown(*(rows if name == "rest" else particles[rows] for name, rows in zip(Shown._fields, body, strict=True)))


def surface_edges(facets, cells, count):
    """(e, 2) edges of cells that lie on the surface; of a surface without cells, those of its facets."""
    pairs = np.concatenate([np.empty((0, 2), np.int32), *(facets[:, list(ends)] for ends in ((0, 1), (1, 2), (2, 0)))])
    pairs = unique_pairs(pairs, count)
    ends = [rows[:, KINDS[kind].edges].reshape(-1, 2) for kind, rows in cells.items()]
    if not ends:
        return pairs
    own = unique_pairs(np.concatenate(ends), count)  # without the diagonals by which quadrilaterals are cut
    code = [rows[:, 0].astype(np.int64) * count + rows[:, 1] for rows in (pairs, own)]
    return pairs[np.isin(*code)]


def cut_open(mesh, normal, point):
    """The Mesh without the cells whose centres lie before the plane through `point`: a look inside."""
    normal = np.asarray(normal, float)
    return Mesh(mesh.points, {kind: rows[(mesh.points[rows].mean(axis=1) - point) @ normal <= 0]
                              for kind, rows in mesh.cells.items()})


def displacement(position, rest):
    """(n,) m, by how much each particle has moved."""
    return np.linalg.norm(np.asarray(position) - rest, axis=-1)


def elongation(thing, position):
    """(n,) mean |elongation| over rest length of the linear springs at each particle of an Object at a position."""
    total, number = np.zeros(len(position)), np.zeros(len(position))
    for group in thing.springs.values():
        if group.kind == "linear":
            ends = group.particles
            before, now = (np.linalg.norm(at[ends[:, 0]] - at[ends[:, 1]], axis=1) for at in (thing.position, position))
            for column in ends.T:
                total += np.bincount(column, np.abs(now / before - 1.0), len(total))
                number += np.bincount(column, minlength=len(total))
    return total / np.maximum(number, 1.0)


def strong_edges(body, position):
    """(k, 2) edges of the surface where facets meet sharply or end."""
    if not len(body.facets):
        return np.empty((0, 2), int)
    corner = position[body.facets]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    pairs = np.sort(np.concatenate([body.facets[:, list(ends)] for ends in ((0, 1), (1, 2), (2, 0))]), axis=1)
    facet = np.tile(np.arange(len(body.facets)), 3)
    order = np.lexsort(pairs.T)
    pairs, facet = pairs[order], facet[order]
    new = np.flatnonzero(np.append(True, (pairs[1:] != pairs[:-1]).any(axis=1)))
    count = np.diff(np.append(new, len(pairs)))
    second = np.minimum(new + 1, len(facet) - 1)
    sharp = (count != 2) | (np.einsum("ex,ex->e", normal[facet[new]], normal[facet[second]]) < SHARP)
    return pairs[new[sharp]]
