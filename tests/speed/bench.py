"""`robotphi bench`: the spring step and the whole adaptive step, timed against C in one run on the same cloth; distances of
polyhedra, against C, coal and FCL; calls of the compiled loop in microseconds; what a frame, a sensor, an idle particle of a
rigid and a ball on a soft part cost; robots against real time, and MuJoCo; trees of joints over their size, and beside
others; a heap of boxes on two threads.

C and our kernels take turns in random order; every ratio is formed inside one round, and rounds that other processes
disturbed are taken again. Nothing is written but what --save names.
"""
import argparse
import functools
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from .calls import LABELS as CALLS
from .calls import judge_calls, measure_calls
from .chains import judge_chains, measure_chains
from .cloth import GRIDS, build_cloth
from .collision import judge_collision, measure_collision
from .heap import judge_heap, measure_heap
from .native import CompilerMissing, NativeScene, build_library, reset
from .ours import BareStep, WholeStep, build_cloth_model
from .pieces import judge_pieces, measure_pieces
from .robots import judge_robots, measure_robots, robots_table
from .timing import sample, slope, summary
from .verdicts import judge

DT = 5e-4               # s, step of the bare measurements; a quarter of the explicit limit
INTERVAL = 0.1          # s that one timing should take; --quick takes a third
REPEATS = 7
SEED = 1996             # order of the cases

LABELS = {"c scalar": "C, plain loop", "c lanes": "C, four at a time", "kernels": "our kernels on C's lists",
          "ours": "spring step", "ours 2 threads": "spring step, 2 threads",
          "step": "adaptive step", "step 2 threads": "adaptive step, 2 threads"}


def main(arguments):
    """Measure, print, and return the exit code: 0 measured (budgets met or not), 2 bad input or no compiler."""
    options = parse(arguments)
    errors = Console(stderr=True)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="robotphi-bench-") as folder:
        try:
            library = build_library(folder)
        except CompilerMissing as missing:
            errors.print(f"robotphi bench: {missing}", highlight=False, soft_wrap=True)
            return 2
        results = measure(library, options, errors)
    budgets = judge(results)
    if not options.bare:
        results["collision"] = measure_collision(options.quick)
        results["calls"] = measure_calls(options.quick)
        results["pieces"] = measure_pieces(options.quick)
        results["robots"] = measure_robots(options.quick)
        results["chains"] = measure_chains(options.quick)
        results["heap"] = measure_heap(options.quick)
        budgets += judge_collision(results["collision"]) + judge_calls(results["calls"]) + judge_pieces(results["pieces"])
        budgets += judge_robots(results["robots"]) + judge_chains(results["chains"]) + judge_heap(results["heap"])
    document = {"machine": machine(), "seconds": time.perf_counter() - start, **results, "budgets": budgets}
    if options.save:
        path = Path(__file__).parent / "results" / f"{options.save}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(document, indent=1) + "\n")
    if options.json:
        print(json.dumps(document))
    else:
        show(document)
    return 0


def parse(arguments):
    parser = argparse.ArgumentParser(prog="robotphi bench", description="Time the kernels against C on this machine.")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output, nothing else")
    parser.add_argument("--quick", action="store_true", help="200, 1000 and 10 000 particles, 3 short repeats")
    parser.add_argument("--sizes", type=sizes, help=f"particles, separated by commas, of {', '.join(map(str, GRIDS))}")
    parser.add_argument("--repeats", type=int, help=f"rounds of each size ({REPEATS}; 3 with --quick)")
    parser.add_argument("--bare", action="store_true", help="the spring step only, no adaptive step, distances and robots")
    parser.add_argument("--save", metavar="NAME", help="keep the figures as tests/speed/results/NAME.json")
    options = parser.parse_args(arguments)
    options.sizes = options.sizes or [n for n in GRIDS if n <= 10_000 or not options.quick]
    options.repeats = options.repeats or (3 if options.quick else REPEATS)
    return options


def sizes(text):
    """The sizes of --sizes, each with a grid."""
    try:
        found = sorted({int(part) for part in text.split(",")})
    except ValueError:
        found = [-1]
    if not set(found) <= set(GRIDS):
        raise argparse.ArgumentTypeError(f"{text!r} was given; allowed are {', '.join(map(str, GRIDS))}")
    return found


def measure(library, options, errors):
    """Figures of every size, and the slopes over those from a thousand particles on."""
    generator = np.random.default_rng(SEED)
    interval = INTERVAL / 3 if options.quick else INTERVAL
    figures = {}
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
        task = progress.add_task("measuring", total=sum(options.sizes))
        for count in options.sizes:
            progress.update(task, description=f"{count} particles")
            figures[count] = measure_size(library, count, interval, options, generator)
            progress.advance(task, count)
    large = [count for count in options.sizes if count >= 1000]
    slopes = {}
    for case in ("c lanes", "ours", "step"):
        costs = [figures[count]["cost"][case]["median"] for count in large if case in figures[count]["cost"]]
        if len(costs) > 1:
            slopes[case] = slope(large, costs)
    return {"sizes": figures, "slopes": slopes}


