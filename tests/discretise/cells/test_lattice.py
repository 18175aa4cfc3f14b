"""Lattice: any closed surface is filled by well shaped tetrahedra whose boundary lies on it."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from robotphi.discretise.cells.crossing import cut_segments, inside_grid, near_pairs, small_triangles
from robotphi.discretise.cells.joining import unite_surface
from robotphi.discretise.cells.nearest import distance_to_triangles, pair_distance
from robotphi.discretise.cells.quality import conformity, dihedral_angles, euler_characteristic, volume
from robotphi.discretise.shape import discretise
from robotphi.errors import SceneError
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.polyhedron import Compound
from robotphi.geometry.rounds import sphere
from robotphi.geometry.shapes import box, cylinder
from robotphi.geometry.swept import torus, tube
from robotphi.geometry.terrain import height_field

SMALLEST_ANGLE = 10.0   # degrees: 10.7 is proved for smooth surfaces, 10.6 the worst of 366 shapes with edges and corners


def turned(shape, seed):
    frame = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return shape.transformed(frame * np.sign(np.linalg.det(frame)))


def triangles_of(shape):
    points, triangles, _ = unite_surface(shape.parts if isinstance(shape, Compound) else (shape,))
    return points[triangles]


def check(shape, size, euler=(2, 1)):
    mesh = discretise(shape, size=size, way="lattice")
    assert conformity(mesh) == []
    assert euler_characteristic(mesh) == euler
    angles = dihedral_angles(mesh)
    assert angles.min() > SMALLEST_ANGLE
    assert angles.max() < 165
    boundary = mesh.points[np.unique(mesh.triangles)]
    assert distance_to_triangles(boundary, triangles_of(shape)).max() < 1e-12
    away = distance_to_triangles(triangles_of(shape).mean(axis=1), mesh.points[mesh.triangles])
    assert away.max() < size                                     # no part of the surface is left alone
    return mesh


@given(st.integers(0, 2 ** 32 - 1))
@settings(max_examples=6, deadline=None)
def test_a_turned_box_is_filled_by_good_tetrahedra(seed):
    shape = turned(box((1, 2, 1.5)), seed)
    mesh = check(shape, 0.35)
    corners = distance_to_triangles(shape.vertices, mesh.points[mesh.triangles])
    assert corners.max() < 0.35        # sharp corners are cut off by less than a cell
    assert 0.8 < volume(mesh) / shape.volume <= 1 + 1e-12


@pytest.mark.parametrize(("shape", "size", "euler"), [
    (sphere(1, 2), 0.3, (2, 1)), (cylinder(0.6, 1, 16), 0.22, (2, 1)), (torus(1, 0.4, 16, 10), 0.2, (0, 0)),
    (tube(1, 0.6, 0.7, 16), 0.2, (0, 0)), (height_field([[1, 2, 1], [2, 0.7, 2], [1, 2, 1]], (3, 3), 0), 0.35, (2, 1))])
def test_every_shape_is_filled(shape, size, euler):
    check(shape, size, euler)


def test_the_volume_converges_with_the_square_of_the_size():
    shape = turned(box((1, 2, 1.5)), 3)
    errors = [abs(volume(discretise(shape, size=size, way="lattice")) / 3 - 1) for size in (0.4, 0.2, 0.1)]
    order = np.log(errors[0] / errors[2]) / np.log(4)
    assert order > 1.5            # edges are cut off by triangles of side ~ size: their section is of second order


def test_a_box_of_whole_cells_is_filled_exactly_and_symmetrically():
    mesh = discretise(box((1, 2, 1.5)), size=0.5, way="lattice")
    assert volume(mesh) == pytest.approx(3, rel=1e-12)
    for mirror in ((-1, 1, 1), (1, -1, 1), (1, 1, -1)):
        assert cKDTree(mesh.points).query(mesh.points * mirror)[0].max() < 1e-14
    assert {name: len(rows) for name, rows in mesh.regions.items()}["top"] == 15 + 8   # corners and middles of 2 × 4 squares


@given(st.integers(0, 2 ** 32 - 1))
@settings(max_examples=10, deadline=None)
def test_inside_agrees_with_the_planes_also_where_the_grid_meets_edges_and_corners(seed):
    rng = np.random.default_rng(seed)
    shape = [turned(box(1.3), seed), box(1.5), sphere(0.8, 1)][rng.integers(3)]
    axes = [np.linspace(-1, 1, 9)] * 3         # lines x, y = ±0.75 and 0 run along facets and through vertices
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    heights = ((grid[:, None] - shape.facet_centres) * shape.normals).sum(-1).max(axis=1)
    inside = inside_grid(shape.vertices[shape.triangles], axes).reshape(-1)
    clear = np.abs(heights) > 1e-9
    assert np.array_equal(inside[clear], heights[clear] < 0)


def test_distances_and_cuts_agree_with_a_plane_triangle_worked_by_hand():
    triangle = np.array([[(0, 0, 0), (1, 0, 0), (0, 1, 0)]], float)
    points = np.array([(0.2, 0.2, 0.5), (-1, 0, 0), (1, 1, 0), (2, 0, 1), (0.2, 0.2, 0)])
    wanted = [0.5, 1, np.sqrt(0.5), np.sqrt(2), 0]
    np.testing.assert_allclose(distance_to_triangles(points, triangle), wanted, atol=1e-15)
    share = cut_segments(np.array([(0.2, 0.2, 0.5), (0, 0, -0.25)]), np.array([(0.2, 0.2, -0.25), (0, 0, 0.75)]), triangle, 1.0)
    np.testing.assert_allclose(share, [2 / 3, 0.25], atol=1e-15)


def test_near_pairs_miss_no_pair_within_reach():
    rng = np.random.default_rng(5)
    points, triangles = rng.uniform(-1, 1, (80, 3)), rng.uniform(-1, 1, (30, 1, 3)) + rng.uniform(-0.2, 0.2, (30, 3, 3))
    wanted = set(zip(*np.nonzero(pair_distance(points[:, None], triangles[None]) < 0.15), strict=True))
    found = {pair for batch in near_pairs(points, triangles, 0.15) for pair in zip(*batch, strict=True)}
    assert wanted <= found
    assert len(found) < 80 * 30 / 2


def test_triangles_are_cut_until_they_are_small():
    corners = np.array([[(0, 0, 0), (3, 0, 0), (0, 4, 1)]], float)
    small, owner = small_triangles(np.concatenate([corners / 9, corners]), 1.0)
    assert owner[0] == 0
    assert np.all(owner[1:] == 1)
    small = small[1:]
    area = np.linalg.norm(np.cross(small[:, 1] - small[:, 0], small[:, 2] - small[:, 0]), axis=1).sum()
    assert area == pytest.approx(np.linalg.norm(np.cross(*(corners[0, 1:] - corners[0, 0]))), rel=1e-13)
    assert np.linalg.norm(small - np.roll(small, 1, axis=1), axis=2).max() <= 1


@pytest.mark.parametrize(("shape", "size", "said"), [
    (tube(1, 0.95, 0.2), 0.9, "no lattice point inside"), (box(1), 1e-3, "give at least"), (box(1), None, "give one number"),
    (Mesh(box(1).vertices, {"triangle": box(1).triangles[1:]}), 0.3, "open: 3 edges")])
def test_what_cannot_be_filled_is_refused(shape, size, said):
    with pytest.raises(SceneError, match=said):
        discretise(shape, size=size, way="lattice")
