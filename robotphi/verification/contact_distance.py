"""Group "contact", distance of convex bodies: every answer proves itself."""
import numpy as np

from robotphi.kernels.compiling.compiled import entry
from robotphi.kernels.contact.find.gjk import nearest
from robotphi.kernels.contact.find.simplex import NONE
from robotphi.verification.registry import Figure, case

GROUP = "contact"
PAIRS = 1000             # of each kind
CERTIFICATE = 1e-12      # of the size: what is asked; some hundred roundings of it
OVERLAPPING = 0.0


# --- pairs ---------------------------------------------------------------------------------------------------------
def turned(generator, points):
    """The points turned at random."""
    q, r = np.linalg.qr(generator.normal(size=(3, 3)))
    return points @ (q * np.sign(np.diag(r))).T


def clouds(generator):
    """Two sets of 4 to 20 corners of about unit size."""
    return [generator.uniform(-1, 1, (generator.integers(4, 21), 3)) for _ in range(2)]


def apart(generator):
    a, b = clouds(generator)
    return a, b + 4 * direction(generator)


def near(generator):
    """Apart by 1e-15 to 1e-2 along some direction."""
    a, b = clouds(generator)
    n = direction(generator)
    return a, b + ((a @ n).min() - (b @ n).max() - 10 ** generator.uniform(-15, -2)) * n


def face_to_face(generator):
    """Boxes of one direction, their faces parallel up to rounding, edges and corners often right above each other."""
    sides = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    a, b = sides * (1, 1, 0.1), sides * (generator.choice((0.5, 1, 2)), 1, 0.2)
    b = b - (generator.choice((0, 0.25, 1)), generator.choice((0, 1)), 0.15 + 10 ** generator.uniform(-14, -1))
    both = turned(generator, np.concatenate([a, b]))
    return both[:8], both[8:]


def flat(generator):
    """Sheets and needles, down to no thickness at all."""
    made = []
    for points in clouds(generator):
        made.append(turned(generator, points * (1, generator.choice((1, 1e-6, 0)), generator.choice((1e-9, 1e-15, 0)))))
    return made[0], made[1] + generator.choice((0, 0.1, 2)) * direction(generator)


def direction(generator):
    n = generator.normal(size=3)
    return n / np.linalg.norm(n)


KINDS = {"apart": apart, "1e-15 to 1e-2 apart": near, "face to face": face_to_face, "flat": flat}


# --- certificates --------------------------------------------------------------------------------------------------
def make_solver():
    """`nearest` for many pairs at once, cold."""
    def solve(corner, rows, span, starts, neighbour, distance, n, simplex, weight):
        for q in range(len(span)):
            distance[q], d, found, share, _ = nearest(corner, rows, span[q, 0], span[q, 1], span[q, 1], span[q, 2], starts,
                                                      neighbour, (0.0, 0.0, 0.0), NONE)
            for k in range(3):
                n[q, k] = d[k]
            for k in range(9):
                simplex[q, k] = found[k]
            for k in range(4):
                weight[q, k] = share[k]
    return solve


solve_pairs = entry(make_solver)


def certificates(pairs):
    """Of each pair, over its size: how far the witnesses are apart beyond what the corners allow, and how bad the weights are.

    The witnesses Σ w a and Σ w b, w ≥ 0, Σ w = 1, lie in their hulls: the distance is no more than theirs. min a·n − max b·n
    along a unit n is a slab between the hulls: the distance is no less. Where a pair overlaps, the witnesses are one point.
    """
    sets = [points for pair in pairs for points in pair]
    ends = np.concatenate([[0], np.cumsum([len(points) for points in sets])])
    corner = np.zeros((ends[-1], 4))
    corner[:, :3] = np.concatenate(sets)
    rows, count = np.arange(ends[-1], dtype=np.int32), len(pairs)
    span = np.stack([ends[:-1:2], ends[1::2], ends[2::2]], axis=1).astype(np.int32)
    distance, n, simplex, weight = np.empty(count), np.empty((count, 3)), np.empty((count, 9), np.int64), np.empty((count, 4))
    solve_pairs(corner, rows, span, np.zeros(ends[-1] + 1, np.int32), np.zeros(1, np.int32), distance, n, simplex, weight)
    gap, bad = np.empty(count), np.empty(count)
    for q, (a, b) in enumerate(pairs):
        used = simplex[q, 0]
        w, i, j = weight[q, :used], simplex[q, 1:1 + used], simplex[q, 5:5 + used]
        inside = (span[q, 0] <= i).all() and (i < span[q, 1]).all() and (span[q, 1] <= j).all() and (j < span[q, 2]).all()
        bad[q] = max(abs(w.sum() - 1.0), -min(w.min(), 0.0)) if inside else np.inf
        between = np.linalg.norm(w @ (corner[i, :3] - corner[j, :3]))
        slab = 0.0 if distance[q] == OVERLAPPING else (a @ n[q]).min() - (b @ n[q]).max()
        size = max(np.ptp(a, axis=0).max(), np.ptp(b, axis=0).max())
        gap[q] = max(between - slab, abs(between - distance[q])) / size
    return gap, bad


@case(GROUP, "distance", f"largest gap of the certificate over the size, {PAIRS} pairs",
      "witnesses bound the distance from above, a slab between the bodies from below")
def distance():
    figures = []
    for number, (name, make) in enumerate(KINDS.items()):
        generator = np.random.default_rng((5, number))
        gap, bad = certificates([make(generator) for _ in range(PAIRS)])
        figures += [Figure(0.0, gap.max(), CERTIFICATE, name), Figure(0.0, bad.max(), 1e-15, f"{name}, weights")]
    return figures
