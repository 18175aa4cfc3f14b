"""A team of threads that runs one compiled loop in step.

Every member runs the same code and meets the others at barriers; which member does which group of springs is mere
scheduling, so results are the same bits for any number of members. A team of one never waits. No thread pool of a
library is involved: several simulations may run at the same time in threads or processes.

Who waits looks for a while, which is soonest where every member has a processor. Where others compute too, a member may be
without one for milliseconds: who waits then sleeps (Linux: by a futex), and is woken. To give the processor away again and
again instead costs a slice of the others' time each, long after the last member has come.
"""
import os
import platform
import sys

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from robotphi.kernels.compiling.compiled import PLAIN, kernel

SYNC_LENGTH = 32  # int64: arrivals at 0, how many sleep at 8, generation at 16, shares taken at 24, on cache lines of their own
MACHINE = platform.machine().lower()
PAUSES = MACHINE in ("x86_64", "amd64")
LOOKS = 2000 if PAUSES else 20000   # before one sleeps: some 50 µs, as long as waking takes, or a hundredth of a slice of time
FUTEX = {"x86_64": 202, "aarch64": 98}.get(MACHINE) if sys.platform == "linux" and sys.byteorder == "little" else None
WAIT, WAKE, ALL = 128, 129, 2**31 - 1   # FUTEX_WAIT and FUTEX_WAKE, private to the process; how many are woken


def _place(ctx, builder, array_type, array, index):
    """Pointer to a number of `sync`."""
    data = ctx.make_array(array_type)(ctx, builder, array).data
    return builder.gep(data, [ir.Constant(ir.IntType(64), index)])


def _adding(index, number):
    """Add a number to one of `sync`, return what it was."""
    @intrinsic
    def add(context, sync):
        def generate(ctx, builder, signature, arguments):
            place = _place(ctx, builder, signature.args[0], arguments[0], index)
            return builder.atomic_rmw("add", place, ir.Constant(ir.IntType(64), number), "seq_cst")
        return types.int64(sync), generate
    return add


_arrive, _fall_asleep, _wake_up, _count_sleepers = _adding(0, 1), _adding(8, 1), _adding(8, -1), _adding(8, 0)


@intrinsic
def _look(context, sync):
    """The generation, with everything written before it was raised."""
    def generate(ctx, builder, signature, arguments):
        return builder.load_atomic(_place(ctx, builder, signature.args[0], arguments[0], 16), "acquire", 8)
    return types.int64(sync), generate


@intrinsic
def _release(context, sync, generation):
    """Reset the arrivals and raise the generation, before anything is asked of those that sleep."""
    def generate(ctx, builder, signature, arguments):
        arrivals, raised = (_place(ctx, builder, signature.args[0], arguments[0], index) for index in (0, 16))
        builder.store_atomic(ir.Constant(ir.IntType(64), 0), arrivals, "monotonic", 8)
        builder.atomic_rmw("xchg", raised, arguments[1], "seq_cst")
        return ctx.get_dummy_value()
    return types.void(sync, types.int64), generate


@intrinsic
def _address(context, sync):
    """Where the generation stands; its lower half comes first."""
    def generate(ctx, builder, signature, arguments):
        return builder.ptrtoint(_place(ctx, builder, signature.args[0], arguments[0], 16), ir.IntType(64))
    return types.int64(sync), generate


@intrinsic
def _pause(context):
    """Tell the processor that this is a look among many."""
    def generate(ctx, builder, signature, arguments):
        if PAUSES:
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", (), ir.FunctionType(ir.VoidType(), [])), [])
        return ctx.get_dummy_value()
    return types.void(), generate


if FUTEX is not None:
    _call_system = types.ExternalFunction("syscall", types.int64(*[types.int64] * 7))

    @kernel
    def _rest(sync, generation):
        """Sleep until woken, unless the generation is another one already."""
        _fall_asleep(sync)
        _call_system(FUTEX, _address(sync), WAIT, generation & 0xffffffff, 0, 0, 0)
        _wake_up(sync)

    @kernel
    def _rouse(sync):
        if _count_sleepers(sync) > 0:
            _call_system(FUTEX, _address(sync), WAKE, ALL, 0, 0, 0)
else:
    if os.name == "posix":
        _give_way = types.ExternalFunction("sched_yield", types.int32())
    else:
        @kernel
        def _give_way():
            return 0

    @kernel
    def _rest(sync, generation):
        _give_way()

    @kernel
    def _rouse(sync):
        pass


@kernel
def _wait(sync, team, generation):
    if _arrive(sync) == team - 1:
        _release(sync, generation + 1)
        _rouse(sync)
        return
    looks = 0
    while _look(sync) == generation:
        looks += 1
        if looks > LOOKS:
            _rest(sync, generation)
        else:
            _pause()


@kernel
def meet(sync, team, generation):
    """Wait until all members are here; returns the next generation."""
    if team > 1:
        _wait(sync, team, generation)
    return generation + 1


_take = _adding(24, 1)


@kernel
def lay_out(sync):
    """Shares may be taken from now on, when all members have met."""
    sync[24] = 0


@kernel
def take(sync):
    """Number of the next share: who is ready takes it, so that nobody waits for one whose shares are larger."""
    return _take(sync)


if PLAIN:
    from robotphi.kernels.compiling import uncompiled

    meet, take = uncompiled.meet, uncompiled.take
