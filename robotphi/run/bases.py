"""What mechanisms push the rigids with that they hang on, at an instant whose reactions have been told.

A joint gives its link F and M, at the joint; the base gets −F, and about its own centre −M − (joint − centre) × F. Closures
between a link and the base give it the wrench of their rows.
"""
import numpy as np

from robotphi.kernels.compiling.reference import Laid
from robotphi.kernels.step import slots
from robotphi.kernels.step.present import present_on


def tell_joints(state):
    """What joints transmit at the present instant."""
    arrays, buffers = Laid(state.model.arrays), Laid(state.buffers)
    present_on(arrays.kind, buffers.kind, None, False, True)(arrays.address, buffers.address, 0)


def bearing_load(state):
    """(r, 6) force and moment on each rigid, with those of all mechanisms that hang on it."""
    mechanisms, closures, b = state.model.arrays.mechanisms, state.model.arrays.closures, state.buffers
    load = np.array(b.load)
    for m in range(len(mechanisms.free)):
        if _is_there(mechanisms, b.counters, m):
            continue
        links = np.arange(mechanisms.start[m], mechanisms.start[m + 1])
        links = links[mechanisms.parent[links] < -1]
        force, couple, reach = b.links.reaction[links, :3], b.links.reaction[links, 3:6], b.links.reach[links]
        arm = reach[:, :3] - reach[:, 3:6]   # from the centre of the base to the joint
        np.subtract.at(load, -2 - mechanisms.parent[links], np.hstack([force, couple + np.cross(arm, force)]))
        rows = np.arange(closures.start[m], closures.start[m + 1])
        for ends, first in ((closures.other, 0), (closures.one, 6)):
            own = rows[ends[rows] < -1]
            np.add.at(load, -2 - ends[own], b.joints.bound.pull[own, :1] * b.joints.bound.wrench[own, first:first + 6])
    return load


def _is_there(mechanisms, counters, m):
    """Whether the load of its base has it already, see `pays_by_rate` in `kernels/mechanism/bases`."""
    apart = counters[slots.VISCOSITY] == slots.APART and not counters[slots.WHOLE]
    return mechanisms.led[m] and (apart or not (mechanisms.eventful[m] or mechanisms.viscous[m]))
