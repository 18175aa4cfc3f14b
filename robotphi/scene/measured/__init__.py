"""Measured motion out of files: markers, joint angles, tables, messages; one table of readers by the ends of names."""
from robotphi.scene.measured.read import READERS, read_measured
from robotphi.scene.measured.table import Measured

__all__ = ["READERS", "Measured", "read_measured"]
