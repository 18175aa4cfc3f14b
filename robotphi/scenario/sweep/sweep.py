"""A sweep from its words to its table: points that are known are passed over, the others run, rows stand in the order of the
grid, however many worked on them and in whatever order."""
import csv
import io
import os
from dataclasses import dataclass, field
from pathlib import Path

from robotphi.errors import ScenarioError
from robotphi.scenario import load_scenario
from robotphi.scenario.file import checked_knobs
from robotphi.scenario.folder import claimed
from robotphi.scenario.sweep.grid import grid
from robotphi.scenario.sweep.kept import Kept
from robotphi.scenario.sweep.workers import here, in_processes, on_cluster

TABLE, PICTURE = "sweep.csv", "sweep.png"
MISSING = {"status": "missing", "error": "", "figures": {}}
RUN_FIGURES = {"steps": "steps", "unexplained": "unexplained share [1]", "digest": "model", "error": "error"}


@dataclass
class Swept:
    """What became of a sweep."""
    name: str
    folder: Path
    axes: list
    points: list                 # of dicts, name of a knob → value
    rows: list                   # one a point
    units: dict                  # of knobs
    ran: int = 0                 # points that were run now
    known: int = 0               # … that had been run before
    files: list = field(default_factory=list)

    @property
    def wrong(self):
        """Points that are not done as they should be."""
        return [row for row in self.rows if row["status"] != "done"]

    def table(self):
        """Names of columns with units, and a row for each point."""
        units, names = {}, []
        for row in self.rows:
            units |= row.get("units", {})
            names += [name for name in row["figures"] if name not in names]
        heads = [*(_head(axis.name, self.units.get(axis.name)) for axis in self.axes), "status",
                 *(_head(name, units.get(name)) for name in names), *RUN_FIGURES.values()]
        return heads, [[*point.values(), row["status"], *(row["figures"].get(name) for name in names),
                        *(row.get(name) for name in RUN_FIGURES)] for point, row in zip(self.points, self.rows, strict=True)]

    def as_json(self):
        heads, rows = self.table()
        return {"name": self.name, "folder": self.folder, "points": len(self.points), "ran": self.ran, "known": self.known,
                "passed": not self.wrong, "columns": heads, "rows": rows, "files": self.files}


def _head(name, unit):
    return f"{name} [{unit}]" if unit else name


def run_sweep(scenario, axes, knobs=None, out=None, workers=1, cluster=None, allow=(), view=True, progress=None, **options):
    """Run a scenario at every point of a grid; returns a `Swept`, whose table is in its folder.

    Args:
        scenario: name or path.
        axes: of `grid.parse_sweep`.
        knobs: other knobs, the same at all points.
        out: folder; runs/NAME/sweep unless told. Points that it knows, of the same model, file and versions, are not run again.
        workers: how many processes run points; 1 is this one.
        cluster: address of a Dask scheduler whose workers run them instead.
        options: `until`, `wall_limit`, `threads` of each run.
    """
    loaded, knobs = load_scenario(scenario, allow), knobs or {}
    for axis in axes:
        if axis.name in knobs:
            raise ScenarioError(f"{axis.name!r} is both set and swept; leave one of them out")
    points = grid(axes, loaded.knobs)
    for point in points:
        _check(loaded, {**knobs, **point})
    options = {name: value for name, value in options.items() if value is not None}
    folder = Path(out) if out else Path("runs") / loaded.name / "sweep"
    swept = Swept(loaded.name, folder, axes, points, [dict(MISSING) for _ in points], _units(loaded))
    with claimed(folder) as shared:
        if shared:
            raise ScenarioError(f"another run is at work in {folder}; wait for it, or name another folder")
        kept = Kept(folder)
        tasks = [_task(loaded, scenario, {**knobs, **point}, options, allow, kept) for point in points]
        runner = on_cluster(tasks, cluster) if cluster else here(tasks) if workers == 1 else in_processes(tasks, workers)
        try:
            _collect(swept, runner, tasks, kept, progress)
        finally:   # Ctrl-C too leaves the table of what there is
            runner.close()
            _write(swept)
        if view:
            from robotphi.view.sweeps import draw_sweep

            swept.files += draw_sweep(swept, folder / PICTURE)
    return swept


def _check(loaded, knobs):
    """Refuse knobs that there are not, or that are out of the bounds of a scene file."""
    checked_knobs(loaded, knobs)
    file = getattr(loaded.module, "file", None)
    if file is not None:
        file.parameters(**knobs)


def _task(loaded, scenario, knobs, options, allow, kept):
    """What a worker is told: plain values alone."""
    row = kept.find(knobs, options.get("until"))
    by_name = Path(str(scenario)).suffix == ""
    return {"scenario": str(scenario) if by_name else str(loaded.path), "knobs": knobs, "options": options,
            "allow": [str(Path(each).resolve()) for each in allow], "known": row["key"] if row else ""}


def _collect(swept, runner, tasks, kept, progress):
    """Rows as they come; what would come out so again is kept at once."""
    for place, row in runner:
        knobs, until = tasks[place]["knobs"], tasks[place]["options"].get("until")
        if row.get("known"):
            row, swept.known = kept.find(knobs, until), swept.known + 1
        else:
            swept.ran += 1
            if row["key"]:
                kept.add(knobs, until, row)
        swept.rows[place] = row
        if progress:
            progress(swept, swept.ran + swept.known, len(tasks))


def _units(loaded):
    """Name of a knob → its unit, of the parameters of a scene file."""
    return {name: each.unit for name, each in getattr(loaded.module, "parameters", {}).items() if each.unit}


def _write(swept):
    """The table, whole or not at all."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    heads, rows = swept.table()
    writer.writerows([heads, *([_cell(value) for value in row] for row in rows)])
    path, part = swept.folder / TABLE, swept.folder / f".{TABLE}.part"
    try:
        part.write_text(text.getvalue(), encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        raise ScenarioError(f"cannot write {path}: {error.strerror}; name another folder") from error
    swept.files.append(path)


def _cell(value):
    return "" if value is None else repr(value) if isinstance(value, float) else value
