"""Section and volume of a bundle of fibres."""
import numpy as np


def sections(places):
    """((m,) m², (m,) m³): the section half-way and the volume, for (m, n, p, 3) particles of n fibres, level by level.

    A section is the hull of the fibres at one level, across the line between the middles of both ends; thicknesses of fibres
    are not in it. Less than three fibres have none.
    """
    m, n, levels, _ = places.shape
    if n < 3:
        return np.zeros(m), np.zeros(m)
    middle = places.mean(axis=1)
    along = middle[:, -1] - middle[:, 0]
    along = along / np.linalg.norm(along, axis=1, keepdims=True)
    side = np.cross(along, np.eye(3)[np.argmin(np.abs(along).sum(axis=0))])
    side = side / np.linalg.norm(side, axis=1, keepdims=True)
    across = np.stack([side, np.cross(along, side)], axis=1)
    flat = np.einsum("mai,mnli->mlna", across, places - middle[:, None])
    areas = np.array([hull_area(points) for points in flat.reshape(-1, n, 2)]).reshape(m, levels)
    height = np.einsum("mi,mli->ml", along, middle)
    return areas[:, levels // 2], (0.5 * (areas[:, 1:] + areas[:, :-1]) * np.diff(height, axis=1)).sum(axis=1)


def hull_area(points):
    """Area within the convex hull of (n, 2) points."""
    corners = hull_of(points)
    return 0.5 * sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(corners, corners[1:] + corners[:1], strict=True))


def hull_of(points):
    """Corners of the convex hull of (n, 2) points, by Andrew's chain."""
    ordered = sorted(map(tuple, points.tolist()))
    corners = []
    for half in (ordered, ordered[::-1]):
        chain = []
        for x, y in half:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (y - chain[-2][1])
                                      - (chain[-1][1] - chain[-2][1]) * (x - chain[-2][0])) <= 0.0:
                chain.pop()
            chain.append((x, y))
        corners += chain[:-1]
    return corners
