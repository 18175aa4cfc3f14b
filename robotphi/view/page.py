"""The page: one HTML file that plays a recording in any browser, without a server and without asking the network for anything.

`player.html` has the place for everything and the program; what it shows goes into it as one block of packed numbers, in which
all names are text that the program never takes for anything else. `coding` says how numbers become bytes.
"""
import base64
import html
import math
import re
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np

from robotphi.errors import RecordingError
from robotphi.kernels.step.codes import ENDS
from robotphi.record.files.make import check_target
from robotphi.scene.checks import word
from robotphi.scene.whole_file import whole_file
from robotphi.view import curves, graphs, style
from robotphi.view.cast import Cast, smooth_groups
from robotphi.view.coding import Grid, grid_of, gridded, packed
from robotphi.view.layers import AXES, AXIS_COLOURS, LAYERS, segments_of
from robotphi.view.quantities import DERIVED, QUANTITIES, colour_limits, quantity
from robotphi.view.scenes import VIEWS
from robotphi.view.stage import Stage, staged
from robotphi.view.touching import SHADOW, SUN

USUAL_QUANTITIES = ("speed", "displacement", "height", "strain", "tension", "energy density", "contact pressure")
MANY_VALUES = 400_000     # particles × frames beyond which only some quantities are kept unless they are asked for
FEW_QUANTITIES = ("speed", "displacement", "height", "strain", "contact pressure")
VALUE_TOP = 4094          # quantities in 12 bits: 1/4094 of their range, a third of the bytes less than 16 bits
OWN_LINES = 2000          # springs that belong to no surface have values of their own, up to so many
MOST_VALUES = 40_000_000  # particles × frames of a page, beyond which frames are left out
MOST_IN_NOTEBOOK = 4_000_000
SHOWN_SENSORS = 40
SPANS = 600               # of time, of which the shortest and the longest step are shown
BLOCK, TITLE, COLOURS = "@@data@@", "@@title@@", "@@colours@@"


@staged
def write_page(stage, path, quantities=None, every=None, total=None, **begin):
    """Write the page of a recording; returns the path.

    Args:
        stage: the recording, or a Stage of it.
        quantities: names of `quantities.QUANTITIES` that colours can tell; the usual ones that it has unless told.
        every: show every so many frames; all of them unless the page would be too large.
        total: frames that the run is to have, of one that still goes on: the page loads itself again and again.
        begin: what it shows at first, `time` [s], `colour`, `look`, unless its address says otherwise.
    """
    path = Path(path)
    check_target(path)
    text = page(stage, quantities, every, total=total, **begin)
    try:
        with whole_file(path) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RecordingError(f"cannot write {path}: {error.strerror}") from None
    return path


def page(recording, quantities=None, every=None, most=MOST_VALUES, total=None, time=None, colour=None, look=None):
    """The page as text."""
    stage = recording if isinstance(recording, Stage) else Stage(recording)
    if not len(stage.recording):
        raise RecordingError("this recording has no frame: there is nothing to show")
    begin = {"time": None if time is None else float(stage.recording.time[stage.recording.frame_at(time)]),
             "colour": colour and quantity(stage, colour) and colour, "view": look and word("view", "look", look, tuple(VIEWS))}
    header, arrays = content(stage, quantities, every, most, total, colour)
    data = packed(header | {"begin": {name: value for name, value in begin.items() if value is not None}}, arrays)
    name = str(stage.recording.info.get("scene", "recording"))
    return (_template().replace(TITLE, html.escape(f"{name} · Robot Φ")).replace(COLOURS, _colours())
            .replace(BLOCK, base64.b64encode(data).decode()))


def notebook_frame(recording, height=560):
    """The page as a frame within a notebook, which keeps to itself."""
    inner = html.escape(page(recording, most=MOST_IN_NOTEBOOK))
    return (f'<iframe sandbox="allow-scripts" style="width:100%;height:{height}px;border:0" '
            f'srcdoc="{inner}"></iframe>')


@cache
def _template():
    """`player.html` without what only its readers need: indentation and comments."""
    text = resources.files("robotphi.view").joinpath("player.html").read_text(encoding="utf-8")
    return re.sub(r"\n\s*(//[^\n]*)?(?=\n)", "", re.sub(r" {3}// [^\n]*|(?<=\n)[ \t]+", "", text))


