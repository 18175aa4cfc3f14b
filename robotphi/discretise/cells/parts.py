"""Parts: one or more polyhedra that meet facet to facet in, each filled in its own way, one mesh without doubled points out."""
from typing import NamedTuple

import numpy as np

from robotphi.discretise.cells.division import Division
from robotphi.discretise.cells.facets import patch_size, polygon_centre
from robotphi.discretise.cells.hexahedra import CUBE, SIDES, box_corners, edge_fractions, grid_mesh, is_box
from robotphi.discretise.cells.joining import group_of, joined
from robotphi.discretise.cells.layers import divided_layers, layer_count
from robotphi.discretise.cells.quality import refuse_folded
from robotphi.discretise.cells.sizes import MOST, fractions, is_symmetric, mix, refuse_many
from robotphi.discretise.cells.sweep import between, paired_patches, stacked, sweep_loops
from robotphi.geometry.mesh import Mesh
from robotphi.scene.checks import refuse, whole

ACROSS = 5    # lines across a section on which a size function is asked, in either direction


class Plan(NamedTuple):
    """How one polyhedron is filled."""
    way: str
    corners: object = None    # (8,) of a hexahedron, (2, m) of a sweep
    bundles: tuple = ()       # per direction (k, 2) edges from vertex to vertex, all in one sense


def plan(polyhedron, way=None):
    """The plan of a polyhedron; without `way` the first that it suits of hexahedra, sweep, layers."""
    corners = box_corners(polyhedron)
    if way in (None, "hexahedra") and corners is not None:
        cube = corners[CUBE]
        return Plan("hexahedra", corners, tuple(np.moveaxis(cube, axis, -1).reshape(4, 2) for axis in range(3)))
    loops = sweep_loops(polyhedron)
    if way == "sweep" and loops is None and corners is not None:
        loops = np.array([corners[:4], corners[4:]])
    if way in (None, "sweep") and loops is not None and (polyhedron.is_convex or way):
        around = np.concatenate([np.stack([loop, np.roll(loop, -1)], axis=1) for loop in loops])
        return Plan("sweep", loops, (around, loops.T))
    if way in ("hexahedra", "sweep"):
        need = "six quadrilateral facets" if way == "hexahedra" else "two facets of as many corners, joined by quadrilaterals"
        refuse("discretise", f"way {way!r} needs {need}; this is {polyhedron!r}", 'leave the way out, or use way="layers"')
    return Plan("layers", None, (polyhedron.edges, np.empty((0, 2), int)))


def mesh_of_parts(parts, names, size=None, counts=None, grading=None, way=None, sizes=None):
    """One mesh of all parts.

    Args:
        parts: Polyhedron, …; names: per part the names of its facets' regions.
        size, counts, grading: see `discretise`; sizes: function of points instead of the size.
    """
    if way == "rigid":
        return joined(parts, [_renamed(rigid_mesh(part), part.names, own) for part, own in zip(parts, names, strict=True)])
    plans = [plan(part, way) for part in parts]
    division = Division(parts)
    if sizes is not None:
        division.space_by_size(sizes, _lines(parts, plans, division))
    elif counts is None:
        division.count_by_size(size)
    else:
        division.count_by_number(_wanted(plans, counts))
    _refuse_many(parts, plans, division, size if sizes is None else None, counts)
    layers = counts[1] if np.ndim(counts) else None    # of the way of that name only
    meshes = [divided_layers(part, division, index, layers, grading) if each.way == "layers" else
              {"hexahedra": _hexahedra, "sweep": _sweep}[each.way](part, each, division, index, grading)
              for index, (part, each) in enumerate(zip(parts, plans, strict=True))]
    return joined(parts, [_renamed(mesh, part.names, own) for mesh, part, own in zip(meshes, parts, names, strict=True)])


