"""The exact answers about contact against numbers published or worked out elsewhere, and against a second computation."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from robotphi.verification import contact_reference as exact
from robotphi.verification.contact_rolling import disc_section, sunk


def test_restitution_and_damping_have_the_printed_values():
    assert_allclose([exact.hit_restitution(u) for u in (0.1, 0.5, 1.0)], [0.937476, 0.748435, 0.593624], rtol=0, atol=5.1e-7)
    assert_allclose([exact.hit_product(e) for e in (0.9, 0.75, 0.5)], [0.166482, 0.495911, 1.432751], rtol=0, atol=5.1e-7)
    assert exact.hit_product(1.0) == 0.0


@pytest.mark.parametrize(("law", "speeds"), [
    ("linear", (-0.13026, 0.15023, 0.98003)), ("hertz", (-0.07095, 0.07640, 0.99455)),
    ("volume", (-0.03788, 0.03937, 0.99851))])
def test_balls_in_line_have_the_published_speeds(law, speeds):
    found = exact.row_of_balls(3, exact.POWERS[law])
    assert_allclose(found, speeds, rtol=0, atol=5.1e-6)
    assert_allclose([found.sum(), (found ** 2).sum()], [1.0, 1.0], rtol=0, atol=1e-10)


@pytest.mark.parametrize("damping", [0.0, 0.4])
def test_flights_and_contacts_join_to_one_solution(damping):
    """In one piece, where the kinks of the force make the solver take short steps."""
    times, mass, stiffness, power = np.linspace(0, 0.4, 81), 1.3, 1e4, 1.5

    def slope(_, y):
        depth = max(-y[0], 0.0)
        return [y[1], stiffness / mass * depth ** power * max(0.0, 1 - damping * y[1]) - exact.GRAVITY]

    plain = solve_ivp(slope, (0, 0.4), [0.05, 0.2], t_eval=times, method="DOP853", rtol=1e-12, atol=1e-14, max_step=1e-4).y.T
    assert_allclose(exact.bouncing(times, 0.05, 0.2, mass, stiffness, power, damping), plain, rtol=0, atol=1e-8)


def test_without_weight_a_hit_comes_back_by_its_restitution():
    times = np.linspace(0, 1, 11)
    product = exact.hit_product(0.6)
    found = exact.bouncing(times, 0.1, -2.0, 1.0, 1e6, 2.0, product / 2.0, gravity=0.0)
    assert_allclose(found[-1, 1], 1.2, rtol=1e-10)


def test_sliding_and_rolling_have_the_published_values():
    ways = [exact.stopping_distance(2.0, c) for c in (0.2, 0.4, 0.7)]
    assert_allclose(ways, [1.01937, 0.50968, 0.29125], rtol=0, atol=5.1e-6)
    assert_allclose(exact.rolling_start(exact.SPHERE, 1.0, 0.2), (0.14562, 5 / 7), rtol=0, atol=5.1e-6)
    assert_allclose(exact.rolling_start(exact.CYLINDER, 1.0, 0.2), (0.16989, 2 / 3), rtol=0, atol=5.1e-6)
    assert_allclose(exact.rolling_table(10.0, 25.0, 150.0, 0.4), (0.7385, 0.2110), rtol=0, atol=5.1e-5)
    # where a cylinder just rolls, it rolls as fast as it would slide
    assert_allclose(exact.rolling_acceleration(exact.CYLINDER, 0.6), exact.slope_acceleration(0.6, 0.2), rtol=1e-14)


def test_legs_bear_the_load_and_its_moments():
    loads, legs = exact.leg_loads(100.0, (0.2, 0.1), (0.4, 0.3))
    assert_allclose(loads.sum(), 100.0, rtol=1e-14)
    assert_allclose(loads @ legs / 100.0, (0.2, 0.1), rtol=1e-14)


def test_the_depth_of_a_round_body_bears_its_weight():
    assert_allclose(disc_section(0.1, 0.1), np.pi * 0.01 / 2, rtol=1e-14)
    assert_allclose(disc_section(1e-6, 1.0), 4 / 3 * np.sqrt(2) * 1e-9, rtol=1e-6)
    depth = sunk("cylinder", 9.81, 1e7, 0.1, 0.2)
    assert_allclose(1e7 * 0.2 * disc_section(depth, 0.1), 9.81, rtol=1e-9)
    assert_allclose(1e7 * np.pi * 0.1 * sunk("sphere", 9.81, 1e7, 0.1) ** 2, 9.81, rtol=1e-14)
