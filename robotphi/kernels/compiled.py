"""How the kernels are compiled: strict IEEE, no Python inside, one cache entry for all of them.

numba's file cache looks at the text of the calling file only and would go on running old code after an edit in another
kernel file. So only the outermost functions are cached, and each closes over a digest of all kernel sources.
"""
import hashlib
from pathlib import Path

import numba
from numba.core import codegen, event

PLAIN = bool(numba.config.DISABLE_JIT)  # the same kernels as plain Python, for tests

# no kernel is called from C: without the wrapper for that, numba has a third less to compile
kernel = numba.njit(error_model="numpy", _nrt=False, no_cfunc_wrapper=True)
inlined = numba.njit(error_model="numpy", forceinline=True, _nrt=False, no_cfunc_wrapper=True)


def source_digest():
    """Digest of every kernel source, in the order of their names."""
    digest = hashlib.sha256()
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


DIGEST = source_digest()


def entry(make, *choices):
    """Compile the function that `make(digest, *choices)` returns; its closure over all of them belongs to the cache key."""
    return numba.njit(error_model="numpy", nogil=True, cache=True, _nrt=False)(make(DIGEST, *choices))


class _Nesting(event.Listener):
    """How many compilations are under way, one within the other."""
    depth = 0

    def on_start(self, happening):
        _Nesting.depth += 1

    def on_end(self, happening):
        _Nesting.depth -= 1


def _optimise_once():
    """Let LLVM optimise whole modules for outermost functions only.

    numba links the code of every function into those that call it and optimises the whole each time: with kernels ten calls
    deep, ten times. What is optimised last is the same code. Where numba's inside has changed, compilation is merely slow.
    """
    library = getattr(codegen, "CPUCodeLibrary", None)
    full = getattr(library, "_optimize_final_module", None)
    if PLAIN or full is None:
        return
    event.register("numba:compile", _Nesting())

    def optimise(self):
        if _Nesting.depth <= 1:
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage.name == "linkonce_odr":
                    function.linkage = "internal"  # else the plain copies that were compiled on the way are found first
            full(self)
    library._optimize_final_module = optimise


_optimise_once()
