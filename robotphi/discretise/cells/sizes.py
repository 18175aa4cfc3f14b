"""Sizes: where cells shall be smaller, a function of the size at any point; and how many there can be.

A refinement of a body says its regions. The grading of a line is plain data:
    None or 1                uniform
    k > 0                    P_i = P_1 + (i/n)^k (P_2 − P_1): k > 1 is denser near P_1, k < 1 near P_2 (RR-3072, 2.3.3)
    "start", "end"           denser there, with k = 2; ["end", 3] says the exponent
    "middle", "ends"         the same from both sides, in two halves that meet
    [0, 0.1, 0.4, 1]         the fractions themselves
"""
import numpy as np

from robotphi.discretise.cells.nearest import distance_to_triangles
from robotphi.scene.checks import floats, number, refuse, whole, word

WORDS = ("start", "end", "middle", "ends")
EXPONENT = 2.0         # of a word that comes without its exponent
STEEPEST = 10.0        # past it, or below its inverse, the cells of a line differ too much to be of use
SAMPLES = 257          # points of a line at which a size function is asked


def fractions(count, grading=None, where="grading"):
    """(count + 1,) increasing fractions, the first 0 and the last 1."""
    count = whole(where, "count", count)
    refuse_many(where, count)
    if grading is None:
        return np.arange(count + 1) / count
    kind, exponent = _read(where, grading)
    if kind == "own":
        if len(exponent) != count + 1:
            refuse(where, f"it lists {len(exponent)} fractions for {count} cells", f"list {count + 1} of them")
        return exponent
    return _graded(count, kind, exponent)


def is_symmetric(grading):
    """Whether the spacing is the same from both ends."""
    kind, exponent = _read("grading", 1 if grading is None else grading)
    if kind == "own":
        return bool(np.allclose(exponent, 1 - exponent[::-1], rtol=0, atol=1e-12))
    return kind in ("middle", "ends") or exponent == 1


def mix(first, last, t):
    """`first` + t (`last` − `first`): where both have one coordinate in common, so have all between; t = 1 gives `last`."""
    return np.where(t == 1, last, first + t * (last - first))


def spaced(relative_size, count=None):
    """Fractions of a line on which cells shall have the size that `relative_size(fractions)` asks for.

    The spacing is even in ∫ ds / size. Without `count` there are as many cells as make none larger than asked; with it,
    all sizes change by one factor.
    """
    s = np.linspace(0, 1, SAMPLES)
    size = floats("size", "size along the line", relative_size(s))
    if not (size > 0).all():
        refuse("size", "the size function gives a size that is not positive", "give sizes in metres above 0")
    density = 1 / size
    integral = np.concatenate(([0], np.cumsum((density[1:] + density[:-1]) / 2 / (SAMPLES - 1))))
    refuse_many("size", integral[-1] if count is None else count, "give larger sizes along the line")
    if count is None:
        count = max(1, int(np.ceil(integral[-1] - 1e-9)))
    result = np.interp(np.arange(count + 1) * (integral[-1] / count), integral, s)
    if np.allclose(density, density[::-1], rtol=1e-12):
        result = (result + 1 - result[::-1]) / 2  # the mirror image to the last bit
    result[0], result[-1] = 0, 1
    return result


def _read(where, grading):
    """(word, exponent) or ("own", fractions) of a specification; a plain number k is ("start", k)."""
    if isinstance(grading, str):
        return word(where, "grading", grading, WORDS), EXPONENT
    if np.ndim(grading) == 0:
        return "start", number(where, "exponent k", grading, low=1 / STEEPEST, high=STEEPEST)
    if len(grading) == 2 and isinstance(grading[0], str):
        return (word(where, "grading", grading[0], WORDS),
                number(where, "exponent k", grading[1], low=1 / STEEPEST, high=STEEPEST))
    own = floats(where, "fractions", grading)
    if own.ndim != 1 or len(own) < 2 or own[0] != 0 or own[-1] != 1 or (np.diff(own) <= 0).any():
        refuse(where, f"the fractions {grading!r:.60} do not increase from 0 to 1", "for example [0, 0.2, 0.5, 1]")
    return "own", own


def _graded(count, kind, exponent):
    t = np.arange(count + 1) / count
    if kind == "start":
        return t ** exponent
    if kind == "end":
        return 1 - t[::-1] ** exponent
    # The lower half by the formula, the upper one its mirror image; an odd count has its middle cell across.
    half = t[:count // 2 + 1]
    lower = (2 * half) ** exponent / 2 if kind == "ends" else (1 - (1 - 2 * half) ** exponent) / 2
    return np.concatenate((lower, 1 - lower[::-1][1 - count % 2:]))


GROWTH = 0.5    # metres of cell size per metre away from a refined region: neighbours differ by about half

MOST = 20_000_000    # cells of a mesh: some gigabytes and a minute


def refuse_many(where, cells, remedy="give fewer", what="cells"):
    """Refuse more cells than can be held, before any array of that length is made."""
    if not cells <= MOST:
        refuse(where, f"that asks for {cells:.4g} {what}", f"there can be {MOST}: {remedy}")


def size_function(size, refine, facets):
    """size(points (m, 3)) → (m,) metres, from what the user says.

    Args:
        size: cell size away from refined regions [m].
        refine: {region: factor}, where a region is the name of a facet or group of facets, or a box
            ((x, y, z), (x, y, z)); cells there are smaller by the factor, and grow away from it. Or a function itself.
        facets: name → (t, 3, 3) triangles of the shape's facets.
    """
    if callable(refine):
        return _checked(refine)
    if not isinstance(refine, dict) or not refine:
        refuse("discretise", f"refine is {refine!r:.60}",
               'give {"top": 3}, {((0, 0, 0), (1, 1, 1)): 2} or a function of points')
    size = number("discretise", "size", size, above=0)
    regions = [(_distance(region, facets), number("discretise", f"factor of {region!r}", factor, low=1))
               for region, factor in refine.items()]

    def sizes(points):
        best = np.full(len(points), size)
        for distance, factor in regions:
            best = np.minimum(best, size / factor + GROWTH * distance(points))
        return best
    return sizes


def has_boxes(refine):
    """Whether a refinement asks for smaller cells in boxes."""
    return isinstance(refine, dict) and any(not isinstance(region, str) for region in refine)


def _checked(function):
    def sizes(points):
        try:
            found = floats("discretise", "what refine gives", function(points))
        except TypeError as error:
            refuse("discretise", f"refine cannot be called with points ({error})",
                   "give a function of points (m, 3) that gives (m,) sizes, such as lambda points: 0.1 + points[:, 0]")
        if found.shape not in ((), (len(points),)) or (found <= 0).any():
            refuse("discretise", f"refine gives shape {found.shape}, least {found.min() if found.size else 0:g}",
                   f"it takes points (m, 3) and gives (m,) sizes above 0; here m is {len(points)}")
        return np.broadcast_to(found, (len(points),))
    return sizes


def _distance(region, facets):
    if isinstance(region, str):
        corners = facets[word("discretise", "region to refine", region, tuple(facets))]
        return lambda points: distance_to_triangles(points, corners)
    box = floats("discretise", "box to refine", region)
    if box.shape != (2, 3) or (box[0] > box[1]).any():
        refuse("discretise", f"the box to refine is {region!r:.60}",
               "give its lowest and its highest corner, two rows of three")
    return lambda points: np.linalg.norm(np.maximum(np.maximum(box[0] - points, points - box[1]), 0), axis=1)
