"""Sweep: sections of equal cells in, wedges and hexahedra between them out; straight, or along a path (bars, cables)."""
import numpy as np

from robotphi.discretise.cells.facets import Patch, facet_patch, front_count
from robotphi.discretise.cells.quality import refuse_folded
from robotphi.discretise.cells.sizes import fractions, mix, refuse_many
from robotphi.geometry.mesh import Mesh
from robotphi.scene.checks import floats, refuse, whole

HALF_TURN = 1e-9     # radians short of π: past it the way round is not defined


def swept_mesh(first, last, counts, grading=None, where="sweep"):
    """Mesh between two polygons of as many corners: both are discretised alike and lines join corresponding points.

    Args:
        first, last: corners [m], (m, 3), corresponding ones in the same order; seen from `first`, `last` lies ahead and
            the corners turn by the right hand.
        counts: cells per edge of the polygons and along the lines, one number or both.
        grading: of the lines, or {"along": …, "edges": …, "rings": …}.
    """
    first, last = floats(where, "first", first), floats(where, "last", last)
    if first.shape != last.shape or first.ndim != 2 or first.shape[1:] != (3,) or len(first) < 3:
        refuse(where, f"the polygons have shapes {first.shape} and {last.shape}",
               "give as many corners of both, in rows of three")
    around, along = (counts, counts) if np.ndim(counts) == 0 else counts
    grading = grading if isinstance(grading, dict) else {"along": grading}
    sides = [fractions(around, grading.get("edges"), f"{where}, edges")] * len(first)
    lines = fractions(along, grading.get("along"), f"{where}, along")
    patches = paired_patches(first, last, sides, sides, grading.get("rings"))
    mesh = stacked(between(*(patch.points for patch in patches), lines), patches[0])
    return refuse_folded(where, mesh, "give corners that turn by the right hand towards the other polygon")


def path_mesh(profile, path, counts=1, start=(0.0, 0.0, 1.0), frames=None, where="sweep"):
    """Mesh of a polygon carried along a path, as of a cable: one section at every point of the path.

    Args:
        profile: corners in the plane of the section [m], (m, 2), counter-clockwise about the path's direction.
        path: [m], (s, 3).
        counts: cells per edge of the profile.
        start: the profile's second axis at the start, made normal to the path.
        frames: (s, 3, 3) instead: columns are the profile's axes and the direction of the path.
    """
    profile, path = floats(where, "profile", profile), floats(where, "path", path)
    if profile.ndim != 2 or profile.shape[1] != 2 or path.ndim != 2 or path.shape[1] != 3 or len(path) < 2:
        refuse(where, f"profile and path have shapes {profile.shape} and {path.shape}", "give rows of two and of three numbers")
    flat = np.concatenate([profile, np.zeros((len(profile), 1))], axis=1)
    patch = facet_patch(flat, [fractions(whole(where, "counts", counts))] * len(profile))
    frames = carried_frames(path, start, where) if frames is None else floats(where, "frames", frames)
    refuse_many(where, float(len(path)) * len(patch.points))
    sections = path[:, None] + np.einsum("sij,pj->spi", frames, patch.points)
    return refuse_folded(where, stacked(sections, patch), "bend the path less, or make the profile smaller or the path finer")


def sweep_loops(polyhedron):
    """(2, m) vertices of the two facets that a polyhedron is swept between, corresponding ones in columns; or None.

    It has m + 2 facets, of which m are quadrilaterals that join the two others. The first loop turns towards the second.
    """
    count = len(polyhedron.facets) - 2
    ends = [index for index, loop in enumerate(polyhedron.facets) if len(loop) == count]
    if count == 4 or len(ends) != 2 or any(len(loop) != 4 for loop in polyhedron.facets if len(loop) != count):
        return None
    first = polyhedron.facets[ends[0]][::-1].tolist()
    last = set(polyhedron.facets[ends[1]].tolist())
    above = [[int(v) for v in polyhedron.vertex_neighbours[corner] if v in last] for corner in first]
    if last & set(first) or any(len(found) != 1 for found in above):
        return None
    return np.array([first, [found[0] for found in above]])


def carried_frames(path, start, where="sweep"):
    """(s, 3, 3) frames along a path that turn no more than it does: each is the one before, turned the shortest way."""
    legs = np.diff(path, axis=0)
    lengths = np.linalg.norm(legs, axis=1)
    if (lengths == 0).any():
        refuse(where, "two points of the path are the same", "leave one out", int(np.argmin(lengths)))
    legs = legs / lengths[:, None]
    ways = np.concatenate([legs[:1], legs[:-1] + legs[1:], legs[-1:]])
    norms = np.linalg.norm(ways, axis=1)
    if (norms <= HALF_TURN).any():
        refuse(where, "the path turns back on itself", "give points that go round the bend", int(np.argmin(norms)))
    ways /= norms[:, None]
    second = floats(where, "start", start) - ways[0] * np.dot(ways[0], start)
    if np.linalg.norm(second) <= HALF_TURN:   # along the path: any other axis will do
        second = np.eye(3)[np.argmin(np.abs(ways[0]))]
        second = second - ways[0] * (ways[0] @ second)
    frames = []
    second = second / np.linalg.norm(second)
    for before, way in zip(np.concatenate([ways[:1], ways]), ways, strict=False):
        axis, cosine = np.cross(before, way), before @ way
        second = second * cosine + np.cross(axis, second) + axis * (axis @ second) / (1 + cosine)
        second -= way * (way @ second)
        second /= np.linalg.norm(second)
        frames.append(np.stack([np.cross(second, way), second, way], axis=1))
    return np.array(frames)


def paired_patches(first, last, first_sides, last_sides, ring_grading=None):
    """Patches of two corresponding polygons with the same cells."""
    patch = facet_patch(first, first_sides, ring_grading=ring_grading)
    other = facet_patch(last, last_sides, ring_grading=ring_grading)
    if len(other.points) != len(patch.points) or not np.array_equal(other.triangles, patch.triangles):
        rings = front_count(first, [len(side) - 1 for side in first_sides])
        patch, other = (facet_patch(corners, sides, rings, ring_grading)
                        for corners, sides in ((first, first_sides), (last, last_sides)))
    return patch, other


def between(first, last, lines):
    """(s, p, 3) sections between two: P_i = P_1 + f_i (P_2 − P_1)."""
    refuse_many("sweep", float(len(lines)) * len(first))
    lines = np.asarray(lines)[:, None, None]
    return mix(first, last, lines)


def stacked(sections, patch: Patch):
    """Wedges over the triangles and hexahedra over the quads of a patch, between each section and the next.

    The points of section s are rows s p … (s + 1) p − 1; regions "first", "last" and "contour".
    """
    count, width = sections.shape[:2]
    steps = (np.arange(count - 1, dtype=np.int32) * np.int32(width))[:, None, None]
    cells = {kind: np.concatenate([rows + steps, rows + steps + np.int32(width)], axis=2).reshape(-1, 2 * rows.shape[1])
             for kind, rows in (("wedge", patch.triangles), ("hexahedron", patch.quads))}
    rows = np.arange(width, dtype=np.int32)
    contour = (np.arange(count, dtype=np.int32)[:, None] * np.int32(width) + rows[:patch.contour]).reshape(-1)
    last = rows + np.int32((count - 1) * width)
    return Mesh(sections.reshape(-1, 3), cells, {"first": rows, "last": last, "contour": contour})
