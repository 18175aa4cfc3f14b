"""What is compiled for linking only works wherever it is called from."""
import threading
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError

from robotphi.kernels.compiling.compiled import PLAIN, inlined, kernel, kernel_unless
from robotphi.kernels.compiling.linked import KNOWN
from robotphi.kernels.compiling.reach import digest
from robotphi.kernels.compiling.reference import refer
from robotphi.kernels.compiling.store import Store

pytestmark = pytest.mark.skipif(PLAIN or not KNOWN, reason="nothing is compiled, or numba's own way is taken")


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setattr(Store, "_usable_key", lambda *_: None)


def family():
    """Kernels fresh from the definition: nothing of them is compiled yet."""
    @inlined
    def square(x):
        return x * x

    @kernel
    def squares(a):
        total = 0.0
        for i in range(len(a)):
            total += square(a[i])
        return total

    @kernel
    def length(a):
        return np.sqrt(squares(a))
    return square, squares, length


def test_inner_functions_wait_for_the_outermost_one():
    _, squares, length = family()
    assert length(np.array([3.0, 4.0])) == 5.0
    (inner,) = squares.overloads.values()
    assert inner.library.get_pointer_to_function(inner.fndesc.llvm_cpython_wrapper_name) == 0  # no wrapper, never called


def test_an_inner_function_may_be_called_from_python_later():
    square, squares, length = family()
    a = np.array([3.0, 4.0])
    assert [length(a), squares(a), squares(a), length(a), square(3.0)] == [5.0, 25.0, 25.0, 5.0, 9.0]
    assert squares(np.array([1, 2])) == 5.0  # another kind of array


def test_functions_of_others_are_compiled_as_ever():
    _, squares, _ = family()

    @numba.njit
    def twice(a):
        return 2.0 * squares(a)

    @numba.njit
    def four_times(a):
        return 2.0 * twice(a)
    a = np.array([3.0, 4.0])
    assert [four_times(a), twice(a), squares(a)] == [100.0, 50.0, 25.0]


def test_what_is_called_only_further_down_is_linked_too():
    """The compiler throws the first call away; the second one is behind another function that is linked later."""
    @kernel
    def third(x):
        return x / 3.0 + 1.0

    @kernel
    def further(x):
        return third(x) * 2.0

    @kernel
    def further_still(x):
        return further(x) - 1.0

    @kernel
    def first(x):
        if x != x and x == x:
            return third(x)
        return x

    @kernel
    def outermost(x):
        return first(x) + further_still(x)
    assert outermost(3.0) == 6.0


def test_a_failed_compilation_leaves_the_next_one_alone():
    @kernel
    def wrong(a):
        return a.no_such_thing

    @kernel
    def calls(a):
        return wrong(a)
    with pytest.raises(numba.TypingError):
        calls(np.zeros(2))
    _, _, length = family()
    assert length(np.array([3.0, 4.0])) == 5.0


def test_threads_compile_side_by_side():
    _, squares, length = family()
    a, answers = np.array([3.0, 4.0]), {}
    threads = [threading.Thread(target=lambda f=f: answers.setdefault(f.__name__, f(a))) for f in (length, squares)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {"length": 5.0, "squares": 25.0}


class Things(NamedTuple):
    weight: np.ndarray


class NoThings(Things):
    __slots__ = ()


class World(NamedTuple):
    things: Things


def test_what_is_not_there_is_not_compiled():
    @kernel_unless(NoThings, lambda world: 0.0)
    def weight_of(world):
        return world.things.weight[0] + world.things.no_such_column

    @kernel
    def twice(world):
        return 2.0 * weight_of(world)

    @kernel
    def outermost(things):
        return twice(refer(World(things)))
    assert outermost(NoThings(np.ones(1))) == 0.0
    with pytest.raises(TypingError, match="no_such_column"):
        outermost(Things(np.ones(1)))


def test_what_is_there_is_compiled_also_behind_what_is_not():
    @kernel_unless(NoThings, lambda world: 0.0)
    def weight_of(world):
        return world.things.weight[0]

    @kernel
    def outermost(things):
        return weight_of(refer(World(things)))
    assert [outermost(kind(np.full(1, 3.0))) for kind in (NoThings, Things, NoThings)] == [0.0, 3.0, 0.0]


def test_a_stand_in_is_part_of_what_machine_code_is_named_by():
    def digest_with(other):
        @kernel_unless(NoThings, other)
        def weight_of(world):
            return world.things.weight[0]

        def outermost(world):
            return weight_of(world)
        return digest(outermost)
    assert digest_with(lambda world: 0.0) == digest_with(lambda world: 0.0) != digest_with(lambda world: 1.0)
