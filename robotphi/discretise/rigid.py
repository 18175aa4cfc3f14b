"""Rigid objects: a shape and a density in, an Object of one rigid part out, its particles of exact inertia."""
import numpy as np

from robotphi.discretise.joining.marking import mark
from robotphi.discretise.masses.certificate import certificate
from robotphi.discretise.masses.rigid_masses import rigid_masses
from robotphi.geometry.checks_solid import check_surface
from robotphi.geometry.mass_properties import solid_properties
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.overlap import overlap
from robotphi.geometry.polyhedron import Compound, Polyhedron
from robotphi.scene.checks import frozen, refuse
from robotphi.scene.objects import Object, RigidPart
from robotphi.scene.saying import made

WHERE = "rigid object"


@made
def rigid(shape, density=None, mass=None, name="body", points=None, frames=None):
    """An Object that keeps its form: one rigid part with particles on vertices and facet centres and at the centre of inertia.

    Args:
        shape: Polyhedron, Mesh with a closed surface, or Compound: its parts touch as one body, which has the mass properties
            of its solid where it stands for one, as those of `convex_parts` do.
        density: [kg/m³]; or mass: total [kg].
        name: of the rigid part.
        points, frames: to be marked by name, as `mark` does.
    """
    parts = shape.parts if isinstance(shape, Compound) else (shape,)
    if not all(isinstance(part, (Polyhedron, Mesh)) for part in parts):
        refuse(WHERE, f"shape is {shape!r:.60}", "give a Polyhedron, a Compound or a Mesh with a closed surface")
    if isinstance(shape, Mesh):
        check_surface(shape.points, shape.triangles)
    elif len(parts) > 1 and shape.solid is None and (pair := overlap(parts)) is not None:
        refuse(WHERE, f"parts {pair[0]} and {pair[1]} overlap, where their mass would count twice",
               "give parts that only touch, or Compound(parts, solid=…) with the Polyhedron whose mass properties they have "
               "together; convex_parts(...) does so")
    spread = rigid_masses(shape, density=density, mass=mass)
    facets, polyhedra, regions, facet_regions, start = [], {}, {}, {}, 0
    for number, part in enumerate(parts):
        corners, triangles, names = _surface(part)
        prefix = f"part {number}" if len(parts) > 1 else "body"
        first = sum(map(len, facets))
        polyhedra[prefix] = frozen(np.arange(first, first + len(triangles), dtype=np.int32))
        for region, own in names.items():
            label = f"{prefix} {region}" if len(parts) > 1 else region
            facet_regions[label] = frozen((first + own).astype(np.int32))
            regions[label] = frozen(np.unique(start + triangles[own]).astype(np.int32))
        facets.append(start + triangles)
        start += len(corners) + 1 + 6 * spread.added[number]  # behind them the centre, and what was added on the axes
    solid = solid_properties(shape.points, shape.triangles) if isinstance(shape, Mesh) else shape.properties()
    factor = density if mass is None else mass / solid.mass
    own = RigidPart(name, frozen(np.arange(len(spread.position), dtype=np.int32)), float(factor * solid.mass),
                    frozen(solid.centre.copy()), frozen(factor * solid.inertia))
    made = Object(position=frozen(spread.position), mass=frozen(spread.mass), rigids=(own,),
                  facets=frozen(np.concatenate(facets).astype(np.int32)), polyhedra=polyhedra, regions=regions,
                  facet_regions=facet_regions, notes={"way": "rigid"})
    made.notes["certificate"] = certificate(made)
    return mark(made, points, frames) if points or frames else made


def _surface(part):
    """(points, triangles, {name: triangles}) of one part, numbered as `rigid_masses` does."""
    if isinstance(part, Polyhedron):
        points, triangles, facet = part.triangulated(centres=True)
        number = {name: i for i, name in enumerate(dict.fromkeys(part.names))}
        of_triangle = np.array([number[name] for name in part.names])[facet]
        order = np.argsort(of_triangle, kind="stable")
        parted = np.split(order, np.cumsum(np.bincount(of_triangle, minlength=len(number)))[:-1])
        return points, triangles, dict(zip(number, parted, strict=True))
    used, facets = np.unique(part.triangles, return_inverse=True)
    facets = facets.reshape(-1, 3)
    middle = len(used) + np.arange(len(facets))
    triangles = np.concatenate([np.stack([facets[:, i], facets[:, (i + 1) % 3], middle], axis=1) for i in range(3)])
    return np.empty((len(used) + len(facets), 3)), triangles, {}
