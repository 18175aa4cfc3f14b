"""Meshers: a closed surface of triangles in, tetrahedra by the packages tetgen or gmsh out; the boundary is kept exactly.

Both are extras: `pip install tetgen` (AGPL) or `pip install gmsh` (GPL). They are imported when asked for.
"""
from importlib import import_module

import numpy as np

from robotphi.discretise.cells.quality import refuse_folded
from robotphi.geometry.mesh import Mesh, compact
from robotphi.geometry.shells import RAYS, shells
from robotphi.scene.checks import refuse

RADIUS_EDGE = 1.4      # tetgen: largest radius of a cell's circumsphere over its shortest edge
DIHEDRAL = 12.0        # tetgen: degrees, the smallest dihedral angle that it strives for
TETRAHEDRON = 1 / np.sqrt(72)   # volume of the regular tetrahedron of edge 1, m³


def tetgen_mesh(points, triangles, size=None):
    """Constrained Delaunay tetrahedra; `size` is the edge of the largest regular one [m], without it as few as are well shaped.

    Slivers of a few degrees are left here and there. Its fields of sizes are not used: they crash on concave shapes (0.8).
    """
    tetgen = _package("tetgen")
    options = {"plc": True, "quality": True, "minratio": RADIUS_EDGE, "mindihedral": DIHEDRAL, "quiet": True, "nowarning": True}
    if size is not None:
        options |= {"fixedvolume": True, "maxvolume": size ** 3 * TETRAHEDRON}
    try:
        found = tetgen.TetGen(np.ascontiguousarray(points), np.ascontiguousarray(triangles)).tetrahedralize(**options)
    except RuntimeError as error:
        refuse("tetgen", f"it gave up: {error}", "see that the surface is closed and does not cross itself")
    places, cells = found[0], np.asarray(found[1])[:, :4]
    return refuse_folded("tetgen", _used(places, cells[_inside(points, triangles, places[cells])]), "give a smaller size")


def _inside(points, triangles, corners):
    """(c,) whether cells (c, 4, 3) are in the solid: tetgen fills hollows, too, unless it is told a point in each."""
    shell, volumes = shells(points, triangles)
    if (volumes > 0.0).all():
        return np.ones(len(corners), bool)
    from robotphi.geometry.box_tree import box_tree, winding
    tree, nowhere = box_tree(points, triangles), np.full(len(corners), -1)
    return np.median([winding(tree, shell, corners.mean(axis=1), nowhere, ray) for ray in RAYS], axis=0) > 0


def gmsh_mesh(points, triangles, size=None, sizes=None):
    """Delaunay tetrahedra between triangles that are refined in their planes."""
    gmsh = _package("gmsh")
    started = not gmsh.isInitialized()
    if started:
        gmsh.initialize(interruptible=False)
    options = {"General.Terminal": 0, "General.NumThreads": 1, "Mesh.MeshSizeFromPoints": 0, "Mesh.MeshSizeFromCurvature": 0,
               "Mesh.MeshSizeExtendFromBoundary": 0, "Mesh.MeshSizeMax": 1e22 if size is None else size}
    before, model = {name: gmsh.option.getNumber(name) for name in options}, gmsh.model.getCurrent()
    try:
        for name, value in options.items():
            gmsh.option.setNumber(name, value)
        gmsh.model.add("robotphi")
        _describe(gmsh, points, triangles)
        if sizes is not None:
            gmsh.model.mesh.setSizeCallback(lambda dim, tag, x, y, z, given: float(sizes(np.array([[x, y, z]]))[0]))
        try:
            gmsh.model.mesh.generate(3)
        except Exception as error:
            refuse("gmsh", f"it gave up: {error}", "see that the surface is closed and does not cross itself")
        mesh = _from_gmsh(gmsh)
    finally:
        gmsh.model.remove()
        for name, value in before.items():   # a session that was there before goes on as it was
            gmsh.option.setNumber(name, value)
        if started:
            gmsh.finalize()
        elif model in gmsh.model.list():
            gmsh.model.setCurrent(model)
    return refuse_folded("gmsh", mesh, "give a smaller size")


def _package(name):
    try:
        return import_module(name)
    except ImportError:
        return refuse("discretise", f"way {name!r} needs the package {name}, which is not installed",
                      f'install it with "pip install {name}", or use way="lattice", which needs nothing')


def _describe(gmsh, points, triangles):
    """The surface as points, lines and plane surfaces, and the volume within."""
    geo = gmsh.model.geo
    for number, place in enumerate(points.tolist(), start=1):
        geo.addPoint(*place, 0, number)
    ends = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    lines, row = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)
    for number, (a, b) in enumerate((lines + 1).tolist(), start=1):
        geo.addLine(a, b, number)
    signed = (row.reshape(-1) + 1) * np.where(ends[:, 0] < ends[:, 1], 1, -1)
    for number, loop in enumerate(signed.reshape(-1, 3).tolist(), start=1):
        geo.addPlaneSurface([geo.addCurveLoop(loop, number)], number)
    geo.addVolume([geo.addSurfaceLoop(list(range(1, len(triangles) + 1)))])
    geo.synchronize()


def _from_gmsh(gmsh):
    tags, places, _ = gmsh.model.mesh.getNodes()
    _, cells = gmsh.model.mesh.getElementsByType(4)
    order = np.argsort(tags)
    cells = np.searchsorted(tags[order], cells)
    return _used(np.asarray(places).reshape(-1, 3)[order], cells.reshape(-1, 4))


def _used(points, cells):
    """Mesh of the points that belong to cells."""
    if not len(cells):
        refuse("discretise", "the mesher made no cells", "see that the solid is not thinner than 1e-6 of its size")
    used, cells = compact(cells)
    return Mesh(points[used], {"tetrahedron": cells})
