"""A team of threads that runs one compiled loop in step.

Every member runs the same code and meets the others at barriers; which member does which group of springs is mere
scheduling, so results are the same bits for any number of members. A team of one never waits. No thread pool of a
library is involved: several simulations may run at the same time in threads or processes.
"""
import os

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from robotphi.kernels.compiling.compiled import PLAIN, kernel

SYNC_LENGTH = 32  # int64: arrivals at 0, generation at 16, on cache lines of their own
SPINS = 4000      # looks before the processor is given away; raising it wastes time when cores are short


@intrinsic
def _arrive(context, sync):
    """Add one to the arrivals, return how many there were."""
    def generate(ctx, builder, signature, arguments):
        data = ctx.make_array(signature.args[0])(ctx, builder, arguments[0]).data
        return builder.atomic_rmw("add", data, ir.Constant(ir.IntType(64), 1), "seq_cst")
    return types.int64(sync), generate


@intrinsic
def _look(context, sync):
    """The generation, with everything written before it was raised."""
    def generate(ctx, builder, signature, arguments):
        data = ctx.make_array(signature.args[0])(ctx, builder, arguments[0]).data
        return builder.load_atomic(builder.gep(data, [ir.Constant(ir.IntType(64), 16)]), "acquire", 8)
    return types.int64(sync), generate


@intrinsic
def _release(context, sync, generation):
    """Reset the arrivals and raise the generation."""
    def generate(ctx, builder, signature, arguments):
        data = ctx.make_array(signature.args[0])(ctx, builder, arguments[0]).data
        builder.store_atomic(ir.Constant(ir.IntType(64), 0), data, "monotonic", 8)
        builder.store_atomic(arguments[1], builder.gep(data, [ir.Constant(ir.IntType(64), 16)]), "release", 8)
        return ctx.get_dummy_value()
    return types.void(sync, types.int64), generate


if os.name == "posix":
    _give_way = types.ExternalFunction("sched_yield", types.int32())
else:
    @kernel
    def _give_way():
        return 0


@kernel
def _wait(sync, team, generation):
    if _arrive(sync) == team - 1:
        _release(sync, generation + 1)
        return
    looks = 0
    while _look(sync) == generation:
        looks += 1
        if looks > SPINS:
            _give_way()


@kernel
def meet(sync, team, generation):
    """Wait until all members are here; returns the next generation."""
    if team > 1:
        _wait(sync, team, generation)
    return generation + 1


if PLAIN:
    from robotphi.kernels.compiling import uncompiled

    meet = uncompiled.meet
