"""Discretise: shapes and materials in, objects of particles and springs out."""
from robotphi.discretise.adapt import adapt
from robotphi.discretise.deform import deformable
from robotphi.discretise.joining.assembly import connect, glue, join, merge, unify
from robotphi.discretise.joining.transform import in_grid, in_line, in_ring, mirrored, moved, turned
from robotphi.discretise.masses.certificate import certificate
from robotphi.discretise.masses.certificate import describe as describe_certificate
from robotphi.discretise.matter.material import Material, SectionMaterial
from robotphi.discretise.matter.virtual_tests import describe_tests, virtual_tests
from robotphi.discretise.rigid import rigid
from robotphi.discretise.shape import discretise
from robotphi.discretise.sheet import sheet

__all__ = ["Material", "SectionMaterial", "adapt", "certificate", "connect", "deformable", "describe_certificate",
           "describe_tests", "discretise", "glue", "in_grid", "in_line", "in_ring", "join", "merge", "mirrored", "moved",
           "rigid", "sheet", "turned", "unify", "virtual_tests"]
