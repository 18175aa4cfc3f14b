"""Advice before a run: what passes through other things although both have a contact, and what a medium passes by; nothing in a
run would tell.

Capsules, cylinders and wheels pass through soft objects and sheets. A sheet touches balls at its vertices, small balls of half
its thickness: a ball passes where every vertex is farther from its centre than both radii together, which is possible where
the smallest circle around a facet is larger than that. A medium acts on facets: balls, capsules, cylinders and wheels, which
have none, do not feel it.
"""
import numpy as np

from robotphi.kernels.contact import columns, kinds

LISTED = 5   # of each kind of warning; names in a warning
ROUND = [code for code, kind in enumerate(kinds.PART_KINDS) if kind.form in (kinds.CENTRE_ROW, kinds.AXIS)]
LONG = [code for code, kind in enumerate(kinds.PART_KINDS) if kind.form == kinds.AXIS]


def missed_contacts(model):
    """One sentence for each thing that others pass through although both have a contact; an empty list is good."""
    parts = model.arrays.contact.parts
    if not len(parts.kind):
        return []
    return _passing(model, parts) + _loose_meshes(model, parts) + _not_felt(model, parts)


def _passing(model, parts):
    """Capsules, cylinders and what else has an axis, beside anything with which it has no case."""
    found = []
    for roller in np.flatnonzero(np.isin(parts.kind, LONG)):
        others = _may_meet(model, roller, ~_has_case(parts, roller))
        if len(others):
            kind = kinds.PART_KINDS[parts.kind[roller]].word
            only = kinds.met_by(parts.kind[roller]) == (kinds.PLANE,)
            does = "touches planes only and" if only else "touches no sheets and no soft objects and"
            found.append(f"{kind} {_names(model, [roller])} {does} passes through {_names(model, others)}: "
                         f"add it as an object, such as rigid(shapes.cylinder(…)), or exclude_contact what is not to touch")
    return _first(found, _plural(LONG))


def _has_case(parts, part):
    """(p,) whether there are forces between a part on a rigid and each other part."""
    soft = (parts.rigid < 0).astype(int)
    kind = parts.kind[part]
    return (kinds.CASE_TABLE[soft, kind, parts.kind] != kinds.NOTHING) | (
        kinds.CASE_TABLE[0, parts.kind, kind] != kinds.NOTHING)


def _loose_meshes(model, parts):
    """Sheets whose facets let balls through."""
    found = []
    for sheet in np.flatnonzero(parts.kind == kinds.SHEET):
        facets = parts.facet[parts.facet_start[sheet]:parts.facet_start[sheet + 1]]
        widest = float(_circle(model.position[facets]).max(initial=0.0))
        small = parts.size[:, columns.RADIUS] + parts.size[sheet, columns.HALF_THICKNESS] < widest
        others = _may_meet(model, sheet, (parts.kind == kinds.SPHERE) & small)
        if len(others):
            found.append(f"sheet {_names(model, [sheet])} touches balls at its vertices, which leave room for a radius of "
                         f"{1e3 * widest:.3g} mm: {_names(model, others)} may pass between them; a finer mesh would hold")
    return _first(found, "sheets")


def _not_felt(model, parts):
    """Balls, capsules and cylinders that move in a medium which is not for named objects alone."""
    medium = model.scene.medium
    if medium is None:
        return []
    everywhere = any(value > 0.0 for value in (medium.drag, medium.linear_drag) if not isinstance(value, dict))
    missed = np.flatnonzero(np.isin(parts.kind, ROUND) & np.isfinite(parts.size[:, columns.MASS]))
    if not len(missed) or not (everywhere or medium.buoyancy):
        return []
    does = " and ".join(what for what, told in (("drag", everywhere), ("buoyancy", medium.buoyancy)) if told)
    return [f"{_names(model, missed)}: {_plural(ROUND)} have no facets and feel no {does} of the medium; add what is to feel "
            "it as an object, such as rigid(shapes.sphere(…)), or name the objects that do, drag={name: …}"]


def _plural(codes):
    """Words of several kinds."""
    *words, last = (kinds.PART_KINDS[code].word + "s" for code in codes)
    return f"{', '.join(words)} and {last}"


def _may_meet(model, part, wanted):
    """Which of the wanted parts no exclusion keeps from a part."""
    contact = model.arrays.contact
    others = np.flatnonzero(wanted)
    others = others[others != part]
    keys = np.minimum(others, part).astype(np.int64) * len(contact.parts.kind) + np.maximum(others, part)
    return others[~np.isin(keys, contact.excluded)]


def _circle(corners):
    """Radius of the smallest circle around each triangle (f, 3, 3): through its corners, or over its longest side [m]."""
    sides = np.sort(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2), axis=1)
    a, b, c = sides.T
    obtuse = a * a + b * b <= c * c
    heron = np.maximum((a + b + c) * (a + b - c) * (a - b + c) * (b - a + c), 0.0)
    return np.where(obtuse, 0.5 * c, a * b * c / np.sqrt(np.where(obtuse, 1.0, heron)))


def _names(model, parts):
    """Names of what parts belong to, each once."""
    owner = model.arrays.contact.parts.owner
    names = list(dict.fromkeys(model.owner_names[owner[part]] for part in parts))
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(repr(name) for name in names[:LISTED]) + more


def _first(found, what):
    return found[:LISTED] + ([f"{len(found) - LISTED} more {what} likewise"] if len(found) > LISTED else [])
