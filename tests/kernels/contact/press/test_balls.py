"""The ball law: its force is the gradient of its energy, it never pulls, and chains of balls bounce as the oracle says."""
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from robotphi.kernels.contact.press.balls import ball_slope, press_ball

POWERS = (1.0, 1.5, 2.0, 1.25)
# three equal balls in line that touch, the first at speed 1: final speeds
CHAINS = {1.0: (-0.13026, 0.15023, 0.98003), 1.5: (-0.07095, 0.07640, 0.99455), 2.0: (-0.03788, 0.03937, 0.99851)}


def chain(power, count=3):
    """Final speeds of `count` balls of 1 kg that just touch, k = 1, without damping, the first at speed 1."""
    def rate(_, state):
        x, v = np.split(state, 2)
        force = np.array([press_ball(1.0, power, 0.0, x[i] - x[i + 1], v[i] - v[i + 1])[2] for i in range(count - 1)])
        return np.concatenate((v, np.diff(force, prepend=0.0, append=0.0) * -1.0))
    start = np.concatenate((np.zeros(count), [1.0], np.zeros(count - 1)))
    return solve_ivp(rate, (0.0, 60.0), start, method="DOP853", rtol=1e-11, atol=1e-13, max_step=0.1).y[count:, -1]


@pytest.mark.parametrize("power", POWERS)
def test_the_elastic_force_is_the_gradient_of_the_energy_and_the_slope_that_of_the_force(power):
    for depth in (1e-6, 0.01, 0.7, 30.0):
        h = 1e-4 * depth   # the third derivative carries h²/6 ~ 2e-9, rounding 1e-12
        low, high = press_ball(3.0, power, 0.2, depth - h, 0.4), press_ball(3.0, power, 0.2, depth + h, 0.4)
        energy, elastic, force, loss = press_ball(3.0, power, 0.2, depth, 0.4)
        assert (high[0] - low[0]) / (2 * h) == pytest.approx(elastic, rel=1e-8, abs=0)
        assert (high[1] - low[1]) / (2 * h) == pytest.approx(ball_slope(3.0, power, depth), rel=1e-8, abs=0)
        assert elastic == pytest.approx(3.0 * depth ** power, rel=4e-16 * 4, abs=0)
        assert energy == pytest.approx(elastic * depth / (power + 1), rel=1e-15, abs=0)
        assert force == pytest.approx(elastic * 1.08, rel=1e-15, abs=0)
        assert loss == pytest.approx((force - elastic) * 0.4, rel=1e-14, abs=0)


@pytest.mark.parametrize("power", POWERS)
def test_the_force_never_pulls_and_the_loss_is_never_negative(power):
    for closing in (-1e6, -3.0, -1.0, -1e-9, 0.0, 1e-9, 2.0, 1e6):
        energy, elastic, force, loss = press_ball(2.0, power, 0.5, 0.3, closing)
        assert min(force, loss) >= 0.0
        assert energy > 0.0
        if closing <= -2.0:
            assert (force, loss) == (0.0, -elastic * closing)


def test_apart_or_not_a_number_means_no_contact():
    for depth in (0.0, -1.0, -math.inf, math.nan):
        assert press_ball(2.0, 1.5, 0.5, depth, 3.0) == (0.0, 0.0, 0.0, 0.0)
        assert ball_slope(2.0, 1.5, depth) == 0.0


@pytest.mark.parametrize("power", sorted(CHAINS))
def test_three_touching_balls_part_as_the_oracle_says(power):
    # half a unit in the last printed digit
    speeds = chain(power)
    assert speeds == pytest.approx(CHAINS[power], abs=6e-6)
    assert speeds.sum() == pytest.approx(1.0, abs=1e-12)          # momentum
    assert (speeds ** 2).sum() == pytest.approx(1.0, abs=1e-8)    # energy, to the integrator's tolerance


@pytest.mark.parametrize("power", POWERS[:3])
def test_an_elastic_hit_gives_back_all_energy_and_a_damped_one_books_what_is_lost(power):
    for damping in (0.0, 0.4, 3.0):
        def rate(_, state, damping=damping):
            _, _, force, loss = press_ball(7.0, power, damping, state[0], state[1])
            return state[1], -force / 2.0, loss

        def leaves(_, state):
            return state[0] + 1e-12

        leaves.terminal, leaves.direction = True, -1
        end = solve_ivp(rate, (0, 100), (0.0, 1.5, 0.0), method="DOP853", rtol=1e-11, atol=1e-13, events=leaves).y[:, -1]
        assert 0.5 * 2.0 * end[1] ** 2 + end[2] == pytest.approx(0.5 * 2.0 * 1.5 ** 2, abs=1e-9)
        assert damping == 0.0 or end[2] > 0.1
