"""A numba dispatcher that compiles what is called by others for linking only.

numba makes every function of a program ready to be called from Python: it links in all that the function calls, optimises
the whole, writes machine code and a wrapper. Where hundreds of kernels call each other ten deep, that is done ten times over
and takes most of the time. Here a function that is called by one that is being compiled stops at LLVM's intermediate code;
optimisation and machine code are left to the outermost function, whose code is the same as ever. Called from Python later
(tests do), it is compiled once more, in full. Where the types of its arguments say that what a kernel is about is not there,
what stands in for it is compiled, however deep it is called. Where numba's inside has changed, its own way is taken, merely
slower.
"""
import gc
import threading
from contextlib import contextmanager

import numba

from robotphi.kernels.compiling.remembered import remember
from robotphi.kernels.compiling.store import keep

try:
    from numba.core import codegen, sigutils
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import _FunctionCompiler
    from numba.core.registry import CPUDispatcher
    Library, Codegen = codegen.JITCodeLibrary, codegen.JITCPUCodegen
    KNOWN = hasattr(Codegen, "set_env") and all(hasattr(Library, name) for name in (
        "finalize", "_raise_if_finalized", "_optimize_final_module", "_finalize_dynamic_globals", "_ensure_finalized"))
except (ImportError, AttributeError):
    KNOWN = False


MANY = 10**6    # new objects, some hundreds of kernels' worth, before it is looked for circles among them


class _Under(threading.local):
    """How many compilations are under way in this thread, one within the other."""
    depth = 0

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *_):
        self.depth -= 1


UNDER = _Under()


@contextmanager
def _seldom_collecting():
    """Compiling makes millions of objects of which most live to its end: to go through all of them for circles, as often as
    Python does, takes a seventh of it."""
    before = gc.get_threshold()
    gc.set_threshold(MANY, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def dispatcher(**options):
    """Decorator that compiles as `numba.njit(**options)` does, and keeps what was made for calls from Python."""
    def decorate(function):
        if not KNOWN:
            return keep(numba.njit(**options)(function))
        return keep(Linked(function, targetoptions={"nopython": True, "boundscheck": None, **options}))
    return decorate


remember(UNDER)

if KNOWN:
    class Linked(CPUDispatcher):
        """Compiles in full when it is called from Python, for linking only when another function calls it."""

        def __init__(self, function, locals=None, targetoptions=None, **more):
            super().__init__(function, locals, targetoptions, **more)
            self._for_linking = _FunctionCompiler(function, self.targetdescr, {**targetoptions, "no_cpython_wrapper": True},
                                                  self.locals, self._compiler.pipeline_class)
            self._only_linked = set()
            self.stand_ins = ()

        def replace_where(self, absent, other):
            """Compile another kernel where a named tuple of class `absent` is an argument or among the fields of one."""
            self.stand_ins += ((absent, other),)

        def _stand_in(self, args):
            """The kernel that is compiled for these types."""
            given = [inner for arg in args if (inner := getattr(arg, "inner", None)) is not None]
            fields = [*given, *(field for inner in given for field in getattr(inner, "types", ()))]
            for absent, other in self.stand_ins:
                if any(issubclass(getattr(field, "instance_class", object), absent) for field in fields):
                    return other
            return None

        def compile(self, sig):
            args, returned = sigutils.normalize_signature(sig)
            args = tuple(args)
            if UNDER.depth == 0:
                with global_compiler_lock, UNDER, _seldom_collecting():  # another thread may be at this function, for linking
                    if args in self._only_linked:
                        self._only_linked.remove(args)
                        del self.overloads[args]
                    return super().compile(sig)
            if args not in self._only_linked and (other := self._stand_in(args)) is not None:
                other.compile(args)
                self.overloads[args] = other.overloads[args]
                self._only_linked.add(args)
            if args not in self._only_linked and (args not in self.overloads or self._cache_hits[args]):
                with UNDER:  # what comes from a file is optimised already: compiled code is the same with and without it
                    self.overloads[args] = self._for_linking.compile(args, returned)
                self._only_linked.add(args)
            return self.overloads[args].entry_point

    def _patch(owner, name, short):
        """While functions are compiled for linking, do `short` instead of the method `name`."""
        full = getattr(owner, name)

        def method(self, *args):
            return short(self, *args) if UNDER.depth > 1 else full(self, *args)
        setattr(owner, name, method)

    def _reached(library):
        """What a library calls, however deep, callers first: LLVM leaves out what nobody has asked for when it is linked."""
        order, seen = [], set()

        def visit(each):
            if each not in seen:
                seen.add(each)
                if each is library or getattr(each, "waits_for_linking", False):
                    for other in each._linking_libraries:
                        visit(other)
                order.append(each)
        visit(library)
        return order[-2::-1]

    def _link_all_reached(finalise):
        """Before a function is linked: what it calls is followed through all that waited for that."""
        def method(library):
            library._linking_libraries = _reached(library)
            finalise(library)
        return method

    def _nobody_else_calls(optimise):
        """Tell LLVM, before it optimises an outermost function, that what was linked into it is its own."""
        def method(library):
            if UNDER.depth == 1:
                for function in library._final_module.functions:
                    if function.is_declaration and function.name.startswith("_ZN"):
                        raise AssertionError(f"{function.name} is called by {library.name} and not linked")
                    if not function.is_declaration and function.linkage.name == "linkonce_odr":
                        function.linkage = "internal"
            optimise(library)
        return method

    def _no_machine_code(library, name):
        library._ensure_finalized()
        return 0  # an address that nobody calls: such a function is not in the dispatcher's table

    def _wait_for_linking(library):
        library._raise_if_finalized()
        library._finalize_dynamic_globals()
        library.waits_for_linking = library._finalized = True

    Library._optimize_final_module = _nobody_else_calls(Library._optimize_final_module)
    Library.finalize = _link_all_reached(Library.finalize)
    _patch(Library, "finalize", _wait_for_linking)
    _patch(Library, "get_pointer_to_function", _no_machine_code)
    _patch(Codegen, "set_env", lambda codegen, name, environment: None)  # kernels call no Python
