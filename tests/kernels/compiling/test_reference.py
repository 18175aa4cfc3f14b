"""What is laid down in memory is what compiled code would have been given."""
import gc
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.registry import cpu_target

from robotphi import build_model
from robotphi.discretise import Material, deformable, discretise
from robotphi.geometry import shapes
from robotphi.kernels.compiling.compiled import PLAIN, entry
from robotphi.kernels.compiling.reference import Laid, taker, words_of
from robotphi.run.state import State
from robotphi.verification.mixed import mixed_scene
from tests.kernels.contact.touching_scenes import SCENES


class Inner(NamedTuple):
    whole: np.ndarray
    real: np.ndarray


class Outer(NamedTuple):
    first: np.ndarray
    inner: Inner
    number: float


def make_sum(take):
    def add(address, row):
        """Sum over all arrays; the row is doubled."""
        given = take(address)
        total = given.number
        for i in range(len(given.first)):
            total += given.first[i]
        for i in range(given.inner.real.shape[0]):
            for j in range(given.inner.real.shape[1]):
                total += given.inner.real[i, j] * given.inner.whole[i]
        for j in range(given.inner.real.shape[1]):
            given.inner.real[row, j] *= 2.0
        return total
    return add


def given():
    return Outer(np.array([1.0, 2.0]), Inner(np.array([1, 10], np.int32), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])), 0.5)


def test_compiled_code_reads_and_writes_the_arrays_themselves():
    laid = Laid(given())
    add = entry(make_sum, taker(laid.kind))
    assert add(laid.address, 1) == 0.5 + 3.0 + 6.0 + 150.0
    np.testing.assert_array_equal(laid.given.inner.real, [[1, 2, 3], [8, 10, 12]])
    laid.given.first[0] = 101.0
    assert add(laid.address, 0) == 0.5 + 103.0 + 6.0 + 300.0


def test_the_arrays_live_as_long_as_what_was_laid_down():
    laid = Laid(given())
    gc.collect()
    for _ in range(100):
        np.full(6, np.nan)  # takes the memory where it was given back
    assert entry(make_sum, taker(laid.kind))(laid.address, 0) == 159.5


def kind_of(scene):
    model = build_model(scene)
    return Laid(model.arrays).kind, Laid(State(model).buffers).kind


@pytest.mark.skipif(PLAIN, reason="nothing has a type")
def test_whatever_else_is_there_scenes_in_which_something_touches_have_one_type():
    airy = SCENES["soft"]()
    airy.set_medium(density=1.2, drag=1.0)
    held = SCENES["stack"]()
    held.add_object("pad", deformable(discretise(shapes.box((1, 1, 1), (0, 0, 9)), size=0.5), Material(1e5)), stiff=True)
    assert len({kind_of(scene) for scene in (airy, held, *(make() for make in SCENES.values()))}) == 1, "compiled again"


@pytest.mark.skipif(PLAIN, reason="nothing has a type")
def test_what_nobody_has_is_told_by_the_type_where_nothing_touches():
    springs, stiff = (mixed_scene(None, 1.0, 4) for _ in range(2))
    stiff.add_object("pad", deformable(discretise(shapes.box((1, 1, 1), (0, 0, 9)), size=0.5), Material(1e5)), stiff=True)
    assert len({kind_of(scene) for scene in (springs, stiff, SCENES["stack"]())}) == 3


@pytest.mark.skipif(PLAIN, reason="nothing is laid down")
def test_what_is_laid_down_takes_as_many_bytes_as_compiled_code_sees():
    model = build_model(mixed_scene(None, 1.0, 4))
    context = cpu_target.target_context
    for each in (given(), model.arrays, State(model).buffers):
        assert 8 * len(words_of(each, {}, {})) == context.get_abi_sizeof(context.get_value_type(Laid(each).kind))


def test_what_compiled_code_would_see_otherwise_is_not_laid_down():
    with pytest.raises(TypeError, match="not True"):
        words_of(given()._replace(number=True), {}, {})
