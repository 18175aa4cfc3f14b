"""What of a round shape is below a half space {x: n·x < level}: exact moments for every tilt, by the rows of `MOMENTS`.

With the depth z(x) = level − n·x the energy is U = λ ∫ z dV over the part of the body below the surface. Its gradient is
Archimedes' law: a force λ V along n through the centroid of that part, whatever its shape. What is needed are the moments
V, ∫ z, ∫ T, ∫ T², ∫ B² over the part, T and B across n with T in the plane of the axis (by symmetry ∫ B = ∫ T B = 0).

**Side.** In a disc across the axis let u = R cos ψ point to its lowest point, y = sin²(ψ/2), and s run along the axis from its
lower end, where the lowest point has the depth h. At (s, ψ) the depth is h − s sin α − 2 R y cos α, α the angle between axis
and surface, and the chord is 2 R sin ψ. So the part below is a rectangle cut by a straight line with the weight
2 R² sin²ψ dψ ds: up to ψ₁, where the upper end dives in, all of the length counts; from there to ψ₀, where the lower end does,
it is s = (h − 2 R y cos α)/sin α. Nothing is ever subtracted that is nearly equal, lying and upright are ordinary values
(ψ₁ = ψ₀; ψ₀ = π), and in the variable τ = tan(ψ/4) all integrands are rational: 20 nodes of Gauss leave less than 1e-14.

**Half balls** (ends of capsules; radius 1, surface at the distance κ below or, negative, above the centre, w = o·(−n) for the
outward axis o, m = √(1 − w²), ℓ² = 1 − κ²). The part below, seen along B, is a half disc cut by a line, with the weight
2 √(1 − ρ²), whose product with a coordinate is −2/3 of the derivative of (1 − ρ²)^{3/2}: Gauss's theorem leaves integrals along
the cut and along the half disc's diameter. With the angle β along the cut, up to where it meets the diameter
(tan β = −tan ψ₀/w), and θ = atan2(m sin ψ₀, −w),
```
V  = (2/3) κ ∫ z²/(1 − z) dβ         = (2/3) [θ − κ ∫ (1 + z) dβ]              z = ℓ² sin² β
B² = (2/15) κ ∫ z³/(1 − z) dβ        = (2/15) [θ − κ ∫ (1 + z + z²) dβ]
U  = (2/3) [∫ ℓ² cos² β z²/(1 − z) dβ + w D]  = −κ V + (2/3) [∫ z² dβ + w D]   D = ∫ sin⁴ψ dψ, 0 to ψ₀
T  = (2/3) m D        T² = B² − (2/15) m w sin⁵ψ₀
```
The first forms (κ > 0) have nothing to cancel and serve shallow contact, the second ones deep contact.
"""
import math

import numpy as np

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.kinds import CAPSULE, CYLINDER
from robotphi.kernels.maths.atan import arctangent2

NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)
NODES = 0.5 * (NODES + 1.0)   # on (0, 1)
WEIGHTS = 0.5 * WEIGHTS
QUARTER_OF_RIGHT_ANGLE = 0.41421356237309503   # tan(π/8) = √2 − 1
SHALLOW = 0.4                 # of ℓ²: below it the half balls use the forms without cancellation


@inlined
def quarter_tangent(y):
    """tan(ψ/4) from y = sin²(ψ/2)."""
    return math.sqrt(y) / (1.0 + math.sqrt(1.0 - y))


@inlined
def share_below(depth, height):
    """depth/height between 0 and 1; a height of zero is all below or all above."""
    if not depth > 0.0:
        return 0.0
    if depth >= height:
        return 1.0
    return depth / height


@inlined
def span_rate(y1, y0, tau1, tau0, sine, ratio):
    """(τ₀ − τ₁)/sin α, which stays finite as the axis comes to lie: y₀ − y₁ = ratio × sin α where no end is cut off."""
    if y0 < 1.0 and y1 > 0.0:
        # sin²a − sin²b = sin(a + b) sin(a − b) with a = ψ₀/2, b = ψ₁/2
        upper, lower = math.sqrt(1.0 - y0), math.sqrt(1.0 - y1)
        both = math.sqrt(y0) * lower + upper * math.sqrt(y1)
        change = sine * ratio / both
        half = 0.5 * ratio / both / math.sqrt(0.5 * (1.0 + math.sqrt(max(1.0 - change * change, 0.0))))
        return half / math.sqrt(0.25 * (1.0 + upper) * (1.0 + lower))
    return (tau0 - tau1) / sine if sine > 0.0 else 0.0


