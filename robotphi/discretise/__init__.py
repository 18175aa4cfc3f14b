"""Discretise: shapes and materials in, objects of particles and springs out; picking, naming, joining and moving of these."""
from robotphi.discretise.adapt import adapt
from robotphi.discretise.cells.facets import polygon_mesh, quad_mesh
from robotphi.discretise.cells.quality import corner_volumes
from robotphi.discretise.deform import deformable
from robotphi.discretise.joining.assembly import connect, glue, join, merge, unify
from robotphi.discretise.joining.marking import mark
from robotphi.discretise.joining.picking import (
    common,
    facets_of,
    facing,
    in_box,
    in_sphere,
    name_facets,
    name_region,
    nearest,
    nearest_facet,
    on_plane,
    particles_of,
    union,
    where,
    without,
)
from robotphi.discretise.joining.transform import in_grid, in_line, in_ring, mirrored, moved, posed, turned
from robotphi.discretise.masses.certificate import certificate
from robotphi.discretise.masses.certificate import describe as describe_certificate
from robotphi.discretise.masses.spread import spread_mass
from robotphi.discretise.matter.elasticity import moduli
from robotphi.discretise.matter.material import Material, SectionMaterial
from robotphi.discretise.matter.stiffness import stiffness_matrix
from robotphi.discretise.matter.virtual_tests import bending, describe_tests, strained_stiffness, tension, virtual_tests
from robotphi.discretise.rigid import rigid
from robotphi.discretise.shape import discretise
from robotphi.discretise.sheet import sheet

__all__ = ["Material", "SectionMaterial", "adapt", "bending", "certificate", "common", "connect", "corner_volumes",
           "deformable", "describe_certificate", "describe_tests", "discretise", "facets_of", "facing", "glue", "in_box",
           "in_grid", "in_line", "in_ring", "in_sphere", "join", "mark", "merge", "mirrored", "moduli", "moved",
           "name_facets", "name_region", "nearest", "nearest_facet", "on_plane", "particles_of", "polygon_mesh", "posed",
           "quad_mesh", "rigid", "sheet", "spread_mass", "stiffness_matrix", "strained_stiffness", "tension", "turned",
           "unify", "union", "virtual_tests", "where", "without"]
