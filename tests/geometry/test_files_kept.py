"""Mesh files: what is written comes back, and what other tools wrote is read."""
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from robotphi.errors import MeshError
from robotphi.geometry.cells import KINDS, VOLUME_KINDS
from robotphi.geometry.files import read_mesh, write_mesh
from robotphi.geometry.mass_properties import solid_properties
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.shapes import box

FILES = Path(__file__).parent / "files"
SOLID = ("vtk", "vtu", "msh", "msh2")
SURFACE = ("stl", "obj", "ply")


def volumes(mesh):
    """{kind: volumes of its cells}, from the tetrahedra of each kind."""
    found = {}
    for kind in VOLUME_KINDS:
        if kind in mesh.cells:
            a, b, c, d = np.moveaxis(mesh.points[mesh.cells[kind][:, KINDS[kind].tetrahedra]], 2, 0)
            found[kind] = np.einsum("cti,cti->c", np.cross(b - a, c - a), d - a) / 6.0
    return found


def every_kind(seed=0, count=5):
    """Cells of every kind, separate and slightly bent, of numbers with all their digits; regions that overlap."""
    random = np.random.default_rng(seed)
    units = {"edge": [(0, 0, 0), (1, 0, 0)], "triangle": [(0, 0, 0), (1, 0, 0), (0, 1, 0)],
             "quad": [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)],
             "tetrahedron": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
             "pyramid": [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, 1)],
             "wedge": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1)],
             "hexahedron": [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]}
    points, cells = [], {}
    for kind, unit in units.items():
        rows = []
        for _ in range(count):
            rows.append(sum(map(len, points)) + np.arange(len(unit)))
            points.append(np.array(unit) + random.uniform(-0.1, 0.1, (len(unit), 3)) + random.uniform(-5, 5, 3))
        cells[kind] = np.array(rows)
    regions = {"left": np.array([0, 3, 7]), "a long name": np.array([2, 3]), "none": np.empty(0, np.int64)}
    cell_regions = {"all": {kind: np.arange(count) for kind in VOLUME_KINDS}, "odd": {"wedge": np.array([1, 3])},
                    "skin": {"triangle": np.array([0, 4]), "quad": np.array([2])}, "line": {"edge": np.array([1])}}
    return Mesh(np.concatenate(points), cells, regions, cell_regions)


@pytest.mark.parametrize("binary", [True, False], ids=["bytes", "text"])
@pytest.mark.parametrize("format", SOLID)
def test_every_kind_of_cell_and_region_comes_back(tmp_path, format, binary):
    mesh = every_kind()
    write_mesh(tmp_path / "mesh", mesh, format, binary)
    found = read_mesh(tmp_path / "mesh", format)
    if format == "vtk" and not binary:
        np.testing.assert_allclose(found.points, mesh.points, rtol=1e-10)  # VTK writes 11 digits
    else:
        np.testing.assert_array_equal(found.points, mesh.points)
    assert set(found.cells) == set(mesh.cells)
    for kind, rows in mesh.cells.items():
        np.testing.assert_array_equal(found.cells[kind], rows)
    for name, rows in mesh.regions.items():
        np.testing.assert_array_equal(found.regions[name], np.sort(rows))
    assert set(found.cell_regions) == set(mesh.cell_regions)
    for name, by_kind in mesh.cell_regions.items():
        assert set(found.cell_regions[name]) == set(by_kind)
        for kind, rows in by_kind.items():
            np.testing.assert_array_equal(found.cell_regions[name][kind], rows)


@pytest.mark.parametrize("format", ["msh", "msh2"])
def test_the_points_of_a_group_of_cells_become_a_region_unless_one_of_that_name_is_there(tmp_path, format):
    mesh = Mesh(every_kind().points, every_kind().cells, {"skin": np.array([1])}, {"skin": {"triangle": np.array([0])},
                                                                                  "odd": {"wedge": np.array([1])}})
    write_mesh(tmp_path / "mesh", mesh, format)
    found = read_mesh(tmp_path / "mesh", format)
    np.testing.assert_array_equal(found.regions["skin"], [1])
    np.testing.assert_array_equal(found.regions["odd"], np.sort(mesh.cells["wedge"][1]))


