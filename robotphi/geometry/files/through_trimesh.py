"""Formats that trimesh reads and we do not: COLLADA, binary glTF, OFF. Their parts become one surface."""
import io

import numpy as np

from robotphi.geometry.files.raw import fail

FORMATS = ("dae", "glb", "off")


def read(data, format):
    try:
        import trimesh
    except ImportError:
        fail(f"{format} files are read by trimesh, which is not installed", "pip install robotphi[mesh]")
    if format == "dae" and (b"\0" in data or b"<!" in data.replace(b"<!--", b"").replace(b"<![CDATA[", b"")):
        fail("it has a DOCTYPE, or is not in UTF-8", "save it in UTF-8 without a DOCTYPE, as COLLADA files are")
    try:
        # Bytes, and no resolver: no other file is opened.
        mesh = trimesh.load_scene(io.BytesIO(data), file_type=format, skip_materials=True).to_mesh()
    except Exception as error:  # a library fails in its own ways
        fail(f"it is not a whole {format} file ({type(error).__name__}: {error})", "save it anew, or as STL, OBJ or PLY")
    return np.asarray(mesh.vertices, np.float64), {"triangle": np.asarray(mesh.faces, np.int64)}, {}, {}
