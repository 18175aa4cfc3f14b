"""Forces of plain linear springs, four at a time.

With d = a − b, L = |d| and L̇ = d·ḋ/L:   F_a = −(k (L − L0) + μ L̇) d/L,   F_b = −F_a.
Energy ½ k (L − L0)², dissipation μ L̇² (RR-3072 §2.2.3, with u = (a − b)/L so that the spring attracts).
"""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.compiling.lanes import gather_difference, lane_sum, load, root, scatter_pair, splat, where_less


@kernel
def add_linear_forces(springs, begin, end, position, velocity, force):
    """Add the forces of springs begin … end to `force`; return their energy [J] and dissipation [W]."""
    energy = splat(0.0)
    loss = splat(0.0)
    zero = splat(0.0)
    one = splat(1.0)
    for s in range(begin, end, 4):
        dx, dy, dz = gather_difference(position, springs.first, springs.second, s)
        wx, wy, wz = gather_difference(velocity, springs.first, springs.second, s)
        stiffness = load(springs.stiffness, s)
        viscosity = load(springs.viscosity, s)
        # length and its rate; where a meets b there is no direction and so no force
        square = dx * dx + dy * dy + dz * dz
        length = root(square)
        inverse = where_less(zero, length, one / length, zero)
        stretch = length - load(springs.rest_length, s)
        rate = (dx * wx + dy * wy + dz * wz) * inverse
        # tension over length, along d
        elastic = stiffness * stretch
        viscous = viscosity * rate
        pull = (elastic + viscous) * inverse * -1.0
        scatter_pair(force, springs.first, springs.second, s, pull * dx, pull * dy, pull * dz)
        energy = energy + elastic * stretch
        loss = loss + viscous * rate
    return 0.5 * lane_sum(energy), lane_sum(loss)
