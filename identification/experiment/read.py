"""The words of an experiment file: its sections, as the parts of an experiment."""
from functools import partial

from identification.experiment import nodes
from identification.experiment.nodes import checked_keys, fail
from identification.experiment.parts import (
    ADDRESS,
    KNOB,
    OFFSET,
    SERIES,
    TAKEN,
    TAKES,
    VALUE,
    Compared,
    Run,
    Scalar,
    Target,
    Unknown,
)
from identification.experiment.units import quantity_of, unit_of
from identification.experiment.words import keys, left_out
from identification.problem import SCALES, Parameter
from identification.search import METHODS, Aim, Criterion
from identification.search.aim import MODES
from identification.search.search import settings_of

VERSION = 1
SECOND, PLAIN = unit_of("s"), unit_of("")
AXES = {"x": 0, "y": 1, "z": 2, "size": "size"}
GIVEN = ("error", "attempts", "evaluations")   # criteria that every experiment has


def check_version(root):
    """Refuse what is no experiment of this version."""
    found = root.value.get("robotphi_experiment")
    if found is None:
        fail(root, "the file is no experiment", f"begin it with robotphi_experiment: {VERSION}")
    if found.value != VERSION or isinstance(found.value, bool):
        fail(found, f"version {found.told()} of experiments", f"this reads version {VERSION}")
    checked_keys(root, keys("an experiment"), "an experiment")


def plain_knobs(node, what):
    """{name: value} of knobs."""
    for name, each in node.value.items():
        if each.is_map or each.is_list or each.value is None:
            fail(each, f"{what} {name!r} is {each.told()}", "give a number, a text, true or false")
    return {name: each.value for name, each in node.value.items()}


def read_unknown(name, node, knobs, runs):
    """A parameter; `knobs`: name → (unit, …) of those that the scene has."""
    checked_keys(node, keys("a parameter"), f"parameter {name!r}")
    unit = nodes.unit(node, "unit", "s" if "time_offset_of" in node.value else _unit_of_first(node, knobs))
    bounds = node.value.get("bounds")
    if bounds is None or not bounds.is_list or len(bounds.value) != 2:
        fail(bounds or node, f"parameter {name!r} without two bounds", "give bounds: [lowest, highest]")
    low, high = (nodes.told(each, lambda each=each: _bound(each.value, unit)) for each in bounds.value)
    start = node.value.get("start")
    start = None if start is None else nodes.told(start, lambda: _bound(start.value, unit))
    scale, integer = nodes.word(node, "scale", SCALES, left_out("a parameter", "scale")), nodes.flag(
        node, "integer", left_out("a parameter", "integer"))
    parameter = nodes.told(node, lambda: Parameter(name, low, high, start, scale, unit.text, integer))
    return Unknown(parameter, _targets(name, node, unit, knobs, runs), unit.factor)


def _unit_of_first(node, knobs):
    """The unit of the first parameter of a scene file that is set; where there is none, SI."""
    said = node.value.get("set")
    several = [] if said is None else said.value if said.is_list else [said]
    return next((knobs[each.value] for each in several if each.is_text and knobs.get(each.value) not in (None, "1")), "")


def _bound(value, unit):
    """A bound in the unit of its parameter."""
    return quantity_of(value, unit, "it") / unit.factor if isinstance(value, str) else quantity_of(value, PLAIN, "it")


def _targets(name, node, unit, knobs, runs):
    if "time_offset_of" in node.value:
        said = nodes.texts(node, "time_offset_of")
        for each in said:
            if each not in runs:
                fail(node.value["time_offset_of"], f"there is no run {each!r}", f"there are {', '.join(runs)}")
        if "set" in node.value:
            fail(node.value["set"], f"parameter {name!r} sets something and is an offset", "make two parameters of it")
        if unit.powers != SECOND.powers:
            fail(node.value["unit"], f"an offset of time in {unit}", "give it in s or ms")
        return tuple(Target(OFFSET, each, unit.factor) for each in said)
    said = node.value.get("set")
    if said is None:
        fail(node, f"parameter {name!r} sets nothing", "give set: a knob or parameter of the scene, or an address such as "
             "spring.stiffness; several in a list are tied together")
    if said.is_list and not said.value:
        fail(said, f"parameter {name!r} sets nothing", "give set: one knob or address, or several")
    return tuple(_target(each, unit, knobs) for each in (said.value if said.is_list else [said]))


