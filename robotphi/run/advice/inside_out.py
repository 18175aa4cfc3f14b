"""Cells of soft things that turned inside out during a run.

Pressed hard enough, the corner of a cell passes through the face opposite. Its springs know lengths only: they hold it there as
well as before, and contact finds a surface whose inside is outside, which holds nothing back. Nothing in a run would tell; the
volumes of the cells in the frames do.
"""
import numpy as np

from robotphi.geometry.cells import KINDS, VOLUME_KINDS

LISTED = 5         # things
ROWS = 200_000     # cells × frames looked at in one go


def turned_cells(model, recording):
    """One sentence for each object of which a cell is inside out in some frame."""
    told = []
    for name, placed in model.scene.objects.items():
        found = [_first_turned(recording, placed, kind) for kind in VOLUME_KINDS if len(placed.object.cells.get(kind, ()))]
        found = [one for one in found if one is not None]
        if found:
            told.append(_sentence(recording, name, *min(found)))
    return told[:LISTED] + ([f"cells of {len(told) - LISTED} more objects turned inside out"] if len(told) > LISTED else [])


def _first_turned(recording, placed, kind):
    """(frame, cells, of how many, kind, a particle) where the first cells of a kind are inside out, or None."""
    cells = placed.particles[placed.object.cells[kind][:, :KINDS[kind].corners]]
    for first in range(0, len(recording), max(ROWS // len(cells), 1)):
        frames = recording.position[first:first + max(ROWS // len(cells), 1)]
        turned = ~(cell_volumes(frames, cells, KINDS[kind].tetrahedra) > 0.0)
        if turned.any():
            frame = int(np.argmax(turned.any(axis=1)))
            rows = np.flatnonzero(turned[frame])
            return first + frame, len(rows), len(cells), kind, int(cells[rows[0], 0])
    return None


def cell_volumes(frames, cells, tetrahedra):
    """(f, c) volumes of cells in some frames [m³], those of the tetrahedra that fill them added up."""
    total = np.zeros((len(frames), len(cells)))
    for a, b, c, d in tetrahedra:
        at = frames[:, cells[:, a]]
        first, second, third = (frames[:, cells[:, corner]] - at for corner in (b, c, d))
        total += np.einsum("fci,fci->fc", np.cross(first, second), third) / 6.0
    return total


def _sentence(recording, name, frame, count, of, kind, particle):
    place = ", ".join(f"{x:.3g}" for x in recording.position[frame, particle] + 0.0)
    return (f"{name!r} is inside out: at t = {recording.time[frame]:.6g} s {count} of its {of} {kind} cells, the first "
            f"at ({place}); its springs do not tell inside from outside, nor does it touch anything there; what presses it so "
            "hard wants a stiffer material, or larger cells")
