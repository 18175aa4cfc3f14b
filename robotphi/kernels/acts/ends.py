"""Ends: where acts take hold. An end is a row of a particle, or −1 − i for the centre of rigid i; NO_END stands for none.

A mark of a rigid is a particle that it carries: what pushes there turns it.
"""
from robotphi.kernels.acts.act import stiffen, stiffen_rigid
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import add_to, get3, read
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
