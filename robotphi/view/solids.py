"""Pictures of solids: shaded surfaces with the edges of their mesh, coloured by a quantity, one panel beside another.

As in `scenes`, pyvista draws off screen where the machine can, and matplotlib draws the same in plainer strokes where not.
"""
import os
from typing import NamedTuple

import numpy as np

from robotphi.view import scenes, style
from robotphi.view.bodies import Shown, body_of_scene, displacement, strong_edges
from robotphi.view.stage import largest_usual, staged
from robotphi.view.strokes import strokes_of

PIXELS = 1100                   # of a panel before it is cut to what it shows
SKIN, EDGE = "#a9c4e4", "#3d5a80"
QUANTITY = style.LinearSegmentedColormap.from_list("quantity", style.MAGNITUDES)
LIGHT = (-0.35, 0.5, 0.8)       # right, up and towards the eye, of the plain picture
SEEN_THROUGH = 0.28             # opacity of facets with springs beneath


class Scenery(NamedTuple):
    """What stands around the bodies of a panel, drawn without edges."""
    points: np.ndarray          # (n, 3) m
    facets: np.ndarray          # (f, 3)
    colours: np.ndarray         # (f, 3) red, green, blue from 0 to 1


class Panel(NamedTuple):
    """One picture of several: bodies at a position, perhaps coloured."""
    body: Shown
    position: np.ndarray        # (n, 3) m
    value: np.ndarray | None = None  # (n,) what the colours tell
    title: str = ""
    opacity: float = 1.0        # of the facets; SEEN_THROUGH shows springs beneath
    colours: np.ndarray | None = None  # (f, 3) of the facets, red, green, blue from 0 to 1, instead of a value
    scenery: tuple = ()         # Scenery, …
    arrows: tuple = ()          # ((k, 3) m from where, (k, 3) m how far, colour), …
    joints: np.ndarray = np.empty((0, 2, 3))   # m, ends of the axes of joints
    strokes: tuple = ()         # lines and spots of acts and motions, see `strokes`


@staged
def picture_frames(stage, path=None, frames=4, value=None, titles=None, springs=False, **options):
    """Draw the objects of a scene at several frames of a recording, as `picture_solids` does.

    Args:
        stage: the recording, or a Stage of it.
        frames: their number, evenly spread over the run, or their indices.
        value: "displacement", "height", or a function of (n, 3) positions that gives (n,) values.
        titles: one per frame; the instants where left out.
    """
    chosen = stage.chosen(frames)
    titles = titles or stage.titles(chosen)
    body, rest = body_of_scene(stage.scene, springs), stage.scene.position
    known = {"displacement": lambda position: displacement(position, rest), "height": lambda position: position[:, 2]}
    if value in known:
        options = {"label": f"{value} [m]", **options}
    of = known.get(value, value) if isinstance(value, str) else value
    opacity = SEEN_THROUGH if springs else 1.0
    panels = [Panel(body, stage.position(index), of(stage.position(index)) if of else None, title, opacity,
                    joints=stage.joints(index), strokes=strokes_of(stage, index))
              for index, title in zip(chosen, titles, strict=True)]
    return picture_solids(panels, path, **options)


def picture_solids(panels, path, label="", view="oblique", columns=None, limits=None, own_scale=False, heading="", width=9.6):
    """Draw panels side by side in one picture.

    Args:
        label: quantity and unit of the colours.
        view: one of `scenes.VIEWS` or a vector from the scene to the eye; a list of them, one a panel.
        columns: panels in a row; all in one where left out, up to four.
        limits: values at the ends of the colour scale; the smallest and largest of all panels where left out.
        own_scale: every panel fills its place; without it all have one scale of length and stand where they are.
        heading: above everything. width: [in] of the picture.
    """
    columns = columns or min(len(panels), 4)
    shown = [panel.value[np.unique(panel.body.facets)] for panel in panels if panel.value is not None]
    if shown and limits is None:
        limits = min(map(np.min, shown)), max(map(np.max, shown))
        limits = limits if limits[0] < limits[1] else (limits[0], limits[0] + 1.0)
    eyes = view if isinstance(view, list) else [view] * len(panels)
    eyes = [np.array(scenes.VIEWS[eye] if isinstance(eye, str) else eye, float) for eye in eyes]
    window = style.off_screen_window()
    draw = _draw_plainly if window is None else _draw_by_pyvista
    if window:
        os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", window)
    images = []
    for panel, eye in zip(panels, eyes, strict=True):
        middle, radius = _frame([panel] if own_scale else panels)
        images.append(draw(panel, eye, middle, radius, limits))
    note = "" if window is not None else "drawn by matplotlib: this machine has no graphics library for pyvista (EGL or OSMesa)"
    titles = [panel.title for panel in panels]
    return _compose(images, path, titles, columns, limits if shown else None, label, heading, note, width)


