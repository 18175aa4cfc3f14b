"""Shape: polyhedra and meshes in, meshes of volume cells with named regions out."""
import warnings

import numpy as np

from robotphi.discretise.cells.crossing import near_pairs, small_triangles
from robotphi.discretise.cells.division import Division
from robotphi.discretise.cells.joining import group_of, outer_facets, unite_surface
from robotphi.discretise.cells.lattice import lattice_mesh
from robotphi.discretise.cells.meshers import TETRAHEDRON, gmsh_mesh, tetgen_mesh
from robotphi.discretise.cells.nearest import pair_distance
from robotphi.discretise.cells.parts import mesh_of_parts, plan
from robotphi.discretise.cells.quality import conformity, refuse_folded, volume
from robotphi.discretise.cells.sizes import MOST, has_boxes, refuse_many, size_function
from robotphi.geometry.checks_solid import check_surface
from robotphi.geometry.loops import grouped
from robotphi.geometry.mass_properties import solid_properties
from robotphi.geometry.mesh import Mesh, compact
from robotphi.geometry.overlap import overlap
from robotphi.geometry.polyhedron import Compound, Polyhedron
from robotphi.scene.checks import number, refuse, user_level, word
from robotphi.scene.saying import made

PART_WAYS = ("hexahedra", "sweep", "layers", "rigid")
FILLING_WAYS = ("lattice", "tetgen", "gmsh")
PACKAGES = ("tetgen", "gmsh")   # other versions of them make other cells
BOXES = 40     # along a shape: boxes in which points and facets are brought together
NEAR = 1e-7    # of a shape's size: boundary points nearer than that to a facet lie on it
LITTLE, TOO_LITTLE = 0.8, 0.5    # of a solid's volume: cells that fill less are warned of, or refused


@made(unless=lambda arguments: arguments.get("way") in PACKAGES)
def discretise(shape, size=None, counts=None, *, grading=None, way=None, refine=None):
    """Mesh of volume cells that fills a shape: conforming, every cell of positive volume.

    Args:
        shape: Polyhedron, Compound, or Mesh: one of a closed surface is filled, one of volume cells is checked and kept.
        size: cell edges are at most about this long [m].
        counts: instead of the size: cells per edge, one number, or per direction of the way: (x, y, z) of hexahedra, (edges
            of the ends, along) of a sweep, (edges, layers) of layers.
        grading: see `grading`: of hexahedra one, three or a dict (see `hexahedra`); of a sweep along it, or {"along": …,
            "edges": …, "rings": …}; of layers from the surface to the centre, or {"layers": …, "edges": …}.
        way: "hexahedra", "sweep", "layers", "rigid" (fewest particles), "lattice", "tetgen", "gmsh"; by default six
            quadrilaterals make hexahedra, two equal ends a sweep, any other convex solid layers, anything else a lattice.
        refine: {region: factor} with facets or boxes for regions, or size(points): see `sizes`. Hexahedra, sweeps (along) and
            gmsh follow it everywhere, layers and the ends of sweeps as far as their edges see it; lattice and tetgen cannot.

    Points are named in regions after the facets on which they lie ("top"), and groups of facets ("side"); cells of the
    parts of a Compound in cell regions "part 0" … Parts may overlap for "lattice" only, which fills what any of them holds.
    """
    if way is not None:
        word("discretise", "way", way, PART_WAYS + FILLING_WAYS)
    if isinstance(shape, Mesh):
        return _of_mesh(shape, size, way, refine, counts, grading)
    if not isinstance(shape, Polyhedron | Compound):
        refuse("discretise", f"the shape is {shape!r:.60}", "give a Polyhedron, a Compound or a Mesh")
    parts = shape.parts if isinstance(shape, Compound) else (shape,)
    if way != "lattice" and len(parts) > 1:
        _refuse_overlap(parts)
    if way in FILLING_WAYS or (way is None and len(parts) == 1 and not _has_own_way(shape)):
        overlaps = len(parts) > 1 and way == "lattice" and overlap(parts) is not None
        return _fill(unite_surface(parts), size, way or "lattice", refine, counts, grading, overlaps)
    names = _names(parts)
    if way == "rigid":
        if any(each is not None for each in (size, counts, grading, refine)):
            refuse("discretise", "the rigid form has no size, counts, grading or refinement", "leave them out")
        return mesh_of_parts(parts, names, way=way)
    sizes = None
    if refine is not None:
        _check_refine(counts, grading, refine, parts, way)
        sizes = size_function(size, refine, _triangles(parts, names))
    elif (size is None) == (counts is None):
        refuse("discretise", f"size is {size}, counts are {counts}", "give one of them: a size in metres or counts of cells")
    size = size if size is None else number("discretise", "size", size, above=0)
    return mesh_of_parts(parts, names, size, counts, grading, way, sizes)


def _has_own_way(shape):
    return shape.is_convex or plan(shape).way == "hexahedra"


def _refuse_overlap(parts):
    pair = overlap(parts)
    if pair is not None:
        refuse("discretise", f"parts {pair[0]} and {pair[1]} overlap: their cells would fill that volume twice",
               'use way="lattice", which fills what any of them holds, or cut the parts so that they meet facet to facet')


def _names(parts):
    """Per part the names of its facets' regions; None for those inside a Compound, "part i facet j" for unnamed ones."""
    if len(parts) == 1:
        return [parts[0].names]
    outer = outer_facets(parts, Division(parts).vertices)
    return [[(f"part {index} {name}" if name == f"facet {facet}" else name) if free[facet] else None
             for facet, name in enumerate(part.names)] for index, (part, free) in enumerate(zip(parts, outer, strict=True))]


