"""Figures of sweeps: what a table of runs shows, each figure over the first knob, a curve for each value of the others."""
import numpy as np

from robotphi.view.style import CYCLE, legend, new_figure, quiet, save

MOST = 12      # figures of one picture
CURVES = 8     # values of other knobs


def draw_sweep(swept, path):
    """One panel a figure; returns the paths of pictures, none where nothing can be drawn."""
    figures = {}
    for place, row in enumerate(swept.rows):
        for name, value in row["figures"].items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                figures.setdefault(name, {})[place] = float(value)
    if not figures:
        return []
    units = {name: unit for row in swept.rows for name, unit in row.get("units", {}).items()}
    columns = 1 if len(figures) == 1 else 2
    rows = -(-min(len(figures), MOST) // columns)
    figure, panels = new_figure(4.6 * columns + 1.2, 3.0 * rows + 0.4, rows, columns, squeeze=False)
    for axes in panels.flat[len(figures):]:
        axes.set_visible(False)
    for axes, (name, values) in zip(panels.flat, figures.items(), strict=False):
        _panel(axes, swept, name, values, units.get(name, ""))
    legend(panels.flat[0])
    return [save(figure, path)]


def _panel(axes, swept, name, values, unit):
    """A figure over the first knob."""
    first = swept.axes[0]
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in first.values)
    for index, (label, places) in enumerate(_curves(swept, values)):
        at = [swept.points[place][first.name] for place in places]
        axes.plot(at if numbers else list(map(str, at)), [values[place] for place in places], color=CYCLE[index % len(CYCLE)],
                  marker="o", markersize=3.5, linewidth=1.4, label=label or None)
    if first.spacing == "log" and min(first.values) > 0.0:
        axes.set_xscale("log")
    quiet(axes, _labelled(first.name, swept.units.get(first.name)), _labelled(name, unit))


def _curves(swept, values):
    """(label, places of points) of each set of values of the other knobs that has any, the first of them."""
    found = {}
    for place in sorted(values, key=lambda place: _order(swept.points[place][swept.axes[0].name])):
        others = tuple(swept.points[place][axis.name] for axis in swept.axes[1:])
        found.setdefault(others, []).append(place)
    names = [axis.name for axis in swept.axes[1:]]
    chosen = sorted(found, key=lambda others: found[others][0])
    if len(chosen) > CURVES:
        chosen = [chosen[k] for k in np.unique(np.linspace(0, len(chosen) - 1, CURVES).round().astype(int))]
    return [(", ".join(f"{name} = {_short(value)}" for name, value in zip(names, others, strict=True)), found[others])
            for others in chosen]


def _order(value):
    return (0, value, "") if isinstance(value, int | float) else (1, 0, str(value))


def _short(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _labelled(name, unit):
    return f"{name} [{unit}]" if unit else name
