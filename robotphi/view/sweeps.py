"""Figures of sweeps: what a table of runs shows, each figure over the first knob, a curve for each value of the others; where
two knobs of numbers are swept alone, as maps of both."""
import numpy as np

from robotphi.view.style import CYCLE, legend, new_figure, quiet, save

MOST = 12      # figures of one picture
TICKS = 5      # of a map
MAPPED = 3     # values of either knob, at least, of which a map is drawn
CURVES = 8     # values of other knobs


def draw_sweep(swept, path):
    """One panel a figure; returns the paths of pictures, none where nothing can be drawn."""
    figures = _figures(swept)
    if not figures:
        return []
    if len(swept.axes) == 2 and all(_numbers(axis) and len(axis.values) >= MAPPED for axis in swept.axes):
        figure, _ = _panels(swept, figures, _map)
    else:
        figure, panels = _panels(swept, figures, _panel)
        legend(panels.flat[0])
    return [save(figure, path)]


def _figures(swept):
    """Name → {place of a point: value}."""
    figures = {}
    for place, row in enumerate(swept.rows):
        for name, value in row["figures"].items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                figures.setdefault(name, {})[place] = float(value)
    return figures


def _panels(swept, figures, draw):
    """A figure with a panel for each, and its panels."""
    units = {name: unit for row in swept.rows for name, unit in row.get("units", {}).items()}
    columns = 1 if len(figures) == 1 else 2
    rows = -(-min(len(figures), MOST) // columns)
    figure, panels = new_figure(4.6 * columns + 1.2, 3.0 * rows + 0.4, rows, columns, squeeze=False)
    for axes in panels.flat[len(figures):]:
        axes.set_visible(False)
    for axes, (name, values) in zip(panels.flat, figures.items(), strict=False):
        draw(axes, swept, name, values, units.get(name, ""))
    return figure, panels


def _map(axes, swept, name, values, unit):
    """A figure over two knobs, a cell for each point; empty where there is none."""
    first, second = swept.axes
    cells = np.full((len(second.values), len(first.values)), np.nan)
    rows, columns = ({value: place for place, value in enumerate(sorted(axis.values))} for axis in (second, first))
    for place, value in values.items():
        cells[rows[swept.points[place][second.name]], columns[swept.points[place][first.name]]] = value
    shown = axes.pcolormesh(sorted(first.values), sorted(second.values), cells, shading="nearest", cmap="viridis")
    axes.figure.colorbar(shown, ax=axes)
    for axis, scale in ((first, axes.set_xscale), (second, axes.set_yscale)):
        if axis.spacing == "log" and min(axis.values) > 0.0:
            scale("log")
            _mark(axes.xaxis if axis is first else axes.yaxis, axis.values)
    if axes.get_xscale() == "linear":
        axes.locator_params(axis="x", nbins=TICKS)
    quiet(axes, _labelled(first.name, swept.units.get(first.name)), _labelled(second.name, swept.units.get(second.name)),
          _labelled(name, unit))


def _mark(side, values):
    """Ticks of a logarithmic side where values are; matplotlib's own are many or none."""
    chosen = sorted(values)[::-(-len(values) // TICKS)]
    side.set_ticks(chosen, [f"{value:.3g}" for value in chosen])
    side.set_ticks([], minor=True)


def _numbers(axis):
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in axis.values)


def _panel(axes, swept, name, values, unit):
    """A figure over the first knob."""
    first = swept.axes[0]
    numbers = _numbers(first)
    for index, (label, places) in enumerate(_curves(swept, values)):
        at = [swept.points[place][first.name] for place in places]
        axes.plot(at if numbers else list(map(str, at)), [values[place] for place in places], color=CYCLE[index % len(CYCLE)],
                  marker="o", markersize=3.5, linewidth=1.4, label=label or None)
    if first.spacing == "log" and min(first.values) > 0.0:
        axes.set_xscale("log")
        _mark(axes.xaxis, first.values)
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
    return [(", ".join(f"{name} = {_short(value)} {swept.units.get(name, '')}".rstrip()
                       for name, value in zip(names, others, strict=True)), found[others]) for others in chosen]


def _order(value):
    return (0, value, "") if isinstance(value, int | float) else (1, 0, str(value))


def _short(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _labelled(name, unit):
    return f"{name} [{unit}]" if unit else name
