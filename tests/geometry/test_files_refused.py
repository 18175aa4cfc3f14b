"""Mesh files that are no good: each is answered by one MeshError, quickly and in little memory."""
import os
import re
import subprocess
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from robotphi.errors import MeshError
from robotphi.geometry.files import READERS, WRITERS, read_mesh, write_mesh
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.shapes import box

FILES = Path(__file__).parent / "files"
QUICK = ("stl", "obj", "ply", "msh", "msh2")   # VTK reads in a process of its own, 0.2 s each


def cube():
    """A hexahedron with its surface and a region."""
    shape = box((1.0, 1.0, 1.0)).as_mesh()
    return Mesh(shape.points, {"quad": shape.cells["quad"], "hexahedron": [np.arange(8)]}, {"one": np.array([3])})


def saved(folder, format, binary):
    path = folder / f"mesh.{format}"
    write_mesh(path, cube(), format, binary)
    return path


def refusal(path, format=None, **options):
    with pytest.raises(MeshError) as caught:
        read_mesh(path, format, **options)
    assert str(caught.value).startswith(f"{path}: ")
    assert ";" in str(caught.value)  # what was found; what would work
    return str(caught.value)


def test_files_that_are_not_there(tmp_path):
    assert "there is no such file" in refusal(tmp_path / "mesh.stl")
    (tmp_path / "folder.stl").mkdir()
    assert "it is a folder" in refusal(tmp_path / "folder.stl")
    assert "its ending names no known format; end it by one of stl, obj" in refusal(tmp_path / "mesh.xyz")
    assert "did you mean 'stl'" in refusal(tmp_path / "mesh.stl", "stlb")
    assert "tolerance is -1" in refusal(saved(tmp_path, "stl", True), tolerance=-1.0)


@pytest.mark.parametrize("format", list(READERS))
@pytest.mark.parametrize("data", [b"", b" \n\n", b"\0" * 200, b"hello\n" * 50, bytes(range(256)) * 4, b"solid\n", b"ply\n",
                                  b"$MeshFormat\n", b"<VTKFile", b"v 1 2 3\n"], ids=range(10))
def test_files_of_something_else(tmp_path, format, data):
    path = tmp_path / f"mesh.{format}"
    path.write_bytes(data)
    assert refusal(path, format)


@pytest.mark.parametrize("binary", [True, False], ids=["bytes", "text"])
@pytest.mark.parametrize("format", list(WRITERS))
def test_files_that_were_cut_short(tmp_path, format, binary):
    path = saved(tmp_path, format, binary)
    data = path.read_bytes()
    # Of an OBJ file nothing tells where it should end: what is left may be a smaller mesh. The last line of the others that
    # are text may lack its end.
    cuts = np.linspace(0.02, 0.95 if format != "obj" else 0.5, 25 if format in QUICK else 2)
    for cut in (cuts * len(data)).astype(int):
        path.write_bytes(data[:cut])
        assert refusal(path)


@pytest.mark.parametrize("binary", [True, False], ids=["bytes", "text"])
@pytest.mark.parametrize("format", QUICK)
def test_damaged_files_never_end_in_anything_else(tmp_path, format, binary):
    path = saved(tmp_path, format, binary)
    data, random = path.read_bytes(), np.random.default_rng(7)
    words = (b"-1", b"nan", b"1e300", b"4294967295", b"18446744073709551615", b"\0", b"\xff" * 8, b"")
    answers = []
    for _ in range(150):
        at, found = int(random.integers(len(data))), list(re.finditer(rb"\d+", data))
        if found and random.random() < 0.5:
            at = found[random.integers(len(found))].start()
        damaged = data[:at] + words[random.integers(len(words))] + data[at + int(random.integers(0, 12)):]
        path.write_bytes(damaged)
        try:
            answers.append(read_mesh(path))
        except MeshError as error:
            answers.append(str(error))
    assert sum(isinstance(answer, str) for answer in answers) > 50


def test_a_file_that_ends_vtk_is_answered_by_an_error():
    assert "VTK" in refusal(FILES / "damaged.vtk")


