"""The section `record:` of a scene file: what of a run is to stay in its recording, where nobody tells the run otherwise.

    record: {every: 10, keep: [contacts, sensors]}
"""
from robotphi.language.nodes import fail
from robotphi.language.scope import nearest
from robotphi.scene.kept import EVERY, FRAMES, KEPT

FIELDS = {"every": "each so many frames, and the last; 1 unless told",
          "keep": f"some of {', '.join(KEPT)}; all unless told, [] for places, velocities and energies alone"}


def words_of(node):
    """The words for `Simulator.run(keep=…)` that a section says; () where it says nothing."""
    for name in node.value:
        if name not in FIELDS:
            fail(node.key(name), f"record has no {name!r}", nearest(name, list(FIELDS)))
    words = []
    if "every" in node.value:
        every = node.value["every"]
        if isinstance(every.value, bool) or not isinstance(every.value, int) or every.value < 1:
            fail(every, f"every is {every.told()}", "give a whole number of frames from 1 on")
        words.append(f"{EVERY}{every.value}")
    if "keep" in node.value:
        words += _groups(node.value["keep"]) or [FRAMES]
    return tuple(words)


def _groups(node):
    if not node.is_list:
        fail(node, f"keep is {node.told()}", f"give a list of some of {', '.join(KEPT)}, or []")
    for each in node.value:
        if each.value not in KEPT:
            fail(each, f"keep: {each.told()}", nearest(str(each.value), list(KEPT)))
    return [each.value for each in node.value]


def schema_of():
    """What may stand in the section, as JSON schema."""
    kinds = {"every": {"type": "integer", "minimum": 1}, "keep": {"type": "array", "items": {"enum": list(KEPT)}}}
    return {"type": "object", "additionalProperties": False,
            "properties": {name: {**kinds[name], "description": meaning} for name, meaning in FIELDS.items()}}


def table():
    """The section in the reference."""
    kinds = {"every": "whole number", "keep": "list of words"}
    rows = [f"| {name} | {kinds[name]} | {meaning} |" for name, meaning in FIELDS.items()]
    return "\n".join(["| field | what | meaning |", "|---|---|---|", *rows]) + "\n"
