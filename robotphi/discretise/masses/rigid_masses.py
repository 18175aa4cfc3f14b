"""Mass of rigid solids on particles: vertices, facet centres and the centre of inertia (RR-3072, section 2.3.2).

Mass, centre and the six inertia terms are exact, no mass is negative. With places r̃ from the centre along the principal axes,
each over the solid's own radius there (so that flat solids are served like balls):
    Σ m = M,  Σ m r̃ = 0,  Σ m r̃ r̃ᵀ = M 1,  m ≥ 0,  and  Σ (m − m0)²/m0  least
m0 is a share by tetrahedra. The conditions are ten; the masses follow from ten multipliers y as m = m0 max(0, 1 + Gᵀ y), which
Newton's way finds (the dual problem is smooth and convex). Should there be no such masses, six particles are added on the
principal axes, with which there always are; no solid is known that needs them.
"""
from typing import NamedTuple

import numpy as np

from robotphi.discretise.masses.moments import PAIRS
from robotphi.geometry.mass_properties import solid_properties
from robotphi.geometry.mesh import Mesh, compact
from robotphi.geometry.polyhedron import Compound, Polyhedron
from robotphi.scene.checks import number, refuse

ROUNDS = 200       # of Newton; about ten are usual, and where there are no such masses the multipliers grow for ever
DAMPING = 1e-14    # of the curvature, at least; Levenberg's, raised while a step would go uphill
SOLVED = 1e-9      # part of the mass by which Newton's conditions may fail before the last, linear, correction
EXACT = 1e-10      # what is left after it: rounding of places (1e-16 × length/thickness) in solids with just one solution
LEAST = 1e-6       # of the mean mass: m0 of a particle on which no tetrahedron stands


class RigidSpread(NamedTuple):
    """Particles of a rigid solid."""
    position: np.ndarray     # (n, 3) m: vertices, facet centres, centre, and what was added; part by part
    mass: np.ndarray         # (n,) kg, none negative
    added: tuple             # per part: whether particles on its axes were added


def rigid_masses(shape, density=None, mass=None):
    """The `RigidSpread` of a solid; give density [kg/m³] or total mass [kg].

    Args:
        shape: Polyhedron, Compound (part by part, or all of them for its solid), closed Mesh, or (points, triangles).
    """
    if (density is None) == (mass is None):
        refuse("rigid mass", f"density is {density!r} and mass is {mass!r}", "give one of the two")
    parts = [_surface(part) for part in (shape.parts if isinstance(shape, Compound) else (shape,))]
    if mass is None:
        density = number("rigid mass", "density", density, above=0.0)
    else:
        volume = shape.volume if isinstance(shape, Compound) else parts[0][2].volume
        density = number("rigid mass", "mass", mass, above=0.0) / volume
    done = [_spread(*part, density) for part in parts]
    if isinstance(shape, Compound) and shape.solid is not None:
        return _standing_for(shape.solid.properties(density), done)
    return RigidSpread(np.concatenate([each[0] for each in done]), np.concatenate([each[1] for each in done]),
                       tuple(each[2] for each in done))


def _standing_for(solid, done):
    """The particles of all parts with the mass, centre and inertia of the solid that they stand for."""
    position = np.concatenate([each[0] for each in done])
    mass = masses_on(position, solid.mass, solid.centre, solid.inertia)
    if mass is None:
        refuse("rigid mass", "no masses on the parts of this compound have the inertia of its solid",
               "give parts that fill the solid better, such as those of convex_parts with a smaller threshold")
    return RigidSpread(position, mass, tuple(each[2] for each in done))


def masses_on(position, mass, centre, inertia):
    """(n,) masses, none negative, with which these particles have this mass, centre and inertia about it; None where there
    are none, as for particles in a plane or all too near to the centre."""
    squares, axes = np.linalg.eigh((np.trace(inertia) / 2 * np.eye(3) - inertia) / mass)
    if not squares[0] > 0.0:
        return None
    share = balanced((position - centre) @ axes / np.sqrt(squares), np.full(len(position), 1.0 / len(position)))
    return None if share is None else mass * share


def _surface(shape):
    """(points, triangles, solid): vertices and facet centres, triangles between them, properties for density 1."""
    if isinstance(shape, Polyhedron):
        points, triangles, _ = shape.triangulated(centres=True)
        solid = shape.properties()
    else:
        vertices, facets = (shape.points, shape.triangles) if isinstance(shape, Mesh) else shape
        vertices, facets = np.asarray(vertices, float), np.asarray(facets)
        solid = solid_properties(vertices, facets)
        used, facets = compact(facets)
        vertices = vertices[used]
        points = np.concatenate([vertices, vertices[facets].mean(axis=1)])
        middle = len(vertices) + np.arange(len(facets))
        triangles = np.concatenate([np.stack([facets[:, i], facets[:, (i + 1) % 3], middle], axis=1) for i in range(3)])
    if not solid.volume > 0.0:
        refuse("rigid mass", f"the volume is {solid.volume:g}", "give a closed surface whose facets point outwards")
    return points, triangles, solid


