"""Pictures of a scene: particles, springs coloured by elongation, rigids; several frames side by side.

pyvista draws off screen where the machine can; where it cannot, matplotlib draws the same picture in plainer strokes
and the picture says so.
"""
import os
import subprocess
import sys
from functools import cache
from typing import NamedTuple

import numpy as np

from robotphi.kernels.springs.table import DRAWN
from robotphi.record.springs import springs
from robotphi.view import style

# VTK without a graphics library does not raise, it takes the process down: so a child process tries first.
TRIAL = """
import pyvista
plotter = pyvista.Plotter(off_screen=True, window_size=(32, 32))
plotter.add_mesh(pyvista.Sphere())
assert plotter.screenshot(return_img=True).std() > 0
"""
MANY_PARTICLES = 2000  # beyond, particles tied by springs are left out: their balls would hide the springs
USUAL = 0.98  # share of springs within the colour scale: a few extreme ones must not pale all others
LINE_WIDTHS = ((200, 8.0), (5000, 4.0), (float("inf"), 2.0))  # pixels, for fewer springs than that
LOWEST, HIGHEST = 0.25, 1.3  # height over width of a picture of one frame: a rope stays a picture of usual shape
VIEWS = {"oblique": (-1.0, -1.6, 0.9), "front": (0.0, -1.0, 0.0), "side": (1.0, 0.0, 0.0), "top": (0.0, -1e-3, 1.0)}


@cache
def off_screen_window():
    """The kind of window in which VTK can draw off screen here, "" for its own choice, None where there is none."""
    choices = [""] if os.environ.get("DISPLAY") or sys.platform != "linux" else []
    for choice in [*choices, "vtkEGLRenderWindow", "vtkOSOpenGLRenderWindow"]:
        environment = os.environ | ({"VTK_DEFAULT_OPENGL_WINDOW": choice} if choice else {})
        try:
            trial = subprocess.run([sys.executable, "-c", TRIAL], env=environment, capture_output=True, timeout=60,
                                   check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if trial.returncode == 0:
            return choice
    return None


class Shape(NamedTuple):
    """What a picture shows, the same in every frame but for positions."""
    springs: np.ndarray   # (m, 2) particles
    rest: np.ndarray      # (m,) m
    dots: np.ndarray      # particles drawn as balls
    rigids: list          # particles of each rigid
    held: np.ndarray      # particles that are supported on every axis


def shape_of(model):
    """Springs, balls and rigids of a model."""
    lines = [springs(model, kind) for kind in DRAWN]
    ends = np.concatenate([np.stack(each.ends[:2], axis=1) for each in lines])
    rigids = model.arrays.rigids
    members = [rigids.particle[rigids.start[i]:rigids.start[i + 1]] for i in range(len(rigids.mass))]
    tied = np.unique(ends)
    free = np.setdiff1d(np.arange(model.particle_count), np.concatenate([*members, np.empty(0, int)]))
    dots = np.setdiff1d(free, tied) if len(free) > MANY_PARTICLES else free
    fixed = (model.arrays.particles.mass[free] > 0) & (model.arrays.particles.inverse_mass[free] == 0)
    return Shape(ends, np.concatenate([each.rest for each in lines]), dots.astype(int), members, free[fixed])


def elongation_shares(shape, position):
    """Elongation over rest length of each spring."""
    length = np.linalg.norm(position[shape.springs[:, 0]] - position[shape.springs[:, 1]], axis=1)
    return length / np.where(shape.rest > 0, shape.rest, 1.0) - 1.0


def hull_triangles(points):
    """Triangles of the convex hull of a rigid's particles; of a flat one its outline, filled; none of a bar."""
    from scipy.spatial import ConvexHull

    axes, sizes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2:0:-1]
    thick = sizes > 1e-6 * max(sizes[0], np.finfo(float).tiny)
    if thick.sum() == 3:
        return ConvexHull(points).simplices
    if thick.sum() == 2:
        outline = ConvexHull(points @ axes[:2].T).vertices
        return np.stack([np.full(len(outline) - 2, outline[0]), outline[1:-1], outline[2:]], axis=1)
    return np.empty((0, 3), int)


def bare_edges(points):
    """Pairs of particles that stand for a rigid without surface: neighbours along a bar."""
    if len(points) < 2 or len(hull_triangles(points)):
        return np.empty((0, 2), int)
    order = np.argsort((points - points[0]) @ (points[-1] - points[0]))
    return np.stack([order[:-1], order[1:]], axis=1)


