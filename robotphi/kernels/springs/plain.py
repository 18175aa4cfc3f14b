"""Forces of plain springs, four at a time: linear ones, and angular ones.

Linear: with d = a − b, L = |d| and L̇ = d·ḋ/L:   F_a = −(k (L − L0) + μ L̇) d/L,   F_b = −F_a.
Energy ½ k (L − L0)², dissipation μ L̇² (RR-3072 §2.2.3, with u = (a − b)/L so that the spring attracts).

Angular: arms p = a − c, q = b − c; bend φ = π − θ = atan2(s, −p·q) with n = p × q, s = |n|; relative rotation rate of the arms
Ω = q×q̇/|q|² − p×ṗ/|p|², so that θ̇ = Ω·n/s. Moment vector T = [−k (φ − φ0)/s + μ (Ω·n)/s²] n and
    F_a = T×p/|p|²,   F_b = q×T/|q|²,   F_c = −(F_a + F_b):
the gradient of ½ k (φ − φ0)² and the damping −μ θ̇ ∂θ/∂x of RR-3072 §2.2.3 with arms in their true proportion, so that no
angular momentum is made. φ/s keeps its limit at the straight line (s → 0, φ0 = 0); φ0/s is dropped there, where a bend has
no plane, and the damping acts along Ω, the rate of the bend vector.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.lanes import (
    gather_arms,
    gather_difference,
    lane_sum,
    load,
    magnitude,
    root,
    scatter_arms,
    scatter_pair,
    splat,
    where_less,
)
from robotphi.kernels.maths.atan import C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, TAN_3PI_8, TAN_PI_8

STRAIGHT = 1e-30  # sin² of the bend below which its plane is rounding noise


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


@inlined
def lane_bend(sine, cosine, inverse_sine, zero, one):
    """Bend φ = atan2(sine, cosine) of four springs (sine ≥ 0) and φ/sine, without dividing by a vanishing sine."""
    a = magnitude(cosine)
    # turn by 0, π/4 or π/2 as in `atan.arctangent2`
    edge = a * TAN_PI_8
    upper = a * TAN_3PI_8
    num = where_less(upper, sine, zero - a, where_less(edge, sine, sine - a, sine))
    den = where_less(upper, sine, sine, where_less(edge, sine, sine + a, a))
    turn = where_less(upper, sine, splat(0.5 * math.pi), where_less(edge, sine, splat(0.25 * math.pi), zero))
    inverse = one / where_less(zero, den, den, one)
    r = num * inverse
    u = r * r
    w = u * u
    v = w * w
    low = (u * C2 + C1) + (u * C4 + C3) * w
    high = ((u * C6 + C5) + (u * C8 + C7) * w) + (u * C10 + C9) * v
    shape = u * (low + high * v)
    angle = turn + (r + r * shape)
    bend = where_less(cosine, zero, splat(math.pi) - angle, angle)
    # near the straight line φ/sine = (1 + shape)/cosine; elsewhere the sine is safe to divide by
    ratio = where_less(cosine, zero, bend * inverse_sine,
                       where_less(edge, sine, bend * inverse_sine, inverse + inverse * shape))
    return bend, ratio


@inlined
def lane_turning(px, py, pz, qx, qy, qz, ux, uy, uz, vx, vy, vz, over_pp, over_qq):
    """Relative rotation rate Ω of the arms p and q, whose ends move with u and v."""
    return ((qy * vz - qz * vy) * over_qq - (py * uz - pz * uy) * over_pp,
            (qz * vx - qx * vz) * over_qq - (pz * ux - px * uz) * over_pp,
            (qx * vy - qy * vx) * over_qq - (px * uy - py * ux) * over_pp)


@inlined
def lane_arm_forces(px, py, pz, qx, qy, qz, tx, ty, tz, over_pp, over_qq):
    """Forces T×p/|p|² and q×T/|q|² of a moment vector on the ends of the arms."""
    return ((ty * pz - tz * py) * over_pp, (tz * px - tx * pz) * over_pp, (tx * py - ty * px) * over_pp,
            (qy * tz - qz * ty) * over_qq, (qz * tx - qx * tz) * over_qq, (qx * ty - qy * tx) * over_qq)


@kernel
def add_angular_forces(springs, begin, end, position, velocity, force):
    """Add the forces of springs begin … end to `force`; return their energy [J] and dissipation [W]."""
    energy = splat(0.0)
    loss = splat(0.0)
    zero = splat(0.0)
    one = splat(1.0)
    for s in range(begin, end, 4):
        px, py, pz, qx, qy, qz = gather_arms(position, springs.first, springs.centre, springs.second, s)
        ux, uy, uz, vx, vy, vz = gather_arms(velocity, springs.first, springs.centre, springs.second, s)
        stiffness = load(springs.stiffness, s)
        viscosity = load(springs.viscosity, s)
        rest = load(springs.rest_bend, s)
        pp = px * px + py * py + pz * pz
        qq = qx * qx + qy * qy + qz * qz
        product = pp * qq
        over = one / where_less(zero, product, product, one)
        over_pp = qq * over
        over_qq = pp * over
        # normal, sine and cosine of the bend (times |p||q|)
        nx = py * qz - pz * qy
        ny = pz * qx - px * qz
        nz = px * qy - py * qx
        nn = nx * nx + ny * ny + nz * nz
        sine = root(nn)
        inverse_nn = where_less(product * STRAIGHT, nn, one / nn, zero)
        inverse_sine = sine * inverse_nn
        bend, ratio = lane_bend(sine, zero - (px * qx + py * qy + pz * qz), inverse_sine, zero, one)
        # relative rotation rate of the arms
        wx, wy, wz = lane_turning(px, py, pz, qx, qy, qz, ux, uy, uz, vx, vy, vz, over_pp, over_qq)
        along = wx * nx + wy * ny + wz * nz
        # moment vector: (elastic + damping) n, the damping of a straight spring along the rate itself
        factor = stiffness * (rest * inverse_sine - ratio) + viscosity * (along * inverse_nn)
        bare = where_less(zero, inverse_nn, zero, viscosity)
        tx = factor * nx + bare * wx
        ty = factor * ny + bare * wy
        tz = factor * nz + bare * wz
        ax, ay, az, bx, by, bz = lane_arm_forces(px, py, pz, qx, qy, qz, tx, ty, tz, over_pp, over_qq)
        scatter_arms(force, springs.first, springs.centre, springs.second, s, ax, ay, az, bx, by, bz)
        strain = bend - rest
        energy = energy + stiffness * strain * strain
        loss = loss + viscosity * (along * along * inverse_nn) + bare * (wx * wx + wy * wy + wz * wz)
    return 0.5 * lane_sum(energy), lane_sum(loss)
