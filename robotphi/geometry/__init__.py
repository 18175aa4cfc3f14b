"""Geometry: polyhedra, meshes, their volume and inertia, and the files they live in.

`shapes` makes solids, `hull` and `Polyhedron` take points, `files.read_mesh` and `files.write_mesh` know mesh files,
`checks_solid.check_surface` says what keeps a surface from bounding a solid, `decompose.convex_parts` cuts concave ones.
"""