def measure_size(library, count, interval, options, generator):
    """Costs of one size [s per step], per spring and as ratios."""
    cloth = build_cloth(count)
    springs = cloth.linear_count + cloth.angular_count
    steps = max(2, round(interval / (5e-9 * springs)))
    cases = all_cases(library, cloth, steps, options.bare)
    for case in cases.values():      # compiled and in the caches before the clock runs
        case()
    samples = sample(cases, options.repeats, generator)
    pairs = [("c lanes", "c scalar"), ("kernels", "c lanes"), ("ours", "c lanes"), ("ours", "ours 2 threads"),
             ("step", "c lanes"), ("step", "ours"), ("step", "step 2 threads")]
    return {
        "springs": springs, "linear": cloth.linear_count, "angular": cloth.angular_count, "steps": steps,
        "disturbed": samples.disturbed, "refused": samples.refused,
        "cost": {case: summary(cost) for case, cost in samples.cost.items()},
        "ns_per_spring": {case: summary(cost / springs * 1e9) for case, cost in samples.cost.items()},
        "ratio": {f"{case} / {base}": summary(samples.ratio(case, base)) for case, base in pairs
                  if case in samples.cost and base in samples.cost},
    }


def all_cases(library, cloth, steps, bare):
    """Name → function that runs a case from the initial state and returns its cost of a step [s]."""
    native = NativeScene(cloth)

    def of_c(function):
        def case():
            reset(native, cloth)
            start = time.perf_counter()
            function(native.address, DT, steps)
            return (time.perf_counter() - start) / steps
        return case

    def of_ours(step, threads):
        def case():
            step.reset()
            start = time.perf_counter()
            step.run(DT, steps, threads)
            return (time.perf_counter() - start) / steps
        return case

    model = build_cloth_model(cloth)
    groups = BareStep.of_model(model)
    cases = {"c scalar": of_c(library.steps_scalar), "c lanes": of_c(library.steps_lanes),
             "kernels": of_ours(BareStep.of_cloth(cloth), 1),
             "ours": of_ours(groups, 1), "ours 2 threads": of_ours(groups, 2)}
    if not bare:
        attempts = max(20, steps // 2)  # a refusal now and then belongs to the cost
        whole = {"step": WholeStep(model, 1), "step 2 threads": WholeStep(model, 2)}
        cases |= {name: functools.partial(step.cost, attempts) for name, step in whole.items()}
    return cases


def machine():
    """What the figures were taken on."""
    import numba
    processor = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        names = [line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                 if line.startswith("model name")]
        processor = names[0] if names else processor
    return {"processor": processor, "cores": os.cpu_count(), "system": platform.system(),
            "python": platform.python_version(), "numba": numba.__version__, "numpy": np.__version__}


def show(document):
    """The tables for people."""
    console = Console()
    table = Table(title="nanoseconds per spring and step, median (least … largest)")
    counts = list(document["sizes"])
    for head in ("", *[f"{count:,}" for count in counts]):
        table.add_column(head, justify="right" if head else "left")
    for name in document["sizes"][counts[0]]["cost"]:
        table.add_row(LABELS[name], *[spread(document["sizes"][count]["ns_per_spring"][name]) for count in counts])
    console.print(table)
    if "calls" in document:
        table = Table("", *document["calls"], title="microseconds per call, median (least … largest)")
        for name, label in CALLS.items():
            table.add_row(label, *[spread(figures["microseconds"][name]) for figures in document["calls"].values()])
        console.print(table)
    if "robots" in document:
        console.print(robots_table(document["robots"]))
    table = Table(title="budgets")
    for head in ("what", "particles", "found", "allowed", ""):
        table.add_column(head)
    for budget in document["budgets"]:
        size = "" if budget["particles"] is None else f"{budget['particles']:,}"
        table.add_row(budget["what"], size, spread(budget["found"], 3), budget["allowed"],
                      "met" if budget["met"] else "[bold]missed[/bold]")
    console.print(table)
    disturbed = sum(figures["disturbed"] for figures in document["sizes"].values())
    if disturbed:
        console.print(f"{disturbed} rounds were disturbed by other processes to the last; repeat when it is quiet.")


def spread(value, digits=2):
    """`median (least … largest)`, or a plain number."""
    if value is None:
        return ""
    if not isinstance(value, dict):
        return f"{value:.{digits}f}"
    return f"{value['median']:.{digits}f} ({value['min']:.{digits}f} … {value['max']:.{digits}f})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
