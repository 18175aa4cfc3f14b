"""Sweep: bars and cables between two facets or along a path."""
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from robotphi.discretise.cells.quality import conformity, corner_volumes, euler_characteristic, volume
from robotphi.discretise.cells.sizes import fractions
from robotphi.discretise.cells.sweep import carried_frames, path_mesh, swept_mesh
from robotphi.discretise.shape import discretise
from robotphi.errors import SceneError
from robotphi.geometry.shapes import box, cone, cylinder, prism, regular_polygon

UP = np.array([0.0, 0.0, 1.0])
HEXAGON = np.concatenate([regular_polygon(6), np.zeros((6, 1))], axis=1)


def check(mesh, wanted=None):
    assert conformity(mesh) == []
    assert min(each.min() for each in corner_volumes(mesh).values()) > 0
    assert euler_characteristic(mesh) == (2, 1)
    if wanted is not None:
        assert volume(mesh) == pytest.approx(wanted, rel=1e-12)


@given(st.integers(0, 2 ** 32 - 1))
@settings(max_examples=25, deadline=None)
def test_prisms_cylinders_and_frustums_are_swept_between_their_two_facets(seed):
    rng = np.random.default_rng(seed)
    sides = int(rng.choice([3, 5, 6, 7, 12]))
    angles = np.sort(rng.uniform(0, 2 * np.pi / sides, sides) + 2 * np.pi * np.arange(sides) / sides)
    shape = [prism(np.stack([np.cos(angles), np.sin(angles)], axis=1), 1.5), cylinder(1, 2, sides),
             cone(1, 2, sides, top_radius=0.4)][rng.integers(3)]
    counts = (int(rng.integers(1, 5)), int(rng.integers(1, 5)))
    mesh = discretise(shape, counts=counts, grading={"along": 2, "edges": "middle", "rings": 0.8})
    check(mesh, shape.volume)
    assert set(mesh.cells) <= {"wedge", "hexahedron"}
    for index, name in enumerate(shape.names):
        heights = (mesh.points[mesh.regions[name]] - shape.facet_centres[index]) @ shape.normals[index]
        assert np.abs(heights).max() < 1e-12
        on = np.abs((mesh.points - shape.facet_centres[index]) @ shape.normals[index]) < 1e-9
        assert np.count_nonzero(on) == len(heights)


def test_a_swept_cylinder_keeps_its_symmetry():
    points = discretise(cylinder(1, 2, 8), counts=(2, 4), grading="middle").points
    c = s = np.sqrt(0.5)
    for image in (points * (1, -1, 1), points * (1, 1, -1), points @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]).T):
        assert cKDTree(points).query(image)[0].max() < 1e-14


def test_lines_join_corresponding_points_with_the_asked_grading():
    mesh = swept_mesh(HEXAGON, 0.5 * HEXAGON + (0, 0, 2), (2, 4), {"along": 2})
    check(mesh)
    sections = mesh.points.reshape(5, -1, 3)
    for t, section in zip(fractions(4, 2), sections, strict=True):
        np.testing.assert_allclose(section, sections[0] + t * (sections[-1] - sections[0]), atol=1e-14)
    assert len(mesh.regions["first"]) == len(mesh.regions["last"]) == len(sections[0])


def test_a_box_can_be_swept_too():
    check(discretise(box((1, 2, 3)), counts=(2, 3), way="sweep"), 6)


