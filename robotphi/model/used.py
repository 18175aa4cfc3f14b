"""Which particles forces ask for: those of rigids that none asks for are carried along between calls of the loop only."""
import numpy as np

from robotphi.kernels.acts.forces import ON_PARTICLE
from robotphi.kernels.acts.table import OPEN
from robotphi.kernels.springs.table import OF_LIST
from robotphi.model.arrays import aligned


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