@pytest.mark.parametrize("binary", [True, False], ids=["bytes", "text"])
@pytest.mark.parametrize("format", SURFACE)
def test_a_surface_comes_back_with_its_quads_and_every_bit(tmp_path, format, binary):
    source = every_kind()
    mesh = Mesh(source.points, {"triangle": source.cells["triangle"], "quad": source.cells["quad"]})
    write_mesh(tmp_path / "mesh", mesh, format, binary)
    found = read_mesh(tmp_path / "mesh", format)
    if format == "stl":
        corners, wanted = found.points[found.triangles], mesh.points[mesh.triangles]
        np.testing.assert_array_equal(corners, wanted.astype(np.float32) if binary else wanted)
        assert len(found.points) == 5 * 3 + 5 * 4  # each shared point once
    else:
        for kind, rows in mesh.cells.items():
            np.testing.assert_array_equal(found.points[found.cells[kind]], mesh.points[rows])


@pytest.mark.parametrize("format", SURFACE)
def test_of_a_solid_the_boundary_is_written(tmp_path, format):
    hexahedra = Mesh([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1, 2)],
                     {"hexahedron": [[0, 1, 4, 3, 6, 7, 10, 9], [1, 2, 5, 4, 7, 8, 11, 10]]})
    write_mesh(tmp_path / "mesh", hexahedra, format)
    found = read_mesh(tmp_path / "mesh", format)
    assert len(found.triangles) == 20
    assert solid_properties(found.points, found.triangles).volume == 2.0


@pytest.mark.parametrize("name", ["gmsh41_text.msh", "gmsh41_bytes.msh", "gmsh22_text.msh", "gmsh22_bytes.msh", "gmsh.vtk"])
def test_files_of_gmsh_are_read_with_positive_volumes_and_groups(name):
    """A hexahedron, a wedge beside it, a pyramid and a tetrahedron on it; node tags with holes; a node that nothing uses."""
    mesh = read_mesh(FILES / name)
    assert len(mesh.points) == 12
    assert {kind: volume.tolist() for kind, volume in volumes(mesh).items()} == {
        "hexahedron": [1.0], "wedge": [0.5], "pyramid": pytest.approx([1 / 6]), "tetrahedron": pytest.approx([1 / 12])}
    assert {kind for kind, rows in mesh.cells.items() if len(rows) == 1} == {"triangle", "quad", *volumes(mesh)}
    if name.endswith("msh"):
        assert set(mesh.cell_regions) == {"floor", "body", "cap"}
        assert set(mesh.cell_regions["cap"]) == {"tetrahedron", "pyramid"}
        assert set(mesh.cell_regions["body"]) == set(volumes(mesh))
        np.testing.assert_array_equal(mesh.points[mesh.regions["tip"]], [(0.5, 0.5, 1.5)])
        assert sorted(map(tuple, mesh.points[mesh.regions["floor"]])) == [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0), (2, 0, 0)]


