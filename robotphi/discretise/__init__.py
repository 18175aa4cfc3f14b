"""Discretise: shapes and materials in, objects of particles and springs out."""
