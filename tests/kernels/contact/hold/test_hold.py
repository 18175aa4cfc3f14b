"""The anchored spring of friction, step by step."""
import numpy as np

from robotphi.kernels.contact.hold.friction import damped_share, hold

K, NORMAL, STATIC, KINETIC = 1e4, 10.0, 0.5, 0.3
NONE = (0.0, 0.0, 0.0, 0.0)


def step(y, slide, speed, dt, sticks, damping=0.0):
    return hold(y, slide, speed, dt, K, damping, NORMAL, STATIC, KINETIC, sticks)


def test_it_holds_up_to_the_static_limit_and_slips_at_the_kinetic_one():
    y = (0.99 * STATIC * NORMAL / K, 0.0, 0.0, 0.0)
    assert step(y, NONE, NONE, 1e-3, 1)[2] == 1
    moved = (0.02 * STATIC * NORMAL / K / 1e-3, 0.0, 0.0, 0.0)
    end, force, sticks, lost, _ = step(y, moved, moved, 1e-3, 1)
    assert sticks == 0
    assert lost > 0
    np.testing.assert_allclose(force[0], -KINETIC * NORMAL, rtol=1e-14)
    np.testing.assert_allclose(end[0], KINETIC * NORMAL / K, rtol=1e-14)


def test_forces_evaluated_anew_at_an_instant_do_not_make_what_slides_stick():
    """At a frame the step is of no length: the stretch is at the kinetic limit and does not move, which is no rest."""
    y = (KINETIC * NORMAL / K * (1 - 1e-15), 0.0, 0.0, 0.0)
    speed = (0.7, 0.0, 0.0, 0.0)
    end, _, sticks, lost, _ = step(y, speed, speed, 0.0, 0)
    assert sticks == 0
    assert end == y
    assert lost == 0


def test_what_comes_to_rest_or_turns_back_sticks():
    y = (KINETIC * NORMAL / K, 0.0, 0.0, 0.0)
    assert step(y, NONE, NONE, 1e-3, 0)[2] == 1
    back = (-1e-3, 0.0, 0.0, 0.0)
    assert step(y, back, back, 1e-3, 0)[2] == 1
    on = (1e-3, 0.0, 0.0, 0.0)
    assert step(y, on, on, 1e-3, 0)[2] == 0


def test_what_goes_back_at_the_limit_feels_the_damper_whatever_rounding_says():
    generator = np.random.default_rng(5)
    k, damping, limit = 2e5, 900.0, 42.0
    seen = set()
    for _ in range(300):
        y, u = generator.normal(size=4), generator.normal(size=4)
        y *= limit / (k * np.linalg.norm(y))
        u *= 10.0 ** generator.uniform(-3, 0) / np.linalg.norm(u)
        shares = [damped_share(tuple(y * (1.0 + eps)), tuple(u), k, damping, limit) for eps in (-1e-15, 0.0, 1e-15)]
        along, square = k * damping * (y @ u), damping ** 2 * (u @ u)
        # |k y + β c u| = limit at β = 0 and at −2 (k y·c u)/|c u|²; the larger one within 0 … 1 holds, less is jerked off
        want = min(max(-2.0 * along / square, 0.0), 1.0)
        # rounding of c, some 1e-15 limit², moves the roots by that over 2 |b|, at most by the root of c over a
        np.testing.assert_allclose(shares, want, atol=1e-7 * limit / np.sqrt(square))
        seen.add("all" if want == 1.0 else "none" if want == 0.0 else "some")
    assert seen == {"all", "none", "some"}


def test_at_an_instant_whose_normal_force_fell_the_force_is_at_its_limit_and_the_anchor_where_it_was():
    y = (1.1 * KINETIC * NORMAL / K, 0.0, 0.0, 0.0)
    for speed in ((0.7, 0.2, 0.0, 0.0), (-0.7, 0.2, 0.0, 0.0)):
        end, force, sticks, lost, _ = step(y, speed, speed, 0.0, 0, damping=3.0)
        assert (end, sticks, lost) == (y, 0, 0.0)
        assert np.linalg.norm(force) <= KINETIC * NORMAL * (1 + 1e-14)
