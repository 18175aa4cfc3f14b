"""The nearest feature of nearly flat simplices, in doubled precision: slow, called where plain rounding decides wrongly.

Three corners within 1e-13 of a line, or at one place but for rounding, have a normal that plain numbers cannot tell. Each
number here is an unevaluated sum (high, low) of two, good to 1e-32 (Dekker 1971; Knuth, The Art of Computer Programming 4.2.2).
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import cross, dot, plus, scaled

TOUCH = 1e-15   # of the largest corner: a mean that small is the origin
ORIGIN_INSIDE = 15
SPLIT = 134217729.0  # 2²⁷ + 1


@inlined
def sum_of(a, b):
    """a + b without error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@inlined
def halves(a):
    """a as a sum of two numbers of half its digits."""
    t = SPLIT * a
    high = t - (t - a)
    return high, a - high


@inlined
def times(x, y):
    p = x[0] * y[0]
    a, b = halves(x[0])
    c, d = halves(y[0])
    error = ((a * c - p) + a * d + b * c) + b * d
    return sum_of(p, error + (x[0] * y[1] + x[1] * y[0]))


@inlined
def add(x, y):
    s, e = sum_of(x[0], y[0])
    t, f = sum_of(x[1], y[1])
    s, e = sum_of(s, e + t)
    return sum_of(s, e + f)


@inlined
def subtract(x, y):
    return add(x, (-y[0], -y[1]))


@inlined
def exact(a):
    return (a[0], 0.0), (a[1], 0.0), (a[2], 0.0)


@inlined
def edge(a, b):
    """b − a without error."""
    return sum_of(b[0], -a[0]), sum_of(b[1], -a[1]), sum_of(b[2], -a[2])


@kernel
def dot2(a, b):
    return add(add(times(a[0], b[0]), times(a[1], b[1])), times(a[2], b[2]))


@kernel
def cross2(a, b):
    return (subtract(times(a[1], b[2]), times(a[2], b[1])), subtract(times(a[2], b[0]), times(a[0], b[2])),
            subtract(times(a[0], b[1]), times(a[1], b[0])))


@inlined
def high(a):
    return a[0][0], a[1][0], a[2][0]


@inlined
def nearest_of_line(e, moment, square):
    """Nearest point of the line of an edge: e × (w × e)/(e·e)."""
    return scaled(high(cross2(e, moment)), 1.0 / square)


@kernel
def of_triangle(a, b, c):
    """Feature of a triangle nearest to the origin: corners (bits), weights, nearest point; see `gjk.of_triangle`."""
    ab, ac, bc = edge(a, b), edge(a, c), edge(b, c)
    at_a, at_b, at_c = exact(a), exact(b), exact(c)
    normal = cross2(ab, ac)
    over_a, over_b, over_c = cross2(at_b, bc), cross2(ac, at_a), cross2(at_a, ab)
    la, lb, lc = dot2(normal, over_a)[0], dot2(normal, over_b)[0], dot2(normal, over_c)[0]
    if la > 0.0 and lb > 0.0 and lc > 0.0:
        return 7, la, lb, lc, scaled(high(normal), dot2(normal, at_a)[0] / dot2(normal, normal)[0])
    a_to_b, b_to_a = -dot2(at_a, ab)[0], dot2(at_b, ab)[0]
    a_to_c, c_to_a = -dot2(at_a, ac)[0], dot2(at_c, ac)[0]
    b_to_c, c_to_b = -dot2(at_b, bc)[0], dot2(at_c, bc)[0]
    if not la > 0.0 and b_to_c > 0.0 and c_to_b > 0.0:
        return 6, 0.0, c_to_b, b_to_c, nearest_of_line(bc, over_a, dot2(bc, bc)[0])
    if not lb > 0.0 and a_to_c > 0.0 and c_to_a > 0.0:
        v = nearest_of_line(ac, over_b, dot2(ac, ac)[0])
        return 5, c_to_a, 0.0, a_to_c, (-v[0], -v[1], -v[2])
    if not lc > 0.0 and a_to_b > 0.0 and b_to_a > 0.0:
        return 3, b_to_a, a_to_b, 0.0, nearest_of_line(ab, over_c, dot2(ab, ab)[0])
    aa, bb, cc = dot(a, a), dot(b, b), dot(c, c)
    if not (aa < cc or bb < cc):
        return 4, 0.0, 0.0, 1.0, c
    if not aa < bb:
        return 2, 0.0, 1.0, 0.0, b
    return 1, 1.0, 0.0, 0.0, a


