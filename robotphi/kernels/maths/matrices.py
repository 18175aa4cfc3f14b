"""3 × 3 matrices as tuples of their rows: they stay in registers."""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.lanes import lane_of, splat
from robotphi.kernels.maths.vectors import cross, dot, minus, plus, scaled

ROUNDS = 30           # of the polar decomposition at most; it converges quadratically, from a strain of 10 % in four
SETTLED = 1e-15
FLAT = 1e-6           # determinant below which a matrix is no turn with a strain
UNTURNED = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
NOTHING = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@inlined
def get9(rows, i, column):
    return ((rows[i, column], rows[i, column + 1], rows[i, column + 2]),
            (rows[i, column + 3], rows[i, column + 4], rows[i, column + 5]),
            (rows[i, column + 6], rows[i, column + 7], rows[i, column + 8]))


@inlined
def set9(rows, i, column, a):
    rows[i, column], rows[i, column + 1], rows[i, column + 2] = a[0]
    rows[i, column + 3], rows[i, column + 4], rows[i, column + 5] = a[1]
    rows[i, column + 6], rows[i, column + 7], rows[i, column + 8] = a[2]


@inlined
def get6(rows, i, column):
    """A symmetric matrix, kept as its upper triangle row by row."""
    return (rows[i, column], rows[i, column + 1], rows[i, column + 2], rows[i, column + 3], rows[i, column + 4],
            rows[i, column + 5])


@inlined
def set6(rows, i, column, a):
    (rows[i, column], rows[i, column + 1], rows[i, column + 2], rows[i, column + 3], rows[i, column + 4],
     rows[i, column + 5]) = a


@inlined
def of_symmetric(a, v):
    """A v of an upper triangle."""
    return (a[0] * v[0] + a[1] * v[1] + a[2] * v[2], a[1] * v[0] + a[3] * v[1] + a[4] * v[2],
            a[2] * v[0] + a[4] * v[1] + a[5] * v[2])


@inlined
def sum_of_symmetric(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@inlined
def symmetric_less(a, b, c):
    """A − b cᵀ of an upper triangle, where that is symmetric as well."""
    return (a[0] - b[0] * c[0], a[1] - b[0] * c[1], a[2] - b[0] * c[2], a[3] - b[1] * c[1], a[4] - b[1] * c[2],
            a[5] - b[2] * c[2])


@inlined
def sum_of(a, b):
    return plus(a[0], b[0]), plus(a[1], b[1]), plus(a[2], b[2])


@inlined
def less(a, b):
    return minus(a[0], b[0]), minus(a[1], b[1]), minus(a[2], b[2])


@inlined
def less_outer(a, b, c):
    """A − b cᵀ"""
    return minus(a[0], scaled(c, b[0])), minus(a[1], scaled(c, b[1])), minus(a[2], scaled(c, b[2]))


@inlined
def along(axes, v):
    """R v, with the columns of R."""
    return plus(plus(scaled(axes[0], v[0]), scaled(axes[1], v[1])), scaled(axes[2], v[2]))


@inlined
def transposed(a):
    return (a[0][0], a[1][0], a[2][0]), (a[0][1], a[1][1], a[2][1]), (a[0][2], a[1][2], a[2][2])


@inlined
def applied(a, v):
    """A v"""
    return dot(a[0], v), dot(a[1], v), dot(a[2], v)


@inlined
def applied_back(a, v):
    """Aᵀ v"""
    return plus(plus(scaled(a[0], v[0]), scaled(a[1], v[1])), scaled(a[2], v[2]))


@inlined
def rows_of(a):
    """The rows of A, each as a lane."""
    return lane_of(a[0]), lane_of(a[1]), lane_of(a[2])


@inlined
def columns_of(a):
    """The columns of A, each as a lane."""
    return lane_of((a[0][0], a[1][0], a[2][0])), lane_of((a[0][1], a[1][1], a[2][1])), lane_of((a[0][2], a[1][2], a[2][2]))


@inlined
def summed_up(lanes, v):
    """Three lanes times the numbers of v: A v of its columns, Aᵀ v of its rows."""
    return lanes[0] * splat(v[0]) + lanes[1] * splat(v[1]) + lanes[2] * splat(v[2])


@inlined
def with_cross(a, r):
    """A [r], with [r] v = r × v."""
    return cross(a[0], r), cross(a[1], r), cross(a[2], r)


@inlined
def diagonal(d):
    return (d, 0.0, 0.0), (0.0, d, 0.0), (0.0, 0.0, d)


@inlined
def turned_diagonal(axes, d):
    """R diag(d) Rᵀ, with the columns of R."""
    a, b, c = axes
    return (row_of(a, b, c, d, 0), row_of(a, b, c, d, 1), row_of(a, b, c, d, 2))


@inlined
def turned_whole(axes, m):
    """R M Rᵀ, with the columns of R."""
    a, b, c = axes
    return turned_rows(axes, plus(plus(scaled(m[0], a[0]), scaled(m[1], b[0])), scaled(m[2], c[0])),
                       plus(plus(scaled(m[0], a[1]), scaled(m[1], b[1])), scaled(m[2], c[1])),
                       plus(plus(scaled(m[0], a[2]), scaled(m[1], b[2])), scaled(m[2], c[2])))


@inlined
def turned_rows(axes, x, y, z):
    """The rows x, y, z, each turned."""
    a, b, c = axes
    return (plus(plus(scaled(a, x[0]), scaled(b, x[1])), scaled(c, x[2])),
            plus(plus(scaled(a, y[0]), scaled(b, y[1])), scaled(c, y[2])),
            plus(plus(scaled(a, z[0]), scaled(b, z[1])), scaled(c, z[2])))


@inlined
def row_of(a, b, c, d, k):
    return plus(plus(scaled(a, d[0] * a[k]), scaled(b, d[1] * b[k])), scaled(c, d[2] * c[k]))


@inlined
def solved(a, v):
    """A⁻¹ v of a symmetric positive matrix."""
    x, y, z = cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])
    return scaled(plus(plus(scaled(x, v[0]), scaled(y, v[1])), scaled(z, v[2])), 1.0 / dot(a[0], x))


@inlined
def inverse_transposed(m):
    """m⁻ᵀ."""
    first, second, third = cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])
    share = 1.0 / dot(m[0], first)
    return scaled(first, share), scaled(second, share), scaled(third, share)


@kernel
def turn_of(m):
    """R of the polar decomposition m = R U: R ← ½ (R + R⁻ᵀ) (Higham 1986); 1 where m has turned inside out."""
    if not dot(m[0], cross(m[1], m[2])) > FLAT:
        return UNTURNED
    for _ in range(ROUNDS):
        other, change = inverse_transposed(m), 0.0
        for k in range(3):
            for j in range(3):
                change = max(change, abs(other[k][j] - m[k][j]))
        m = (scaled(plus(m[0], other[0]), 0.5), scaled(plus(m[1], other[1]), 0.5), scaled(plus(m[2], other[2]), 0.5))
        if change < SETTLED:
            break
    return m
