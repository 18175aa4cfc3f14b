"""Things that are too deep in each other: at the start of a run, and during it, where a surface was too soft to hold.

A pair of reduced mass μ that stores E in its contact comes apart at √(2 E/μ). Where that is more than all else in the scene
moves at, it did not settle like that: it was put there. A hit of ½ μ v² is held within a depth x where F = k xᵖ, k ∝ λ, takes
it up: k xᵖ⁺¹/(p + 1) = ½ μ v², and a load F where k xᵖ = F.
"""
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from robotphi.errors import SceneError
from robotphi.geometry.inside import surrounds
from robotphi.geometry.mass_properties import solid_properties
from robotphi.kernels.contact import columns, kinds
from robotphi.record.bodies import Body
from robotphi.run.advice.steps import Expected, pair_law, rounded_up

LISTED = 5        # of each kind of warning
SETTLED = 0.01    # of the thickness: what things sink in by under loads is not looked at
DEEP = 0.5        # of the thickness: beyond its middle, where either side may be the way out
WRONG = 0.1       # of the thickness: nobody presses solid things that far on purpose, where …
THROWN = 10.0     # … they come apart so many times faster than all else, and …
FAR = 100.0       # … fly so many times the size of the scene
NEARLY = 0.9      # of the thickness, as a mean over the area that meets
LOOKED = 0.3      # of the thickness: shallower contacts are not looked at


class Overlap(NamedTuple):
    """Two parts in each other."""
    first: int
    second: int
    depth: float        # m
    thin: int           # the thinner one
    thickness: float    # m
    direction: np.ndarray
    energy: float       # J
    speed: float        # m/s at which it would come apart


def starting_overlaps(model, rows):
    """One sentence for each two things that start too deep in each other; `rows`: contacts of the first frame.

    What would be thrown out of the scene is refused.
    """
    expected = Expected(model)
    worst = {}
    owner = model.arrays.contact.parts.owner
    for row in range(len(rows["first"])):
        found = _overlap(model, rows, row)
        if found is None or not (found.depth > DEEP * found.thickness
                                 or (found.depth > SETTLED * found.thickness and found.speed > expected.any_speed)):
            continue
        pair = owner[found.first], owner[found.second]
        if pair not in worst or found.speed > worst[pair].speed:
            worst[pair] = found
    found = sorted(worst.values(), key=lambda one: -one.speed)
    told = [_start_sentence(model, one, expected.any_speed) for one in found]
    size = float(np.linalg.norm(np.ptp(model.position, axis=0))) if len(model.position) else 0.0
    for one, text in zip(found, told, strict=True):
        if (one.depth > WRONG * one.thickness and one.speed > THROWN * expected.any_speed
                and one.speed * expected.duration > FAR * size):
            raise SceneError(f"scene {model.scene.name!r}: {text}")
    more = [f"{len(told) - LISTED} more pairs overlap at the start likewise"] if len(told) > LISTED else []
    return told[:LISTED] + more + _lost_balls(model, rows)


def _lost_balls(model, rows):
    """One sentence for each soft thing that has balls wholly within it, where no surface pushes them out."""
    contact = model.arrays.contact
    parts, count = contact.parts, len(contact.parts.kind)
    balls = np.flatnonzero(parts.kind == kinds.SPHERE)
    centre = model.position[parts.vertex[parts.vertex_start[balls]]]
    met = np.minimum(rows["first"], rows["second"]).astype(np.int64) * count + np.maximum(rows["first"], rows["second"])
    told = {}
    for soft in np.flatnonzero((parts.kind == kinds.POLYHEDRON) & (parts.rigid < 0)):
        corners = model.position[parts.vertex[parts.vertex_start[soft]:parts.vertex_start[soft + 1]]]
        near = np.all((centre > corners.min(axis=0)) & (centre < corners.max(axis=0)), axis=1)
        keys = np.minimum(balls, soft).astype(np.int64) * count + np.maximum(balls, soft)
        near &= ~np.isin(keys, contact.excluded) & ~np.isin(keys, met)
        facets = parts.facet[parts.facet_start[soft]:parts.facet_start[soft + 1]]
        for ball, place in zip(balls[near], centre[near], strict=True):
            if surrounds(model.position, facets, place[None])[0]:
                told.setdefault(soft, []).append(model.part_names[ball])
    return [_lost_sentence(model.part_names[soft], names) for soft, names in list(told.items())[:LISTED]]


def _lost_sentence(soft, names):
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return (f"{', '.join(map(repr, names[:LISTED]))}{more} start wholly within {soft!r}: a soft body holds balls by its "
            "surface, which they do not reach there; move them out, or exclude_contact what is not to touch")


def _overlap(model, rows, row):
    parts = model.arrays.contact.parts
    first, second = int(rows["first"][row]), int(rows["second"][row])
    thin = min(first, second, key=lambda part: parts.size[part, columns.HALF_THICKNESS])
    thickness = 2.0 * float(parts.size[thin, columns.HALF_THICKNESS])
    if first == second or not np.isfinite(thickness):
        return None
    energy = float(rows["energy"][row])
    reduced = 1.0 / np.sum(1.0 / parts.size[[first, second], columns.MASS]) if _moves(parts, first, second) else np.inf
    depth = float(rows["depth"][row])
    if depth > NEARLY * thickness and parts.kind[second] in kinds.GROUNDS and rows["pressed"][row] > 0.0:
        depth = max(depth, energy / float(rows["pressed"][row]) + 0.5 * thickness)  # U/F is how deep its middle is
    return Overlap(first, second, depth, thin, thickness, rows["direction"][row], energy,
                   float(np.sqrt(2.0 * energy / reduced)))


