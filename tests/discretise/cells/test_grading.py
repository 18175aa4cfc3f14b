"""Gradings: the formula of the report, words for dense places, spacing by a size function."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotphi.discretise.cells.sizes import fractions, is_symmetric, spaced
from robotphi.errors import SceneError

counts = st.integers(1, 40)
exponents = st.floats(0.3, 4.0)
ROUNDING = 1e-15   # one addition near 1 and one power


@pytest.mark.parametrize("k", [0.5, 1, 2, 3])
def test_points_follow_the_formula_of_the_report(k):
    np.testing.assert_allclose(fractions(5, k), [(i / 5) ** k for i in range(6)], rtol=0, atol=ROUNDING)


def test_an_exponent_above_one_is_denser_near_the_start_and_below_one_near_the_end():
    assert np.all(np.diff(fractions(6, 2), 2) > 0)
    assert np.all(np.diff(fractions(6, 0.5), 2) < 0)
    assert np.array_equal(fractions(4), [0, 0.25, 0.5, 0.75, 1])


@given(counts, exponents, st.sampled_from(["start", "end", "middle", "ends"]))
@settings(max_examples=60, deadline=None)
def test_every_grading_increases_from_zero_to_one(count, k, kind):
    t = fractions(count, [kind, k])
    assert len(t) == count + 1
    assert t[0] == 0
    assert t[-1] == 1
    assert np.all(np.diff(t) > 0)


@given(counts, exponents, st.sampled_from(["middle", "ends"]))
@settings(max_examples=60, deadline=None)
def test_two_halves_that_meet_are_mirror_images(count, k, kind):
    t = fractions(count, [kind, k])
    np.testing.assert_allclose(t, 1 - t[::-1], rtol=0, atol=ROUNDING)


def test_words_are_dense_where_they_say():
    steps = {kind: np.diff(fractions(8, [kind, 2])) for kind in ("start", "end", "middle", "ends")}
    assert {kind: int(np.argmin(step)) for kind, step in steps.items()} == {"start": 0, "end": 7, "middle": 3, "ends": 0}
    assert steps["middle"][3] == pytest.approx(steps["middle"][4])
    # ½ (2 i/n)² for i/n = 1/8: the halves follow the same formula
    assert fractions(8, "ends")[1] == pytest.approx(0.5 * (2 / 8) ** 2)
    assert fractions(8, ["middle", 3])[1] == pytest.approx(0.5 * (1 - (1 - 2 / 8) ** 3))
    np.testing.assert_allclose(fractions(5, ["end", 3]), 1 - fractions(5, 3)[::-1], rtol=0, atol=ROUNDING)


def test_symmetry_is_told_from_the_specification():
    assert [is_symmetric(each) for each in (None, 1, "middle", ["ends", 3], [0, 0.2, 0.8, 1])] == [True] * 5
    assert [is_symmetric(each) for each in (2, "start", [0, 0.3, 1])] == [False] * 3


def test_spacing_follows_a_size_function():
    # size 0.1 + 0.2 x on [0, 1]: ∫ dx / size = 5 ln 3 = 5.49, so 6 cells, each 5.49/6 of what is asked for
    x = spaced(lambda s: 0.1 + 0.2 * s)
    assert len(x) == 7
    asked = 0.1 + 0.2 * (x[1:] + x[:-1]) / 2
    np.testing.assert_allclose(np.diff(x) / asked, 5 * np.log(3) / 6, rtol=1e-2)   # of second order in the cell over the line


def test_a_symmetric_size_gives_symmetric_points_and_a_count_scales_them():
    t = spaced(lambda s: 0.05 + (s - 0.5) ** 2, count=7)
    assert len(t) == 8
    np.testing.assert_allclose(t, 1 - t[::-1], rtol=0, atol=ROUNDING)
    assert np.argmin(np.diff(t)) == 3


@pytest.mark.parametrize(("count", "grading", "said"), [
    (0, None, "at least 1"), (3, "centre", "middle"), (3, -1, ">= 0.1"), (3, [0, 0.5, 0.4, 1], "do not increase"),
    (4, [0, 0.5, 1], "list 5"), (3, ["ends", 99], "<= 10"), (2.5, None, "whole number")])
def test_a_wrong_grading_says_what_would_work(count, grading, said):
    with pytest.raises(SceneError, match=said):
        fractions(count, grading)


def test_a_size_that_is_not_positive_is_refused():
    with pytest.raises(SceneError, match="above 0"):
        spaced(lambda s: s - 0.5)
