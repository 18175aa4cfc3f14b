"""Acts by name: what `Scene.add_act` is given, checked by what the act declares of its fields."""
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from robotphi.scene.blocks import ParticleBlock, Rigid
from robotphi.scene.checks import frozen, indices, number, numbers, refuse, vectors, whole, word
from robotphi.scene.drive import Drive, as_drive
from robotphi.scene.objects import Placed
from robotphi.scene.poses import mark_rows

NO_END = -2**31       # an end that is left out


@dataclass(frozen=True, eq=False)
class PlacedAct:
    """An act of a scene.

    Attributes:
        name: of its entries in the ledger.
        kind: word of the table of acts.
        count: how many rows it has, such as particles that it pushes; one where it pushes a rigid.
        fields: name → checked values, `count` of them or one for all; drives as `Drive`.
    """
    name: str
    kind: str
    count: int
    fields: dict

    @property
    def drive(self):
        """Field → Drive, of those that are driven."""
        return {what: value for what, value in self.fields.items() if isinstance(value, Drive)}


def placed_act(scene, where, name, kind, given):
    """A checked PlacedAct; see `Scene.add_act`."""
    from robotphi.kernels.acts.fields import REQUIRED
    from robotphi.kernels.acts.table import OPEN

    known = declared(word(where, "act", kind, tuple(OPEN)))
    for what in given:
        word(where, "field", what, tuple(known))
    values = {what: given.get(what, field.default) for what, field in known.items()}
    for what, value in values.items():
        if value is REQUIRED or (value is None and known[what].default is REQUIRED):
            refuse(where, f"{what} is missing", f"give {what}={_wanted(known[what])}")
    fields = {what: _TARGETS[field.kind](scene, where, what, values[what])
              for what, field in known.items() if field.kind in _TARGETS}
    counts = {what: len(value) for what, value in fields.items() if len(value) != 1}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{what} {count}" for what, count in counts.items())
        refuse(where, f"its fields name different numbers of particles ({told})", "give one for all, or as many of each")
    count = max(counts.values(), default=1)
    fields |= {what: _VALUES[field.kind](scene, where, what, values[what], count, field)
               for what, field in known.items() if field.kind in _VALUES}
    return PlacedAct(name, kind, count, {what: fields[what] for what in known})


def changed_act(scene, where, placed, what, value, rows=None):
    """A PlacedAct with another value of one of its fields, or of some rows of it."""
    field = declared(placed.kind)[what]
    value = _VALUES[field.kind](scene, where, what, value, placed.count if rows is None else len(rows), field)
    if rows is not None:
        part, value = value, np.array(placed.fields[what])
        value[rows] = part
        frozen(value)
    return replace(placed, fields={**placed.fields, what: value})


def declared(kind):
    """Field → what an act of a kind declares of it."""
    from robotphi.kernels.acts.fields import MADE
    from robotphi.kernels.acts.table import OPEN

    return {what: field for what, field in OPEN[kind].rows.__annotations__.items() if field.kind not in MADE}


def _wanted(field):
    words = {"number": "a number", "vector": "three numbers", "particles": "particles", "rigid": "a rigid",
             "drive": "a Drive, number or function of time", "ends": "particles, marks as (thing, mark) or rigids",
             "choice": " or ".join(map(repr, field.words)), "whole": "a whole number",
             "freedom": "(joint, freedom) by their numbers", "touching": "a thing that touches"}
    return f"{words[field.kind]} [{field.unit}]" if field.unit else words[field.kind]


def _particles(scene, where, what, value):
    if isinstance(value, str):
        value = scene.find(value, where)
    if isinstance(value, ParticleBlock):
        value = value.indices
    return indices(where, what, value, scene.particle_count).reshape(-1)


def _rigid(scene, where, what, value):
    if value is None:
        return [-1]
    if isinstance(value, str):
        value = scene.find(value, where)
    if not isinstance(value, Rigid):
        refuse(where, f"{what} is {value!r:.60}", "give the handle that add_rigid returned, or its name")
    return [value.index]


class Ends(NamedTuple):
    """Ends that are known already: particles as rows, centres of rigids as −1 − their index."""
    rows: np.ndarray


