"""Things to be grasped: spheres, upright cylinders, meshes of the user's own."""
from dataclasses import dataclass

import numpy as np

from robotphi.discretise import rigid
from robotphi.discretise.joining.transform import moved
from robotphi.geometry import shapes
from robotphi.geometry.decompose import convex_parts
from robotphi.geometry.polyhedron import Polyhedron
from robotphi.scene.checks import number, refuse, whole

SIDES = 24   # of a cylinder, of which every eighth faces a finger of three


@dataclass(frozen=True, eq=False)
class Thing:
    """Something to be grasped, around its own origin; made by `sphere`, `cylinder` or `mesh`.

    Attributes:
        kind: "sphere", "cylinder" or "mesh".
        mass: [kg].
        shape: Polyhedron or Compound; None of a sphere.
        radius: of the sphere [m]; of other things the largest distance of their points from the origin.
        low, high: heights of its lowest and highest point over the origin [m].
    """
    kind: str
    mass: float
    shape: object
    radius: float
    low: float
    high: float

    @classmethod
    def sphere(cls, radius=0.03, mass=0.05):
        radius = number("sphere", "radius", radius, above=0.0)
        return cls("sphere", number("sphere", "mass", mass, above=0.0), None, radius, -radius, radius)

    @classmethod
    def cylinder(cls, radius=0.03, height=0.06, mass=0.05, sides=SIDES):
        """Upright, a prism of so many sides: faces are `radius` away from the axis, and one of them faces along x."""
        radius, sides = number("cylinder", "radius", radius, above=0.0), whole("cylinder", "sides", sides, low=3)
        turn = np.pi / sides * (2.0 * np.arange(sides) + 1.0)
        corners = radius / np.cos(np.pi / sides) * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        return cls._solid("cylinder", shapes.prism(corners, number("cylinder", "height", height, above=0.0)), mass)

    @classmethod
    def mesh(cls, mesh, mass=0.05, **parts):
        """What a closed Mesh or Polyhedron bounds, moved so that its centre is the origin.

        `parts`: as of `convex_parts`, where it is not convex.
        """
        found = convex_parts(mesh, **parts)
        centre = (found.parts[0] if found.solid is None else found.solid).properties().centre
        return cls._solid("mesh", found.transformed(np.eye(3), -centre), mass)

    @classmethod
    def _solid(cls, kind, shape, mass):
        points = np.concatenate([part.vertices for part in (shape,) if isinstance(part, Polyhedron)]
                                or [part.vertices for part in shape.parts])
        return cls(kind, number(kind, "mass", mass, above=0.0), shape, float(np.linalg.norm(points, axis=1).max()),
                   float(points[:, 2].min()), float(points[:, 2].max()))

    def add(self, scene, name, at, contact):
        """Put it into a scene with its origin at a place [m]; returns the handle of its rigid."""
        if self.kind == "sphere":
            return scene.add_ball(name, at, self.radius, mass=self.mass, contact=contact)
        return scene.add_object(name, moved(rigid(self.shape, mass=self.mass), at), contact=contact).rigids[0]

    def met(self, start, direction):
        """(place, outward normal) where a ray from outside first meets it, in its own axes [m]."""
        start, direction = np.asarray(start, float), np.asarray(direction, float) / np.linalg.norm(direction)
        if self.kind == "sphere":
            along = start @ direction
            square = along**2 - start @ start + self.radius**2
            if square < 0.0:
                refuse("thing", f"a ray from {start} passes the sphere", "aim at it")
            place = start + (-along - np.sqrt(square)) * direction
            return place, place / self.radius
        found = [hit for part in getattr(self.shape, "parts", (self.shape,)) if (hit := _first(part, start, direction))]
        if not found:
            refuse("thing", f"a ray from {start} along {direction} passes it", "aim at it")
        way, normal = min(found, key=lambda hit: hit[0])
        return start + way * direction, normal


def _first(part, start, direction):
    """(way, outward normal) where a ray enters a convex polyhedron, None where it does not: the last plane entered."""
    a, b, c = (part.vertices[part.triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    gap, speed = ((a - start) * normal).sum(axis=1), normal @ direction
    with np.errstate(divide="ignore", invalid="ignore"):
        way = gap / speed
    enters, leaves = speed < 0.0, speed > 0.0
    if np.any((speed == 0.0) & (gap < 0.0)) or not enters.any():
        return None
    last = np.flatnonzero(enters)[np.argmax(way[enters])]
    return (way[last], normal[last]) if way[last] <= way[leaves].min() else None