@inlined
def lower_bound(v, a, b, c, d):
    """Least w·v/|v| of four corners: what the distance is at least. The nearest feature makes it largest; infinite where v
    is the origin to rounding."""
    square = dot(v, v)
    if square <= TOUCH * TOUCH * max(max(dot(a, a), dot(b, b)), max(dot(c, c), dot(d, d))):
        return math.inf
    return min(min(dot(a, v), dot(b, v)), min(dot(c, v), dot(d, v))) / math.sqrt(square)


@kernel
def triple(a, b, c):
    return dot2(exact(a), cross2(exact(b), exact(c)))[0]


@inlined
def is_origin(a, b, c, d, ma, mb, mc, md):
    """Are the weights shares, and is the mean of the corners with them the origin, to rounding?"""
    mean = plus(plus(scaled(a, ma), scaled(b, mb)), plus(scaled(c, mc), scaled(d, md)))
    total = ma + mb + mc + md
    size = max(max(dot(a, a), dot(b, b)), max(dot(c, c), dot(d, d)))
    return (ma >= 0.0 and mb >= 0.0 and mc >= 0.0 and md >= 0.0 and total > 0.0
            and dot(mean, mean) <= 64.0 * TOUCH * TOUCH * total * total * size)


@kernel
def weights_of_four(a, b, c, d):
    """Weights of four corners that make the origin (to a factor): 0 and the weights, or 1 where the origin is outside."""
    bc, ad = cross(b, c), cross(a, d)
    ma, mb, mc, md = -dot(d, bc), -dot(c, ad), dot(b, ad), dot(a, bc)
    if ma + mb + mc + md < 0.0:
        ma, mb, mc, md = -ma, -mb, -mc, -md
    return 0 if is_origin(a, b, c, d, ma, mb, mc, md) else 1, ma, mb, mc, md


@kernel
def of_four(a, b, c, d):
    """Feature of any four corners nearest to the origin, flat, coincident or not: the best certificate of the four faces.

    Returns corners (bits 1, 2, 4, 8; 15 when the origin is inside), four weights, nearest point.
    """
    ma, mb, mc, md = -triple(b, c, d), triple(a, c, d), -triple(a, b, d), triple(a, b, c)
    if ma + mb + mc + md < 0.0:
        ma, mb, mc, md = -ma, -mb, -mc, -md
    if is_origin(a, b, c, d, ma, mb, mc, md):
        return ORIGIN_INSIDE, ma, mb, mc, md, d
    code, la, lb, lc, v = of_triangle(a, b, c)
    best = lower_bound(v, a, b, c, d)
    found = (code, la, lb, lc, 0.0, v)
    code, la, lb, lc, v = of_triangle(a, b, d)
    bound = lower_bound(v, a, b, c, d)
    if bound > best:
        best = bound
        found = ((code & 3) + 2 * (code & 4), la, lb, 0.0, lc, v)
    code, la, lb, lc, v = of_triangle(a, c, d)
    bound = lower_bound(v, a, b, c, d)
    if bound > best:
        best = bound
        found = ((code & 1) + 2 * (code & 6), la, 0.0, lb, lc, v)
    code, la, lb, lc, v = of_triangle(b, c, d)
    if lower_bound(v, a, b, c, d) > best:
        found = (2 * code, 0.0, la, lb, lc, v)
    return found
