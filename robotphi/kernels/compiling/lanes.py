"""Four springs at once: a numba type for a vector of four doubles, so that kernels read like the scalar equation.

State arrays hold a row of four doubles for each particle (x, y, z, pad). `gather` reads the rows of four springs and transposes
them into three lanes x, y, z; `scatter` transposes back and adds row after row, so that springs of one lane may share
particles. All operations are strict IEEE and lane-wise: results do not depend on the processor.
With compilation off, `uncompiled` gives the same functions on numpy arrays of four.
"""
import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

from robotphi.kernels.compiling.compiled import PLAIN

WIDTH = 4
GHOSTS = 4   # resting rows behind the particles, which idle springs tie
_DOUBLE = ir.DoubleType()
_VECTOR = ir.VectorType(_DOUBLE, WIDTH)
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)


class Lane(types.Type):
    """Four doubles in one register."""

    def __init__(self):
        super().__init__(name=f"Lane{WIDTH}")


lane = Lane()


@register_model(Lane)
class _LaneModel(models.PrimitiveModel):
    def __init__(self, manager, frontend_type):
        super().__init__(manager, frontend_type, _VECTOR)


def _mask(*positions):
    return ir.Constant(ir.VectorType(_INT32, len(positions)), list(positions))


def _zero():
    return ir.Constant(_VECTOR, [0.0] * WIDTH)


def _arithmetic(function, instruction):
    """Give `function` (an operator) the LLVM `instruction` on lanes; a float on one side is spread out."""

    @intrinsic
    def both(context, a, b):
        def generate(ctx, builder, signature, arguments):
            return getattr(builder, instruction)(arguments[0], arguments[1])
        return (lane(a, b), generate) if isinstance(a, Lane) and isinstance(b, Lane) else None

    @overload(function)
    def choose(a, b):
        number = (types.Float, types.Integer)
        if isinstance(a, Lane) and isinstance(b, Lane):
            return lambda a, b: both(a, b)
        if isinstance(a, Lane) and isinstance(b, number):
            return lambda a, b: both(a, splat(b))
        if isinstance(b, Lane) and isinstance(a, number):
            return lambda a, b: both(splat(a), b)
        return None


for _function, _instruction in ((operator.add, "fadd"), (operator.sub, "fsub"),
                                (operator.mul, "fmul"), (operator.truediv, "fdiv")):
    _arithmetic(_function, _instruction)


@intrinsic
def splat(context, number):
    """The same number in all four places."""
    def generate(ctx, builder, signature, arguments):
        value = ctx.cast(builder, arguments[0], signature.args[0], types.float64)
        start = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.Constant(_INT32, 0))
        return builder.shuffle_vector(start, start, _mask(*[0] * WIDTH))
    return lane(number), generate


@intrinsic
def lane_of(context, a):
    """A vector (x, y, z) as a lane with a zero pad."""
    def generate(ctx, builder, signature, arguments):
        found = _zero()
        for q in range(3):
            found = builder.insert_element(found, builder.extract_value(arguments[0], q), ir.Constant(_INT32, q))
        return found
    return (lane(a), generate) if a == types.UniTuple(types.float64, 3) else None


def _unary(name):
    @intrinsic
    def function(context, a):
        def generate(ctx, builder, signature, arguments):
            llvm = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), name)
            return builder.call(llvm, [arguments[0]])
        return lane(lane), generate
    return function


root = _unary(f"llvm.sqrt.v{WIDTH}f64")       # square root
magnitude = _unary(f"llvm.fabs.v{WIDTH}f64")  # absolute value


@intrinsic
def where_less(context, a, b, yes, no):
    """`yes` where a < b, else `no` (also where a or b is not a number)."""
    def generate(ctx, builder, signature, arguments):
        a, b, yes, no = arguments
        return builder.select(builder.fcmp_ordered("<", a, b), yes, no)
    return lane(lane, lane, lane, lane), generate


@intrinsic
def lane_sum(context, a):
    """(a0 + a1) + (a2 + a3)."""
    def generate(ctx, builder, signature, arguments):
        part = [builder.extract_element(arguments[0], ir.Constant(_INT32, q)) for q in range(WIDTH)]
        return builder.fadd(builder.fadd(part[0], part[1]), builder.fadd(part[2], part[3]))
    return types.float64(lane), generate


def _row_pointer(ctx, builder, array_type, array, index):
    """Pointer to row `index` (64-bit) of a (rows, 4) array."""
    data = ctx.make_array(array_type)(ctx, builder, array).data
    offset = builder.mul(index, ir.Constant(_INT64, WIDTH))
    return builder.bitcast(builder.gep(data, [offset]), _VECTOR.as_pointer())


