"""Hexahedra: grids of counts and gradings, conforming, exact in volume, lean."""
import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from robotphi.discretise.cells import hexahedra
from robotphi.discretise.cells.hexahedra import SIDES, box_corners, crossings, hexahedron_mesh
from robotphi.discretise.cells.quality import conformity, corner_volumes, euler_characteristic, volume
from robotphi.discretise.cells.sizes import fractions
from robotphi.discretise.shape import discretise
from robotphi.errors import SceneError
from robotphi.geometry.polyhedron import Polyhedron
from robotphi.geometry.shapes import box, hexahedron

seeds = st.integers(0, 2 ** 32 - 1)


def plane_hexahedron(rng, bend=0.2):
    """Eight corners where six planes near those of a box meet: facets are plane."""
    normals = np.concatenate([-np.eye(3), np.eye(3)]) + rng.uniform(-bend, bend, (6, 3))
    offsets = rng.uniform(0.8, 1.6, 6)
    place = {}
    for x, y, z in product((0, 1), repeat=3):
        rows = [3 * x, 1 + 3 * y, 2 + 3 * z]
        place[x, y, z] = np.linalg.solve(normals[rows], offsets[rows])
    order = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    return np.array([place[key] for key in order]) + rng.normal(size=3)


def random_grading(rng):
    """Any exponents for directions and facets."""
    grading = {axis: float(rng.uniform(0.5, 2)) for axis in "xyz"}
    for name, (across, _) in SIDES.items():
        grading[name] = {axis: float(rng.uniform(0.5, 2)) for axis in "xyz" if "xyz".index(axis) != across}
    return grading


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_grids_of_hexahedra_conform_and_keep_the_volume(seed):
    rng = np.random.default_rng(seed)
    shape = hexahedron(plane_hexahedron(rng))
    counts = rng.integers(1, 6, 3).tolist()
    mesh = discretise(shape, counts=counts, grading=[None, "ends", [2, 0.5, 1], random_grading(rng)][rng.integers(4)])
    assert conformity(mesh) == []
    assert len(mesh.cells["hexahedron"]) == np.prod(counts)
    assert volume(mesh) == pytest.approx(shape.volume, rel=1e-12)
    assert min(each.min() for each in corner_volumes(mesh).values()) > 0
    assert euler_characteristic(mesh) == (2, 1)
    for index, name in enumerate(shape.names):
        heights = (mesh.points[mesh.regions[name]] - shape.facet_centres[index]) @ shape.normals[index]
        assert np.abs(heights).max() < 1e-12
        assert len(heights) == np.prod([n + 1 for axis, n in enumerate(counts) if axis != SIDES[name][0]])


def test_the_table_top_is_dense_in_the_middle_of_its_upper_facet_and_near_it():
    # fig. 2.22 of the report: the lower facet stays uniform, lines between the two are straight
    mesh = discretise(box((1.2, 0.8, 0.1)), counts=(8, 8, 4),
                      grading={"z": ["end", 2], "top": {"x": "middle", "y": ["middle", 1.5]}})
    top, bottom = (mesh.points[mesh.regions[name]] for name in ("top", "bottom"))
    np.testing.assert_allclose(np.unique(np.round(top[:, 0], 12)), 1.2 * (fractions(8, "middle") - 0.5), atol=1e-12)
    np.testing.assert_allclose(np.unique(np.round(top[:, 1], 12)), 0.8 * (fractions(8, ["middle", 1.5]) - 0.5), atol=1e-12)
    np.testing.assert_allclose(np.unique(np.round(bottom[:, 0], 12)), 1.2 * (fractions(8) - 0.5), atol=1e-12)
    np.testing.assert_allclose(np.unique(np.round(mesh.points[:, 2], 12)), 0.1 * (fractions(4, ["end", 2]) - 0.5), atol=1e-12)
    for mirror in ((-1, 1, 1), (1, -1, 1)):
        assert cKDTree(mesh.points).query(mesh.points * mirror)[0].max() < 1e-14
    assert volume(mesh) == pytest.approx(1.2 * 0.8 * 0.1, rel=1e-12)


def test_a_symmetric_grid_is_its_own_mirror_image():
    mesh = discretise(box((1, 2, 3)), counts=(3, 4, 5), grading="ends")
    for mirror in ((-1, 1, 1), (1, -1, 1), (1, 1, -1)):
        assert cKDTree(mesh.points).query(mesh.points * mirror)[0].max() < 1e-14