def _target(node, unit, knobs):
    """What one entry of set: means."""
    if node.is_map:
        checked_keys(node, ("thing", "quantity", "where", "times"), "an address")
        thing = node.value.get("thing")
        where = node.value.get("where")
        if thing is None or "quantity" not in node.value:
            fail(node, "an address without thing or quantity", "give {thing: …, quantity: …}")
        for each in (thing, where):
            if each is not None and any(one.is_map or one.is_list for one in (each.value if each.is_list else [each])):
                fail(each, f"an address of {each.told()}", "give a name or number, or a list of these")
        thing = tuple(each.value for each in thing.value) if thing.is_list else thing.value
        where = None if where is None else [each.value for each in where.value] if where.is_list else where.value
        address = (thing, nodes.text(node, "quantity"), *(() if where is None else (where,)))
        return Target(ADDRESS, address, unit.factor * nodes.number(node, "times", 1.0))
    if not node.is_text:
        fail(node, f"set: {node.told()}", "give a knob, an address such as spring.stiffness, or a list of these")
    if node.value in knobs:
        return Target(KNOB, node.value, unit.factor / _knob_factor(node, unit, knobs[node.value]))
    if "." not in node.value:
        fail(node, f"the scene has no knob {node.value!r}", f"there are {', '.join(knobs) or 'none'}; an address has a point, "
             "such as spring.stiffness")
    return Target(ADDRESS, node.value, unit.factor)


def _knob_factor(node, unit, said):
    """Of the unit of a scene file's parameter, to SI."""
    if not said:
        return 1.0
    own = nodes.told(node, lambda: unit_of(said, f"unit of {node.value}"))
    if unit.powers != own.powers:
        fail(node, f"{node.value} is measured in {own}, the parameter in {unit}", "give a unit of the same kind")
    return own.factor


def read_run(name, node, folder):
    """A run."""
    checked_keys(node, keys("a run"), f"run {name!r}")
    path, default = nodes.text(node, "file"), partial(left_out, "a run")
    missing = nodes.word(node, "missing", ("refuse", "skip"), default("missing"))
    return Run(name, None if path is None else folder / path, nodes.text(node, "time", default("time")),
               nodes.quantity(node, "begins", SECOND, default("begins")), plain_knobs(nodes.section(node, "scene"), "knob"),
               nodes.flag(node, "hold_out", default("hold_out")), nodes.number(node, "every", default("every"), 1, whole=True),
               missing == "skip",
               nodes.text(node, "topic"), nodes.text(node, "unit"))


def read_compared(name, node, runs):
    """What is compared."""
    checked_keys(node, keys("what is compared"), f"compare {name!r}")
    default = partial(left_out, "what is compared")
    sensor, place = _sensor(name, node, node.value.get("sensor"))
    take = nodes.word(node, "take", TAKES, VALUE if "at" in node.value else default("take"))
    column, unit = nodes.text(node, "column"), nodes.text(node, "unit")
    measured, noise = node.value.get("measured"), node.value.get("noise")
    if (column is None) == (measured is None):
        fail(node, f"compare {name!r} needs either a column or a measured value", "give column: \"z [mm]\", or measured: 12 mm")
    if measured is not None and take == SERIES:
        fail(measured, "one value beside a whole series", f"say what of it: at: 0.5 s, or take: {', '.join(TAKEN)}")
    for each in nodes.texts(node, "runs"):
        if each not in runs:
            fail(node.value["runs"], f"there is no run {each!r}", f"there are {', '.join(runs)}")
    _needed(name, node, take)
    step = nodes.quantity(node, "step", SECOND)
    if step is not None and not step > 0.0:
        fail(node.value["step"], f"step is {node.value['step'].told()}", "give a time above 0, such as 1 ms")
    return Compared(name, sensor, place, column, unit, take, nodes.quantity(node, "at", SECOND), _within(node, default),
                    None if measured is None else measured.value, None if noise is None else noise.value,
                    float(nodes.number(node, "weight", default("weight"), 0.0)), *_stretch(node, default), step,
                    nodes.texts(node, "runs"))


