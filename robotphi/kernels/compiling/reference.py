"""Named tuples by reference: a function that takes a hundred arrays by value costs a second of compilation each.

`refer(t)` puts a named tuple on the stack of the calling function and gives a pointer to it. Attributes of the pointer are
found when they are asked for: a nested named tuple as a pointer again, an array as itself. `value(r)` reads the whole
tuple back, for the inner loops, where the compiler must know that nothing else writes to it.
Without compilation both give what they got.

numba takes a named tuple from Python apart at every call, array by array: 70 µs for those of a model. `Laid` keeps what
compiled code would have seen, and writes it by itself, since code that does so takes seconds to compile. A function that is
compiled for addresses begins with `taker(kind)`, which copies that to its stack: the compiler then knows, as of arguments, that
nothing else writes there. Without compilation an address is the tuple itself.
"""
import functools

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model

from robotphi.kernels.compiling.compiled import PLAIN


class Pointer(types.Type):
    """To a named tuple that outlives the callee."""

    def __init__(self, inner):
        self.inner = inner
        super().__init__(name=f"Pointer({inner})")


@register_model(Pointer)
class _PointerModel(models.PrimitiveModel):
    def __init__(self, manager, frontend_type):
        inner = manager.lookup(frontend_type.inner).get_value_type()
        super().__init__(manager, frontend_type, inner.as_pointer())


def _field(reference, name):
    """Position and type of a field as seen through the pointer."""
    position = reference.inner.fields.index(name)
    kind = reference.inner.types[position]
    return position, Pointer(kind) if isinstance(kind, types.BaseNamedTuple) else kind


@infer_getattr
class _PointerAttributes(AttributeTemplate):
    key = Pointer

    def generic_resolve(self, reference, name):
        return _field(reference, name)[1] if name in reference.inner.fields else None


@lower_getattr_generic(Pointer)
def _get_field(context, builder, kind, pointer, name):
    position, _ = _field(kind, name)
    zero = ir.Constant(ir.IntType(32), 0)
    place = builder.gep(pointer, [zero, ir.Constant(ir.IntType(32), position)], inbounds=True)
    return place if isinstance(kind.inner.types[position], types.BaseNamedTuple) else builder.load(place)


@intrinsic
def refer(context, given):
    """Pointer to a named tuple, valid while the calling function runs."""
    def generate(ctx, builder, signature, arguments):
        with builder.goto_entry_block():
            place = builder.alloca(arguments[0].type)
        builder.store(arguments[0], place)
        return place
    return (Pointer(given)(given), generate) if isinstance(given, types.BaseNamedTuple) else None


@intrinsic
def value(context, reference):
    """The named tuple behind a pointer; a named tuple is its own value."""
    def read(ctx, builder, signature, arguments):
        return builder.load(arguments[0])

    def keep(ctx, builder, signature, arguments):
        return arguments[0]
    if isinstance(reference, Pointer):
        return reference.inner(reference), read
    return (reference(reference), keep) if isinstance(reference, types.BaseNamedTuple) else None


if PLAIN:
    from robotphi.kernels.compiling import uncompiled

    refer, value = uncompiled.refer, uncompiled.value


# In memory, for calls from Python ------------------------------------------------------------------------------------

KINDS = {}   # look of a tuple → its numba type, which takes numba a while to find


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

    `beside`: what was laid down before; arrays that it has as well are looked at once.

    Attributes:
        given: the tuple; its arrays live as long as this.
        kind: its numba type.
        address: what stands for it in a call of code compiled for it.
    """

    def __init__(self, given, beside=None):
        self.given = given
        if PLAIN:
            self.kind, self.address = None, given
            return
        seen = look_of(given)
        if seen not in KINDS:
            KINDS[seen] = numba.typeof(given)
        self.kind = KINDS[seen]
        self._seen = {}   # id of an array → its words; the tuple keeps it alive
        self._memory = np.array(words_of(given, self._seen, beside._seen if beside else {}), np.int64)
        self.address = self._memory.ctypes.data


def words_of(given, seen, before):
    """What compiled code sees of nested named tuples of arrays and numbers, in words of eight bytes: of an array nobody who
    counts references, its elements, bytes of one, where the first is, shape and strides; of a number its bits.

    `seen` takes up the words of arrays, `before` has those that are known: to ask numpy for an address takes most of it.
    """
    words = []
    for field in given:
        if isinstance(field, tuple):
            words += words_of(field, seen, before)
        elif isinstance(field, np.ndarray):
            own = before.get(id(field)) or (0, 0, field.size, field.itemsize, field.__array_interface__["data"][0],
                                            *field.shape, *field.strides)
            seen[id(field)] = own
            words += own
        elif type(field) in (int, float):
            words.append(field if isinstance(field, int) else int(np.float64(field).view(np.int64)))
        else:
            raise TypeError(f"compiled code is handed arrays, whole and real numbers, not {field!r}")
    return words


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
        return Pointer(kind)(types.int64), generate
    return take
