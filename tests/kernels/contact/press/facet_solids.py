"""Solids for the tests of pressure: triangles, parts of any number of meshes, exact volumes, gradients by differences."""
import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection
from scipy.spatial.transform import Rotation

from robotphi.kernels.contact import columns
from robotphi.kernels.contact.columns import NoOutlines
from robotphi.model.arrays import Parts

ZERO = (0.0, 0.0, 0.0)


def box(size=(1.0, 1.0, 1.0), cells=1):
    """Corners and outward triangles of a box around the origin, each side a grid of cells × cells quadrangles."""
    corner, facet, number = [], [], {}

    def place(p):
        key = tuple(int(k) for k in p)
        if key not in number:
            number[key] = len(corner)
            corner.append([(key[axis] / cells - 0.5) * size[axis] for axis in range(3)])
        return number[key]

    for axis in range(3):
        s, t = (axis + 1) % 3, (axis + 2) % 3
        for end in (0, cells):
            for i in range(cells):
                for j in range(cells):
                    quad = np.zeros((4, 3), int)
                    quad[:, axis] = end
                    quad[:, s] = (i, i + 1, i + 1, i)
                    quad[:, t] = (j, j, j + 1, j + 1)
                    a, b, c, d = (place(p) for p in (quad if end else quad[::-1]))
                    facet += [(a, b, c), (a, c, d)]
    return np.array(corner), np.array(facet)


def tetrahedron():
    corner = np.array([(1, 1, 1), (-1, -1, 1), (-1, 1, -1), (1, -1, -1)]) / 2.0
    return corner, np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])


def hull(points):
    """Convex hull with triangles turned outward."""
    found = ConvexHull(points)
    facet = found.simplices.copy()
    for k, (a, b, c) in enumerate(facet):
        if np.cross(points[b] - points[a], points[c] - points[a]) @ found.equations[k, :3] < 0.0:
            facet[k] = (a, c, b)
    return points, facet


def icosphere(level=1, radius=0.5):
    g = (1 + 5 ** 0.5) / 2
    points = np.array([(0, i, j * g) for i in (-1, 1) for j in (-1, 1)])
    points = np.vstack([np.roll(points, k, axis=1) for k in range(3)]) / np.hypot(1, g)
    points, facet = hull(points)
    for _ in range(level):
        middle, rows, new = {}, list(points), []
        for a, b, c in facet:
            m = []
            for p, q in ((a, b), (b, c), (c, a)):
                key = (min(p, q), max(p, q))
                if key not in middle:
                    middle[key] = len(rows)
                    rows.append((rows[p] + rows[q]) / np.linalg.norm(rows[p] + rows[q]))
                m.append(middle[key])
            new += [(a, m[0], m[2]), (b, m[1], m[0]), (c, m[2], m[1]), tuple(m)]
        points, facet = np.array(rows), np.array(new)
    return points * radius, facet


def moved(solid, generator=None, shift=(0, 0, 0), warp=0.0):
    """The solid turned at random, its corners displaced by up to `warp`, then shifted."""
    points, facet = solid
    if generator is not None:
        points = Rotation.random(random_state=generator).apply(points)
        points = points + warp * generator.uniform(-1, 1, points.shape)
    return points + np.asarray(shift, float), facet


def parts_of(*solids):
    """`Parts` of polyhedra one after the other, and their positions (rows, 4)."""
    rows = np.cumsum([0] + [len(points) for points, _ in solids])
    facets = np.cumsum([0] + [len(facet) for _, facet in solids])
    p, v = len(solids), rows[-1]
    facet = np.concatenate([f + first for (_, f), first in zip(solids, rows, strict=False)]).astype(np.int32)
    i32 = np.int32
    parts = Parts(kind=np.zeros(p, i32), owner=np.arange(p, dtype=i32), rigid=np.full(p, -1, i32), material=np.zeros(p, i32),
                  size=np.ones((p, 4)), vertex_start=rows.astype(i32), vertex=np.arange(v, dtype=i32), vertex_area=np.ones(v),
                  neighbour_start=np.zeros(v + 1, i32), neighbour=np.zeros(0, i32), facet_start=facets.astype(i32),
                  facet=facet, facet_vertex=facet.copy(), plane=np.zeros((p, 6)), field=np.full(p, -1, i32),
                  self_touch=np.zeros(p, i32), outline=NoOutlines(np.zeros((0, 2))))
    x = np.zeros((v, 4))
    x[:, :3] = np.concatenate([points for points, _ in solids])
    return parts, x


def overlap(first, second):
    """Volume and centroid of the overlap of two convex hulls; zeros where there is none."""
    equations = np.vstack([ConvexHull(first).equations, ConvexHull(second).equations])
    from scipy.optimize import linprog
    norms = np.linalg.norm(equations[:, :3], axis=1)
    inside = linprog((0, 0, 0, -1), np.column_stack([equations[:, :3], norms]), -equations[:, 3], bounds=[(None, None)] * 4)
    if inside.status != 0 or inside.x[3] < 1e-9:
        return 0.0, np.zeros(3)
    return volume_of(HalfspaceIntersection(equations, inside.x[:3]).intersections)


def volume_of(points):
    """Volume and centroid of the hull of points."""
    found = ConvexHull(points)
    middle = points.mean(axis=0)
    volume, first = 0.0, np.zeros(3)
    for a, b, c in points[found.simplices] - middle:
        part = abs(np.dot(a, np.cross(b, c))) / 6
        volume += part
        first += part * (a + b + c) / 4
    return volume, middle + first / volume


def gradient(energy, x, rows, h):
    """−∂U/∂x by central differences for the given rows."""
    out = np.zeros((len(rows), 3))
    for i, r in enumerate(rows):
        for axis in range(3):
            kept = x[r, axis]
            x[r, axis] = kept + h
            more = energy(x)
            x[r, axis] = kept - h
            out[i, axis] = -(more - energy(x)) / (2 * h)
            x[r, axis] = kept
    return out


def moment_of(force, x, origin=ZERO):
    return np.cross(x[:, :3] - np.asarray(origin), force[:, :3]).sum(axis=0)


def empty_sums(count=1):
    return np.zeros((count, columns.PAIR_SUMS))
