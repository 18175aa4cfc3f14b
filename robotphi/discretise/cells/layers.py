"""Layers: any convex polyhedron with divided facets in, shells that converge on its centre of inertia out.

Between two shells stand wedges and hexahedra over the triangles and quadrilaterals of the facets, about the centre
tetrahedra and pyramids (RR-3072, 2.3.3, fig. 2.21).
"""
from typing import NamedTuple

import numpy as np

from robotphi.discretise.cells.division import Division
from robotphi.discretise.cells.facets import Patch, facet_patch
from robotphi.discretise.cells.sizes import fractions, is_symmetric, mix, refuse_many
from robotphi.discretise.cells.sweep import stacked
from robotphi.geometry.mesh import Mesh
from robotphi.scene.checks import number, refuse, whole


class Shell(NamedTuple):
    """The surface of a polyhedron: its vertices first, then the points of edges, then those within facets."""
    patch: Patch            # all facets as one patch, outward
    facets: tuple           # (k,) int32 points of each facet


def layers_mesh(polyhedron, size=None, counts=None, grading=None):
    """Mesh of a convex polyhedron by inner layers.

    Args:
        polyhedron: convex Polyhedron.
        size: cell edges on the surface are at most this long [m].
        counts: instead, cells per edge; or (cells per edge, layers).
        grading: of the layers, from the surface to the centre; or {"layers": …, "edges": …}.
    """
    division = Division((polyhedron,))
    edges, layers = (None, None) if counts is None else (counts, None) if np.ndim(counts) == 0 else counts
    if edges is None:
        division.count_by_size(number("layers", "size", size, above=0))
    else:
        edges = whole("layers", "count", edges)
        division.count_by_number({(0, int(a), int(b)): edges for a, b in polyhedron.edges})
    return divided_layers(polyhedron, division, 0, layers, grading)


def divided_layers(polyhedron, division, part=0, layers=None, grading=None):
    """Mesh by layers where the division of the edges is known; without `layers` cells come out about as thick as wide."""
    if not polyhedron.is_convex:
        refuse("layers", "the polyhedron is not convex", "split it into convex parts, or fill it with way=\"lattice\"")
    grading = grading if isinstance(grading, dict) else {"layers": grading}
    if not is_symmetric(grading.get("edges")):
        refuse("layers", f"the grading of edges is {grading['edges']!r}",
               'an edge has no first end here: use "middle" or "ends"')
    shell = shell_of(polyhedron, division, part, grading.get("edges"))
    layers = layer_count(polyhedron, division, part) if layers is None else whole("layers", "layers", layers)
    depth = fractions(layers, grading.get("layers"), "layers, grading")
    return layered(shell, polyhedron.properties().centre, depth[:-1], polyhedron.names)


def shell_of(polyhedron, division, part=0, grading=None):
    """The surface of a polyhedron, discretised alike on both sides of every edge."""
    points, number, inner = [polyhedron.vertices], len(polyhedron.vertices), []
    sides = [division.side(part, a, b, grading) for a, b in polyhedron.edges]
    for (a, b), side in zip(polyhedron.vertices[polyhedron.edges], sides, strict=True):
        t = side[1:-1, None]
        points.append(mix(a, b, t))
        inner.append(np.arange(number, number + len(t)))
        number += len(t)
    triangles, quads, facets = [], [], []
    for loop, edges in zip(polyhedron.facets, polyhedron.facet_edges, strict=True):
        forward = polyhedron.edges[edges, 0] == loop
        patch = facet_patch(polyhedron.vertices[loop],
                            [sides[e] if ahead else 1 - sides[e][::-1] for e, ahead in zip(edges, forward, strict=True)])
        contour = [part for v, e, ahead in zip(loop, edges, forward, strict=True)
                   for part in ([v], inner[e] if ahead else inner[e][::-1])]
        own = np.concatenate([*contour, np.arange(number, number + len(patch.points) - patch.contour)]).astype(np.int32)
        points.append(patch.points[patch.contour:])
        number += len(patch.points) - patch.contour
        triangles.append(own[patch.triangles])
        quads.append(own[patch.quads])
        facets.append(own)
    return Shell(Patch(np.concatenate(points), np.concatenate(triangles), np.concatenate(quads), number), tuple(facets))


def layer_count(polyhedron, division, part=0):
    """Layers about as thick as the cells of the surface are wide; the thickness to fill is 3 V/A, a ball's radius."""
    ends = polyhedron.vertices[polyhedron.edges]
    cells = sum(division.count(part, a, b) for a, b in polyhedron.edges)
    width = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).sum() / cells
    return max(1, int(np.floor(3 * polyhedron.volume / polyhedron.areas.sum() / width + 0.5)))


def layered(shell, centre, depth, names):
    """Mesh from a shell, shrunk towards the centre by each of the depths (0: the surface itself)."""
    patch = shell.patch
    refuse_many("layers", float(len(depth)) * (len(patch.triangles) + len(patch.quads)))
    sections = centre + (1 - np.asarray(depth))[::-1, None, None] * (patch.points - centre)   # the innermost first
    mesh = stacked(sections, patch)
    outermost = np.int32((len(depth) - 1) * len(patch.points))
    last = np.full((1, 1), len(mesh.points), np.int32)
    core = {kind: np.concatenate([rows[:, ::-1], np.broadcast_to(last, (len(rows), 1))], axis=1)
            for kind, rows in (("tetrahedron", patch.triangles), ("pyramid", patch.quads))}
    regions = {name: np.sort(rows) + outermost for name, rows in zip(names, shell.facets, strict=True)}
    return Mesh(np.concatenate([mesh.points, centre[None]]), {**mesh.cells, **core}, regions)
