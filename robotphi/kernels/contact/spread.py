"""How the pressure of a pair spreads across its direction."""
import math

from robotphi.kernels.compiling.compiled import inlined
from robotphi.kernels.contact import columns as c
from robotphi.kernels.maths.vectors import cross, dot, get3, scaled, unit


@inlined
def spread_of(sums, k, weight, n, trace):
    """Directions across n along which the pressure of pair k, in all `weight`, spreads most and least, and its variances [m²].

    The pressure of a facet stands at its corners, which spreads it too far: the sum is brought to what is known of it, `trace`;
    where that is negative it stands as it is.
    """
    m = scaled(get3(sums, k, c.PAIR_CENTRE), 1.0 / weight)
    first = unit(cross(n, (1.0, 0.0, 0.0) if abs(n[0]) < 0.6 else (0.0, 1.0, 0.0)))
    second = cross(n, first)
    xx = along_tensor(sums, k, first, first) / weight - dot(m, first) * dot(m, first)
    yy = along_tensor(sums, k, second, second) / weight - dot(m, second) * dot(m, second)
    xy = along_tensor(sums, k, first, second) / weight - dot(m, first) * dot(m, second)
    half, mean = 0.5 * (xx - yy), 0.5 * (xx + yy)
    radius = math.sqrt(half * half + xy * xy)
    most = (half + radius, xy) if half >= 0.0 else (xy, radius - half)
    size = math.sqrt(most[0] * most[0] + most[1] * most[1])
    if size > 0.0:
        t = (most[0] * first[0] + most[1] * second[0], most[0] * first[1] + most[1] * second[1],
             most[0] * first[2] + most[1] * second[2])
        first = scaled(t, 1.0 / size)
        second = cross(n, first)
    large, small = max(mean + radius, 0.0), max(mean - radius, 0.0)
    if trace >= 0.0:
        scale = trace / (large + small) if large + small > 0.0 else 0.0
        large, small = (scale * large, scale * small) if scale > 0.0 else (trace, trace)
    return first, second, large, small


@inlined
def along_tensor(sums, k, a, b):
    """a · the spread of pair k · b."""
    t = c.PAIR_TENSOR
    return (sums[k, t] * a[0] * b[0] + sums[k, t + 1] * a[1] * b[1] + sums[k, t + 2] * a[2] * b[2]
            + sums[k, t + 3] * (a[0] * b[1] + a[1] * b[0]) + sums[k, t + 4] * (a[0] * b[2] + a[2] * b[0])
            + sums[k, t + 5] * (a[1] * b[2] + a[2] * b[1]))
