"""Cells: shapes in, meshes of cells out."""
