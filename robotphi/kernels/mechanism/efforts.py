"""What acts on the coordinates of joints themselves: springs and viscosity."""
from robotphi.kernels.compiling.compiled import kernel


@kernel
def set_efforts(mechanisms, links, place, rate, begin, end):
    """−k (q − q₀) − c q̇ on freedoms begin … end−1; returns the energy stored and the power lost."""
    stored, lost = 0.0, 0.0
    for k in range(begin, end):
        stretch, speed = place[k, 0] - mechanisms.rest[k], rate[k, 0]
        links.effort[k, 0] = -mechanisms.stiffness[k] * stretch - mechanisms.viscosity[k] * speed
        stored += 0.5 * mechanisms.stiffness[k] * stretch * stretch
        lost += mechanisms.viscosity[k] * speed * speed
    return stored, lost
