"""Which particles forces ask for: those of rigids that none asks for are carried along between calls of the loop only, and
are in no block of rows."""
import numpy as np

from robotphi.kernels.acts.forces import ON_PARTICLE
from robotphi.kernels.acts.table import OPEN
from robotphi.kernels.springs.table import OF_LIST
from robotphi.model.arrays import aligned

IDLE_RUN = 8     # rows one behind the other that nothing asks for: fewer are worth no block of their own


def used_rows(count, springs, acts, contact):
    """(count,) whether a spring, an act or contact asks where a particle is."""
    asked = [getattr(springs[name], end) for name, kind in OF_LIST.items() for end in kind.ends]
    asked += [contact.parts.vertex, contact.parts.facet, acts.medium.facet]
    asked.append(acts.forces.target[acts.forces.kind == ON_PARTICLE])
    for name, act in OPEN.items():
        asked += [getattr(getattr(acts, name), what) for what, field in act.rows.__annotations__.items()
                  if field.kind in ("particles", "ends")]
    used = np.zeros(count, bool)
    for rows in asked:
        rows = np.ravel(rows)
        used[rows[(rows >= 0) & (rows < count)]] = True   # idle springs join ghosts; centres of rigids are no particles
    return used


def used_first(rigids, used):
    """The arrays of rigids with those of its particles in front that are used, in their order."""
    owner = np.repeat(np.arange(len(rigids.mass)), np.diff(rigids.start))
    unused = ~used[rigids.particle]
    order = np.lexsort((unused, owner))   # keeps the order of equals
    behind = np.bincount(owner[unused], minlength=len(rigids.mass))
    return rigids._replace(used=aligned(rigids.start[1:] - behind, np.int32), local=aligned(rigids.local[order]),
                           particle=aligned(rigids.particle[order], np.int32))


def busy_blocks(blocks, rigids, springs, rows):
    """(b, 2) int32 ranges of rows: the blocks less longer runs of rows of rigids that nothing asks for; (d, 2) those less what
    no spring pulls either."""
    idle = np.zeros(rows + 1, bool)   # the last ones are ghosts, which are not
    for begin, end in zip(rigids.used, rigids.start[1:], strict=True):
        idle[rigids.particle[begin:end]] = True
    free = np.zeros(rows + 1, bool)
    free[rigids.particle] = True
    for name, kind in OF_LIST.items():
        for end in kind.ends:
            free[getattr(springs[name], end)] = False
    return _without(blocks, idle), _without(blocks, free)


def _without(blocks, idle):
    """The blocks less longer runs of idle rows."""
    idle = idle.copy()
    change = np.flatnonzero(np.diff(idle, prepend=False))
    for first, behind in zip(change[::2], change[1::2], strict=True):
        idle[first:behind] = behind - first >= IDLE_RUN
    cut = np.unique(np.concatenate([blocks, np.flatnonzero(np.diff(idle, prepend=False))]))
    ranges = np.stack([cut[:-1], cut[1:]], axis=1)
    return aligned(ranges[~idle[ranges[:, 0]]], np.int32)