def _colours():
    """The colours of `style` as variables of a style sheet."""
    names = ("INK", "GREY", "PALE", "PAPER", "BLUE", "RED", "TEAL", "AMBER", "VIOLET", "OLIVE")
    return ";".join(f"--{name.lower()}:{getattr(style, name)}" for name in names)


def content(stage, quantities=None, every=None, most=MOST_VALUES, total=None, colour=None):
    """Header and arrays of a page; `colour`: a quantity that is not to be missing."""
    cast, record = Cast(stage), stage.recording
    count = stage.scene.particle_count
    frames = np.arange(0, len(record), every or max(1, math.ceil(len(record) * max(count, 1) / most)))
    chosen = list(dict.fromkeys([*_chosen(cast, quantities, len(frames) * count), *filter(None, [colour])]))
    header, arrays = {"title": str(record.info.get("scene", "")), "about": _about(record, frames, total)}, {}
    header["going"] = total is not None
    header |= {"time": record.time[frames].tolist(), "particles": count, "middle": cast.middle.tolist(), "radius": cast.radius,
               "bounds": cast.bounds.tolist(), "dot": cast.dot, "arrow": cast.arrow, "triad": [AXIS_COLOURS, AXES],
               "frames": frames.tolist()}
    header["maps"] = {"magnitude": style.MAGNITUDES, "signed": style.SIGNED}
    _add_places(cast, frames, header, arrays)
    _add_surfaces(cast, header, arrays)
    _add_small(cast, header, arrays)
    header["quantities"] = [_add_quantity(cast, name, frames, arrays) for name in chosen]
    header["layers"] = [_add_layer(cast, name, frames, arrays) for name, layer in LAYERS.items() if not layer.of_poses]
    header["layers"] = [layer for layer in header["layers"] if layer]
    header["ledger"] = _ledger(record, frames)
    header["sensors"] = _sensors(record, frames)
    header["steps"] = _add_steps(record, arrays)
    return header, {name: array if array.ndim == 2 else array.reshape(len(array), -1) for name, array in arrays.items()}


def _chosen(cast, quantities, values):
    if quantities is not None:
        for name in quantities:
            quantity(cast.stage, name)
        return list(dict.fromkeys(quantities))
    usual = USUAL_QUANTITIES if values <= MANY_VALUES else FEW_QUANTITIES
    bare = not cast.inside.all()   # of matter the tension of springs depends on the mesh
    return [name for name in usual if QUANTITIES[name].known(cast.stage) and (name != "tension" or bare)]


def _about(record, frames, total):
    """What stands below the title."""
    kept = "" if len(frames) == len(record) else f" of {len(record)}, every {frames[1] - frames[0]}th"
    ended = "" if record.status == next(iter(ENDS)) else f"; the run ended early: {record.status}"
    if total is not None:
        ended = f"; the run goes on, to {total} frames"
    sizes = ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in (
        (record.position.shape[1], "particle"), (record.rigid_position.shape[1], "rigid")))
    return f"{len(frames)} frames{kept}, {sizes}{ended}"


def _add_places(cast, frames, header, arrays):
    """Free particles frame by frame, poses of rigids, and what these carry."""
    record = cast.stage.recording
    free = np.flatnonzero(cast.carrier == -2)
    position = record.position[frames][:, free].reshape(len(frames), -1)
    low, high = (getattr(position, end)(axis=0).reshape(-1, 3) for end in ("min", "max"))
    grid = grid_of(low.min(axis=0, initial=np.inf), high.max(axis=0, initial=-np.inf)) if len(free) else Grid([0.0] * 3, 1.0)
    arrays["place"] = gridded(position.reshape(len(frames), -1, 3), grid).reshape(len(frames), -1)
    centre, turn = record.rigid_position[frames], steady(record.rigid_orientation[frames])
    ends = [getattr(centre, end)(axis=(0, 1)) for end in ("min", "max")] if centre.shape[1] else [np.zeros(3)] * 2
    arrays["centre"] = gridded(centre, own := grid_of(*ends)).reshape(len(frames), -1)
    arrays["turn"] = gridded(turn, of_turns := grid_of([-1.0], [1.0])).reshape(len(frames), -1)
    arrays["free"] = free.astype(np.int32)[:, None]
    carried = np.flatnonzero(cast.carrier >= -1)
    arrays["carried"] = np.stack([carried, cast.carrier[carried]], axis=1).astype(np.int32)
    local = cast.local[carried]
    arrays["local"] = gridded(local, within := grid_of(local.min(axis=0, initial=0.0), local.max(axis=0, initial=0.0)))
    header["grids"] = {"place": grid._asdict(), "centre": own._asdict(), "turn": of_turns._asdict(), "local": within._asdict()}
    header["vertices"] = len(cast.carrier)
    header["rigids"] = [rigid.name for rigid in cast.stage.scene.rigids]
    arrays["paths"] = cast.paths[:, None]


