"""Machine code that is kept in files between runs, named by all that it was made from.

numba's own file cache looks at the text of the calling file only: it would go on running old code after an edit in another
kernel file, and would throw away good code after an edit of a comment. Here the name of a file holds the digest of the
function with all that it reaches (see `reach`), of its arguments, the processor and the versions; and that of its content, so
that what is damaged is made anew. Where numba's inside has changed, or no folder can be written, nothing is kept.
"""
import hashlib
import itertools
import os
import re
import secrets
import sys
import warnings
from contextlib import suppress
from pathlib import Path

import llvmlite
import numba
import numpy as np
from numba.core import config

from robotphi.kernels.compiling.reach import Unknown, digest, type_digest

try:
    from numba.core.bytecode import FunctionIdentity
    from numba.core.caching import CompileResultCacheImpl, IndexDataCacheFile, _Cache
    from numba.core.compiler import CompileResult
    from numba.core.serialize import dumps
    KNOWN = all(hasattr(IndexDataCacheFile, name) for name in ("_load_data", "_open_for_write"))
    # numba numbers the names in machine code from one in every run: files of two runs could bring one name with two meanings
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(48))
except ImportError:
    KNOWN = False

FILES = 32  # of one function, for its eight kinds of scenes and its last edits; the one that was not used for longest goes
WORDS = 16  # hexadecimal digits of a digest in a name
SETTINGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX", "USING_SVML")


def keep(dispatcher):
    """Let a numba dispatcher keep its machine code; returns it. Without compilation it gets a plain function."""
    if KNOWN and hasattr(dispatcher, "_cache"):
        dispatcher._cache = Store(dispatcher)
    return dispatcher


def versions():
    """What else machine code depends on."""
    return (numba.__version__, llvmlite.__version__, np.__version__, sys.implementation.cache_tag, sys.version_info[:3],
            [getattr(config, name, None) for name in SETTINGS])


def _last_used(path):
    """When a file was used; 0 for one that another process has just removed."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _complain(problem):
    """Say why nothing is kept; Python shows the same sentence once."""
    warnings.warn(f"compiled code cannot be kept, so every run compiles anew: {problem}. Let NUMBA_CACHE_DIR name a folder "
                  "that can be written", RuntimeWarning, stacklevel=2)


if KNOWN:
    class Store(_Cache):
        """The files of one function, in the way numba asks for them."""

        def __init__(self, dispatcher):
            self._dispatcher = dispatcher
            self._folder = None  # looked for when it is needed: most kernels are never called from Python
            self._enabled = True
            function = dispatcher.py_func
            self._stem = re.sub(r"[^\w.]", "", f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}")

        @property
        def cache_path(self):
            return None if self._folder is None else str(self._folder)

        def enable(self):
            self._enabled = True

        def disable(self):
            self._enabled = False

        def flush(self):
            for path in self._files():
                path.unlink(missing_ok=True)

        def key(self, kinds, codegen):
            """Digest of all that the machine code for these types of arguments is made from; None where that cannot be told."""
            try:
                told = [digest(self._dispatcher.py_func), type_digest(kinds)]
            except Unknown:
                return None
            told += [sorted(map(repr, self._dispatcher.targetoptions.items())), codegen.magic_tuple(), versions()]
            return hashlib.sha256(repr(told).encode()).hexdigest()[:WORDS]

        def load_overload(self, sig, target_context):
            target_context.refresh()  # numba learns here what it can load
            key = self._usable_key(sig, target_context.codegen())
            if key is None:
                return None
            for path in self._files(key):
                with suppress(Exception):  # whatever is wrong with a file, the code is made anew
                    if path.name == self._name(key, path.read_bytes()):
                        reduced = IndexDataCacheFile(str(self._folder), self._stem, None)._load_data(path.name)
                        made = CompileResult._rebuild(target_context, *reduced)
                        os.utime(path)
                        return made
                with suppress(OSError):
                    path.unlink()
            return None

        def save_overload(self, sig, data):
            key = self._usable_key(sig, data.codegen)
            if key is None or data.lifted or data.library.has_dynamic_globals:
                return
            content = dumps(data._reduce())
            path = self._folder / self._name(key, content)
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                with IndexDataCacheFile(str(self._folder), self._stem, None)._open_for_write(str(path)) as file:
                    file.write(content)
                for old in sorted(self._files(), key=_last_used)[:-FILES]:
                    old.unlink(missing_ok=True)
            except OSError as problem:
                _complain(problem)

        def _usable_key(self, sig, codegen):
            """The key, once there is a folder for the files."""
            if not self._enabled:
                return None
            if self._folder is None:
                try:
                    self._folder = Path(CompileResultCacheImpl(self._dispatcher.py_func).locator.get_cache_path())
                except (RuntimeError, OSError) as problem:  # numba has tried one folder after the other
                    _complain(problem)
                    self._enabled = False
                    return None
            return self.key(tuple(sig), codegen)

        def _name(self, key, content):
            return f"{self._stem}-{key}.{hashlib.sha256(content).hexdigest()[:WORDS]}.nbc"

        def _files(self, key="*"):
            return [] if self._folder is None else list(self._folder.glob(f"{self._stem}-{key}.*.nbc"))
