"""VTK files, legacy (.vtk) and XML (.vtu), through VTK itself. Legacy text keeps 11 digits, the others every bit.

Regions are arrays of 0 and 1 named "region:…", on points and on cells. Wedges come in two senses: up to VTK 9.6 the first
facet pointed outwards, since 9.7 (merge request 12988) it points inwards as ours does, and files do not tell. Each wedge is
read in the sense that gives it a positive volume, and written in that of the VTK that is installed.
"""
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from robotphi.geometry.cells import KINDS
from robotphi.geometry.files.raw import fail, polygons

SWAP = [0, 2, 1, 3, 5, 4]
CODE = {"edge": 3, "triangle": 5, "quad": 9, "tetrahedron": 10, "hexahedron": 12, "wedge": 13, "pyramid": 14}
ORDER = {3: ("edge", [0, 1]), 5: ("triangle", [0, 1, 2]), 8: ("quad", [0, 1, 3, 2]), 9: ("quad", [0, 1, 2, 3]),
         10: ("tetrahedron", [0, 1, 2, 3]), 11: ("hexahedron", [0, 1, 3, 2, 4, 5, 7, 6]), 12: ("hexahedron", list(range(8))),
         13: ("wedge", list(range(6))), 14: ("pyramid", list(range(5)))}
POINTS, POLYGON = (0, 1, 2), 7  # points are passed over
DATASETS = ("UNSTRUCTURED_GRID", "POLYDATA")
MEMORY = 4 << 30  # bytes of address space for VTK itself
REGION = "region:"
PATIENCE, SLOWEST = 60.0, 1e6  # seconds for VTK to start, and bytes that it reads in each of them
UNWRITTEN, LONGEST = set("\"<>&\n\r\t"), 200  # what VTK does not write so that it can be read
SQUEEZE = 1100  # zlib makes at most 1032 bytes of one


def read_legacy(data, format):
    if not data.startswith(b"# vtk DataFile"):
        fail("it does not begin with # vtk DataFile", "name the format it has")
    found = re.search(rb"^[ \t]*DATASET\s+(\w+)", data[:2000], re.MULTILINE | re.IGNORECASE)
    kind = found.group(1).decode().upper() if found else "none"
    if kind not in DATASETS:
        fail(f"its DATASET is {kind}", f"it may be {' or '.join(DATASETS)}")
    _bounded(re.findall(rb"^(?:POINTS|CELLS|CELL_TYPES|POLYGONS|LINES|OFFSETS|CONNECTIVITY|POINT_DATA|CELL_DATA)\s+(\d+)",
                        data, re.MULTILINE), len(data))
    return _mesh(_contents(data, kind))


def read_xml(data, format):
    if not _without_comments(data).startswith(b"<VTKFile"):
        fail("it does not begin with <VTKFile", "name the format it has")
    if not re.search(rb"type\s*=\s*[\"']UnstructuredGrid[\"']", data[:2000]):
        fail("it holds no UnstructuredGrid", "save it as one")
    _bounded(re.findall(rb"NumberOf(?:Points|Cells|Tuples|Components)\s*=\s*[\"'](\d+)[\"']", data), SQUEEZE * len(data))
    return _mesh(_contents(data, "vtu"))


def _without_comments(data):
    """What follows the XML declaration and the comments at the start."""
    rest = re.sub(rb"\A\s*<\?xml[^>]*>", b"", data).lstrip()
    while rest.startswith(b"<!--"):
        rest = rest.partition(b"-->")[2].lstrip()
    return rest


def _bounded(counts, size):
    """No count may be larger than what so many bytes can hold: VTK asks for the memory before it reads."""
    largest = max((int(count) for count in counts), default=0)
    if largest > size:
        fail(f"it says that it has {largest} entries, more than a file of its length can hold", "save the file anew")


