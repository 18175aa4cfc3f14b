"""How the kernels are compiled: strict IEEE, no Python inside, one cache entry for all of them, each function once.

numba's file cache looks at the text of the calling file only and would go on running old code after an edit in another
kernel file. So only the outermost functions are cached, and each closes over a digest of all kernel sources.
"""
import hashlib
from pathlib import Path

import numba

from robotphi.kernels.compiling.linked import dispatcher

PLAIN = bool(numba.config.DISABLE_JIT)  # the same kernels as plain Python, for tests

# no kernel is called from C: without the wrapper for that, numba has a third less to compile
kernel = dispatcher(error_model="numpy", _nrt=False, no_cfunc_wrapper=True)
inlined = dispatcher(error_model="numpy", forceinline=True, _nrt=False, no_cfunc_wrapper=True)
outermost = dispatcher(error_model="numpy", nogil=True, cache=True, _nrt=False)


def source_digest():
    """Digest of every kernel source, in the order of their names."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[1]
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


DIGEST = source_digest()


def entry(make, *choices):
    """Compile the function that `make(digest, *choices)` returns; its closure over all of them belongs to the cache key."""
    return outermost(make(DIGEST, *choices))
