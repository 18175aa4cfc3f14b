"""A picture printed on a grid of particles: what it is read from, how it is drawn, pictures and movies of it."""
import warnings
from functools import cache

import numpy as np

from robotphi.errors import RecordingError
from robotphi.view import movies, style

LARGEST = 1600            # pixels of the longer side that are kept
DRAWN = (960, 640)        # pixels of the picture that is drawn where none is given
FINE = 4                  # times as many points as particles along each side, by cubic splines: what is bent looks bent
LOOKS = {"above": (0.0, -0.35, 1.0), "slanted": (-0.45, -1.0, 0.8), "front": (0.25, -1.0, 0.12)}
FILLED = 1.12             # room around what is shown


def read_picture(path=""):
    """A picture file as RGB by Pillow, at most 1600 pixels long; the one drawn here where the path is empty."""
    if not path:
        return drawn_picture()
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                image.draft("RGB", (LARGEST, LARGEST))
                image = image.convert("RGBA")
    except FileNotFoundError:
        raise RecordingError(f"there is no picture {path}; name a PNG, JPEG, WebP, GIF, BMP or TIFF file") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise RecordingError(f"{path} has more than {Image.MAX_IMAGE_PIXELS:,} pixels; make it smaller") from None
    except (OSError, ValueError, SyntaxError) as error:   # Pillow tells damaged files by any of these
        told = "it is none that Pillow knows" if isinstance(error, OSError) and "identify" in str(error) else error
        raise RecordingError(f"{path} cannot be read as a picture: {told}; "
                             "give a PNG, JPEG, WebP, GIF, BMP or TIFF file") from error
    if min(image.size) < 8:
        raise RecordingError(f"{path} has {image.width} × {image.height} pixels; give 8 × 8 at least")
    paper = Image.new("RGBA", image.size, style.PAPER)
    image = Image.alpha_composite(paper, image).convert("RGB")
    image.thumbnail((LARGEST, LARGEST), Image.Resampling.LANCZOS)
    return image


@cache
def drawn_picture():
    """A boat under the sun before hills, on a fine net by which one sees how it is pulled out of shape."""
    from PIL import Image, ImageDraw

    wide, high = DRAWN
    image = Image.new("RGB", DRAWN)
    draw = ImageDraw.Draw(image)
    for row in range(high):   # a sky that grows lighter downwards, a sea that grows darker
        share = row / high
        colour = (int(116 + 190 * share), int(178 + 90 * share), int(226 + 30 * share)) if share < 0.6 else (
            int(58 - 60 * (share - 0.6)), int(128 - 110 * (share - 0.6)), int(168 - 80 * (share - 0.6)))
        draw.line([(0, row), (wide, row)], fill=tuple(min(one, 255) for one in colour))
    draw.ellipse([680, 70, 820, 210], fill="#f6c445", outline="#e89f2b", width=6)
    for left, top, right, colour in ((-120, 230, 420, "#7f9f6b"), (180, 270, 760, "#6b8f63"), (560, 250, 1100, "#5a7f5c")):
        draw.pieslice([left, top, right, 2 * 384 - top], 180, 360, fill=colour)
    for row in range(420, high, 34):
        for left in range(-40 + row % 68, wide, 120):
            draw.arc([left, row, left + 60, row + 16], 190, 350, fill="#a9cfe0", width=3)
    draw.polygon([(300, 430), (560, 430), (510, 500), (350, 500)], fill="#8a3f2b", outline="#5e2a1d", width=4)
    draw.line([(425, 430), (425, 190)], fill="#4a2f1f", width=9)
    draw.polygon([(436, 200), (436, 412), (556, 412)], fill="#fdfbf3", outline="#c9c2ae", width=3)
    draw.polygon([(414, 230), (414, 412), (320, 412)], fill="#c53030", outline="#8f2323", width=3)
    for at in range(0, wide + 1, 40):
        draw.line([(at, 0), (at, high)], fill="#1f2933" if at % 200 == 0 else "#66788a", width=3 if at % 200 == 0 else 1)
    for at in range(0, high + 1, 40):
        draw.line([(0, at), (wide, at)], fill="#1f2933" if at % 200 == 0 else "#66788a", width=3 if at % 200 == 0 else 1)
    return image


class Printed:
    """A picture on a grid (nu, nv) of places, in a plotter of pyvista."""

    def __init__(self, plotter, picture, places, look="above", bounds=None):
        import pyvista

        self.plotter, self.fine = plotter, _finer(places.shape[:2])
        self.mesh = pyvista.PolyData(self.fine(places), faces=_faces(self.fine.shape))
        self.mesh.active_texture_coordinates = _shares(self.fine.shape)
        texture = pyvista.Texture(np.asarray(picture))
        texture.interpolate, texture.mipmap = True, True
        plotter.set_background(style.PAPER)
        self.mesh.compute_normals(cell_normals=False, consistent_normals=False, auto_orient_normals=False,
                                  split_vertices=False, inplace=True)
        self.actor = plotter.add_mesh(self.mesh, texture=texture, ambient=0.45, diffuse=0.6, specular=0.05,
                                      smooth_shading=False, reset_camera=False, show_scalar_bar=False)
        self.look(look, np.array([places.min((0, 1)), places.max((0, 1))]) if bounds is None else bounds)

    def show(self, places):
        """Put the grid where it is."""
        self.mesh.points = self.fine(places)
        self.mesh.compute_normals(cell_normals=False, consistent_normals=False, auto_orient_normals=False,
                                  split_vertices=False, inplace=True)
        self.plotter.render()

    def look(self, name, bounds):
        """Look so that a box (2, 3) fills the picture."""
        camera, eye = self.plotter.camera, np.array(LOOKS[name]) / np.linalg.norm(LOOKS[name])
        middle = bounds.mean(axis=0)
        right = np.cross((0.0, 1.0, 0.0) if eye[2] > 0.5 else (0.0, 0.0, 1.0), eye)
        right /= np.linalg.norm(right)
        up = np.cross(eye, right)
        corners = np.stack(np.meshgrid(*bounds.T, indexing="ij"), axis=-1).reshape(-1, 3) - middle
        wide, high = self.plotter.window_size
        camera.focal_point, camera.position, camera.up = middle, middle + 10.0 * np.ptp(bounds, axis=0).max() * eye, up
        camera.parallel_projection = True
        camera.parallel_scale = FILLED * max(np.abs(corners @ up).max(), np.abs(corners @ right).max() * high / wide)
        self.plotter.renderer.ResetCameraClippingRange()


