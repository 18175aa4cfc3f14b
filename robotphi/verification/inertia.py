"""Group "inertia": particles of cells and rigid solids against surface integrals, and what deformation does to them."""
import numpy as np

from robotphi.discretise.masses.deformation import deformed_positions
from robotphi.discretise.masses.rigid_masses import rigid_masses
from robotphi.discretise.masses.spread import spread_mass
from robotphi.geometry import shapes
from robotphi.geometry.cells import UNIT
from robotphi.geometry.mesh import Mesh
from robotphi.scene.rigid import mass_properties
from robotphi.verification.registry import Figure, case
from robotphi.verification.surface_integrals import of_cells, surface_integrals

GROUP = "inertia"
COUNT, SOLIDS = 10_000, 1000
EXACT = 1e-12  # asked for; rounding leaves 1e-16 × length/thickness × some
FLATTEST = 1e-3
CUBE = UNIT["hexahedron"]
MIRTICH = "surface integrals (Mirtich 1996)"
# mean error asked of nine masses over cubes whose coordinates move by this part of the edge; the report's way beside it
SHAKEN = {0.05: 0.00025, 0.1: 0.0009, 0.2: 0.004}


# --- random solids -------------------------------------------------------------------------------------------------
def separate(corners, kind):
    """Mesh of cells (c, corners, 3) that share nothing."""
    return Mesh(corners.reshape(-1, 3), {kind: np.arange(corners.shape[0] * corners.shape[1]).reshape(corners.shape[:2])})


def shaken_cubes(count, amplitude, seed=0):
    """Unit cubes whose vertex coordinates move uniformly by ± amplitude."""
    return CUBE + np.random.default_rng(seed).uniform(-amplitude, amplitude, (count, 8, 3))


def turned_and_flattened(rng, points):
    """Bodies (c, n, 3) turned, stretched by 1, anything and FLATTEST to 1 along three axes, turned again and moved.

    Every linear map is a turn, a stretch and a turn: these are random affine images of a body.
    """
    count = len(points)
    stretch = FLATTEST ** np.stack([np.zeros(count), *np.sort(rng.uniform(0.0, 0.95, (count, 2))).T], axis=1)
    turns = np.linalg.qr(rng.normal(size=(2, count, 3, 3)))[0]
    first, last = turns * np.sign(np.linalg.det(turns))[..., None, None]
    points = np.einsum("cij,cnj->cni", first, points) * stretch[:, None]
    return np.einsum("cij,cnj->cni", last, points) + rng.uniform(-1, 1, (count, 1, 3))


def convex_hexahedra(count, seed=0):
    """(count, 8, 3) convex hexahedra with plane facets: projective images of the cube, which keep planes, then flattened."""
    rng = np.random.default_rng(seed)
    cube = np.broadcast_to(CUBE - 0.5, (count, 8, 3))
    depth = 1.0 + np.einsum("cnj,cj->cn", cube, rng.uniform(-0.5, 0.5, (count, 3)))
    return turned_and_flattened(rng, cube / depth[..., None])


