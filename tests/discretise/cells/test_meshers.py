"""Meshers: tetgen and gmsh keep the boundary exactly; without them the error says what to install."""
import sys

import numpy as np
import pytest

from robotphi.discretise.cells.quality import conformity, corner_volumes, euler_characteristic, volume
from robotphi.discretise.shape import discretise
from robotphi.errors import SceneError
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.rounds import sphere
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


@pytest.mark.parametrize("way", ["tetgen", "gmsh", "lattice"])
def test_hollows_stay_empty(way):
    pytest.importorskip(way) if way != "lattice" else None
    outer, inner = sphere(1, 2).as_mesh(), sphere(0.5, 2).as_mesh()
    mesh = Mesh(np.concatenate([outer.points, inner.points]),
                {"triangle": np.concatenate([outer.triangles, inner.triangles[:, ::-1] + len(outer.points)])})
    filled = volume(discretise(mesh, size=0.25, way=way))
    # tetgen and gmsh keep the surface, the lattice cuts it by less than a hundredth here; the hollow is an eighth
    assert filled == pytest.approx(sphere(1, 2).volume - sphere(0.5, 2).volume, rel=1e-2 if way == "lattice" else 1e-12)


def test_a_session_of_gmsh_that_was_there_before_goes_on_as_it_was():
    gmsh = pytest.importorskip("gmsh")
    gmsh.initialize(interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.option.setNumber("Mesh.MeshSizeMax", 0.7)
        gmsh.option.setNumber("Mesh.MeshSizeFromPoints", 0)
        gmsh.option.setNumber("General.NumThreads", 2)
        gmsh.model.add("mine")
        gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
        gmsh.model.occ.synchronize()
        gmsh.model.mesh.generate(3)
        count = len(gmsh.model.mesh.getNodes()[0])
        gmsh.model.add("other")
        gmsh.model.setCurrent("mine")
        discretise(box(1), size=0.5, way="gmsh", refine=lambda points: 0.15)
        assert gmsh.option.getNumber("Mesh.MeshSizeMax") == 0.7
        assert gmsh.option.getNumber("General.NumThreads") == 2
        assert gmsh.model.getCurrent() == "mine"
        gmsh.model.mesh.clear()
        gmsh.model.mesh.generate(3)
        assert len(gmsh.model.mesh.getNodes()[0]) == pytest.approx(count, rel=0.1)    # the mesher draws lots
    finally:
        gmsh.finalize()