def test_size_counts_cells_no_longer_than_it():
    mesh = discretise(box((1, 2, 3)), size=0.5)
    assert len(mesh.cells["hexahedron"]) == 2 * 4 * 6
    assert len(discretise(box((1, 2, 3)), size=0.49).cells["hexahedron"]) == 3 * 5 * 7


def test_mirror_images_and_turned_boxes_keep_their_facets_and_directions():
    turn = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]], float)
    for shape in (box((1, 2, 3)).mirrored((1, 1, 0)), box((1, 2, 3)).transformed(turn)):
        mesh = discretise(shape, counts=(2, 3, 4), grading={"z": 2})
        assert conformity(mesh) == []
        assert corner_volumes(mesh)["hexahedron"].min() > 0
        assert {name: len(rows) for name, rows in mesh.regions.items()} == {
            "left": 20, "right": 20, "front": 15, "back": 15, "bottom": 12, "top": 12}
        near = np.sort(np.linalg.norm(mesh.points - mesh.points[mesh.regions["bottom"]].mean(axis=0), axis=1))
        far = np.sort(np.linalg.norm(mesh.points - mesh.points[mesh.regions["top"]].mean(axis=0), axis=1))
        assert near[:24].mean() < far[:24].mean()      # k = 2: dense at the bottom


def test_without_names_directions_are_those_that_the_facets_face():
    plain = Polyhedron(box((1, 2, 3)).vertices, box((1, 2, 3)).facets)
    np.testing.assert_array_equal(box_corners(plain), np.arange(8))
    mesh = discretise(plain, counts=(1, 2, 3))
    assert len(np.unique(mesh.points[:, 2])) == 4


def test_a_block_is_made_of_slices_along_its_longest_count_and_takes_little_memory():
    # 1 000 000 particles at full size: 0.1 s and 250 MiB of the whole process; here one in ten, by what numpy allocates
    tracemalloc.start()
    mesh = hexahedron_mesh(box((5, 2, 1)).vertices, (99, 39, 24))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    points, cells = 100 * 40 * 25, 99 * 39 * 24
    assert (len(mesh.points), len(mesh.cells["hexahedron"])) == (points, cells)
    assert mesh.cells["hexahedron"].dtype == np.int32
    assert np.all(np.diff(mesh.points[:, 0]) >= 0)                 # x, of most cells, goes slowest
    assert peak < 4 * (24 * points + 32 * cells)                   # three copies and masks of what stays


def test_corners_that_fold_cells_are_refused():
    corners = box(1).vertices.copy()
    corners[6] = (-0.4, -0.4, -0.4)
    with pytest.raises(SceneError, match="folded or flat"):
        hexahedron_mesh(corners, 3)


@pytest.mark.parametrize(("more", "said"), [
    ({"counts": (1, 2)}, "along x, y, z"), ({"counts": 0}, "at least 1"), ({"counts": 2, "size": 1}, "give one of them"),
    ({}, "give one"), ({"size": -1}, "> 0"), ({"counts": 2, "grading": {"top": {"z": 2}}}, "direction of facet 'top'"),
    ({"counts": 2, "grading": {"upper": {"x": 2}}}, "unknown facet or direction"),
    ({"counts": 2, "grading": [1, 2]}, "give one, three"), ({"counts": 2, "grading": {"top": "middle"}}, "say the direction")])
def test_what_cannot_be_asked_of_a_box_is_refused_with_what_can(more, said):
    with pytest.raises(SceneError, match=said):
        discretise(box(1), **more)


def test_lines_of_the_steepest_gradings_settle_or_are_refused(monkeypatch):
    steep = [fractions(10, k) for k in (0.1, 10, 10, 0.1)]
    edges = [np.array([[steep[0], steep[1]], [steep[2], steep[3]]])] * 3
    u, v, w = crossings(edges)
    along = [edges[0].reshape(2, 2, 11, 1, 1), edges[1].reshape(2, 2, 1, 11, 1), edges[2].reshape(2, 2, 1, 1, 11)]
    for ends, own, s, t in zip(along, (u, v, w), (v, u, u), (w, w, v), strict=True):
        low, high = ((1 - t) * ends[i, 0] + t * ends[i, 1] for i in range(2))
        np.testing.assert_allclose((1 - s) * low + s * high, own, atol=1e-12)
    monkeypatch.setattr(hexahedra, "ROUNDS", 20)
    with pytest.raises(SceneError, match="lines across it do not settle"):
        crossings(edges)