@given(st.integers(0, 2 ** 32 - 1))
@settings(max_examples=25, deadline=None)
def test_a_cable_follows_any_gentle_path_and_keeps_its_section(seed):
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, 25)
    waves = [rng.normal(size=3) * np.sin(k * np.pi * t[:, None] + rng.uniform(0, 6, 3)) / k for k in (1, 2)]
    path = 3 * t[:, None] * (1, 1, 1) + 0.3 * sum(waves)
    sides = int(rng.choice([4, 6]))
    profile = 0.02 * regular_polygon(sides)
    mesh = path_mesh(profile, path, counts=2, start=rng.normal(size=3))
    check(mesh)
    sections = mesh.points.reshape(25, -1, 3)
    flat = np.linalg.norm(sections - path[:, None], axis=2)
    np.testing.assert_allclose(flat, np.broadcast_to(flat[0], flat.shape), atol=1e-13)   # no section is stretched
    # Pappus: section × length of the path, up to the bend within a step
    area = sides / 2 * np.sin(2 * np.pi / sides) * 0.02 ** 2
    assert volume(mesh) == pytest.approx(area * np.linalg.norm(np.diff(path, axis=0), axis=1).sum(), rel=0.02)


def test_carried_frames_are_right_handed_and_do_not_twist_about_the_path():
    t = np.linspace(0, 2, 30)
    frames = carried_frames(np.stack([np.cos(t), np.sin(t), 0 * t], axis=1), (0, 0, 1))
    np.testing.assert_allclose(frames @ np.swapaxes(frames, 1, 2), np.broadcast_to(np.eye(3), frames.shape), atol=1e-13)
    np.testing.assert_allclose(np.linalg.det(frames), 1, rtol=1e-13)
    np.testing.assert_allclose(frames[:, :, 1], np.broadcast_to((0, 0, 1), (30, 3)), atol=1e-13)   # a plane path: up stays up


@given(st.integers(0, 2 ** 32 - 1))
@settings(max_examples=20, deadline=None)
def test_each_frame_is_the_one_before_turned_the_shortest_way(seed):
    rng = np.random.default_rng(seed)
    frames = carried_frames(np.cumsum(rng.normal((0, 0, 2), 1, (6, 3)), axis=0), rng.normal(size=3))
    for before, after in pairwise(frames):
        axis = np.cross(before[:, 2], after[:, 2])
        angle = np.arctan2(np.linalg.norm(axis), before[:, 2] @ after[:, 2])
        turn = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
        np.testing.assert_allclose(after, turn @ before, atol=1e-13)


def test_polygons_of_different_form_get_the_same_cells():
    flat = HEXAGON * (3, 0.3, 1)     # alone it would have fewer fronts than the regular one
    check(swept_mesh(flat, HEXAGON + UP, (6, 3)))


def test_frames_can_be_given():
    path = np.stack([np.zeros(5), np.zeros(5), np.arange(5.0)], axis=1)
    turn = np.array([[[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]] for a in 0.2 * np.arange(5)])
    check(path_mesh(regular_polygon(4), path, frames=turn))
    mesh = path_mesh(regular_polygon(4), path, frames=turn)
    np.testing.assert_allclose(mesh.points.reshape(5, -1, 3)[2, 0], (np.cos(0.4), np.sin(0.4), 2), atol=1e-14)


@pytest.mark.parametrize(("make", "said"), [
    (lambda: swept_mesh(HEXAGON, HEXAGON[:5] + UP, 2), "as many corners"),
    (lambda: swept_mesh(HEXAGON[::-1], HEXAGON[::-1] + UP, 2), "folded"),
    (lambda: path_mesh(regular_polygon(4), [(0, 0, 0), (0, 0, 1), (0, 0, 0)]), "turns back"),
    (lambda: path_mesh(regular_polygon(4), [(0, 0, 0), (0, 0, 0), (0, 0, 1)]), "the same"),
    (lambda: path_mesh(regular_polygon(4), [(0, 0, 0), (0, 0, 1), (0.1, 0.9, 1), (0.2, 1, 0.1)]), "bend the path less"),
    (lambda: discretise(box(1), counts=2, way="sweep", grading={"edges": 2}), "no first end"),
    (lambda: discretise(cone(1, 1, 6), counts=2, way="sweep"), "way 'sweep' needs")])
def test_sweeps_that_cannot_be_are_refused(make, said):
    with pytest.raises(SceneError, match=said):
        make()
