"""Tables: force and energy over elongation."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotphi.errors import SceneError
from robotphi.scene import Table

KNOTS = st.integers(2, 7).flatmap(lambda count: st.tuples(
    st.lists(st.integers(-50, 50), min_size=count, max_size=count, unique=True).map(sorted),
    st.lists(st.floats(-1e3, 1e3), min_size=count, max_size=count), st.sampled_from(["linear", "cubic"])))


@settings(deadline=None)
@given(KNOTS)
def test_the_force_goes_through_its_points_and_is_the_slope_of_the_energy(knots):
    x, f, kind = knots
    x, table = np.array(x) / 10.0, Table(np.array(x) / 10.0, f, kind)
    scale = 1.0 + np.abs(f).max()
    np.testing.assert_allclose(table.force(x), f, rtol=0, atol=1e-12 * scale)
    assert abs(table.energy(0.0)) <= 1e-13 * scale
    at, h = np.linspace(x[0] - 1, x[-1] + 1, 101), 1e-5
    slope = (table.energy(at + h) - table.energy(at - h)) / (2 * h)
    np.testing.assert_allclose(slope, table.force(at), rtol=0, atol=h * table.largest_slope + 1e-7 * scale)


@settings(deadline=None)
@given(KNOTS)
def test_the_slopes_go_on_outside_and_none_is_larger_than_the_largest(knots):
    x, f, kind = knots
    table = Table(np.array(x) / 10.0, f, kind)
    at = np.linspace(x[0] / 10 - 2, x[-1] / 10 + 2, 4001)
    slope = np.diff(table.force(at)) / np.diff(at)
    assert np.abs(slope).max() <= table.largest_slope * (1 + 1e-9) + 1e-9
    h = 1e-7
    for end, step, outside in ((x[0] / 10, h, at[1:] < x[0] / 10), (x[-1] / 10, -h, at[:-1] > x[-1] / 10)):
        just_inside = (table.force(end + step) - table.force(end)) / step
        np.testing.assert_allclose(slope[outside], just_inside, rtol=0, atol=1e-4 * (1 + table.largest_slope))


@settings(deadline=None)
@given(st.lists(st.floats(0, 100), min_size=2, max_size=7))
def test_a_cubic_table_of_growing_forces_never_falls(steps):
    table = Table(np.arange(len(steps)), np.cumsum(steps), "cubic")
    assert (np.diff(table.force(np.linspace(-1, len(steps), 500))) >= -1e-9).all()


def test_the_toe_is_zero_then_a_parabola_then_a_line():
    k, end = 200.0, 0.1
    table = Table.toe(k, end)
    np.testing.assert_allclose(table.force([-0.5, 0, 0.05, 0.1, 0.3]), [0, 0, 2.5, 10, 50], rtol=1e-14)
    np.testing.assert_allclose(table.energy([-0.5, 0, 0.1]), [0, 0, k * end**2 / 6], rtol=1e-14)
    np.testing.assert_allclose(table.energy(0.3), k * end**2 / 6 + 0.5 * k * (0.25**2 - 0.05**2), rtol=1e-14)
    assert table.largest_slope == pytest.approx(k, rel=1e-14)


@pytest.mark.parametrize(("table", "only_pulls"), [
    (Table.toe(100.0, 0.1), True),
    (Table([-1, 0, 1], [0, 0, 5]), True),
    (Table([-1, 0, 1], [2, 0, 5]), True),                    # pulls on both sides
    (Table([-1, 0, 1], [-1e-9, 0, 5]), False),
    (Table([0, 1], [0, 10]), False),                         # its slope goes on below zero
    (Table([0, 1, 2], [5, 3, 3]), True),
    (Table([0, 1, 2], [3, 3, 2]), False),                    # falls for ever
    (Table([0, 1, 2, 3], [0, 0, 0.3, 7], "cubic"), True),
    (Table([0, 1, 2, 3, 4], [0, 0, -0.01, 0, 3], "cubic"), False),
])
def test_a_table_knows_whether_it_only_pulls(table, only_pulls):
    assert table.only_pulls is only_pulls


@settings(deadline=None)
@given(KNOTS)
def test_a_table_that_only_pulls_is_negative_nowhere(knots):
    x, f, kind = knots
    x = np.array(x) / 10.0
    table = Table(x, np.abs(f), kind)
    falls = table.piece[0, 3] > 0.0 or table.piece[-1, 3] < 0.0  # for ever, on one side
    assert table.only_pulls is not falls
    if table.only_pulls:
        assert table.force(np.linspace(x[0] - 9, x[-1] + 9, 3001)).min() >= -1e-13 * (1 + np.abs(f).max())


def test_the_pieces_start_before_everything_and_are_anchored_at_finite_places():
    table = Table([-1, 0, 2], [-3, 0, 1])
    assert table.piece[:, 0].tolist() == [-np.inf, -1, 0, 2]
    assert table.piece[:, 1].tolist() == [-1, -1, 0, 2]
    assert np.isfinite(table.piece[:, 1:]).all()
    assert table.piece[:, 6].tolist() == [1.5, 1.5, 0, 1]


@pytest.mark.parametrize(("make", "words"), [
    (lambda: Table([0, 1, 1], [0, 1, 2]), ["table", "index 2", "elongation 1 follows 1"]),
    (lambda: Table([0], [0]), ["at least 2"]),
    (lambda: Table([0, 1], [0, np.nan]), ["forces is nan", "index 1"]),
    (lambda: Table([0, 1], [0, 1], "spline"), ["unknown kind 'spline'", "linear, cubic"]),
    (lambda: Table.toe(0.0, 0.1), ["stiffness is 0", "> 0"]),
    (lambda: Table.toe(1.0, -0.1), ["toe_elongation is -0.1", "> 0"]),
])
def test_what_cannot_be_is_refused_with_what_would_work(make, words):
    with pytest.raises(SceneError) as refused:
        make()
    assert all(word in str(refused.value) for word in words), refused.value
