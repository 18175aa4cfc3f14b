"""Everything at rest, with what is driven or held, and all that it carries, where drives and rows of rigids say."""
import functools

from robotphi.kernels.acts.driven import place_driven
from robotphi.kernels.compiling.compiled import entry, kernel
from robotphi.kernels.compiling.reference import refer, taker
from robotphi.kernels.maths.vectors import get3, set3
from robotphi.kernels.mechanism.poses import pose_links, set4
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.buffers import Instant
from robotphi.kernels.step.rigids import (
    CENTRE,
    MOMENTUM,
    ORIENTATION,
    SPIN,
    VELOCITY,
    carry_others,
    carry_particles,
    get_orientation,
)


@kernel
def rest(buffers):
    """Nothing moves."""
    buffers.velocity[:] = 0.0
    for i in range(buffers.rigid.shape[0]):
        set3(buffers.rigid, i, VELOCITY, (0.0, 0.0, 0.0))
        set3(buffers.rigid, i, MOMENTUM, (0.0, 0.0, 0.0))
        set3(buffers.rigid, i, SPIN, (0.0, 0.0, 0.0))


@kernel
def pose_mechanisms(arrays, buffers):
    """Links where their coordinates say, on what they hang on."""
    mechanisms, links, rigid = arrays.mechanisms, buffers.links, buffers.rigid
    for m in range(len(mechanisms.free)):
        begin, end = mechanisms.start[m], mechanisms.start[m + 1]
        if mechanisms.free[m] == 1:
            continue   # it hangs on nothing that may have been led
        pose_links(mechanisms, links, buffers.joints, rigid, begin, end)
        for i in range(begin, end):
            body = mechanisms.rigid[i]
            if body >= 0:
                set3(rigid, body, CENTRE, get3(links.pose, i, CENTRE))
                set4(rigid, body, ORIENTATION, get_orientation(links.pose, i))


def make_stand(take_arrays, take_buffers, jointed, pose_mechanisms):
    def stand(arrays_address, buffers_address):
        """Place what is driven at the time of the state, and carry the particles of rigids."""
        arrays, buffers = take_arrays(arrays_address), take_buffers(buffers_address)
        now = refer(Instant(buffers.position, buffers.velocity, buffers.force, buffers.rigid, buffers.load))
        place_driven(arrays, buffers.rigid_first, now, buffers.numbers[at.TIME], buffers.numbers[at.INSIDE])
        if jointed:
            pose_mechanisms(arrays, buffers)
        rest(buffers)
        for i in range(len(arrays.rigids.mass)):
            carry_particles(arrays.rigids, i, buffers.rigid, buffers.position, buffers.velocity)
            carry_others(arrays.rigids, i, buffers.rigid, buffers.position, buffers.velocity)
    return stand


@functools.cache
def stand_on(arrays, buffers, jointed):
    """The function for arrays and buffers of these types, by addresses (see `reference`)."""
    return entry(make_stand, taker(arrays), taker(buffers), jointed, pose_mechanisms if jointed else None)