@pytest.mark.parametrize("format", ["msh", "msh2"])
@pytest.mark.parametrize("binary", [True, False], ids=["bytes", "text"])
def test_gmsh_reads_what_is_written(tmp_path, format, binary):
    gmsh = pytest.importorskip("gmsh")
    mesh, path = every_kind(), tmp_path / "mesh.msh"
    write_mesh(path, mesh, format, binary)
    gmsh.initialize(interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.open(str(path))
        tags, points, _ = gmsh.model.mesh.getNodes()
        order = np.argsort(tags)
        np.testing.assert_array_equal(points.reshape(-1, 3)[order], mesh.points)
        for kind, code in (("tetrahedron", 4), ("hexahedron", 5), ("wedge", 6), ("pyramid", 7), ("triangle", 2), ("quad", 3)):
            elements, corners = gmsh.model.mesh.getElementsByType(code)
            rows = {tuple(row) for row in corners.reshape(len(elements), -1).tolist()}
            assert rows == {tuple(row) for row in (mesh.cells[kind] + 1).tolist()}
        names = {gmsh.model.getPhysicalName(*group) for group in gmsh.model.getPhysicalGroups()}
        assert names >= {"left", "a long name", "all", "odd", "skin", "line"}
        wedges = [group for group in gmsh.model.getPhysicalGroups(3) if gmsh.model.getPhysicalName(*group) == "odd"]
        entities = gmsh.model.getEntitiesForPhysicalGroup(*wedges[0])
        found = np.concatenate([gmsh.model.mesh.getElements(3, one)[2][0] for one in entities]).reshape(-1, 6)
        assert set(map(tuple, found)) == set(map(tuple, mesh.cells["wedge"][[1, 3]] + 1))
    finally:
        gmsh.finalize()


def test_other_tools_see_positive_volumes_in_vtk_files(tmp_path):
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

    mesh = every_kind()
    write_mesh(tmp_path / "mesh.vtu", mesh)
    reader, size = vtkXMLUnstructuredGridReader(), vtkCellSizeFilter()
    reader.SetFileName(str(tmp_path / "mesh.vtu"))
    size.SetInputConnection(reader.GetOutputPort())
    size.Update()
    seen = vtk_to_numpy(size.GetOutput().GetCellData().GetArray("Volume"))
    start = 0
    for kind, rows in mesh.cells.items():
        if kind in VOLUME_KINDS:
            # Warped faces are cut along other diagonals there: a tenth of bend moves a volume by a few percent.
            np.testing.assert_allclose(seen[start:start + len(rows)], volumes(mesh)[kind], rtol=0.1)
        start += len(rows)


def test_wedges_of_both_senses_are_read_upright(tmp_path):
    mesh = every_kind()
    write_mesh(tmp_path / "mesh.vtu", mesh)
    turned = Mesh(mesh.points, {"wedge": mesh.cells["wedge"][:, [0, 2, 1, 3, 5, 4]]})
    write_mesh(tmp_path / "turned.vtu", turned)
    for name in ("mesh.vtu", "turned.vtu"):
        found = read_mesh(tmp_path / name)
        np.testing.assert_array_equal(found.points[found.cells["wedge"]], mesh.points[mesh.cells["wedge"]])
    assert (volumes(mesh)["wedge"] > 0.3).all()


@pytest.mark.parametrize("name", ["gmsh_cube.stl", "gmsh_cube.vtk", "trimesh_box.stl", "trimesh_box.obj", "trimesh_box.ply",
                                  "vtk_box.ply", "vtk_box.vtk"])
def test_surfaces_of_other_tools_are_closed_cubes(name):
    mesh = read_mesh(FILES / name)
    found = solid_properties(mesh.points, mesh.triangles)
    assert found.volume == pytest.approx(1.0, abs=1e-6)  # some are of float32
    np.testing.assert_allclose(found.inertia, np.eye(3) / 6.0, atol=1e-6)
    assert len(mesh.points) == (14 if name.startswith("gmsh") else 8)


def test_voxels_become_hexahedra():
    mesh = read_mesh(FILES / "vtk_voxel.vtu")
    assert volumes(mesh)["hexahedron"].tolist() == [1.0]


@pytest.mark.parametrize("name", ["trimesh_box.off", "trimesh_box.glb", "trimesh_box.dae"])
def test_further_formats_go_through_trimesh(name, monkeypatch):
    pytest.importorskip("trimesh")
    mesh = read_mesh(FILES / name)
    assert solid_properties(mesh.points, mesh.triangles).volume == pytest.approx(1.0)
    monkeypatch.setitem(__import__("sys").modules, "trimesh", None)
    with pytest.raises(MeshError, match=r"pip install robotphi\[mesh\]"):
        read_mesh(FILES / name)


def test_points_that_nothing_uses_are_left_out_and_regions_follow(tmp_path):
    mesh = Mesh([(9, 9, 9), (0, 0, 0), (1, 0, 0), (0, 1, 0), (8, 8, 8), (7, 7, 7)], {"triangle": [[1, 2, 3]]},
                {"corner": np.array([3]), "lone": np.array([5])}, {"all": {"triangle": np.array([0])}})
    write_mesh(tmp_path / "mesh.vtu", mesh)
    found = read_mesh(tmp_path / "mesh.vtu")
    np.testing.assert_array_equal(found.points, mesh.points[[1, 2, 3, 5]])
    assert found.regions["corner"].tolist() == [2]
    assert found.regions["lone"].tolist() == [3]
    assert found.cells["triangle"].tolist() == [[0, 1, 2]]


def test_points_within_a_tolerance_become_one(tmp_path):
    shape = box((1.0, 1.0, 1.0))
    corners = shape.vertices[shape.triangles].reshape(-1, 3)
    corners = corners + np.random.default_rng(0).uniform(-1e-7, 1e-7, corners.shape)
    soup = Mesh(corners, {"triangle": np.arange(len(corners)).reshape(-1, 3)}, {"all": np.arange(len(corners))},
                {"first": {"triangle": np.array([0, 11])}})
    write_mesh(tmp_path / "soup.stl", soup, binary=False)
    assert len(read_mesh(tmp_path / "soup.stl").points) == 36
    assert len(read_mesh(tmp_path / "soup.stl", tolerance=1e-6).points) == 8
    write_mesh(tmp_path / "soup.vtu", soup)
    found = read_mesh(tmp_path / "soup.vtu", tolerance=1e-6)
    assert found.regions["all"].tolist() == list(range(8))
    assert found.cell_regions["first"]["triangle"].tolist() == [0, 11]
    # A tolerance of the size of a side leaves no triangle of three corners.
    with pytest.raises(MeshError, match="it holds no cells"):
        read_mesh(tmp_path / "soup.vtu", tolerance=1.1)


def test_equal_points_become_one_whatever_the_sign_of_zero(tmp_path):
    text = "solid\n" + "".join(f"facet normal 0 0 1\nouter loop\n{lines}endloop\nendfacet\n" for lines in (
        "vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n", "vertex -0.0 1 0\nvertex 1 -0 0\nvertex 1 1 0\n")) + "endsolid\n"
    (tmp_path / "mesh.stl").write_text(text)
    assert len(read_mesh(tmp_path / "mesh.stl").points) == 4


def test_polygons_of_many_corners_become_fans(tmp_path):
    hexagon = "".join(f"v {np.cos(a)} {np.sin(a)} 0\n" for a in np.arange(6) * np.pi / 3)
    (tmp_path / "mesh.obj").write_text(f"mtllib other.mtl\no thing\n{hexagon}vn 0 0 1\nf 1//1 2//1 3//1 4//1 5//1 6//1 # six\n"
                                       "f -6/1 -5/2 \\\n-4/3\ns off\nv 5 5 5\nf 1 2 7\n")
    mesh = read_mesh(tmp_path / "mesh.obj")
    assert mesh.cells["triangle"].tolist() == [[0, 1, 2], [0, 1, 6], [0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]


@pytest.mark.parametrize("order", ["<", ">"])
def test_ply_of_either_byte_order_with_mixed_facets_and_colours(tmp_path, order):
    points = np.zeros(5, [("x", order + "f4"), ("y", order + "f4"), ("z", order + "f4"), ("red", "u1")])
    points["x"], points["y"] = [0, 1, 1, 0, 2], [0, 0, 1, 1, 0.5]
    facets = b"".join(bytes([len(row)]) + np.array(row, order + "u2").tobytes() + np.array([7.0], order + "f8").tobytes()
                      for row in ([0, 1, 2, 3], [1, 4, 2], [3, 2, 1, 0]))
    head = (f"ply\nformat binary_{'little' if order == '<' else 'big'}_endian 1.0\nelement vertex 5\nproperty float x\n"
            "property float y\nproperty float z\nproperty uchar red\nelement face 3\nproperty list uchar ushort vertex_index\n"
            "property double quality\nend_header\n")
    (tmp_path / "mesh.ply").write_bytes(head.encode() + points.tobytes() + facets)
    mesh = read_mesh(tmp_path / "mesh.ply")
    assert mesh.cells["quad"].tolist() == [[0, 1, 2, 3], [3, 2, 1, 0]]
    assert mesh.cells["triangle"].tolist() == [[1, 4, 2]]
    assert mesh.points[4].tolist() == [2.0, 0.5, 0.0]


def test_a_plain_installation_reads_and_writes_all_but_the_formats_of_trimesh(tmp_path):
    """With every extra hidden, everything can still be imported and the formats of our own and of VTK are there."""
    code = f"""
import sys
for name in ("trimesh", "yourdfpy", "coacd", "vhacdx", "gmsh", "tetgen", "lxml"):
    sys.modules[name] = None
import robotphi.geometry.decompose, robotphi.urdf
from robotphi.geometry.files import WRITERS, read_mesh, write_mesh
from robotphi.geometry.shapes import box
assert not {{"vtkmodules", "pyvista"}} & set(sys.modules)
for format in WRITERS:
    path = {str(tmp_path)!r} + "/mesh." + format
    write_mesh(path, box((1, 1, 1)).as_mesh())
    assert len(read_mesh(path).triangles) == 12
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=FILES.parents[2])
