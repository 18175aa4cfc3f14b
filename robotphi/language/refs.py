"""References: things by name. `cloth[8, 6]` is a particle, `pad:top` a region, `link:eye` a mark, `axle:angle` a freedom.

A name stands for what its verb gave back. An object of one rigid part and the rigid itself have one name: where it matters,
{object: name} and {rigid: name} tell which is meant.
"""
import numpy as np

from robotphi.errors import SceneError
from robotphi.language.nodes import fail
from robotphi.language.scope import nearest, worked_out
from robotphi.scene.handles import KINDS, handle
from robotphi.scene.sensors import SPRINGS

WORDS = tuple(dict.fromkeys(KINDS.values()))   # kinds of handles
ORDERS = {"things": ("_handles", "things", "objects", "touching", "commands"),
          "whole": ("_handles", "objects", "things", "touching", "commands")}


def pools(scene, order="things"):
    """Where things of a scene stand by name."""
    return [getattr(scene, name) for name in ORDERS[order]]


def found_name(text, context, order="things"):
    """(full name, thing) of a name as it is known here, None where there is none."""
    for prefix in context.scope.prefixes():
        for pool in pools(context.scene, order):
            if prefix + text in pool:
                found = pool[prefix + text]
                return prefix + text, getattr(found, "placed", None) or found
    return None


def refer(node, context, order="things"):
    """(thing, selector): the selector is None, ("rows", index) or ("label", text)."""
    if node.is_map:
        return _by_kind(node, context)
    text = worked_out(node, context)
    if not isinstance(text, str):
        fail(node, f"{node.told()} is no name", "give the name of a thing, such as cloth[8, 6], pad:top")
    if (found := found_name(text, context, order)) is not None:
        return found[1], None
    name, bracket, inner = text.rpartition("[")
    if bracket and text.endswith("]") and (found := found_name(name.strip(), context, order)) is not None:
        return found[1], ("rows", index_in(node, inner[:-1]))
    name, colon, label = text.partition(":")
    if colon and (found := found_name(name.strip(), context, order)) is not None:
        return found[1], ("label", label.strip())
    known = [each.removeprefix(context.scope.prefix) for pool in pools(context.scene) for each in pool]
    name = text.partition("[")[0].partition(":")[0]
    return fail(node, f"there is no thing called {name!r} yet", nearest(name, list(dict.fromkeys(known))))


def _by_kind(node, context):
    """{rigid: name}: the thing of that kind."""
    if len(node.value) == 1:
        [(kind, inner)] = node.value.items()
        text = worked_out(inner, context)
        if kind.replace("_", " ") in WORDS and isinstance(text, str):
            name, colon, label = text.partition(":")
            for prefix in context.scope.prefixes():
                try:
                    thing = handle(context.scene, kind.replace("_", " "), prefix + name)
                    return thing, ("label", label) if colon else None
                except SceneError as error:
                    problem = error
            fail(inner, str(problem))
    return fail(node, "this names no thing", f"give a name, or {{kind: name}} with {', '.join(WORDS)}")


def index_in(node, text):
    """The index in brackets: whole numbers and slices."""
    found = []
    for part in text.split(","):
        pieces = [piece.strip() for piece in part.split(":")]
        if len(pieces) > 3 or not all(piece.lstrip("-").isdecimal() or (not piece and len(pieces) > 1) for piece in pieces) \
                or any(len(piece) > 9 for piece in pieces):
            fail(node, f"[{text}] chooses nothing", "give places such as [3], [-1], [2:8], [::2], of a cloth [8, 6]")
        numbers = [int(piece) if piece else None for piece in pieces]
        if len(numbers) == 3 and numbers[2] == 0:
            fail(node, f"[{text}] goes on by 0", "give a step of 1 or more")
        found.append(numbers[0] if len(numbers) == 1 else slice(*numbers))
    return tuple(found)


def particles_in(node, thing):
    """The particles of a thing, as its handle has them: (nu, nv) of a cloth."""
    for name in ("particles", "indices"):
        if getattr(thing, "kind", None) not in SPRINGS and isinstance(rows := getattr(thing, name, None), np.ndarray):
            return rows
    return fail(node, f"{node.told()} has no particles", "name particles, a rigid, an object, a rod or a cloth")


def rows_of(node, context):
    """Particles, as one index or an array of them, in the order of a cloth's rows."""
    thing, selector = refer(node, context, "whole")
    if selector is None:
        return particles_in(node, thing).reshape(-1)
    return chosen_rows(node, context, thing, selector)


def chosen_rows(node, context, thing, selector):
    """What a selector chooses of the particles of a thing."""
    how, what = selector
    if how == "label":
        try:
            from robotphi.scene.poses import mark_rows

            object = getattr(thing, "object", None)
            rows = thing.region(what) if object is not None else mark_rows(context.scene, "", thing, what)
        except (SceneError, AttributeError) as error:
            fail(node, str(error).removeprefix(": "))
        return rows
    rows = particles_in(node, thing)
    try:
        found = rows[what]
    except IndexError as error:
        fail(node, f"{node.told()} is outside: there are {' × '.join(map(str, rows.shape))} ({error})",
             "places are counted from 0")
    if not np.size(found):
        fail(node, f"{node.told()} chooses nothing of {' × '.join(map(str, rows.shape))}", "places are counted from 0")
    return int(found) if np.ndim(found) == 0 else found.reshape(-1)


def end_of(node, context, order="things"):
    """A thing, a (thing, label), or particles, as most verbs take them."""
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    thing, selector = refer(node, context, order)
    if selector is None:
        return thing
    if selector[0] == "label":
        return thing, selector[1]
    if getattr(thing, "kind", None) in SPRINGS:
        return thing, selector[1][0] if len(selector[1]) == 1 else selector[1]
    return chosen_rows(node, context, thing, selector)