def _frame(panels):
    """Centre and radius of all that panels show."""
    used = [panel.position[np.unique(np.concatenate([np.ravel(part).astype(int) for name, part in panel.body._asdict().items()
                                                     if name != "rest"]))] for panel in panels]
    points = np.concatenate([*used, *(each.points[np.unique(each.facets)] for panel in panels for each in panel.scenery),
                             *(each.points for panel in panels for each in panel.strokes)])
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 1e-9)


def _compose(images, path, titles, columns, limits, label, heading, note, width):
    """One figure of all images under their titles, with one colour bar."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    images = style.trimmed(images)
    rows = -(-len(images) // columns)
    tall = width / columns * images[0].shape[0] / images[0].shape[1]
    lines = max(title.count("\n") + 1 for title in titles)
    around = 0.55 * bool(limits) + 0.3 * bool(note) + 0.35 * bool(heading)
    figure, axes = style.new_figure(width, rows * (tall + 0.08 + 0.19 * lines) + around, rows, columns, squeeze=False)
    for axis in axes.flat:
        axis.set_axis_off()
    for axis, image, title in zip(axes.flat, images, titles, strict=False):
        axis.imshow(image, interpolation="antialiased")
        axis.set_title(title, color=style.INK, fontsize=9, loc="left")
    if heading:
        figure.suptitle(heading, color=style.INK, fontsize=12, x=0.01, ha="left")
    if limits:
        bar = figure.colorbar(ScalarMappable(Normalize(*limits), QUANTITY), ax=axes, orientation="horizontal", shrink=0.4,
                              aspect=40, pad=0.02)
        bar.set_label(label, color=style.INK, fontsize=9)
        bar.ax.tick_params(labelsize=8, colors=style.GREY, labelcolor=style.INK)
        bar.outline.set_visible(False)
    if note:
        figure.supxlabel(note, color=style.GREY, fontsize=8)
    return style.save(figure, path)


def _dot_radius(body, position, radius):
    """Small beside the mesh, never lost in the panel."""
    ends = body.edges if len(body.edges) else body.springs
    lengths = np.linalg.norm(position[ends[:, 0]] - position[ends[:, 1]], axis=1)
    typical = float(np.median(lengths)) if len(ends) else 0.2 * radius
    return min(max(0.11 * typical, 0.004 * radius), 0.025 * radius)


def _line_width(count):
    return 3.5 if count < 400 else 2.6 if count < 2000 else 2.0 if count < 8000 else 1.2


def _draw_by_pyvista(panel, eye, middle, radius, limits):
    import pyvista

    body, position = panel.body, np.asarray(panel.position, float)
    plotter = pyvista.Plotter(off_screen=True, window_size=(PIXELS, PIXELS), lighting="light kit")
    plotter.set_background(style.PAPER)

    def lines(pairs, **how):
        if len(pairs):
            cells = np.column_stack([np.full(len(pairs), 2), pairs]).ravel()
            mesh = pyvista.PolyData(position, lines=cells)
            values = how.pop("values", None)
            if values is not None:
                mesh.cell_data["share"] = values
                how |= {"scalars": "share", "cmap": style.ELONGATION, "show_scalar_bar": False}
            plotter.add_mesh(mesh, lighting=False, **how).mapper.resolve = "polygon_offset"

    for each in panel.scenery:
        _add_coloured(plotter, each.points, each.facets, each.colours, ambient=0.55, diffuse=0.5)
    if len(body.facets) and panel.colours is not None:
        _add_coloured(plotter, position, body.facets, panel.colours, ambient=0.4, diffuse=0.7, specular=0.08,
                      opacity=panel.opacity)
    elif len(body.facets):
        skin = pyvista.PolyData(position, faces=np.column_stack([np.full(len(body.facets), 3), body.facets]).ravel())
        how = {"color": SKIN}
        if panel.value is not None:
            skin.point_data["value"] = panel.value
            how = {"scalars": "value", "cmap": QUANTITY, "clim": limits, "show_scalar_bar": False}
        plotter.add_mesh(skin, ambient=0.4, diffuse=0.7, specular=0.08, opacity=panel.opacity, **how)
    width = _line_width(len(body.edges))
    lines(body.edges, color=EDGE, line_width=width, opacity=0.65 if panel.opacity == 1.0 else 0.3)
    lines(strong_edges(body, position), color=style.INK, line_width=width + 1.5)
    if len(body.springs):
        share, limit = _shares(body, position)
        lines(body.springs, values=share, clim=(-limit, limit), line_width=_line_width(len(body.springs)) + 0.5)
    ball = _dot_radius(body, position, radius)
    scenes._add_balls(plotter, position[body.dots], ball, style.INK)
    scenes._add_balls(plotter, position[body.held], 1.3 * ball, style.AMBER)
    scenes.add_axes(plotter, panel.joints, 0.012 * radius)
    scenes.add_strokes(plotter, panel.strokes, 0.012 * radius)
    for start, along, colour in panel.arrows:
        if len(start):
            arrows = pyvista.PolyData(np.asarray(start, float))
            arrows["along"] = along
            arrow = pyvista.Arrow(tip_length=0.3, tip_radius=0.09, shaft_radius=0.035)
            plotter.add_mesh(arrows.glyph(orient="along", scale="along", geom=arrow), color=colour, lighting=False)
    plotter.enable_parallel_projection()
    plotter.camera_position = [tuple(middle + 4 * radius * eye / np.linalg.norm(eye)), tuple(middle), (0.0, 0.0, 1.0)]
    plotter.camera.parallel_scale = 1.05 * radius
    plotter.enable_anti_aliasing("ssaa")
    image = plotter.screenshot(return_img=True)
    plotter.close()
    return image


def _add_coloured(plotter, points, facets, colours, **how):
    """Facets, each of its own colour."""
    import pyvista

    if len(facets):
        skin = pyvista.PolyData(points, faces=np.column_stack([np.full(len(facets), 3), facets]).ravel())
        skin.cell_data["colour"] = (255 * np.asarray(colours)).astype(np.uint8)
        plotter.add_mesh(skin, scalars="colour", rgb=True, show_scalar_bar=False, **how)


def _shares(body, position):
    """(m,) elongation over rest length, and what stands at the ends of their colour scale."""
    share = np.linalg.norm(position[body.springs[:, 0]] - position[body.springs[:, 1]], axis=1) / body.rest - 1.0
    return np.nan_to_num(share), largest_usual(share)


def _draw_plainly(panel, eye, middle, radius, limits):
    """The same picture in two dimensions: facets projected along the view, far ones first, edges of those in sight."""
    from matplotlib.collections import LineCollection, PolyCollection

    body, position = panel.body, np.asarray(panel.position, float)
    flat, depth = style.projected(position - middle, eye)
    figure, axes = style.new_figure(6, 6)
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set(xlim=(-1.05 * radius, 1.05 * radius), ylim=(-1.05 * radius, 1.05 * radius))
    for each in panel.scenery:
        below = style.projected(each.points - middle, eye)[0]
        axes.add_collection(PolyCollection(below[each.facets], facecolors=each.colours, edgecolors="none", antialiased=False))
    solid = np.column_stack([flat, depth])[body.facets]
    normal = np.cross(solid[:, 1] - solid[:, 0], solid[:, 2] - solid[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    order = np.argsort(solid[:, :, 2].mean(axis=1))
    axes.add_collection(PolyCollection(solid[order, :, :2], facecolors=_plain_colours(panel, normal, limits)[order],
                                       edgecolors="none", alpha=panel.opacity, antialiased=False))
    near = np.zeros(len(position), bool)
    near[body.facets[normal[:, 2] > 0]] = True
    for pairs, colour, width in ((body.edges, EDGE, 0.5), (strong_edges(body, position), style.INK, 1.0)):
        axes.add_collection(LineCollection(flat[pairs[near[pairs].all(axis=1)]], colors=colour, linewidths=width))
    lines = LineCollection(flat[body.springs], cmap=style.ELONGATION, linewidths=0.8)
    if len(body.springs):
        share, limit = _shares(body, position)
        lines.set_array(share)
        lines.set_clim(-limit, limit)
    axes.add_collection(lines)
    for start, along, colour in panel.arrows:
        tail, tip = (style.projected(np.asarray(ends, float) - middle, eye)[0] for ends in (start, np.add(start, along)))
        axes.quiver(*tail.T, *(tip - tail).T, angles="xy", scale_units="xy", scale=1.0, color=colour, width=0.006)
    scenes.add_axes_plainly(axes, panel.joints - middle, eye)
    scenes.add_strokes_plainly(axes, panel.strokes, middle, eye)
    axes.plot(*flat[body.dots].T, "o", color=style.INK, markersize=1.5)
    axes.plot(*flat[body.held].T, "o", color=style.AMBER, markersize=3)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba()).copy()


def _plain_colours(panel, normal, limits):
    """(f, 4) colours of facets, lighter towards the light."""
    from matplotlib.colors import Normalize, to_rgba

    base = np.tile(to_rgba(SKIN), (len(normal), 1))
    if panel.colours is not None:
        base[:, :3] = panel.colours
    if panel.value is not None:
        base = QUANTITY(Normalize(*limits)(panel.value[panel.body.facets].mean(axis=1)))
    light = 0.62 + 0.38 * np.clip(normal @ (np.array(LIGHT) / np.linalg.norm(LIGHT)), 0, 1)
    base[:, :3] *= light[:, None]
    return base