@pytest.mark.parametrize(("format", "data"), [
    ("ply", b"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty double x\nproperty double y\n"
            b"property double z\nelement face 9\nproperty list uchar int vertex_indices\nend_header\n" + b"\0" * 300),
    ("ply", b"ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
            b"element face 1\nproperty list uint int vertex_indices\nend_header\n" + b"\0" * 12 + b"\xff" * 40),
    ("stl", b"\0" * 80 + b"\xff\xff\xff\x7f" + b"\0" * 100),
    ("msh", b"$MeshFormat\n4.1 1 8\n\1\0\0\0\n$EndMeshFormat\n$Nodes\n" + np.array([1, 1 << 60, 1, 1], "<u8").tobytes() +
            np.array([3, 1, 0], "<i4").tobytes() + np.array([1 << 60], "<u8").tobytes() + b"\n$EndNodes\n$Elements\n" +
            b"\0" * 32 + b"\n$EndElements\n"),
    ("msh", b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 99999999999 1 1\n3 1 0 99999999999\n$EndNodes\n"
            b"$Elements\n0 0 0 0\n$EndElements\n"),
    ("msh2", b"$MeshFormat\n2.2 1 8\n\1\0\0\0\n$EndMeshFormat\n$Nodes\n2000000000\n" + b"\0" * 28 + b"\n$EndNodes\n"
             b"$Elements\n0\n$EndElements\n"),
    ("msh2", b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n2000000000\n1 2 2 0 1 1 1 1\n"
             b"$EndElements\n"),
    ("vtk", b"# vtk DataFile Version 3.0\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 2000000000 double\n"),
    ("vtu", b'<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid"><UnstructuredGrid><Piece NumberOfPoints="20000000000" '
            b'NumberOfCells="1"></Piece></UnstructuredGrid></VTKFile>'),
])
def test_huge_counts_take_no_memory(tmp_path, format, data):
    path = tmp_path / "mesh"
    path.write_bytes(data)
    tracemalloc.start()
    try:
        said = refusal(path, format)
        assert "more than a file of its length can hold" in said or not format.startswith("vt")  # VTK is not even asked
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("format", list(WRITERS))
def test_numbers_that_are_not_finite(tmp_path, format):
    path = saved(tmp_path, format, False)
    text = path.read_bytes()
    for word in (b"nan", b"inf"):
        changed = re.sub(rb"(?<=[\s>])-?0\.5(?=\s)", word, text)
        assert changed != text
        path.write_bytes(changed)
        assert re.search("finite|VTK says|not a number", refusal(path))


@pytest.mark.parametrize(("format", "old", "new", "message"), [
    ("obj", b"f 1 ", b"f 99 ", "there are points 0 to 7"), ("obj", b"f 1 ", b"f 0 ", "counts points from 1"),
    ("obj", b"f 1 ", b"f 1.5 ", "whole"), ("obj", b"v ", b"v a", "not a number"), ("ply", b"4 ", b"1 ", "corners|cut short"),
    ("ply", b"property double x", b"property quaternion x", "quaternion"), ("ply", b"double z", b"double w", "no points"),
    ("ply", b"vertex_indices", b"corners", "need a list"), ("stl", b"vertex", b"vertices", "not a number|cut short"),
    ("msh", b"4.1 0 8", b"4.0 0 8", "version 4.0; versions 2.2 and 4.1"),
    ("msh", b"3 1 5 1\n", b"3 1 17 1\n", "second or higher order"),
    ("msh", b"$Nodes", b"$Knots", "no \\$Nodes"), ("msh", b"$EndElements", b"", "no end"),
    ("msh2", b"\n2 0", b"\n1 0", "given twice"), ("msh2", b" 6 7 8\n", b" 6 7 99\n", "node 99, which is not there"),
    ("vtk", b"UNSTRUCTURED_GRID", b"STRUCTURED_GRID", "its DATASET is STRUCTURED_GRID"),
    ("vtu", b'type="UnstructuredGrid"', b'type="ImageData"', "no UnstructuredGrid"),
])
def test_files_with_one_thing_wrong(tmp_path, format, old, new, message):
    path = saved(tmp_path, format, False)
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))
    assert re.search(message, refusal(path))


