"""What a compiled function depends on, as one digest: machine code that was kept stands for as long as it is the same.

numba compiles the byte code of a function and of every function it calls, with the constants of their modules as they stand. So
the digest follows the functions themselves: the byte code of each, its defaults, its closure, the values of the globals it
names, and through them the functions it calls. Comments, docstrings and places in a file are not in it, nor is a kernel that
is not called. How things are compiled and what overloads operators is reached by no name: of this folder every module counts.
"""
import ast
import enum
import functools
import hashlib
import opcode
import operator
import sys
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

import numba
import numpy as np
from llvmlite import ir
from numba.core import types

TAKES_CONSTANT = frozenset(opcode.hasconst)
DOCSTRING_FLAG = 0x4000000  # CO_HAS_DOCSTRING
FOREIGN = sys.stdlib_module_names | {"numba", "numpy", "llvmlite", "builtins"}  # their versions are in the key
PLAIN_VALUES = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.generic, np.dtype, slice, range)


class Unknown(Exception):
    """A value of which it is not known how to tell it from others: what reaches it is not kept."""


def digest(function):
    """Digest of a function and all that it reaches."""
    functions, place = [function], {function: 0}
    total = hashlib.sha256(machinery().encode())
    for each in functions:  # grows as it is read
        told, reached = _told(each)
        total.update(told.encode())
        for other in reached:
            if other not in place:
                place[other] = len(functions)
                functions.append(other)
            total.update(b"%d," % place[other])
    return total.hexdigest()


def reached_functions(function):
    """All functions that a function reaches, itself first."""
    functions = [function]
    for each in functions:
        functions += [other for other in dict.fromkeys(_told(each)[1]) if other not in functions]
    return functions


