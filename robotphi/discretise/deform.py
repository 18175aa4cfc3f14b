"""Deformable objects: a mesh and materials in, an Object of particles and springs out."""
from dataclasses import fields

import numpy as np

from robotphi.discretise.cells.quality import cell_volumes, refuse_folded
from robotphi.discretise.masses.certificate import certificate
from robotphi.discretise.masses.spread import spread_mass
from robotphi.discretise.matter.cell_springs import CellPart, CellSprings, cell_springs
from robotphi.discretise.matter.lines import folds, straight_triples
from robotphi.discretise.matter.material import SOLID_POISSON, Material, SectionMaterial, tell_length, tell_reached
from robotphi.discretise.matter.stencils import crossings, neighbour_columns, stencil
from robotphi.geometry.cells import KINDS, VOLUME_KINDS
from robotphi.geometry.mass_properties import solid_properties
from robotphi.geometry.mesh import Mesh, unique_pairs
from robotphi.scene.checks import frozen, refuse
from robotphi.scene.objects import Object, SpringGroup
from robotphi.scene.saying import made

WHERE = "deformable object"
ROUNDING = 1e-9  # of the volume: sums over a million cells leave 1e-10 at the worst


@made
def deformable(mesh, material, way="centre", linear=True, angular=False, articular=False, materials=None, deformation=None):
    """An Object whose every particle moves by itself.

    Args:
        mesh: Mesh with volume cells, such as `discretise` makes.
        material: a Material, or a SectionMaterial for the report's λ0/l.
        way: how the mass is spread, see `masses`: "centre" (corners and centres, the default), "corners" (fewest particles,
            inertia too large by a share that falls with the square of the size), "tetrahedra", "symmetric", "report".
        linear: springs on edges, diagonals and to centres.
        angular: springs along straight lines of particles, of the bending stiffness E I of each spring's section; they
            make deformations smoother and bodies stiffer by a share that falls with the square of the size. Angles at the
            corners of faces, which a material with poisson < 1/4 needs, come by themselves.
        articular: springs about the edges between surface facets, of the bending stiffness of the layer of cells below.
        materials: {cell region: Material} where the mesh has several.
        deformation: the largest one expected, for which the certificate in `notes` tells the inertia too; see `deformation`.
    """
    if not isinstance(mesh, Mesh) or not mesh.is_solid:
        refuse(WHERE, f"it is {mesh!r:.80}",
               "give a Mesh with volume cells, such as discretise(shape, size=…) makes; see sheet(...) for surfaces")
    refuse_folded(WHERE, mesh, "mend the mesh, or cut the shape anew with discretise(...)")
    volumes = cell_volumes(mesh)
    _check_apart(mesh, volumes)
    of_cell, known = _materials(mesh, material, {} if materials is None else materials)
    density = {kind: np.array([one.density for one in known])[number] for kind, number in of_cell.items()}
    spread = spread_mass(mesh, density, way)
    longest = float(np.ptp(mesh.points, axis=0).max())
    notes = {"way": way, "materials": [say(one) for one in known], "length over width of cells": tell_length(mesh, volumes)}
    springs = {}
    sections = known[0] if isinstance(known[0], SectionMaterial) else None
    if sections:
        lattice = _by_length(spread, sections)
    else:
        numbers = [(kind, number) for kind in spread.cells for number in range(len(known)) if (of_cell[kind] == number).any()]
        parts = [_part(spread, kind, volumes[kind], of_cell[kind] == number, known[number], longest)
                 for kind, number in numbers]
        united, reached = cell_springs(spread.position, parts)
        lattice = united["linear"]
        if "angular" in united and linear:
            springs["corners"] = spring_group("angular", united["angular"])
        for number, told in enumerate(notes["materials"]):
            own = [one for one, (_, mine) in zip(reached, numbers, strict=True) if mine == number]
            told["reached"] = tell_reached(own, known[number])
    if linear:
        springs = {"linear": spring_group("linear", lattice), **springs}
    if angular:
        springs["lines"] = _lines(spread.position, lattice, sections)
    if articular:
        springs["folds"] = _skin(mesh, spread.position, of_cell, known, volumes, longest)
    springs = {name: group for name, group in springs.items() if len(group)}
    made = Object(position=spread.position, mass=spread.mass, springs=springs, facets=mesh.triangles,
                  polyhedra=_polyhedra(mesh), regions=dict(mesh.regions),
                  facet_regions=facet_regions(mesh.triangles, mesh.regions), cells=spread.cells, density=spread.density,
                  notes=notes)
    notes["certificate"] = certificate(made, displacement=deformation)
    return made