def _moves(parts, first, second):
    return np.isfinite(parts.size[[first, second], columns.MASS]).any()


def _start_sentence(model, one, speed):
    names = model.part_names
    contact = model.arrays.contact
    along = ", ".join(f"{x:.2g}" for x in one.direction)
    line = (f"{names[one.first]!r} and {names[one.second]!r} overlap at the start by {one.depth:.3g} m, "
            f"{one.depth / one.thickness:.0%} of the thickness of {names[one.thin]!r}: their contact holds {one.energy:.3g} J "
            f"and would throw them apart at {one.speed:.3g} m/s; move the first by at least that along ({along})")
    owners = [model.owner_names[contact.parts.owner[part]] for part in (one.first, one.second)]
    if owners[0] != owners[1]:
        line += f", or exclude_contact({owners[0]!r}, {owners[1]!r}) if they are not to touch"
    if one.speed > speed > 0.0:
        law = pair_law(model, one.first, one.second)
        line += f", or give the pair a {law.word} of {law.stiffness * (speed / one.speed) ** 2:.1g} {law.unit} or less"
    return line


# During a run --------------------------------------------------------------------------------------------------------

def passed_through(model, recording):
    """One sentence for each two things of which one went through the other, or deeper than it is thick, in some frame."""
    table = recording.rows.get("contacts")
    parts = model.arrays.contact.parts
    if table is None or not len(table["first"]):
        return []
    halves = np.minimum(*(parts.size[table[side], columns.HALF_THICKNESS] for side in ("first", "second")))
    frame = np.repeat(np.arange(len(recording)), np.diff(table["start"]))
    told, known, volume = [], set(), lru_cache(maxsize=None)(partial(_volume, model))
    for row in np.flatnonzero((table["depth"] > 2.0 * LOOKED * halves) & (table["first"] != table["second"])):
        first, second = int(table["first"][row]), int(table["second"][row])
        pair = int(parts.owner[first]), int(parts.owner[second])
        if pair not in known and _share(parts, table, row, volume) >= 1.0:
            known.add(pair)
            told.append(_passed_sentence(model, recording, int(frame[row]), table, row))
    return told[:LISTED] + ([f"{len(told) - LISTED} more pairs went through each other"] if len(told) > LISTED else [])


def _share(parts, table, row, volume):
    """How deep a pair is, over the thickness of the thinner one; at least 1 where one is through or wholly inside.

    The depth of faces is a mean over the area that meets: of a body that is wholly inside its volume over that area, which for
    a body that narrows is less than its thickness. `volume` gives that of a part [m³].
    """
    pair = [int(table[side][row]) for side in ("first", "second")]
    depth, area = table["depth"][row], table["area"][row]
    limits = [2.0 * parts.size[part, columns.HALF_THICKNESS] for part in pair]
    limits += [volume(part) / area for part in pair if parts.kind[part] == kinds.POLYHEDRON and area > 0.0]
    return float(depth / (NEARLY * min(limits)))


def _volume(model, part):
    """Volume of a polyhedron as the scene describes it [m³]."""
    parts = model.arrays.contact.parts
    facets = parts.facet[parts.facet_start[part]:parts.facet_start[part + 1]]
    return abs(solid_properties(model.position, facets).volume)


def _passed_sentence(model, recording, frame, table, row):
    parts, names = model.arrays.contact.parts, model.part_names
    first, second = int(table["first"][row]), int(table["second"][row])
    thin = min(first, second, key=lambda part: parts.size[part, columns.HALF_THICKNESS])
    half = float(parts.size[thin, columns.HALF_THICKNESS])
    stiffness, law = _holding(model, recording, frame, table, row, half)
    return (f"{names[first]!r} and {names[second]!r} are {float(table['depth'][row]):.3g} m deep in each other at "
            f"t = {recording.time[frame]:.6g} s, through {names[thin]!r}, which is {2.0 * half:.3g} m thick: their contact is "
            f"too soft; a {law.word} of the pair of {stiffness:.1g} {law.unit} instead of {law.stiffness:.2g} would hold it "
            "within half of that")


def _holding(model, recording, frame, table, row, depth):
    """The stiffness with which the pair would have been held within a depth: its hit and its largest load."""
    first, second = int(table["first"][row]), int(table["second"][row])
    pair = (table["first"] == first) & (table["second"] == second)
    frames = np.repeat(np.arange(len(recording)), np.diff(table["start"]))
    start = frame
    while start > 0 and np.any(frames[pair] == start - 1):
        start -= 1
    own = [np.arange(len(model.part_names)) == part for part in (first, second)]
    bodies = [Body(model, one) for one in own]
    n = table["direction"][row]
    speed = float(np.subtract(*(body.motion(recording)[1][max(start - 1, 0)] for body in bodies)) @ n)
    reduced = 1.0 / sum(1.0 / body.mass for body in bodies) if any(np.isfinite(body.mass) for body in bodies) else 0.0
    during = pair & (frames >= start) & (frames <= frame)
    load = float(np.linalg.norm(table["normal"][during], axis=1).max())
    energy = max(0.5 * reduced * min(speed, 0.0) ** 2, float(table["energy"][during].max()))
    law = pair_law(model, first, second, float(table["area"][during].max()))
    most = law.factor * depth ** law.power
    scale = max(energy * (law.power + 1.0) / (most * depth), load / most, 2.0)
    return rounded_up(law.stiffness * scale), law
