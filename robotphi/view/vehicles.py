"""Pictures of vehicles: the way over the ground, and what their wheels bear over time."""
import numpy as np
from matplotlib.ticker import MaxNLocator

from robotphi.view import movies, solids, style

LEVELS = 14


def outlines(recording, names):
    """(n, 2) m, from above, of each of these objects where it lies in the first frame."""
    from scipy.spatial import ConvexHull

    found = [recording.position[0][recording.scene.objects[name].particles, :2] for name in names]
    return [places[ConvexHull(places).vertices] for places in found]


def draw_way(report, ground, path, file, things=()):
    """Ground from above, the path, and where the nose of the vehicle and its wheels went.

    Args:
        ground: a Ground; path: a Path, or None; things: (n, 2) outlines from above of what lies on the ground [m].
    """
    (x0, y0), (x1, y1) = ground.ends
    figure, axes = style.new_figure(9.0, float(np.clip(8.0 * (y1 - y0) / (x1 - x0) + 0.8, 2.4, 9.0)))
    x, y = np.linspace(x0, x1, ground.heights.shape[0]), np.linspace(y0, y1, ground.heights.shape[1])
    most = max(1e3 * float(np.abs(ground.heights).max()), 1.0)
    told = MaxNLocator(LEVELS).tick_values(-most, most)
    between = np.append(told, 2.0 * told[-1] - told[-2]) - 0.5 * (told[1] - told[0])   # level ground is of one colour
    shown = axes.contourf(x, y, 1e3 * ground.heights.T, between, cmap="BrBG_r", alpha=0.6)
    style.quiet(figure.colorbar(shown, ax=axes, shrink=0.9, ticks=told[len(told) // 2 % 2::2]).ax, "", "height [mm]")
    for outline in things:
        axes.fill(*np.asarray(outline).T, facecolor=style.GREY, edgecolor=style.INK, alpha=0.5, linewidth=0.6)
    if path is not None:
        line = np.array([path.at(s) for s in np.linspace(0.0, path.length, 200)])
        axes.plot(line[:, 0], line[:, 1], "--", color=style.INK, linewidth=1.2, label="path")
    for k, (wheel, how) in enumerate(_lines(report.wheels)):
        axes.plot(report.wheel[:, k, 0], report.wheel[:, k, 1], label=wheel, **how)
    axes.plot(report.nose[:, 0], report.nose[:, 1], color=style.RED, linewidth=1.8, label="nose")
    axes.set_aspect("equal")
    style.quiet(axes, "x [m]", "y [m]", "The way over the ground")
    style.legend_below(figure, axes)
    return style.save(figure, file)


def _lines(wheels):
    """(name, how it is drawn) of each wheel: a colour for each end, dashed on the right side."""
    ends = list(dict.fromkeys(wheel.split()[-1] for wheel in wheels))
    for wheel in wheels:
        yield wheel, {"color": style.CYCLE[ends.index(wheel.split()[-1])], "linewidth": 1.1,
                      "linestyle": "-" if wheel.startswith("left") else "--"}


def draw_report(report, file):
    """Loads, heights of the wheels, slip, friction, tip-over margin and lag over time."""
    figure, ((load, height), (slip, friction), (margin, lag)) = style.new_figure(10.5, 8.6, 3, 2)
    time = report.time
    for k, (wheel, how) in enumerate(_lines(report.wheels)):
        load.plot(time, report.load[:, k], label=wheel, **how)
        height.plot(time, 1e3 * report.wheel[:, k, 2], **how)
        slip.plot(time, 1e2 * report.slip[:, k], **how)
        if not len(report.along):
            lag.plot(time, report.torque[:, k], **how)
    load.axhline(report.weight / len(report.wheels), color=style.GREY, linewidth=0.8)
    friction.plot(time, report.friction_used, color=style.RED, label="used by one wheel, most")
    friction.plot(time, report.friction_needed, color=style.BLUE, label="needed if all shared it alike")
    margin.plot(time, np.degrees(report.margin), color=style.TEAL)
    if len(report.along):
        lag.plot(time, 1e3 * report.along, color=style.BLUE, label="behind the goal, along the path")
        lag.plot(time, 1e3 * report.across, color=style.AMBER, label="beside the path")
    slip.set_xlim(load.get_xlim())   # at rest there is none
    friction.set_ylim(top=1.25 * friction.get_ylim()[1])   # room for the legend
    for axes, ylabel, title in ((load, "load [N]", "What each wheel bears; grey: an even share"),
                                (height, "height of the axle [mm]", "Wheels follow the ground"), (slip, "slip [%]", "Slip"),
                                (friction, "friction / pressure", "Friction"), (margin, "margin [°]", "Margin against tipping"),
                                (lag, *(("lag [mm]", "Path followed") if len(report.along) else
                                         ("torque [N m]", "Torque of the axles")))):
        style.quiet(axes, "time [s]", ylabel, title)
        if axes is not load:
            style.legend(axes, fontsize=8)
    style.legend_below(figure, load)
    return style.save(figure, file)


def draw_on_ground(recording, file):
    """The vehicle half-way on its ground; some frames without the ground where no picture in space can be drawn."""
    if style.off_screen_window() is None:
        return solids.picture_frames(recording, file, frames=3)
    return movies.write_screenshot(recording, file, time=float(recording.time[[0, -1]].mean()))
