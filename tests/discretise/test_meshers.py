"""Meshers: tetgen and gmsh keep the boundary exactly; without them the error says what to install."""
import sys

import numpy as np
import pytest

from robotphi.discretise.quality import conformity, corner_volumes, euler_characteristic, volume
from robotphi.discretise.shape import discretise
from robotphi.errors import SceneError
from robotphi.geometry.shapes import box, cylinder
from robotphi.geometry.swept import torus

WAYS = ["tetgen", "gmsh"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("shape", "euler"), [(box((1, 2, 3)), (2, 1)), (torus(1, 0.4, 8, 5), (0, 0))])
def test_the_boundary_is_kept_exactly(way, shape, euler):
    pytest.importorskip(way)
    mesh = discretise(shape, size=0.4, way=way)
    assert conformity(mesh) == []
    assert euler_characteristic(mesh) == euler
    assert volume(mesh) == pytest.approx(shape.volume, rel=1e-12)
    assert min(each.min() for each in corner_volumes(mesh).values()) > 0


@pytest.mark.parametrize("way", WAYS)
def test_facets_are_regions(way):
    pytest.importorskip(way)
    shape = cylinder(1, 2, 8)
    mesh = discretise(shape, size=0.6, way=way)
    assert set(mesh.regions) == {*shape.names, "side"}
    np.testing.assert_allclose(mesh.points[mesh.regions["top"], 2], 1, atol=1e-9)
    assert len(np.unique(np.concatenate([mesh.regions[name] for name in shape.names]))) == len(np.unique(mesh.triangles))


@pytest.mark.parametrize("way", WAYS)
def test_a_smaller_size_makes_more_cells(way):
    pytest.importorskip(way)
    coarse, fine = (len(discretise(box(1), size=size, way=way).points) for size in (0.5, 0.2))
    assert fine > 4 * coarse


def test_gmsh_refines_in_a_region():
    pytest.importorskip("gmsh")
    mesh = discretise(box(2), size=0.6, way="gmsh", refine={((-0.2, -0.2, -0.2), (0.2, 0.2, 0.2)): 5})
    assert conformity(mesh) == []
    lengths = np.linalg.norm(np.diff(mesh.points[mesh.edges], axis=1), axis=2)[:, 0]
    middle = np.abs(mesh.points[mesh.edges].mean(axis=1)).max(axis=1)
    assert lengths[middle < 0.2].mean() < 0.5 * lengths[middle > 0.8].mean()


@pytest.mark.parametrize("way", WAYS)
def test_a_missing_package_is_named(way, monkeypatch):
    monkeypatch.setitem(sys.modules, way, None)
    with pytest.raises(SceneError, match=f"pip install {way}"):
        discretise(box(1), size=0.5, way=way)
