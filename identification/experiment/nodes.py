"""Reading experiments: mappings with places, from a YAML file or from what Python gives."""
import math

import numpy as np

from identification.errors import ExperimentError
from identification.experiment.units import quantity_of, unit_of
from robotphi.language.blocks import checked_keys
from robotphi.language.nodes import Counter, Node, fail, read_nodes

__all__ = ["checked_keys", "fail", "flag", "node_of", "number", "quantity", "read_file", "section", "text", "texts", "told",
           "unit", "word"]


def read_file(path):
    """The root node of an experiment file."""
    return read_nodes(path, Counter())


def node_of(value, name="experiment"):
    """The nodes of plain values of Python; places say the way to them."""
    if isinstance(value, dict):
        inner = {str(key): node_of(one, f"{name}.{key}") for key, one in value.items()}
        return Node(inner, name, 0, 0, {key: Node(key, f"{name}.{key}", 0, 0) for key in inner})
    if isinstance(value, (list, tuple)):
        return Node([node_of(one, f"{name}[{k}]") for k, one in enumerate(value)], name, 0, 0)
    if isinstance(value, np.generic):
        value = value.item()
    return Node(value, name, 0, 0)


def section(root, name, needed=False):
    """The mapping of a section; empty where it is left out."""
    found = root.value.get(name)
    if found is None or found.value is None:
        if needed:
            fail(root, f"there is no {name}:", f"give {name}: {{name: …}}")
        return Node({}, root.file, root.line, root.column)
    if not found.is_map:
        fail(found, f"{name}: is {found.told()}", "give {name: …}")
    return found


def text(node, name, default=None):
    """A text of a mapping."""
    found = node.value.get(name)
    if found is None:
        return default
    return found.value if found.is_text else fail(found, f"{name} is {found.told()}", "give a text")


def word(node, name, known, default):
    """One of some words."""
    found = text(node, name, default)
    return found if found in known else fail(node.value[name], f"{name} is {found!r}", f"give one of {', '.join(known)}")


def texts(node, name):
    """One text or several."""
    found = node.value.get(name)
    if found is None:
        return ()
    several = found.value if found.is_list else [found]
    for each in several:
        if not each.is_text:
            fail(each, f"{name} is {each.told()}", "give a name, or a list of names")
    return tuple(each.value for each in several)


def number(node, name, default=None, least=None, whole=False):
    """A plain number of a mapping."""
    found = node.value.get(name)
    if found is None:
        return default
    kinds = int if whole else (int, float)
    if not isinstance(found.value, kinds) or isinstance(found.value, bool) or not abs(found.value) < math.inf or (
            least is not None and not found.value >= least):
        bound = "" if least is None else f" of at least {least:g}"
        fail(found, f"{name} is {found.told()}", f"give a {'whole ' if whole else ''}number{bound}")
    return found.value


def flag(node, name, default=False):
    """true or false."""
    found = node.value.get(name)
    if found is None:
        return default
    return found.value if isinstance(found.value, bool) else fail(found, f"{name} is {found.told()}", "give true or false")


def quantity(node, name, of, default=None):
    """A number in SI; plain ones are in the unit `of`."""
    found = node.value.get(name)
    if found is None:
        return default
    return told(found, lambda: quantity_of(found.value, of, name))


def unit(node, name, default=""):
    """A Unit."""
    found = node.value.get(name)
    return told(found or node, lambda: unit_of(text(node, name, default), name))


def told(node, function):
    """What a function gives; its errors get the place of a node."""
    try:
        return function()
    except ExperimentError as error:
        return fail(node, str(error))
