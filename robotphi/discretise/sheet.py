"""Sheets: surfaces with a thickness, such as cloth, plates and membranes, as objects of particles and springs."""
import numpy as np

from robotphi.discretise.deform import facet_regions, fold_springs, lengths, say, spring_group
from robotphi.discretise.matter.cell_springs import CellPart, cell_springs, plane_stress
from robotphi.discretise.matter.lines import STRAIGHT, straight_triples
from robotphi.discretise.matter.material import SHEET_POISSON, Material, tell_sheet
from robotphi.discretise.matter.stencils import crossings, neighbour_columns
from robotphi.geometry.cells import SURFACE_KINDS
from robotphi.geometry.mesh import Mesh
from robotphi.scene.checks import first_true, frozen, number, refuse, word
from robotphi.scene.objects import Object, SpringGroup
from robotphi.scene.saying import made

WHERE = "sheet"
BENDING = ("lines", "folds", "none")


@made
def sheet(mesh, material, thickness, bending=None, bending_stiffness=None):
    """An Object of a surface: linear springs for its stretch, angular or articular ones for its bending.

    Args:
        mesh: Mesh of triangles and quadrilaterals.
        material: a Material; poisson 1/3 is what linear springs reach in a plane, less takes angles at the facets' corners.
        thickness: [m].
        bending: "lines" joins three particles in a row by angular springs (the default where most springs form lines: each
            spring of stiffness k and length l is a strip of bending stiffness k l t²/12, and as the springs make the sheet's
            stretch isotropic, so do the strips its bending, as with ν = 1/3); "folds" joins adjacent triangles by articular
            springs (the default elsewhere; curved both ways it is softer, as with ν = −1/3); "none" leaves it limp.
        bending_stiffness: D [N·m] instead of E t³/12/(1 − ν²), for cloth that bends more easily than a plate; 0 is limp.
    """
    if not isinstance(mesh, Mesh) or mesh.is_solid or not any(kind in mesh.cells for kind in SURFACE_KINDS):
        refuse(WHERE, f"it is {mesh!r:.80}", "give a Mesh of triangles and quadrilaterals; see deformable(...) for solids")
    if not isinstance(material, Material):
        refuse(WHERE, f"material is {material!r:.60}", "give a Material(young=…, density=…)")
    number(WHERE, "thickness", thickness, above=0.0)
    if bending is not None:
        word(WHERE, "bending", bending, BENDING)
    poisson = material.sheet_poisson()
    plate = material.young * thickness ** 3 / (12.0 * (1.0 - poisson ** 2))
    stiffness = plate if bending_stiffness is None else number(WHERE, "bending_stiffness", bending_stiffness, low=0.0)
    cells = {kind: mesh.cells[kind] for kind in SURFACE_KINDS if kind in mesh.cells}
    areas = {kind: cell_areas(mesh.points, rows) for kind, rows in cells.items()}
    _check_areas(mesh, cells, areas)
    damping_time = material.damping_time(float(np.ptp(mesh.points, axis=0).max()))
    flexure = plane_stress(material.young * (1 - SHEET_POISSON ** 2) / (1 - poisson ** 2), SHEET_POISSON)
    parts = [CellPart(_with_neighbours(mesh.points, rows, kind), kind, "corners", areas[kind] * thickness,
                  plane_stress(material.young, poisson), material.young, _angles(material, kind), damping_time,
                  np.inf if material.yield_stress is None else material.yield_stress, material.hardening)
             for kind, rows in cells.items()]
    united, reached = cell_springs(mesh.points, parts)
    springs = {"linear": spring_group("linear", united["linear"])}
    if "angular" in united:
        springs["corners"] = spring_group("angular", united["angular"])
    if stiffness and bending != "none":
        bent = [part._replace(target=flexure, angles=False) for part in parts]
        lattice = cell_springs(mesh.points, bent)[0]["linear"] if "angular" in united else united["linear"]
        triples, spring = straight_triples(mesh.points, lattice.particles)
        bending = bending or _usual(len(triples), len(lattice.particles))
        if bending == "lines":
            springs["lines"] = _lines(mesh.points, lattice, triples, spring, thickness, stiffness / plate, damping_time)
        else:
            springs["folds"] = fold_springs(mesh.points, mesh.triangles, stiffness, damping_time)
    mass = _mass(mesh.points, cells, areas, material.density * thickness)
    notes = {"thickness": float(thickness), "bending": bending, "bending_stiffness": float(stiffness),
             "materials": [say(material) | {"reached": tell_sheet(reached, material, poisson)}]}
    springs = {name: one for name, one in springs.items() if len(one)}
    return Object(position=mesh.points, mass=frozen(mass), springs=springs, facets=mesh.triangles,
                  polyhedra={"sheet": frozen(np.arange(len(mesh.triangles), dtype=np.int32))},
                  regions=dict(mesh.regions), facet_regions=facet_regions(mesh.triangles, mesh.regions), notes=notes)


