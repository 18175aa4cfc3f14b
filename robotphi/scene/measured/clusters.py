"""Rigid bodies out of markers: the pose that is nearest to where its markers were seen, by least squares.

Σ |R p_i + t − x_i|² over the markers that were seen is least for R = U diag(1, 1, det UVᵀ) Vᵀ of Σ (x_i − x̄)(p_i − p̄)ᵀ = U S Vᵀ
and t = x̄ − R p̄ (Kabsch, Acta Cryst. A 32, 1976; Arun, Huang & Blostein, IEEE Trans. PAMI 9, 1987).
"""
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robotphi.scene.checks import AXES, number, refuse, word
from robotphi.scene.csv_file import read_csv
from robotphi.scene.measured.read import read_measured
from robotphi.scene.motion import Motion
from robotphi.scene.turns import quaternion_of

LINE = 0.05          # second over first extent of markers, below which their turn is not known
GAP = 0.2            # s
MOST = 10e-3         # m, residual beyond which markers were mistaken for each other
EXAMPLE = "marker,body,x [mm],y [mm],z [mm]"


@dataclass(frozen=True, eq=False)
class Cluster:
    """A body by its markers.

    Attributes:
        body: its name; markers: (m,) names of them.
        times: (k,) s.
        poses: (k, 4, 4), NaN where less than three of them were seen, or those in a line.
        residual: (k,) m, root of the mean square by which markers are off their places on the body.
        off: (k, m) m, each of them; NaN where it was not seen.
    """
    body: str
    markers: tuple
    times: np.ndarray
    poses: np.ndarray
    residual: np.ndarray
    off: np.ndarray

    @property
    def known(self):
        """(k,) whether there is a pose."""
        return np.isfinite(self.residual)

    @property
    def said(self):
        """How well it fits, in some words."""
        rms = 1e3 * np.sqrt(np.nanmean(self.residual**2))
        return f"{self.body} by {len(self.markers)} markers, {rms:.2g} mm rms, {1e3 * np.nanmax(self.residual):.2g} mm at most"


def fit(points, places):
    """((k, 4, 4) poses, (k, m) m off): of bodies with markers at (m, 3) places on it, seen at (k, m, 3) points or NaN."""
    seen = np.isfinite(points).all(axis=2)
    weight = seen / np.maximum(seen.sum(axis=1, keepdims=True), 1)
    there = np.where(seen[..., None], points, 0.0)
    middle, own = np.einsum("km,kmi->ki", weight, there), weight @ places
    away, arms = np.where(seen[..., None], there - middle[:, None], 0.0), places[None] - own[:, None]
    left, size, right = np.linalg.svd(np.einsum("km,kmi,kmj->kij", weight, away, arms))
    flat = np.linalg.svd(np.sqrt(weight)[..., None] * arms, compute_uv=False)
    sign = np.ones((len(points), 3))
    sign[:, 2] = np.linalg.det(left @ right)
    turn = (left * sign[:, None, :]) @ right
    poses = np.tile(np.eye(4), (len(points), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = turn, middle - np.einsum("kij,kj->ki", turn, own)
    poses[(seen.sum(axis=1) < 3) | (flat[:, 1] <= LINE * flat[:, 0]) | (size[:, 1] <= 0.0)] = np.nan
    off = np.linalg.norm(np.einsum("kij,mj->kmi", turn, places) + poses[:, None, :3, 3] - points, axis=2)
    return poses, off


def read_clusters(path, table, most=MOST, units=None):
    """The bodies of a file of markers, name → `Cluster`.

    Args:
        path: TRC, C3D, or a table with heads such as knee.x [mm].
        table: where markers are on their bodies, in the bodies' axes: comma-separated values with heads marker,body,x [mm],….
        most: m, residual of a frame beyond which it is refused.
        units: as of `read_measured`.
    """
    found, most = read_measured(path, units), number("clusters", "most [m]", most, above=0.0)
    places = read_csv(f"places of markers {Path(str(table)).name!r}", table, 3, EXAMPLE)
    names, bodies = places.words("marker"), places.words("body" if "body" in places.heads else "bone")
    where = np.stack([places.column(axis, "length") for axis in AXES], axis=1)
    clusters = {}
    for body in dict.fromkeys(bodies):
        rows = [k for k, each in enumerate(bodies) if each == body]
        for k in rows:
            if names[k] not in found.markers:
                places.refuse(k, "marker", f"{names[k]!r} is no marker of {Path(path).name}",
                              f"it has {', '.join(found.markers)}")
            if names[k] in names[:k]:
                places.refuse(k, "marker", f"{names[k]!r} is there twice", "give each marker one body")
        clusters[body] = _cluster(places, found, body, [names[k] for k in rows], where[rows], most)
    return clusters


def _cluster(places, found, body, names, where, most):
    shape = np.linalg.svd(where - where.mean(axis=0), compute_uv=False)
    if len(names) < 3 or shape[1] <= LINE * shape[0]:
        refuse(places.where, f"the {len(names)} markers of {body!r} are less than three, or in a line",
               "give three at least that make a triangle")
    poses, off = fit(found.points(names), where)
    count = np.maximum(np.isfinite(off).sum(axis=1), 1)
    residual = np.where(np.isfinite(poses[:, 0, 0]), np.sqrt(np.nansum(off**2, axis=1) / count), np.nan)
    if not np.isfinite(residual).any():
        refuse(found.where, f"three markers of {body!r} are never seen at once", f"they are {', '.join(names)}")
    n = int(np.nanargmax(residual))
    if residual[n] > most:
        worst = names[int(np.nanargmax(off[n]))]
        refuse(found.where, f"at {found.times[n]:g} s the markers of {body!r} are {1e3 * residual[n]:.3g} mm off their places "
               f"(rms), {worst!r} most", f"look whether markers were mistaken for each other, and at {places.where}; up to "
               f"{1e3 * most:g} mm are taken")
    return Cluster(body, tuple(names), found.times, poses, residual, off)


def relative_motion(clusters, body, to, gap=GAP):
    """(Motion, words): of one body as seen from another, through gaps of a length [s] at most; words say how good it is."""
    for name in (body, to):
        word("clusters", "body", name, tuple(clusters))
    one, other, gap = clusters[body], clusters[to], number("clusters", "gap [s]", gap, low=0.0)
    known, times = one.known & other.known, one.times
    rows = np.flatnonzero(known)
    if len(rows) < 2:
        refuse("clusters", f"{body!r} and {to!r} are seen together {len(rows)} times", "give more of their markers")
    step = np.diff(times[rows])
    long = np.flatnonzero((np.diff(rows) > 1) & (step > gap * (1.0 + 1e-9)))
    if len(long):
        n = int(long[0])
        refuse("clusters", f"from {times[rows[n]]:g} s to {times[rows[n + 1]]:g} s less than three markers of {body!r} or "
               f"{to!r} are seen", f"give more markers, or let gaps be longer than {gap:g} s by gap=")
    turned = np.linalg.inv(other.poses[rows]) @ one.poses[rows]
    lost = int(rows[-1] - rows[0] + 1 - len(rows))
    words = f"{one.said}; {other.said}" + (f"; {lost} of {len(times)} frames lie in gaps" if lost else "")
    return Motion(times[rows], turned[:, :3, 3], np.array([quaternion_of(pose[:3, :3]) for pose in turned])), words
