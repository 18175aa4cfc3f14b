"""Everything at rest, with what is driven or held, and all that it carries, where drives and rows of rigids say."""
import functools

from robotphi.kernels.acts.driven import place_driven
from robotphi.kernels.compiling.compiled import entry, kernel
from robotphi.kernels.compiling.reference import refer, taker
from robotphi.kernels.maths.vectors import set3
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.buffers import Instant
from robotphi.kernels.step.rigids import MOMENTUM, SPIN, VELOCITY, carry_others, carry_particles


@kernel
def rest(buffers):
    """Nothing moves."""
    buffers.velocity[:] = 0.0
    for i in range(buffers.rigid.shape[0]):
        set3(buffers.rigid, i, VELOCITY, (0.0, 0.0, 0.0))
        set3(buffers.rigid, i, MOMENTUM, (0.0, 0.0, 0.0))
        set3(buffers.rigid, i, SPIN, (0.0, 0.0, 0.0))


def make_stand(take_arrays, take_buffers):
    def stand(arrays_address, buffers_address):
        """Place what is driven at the time of the state, and carry the particles of rigids."""
        arrays, buffers = take_arrays(arrays_address), take_buffers(buffers_address)
        now = refer(Instant(buffers.position, buffers.velocity, buffers.force, buffers.rigid, buffers.load))
        place_driven(arrays, buffers.rigid_first, now, buffers.numbers[at.TIME], buffers.numbers[at.INSIDE])
        rest(buffers)
        for i in range(len(arrays.rigids.mass)):
            carry_particles(arrays.rigids, i, buffers.rigid, buffers.position, buffers.velocity)
            carry_others(arrays.rigids, i, buffers.rigid, buffers.position, buffers.velocity)
    return stand


@functools.cache
def stand_on(arrays, buffers):
    """The function for arrays and buffers of these types, by addresses (see `reference`)."""
    return entry(make_stand, taker(arrays), taker(buffers))