def ends_of(scene, where, what, value):
    """The rows of `Ends` that a value means."""
    if isinstance(value, Ends):
        return value.rows
    if value is None:
        refuse(where, f"{what} is None", "give particles, marks as (thing, mark) or rigids")
    if _is_mark(scene, value):
        thing = scene.objects.get(value[0], scene.find(value[0], where)) if isinstance(value[0], str) else value[0]
        return mark_rows(scene, where, thing, value[1])[:1]
    if isinstance(value, str):
        value = scene.objects[value] if value in scene.objects else scene.find(value, where)
    if isinstance(value, Rigid):
        return np.array([-1 - value.index], np.int32)
    if isinstance(value, ParticleBlock):
        return value.indices
    if isinstance(value, Placed):
        refuse(where, f"{what} is the object {value.name!r}", f"give one of its marks, (object, mark), or its particles: "
                                                              f"{value.name}.particles")
    if isinstance(value, (tuple, list)) and len(value):
        return np.concatenate([ends_of(scene, where, what, one) for one in value])
    return np.atleast_1d(indices(where, what, value, scene.particle_count)).reshape(-1).astype(np.int32)


def end_places(scene, rows):
    """(n, 3) m, where ends stand as drawn."""
    return np.array([scene.position[end] if end >= 0 else scene.rigids[-1 - end].centre for end in np.asarray(rows).tolist()])


def check_once(scene, where, rows):
    """Ends that are pushed each by itself, none of them twice."""
    again = np.sort(rows)
    again = again[:-1][again[1:] == again[:-1]]
    if len(again):
        end = int(again[0])
        name = f"rigid {scene.rigids[-1 - end].name!r}" if end < 0 else f"particle {scene.particle_name(end)}"
        refuse(where, f"{name} is pushed twice", "name each target once")
    return rows


def check_apart(scene, where, what, ends, others):
    """Refuse a force between ends of one body, which does nothing."""
    bodies = [[-1 - end if end < 0 else scene.rigid_of_particle[end] if scene.rigid_of_particle[end] >= 0 else ~end
               for end in np.asarray(rows).tolist()] for rows in (ends, others)]
    pairs = np.broadcast_arrays(*bodies) if 1 in map(len, bodies) or len(bodies[0]) == len(bodies[1]) else ()
    same = np.flatnonzero(np.equal(*pairs)) if len(pairs) else np.empty(0)
    if len(same):
        body = int(pairs[0][same[0]])
        name = f"rigid {scene.rigids[body].name!r}" if body >= 0 else f"particle {~body}"
        refuse(where, f"{what} is on {name}, as is what is pulled: a force of a thing on itself does nothing",
               "give an end of another thing")


def _ends(scene, where, what, value):
    """The same of a field, which may be left out."""
    return np.array([NO_END], np.int32) if value is None else ends_of(scene, where, what, value)


def _is_mark(scene, value):
    """Whether a value is (thing, name of a mark)."""
    return (isinstance(value, (tuple, list)) and len(value) == 2 and isinstance(value[1], str)
            and (isinstance(value[0], (Rigid, Placed)) or (isinstance(value[0], str) and value[1] not in scene.things)))


def _number(scene, where, what, value, count, field):
    if field.single:
        return number(where, what, value, low=field.low, above=field.above)
    return numbers(where, what, value, count, low=field.low, above=field.above)


def _vector(scene, where, what, value, count, field):
    return vectors(where, what, value, count)


def _drive(scene, where, what, value, count, field):
    return None if value is None and field.default is None else as_drive(where, what, value, scene.duration)


def _choice(scene, where, what, value, count, field):
    return word(where, what, value, field.words)


def _touching(scene, where, what, value):
    if value is None:
        return [-1]
    return [list(scene.touching).index(word(where, "thing that touches", getattr(value, "name", value), tuple(scene.touching)))]


def _whole(scene, where, what, value, count, field):
    return whole(where, what, value)


def _freedom(scene, where, what, value, count, field):
    return (-1, -1) if value is None else tuple(value)   # by the door of gates alone


_TARGETS = {"touching": _touching, "particles": _particles, "ends": _ends, "rigid": _rigid}
_VALUES = {"whole": _whole, "number": _number, "vector": _vector, "drive": _drive, "choice": _choice, "freedom": _freedom}