def _contents(data, kind):
    """Arrays by name. VTK ends the process on some damaged files, so it reads in one of its own, with bounded memory."""
    start = "import runpy, sys; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mesh"
        path.write_bytes(data)
        command = [sys.executable, "-c", start, str(Path(__file__).with_name("vtk_process.py")), kind, str(path),
                   str(MEMORY + 200 * len(data))]
        patience = PATIENCE + len(data) / SLOWEST
        try:
            done = subprocess.run(command, capture_output=True, check=False, timeout=patience,
                                  env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
        except subprocess.TimeoutExpired:
            fail(f"VTK did not come to an end within {patience:.0f} s", "save it anew, or in another format")
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        fail(said if done.returncode == 1 and said else "VTK fails on it",
             "it was cut short or is of another kind: save it anew")
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as found:
        return {name: found[str(i)] for i, name in enumerate(found["names"].tolist())}


def _mesh(found):
    types, counts, corners = found["types"], found["counts"], found["corners"]
    if len(types) != len(counts) or (counts < 0).any() or counts.sum() != len(corners):
        fail("its cells are not whole", "it was cut short: save it anew")
    cells, places = _cells(types, counts, corners)
    if "wedge" in cells and cells["wedge"].min() >= 0 and cells["wedge"].max() < len(found["points"]):
        cells["wedge"] = _upright(found["points"], cells["wedge"])
    regions = {name.removeprefix("points of "): rows for name, rows in found.items() if name.startswith("points of ")}
    cell_regions = {}
    for name, some in found.items():
        if name.startswith("cells of "):
            lists = {kind: np.flatnonzero(np.isin(rows, some)) for kind, rows in places.items()}
            cell_regions[name.removeprefix("cells of ")] = {kind: rows for kind, rows in lists.items() if len(rows)}
    return found["points"], cells, regions, cell_regions


def _upright(points, rows):
    """Wedges whose volume is negative, turned over."""
    a, b, c, d = np.moveaxis(points[rows[:, KINDS["wedge"].tetrahedra]], 2, 0)
    volume = np.einsum("wti,wti->w", np.cross(b - a, c - a), d - a)
    return np.where((volume < 0.0)[:, None], rows[:, SWAP], rows)


def _cells(types, counts, corners):
    """{kind: rows} and {kind: place of each row among the cells of the file}."""
    start = np.cumsum(counts) - counts
    cells, places = {}, {}
    for code in np.unique(types).tolist():
        some = np.flatnonzero(types == code)
        if code in POINTS:
            continue
        if code == POLYGON:
            flat = corners[np.repeat(types == POLYGON, counts)]
            for kind, rows in polygons(flat, counts[some]).items():
                cells.setdefault(kind, []).append(rows)
                size = KINDS[kind].corners
                own = some[counts[some] == size] if kind == "quad" else np.repeat(*_fans(some, counts[some]))
                places.setdefault(kind, []).append(own)
            continue
        if code not in ORDER:
            fail(f"it has cells of VTK type {code}, which is of second order or not known", "give cells of first order")
        kind, order = ORDER[code]
        if (other := counts[some] != len(order)).any():
            fail(f"a {kind} has {counts[some][other][0]} corners", f"it should have {len(order)}: save the file anew")
        cells.setdefault(kind, []).append(corners[start[some][:, None] + np.array(order)])
        places.setdefault(kind, []).append(some)
    return ({kind: np.concatenate(rows) for kind, rows in cells.items()},
            {kind: np.concatenate(rows) for kind, rows in places.items()})


def _fans(some, counts):
    """Polygons that became triangles, in the order of `polygons`, and how many each."""
    order = np.argsort(counts, kind="stable")
    order = order[counts[order] != 4]
    return some[order], counts[order] - 2


def _grid(mesh):
    from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkUnstructuredGrid

    if not mesh.cells:
        fail("the mesh has no cells", "give it some")
    rows = {kind: rows[:, SWAP] if kind == "wedge" and _is_old() else rows for kind, rows in mesh.cells.items()}
    counts = np.concatenate([np.full(len(some), some.shape[1]) for some in rows.values()])
    types = np.concatenate([np.full(len(some), CODE[kind], np.uint8) for kind, some in rows.items()])
    cells = vtkCellArray()
    cells.SetData(numpy_to_vtkIdTypeArray(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), deep=True),
                  numpy_to_vtkIdTypeArray(np.concatenate([some.ravel() for some in rows.values()]).astype(np.int64), deep=True))
    points, grid = vtkPoints(), vtkUnstructuredGrid()
    points.SetData(numpy_to_vtk(mesh.points, deep=True))
    grid.SetPoints(points)
    grid.SetCells(numpy_to_vtk(types, deep=True), cells)
    bad = next((name for name in (*mesh.regions, *mesh.cell_regions) if set(name) & UNWRITTEN or not 0 < len(name) <= LONGEST),
               None)
    if bad is not None:
        fail(f"a region is named {bad!r:.80}",
             f"VTK takes names of 1 to {LONGEST} letters without quotation marks, <, >, & and line breaks")
    start = dict(zip(rows, np.cumsum([0, *map(len, rows.values())])[:-1].tolist(), strict=True))
    for name, some in mesh.regions.items():
        grid.GetPointData().AddArray(_mask(name, len(mesh.points), [some]))
    for name, by_kind in mesh.cell_regions.items():
        grid.GetCellData().AddArray(_mask(name, len(types), [some + start[kind] for kind, some in by_kind.items()]))
    return grid


def _is_old():
    """Whether the VTK that is installed has wedges whose first facet is 0 1 2 from outside, not 0 2 1."""
    from vtkmodules.vtkCommonDataModel import vtkWedge

    wedge = vtkWedge()
    for i in range(6):
        wedge.GetPointIds().SetId(i, i)
    return wedge.GetFace(0).GetPointId(1) == 1


def _mask(name, count, lists):
    from vtkmodules.util.numpy_support import numpy_to_vtk

    mask = np.zeros(count, np.uint8)
    for rows in lists:
        mask[rows] = 1
    array = numpy_to_vtk(mask, deep=True)
    array.SetName(REGION + name)
    return array


def write_legacy(mesh, binary):
    from vtkmodules.vtkIOLegacy import vtkUnstructuredGridWriter

    writer = vtkUnstructuredGridWriter()
    writer.SetInputData(_grid(mesh))
    writer.SetHeader("robotphi")
    (writer.SetFileTypeToBinary if binary else writer.SetFileTypeToASCII)()
    with tempfile.TemporaryDirectory() as folder:  # as a string, VTK gives text only
        path = Path(folder) / "mesh.vtk"
        writer.SetFileName(str(path))
        writer.Write()
        return path.read_bytes()


def write_xml(mesh, binary):
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridWriter

    writer = vtkXMLUnstructuredGridWriter()
    writer.SetInputData(_grid(mesh))
    (writer.SetDataModeToBinary if binary else writer.SetDataModeToAscii)()
    writer.WriteToOutputStringOn()
    writer.Write()
    return writer.GetOutputString().encode()
