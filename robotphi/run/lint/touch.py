"""Checks of contact: so stiff that steps are short, so soft that it does not hold, deep from the start, passed through, and
friction that is not what was meant.

Friction of two materials is the geometric mean of their coefficients, so that one of 0 takes all of the other away. It sticks
by a spring of k_t, which gives way by s N/k_t before it slips. What lies on a surface that leans by α stays where tan α <= s.
"""
from math import sqrt

import numpy as np

from robotphi.kernels.contact import columns, kinds
from robotphi.kernels.contact.columns import STATIC_FRICTION, TANGENTIAL
from robotphi.run.advice.depths import DEEP
from robotphi.run.advice.misses import missed_contacts
from robotphi.run.advice.slow import length
from robotphi.run.advice.speeds import falling
from robotphi.run.advice.steps import Expected, contact_warnings, forms, pair_law, rounded_up
from robotphi.run.lint.falls import falls_on
from robotphi.run.lint.findings import Finding, first_of, split

STILL = 1e-3     # m/s: what is slower at the start is meant to lie
GIVES = 0.1      # of the thickness of the thinner thing, that a stuck contact may give way


def stiff_contact(subject):
    """Contact that asks for steps below a ten millionth of the duration."""
    return [split(text) for text in contact_warnings(subject.model)]


def soft_contact(subject):
    """Things that fall on others so hard that they go deeper than half of what the thinner one is thick."""
    model = subject.model
    if not model.part_names or not np.any(subject.scene.gravity):
        return []
    expected, known, found = Expected(model), forms(model), {}
    for fall in falls_on(model, expected.falls, subject.touching):
        _, depth = expected.step_and_depth(*fall.parts, *known, speed=fall.speed)
        thickness = 2.0 * float(model.arrays.contact.parts.size[list(fall.parts), columns.HALF_THICKNESS].min())
        names = tuple(model.owner_names[model.arrays.contact.parts.owner[part]] for part in fall.parts)
        if names not in found and DEEP * thickness < depth < np.inf:
            law = pair_law(model, *fall.parts)
            enough = rounded_up(law.stiffness * (depth / (DEEP * thickness)) ** (law.power + 1.0))
            found[names] = Finding(f"{names[0]!r} falls on {names[1]!r} at {fall.speed:.2g} m/s, which presses them "
                                   f"{length(depth)} into each other, and the thinner one is {length(thickness)} thick",
                                   f"a {law.word} of the pair of {enough:g} {law.unit} instead of {law.stiffness:.2g} would "
                                   "hold it within half of that")
    return first_of(list(found.values()), "things fall as hard")


def deep_start(subject):
    """Things that are deep in each other at the start."""
    return [split(text) for text in subject.overlaps]


def passed_by(subject):
    """Things that others pass through, although both have a contact."""
    if not subject.model.part_names:
        return []
    return [Finding(text, do) for text, _, do in (each.partition(": ") for each in missed_contacts(subject.model))]


# Friction -------------------------------------------------------------------------------------------------------------------

def lost_friction(subject):
    """Things with friction that have none on anything they may touch, because the other side has none."""
    scene, contact = subject.scene, subject.model.arrays.contact
    found = []
    for number, name in enumerate(subject.model.owner_names):
        own = scene.touching[name].contact
        parts = np.flatnonzero(contact.parts.owner == number)
        others = _met_by(contact, parts)
        if own.static_friction > 0.0 and len(others):
            rows = contact.parts.material[parts[0]] * round(sqrt(len(contact.law))) + contact.parts.material[others]
            if not (contact.law[rows, STATIC_FRICTION] > 0.0).any():
                names = sorted({subject.model.owner_names[contact.parts.owner[other]] for other in others})
                found.append(Finding(
                    f"{name!r} has a friction of {own.static_friction:g}, and none on anything that it may touch "
                    f"({', '.join(map(repr, names[:3]))}{' …' if len(names) > 3 else ''}): the coefficient of a pair is the "
                    "geometric mean of both", "give the other side one as well, or set_contact a law of the pair"))
    return first_of(found, "things whose friction is lost")


def _met_by(contact, parts):
    """Parts of others that some of these parts may touch and that are not both fixed."""
    count = len(contact.parts.kind)
    others = np.setdiff1d(np.arange(count), parts)
    a, b = (side.reshape(-1) for side in np.meshgrid(parts, others, indexing="ij"))
    keys = np.minimum(a, b).astype(np.int64) * count + np.maximum(a, b)
    mass = contact.parts.size[:, columns.MASS]
    may = ~np.isin(keys, contact.excluded) & np.isfinite(np.minimum(mass[a], mass[b]))
    return np.unique(b[may])


