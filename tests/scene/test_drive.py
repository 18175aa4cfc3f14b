"""Drives: values, rates, pieces and breakpoints."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotphi.errors import SceneError
from robotphi.scene import Drive

VALUES = st.lists(st.floats(-100, 100), min_size=2, max_size=8)


def test_a_constant_is_one_held_piece_without_breakpoints():
    drive = Drive.constant(3.5)
    assert drive.piece.shape == (1, 8)
    assert np.array_equal(drive.value([0.0, 7.0]), [3.5, 3.5])
    assert drive.rate(2.0) == 0.0
    assert len(drive.breakpoints) == 0


def test_a_sine_takes_its_frequency_in_hertz():
    drive = Drive.sine(2.0, 0.25, phase=0.3, offset=1.0)
    time = np.linspace(0, 9, 50)
    np.testing.assert_allclose(drive.value(time), 1.0 + 2.0 * np.sin(2 * np.pi * 0.25 * time + 0.3), rtol=0, atol=1e-14)
    assert len(drive.breakpoints) == 0


def test_a_linear_table_goes_through_its_points_and_holds_its_ends():
    drive = Drive.table([1, 2, 4], [10, 20, 0])
    np.testing.assert_allclose(drive.value([0, 1, 1.5, 2, 3, 4, 9]), [10, 10, 15, 20, 10, 0, 0], rtol=0, atol=1e-13)
    np.testing.assert_allclose(drive.rate([0, 1.5, 3, 9]), [0, 10, -10, 0], rtol=0, atol=1e-13)
    assert drive.breakpoints.tolist() == [1, 2, 4]
    assert not drive.jumps


def test_a_cubic_table_reproduces_a_cubic_and_breaks_only_at_its_ends():
    times = np.linspace(0, 2, 6)
    drive = Drive.table(times, times**3 - times, kind="cubic")
    inside = np.linspace(0, 2, 33)[:-1]
    np.testing.assert_allclose(drive.value(inside), inside**3 - inside, rtol=0, atol=1e-13)
    assert drive.breakpoints.tolist() == [0, 2]
    assert drive.value(3.0) == drive.value(2.0) == 6.0


@settings(deadline=None)
@given(VALUES)
def test_a_cubic_table_is_smooth_at_every_inner_knot(values):
    times = np.arange(len(values), dtype=float)
    drive = Drive.table(times, values, kind="cubic")
    inner, scale = times[1:-1], 1.0 + np.abs(values).max()
    np.testing.assert_allclose(drive.rate(inner - 1e-9), drive.rate(inner + 1e-9), rtol=0, atol=1e-6 * scale)
    np.testing.assert_allclose(drive.value(times), values, rtol=0, atol=1e-12 * scale)


def test_steps_jump_at_their_times_and_only_where_the_value_changes():
    drive = Drive.steps([0, 1, 2, 3], [5, 5, -5, 5])
    np.testing.assert_array_equal(drive.value([-1, 0, 1.5, 2.0, 2.9, 3.0]), [5, 5, 5, -5, -5, 5])
    assert drive.breakpoints.tolist() == [2, 3]
    assert drive.jumps


@settings(deadline=None)
@given(VALUES, st.floats(-10, 1e6))
def test_every_drive_is_finite_at_every_time(values, time):
    times = np.arange(len(values), dtype=float)
    for drive in (Drive.table(times, values), Drive.table(times, values, "cubic"), Drive.steps(times, values)):
        assert np.isfinite(drive.value(time))
        assert np.isfinite(drive.rate(time))
        assert np.isfinite(drive.piece).all()
        low, high = min(values), max(values)
        if drive.kind != "cubic":
            assert low - 1e-9 <= drive.value(time) <= high + 1e-9


def test_a_function_is_sampled_and_its_largest_error_kept():
    drive = Drive.from_function(np.sin, 3.0, samples=31)
    error = np.abs(drive.value(np.linspace(0, 3, 1000)) - np.sin(np.linspace(0, 3, 1000))).max()
    assert 0 < drive.sampling_error < 1e-5
    # three samples an interval miss little of a smooth error
    assert error <= 1.1 * drive.sampling_error
    # a cubic spline is of fourth order
    assert Drive.from_function(np.sin, 3.0, samples=61).sampling_error < drive.sampling_error / 10


def test_a_function_that_its_samples_miss_is_told_with_what_helps():
    with pytest.warns(UserWarning, match=r"31 samples over 3 s miss .* by up to 0\.\d+, \d+\.\d% of the range") as told:
        drive = Drive.from_function(lambda t: 1.0 if t > 1.0 else 0.0, 3.0, samples=31)
    assert drive.sampling_error > 0.1
    assert all(word in str(told[0].message) for word in ("more samples", "Drive.steps", "Drive.table"))
    assert told[0].filename == __file__, "the warning names the line that asked for the drive"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("function", [np.sin, lambda t: 1e9 + 1e-3 * t, lambda t: 7, lambda t: 0.1, lambda t: np.float32(t)])
def test_a_function_that_its_samples_follow_is_not_spoken_of(function):
    assert Drive.from_function(function, 3.0).sampling_error < 1e-6


def test_a_drive_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        Drive.constant(1.0).piece[0, 0] = 3.0


@pytest.mark.parametrize(("make", "words"), [
    (lambda: Drive.table([0, 2, 1], [0, 0, 0]), ["drive table", "index 2", "time 1 follows 2", "grow"]),
    (lambda: Drive.table([0, 0], [0, 1]), ["index 1", "time 0 follows 0"]),
    (lambda: Drive.table([0, 1], [0, 1, 2]), ["shape (2,)", "(3,)", "one length"]),
    (lambda: Drive.table([0], [0]), ["at least 2"]),
    (lambda: Drive.steps([], []), ["at least 1"]),
    (lambda: Drive.table([0, np.nan], [0, 1]), ["times is nan", "index 1", "finite"]),
    (lambda: Drive.table([0, 1], [0, np.inf]), ["values is inf", "index 1"]),
    (lambda: Drive.table([0, 1], [0, 1], kind="cubick"), ["unknown kind 'cubick'", "did you mean 'cubic'"]),
    (lambda: Drive.table([0, 1], ["a", "b"]), ["values", "give numbers"]),
    (lambda: Drive.constant(np.nan), ["value is nan"]),
    (lambda: Drive.sine(1.0, -2.0), ["frequency is -2", ">= 0"]),
    (lambda: Drive.from_function(lambda t: 1 / (t - 1.5) if t != 1.5 else np.inf, 3.0, samples=5),
     ["the function returns inf at 1.5 s", "one finite number"]),
    (lambda: Drive.from_function(lambda t: np.nan if t > 2.85 else t, 3.0, samples=31), ["returns nan at 2.9 s"]),
    (lambda: Drive.from_function(lambda t: None, 3.0), ["the function returns None at 0 s", "one finite number"]),
    (lambda: Drive.from_function(lambda t: t > 1, 3.0), ["the function returns False at 0 s"]),
    (lambda: Drive.from_function(lambda t: np.array([t]), 3.0), ["the function returns array([0.]) at 0 s"]),
    (lambda: Drive.from_function(lambda t: 1 / (t - 1.5), 3.0, samples=31),
     ["the function fails at 1.5 s", "ZeroDivisionError", "one finite number"]),
    (lambda: Drive.from_function(np.sin, 3.0, samples=2), ["samples is 2", "at least 4"]),
])
def test_what_cannot_be_is_refused_with_what_would_work(make, words):
    with pytest.raises(SceneError) as refused:
        make()
    assert all(word in str(refused.value) for word in words), refused.value


def test_a_table_of_several_quantities_is_refused_with_what_would_work():
    with pytest.raises(SceneError, match=r'values has 3 columns; .* \{"x": Drive.table\(times, values\[:, 0\]\)'):
        Drive.table([0, 1, 2], np.zeros((3, 3)))
