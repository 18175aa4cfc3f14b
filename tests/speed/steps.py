"""The steps of all simulations that the scenarios run by default, and the same before a change.

    python -m tests.speed.steps                            the table, over all scenarios
    python -m tests.speed.steps cradle stack               of these; of `robots.py` as well, or "robots": all of them
    python -m tests.speed.steps --json after.json          keep the figures as well, after each scenario
    python -m tests.speed.steps --compare before.json      each over what it was before, median and geometric mean
    python -m tests.speed.steps --from after.json --compare before.json    of figures that were kept, nothing is run
    --budget 1e-3, --accuracy energy                       in place of what the scenarios ask, where a budget sets the step

Attempts, steps and residuals depend on nothing but the scene. Times are processor times of one thread, the least of --repeats
runs: those of the attempts are of the compiled loop alone, the real-time factor is of the whole run with its frames. Nothing
is known of the package but what is imported below, so that this file can be laid beside an older tree and run there.
"""
import argparse
import json
import math
import sys
import time
import warnings
from collections import Counter
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from robotphi.run.simulator import Simulator, simulate
from robotphi.scenario.file import list_scenarios, load_scenario
from robotphi.scenario.run import run_study

LIMIT = "limited_by_"     # counts with this name say what set the length of steps
SEARCHES = ("two_masses", "cloth_waves")   # studies that look for a budget: which runs they make is their answer
WORSE = 1.05              # times as many attempts: told
LEAST_SHARE = 0.005       # of the steps: what limits less of them is not shown


# --- runs ----------------------------------------------------------------------------------------------------------------
@contextmanager
def watched(runs, changed):
    """Within, every run of a simulator leaves its figures in `runs`, and those under a budget are changed."""
    begin, run, drive = Simulator.__init__, Simulator.run, Simulator._drive

    def changed_begin(simulator, model, threads=None, controllers=None):
        simulator.asked = model.scene.stepping
        if model.scene.stepping.control == "ledger":
            model.scene.stepping = replace(model.scene.stepping, **changed)
        begin(simulator, model, 1, controllers)

    def timed_drive(simulator, *arguments):
        began = time.process_time()
        try:
            return drive(simulator, *arguments)
        finally:
            simulator.in_loop += time.process_time() - began

    def timed_run(simulator, **options):
        simulator._loop.prepare(simulator.state)   # compiled before the clock runs, and what records a frame as well
        simulator.in_loop = 0.0
        simulator.begin()
        simulator.in_loop, start, began = 0.0, float(simulator.state.time), time.process_time()
        recording = run(simulator, **options)
        spent = time.process_time() - began
        runs.append(figures_of(simulator, recording, float(simulator.state.time) - start, spent))
        return recording

    Simulator.__init__, Simulator.run, Simulator._drive = changed_begin, timed_run, timed_drive
    try:
        yield
    finally:
        Simulator.__init__, Simulator.run, Simulator._drive = begin, run, drive


def figures_of(simulator, recording, simulated, spent):
    """What is kept of a run; times in seconds."""
    counts, ledger, stepping = recording.counts, recording.ledger, simulator.model.scene.stepping
    promise = stepping.budget * float(ledger["reference_energy"][-1])
    ruled = stepping.control == "ledger" and promise > 0.0
    return {"scene": simulator.model.scene.name, "asked": words_of(simulator.asked), "ruled": stepping.control == "ledger",
            "status": recording.status, "simulated": simulated, "attempts": counts["attempts"], "accepted": counts["accepted"],
            "limits": {name.removeprefix(LIMIT): count for name, count in counts.items() if name.startswith(LIMIT)},
            "loop": simulator.in_loop, "spent": spent,
            "residual": float(ledger["largest_residual"][-1]) / promise if ruled else None}


def words_of(stepping):
    """What a scene asked of its steps, in words."""
    return {"ledger": f"budget {stepping.budget:g}", "fixed": f"dt {stepping.dt or 0:g}",
            "energy": f"tolerance {stepping.energy_tolerance or 0:g}"}[stepping.control]


