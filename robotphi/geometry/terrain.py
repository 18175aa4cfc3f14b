"""Height fields: ground from a grid of heights, as one closed solid or as convex parts."""
import numpy as np

from robotphi.geometry.polygons import loft
from robotphi.geometry.polyhedron import Compound, Polyhedron
from robotphi.scene.checks import first_true, floats, number, refuse, vector
from robotphi.scene.statements import made


@made
def height_field(heights, size, bottom, centre=(0.0, 0.0, 0.0)):
    """Closed solid under a surface: (nx, ny) heights [m] over a rectangle of `size` (x, y) [m], down to the height `bottom`.

    Every cell of the grid has two triangles at the top and a quadrilateral at the bottom, so that facets meet edge to edge.
    Facets top i, bottom i, left i, right i, front i, back i. It is not convex: `height_field_parts` is made of convex parts.
    """
    points, shape = _grid(heights, size, bottom, centre)
    a, b, c, d = _cells(shape)
    count = shape[0] * shape[1]
    lower = np.arange(count).reshape(shape)
    walls = {"left": lower[0, ::-1], "right": lower[-1], "front": lower[:, 0], "back": lower[::-1, -1]}
    groups = {"top": np.concatenate(_halves(a, b, c, d)) + count, "bottom": np.stack([a, d, c, b], axis=1)}
    groups |= {name: np.stack([row[:-1], row[1:], row[1:] + count, row[:-1] + count], axis=1) for name, row in walls.items()}
    return Polyhedron(points, [loop for loops in groups.values() for loop in loops],
                      [f"{name} {i}" for name, loops in groups.items() for i in range(len(loops))])


@made
def height_field_parts(heights, size, bottom, centre=(0.0, 0.0, 0.0)):
    """The same solid as a Compound of upright wedges, two per cell; facets bottom, top, side 0, side 1, side 2 of each."""
    points, shape = _grid(heights, size, bottom, centre)
    corners = np.concatenate(_halves(*_cells(shape)))
    lower, upper = points[corners], points[corners + shape[0] * shape[1]]
    return Compound(tuple(loft(below, above, ("bottom", "top", "side")) for below, above in zip(lower, upper, strict=True)))


def _grid(heights, size, bottom, centre):
    """Points of the bottom and of the surface, row by row along y, and the shape of the grid."""
    heights, size = floats("height field", "heights", heights), floats("height field", "size", size)
    if heights.ndim != 2 or min(heights.shape) < 2:
        refuse("height field", f"heights has shape {heights.shape}", "give a grid of at least 2 × 2 numbers")
    if size.shape != (2,) or np.any(size <= 0.0):
        refuse("height field", f"size is {size.tolist()!s:.60}", "give two lengths, along x and y, each > 0")
    bottom = number("height field", "bottom", bottom)
    bad = first_true(heights <= bottom)
    if bad is not None:
        refuse("height field", f"the lowest height, {heights.min():g}, does not lie above bottom, {bottom:g}",
               "lower bottom", bad)
    x, y = (np.linspace(-0.5, 0.5, n) * extent for n, extent in zip(heights.shape, size, strict=True))
    flat = np.stack(np.meshgrid(x, y, indexing="ij"), axis=2).reshape(-1, 2)
    points = [np.column_stack([flat, z]) for z in (np.full(heights.size, bottom), heights.reshape(-1))]
    return np.concatenate(points) + vector("height field", "centre", centre), heights.shape


def _cells(shape):
    """Corners of the cells, counter-clockwise from above, from the one with the lowest x and y."""
    index = np.arange(shape[0] * shape[1]).reshape(shape)
    corners = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    return (each.reshape(-1) for each in corners)


def _halves(a, b, c, d):
    return np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)
