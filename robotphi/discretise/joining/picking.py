"""Picking: particles and facets of an Object, a Placed or a Mesh by where they are, as ascending indices.

Of a Placed they are particles of the scene, so that they can be pulled and measured at once; of an Object or a Mesh they can be
given a name. A set of particles may always be given as indices, as a mask or as the name of a region.
"""
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from robotphi.discretise.cells.nearest import pair_distance
from robotphi.geometry.mesh import Mesh
from robotphi.scene.checks import frozen, indices, number, refuse, vector, word
from robotphi.scene.objects import Object, Placed
from robotphi.scene.statements import made

ON_PLANE = 1e-9  # of the size of the thing: nearer than that is on the plane
WHERE = "picking"


class _Thing(NamedTuple):
    """What is picked from."""
    position: np.ndarray     # (n, 3) m
    facets: np.ndarray       # (f, 3) rows of position
    regions: dict
    facet_regions: dict
    number: np.ndarray | None    # (n,) what the particles are called outside; None: their rows


def _thing(thing):
    if isinstance(thing, Mesh):
        return _Thing(thing.points, thing.triangles, thing.regions, {}, None)
    own = thing.object if isinstance(thing, Placed) else thing
    if not isinstance(own, Object):
        refuse(WHERE, f"it is {thing!r:.60}", "give an Object, a Mesh or what add_object returned")
    return _Thing(own.position, own.facets, own.regions, own.facet_regions, None if own is thing else thing.particles)


def nearest(thing, point, among=None):
    """The particle nearest to a point [m]; `among` a set of particles only."""
    thing, point = _thing(thing), vector(WHERE, "point", point)
    rows = np.arange(len(thing.position)) if among is None else _rows(thing, among)
    return int(_called(thing, rows[[np.argmin(_length(thing.position[rows] - point))]])[0])


def in_box(thing, low, high):
    """Particles within a box, its sides included; `low` and `high` are opposite corners [m], −inf and inf leave a side open."""
    low, high = _corner("low", low), _corner("high", high)
    if (low > high).any():
        refuse(WHERE, f"low {low.tolist()} is above high {high.tolist()}", "give the lower corner first")
    return _found(thing, "in the box", lambda x: _length(x - np.clip(x, low, high)))


def in_sphere(thing, centre, radius):
    """Particles within `radius` [m] of the centre."""
    centre, radius = vector(WHERE, "centre", centre), number(WHERE, "radius", radius, low=0.0)
    return _found(thing, "in the sphere", lambda x: np.maximum(_length(x - centre) - radius, 0.0))


def on_plane(thing, point, normal, tolerance=None):
    """Particles on the plane through `point`, or nearer to it than `tolerance` [m]; 1e-9 of the thing's size where left out."""
    point, unit = vector(WHERE, "point", point), _unit("normal", normal)
    tolerance = near_enough(_thing(thing).position) if tolerance is None else number(WHERE, "tolerance", tolerance, low=0.0)
    return _found(thing, "on the plane", lambda x: np.maximum(np.abs((x - point) @ unit) - tolerance, 0.0), tolerance)


def where(thing, test):
    """Particles for which `test` holds: a function of positions (n, 3) that gives (n,) true or false."""
    given = _thing(thing)
    mask = np.asarray(test(given.position) if callable(test) else test)
    if mask.dtype != bool or mask.shape != (len(given.position),):
        refuse(WHERE, f"test gives an array of shape {mask.shape} and type {mask.dtype}",
               f"give a function such as lambda x: x[:, 2] > 0.1, with {len(given.position)} true or false")
    if not mask.any():
        refuse(WHERE, f"the test holds for none of {len(mask)} particles",
               f"they lie between {given.position.min(axis=0).tolist()} and {given.position.max(axis=0).tolist()}")
    return _called(given, np.flatnonzero(mask))


def union(thing, *sets):
    """Particles of any of the sets."""
    return _combined(thing, "any", sets)


def common(thing, *sets):
    """Particles of all of the sets."""
    return _combined(thing, "all", sets)


def without(thing, these, *others):
    """Particles of `these` that are in none of the others."""
    return _combined(thing, "only the first", (these, *others))


def nearest_facet(thing, point):
    """The facet nearest to a point [m], by the distance from its triangle."""
    thing, point = _facets(thing), vector(WHERE, "point", point)
    return int(np.argmin(pair_distance(point, thing.position[thing.facets])))


def facets_of(thing, particles):
    """Facets whose three particles are all in a set: with `on_plane`, `in_box` … facets on a plane, in a box …"""
    thing = _facets(thing)
    inside = np.zeros(len(thing.position), bool)
    inside[_rows(thing, particles)] = True
    count = inside[thing.facets].sum(axis=1)
    if not (count == 3).any():
        refuse(WHERE, f"none of {len(count)} facets has its three particles among the {inside.sum()} given",
               f"the most that a facet has is {count.max()}")
    return np.flatnonzero(count == 3).astype(np.int32)


def facing(thing, direction, angle):
    """Facets whose outward normal is within `angle` [rad] of a direction."""
    thing, unit = _facets(thing), _unit("direction", direction)
    angle = number(WHERE, "angle", angle, low=0.0, high=np.pi)
    corners = thing.position[thing.facets]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    apart = np.arctan2(_length(np.cross(normal, unit)), normal @ unit)  # exact near 0 too, where arccos is not
    apart[~normal.any(axis=1)] = np.inf                                 # facets without an area face nowhere
    found = np.flatnonzero(apart <= angle + 1e-9)                       # rounding of the normals of small facets
    if not len(found):
        refuse(WHERE, f"none of {len(apart)} facets faces that way within {angle:g} rad",
               f"facet {np.argmin(apart)} comes nearest, by {apart.min():.4g} rad")
    return found.astype(np.int32)