# As they are when they are imported: an edit while a process runs belongs to the next one.
SOURCES = {path.name: path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.py"))}


@functools.cache
def machinery():
    """The modules of this folder without comments and docstrings."""
    return "".join(f"{name}: {bare(source)}" for name, source in SOURCES.items())


def bare(source):
    """A source as a tree without docstrings and places."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return ast.dump(tree)


_TOLD = {}   # function → (what it named when it was first told, its words, the functions it reaches); None: exchanged since


def _told(function):
    """What stands in one function, and the functions it names, in the order of their names.

    A global that was given another value since then may be in machine code already, or not: nobody can tell, for ever.
    """
    named = _named(function)
    if function not in _TOLD:
        teller = _Teller()
        teller.tell_function(function)
        _TOLD[function] = named, "".join(teller.words), tuple(teller.reached)
    elif _TOLD[function] is not None and not all(map(operator.is_, named, _TOLD[function][0])):
        _TOLD[function] = None
    if _TOLD[function] is None:
        raise Unknown(f"{function.__qualname__} names something that was exchanged while this process runs")
    return _TOLD[function][1:]


def _named(function):
    """All that a function names, as it stands now; None for what is not there."""
    names = _names_in(function.__code__)
    found, seen = [cell.cell_contents for cell in function.__closure__ or ()], set()
    found += [function.__defaults__, function.__kwdefaults__, *(function.__globals__.get(name) for name in names)]
    for value in found:  # grows as it is read
        if isinstance(value, ModuleType) and value not in seen and value.__name__.split(".")[0] not in FOREIGN:
            seen.add(value)
            found += [vars(value).get(name) for name in names]
    return found


@functools.cache
def _names_in(code):
    return sorted({*code.co_names, *(name for inner in code.co_consts if isinstance(inner, CodeType)
                                     for name in _names_in(inner))})


class _Teller:
    """Writes down values so that different ones are told apart."""

    def __init__(self):
        self.words = []
        self.reached = []
        self._within = []

    def say(self, *words):
        self.words += [f"{len(word)}:{word} " for word in map(str, words)]

    def tell_function(self, function):
        self.say(function.__module__, function.__qualname__)
        self.tell(function.__defaults__)
        self.tell(function.__kwdefaults__)
        names = self.tell_code(function.__code__)
        for name in names:
            if name in function.__globals__:
                self.say("global", name)
                self.tell(function.__globals__[name], names)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self.say("closure", name)
            self.tell(cell.cell_contents, names)

    def tell_code(self, code):
        """Byte code with the constants it uses; returns all names in it, sorted."""
        raw, constants, extended = bytearray(code.co_code), [], 0
        for at in range(0, len(raw), 2):
            argument = raw[at + 1] | extended << 8
            extended = argument if raw[at] == opcode.EXTENDED_ARG else 0
            if raw[at] in TAKES_CONSTANT:  # its number depends on whether there is a docstring
                raw[at + 1] = 0
                constants.append(code.co_consts[argument])
        self.say(bytes(raw).hex(), code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_argcount,
                 code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & ~DOCSTRING_FLAG,
                 getattr(code, "co_exceptiontable", b"").hex())
        names = set(code.co_names)
        for constant in constants:
            if isinstance(constant, CodeType):
                names |= set(self.tell_code(constant))
            else:
                self.tell(constant)
        return sorted(names)

    def tell(self, value, names=()):
        """One value; of a module those attributes that are among the names."""
        if isinstance(value, PLAIN_VALUES) and not isinstance(value, enum.Enum):
            self.say(type(value).__name__, repr(value))
        elif isinstance(value, numba.core.dispatcher.Dispatcher):
            self.say("kernel", sorted((name, repr(option)) for name, option in value.targetoptions.items()), repr(value.locals))
            self.tell(value.py_func)
            self.tell(getattr(value, "stand_ins", ()))
        elif type(value).__name__ == "_Intrinsic":
            self.say("intrinsic", value._prefer_literal)
            self.tell(value._defn)
        elif isinstance(value, (FunctionType, BuiltinFunctionType, np.ufunc, ModuleType, type, operator.attrgetter)):
            self._tell_named(value, names)
        elif isinstance(value, (tuple, list)):
            self.say(type(value).__name__, getattr(value, "_fields", ""), len(value))
            for each in value:
                self.tell(each, names)
        elif isinstance(value, (set, frozenset)) and all(isinstance(each, PLAIN_VALUES) for each in value):
            self.say(type(value).__name__, sorted(map(repr, value)))
        elif isinstance(value, dict):
            self.say("dict", len(value))
            for pair in value.items():
                self.tell(pair, names)
        elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
            self.say("array", value.dtype.descr, value.shape, value.tobytes().hex())
        elif isinstance(value, types.Type):
            self.tell_type(value)
        elif isinstance(value, enum.Enum):
            self.say("choice", type(value).__qualname__, value.name, repr(value.value))
        elif isinstance(value, (ir.Type, ir.Constant)):
            self.say("llvm", type(value).__name__, str(value))
        else:
            raise Unknown(f"a {type(value).__name__}: {value!r}")

    def _tell_named(self, value, names):
        """Functions, classes and modules: those of others by their names, ours by what is in them."""
        module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or "builtins"
        foreign = module.split(".")[0] in FOREIGN
        if isinstance(value, FunctionType) and not foreign:
            self.say("function")
            self.reached.append(value)
            return
        self.say(type(value).__name__, module, getattr(value, "__qualname__", getattr(value, "__name__", repr(value))))
        if foreign or value in self._within:
            return
        self._within.append(value)
        if isinstance(value, ModuleType):
            for name in names:
                if name in vars(value):
                    self.say("attribute", name)
                    self.tell(vars(value)[name], names)
        elif isinstance(value, type):
            self.say(getattr(value, "_fields", ""), sorted(vars(value)))
            self.tell(getattr(value, "_field_defaults", None))
            self.tell([(each.name, each.value) for each in value] if issubclass(value, enum.Enum) else None)
            for name, each in sorted(vars(value).items()):
                in_use = name in names and isinstance(each, (tuple, list, set, frozenset, dict, np.ndarray))
                if in_use or (isinstance(each, (FunctionType, *PLAIN_VALUES)) and name not in ("__doc__", "__firstlineno__")):
                    self.say(name)
                    self.tell(each)

    def tell_type(self, kind):
        """A numba type; its name alone tells neither the fields of a named tuple nor one function from another."""
        self.say("type", type(kind).__name__)
        if isinstance(kind, types.BaseNamedTuple):
            self.say(kind.instance_class.__module__, kind.instance_class.__qualname__, kind.fields)
        if isinstance(kind, types.BaseTuple):
            for each in kind.types:
                self.tell_type(each)
        elif isinstance(kind, types.Dispatcher):
            self.tell(kind.dispatcher)
        elif hasattr(kind, "inner"):
            self.tell_type(kind.inner)
        elif " at 0x" in str(kind):
            raise Unknown(f"the type {kind}")
        else:
            self.say(str(kind))


def type_digest(kinds):
    """Digest of the types of arguments."""
    teller = _Teller()
    for kind in kinds:
        teller.tell_type(kind)
    total = hashlib.sha256("".join(teller.words).encode())
    for function in teller.reached:
        total.update(digest(function).encode())
    return total.hexdigest()
