"""Mass of cells on particles: `spread_mass` takes a mesh and densities and gives particles whose inertia is that of the solid.

Ways (RR-3072, section 6.2.2), and what they keep of each cell:
    "corners"     corners only: mass and centre exact, inertia too large
    "centre"      corners and centre of inertia: mass and centre exact, inertia by least squares; tetrahedra exact
    "report"      the same particles with the report's masses: one part of every corner's mass moves to the centre
    "tetrahedra"  corners and a centroid in each tetrahedron that fills the cell (13 particles a hexahedron): exact
    "symmetric"   corners, facet centres, centre, centroids of the tetrahedra between them (39 a hexahedron): exact, isotropic

Columns of `Spread.cells[kind]`: the corners, in the order of `geometry.cells`; then
    corners       nothing
    centre, report                  the centre of inertia
    tetrahedra                      a centroid for each of `KINDS[kind].tetrahedra`
    symmetric                       the centres of the quadrilateral facets in the order of `moments.fan(kind).quads`, the
                                    centre of inertia, a centroid for each of `moments.fan(kind).triangles`
and of a tetrahedron, in every way but the first, its one centroid. With "tetrahedra" the corners of hexahedra are renumbered so
that neighbours cut the facet between them along the same diagonal; rows, not cells, are turned.
"""
from dataclasses import dataclass

import numpy as np

from robotphi.discretise.masses.moments import CHUNK, fan, mean
from robotphi.discretise.masses.ways import WAYS, inner_counts
from robotphi.geometry.cells import KINDS, VOLUME_KINDS
from robotphi.geometry.mesh import Mesh
from robotphi.scene.checks import frozen, numbers, refuse, word

QUARTER_TURN = (1, 2, 3, 0, 5, 6, 7, 4)  # of a hexahedron: its five tetrahedra take the other diagonals


@dataclass(frozen=True, eq=False)
class Spread:
    """Particles of a mesh with the mass of its cells.

    Attributes:
        position: [m], (N, 3): the mesh's points, shared facet centres, inner particles by kind and cell.
        mass: [kg], (N,), none negative.
        cells: kind → (c, corners + inner) int32; see the top of this module.
        density: kind → (c,) [kg/m³].
        way: how the mass was spread.
    """
    position: np.ndarray
    mass: np.ndarray
    cells: dict
    density: dict
    way: str

    def __repr__(self):
        return f"<Spread: {len(self.position)} particles, {self.mass.sum():g} kg, way {self.way!r}>"


def spread_mass(mesh, density, way="centre"):
    """The `Spread` of a mesh: particles on its points and inside its volume cells.

    Args:
        mesh: `geometry.mesh.Mesh` with volume cells; its surface cells and edges have no mass here.
        density: [kg/m³], one number, or {kind: one number or (c,)}.
        way: see the top of this module.
    """
    word("mass", "way", way, tuple(WAYS))
    if not isinstance(mesh, Mesh) or not mesh.is_solid:
        refuse("mass", f"it is {mesh!r:.80}", f"give a Mesh with cells that have a volume ({', '.join(VOLUME_KINDS)})")
    cells = {kind: rows for kind, rows in mesh.cells.items() if kind in VOLUME_KINDS}
    density = {kind: _density(kind, density, len(rows)) for kind, rows in cells.items()}
    if way == "tetrahedra" and "hexahedron" in cells:
        cells["hexahedron"] = turned_alternately(cells["hexahedron"], mesh.edges, len(mesh.points))
    columns, facet_points = _facet_columns(mesh.points, cells, way)
    place = len(mesh.points) + len(facet_points)
    positions, rows_of, masses = [mesh.points, facet_points], {}, []
    for kind, corners in cells.items():
        own = inner_counts(kind, way)[1]
        inner = (place + np.arange(own * len(corners), dtype=np.int32)).reshape(len(corners), own)
        rows_of[kind] = frozen(np.concatenate([corners, columns[kind], inner], axis=1))
        share, places = _spread_kind(mesh.points, corners, kind, density[kind], way)
        positions.append(places)
        masses.append((rows_of[kind], share))
        place += inner.size
    mass = _gathered(masses, place)
    _check_used(mass, masses, len(mesh.points))
    return Spread(frozen(np.concatenate(positions)), frozen(mass), rows_of, density, way)


def turned_alternately(hexahedra, edges, count):
    """Hexahedra with their rows turned where needed so that their diagonals join points of one of two colours.

    The four corners of the middle tetrahedron are alternate ones. Where the edges of the mesh can be coloured in two colours,
    as in any grid, neighbours then cut the facet between them along one diagonal; where they cannot, some do not.
    """
    colour = two_colours(edges, count)
    turn = colour[hexahedra[:, [1, 3, 4, 6]]].sum(axis=1) < colour[hexahedra[:, [0, 2, 5, 7]]].sum(axis=1)
    turned = hexahedra.copy()
    turned[turn] = hexahedra[turn][:, QUARTER_TURN]
    return turned


