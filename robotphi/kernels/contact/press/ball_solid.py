"""The shortest way from a rigid polyhedron to the centre of a ball."""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.contact.columns import FIRST, NORMAL_X, OVERLAPS, SECOND, SIMPLEX
from robotphi.kernels.contact.find.gjk import nearest_called
from robotphi.kernels.maths.vectors import dot, get3, read, scaled


@kernel
def ball_on_solid(parts, touch, x, k):
    """Distance of the centre of pair k's ball from the polyhedron, negative inside, and the direction.

    Inside, the ball is lifted along the direction held so far: the side by which it came in. Whether it was inside at the
    last accepted step decides: what comes out by another side meanwhile does not change its mind within a step.
    """
    pairs, numbers = touch.pairs, touch.numbers
    a, b = pairs[k, FIRST], pairs[k, SECOND]
    i = SIMPLEX
    simplex = (pairs[k, i], pairs[k, i + 1], pairs[k, i + 2], pairs[k, i + 3], pairs[k, i + 4], pairs[k, i + 5],
               pairs[k, i + 6], pairs[k, i + 7], pairs[k, i + 8])
    first, last = parts.vertex_start[b], parts.vertex_start[b + 1]
    centre = parts.vertex_start[a]
    distance, n, _, _, _ = nearest_called(x, parts.vertex, centre, centre + 1, first, last, parts.neighbour_start,
                                          parts.neighbour, (0.0, 0.0, 0.0), simplex)
    if distance > 0.0 and pairs[k, OVERLAPS] == 0:
        return distance, n
    held = get3(numbers, k, NORMAL_X)
    top = -1e300
    for place in range(first, last):
        top = max(top, dot(read(x, parts.vertex[place]), held))
    lift = top - dot(read(x, parts.vertex[centre]), held) + parts.size[a, 0]
    distance, n, _, _, _ = nearest_called(x, parts.vertex, centre, centre + 1, first, last, parts.neighbour_start,
                                          parts.neighbour, scaled(held, lift), simplex)
    return distance - lift * dot(n, held), n