def picture_frames(recording, model, path, frames=4, view="oblique", titles=None, columns=None, limit=None):
    """Draw several frames of a recording side by side in one picture.

    Args:
        frames: their number, evenly spread over the run, or their indices.
        view: one of `VIEWS` or a vector from the scene to the eye.
        titles: one per frame; the instants where left out.
        columns: pictures in a row; all in one where left out, up to four.
        limit: elongation share at the ends of the colour scale; where left out, few springs lie beyond it.
    """
    last = len(recording) - 1
    chosen = np.unique(np.linspace(0, last, frames).round().astype(int)) if np.ndim(frames) == 0 else np.asarray(frames)
    titles = titles or [f"t = {recording.time[index]:.4g} s" for index in chosen]
    shape = shape_of(model)
    return picture_shapes([(shape, recording.position[index]) for index in chosen], path, titles, view, columns, limit)


def picture_shapes(panels, path, titles, view="oblique", columns=None, limit=None):
    """Draw (shape, position) pairs side by side, all with one scale of length and one of colour."""
    columns = columns or min(len(panels), 4)
    shares = np.concatenate([np.abs(elongation_shares(shape, position)) for shape, position in panels])
    limit = limit or max(float(np.quantile(shares, USUAL)) if len(shares) else 0.0, 1e-9)
    eye = np.array(VIEWS[view] if isinstance(view, str) else view, float)
    note, window = "", off_screen_window()
    draw = _draw_plainly if window is None else _draw_by_pyvista
    if window is None:
        note = "drawn by matplotlib: this machine has no graphics library for pyvista (EGL or OSMesa)"
    elif window:
        os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", window)
    images = [draw(shape, position, panels, eye, limit) for shape, position in panels]
    has_springs = any(len(shape.springs) for shape, _ in panels)
    return _compose(images, path, titles, columns, limit if has_springs else None, note)