def _triangles(parts, names):
    """{region: (t, 3, 3)} triangles of the named facets and groups of facets."""
    found = {}
    for part, own in zip(parts, names, strict=True):
        for facet, name in enumerate(own):
            rows = part.vertices[part.triangles[part.triangle_facet == facet]]
            for each in filter(None, (name, name and group_of(name))):
                found.setdefault(each, []).append(rows)
    return {name: np.concatenate(rows) for name, rows in found.items()}


def _check_refine(counts, grading, refine, parts, way):
    if counts is not None or grading is not None:
        refuse("discretise", "refine comes with counts or a grading",
               "give a size with it: the spacing then follows the refinement")
    if has_boxes(refine):
        for index, part in enumerate(parts):
            if plan(part, way).way == "layers":
                refuse("discretise", f"part {index} is filled by layers, whose cells follow its edges, not boxes inside",
                       'refine facets, or use way="gmsh"; hexahedra and sweeps can refine boxes, too')


def _of_mesh(mesh, size, way, refine, counts, grading):
    """A mesh of volume cells passes through, checked; the surface of one is filled."""
    if mesh.is_solid and way is None:
        if size is not None or counts is not None or refine is not None or grading is not None:
            refuse("discretise", "the mesh already has volume cells",
                   f"leave the rest out, or name a way to fill its surface anew: {', '.join(FILLING_WAYS)}")
        problems = conformity(mesh)
        if problems:
            refuse("discretise", f"the mesh does not conform: {'; '.join(problems)}", "merge doubled points and close gaps")
        return refuse_folded("discretise", mesh, "number each cell's corners as in geometry.cells")
    if way in PART_WAYS:
        refuse("discretise", f"way {way!r} is for polyhedra", f"use one of {', '.join(FILLING_WAYS)} for a mesh")
    return _fill(_surface(mesh), size, way or "lattice", refine, counts, grading)


def _surface(mesh):
    """(points, triangles, names) of a mesh's surface, checked; the names of its surface cells' regions."""
    names, start = {}, len(mesh.boundary.get("triangle", ()))
    for name, by_kind in mesh.cell_regions.items() if not mesh.is_solid else ():
        quads = start + 2 * by_kind.get("quad", np.empty(0, int))
        names[name] = np.concatenate([by_kind.get("triangle", np.empty(0, int)), quads, quads + 1])
    check_surface(mesh.points, mesh.triangles)
    used, triangles = compact(mesh.triangles)
    return mesh.points[used], triangles, names


def _fill(surface, size, way, refine, counts, grading, overlaps=False):
    """Tetrahedra in a closed surface, whose parts may overlap."""
    points, triangles, names = surface
    if counts is not None or grading is not None:
        refuse("discretise", f"way {way!r} takes no counts and no grading", "give a size")
    sizes = None
    if refine is not None:
        if way != "gmsh":
            refuse("discretise", f"way {way!r} has one size of cells everywhere",
                   'refine with way="gmsh"; of convex parts, hexahedra and sweeps can refine, too')
        sizes = size_function(size, refine, {name: points[triangles[rows]] for name, rows in names.items()})
    elif way != "tetgen" or size is not None:
        size = number("discretise", "size", size, above=0)
    if way != "lattice" and size is not None and sizes is None:
        cells = solid_properties(points, triangles).volume / (TETRAHEDRON * size ** 3)
        refuse_many("discretise", cells, f"give a size of at least {1.01 * size * (cells / MOST) ** (1 / 3):.3g} (m)")
    if way == "lattice":
        mesh = lattice_mesh(points, triangles, size)
    else:
        mesh = tetgen_mesh(points, triangles, size) if way == "tetgen" else gmsh_mesh(points, triangles, size, sizes)
    if not overlaps:
        _check_filled(volume(mesh), solid_properties(points, triangles).volume, way)
    return _tagged(mesh, points, triangles, names)


def _check_filled(filled, wanted, way):
    """Refuse or warn where the cells leave out much of a solid."""
    if filled < TOO_LITTLE * wanted:
        refuse("discretise", f"way {way!r} fills {filled / wanted:.0%} of the solid, the rest is thinner than the cells",
               "give a smaller size")
    if filled < LITTLE * wanted:
        warnings.warn(f"discretise: way {way!r} fills {filled / wanted:.0%} of the solid; the rest is thinner than the cells: "
                      "give a smaller size", stacklevel=user_level())


def _tagged(mesh, points, triangles, names):
    """The mesh with a region per facet: its boundary points that lie on it."""
    extent = float(np.ptp(points, axis=0).max())
    boundary = np.unique(mesh.triangles)
    pieces, owner = small_triangles(points[triangles], extent / BOXES)
    found = [np.empty((2, 0), np.int64)]
    for point, piece in near_pairs(mesh.points[boundary], pieces, extent / BOXES / 2):
        on = pair_distance(mesh.points[boundary[point]], pieces[piece]) <= NEAR * extent
        found.append(np.stack([boundary[point[on]], owner[piece[on]]]))
    point, triangle = np.concatenate(found, axis=1)
    on_triangle = grouped(triangle, point, len(triangles))
    regions = {name: np.unique(np.concatenate([on_triangle[row] for row in rows])) for name, rows in names.items()}
    return Mesh(mesh.points, mesh.cells, {**mesh.regions, **regions}, mesh.cell_regions)
