"""3 × 3 matrices as tuples of their rows."""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import cross, dot, get3, plus, scaled, set3

ROUNDS = 30           # of the polar decomposition at most; it converges quadratically, from a strain of 10 % in four
SETTLED = 1e-15
FLAT = 1e-6           # determinant below which a matrix is no turn with a strain
UNTURNED = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@inlined
def apply(m, a):
    """m a."""
    return dot(m[0], a), dot(m[1], a), dot(m[2], a)


@inlined
def apply_back(m, a):
    """mᵀ a."""
    return plus(plus(scaled(m[0], a[0]), scaled(m[1], a[1])), scaled(m[2], a[2]))


@inlined
def get_matrix(rows, i, column):
    return get3(rows, i, column), get3(rows, i, column + 3), get3(rows, i, column + 6)


@inlined
def set_matrix(rows, i, column, m):
    set3(rows, i, column, m[0])
    set3(rows, i, column + 3, m[1])
    set3(rows, i, column + 6, m[2])


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
