"""Shapes: solids with named facets.

Axes are along z and the middle of the box around a shape lies at `centre`. Round shapes are inscribed: their vertices lie on
the round surface, so that volume and inertia are those of the facetted body, a little less than those of the round one.
"""
import numpy as np

from robotphi.geometry.cells import UNIT
from robotphi.geometry.polygons import check_facets, convex_polygon, loft, regular_polygon
from robotphi.geometry.polyhedron import Polyhedron
from robotphi.geometry.rounds import capsule, revolve, sphere, uv_sphere
from robotphi.geometry.swept import swept, torus, tube
from robotphi.geometry.terrain import height_field, height_field_parts
from robotphi.scene.checks import floats, number, refuse, vector, whole
from robotphi.scene.statements import made

__all__ = ["box", "capsule", "cone", "cylinder", "height_field", "height_field_parts", "hexahedron", "prism", "sphere", "swept",
           "torus", "tube", "uv_sphere"]
BOX_NAMES = ("left", "right", "front", "back", "bottom", "top")  # −x, +x, −y, +y, −z, +z
BOX_FACETS = ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7))  # corners as in `cells`
ORIGIN = (0.0, 0.0, 0.0)


@made
def box(size, centre=ORIGIN):
    """Box of these edge lengths [m] along x, y, z (one number: a cube); facets left, right, front, back, bottom, top."""
    size = floats("box", "size", size)
    if size.shape not in ((), (3,)) or np.any(size <= 0.0):
        refuse("box", f"size is {size.tolist()!s:.60}", "give one length or three, each > 0")
    return Polyhedron((UNIT["hexahedron"] - 0.5) * size + vector("box", "centre", centre), BOX_FACETS, BOX_NAMES)


@made
def hexahedron(corners):
    """Hexahedron of (8, 3) corners [m] numbered as in `cells`, four around the bottom and four above them; named as a box.

    Its facets may be warped; `checks_solid.check_convex` says by how much.
    """
    corners = floats("hexahedron", "corners", corners)
    if corners.shape != (8, 3):
        refuse("hexahedron", f"corners has shape {corners.shape}", "give eight rows of three numbers")
    return Polyhedron(corners, BOX_FACETS, BOX_NAMES)


@made
def prism(polygon, height, centre=ORIGIN):
    """Prism over a convex polygon: (k, 2) corners [m] from the centre; facets bottom, top, side 0 (corners 0 and 1) …

    Corners given clockwise are taken backwards, since sides are numbered counter-clockwise.
    """
    polygon = convex_polygon("prism", "polygon", polygon)
    return _upright("prism", polygon, number("prism", "height", height, above=0.0), centre)


@made
def cylinder(radius, height, sides=24, centre=ORIGIN):
    """Cylinder of `sides` flat sides with edges at this radius [m]; facets bottom, top, side 0 …"""
    check_facets("cylinder", whole("cylinder", "sides", sides, low=3))
    circle = regular_polygon(sides) * number("cylinder", "radius", radius, above=0.0)
    return _upright("cylinder", circle, number("cylinder", "height", height, above=0.0), centre)


@made
def cone(radius, height, sides=24, top_radius=0.0, centre=ORIGIN):
    """Cone, or with a `top_radius` its frustum [m]; facets bottom, top (of a frustum), side 0 …"""
    radius, height = (number("cone", what, value, above=0.0) for what, value in (("radius", radius), ("height", height)))
    top_radius, sides = number("cone", "top_radius", top_radius, low=0.0), whole("cone", "sides", sides, low=3)
    check_facets("cone", sides)
    names = ["bottom", *(f"side {i}" for i in range(sides)), *(["top"] if top_radius > 0.0 else [])]
    return revolve([radius, top_radius], [-height / 2, height / 2], sides, vector("cone", "centre", centre), names)


def _upright(where, polygon, height, centre):
    z = np.full((len(polygon), 1), height / 2)
    centre = vector(where, "centre", centre)
    return loft(np.hstack([polygon, -z]) + centre, np.hstack([polygon, z]) + centre, ("bottom", "top", "side"))
