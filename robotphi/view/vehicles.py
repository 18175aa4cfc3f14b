"""Pictures of vehicles: the way over the ground, and what their wheels bear over time."""
import numpy as np

from robotphi.view import movies, solids, style

LEVELS = 14


def draw_way(report, ground, path, file):
    """Ground from above, the path, and where the middle of the vehicle and its wheels went; `path` may be None."""
    figure, axes = style.new_figure(9.0, 4.4)
    (x0, y0), (x1, y1) = ground.ends
    x, y = np.linspace(x0, x1, ground.heights.shape[0]), np.linspace(y0, y1, ground.heights.shape[1])
    shown = axes.contourf(x, y, 1e3 * ground.heights.T, LEVELS, cmap="BrBG_r", alpha=0.6)
    figure.colorbar(shown, ax=axes, label="height [mm]", shrink=0.8)
    if path is not None:
        line = np.array([path.at(s) for s in np.linspace(0.0, path.length, 200)])
        axes.plot(line[:, 0], line[:, 1], "--", color=style.INK, linewidth=1.2, label="path")
    for k, wheel in enumerate(report.wheels):
        axes.plot(report.wheel[:, k, 0], report.wheel[:, k, 1], color=style.CYCLE[k % len(style.CYCLE)], linewidth=0.9,
                  label=wheel)
    axes.plot(report.nose[:, 0], report.nose[:, 1], color=style.RED, linewidth=1.8, label="nose")
    axes.set_aspect("equal")
    style.quiet(axes, "x [m]", "y [m]", "The way over the ground")
    style.legend(axes, loc="upper left", ncols=2, fontsize=7)
    return style.save(figure, file)


def draw_report(report, file):
    """Loads, heights of the wheels, slip, friction, tip-over margin and lag over time."""
    figure, ((load, height), (slip, friction), (margin, lag)) = style.new_figure(10.5, 8.6, 3, 2)
    time = report.time
    for k, wheel in enumerate(report.wheels):
        how = {"color": style.CYCLE[k % 3], "linewidth": 1.1, "linestyle": "-" if wheel.startswith("left") else "--"}
        load.plot(time, report.load[:, k], label=wheel, **how)
        height.plot(time, 1e3 * report.wheel[:, k, 2], **how)
        slip.plot(time, 1e2 * report.slip[:, k], **how)
    load.axhline(report.weight / len(report.wheels), color=style.GREY, linewidth=0.8)
    friction.plot(time, report.friction_used, color=style.RED, label="used by one wheel, most")
    friction.plot(time, report.friction_needed, color=style.BLUE, label="needed if all shared it alike")
    margin.plot(time, np.degrees(report.margin), color=style.TEAL)
    if not len(report.along):
        lag.plot(time, report.torque, linewidth=1.0)
    else:
        lag.plot(time, 1e3 * report.along, color=style.BLUE, label="behind the goal, along the path")
        lag.plot(time, 1e3 * report.across, color=style.AMBER, label="beside the path")
    for axes, ylabel, title in ((load, "load [N]", "What each wheel bears; grey: an even share"),
                                (height, "height of the axle [mm]", "Wheels follow the ground"), (slip, "slip [%]", "Slip"),
                                (friction, "friction / pressure", "Friction"), (margin, "margin [°]", "Margin against tipping"),
                                (lag, *(("lag [mm]", "Path followed") if len(report.along) else
                                         ("torque [N m]", "Torque of the axles")))):
        style.quiet(axes, "time [s]", ylabel, title)
        style.legend(axes, fontsize=7)
    return style.save(figure, file)


def draw_on_ground(recording, file):
    """The vehicle half-way on its ground; some frames without the ground where no picture in space can be drawn."""
    if style.off_screen_window() is None:
        return solids.picture_frames(recording, file, frames=3)
    return movies.write_screenshot(recording, file, time=float(recording.time[[0, -1]].mean()))
