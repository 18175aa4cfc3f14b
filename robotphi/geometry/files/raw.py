"""What readers and writers share: points that become one, polygons as cells, numbers as text."""
import numpy as np

from robotphi.errors import MeshError
from robotphi.geometry.mesh import Mesh


def fail(problem, remedy):
    """Raise the error of a bad file; `read_mesh` puts its path in front."""
    raise MeshError(f"{problem}; {remedy}")


def finish(points, cells, regions, cell_regions, tolerance):
    """A Mesh of what a reader found, with points merged (tolerance not None) and unused ones left out."""
    mesh = Mesh(points, cells, regions, cell_regions)
    if mesh.cells and tolerance is not None:
        mesh = _with_merged_points(mesh, tolerance)
    if not mesh.cells:
        fail("it holds no cells", "give a file with triangles, quadrilaterals or volume cells, and a smaller tolerance if any")
    used = np.zeros(len(mesh.points), bool)
    for rows in [*mesh.cells.values(), *mesh.regions.values()]:
        used[rows] = True
    if used.all():
        return mesh
    place = np.cumsum(used) - 1
    return Mesh(mesh.points[used], {kind: place[rows] for kind, rows in mesh.cells.items()},
                {name: place[rows] for name, rows in mesh.regions.items()}, mesh.cell_regions)


def _with_merged_points(mesh, tolerance):
    """Points within the tolerance are one; cells that a tolerance above 0 shrinks to fewer corners are left out."""
    first, place = merged(mesh.points, tolerance)
    cells = {kind: place[rows] for kind, rows in mesh.cells.items()}
    kept = {kind: np.full(len(rows), tolerance == 0.0) | (np.diff(np.sort(rows, axis=1), axis=1) > 0).all(axis=1)
            for kind, rows in cells.items()}
    return Mesh(mesh.points[first], {kind: rows[kept[kind]] for kind, rows in cells.items()},
                {name: np.unique(place[rows]) for name, rows in mesh.regions.items()},
                {name: {kind: (np.cumsum(kept[kind]) - 1)[rows[kept[kind][rows]]] for kind, rows in by_kind.items()}
                 for name, by_kind in mesh.cell_regions.items()})


def merged(points, tolerance):
    """Rows (m,) to keep, in the order of first appearance, and the place (n,) of each point among them."""
    points = points + 0.0  # −0 is 0
    if tolerance > 0.0:
        return _merged_near(points, tolerance)
    # One number of 64 bits for each point: sorting these is ten times quicker than sorting rows. Equal ones are compared.
    bits = points.view(np.uint64)
    key = bits[:, 0] * np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(29)) ^ bits[:, 1]) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(32)) ^ bits[:, 2]) * np.uint64(0x94D049BB133111EB)
    _, first, place = np.unique(key ^ (key >> np.uint64(31)), return_index=True, return_inverse=True)
    if not np.array_equal(points[first][place], points):
        _, first, place = np.unique(points, axis=0, return_index=True, return_inverse=True)
    return _in_order(first, place.reshape(-1))


def _merged_near(points, tolerance):
    """Points joined by a chain of neighbours within the tolerance are one: the first of them."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    pairs = cKDTree(points).query_pairs(tolerance, output_type="ndarray")
    links = coo_array((np.ones(len(pairs), bool), (pairs[:, 0], pairs[:, 1])), shape=(len(points), len(points)))
    _, place = connected_components(links, directed=False)
    _, first, place = np.unique(place, return_index=True, return_inverse=True)
    return _in_order(first, place)


def _in_order(first, place):
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return first[order], rank[place]


def polygons(corners, counts):
    """{"triangle": …, "quad": …} of polygons given by all their corners in a row; larger ones become fans of triangles."""
    corners, counts = np.asarray(corners, np.int64), np.asarray(counts, np.int64)
    if len(counts) and counts.min() < 3:
        fail(f"a facet has {counts.min()} corners", "facets have at least three")
    start = np.cumsum(counts) - counts
    cells = {"triangle": [], "quad": []}
    for count in np.unique(counts):
        rows = corners[start[counts == count][:, None] + np.arange(count)]
        if count == 4:
            cells["quad"].append(rows)
        else:
            fan = np.stack([np.zeros(count - 2, np.int64), np.arange(1, count - 1), np.arange(2, count)], axis=1)
            cells["triangle"].append(rows[:, fan].reshape(-1, 3))
    return {kind: np.concatenate(rows) for kind, rows in cells.items() if rows}


def surface(mesh):
    """The triangles and quads of a surface, or of the boundary of a solid; at least one."""
    cells = mesh.boundary
    if not cells:
        fail("the mesh has no surface", "write it as vtu or msh, which hold edges as well")
    return cells


def text(rows, form="%.17g"):
    """Rows of numbers as lines; 17 digits give the same double back."""
    rows = np.asarray(rows)
    line = " ".join([form] * rows.shape[1]) + "\n"
    return ((line * len(rows)) % tuple(rows.reshape(-1).tolist())).encode()


def numbers(words, what):
    """Words of a text as float64."""
    try:
        return np.array(words, dtype=np.float64)
    except ValueError as error:
        fail(f"{what} has something that is not a number ({error})", "save the file anew")


def whole(values, what, high=2**53):
    """Numbers read from text, as int64; fractions and what is no number are refused."""
    values = np.asarray(values)
    if values.dtype.kind == "f" and not (np.isfinite(values) & (values == np.rint(values)) & (np.abs(values) < high)).all():
        fail(f"{what} has entries that are not whole numbers", "save the file anew")
    return values.astype(np.int64)