def loose_friction(subject):
    """Friction whose springs are so soft that things move far before it holds them."""
    contact, found = subject.model.arrays.contact, []
    gravity = float(np.linalg.norm(subject.scene.gravity))
    for hit in subject.hits:
        a, b = hit.parts
        law = contact.law[contact.parts.material[a] * round(sqrt(len(contact.law))) + contact.parts.material[b]]
        weight = gravity * float(contact.parts.size[[a, b], columns.MASS].min())
        holds = _holding(contact, law, a, b)
        if law[STATIC_FRICTION] <= 0.0 or not holds > 0.0 or not np.isfinite(weight * hit.thickness):
            continue
        way = law[STATIC_FRICTION] * weight / holds
        if way > GIVES * hit.thickness:
            enough = rounded_up(holds * way / (0.1 * GIVES * hit.thickness))
            found.append(Finding(f"friction of {hit.names[0]!r} and {hit.names[1]!r} gives way by {length(way)} before it "
                                 f"holds the weight, and the thinner one is {length(hit.thickness)} thick",
                                 f"give a tangential_stiffness of {enough:g} N/m"
                                 + (", or leave it out" if law[TANGENTIAL] > 0.0 else "")))
    return first_of(found, "pairs whose friction gives way as far")


def _holding(contact, law, a, b):
    """N/m, k_t of a pair as told, or λ × the smaller reference area of what is rigid; nought of soft parts, whose vertices hold
    each by itself."""
    parts = contact.parts
    soft = any(parts.rigid[part] < 0 and parts.vertex_start[part + 1] - parts.vertex_start[part] > 1 for part in (a, b))
    if law[TANGENTIAL] > 0.0 or soft:
        return law[TANGENTIAL]
    return law[columns.STIFFNESS] * float(parts.size[[a, b], columns.REFERENCE_AREA].min())


def too_steep(subject):
    """Things that lie on a fixed surface, and on nothing else, which leans more than friction holds."""
    rows, model, found = subject.touching, subject.model, {}
    contact, gravity = model.arrays.contact, subject.scene.gravity
    if not rows or not np.any(gravity):
        return []
    falls = falling(model)
    times = np.bincount(np.concatenate([rows["first"], rows["second"]]), minlength=len(falls))
    for row in range(len(rows["first"])):
        pair = int(rows["first"][row]), int(rows["second"][row])
        mass = contact.parts.size[list(pair), columns.MASS]
        n = rows["direction"][row]
        along = float(n @ gravity)
        if np.isfinite(mass).all() or not np.isfinite(mass).any() or _speed(model, pair) > STILL or along == 0.0:
            continue
        free = pair[0 if np.isfinite(mass[0]) else 1]
        if times[free] > 1 or not falls[free]:
            continue
        n = n if free == pair[0] else -n    # from the fixed one
        pressed = -float(n @ gravity)
        aside = float(np.linalg.norm(gravity + pressed * n))
        law = contact.law[contact.parts.material[pair[0]] * round(sqrt(len(contact.law))) + contact.parts.material[pair[1]]]
        rolls = any(contact.parts.kind[part] not in (kinds.POLYHEDRON, kinds.SHEET, *kinds.GROUNDS) for part in pair)
        if pressed > 0.0 and not rolls and aside > law[STATIC_FRICTION] * pressed:
            names = [model.owner_names[contact.parts.owner[part]] for part in pair]
            moving, fixed = names if free == pair[0] else names[::-1]
            found.setdefault((moving, fixed), Finding(
                f"{moving!r} lies on {fixed!r}, which leans by {np.degrees(np.arctan2(aside, pressed)):.3g}°: a friction of "
                f"{law[STATIC_FRICTION]:.3g} cannot hold it",
                f"if it is to stay, give the pair a static_friction of {rounded_up(aside / pressed):g} or more",
                serious=False))
    return first_of(list(found.values()), "things that slide")


def _speed(model, pair):
    """Of the particles of two parts at the start [m/s]."""
    parts = model.arrays.contact.parts
    rows = np.concatenate([parts.vertex[parts.vertex_start[part]:parts.vertex_start[part + 1]] for part in pair])
    return float(np.abs(model.velocity[rows]).max(initial=0.0))
