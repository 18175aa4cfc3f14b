"""Measured data of an experiment, as readings of its runs: columns found, units made SI, times on the scene's clock."""
import math
import re

import numpy as np

from identification.errors import DataError, ExperimentError
from identification.experiment.needed import MOST_INSTANTS, Needed, Wanted
from identification.experiment.parts import SERIES, VALUE
from identification.experiment.plan import Reading
from identification.experiment.simulated import REDUCED, settled
from identification.experiment.units import is_unit, quantity_of, unit_of
from identification.measured import open_data
from robotphi.scene.sensors import QUANTITIES

SECOND = unit_of("s")
TIMES = ("t", "time")   # what the column of times is called where nobody names it
FEWEST = 3


class Columns:
    """The columns of one run that are asked for, as they are written; times are those of the scene's clock."""

    def __init__(self, run, compared):
        """`compared`: those of the run; of a large file no rows are kept but those that these need."""
        self.run, self.units, self.values, self.inside = run, {}, {}, {}
        compared = [each for each in compared if each.column is not None]
        if run.path is None:
            if compared:
                raise ExperimentError(f"run {run.name!r} has no file, and column {compared[0].column!r} is compared; give "
                                      "file: to the run, or measured: in place of the column")
            return
        source = open_data(run.path, run.topic)
        place = _column(source, run.time, "time") if run.time else _times_of(source, run)
        unit = _unit(source, place, run.unit or _of_times(source, place, run), run.time or source.heads[place])
        if unit.powers != SECOND.powers:
            raise DataError(f"{run.path}:1: column {source.heads[place]!r} is no time; name the column of times by time: "
                            f"in run {run.name!r}")
        places = {each.column: _column(source, each.column, "compare") for each in compared}
        self.units = {each.name: _unit(source, places[each.column], each.unit, each.column) for each in compared}
        order = {column: number for number, column in enumerate(places, 1)}
        wanted = [Wanted(each, order[each.column], self.units[each.name].factor) for each in compared]
        needed = Needed(run, unit.factor, wanted)
        found = source.columns([place, *places.values()], needed, 0, run.missing)
        self.time = found[:, 0] * unit.factor - run.begins
        self.values = dict(zip(places, found.T[1:], strict=True))
        self.count, self.inside = needed.count, {each.compared.name: each.inside for each in wanted}


def _column(source, said, what):
    """The place of a column, by its whole head or by its name without a unit."""
    exact = [k for k, head in enumerate(source.heads) if head.replace(" ", "") == said.replace(" ", "")]
    named = [k for k, (name, _) in enumerate(source.titles) if name == said.partition("[")[0].strip()]
    found = exact or (named if "[" not in said else [])
    if len(found) == 1:
        return found[0]
    problem = f"{len(found)} columns are called {said!r}" if found else f"there is no column {said!r}, which {what}: asks for"
    raise DataError(f"{source.path}:1: {problem}; there are {', '.join(map(repr, source.heads))}")


def _times_of(source, run):
    """The place of the column of times where nobody names it."""
    named = [k for k, (name, _) in enumerate(source.titles) if name.lower() in TIMES]
    if len(named) == 1:
        return named[0]
    problem = f"{len(named)} columns may be times" if named else f"no column is called {' or '.join(TIMES)}"
    raise DataError(f"{source.path}:1: {problem}; name it by time: in run {run.name!r}; there are "
                    f"{', '.join(map(repr, source.heads))}")


def _unit(source, place, otherwise, said):
    """The unit of a column, which its head has to tell unless the experiment does."""
    told = source.titles[place][1]
    if told is None and otherwise is None:
        raise DataError(f"{source.path}:1: column {said!r} has no unit; write it into the head, such as {said} [mm], or say "
                        "unit: mm beside the column")
    try:
        unit = unit_of(otherwise if told is None else told, f"unit of column {said!r}")
        other = unit if otherwise is None else unit_of(otherwise, f"unit of column {said!r}")
    except ExperimentError as error:
        raise DataError(f"{source.path}:1: {error}") from error
    if (unit.factor, unit.powers) != (other.factor, other.powers):
        raise DataError(f"{source.path}:1: unit: {otherwise} is told of column {said!r}, while its head says {told}; leave one "
                        "of them out")
    return unit


def _of_times(source, place, run):
    """Times are in seconds where nobody says more; refused where the name ends like another unit of time, `time_ms`."""
    name, told = source.titles[place]
    last = re.split(r"[_\s/.(\[]+", name.rstrip(" )]"))[-1]
    if told is None and last not in ("", "s") and is_unit(last) and unit_of(last).powers == SECOND.powers:
        raise DataError(f"{run.path}:1: column {name!r} seems to be in {last}, which its head does not tell; say unit: {last} "
                        f"in run {run.name!r}, or unit: s")
    return told or "s"


def sensor_unit(scene, compared):
    """The unit of a sensor of a scene, None where it may be one or another; refused where there is no such sensor."""
    known = {each.name: each for each in scene.sensors}
    if compared.sensor not in known:
        raise ExperimentError(f"{compared.name!r}: the scene has no sensor {compared.sensor!r}; there are "
                              f"{', '.join(known) or 'none'}")
    quantity = QUANTITIES[known[compared.sensor].quantity]
    if compared.place == "size" and quantity.width == 1:
        raise ExperimentError(f"{compared.name!r}: {compared.sensor!r} is one number; leave .size out")
    if isinstance(compared.place, int) and quantity.width == 1:
        raise ExperimentError(f"{compared.name!r}: {compared.sensor!r} is one number; leave the place out")
    if isinstance(compared.place, int) and not compared.place < quantity.width:
        raise ExperimentError(f"{compared.name!r}: {compared.sensor!r} has {quantity.width} numbers, there is no "
                              f"{compared.place}")
    if compared.place is None and quantity.width > 1:
        raise ExperimentError(f"{compared.name!r}: {compared.sensor!r} has {quantity.width} numbers; name one of them, such as "
                              f"{compared.sensor}.z, or {compared.sensor}.size")
    try:
        return unit_of(quantity.unit)
    except ExperimentError:
        return None


