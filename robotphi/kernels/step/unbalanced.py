"""What is left of forces where everything stands still, contact and exact joints included.

A body that joints hold is in balance where nothing accelerates it: what is left on it is m a and J ω̇, by the accelerations of
the coordinates with all that dry friction, stops and drives hold (`mechanism/reactions`).
"""
import functools

from robotphi.kernels.compiling.compiled import entry, kernel
from robotphi.kernels.compiling.reference import taker
from robotphi.kernels.maths.vectors import get3, plus
from robotphi.kernels.mechanism.reactions import tell_reactions
from robotphi.kernels.step.rigids import HELD, get_orientation, row3, spin_of

LARGEST, BODY = range(2)   # N, and row of the particle or −1 − rigid


@kernel
def count_left(left, amount, body):
    if not amount <= left[LARGEST]:
        left[LARGEST], left[BODY] = amount, body


@kernel
def on_free_bodies(arrays, buffers, arms, left):
    particles, rigids = arrays.particles, arrays.rigids
    for i in range(len(particles.mass)):
        for axis in range(3):
            if particles.moves[particles.axes[i], axis] > 0.0:
                count_left(left, abs(buffers.force[i, axis]), i)
    for i in range(len(rigids.mass)):
        if arrays.mechanisms.link_of_rigid[i] >= 0:
            continue
        for axis in range(3):
            if rigids.inverse_mass[i, axis] > 0.0:
                count_left(left, abs(buffers.load[i, axis]), -1 - i)
            if rigids.rotation[i] != HELD and rigids.support[i, axis] == 0.0 and rigids.inverse_inertia[i, axis] > 0.0:
                count_left(left, abs(buffers.load[i, 3 + axis]) / arms[i], -1 - i)


@kernel
def on_links(arrays, buffers, arms, left):
    mechanisms, rigids, links = arrays.mechanisms, arrays.rigids, buffers.links
    for i in range(len(mechanisms.rigid)):
        body = mechanisms.rigid[i]
        if body < 0:
            continue
        gain = plus(get3(links.acceleration, i, 3), get3(links.swing, i, 3))
        turning = spin_of(get_orientation(buffers.rigid, body), gain, row3(rigids.inertia, body))
        for axis in range(3):
            count_left(left, abs(rigids.mass[body] * (links.acceleration[i, axis] + links.swing[i, axis])), -1 - body)
            count_left(left, abs(turning[axis]) / arms[body], -1 - body)


def make_unbalanced(take_arrays, take_buffers, jointed, tell_reactions, on_links):
    def unbalanced(arrays_address, buffers_address, arms, left):
        """The largest force left on a free axis; moments count over the arm of their rigid. Forces are those of rest."""
        arrays, buffers = take_arrays(arrays_address), take_buffers(buffers_address)
        left[LARGEST], left[BODY] = 0.0, 0.0
        on_free_bodies(arrays, buffers, arms, left)
        if jointed:
            tell_reactions(arrays, buffers)
            on_links(arrays, buffers, arms, left)
    return unbalanced


@functools.cache
def unbalanced_on(arrays, buffers, jointed):
    """The function for arrays and buffers of these types, by addresses (see `reference`)."""
    return entry(make_unbalanced, taker(arrays), taker(buffers), jointed,
                 *((tell_reactions, on_links) if jointed else (None, None)))
