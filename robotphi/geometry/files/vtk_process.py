"""The part of reading VTK files that runs in a process of its own: VTK in, plain arrays out on standard output.

It knows nothing of ours, so that it starts quickly. Arguments: format, path, most memory [bytes].
"""
import io
import sys

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkOutputWindow, vtkStringOutputWindow

REGION = "region:"


def grid_of(format, path):
    """What the reader of a format makes of a file; ends the process where it has something to say."""
    if format == "vtu":
        from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader as Reader
    elif format == "POLYDATA":
        from vtkmodules.vtkIOLegacy import vtkPolyDataReader as Reader
    else:
        from vtkmodules.vtkIOLegacy import vtkUnstructuredGridReader as Reader
    listener = vtkStringOutputWindow()
    vtkOutputWindow.SetInstance(listener)
    reader = Reader()
    reader.SetFileName(path)
    if format != "vtu":
        reader.ReadAllFieldsOn()
    reader.Update()
    if listener.GetOutput().strip():
        lines = [line for line in listener.GetOutput().splitlines() if line.strip()]
        sys.exit("VTK says: " + lines[-1].rpartition("): ")[2])
    grid = reader.GetOutput()
    if grid is None or not grid.GetNumberOfPoints() or not grid.GetNumberOfCells():
        sys.exit("it holds no points or no cells")
    return grid


def arrays(cells):
    """Corners of each cell, and all corners in a row."""
    if not cells.GetNumberOfCells():
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return (np.diff(vtk_to_numpy(cells.GetOffsetsArray()).astype(np.int64)),
            vtk_to_numpy(cells.GetConnectivityArray()).astype(np.int64))


def contents(grid):
    """Points, types of the cells (those of polygons by the kind of their list), counts, corners, regions."""
    found = {"points": vtk_to_numpy(grid.GetPoints().GetData()).astype(np.float64)}
    if grid.IsA("vtkPolyData"):
        if grid.GetNumberOfStrips():
            sys.exit("it has strips of triangles")
        lists = [(1, arrays(grid.GetVerts())), (3, arrays(grid.GetLines())), (7, arrays(grid.GetPolys()))]
        found["types"] = np.concatenate([np.full(len(counts), code) for code, (counts, _) in lists])
        found["counts"], found["corners"] = (np.concatenate([both[i] for _, both in lists]) for i in (0, 1))
    else:
        types = grid.GetCellTypesArray() if hasattr(grid, "GetCellTypesArray") else grid.GetCellTypes()  # old and new VTK
        found["types"] = vtk_to_numpy(types).astype(np.int64)
        found["counts"], found["corners"] = arrays(grid.GetCells())
    for of, data in (("points of ", grid.GetPointData()), ("cells of ", grid.GetCellData())):
        for i in range(data.GetNumberOfArrays()):
            name = data.GetArrayName(i) or ""
            if name.startswith(REGION) and data.GetArray(i) is not None:
                found[of + name.removeprefix(REGION)] = np.flatnonzero(vtk_to_numpy(data.GetArray(i)))
    return found


def main(format, path, memory):
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    except (ImportError, ValueError, OSError):  # elsewhere than on Unix
        pass
    stream = io.BytesIO()
    found = contents(grid_of(format, path))
    np.savez(stream, names=np.array(list(found)), **{str(i): array for i, array in enumerate(found.values())})
    sys.stdout.buffer.write(stream.getvalue())


if __name__ == "__main__":
    main(*sys.argv[1:])
