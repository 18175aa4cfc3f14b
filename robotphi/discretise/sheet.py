"""Sheets: surfaces with a thickness, such as cloth, plates and membranes, as objects of particles and springs."""
import numpy as np

from robotphi.discretise.cell_springs import Part, cell_springs, plane_stress
from robotphi.discretise.deform import facet_regions, fold_springs, lengths, say, spring_group
from robotphi.discretise.lines import straight_triples
from robotphi.discretise.material import SHEET_POISSON, Material
from robotphi.geometry.cells import SURFACE_KINDS
from robotphi.geometry.mesh import Mesh
from robotphi.scene.checks import frozen, number, refuse, word
from robotphi.scene.objects import Object, SpringGroup

WHERE = "sheet"
BENDING = ("lines", "folds", "none")


def sheet(mesh, material, thickness, bending=None, bending_stiffness=None):
    """An Object of a surface: linear springs for its stretch, angular or articular ones for its bending.

    Args:
        mesh: Mesh of triangles and quadrilaterals.
        material: a Material; poisson 1/3 is what linear springs reach in a plane, less takes angles at the facets' corners.
        thickness: [m].
        bending: "lines" joins three particles in a row by angular springs (the default on quadrilaterals: each spring of
            stiffness k and length l is a strip of bending stiffness k l t²/12, and as the springs make the sheet's stretch
            isotropic, so do the strips its bending); "folds" joins adjacent triangles by articular springs (the default where
            there are triangles, which need not form lines; curved both ways it is softer, as with ν = −1/3); "none" leaves it
            limp.
        bending_stiffness: D [N·m] instead of E t³/12/(1 − ν²), for cloth that bends more easily than a plate; 0 is limp.
    """
    if not isinstance(mesh, Mesh) or mesh.is_solid or not any(kind in mesh.cells for kind in SURFACE_KINDS):
        refuse(WHERE, f"it is {mesh!r:.80}", "give a Mesh of triangles and quadrilaterals; see deformable(...) for solids")
    if not isinstance(material, Material):
        refuse(WHERE, f"material is {material!r:.60}", "give a Material(young=…, density=…)")
    number(WHERE, "thickness", thickness, above=0.0)
    poisson = material.sheet_poisson()
    plate = material.young * thickness ** 3 / (12.0 * (1.0 - poisson ** 2))
    stiffness = plate if bending_stiffness is None else number(WHERE, "bending_stiffness", bending_stiffness, low=0.0)
    bending = word(WHERE, "bending", bending or ("folds" if "triangle" in mesh.cells else "lines"), BENDING)
    cells = {kind: mesh.cells[kind] for kind in SURFACE_KINDS if kind in mesh.cells}
    areas = {kind: cell_areas(mesh.points, rows) for kind, rows in cells.items()}
    damping_time = material.damping_time(float(np.ptp(mesh.points, axis=0).max()))
    strain = np.inf if material.yield_stress is None else material.yield_stress / material.young
    parts = [Part(rows, kind, "corners", areas[kind] * thickness, plane_stress(material.young, poisson),
                  material.needs_angles(SHEET_POISSON), damping_time, strain) for kind, rows in cells.items()]
    united, reached = cell_springs(mesh.points, parts)
    springs = {"linear": spring_group("linear", united["linear"])}
    if "angular" in united and len(united["angular"].particles):
        springs["corners"] = spring_group("angular", united["angular"])
    if stiffness and bending == "lines":
        springs["lines"] = _lines(mesh.points, united["linear"], thickness, stiffness / plate, damping_time)
    elif stiffness and bending == "folds":
        springs["folds"] = fold_springs(mesh.points, mesh.triangles, stiffness, damping_time)
    mass = _mass(mesh.points, cells, areas, material.density * thickness)
    notes = {"thickness": float(thickness), "bending": bending, "bending_stiffness": float(stiffness),
             "materials": [say(material)], "mismatch": max(one.mismatch for one in reached)}
    springs = {name: one for name, one in springs.items() if len(one)}
    return Object(position=mesh.points, mass=frozen(mass), springs=springs, facets=mesh.triangles,
                  polyhedra={"sheet": frozen(np.arange(len(mesh.triangles), dtype=np.int32))},
                  regions=dict(mesh.regions), facet_regions=facet_regions(mesh.triangles, mesh.regions), notes=notes)


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


def _lines(position, lattice, thickness, factor, damping_time):
    """Angular springs along the lines of particles: strips of bending stiffness E A t²/12 = k l t²/12."""
    triples, spring = straight_triples(position, lattice.particles)
    length = lengths(position, lattice.particles)
    strip = (lattice.stiffness * length)[spring].mean(axis=1) * thickness ** 2 / 12.0
    stiffness = factor * strip / length[spring].mean(axis=1)
    return SpringGroup("angular", frozen(triples), frozen(stiffness), frozen(damping_time * stiffness))
