"""Geometry: polyhedra, meshes, their volume and inertia, and the files they live in.

`shapes` makes solids, `hull` and `Polyhedron` take points, `read_mesh` and `write_mesh` know mesh files, `check_surface` says
what keeps a surface from bounding a solid, `convex_parts` cuts concave ones.
"""
from robotphi.geometry import shapes
from robotphi.geometry.cells import KINDS
from robotphi.geometry.checks_solid import check_convex, check_polyhedron, check_surface
from robotphi.geometry.decompose import convex_parts, volume_error
from robotphi.geometry.files import read_mesh, write_mesh
from robotphi.geometry.hull import hull
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.polygons import regular_polygon
from robotphi.geometry.polyhedron import Compound, Polyhedron

__all__ = ["KINDS", "Compound", "Mesh", "Polyhedron", "check_convex", "check_polyhedron", "check_surface", "convex_parts",
           "hull", "read_mesh", "regular_polygon", "shapes", "volume_error", "write_mesh"]