def _refuse_many(parts, plans, division, size, counts):
    """Refuse more cells than can be held; where a size is given, say the one that would do."""
    cells = _expected(parts, plans, division, counts)
    remedy, enough, fewer = "give fewer, or larger sizes", size, cells
    while size is not None and fewer > MOST:
        enough *= 1.01 * (fewer / MOST) ** (1 / 3)
        division.count_by_size(enough)
        fewer = _expected(parts, plans, division, counts)
        remedy = f"give a size of at least {enough:.3g} (m)"
    refuse_many("discretise", cells, remedy)


def _expected(parts, plans, division, counts):
    """About how many cells all parts have, a float: the counts may be of any size."""
    total = 0.0
    for index, (part, each) in enumerate(zip(parts, plans, strict=True)):
        def cells(loop, part=part, index=index):
            return patch_size(part.vertices[loop],
                              [division.count(index, a, b) for a, b in zip(loop, np.roll(loop, -1), strict=True)])

        if each.way == "hexahedra":
            total += float(np.prod([float(division.count(index, *pairs[0])) for pairs in each.bundles]))
        elif each.way == "sweep":
            total += cells(each.corners[0]) * division.count(index, *each.corners[:, 0])
        else:
            layers = counts[1] if np.ndim(counts) else layer_count(part, division, index)
            total += sum(map(cells, part.facets)) * layers
    return total


def _wanted(plans, counts):
    """{(part, first, last): count} of every edge whose count is asked for."""
    wanted = {}
    for index, each in enumerate(plans):
        asked = [counts] * len(each.bundles) if np.ndim(counts) == 0 else list(counts)
        if len(asked) != len(each.bundles):
            what = {"hexahedra": "along x, y, z", "sweep": "per edge and along", "layers": "per edge, and layers"}[each.way]
            refuse("discretise", f"counts are {counts!s:.60}", f"give one number or {len(each.bundles)}: {what}")
        for pairs, count in zip(each.bundles, asked, strict=True):
            count = whole("discretise", "count", count.item() if isinstance(count, np.generic) else count)
            wanted |= {(index, int(a), int(b)): count for a, b in pairs}
    return wanted


def _lines(parts, plans, division):
    """{family: [(first, last), …]}: lines through the inside of a part, along which its cells are spaced, too."""
    lines = {}
    for index, (part, each) in enumerate(zip(parts, plans, strict=True)):
        if each.way == "hexahedra":
            beside = [_across(part.vertices[pairs].reshape(2, 2, 2, 3)) for pairs in each.bundles]
        elif each.way == "sweep":
            ends = part.vertices[each.corners]
            middle = ends.mean(axis=1, keepdims=True)
            beside = [None, np.concatenate([middle, (ends + middle) / 2, (ends + np.roll(ends, -1, axis=1)) / 2], axis=1)]
        else:
            continue
        for pairs, ends in zip(each.bundles, beside, strict=True):
            if ends is not None:
                row, turned = division.row(index, *pairs[0])
                lines.setdefault(int(division.family[row]), []).append(ends[::-1] if turned else ends)
    return lines


def _across(edges):
    """(2, k, 3) ends of lines between four edges, given as (2, 2, 2 ends, 3)."""
    s, t = (np.repeat(np.linspace(0, 1, ACROSS), ACROSS)[:, None], np.tile(np.linspace(0, 1, ACROSS), ACROSS)[:, None])
    return np.stack([mix(mix(edges[0, 0, end], edges[0, 1, end], t), mix(edges[1, 0, end], edges[1, 1, end], t), s)
                     for end in range(2)])


def _hexahedra(part, each, division, index, grading):
    number = [division.count(index, *pairs[0]) for pairs in each.bundles]
    if division.fraction:
        edges = [np.broadcast_to(division.side(index, *pairs[0]), (2, 2, count + 1))
                 for pairs, count in zip(each.bundles, number, strict=True)]
    else:
        edges = edge_fractions(number, grading, "discretise")
    corners = part.vertices[each.corners]
    mesh = grid_mesh(corners[CUBE], edges)
    if not (is_box(corners) and all((edge == edge[:1, :1]).all() for edge in edges)):
        refuse_folded("discretise", mesh, 'grade facets more alike, or use way="lattice" if the solid is not convex')
    loops = {frozenset(loop.tolist()): name for loop, name in zip(part.facets, part.names, strict=True)}
    regions = {loops[frozenset(each.corners[CUBE.take(end, axis)].reshape(-1).tolist())]: mesh.regions[side]
               for side, (axis, end) in SIDES.items()}
    return Mesh(mesh.points, mesh.cells, regions)


