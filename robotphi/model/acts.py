"""Acts of a scene into the arrays of the kernels: virtual forces, the medium, and the rows of all that `add_act` took."""
import numpy as np

from robotphi.errors import SceneError
from robotphi.kernels.acts.ends import NO_END
from robotphi.kernels.acts.forces import ON_PARTICLE, ON_RIGID, TORQUE
from robotphi.kernels.acts.table import ACTS, OPEN, Acts
from robotphi.kernels.step.entries import FIXED_ENTRIES, OF_ACT
from robotphi.model import arrays as m
from robotphi.model.medium import NO_MEDIUM, medium_arrays

FORCE_KINDS = {"particle": ON_PARTICLE, "rigid": ON_RIGID, "torque": TORQUE}
REALS = ("number", "vector")   # kinds of fields that are no whole numbers


def act_arrays(scene, drives, freedoms):
    """`Acts` of a scene; `drives` is its `DriveList`, `freedoms` {(joint, freedom) by their numbers: row of its coordinate}."""
    own = {"forces": lambda: _forces(scene, drives), "medium": lambda: medium_arrays(scene, drives.number)}
    made = NO_ACTS
    for act in ACTS:
        rows = own[act.name]() if act.rows is None else _rows(act, scene, drives, freedoms, states_of(made))
        made = made._replace(**{act.name: rows})
    return made


def act_books(scene):
    """(name, what it books) of each act of a name, in the order of their entries."""
    return tuple((placed.name, OPEN[placed.kind].books) for placed in scene.acts)


def pushed(arrays):
    """(particles, rigids) on which virtual forces, the medium or other acts push."""
    forces = arrays.acts.forces
    on_rigid = forces.kind != ON_PARTICLE
    particles, rigids = [arrays.acts.medium.facet.ravel(), forces.target[~on_rigid]], [forces.target[on_rigid]]
    for act, rows in zip(ACTS, arrays.acts, strict=True):
        for name, field in act.rows.__annotations__.items() if act.rows else ():
            column = getattr(rows, name)
            if field.kind == "rigid":
                rigids.append(column[column >= 0])
            elif field.kind in ("particles", "ends") and not field.looked_at:
                particles.append(column[column >= 0])
                rigids.append(-1 - column[(column < 0) & (column != NO_END)])
    return np.concatenate(particles), np.concatenate(rigids)


def states_of(acts):
    """How many rows of states there are."""
    return 1 + max(int(getattr(rows, name).max(initial=-1)) for rows, name, _ in _states(acts))


def open_at_start(acts):
    """Rows of states that start at 1."""
    found = [np.empty(0, np.int32)]
    for rows, name, field in _states(acts):
        needs, *starts = field.words
        words = type(rows).__annotations__[needs].words
        found.append(getattr(rows, name)[np.isin(getattr(rows, needs), [words.index(word) for word in starts])])
    return np.concatenate(found)


def _states(acts):
    """(rows, name, field) of all fields that are states."""
    return [(rows, name, field) for act, rows in zip(ACTS, acts, strict=True) if act.rows
            for name, field in act.rows.__annotations__.items() if field.kind == "state"]


def _forces(scene, drives):
    counts = force_rows(scene)
    return m.Forces(
        np.repeat(np.array([FORCE_KINDS[force.kind] for force in scene.forces], np.int32), counts),
        np.concatenate([np.empty(0, np.int32), *(np.atleast_1d(force.target) for force in scene.forces)]).astype(np.int32),
        force_vectors(scene),
        np.repeat(np.array([drives.number[force.drive or drives.one] for force in scene.forces], np.int32), counts))


def force_rows(scene):
    """How many rows each virtual force has: one for each particle."""
    return np.array([np.size(force.target) for force in scene.forces], int)


def force_vectors(scene):
    """(rows, 3) N or N·m."""
    return np.concatenate([np.empty((0, 3)), *(np.atleast_2d(force.vector) for force in scene.forces)]).astype(float)


def _rows(act, scene, drives, freedoms, states_before):
    """The rows of all acts of one kind, in the order they were added."""
    first = FIXED_ENTRIES + len(drives.work_names)
    columns = {name: [nothing] for name, nothing in _no_rows(act)._asdict().items()}
    states = states_before
    for number, placed in enumerate(scene.acts):
        if placed.kind == act.name:
            for name, field in act.rows.__annotations__.items():
                if field.kind == "state":
                    value, count = -1, 1 if field.single else placed.count
                    if _remembers(act, placed, field.words[0]):
                        value, states = states + np.arange(count), states + count
                else:
                    value = {"entry": first + len(OF_ACT) * number, "count": placed.count}.get(field.kind)
                    value = placed.fields[name] if value is None else value
                if field.kind == "drive":
                    value = -1 if value is None else drives.number[value]
                elif field.kind == "choice":
                    value = field.words.index(value)
                elif field.kind == "freedom":
                    value = _freedom(placed, value, freedoms)
                shape = (placed.count, 3) if field.kind == "vector" else (placed.count,)
                columns[name].append(np.broadcast_to(np.asarray(value, _dtype(field)), shape))
    return act.rows(*(np.concatenate(parts) for parts in columns.values()))


def _freedom(placed, told, freedoms):
    """The row of a coordinate that a gate looks at; −1 where it looks at none. Kernels trust it to be there."""
    if told not in freedoms and placed.fields["seen"] in ("coordinate", "rate"):
        raise SceneError(f"act {placed.name!r} is switched by the {placed.fields['seen']} of joint {told[0]}, freedom "
                         f"{told[1]}, which is no coordinate: that joint holds a loop, or is none; look at another one")
    return freedoms.get(told, -1)


def _remembers(act, placed, needs):
    """Whether an act of a scene has a state, by the field that says so."""
    value, words = placed.fields[needs], act.rows.__annotations__[needs].words
    return value != words[0] if words else bool(np.any(value))


def _dtype(field):
    return np.float64 if field.kind in REALS else np.int32


def _no_rows(act):
    return act.rows(*(np.empty((0, 3) if field.kind == "vector" else 0, _dtype(field))
                      for field in act.rows.__annotations__.values()))


NO_FORCES = m.Forces(np.empty(0, np.int32), np.empty(0, np.int32), np.empty((0, 3)), np.empty(0, np.int32))
NO_ACTS = Acts(*(_no_rows(act) if act.rows else {"forces": NO_FORCES, "medium": NO_MEDIUM}[act.name] for act in ACTS))
