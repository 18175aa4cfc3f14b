"""What VTK is shown of a scene: particles as vertices, springs as lines, facets as polygons, and to which thing each
belongs."""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.springs.table import DRAWN, KINDS


class Drawn(NamedTuple):
    """Cells on the particles of a scene; `owner`: per particle the number of its thing in `things`, −1 of none."""
    lines: np.ndarray      # (m, 2)
    polygons: np.ndarray   # (f, 3)
    owner: np.ndarray      # (n,) int32
    things: tuple


def drawn_of(scene, count):
    """The cells of a scene of `count` particles; of no scene at all its particles alone."""
    lines, facets, things = [np.empty((0, 2), np.int64)], [np.empty((0, 3), np.int64)], ()
    owner = np.full(count, -1, np.int32)
    if scene is not None:
        for kind in DRAWN:
            ends = KINDS[kind].ends[:2]
            lines += [np.stack([getattr(block, end) for end in ends], axis=1) for block in scene.springs[kind]]
        facets += [placed.facets for placed in scene.objects.values()]
        things = tuple(scene.objects)
        for number, placed in enumerate(scene.objects.values()):
            owner[placed.particles] = number
    return Drawn(np.concatenate(lines).astype(np.int64), np.concatenate(facets).astype(np.int64), owner, things)
