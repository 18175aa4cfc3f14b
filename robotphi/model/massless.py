"""Rigids without mass: each is a link between two freedoms that does not lend itself to moving by nothing."""
import numpy as np

from robotphi.scene.checks import refuse


def check_massless(scene, mechanisms):
    """Refuse rigids without mass that no joint carries, or whose freedoms move nothing that has mass."""
    weightless = [rigid for rigid in scene.rigids if rigid.mass == 0.0 and not rigid.is_prescribed]
    for rigid in weightless:
        if mechanisms.link_of_rigid[rigid.index] < 0:
            refuse(f"rigid {rigid.name!r}", "it is massless and no joint carries it", "join it to others, or give it a mass")
    if not weightless:
        return
    carried = np.array([scene.rigids[rigid].mass if rigid >= 0 else 0.0 for rigid in mechanisms.rigid])
    for i in reversed(range(len(carried))):
        if mechanisms.parent[i] >= 0:
            carried[mechanisms.parent[i]] += carried[i]
    for rigid in weightless:
        link = int(mechanisms.link_of_rigid[rigid.index])
        if carried[link] == 0.0:
            refuse(f"rigid {rigid.name!r}", "it is massless, and so is all that it carries", "give something behind it a mass")
        if mechanisms.parent[link] < 0 and mechanisms.freedom_start[link + 1] - mechanisms.freedom_start[link] == 6:
            refuse(f"rigid {rigid.name!r}", "it is massless and the base of a mechanism that hangs on nothing",
                   "give it a mass, or begin with another rigid")
