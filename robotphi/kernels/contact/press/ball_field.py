"""A ball on a height field: how far it must be moved to be free, and which contacts push it there.

Where a ball meets faces, edges and vertices at once, a sum over all triangles that it touches counts a flat field once for each
of its triangles, and a sum over nearest points jumps where one of them passes into a valley. So the depth is the length of the
shortest displacement δ after which the ball touches nothing:
```
depth = min |δ|   subject to   distance(centre + δ, triangle) ≥ radius   for all triangles
```
It has no jumps. On a plane, however this is cut into triangles, it is radius − distance with one contact;
over a ridge or peak likewise, n turning about it; in a valley two or three contacts share the push: δ = Σ μ n with μ ≥ 0
(Karush, Kuhn and Tucker), and two walls at a right angle push as two springs would. A law of the depth has the energy
U(|δ|), and by the envelope theorem its gradient is the force U′ δ/|δ| = Σ (μ/|δ|) U′ n, through the ball's centre.

The triangle that is deepest in at the displaced centre joins the active ones, of which at most three stay. They are taken as
planes, anew at each displaced centre, until nothing is in any more. One face takes two passes over the triangles under the
ball's box. A centre under the surface is lifted along the normal of the triangle above it first. Beyond depths of half the
radius rough ground has several ways out, each the shortest among its neighbours; there the depth may jump.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.press.balls import press_ball
from robotphi.kernels.contact.press.field_places import nearest_triangle, reach_triangle, triangle_under
from robotphi.kernels.maths.vectors import cross, dot, minus, norm, plus, scaled

# columns of the rows of contacts
FIELD_NORMAL, FIELD_POINT, FIELD_SHARE, FIELD_TRIANGLE = 0, 3, 6, 7
ACTIVE = 3           # contacts that can matter in space
ROWS = 8             # rows of room that a ball needs: contacts, one newcomer, and their bounds
PASSES = 12          # over the triangles; two for one face, some four in corners
REFINEMENTS = 40     # of the planes between two passes; each takes off the factor depth/radius where edges are active
LIFTED = 1e-9        # of the radius: a ball that was lifted onto a face touches it
CLOSE = 1e-12        # of the radius: what counts as touching and as unmoved
NOT_IN_FIELD = (0.0, 0.0, (0.0, 0.0, 0.0), 0.0, 0)


@inlined
def normal_of(rows, k):
    return rows[k, FIELD_NORMAL], rows[k, FIELD_NORMAL + 1], rows[k, FIELD_NORMAL + 2]


@inlined
def bound_of(rows, k):
    """n·δ must reach this; kept in the rows behind the contacts."""
    return rows[ACTIVE + 1 + k, 0]


@kernel
def set_constraint(fields, number, p, move, radius, triangle, rows, k):
    """Row k says what a triangle asks for, as a plane at the displaced centre p."""
    under = triangle_under(fields, number, p)
    distance, n, point = reach_triangle(fields, number, triangle, p, under == triangle, math.inf)
    for axis in range(3):
        rows[k, FIELD_NORMAL + axis] = n[axis]
        rows[k, FIELD_POINT + axis] = point[axis]
    rows[k, FIELD_SHARE] = 0.0
    rows[k, FIELD_TRIANGLE] = triangle
    rows[ACTIVE + 1 + k, 0] = radius - distance + dot(n, move)


@kernel
def holds(rows, count, move, slack):
    fine = True
    for k in range(count):
        if dot(normal_of(rows, k), move) < bound_of(rows, k) - slack:
            fine = False
    return fine


@kernel
def set_shares(rows, count, i, j, k, first, second, third):
    """Multipliers of up to three rows, the others 0."""
    for row in range(count):
        rows[row, FIELD_SHARE] = first if row == i else (second if row == j else (third if row == k else 0.0))


@kernel
def shortest_move(rows, count, slack):
    """The shortest move that all rows allow, by the smallest set of rows that does; multipliers into the rows."""
    for i in range(count):
        if bound_of(rows, i) >= 0.0:
            move = scaled(normal_of(rows, i), bound_of(rows, i))
            if holds(rows, count, move, slack):
                set_shares(rows, count, i, -1, -1, bound_of(rows, i), 0.0, 0.0)
                return move
    for i in range(count):
        for j in range(i):
            a, b = normal_of(rows, i), normal_of(rows, j)
            normal = cross(a, b)
            size, g = dot(normal, normal), dot(a, b)
            if size > 1e-20:
                first = (bound_of(rows, i) - g * bound_of(rows, j)) / size
                second = (bound_of(rows, j) - g * bound_of(rows, i)) / size
                move = plus(scaled(a, first), scaled(b, second))
                if first >= 0.0 and second >= 0.0 and holds(rows, count, move, slack):
                    set_shares(rows, count, i, j, -1, first, second, 0.0)
                    return move
    for i in range(count):
        for j in range(i):
            for k in range(j):
                a, b, c = normal_of(rows, i), normal_of(rows, j), normal_of(rows, k)
                ab, bc, ca = cross(a, b), cross(b, c), cross(c, a)
                volume = dot(a, bc)
                if abs(volume) > 1e-14:
                    move = plus(scaled(bc, bound_of(rows, i)), scaled(ca, bound_of(rows, j)))
                    move = scaled(plus(move, scaled(ab, bound_of(rows, k))), 1.0 / volume)
                    first, second, third = dot(move, bc) / volume, dot(move, ca) / volume, dot(move, ab) / volume
                    if first >= 0.0 and second >= 0.0 and third >= 0.0 and holds(rows, count, move, slack):
                        set_shares(rows, count, i, j, k, first, second, third)
                        return move
    last = count - 1  # they contradict each other to rounding: the newcomer, which is the deepest, has its way
    set_shares(rows, count, last, -1, -1, bound_of(rows, last), 0.0, 0.0)
    return scaled(normal_of(rows, last), bound_of(rows, last))


@kernel
def keep_active(rows, count):
    """Rows with a positive multiplier move to the front; how many they are."""
    kept = 0
    for k in range(count):
        if rows[k, FIELD_SHARE] > 0.0 and kept < ACTIVE:
            for column in range(ROWS):
                rows[kept, column] = rows[k, column]
            rows[ACTIVE + 1 + kept, 0] = rows[ACTIVE + 1 + k, 0]
            kept += 1
    return kept


@kernel
def refine(fields, number, centre, move, radius, rows, count):
    """Number of active rows and the shortest move that frees the ball of the triangles of `count` rows."""
    for _ in range(REFINEMENTS):
        place = plus(centre, move)
        for k in range(count):
            set_constraint(fields, number, place, move, radius, int(rows[k, FIELD_TRIANGLE]), rows, k)
        old = move
        move = shortest_move(rows, count, CLOSE * radius)
        count = keep_active(rows, count)
        if count == 0 or norm(minus(move, old)) <= CLOSE * radius:
            break
    return count, move


@kernel
def field_contacts(fields, number, centre, radius, rows):
    """Number of contacts of a ball, its depth [m] and the direction of the push; contacts into the first rows of `rows` (8, 8).

    A row has the contact's direction n, its point on the field, its share μ/|δ| of the force and its triangle.
    """
    move = (0.0, 0.0, 0.0)
    count = 0
    for _ in range(PASSES):
        reach = radius * (1.0 - CLOSE)
        under = triangle_under(fields, number, plus(centre, move))
        if under >= 0:
            height, n, _ = reach_triangle(fields, number, under, plus(centre, move), True, 0.0)
            move = plus(move, scaled(n, radius - height))
            count, reach = 0, radius * (1.0 + LIFTED)
        triangle, _ = nearest_triangle(fields, number, plus(centre, move), reach)
        known = triangle < 0
        for k in range(count):
            known = known or int(rows[k, FIELD_TRIANGLE]) == triangle
        if known:
            break
        rows[count, FIELD_TRIANGLE] = triangle
        count, move = refine(fields, number, centre, move, radius, rows, count + 1)
    depth = norm(move)
    if not (count > 0 and depth > 0.0):
        return 0, 0.0, (0.0, 0.0, 0.0)
    for k in range(count):
        rows[k, FIELD_SHARE] /= depth
    return count, depth, scaled(move, 1.0 / depth)


@kernel
def press_ball_on_field(fields, number, centre, velocity, radius, stiffness, power, damping, rows):
    """Energy [J], elastic force [N], force on the centre [N], loss [W] and number of contacts of a ball law.

    Each contact is damped by the speed at which the centre nears it, and none pulls. Afterwards SHARE holds the force of each
    contact along its n [N].
    """
    count, depth, _ = field_contacts(fields, number, centre, radius, rows)
    if count == 0:
        return NOT_IN_FIELD
    energy, elastic, _, _ = press_ball(stiffness, power, 0.0, depth, 0.0)
    force = (0.0, 0.0, 0.0)
    loss = 0.0
    for k in range(count):
        n = normal_of(rows, k)
        closing = -dot(n, velocity)
        extra = max(damping * closing, -1.0)
        share = elastic * rows[k, FIELD_SHARE]
        rows[k, FIELD_SHARE] = share * (1.0 + extra)
        force = plus(force, scaled(n, rows[k, FIELD_SHARE]))
        loss += share * extra * closing
    return energy, elastic, force, loss, count
