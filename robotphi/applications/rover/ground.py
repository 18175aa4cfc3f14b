"""Ground for vehicles: heights on a grid, made from a seed or read from a table, with what lies on it."""
from dataclasses import dataclass, replace

import numpy as np

from robotphi.discretise import moved, rigid
from robotphi.geometry import shapes
from robotphi.geometry.hull import hull
from robotphi.scene.checks import floats, frozen, number, numbers, refuse, vector, whole
from robotphi.scene.csv_file import read_csv

WAVES = 12            # that add up to hills
EXAMPLE = "x [m],y [m],z [m]"
CORNERS = 14          # of which the hull is a boulder
ABOVE = 1e-3          # m, of loose stones at first
RIM = 12              # places on either side of an axle under which ground is looked at


@dataclass(frozen=True, eq=False)
class Ground:
    """Heights on a grid.

    Attributes:
        heights: (nx, ny) m; spacing: along x and y [m]; origin: x and y of its first point [m].
    """
    heights: np.ndarray
    spacing: tuple
    origin: tuple

    def __post_init__(self):
        heights = floats("ground", "heights", self.heights)
        if heights.ndim != 2 or min(heights.shape) < 2:
            refuse("ground", f"heights has shape {heights.shape}", "give rows along x of heights along y, two by two at least")
        spacing = numbers("ground", "spacing", self.spacing, 2, above=0.0)
        origin = numbers("ground", "origin", self.origin, 2)
        object.__setattr__(self, "heights", frozen(heights))
        object.__setattr__(self, "spacing", tuple(spacing.tolist()))
        object.__setattr__(self, "origin", tuple(origin.tolist()))

    @property
    def ends(self):
        """(2, 2) m: x and y of its first and its last point."""
        last = np.array(self.origin) + np.array(self.spacing) * (np.array(self.heights.shape) - 1)
        return np.array([self.origin, last])

    def height(self, x, y):
        """m at places, on the triangles that contact meets: each cell is cut from its lowest x and y to its highest."""
        at = [np.clip((np.asarray(v, float) - o) / s, 0.0, n - 1.0)
              for v, o, s, n in zip((x, y), self.origin, self.spacing, self.heights.shape, strict=True)]
        i, j = (np.minimum(v.astype(int), n - 2) for v, n in zip(at, self.heights.shape, strict=True))
        u, v, h = at[0] - i, at[1] - j, self.heights
        low, high = h[i, j], h[i + 1, j + 1]
        return np.where(u >= v, low + u * (h[i + 1, j] - low) + v * (high - h[i + 1, j]),
                        low + v * (h[i, j + 1] - low) + u * (high - h[i, j + 1]))

    def levelled(self, x, over=0.3):
        """The same, level at height 0 behind x [m], and rising to its own heights over so much [m]."""
        ahead = self.origin[0] + self.spacing[0] * np.arange(len(self.heights)) - number("ground", "x", x)
        rise = np.clip(ahead / number("ground", "over", over, above=0.0), 0.0, 1.0)[:, None]
        return replace(self, heights=self.heights * rise**2 * (3.0 - 2.0 * rise))

    def add_to(self, scene, contact, name="ground"):
        """Put it into a scene as a height field; returns its description."""
        return scene.add_height_field(name, self.heights, self.spacing, (*self.origin, 0.0), contact=contact)


def hills(seed, size, spacing=0.1, height=0.1, length=0.8, origin=(0.0, 0.0)):
    """Rolling ground: waves of random directions and phases that follow from a seed; returns a `Ground`.

    Args:
        seed: a whole number.
        size: extent along x and y [m]; spacing: of its points [m]; origin: its first point [m].
        height: of the highest and lowest places above and below 0 [m].
        length: of the shortest waves [m]; the longest are three times as long.
    """
    where = "hills"
    size, origin = numbers(where, "size", size, 2, above=0.0), numbers(where, "origin", origin, 2)
    spacing, height = number(where, "spacing", spacing, above=0.0), number(where, "height", height, low=0.0)
    draw = np.random.default_rng(whole(where, "seed", seed, low=0))
    x, y = (start + spacing * np.arange(round(extent / spacing) + 1) for start, extent in zip(origin, size, strict=True))
    waves = np.zeros((len(x), len(y)))
    for share, way, phase in draw.random((WAVES, 3)):
        number_of_wave = 2.0 * np.pi / (number(where, "length", length, above=0.0) * (1.0 + 2.0 * share))
        along = np.cos(2.0 * np.pi * way) * x[:, None] + np.sin(2.0 * np.pi * way) * y[None, :]
        waves += np.sin(number_of_wave * along + 2.0 * np.pi * phase)
    most = np.abs(waves).max()
    return Ground(waves * (height / most if most > 0.0 else 0.0), (spacing, spacing), origin)


