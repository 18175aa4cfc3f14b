"""Assembly: several objects in, one object out (RR-3072, section 2.3.4).

Objects come as {name: Object}, and what they contain keeps its name behind that of its part: the springs "linear" of the
part "pad" become "pad.linear", its region "top" becomes "pad.top", and "pad" is the region of all its particles. Facets stay as
they are: the polyhedron of each part is closed, also where parts touch. Springs whose particles all come to lie in one rigid
part are left out, since nothing can move there. Mass, centre and inertia of the whole are the sums of the parts': a rigid part
takes in the mass of the particles that it shares. Particles touch that are no further apart than `tolerance` [m], 1e-9 of the
size of all where left out.
"""
from dataclasses import replace

import numpy as np

from robotphi.discretise.joining.assembled import (
    SideBySide,
    is_rigid,
    movable,
    renumbered,
    side_by_side,
    taken_by,
    taking,
)
from robotphi.discretise.joining.picking import chosen, near_enough
from robotphi.discretise.joining.touching import (
    distance_within,
    groups_of,
    nearest_rows,
    overlapping,
    surface_gap,
    touching_pairs,
)
from robotphi.discretise.masses.spread import within_rigid
from robotphi.scene.checks import first_true, frozen, number, numbers, refuse
from robotphi.scene.object_parts import RigidPart, SpringGroup, combined
from robotphi.scene.objects import Object
from robotphi.scene.saying import made

STRAIGHT = 1e-6  # width over length of touching particles that count as lying on one line


@made
def join(objects):
    """The objects side by side, not tied to each other, as one Object."""
    return side_by_side("join", objects, 1).thing


@made
def merge(objects, tolerance=None):
    """Join objects by making touching particles one, with the mass and the springs of both; region "merged".

    At most one of the particles in a place may belong to a rigid part, which then takes in the mass of the others. Particles
    that are apart meet in the rigid one's place, or in their centre of mass. Every object must touch another.
    """
    parts = side_by_side("merge", objects, 2)
    thing = parts.thing
    pairs = _touching("merge", parts, tolerance)
    for i, name in enumerate(parts.names):
        if not any(i in pair for pair in pairs):
            rest = np.concatenate([place for j, place in enumerate(parts.places) if j != i])
            gap = nearest_rows(parts.places[i], rest)[0].min()
            refuse("merge", f"part {name!r} touches no other: the nearest particle is {gap:.6g} m away",
                   "give a larger tolerance, move it there, or use connect(...) for parts that are apart")
    lowest = _groups("merge", parts, pairs)
    position = _meeting_places(parts, lowest)
    loose = np.where(thing.rigid_of_particle < 0, thing.mass, 0.0)

    def rigids(new, places):
        gave = np.bincount(new, loose)
        for part in thing.rigids:
            rows = new[part.particles]
            yield taking(replace(part, particles=rows), gave[rows], places, taken_by(part))

    return renumbered(thing, lowest, position, rigids, "merged")


@made
def connect(thing, name, first, second, stiffness, viscosity=0.0, within=None):
    """Join parts by linear springs, at rest as they are: rigid parts, or parts that are apart.

    Args:
        thing: {name: Object}, or an Object such as `join` gives.
        name: of the new springs.
        first, second: particles of the whole: names of regions such as "pad.top" or "pad", or indices.
        stiffness, viscosity: [N/m] and [N·s/m], one or one per spring.
        within: distance [m]: each of `first` is joined to the nearest of `second`, where that is as near; where left out they
            are joined one by one, in their order.
    """
    thing = thing if isinstance(thing, Object) else join(thing)
    if not isinstance(name, str) or not name or name in thing.springs:
        refuse("connect", f"name is {name!r}", f"give the springs a new name; there are {', '.join(thing.springs) or 'none'}")
    first, second = chosen(thing, first), chosen(thing, second)
    if within is not None:
        distance, rows = nearest_rows(thing.position[first], thing.position[second])
        if not (distance <= number("connect", "within", within, above=0.0)).any():
            refuse("connect", f"no particle of second is within {within:g} m of first",
                   f"the smallest gap is {distance.min():.6g} m")
        first, second = first[distance <= within], second[rows[distance <= within]]
    elif len(first) != len(second):
        refuse("connect", f"first holds {len(first)} particles and second {len(second)}",
               "give as many of each, or within=… to join each to the nearest")
    pairs = np.stack([first, second], axis=1).astype(np.int32)
    _check_apart(thing, pairs)
    stiffness, viscosity = (numbers("connect", what, value, len(pairs), low=0.0)
                            for what, value in (("stiffness", stiffness), ("viscosity", viscosity)))
    if (bad := first_true((stiffness == 0.0) & (viscosity == 0.0))) is not None:
        refuse("connect", "stiffness and viscosity are both zero", "give one of them", bad)
    return replace(thing, springs={**thing.springs, name: SpringGroup("linear", frozen(pairs), stiffness, viscosity)})


