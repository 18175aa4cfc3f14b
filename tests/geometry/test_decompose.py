"""Convex decomposition against solids whose volumes are known, when the libraries are installed."""
import numpy as np
import pytest

from robotphi.errors import MeshError, SceneError
from robotphi.geometry import decompose
from robotphi.geometry.decompose import convex_parts, volume_error
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.polyhedron import Polyhedron
from robotphi.geometry.shapes import box

CORNERS = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], float)


def angle_iron():
    """An L of volume 3: two convex parts at least."""
    n = len(CORNERS)
    points = np.concatenate([np.column_stack([CORNERS, np.full(n, z)]) for z in (0.0, 1.0)])
    sides = [[i, (i + 1) % n, n + (i + 1) % n, n + i] for i in range(n)]
    return Polyhedron(points, [[3, 2, 1, 0], [5, 4, 3, 0], [6, 7, 8, 9], [6, 9, 10, 11], *sides])


def test_a_convex_solid_is_one_part_and_needs_no_library(monkeypatch):
    monkeypatch.setattr(decompose, "_imported", lambda name: pytest.fail("a library was asked for"))
    block = box((1.0, 2.0, 3.0), centre=(5.0, 0.0, 0.0))
    for shape in (block, block.as_mesh()):
        parts = convex_parts(shape)
        assert len(parts.parts) == 1
        assert abs(volume_error(shape, parts)) < 1e-14  # rounding of a sum of six terms
        assert set(map(tuple, parts.parts[0].vertices)) == set(map(tuple, block.vertices))


@pytest.mark.parametrize(("way", "library"), [("coacd", "coacd"), ("vhacd", "vhacdx")])
def test_an_angle_iron_of_millimetres_becomes_two_parts_of_nearly_its_volume(way, library, capfd):
    pytest.importorskip(library)
    shape = angle_iron().transformed(1e-3 * np.eye(3), (1.0, 2.0, 3.0))
    parts = convex_parts(shape, way, threshold=0.05)
    assert len(parts.parts) == 2
    # CoACD cuts at one of 20 planes a direction and draws in; the voxels of V-HACD are 1/74 of the body: a layer of half of
    # that on 14 m² of surface over 3 m³ is 3 %.
    assert abs(volume_error(shape, parts)) < (1e-3 if way == "coacd" else 0.03)
    np.testing.assert_allclose(parts.centre, shape.centre, rtol=0, atol=0.03e-3)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("way", "library"), [("coacd", "coacd"), ("vhacd", "vhacdx")])
def test_the_same_seed_gives_the_same_parts(way, library):
    pytest.importorskip(library)
    first, second = (convex_parts(angle_iron(), way, seed=3) for _ in range(2))
    for one, other in zip(first.parts, second.parts, strict=True):
        np.testing.assert_array_equal(one.vertices, other.vertices)


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "coacd", None)
    with pytest.raises(MeshError, match=r"coacd is not installed; pip install robotphi\[mesh\]"):
        convex_parts(angle_iron())


def test_what_cannot_be_split_is_refused():
    shape = angle_iron()
    with pytest.raises(SceneError, match=r"unknown way 'vhacdx'; did you mean 'vhacd'"):
        convex_parts(shape, "vhacdx")
    with pytest.raises(SceneError, match="threshold is 5"):
        convex_parts(shape, threshold=5)
    with pytest.raises(SceneError, match="give a Mesh or a Polyhedron"):
        convex_parts([1, 2])
    open_mesh = Mesh(shape.vertices, {"triangle": shape.triangles[1:]})
    with pytest.raises(SceneError, match="open"):
        convex_parts(open_mesh)
