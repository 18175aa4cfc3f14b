"""Checks of the cells of soft objects: slivers, cells that lock in bending, and matter that its cells do not reach.

Cubes exceed E I by about 1.5/n² with n cells across, so that one cell across is two and a half times as stiff as the solid and
three are by 17 %; cells three times as long as wide lock likewise. Flat tetrahedra, whose faces meet at angles near 0° or 180°,
are as stiff as they are flat, and the step suffers for them.
"""
import numpy as np

from robotphi.discretise.cells.quality import corner_volumes, dihedral_angles
from robotphi.geometry.cells import KINDS, VOLUME_KINDS
from robotphi.geometry.mesh import Mesh
from robotphi.run.lint.findings import Finding, first_of
from robotphi.run.lint.sizes import materials

FLAT, WIDE = 5.0, 170.0   # degrees between two faces of a tetrahedron
THIN = 0.02               # smallest over largest corner of another cell
SLENDER = 3.0             # times as long as thin: what bends
EXCESS = 1.5              # of E I, over the square of the cells across
MUCH, SOME = 0.5, 0.1     # of E I too much: told as serious, told
LONG = 3.0                # length over width of cells that lock
FAR = 0.1                 # of E, that is missed
ALONG = 0.9               # cosine of an edge with an axis


def slivers(subject):
    """Cells that are all but flat."""
    found = []
    for name, thing in _soft(subject):
        mesh = _mesh_of(thing)
        bad, count = 0, sum(map(len, mesh.cells.values()))
        for kind, corners in corner_volumes(mesh).items():
            if kind == "tetrahedron":
                angles = dihedral_angles(mesh)
                bad += int(np.count_nonzero((angles.min(axis=1) < FLAT) | (angles.max(axis=1) > WIDE)))
            else:
                bad += int(np.count_nonzero(corners.min(axis=1) < THIN * corners.max(axis=1)))
        if bad:
            found.append(Finding(f"{bad} of the {count} cells of {name!r} are slivers, all but flat",
                                 'mesh it anew, such as by discretise(shape, size=…) with way="lattice", or mend its surface'))
    return first_of(found, "objects have slivers")


def locking(subject):
    """Slender objects with so few or so long cells that they resist bending far more than the solid."""
    found = []
    for name, thing in _soft(subject):
        ratio = max(_lengths(thing.notes), default=1.0)
        if ratio > LONG:
            found.append(Finding(f"the cells of {name!r} are {ratio:.2g} times as long as wide and lock in bending",
                                 "use cells about as long as wide, or sheet(…) for a thin plate"))
            continue
        across, slender = _across(thing)
        excess = EXCESS / across ** 2
        if slender >= SLENDER and excess > SOME:
            found.append(Finding(f"{name!r} is {slender:.2g} times as long as thin, with {across:.2g} cells across: it resists "
                                 f"bending by about {100.0 * excess:.0f} % more than the solid",
                                 f"{np.ceil(np.sqrt(EXCESS / SOME)):.0f} cells across leave 10 %; virtual_tests tells",
                                 serious=bool(excess > MUCH)))
    return first_of(found, "objects lock")


def missed_matter(subject):
    """Objects whose cells reach another modulus than their material asks for."""
    found = []
    for name, placed in subject.scene.objects.items():
        for material in materials(placed.object.notes):
            reached = material.get("reached") or {}
            wanted, there = material.get("young"), reached.get("young_of_axes")
            if wanted is None or there is None:
                continue
            miss = np.abs(np.asarray(there) / np.asarray(wanted)[..., :len(there)] - 1.0) if np.ndim(wanted) else \
                np.abs(np.asarray(there) / wanted - 1.0)
            if miss.max() > FAR:
                found.append(Finding(f"the cells of {name!r} reach E = {', '.join(f'{each:.3g}' for each in there)} Pa along "
                                     f"their axes, {np.mean(wanted):.3g} is wanted",
                                     "use cells about as long as wide, along the axes of the material, or tetrahedra"))
    return first_of(found, "objects miss their material")


def _soft(subject):
    """(name, Object) of objects with cells that deform."""
    for name, placed in subject.scene.objects.items():
        thing = placed.object
        if any(kind in VOLUME_KINDS and len(rows) for kind, rows in thing.cells.items()) and thing.springs:
            yield name, thing


def _mesh_of(thing):
    """The cells that deform, by their corners."""
    rigid = thing.rigid_of_particle >= 0
    cells = {kind: rows[:, :KINDS[kind].corners] for kind, rows in thing.cells.items() if kind in VOLUME_KINDS}
    return Mesh(thing.position, {kind: rows[~rigid[rows].all(axis=1)] for kind, rows in cells.items()})


def _lengths(notes):
    """Length over width of cells of an object, of joined ones too."""
    own = [notes["length over width of cells"]] if "length over width of cells" in notes else []
    return own + [each for part in notes.get("parts", {}).values() for each in _lengths(part)]


def _across(thing):
    """(cells across the thin side, long over thin side) of an object: along the axes of space or its principal ones, whichever
    fit it better."""
    mesh = _mesh_of(thing)
    used = np.unique(np.concatenate([rows.reshape(-1) for rows in mesh.cells.values()]))
    points = mesh.points[used] - mesh.points[used].mean(axis=0)
    own = np.linalg.svd(points, full_matrices=False)[2]
    axes = min((np.eye(3), own), key=lambda axes: np.prod(np.ptp(points @ axes.T, axis=0)))
    sides = np.ptp(points @ axes.T, axis=0)
    ends = [mesh.points[rows[:, KINDS[kind].edges]] for kind, rows in mesh.cells.items()]
    edges = np.concatenate([(each[:, :, 1] - each[:, :, 0]).reshape(-1, 3) for each in ends])
    thin = int(np.argmin(sides))
    along = np.abs(edges @ axes[thin])
    size = np.linalg.norm(edges, axis=1)
    chosen = along[along > ALONG * size]
    edge = float(np.median(chosen)) if len(chosen) else float(np.median(size))
    return sides[thin] / edge, float(sides.max() / sides[thin])
