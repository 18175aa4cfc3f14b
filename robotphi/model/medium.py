"""Medium of a scene into the arrays of the kernels: which facets feel it, and how."""
import numpy as np

from robotphi.model import arrays as m
from robotphi.scene.checks import AXES, frozen
from robotphi.scene.drive import COMMAND
from robotphi.scene.object_parts import is_closed

SAME_PLACE = 1e-9  # of the size of an object: corners of one rigid part nearer than this coincide
NO_MEDIUM = m.Immersed(*map(frozen, (
    np.empty((0, 3), np.int32), np.empty(0, np.int32), np.empty(0), np.empty(0), np.full(len(AXES), -1, np.int32),
    np.array([0.0, 0.0, 0.0, 1.0, np.inf]))))


def medium_arrays(scene, number):
    """`model.arrays.Immersed` of a scene; `number` gives the number of each of its drives."""
    medium = scene.medium
    if medium is None:
        return NO_MEDIUM
    facets, two_sided, linear, quadratic = [], [], [], []
    medium.check_names(scene.objects)
    for name, placed in scene.objects.items():
        per_speed, per_square = medium.coefficients(name)
        thing = placed.object
        if not len(thing.facets) or not (per_speed or per_square or medium.buoyancy):
            continue
        bounding = closed(thing)
        seen = ~hidden(thing) & (bounding | bool(per_speed or per_square))
        facets.append(placed.facets[seen])
        two_sided.append(~bounding[seen])
        linear.append(np.full(len(facets[-1]), per_speed))
        quadratic.append(np.full(len(facets[-1]), per_square))
    return m.Immersed(_joined(facets, (0, 3), np.int32), _joined(two_sided, (0,), np.int32), _joined(linear, (0,), np.float64),
                    _joined(quadratic, (0,), np.float64), frozen(_winds(medium, number)), frozen(_surface(scene)))


def _joined(several, shape, dtype):
    return frozen(np.concatenate([np.empty(shape, dtype), *several]).astype(dtype))


def _winds(medium, number):
    """(3,) int32 drives, −1 where there is never any wind."""
    return np.array([number[drive] if drive is not None and (drive.kind == COMMAND or drive.piece[:, 1:7].any()) else -1
                     for drive in medium.wind], np.int32)


def _surface(scene):
    """(5,) growth of pressure with depth, up, level; see `model.arrays.Immersed`."""
    medium = scene.medium
    pressure = medium.density * np.linalg.norm(scene.gravity) if medium.buoyancy else 0.0
    return np.array([pressure, *medium.up(scene.gravity), np.inf if medium.level is None else medium.level])


def closed(thing):
    """(f,) bool, facets that bound a volume: of closed polyhedra, and of open ones that close each other."""
    found, known = np.zeros(len(thing.facets), bool), np.zeros(len(thing.facets), bool)
    for facets in thing.polyhedra.values():
        if len(facets) and is_closed(thing.facets[facets]):
            found[facets] = known[facets] = True
    rest = np.flatnonzero(~known)
    if len(rest):
        for together in _connected(thing.facets[rest], len(thing.position)):
            found[rest[together]] = is_closed(thing.facets[rest[together]])
    return found


def _connected(triangles, count):
    """Triangles that hang together by particles, as lists of rows."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    pairs = np.concatenate([triangles[:, :2], triangles[:, 1:]])
    graph = coo_matrix((np.ones(len(pairs), bool), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    label = connected_components(graph, directed=False)[1][triangles[:, 0]]
    order = np.argsort(label, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(label[order])) + 1)


def hidden(thing):
    """(f,) bool, facets that lie back to back for good: of two parts with the same particles, or within one rigid part."""
    if len(thing.polyhedra) < 2:
        return np.zeros(len(thing.facets), bool)
    place = _places(thing)[thing.facets]
    first = place.argmin(axis=1)[:, None]
    rows = np.take_along_axis(place, (first + np.arange(3)) % 3, axis=1)
    label = np.unique(np.concatenate([rows, rows[:, [0, 2, 1]]]), axis=0, return_inverse=True)[1].reshape(2, -1)
    return np.isin(label[1], label[0])


def _places(thing):
    """(n,) number of the place of each particle; particles of one rigid part that coincide share one."""
    number = np.arange(len(thing.position))
    size = float(np.ptp(thing.position, axis=0).max())
    for part in thing.rigids:
        grid = np.rint(thing.position[part.particles] / (SAME_PLACE * size if size else 1.0))
        _, first, which = np.unique(grid, axis=0, return_index=True, return_inverse=True)
        number[part.particles] = part.particles[first][which.reshape(-1)]
    return number
