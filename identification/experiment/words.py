"""The words of an experiment file, all in one table: section → {key: what it says}. Readers know these and no others,
and docs/identification.md has them
by `python -m identification.experiment.reference`.
"""
from identification.experiment.parts import SERIES, TAKEN, VALUE
from identification.problem import SCALES
from identification.search import METHODS
from identification.search.aim import MODES

WORDS = {
    "an experiment": {
        "robotphi_experiment": "version of this language: 1",
        "about": "one line, the title of the report",
        "scene": "name of a scenario, or path of a `.yaml` or `.py` file",
        "knobs": "{name: value} of the scene, for all runs",
        "allow": "folders that the scene may read from, beside its own",
        "parameters": "what is unknown: {name: …}",
        "runs": "what was done: {name: …}",
        "compare": "what answers what: {name: …}",
        "criteria": "what is wanted where nothing was measured: {name: …}",
        "fit": "how to search",
    },
    "a parameter": {
        "set": "a knob of the scene, or an address such as `spring.stiffness`, `pad.contact.friction`, `rope.mass[3]`; several "
               "in a list are tied together; {thing: …, quantity: …, where: …, times: …} says the same in parts",
        "time_offset_of": "in place of `set`: runs whose clock it shifts",
        "unit": "of the bounds and of what is told; SI where left out",
        "bounds": "[lowest, highest]",
        "scale": f"{' or '.join(SCALES)}; {SCALES[0]} where left out",
        "start": "a first value; the middle of the scale where left out",
        "integer": "true for whole numbers",
        "about": "a remark",
    },
    "a run": {
        "file": "CSV, TRC, MOT, STO, C3D, ROS bag, or a recording; none where all that was measured stands under `compare`",
        "time": "head of the column of times; `t` where left out",
        "unit": "of the times, where their head does not tell it",
        "begins": "what the clock of the recording shows when the scene begins, such as 0.35 s",
        "scene": "{knob: value} for this run",
        "hold_out": "true: not fitted, but told how well it is foretold",
        "every": "of so many rows one is taken",
        "missing": "`skip` leaves rows with gaps out, `refuse` (where left out) says where they are",
        "topic": "of a ROS bag",
        "about": "a remark",
    },
    "what is compared": {
        "sensor": "of the scene: `tip`, `tip.z`, `tip[2]`, or `tip.size`",
        "column": "head of the column that it answers, `z [mm]` or `z`",
        "measured": "in place of a column: one value, such as 12 mm",
        "unit": "of the column, where its head does not tell it, or of the value",
        "noise": "sd of what was measured: 0.3 mm, or 2 % of the largest size; told from the data where left out",
        "weight": "of its residuals; 1 where left out",
        "from": "from which time of the scene's clock on it counts",
        "to": "up to which",
        "take": f"`{SERIES}` (where left out), `{VALUE}`, or of the stretch {', '.join(f'`{each}`' for each in TAKEN)}",
        "at": "the instant of a `value`",
        "within": "size [SI] below which it stays once it has settled",
        "step": "of a grid of times on which columns are compared that hold more rows than it takes",
        "runs": "names of runs; all where left out",
    },
    "a criterion": {
        "sensor": "of the scene, as above; of several the largest counts; none for `error`, `attempts`, `evaluations`",
        "take": "as above; `last` where left out",
        "at": "the instant of a `value`",
        "within": "as above",
        "from": "from which time of the scene's clock on it counts",
        "to": "up to which",
        "below": "from where on it is satisfied; 0 where left out",
        "weight": "in the sum of all; 1 where left out",
    },
    "fit": {
        "method": f"{', '.join(METHODS)}",
        "seed": "of the random numbers; 1 where left out",
        "workers": "processes, 0 for the one that asks, or `all`",
        "cluster": "address of a Dask scheduler, in place of workers",
        "attempts": "that a candidate may make: `20 x nominal`",
        "evaluations": "candidates at most; 2000 where left out",
        "exact": "false: stay with the budget of the scene",
        "criteria": f"how several count: {', '.join(MODES)}",
        "settings": "of the method, see below",
    },
}


def keys(section):
    """Keys of a section."""
    return tuple(WORDS[section])
