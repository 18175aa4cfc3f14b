"""Bones that ligaments wrap round: of nominal dimensions, or a user's mesh cut into convex parts.

The nominal ones are not those of a person. Their dimensions are chosen so that the strands of `data/knee` begin and end near
their surface, and with that they have about the size of a grown-up's: a tibia as a stack of elliptical frustums, wide below its
plateau, two condyles as the femur.
"""
from itertools import pairwise
from pathlib import Path

import numpy as np

from robotphi.errors import SceneError
from robotphi.geometry.decompose import convex_parts
from robotphi.geometry.files import read_mesh
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.polygons import loft, regular_polygon
from robotphi.geometry.polyhedron import Compound
from robotphi.geometry.rounds import uv_sphere
from robotphi.scene.checks import refuse, whole

NOMINAL = "nominal"
# m: height y, middle x and half width along z of the rings of a tibia, from below; half depth along x over half width along z.
TIBIA = ((-0.110, 0.004, 0.0150), (-0.075, 0.004, 0.0165), (-0.055, 0.002, 0.0205), (-0.042, 0.000, 0.0305),
         (-0.032, 0.000, 0.0320))
DEPTH = 0.75
# m, middle and half widths along x, y, z of the condyles of a femur, the medial one first
CONDYLES = (((0.0, 0.0, -0.0250), (0.020, 0.020, 0.0125)), ((0.0, 0.0, 0.0235), (0.020, 0.020, 0.0115)))
SIZES = 0.02, 0.6                                        # m, extents of a bone that are taken as meant
UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}


def nominal_tibia(sides=48):
    """A stack of elliptical frustums, each convex, as a Compound."""
    circle = regular_polygon(whole("nominal tibia", "sides", sides, 8))
    rings = []
    for height, middle, wide in TIBIA:
        # seen from above, along −y, x to the right and z downwards: counter-clockwise is from x to −z
        rings.append(np.column_stack([middle + DEPTH * wide * circle[:, 0], np.full(sides, height), -wide * circle[:, 1]]))
    return Compound(tuple(loft(low, high) for low, high in pairwise(rings)))


def nominal_femur(sides=32):
    """Two ellipsoids as a Compound, the notch for the cruciates between them."""
    return Compound(tuple(uv_sphere(1.0, sides, sides // 2).transformed(np.diag(half), middle) for middle, half in CONDYLES))


def read_bone(path, unit="mm", parts=16):
    """A closed mesh in the axes of its bone, cut into so many convex parts at most, as a Compound.

    Args:
        path: of an STL, OBJ, PLY or other mesh file.
        unit: of its numbers, m, cm or mm: such files do not tell.
        parts: more follow hollows better, and take longer to touch.
    """
    where = f"bone {Path(path).name!r}" if isinstance(path, (str, Path)) else "bone"
    if unit not in UNITS:
        refuse(where, f"its unit is {unit!r:.30}", f"it may be {', '.join(UNITS)}")
    try:
        mesh = read_mesh(path)
        mesh = Mesh(mesh.points * UNITS[unit], mesh.cells)
        extent = np.ptp(mesh.points, axis=0).max()
        if not SIZES[0] <= extent <= SIZES[1]:
            refuse(where, f"it would be {extent:.3g} m long",
                   f"tell the unit of its numbers, {', '.join(UNITS)}: it is read as {unit}")
        return convex_parts(mesh, parts=whole(where, "parts", parts))
    except SceneError as error:
        raise SceneError(str(error) if where in str(error) else f"{where}: {error}") from None


def bone_of(what, told, unit="mm", parts=16):
    """A bone as a Compound: "nominal", a path, or a Compound itself; None for "" or None."""
    if told is None or (isinstance(told, str) and not told):
        return None
    if isinstance(told, Compound):
        return told
    if told == NOMINAL:
        return nominal_femur() if what == "femur" else nominal_tibia()
    return read_bone(told, unit, parts)
