"""What moves mechanisms beside forces: which freedoms closures make move together, what is driven, and bases that are led."""
from itertools import pairwise

import numpy as np

from robotphi.model.arrays import aligned
from robotphi.scene.checks import refuse
from robotphi.scene.joint_efforts import NEAR


def freedoms_in_loops(built):
    """(f,) the first freedom of those that closures make move together, −1 for those that none does."""
    mechanisms, closures = built.mechanisms, built.closures
    loop = np.arange(len(mechanisms.turn))
    within = np.zeros(len(loop), bool)
    for i in range(len(closures.kind)):
        own = np.array(sorted(_way_round(mechanisms, closures, i)), int)
        within[own] = True
        loop[np.isin(loop, loop[own])] = loop[own].min(initial=len(loop))
    return aligned(np.where(within, loop, -1), np.int32)


def _way_round(mechanisms, closures, i):
    """Freedoms between the two ends of row i of the closures."""
    relation, ways = closures.relation[i], []
    if relation >= 0:
        return set(mechanisms.term[mechanisms.term_start[relation]:mechanisms.term_start[relation + 1]].tolist())
    for at in (closures.one[i], closures.other[i]):
        ways.append(set())
        while at >= 0:
            ways[-1].update(range(mechanisms.freedom_start[at], mechanisms.freedom_start[at + 1]))
            at = mechanisms.parent[at]
    return ways[0] ^ ways[1]


def check_driven(built):
    """Assembly has left what is driven where its drive starts."""
    mechanisms = built.mechanisms
    for i, link in enumerate(built.links):
        for n in range(len(link.freedoms) if link.joint is not None else 0):
            k, joint = mechanisms.freedom_start[i] + n, link.joint
            if mechanisms.drive[k] >= 0 and abs(built.place[k] - joint.place[link.first + n]) > NEAR:
                refuse(f"joint {joint.name!r}", f"its drive starts at {joint.place[link.first + n]:.9g}, and the loops close "
                       f"with it at {built.place[k]:.9g}", "draw the mechanism closed where the drive starts")


def led_by(scene, built):
    """(m,) whether a mechanism hangs on rigids that are driven."""
    mechanisms, closures = built.mechanisms, built.closures
    driven = [-2 - rigid.index for rigid in scene.rigids if rigid.drive or rigid.motion]
    tree, loops = (np.isin(ends, driven) for ends in (mechanisms.parent, np.stack((closures.one, closures.other), axis=1)))
    own = zip(pairwise(mechanisms.start), pairwise(closures.start), strict=True)
    return aligned([tree[a:b].any() or loops[c:d].any() for (a, b), (c, d) in own], np.int32)
