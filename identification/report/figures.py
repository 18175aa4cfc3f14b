"""The figures of a report, each as SVG: measured is grey dots, fitted blue, held out amber; no two differ by colour alone."""
import io

import numpy as np

from robotphi.view.style import AMBER, BLUE, GREY, INK, PALE, RED, TEAL, legend, new_figure, quiet

COLUMNS = 2              # of panels beside each other
SEEN = 5.0               # of the rise sought: profiles are drawn up to there
ABOVE = {"loc": "lower right", "bbox_to_anchor": (1.0, 0.98), "ncols": 2, "borderaxespad": 0.0}   # a legend over no curve


def svg(figure):
    """A figure as the text of an SVG file."""
    data = io.BytesIO()
    figure.savefig(data, format="svg", metadata={"Date": None})
    return data.getvalue().decode("utf-8")


def _panels(count, height=2.5):
    rows = -(-count // COLUMNS)
    figure, axes = new_figure(9.6 if count > 1 else 6.4, height * rows + 0.2, rows, min(count, COLUMNS), squeeze=False)
    axes = list(axes.ravel())
    for spare in axes[count:]:
        spare.set_visible(False)
    return figure, axes[:count]


def _label(name, unit):
    return f"{name} [{unit}]" if unit else name


def overlays(problem, residuals, finish=svg):
    """Measured and simulated, a panel for each series that has more than one value; `finish` makes text or a picture of it."""
    shown = [series for series in problem.series if series.stop - series.start > 1 and series.measured is not None
             and series.stop <= len(residuals)]
    if not shown:
        return None
    figure, axes = _panels(len(shown))
    for series, panel in zip(shown, axes, strict=True):
        simulated = series.measured + residuals[series.start:series.stop] * series.noise / series.weight
        panel.plot(series.times, series.measured, "o", color=GREY, markersize=3, label="measured")
        panel.plot(series.times, simulated, color=AMBER if series.held_out else BLUE, linewidth=1.6,
                   linestyle="--" if series.held_out else "-", label="simulated, held out" if series.held_out else "simulated")
        quiet(panel, "time [s]", _label(series.name, series.unit), series.run)
        legend(panel, **ABOVE)
    return finish(figure)


def residual_panels(problem, residuals):
    """Residuals in units of their noise over time, with the band in which 95 of 100 belong."""
    shown = [series for series in problem.series if series.stop - series.start > 1 and series.stop <= len(residuals)]
    if not shown:
        return None
    figure, axes = _panels(len(shown), 2.0)
    for series, panel in zip(shown, axes, strict=True):
        panel.axhspan(-1.96, 1.96, color=PALE, zorder=0)
        panel.plot(series.times, residuals[series.start:series.stop], "s" if series.held_out else "o", markersize=3,
                   color=AMBER if series.held_out else BLUE)
        quiet(panel, "time [s]", "residual over noise", f"{series.run}: {series.name}")
    return svg(figure)


def profiles(verdict):
    """The profile of each parameter: the rise of the least sum of squares, one at the ends of the interval."""
    shown = [finding for finding in verdict.findings if finding.name in verdict.profiles]
    if not shown:
        return None
    figure, axes = _panels(len(shown), 2.2)
    scales = {parameter.name: parameter.scale for parameter in verdict.parameters}
    for finding, panel in zip(shown, axes, strict=True):
        values, heights = np.array(verdict.profiles[finding.name].points).T
        near = heights < SEEN
        panel.axhline(1.0, color=INK, linewidth=1.2, linestyle=":")   # above the grid
        panel.axvspan(finding.low, finding.high, color=PALE, zorder=0)
        panel.plot(values[near], heights[near], "o", color=BLUE, markersize=4)
        panel.plot(*_outline(finding, verdict.profiles[finding.name], scales[finding.name]), color=BLUE, linewidth=1.2)
        panel.axvline(finding.value, color=INK, linewidth=0.8)
        if scales[finding.name] == "log" and finding.high > 3 * finding.low:
            panel.set_xscale("log")
        else:
            panel.ticklabel_format(axis="x", useOffset=False)
            panel.locator_params(axis="x", nbins=5)
        panel.set_ylim(-0.1, 2.0)
        quiet(panel, _label(finding.name, finding.unit), "rise over limit")
    return svg(figure)


def _outline(finding, profile, scale):
    """Half a parabola to each end that was found, what a profile is near its optimum; where open, lines between points."""
    change, back = (np.log, np.exp) if scale == "log" else (np.array, np.array)
    share, curve = np.linspace(0, 1.3, 27), []
    for side, end in ((-1, profile.low), (1, profile.high)):
        if end.open:
            curve += [point for point in profile.points if side * (point[0] - finding.value) > 0 and point[1] < SEEN]
        else:
            half = abs(change(end.value) - change(finding.value))
            curve += list(zip(back(change(finding.value) + side * half * share), share ** 2, strict=True))
    return np.array(sorted([*curve, (finding.value, 0.0)])).T


def correlations(verdict):
    """Correlations of the fitted parameters, with their numbers; those that cannot be told are left empty."""
    named = [index for index, finding in enumerate(verdict.findings) if finding.state not in ("confounded", "no effect")]
    if len(named) < 2:
        return None
    matrix = verdict.spread.correlation()[np.ix_(named, named)]
    names = [verdict.findings[index].name for index in named]
    size = 1.6 + 0.62 * len(named)
    figure, axes = new_figure(size + 1.0, size)
    for (row, column), value in np.ndenumerate(matrix):
        colour = BLUE if value < 0 else AMBER
        axes.add_artist(_square(axes, column, row, abs(value), colour if row != column else GREY))
        axes.annotate(f"{value:+.2f}", (column, row), ha="center", va="center", fontsize=8, color=INK)
    axes.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(names) - 0.5, -0.5), aspect="equal")
    quiet(axes)
    axes.grid(False)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.set_yticks(range(len(names)), names)
    return svg(figure)


