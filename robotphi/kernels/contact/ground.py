"""Pressure of the ground, a half space or a height field, on the facets of a polyhedron.

Ground of stiffness λ [N/m³] stores U = λ ∫ φ dV over the part of the body below its surface, φ the length of ground above a
point along n. The surface of the body feels the pressure λ φ along −N: the exact gradient, side walls included, and for a
half space Archimedes' force λ × volume through the centroid. Damping (Hunt and Crossley 1975) makes the pressure of the
lower facets λ φ max(0, 1 + d ġ), ġ the rate at which the facet sinks in.
"""
from ..compiled import inlined, kernel
from ..vectors import cross, dot, minus, plus, read
from .clip import frame, integrate_behind, press_facet


@inlined
def share_out(parts, facet, share, s0, s1, s2):
    """Add the normal forces of a facet to the share of its vertices."""
    p0, p1, p2 = parts.facet_vertex[facet, 0], parts.facet_vertex[facet, 1], parts.facet_vertex[facet, 2]
    if p0 >= 0:
        share[p0] += s0
    if p1 >= 0:
        share[p1] += s1
    if p2 >= 0:
        share[p2] += s2


@inlined
def sinking(n, p, velocity, surface_velocity, surface_spin, surface_at):
    """ġ at p: n·(velocity of the ground − velocity of the body)."""
    ground = plus(surface_velocity, cross(surface_spin, minus(p, surface_at)))
    return dot(n, minus(ground, velocity))


@kernel
def press_facet_on_plane(parts, facet, x, v, force, n, level, surface_velocity, surface_spin, surface_at, stiffness, damping,
                         origin, share, sums, k):
    """One facet of which something is below the plane."""
    r0, r1, r2 = parts.facet[facet, 0], parts.facet[facet, 1], parts.facet[facet, 2]
    x0, x1, x2 = read(x, r0), read(x, r1), read(x, r2)
    gap = (level - dot(n, x0), level - dot(n, x1), level - dot(n, x2))
    rate = (sinking(n, x0, read(v, r0), surface_velocity, surface_spin, surface_at),
            sinking(n, x1, read(v, r1), surface_velocity, surface_spin, surface_at),
            sinking(n, x2, read(v, r2), surface_velocity, surface_spin, surface_at))
    arm = (minus(x0, origin), minus(x1, origin), minus(x2, origin))
    s, t = frame(n)
    across = ((dot(s, arm[0]), dot(t, arm[0])), (dot(s, arm[1]), dot(t, arm[1])), (dot(s, arm[2]), dot(t, arm[2])))
    most = max(gap[0], max(gap[1], gap[2]))
    total = integrate_behind(gap, most, rate, damping, across)
    area = cross(minus(x1, x0), minus(x2, x0))
    s0, s1, s2 = press_facet(total, -stiffness, area, n, arm, (r0, r1, r2), force, sums, k, True)
    share_out(parts, facet, share, s0, s1, s2)


@kernel
def press_on_plane(parts, a, x, v, force, n, level, surface_velocity, surface_spin, surface_at, stiffness, damping, origin,
                   share, sums, k):
    """Pressure of the half space n·p < level on part a; its material moves as a rigid at the given velocity and spin."""
    facets = parts.facet
    for facet in range(parts.facet_start[a], parts.facet_start[a + 1]):
        r0, r1, r2 = facets[facet, 0], facets[facet, 1], facets[facet, 2]
        if (dot(n, read(x, r0)) < level or dot(n, read(x, r1)) < level or dot(n, read(x, r2)) < level):
            press_facet_on_plane(parts, facet, x, v, force, n, level, surface_velocity, surface_spin, surface_at, stiffness,
                                 damping, origin, share, sums, k)
