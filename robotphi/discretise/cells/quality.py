"""Quality: volumes, corner determinants and angles of the cells of a mesh, and whether it is conforming."""
import numpy as np

from robotphi.geometry.cells import KINDS, UNIT, VOLUME_KINDS
from robotphi.geometry.mesh import Mesh
from robotphi.scene.checks import refuse

CHUNK = 1 << 16    # cells looked at together: bounds the memory of checks


def _corner_tetrahedra(kind):
    """(k, 4) at each corner with three edges: the corner and its neighbours, in positive order."""
    place, rows = UNIT[kind], []
    for corner in range(KINDS[kind].corners):
        ends = [int(pair.sum()) - corner for pair in KINDS[kind].edges if corner in pair]
        if len(ends) == 3:
            positive = np.linalg.det(place[ends] - place[corner]) > 0
            rows.append([corner, *(ends if positive else ends[::-1])])
    return np.array(rows, np.int32)


CORNERS = {kind: _corner_tetrahedra(kind) for kind in VOLUME_KINDS}


def corner_volumes(mesh):
    """{kind: (c, k)} m³: determinant of the three edges at each corner; positive where a cell is not folded there."""
    return {kind: _over(mesh, kind, lambda points, kind=kind: _determinants(points, CORNERS[kind])) for kind in VOLUME_KINDS
            if kind in mesh.cells}


def cell_volumes(mesh):
    """{kind: (c,)} m³: volume of each cell, quadrilateral faces being bilinear, so that neighbours share every face."""
    return {kind: _over(mesh, kind, lambda points, kind=kind: _volumes(points, KINDS[kind].faces)) for kind in VOLUME_KINDS
            if kind in mesh.cells}


def volume(mesh):
    """m³ of all cells."""
    return float(sum(each.sum() for each in cell_volumes(mesh).values()))


def refuse_folded(where, mesh, remedy):
    """Raise unless every cell has positive determinants at all its corners; gives the mesh back."""
    for kind, corners in corner_volumes(mesh).items():
        bad = np.flatnonzero(~(corners > 0).all(axis=1))
        if len(bad):
            place = mesh.points[mesh.cells[kind][bad[0]]].mean(axis=0)
            refuse(where, f"{len(bad)} cells of kind {kind} would be folded or flat, the first at "
                   f"{np.round(place, 9).tolist()}", remedy, int(bad[0]))
    return mesh


def dihedral_angles(mesh):
    """(t, 6) degrees: angles between the faces of every tetrahedron of the mesh, one per edge."""
    points = mesh.points[mesh.cells["tetrahedron"]]
    normals = []
    for face in KINDS["tetrahedron"].faces:
        a, b, c = (points[:, corner] for corner in face)
        normal = np.cross(b - a, c - a)
        normals.append(normal / np.linalg.norm(normal, axis=1)[:, None])
    pairs = [(i, j) for i in range(4) for j in range(i)]
    cosines = np.stack([-(normals[i] * normals[j]).sum(axis=1) for i, j in pairs], axis=1)
    return np.degrees(np.arccos(np.clip(cosines, -1, 1)))


def conformity(mesh):
    """List of what is wrong with the way the cells meet, in words; empty when nothing is.

    Every inner face belongs to exactly two cells, once from either side; no quadrilateral meets triangles that are halves of
    it; the boundary is closed; every point belongs to a cell; no two points are in one place.
    """
    problems = []
    used = np.zeros(len(mesh.points), bool)
    for rows in mesh.cells.values():
        used[rows] = True
    if not used.all():
        problems.append(f"{np.count_nonzero(~used)} points belong to no cell")
    for size in (3, 4):
        rows = [mesh.cells[kind][:, face] for kind in VOLUME_KINDS if kind in mesh.cells
                for face in KINDS[kind].faces if len(face) == size]
        if rows:
            problems += _face_problems(np.concatenate(rows), size)
    edges = mesh.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2).astype(np.int64)
    key, back = (edges @ [len(mesh.points), 1]), (edges @ [1, len(mesh.points)])
    if not np.array_equal(np.sort(key), np.sort(back)):
        problems.append("the boundary is not closed")
    problems += _half_faces(mesh)
    doubled = doubled_points(mesh.points)
    if len(doubled):
        problems.append(f"{len(doubled)} points stand where another one stands")
    return problems