def _indices(ctx, builder, array_type, array, start):
    """The four indices from `start` on, widened without sign."""
    data = ctx.make_array(array_type)(ctx, builder, array).data
    read = [builder.load(builder.gep(data, [builder.add(start, ir.Constant(_INT64, q))])) for q in range(WIDTH)]
    return [builder.zext(i, _INT64) if i.type.width < 64 else i for i in read]


def _columns(builder, rows):
    """Four rows to the lanes x, y, z."""
    low = builder.shuffle_vector(rows[0], rows[1], _mask(0, 4, 2, 6))
    odd = builder.shuffle_vector(rows[0], rows[1], _mask(1, 5, 3, 7))
    low2 = builder.shuffle_vector(rows[2], rows[3], _mask(0, 4, 2, 6))
    odd2 = builder.shuffle_vector(rows[2], rows[3], _mask(1, 5, 3, 7))
    return (builder.shuffle_vector(low, low2, _mask(0, 1, 4, 5)),
            builder.shuffle_vector(odd, odd2, _mask(0, 1, 4, 5)),
            builder.shuffle_vector(low, low2, _mask(2, 3, 6, 7)))


def _rows(builder, x, y, z):
    """Lanes x, y, z to four rows with a zero pad."""
    low = builder.shuffle_vector(x, y, _mask(0, 4, 2, 6))
    odd = builder.shuffle_vector(x, y, _mask(1, 5, 3, 7))
    low2 = builder.shuffle_vector(z, _zero(), _mask(0, 4, 2, 6))
    odd2 = builder.shuffle_vector(z, _zero(), _mask(1, 5, 3, 7))
    return [builder.shuffle_vector(low, low2, _mask(0, 1, 4, 5)), builder.shuffle_vector(odd, odd2, _mask(0, 1, 4, 5)),
            builder.shuffle_vector(low, low2, _mask(2, 3, 6, 7)), builder.shuffle_vector(odd, odd2, _mask(2, 3, 6, 7))]


@intrinsic
def load(context, array, start):
    """Four consecutive numbers of a list."""
    def generate(ctx, builder, signature, arguments):
        data = ctx.make_array(signature.args[0])(ctx, builder, arguments[0]).data
        return builder.load(builder.bitcast(builder.gep(data, [arguments[1]]), _VECTOR.as_pointer()), align=8)
    return lane(array, types.int64), generate


@intrinsic
def store(context, array, start, value):
    """Write a lane into four consecutive places of a list."""
    def generate(ctx, builder, signature, arguments):
        data = ctx.make_array(signature.args[0])(ctx, builder, arguments[0]).data
        builder.store(arguments[2], builder.bitcast(builder.gep(data, [arguments[1]]), _VECTOR.as_pointer()), align=8)
        return ctx.get_dummy_value()
    return types.void(array, types.int64, lane), generate


@intrinsic
def crossed(context, a, b):
    """a × b of two vectors (x, y, z, pad); the pad is that of a times that of b, taken from itself."""
    def generate(ctx, builder, signature, arguments):
        a, b = arguments
        turned, back = _mask(1, 2, 0, 3), _mask(2, 0, 1, 3)
        return builder.fsub(builder.fmul(builder.shuffle_vector(a, a, turned), builder.shuffle_vector(b, b, back)),
                            builder.fmul(builder.shuffle_vector(a, a, back), builder.shuffle_vector(b, b, turned)))
    return lane(lane, lane), generate


@intrinsic
def vector_of(context, a):
    """x, y and z of a lane."""
    def generate(ctx, builder, signature, arguments):
        found = [builder.extract_element(arguments[0], ir.Constant(_INT32, q)) for q in range(3)]
        return ctx.make_tuple(builder, types.UniTuple(types.float64, 3), found)
    return types.UniTuple(types.float64, 3)(lane), generate


@intrinsic
def row(context, rows, index):
    """Row `index` as a lane."""
    def generate(ctx, builder, signature, arguments):
        return builder.load(_row_pointer(ctx, builder, signature.args[0], arguments[0], arguments[1]), align=8)
    return lane(rows, types.int64), generate


@intrinsic
def set_row(context, rows, index, value):
    """Write a lane into row `index`."""
    def generate(ctx, builder, signature, arguments):
        builder.store(arguments[2], _row_pointer(ctx, builder, signature.args[0], arguments[0], arguments[1]), align=8)
        return ctx.get_dummy_value()
    return types.void(rows, types.int64, lane), generate