def particles_of(thing, facets):
    """Particles of facets, given as indices, a mask or the name of a facet region."""
    thing = _facets(thing)
    return _called(thing, np.unique(thing.facets[_facet_rows(thing, facets)]))


@made
def name_region(thing, name, particles):
    """The Object or Mesh with the region `name`, made of these particles."""
    rows = _rows(_nameable(thing, name, thing.regions if isinstance(thing, (Object, Mesh)) else ()), particles)
    return replace(thing, regions={**thing.regions, name: frozen(np.unique(rows).astype(np.int32))})


@made
def name_facets(thing, name, facets):
    """The Object with the facet region `name`, made of these facets."""
    if isinstance(thing, Mesh):
        refuse(WHERE, "a Mesh has no regions of facets", "name particles: those of an Object's facets follow from its regions")
    rows = _facet_rows(_nameable(thing, name, thing.facet_regions if isinstance(thing, Object) else ()), facets)
    return replace(thing, facet_regions={**thing.facet_regions, name: frozen(np.unique(rows).astype(np.int32))})


def _nameable(thing, name, taken):
    if isinstance(thing, Placed):
        refuse(WHERE, f"object {thing.name!r} is in a scene already", "name regions of the Object before it is placed")
    if not isinstance(name, str) or not name:
        refuse(WHERE, f"name is {name!r}", "give a word")
    if name in taken:
        refuse(WHERE, f"the name {name!r} is taken", f"taken are {', '.join(taken)}")
    return _thing(thing)


def _found(thing, place, gap, tolerance=0.0):
    """Particles whose distance gap(positions) from the place is zero."""
    thing = _thing(thing)
    apart = gap(thing.position)
    if not (apart == 0.0).any():
        row = int(np.argmin(apart))
        name = row if thing.number is None else thing.number[row]
        refuse(WHERE, f"none of {len(apart)} particles is {place}",
               f"particle {name} at {thing.position[row].tolist()} comes nearest, at {apart[row] + tolerance:.6g} m")
    return _called(thing, np.flatnonzero(apart == 0.0))


def _combined(thing, how, sets):
    thing = _thing(thing)
    if not sets:
        refuse(WHERE, "no set is given", "give regions or indices")
    masks = np.zeros((len(sets), len(thing.position)), bool)
    for mask, one in zip(masks, sets, strict=True):
        mask[_rows(thing, one)] = True
    inside = {"any": masks.any(axis=0), "all": masks.all(axis=0), "only the first": masks[0] & ~masks[1:].any(axis=0)}[how]
    if not inside.any():
        refuse(WHERE, f"no particle is in {how} of the {len(sets)} sets",
               f"they hold {', '.join(str(count) for count in masks.sum(axis=1))} particles")
    return _called(thing, np.flatnonzero(inside))


def _called(thing, rows):
    return frozen((rows if thing.number is None else np.sort(thing.number[rows])).astype(np.int32))


def chosen(thing, particles):
    """(k,) rows of a set of particles of an Object or Mesh: a region's name, a mask or indices."""
    return _rows(_thing(thing), particles)


def _rows(thing, particles):
    """Rows of positions from a region's name, a mask or indices as they are called outside."""
    if isinstance(particles, str):
        return thing.regions[word(WHERE, "region", particles, tuple(thing.regions))]
    given = np.asarray(particles)
    if given.dtype == bool and given.shape == (len(thing.position),):
        return np.flatnonzero(given)
    if thing.number is None:
        return np.atleast_1d(indices(WHERE, "particles", given, len(thing.position)))
    order = np.argsort(thing.number)
    given = np.atleast_1d(indices(WHERE, "particles", given, np.iinfo(np.int32).max))
    place = np.minimum(np.searchsorted(thing.number, given, sorter=order), len(order) - 1)
    if not np.array_equal(thing.number[order[place]], given):
        stranger = given[thing.number[order[place]] != given][0]
        refuse(WHERE, f"particle {stranger} of the scene is not one of this object", "give particles that were picked from it")
    return order[place]


def _facet_rows(thing, facets):
    if isinstance(facets, str):
        return thing.facet_regions[word(WHERE, "facet region", facets, tuple(thing.facet_regions))]
    given = np.asarray(facets)
    if given.dtype == bool and given.shape == (len(thing.facets),):
        return np.flatnonzero(given)
    return np.atleast_1d(indices(WHERE, "facets", given, len(thing.facets), "facet"))


def _facets(thing):
    given = _thing(thing)
    if not len(given.facets):
        refuse(WHERE, f"{thing!r:.80} has no facets", "pick particles")
    return given


def _corner(what, value):
    try:
        corner = np.array(value, float).reshape(3)
    except (TypeError, ValueError):
        corner = np.full(3, np.nan)
    if np.isnan(corner).any():
        refuse(WHERE, f"{what} is {value!r:.60}", "give three numbers, inf for an open side")
    return corner


def _unit(what, value):
    value = vector(WHERE, what, value)
    length = np.linalg.norm(value)
    if length == 0.0:
        refuse(WHERE, f"{what} is zero", "give a direction such as (0, 0, 1)")
    return value / length


def _length(x):
    return np.sqrt(np.einsum("ij,ij->i", x, x))


def near_enough(position):
    """Distance [m] that counts as none: a part of the size, and what rounding adds far from the origin."""
    return ON_PLANE * float(np.linalg.norm(np.ptp(position, axis=0))) + 1e-15 * float(np.abs(position).max())