@made
def unify(objects, tolerance=None, name="body"):
    """Make rigid objects one rigid part, called `name`; touching particles become one: region "merged".

    Each shares three particles or more, not on one line, with another, and all hang together in this way.
    """
    parts = side_by_side("unify", objects, 2)
    for label, each in objects.items():
        if not is_rigid(each):
            refuse("unify", f"part {label!r} is not one rigid part: {each!r:.80}", "merge(...) or glue(...) deformable parts")
    pairs = _touching("unify", parts, tolerance)
    lowest = _groups("unify", parts, pairs)
    _check_shared(parts, pairs)
    mass, centre, inertia = combined([(part.mass, part.centre, part.inertia) for part in parts.thing.rigids])
    taken = np.zeros(len(lowest))
    for part in parts.thing.rigids:
        taken[part.particles] = taken_by(part)

    def one(new, places):
        total = np.bincount(new, taken)
        return [RigidPart(name, np.arange(len(total)), mass, centre, inertia, total if taken.any() else None)]

    return renumbered(parts.thing, lowest, parts.thing.position, one, "merged")


@made
def glue(objects, tolerance=None):
    """Let particles of deformable objects that lie on the facets of rigid ones belong to these; region "glued".

    Objects that are all rigid are glued to, the others are glued; they need not be divided alike. A rigid part takes its glued
    particles along exactly.
    """
    parts = side_by_side("glue", objects, 2)
    thing, owner = parts.thing, parts.thing.rigid_of_particle
    rigid = [i for i, each in enumerate(objects.values()) if is_rigid(each) and len(each.facets)]
    soft = [i for i, each in enumerate(objects.values()) if (each.rigid_of_particle < 0).any()]
    if not rigid or not soft:
        refuse("glue", f"there are {len(rigid)} rigid parts with facets and {len(soft)} deformable ones",
               "merge(...) deformable parts, unify(...) rigid ones")
    tolerance = _tolerance("glue", parts, tolerance)
    free = np.flatnonzero(owner < 0)
    glued = _on_surfaces(parts, list(objects.values()), rigid, free, tolerance)
    for i in soft:
        mine = free[(free >= parts.starts[i]) & (free < parts.starts[i + 1])]
        if (glued[mine] >= 0).all():
            refuse("glue", f"all {len(mine)} particles of part {parts.names[i]!r} lie on rigid parts within {tolerance:.3g} m",
                   "give a smaller tolerance or divide it more finely: nothing of it is left to deform")
        if not (glued[mine] >= 0).any():
            gap = min(surface_gap(thing.position[mine], _corners(each)) for each in objects.values() if is_rigid(each))
            refuse("glue", f"part {parts.names[i]!r} lies on no rigid part within {tolerance:.3g} m: the smallest gap is "
                   f"{gap:.6g} m", "give a larger tolerance, move the parts together, or merge(...) it to the others later")
    rigids = list(thing.rigids)
    for i in rigid:
        index = owner[parts.starts[i]]
        part, rows = rigids[index], np.flatnonzero(glued == i)
        grown = replace(part, particles=np.concatenate([part.particles, rows]), taken=None)
        more = np.concatenate([np.zeros(len(part.particles)), thing.mass[rows]])
        rigids[index] = taking(grown, more, thing.position, np.concatenate([taken_by(part), np.zeros(len(rows))]))
    return movable(replace(thing, rigids=tuple(rigids), regions={**thing.regions, "glued": np.flatnonzero(glued >= 0)}))


def _tolerance(where, parts, tolerance):
    return near_enough(parts.thing.position) if tolerance is None else number(where, "tolerance", tolerance, low=0.0)


def _touching(where, parts, tolerance):
    """{(i, j): (m, 2) particles of the whole that touch}."""
    found = touching_pairs(parts.places, _tolerance(where, parts, tolerance))
    found = {pair: rows + parts.starts[list(pair)] for pair, rows in found.items()}
    if (pair := overlapping(parts.thing, parts.starts, found)) is not None:
        one, other = (parts.names[i] for i in pair)
        refuse(where, f"parts {one!r} and {other!r} are in the same place, where the mass of both would count",
               "move one of them so that they only touch, or leave it out; join(...) keeps both, untied")
    return found


