"""Scenes written as files: from the statements of a Scene, so that reading them gives the same model to the bit."""
from itertools import count
from pathlib import Path

import numpy as np

from robotphi.errors import SceneError
from robotphi.language.blocks import NAMED, SECTIONS
from robotphi.language.emit import text_of
from robotphi.language.expressions import escaped
from robotphi.language.fields import fields_of
from robotphi.language.functions import FUNCTION_OF, SECTIONS_OF, kinds
from robotphi.language.load import VERSION
from robotphi.language.named import Names
from robotphi.scene.say_again import in_order, nodes_in
from robotphi.scene.statements import Handle, Made, recipe_of
from robotphi.scene.whole_file import whole_file

FEW = 48     # numbers: longer arrays stand in the file beside it
DEEP = 12    # functions within each other: deeper ones are defined apart
TYPES = ("bool", "int64", "float64")
KIND_OF = {verb: kind for kind, verb in kinds().items()}


def write_scene(scene, path, about="", exact=False, change=None, define=None):
    """Write a scene as a YAML file, and beside it an .npz of its long arrays; returns the paths.

    Args:
        scene: a Scene.
        path: of the YAML file.
        about: what the file says of itself.
        exact: whether statements stay in their order, in as many blocks as that takes; else commands stand before things,
            sensors behind them, but for acts that a sensor switches.
        change: of the document and its arrays, gives the document that is written; see `parametrised`.
        define: name → thing, of things that are to stand in `define:` under these names, as those of a file do.
    """
    path = Path(path)
    document, arrays = document_of(scene, path, about, exact, define)
    if change is not None:
        document = change(document, arrays)
    try:
        with whole_file(path) as part:
            part.write_text(text_of(document), encoding="utf-8")
            if not arrays:
                return [path]
            beside = path.with_suffix(".npz")
            with whole_file(beside) as packed, open(packed, "wb") as file:
                np.savez(file, **arrays)
    except OSError as error:
        raise SceneError(f"{path} cannot be written: {error.strerror}; name another file") from error
    return [path, beside]


def document_of(scene, path, about="", exact=False, define=None):
    """(mapping, arrays by name) of a scene as it is written to a path."""
    writer = _Writer(scene, f"{Path(path).stem}.npz", define or {})
    return writer.document(about, exact), writer.arrays


