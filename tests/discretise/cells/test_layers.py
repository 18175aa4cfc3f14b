"""Layers and the rigid form: any convex polyhedron, filled from its surface to its centre."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from robotphi.discretise.cells.layers import layers_mesh
from robotphi.discretise.cells.parts import rigid_mesh
from robotphi.discretise.cells.quality import conformity, corner_volumes, euler_characteristic, volume
from robotphi.errors import SceneError
from robotphi.geometry.hull import hull
from robotphi.geometry.rounds import capsule, sphere, uv_sphere
from robotphi.geometry.shapes import box, cone
from robotphi.geometry.terrain import height_field

SHAPES = {"box": box((1, 2, 3)), "cone": cone(1, 2, 7), "icosphere": sphere(1, 1), "uv sphere": uv_sphere(1, 8, 5),
          "capsule": capsule(0.5, 1, 6, 2)}


def check(mesh, wanted):
    assert conformity(mesh) == []
    assert min(each.min() for each in corner_volumes(mesh).values()) > 0
    assert euler_characteristic(mesh) == (2, 1)
    assert volume(mesh) == pytest.approx(wanted, rel=1e-12)


def random_polyhedron(rng):
    """The hull of random points; about half of them with facets of more than three corners, cut off by planes."""
    points = rng.normal(size=(rng.integers(5, 16), 3)) * rng.uniform(0.5, 1.5, 3)
    if rng.random() < 0.5:
        points[:, 2] = np.clip(points[:, 2], *np.quantile(points[:, 2], [0.2, 0.8]))
    return hull(points + rng.normal(size=3))


@given(st.integers(0, 2 ** 32 - 1))
@settings(max_examples=20, deadline=None)
def test_layers_fill_any_convex_polyhedron(seed):
    rng = np.random.default_rng(seed)
    shape = random_polyhedron(rng)
    counts = [2, (int(rng.integers(1, 4)), int(rng.integers(1, 4)))][rng.integers(2)]
    check(layers_mesh(shape, size=0.7 * float(np.ptp(shape.vertices, axis=0).mean())), shape.volume)
    mesh = layers_mesh(shape, counts=counts, grading={"layers": float(rng.uniform(0.5, 2)), "edges": "middle"})
    check(mesh, shape.volume)
    for index, name in enumerate(shape.names):
        on = np.abs((mesh.points - shape.facet_centres[index]) @ shape.normals[index]) < 1e-9
        assert np.array_equal(np.flatnonzero(on), mesh.regions[name])


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_layers_fill_every_shape(name):
    check(layers_mesh(SHAPES[name], counts=(2, 3)), SHAPES[name].volume)


@pytest.mark.parametrize("name", ["box", "uv sphere", "capsule"])
def test_layers_keep_the_symmetry_of_a_shape(name):
    points = layers_mesh(SHAPES[name], counts=(3, 2)).points
    for mirror in ((1, 1, -1), (1, -1, 1)):
        assert cKDTree(points).query(points * mirror)[0].max() < 1e-14


def test_layers_converge_on_the_centre_of_inertia_by_the_grading():
    shape = cone(1, 2, 5)
    mesh = layers_mesh(shape, counts=(1, 4), grading=["end", 2])
    np.testing.assert_allclose(mesh.points[-1], shape.properties().centre, atol=1e-14)
    apex = mesh.points[np.abs(mesh.points[:, :2]).max(axis=1) < 1e-12]
    # shells at 1 − (1 − i/4)² from the surface to the centre
    depth = 1 - (apex[:, 2] - mesh.points[-1, 2]).reshape(-1) / (shape.vertices[:, 2].max() - mesh.points[-1, 2])
    inner = depth[(depth < 1) & np.isin(np.round(depth, 9), np.round([1 - (1 - i / 4) ** 2 for i in range(4)], 9))]
    assert len(inner) == 4


def test_a_size_bounds_the_edges_of_the_surface():
    mesh = layers_mesh(box((1, 2, 3)), size=0.35)
    surface = np.unique(mesh.triangles)
    edges = mesh.edges[np.isin(mesh.edges, surface).all(axis=1)]
    assert np.linalg.norm(np.diff(mesh.points[edges], axis=1), axis=2).max() <= 0.35


@given(st.integers(0, 2 ** 32 - 1))
@settings(max_examples=20, deadline=None)
def test_the_rigid_form_has_vertices_facet_centres_and_the_centre_of_inertia(seed):
    shape = random_polyhedron(np.random.default_rng(seed))
    mesh = rigid_mesh(shape)
    check(mesh, shape.volume)
    assert len(mesh.points) == len(shape.vertices) + len(shape.facets) + 1
    assert len(mesh.cells["tetrahedron"]) == 2 * len(shape.edges)
    np.testing.assert_array_equal(mesh.points[mesh.regions["vertices"]], shape.vertices)
    heights = np.einsum("ij,ij->i", mesh.points[mesh.regions["facet centres"]] - shape.facet_centres, shape.normals)
    assert np.abs(heights).max() < 1e-12
    np.testing.assert_allclose(mesh.points[mesh.regions["centre"][0]], shape.properties().centre, atol=1e-13)


def test_what_is_not_convex_is_refused():
    ground = height_field([[1, 2, 1], [2, 0.5, 2], [1, 2, 1]], (1, 1), 0)
    with pytest.raises(SceneError, match="not convex"):
        layers_mesh(ground, counts=1)


@pytest.mark.parametrize(("more", "said"), [
    ({"counts": 0}, "at least 1"), ({"size": 0}, "> 0"), ({"counts": (2, 0)}, "at least 1"),
    ({"counts": 2, "grading": {"edges": 3}}, "no first end")])
def test_wrong_counts_and_sizes_are_refused(more, said):
    with pytest.raises(SceneError, match=said):
        layers_mesh(box(1), **more)
