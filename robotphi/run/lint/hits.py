"""Hits that are expected of things that may meet, by the estimates of `advice/steps`."""
from typing import NamedTuple

from robotphi.kernels.contact import columns
from robotphi.run.advice.steps import Expected, forms, pairs_of_kinds


class Hit(NamedTuple):
    """What is expected of the pairs of two things: the one that asks for the shortest step."""
    names: tuple          # of the things
    parts: tuple
    speed: float          # m/s
    step: float           # s
    depth: float          # m
    thickness: float      # m, of the thinner one


def expected_hits(model):
    """A list of `Hit`, one of each two things that may meet and of those that are alike, the shortest step first."""
    contact = model.arrays.contact
    if not len(contact.parts.kind):
        return []
    expected, (form, size, ratio) = Expected(model), forms(model)
    found = {}
    for first, second, _ in pairs_of_kinds(contact, form, size, expected.falls):
        step, depth = expected.step_and_depth(first, second, form, size, ratio)
        names = tuple(model.owner_names[contact.parts.owner[part]] for part in (first, second))
        hit = Hit(names, (first, second), expected.speed(first, second), float(step), float(depth),
                  2.0 * float(contact.parts.size[[first, second], columns.HALF_THICKNESS].min()))
        if names not in found or step < found[names].step:
            found[names] = hit
    return sorted(found.values(), key=lambda hit: (hit.step, hit.names))