@kernel
def side_moments(y0, y1, depth, length, radius, sine, cosine, from_lowest):
    """Moments of the part of a cylinder below the surface: V, ∫ z, ∫ T, ∫ T², ∫ B², section, and D up to ψ₀ and to ψ₁.

    y0, y1 are sin²(ψ/2) at ψ₀ and ψ₁, `depth` is that of the lowest point of the lower end. T counts from this point, or from
    the end's centre.
    """
    height = 2.0 * cosine * radius
    tau0, tau1 = quarter_tangent(y0), quarter_tangent(y1)
    shift = 0.0 if from_lowest else sine * radius
    v = z = t = tt = bb = section = whole = rest = 0.0
    for piece in range(2):
        start, width = (0.0, tau1) if piece == 0 else (tau1, tau0 - tau1)
        if piece == 0 and not width > 0.0:
            continue   # an axis that lies has no second piece, but a section: its width and 1/sin α make a ratio
        square = 0.0
        fourth = 0.0
        for i in range(NODES.size):
            tau = start + width * NODES[i]
            c = 1.0 / (1.0 + tau * tau)
            y = 4.0 * tau * tau * c * c
            sin2 = 4.0 * y * (1.0 - y)
            dpsi = 4.0 * WEIGHTS[i] * c
            below = depth - height * y
            s = length
            if piece == 1:
                s = min(max(below, 0.0) / sine, length) if sine > 0.0 else 0.0
            u = shift - 2.0 * sine * radius * y
            g = sin2 * dpsi
            square += g
            g *= width
            fourth += sin2 * g
            g *= s
            v += g
            z += g * (below - 0.5 * sine * s)
            t += g * (0.5 * cosine * s + u)
            tt += g * (cosine * cosine * s * s / 3.0 + cosine * s * u + u * u)
            bb += g * sin2
        if piece == 0:
            whole = fourth
        else:
            rest = fourth
            section = square * span_rate(y1, y0, tau1, tau0, sine, length / height if height > 0.0 else 0.0)
    f = 2.0 * radius * radius
    return v * f, z * f, t * f, tt * f, bb * f * radius * radius / 3.0, section * f, whole + rest, whole


@inlined
def quarter_of(sine, cosine):
    """tan(β/4) from the sine and cosine of an angle from 0 to π."""
    if cosine > 0.0:
        half_cosine = math.sqrt(0.5 * (1.0 + cosine))
        return 0.5 * sine / half_cosine / (1.0 + half_cosine)
    half_sine = math.sqrt(0.5 * (1.0 - cosine))
    return half_sine / (1.0 + 0.5 * sine / half_sine)


@kernel
def cut_integrals(l2, sine, cosine):
    """∫ z²/(1 − z), ∫ z³/(1 − z) and ∫ ℓ² cos² β z²/(1 − z) dβ, z = ℓ² sin² β, from 0 to the angle of this sine and cosine.

    In two pieces, up to π/2 and from there on, the second one mirrored.
    """
    end = quarter_of(sine, cosine)
    second = third = deep = 0.0
    for piece in range(2):
        start, width = 0.0, end
        if cosine < 0.0:
            start = 0.0 if piece == 0 else quarter_of(sine, -cosine)
            width = QUARTER_OF_RIGHT_ANGLE - start
        elif piece == 1:
            break
        for i in range(NODES.size):
            tau = start + width * NODES[i]
            c = 1.0 / (1.0 + tau * tau)
            y = 4.0 * tau * tau * c * c
            sin2 = 4.0 * y * (1.0 - y)
            z = l2 * sin2
            g = 4.0 * width * WEIGHTS[i] * c * z * z / (1.0 - z)
            second += g
            third += g * z
            deep += g * l2 * (1.0 - sin2)
    return second, third, deep


