"""Contacts of a recording as people read them: tables of one frame, forces between two things over time, a summary.

A contact is one of two parts; its direction n points from the second part to the first, all forces are those on the first, and
the second has the opposite. A thing (an object, ball, plane, …) may have several parts.

A part that touches itself has one row, with itself as second part. What it does to itself adds up to nothing and has no one
place: `normal` is zero to rounding, `point` and `direction` are NaN, the facets −1. `places` tells at how many places it
touches, `pressed` how hard in all, `depth` how deep on average.
"""
from typing import NamedTuple

import numpy as np

from robotphi.errors import RecordingError
from robotphi.kernels.contact.rows import CONTACTS, VERTICES
from robotphi.record.choice import check_kept


class Contacts(NamedTuple):
    """The contacts of one frame, `c` rows; SI."""
    first: np.ndarray             # (c,) names of the first parts
    second: np.ndarray            # (c,) names of the second parts
    first_owner: np.ndarray       # (c,) names of the things they belong to
    second_owner: np.ndarray
    point: np.ndarray             # (c, 3) m, where the pressure acts; NaN for a part on itself
    direction: np.ndarray         # (c, 3) unit vector from the second part to the first
    depth: np.ndarray             # (c,) m: of balls the largest, of faces the mean over the area
    normal: np.ndarray            # (c, 3) N, pressure on the first part, its damping included
    friction: np.ndarray          # (c, 3) N, on the first part
    twist: np.ndarray             # (c,) N·m, moment of friction on the first part about the direction
    area: np.ndarray              # (c,) m², pressed area across the direction
    energy: np.ndarray            # (c,) J, stored in the pressure
    places: np.ndarray            # (c,) points at which pressure was summed: of sheets vertices that press, of round things 1
    pressed: np.ndarray           # (c,) N, sizes of the pressure of all places added up, damping left out
    sticks: np.ndarray            # (c,) whether nothing slips
    first_facet: np.ndarray       # (c,) facet of the first part nearest to the point, −1 for round parts and planes
    second_facet: np.ndarray      # (c,) likewise; of a height field 2 (i (nv − 1) + j), plus 1 on the side of larger y


class ContactVertices(NamedTuple):
    """The vertices of soft parts that rub on something in one frame, `v` rows; SI."""
    part: np.ndarray              # (v,) name of the part
    other: np.ndarray             # (v,) name of the part that it touches
    particle: np.ndarray          # (v,) particle of the scene
    normal: np.ndarray            # (v,) N, its share of the normal force
    friction: np.ndarray          # (v, 3) N on it
    sticks: np.ndarray            # (v,) whether it sticks
    facet: np.ndarray             # (v,) facet of the other part on which it rubs, −1 where that part is rigid


def packed_names(part_names, owner, owner_names):
    """Names of all parts as plain JSON: per owner its name and the number of its parts, or their names where irregular."""
    found = []
    parts = np.split(np.asarray(part_names, object), np.searchsorted(owner, np.arange(1, len(owner_names))))
    for name, own in zip(owner_names, parts, strict=True):
        own = list(own)
        found.append([name, len(own) if own == _usual_names(name, len(own)) else own])
    return found


def _usual_names(name, count):
    return [name] if count == 1 else [f"{name}:{i}" for i in range(count)]


class Names:
    """Names of parts and of the things they belong to."""

    def __init__(self, recording):
        packed = recording.info.get("touching", [])
        parts = [_usual_names(name, own) if isinstance(own, int) else own for name, own in packed]
        self.owners = np.array([name for name, _ in packed], str)
        self.parts = np.array([name for own in parts for name in own], str)
        self.owner = np.repeat(np.arange(len(packed)), [len(own) for own in parts])

    def find(self, name):
        """Bool per part: whether it is, or belongs to, what a name says."""
        if name in self.owners:
            return self.owner == np.flatnonzero(self.owners == name)[0]
        if name in self.parts:
            return self.parts == name
        known = ", ".join(repr(str(each)) for each in self.owners[:12]) or "nothing"
        more = ", …" if len(self.owners) > 12 else ""
        raise RecordingError(f"{name!r} is nothing that can touch in this recording; what can: {known}{more}, "
                             "or one of their parts")


def _frame_columns(recording, table, columns, frame):
    """Column → rows of a frame; empty where nothing can touch."""
    if table in recording.rows:
        return recording.frame_rows(table, frame)
    check_kept(recording, "contacts")
    recording.frame_index(frame)
    return {name: np.empty((0, *shape), dtype) for name, (shape, dtype) in columns.items()}


def contacts(recording, frame):
    """See `Recording.contacts`."""
    rows, names = _frame_columns(recording, "contacts", CONTACTS, frame), Names(recording)
    first, second = rows.pop("first"), rows.pop("second")
    return Contacts(first=names.parts[first], second=names.parts[second], first_owner=names.owners[names.owner[first]],
                    second_owner=names.owners[names.owner[second]], **rows)


def contact_vertices(recording, frame):
    """See `Recording.contact_vertices`."""
    rows, names = _frame_columns(recording, "contact_vertices", VERTICES, frame), Names(recording)
    part, other = rows.pop("part"), rows.pop("other")
    return ContactVertices(part=names.parts[part], other=names.parts[other], **rows)


def force_between(recording, first, second):
    """Force of contact on `first` by `second`, by everything where that is None [N], (f, 3)."""
    on, by = parts_of(Names(recording), first, second)
    if "contacts" not in recording.rows:
        check_kept(recording, "contacts")
        return np.zeros((len(recording), 3))
    table = recording.rows["contacts"]
    signs = contact_signs(table["first"], table["second"], on, by)
    return frame_sums(signs[:, None] * (table["normal"] + table["friction"]), table["start"])


def parts_of(names, first, second):
    """Two bools per part: what belongs to the first name, and to the second; to all others where that is None."""
    on = names.find(first)
    by = ~on if second is None else names.find(second)
    if np.any(on & by):
        raise RecordingError(f"{first!r} and {second!r} have a part in common; give two things, or two parts that differ")
    return on, by


def contact_signs(first, second, on, by):
    """+1 for contacts whose force on the first part is one on `on` by `by` (bools per part), −1 the other way round, else 0."""
    return (on[first] & by[second]).astype(float) - (by[first] & on[second])


def frame_sums(rows, start):
    """Sums of the rows of each frame, in their order."""
    total = np.zeros((len(start) - 1, *rows.shape[1:]))
    np.add.at(total, np.repeat(np.arange(len(start) - 1), np.diff(start)), rows)
    return total


def contact_summary(recording):
    """What touched during a run: one dict per pair of things, the largest force first."""
    table, names = recording.rows.get("contacts"), Names(recording)
    if table is None or not len(table["first"]):
        return []
    frame = np.repeat(np.arange(len(recording)), np.diff(table["start"]))
    pairs = np.stack([names.owner[table["first"]], names.owner[table["second"]]], axis=1)
    kinds, of_row = np.unique(pairs, axis=0, return_inverse=True)
    of_row = of_row.reshape(-1)
    found = []
    for kind, pair in enumerate(kinds):
        own = of_row == kind
        normal = np.linalg.norm(table["normal"][own], axis=1)
        top = int(np.argmax(normal))
        found.append({"first": str(names.owners[pair[0]]), "second": str(names.owners[pair[1]]),
                      "frames": len(np.unique(frame[own])), "largest_normal_force": float(normal[top]),
                      "at": float(recording.time[frame[own][top]]), "deepest": float(table["depth"][own].max()),
                      "slips": bool(not table["sticks"][own].all())})
    return sorted(found, key=lambda pair: -pair["largest_normal_force"])
