"""Geometry: polyhedra, meshes, their volume and inertia, and the files they live in."""