def steady(turns):
    """Quaternions whose signs do not jump from frame to frame."""
    same = np.einsum("frq,frq->fr", turns[1:], turns[:-1]) >= 0.0
    signs = np.cumprod(np.concatenate([np.ones((1, turns.shape[1])), np.where(same, 1.0, -1.0)]), axis=0)
    return turns * signs[..., None]


def _add_surfaces(cast, header, arrays):
    """Facets with smoothly shaded corners, who they belong to, and which particle tells their value."""
    first = cast.points(0)
    for kind, surfaces in (("skin", cast.surfaces), ("ground", cast.scenery)):
        facets = np.concatenate([np.empty((0, 3), int), *(one.facets for one in surfaces)])
        colours = np.concatenate([np.empty((0, 3)), *(one.colours for one in surfaces)])
        number, vertex = smooth_groups(facets, colours, first)
        tint = np.zeros((len(vertex), 3))
        tint[number.ravel()] = np.repeat(colours, 3, axis=0)
        arrays[f"{kind} facet"] = number.astype(np.int32)
        arrays[f"{kind} vertex"] = vertex.astype(np.int32)[:, None]
        arrays[f"{kind} colour"] = np.rint(255 * tint).astype(np.uint8)
        header[f"{kind} names"] = [[one.name, len(one.facets)] for one in surfaces]
    teller = np.full(len(cast.carrier), -1)
    teller[:cast.stage.scene.particle_count] = np.arange(cast.stage.scene.particle_count)
    for one in cast.surfaces:
        teller[np.unique(one.facets)] = one.values
    arrays["teller"] = teller.astype(np.int32)[:, None]
    low, high = cast.floor
    header["shadows"] = [{"point": plane.point.tolist(), "normal": plane.normal.tolist(), "low": low.tolist(),
                          "high": high.tolist(), "sun": list(SUN) if plane.normal[2] > 0.1 else (-plane.normal).tolist()}
                         for plane in cast.stage.planes if plane.rigid < 0 and plane.normal[2] > 0.1]
    header["shadow"] = SHADOW


def _add_small(cast, header, arrays):
    """Edges, springs, bars, dots and balls."""
    for name in ("edges", "strong", "bars"):
        arrays[name] = getattr(cast, name).astype(np.int32).reshape(-1, 2)
    own = ~cast.inside
    arrays["matter springs"], arrays["springs"] = (cast.springs[rows].astype(np.int32) for rows in (~own, own))
    header["spring names"] = [[block.name, len(block.first)] for block in cast.stage.scene.springs["linear"]]
    arrays["spring row"] = np.flatnonzero(own).astype(np.int32)[:, None]
    for name in ("dots", "held", "spheres"):
        arrays[name] = getattr(cast, name).astype(np.int32)[:, None]
    arrays["sphere size"] = np.column_stack([cast.sphere_radius, cast.sphere_colour]).astype(np.float32).reshape(-1, 4)
    header["sphere names"] = cast.sphere_names
    header["particle names"] = [[block.name, block.start, block.count] for block in cast.stage.scene.particle_blocks]


