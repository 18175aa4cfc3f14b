"""Discretise: shapes and materials in, objects of particles and springs out."""
from robotphi.discretise.adapt import adapt
from robotphi.discretise.assembly import connect, glue, join, merge, unify
from robotphi.discretise.certificate import certificate
from robotphi.discretise.certificate import describe as describe_certificate
from robotphi.discretise.deform import deformable
from robotphi.discretise.material import Material, SectionMaterial
from robotphi.discretise.rigid import rigid
from robotphi.discretise.shape import discretise
from robotphi.discretise.sheet import sheet
from robotphi.discretise.transform import in_grid, in_line, in_ring, mirrored, moved, turned
from robotphi.discretise.virtual_tests import describe_tests, virtual_tests

__all__ = ["Material", "SectionMaterial", "adapt", "certificate", "connect", "deformable", "describe_certificate",
           "describe_tests", "discretise", "glue", "in_grid", "in_line", "in_ring", "join", "merge", "mirrored", "moved",
           "rigid", "sheet", "turned", "unify", "virtual_tests"]