def _square(axes, x, y, share, colour):
    """A square whose side tells a correlation."""
    half = 0.48 * np.sqrt(share)
    square, = axes.fill([x - half, x + half, x + half, x - half], [y - half, y - half, y + half, y + half], color=colour,
                        alpha=0.45, linewidth=0)
    return square


def history(errors, generations=()):
    """The error of every evaluation and the least so far, over the number of evaluations."""
    errors = np.asarray(errors, float)
    count = np.arange(1, len(errors) + 1)
    seen = np.where(np.isfinite(errors) & (errors < 1e9), errors, np.nan)
    if not np.isfinite(seen).any():
        return None
    figure, axes = new_figure(7.2, 2.8)
    axes.plot(count, seen, ".", color=GREY, markersize=4, label="evaluated")
    axes.plot(count, np.fmin.accumulate(seen), color=BLUE, linewidth=1.8, label="best so far")
    failed = np.flatnonzero(~np.isfinite(seen))
    if len(failed):
        axes.plot(count[failed], np.full(len(failed), np.nanmax(seen)), "x", color=RED, markersize=5,
                  label="not simulated to its end")
    for last in generations:
        axes.axvline(last + 0.5, color=PALE, linewidth=0.8, zorder=0)
    axes.set_yscale("log")
    legend(quiet(axes, "evaluations", "error over noise"))
    return svg(figure)


def front(criteria, names, chosen):
    """Two criteria of all candidates, those of the front marked."""
    criteria = np.asarray(criteria, float)
    figure, axes = new_figure(5.2, 3.4)
    axes.plot(*criteria[:, :2].T, ".", color=GREY, markersize=4, label="evaluated")
    axes.plot(*criteria[chosen][:, :2].T, "D-", color=TEAL, markersize=5, linewidth=1.2, label="Pareto front")
    legend(quiet(axes, names[0], names[1]))
    return svg(figure)


def shrunk(verdict, suggestion):
    """Intervals now and as foretold for the suggested experiment, each over the present one."""
    names = [finding.name for finding in verdict.findings]
    figure, axes = new_figure(6.4, 1.0 + 0.36 * len(names))
    rows = np.arange(len(names))
    axes.barh(rows, np.ones(len(names)), height=0.62, color=PALE, label="now")
    axes.barh(rows, suggestion.ratio, height=0.34, color=TEAL, label=f"after {suggestion.name}")
    axes.set_yticks(rows, names)
    axes.invert_yaxis()
    legend(quiet(axes, "standard deviation, share of the present one"), loc="center left", bbox_to_anchor=(1.0, 0.5))
    return svg(figure)