@kernel
def half_ball_moments(depth, radius, outward, cosine, y0, fourth):
    """Moments of the part of a half ball below the surface: V, ∫ z, ∫ T, ∫ T², ∫ B², section.

    `depth` is that of the ball's centre, `outward` the share of the axis that points down (negative: up), T counts from the
    centre towards which the axis leans out, y0 = sin²(ψ₀/2) and `fourth` = D belong to the disc that bounds the half ball.
    """
    r3 = radius * radius * radius
    low = (depth + radius) / radius
    if not low > 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    kappa = 1.0 - low
    if low >= 2.0:
        v, bb, d = 2.0 * math.pi / 3.0, 2.0 * math.pi / 15.0, 0.375 * math.pi
        return (v * r3, (2.0 * outward * d / 3.0 - kappa * v) * r3 * radius, 2.0 * cosine * d / 3.0 * r3 * radius,
                bb * r3 * radius * radius, bb * r3 * radius * radius, 0.0)
    l2 = low * (2.0 - low)
    sin_psi = 2.0 * math.sqrt(y0 * (1.0 - y0))
    # β from ψ₀ alone (κ = m cos ψ₀): near upright ψ₀ has few digits, and what depends on it must err together
    cut = -outward * (1.0 - 2.0 * y0)
    size = math.sqrt(sin_psi * sin_psi + cut * cut)
    beta = arctangent2(sin_psi, cut)
    sine, cos_beta = (sin_psi / size, cut / size) if size > 0.0 else (0.0, 1.0)
    product = sine * cos_beta
    s2 = 0.5 * (beta - product)
    if kappa > 0.0 and l2 < SHALLOW:
        second, third, deep = cut_integrals(l2, sine, cos_beta)
        v, bb = kappa * second, 0.2 * kappa * third
        z = deep + outward * fourth
    else:
        theta = arctangent2(cosine * sin_psi, -outward)
        s4 = 0.75 * s2 - 0.25 * product * sine * sine
        v = theta - kappa * (beta + l2 * s2)
        bb = 0.2 * (theta - kappa * (beta + l2 * s2 + l2 * l2 * s4))
        z = l2 * l2 * s4 + outward * fourth - kappa * v
    f = 2.0 / 3.0 * r3
    square = sin_psi * sin_psi
    tt = bb - 0.2 * cosine * outward * (square * square * sin_psi)
    return (f * v, f * radius * z, f * radius * cosine * fourth, f * radius * radius * tt, f * radius * radius * bb,
            2.0 * radius * radius * l2 * s2)


@kernel
def cylinder_moments(depth, length, radius, sine, cosine):
    """V, ∫ z, ∫ T, ∫ T², ∫ B² and section of a cylinder, the centre of whose lower end is `depth` deep, and where T is 0."""
    lowest, height = depth + cosine * radius, 2.0 * cosine * radius
    y0, y1 = share_below(lowest, height), share_below(lowest - sine * length, height)
    v, z, t, tt, bb, section, _, _ = side_moments(y0, y1, lowest, length, radius, sine, cosine, True)
    return v, z, t, tt, bb, section, sine * radius


@kernel
def capsule_moments(depth, length, radius, sine, cosine):
    """The same for a capsule: the side and two half balls."""
    upper, lift, far = depth - sine * length, cosine * radius, cosine * length
    y0, y1 = share_below(depth + lift, 2.0 * lift), share_below(upper + lift, 2.0 * lift)
    v, z, t, tt, bb, section, d0, d1 = side_moments(y0, y1, depth + lift, length, radius, sine, cosine, False)
    v0, z0, t0, tt0, bb0, section0 = half_ball_moments(depth, radius, sine, cosine, y0, d0)
    v1, z1, t1, tt1, bb1, section1 = half_ball_moments(upper, radius, -sine, cosine, y1, d1)
    return (v + v0 + v1, z + z0 + z1, t - t0 + t1 + far * v1, tt + tt0 + tt1 + far * (2.0 * t1 + far * v1),
            bb + bb0 + bb1, section + section0 + section1, 0.0)


# kind → its moments, from the depth of the lower end, length, radius, sine and cosine of the tilt
MOMENTS = ((CAPSULE, capsule_moments), (CYLINDER, cylinder_moments))


def _choice(rows):
    """One kernel of some rows of `MOMENTS`: it asks one after the other, but takes the last one unasked."""
    kind, moments = rows[0]
    others = _choice(rows[1:]) if len(rows) > 1 else None
    if others is None:
        @kernel
        def choose(_, depth, length, radius, sine, cosine):
            return moments(depth, length, radius, sine, cosine)
    else:
        @kernel
        def choose(given, depth, length, radius, sine, cosine):
            if given == kind:
                return moments(depth, length, radius, sine, cosine)
            return others(given, depth, length, radius, sine, cosine)
    return choose


moments_below = _choice(MOMENTS)
