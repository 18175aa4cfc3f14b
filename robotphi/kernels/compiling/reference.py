"""Named tuples by reference: a function that takes a hundred arrays by value costs a second of compilation each.

`refer(t)` puts a named tuple on the stack of the calling function and gives a pointer to it. Attributes of the pointer are
found when they are asked for: a nested named tuple as a pointer again, an array as itself. `value(r)` reads the whole
tuple back, for the inner loops, where the compiler must know that nothing else writes to it.
Without compilation both give what they got.
"""
from llvmlite import ir
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model

from robotphi.kernels.compiling.compiled import PLAIN


class Reference(types.Type):
    """Pointer to a named tuple that outlives the callee."""

    def __init__(self, inner):
        self.inner = inner
        super().__init__(name=f"Reference({inner})")


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager, frontend_type):
        inner = manager.lookup(frontend_type.inner).get_value_type()
        super().__init__(manager, frontend_type, inner.as_pointer())


def _field(reference, name):
    """Position and type of a field as seen through the pointer."""
    position = reference.inner.fields.index(name)
    kind = reference.inner.types[position]
    return position, Reference(kind) if isinstance(kind, types.BaseNamedTuple) else kind


@infer_getattr
class _ReferenceAttributes(AttributeTemplate):
    key = Reference

    def generic_resolve(self, reference, name):
        return _field(reference, name)[1] if name in reference.inner.fields else None


@lower_getattr_generic(Reference)
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
    return (Reference(given)(given), generate) if isinstance(given, types.BaseNamedTuple) else None


@intrinsic
def value(context, reference):
    """The named tuple behind a pointer; a named tuple is its own value."""
    def read(ctx, builder, signature, arguments):
        return builder.load(arguments[0])

    def keep(ctx, builder, signature, arguments):
        return arguments[0]
    if isinstance(reference, Reference):
        return reference.inner(reference), read
    return (reference(reference), keep) if isinstance(reference, types.BaseNamedTuple) else None


if PLAIN:
    def refer(given):
        return given

    def value(reference):
        return reference
