"""The shortest way from a polyhedron to the centre of a ball, and the force that goes back to the polyhedron's corners."""
from ..compiled import kernel
from ..vectors import add_to, dot, plus, read, scaled
from .carrier import get
from .columns import FIRST, NORMAL_X, SECOND, SIMPLEX, TOTAL_DAMPING, TOTAL_SQUARE
from .gjk import nearest_called


@kernel
def ball_on_solid(parts, touch, x, k):
    """Distance of the centre of pair k's ball from the polyhedron, negative inside; direction, simplex and weights.

    Inside, the ball is lifted along the direction held so far: the side by which it came in.
    """
    pairs, numbers = touch.pairs, touch.numbers
    a, b = pairs[k, FIRST], pairs[k, SECOND]
    i = SIMPLEX
    simplex = (pairs[k, i], pairs[k, i + 1], pairs[k, i + 2], pairs[k, i + 3], pairs[k, i + 4], pairs[k, i + 5],
               pairs[k, i + 6], pairs[k, i + 7], pairs[k, i + 8])
    first, last = parts.vertex_start[b], parts.vertex_start[b + 1]
    centre = parts.vertex_start[a]
    distance, n, simplex, weights, _ = nearest_called(x, parts.vertex, centre, centre + 1, first, last, parts.neighbour_start,
                                               parts.neighbour, (0.0, 0.0, 0.0), simplex)
    if distance > 0.0:
        return distance, n, simplex, weights
    held = get(numbers, k, NORMAL_X)
    top = -1e300
    for place in range(first, last):
        top = max(top, dot(read(x, parts.vertex[place]), held))
    lift = top - dot(read(x, parts.vertex[centre]), held) + parts.size[a, 0]
    distance, n, simplex, weights, _ = nearest_called(x, parts.vertex, centre, centre + 1, first, last, parts.neighbour_start,
                                               parts.neighbour, scaled(held, lift), simplex)
    return distance - lift * dot(n, held), n, simplex, weights


@kernel
def push_corners(parts, force, simplex, weights, f):
    """A force on the point of a polyhedron that the weights of a simplex name, on its particles."""
    for i in range(4):
        if i < simplex[0] and weights[i] > 0.0:
            add_to(force, parts.vertex[simplex[5 + i]], f, weights[i])


@kernel
def speed_of_corners(parts, v, simplex, weights):
    """Velocity of that point."""
    speed = (0.0, 0.0, 0.0)
    for i in range(4):
        if i < simplex[0] and weights[i] > 0.0:
            speed = plus(speed, scaled(read(v, parts.vertex[simplex[5 + i]]), weights[i]))
    return speed


@kernel
def bound_corners(parts, particles, totals, simplex, weights, stiffness, damping):
    """Let a spring at that point count for the particles of the corners: the sums of their rows of its matrix."""
    for i in range(4):
        if i < simplex[0] and weights[i] > 0.0:
            w = 2.0 * weights[i] * particles.inverse_mass[parts.vertex[simplex[5 + i]]]
            totals[TOTAL_SQUARE] = max(totals[TOTAL_SQUARE], stiffness * w)
            totals[TOTAL_DAMPING] = max(totals[TOTAL_DAMPING], damping * w)
