"""Volume, centre and second moments of cells, many at once.

The solid of a cell has its facets as they are when they are triangles; a quadrilateral, which may be warped, is cut into four
triangles through the mean of its corners (RR-3072, section 6.2.2). Arrays have the cells last: places are (3, points, c).
Mirrored places are added in mirrored orders, so that symmetric cells give exactly symmetric numbers.

A volume of edges of length L is known to 1e-16 L³; of a cell that is a thousandth as thick and wide, nothing much remains of
that. In its own `Frame`, r̃ = L⁻¹ r with the lower triangular L of Σ r rᵀ (Cholesky), every cell is stout, and det L is exact.
"""
from functools import cache
from typing import NamedTuple

import numpy as np

from robotphi.geometry.cells import KINDS

THINNEST = 1e-14  # square of a frame's least thickness over its size: any frame is right, flat cells must not divide by 0


class Frame(NamedTuple):
    """L of many cells, its entries by row, each (c,)."""
    l00: np.ndarray
    l10: np.ndarray
    l11: np.ndarray
    l20: np.ndarray
    l21: np.ndarray
    l22: np.ndarray

    @classmethod
    def of(cls, moments):
        """L with L Lᵀ = second moments (6, c) in the order xx yy zz xy yz zx."""
        xx, yy, zz, xy, yz, zx = moments
        least = THINNEST * (xx + yy + zz) + np.finfo(float).tiny
        l00 = np.sqrt(np.maximum(xx, least))
        l10, l20 = xy / l00, zx / l00
        l11 = np.sqrt(np.maximum(yy - l10 * l10, least))
        l21 = (yz - l20 * l10) / l11
        return cls(l00, l10, l11, l20, l21, np.sqrt(np.maximum(zz - l20 * l20 - l21 * l21, least)))

    @property
    def volume(self):
        """Volume of the world over volume in the frame."""
        return self.l00 * self.l11 * self.l22

    def into(self, places):
        """L⁻¹ r of places (3, …, c)."""
        x = places[0] / self.l00
        y = (places[1] - self.l10 * x) / self.l11
        return np.stack([x, y, (places[2] - self.l20 * x - self.l21 * y) / self.l22])

    def back(self, places):
        """L r̃ of places (3, …, c)."""
        x, y, z = places
        return np.stack([self.l00 * x, self.l10 * x + self.l11 * y, self.l20 * x + self.l21 * y + self.l22 * z])

    def back_moments(self, moments):
        """L C̃ Lᵀ of second moments (6, c), as matrices (3, 3, c)."""
        xx, yy, zz, xy, yz, zx = moments
        rows = self.back(np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]))
        return self.back(rows.transpose(1, 0, 2))


CHUNK = 4096  # cells at once: what is computed for them stays within the processor's cache
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))  # xx yy zz xy yz zx: the order of second moments
ROUNDING = 64 * np.finfo(float).eps
FACE_ORDER = {"hexahedron": (0, 1, 2, 4, 3, 5)}  # opposite faces together: each corner adds its faces in the same order


class Fan(NamedTuple):
    """The surface triangles of a kind; with an apex they are its tetrahedra."""
    faces: tuple             # local corners, each a tuple
    quads: np.ndarray        # (q, 4) the quadrilaterals among them; their centres follow the corners as points
    triangles: np.ndarray    # (t, 3) outward, on corners and facet centres
    first: tuple             # of each face, its first triangle


@cache
def fan(name):
    """The `Fan` of a kind of cell."""
    kind = KINDS[name]
    faces = [kind.faces[i] for i in FACE_ORDER.get(name, range(len(kind.faces)))]
    quads = [face for face in faces if len(face) == 4]
    triangles, first = [], []
    for face in faces:
        first.append(len(triangles))
        if len(face) == 3:
            triangles.append(face)
        else:
            middle = kind.corners + quads.index(face)
            triangles += [(face[j], face[(j + 1) % 4], middle) for j in range(4)]
    return Fan(tuple(faces), np.array(quads, np.int32).reshape(-1, 4), np.array(triangles, np.int32), tuple(first))


def mean(places):
    """Mean over the second axis, added in pairs."""
    sums = [places[:, i] for i in range(places.shape[1])]
    while len(sums) > 1:
        sums = [sums[i] + sums[i + 1] if i + 1 < len(sums) else sums[i] for i in range(0, len(sums), 2)]
    return sums[0] / places.shape[1]


