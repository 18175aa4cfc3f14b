"""Sizes: where cells shall be smaller; a refinement in, a function of the size at any point out. And how many there can be."""
import numpy as np

from robotphi.discretise.cells.nearest import distance_to_triangles
from robotphi.scene.checks import floats, number, refuse, word

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
