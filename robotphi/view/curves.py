"""Graphs of any quantity over time, of several recordings beside each other, of what was measured, and of what set the steps.

What a curve is of is said by a word or two: the name of a sensor or of an entry of the ledger; ("sensor", component) where it
has several numbers; ("quantity", particles) of `quantities.QUANTITIES`, None for all particles; or a function of the recording.
"""
from typing import NamedTuple

import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.causes import all_causes, of_cause
from robotphi.record.columns import COMPONENTS, unit_of
from robotphi.view.graphs import BESIDE, draw_series
from robotphi.view.quantities import QUANTITIES, quantity
from robotphi.view.stage import Stage, staged
from robotphi.view.style import AMBER, CYCLE, GREY, RED, legend, new_figure, quiet, save

NAMED_CAUSES = 6        # that have a colour of their own; the others are grey
MOST_DOTS = 20_000


class Curve(NamedTuple):
    """A number over time."""
    label: str             # with its unit
    time: np.ndarray       # s
    values: np.ndarray


def curve_of(recording, what):
    """The Curve that `what` says, see above."""
    if callable(what):
        return Curve(getattr(what, "__name__", ""), recording.time, _one(recording, what(recording), repr(what)))
    name, part = what if isinstance(what, tuple) else (what, None)
    if name in recording.sensors:
        values = np.asarray(recording.sensors[name])
        if values.ndim > 1 and part is None:
            raise RecordingError(f"sensor {name!r} has {values.shape[1]} numbers a frame; give ({name!r}, 0) for the first")
        along = "" if part is None else f", {COMPONENTS[part] if part < len(COMPONENTS) else part}"
        return Curve(_with_unit(name + along, unit_of(recording, name)), recording.time,
                     values if part is None else values[:, part])
    if name in recording.ledger:
        return Curve(_with_unit(name.replace("_", " "), "J"), recording.time, recording.ledger[name])
    if name in QUANTITIES:
        return _mean_of(recording, name, part)
    known = [*recording.sensors, *recording.ledger, *QUANTITIES]
    raise RecordingError(f"{name!r:.60} is neither a sensor, an entry of the ledger nor a quantity of this recording; there "
                         f"are: {', '.join(known[:30])}")


def _one(recording, values, name):
    values = np.asarray(values, float)
    if values.shape != (len(recording),):
        raise RecordingError(f"{name} gave numbers of shape {values.shape}; give one for each of {len(recording)} frames")
    return values


def _with_unit(name, unit):
    return name if unit in ("", "1") else f"{name} [{unit}]"


def _each_of(stage, name, particles):
    """(f, k) values of a quantity at particles, at all where None."""
    known, rows = quantity(stage, name), slice(None) if particles is None else np.atleast_1d(particles)
    return np.array([known.values(stage, frame)[rows] for frame in range(len(stage.recording))])


def _mean_of(recording, name, particles):
    values = _each_of(Stage(recording), name, particles)
    known = np.isfinite(values)
    mean = np.where(known, values, 0.0).sum(axis=1) / np.where(known.any(axis=1), known.sum(axis=1), np.nan)
    return Curve(_with_unit(name, QUANTITIES[name].unit), recording.time, mean)


@staged
def draw_quantity(stage, path, name, particles=None, title=""):
    """A quantity over time: its median over particles, half of them about it, and the whole range.

    Args:
        stage: the recording, or a Stage of it.
        name: one of `quantities.QUANTITIES`.
        particles: that count; all where left out.
    """
    values, time = _each_of(stage, name, particles), stage.recording.time
    values = values[:, np.isfinite(values).all(axis=0)]
    if not values.shape[1]:
        raise RecordingError(f"no particle has a {name} in all frames")
    figure, axes = new_figure()
    low, quarter, middle, three, high = np.quantile(values, (0.0, 0.25, 0.5, 0.75, 1.0), axis=1)
    axes.fill_between(time, low, high, color=CYCLE[0], alpha=0.15, linewidth=0, label="least to most")
    axes.fill_between(time, quarter, three, color=CYCLE[0], alpha=0.35, linewidth=0, label="half of them")
    axes.plot(time, middle, color=CYCLE[0], linewidth=1.6, label="median")
    quiet(axes, "time [s]", _with_unit(name, QUANTITIES[name].unit),
          title or f"{stage.scene.name}: {name} of {values.shape[1]} particles")
    axes.margins(x=0)
    legend(axes, **BESIDE)
    return save(figure, path)


def draw_curves(recording, path, of, title=""):
    """Several curves of one recording; all must have one unit, which stands on the axis.

    Args:
        of: what each curve is of, see above.
    """
    found = [curve_of(recording, what) for what in of]
    units = {curve.label.partition("[")[2] for curve in found}
    if len(units) > 1:
        labels = ", ".join(curve.label for curve in found)
        raise RecordingError(f"these curves have different units: {labels}; draw each by itself")
    name, unit = (found[0].label, "") if len(found) == 1 else ("", f"[{units.pop()}".rstrip("["))
    return draw_series(path, recording.time, {curve.label.partition(" [")[0]: curve.values for curve in found}, name or unit,
                       title or str(recording.info.get("scene", "")))


