"""Rigids where the coordinates say, with the velocities of the rates: what is needed after coordinates were given by hand."""
import functools

from robotphi.kernels.compiling.compiled import entry
from robotphi.kernels.compiling.reference import taker
from robotphi.kernels.mechanism.bases import move_bases
from robotphi.kernels.mechanism.poses import move_links, pose_links
from robotphi.kernels.mechanism.tell import place_rigids, set_momentum
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.rigids import carry_others


def make_stand(take_arrays, take_buffers):
    def stand(arrays_address, buffers_address):
        """Place the rigids of all mechanisms by their coordinates and rates, and all that they carry."""
        arrays, buffers = take_arrays(arrays_address), take_buffers(buffers_address)
        mechanisms, links = arrays.mechanisms, buffers.links
        move_bases(arrays, links, buffers.numbers[at.TIME], buffers.numbers[at.INSIDE])
        for m in range(len(mechanisms.free)):
            begin, end = mechanisms.start[m], mechanisms.start[m + 1]
            pose_links(mechanisms, links, buffers.joints, buffers.rigid, begin, end)
            move_links(mechanisms, links, buffers.joints.rate, begin, end)
            place_rigids(arrays, buffers, buffers, buffers, (0.0, 0.0, 0.0), begin, end)
            for i in range(begin, end):
                if mechanisms.rigid[i] >= 0:
                    set_momentum(arrays.rigids, buffers.rigid, mechanisms.rigid[i])
        for i in range(len(arrays.rigids.mass)):
            if mechanisms.link_of_rigid[i] >= 0:
                carry_others(arrays.rigids, i, buffers.rigid, buffers.position, buffers.velocity)
    return stand


@functools.cache
def stand_on(arrays, buffers):
    """The function for these types, by addresses."""
    return entry(make_stand, taker(arrays), taker(buffers))