def two_colours(edges, count):
    """(count,) bool colour of each point: odd or even number of edges from the first point of its part of the mesh."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    part = connected_components(_graph(coo_array, edges, count), directed=False)[1]
    first = np.unique(part, return_index=True)[1]
    # one more point, the root, is tied to the first point of every part
    edges = np.concatenate([edges, np.stack([first, np.full(len(first), count)], axis=1)])
    parent = breadth_first_order(_graph(coo_array, edges, count + 1), count, directed=False)[1]
    parent[count] = count
    depth = np.ones(count + 1, np.int64)
    depth[count] = 0
    while (parent != count).any():  # each point looks twice as far up its tree as before
        depth += depth[parent]
        parent = parent[parent]
    return depth[:count] % 2 == 0


def _graph(kind, edges, count):
    return kind((np.ones(len(edges), np.int8), (edges[:, 0], edges[:, 1])), (count, count)).tocsr()


def _density(kind, density, count):
    if isinstance(density, dict):
        if kind not in density:
            refuse("mass", f"there is no density for kind {kind!r}", f"give {{{kind!r}: number or {count} numbers}}")
        density = density[kind]
    return numbers("mass", f"density of {kind}", density, count, low=0.0)


def _spread_kind(points, rows, kind, density, way):
    """Masses (c, particles) of each cell's columns and the places of its own inner particles (c × own, 3)."""
    facets, own = inner_counts(kind, way)
    share = np.empty((len(rows), KINDS[kind].corners + facets + own))
    places = np.empty((len(rows), own, 3))
    for first in range(0, len(rows), CHUNK):
        some = slice(first, first + CHUNK)
        corners = np.ascontiguousarray(points[rows[some]].transpose(2, 1, 0))
        spread = WAYS[way](corners, kind, first)
        share[some] = (spread.share * density[some]).T
        places[some] = spread.places.transpose(2, 1, 0)
    return share, places.reshape(-1, 3)


def _facet_columns(points, cells, way):
    """Columns of facet centres by kind, shared ones with one row, and the places of those centres (f, 3)."""
    if way != "symmetric":
        return {kind: np.empty((len(rows), 0), np.int32) for kind, rows in cells.items()}, np.empty((0, 3))
    quads = {kind: rows[:, fan(kind).quads] if kind != "tetrahedron" else np.empty((len(rows), 0, 4), np.int32)
             for kind, rows in cells.items()}
    every = np.concatenate([each.reshape(-1, 4) for each in quads.values()])
    _, first, which = np.unique(np.sort(every, axis=1), axis=0, return_index=True, return_inverse=True)
    which = (len(points) + which.reshape(-1)).astype(np.int32)
    ends = np.cumsum([each.shape[0] * each.shape[1] for each in quads.values()])[:-1]
    columns = {kind: own.reshape(quads[kind].shape[:2]) for kind, own in zip(quads, np.split(which, ends), strict=True)}
    return columns, mean(points[every[first]].transpose(2, 1, 0)).T if len(first) else np.empty((0, 3))


def _gathered(masses, count):
    """(count,) mass of each particle: its shares of all cells, column by column, so that equal cells add up equally."""
    total = np.zeros(count)
    for rows, share in masses:
        for column in range(rows.shape[1]):
            total += np.bincount(rows[:, column], share[:, column], count)
    return total


def _check_used(mass, masses, points):
    used = np.zeros(len(mass), bool)
    for rows, _ in masses:
        used[rows] = True
    if not used.all():
        refuse("mass", f"point {int(np.argmin(used))} of {points} belongs to no cell with a volume", "remove such points")


def soft_cells(thing):
    """{kind: (c,) whether each cell is deformable}: it does not lie within one rigid part, which has an inertia of its own."""
    owner = np.full(len(thing.position), -1)
    for index, part in enumerate(getattr(thing, "rigids", ())):
        if part.taken is None:   # a part that took in particles has no cells of its own
            owner[part.particles] = index
    return {kind: ~within_rigid(rows[:, :KINDS[kind].corners], owner) for kind, rows in thing.cells.items()}


def within_rigid(rows, owner):
    """(m,) whether all particles of each row belong to one rigid part."""
    first = owner[rows[:, 0]]
    inside = first >= 0
    for column in rows[:, 1:].T:
        inside &= owner[column] == first
    return inside