def readings_of(experiment, run, scene):
    """[(Compared, Reading, unit)] of a run."""
    own = [each for each in experiment.compared if not each.runs or run.name in each.runs]
    columns = Columns(run, own)
    return [(each, *_reading(each, run, columns, sensor_unit(scene, each))) for each in own]


def _reading(compared, run, columns, sensor):
    """(Reading, Unit) of a compared quantity; of what has settled the time is compared, whatever the sensor is measured in."""
    kind = SECOND if compared.take == "settled" else sensor
    if compared.column is None:
        unit = unit_of(compared.unit) if compared.unit else kind or unit_of("")
        value = quantity_of(compared.measured, unit, f"measured of {compared.name!r}")
        times, values = np.array([compared.at if compared.take == VALUE else math.nan]), np.array([value])
    else:
        unit, times, values = _of_column(compared, run, columns)
        _same_kind(compared, sensor, unit, run)
        unit, times, values = _taken(compared, unit, times, values)
    _same_kind(compared, kind, unit, run)
    noise = _noise(compared, unit, values)
    return Reading(compared.sensor, compared.place, compared.take, times, values, noise, compared.weight, compared.begin,
                   compared.end, compared.within), unit


def _of_column(compared, run, columns):
    """(unit, times, values in SI) of what a column holds."""
    unit, many = columns.units[compared.name], columns.inside[compared.name]
    inside = (columns.time >= max(compared.begin, 0.0)) & (columns.time <= compared.end)
    times, values = columns.time[inside], columns.values[compared.column][inside] * unit.factor
    if columns.count == 0:
        raise DataError(f"{run.path}:2: there is nothing below the heads; give a line for each instant")
    if many < FEWEST:
        raise DataError(f"{run.path}: {many} rows of {compared.column!r} are within the time that is compared, of "
                        f"{columns.count} rows from {_told(columns.time, 0)} to {_told(columns.time, -1)} s; look at "
                        "from:, to: and begins:")
    if compared.take == SERIES:
        if compared.step is not None and (times[-1] - times[0]) / compared.step <= MOST_INSTANTS:
            grid = np.arange(times[0], times[-1] + 1e-9 * compared.step, compared.step)
            times, values = grid, np.interp(grid, times, values)
        count = many if compared.step is None else (times[-1] - times[0]) / compared.step
        if count > MOST_INSTANTS:
            raise DataError(f"{run.path}: {count:.0f} instants of {compared.name!r} would be compared, at most "
                            f"{MOST_INSTANTS}; take fewer by step: 1 ms beside the column, or every: 10 in the run")
    return unit, times, values


def _same_kind(compared, kind, unit, run):
    if kind is not None and unit.powers != kind.powers:
        where = repr(compared.name) if compared.column is None else f"{run.path}: column {compared.column!r}"
        raise ExperimentError(f"{where}: the data are in {unit}, {compared.take} of sensor {compared.sensor!r} is measured in "
                              f"{kind}; compare what is of one kind")


def _taken(compared, unit, times, values):
    """(unit, times, values) of what is taken of a column."""
    if compared.take == SERIES:
        return unit, times, values
    if compared.take == VALUE:
        return unit, np.array([compared.at]), np.array([np.interp(compared.at, times, values)])
    if compared.take == "settled":
        return SECOND, np.array([math.nan]), np.array([settled(times, np.abs(values), compared.within)])
    return unit, np.array([math.nan]), np.array([float(REDUCED[compared.take](values))])


def _told(times, place):
    return f"{times[place]:g}" if len(times) else "nothing"


def _noise(compared, unit, values):
    """sd in SI."""
    if compared.noise is None:
        return estimated_noise(values) if compared.take == SERIES else max(0.01 * abs(float(values[0])), 1e-300)
    if isinstance(compared.noise, str) and compared.noise.strip().endswith("%"):
        noise = quantity_of(compared.noise, unit_of("%"), f"noise of {compared.name!r}") * float(np.max(np.abs(values)))
    else:
        noise = quantity_of(compared.noise, unit, f"noise of {compared.name!r}")
    if not noise > 0.0:
        raise ExperimentError(f"noise of {compared.name!r} is {compared.noise!r}; give a number above 0, or leave it out: "
                              "then it "
                              "is told from the data")
    return noise


def estimated_noise(values):
    """sd of what differs from row to row, by third differences of a smooth curve, whose sd is √20 of it.

    The median of their sizes (0.6745 of a normal sd) does not mind a few jumps. At least 1e-3 of the range.
    """
    least = max(1e-3 * float(np.ptp(values)), 1e-300)
    if len(values) < 8:
        return max(0.01 * float(np.ptp(values)), 1e-300)
    return max(float(np.median(np.abs(np.diff(values, 3)))) / (0.6745 * math.sqrt(20.0)), least)


def shifted_within(reading, low, high, last, name):
    """Refuse instants that a shifted clock would lead out of the scene."""
    times = reading.times[np.isfinite(reading.times)]
    if len(times) and times[-1] - low > last * (1.0 + 1e-9):
        raise ExperimentError(f"{name!r} is compared until {times[-1] - low:g} s of the scene's clock, whose scene ends at "
                              f"{last:g} s; "
                              f"say to: {max(last + low, 0.0):g} s, or make the scene last longer")