def _compose(images, path, titles, columns, limit, note):
    """One figure of all images under their titles, cut to what they show, with one colour bar."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    images = _trimmed(images)
    rows = -(-len(images) // columns)
    height = images[0].shape[0] / images[0].shape[1]
    width = 9.6 / columns
    figure, axes = style.new_figure(9.6, rows * (width * height + 0.3) + (0.55 if limit else 0.0)
                                    + (0.3 if note else 0.0), rows, columns,
                                    squeeze=False)
    for axis in axes.flat:
        axis.set_axis_off()
    for axis, image, title in zip(axes.flat, images, titles, strict=False):
        axis.imshow(image, interpolation="antialiased")
        axis.set_title(title, color=style.INK, fontsize=10, loc="left")
    if limit:
        scale = ScalarMappable(Normalize(-100 * limit, 100 * limit), style.ELONGATION)
        bar = figure.colorbar(scale, ax=axes, orientation="horizontal", shrink=0.4, aspect=40, pad=0.02, extend="both")
        bar.set_label("elongation of springs [% of rest length]", color=style.INK, fontsize=9)
        bar.ax.tick_params(labelsize=8, colors=style.GREY, labelcolor=style.INK)
        bar.outline.set_visible(False)
    if note:
        figure.supxlabel(note, color=style.GREY, fontsize=8)
    return style.save(figure, path)


def _trimmed(images):
    """All images cut alike to the part in which any of them shows something."""
    shown = np.any([np.any(image[..., :3] < 250, axis=-1) for image in images], axis=0)
    rows, columns = np.flatnonzero(shown.any(axis=1)), np.flatnonzero(shown.any(axis=0))
    if not len(rows):
        return images
    high, wide = rows[-1] - rows[0], columns[-1] - columns[0]
    part_of_rows = _around(rows, max(high, LOWEST * wide), shown.shape[0])
    part_of_columns = _around(columns, max(wide, high / HIGHEST), shown.shape[1])
    return [image[part_of_rows, part_of_columns] for image in images]


def _around(shown, length, whole, margin=12):
    """The slice of at least `length` and a margin about the middle of what is shown."""
    middle, half = (shown[0] + shown[-1]) / 2, length / 2 + margin
    return slice(max(int(middle - half), 0), min(int(middle + half) + 1, whole))


def _bounds(panels):
    """Centre and radius of everything that any panel shows."""
    points = np.concatenate([position for _, position in panels])
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 1e-9)


def _radius(shape, radius):
    """Radius of a ball: small beside the springs, never lost in the scene."""
    typical = float(np.median(shape.rest)) if len(shape.rest) else 0.2 * radius
    return min(max(0.09 * typical, 0.004 * radius), 0.03 * radius)


def _draw_by_pyvista(shape, position, panels, eye, limit):
    import pyvista

    centre, radius = _bounds(panels)
    ball = _radius(shape, radius)
    plotter = pyvista.Plotter(off_screen=True, window_size=(900, 900), lighting="light kit")
    plotter.set_background(style.PAPER)
    if len(shape.springs):
        cells = np.column_stack([np.full(len(shape.springs), 2), shape.springs]).ravel()
        lines = pyvista.PolyData(position, lines=cells)
        lines.cell_data["elongation"] = elongation_shares(shape, position)
        plotter.add_mesh(lines, scalars="elongation", cmap=style.ELONGATION, clim=(-limit, limit),
                         line_width=next(width for count, width in LINE_WIDTHS if len(shape.springs) < count),
                         lighting=False, show_scalar_bar=False)
    _add_balls(plotter, position[np.setdiff1d(shape.dots, shape.held)], ball, style.INK)
    _add_balls(plotter, position[shape.held], 1.3 * ball, style.AMBER)
    for particles in shape.rigids:
        points = position[particles]
        _add_balls(plotter, points, ball, style.BLUE)
        triangles, edges = hull_triangles(points), bare_edges(points)
        if len(triangles):
            faces = np.column_stack([np.full(len(triangles), 3), triangles]).ravel()
            plotter.add_mesh(pyvista.PolyData(points, faces=faces), color=style.BLUE, opacity=0.55)
        elif len(edges):
            lines = np.column_stack([np.full(len(edges), 2), edges]).ravel()
            plotter.add_mesh(pyvista.PolyData(points, lines=lines), color=style.BLUE, line_width=7)
    plotter.enable_parallel_projection()
    plotter.camera_position = [tuple(centre + 4 * radius * eye / np.linalg.norm(eye)), tuple(centre), (0.0, 0.0, 1.0)]
    plotter.camera.parallel_scale = 1.05 * radius
    plotter.enable_anti_aliasing("ssaa")
    image = plotter.screenshot(return_img=True)
    plotter.close()
    return image


def _add_balls(plotter, points, radius, colour):
    import pyvista

    if len(points):
        balls = pyvista.PolyData(points).glyph(geom=pyvista.Sphere(radius=radius), scale=False, orient=False)
        plotter.add_mesh(balls, color=colour, smooth_shading=True)


def _draw_plainly(shape, position, panels, eye, limit):
    """The same picture in two dimensions: everything projected along the view, far things first."""
    from matplotlib.collections import LineCollection, PolyCollection

    centre, radius = _bounds(panels)
    flat, depth = _project(position - centre, eye)
    figure, axes = style.new_figure(5, 5)
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set(xlim=(-1.05 * radius, 1.05 * radius), ylim=(-1.05 * radius, 1.05 * radius))
    if len(shape.springs):
        order = np.argsort(depth[shape.springs].mean(axis=1))
        lines = LineCollection(flat[shape.springs[order]], cmap=style.ELONGATION, linewidths=1.2)
        lines.set_array(elongation_shares(shape, position)[order])
        lines.set_clim(-limit, limit)
        axes.add_collection(lines)
    for particles in shape.rigids:
        points = position[particles]
        axes.add_collection(PolyCollection(flat[particles][hull_triangles(points)], facecolors=style.BLUE, alpha=0.15))
        axes.add_collection(LineCollection(flat[particles][bare_edges(points)], colors=style.BLUE, linewidths=2))
        axes.plot(*flat[particles].T, "o", color=style.BLUE, markersize=4)
    axes.plot(*flat[shape.dots].T, "o", color=style.INK, markersize=2.5)
    axes.plot(*flat[shape.held].T, "o", color=style.AMBER, markersize=4)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba()).copy()


def _project(points, eye):
    """Picture coordinates (right, up) and nearness of points seen from `eye`, z up."""
    towards = eye / np.linalg.norm(eye)
    right = np.cross((0.0, 0.0, 1.0), towards)
    right = right / np.linalg.norm(right)
    return points @ np.stack([right, np.cross(towards, right)], axis=1), points @ towards
