"""Addresses as texts: `spring.stiffness`, `pad.contact.young`, `finger/skin.young`, `rope.mass[3]`, `bar.mass[tip]`."""
from dataclasses import replace

from identification.errors import ExperimentError
from identification.experiment.parts import ADDRESS
from robotphi.scene.values import MEDIUM, SCENE


def resolved(scene, unknown):
    """A parameter with the addresses of its targets as a scene has them."""
    return replace(unknown, targets=tuple(replace(each, what=address(scene, unknown.parameter.name, each.what))
                                          if each.kind == ADDRESS and isinstance(each.what, str) else each
                                          for each in unknown.targets))


def address(scene, name, text):
    """(thing, quantity[, where]) of a text; the longest name of a thing counts, as names may have points."""
    words, where = text, ()
    if text.endswith("]"):
        words, _, inner = text[:-1].partition("[")
        where = (_rows(inner),)
    known = {SCENE, MEDIUM, *scene.things, *scene.touching, *scene.objects}
    parts = words.split(".")
    for count in range(len(parts) - 1, 0, -1):
        thing = ".".join(parts[:count])
        if thing in known or thing.partition("/")[0] in known:
            return (thing, ".".join(parts[count:]), *where)
    raise ExperimentError(f"parameter {name!r}: the scene has no {parts[0]!r}; there are {', '.join(sorted(map(str, known)))}")


def _rows(text):
    """One row, several, or the name of a region."""
    parts = [each.strip() for each in text.split(",")]
    if not all(each.isdigit() for each in parts):
        return text.strip()
    return int(parts[0]) if len(parts) == 1 else [int(each) for each in parts]
