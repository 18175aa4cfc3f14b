"""The arctangent of the kernels: two coordinates in, one angle out, without a branch and in plain arithmetic.

The library's arctangent is a call that no compiler vectorises, and its last bit differs between libraries. This one is
additions, products, selections and one division, so that the compiled scalar form, the form on lanes of four and the
form in C give the same bits on every processor.

A point (x, y) with y ≥ 0 is turned back by 0, π/4 or π/2 (by π minus that, where x < 0) until its direction lies within π/8
of the axis. The turn is exact up to one rounding and leaves r = tan of the rest with |r| ≤ tan(π/8); there
atan(r) = r + r (c₁ r² + c₂ r⁴ + … + c₁₀ r²⁰), the minimax polynomial for the relative error, with c₀ = 1 held.
It was found by Remez' exchange in 50 digits: relative error 3.5e-17, a third of half a unit in the last place of a double.
"""
import math

from robotphi.kernels.compiling.compiled import inlined

# atan(r)/r = Σ c_k r^(2k) on |r| ≤ tan(π/8); one coefficient fewer raises the relative error from 3.5e-17 to 9.8e-16.
COEFFICIENTS = (
    1.0,
    -0.3333333333333015,
    0.19999999999089002,
    -0.1428571419526488,
    0.11111106653717916,
    -0.09090782415175161,
    0.07690068334538504,
    -0.06641121453670526,
    0.056925402043743134,
    -0.0435909834653919,
    0.02125987780630134,
)
C1, C2, C3, C4, C5, C6, C7, C8, C9, C10 = COEFFICIENTS[1:]

# Directions on which the turn changes, as slopes; the polynomial holds a little beyond, so their rounding is harmless.
TAN_PI_8 = 0.41421356237309503
TAN_3PI_8 = 2.414213562373095


@inlined
def arctangent2(y, x):
    """Angle of the point (x, y) [rad], −π to π like `math.atan2`, within three units in its last place (2.8 seen).

    The origin gives 0. Both coordinates are finite and below 1e308.
    """
    a = abs(x)
    b = abs(y)
    # turn by 0, π/4 or π/2
    upper = b > TAN_3PI_8 * a
    middle = b > TAN_PI_8 * a
    num = -a if upper else (b - a if middle else b)
    den = b if upper else (b + a if middle else a)
    turn = 0.5 * math.pi if upper else (0.25 * math.pi if middle else 0.0)
    r = num / (den if den > 0.0 else 1.0)
    # the polynomial, in pairs: the chain of dependent operations is half as long as Horner's
    u = r * r
    w = u * u
    v = w * w
    low = (C1 + C2 * u) + (C3 + C4 * u) * w
    high = ((C5 + C6 * u) + (C7 + C8 * u) * w) + (C9 + C10 * u) * v
    angle = turn + (r + r * (u * (low + high * v)))
    # the left half plane, then the lower one
    angle = math.pi - angle if x < 0.0 else angle
    return math.copysign(angle, y)
