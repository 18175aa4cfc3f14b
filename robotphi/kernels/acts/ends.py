"""Ends: where acts take hold. An end is a row of a particle, or −1 − i for the centre of rigid i; NO_END stands for none.

A mark of a rigid is a particle that it carries: what pushes there turns it.
"""
from robotphi.kernels.acts.act import stiffen, stiffen_rigid
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import add_to, get3, read
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.bodies import PUSHED, TURNED
from robotphi.kernels.step.rigids import CENTRE, VELOCITY, add_rigid_force

NO_END = -2**31


@inlined
def end_place(now, end):
    """Where an end is [m]."""
    return read(now.position, end) if end >= 0 else get3(now.rigid, -1 - end, CENTRE)


@inlined
def end_velocity(now, end):
    """How it moves [m/s]."""
    return read(now.velocity, end) if end >= 0 else get3(now.rigid, -1 - end, VELOCITY)


@kernel
def push_end(now, end, direction, amount):
    """Push there with amount × direction [N]."""
    if end >= 0:
        add_to(now.force, end, direction, amount)
    else:
        add_rigid_force(now.load, -1 - end, 0, direction, amount)


@kernel
def stiffen_end(buffers, end, stiffness, damping):
    """Bounds of stiffness [N/m] and damping [N·s/m] that an act brings there."""
    if end >= 0:
        stiffen(buffers, end, stiffness, damping)
    else:
        stiffen_rigid(buffers, -1 - end, stiffness, damping, 0.0, 0.0)


@kernel
def rigid_gives(buffers, i, first, last):
    """Whether forces move rigid i, by columns of its block; as long as blocks are not known all do."""
    if buffers.counters[at.FITTED] == 0:
        return True
    for column in range(first, last):
        if buffers.rigid_block[i, column] != 0.0:
            return True
    return False


@kernel
def end_gives(buffers, end):
    """Whether forces move an end: those of rigids that are held or driven they do not."""
    i = -1 - end if end < 0 else buffers.carrier[end]
    return i < 0 or rigid_gives(buffers, i, PUSHED, TURNED + 9)
