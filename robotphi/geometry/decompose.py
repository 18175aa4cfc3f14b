"""Convex decomposition: a concave solid as a Compound of convex parts."""
import importlib

import numpy as np

from robotphi.errors import MeshError, SceneError
from robotphi.geometry.checks_solid import check_surface
from robotphi.geometry.hull import hull
from robotphi.geometry.mass_properties import solid_properties
from robotphi.geometry.mesh import compact
from robotphi.geometry.polyhedron import Compound, Polyhedron
from robotphi.scene.checks import number, refuse, whole, word

WAYS = ("coacd", "vhacd")
CONVEX = 1e-9     # of the volume: how much smaller than its hull a solid may be to count as convex
SLIVER = 1e-9     # of the volume: smaller parts are left out


def convex_parts(shape, way="coacd", threshold=0.05, parts=None, seed=0):
    """A closed Mesh or a Polyhedron as a Compound of convex parts; the same arguments give the same parts.

    The parts fill the solid nearly, not exactly, and may overlap a little: `volume_error` says by how much. The Compound keeps
    the solid, so that `rigid` of it has its exact mass, centre and inertia. A solid that is convex comes back as its hull,
    one part. Needs the extra `mesh` for solids that are not.

    Args:
        shape: closed surface, facets outward; checked.
        way: "coacd" (Wei et al. 2022, collision-aware: keeps handles and holes open) or "vhacd" (Mamou 2016, by voxels).
        threshold: concavity that a part may keep, 0.01 (many parts) to 1 (few); for "vhacd" the share of a part's volume
            that its hull may add.
        parts: at most so many; no limit unless told (64 for "vhacd").
        seed: of the search of "coacd"; "vhacd" draws no lots.
    """
    word("convex parts", "way", way, WAYS)
    number("convex parts", "threshold", threshold, low=0.01, high=1.0)
    if parts is not None:
        whole("convex parts", "parts", parts)
    whole("convex parts", "seed", seed, low=0)
    points, triangles = _surface(shape)
    volume = solid_properties(points, triangles).volume
    whole_hull = hull(points)
    if whole_hull.volume <= volume * (1.0 + CONVEX):
        return Compound((whole_hull,))
    # Both are written for bodies of about the size 1 near the origin.
    middle, size = (points.min(axis=0) + points.max(axis=0)) / 2, np.ptp(points, axis=0).max()
    scaled = (points - middle) / size
    found = _coacd(scaled, triangles, threshold, parts, seed) if way == "coacd" else _vhacd(scaled, triangles, threshold, parts)
    made = []
    for corners in found:
        try:
            made.append(hull(corners * size + middle))
        except SceneError:  # flat: it bounds no volume
            continue
    made = [part for part in made if part.volume > SLIVER * volume]
    if not made:
        raise MeshError(f"convex parts: {way} found none; try way={WAYS[way == 'coacd']!r} or another threshold")
    return Compound(tuple(made), Polyhedron(points, triangles))


def volume_error(shape, compound):
    """(volume of all parts − volume of the shape) / volume of the shape; overlaps count twice."""
    return sum(part.volume for part in compound.parts) / solid_properties(*_surface(shape, check=False)).volume - 1.0


def _surface(shape, check=True):
    if isinstance(shape, Polyhedron):
        points, triangles = shape.vertices, shape.triangles
    elif hasattr(shape, "triangles") and hasattr(shape, "points"):
        points, triangles = shape.points, shape.triangles
    else:
        refuse("convex parts", f"the shape is {shape!r:.60}", "give a Mesh or a Polyhedron")
    if check:
        check_surface(points, triangles)
    used, triangles = compact(triangles)
    return points[used], triangles


def _coacd(points, triangles, threshold, parts, seed):
    coacd = _imported("coacd")
    coacd.set_log_level("off")
    # The surface is closed and does not cut itself, so that it needs no repair, which would remesh it.
    found = coacd.run_coacd(coacd.Mesh(points, triangles), threshold=threshold, max_convex_hull=parts or -1,
                            preprocess_mode="off", seed=seed)
    return [np.array(corners) for corners, _ in found]


def _vhacd(points, triangles, threshold, parts):
    vhacdx = _imported("vhacdx")
    faces = np.column_stack([np.full(len(triangles), 3), triangles]).astype(np.uint32)
    found = vhacdx.compute_vhacd(points, faces.reshape(-1), maxConvexHulls=parts or 64, asyncACD=False,
                                 minimumVolumePercentErrorAllowed=100.0 * threshold)
    return [np.array(corners) for corners, _ in found]


def _imported(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MeshError(f"convex parts: {name} is not installed; pip install robotphi[mesh]") from None