class _finer:
    """Places of the particles as places of finer points, by cubic splines along both sides."""

    def __init__(self, shape):
        from scipy.interpolate import make_interp_spline

        self.shape = tuple(FINE * (n - 1) + 1 for n in shape)
        self.ways = [make_interp_spline(np.arange(n), np.eye(n), k=3)(np.linspace(0, n - 1, fine))
                     for n, fine in zip(shape, self.shape, strict=True)]

    def __call__(self, places):
        return np.einsum("ai,ijx,bj->abx", self.ways[0], places, self.ways[1], optimize=True).reshape(-1, 3)


def _faces(shape):
    number = np.arange(shape[0] * shape[1]).reshape(shape)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
    return np.column_stack([np.full(len(quads), 4), quads]).ravel()


def _shares(shape):
    return np.stack(np.meshgrid(*(np.linspace(0, 1, n) for n in shape), indexing="ij"), axis=-1).reshape(-1, 2)


def places_of(recording, shape):
    """(f, nu, nv, 3) places of a recording's first nu × nv particles."""
    count = shape[0] * shape[1]
    if recording.position.shape[1] < count:
        raise RecordingError(f"a grid of {shape[0]} × {shape[1]} has {count} particles, this recording "
                             f"{recording.position.shape[1]}")
    return recording.position[:, :count].reshape(-1, *shape, 3)


def _printed(recording, shape, picture, look):
    places = places_of(recording, shape)
    bounds = np.array([places.min((0, 1, 2)), places.max((0, 1, 2))])
    return places, Printed(movies.plotter_of(True), picture, places[0], look, bounds)


def write_printed_movie(recording, shape, picture, path, look="above", speed=1.0):
    """A movie of the picture on its grid, .webp, .gif or .mp4; returns the path."""
    path, frames = movies.checked(path, movies.MOVIES), movies.movie_frames(recording, speed)
    places, printed = _printed(recording, shape, picture, look)
    printed.plotter.disable_anti_aliasing()   # a movie is drawn twice as large as it is kept

    def images():
        for frame in frames.tolist():
            printed.show(places[frame])
            yield printed.plotter.screenshot(return_img=True)
    try:
        movies.write_images(images(), path)
    finally:
        printed.plotter.close()
    return path


def draw_printed(panels, path, columns=2):
    """A picture of some instants; panels are (title, recording, shape, picture, look, frame). By pyvista where it can draw."""
    images, rows = [], -(-len(panels) // columns)
    able = style.off_screen_window() is not None
    figure, grid = style.new_figure(4.6 * columns, 3.3 * rows, rows, columns, squeeze=False)
    for _, recording, shape, picture, look, frame in panels if able else ():
        places, printed = _printed(recording, shape, picture, look)
        printed.show(places[frame])
        images.append(printed.plotter.screenshot(return_img=True))
        printed.plotter.close()
    for axes in grid.flat:
        axes.set_axis_off()
    for axes, (title, recording, shape, picture, look, frame), image in zip(grid.flat, panels, images or [None] * len(panels),
                                                                           strict=False):
        axes.set_title(title, color=style.INK, fontsize=10, loc="left")
        if image is not None:
            axes.imshow(style.trimmed([image])[0])
        else:
            _draw_plainly(axes, places_of(recording, shape)[frame], picture, look)
    return style.save(figure, path)


def _draw_plainly(axes, places, picture, look):
    """Cells of the finer grid, each in the colour of the picture there, those farther away first."""
    from matplotlib.collections import PolyCollection

    fine = _finer(places.shape[:2])
    eye = np.array(LOOKS[look])
    flat, near = style.projected(fine(places), eye)
    quads = _faces(fine.shape).reshape(-1, 5)[:, 1:]
    shares = _shares(fine.shape)[quads].mean(axis=1)
    pixels = np.asarray(picture)
    rows, columns = ((1 - shares[:, 1]) * (pixels.shape[0] - 1)).astype(int), (shares[:, 0] * (pixels.shape[1] - 1)).astype(int)
    order = np.argsort(near[quads].mean(axis=1))
    axes.add_collection(PolyCollection(flat[quads[order]], facecolors=pixels[rows, columns][order] / 255, edgecolors="face",
                                       linewidths=0.2))
    axes.set_aspect("equal")
    axes.autoscale_view()
