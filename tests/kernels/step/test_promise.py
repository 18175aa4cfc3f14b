"""The rule of the running sum by itself: what an attempt may leave, how swings are counted, what adds up as rounding."""
import numpy as np
import pytest

from robotphi.kernels.step import slots as at
from robotphi.kernels.step.promise import (
    AT_MOST,
    AT_ONCE,
    LEAST,
    SHARE,
    TIMES,
    WIDER,
    allowed_residual,
    may_be_rounding,
    planned_residual,
    remember_residual,
    spend,
    sum_rounding,
)

PROMISE = SHARE * 1e-4 * 2.0   # J: budget 1e-4 of 2 J


@pytest.fixture
def single():
    """`numbers` and `counters` of a run of 10 s with a budget of 1e-4."""
    numbers, counters = np.zeros(at.NUMBER_COUNT), np.zeros(at.COUNTER_COUNT, np.int64)
    numbers[at.DURATION], numbers[at.BUDGET] = 10.0, 1e-4
    return numbers, counters


def test_no_attempt_may_leave_more_than_a_two_hundredth(single):
    assert allowed_residual(single[0], 2.0, 1e-9, 1e-3) == pytest.approx(AT_MOST * PROMISE)


def test_beyond_the_envelope_what_is_left_is_spent_evenly(single):
    numbers = single[0]
    numbers[at.TIME], numbers[at.SPENT] = 4.0, 0.8 * PROMISE
    assert AT_ONCE + (1 - AT_ONCE) * 0.4 < 0.8
    assert allowed_residual(numbers, 2.0, 1e-9, 0.06) == pytest.approx(0.2 * PROMISE * 0.06 / 6.0)
    assert allowed_residual(numbers, 2.0, -1e-9, 0.06) == pytest.approx(TIMES * 0.006 * PROMISE), "back towards zero it may"
    numbers[at.SPENT] = 1.1 * PROMISE
    assert allowed_residual(numbers, 2.0, 1e-9, 0.06) == pytest.approx(LEAST * PROMISE * 0.06 / 10.0)


def test_a_leak_alone_is_spent_to_the_promise_and_no_further(single):
    """Steps that leave as much as they may, all in one direction, to the end of the run."""
    numbers, counters = single
    tau = 1e-3
    for step in range(10_000):
        numbers[at.TIME] = step * tau
        spend(numbers, counters, allowed_residual(numbers, 2.0, 1.0, tau), 1.0)
    assert 0.9 * PROMISE < numbers[at.SPENT] <= (1.0 + LEAST) * PROMISE
    assert numbers[at.SPENT] < 2.0 * 1e-4


def test_a_planned_leak_keeps_nearly_all_for_the_even_share(single):
    """What is planned before anything swung back is a sixteenth or so at once; the rest lasts to the end: no swing ever takes
    more at once than the part `WIDER` of the envelope at the start."""
    numbers, counters = single
    tau, left = 1e-3, []
    for step in range(10_000):
        numbers[at.TIME] = step * tau
        left.append(planned_residual(numbers, counters, 2.0, tau))
        spend(numbers, counters, left[-1], left[-1])
    assert sum(left[:200]) < 0.2 * PROMISE
    assert min(left) > (1.0 - WIDER * AT_ONCE) * PROMISE / 10_000
    assert sum(left) <= 1.0001 * PROMISE


def test_a_swing_that_is_wider_than_planned_comes_to_its_end(single):
    """The first of a motion: residuals of c τ³ sin, c known, in steps that leave what is planned.

    Equal steps that come to half the inner envelope are `even` of them; even shares of what is left would take sixteen times as
    many.
    """
    numbers, counters = single
    half, most = 0.005, SHARE * 1e-4 * 2.0
    even = 1000
    density = 0.5 * 0.75 * AT_ONCE * most * np.pi / (2.0 * even) * (even / half) ** 3
    time, tau, steps = 0.0, half / even, 0
    while time < half and steps < 100 * even:
        now = density * max(np.sin(np.pi * time / half), 1e-3)
        numbers[at.TIME] = time
        tau = (planned_residual(numbers, counters, 2.0, tau) / now) ** (1.0 / 3.0)
        spend(numbers, counters, now * tau**3, now * tau**3)
        time, steps = time + tau, steps + 1
    assert steps < 3 * even
    assert abs(numbers[at.SPENT]) < AT_ONCE * most


def test_what_is_over_is_forgotten_at_once_and_the_quiet_of_a_swing_is_not(single):
    """A hit leaves 1e12 times what the flight behind it does; a swing of 1000 steps is quiet for a few where it turns."""
    numbers, counters = single
    counters[at.SWING] = 1000
    numbers[at.DENSITY] = 1.0
    for _ in range(40):
        remember_residual(numbers, counters, 0.0, 1e-3)
    assert numbers[at.DENSITY] < 1e-11, "forty steps, not half a swing"
    numbers[at.DENSITY], numbers[at.DURATION], least = 1.0, 1e4, 1.0
    for step in range(4000):
        remember_residual(numbers, counters, 1e-9 * abs(np.sin(np.pi * (step + 0.5) / 1000)), 1e-3)
        least = min(least, numbers[at.DENSITY])
    assert least > 0.7


def test_swings_are_counted_from_one_change_of_sign_to_the_next(single):
    numbers, counters = single
    for step in range(200):
        residual = np.sin(2 * np.pi * (step + 0.5) / 40)
        spend(numbers, counters, residual, residual)
    assert counters[at.SWING] == 20
    assert abs(numbers[at.SWUNG_BEFORE]) == pytest.approx(2 * 20 / np.pi, rel=0.01)
    for _ in range(100):
        spend(numbers, counters, 0.0, 0.0)   # below rounding: no side
    assert counters[at.SWING_SO_FAR] >= 100
    assert counters[at.SWING] == 20


def test_what_adds_up_like_rounding_is_let_through_and_what_grows_is_not(single):
    """Each a half of what rounding makes of a step by estimate, or a twentieth: what counts is how they add up."""
    noise, tau, random = 1e-12, 1e-3, np.random.default_rng(1)
    for size in (0.5, 0.05):
        passed = []
        for signs in (random.choice([-1.0, 1.0], 4000), np.ones(4000)):
            numbers, counters = single[0].copy(), single[1].copy()
            numbers[at.BUDGET] = 1e-14
            count = 0
            for sign in signs:
                residual = size * sign * noise
                if not may_be_rounding(numbers, counters, 2.0, residual, noise, tau):
                    break
                sum_rounding(numbers, counters, residual, noise, tau)
                numbers[at.RESIDUAL] += residual
                count += 1
            passed.append(count)
        assert passed[0] == 4000
        assert passed[1] < 150   # n > 5 √n from n = 25, a share of that from some more
    assert not may_be_rounding(*single, 2.0, 1.1 * noise, noise, tau)


def test_a_shorter_step_passes_where_it_leaves_too_little_to_tell(single):
    """What 200 steps have shown to be c τ³ says of steps a fifth as long that they leave less than anybody can tell."""
    noise, tau = 1e-12, 1e-3
    numbers, counters = single
    numbers[at.BUDGET] = 1e-16
    for _ in range(200):
        sum_rounding(numbers, counters, 0.5 * noise, noise, tau)
        numbers[at.RESIDUAL] += 0.5 * noise
    assert not may_be_rounding(numbers, counters, 2.0, 0.5 * noise, noise, tau)
    assert may_be_rounding(numbers, counters, 2.0, -0.5 * noise, noise, tau), "back towards zero it may"
    assert may_be_rounding(numbers, counters, 2.0, 0.5 * noise, noise, 0.2 * tau)