def read_scalar(name, node):
    """A criterion: the Criterion, and the Scalars of which the largest counts, none of those that every experiment has."""
    if node.value is None:
        node = nodes.node_of({}, node.file)
    checked_keys(node, keys("a criterion"), f"criterion {name!r}")
    default = partial(left_out, "a criterion")
    criterion = Criterion(name, float(nodes.number(node, "below", default("below"))),
                          float(nodes.number(node, "weight", default("weight"), 0.0)))
    if name in GIVEN and "sensor" not in node.value:
        return criterion, ()
    said = node.value.get("sensor")
    several = said.value if said is not None and said.is_list and said.value else [said]
    take = nodes.word(node, "take", TAKES[1:], VALUE if "at" in node.value else default("take"))
    _needed(name, node, take)
    when = nodes.quantity(node, "at", SECOND), _within(node, default), *_stretch(node, default)
    return criterion, tuple(Scalar(name, *_sensor(name, node, each), take, *when) for each in several)


def _needed(name, node, take):
    if take == VALUE and "at" not in node.value:
        fail(node, f"{name!r} takes a value at no instant", "give at: 0.5 s")
    if take == "settled" and "within" not in node.value:
        fail(node, f"{name!r} settles within nothing", "give within: the size below which it stays, in SI")


def _within(node, default):
    return float(nodes.number(node, "within", default("within"), 0.0))


def _stretch(node, default):
    """From which time on, and up to which."""
    return tuple(nodes.quantity(node, each, SECOND, default(each)) for each in ("from", "to"))


def _sensor(name, node, found):
    """(name of the sensor, which of its numbers)."""
    if found is None:
        fail(node, f"{name!r} without a sensor", "give sensor: a sensor of the scene, such as tip, tip.z or tip[2]")
    said = found.value if found.is_text else fail(found, f"sensor is {found.told()}", "give a text")
    head, bracket, place = said.rpartition("[")
    if bracket and place.endswith("]") and place[:-1].isdecimal():
        return head, int(place[:-1])
    head, point, place = said.rpartition(".")
    return (head, AXES[place]) if point and place in AXES else (said, None)


def read_fit(node, aim_of):
    """Settings of a fit, as a plain dict with the aim."""
    checked_keys(node, keys("fit"), "fit")
    default = partial(left_out, "fit")
    method = nodes.word(node, "method", tuple(METHODS), default("method"))
    settings = {name: each.value for name, each in nodes.section(node, "settings").value.items()}
    nodes.told(node, lambda: settings_of(method, settings))
    mode = nodes.word(node, "criteria", MODES, default("criteria"))
    return {"method": method, "seed": nodes.number(node, "seed", default("seed"), 0, whole=True), "settings": settings,
            "workers": _workers(node), "cluster": nodes.text(node, "cluster"), "attempts": _attempts(node),
            "evaluations": nodes.number(node, "evaluations", default("evaluations"), 1, whole=True),
            "exact": nodes.flag(node, "exact", default("exact")),
            "aim": Aim(tuple(aim_of) or (Criterion(),), mode)}


def _workers(node):
    found = node.value.get("workers")
    if found is None or found.value == "all":
        return left_out("fit", "workers") if found is None else "all"
    return nodes.number(node, "workers", 0, 0, whole=True)


def _attempts(node):
    """How many times the attempts of the start a candidate may make; `20 x nominal`."""
    found = node.value.get("attempts")
    if found is None:
        return left_out("fit", "attempts")
    words = str(found.value).replace("×", "x").split()
    if len(words) == 3 and words[1:] == ["x", "nominal"] and words[0].replace(".", "", 1).isdigit() and float(words[0]) >= 1.0:
        return float(words[0])
    return fail(found, f"attempts is {found.told()}", "give 20 x nominal, or another number of at least 1 in its place")