def draw_comparison(recordings, path, what, title=""):
    """One number of several recordings over time, and below it by how much the others differ from the first.

    Args:
        recordings: label → Recording; the first is what the others are compared with, at its own frames.
        what: the curve, see above.
    """
    found = {label: curve_of(recording, what) for label, recording in recordings.items()}
    if not found:
        raise RecordingError("there is nothing to compare; give recordings")
    figure, (upper, lower) = new_figure(7.2, 5.0, rows=2, sharex=True, height_ratios=(2, 1))
    (first, base), *others = found.items()
    for index, (label, curve) in enumerate(found.items()):
        upper.plot(curve.time, curve.values, color=CYCLE[index % len(CYCLE)], linewidth=1.6, label=label)
    for index, (label, curve) in enumerate(others, 1):
        off = difference(base, curve)
        worst = float(np.nanmax(np.abs(off))) if np.isfinite(off).any() else np.nan
        lower.plot(base.time, off, color=CYCLE[index % len(CYCLE)], linewidth=1.2, label=f"{label}, at most {worst:.3g}")
    lower.axhline(0.0, color=CYCLE[0], linewidth=1.0)
    quiet(upper, "", base.label, title)
    quiet(lower, "time [s]", f"less {first}")
    upper.margins(x=0)
    for axes in (upper, lower):
        legend(axes, **BESIDE)
    return save(figure, path)


def difference(base, other):
    """Values of a Curve less those of another, at the instants of this one; NaN where the other has ended."""
    return np.interp(base.time, other.time, other.values, left=np.nan, right=np.nan) - base.values


def draw_measured(recording, path, what, time, measured, spread=None, title=""):
    """What was measured as dots over what was simulated as a line, and below it what is left between them.

    Args:
        what: the curve, see above.
        time: instants of the measurements [s], (k,).
        measured: values (k,), in the unit of the curve; NaN where there is none.
        spread: standard deviation of the measurements, one or (k,): drawn as a band about nothing, and told in the residual.
    """
    curve, time, measured = curve_of(recording, what), np.asarray(time, float), np.asarray(measured, float)
    if time.shape != measured.shape or time.ndim != 1:
        raise RecordingError(f"time has shape {time.shape} and measured {measured.shape}; give as many of both, in one row")
    left = residuals(curve, time, measured)
    known = np.isfinite(left)
    if not known.any():
        raise RecordingError(f"nothing was measured between {curve.time[0]:g} s and {curve.time[-1]:g} s, which was simulated")
    root = float(np.sqrt(np.mean(left[known] ** 2)))
    figure, (upper, lower) = new_figure(7.2, 5.0, rows=2, sharex=True, height_ratios=(2, 1))
    upper.plot(time, measured, "o", color=AMBER, markersize=3, label="measured")
    upper.plot(curve.time, curve.values, color=CYCLE[0], linewidth=1.6, label="simulated")
    lower.axhline(0.0, color=CYCLE[0], linewidth=1.0)
    label = f"root mean square {root:.3g}"
    if spread is not None:
        spread = np.broadcast_to(np.asarray(spread, float), time.shape)
        lower.fill_between(time, -2 * spread, 2 * spread, color=GREY, alpha=0.25, linewidth=0, label="± 2 deviations")
        label += f", {np.sqrt(np.mean((left[known] / spread[known]) ** 2)):.3g} deviations"
    lower.plot(time, left, "o", color=RED, markersize=2.5, label=label)
    quiet(upper, "", curve.label, title or str(recording.info.get("scene", "")))
    quiet(lower, "time [s]", "measured\nless simulated")
    for axes in (upper, lower):
        legend(axes, **BESIDE)
    return save(figure, path)


def residuals(curve, time, measured):
    """(k,) measured less simulated, NaN outside the time of the Curve."""
    return measured - np.interp(time, curve.time, curve.values, left=np.nan, right=np.nan)


class MarkedCause(NamedTuple):
    """What set steps, with a colour of its own; the rarest together are the last, in grey."""
    name: str
    colour: str
    share: float           # of all steps of the run


def marked_causes(recording):
    """(list of MarkedCause, most steps first; number of the one of each step that the recording holds)."""
    causes, of_step = all_causes(recording), np.zeros(len(recording.steps["time"]), int)
    total, chief, rest = max(sum(cause.steps for cause in causes), 1), causes[:NAMED_CAUSES], causes[NAMED_CAUSES:]
    of_step[:] = len(chief)
    for rank, cause in enumerate(chief):
        of_step[of_cause(recording.model, recording, cause)] = rank
    found = [MarkedCause(cause.name, CYCLE[rank], cause.steps / total) for rank, cause in enumerate(chief)]
    if rest:
        found.append(MarkedCause(f"{len(rest)} others", GREY, sum(cause.steps for cause in rest) / total))
    return found, of_step


def draw_causes(recording, path=None, title=""):
    """The step over time, coloured by the thing that set it, by name; of the most frequent ones the share of all steps."""
    steps = recording.steps
    figure, axes = new_figure(7.2, 4.8)
    axes.plot(*(steps[name][_thinned(len(steps["time"]))] for name in ("time", "dt")), color=GREY, linewidth=0.5, alpha=0.5)
    named, of_step = marked_causes(recording)
    for rank, cause in enumerate(named):
        rows = np.flatnonzero(of_step == rank)
        rows = rows[_thinned(len(rows))]
        axes.plot(steps["time"][rows], steps["dt"][rows], ".", markersize=3, color=cause.colour,
                  label=f"{cause.name}: {100 * cause.share:.3g} %")
    axes.set_yscale("log")
    quiet(axes, "time [s]", "step [s]", title or f"{recording.info.get('scene', '')}: the step and what set it")
    axes.margins(x=0)
    legend(axes, markerscale=3, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, fontsize=8)
    return save(figure, path)


def _thinned(count):
    """Indices of at most so many rows, evenly."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_DOTS)).astype(int)) if count else np.empty(0, int)
