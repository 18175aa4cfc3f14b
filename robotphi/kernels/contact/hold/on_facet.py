"""A point held by a facet: Σ w_i x_i + h N, w and h kept; its velocity is that of matter, its force goes to the three rows."""
import math

from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.maths.vectors import add_to, cross, dot, minus, norm, plus, read, scaled


@kernel
def facet_place(x, r0, r1, r2, point):
    """Barycentric weights of the foot of a point on a facet, its height above it, and the facet's unit normal."""
    at = read(x, r0)
    d1, d2, d = minus(read(x, r1), at), minus(read(x, r2), at), minus(point, at)
    big = cross(d1, d2)
    square = dot(big, big)
    if not square > 0.0:
        return 1.0, 0.0, 0.0, 0.0, big
    w1 = dot(cross(d, d2), big) / square
    w2 = dot(cross(d1, d), big) / square
    normal = scaled(big, 1.0 / math.sqrt(square))
    return 1.0 - w1 - w2, w1, w2, dot(d, normal), normal


@kernel
def facet_speed(x, v, r0, r1, r2, point):
    """Velocity of a point that a facet carries."""
    w0, w1, w2, height, normal = facet_place(x, r0, r1, r2, point)
    speed = plus(plus(scaled(read(v, r0), w0), scaled(read(v, r1), w1)), scaled(read(v, r2), w2))
    # Ṅ is what the normal parts of the rows' velocities tilt: −(∇u) with u the normal velocity over the facet
    at = read(x, r0)
    d1, d2 = minus(read(x, r1), at), minus(read(x, r2), at)
    area = norm(cross(d1, d2))
    if not area > 0.0:
        return speed
    u0, u1, u2 = dot(read(v, r0), normal), dot(read(v, r1), normal), dot(read(v, r2), normal)
    slope = plus(scaled(cross(d2, normal), (u1 - u0) / area), scaled(cross(normal, d1), (u2 - u0) / area))
    return minus(speed, scaled(slope, height))


@kernel
def facet_mobility(particles, x, r0, r1, r2, point):
    """How easily a facet gives way to a force along it at a point that it carries [1/kg]: Σ (share of a row)²/m, from above.

    A point far beside a small facet has it by a long arm.
    """
    w0, w1, w2, height, normal = facet_place(x, r0, r1, r2, point)
    at = read(x, r0)
    d1, d2 = minus(read(x, r1), at), minus(read(x, r2), at)
    area = norm(cross(d1, d2))
    if not area > 0.0:
        return particles.inverse_mass[r0]
    g1, g2 = height * norm(d2) / area, height * norm(d1) / area
    g0 = math.fabs(g1) + math.fabs(g2)
    return ((w0 * w0 + g0 * g0) * particles.inverse_mass[r0] + (w1 * w1 + g1 * g1) * particles.inverse_mass[r1]
            + (w2 * w2 + g2 * g2) * particles.inverse_mass[r2])


@kernel
def push_facet(x, force, r0, r1, r2, point, f, sign):
    """The force at a point that a facet carries, on its three rows: the transpose of `facet_speed`."""
    w0, w1, w2, height, normal = facet_place(x, r0, r1, r2, point)
    add_to(force, r0, f, sign * w0)
    add_to(force, r1, f, sign * w1)
    add_to(force, r2, f, sign * w2)
    at = read(x, r0)
    d1, d2 = minus(read(x, r1), at), minus(read(x, r2), at)
    area = norm(cross(d1, d2))
    if not area > 0.0:
        return
    f1 = -height * dot(cross(d2, normal), f) / area
    f2 = -height * dot(cross(normal, d1), f) / area
    add_to(force, r1, normal, sign * f1)
    add_to(force, r2, normal, sign * f2)
    add_to(force, r0, normal, -sign * (f1 + f2))
