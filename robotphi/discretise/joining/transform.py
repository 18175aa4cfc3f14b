"""Transforms: objects and meshes moved, turned, mirrored and repeated; masses, stiffnesses and names go along.

Only rigid motions and mirror images: they change no length, so springs, masses and materials keep their meaning. What is to be
larger is scaled as a shape, before it is discretised.
"""
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from robotphi.discretise.masses.moments import fan
from robotphi.geometry.cells import KINDS, MIRRORED
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.transforms import mirror
from robotphi.scene.checks import frozen, number, refuse, vector, whole
from robotphi.scene.objects import Object
from robotphi.scene.poses import pose_matrix
from robotphi.scene.saying import made
from robotphi.scene.turns import rotation_about

ROUNDING = 1e-15  # of a quarter turn: its matrix has exact zeros and ones


@made
def moved(thing, shift):
    """The object or mesh, shifted [m]."""
    return _mapped(thing, np.eye(3), vector("moved", "shift", shift))


@made
def turned(thing, axis, angle, about=(0.0, 0.0, 0.0)):
    """The object or mesh, turned by an angle [rad], right-handed about an axis through the point `about`."""
    return _mapped(thing, *_turn("turned", axis, number("turned", "angle", angle), about))


@made
def posed(thing, pose):
    """The object or mesh in a pose: a (4, 4) matrix, rotation and shift, or (position, quaternion)."""
    matrix = pose_matrix("posed", "pose", pose)
    return _mapped(thing, matrix[:3, :3], matrix[:3, 3])


@made
def mirrored(thing, normal, point=(0.0, 0.0, 0.0)):
    """The image of the object or mesh in the plane through `point`: facets stay outward, cells keep positive volumes.

    Articular springs exchange their first and second arm, so that each angle keeps its sign: what bends the object to its left
    bends the image to its right.
    """
    return _mapped(thing, *mirror(normal, point))


def in_line(thing, count, step):
    """`count` copies, the first in place, each shifted by `step` [m] from the one before: a tuple."""
    step = vector("in_line", "step", step)
    return tuple(moved(thing, i * step) for i in range(whole("in_line", "count", count)))


def in_grid(thing, counts, steps):
    """Copies on a grid: `counts` along each of the `steps` [m], vectors of any angle; the last goes fastest: a tuple."""
    if not all(isinstance(each, Sequence | np.ndarray) and np.ndim(each) for each in (counts, steps)):
        refuse("in_grid", f"counts are {counts!r:.60} and steps {steps!r:.60}",
               "give as many counts as steps, for example (2, 3) and ((0.1, 0, 0), (0, 0.1, 0))")
    counts, steps = list(counts), list(steps)
    if len(counts) != len(steps) or not counts:
        refuse("in_grid", f"{len(counts)} counts and {len(steps)} steps", "give one step, a vector, per count")
    counts = [whole("in_grid", "a count", count.item() if isinstance(count, np.generic) else count) for count in counts]
    steps = np.array([vector("in_grid", "a step", step) for step in steps])
    return tuple(moved(thing, np.array(place) @ steps) for place in np.ndindex(*counts))


@made
def in_ring(thing, count, axis=(0.0, 0.0, 1.0), about=(0.0, 0.0, 0.0), angle=2.0 * np.pi):
    """`count` copies around an axis through `about`, the first in place, evenly over a turn or up to `angle` [rad]: a tuple."""
    count, angle = whole("in_ring", "count", count), number("in_ring", "angle", angle)
    gaps = count if abs(abs(angle) - 2.0 * np.pi) < 1e-12 else max(count - 1, 1)
    return tuple(_mapped(thing, *_turn("in_ring", axis, i * angle / gaps, about)) for i in range(count))


def _turn(where, axis, angle, about):
    """Matrix and shift of a turn: about + R (x − about)."""
    axis, about = vector(where, "axis", axis), vector(where, "about", about)
    length = np.linalg.norm(axis)
    if length == 0.0:
        refuse(where, "axis is zero", "give a direction such as (0, 0, 1)")
    matrix = rotation_about(axis / length, angle)
    near = np.rint(matrix)
    matrix = np.where(np.abs(matrix - near) <= ROUNDING, near, matrix)
    return matrix, about - matrix @ about


def _mapped(thing, matrix, shift):
    """`matrix` x + `shift` of everything, the matrix orthogonal."""
    flip = np.linalg.det(matrix) < 0.0
    if isinstance(thing, Mesh):
        cells = {kind: _mirrored_cells(kind, rows) if flip else rows for kind, rows in thing.cells.items()}
        return replace(thing, points=_places(thing.points, matrix, shift), cells=cells)
    if not isinstance(thing, Object):
        refuse("transform", f"it is {thing!r:.60}", "give an Object or a Mesh; shapes have transformed(...) of their own")
    rigids = tuple(replace(part, centre=matrix @ part.centre + shift, inertia=matrix @ part.inertia @ matrix.T)
                   for part in thing.rigids)
    position = frozen(_places(thing.position, matrix, shift))
    changed = {"position": position, "rigids": rigids, "notes": _notes(thing.notes, matrix)}
    if flip:
        changed |= {"facets": thing.facets[:, ::-1],
                    "springs": {name: _mirrored_springs(group) for name, group in thing.springs.items()},
                    "cells": {kind: _mirrored_cells(kind, rows) for kind, rows in thing.cells.items()}}
    return replace(thing, **changed)


def _places(places, matrix, shift):
    return places + shift if np.array_equal(matrix, np.eye(3)) else places @ matrix.T + shift


def _mirrored_springs(group):
    return replace(group, particles=frozen(group.particles[:, [3, 1, 2, 0]])) if group.kind == "articular" else group


def _mirrored_cells(kind, rows):
    """Corners in the order of `MIRRORED`; inner particles (see `masses`) follow the facets and tetrahedra of their own."""
    order = list(MIRRORED[kind])
    corners = len(order)
    if rows.shape[1] == corners + len(KINDS[kind].tetrahedra):
        order += _matched(KINDS[kind].tetrahedra, order, corners)
    elif kind in KINDS and rows.shape[1] > corners + 1:
        cell = fan(kind)
        quads = _matched(cell.quads, order, corners)
        centre = corners + len(quads)
        if rows.shape[1] == centre + 1 + len(cell.triangles):
            order += [*quads, centre, *_matched(cell.triangles, [*order, *quads], centre + 1)]
    return rows[:, [*order, *range(len(order), rows.shape[1])]]


def _matched(pieces, order, start):
    """Columns from `start` on, one per piece of the cell: which piece of the given cell each one of the image is."""
    known = {frozenset(piece): start + i for i, piece in enumerate(np.asarray(pieces).tolist())}
    found = [known.get(frozenset(order[corner] for corner in piece)) for piece in known]
    return found if None not in found else list(known.values())


def _notes(notes, matrix):
    """Notes without the certificate, which speaks of other places; the axes of materials turn along."""
    notes = {name: value for name, value in notes.items() if name != "certificate"}
    if "parts" in notes:
        notes["parts"] = {name: _notes(each, matrix) for name, each in notes["parts"].items()}
    if "materials" in notes and not np.array_equal(matrix, np.eye(3)):
        notes["materials"] = [_turned_material(each, matrix) for each in notes["materials"]]
    return notes


def _turned_material(material, matrix):
    if not isinstance(material.get("young"), (list, tuple)):
        return material
    frame = np.eye(3) if material.get("frame") is None else np.array(material["frame"])
    return {**material, "frame": (matrix @ frame).tolist()}
