"""OBJ: points and polygons as text; texture, normals, groups and materials are passed over, and no other file is opened."""
import re

import numpy as np

from robotphi.geometry.files.raw import fail, numbers, polygons, surface, text, whole

POINT = re.compile(rb"^[ \t]*v[ \t]+([^\n#]*)", re.MULTILINE)
FACET = re.compile(rb"^[ \t]*f[ \t]+([^\n#]*)", re.MULTILINE)


def read(data, format):
    if b"\0" in data:
        fail("it has bytes that are no text", "OBJ files are text: name the format it has")
    data = data.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = [match.group(1).split() for match in POINT.finditer(data)]
    facets = [(match.start(), re.sub(rb"/\S*", b"", match.group(1)).split()) for match in FACET.finditer(data)]
    if not lines or not facets:
        fail(f"it has {len(lines)} lines of points (v) and {len(facets)} of facets (f)", "give an OBJ file with both")
    if min(map(len, lines)) < 3:
        fail("a point has fewer than three coordinates", "save the file anew")
    points = numbers([word for line in lines for word in line[:3]], "a line of a point").reshape(-1, 3)
    counts = np.array([len(line) for _, line in facets])
    corners = whole(numbers([word for _, line in facets for word in line], "a line of a facet"), "a line of a facet")
    if (corners == 0).any():
        fail("a facet names point 0", "OBJ counts points from 1")
    if (corners < 0).any():  # counted back from the last point given so far
        before = np.searchsorted([match.start() for match in POINT.finditer(data)], [start for start, _ in facets])
        corners = np.where(corners < 0, corners + np.repeat(before, counts), corners - 1)
    else:
        corners = corners - 1
    return points, polygons(corners, counts), {}, {}


def write(mesh, binary):
    cells = surface(mesh)
    lines = [b"# robotphi\n", _lines(b"v", text(mesh.points))]
    lines += [_lines(b"f", text(rows + 1, "%d")) for rows in cells.values()]
    return b"".join(lines)


def _lines(word, block):
    return b"".join(word + b" " + line + b"\n" for line in block.splitlines())
