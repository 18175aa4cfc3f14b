"""Polyhedron: neighbours, names, triangles, images, and what its constructor refuses."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from robotphi.errors import SceneError
from robotphi.geometry import inside
from robotphi.geometry.hull import hull
from robotphi.geometry.inside import highest
from robotphi.geometry.polyhedron import Compound, Polyhedron
from robotphi.geometry.shapes import box, cone, cylinder, height_field, hexahedron, sphere, torus

CUBE = box(1.0)
L_SHAPED = height_field(np.array([[2.0, 2.0], [1.0, 1.0], [2.0, 2.0]]), (2.0, 1.0), 0.0)


def test_a_box_has_its_six_names_where_they_point():
    normals = [sign * axis for axis in np.eye(3) for sign in (-1, 1)]
    for name, normal in zip(("left", "right", "front", "back", "bottom", "top"), normals, strict=True):
        facet = CUBE.facet(name)
        assert np.array_equal(CUBE.normals[facet], normal)
        assert CUBE.areas[facet] == 1.0
        assert CUBE.offsets[facet] == 0.5
        assert np.array_equal(CUBE.facet_centres[facet], 0.5 * normal)


def test_facets_are_found_by_the_start_of_their_names():
    assert cylinder(1.0, 1.0, sides=12).facets_named("side").tolist() == list(range(2, 14))
    with pytest.raises(SceneError, match="did you mean 'top'"):
        CUBE.facet("tpo")


@pytest.mark.parametrize("solid", [CUBE, cone(1.0, 1.0, 7), sphere(1.0, 1), L_SHAPED, cylinder(2.0, 1.0, 9)], ids=str)
def test_neighbours_are_mutual_and_share_the_edge_they_name(solid):
    for facet, (loop, edges, others) in enumerate(zip(solid.facets, solid.facet_edges, solid.facet_neighbours, strict=True)):
        for i, (edge, other) in enumerate(zip(edges, others, strict=True)):
            assert set(solid.edges[edge]) == {loop[i], loop[(i + 1) % len(loop)]}
            assert facet in solid.facet_neighbours[other]
            assert set(solid.edge_facets[edge]) == {facet, other}
    for edge, (upwards, _) in enumerate(solid.edge_facets):
        loop = solid.facets[upwards].tolist()
        low, high = solid.edges[edge]
        assert loop[(loop.index(low) + 1) % len(loop)] == high
    for vertex, (facets, others) in enumerate(zip(solid.vertex_facets, solid.vertex_neighbours, strict=True)):
        assert facets.tolist() == [i for i, loop in enumerate(solid.facets) if vertex in loop]
        assert others.tolist() == sorted(set(solid.edges[np.any(solid.edges == vertex, axis=1)].ravel()) - {vertex})


def test_triangles_around_facet_centres_fill_the_same_solid():
    points, triangles, facet = cylinder(1.0, 2.0, 9).triangulated(centres=True)
    assert len(triangles) == 2 * 9 + 4 * 9
    assert len(points) == 18 + 11
    assert np.array_equal(np.bincount(facet), [9, 9] + [4] * 9)
    corners = points[triangles]
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    assert volume == pytest.approx(cylinder(1.0, 2.0, 9).volume, rel=1e-14)


@given(st.lists(st.floats(-2.0, 2.0), min_size=9, max_size=9), st.lists(st.floats(-5.0, 5.0), min_size=3, max_size=3))
def test_images_stay_outward_and_keep_names(entries, shift):
    matrix = np.array(entries).reshape(3, 3)
    if abs(np.linalg.det(matrix)) < 1e-3:
        return
    image = CUBE.transformed(matrix, shift)
    assert image.volume == pytest.approx(abs(np.linalg.det(matrix)), rel=1e-10)  # 1e-16 × (size 3.5)³ / 1e-3
    assert np.allclose(image.centre, shift, atol=1e-10)
    assert image.names == CUBE.names
    assert image.is_convex
    outward = np.einsum("ij,ij->i", image.normals, image.facet_centres - image.centre)
    assert np.all(outward > 0.0)


def test_a_mirror_image_lies_across_the_plane():
    image = box(1.0, (2.0, 0.0, 0.0)).mirrored((2.0, 0.0, 0.0), (0.5, 9.0, 9.0))
    assert np.allclose(image.centre, (-1.0, 0.0, 0.0))
    assert image.volume == pytest.approx(1.0)
    assert image.normals[image.facet("left")] == pytest.approx((1.0, 0.0, 0.0))
    ring = torus(2.0, 0.5, 8, 6)
    assert ring.mirrored((1.0, 1.0, 0.0)).volume == pytest.approx(ring.volume, rel=1e-13)


@pytest.mark.parametrize("solid", [CUBE, L_SHAPED], ids=["convex", "concave"])
def test_points_inside_are_told_from_points_outside(solid):
    turn = Rotation.from_euler("xyz", (0.3, 0.2, 0.9)).as_matrix()
    inside, outside = solid.facet_centres - 0.01 * solid.normals, solid.facet_centres + 0.01 * solid.normals
    moved = solid.transformed(turn, (100.0, 0.0, 0.0))
    for points, answer in ((inside, True), (outside, False)):
        assert np.all(moved.contains(points @ turn.T + (100.0, 0.0, 0.0)) == answer)


def test_the_surface_as_a_mesh_has_a_region_per_facet():
    mesh = cylinder(1.0, 2.0, 5).as_mesh()
    assert len(mesh.cells["quad"]) == 5
    assert len(mesh.cells["triangle"]) == 6
    assert mesh.cell_regions["top"]["triangle"].size == 3
    assert mesh.regions["top"].tolist() == [5, 6, 7, 8, 9]
    assert mesh.cell_regions["side 2"]["quad"].tolist() == [2]


def test_warped_hexahedra_are_allowed():
    corners = CUBE.vertices.copy()
    corners[6] += 0.1
    assert hexahedron(corners).volume > 1.0


FACETS = [list(loop) for loop in CUBE.facets]


@pytest.mark.parametrize(("facets", "message"), [
    (FACETS[1:], "has no neighbour across edge 3–0: close the surface|has no neighbour"),
    ([FACETS[0][::-1], *FACETS[1:]], "same way"),
    ([*FACETS, FACETS[0]], "same way"),
    ([[0, 4, 7, 9], *FACETS[1:]], "index 0: vertex 9; there are vertices 0 to 7"),
    ([[0, 4, 4, 3], *FACETS[1:]], "vertex 4 comes twice"),
    ([[0, 4], *FACETS[1:]], "at least three vertices"),
    ([], "no facets"),
])
def test_surfaces_that_do_not_close_are_refused(facets, message):
    with pytest.raises(SceneError, match=message):
        Polyhedron(CUBE.vertices, facets)


def test_other_bad_arguments_are_refused():
    with pytest.raises(SceneError, match="belongs to no facet"):
        Polyhedron(np.vstack([CUBE.vertices, [(9.0, 9.0, 9.0)]]), CUBE.facets)
    with pytest.raises(SceneError, match="6 different names"):
        Polyhedron(CUBE.vertices, CUBE.facets, ["same"] * 6)
    with pytest.raises(SceneError, match="finite"):
        Polyhedron(CUBE.vertices * np.nan, CUBE.facets)
    with pytest.raises(SceneError, match="keep a volume"):
        CUBE.transformed(np.diag((1.0, 1.0, 0.0)))
    with pytest.raises(SceneError, match="index 1: a part is not convex"):
        Compound((CUBE, L_SHAPED))


def test_convexity_is_judged_edge_by_edge_as_by_all_vertices_and_planes():
    rng = np.random.default_rng(1)
    seen = set()
    for trial in range(300):
        solid = hull(rng.normal(size=(int(rng.integers(4, 30)), 3)) * 10 ** rng.uniform(-3, 3, 3))
        vertices = solid.vertices.copy()
        if trial % 3:
            vertices[rng.integers(len(vertices))] += rng.normal(size=3) * 10 ** rng.uniform(-12, 0) * solid.size
        solid = Polyhedron(vertices, list(solid.triangles) if trial % 2 else solid.facets)
        wanted = highest(solid)[0] <= solid.tolerance and solid.volume > 0
        assert solid.is_convex == wanted
        seen.add(wanted)
    assert seen == {True, False}


def test_stars_are_not_convex_though_all_their_edges_are():
    angle = 4 * np.pi * np.arange(5) / 5    # a pentagram: every second corner of a pentagon
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(5)])
    low, following = np.arange(5), np.roll(np.arange(5), -1)
    walls = np.stack([low, following, following + 5, low + 5], axis=1)
    assert not Polyhedron(np.concatenate([ring, ring + np.array([0, 0, 1])]), [low[::-1], low + 5, *walls]).is_convex


def test_the_convexity_of_a_large_surface_is_known_without_comparing_all_with_all(monkeypatch):
    monkeypatch.setattr(inside, "highest", None)
    for solid in (sphere(1.0, 5), cylinder(1.0, 1e-6, 2000), cone(1.0, 1.0, 2000), box((1.0, 1.0, 1e-6))):
        assert solid.is_convex
    assert not height_field([[1, 2, 1], [2, 1, 2], [1, 2, 1]], (2, 2), 0).is_convex