@intrinsic
def gather_difference(context, rows, first, second, start):
    """rows[first] − rows[second] of four springs, as lanes x, y, z."""
    result = types.UniTuple(lane, 3)

    def generate(ctx, builder, signature, arguments):
        array, kind = arguments[0], signature.args[0]
        one = _indices(ctx, builder, signature.args[1], arguments[1], arguments[3])
        two = _indices(ctx, builder, signature.args[2], arguments[2], arguments[3])
        found = []
        for q in range(WIDTH):
            a = builder.load(_row_pointer(ctx, builder, kind, array, one[q]), align=8)
            b = builder.load(_row_pointer(ctx, builder, kind, array, two[q]), align=8)
            found.append(builder.fsub(a, b))
        return ctx.make_tuple(builder, result, _columns(builder, found))
    return result(rows, first, second, types.int64), generate


@intrinsic
def gather_arms(context, rows, first, centre, second, start):
    """rows[first] − rows[centre] and rows[second] − rows[centre] of four springs, as six lanes."""
    result = types.UniTuple(lane, 6)

    def generate(ctx, builder, signature, arguments):
        array, kind = arguments[0], signature.args[0]
        lists = [_indices(ctx, builder, signature.args[k], arguments[k], arguments[4]) for k in (1, 2, 3)]
        one, two = [], []
        for q in range(WIDTH):
            a, c, b = (builder.load(_row_pointer(ctx, builder, kind, array, lists[k][q]), align=8) for k in range(3))
            one.append(builder.fsub(a, c))
            two.append(builder.fsub(b, c))
        return ctx.make_tuple(builder, result, _columns(builder, one) + _columns(builder, two))
    return result(rows, first, centre, second, types.int64), generate


def _add_row(ctx, builder, kind, array, index, value, subtract=False):
    pointer = _row_pointer(ctx, builder, kind, array, index)
    old = builder.load(pointer, align=8)
    builder.store(builder.fsub(old, value) if subtract else builder.fadd(old, value), pointer, align=8)


@intrinsic
def scatter_pair(context, rows, first, second, start, x, y, z):
    """rows[first] += (x, y, z), rows[second] −= (x, y, z), spring after spring."""
    def generate(ctx, builder, signature, arguments):
        array, kind = arguments[0], signature.args[0]
        one = _indices(ctx, builder, signature.args[1], arguments[1], arguments[3])
        two = _indices(ctx, builder, signature.args[2], arguments[2], arguments[3])
        value = _rows(builder, *arguments[4:7])
        for q in range(WIDTH):
            _add_row(ctx, builder, kind, array, one[q], value[q])
            _add_row(ctx, builder, kind, array, two[q], value[q], subtract=True)
        return ctx.get_dummy_value()
    return types.void(rows, first, second, types.int64, lane, lane, lane), generate


@intrinsic
def scatter_arms(context, rows, first, centre, second, start, ax, ay, az, bx, by, bz):
    """rows[first] += a, rows[second] += b, rows[centre] −= a + b, spring after spring."""
    def generate(ctx, builder, signature, arguments):
        array, kind = arguments[0], signature.args[0]
        one, mid, two = (_indices(ctx, builder, signature.args[k], arguments[k], arguments[4]) for k in (1, 2, 3))
        a, b = _rows(builder, *arguments[5:8]), _rows(builder, *arguments[8:11])
        for q in range(WIDTH):
            _add_row(ctx, builder, kind, array, one[q], a[q])
            _add_row(ctx, builder, kind, array, two[q], b[q])
            _add_row(ctx, builder, kind, array, mid[q], builder.fadd(a[q], b[q]), subtract=True)
        return ctx.get_dummy_value()
    return types.void(rows, first, centre, second, types.int64, *[lane] * 6), generate


if PLAIN:
    from robotphi.kernels.compiling import uncompiled

    gather_arms, gather_difference = uncompiled.gather_arms, uncompiled.gather_difference
    scatter_arms, scatter_pair = uncompiled.scatter_arms, uncompiled.scatter_pair
    load, row, set_row, store = uncompiled.load, uncompiled.row, uncompiled.set_row, uncompiled.store
    crossed, lane_of, vector_of = uncompiled.crossed, uncompiled.lane_of, uncompiled.vector_of
    splat, root, magnitude = uncompiled.splat, uncompiled.root, uncompiled.magnitude
    where_less, lane_sum = uncompiled.where_less, uncompiled.lane_sum