def read_ground(path):
    """The `Ground` of a table with columns x, y and z and their units in the heads: one row for each point of an even grid."""
    table = read_csv("ground", path, 4, EXAMPLE)
    x, y, z = (table.column(name, "length") for name in "xyz")
    lines, columns = np.unique(x), np.unique(y)
    if min(len(lines), len(columns)) < 2 or len(x) != len(lines) * len(columns):
        refuse(table.where, f"it has {len(x)} points at {len(lines)} x and {len(columns)} y", "give each x with each y, once")
    for name, along in (("x", lines), ("y", columns)):
        steps = np.diff(along)
        if np.ptp(steps) > 1e-6 * steps.mean():
            refuse(table.where, f"{name} goes on by {steps.min():g} to {steps.max():g} m", "give points of an even grid")
    i, j = np.searchsorted(lines, x), np.searchsorted(columns, y)
    heights = np.full((len(lines), len(columns)), np.nan)
    heights[i, j] = z
    if np.isnan(heights).any():
        refuse(table.where, "a point of its grid is there twice, another is missing", "give each x with each y, once")
    return Ground(heights, (float(np.ptp(lines)) / (len(lines) - 1), float(np.ptp(columns)) / (len(columns) - 1)),
                  (lines[0], columns[0]))


def picture_ground(path, size=(6.2, 2.5), height=0.1, spacing=0.1, origin=(-1.03, -1.03)):
    """The `Ground` of a picture, by its grey: black is so high below 0 and white above [m].

    Args:
        path: a file that Pillow knows, PNG, JPEG, TIFF of 16 bits and others.
        size: extent along x, the picture's width to the right, and along y, its height upwards [m].
        spacing: of points, of the greys around each the mean [m]; origin: x and y of the first, its lower left [m].
    """
    from PIL import Image

    where = f"ground {str(path)!r}"
    size, origin = numbers(where, "size", size, 2, above=0.0), numbers(where, "origin", origin, 2)
    spacing, height = number(where, "spacing", spacing, above=0.0), number(where, "height", height, low=0.0)
    try:
        with Image.open(path) as image:
            grey = np.asarray(image if image.mode.startswith("I") else image.convert("L"), float)
            white = 65535.0 if image.mode.startswith("I") else 255.0
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:   # as Pillow tells damaged files
        refuse(where, f"it cannot be read as a picture ({error})", "give a PNG, JPEG, WebP, GIF, BMP or TIFF file")
    counts = [max(round(extent / spacing) + 1, 2) for extent in size]
    small = Image.fromarray(grey.astype(np.float32)).resize(counts, Image.Resampling.BOX)
    heights = height * (2.0 * np.asarray(small, float)[::-1].T / white - 1.0)
    return Ground(heights, (spacing, spacing), origin)


def standing_height(ground, dimensions, at=(0.0, 0.0)):
    """m, how high level ground would be on which a vehicle stands that is put down level at x and y [m], until the first of its
    wheels touches; it comes to rest on the others by itself."""
    d = dimensions
    ahead = np.linspace(-d.radius, d.radius, 2 * RIM + 1)
    below = d.radius - np.sqrt(np.maximum(d.radius**2 - ahead**2, 0.0))
    found = [ground.height(at[0] + d.x_of(wheel) + ahead, at[1] + side) - below for wheel in d.wheel_names
             for side in (1.0 if wheel.startswith("left") else -1.0) * (d.track + 0.5 * d.width * np.array([-1.0, 0.0, 1.0]))]
    return float(np.max(found))


def add_step(scene, name, x, height, contact, depth=1.0, width=2.0, y=0.0, level=0.0):
    """A step across the way, a box that is held: its front at x, so high over a level, so deep along x and wide [m]."""
    where = f"step {name!r}"
    height = number(where, "height", height, above=0.0)
    size = (number(where, "depth", depth, above=0.0), number(where, "width", width, above=0.0), 2.0 * height)
    box = rigid(shapes.box(size, (x + 0.5 * size[0], y, level)), mass=1.0)
    return scene.add_object(name, box, contact=contact, support="xyz")


def add_boulders(scene, name, seed, places, size, contact, ground=None, density=None):
    """Boulders that lie fast, or loose stones, the hulls of corners around a ball that follow from a seed; returns their names.

    Args:
        name: goes in front of their numbers.
        places: (n, 2) x and y of their middles [m].
        size: across [m], one or one each.
        ground: the Ground in which they stand, half of each above it; level at 0 unless told.
        density: [kg/m³] of loose stones, which lie on the ground at first, a millimetre above it; others lie fast.
    """
    where = f"boulders {name!r}"
    places = np.atleast_2d(np.asarray(places, float))
    if places.ndim != 2 or places.shape[1] != 2:
        refuse(where, f"places has shape {places.shape}", "give rows of x and y")
    size = numbers(where, "size", size, len(places), above=0.0)
    draw, names = np.random.default_rng(whole(where, "seed", seed, low=0)), []
    for k, (place, across) in enumerate(zip(places, size, strict=True)):
        around = draw.standard_normal((CORNERS, 3))
        corners = 0.5 * across * around / np.linalg.norm(around, axis=1, keepdims=True)
        names.append(f"{name} {k + 1}")
        if density is None:
            height = 0.0 if ground is None else float(ground.height(*place))
            stone, support = rigid(hull(corners), mass=1.0), "xyz"
        else:
            beside = place + corners[:, :2]
            below = 0.0 if ground is None else ground.height(*beside.T)
            height = float(np.max(below - corners[:, 2])) + ABOVE
            stone, support = rigid(hull(corners), density=number(where, "density", density, above=0.0)), ""
        scene.add_object(names[-1], moved(stone, vector(where, "place", (*place, height))), contact=contact,
                         support=support)
    return tuple(names)