def _check_apart(mesh, volumes):
    """Cells that are there twice, or overlap others whose corners they share, have another volume than the surface around them.

    A quadrilateral, which may be warped, is cut through its middle here as for the volume of its cell.
    """
    inside = sum(volume.sum() for volume in volumes.values())
    triangles, quads = (mesh.boundary.get(kind, np.empty((0, size), np.int32)) for kind, size in (("triangle", 3), ("quad", 4)))
    middle = len(mesh.points) + np.arange(len(quads))
    cut = [np.stack([quads[:, i], quads[:, (i + 1) % 4], middle], axis=1) for i in range(4)]
    points = np.concatenate([mesh.points, mesh.points[quads].mean(axis=1)])
    surface = np.concatenate([triangles, *cut])
    around = solid_properties(points, surface).volume if len(surface) else 0.0
    if not abs(around - inside) <= ROUNDING * inside:
        refuse(WHERE, f"its cells have {inside:.6g} m³ together and the surface around them {around:.6g} m³",
               "look for cells that are there twice or overlap")


def _materials(mesh, material, materials):
    """{kind: (c,) number of the material}, [materials]."""
    if not isinstance(materials, dict):
        refuse(WHERE, f"materials is {materials!r:.60}", "give {cell region: Material}")
    known = [material, *materials.values()]
    for one in known:
        if not isinstance(one, (Material, SectionMaterial)):
            refuse(WHERE, f"material is {one!r:.60}", "give a Material(young=…, density=…) or a SectionMaterial(λ0)")
    if len({type(one) for one in known}) > 1 or (materials and isinstance(material, SectionMaterial)):
        refuse(WHERE, "several materials with λ0 among them", "give Materials for objects of several materials")
    of_cell = {kind: np.zeros(len(mesh.cells[kind]), np.int32) for kind in VOLUME_KINDS if kind in mesh.cells}
    for number, name in enumerate(materials, start=1):
        if name not in mesh.cell_regions:
            refuse(WHERE, f"materials names the region {name!r}",
                   f"cell regions of this mesh: {', '.join(mesh.cell_regions) or 'none'}")
        for kind, cells in mesh.cell_regions[name].items():
            if kind in of_cell:
                of_cell[kind][cells] = number
    return of_cell, known


def _part(spread, kind, volume, mine, material, longest):
    rows = spread.cells[kind]
    if crossings(kind):
        rows = np.concatenate([rows, neighbour_columns(rows, kind, len(spread.position))], axis=1)
    if not mine.all():
        rows, volume = rows[mine], volume[mine]
    target = material.solid_stiffness()
    # particles at rest inside their tetrahedra resist volume more than shear: angles make up for the shear
    needed = material.needs_angles(SOLID_POISSON) or spread.way in ("tetrahedra", "symmetric")
    angles = True if needed else False if kind == "tetrahedron" else None   # tetrahedra even each other out without
    return CellPart(rows, kind, spread.way, volume, target, material.mean_young, angles, material.damping_time(longest),
                    np.inf if material.yield_stress is None else material.yield_stress, material.hardening,
                    None if isinstance(material.young, float) else np.linalg.inv(target))


def _by_length(spread, material):
    """Springs of the report: λ0/l on every spring of the stencils that every cell has."""
    ends = [np.empty((0, 2), np.int32)]
    for kind, rows in spread.cells.items():
        form = stencil(kind, spread.way)
        ends.append(rows[:, form.pairs[~form.optional]].reshape(-1, 2))
    pairs = unique_pairs(np.concatenate(ends), len(spread.position))
    length = lengths(spread.position, pairs)
    return CellSprings(pairs, material.linear_stiffness / length, material.linear_viscosity / length, 1.0)


def spring_group(kind, springs):
    """The SpringGroup of what `cell_springs` made."""
    return SpringGroup(kind, *(None if each is None else frozen(each) for each in (
        springs.particles, springs.stiffness, springs.viscosity, springs.limit, springs.hardening)))


def lengths(position, pairs):
    """(m,) m."""
    return np.linalg.norm(position[pairs[:, 1]] - position[pairs[:, 0]], axis=1)


