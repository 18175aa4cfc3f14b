"""The words of an experiment file, all in one table: section → {key: Word}. Readers know these and no others and take from
it what holds where one is left out; docs/identification.md has them by `python -m identification.experiment.reference`.
"""
import math
from typing import NamedTuple

from identification.experiment.parts import SERIES, TAKEN, VALUE
from identification.problem import SCALES
from identification.search import METHODS
from identification.search.aim import MODES


class Word(NamedTuple):
    """What a key says, what holds where it is left out, and how that is told where its own text would not do."""
    says: str
    default: object = None
    told: str = ""


WORDS = {
    "an experiment": {
        "robotphi_experiment": Word("version of this language: 1"),
        "about": Word("one line, the title of the report"),
        "scene": Word("name of a scenario, or path of a `.yaml` or `.py` file"),
        "knobs": Word("{name: value} of the scene, for all runs"),
        "allow": Word("folders that the scene may read from, beside its own"),
        "parameters": Word("what is unknown: {name: …}"),
        "runs": Word("what was done: {name: …}"),
        "compare": Word("what answers what: {name: …}"),
        "criteria": Word("what is wanted where nothing was measured: {name: …}"),
        "fit": Word("how to search"),
    },
    "a parameter": {
        "set": Word("a knob of the scene, or an address such as `spring.stiffness`, `pad.contact.friction`, `rope.mass[3]`; "
                    "several in a list are tied together; {thing: …, quantity: …, where: …, times: …} says the same in parts"),
        "time_offset_of": Word("in place of `set`: runs whose clock it shifts"),
        "unit": Word("of the bounds and of what is told", "", "that of what is set, or SI"),
        "bounds": Word("[lowest, highest]"),
        "scale": Word(f"{' or '.join(SCALES)}", SCALES[0]),
        "start": Word("a first value", None, "the middle of the scale"),
        "integer": Word("true for whole numbers", False),
        "about": Word("a remark"),
    },
    "a run": {
        "file": Word("CSV, TRC, MOT, STO, C3D, ROS bag, or a recording; none where all that was measured stands under "
                     "`compare`"),
        "time": Word("head of the column of times", None, "t or time"),
        "unit": Word("of the times, where their head does not tell it", None, "s"),
        "begins": Word("what the clock of the recording shows when the scene begins, such as 0.35 s", 0.0, "0 s"),
        "scene": Word("{knob: value} for this run"),
        "hold_out": Word("true: not fitted, but told how well it is foretold", False),
        "every": Word("of so many rows one is taken", 1),
        "missing": Word("`skip` leaves rows with gaps out, `refuse` says where they are", "refuse"),
        "topic": Word("of a ROS bag"),
        "about": Word("a remark"),
    },
    "what is compared": {
        "sensor": Word("of the scene: `tip`, `tip.z`, `tip[2]`, or `tip.size`"),
        "column": Word("head of the column that it answers, `z [mm]` or `z`"),
        "measured": Word("in place of a column: one value, such as 12 mm"),
        "unit": Word("of the column, where its head does not tell it, or of the value"),
        "noise": Word("sd of what was measured: 0.3 mm, or 2 % of the largest size", None, "told from the data"),
        "weight": Word("of its residuals", 1.0),
        "from": Word("from which time of the scene's clock on it counts", -math.inf, "the first"),
        "to": Word("up to which", math.inf, "the last"),
        "take": Word(f"`{SERIES}`, `{VALUE}`, or of the stretch {', '.join(f'`{each}`' for each in TAKEN)}", SERIES,
                     f"{SERIES}; {VALUE} with `at`"),
        "at": Word("the instant of a `value`"),
        "within": Word("size [SI] below which it stays once it has settled", 0.0),
        "step": Word("of a grid of times on which columns are compared that hold more rows than it takes"),
        "runs": Word("names of runs", (), "all"),
    },
    "a criterion": {
        "sensor": Word("of the scene, as above; of several the largest counts; none for `error`, `attempts`, `evaluations`"),
        "take": Word("as above, but `series`", "last", f"last; {VALUE} with `at`"),
        "at": Word("the instant of a `value`"),
        "within": Word("as above", 0.0),
        "from": Word("from which time of the scene's clock on it counts", -math.inf, "the first"),
        "to": Word("up to which", math.inf, "the last"),
        "below": Word("from where on it is satisfied", 0.0),
        "weight": Word("in the sum of all", 1.0),
    },
    "fit": {
        "method": Word(f"{', '.join(METHODS)}", "auto"),
        "seed": Word("of the random numbers", 1),
        "workers": Word("processes, 0 for the one that asks, or `all`", "all"),
        "cluster": Word("address of a Dask scheduler, in place of workers"),
        "attempts": Word("that a candidate may make, so many times those of the start", 20.0, "20 x nominal"),
        "evaluations": Word("candidates at most", 2000),
        "exact": Word("false: stay with the budget of the scene", True),
        "criteria": Word(f"how several count: {', '.join(MODES)}", MODES[0]),
        "settings": Word("of the method, see below"),
    },
}


def keys(section):
    """Keys of a section."""
    return tuple(WORDS[section])


def left_out(section, key):
    """What holds where a key is left out."""
    return WORDS[section][key].default
