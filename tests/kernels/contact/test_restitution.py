"""Restitution: the exact law, its inverse, and the differential equation it stands for."""
import math

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from robotphi.errors import SceneError
from robotphi.scene.contact import damping_for, restitution_of

RESTITUTIONS = (1e-3, 0.01, 0.1, 0.3, 0.5, 0.6, 0.75, 0.8, 0.83, 0.9, 0.99, 1 - 1e-4, 1 - 1e-8, 1 - 1e-12)


def exact_product(e):
    """d v₀ for a restitution in 60 digits: the root of u (1 + e) = ln[(1 + u)/(1 − e u)] between its bounds."""
    with mpmath.workdps(60):
        e = mpmath.mpf(e)
        low, high = (1 - e) / 2, 1 / e
        for _ in range(230):
            middle = (low + high) / 2
            rest = 1 - e * middle   # e⁻ᵘ, less than all digits for the smallest e
            inside = rest > 0 and middle * (1 + e) > mpmath.log((1 + middle) / rest)
            low, high = (middle, high) if inside else (low, middle)
        return float(low)


def bounce(power, damping, speed, mass=0.3, stiffness=50.0):
    """Restitution of the ordinary differential equation m ẍ = −k xⁿ (1 + d ẋ)."""
    def rate(_, state):
        x, v = state
        return v, -stiffness * max(x, 0.0) ** power * (1 + damping * v) / mass

    def leaves(_, state):
        return state[0]

    leaves.terminal, leaves.direction = True, -1
    out = solve_ivp(rate, (0, 1e3), (1e-14, speed), method="DOP853", rtol=3e-14, atol=1e-15, events=leaves)
    return -out.y_events[0][0][1] / speed


def test_the_printed_values_are_met():
    # half a unit in the last printed digit
    for product, e in ((0.1, 0.937476), (0.5, 0.748435), (1.0, 0.593624)):
        assert restitution_of(product, 1.0) == pytest.approx(e, abs=5.1e-7)
    for e, product in ((0.9, 0.166482), (0.75, 0.495911), (0.5, 1.432751)):
        assert damping_for(e, 1.0) == pytest.approx(product, abs=5.1e-7)


@pytest.mark.parametrize("e", RESTITUTIONS)
def test_the_damping_is_exact_at_every_speed(e):
    exact = exact_product(e)
    for speed in (1e-9, 1e-3, 1.0, 37.0, 1e6):
        damping = damping_for(e, speed)
        assert damping * speed == pytest.approx(exact, rel=1e-12, abs=0)
        assert restitution_of(damping, speed) == pytest.approx(e, rel=1e-12, abs=0)


def test_round_trips_hold_all_over():
    for e in np.random.default_rng(3).uniform(0.01, 1.0, 150):
        assert restitution_of(damping_for(e, 2.0), 2.0) == pytest.approx(e, rel=1e-12, abs=0)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("e", [0.3, 0.75, 0.97])
def test_the_differential_equation_bounces_so(power, e):
    speed = 1.7
    assert bounce(power, damping_for(e, speed), speed) == pytest.approx(e, abs=1e-9)


def test_the_limits_are_exact():
    assert damping_for(1, 3.0) == 0.0
    assert restitution_of(0, 3.0) == 1.0
    assert restitution_of(1e200, 1e200) == 0.0
    # strong damping: the speed that comes back is 1/d
    assert restitution_of(1e5, 1.0) == pytest.approx(1e-5, rel=1e-12, abs=0)


@pytest.mark.parametrize("e", [0, -0.2, 1.01, math.nan, "soft", True])
def test_what_cannot_be_is_refused_with_advice(e):
    with pytest.raises(SceneError, match="restitution"):
        damping_for(e, 1.0)


def test_nought_is_refused_with_what_works():
    with pytest.raises(SceneError, match="above 0 and at most 1"):
        damping_for(0, 1.0)
    for speed in (0, -1, math.inf):
        with pytest.raises(SceneError, match="speed"):
            damping_for(0.5, speed)
        with pytest.raises(SceneError, match="speed"):
            restitution_of(0.5, speed)
    with pytest.raises(SceneError, match="damping"):
        restitution_of(-1, 1.0)
    with pytest.raises(SceneError, match="beyond all numbers"):
        damping_for(1e-300, 1e-100)