def _lines(position, lattice, sections):
    """Angular springs E I/l along straight lines; a spring of section A has I = A²/12, that of a square.

    A = k L/E, so that E I = E A · A/12.
    """
    triples, spring = straight_triples(position, lattice.particles)
    length = lengths(position, lattice.particles)
    mean_length = length[spring].mean(axis=1)
    if sections:
        stiffness, viscosity = (np.broadcast_to(value, len(triples)) / mean_length
                                for value in (sections.angular_stiffness, sections.angular_viscosity))
    else:
        pull = lattice.stiffness * length                            # E A
        stiffness = (pull * pull / (12.0 * lattice.young))[spring].mean(axis=1) / mean_length
        viscosity = stiffness * (lattice.viscosity / lattice.stiffness)[spring].mean(axis=1)
    used = (stiffness > 0.0) | (viscosity > 0.0)
    return SpringGroup("angular", frozen(triples[used]), frozen(stiffness[used]), frozen(viscosity[used]))


def _skin(mesh, position, of_cell, known, volumes, longest):
    """Articular springs about the edges of the surface, of a layer half a mean cell thick of what lies below."""
    if isinstance(known[0], SectionMaterial):
        corners = folds(mesh.triangles, len(mesh.points))
        length = lengths(position, corners[:, 1:3])
        return SpringGroup("articular", frozen(corners), frozen(known[0].angular_stiffness / length),
                           frozen(known[0].angular_viscosity / length))
    thickness = 0.5 * np.cbrt(sum(volume.sum() for volume in volumes.values()) / sum(map(len, volumes.values())))
    young, time = (_at_points(mesh, of_cell, volumes, values) for values in (
        [one.mean_young for one in known], [one.damping_time(longest) for one in known]))
    return fold_springs(position, mesh.triangles, young * thickness ** 3 / 12.0, time)


def _at_points(mesh, of_cell, volumes, values):
    """(n,) mean of the cells around each point, by volume; one number where all are the same."""
    if len(set(values)) == 1:
        return values[0]
    total, weight = np.zeros(len(mesh.points)), np.zeros(len(mesh.points))
    for kind, number in of_cell.items():
        for column in mesh.cells[kind].T:
            total += np.bincount(column, volumes[kind] * np.array(values)[number], len(total))
            weight += np.bincount(column, volumes[kind], len(total))
    return total / np.where(weight > 0.0, weight, 1.0)


def fold_springs(position, triangles, bending, damping_time):
    """Articular springs of a surface whose bending stiffness is D = `bending` [N·m]: κ = D |e|²/(A1 + A2) about each edge e.

    Bending and damping time are one number or one a particle, of which the ends of the edge take the mean.

    On equilateral triangles this is D · 2/√3 (Seung and Nelson 1988): rolled up, the surface is a plate of stiffness D; where
    it is curved both ways it behaves as with ν = −1/3. Edges beside triangles so flat that an arm lies along them are left out.
    """
    corners = folds(triangles, len(position))
    edge = position[corners[:, 2]] - position[corners[:, 1]]
    twice = [np.linalg.norm(np.cross(position[corners[:, side]] - position[corners[:, 1]], edge), axis=1) for side in (0, 3)]
    square = np.einsum("ei,ei->e", edge, edge)
    bending, damping_time = (value if np.ndim(value) == 0 else value[corners[:, 1:3]].mean(axis=1)
                             for value in (bending, damping_time))
    stiffness = bending * square / (0.5 * (twice[0] + twice[1]))
    proper = np.minimum(*twice) > 1e-6 * square
    return SpringGroup("articular", *(frozen(each[proper]) for each in (corners, stiffness, damping_time * stiffness)))


def facet_regions(triangles, regions):
    """{name: (k,) int32 facets whose three particles belong to the region}."""
    found = {}
    for name, points in regions.items():
        inside = np.zeros(int(triangles.max(initial=-1)) + 1, bool)
        inside[points[points < len(inside)]] = True
        facets = np.flatnonzero(inside[triangles].all(axis=1)).astype(np.int32)
        if len(facets):
            found[name] = frozen(facets)
    return found


def _polyhedra(mesh):
    """Facets by part: those of the surface whose cell belongs to it; all of them where the mesh has no parts."""
    facets = np.arange(len(mesh.triangles), dtype=np.int32)
    parts = {name: by_kind for name, by_kind in mesh.cell_regions.items() if name.startswith("part")}
    if not parts:
        return {"body": frozen(facets)}
    count, found = len(mesh.points), {}
    for name, by_kind in parts.items():
        inside = np.zeros(count, bool)
        for kind, cells in by_kind.items():
            if kind in KINDS and kind in mesh.cells:
                inside[mesh.cells[kind][cells]] = True
        found[name] = frozen(facets[inside[mesh.triangles].all(axis=1)])
    return found


def say(material):
    """Plain values of a material for notes."""
    return {name: (list(value) if isinstance(value, tuple) else value.tolist() if isinstance(value, np.ndarray) else value)
            for name, value in ((each.name, getattr(material, each.name)) for each in fields(material))}
