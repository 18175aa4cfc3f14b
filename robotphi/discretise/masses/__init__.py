"""Masses: cells and densities in, masses on particles out, with their certificate."""
