"""Hulls: whole facets, outward loops, vertices that are points as given; sets without a hull are refused."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from robotphi.errors import SceneError
from robotphi.geometry.checks_solid import check_convex, check_polyhedron
from robotphi.geometry.hull import hull
from robotphi.geometry.shapes import box, cone, cylinder, sphere


@pytest.mark.parametrize("solid", [box((1.0, 2.0, 3.0)), cylinder(1.0, 2.0, 17), cone(1.0, 1.0, 6, top_radius=0.5)], ids=str)
@pytest.mark.parametrize("flat", [1.0, 1e-3])
def test_points_on_facets_and_edges_leave_the_shape_as_it_is(solid, flat):
    rng = np.random.default_rng(5)
    middles = solid.vertices[solid.edges].mean(axis=1)
    points = np.vstack([middles, solid.facet_centres, solid.vertices, 0.9 * solid.vertices, solid.vertices])
    turn = Rotation.from_euler("xyz", (0.5, 0.7, 0.1)).as_matrix() * (1.0, 1.0, flat)
    found = hull(rng.permutation(points) @ turn.T)
    assert sorted(len(loop) for loop in found.facets) == sorted(len(loop) for loop in solid.facets)
    assert len(found.vertices) == len(solid.vertices)
    assert found.volume == pytest.approx(solid.volume * flat, rel=1e-12)


@given(st.integers(0, 10_000), st.integers(4, 60), st.sampled_from(["cloud", "grid", "turned grid", "flat", "far"]))
def test_any_hull_is_closed_convex_and_holds_its_points(seed, count, way):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 4, (count, 3)).astype(float) if "grid" in way else rng.normal(size=(count, 3))
    if np.linalg.matrix_rank(points - points[0]) < 3:
        return
    points = points @ Rotation.random(random_state=seed).as_matrix().T if way == "turned grid" else points
    points = points * (1.0, 1.0, 1e-3) if way == "flat" else points + 1e3 * (way == "far")
    solid = hull(points)
    assert len(solid.vertices) - len(solid.edges) + len(solid.facets) == 2
    check_convex(solid)
    check_polyhedron(solid)
    assert np.all(solid.contains(points))
    assert solid.volume == pytest.approx(ConvexHull(points - points.mean(axis=0)).volume, rel=1e-9)
    rows = {tuple(row) for row in points.tolist()}
    assert all(tuple(row) in rows for row in solid.vertices.tolist())
    slopes = np.einsum("ei,ei->e", *solid.normals[solid.edge_facets.T])
    assert np.all(slopes < 1.0 - 1e-25)


def test_every_vertex_of_a_sphere_is_kept():
    solid = sphere(1.0, 3)
    assert np.array_equal(hull(solid.vertices).vertices, solid.vertices)


@pytest.mark.parametrize(("points", "message"), [
    (np.ones((5, 3)), "all points coincide"),
    (np.eye(3), "at least four rows"),
    (np.arange(15.0).reshape(5, 3), "in one line"),
    (np.random.default_rng(0).random((9, 3)) * (1.0, 1.0, 0.0), "in one plane"),
    (np.random.default_rng(0).random((9, 3)) * (1.0, 1.0, 1e-10), "in one plane"),
    (np.full((4, 3), np.nan), "finite"),
])
def test_sets_without_a_hull_are_refused(points, message):
    with pytest.raises(SceneError, match=message):
        hull(points)