def _angles(material, kind):
    """Angles for a ratio below 1/3; else where quadrilaterals need them (triangles even each other out without)."""
    if material.needs_angles(SHEET_POISSON):
        return True
    return False if kind == "triangle" else None


def _usual(lines, springs):
    """Lines where most springs go on at both their ends, as in grids; folds elsewhere."""
    return "lines" if lines > 0.6 * springs else "folds"


def _with_neighbours(points, rows, kind):
    """Triangles with the corners behind their edges, where the neighbour lies in nearly the same plane."""
    if crossings(kind) is None:
        return rows
    edges, own, other = crossings(kind)
    behind = neighbour_columns(rows, kind, len(points))
    normal = np.cross(points[rows[:, 1]] - points[rows[:, 0]], points[rows[:, 2]] - points[rows[:, 0]])
    for edge, corner, column in zip(edges, own[:, 0], other[:, 0], strict=True):
        start = points[rows[:, edge[0]]]
        across = np.cross(points[behind[:, column]] - start, points[rows[:, edge[1]]] - start)
        sizes = np.linalg.norm(across, axis=1) * np.linalg.norm(normal, axis=1)
        flat = np.einsum("ci,ci->c", across, normal) > STRAIGHT * sizes
        behind[:, column] = np.where(flat, behind[:, column], rows[:, corner])
    return np.concatenate([rows, behind], axis=1)


def _check_areas(mesh, cells, areas):
    for kind, area in areas.items():
        size = np.linalg.norm(mesh.points[cells[kind][:, 1]] - mesh.points[cells[kind][:, 0]], axis=1)
        if (bad := first_true(~(area > 1e-9 * size ** 2))) is not None:
            refuse(WHERE, f"a {kind} at {np.round(mesh.points[cells[kind][bad]].mean(axis=0), 9).tolist()} m has no area",
                   "mend or remove such facets", bad)
        if kind == "quad":
            _check_convex(mesh.points, cells[kind])


def _check_convex(points, quads):
    """All four corners of a quadrilateral turn the same way."""
    corners = [points[quads[:, i]] for i in range(4)]
    turns = [np.cross(corners[(i + 1) % 4] - corners[i], corners[i - 1] - corners[i]) for i in range(4)]
    mean = sum(turns)
    if (bad := first_true(~(np.stack([np.einsum("ci,ci->c", turn, mean) for turn in turns]) > 0.0).all(axis=0))) is not None:
        refuse(WHERE, f"a quad at {np.round(points[quads[bad]].mean(axis=0), 9).tolist()} m is folded or not convex",
               "cut such facets into triangles", bad)


def cell_areas(points, rows):
    """(c,) m² of triangles or quadrilaterals; a warped one as the two triangles of either diagonal, on average."""
    if rows.shape[1] == 3:
        return _triangle_areas(points[rows])
    halves = [_triangle_areas(points[rows[:, list(cut)]]) for cut in ((0, 1, 2), (0, 2, 3), (0, 1, 3), (1, 2, 3))]
    return 0.5 * np.sum(halves, axis=0)


def _triangle_areas(places):
    return 0.5 * np.linalg.norm(np.cross(places[:, 1] - places[:, 0], places[:, 2] - places[:, 0]), axis=1)


def _mass(points, cells, areas, density):
    """Mass on the corners, mass and centre of every cell kept: of a quadrilateral, half of each of its four triangles."""
    mass = np.zeros(len(points))
    for kind, rows in cells.items():
        cuts = ((0, 1, 2),) if kind == "triangle" else ((0, 1, 2), (0, 2, 3), (0, 1, 3), (1, 2, 3))
        for cut in cuts:
            corners = rows[:, list(cut)]
            share = density * _triangle_areas(points[corners]) / 3.0 * (1.0 if kind == "triangle" else 0.5)
            for column in corners.T:
                mass += np.bincount(column, share, len(points))
    return mass


def _lines(position, lattice, triples, spring, thickness, factor, damping_time):
    """Angular springs along the lines of particles: strips of bending stiffness E A t²/12 = k l t²/12.

    A spring of a line bends for half the length of each of its two segments; the first and the last also for the half
    segments at the ends, so that the whole line does.
    """
    length = lengths(position, lattice.particles)
    strip = (lattice.stiffness * length)[spring].mean(axis=1) * thickness ** 2 / 12.0
    ends = (np.bincount(spring.ravel(), minlength=len(length)) == 1)[spring].sum(axis=1)
    stiffness = (1.0 + 0.5 * ends) * factor * strip / length[spring].mean(axis=1)
    return SpringGroup("angular", frozen(triples), frozen(stiffness), frozen(damping_time * stiffness))