def doubled_points(points, tolerance=1e-9):
    """(k, 2) pairs of points nearer than `tolerance` × the size of the box around all."""
    from scipy.spatial import cKDTree
    if not len(points):
        return np.empty((0, 2), np.int64)
    reach = tolerance * float(np.ptp(points, axis=0).max())
    return cKDTree(points).query_pairs(reach, output_type="ndarray")


def euler_characteristic(mesh):
    """(surface, solid): points − edges + faces of the boundary; points − edges + faces − cells of all."""
    faces = sum(len(rows) for rows, _ in mesh.faces.values())
    solid = len(mesh.points) - len(mesh.edges) + faces - sum(len(mesh.cells.get(kind, ())) for kind in VOLUME_KINDS)
    shell = Mesh(mesh.points, dict(mesh.boundary))
    corners = np.unique(np.concatenate([rows.reshape(-1) for rows in shell.cells.values()]))
    return len(corners) - len(shell.edges) + sum(map(len, shell.cells.values())), solid


def _face_problems(rows, size):
    """Faces as all cells give them, outward: each pair must be the same points in opposite order."""
    start = np.argmin(rows, axis=1)[:, None]
    forth = np.take_along_axis(rows, (start + np.arange(size)) % size, axis=1)
    back = np.take_along_axis(rows, (start - np.arange(size)) % size, axis=1)
    _, number = np.unique(np.concatenate((forth, back)), axis=0, return_inverse=True)
    number = number.reshape(-1)
    times = np.bincount(number[:len(rows)], minlength=number.max() + 1)
    problems = []
    if (times > 1).any():
        problems.append(f"{np.count_nonzero(times > 1)} faces of {size} points belong to two cells on the same side")
    return problems


def _half_faces(mesh):
    """Quadrilaterals of the boundary against which triangles of the boundary lie."""
    triangles, quads = (mesh.boundary.get(kind, np.empty((0, size), np.int32)) for kind, size in (("triangle", 3), ("quad", 4)))
    if not len(triangles) or not len(quads):
        return []
    halves = np.sort(quads[:, [[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1]]].reshape(-1, 3), axis=1)
    _, number = np.unique(np.concatenate((np.sort(triangles, axis=1), halves)), axis=0, return_inverse=True)
    number = number.reshape(-1)
    found = np.count_nonzero(np.isin(number[:len(triangles)], number[len(triangles):]))
    return [f"{found} triangles lie against halves of quadrilaterals"] if found else []


def _over(mesh, kind, measure):
    rows = mesh.cells[kind]
    parts = [measure(mesh.points[rows[start:start + CHUNK]]) for start in range(0, len(rows), CHUNK)]
    return np.concatenate(parts)


def _determinants(points, tetrahedra):
    a, b, c, d = (points[:, tetrahedra[:, i]] for i in range(4))
    return _triple(b - a, c - a, d - a)


def _volumes(points, faces):
    """Flux of x/3 through the faces; through a bilinear one it is the mean of its two ways of being cut in triangles."""
    points = points - points[:, :1]
    total = 0
    for face in faces:
        cuts = [face] if len(face) == 3 else [(face[0], face[1], face[2]), (face[0], face[2], face[3]),
                                              (face[0], face[1], face[3]), (face[1], face[2], face[3])]
        weight = 1 / 6 if len(face) == 3 else 1 / 12
        for a, b, c in cuts:
            total = total + weight * _triple(points[:, a], points[:, b], points[:, c])
    return total


def _triple(a, b, c):
    """a · (b × c) of rows of vectors."""
    a, b, c = (np.moveaxis(arm, -1, 0) for arm in (a, b, c))
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
