"""Shapes of convex parts that meet facet to facet: tube, torus, and a profile swept along a path."""
from itertools import pairwise

import numpy as np

from robotphi.geometry.polygons import check_facets, convex_polygon, loft, regular_polygon
from robotphi.geometry.polyhedron import Compound
from robotphi.scene.checks import first_true, floats, number, refuse, vector, whole
from robotphi.scene.statements import made


@made
def tube(radius, inner_radius, height, sides=24, centre=(0.0, 0.0, 0.0)):
    """Hollow cylinder along z [m], as many parts as sides; facets bottom, top, start, outside, end, inside of each."""
    radius, height = (number("tube", what, value, above=0.0) for what, value in (("radius", radius), ("height", height)))
    inner = _smaller("tube", "inner_radius", inner_radius, radius)
    centre = vector("tube", "centre", centre)
    check_facets("tube", 6 * whole("tube", "sides", sides, low=3))
    circle = regular_polygon(sides)
    after = np.roll(circle, -1, axis=0)
    ends = np.stack([inner * circle, radius * circle, radius * after, inner * after], axis=1)
    bottom, top = (np.concatenate([ends, np.full((len(ends), 4, 1), z)], axis=2) + centre for z in (-height / 2, height / 2))
    names = ("bottom", "top", "start", "outside", "end", "inside")
    return Compound(tuple(loft(below, above, names) for below, above in zip(bottom, top, strict=True)))


@made
def torus(radius, tube_radius, sections=24, sides=12, centre=(0.0, 0.0, 0.0)):
    """Torus around z: the middle of the tube at `radius`, its vertices at `tube_radius` from there [m].

    Two neighbouring sections are mirror images, so every part is a straight prism cut slantwise: its facets are plane.
    Facets start, end, side 0 (outermost) … of each part.
    """
    radius = number("torus", "radius", radius, above=0.0)
    tube_radius = _smaller("torus", "tube_radius", tube_radius, radius)
    sections, sides = whole("torus", "sections", sections, low=3), whole("torus", "sides", sides, low=3)
    check_facets("torus", sections * (sides + 2))
    along = regular_polygon(sections)
    # outwards × up points backwards: going round the tube clockwise, its sections are counter-clockwise from their end
    across, up = (tube_radius * regular_polygon(sides) * (1, -1)).T
    rings = np.stack([np.column_stack([np.outer(radius + across, way), up]) for way in along])
    rings += vector("torus", "centre", centre)
    return Compound(tuple(loft(one, other) for one, other in zip(rings, np.roll(rings, -1, axis=0), strict=True)))


@made
def swept(profile, path, up=None, closed=False):
    """A convex profile (k, 2) [m] swept along a path (n, 3) [m]; one part per piece of the path, mitred where it turns.

    Args:
        up: where the second coordinate of the profile points at the start; z by default, y for a path that starts along z.
        closed: whether the path returns to its first point.
    Facets of each part: start, end, side 0 (corners 0 and 1 of the profile) …
    """
    profile = convex_polygon("swept", "profile", profile)
    path = floats("swept", "path", path)
    if path.ndim != 2 or path.shape[1] != 3 or len(path) < 2 + closed:
        refuse("swept", f"path has shape {path.shape}", f"give at least {2 + closed} rows of three numbers")
    stops = np.vstack([path, path[:1]]) if closed else path
    steps = np.diff(stops, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    bad = first_true(lengths <= 1e-12 * np.abs(path).max())
    if bad is not None:
        refuse("swept, path", "two points in a row coincide", "leave one out", bad)
    along = steps / lengths[:, None]
    planes = _mitres(along, closed)
    section = _first_section(profile, path[0], along[0], up)
    if closed:
        section = _slide(section, path[0], along[0], planes[0])[0]
    sections = [section]
    for index, direction in enumerate(along):
        section, way = _slide(section, stops[index + 1], direction, planes[index + 1])
        if np.any(way <= 1e-9 * lengths[index]):
            refuse("swept, path", "the profile is too wide for this turn",
                   "make it narrower, the turn wider or the pieces longer", index)
        sections.append(section)
    if closed and np.abs(sections[-1] - sections[0]).max() > 1e-9 * np.ptp(path, axis=0).max():
        refuse("swept", "the profile comes back turned", "close only a path that lies in a plane")
    if closed:
        sections[-1] = sections[0]
    return Compound(tuple(loft(one, other) for one, other in pairwise(sections)))


def _smaller(where, what, value, radius):
    value = number(where, what, value, above=0.0)
    if value >= radius:
        refuse(where, f"{what} is {value:g}", f"it must be smaller than radius, {radius:g}")
    return value


def _mitres(along, closed):
    """Normals of the sections: halfway between the directions before and after."""
    before = np.vstack([along[-1:] if closed else along[:1], along])
    after = np.vstack([along, along[:1] if closed else along[-1:]])
    bad = first_true(np.einsum("ij,ij->i", before, after) < -0.99)
    if bad is not None:
        refuse("swept, path", "the path turns back on itself", "give it a wider turn", bad)
    return before + after


def _first_section(profile, point, direction, up):
    """The profile across the first piece; its own first coordinate is up × direction."""
    if up is None:
        up = np.array((0.0, 0.0, 1.0) if abs(direction[2]) < 0.999 else (0.0, 1.0, 0.0))
    second = vector("swept", "up", up) - (up @ direction) * direction
    if np.linalg.norm(second) <= 1e-6 * np.linalg.norm(up):
        refuse("swept", "up points along the path", "give a direction across the first piece")
    second = second / np.linalg.norm(second)
    return point + profile[:, :1] * np.cross(second, direction) + profile[:, 1:] * second


def _slide(section, point, direction, normal):
    """The section moved along the direction into the plane at `point`, and how far each corner went."""
    way = (point - section) @ normal / (direction @ normal)
    return section + way[:, None] * direction, way