def runs_of(name, changed):
    """Figures of all runs of a scenario by name: its study where it has one, else its scene; and what went wrong, or "".

    Of a study that searches it is the scene as well.
    """
    runs, problem = [], ""
    with watched(runs, changed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if name in robots():
                run_robot(robots()[name])
            else:
                run_scenario(name)
        except Exception as error:   # the other scenarios are wanted all the same
            problem = f"{type(error).__name__}: {error}"
    seen, named = Counter(), {}
    for run in runs:
        key = f"{name}: {run['scene']}, {run['asked']}"
        seen[key] += 1
        named[key if seen[key] == 1 else f"{key} ({seen[key]})"] = run
    return named, problem


def robots():
    """Those of the benchmark, by name."""
    from .robots import ROBOTS
    return ROBOTS


def run_robot(robot):
    simulate(robot.build(**robot.knobs), until=robot.seconds)


def run_scenario(name):
    scenario = load_scenario(name)
    if scenario.is_study and name not in SEARCHES:
        run_study(scenario, {}, {})
    else:
        simulate(scenario.module.build())


def least(first, second):
    """The same run once more: of its times the least."""
    return {**second, "loop": min(first["loop"], second["loop"]), "spent": min(first["spent"], second["spent"])}


def measure(names, changed, repeats=1, kept=None, tell=None):
    """Document of all runs; written to the file `kept` after each scenario, told to `tell` a scenario at a time."""
    document = {"changed": changed, "runs": {}, "problems": {}}
    for name in names:
        found, problem = runs_of(name, changed)
        for _ in range(repeats - 1):
            again, _ = runs_of(name, changed)
            found = {key: least(found[key], run) if key in found else run for key, run in again.items()}
        document["runs"] |= found
        if problem:
            document["problems"][name] = problem
        if kept:
            Path(kept).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        if tell:
            tell(name, found, problem)
    return document


# --- tables --------------------------------------------------------------------------------------------------------------
def mean_step(run):
    return run["simulated"] / max(run["accepted"], 1)


def attempt_cost(run):
    """Processor time of an attempt [µs]."""
    return 1e6 * run["loop"] / max(run["attempts"], 1)


def real_time(run):
    """Simulated seconds in a second of processor time."""
    return run["simulated"] / max(run["spent"], 1e-9)


def limits_text(run):
    """What limits, the most frequent first, in per cent of all limited steps."""
    total = sum(run["limits"].values()) or 1
    shares = sorted(((count / total, name) for name, count in run["limits"].items()), reverse=True)
    return ", ".join(f"{name} {100 * share:.0f}" for share, name in shares if share > LEAST_SHARE)


COLUMNS = (("attempts", lambda run: f"{run['attempts']:,}"), ("accepted", lambda run: f"{run['accepted']:,}"),
           ("mean step [s]", lambda run: f"{mean_step(run):.2e}"), ("limited by [%]", limits_text),
           ("µs/attempt", lambda run: f"{attempt_cost(run):.2f}"), ("× real time", lambda run: f"{real_time(run):.3g}"),
           ("residual/promise", lambda run: "" if run["residual"] is None else f"{run['residual']:.1e}"))


def table_of(document):
    """All runs as they are."""
    table = Table("run", title="steps of the scenarios")
    for head, _ in COLUMNS:
        table.add_column(head, justify="left" if head.startswith("limited") else "right")
    for name, run in document["runs"].items():
        ending = "" if run["status"] == "done" else f" [{run['status']}]"
        table.add_row(name + ending, *[cell(run) for _, cell in COLUMNS])
    return table


RATIOS = (("fewer attempts", lambda before, after: before["attempts"] / max(after["attempts"], 1)),
          ("longer step", lambda before, after: mean_step(after) / mean_step(before)),
          ("µs/attempt", lambda before, after: attempt_cost(after) / max(attempt_cost(before), 1e-9)),
          ("faster", lambda before, after: real_time(after) / real_time(before)))


def pairs_of(before, after):
    """(name, run before, run after) of runs that are in both, a budget sets their steps, and they took one."""
    return [(name, before["runs"][name], run) for name, run in after["runs"].items()
            if name in before["runs"] and run["ruled"] and run["accepted"] and before["runs"][name]["accepted"]]


def comparison(before, after):
    """Each run over the same before, and the middle of all."""
    pairs = pairs_of(before, after)
    table = Table("run", title="over what it was before")
    for head in ("attempts before", "after", *[head for head, _ in RATIOS], "residual before", "after"):
        table.add_column(head, justify="right")
    table.add_column("limited by [%]")
    columns = [[ratio(old, new) for _, old, new in pairs] for _, ratio in RATIOS]
    for place, (name, old, new) in enumerate(pairs):
        worse = " [bold]worse[/bold]" if new["attempts"] > WORSE * old["attempts"] else ""
        residuals = ["" if run["residual"] is None else f"{run['residual']:.1e}" for run in (old, new)]
        table.add_row(name + worse, f"{old['attempts']:,}", f"{new['attempts']:,}",
                      *[f"{column[place]:.2f}" for column in columns], *residuals, limits_text(new))
    table.add_section()
    middles = (("median", median), ("geometric mean", geometric_mean), ("least", min), ("most", max))
    for label, middle in middles if pairs else ():
        table.add_row(f"{label}, runs", "", "", *[f"{middle(column):.2f}" for column in columns], "", "", "")
    grouped = [of_scenarios(pairs, column) for column in columns]
    for label, middle in middles if pairs else ():
        table.add_row(f"{label}, scenarios", "", "", *[f"{middle(column):.2f}" for column in grouped], "", "", "")
    return table


def of_scenarios(pairs, column):
    """One figure a scenario, the geometric mean of its runs, so that a study of many runs counts as one."""
    groups = {}
    for (name, _, _), value in zip(pairs, column, strict=True):
        groups.setdefault(name.partition(":")[0], []).append(value)
    return [geometric_mean(values) for values in groups.values()]


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else 0.5 * (ordered[middle - 1] + ordered[middle])


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


# --- command -------------------------------------------------------------------------------------------------------------
def parse(arguments):
    parser = argparse.ArgumentParser(prog="python -m tests.speed.steps", description="Steps of the scenarios.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios, robots; all scenarios where none is named")
    parser.add_argument("--json", metavar="FILE", help="keep the figures in a file")
    parser.add_argument("--compare", metavar="FILE", help="figures of before")
    parser.add_argument("--from", dest="known", metavar="FILE", help="figures that were kept; nothing is run")
    parser.add_argument("--accuracy", choices=("energy", "path"), help="what the budget governs")
    parser.add_argument("--budget", type=float)
    parser.add_argument("--repeats", type=int, default=1, help="runs of which the least time counts (1)")
    return parser.parse_args(arguments)


def changes(options):
    """Fields of Stepping that are asked for; a tree that knows no accuracy has that of energy."""
    from robotphi.scene import Stepping
    changed = {} if options.budget is None else {"budget": options.budget}
    if options.accuracy and any(field.name == "accuracy" for field in fields(Stepping)):
        changed["accuracy"] = options.accuracy
    elif options.accuracy == "path":
        raise SystemExit("this tree knows no accuracy of the path: leave --accuracy out")
    return changed


def main(arguments):
    options = parse(arguments)
    if options.known:
        document = json.loads(Path(options.known).read_text(encoding="utf-8"))
        if options.names:
            document["runs"] = {key: run for key, run in document["runs"].items() if key.partition(":")[0] in options.names}
    else:
        def tell(name, runs, problem):
            print(f"{name}: {sum(run['attempts'] for run in runs.values()):,} attempts in {len(runs)} runs", problem,
                  file=sys.stderr, flush=True)
        names = options.names or list(list_scenarios())
        names = [each for name in names for each in (robots() if name == "robots" else [name])]
        document = measure(names, changes(options), options.repeats, options.json, tell)
    console = Console(width=None if sys.stdout.isatty() else 220)
    console.print(table_of(document))
    for name, problem in document["problems"].items():
        console.print(f"{name} ended early: {problem}", markup=False)
    if options.compare:
        console.print(comparison(json.loads(Path(options.compare).read_text(encoding="utf-8")), document))
    return 1 if document["problems"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