def hulls(count, seed=0):
    """Closed surfaces (points, outward triangles) of hulls of 4 to 30 random points, flattened down to FLATTEST."""
    from scipy.spatial import ConvexHull

    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        cloud = rng.normal(size=(1, int(rng.integers(4, 31)), 3))
        points = turned_and_flattened(rng, cloud)[0]
        hull = ConvexHull(points)
        used, rows = np.unique(hull.simplices, return_inverse=True)
        points, rows = points[used], rows.reshape(-1, 3)
        a, b, c = (points[rows[:, i]] for i in range(3))
        inward = np.einsum("ti,ti->t", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
        rows[inward] = rows[inward][:, ::-1]
        if flatness(surface_integrals(points[rows][None])[2][0]) >= FLATTEST:
            found.append((points, rows))
    return found


def flatness(inertia):
    """Smallest over largest radius of a solid, from its second moments."""
    low, _, high = np.linalg.eigvalsh(np.trace(inertia) / 2 * np.eye(3) - inertia)
    return np.sqrt(max(low, 0.0) / high)


# --- errors --------------------------------------------------------------------------------------------------------
def particle_inertia(mass, place):
    """(c, 3, 3) about the centres of particles (c, n)."""
    centre = np.einsum("cp,cpx->cx", mass, place) / mass.sum(axis=1)[:, None]
    r = place - centre[:, None]
    moment = np.einsum("cp,cpx,cpy->cxy", mass, r, r)
    return np.trace(moment, axis1=1, axis2=2)[:, None, None] * np.eye(3) - moment


def relative(inertia, exact):
    """Frobenius norm of the difference over that of the exact one, of each."""
    return np.linalg.norm(inertia - exact, axis=(-2, -1)) / np.linalg.norm(exact, axis=(-2, -1))


def cell_errors(mesh, kind, way):
    """(c,) relative errors of the inertia of separate cells."""
    spread = spread_mass(mesh, 1.0, way)
    rows = spread.cells[kind]
    exact = of_cells(mesh, kind, diagonals=way == "tetrahedra")[2]
    return relative(particle_inertia(spread.mass[rows], spread.position[rows]), exact)


@case(GROUP, "exact cells", "largest relative error of the inertia, 10 000 cells, flatness 1e-3 to 1", MIRTICH)
def exact_cells():
    hexahedra = convex_hexahedra(COUNT)
    tetrahedra = turned_and_flattened(np.random.default_rng(1), np.broadcast_to(CUBE[[0, 1, 3, 4]] - 0.25, (COUNT, 4, 3)))
    rows = (("39 particles a hexahedron", hexahedra, "hexahedron", "symmetric"),
            ("13 particles a hexahedron", hexahedra, "hexahedron", "tetrahedra"),
            ("5 particles a tetrahedron", tetrahedra, "tetrahedron", "centre"))
    return [Figure(0.0, cell_errors(separate(corners, kind), kind, way).max(), EXACT, what)
            for what, corners, kind, way in rows]


@case(GROUP, "rigid solids", "largest relative error of mass, centre or inertia", MIRTICH)
def rigid_solids():
    worst = max(rigid_error(*each) for each in hulls(SOLIDS))
    return [Figure(0.0, worst, EXACT, "1000 convex polyhedra, flatness 1e-3 to 1"),
            *[Figure(0.0, compound_error(shape), EXACT, name) for name, shape in rigid_shapes().items()]]


def rigid_shapes():
    return {"box": shapes.box((1, 2, 3)), "cylinder": shapes.cylinder(1, 2, 24), "cone": shapes.cone(1, 2, 24),
            "sphere": shapes.sphere(1, 3), "uv sphere": shapes.uv_sphere(1), "capsule": shapes.capsule(0.3, 1),
            "torus": shapes.torus(1, 0.3), "tube": shapes.tube(1, 0.8, 1)}


def rigid_error(points, triangles):
    """Largest relative error of a closed surface's particles."""
    exact = surface_integrals(points[triangles][None])
    return apart(rigid_masses((points, triangles), density=1.0), *(each[0] for each in exact))


def compound_error(shape):
    """The same of one of the shapes, all parts together."""
    parts = [surface_integrals(part.vertices[part.triangles][None]) for part in getattr(shape, "parts", [shape])]
    mass, centre, inertia = (np.concatenate(each) for each in zip(*parts, strict=True))
    middle = mass @ centre / mass.sum()
    r = centre - middle
    moved = np.einsum("c,ci,ci->", mass, r, r) * np.eye(3) - np.einsum("c,ci,cj->ij", mass, r, r)
    return apart(rigid_masses(shape, density=1.0), mass.sum(), middle, inertia.sum(axis=0) + moved)


def apart(spread, mass, centre, inertia):
    """Largest of the relative errors; no particle may have a negative mass."""
    total, middle, reached = mass_properties(spread.position, spread.mass)
    size = np.ptp(spread.position, axis=0).max()
    errors = (abs(total / mass - 1.0), np.abs(middle - centre).max() / size, relative(reached, inertia))
    return float(max(errors)) if spread.mass.min() >= 0.0 else np.inf


@case(GROUP, "nine masses", "mean relative error of the inertia, 10 000 shaken unit cubes", "RR-3072, section 6.2")
def nine_masses():
    figures = []
    for amplitude, bound in SHAKEN.items():
        mesh = separate(shaken_cubes(COUNT, amplitude), "hexahedron")
        ours, report = (cell_errors(mesh, "hexahedron", way).mean() for way in ("centre", "report"))
        figures.append(Figure(0.0, ours, bound, f"± {amplitude:.0%} of the edge (the report's way leaves {report:.4f})"))
    return figures


def displaced(count, amplitude, way, part=0.1, seed=0):
    """Inertias of hexahedra before and after one vertex of each moves by `part` of the edge, in any direction.

    The hexahedra are unit cubes shaken by ± amplitude. Particles keep the masses of before and the inner one its natural
    coordinates; the solid keeps its mass and stays homogeneous. Gives (reached, wanted) before and after, (count, 3, 3) each.
    """
    rng = np.random.default_rng(seed + 1)
    corners = shaken_cubes(count, amplitude, seed)
    moved, move = corners.copy(), rng.normal(size=(count, 3))
    moved[np.arange(count), rng.integers(0, 8, count)] += part * move / np.linalg.norm(move, axis=1)[:, None]
    mesh, after = separate(corners, "hexahedron"), separate(moved, "hexahedron")
    spread = spread_mass(mesh, 1.0, way)
    rows = spread.cells["hexahedron"]
    mass = spread.mass[rows]
    places = deformed_positions(spread.position, spread.cells, after.points)
    volume, _, inertia = of_cells(after, "hexahedron")
    return ((particle_inertia(mass, spread.position[rows]), of_cells(mesh, "hexahedron")[2]),
            (particle_inertia(mass, places[rows]), inertia * (mass.sum(axis=1) / volume)[:, None, None]))


def trace_error(inertia, exact):
    """Relative error of the traces: of how much inertia there is, whatever the axis."""
    return np.abs(np.trace(inertia, axis1=1, axis2=2) / np.trace(exact, axis1=1, axis2=2) - 1.0)


@case(GROUP, "displacement", "mean change of the relative error when one vertex of a hexahedron moves by a tenth of the edge",
      "RR-3072, section 6.2: about 0.1 % over 10 000 tests")
def displacement():
    # The report does not say which error it means. Of the trace it is 0.1 % to the one digit that is given; the axes turn as
    # well, so that the whole matrix changes by more.
    figures = []
    for way in ("centre", "report"):
        before, after = displaced(COUNT, 0.1, way)
        change, whole = (np.abs(error(*after) - error(*before)).mean() for error in (trace_error, relative))
        figures.append(Figure(0.001, change, 0.0005, f"trace, way {way} (whole matrix {whole:.4f})"))
    return figures
