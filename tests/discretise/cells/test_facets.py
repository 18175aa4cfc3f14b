"""Facets: matrix grids and fronts fill every convex polygon without folds, gaps or doubled points."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull, cKDTree

from robotphi.discretise.cells.facets import facet_patch, grid_patch, lattice_patch, polygon_centre, polygon_mesh, quad_mesh
from robotphi.discretise.cells.quality import doubled_points
from robotphi.discretise.cells.sizes import fractions
from robotphi.errors import SceneError

seeds = st.integers(0, 2 ** 32 - 1)


def area_vectors(points, rows):
    """½ Σ p × p⁺ of each cell, in its own sense of turning."""
    loops = points[rows] - points[rows][:, :1]
    return np.cross(loops, np.roll(loops, -1, axis=1)).sum(axis=1) / 2


def check(mesh, corners):
    """Every cell and each of its corners turns as the contour does, areas add up, and the cells make a disc."""
    arms = corners - corners[0]
    whole = np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0) / 2
    normal, total, half_edges = whole / np.linalg.norm(whole), 0.0, []
    for rows in mesh.cells.values():
        total += (area_vectors(mesh.points, rows) @ normal).sum()
        places = mesh.points[rows]
        turns = np.cross(np.roll(places, -1, axis=1) - places, np.roll(places, 1, axis=1) - places) @ normal
        assert turns.min() > 0
        half_edges.append(np.stack([rows, np.roll(rows, -1, axis=1)], axis=-1).reshape(-1, 2))
    assert total == pytest.approx(np.linalg.norm(whole), rel=1e-12)   # some hundred cells, each to 1e-16 of the whole
    half_edges = np.concatenate(half_edges)
    assert len(np.unique(half_edges, axis=0)) == len(half_edges)      # each side of an edge has one cell
    faces = sum(len(rows) for rows in mesh.cells.values())
    assert len(mesh.points) - len(mesh.edges) + faces == 1
    assert 2 * len(mesh.edges) - len(half_edges) == len(mesh.regions["contour"])
    assert len(doubled_points(mesh.points)) == 0


def random_polygon(rng):
    """A convex polygon, anywhere in space."""
    flat = rng.normal(size=(rng.integers(3, 12), 2)) * rng.uniform(0.3, 1, 2)
    flat = flat[ConvexHull(flat).vertices]
    frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return flat @ frame[:2] + rng.normal(size=3)


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_fronts_fill_any_convex_polygon_with_any_counts(seed):
    rng = np.random.default_rng(seed)
    corners = random_polygon(rng)
    counts = rng.integers(1, 7, len(corners)).tolist()
    grading = [None, 2, ["ends", 1.5]][rng.integers(3)]
    rings = [None, 1, 4][rng.integers(3)]
    mesh = polygon_mesh(corners, counts, grading, rings, [None, 0.5, "end"][rng.integers(3)])
    check(mesh, corners)
    assert len(mesh.regions["contour"]) == sum(counts)


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_a_matrix_grid_fills_any_convex_quadrilateral_with_any_gradings(seed):
    rng = np.random.default_rng(seed)
    corners = random_polygon(rng)
    while len(corners) != 4:
        corners = random_polygon(rng)
    nu, nv = rng.integers(1, 9, 2).tolist()
    mesh = quad_mesh(corners, (nu, nv), [float(k) for k in rng.uniform(0.4, 3, 4)])
    assert len(mesh.cells["quad"]) == nu * nv
    check(mesh, corners)


def test_divisions_of_the_edges_are_where_the_gradings_put_them():
    corners = np.array([(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0)], float)
    mesh = quad_mesh(corners, (4, 2), [1, "middle", 1, 2])
    along = {name: np.sort(mesh.points[mesh.points[:, axis] == value][:, 1 - axis])
             for name, axis, value in (("front", 1, 0), ("back", 1, 1), ("left", 0, 0), ("right", 0, 2))}
    np.testing.assert_allclose(along["front"], 2 * fractions(4), atol=1e-15)
    np.testing.assert_allclose(along["back"], 2 * fractions(4, "middle"), atol=1e-15)
    np.testing.assert_allclose(along["left"], fractions(2), atol=1e-15)
    np.testing.assert_allclose(along["right"], fractions(2, 2), atol=1e-15)


def test_lines_across_a_graded_grid_are_straight():
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float)
    mesh = quad_mesh(corners, (3, 5), [1, 3, 0.5, 2])
    start, end = fractions(3)[1], fractions(3, 3)[1]
    x, y = mesh.points[:, 0], mesh.points[:, 1]
    assert np.count_nonzero(np.abs(x - (1 - y) * start - y * end) < 1e-14) == 6


def test_the_hexagon_becomes_equal_triangles():
    angle = np.arange(6) * np.pi / 3
    mesh = polygon_mesh(np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1), 3)
    assert len(mesh.cells["triangle"]) == 54
    lengths = np.linalg.norm(np.diff(mesh.points[mesh.edges], axis=1), axis=2)
    np.testing.assert_allclose(lengths, 1 / 3, rtol=1e-12)


@pytest.mark.parametrize("count", [3, 5, 8])
def test_a_regular_polygon_keeps_its_symmetry(count):
    angle = 2 * np.pi * np.arange(count) / count
    points = polygon_mesh(np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1), 4, "ends").points
    turn = np.array([[np.cos(angle[1]), -np.sin(angle[1]), 0], [np.sin(angle[1]), np.cos(angle[1]), 0], [0, 0, 1]])
    for image in (points @ turn.T, points * (1, -1, 1)):
        assert cKDTree(points).query(image)[0].max() < 1e-14


@given(st.integers(1, 9))
@settings(max_examples=9, deadline=None)
def test_an_evenly_divided_triangle_is_a_lattice(count):
    corners = np.array([(0, 0, 1), (2, 0, 0), (0.5, 3, 0)], float)
    patch = lattice_patch(corners, count)
    assert len(patch.triangles) == count ** 2
    check(patch.mesh(), corners)
    sides = [fractions(count)] * 3
    edges = [(1 - t) * corners[k] + t * corners[(k + 1) % 3] for k, side in enumerate(sides) for t in side[:-1]]
    np.testing.assert_allclose(patch.points[:patch.contour], edges, atol=1e-14)   # contour first, in the loop's order


def test_the_contour_comes_first_and_in_order_whatever_the_way():
    corners = np.array([(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0)], float)
    sides = [fractions(n, k) for n, k in ((3, 2), (2, 1), (3, "ends"), (2, 0.5))]
    wanted = np.array([(1 - t) * corners[k] + t * corners[(k + 1) % 4] for k, side in enumerate(sides) for t in side[:-1]])
    for patch in (grid_patch(corners, sides), facet_patch(corners, sides, rings=2)):
        np.testing.assert_allclose(patch.points[:patch.contour], wanted, atol=1e-14)


def test_the_centre_of_a_polygon_is_its_centre_of_inertia():
    # an upright right trapezium: two triangles of areas 2 and 1 with centroids (2/3, 2/3) and (4/3, 4/3)
    corners = np.array([(0, 0, 5), (2, 0, 5), (2, 0.0 + 1, 5), (0, 2, 5)], float)
    triangles = [corners[[0, 1, 2]], corners[[0, 2, 3]]]
    areas = [np.linalg.norm(np.cross(t[1] - t[0], t[2] - t[0])) / 2 for t in triangles]
    wanted = sum(area * t.mean(axis=0) for area, t in zip(areas, triangles, strict=True)) / sum(areas)
    np.testing.assert_allclose(polygon_centre(corners), wanted, atol=1e-14)


@pytest.mark.parametrize(("corners", "said"), [
    ([(0, 0, 0), (1, 0, 0)], "at least three"), ([(0, 0, 0), (1, 0, 0), (0.2, 0.2, 0), (0, 1, 0)], "not convex"),
    ([(0, 0, 0), (1, 0, 0), (np.nan, 1, 0)], "finite"), ([(0, 0, 0), (1, 0, 0), (2, 0, 0)], "area")])
def test_a_polygon_that_cannot_be_filled_is_refused(corners, said):
    with pytest.raises(SceneError, match=said):
        polygon_mesh(corners, 2)