def _add_quantity(cast, name, frames, arrays):
    """What the page is told of a quantity; values of particles, and of springs that belong to no surface, where few."""
    known, stage = QUANTITIES[name], cast.stage
    values = np.array([known.values(stage, frame) for frame in frames]).reshape(len(frames), -1)
    low, high = colour_limits(name, values)
    told = {"name": name, "unit": known.unit, "meaning": known.meaning, "signed": known.signed, "low": low, "high": high}
    if name in DERIVED:
        return told
    arrays[f"value {name}"] = gridded(values[..., None], grid := _grid_of_values(values))[..., 0]
    told["grid"] = grid._asdict()
    own = np.flatnonzero(~cast.inside)
    if known.of_lines and 0 < len(own) <= OWN_LINES:
        lines = np.array([known.of_lines(stage, frame)[own] for frame in frames])
        arrays[f"line {name}"] = gridded(lines[..., None], grid := _grid_of_values(lines))[..., 0]
        low, high = colour_limits(name, np.concatenate([values.ravel(), lines.ravel()]))
        told |= {"line grid": grid._asdict(), "low": low, "high": high}
    return told


def _grid_of_values(values):
    known = values[np.isfinite(values)]
    return grid_of(*(([known.min()], [known.max()]) if len(known) else ([0.0], [0.0])), top=VALUE_TOP)


def _add_layer(cast, name, frames, arrays):
    layer = LAYERS[name]
    rows, start = segments_of(cast, name, frames)
    if not len(rows):
        return None
    arrays[f"layer {name}"], arrays[f"start {name}"] = rows.astype(np.float32), start.astype(np.int32)[:, None]
    told = {"name": name, "group": layer.group, "colour": layer.colour, "arrows": layer.arrows, "shown": layer.shown}
    if layer.titles:
        titles = [layer.titles(cast, frame) for frame in frames]
        known = {title: number for number, title in enumerate(dict.fromkeys(title for each in titles for title in each))}
        told["titles"] = list(known)
        arrays[f"title {name}"] = np.array([known[title] for each in titles for title in each], np.int32)[:, None]
    return told


def _ledger(record, frames):
    """Layers of energy, the line that they follow, and what is left unexplained, as plain numbers."""
    if not record.ledger:
        return None
    layers, supplied = graphs.ledger_layers(record)
    reference = float(np.max(record.ledger.get("reference_energy", 0.0), initial=0.0))
    return {"layers": [[name.replace("_", " ").replace(":", ": "), graphs.colour_of(name), _numbers(values[frames])]
                       for name, values in layers.items()],
            "supplied": _numbers(supplied[frames]), "reference": reference, "budget": record.info.get("budget"),
            "residual": _numbers(record.ledger.get("residual", 0.0 * record.time)[frames])}


def _add_steps(record, arrays):
    """What the page is told of the steps: of each of some spans of time the shortest and the longest, and what set them."""
    steps = record.steps
    if not len(steps.get("time", ())) or "causes" not in record.info:
        return None
    causes, of_step = curves.marked_causes(record)
    span = np.searchsorted(np.linspace(*steps["time"][[0, -1]], SPANS), steps["time"], side="right")
    order = np.lexsort((steps["dt"], span))
    first = np.flatnonzero(np.diff(span[order], prepend=-1))
    rows = np.unique(order[np.concatenate((first, first[1:] - 1, [len(order) - 1]))])
    told, size = steps["time"][rows][:, None], np.log10(steps["dt"][rows])[:, None]
    arrays["steps time"] = gridded(told, times := grid_of(told.min(axis=0), told.max(axis=0)))
    arrays["steps size"] = gridded(size, sizes := grid_of(size.min(axis=0), size.max(axis=0), top=VALUE_TOP))
    arrays["steps cause"] = np.minimum(of_step[rows], len(causes) - 1).astype(np.uint8)[:, None]
    return {"causes": [[cause.name, cause.colour, cause.share] for cause in causes], "time grid": times._asdict(),
            "size grid": sizes._asdict()}


def _sensors(record, frames):
    """Sensors as curves, up to a number."""
    units = {name: unit for name, _, unit, _ in record.info.get("sensors", [])}
    found = []
    for name, values in list(record.sensors.items())[:SHOWN_SENSORS]:
        values = np.asarray(values, float)[frames].reshape(len(frames), -1)
        found.append([name, units.get(name, ""), [_numbers(column) for column in values.T]])
    return found


def _numbers(values):
    """Six digits of each; None where a number is not finite."""
    return [float(f"{value:.6g}") if math.isfinite(value) else None for value in np.asarray(values).tolist()]
