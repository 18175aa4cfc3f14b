"""Named tuples of arrays laid down in memory, so that a call of compiled code takes an address instead of a hundred arrays.

numba takes a named tuple from Python apart at every call, array by array: 70 µs for those of a model. `Laid` does so once and
keeps what the compiled code would have seen. A function that is compiled for addresses begins with `taker(kind)`, which copies
that to its stack: the compiler then knows, as of arguments, that nothing else writes there. Without compilation an address
is the tuple itself.
"""
import functools

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from robotphi.kernels.compiling.compiled import PLAIN, kernel
from robotphi.kernels.compiling.reference import Reference

KINDS = {}   # look of a tuple → its numba type, which takes numba a while to find, and how many words it takes


def look_of(given):
    """All that the numba type of nested named tuples of arrays and numbers depends on."""
    if isinstance(given, tuple):
        return type(given), *map(look_of, given)
    if not isinstance(given, np.ndarray):
        return numba.typeof(given)
    flags = given.flags
    return given.dtype, given.ndim, flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.aligned


class Laid:
    """A named tuple of arrays in memory; what is written into the arrays is seen by both sides.

    Attributes:
        given: the tuple; its arrays live as long as this.
        kind: its numba type.
        address: what stands for it in a call of code compiled for it.
    """

    def __init__(self, given):
        self.given = given
        if PLAIN:
            self.kind, self.address = None, given
            return
        seen = look_of(given)
        if seen not in KINDS:
            KINDS[seen] = numba.typeof(given), (_lay(given, np.zeros(0, np.int64)) + 7) // 8
        self.kind, words = KINDS[seen]
        self._memory = np.zeros(words, np.int64)
        _lay(given, self._memory)
        self.address = self._memory.ctypes.data


@intrinsic
def _size(context, given):
    """Bytes that a value takes in memory."""
    def generate(ctx, builder, signature, arguments):
        return ctx.get_constant(types.int64, ctx.get_abi_sizeof(arguments[0].type))
    return types.int64(given), generate


@intrinsic
def _write(context, given, memory):
    """Write a value to the start of an array."""
    def generate(ctx, builder, signature, arguments):
        data = ctx.make_array(signature.args[1])(ctx, builder, arguments[1]).data
        builder.store(arguments[0], builder.bitcast(data, arguments[0].type.as_pointer()), align=8)
        return ctx.get_dummy_value()
    return types.void(given, memory), generate


@kernel
def _lay(given, memory):
    """Write a value into memory that is large enough; returns the bytes it takes."""
    size = _size(given)
    if 8 * len(memory) >= size:
        _write(given, memory)
    return size


@functools.cache
def taker(kind):
    """The function that gives the reference to a laid-down tuple of a type, from its address."""
    if PLAIN:
        return lambda given: given

    @intrinsic
    def take(context, address):
        def generate(ctx, builder, signature, arguments):
            inner = ctx.get_value_type(kind)
            with builder.goto_entry_block():
                place = builder.alloca(inner)
            kept = builder.inttoptr(arguments[0], inner.as_pointer())
            cgutils.raw_memcpy(builder, place, kept, ir.Constant(ir.IntType(64), 1), ctx.get_abi_sizeof(inner))
            return place
        return Reference(kind)(types.int64), generate
    return take