def with_facet_centres(corners, name):
    """Corners and, behind them, the centres of the quadrilateral facets."""
    quads = fan(name).quads
    centres = [mean(corners[:, quad])[:, None] for quad in quads]
    return np.concatenate([corners, *centres], axis=1) if centres else corners


def determinants(a, b, d):
    """(a × b) · d, six times the volumes of tetrahedra with their apex at the origin; b, a, d give exactly the opposite."""
    return ((a[1] * b[2] - a[2] * b[1]) * d[0] + (a[2] * b[0] - a[0] * b[2]) * d[1]) + (a[0] * b[1] - a[1] * b[0]) * d[2]


def fan_determinants(points, name):
    """(t, c) six times the volumes of the tetrahedra from the origin to the surface triangles."""
    first, second, third = fan(name).triangles.T
    return determinants(points[:, first], points[:, second], points[:, third])


def first_moment(points, dets, name):
    """24 ∫ x dV = Σ det (a + b + d), (3, c)."""
    first, second, third = fan(name).triangles.T
    return np.einsum("tc,xtc->xc", dets, points[:, first] + points[:, second] + points[:, third])


def second_moments(points, dets, name):
    """∫ x xᵀ dV about the origin, (6, c) in the order of `PAIRS`.

    Of a tetrahedron 0, a, b, d: V/20 (s sᵀ + a aᵀ + b bᵀ + d dᵀ), s = a + b + d: its corners with 1/20 of the mass each and
    its centroid with 4/5 (RR-3072, section 6.2.2).
    """
    a, b, d = (points[:, column] for column in fan(name).triangles.T)
    s = a + b + d
    squares = [(s[i] * s[j] + a[i] * a[j]) + (b[i] * b[j] + d[i] * d[j]) for i, j in PAIRS]
    return np.stack([(square * dets).sum(axis=0) for square in squares]) / 120.0


def around(values, name):
    """(corners + quads, c) sums over the surface triangles (t, c) at each corner and facet centre."""
    shape, corners = fan(name), KINDS[name].corners
    sums = np.zeros((corners + len(shape.quads), values.shape[1]))
    middle = iter(range(corners, len(sums)))
    for face, first in zip(shape.faces, shape.first, strict=True):
        if len(face) == 3:
            sums[list(face)] += values[first]
            continue
        for j, corner in enumerate(face):
            sums[corner] += values[first + (j - 1) % 4] + values[first + j]
        sums[next(middle)] = (values[first] + values[first + 2]) + (values[first + 1] + values[first + 3])
    return sums


def corner_shares(dets, name):
    """(corners, c) volume of each corner when every tetrahedron gives ¼ to each of its points and facet centres pass theirs on
    to the four corners of their facets; what the apex gets, a quarter of the volume, is left out.
    """
    corners = KINDS[name].corners
    sums = around(dets, name)
    shares = sums[:corners]
    for quad, centre in zip(fan(name).quads, sums[corners:], strict=True):
        shares[quad] += centre / 4
    return shares / 24.0


def framed(corners):
    """Mean of the corners (3, c), their `Frame`, and the corners from the mean in it."""
    middle = mean(corners)
    r = corners - middle[:, None]
    frame = Frame.of([mean((r[i] * r[j])[None])[0] for i, j in PAIRS])
    return middle, frame, frame.into(r)


class Solids(NamedTuple):
    """Cells of one kind about their centres of inertia; all but volume and centre in their frames."""
    volume: np.ndarray       # (c,) m³
    centre: np.ndarray       # (3, c) m
    frame: Frame
    points: np.ndarray       # (3, corners + quads, c) corners and facet centres, from the centre
    dets: np.ndarray         # (t, c) six times the volumes of the tetrahedra from the centre
    moments: np.ndarray      # (6, c) ∫ x xᵀ dV over the volume, about the centre, in the order of PAIRS


def solids(corners, name):
    """Volumes, centres and second moments of cells from their corners (3, corners, c)."""
    middle, frame, scaled = framed(corners)
    points = with_facet_centres(scaled, name)
    dets = fan_determinants(points, name)
    six = dets.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = first_moment(points, dets, name) / (4.0 * six)
        # a centre as near to the mean of the corners as rounding leaves it is that mean, so that symmetry stays exact
        shift[~(np.abs(shift) > ROUNDING)] = 0.0
        points = points - shift[:, None]
        dets = fan_determinants(points, name)
        moments = second_moments(points, dets, name) / (six / 6.0)
    return Solids(six / 6.0 * frame.volume, middle + frame.back(shift), frame, points, dets, moments)
