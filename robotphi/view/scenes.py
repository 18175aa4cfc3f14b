"""Pictures of a scene: particles, springs coloured by elongation, rigids; several frames side by side.

pyvista draws off screen where the machine can; where it cannot, matplotlib draws the same picture in plainer strokes
and the picture says so.
"""
import os
from typing import NamedTuple

import numpy as np

from robotphi.view import style
from robotphi.view.bodies import hull_triangles
from robotphi.view.stage import largest_usual, staged
from robotphi.view.strokes import strokes_of

MANY_PARTICLES = 2000  # beyond, particles tied by springs are left out: their balls would hide the springs
LINE_WIDTHS = ((200, 8.0), (5000, 4.0), (float("inf"), 2.0))  # pixels, for fewer springs than that
STROKE = 3.0           # pixels of a thin stroke
VIEWS = {"oblique": (-1.0, -1.6, 0.9), "front": (0.0, -1.0, 0.0), "side": (1.0, 0.0, 0.0), "top": (0.0, -1e-3, 1.0)}


class Shape(NamedTuple):
    """What a picture shows, the same in every frame but for positions and joints."""
    springs: np.ndarray   # (m, 2) particles
    rest: np.ndarray      # (m,) m
    dots: np.ndarray      # particles drawn as balls
    rigids: list          # particles of each rigid
    held: np.ndarray      # particles that are supported on every axis
    joints: np.ndarray = np.empty((0, 2, 3))   # m, ends of the axes of joints, where they are in this frame
    strokes: tuple = ()   # lines and spots of acts and motions, see `strokes`


def shape_of(stage):
    """Springs, balls and rigids of a stage."""
    lines, free = stage.lines, stage.free
    dots = np.setdiff1d(free, lines) if len(free) > MANY_PARTICLES else free
    return Shape(lines, stage.rest_lengths, dots, stage.rigids, stage.held)


def elongation_shares(shape, position):
    """Elongation over rest length of each spring; NaN where it has none."""
    return np.linalg.norm(position[shape.springs[:, 0]] - position[shape.springs[:, 1]], axis=1) / shape.rest - 1.0


def bare_edges(points):
    """Pairs of particles that stand for a rigid without surface: neighbours along a bar."""
    if len(points) < 2 or len(hull_triangles(points)):
        return np.empty((0, 2), int)
    order = np.argsort((points - points[0]) @ (points[-1] - points[0]))
    return np.stack([order[:-1], order[1:]], axis=1)


@staged
def picture_frames(stage, path=None, frames=4, view="oblique", titles=None, columns=None, limit=None):
    """Draw several frames of a recording side by side in one picture.

    Args:
        stage: the recording, or a Stage of it.
        frames: their number, evenly spread over the run, or their indices.
        view: one of `VIEWS` or a vector from the scene to the eye.
        titles: one per frame; the instants where left out.
        columns: pictures in a row; all in one where left out, up to four.
        limit: elongation share at the ends of the colour scale; where left out, few springs lie beyond it.
    """
    chosen, shape = stage.chosen(frames), shape_of(stage)
    titles = titles or stage.titles(chosen, digits=4)
    panels = [(shape._replace(joints=stage.joints(index), strokes=strokes_of(stage, index)), stage.position(index))
              for index in chosen]
    return picture_shapes(panels, path, titles, view, columns, limit)


def picture_shapes(panels, path, titles, view="oblique", columns=None, limit=None):
    """Draw (shape, position) pairs side by side, all with one scale of length and one of colour."""
    columns = columns or min(len(panels), 4)
    limit = limit or largest_usual(np.concatenate([elongation_shares(shape, position) for shape, position in panels]))
    eye = np.array(VIEWS[view] if isinstance(view, str) else view, float)
    note, window = "", style.off_screen_window()
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

    images = style.trimmed(images)
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


def _bounds(panels):
    """Centre and radius of everything that any panel shows."""
    points = np.concatenate([*(position for _, position in panels),
                             *(stroke.points for shape, _ in panels for stroke in shape.strokes)])
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 1e-9)


def _radius(shape, radius):
    """Radius of a ball: small beside the springs, never lost in the scene."""
    typical = float(np.nanmedian(shape.rest)) if np.isfinite(shape.rest).any() else 0.2 * radius
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
        lines.cell_data["elongation"] = np.nan_to_num(elongation_shares(shape, position))
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
    add_axes(plotter, shape.joints, ball)
    add_strokes(plotter, shape.strokes, ball)
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


def add_axes(plotter, joints, radius):
    """The axes of joints as short rods; a ball where there is none."""
    import pyvista

    for low, high in joints:
        if (low != high).any():
            plotter.add_mesh(pyvista.Tube(pointa=tuple(low), pointb=tuple(high), radius=0.5 * radius), color=style.VIOLET)
    _add_balls(plotter, joints.mean(axis=1), radius, style.VIOLET)


def add_strokes(plotter, strokes, radius):
    """Lines in front of nothing that hides them, and balls."""
    import pyvista

    for stroke in strokes:
        if stroke.width > 0.0 and len(stroke.points) > 1:
            plotter.add_mesh(pyvista.lines_from_points(stroke.points), color=stroke.colour, line_width=STROKE * stroke.width,
                             lighting=False)
        if stroke.spots:
            _add_balls(plotter, stroke.points, radius, stroke.colour)


def _draw_plainly(shape, position, panels, eye, limit):
    """The same picture in two dimensions: everything projected along the view, far things first."""
    from matplotlib.collections import LineCollection, PolyCollection

    centre, radius = _bounds(panels)
    flat, depth = style.projected(position - centre, eye)
    figure, axes = style.new_figure(5, 5)
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set(xlim=(-1.05 * radius, 1.05 * radius), ylim=(-1.05 * radius, 1.05 * radius))
    if len(shape.springs):
        order = np.argsort(depth[shape.springs].mean(axis=1))
        lines = LineCollection(flat[shape.springs[order]], cmap=style.ELONGATION, linewidths=1.2)
        lines.set_array(np.nan_to_num(elongation_shares(shape, position))[order])
        lines.set_clim(-limit, limit)
        axes.add_collection(lines)
    for particles in shape.rigids:
        points = position[particles]
        axes.add_collection(PolyCollection(flat[particles][hull_triangles(points)], facecolors=style.BLUE, alpha=0.15))
        axes.add_collection(LineCollection(flat[particles][bare_edges(points)], colors=style.BLUE, linewidths=2))
        axes.plot(*flat[particles].T, "o", color=style.BLUE, markersize=4)
    axes.plot(*flat[shape.dots].T, "o", color=style.INK, markersize=2.5)
    axes.plot(*flat[shape.held].T, "o", color=style.AMBER, markersize=4)
    add_axes_plainly(axes, shape.joints - centre, eye)
    add_strokes_plainly(axes, shape.strokes, centre, eye)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba()).copy()


def add_axes_plainly(axes, joints, eye):
    """The axes of joints as lines with a dot in the middle."""
    for ends in joints:
        flat = style.projected(ends, eye)[0]
        axes.plot(*flat.T, "-", color=style.VIOLET, linewidth=2)
        axes.plot(*flat.mean(axis=0), "o", color=style.VIOLET, markersize=4)


def add_strokes_plainly(axes, strokes, centre, eye):
    """The same in two dimensions."""
    for stroke in strokes:
        flat = style.projected(stroke.points - centre, eye)[0]
        if stroke.width > 0.0:
            axes.plot(*flat.T, "-", color=stroke.colour, linewidth=stroke.width)
        if stroke.spots:
            axes.plot(*flat.T, "o", color=stroke.colour, markersize=4)
