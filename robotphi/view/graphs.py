"""Graphs of recordings: quantities over time, the balance of the ledger, the step and what limited it, convergence."""
import numpy as np
from matplotlib.colors import to_rgb

from robotphi.kernels.step.codes import BY_BUDGET, LIMITS
from robotphi.kernels.step.entries import CHANGE, ENTRIES, LOST, OF_ACT, VALUE
from robotphi.view.style import CYCLE, GREY, INK, RED, legend, new_figure, quiet, save

BESIDE = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}  # legends that must not hide curves
MAY_BE_NEGATIVE = ("gravity", "buoyancy")                         # layers that count from their lowest value of the run
ACT_LAYERS = {word: colour for word, kind, colour in OF_ACT if kind in (VALUE, LOST)}


def draw_series(path, time, curves, ylabel, title="", references=None, log=False):
    """Curves over time.

    Args:
        time: instants [s], (f,).
        curves: label → values, (f,); `(time, values)` for a curve with instants of its own.
        ylabel: quantity with its unit, such as "stretch [m]".
        references: label → values of closed forms, drawn as thin dark dashes on top.
    """
    figure, axes = new_figure()
    for index, (label, values) in enumerate(curves.items()):
        axes.plot(*_pair(time, values), color=CYCLE[index % len(CYCLE)], linewidth=1.6, label=label)
    for label, values in (references or {}).items():
        axes.plot(*_pair(time, values), color=INK, linewidth=1.0, linestyle=(0, (4, 3)), label=label)
    if log:
        axes.set_yscale("log")
    quiet(axes, "time [s]", ylabel, title)
    axes.margins(x=0)
    if len(curves) + len(references or {}) > 1:
        legend(axes, **BESIDE)
    return save(figure, path)


def _pair(time, values):
    return values if isinstance(values, tuple) else (time, values)


def ledger_layers(recording):
    """What the ledger balances: layers of stored and lost energy, and the line that their sum must follow [J].

    Stored and lost energies add up to the energy at the start plus all work done; what is missing is the residual.
    Gravity and what acts store count from their lowest value of the run, so that every layer is positive.
    """
    ledger = recording.ledger
    names = [entry.name for entry in ENTRIES if entry.kind in (VALUE, CHANGE, LOST)]
    names += [name for name in ledger if name.partition(":")[0] in ACT_LAYERS]
    layers = {name: ledger[name] for name in names if name in ledger}
    for name, values in layers.items():
        if name in MAY_BE_NEGATIVE or name.startswith("stored:"):
            layers[name] = values - values.min()
    layers = {name: values for name, values in layers.items() if np.any(values)}
    start = sum(float(values[0]) for values in layers.values())
    work = sum((values - values[0] for name, values in ledger.items() if name.startswith("work:")),
               np.zeros(len(recording)))
    return layers, start + work


def colour_of(name):
    """Colour of an entry of the ledger, the same in every picture."""
    known = {entry.name: entry.colour for entry in ENTRIES}
    return known.get(name) or ACT_LAYERS.get(name.partition(":")[0], GREY)


def lighter(colour, times):
    """A colour that has been used so many times, told apart from those before."""
    return tuple(1.0 - 0.62**times * (1.0 - np.array(to_rgb(colour))))


def draw_ledger(recording, path=None, title=""):
    """Where every joule went, stacked, and below it what is left unexplained against the budget."""
    layers, supplied = ledger_layers(recording)
    figure, (upper, lower) = new_figure(7.2, 5.4, rows=2, sharex=True, height_ratios=(3, 1))
    below, used = np.zeros(len(recording)), []
    for name, values in layers.items():
        colour = colour_of(name)
        upper.fill_between(recording.time, below, below + values, color=lighter(colour, used.count(colour)), alpha=0.85,
                           linewidth=0, label=name.replace("_", " "))
        below = below + values
        used.append(colour)
    upper.plot(recording.time, supplied, color=INK, linewidth=1.2, label="start + work")
    quiet(upper, "", "energy [J]", title or f"{recording.info.get('scene', '')}: where the energy is")
    upper.margins(x=0)
    upper.set_ylim(bottom=min(0.0, float(supplied.min())))
    legend(upper, **BESIDE)
    _draw_residual(lower, recording)
    return save(figure, path)


def _draw_residual(axes, recording):
    reference = np.maximum(recording.ledger.get("reference_energy", 0.0), np.finfo(float).tiny)
    share = np.abs(recording.ledger["residual"]) / reference
    share = np.where(share > 0.0, share, np.nan)  # an exact zero has no place on a log axis
    axes.semilogy(recording.time, share, color=RED, linewidth=1.2, label="|residual|")
    budget = recording.info.get("budget")
    if budget and recording.info.get("control", "ledger") == "ledger":
        axes.plot(recording.time[[0, -1]], [budget, budget], color=INK, linewidth=1.0, linestyle=(0, (4, 3)), label="budget")
    quiet(axes, "time [s]", "share of\nlargest energy")
    axes.margins(x=0)
    legend(axes, **BESIDE)


def _limit_label(recording, code):
    """A limit, and what is most often behind it."""
    behind = [cause["name"] for cause in recording.info.get("causes", []) if cause["limit"] == LIMITS[code].name]
    if code == BY_BUDGET and recording.info.get("control") == "energy":
        return "tolerance"
    return LIMITS[code].name + (f": {behind[0]}" if behind else "") + (f" and {len(behind) - 1} more" if behind[1:] else "")


def draw_steps(recording, path=None, title=""):
    """The step over time, coloured by what limited it."""
    steps = recording.steps
    figure, axes = new_figure()
    shown = np.unique(np.linspace(0, len(steps["time"]) - 1, 20_000).astype(int)) if len(steps["time"]) else []
    time, dt, limit = (steps[name][shown] for name in ("time", "dt", "limit"))
    axes.plot(time, dt, color=GREY, linewidth=0.5, alpha=0.5)
    for code in np.unique(limit):
        chosen = limit == code
        axes.plot(time[chosen], dt[chosen], ".", markersize=3, color=LIMITS[code].colour, label=_limit_label(recording, code))
    axes.set_yscale("log")
    quiet(axes, "time [s]", "step [s]", title or f"{recording.info.get('scene', '')}: the step and what limited it")
    axes.margins(x=0)
    legend(axes, markerscale=3)
    return save(figure, path)


def convergence_slope(sizes, errors):
    """Least-squares slope of log error over log size."""
    return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])


def draw_convergence(path, sizes, errors, xlabel="step [s]", ylabel="error", order=None, title=""):
    """Errors over sizes on log–log axes, with the slope of each curve in its label.

    Args:
        sizes: steps, spacings or tolerances, (k,).
        errors: label → errors, (k,), all positive.
        order: slope to draw as a thin guide below the last curve.
    """
    figure, axes = new_figure(5.6, 4.2)
    sizes = np.asarray(sizes, float)
    for index, (label, values) in enumerate(errors.items()):
        slope = convergence_slope(sizes, values)
        axes.loglog(sizes, values, "o-", color=CYCLE[index % len(CYCLE)], linewidth=1.4, markersize=4,
                    label=f"{label}, slope {slope:.2f}")
    if order is not None:
        lowest = min(float(np.min(np.asarray(values) / sizes**order)) for values in errors.values())
        axes.loglog(sizes, 0.5 * lowest * sizes**order, color=INK, linewidth=1.0, linestyle=(0, (4, 3)),
                    label=f"slope {order:g}")
    quiet(axes, xlabel, ylabel, title)
    legend(axes)
    return save(figure, path)
