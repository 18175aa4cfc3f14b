"""STL: triangles that share no points, as text or as bytes (float32)."""
import re

import numpy as np

from robotphi.geometry.files.raw import fail, numbers, surface
from robotphi.geometry.mesh import split_quads

HEADER = 84  # bytes: 80 free ones and the count
FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
WORDS = (b"end|", b"|", b"endfacet", b"facet", b"normal", b"outer", b"endloop", b"loop", b"vertex")


def read(data, format):
    count = int.from_bytes(data[80:HEADER], "little")
    needed = HEADER + count * FACET.itemsize
    if len(data) >= HEADER and len(data) == needed:
        corners = np.frombuffer(data, FACET, offset=HEADER)["corners"].reshape(-1, 3).astype(np.float64)
    elif data.lstrip()[:5].lower() == b"solid" and b"\0" not in data:
        corners = _text(data)
    else:
        fail(f"its head counts {count} facets, which need {needed} bytes, and the file has {len(data)}",
             "it was cut short, or is no STL file: save it anew")
    return corners, {"triangle": np.arange(len(corners)).reshape(-1, 3)}, {}, {}


def _text(data):
    """Corners of a text, from which all words but numbers are taken out first: quicker than looking at its lines."""
    data = re.sub(rb"solid[^\n]*", b"|", data.lower().replace(b"\r", b"\n"))  # names of solids may be anything
    facets, ends = data.count(b"endfacet"), data.count(b"end|")
    for word in WORDS:
        data = data.replace(word, b" ")
    found = data.split()
    if not ends or len(found) != 12 * facets:  # normal and three corners
        fail(f"it holds {len(found)} numbers for {facets} whole facets, {12 * facets} are needed, and "
             f"{'an' if ends else 'no'} endsolid", "it was cut short: save it anew")
    return np.stack([numbers(found[i::12], "a line of a corner") for i in range(3, 12)], axis=1).reshape(-1, 3)


def write(mesh, binary):
    cells = surface(mesh)
    triangles = np.concatenate([cells.get("triangle", np.empty((0, 3), np.int32)),
                                split_quads(cells.get("quad", np.empty((0, 4), np.int32)))])
    corners = mesh.points[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = normal / np.where(size > 0.0, size, 1.0)
    if not binary:
        rows = np.concatenate([normal[:, None], corners], axis=1).reshape(-1, 12)
        vertex = "vertex %.17g %.17g %.17g\n"
        line = f"facet normal %.17g %.17g %.17g\nouter loop\n{vertex * 3}endloop\nendfacet\n"
        return b"solid robotphi\n" + ((line * len(rows)) % tuple(rows.reshape(-1).tolist())).encode() + b"endsolid robotphi\n"
    if len(corners) and np.abs(corners).max() > np.finfo(np.float32).max:
        fail("a coordinate is too large for float32", "write STL as text with binary=False")
    facets = np.zeros(len(corners), FACET)
    facets["normal"], facets["corners"] = normal, corners
    return b"robotphi".ljust(80) + len(facets).to_bytes(4, "little") + facets.tobytes()