def _own_frame(points, triangles, solid):
    """Volume, centre, `frame` (3, 3) and places r̃ of the points, p = centre + frame r̃, in which ∫ r̃ r̃ᵀ dV/V = 1.

    The properties are taken again in the frame that they give: there a solid is as thick as it is long, and its volume keeps
    the digits that products of its long edges lose.
    """
    volume, centre, frame = solid.volume, solid.centre, np.eye(3)
    scaled, own = points - centre, solid._replace(centre=np.zeros(3))
    for again in (True, False):
        squares, axes = np.linalg.eigh((np.trace(own.inertia) / 2 * np.eye(3) - own.inertia) / own.volume)
        if not squares[0] > 0.0:
            refuse("rigid mass", "its surface bounds no solid: a second moment is not positive", "look for facets that cross")
        axes, radius = axes * np.sign(np.linalg.det(axes)), np.sqrt(squares)  # right-handed: facets stay outward
        centre = centre + frame @ own.centre
        scaled = (scaled - own.centre) @ axes / radius
        frame = frame @ (axes * radius)
        if again:
            own = solid_properties(scaled, triangles)
            volume = own.volume * radius.prod()
    return volume, centre, frame, scaled


def _spread(points, triangles, solid, density):
    """Particles (n, 3), masses (n,) and whether some were added, for one solid."""
    volume, centre, frame, scaled = _own_frame(points, triangles, solid)
    total = density * volume
    pieces = np.einsum("ti,ti->t", scaled[triangles[:, 0]], np.cross(scaled[triangles[:, 1]], scaled[triangles[:, 2]]))
    start = _start(len(points), triangles, pieces)
    scaled, points = np.concatenate([scaled, np.zeros((1, 3))]), np.concatenate([points, centre[None]])
    share = balanced(scaled, start)
    if share is not None:
        return points, total * share, False
    six = np.sqrt(3.0) * np.concatenate([np.eye(3), -np.eye(3)])  # alone, with a sixth each, they are a solution
    share = balanced(np.concatenate([scaled, six]), np.concatenate([start, np.full(6, 1 / 6)]) / 2)
    if share is None:
        share = np.concatenate([np.zeros(len(scaled)), np.full(6, 1 / 6)])
    return np.concatenate([points, centre + six @ frame.T]), total * share, True


def _start(count, triangles, pieces):
    """(count + 1,) shares m0, the centre last: each tetrahedron's 1/20 for its corners, the 4/5 of its centroid to the centre
    of its facet (the last corner of its triangle) and the solid's, as far out as keeps about the same second moment."""
    pieces = np.abs(pieces) / np.abs(pieces).sum()
    share = np.full(count + 1, LEAST / count)
    np.add.at(share, triangles, pieces[:, None] / 20)
    np.add.at(share, triangles[:, 2], 0.45 * pieces)
    share[-1] += 0.4
    return share / share.sum()


def conditions(places):
    """(10, n) rows of mass, centre and second moments xx yy zz xy yz zx, and what they must add up to for a mass of 1."""
    x = places.T
    return np.stack([np.ones(len(places)), *x, *(x[i] * x[j] for i, j in PAIRS)]), np.array([1.0, 0, 0, 0, 1, 1, 1, 0, 0, 0])


def balanced(places, start):
    """(n,) masses that meet the conditions, none negative and near to `start`; None where there are none."""
    rows, wanted = conditions(places)
    y, part, height = np.zeros(10), np.ones(len(places)), start.sum() / 2
    damping = DAMPING
    for _ in range(ROUNDS):
        slope = rows @ (start * part) - wanted
        if np.abs(slope).max() < SOLVED:
            return _corrected(places, start * part)
        on = rows[:, part > 0.0]
        curve = (on * start[part > 0.0]) @ on.T
        step = np.linalg.solve(curve + damping * (1.0 + np.trace(curve)) * np.eye(10), -slope)
        tried = np.maximum(0.0, 1.0 + (y + step) @ rows)
        there = 0.5 * start @ tried ** 2 - wanted @ (y + step)
        if there <= height + 1e-4 * (slope @ step):  # downhill on the convex dual, ½ Σ m0 max(0, 1 + Gᵀ y)² − wanted · y
            y, part, height, damping = y + step, tried, there, max(damping / 10, DAMPING)
        else:
            damping *= 10
    return _any_masses(places, rows, wanted)


def _any_masses(places, rows, wanted):
    """Masses that meet the conditions, at most ten of them not zero (Lawson and Hanson 1974); None where there are none."""
    from scipy.optimize import nnls

    try:
        share, missing = nnls(rows, wanted, maxiter=30 * len(places))
    except RuntimeError:  # too many rounds
        return None
    return _corrected(places, share) if missing < SOLVED else None


def _corrected(places, share):
    """Masses that meet the conditions to rounding: the least change, in parts of each mass, of those that are not zero."""
    rows, wanted = conditions(places)
    for _ in range(3):
        weight = rows * share
        missing = wanted - rows @ share
        change = 1.0 + np.linalg.lstsq(weight @ rows.T, missing, rcond=None)[0] @ rows
        share = share * np.maximum(change, 0.0)
    return share if np.abs(rows @ share - wanted).max() < EXACT else None
