"""Mesh files: read into a `Mesh`, written from one.

| format | holds | numbers |
|---|---|---|
| stl | triangles, no shared points | binary: float32; text: exact |
| obj, ply | triangles, quads | exact |
| vtk, vtu | all kinds of cells, regions | exact, but for vtk as text: 11 digits |
| msh (gmsh 4.1), msh2 (gmsh 2.2) | all kinds of cells, regions as physical groups | exact |
| dae, glb, off | read only, through trimesh (extra `mesh`) | as the file has them |
"""
from pathlib import Path

import numpy as np

from robotphi.errors import MeshError, SceneError
from robotphi.geometry.files import gmsh_read, gmsh_write, obj, ply, stl, through_trimesh, vtk
from robotphi.geometry.files.raw import finish
from robotphi.geometry.mesh import Mesh
from robotphi.scene.checks import number, word

READERS = {"stl": stl.read, "obj": obj.read, "ply": ply.read, "vtk": vtk.read_legacy, "vtu": vtk.read_xml,
           "msh": gmsh_read.read, "msh2": gmsh_read.read} | dict.fromkeys(through_trimesh.FORMATS, through_trimesh.read)
WRITERS = {"stl": stl.write, "obj": obj.write, "ply": ply.write, "vtk": vtk.write_legacy, "vtu": vtk.write_xml,
           "msh": gmsh_write.write, "msh2": gmsh_write.write_old}


def read_mesh(path, format=None, tolerance=None):
    """Read a mesh file; points that no cell and no region uses are left out.

    Args:
        path: of the file.
        format: one of the words above; from the ending of the path unless told.
        tolerance: distance [m] within which points become one. Points of STL files, which share none, become one where they
            are equal to the bit; those of other files are kept apart unless told.

    Raises:
        MeshError: nothing there, another format, cut short, numbers that are not finite, cells that cannot be used.
    """
    path = Path(path)
    format = _format(path, format, READERS)
    data = _bytes(path)
    try:
        if tolerance is not None:
            tolerance = number("reading", "tolerance", tolerance, low=0.0)
        with np.errstate(all="ignore"):  # numbers of damaged files; what is not finite is refused below
            points, cells, regions, cell_regions = READERS[format](data, format)
        return finish(points, cells, regions, cell_regions, 0.0 if tolerance is None and format == "stl" else tolerance)
    except (MeshError, SceneError) as error:
        raise MeshError(f"{path}: {error}") from None
    except (ValueError, IndexError, KeyError, OverflowError, MemoryError, TypeError) as error:
        raise MeshError(f"{path}: it is not a whole {format} file ({error}); save it anew, or name its format") from error


def write_mesh(path, mesh, format=None, binary=True):
    """Write a mesh file; STL, OBJ and PLY hold the surface only (of a solid its boundary) and no regions.

    Args:
        path: of the file, replaced if there is one.
        mesh: the Mesh.
        format: one of the words above; from the ending of the path unless told.
        binary: whether numbers are written as bytes, where the format can; as text otherwise.
    """
    path = Path(path)
    format = _format(path, format, WRITERS)
    if not isinstance(mesh, Mesh):
        raise MeshError(f"{path}: {mesh!r:.60} is no Mesh; give what discretise(...) returned, or shape.as_mesh()")
    try:
        data = WRITERS[format](mesh, bool(binary))
        path.write_bytes(data)
    except MeshError as error:
        raise MeshError(f"{path}: {error}") from None
    except OSError as error:
        reason = error.strerror or error
        raise MeshError(f"{path}: it cannot be written ({reason}); give a path in a folder that exists") from None


def _format(path, format, known):
    if format is None:
        format = path.suffix.lower().removeprefix(".")
        if format not in known:
            raise MeshError(f"{path}: its ending names no known format; end it by one of {', '.join(known)}, or give format=")
    try:
        return word(str(path), "format", format, tuple(known))
    except SceneError as error:
        raise MeshError(str(error)) from None


def _bytes(path):
    try:
        if path.exists() and not path.is_file() and not path.is_dir():  # a device or a pipe may have no end
            raise MeshError(f"{path}: it is a device or a pipe, not a file; save the mesh to a file first")
        data = path.read_bytes()
    except FileNotFoundError:
        raise MeshError(f"{path}: there is no such file; the folder is {path.resolve().parent}") from None
    except IsADirectoryError:
        raise MeshError(f"{path}: it is a folder; give a file in it") from None
    except (OSError, ValueError, MemoryError) as error:
        raise MeshError(f"{path}: it cannot be read ({str(error) or 'larger than the memory'}); give a file that can") from None
    if not data.strip():
        raise MeshError(f"{path}: the file is empty; save the mesh anew")
    return data
