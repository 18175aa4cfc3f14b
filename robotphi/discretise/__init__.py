"""Discretise: shapes and materials in, objects of particles and springs out."""
from robotphi.discretise.deform import deformable
from robotphi.discretise.material import Material, SectionMaterial
from robotphi.discretise.rigid import rigid
from robotphi.discretise.shape import discretise
from robotphi.discretise.sheet import sheet
from robotphi.discretise.virtual_tests import describe_tests, virtual_tests

__all__ = ["Material", "SectionMaterial", "deformable", "describe_tests", "discretise", "rigid", "sheet", "virtual_tests"]