def _groups(where, parts: SideBySide, pairs):
    """(n,) lowest of the particles that touch each; two of one part are refused."""
    count = len(parts.thing.position)
    rows = np.concatenate([np.empty((0, 2), int), *pairs.values()])
    lowest = groups_of(rows, count)
    involved = np.unique(rows)
    part = np.searchsorted(parts.starts, involved, side="right") - 1
    involved = involved[np.lexsort((part, lowest[involved]))]
    part = np.searchsorted(parts.starts, involved, side="right") - 1
    bad = first_true((np.diff(lowest[involved]) == 0) & (np.diff(part) == 0))
    if bad is not None:
        one, other = involved[bad:bad + 2]
        third = next(row for row in np.flatnonzero(lowest == lowest[one]) if row not in (one, other))
        refuse(where, f"{parts.say(one)} and {parts.say(other)} both touch {parts.say(third)}",
               "particles of one part stay apart: give a smaller tolerance, or divide the touching facets alike")
    return lowest


def _meeting_places(parts, lowest):
    """(n, 3) where the lowest particle of each group will be: in the place of its rigid one, or in its centre of mass."""
    thing = parts.thing
    places, owner = thing.position.copy(), thing.rigid_of_particle
    several = np.flatnonzero(np.bincount(lowest, minlength=len(lowest))[lowest] > 1)
    rigid = several[owner[several] >= 0]
    rigid = rigid[np.argsort(lowest[rigid], kind="stable")]
    bad = first_true(np.diff(lowest[rigid]) == 0)
    if bad is not None:
        refuse("merge", f"{parts.say(rigid[bad])} and {parts.say(rigid[bad + 1])} touch, and both belong to rigid parts",
               "merging needs one of the two to be deformable: unify(...) rigid parts, or connect(...) them by springs")
    total = np.bincount(lowest[several], thing.mass[several], len(lowest))
    offset = thing.mass[several, None] * (thing.position[several] - thing.position[lowest[several]])
    shift = np.stack([np.bincount(lowest[several], column, len(lowest)) for column in offset.T], axis=1)
    moved = np.flatnonzero((total > 0.0) & shift.any(axis=1))
    places[moved] += shift[moved] / total[moved, None]
    places[lowest[rigid]] = thing.position[rigid]
    return places


def _check_apart(thing, pairs):
    """Springs need a length, and ends that can move against each other."""
    length = np.linalg.norm(thing.position[pairs[:, 0]] - thing.position[pairs[:, 1]], axis=1)
    if (bad := first_true(length <= 1e-15 * np.abs(thing.position).max())) is not None:
        refuse("connect", f"particles {pairs[bad, 0]} and {pairs[bad, 1]} are in one place, and a spring needs a length",
               "merge(...), unify(...) or glue(...) the parts, or join particles that are apart", bad)
    if (bad := first_true(within_rigid(pairs, thing.rigid_of_particle))) is not None:
        refuse("connect", f"particles {pairs[bad, 0]} and {pairs[bad, 1]} belong to one rigid part", "join different ones", bad)


def _check_shared(parts, pairs):
    """All parts must hang together by three particles or more that are not on one line."""
    shared = {pair: (len(rows), _spans(parts.thing.position[rows[:, 0]])) for pair, rows in pairs.items()}
    tied = np.array([pair for pair, (_, wide) in shared.items() if wide], int).reshape(-1, 2)
    loose = np.flatnonzero(groups_of(tied, len(parts.names)) != 0)
    if len(loose):
        i = int(loose[0])
        says = [f"{count} particles with {parts.names[sum(pair) - i]!r}{'' if wide or count < 3 else ' on one line'}"
                for pair, (count, wide) in shared.items() if i in pair] or ["no particle with any other"]
        refuse("unify", f"part {parts.names[i]!r} shares {', '.join(says)}",
               "it takes three that are not on one line: divide touching facets alike, give a larger tolerance, "
               "or connect(...) the parts by springs")


def _spans(points):
    """Whether points do not all lie on one line."""
    widths = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return len(points) >= 3 and bool(widths[1] > STRAIGHT * widths[0])


def _on_surfaces(parts, objects, rigid, free, tolerance):
    """(n,) the rigid part that each free particle lies on, −1 for none."""
    places, glued = parts.thing.position, np.full(len(parts.thing.position), -1)
    for i in rigid:
        corners = _corners(objects[i])
        found = free[np.isfinite(distance_within(places[free], corners, tolerance))]
        if not len(found):
            refuse("glue", f"nothing lies on part {parts.names[i]!r} within {tolerance:.3g} m: the smallest gap is "
                   f"{surface_gap(places[free], corners):.6g} m", "give a larger tolerance, or move the parts together")
        if (glued[found] >= 0).any():
            row = found[glued[found] >= 0][0]
            refuse("glue", f"{parts.say(row)} lies on {parts.names[glued[row]]!r} and on {parts.names[i]!r}",
                   "unify(...) the rigid parts first, or give a smaller tolerance")
        glued[found] = i
    return glued


def _corners(thing):
    return thing.position[thing.facets]