class _Writer:
    def __init__(self, scene, beside, define):
        self.scene, self.beside, self.arrays, self.names = scene, beside, {}, {}
        self.called = {id(recipe_of(thing)): name for name, thing in define.items() if recipe_of(thing) is not None}
        self.told = Names(scene)
        self.taken = {*scene.things, *scene.touching, *scene.commands, *scene.objects}

    def document(self, about, exact):
        statements = self.scene.statements
        define = self._shared([statement.arguments for statement in statements])
        first = dict(statements[0].arguments)
        document = {"robotphi": VERSION, "scene": escaped(first.pop("name"))}
        document |= {"about": escaped(about)} if about else {}
        for name, value in first.items():
            document[name] = self._arguments(value) if isinstance(value, Made) else self._value(value)
        document = {name: value for name, value in document.items() if value != {}}
        document |= {"define": define} if define else {}
        blocks = [{}]
        for statement in statements[1:]:
            self._place(statement, blocks, exact)
        document |= _ordered(blocks[0])
        return document | ({"then": [_ordered(block) for block in blocks[1:]]} if len(blocks) > 1 else {})

    def _place(self, statement, blocks, exact):
        """Put a statement into a section of the last block, or of a new one where the order asks for it."""
        section = SECTIONS_OF.get(statement.verb, "things")
        latest = max((SECTIONS.index(each) for each in blocks[-1]), default=0)
        twice = section == "medium" and section in blocks[-1]
        ordered = exact or _looks(statement)
        if ordered and (SECTIONS.index(section) < latest or twice):
            blocks.append({})
        block, given = blocks[-1], dict(statement.arguments)
        if section in ("contact", "values"):
            block.setdefault(section, []).append(self._pair(statement.verb, given))
        elif section == "medium":
            block[section] = self._given("set_medium", given)
        else:
            name = given.pop("name")
            told = self._given(statement.verb, given)
            block.setdefault(section, {})[escaped(name)] = told if section in NAMED else {KIND_OF[statement.verb]: told}

    def _pair(self, verb, given):
        if verb == "set_value":
            return self._given(verb, given)
        told = self._given(verb, given)
        both = [told["first"], told["second"]]
        return {"between": both, "law": told["contact"]} if verb == "set_contact" else {"apart": both}

    def _given(self, verb, given):
        fields = {} if verb == "add_act" else fields_of(verb)
        return {name: self._field(fields[name].kind if name in fields else "", value) for name, value in given.items()}

    def _field(self, kind, value):
        told = self.told.of_kind(kind, value)
        return self._value(value) if told is None else told

    def _value(self, value):
        """A kept value as a file has it."""
        if isinstance(value, Made):
            return self.names[id(value)] if id(value) in self.names else self._recipe(value)
        if isinstance(value, Handle):
            return self.told.handle(value)
        if isinstance(value, str):
            return escaped(value)
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, dict):
            if all(isinstance(name, str) for name in value):
                return {name: self._value(one) for name, one in value.items()}
            return {"pairs": [[self._value(name), self._value(one)] for name, one in value.items()]}
        if isinstance(value, tuple):
            if (label := self.told.labelled(value)) is not None:
                return label
            numbers = _as_numbers(value)
            return [self._value(one) for one in value] if numbers is None else self._array(numbers)
        return value

    def _recipe(self, made):
        return {FUNCTION_OF[made.maker]: self._arguments(made)}

    def _arguments(self, made):
        return {name: self._value(value) for name, value in made.arguments.items()}

    def _shared(self, holders):
        """The entries of define: what is used more than once, and what stands deep."""
        order = list(in_order(tuple(holders)))
        used, depth, define = {}, {}, {}
        for holder in (*holders, *(node.arguments for node in order)):
            for node in nodes_in(holder):
                used[id(node)] = used.get(id(node), 0) + 1
        for node in order:
            depth[id(node)] = 1 + max((depth[id(inner)] for inner in nodes_in(node.arguments)), default=0)
            many = (used[id(node)] > 1 or depth[id(node)] >= DEEP) and node.maker != "Stepping"
            if many or self.called.get(id(node)) not in {None, *self.taken}:
                name = self._name(node)
                self.taken.add(name)
                define[name] = self._recipe(node)
                self.names[id(node)], depth[id(node)] = name, 0
        return define

    def _name(self, node):
        """The name that a recipe has, or one that is free."""
        if (name := self.called.get(id(node))) is not None and name not in self.taken:
            return name
        word = FUNCTION_OF[node.maker].rpartition(".")[2] if node.maker != "Drive" else "drive"
        return next(name for number in count(1) if (name := f"{word}_{number}") not in self.taken | {*self.called.values()})

    def _array(self, value):
        if value.size > FEW and value.ndim and not any(value.strides):
            return {"all": value.reshape(-1)[0].item(), "shape": list(value.shape), "type": value.dtype.name}
        if 0 < value.size <= FEW and value.dtype.name in TYPES and value.ndim and not _turned(value):
            return value.tolist()
        if not value.ndim:
            return value.item()
        key = f"a{len(self.arrays)}"
        text = f"{self.beside}#{key}"
        if (axes := _turned(value)):
            self.arrays[key] = np.ascontiguousarray(value.transpose(axes))
            return {"file": escaped(text), "axes": axes}
        self.arrays[key] = value
        return {"file": escaped(text)}


def _looks(statement):
    """Whether an act is switched by a sensor, which has to be there before it."""
    when = statement.arguments.get("when")
    return isinstance(when, tuple) and len(when) == 4


def _ordered(block):
    return {section: block[section] for section in SECTIONS if section in block}


def _turned(value):
    """The order of the axes in memory, where it is not their own."""
    axes = sorted(range(value.ndim), key=lambda axis: -abs(value.strides[axis]))
    return axes if axes != list(range(value.ndim)) and not value.flags.c_contiguous else []


def _as_numbers(value):
    """A long regular tuple of floats, or of whole numbers, as an array; None of anything else."""
    if len(value) < 2 or not isinstance(value[0], (int, float, tuple)):
        return None
    kinds, count, waiting = set(), 0, [value]
    while waiting:
        for one in waiting.pop():
            if isinstance(one, tuple) and not isinstance(one, Handle):
                waiting.append(one)
            else:
                kinds.add(type(one))
                count += 1
    if count <= FEW or not (kinds == {float} or kinds == {int}):
        return None
    try:
        return np.array(value)
    except (ValueError, OverflowError):
        return None