def _sweep(part, each, division, index, grading):
    grading = grading if isinstance(grading, dict) else {"along": grading}
    if not is_symmetric(grading.get("edges")):
        refuse("discretise", f"the grading of edges is {grading['edges']!r}",
               'edges of a facet have no first end: use "middle" or "ends"')
    first, last = each.corners
    sides = [division.sides(index, loop, grading.get("edges")) for loop in (first, last)]
    patch, other = paired_patches(part.vertices[first], part.vertices[last], *sides, grading.get("rings"))
    lines = division.side(index, first[0], last[0]) if division.fraction else fractions(
        division.count(index, first[0], last[0]), grading.get("along"), "discretise, grading along")
    mesh = refuse_folded("discretise", stacked(between(patch.points, other.points, lines), patch), 'use way="layers"')
    loops = {frozenset(loop.tolist()): name for loop, name in zip(part.facets, part.names, strict=True)}
    regions = {loops[frozenset(first.tolist())]: mesh.regions["first"], loops[frozenset(last.tolist())]: mesh.regions["last"]}
    start = np.concatenate([[0], np.cumsum([len(side) - 1 for side in sides[0]])])
    for side in range(len(first)):
        follow = (side + 1) % len(first)
        columns = np.arange(start[side], start[side + 1] + 1) % patch.contour
        rows = (np.arange(len(lines))[:, None] * len(patch.points) + columns).reshape(-1)
        regions[loops[frozenset([*first[[side, follow]].tolist(), *last[[side, follow]].tolist()])]] = np.sort(rows)
    return Mesh(mesh.points, mesh.cells, regions)


def _renamed(mesh, names, own):
    """The mesh with its facets' regions under their own names (None: no region); groups such as "side" beside them."""
    regions = {name: [rows] for name, rows in mesh.regions.items() if name not in names}
    for name, new in zip(names, own, strict=True):
        if new is not None:
            regions.setdefault(new, []).append(mesh.regions[name])
            group = group_of(new)
            if group is not None:
                regions.setdefault(group, []).append(mesh.regions[name])
    return Mesh(mesh.points, mesh.cells, {name: np.unique(np.concatenate(rows)) for name, rows in regions.items()})


# The rigid form --------------------------------------------------------------------------------------------------------

def rigid_mesh(polyhedron):
    """The fewest particles that a rigid polyhedron needs: vertices, centres of facets, centre of inertia (RR-3072, 2.3.3).

    Facets become triangles about their centres, each triangle a tetrahedron with the centre of inertia. There is a region
    per facet name, and "vertices", "facet centres" and "centre" tell the three sorts of points.
    """
    corners = polyhedron.vertices
    count, facets = len(corners), len(polyhedron.facets)
    centres = np.array([polygon_centre(corners[loop]) for loop in polyhedron.facets])
    points = np.concatenate([corners, centres, polyhedron.properties().centre[None]])
    _, triangles, _ = polyhedron.triangulated(centres=True)
    cells = np.concatenate([triangles[:, ::-1], np.full((len(triangles), 1), len(points) - 1, np.int32)], axis=1)
    regions = {name: np.append(np.sort(loop), count + index).astype(np.int32)
               for index, (name, loop) in enumerate(zip(polyhedron.names, polyhedron.facets, strict=True))}
    regions |= {"vertices": np.arange(count), "facet centres": np.arange(count, count + facets), "centre": [count + facets]}
    return refuse_folded("rigid form", Mesh(points, {"tetrahedron": cells}, regions),
                         "its centre of inertia must see every facet: split it into convex parts")
