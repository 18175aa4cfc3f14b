"""Mesh: points and cells, what discretisation makes and what mesh files hold."""
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from robotphi.geometry.cells import KINDS, SURFACE_KINDS, VOLUME_KINDS
from robotphi.scene.checks import first_true, floats, frozen, refuse, word


@dataclass(frozen=True, eq=False)
class Mesh:
    """Points and cells of several kinds; read-only arrays.

    Attributes:
        points: [m], (n, 3).
        cells: kind → (c, corners) int32 rows of points; kinds and their numbering are those of `cells.KINDS`.
        regions: name → (k,) int32 points; may be given as masks.
        cell_regions: name → {kind: (k,) int32 cells of that kind}; may be given as masks.
    """
    points: np.ndarray
    cells: dict
    regions: dict = field(default_factory=dict)
    cell_regions: dict = field(default_factory=dict)

    def __post_init__(self):
        points = floats("mesh", "points", self.points)
        if points.ndim != 2 or points.shape[1] != 3:
            refuse("mesh", f"points has shape {points.shape}", "give rows of three numbers")
        object.__setattr__(self, "points", frozen(points))
        for kind in self.cells:
            word("mesh", "kind of cell", kind, tuple(KINDS))
        cells = {kind: _rows(f"mesh, cells {kind!r}", rows, len(points), KINDS[kind].corners)
                 for kind, rows in self.cells.items()}
        object.__setattr__(self, "cells", {kind: rows for kind, rows in cells.items() if len(rows)})
        object.__setattr__(self, "regions", {name: _list(f"mesh, region {name!r}", rows, len(points))
                                             for name, rows in self.regions.items()})
        object.__setattr__(self, "cell_regions", {
            name: {kind: _list(f"mesh, cells of region {name!r}", rows, len(self.cells.get(kind, ())))
                   for kind, rows in by_kind.items()} for name, by_kind in self.cell_regions.items()})

    def __repr__(self):
        cells = ", ".join(f"{len(rows)} {kind}" for kind, rows in self.cells.items()) or "no cells"
        return f"<Mesh: {len(self.points)} points, {cells}>"

    @property
    def is_solid(self):
        """Whether it has cells with a volume."""
        return any(kind in self.cells for kind in VOLUME_KINDS)

    @cached_property
    def edges(self):
        """(e, 2) int32 edges of all cells, each once, lower point first, in ascending order."""
        ends = [rows[:, KINDS[kind].edges].reshape(-1, 2) for kind, rows in self.cells.items()]
        return frozen(unique_pairs(np.concatenate([np.empty((0, 2), np.int32), *ends]), len(self.points)))

    @cached_property
    def boundary(self):
        """{"triangle": (f, 3), "quad": (q, 4)} outward faces that belong to one volume cell only; of a surface, its cells."""
        if not self.is_solid:
            return {kind: self.cells[kind] for kind in SURFACE_KINDS if kind in self.cells}
        faces = self.faces
        outer = {size: rows[once] for size, (rows, once) in faces.items()}
        return {kind: frozen(outer[size]) for kind, size in (("triangle", 3), ("quad", 4)) if len(outer.get(size, ()))}

    @cached_property
    def faces(self):
        """{3: (rows, once), 4: …}: faces of all volume cells, shared ones once; `once` tells which belong to one cell."""
        gathered = {3: [], 4: []}
        for kind in VOLUME_KINDS:
            if kind in self.cells:
                for face in KINDS[kind].faces:
                    gathered[len(face)].append(self.cells[kind][:, face])
        return {size: _unique_faces(np.concatenate(rows), len(self.points)) for size, rows in gathered.items() if rows}

    @cached_property
    def triangles(self):
        """(f, 3) int32 outward boundary triangles; a quadrilateral is cut along the diagonal from its lowest point."""
        return frozen(np.concatenate([np.empty((0, 3), np.int32),
                                      self.boundary.get("triangle", np.empty((0, 3), np.int32)),
                                      split_quads(self.boundary.get("quad", np.empty((0, 4), np.int32)))]))


def compact(rows):
    """(k,) points that rows name, ascending, and the rows by their places among these, int32."""
    used, place = np.unique(rows, return_inverse=True)
    return used, place.reshape(np.shape(rows)).astype(np.int32)


def split_quads(quads):
    """(2 q, 3) triangles: each quadrilateral cut along the diagonal from its lowest point, the same from both its sides."""
    turned = np.take_along_axis(quads, (np.argmin(quads, axis=1)[:, None] + np.arange(4)) % 4, axis=1)
    return turned[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)


def unique_pairs(pairs, count):
    """(e, 2) int32 pairs of points, each once, lower first, in ascending order."""
    low, high = pairs.min(axis=1).astype(np.int64), pairs.max(axis=1)
    keys = np.unique(low * count + high)
    return np.stack(np.divmod(keys, max(count, 1)), axis=1).astype(np.int32)


def _unique_faces(rows, count):
    """Faces once each in the order of first appearance, and whether they appeared once only.

    Two faces of cells that meet properly are the same where their three lowest points are; 3 × 21 bits hold them, and of
    larger meshes the rank of the first two stands for these.
    """
    lowest = np.sort(rows, axis=1)[:, :3].astype(np.int64)
    if count < 1 << 21:
        keys = (lowest[:, 0] << 42) | (lowest[:, 1] << 21) | lowest[:, 2]
    else:
        keys = np.unique(lowest[:, 0] * count + lowest[:, 1], return_inverse=True)[1] * np.int64(count) + lowest[:, 2]
    _, first, times = np.unique(keys, return_index=True, return_counts=True)
    order = np.argsort(first)
    return rows[first[order]], times[order] == 1


def _rows(where, rows, count, corners):
    rows = np.asarray(rows)
    if rows.size == 0:
        return frozen(np.empty((0, corners), np.int32))
    if rows.ndim != 2 or rows.shape[1] != corners or rows.dtype.kind not in "iu":
        refuse(where, f"an array of shape {rows.shape} and type {rows.dtype}", f"give rows of {corners} whole numbers")
    bad = first_true((rows < 0) | (rows >= count))
    if bad is not None:
        refuse(where, f"points {rows[bad].tolist()}", f"there are points 0 to {count - 1}", bad)
    return frozen(np.array(rows, np.int32, order="C"))


def _list(where, rows, count):
    rows = np.asarray(rows)
    if rows.dtype == bool and rows.shape == (count,):
        rows = np.flatnonzero(rows)
    if rows.size and (rows.ndim != 1 or rows.dtype.kind not in "iu"):
        refuse(where, f"rows {rows.tolist()!s:.60}", f"give whole numbers from 0 to {count - 1}, or a mask of {count}")
    bad = first_true((rows < 0) | (rows >= count)) if rows.size else None
    if bad is not None:
        refuse(where, f"rows {rows.tolist()!s:.60}", f"give whole numbers from 0 to {count - 1}", bad)
    return frozen(rows.astype(np.int32).reshape(-1))