def test_elements_of_second_order_are_refused_by_name():
    assert "type 8, which is of second or higher order or not known; give first order: gmsh -order 1" in refusal(
        FILES / "gmsh_second_order.msh")


def test_cells_of_second_order_of_vtk_are_refused(tmp_path):
    (tmp_path / "mesh.vtk").write_text("# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 double\n"
                                       "0 0 0 1 0 0 0.5 0 0\nCELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n21\n")
    assert "VTK type 21" in refusal(tmp_path / "mesh.vtk")


def test_what_cannot_be_written_is_refused(tmp_path):
    mesh = cube()
    for path, given, message in ((tmp_path / "none" / "mesh.stl", mesh, "cannot be written"),
                                 (tmp_path, mesh, "ending names no"),
                                 (tmp_path / "mesh.dae", mesh, "ending names no"),
                                 (tmp_path / "mesh.stl", [1], "is no Mesh"),
                                 (tmp_path / "mesh.stl", Mesh(mesh.points, {"edge": [[0, 1]]}), "has no surface"),
                                 (tmp_path / "mesh.msh", Mesh(mesh.points, {}), "has no cells"),
                                 (tmp_path / "mesh.vtu", Mesh(mesh.points, {}), "has no cells"),
                                 (tmp_path / "mesh.msh", Mesh(mesh.points, mesh.cells, {'a"b': [0]}), "quotation"),
                                 (tmp_path / "mesh.vtu", Mesh(mesh.points, mesh.cells, {'a"b': [0]}), "quotation"),
                                 (tmp_path / "mesh.vtk", Mesh(mesh.points, mesh.cells, {"a" * 300: [0]}), "1 to 200"),
                                 (tmp_path / "mesh.stl", Mesh(mesh.points * 1e39, mesh.cells), "too large for float32")):
        with pytest.raises(MeshError, match=message):
            write_mesh(path, given)
    with pytest.raises(MeshError, match="unknown format 'dae'"):
        write_mesh(tmp_path / "mesh", mesh, "dae")
    assert not list(tmp_path.iterdir())


def test_comments_and_blank_lines_come_to_an_end(tmp_path):
    """An expression that tries all ways to divide them would go on for ever."""
    for format, before, what in (("vtu", b"<?xml version='1.0'?>", b"<!-- -->"), ("msh", b"$MeshFormat", b"\n"),
                                 ("msh", b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n", b"\n")):
        path = tmp_path / f"mesh.{format}"
        path.write_bytes(before + 60_000 * what + b"x")
        refusal(path)


def test_comments_before_the_start_are_passed_over(tmp_path):
    path = saved(tmp_path, "vtu", False)
    path.write_bytes(path.read_bytes().replace(b"<VTKFile", b"<!-- one --> <!-- <two> -->\n<VTKFile", 1))
    assert len(read_mesh(path).cells["hexahedron"]) == 1


def test_a_reader_that_does_not_end_is_given_up(tmp_path, monkeypatch):
    def patient(*given, timeout, **more):
        assert 60.0 <= timeout < 70.0
        raise subprocess.TimeoutExpired(given, timeout)

    path = saved(tmp_path, "vtu", False)
    monkeypatch.setattr(subprocess, "run", patient)
    assert "did not come to an end within 60 s" in refusal(path)


def test_names_that_look_like_the_end_of_a_section_are_names(tmp_path):
    mesh = cube()
    named = Mesh(mesh.points, mesh.cells, {"$EndPhysicalNames": [0], "b": [1]})
    for format in ("msh", "msh2"):
        for binary in (True, False):
            write_mesh(tmp_path / "mesh.msh", named, format, binary)
            assert sorted(read_mesh(tmp_path / "mesh.msh").regions) == ["$EndPhysicalNames", "b"]


def test_what_has_no_end_is_no_mesh(tmp_path):
    """A device may give bytes for ever, a pipe none: neither is read."""
    pipe, device = tmp_path / "pipe.stl", tmp_path / "zero.ply"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        with pytest.raises(MeshError, match="a device or a pipe, not a file"):
            read_mesh(path)
