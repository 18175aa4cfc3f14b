"""Cylinders and capsules on a half space: exact overlap at every tilt, its gradient, and damping that never pulls."""
import math
from itertools import pairwise

import numpy as np
import pytest

from robotphi.kernels.contact.kinds import CAPSULE, CODE, CYLINDER
from robotphi.kernels.contact.press.below import SHALLOW, capsule_moments, cylinder_moments
from robotphi.kernels.contact.press.rollers import NOT_IN_PLANE, STATIONS, press_roller, relative_motion

MOMENTS = {"cylinder": cylinder_moments, "capsule": capsule_moments}
RADIUS = 0.5
TILTS = (0.0, 1e-9, 1e-5, 1e-2, 0.3, 1.0, 1.5, math.pi / 2 - 1e-6, math.pi / 2)
DEPTHS = (0.01, 0.1, 0.2, 0.22, 0.25, 0.3, 0.5, 0.9, 1.0, 1.2, 2.0, 3.0)   # of the lowest point, in radii
STILL = (0.0, 0.0, 0.0)


def sine_and_cosine(tilt):
    return (1.0, 0.0) if tilt == math.pi / 2 else (math.sin(tilt), math.cos(tilt))


def segment(radius, depth, slope):
    """V, ∫ z, ∫ u, ∫ u², ∫ b² over the part z = depth + slope u > 0 of discs (closed forms of the circular segment)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        cut = -depth / (slope * radius) if slope else np.where(depth > 0, -1.0, 1.0)
        th = np.arccos(np.clip(np.where(np.isnan(cut), 1.0, cut), -1, 1))
    v = radius ** 2 * (th - np.sin(th) * np.cos(th))
    u = 2 / 3 * radius ** 3 * np.sin(th) ** 3
    uu = radius ** 4 * (th / 4 - np.sin(4 * th) / 16)
    bb = 2 / 3 * radius ** 4 * (3 * th / 8 - np.sin(2 * th) / 4 + np.sin(4 * th) / 32)
    return v, depth * v + slope * u, u, uu, bb


def double_exponential(function, kinks, h=0.03):
    """∫ of the rows of function(s) between sorted kinks; ends with roots and powers do no harm (Takahasi and Mori 1974)."""
    t = np.arange(-3.4, 3.4, h)
    share = 1 / (1 + np.exp(-np.pi * np.sinh(t)))
    weight = h * np.pi * np.cosh(t) * share * (1 - share)
    return sum((np.asarray(function(low + (high - low) * share)) * (weight * (high - low))).sum(axis=1)
               for low, high in pairwise(kinks) if high > low)


def by_discs(kind, depth, length, radius, sine, cosine):
    """V, ∫ z, ∫ T, ∫ T², ∫ B² by discs across the axis; T counts from the centre of the lower end."""
    def discs(s, size):
        v, z, u, uu, bb = segment(size, depth - sine * s, cosine)
        return v, z, cosine * s * v + sine * u, cosine ** 2 * s * s * v + 2 * cosine * sine * s * u + sine ** 2 * uu, bb

    def between(low, high, kinks, size):
        inside = [low, *sorted(k for k in kinks if low < k < high), high]
        return double_exponential(lambda s: discs(s, size(s)), inside)

    ends = [(depth + e * cosine * radius) / sine for e in (-1, 0, 1)] if sine else []
    total = between(0.0, length, ends, lambda s: np.full_like(s, radius))
    if kind == "capsule":
        for base, low, high in ((0.0, -radius, 0.0), (length, length, length + radius)):
            # the surface meets the rim of a disc: (c − sine x)² = cosine² (R² − x²), x along the axis from the ball's centre
            c = depth - sine * base
            root = cosine * math.sqrt(max(radius ** 2 - c * c, 0.0))
            kinks = [base + sine * c + e * root for e in (-1, 1)] + ([base + c / sine] if sine else [])
            total += between(low, high, kinks, lambda s, base=base: np.sqrt(np.maximum(radius ** 2 - (s - base) ** 2, 0.0)))
    return total


@pytest.mark.parametrize("kind", ["cylinder", "capsule"])
@pytest.mark.parametrize("tilt", TILTS)
def test_the_overlap_is_exact_at_every_tilt_and_depth(kind, tilt):
    """1e-12 of each moment, and what the depth itself loses: ε R/depth, thrice in ∫ z."""
    sine, cosine = sine_and_cosine(tilt)
    for length in (0.2, 1.0, 5.0):
        for share in DEPTHS:
            depth = share * RADIUS - (RADIUS if kind == "capsule" else cosine * RADIUS)
            v, z, t, tt, bb, _, start = MOMENTS[kind](depth, length, RADIUS, sine, cosine)
            t, tt = t + start * v, tt + start * (2 * t + start * v)
            exact = by_discs(kind, depth, length, RADIUS, sine, cosine)
            # the segments of the reference lose a power of their angle: (2·share)^(3/2), for ∫ z ^(5/2)
            lost = 4e-16 / share ** 2.5
            far = length + RADIUS
            assert v == pytest.approx(exact[0], rel=1e-12 + lost, abs=0)
            assert z == pytest.approx(exact[1], rel=1e-12 + lost, abs=0)
            assert t == pytest.approx(exact[2], abs=(1e-12 + lost) * far * v)
            assert tt == pytest.approx(exact[3], abs=(1e-12 + lost) * far ** 2 * v)
            assert bb == pytest.approx(exact[4], rel=1e-12 + lost, abs=0)


def test_shallow_overlaps_keep_all_their_digits():
    for h in (1e-3, 1e-6, 1e-9, 1e-12):
        # R = 2 here: sums with h keep its digits to ε R/h, so the exact h is what the kernel can see
        radius = 2.0
        depth = h - radius
        seen = depth + radius
        cap = capsule_moments(depth, 1.0, radius, 1.0, 0.0)
        assert cap[0] == pytest.approx(math.pi * seen ** 2 * (radius - seen / 3), rel=1e-13, abs=0)
        assert cap[1] == pytest.approx(math.pi * seen ** 3 * (radius / 3 - seen / 12), rel=1e-13, abs=0)
        # a lying cylinder, its segments by their series: A = (4/3) √(2R) h^{3/2} (1 − 3h/(20R) − …)
        line = cylinder_moments(depth, 3.0, radius, 0.0, 1.0)
        first = 3.0 * 4 / 3 * math.sqrt(2 * radius) * seen ** 1.5 * (1 - 3 * seen / (20 * radius))
        assert line[0] == pytest.approx(first, rel=1e-13 + (seen / radius) ** 2, abs=0)
        assert line[1] == pytest.approx(0.4 * seen * first, rel=1e-13 + 0.1 * seen / radius, abs=0)
        # a disc flat on the surface
        disc = cylinder_moments(h, 3.0, radius, 1.0, 0.0)
        assert disc[:2] == pytest.approx((math.pi * 4 * h, math.pi * 2 * h * h), rel=1e-13, abs=0)
        assert disc[5] == pytest.approx(math.pi * 4, rel=1e-13, abs=0)


def pose(kind, tilt, share, seed):
    """Ends of a body with a tilt above a surface of random direction, its lowest point `share` radii deep; n and level."""
    rng = np.random.default_rng(seed)
    frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    n, t = frame[0], frame[1]
    sine, cosine = sine_and_cosine(tilt)
    p = rng.uniform(-1, 1, 3)
    q = p + (sine * n + cosine * t) * 1.3
    lowest = n @ p - (RADIUS if kind == "capsule" else cosine * RADIUS)
    return p, q, n, lowest + share * RADIUS


def turned(points, origin, axis, angle):
    """Points turned about an axis through the origin (Rodrigues)."""
    out = []
    for x in points:
        r = x - origin
        out.append(x + np.cross(axis, r) * math.sin(angle) + np.cross(axis, np.cross(axis, r)) * (1 - math.cos(angle)))
    return out


def press(kind, p, q, n, level, velocity=STILL, spin=STILL, origin=STILL, damping=0.0):
    return press_roller(CODE[kind], tuple(p), tuple(q), RADIUS, tuple(n), level, tuple(velocity), tuple(spin), tuple(origin),
                        100.0, damping)


@pytest.mark.parametrize("kind", ["cylinder", "capsule"])
@pytest.mark.parametrize("tilt", [*TILTS, -0.2, -1e-7])
def test_force_and_moment_are_the_gradient_of_the_energy(kind, tilt):
    """Central differences: h² U''' ~ 1e-10 and ε U/h ~ 1e-11 of λ R³; an upright edge makes U'' jump, which costs h λ R⁴."""
    h = 1e-5
    origin = np.array([0.3, -0.2, 0.5])
    for share in (0.05, 0.22, 0.7, 1.0, 1.6, 2.5):
        p, q, n, level = pose(kind, tilt, share, 5)
        out = press(kind, p, q, n, level, origin=origin)
        for axis in np.eye(3):
            energy = [press(kind, p + e * axis, q + e * axis, n, level)[0] for e in (-h, h)]
            assert (energy[0] - energy[1]) / (2 * h) == pytest.approx(axis @ np.array(out[5]), abs=1e-7)
            energy = [press(kind, *turned((p, q), origin, axis, e), n, level)[0] for e in (-h, h)]
            assert (energy[0] - energy[1]) / (2 * h) == pytest.approx(axis @ np.array(out[6]), abs=1e-7)
        # the section is the rate of the elastic force with the level; at kinks of the section (flat ends) one side is off
        if tilt not in (0.0, math.pi / 2) and abs(tilt) > 1e-4:
            force = [press(kind, p, q, n, level + e)[1] for e in (-h, h)]
            assert (force[1] - force[0]) / (2 * h) == pytest.approx(100.0 * out[4], rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("kind", ["cylinder", "capsule"])
def test_nothing_jumps_from_tilt_to_tilt(kind):
    """Around lying, upright and a half ball's change of forms: 1e-11 of tilt or depth moves values by some 1e-9 at λ = 100."""
    for tilt in (0.0, 1e-8, 0.5, math.pi / 2 - 1e-8, math.pi / 2):
        for share in (0.1, 1 - math.sqrt(1 - SHALLOW), 0.5, 1.0, 1.7):
            p, q, n, level = pose(kind, tilt, share, 8)
            here = np.hstack(press(kind, p, q, n, level)[:9])
            axis = np.cross(n, [0.6, 0.0, 0.8])
            for e in (-1e-11, 1e-11):
                there = press(kind, *turned((p, q), p, axis / np.linalg.norm(axis), e), n, level + e)
                keep = np.r_[0:4, 5:14]   # the section of a flat end does jump
                assert np.hstack(there[:9])[keep] == pytest.approx(here[keep], abs=1e-8)


@pytest.mark.parametrize("kind", ["cylinder", "capsule"])
@pytest.mark.parametrize("tilt", [0.0, 0.2, 1.1, math.pi / 2])
def test_slow_damping_is_the_exact_integral(kind, tilt):
    """1 + d ẋ > 0 everywhere: N = λ ∫ (1 + d ẋ) dV, its moments and the loss λ d ∫ ẋ² dV follow from the second moments."""
    rng = np.random.default_rng(2)
    p, q, n, level = pose(kind, tilt, 0.6, 3)
    velocity, spin, origin, d = rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3), 0.1
    sine, cosine = sine_and_cosine(tilt)
    v, z, t, tt, bb = by_discs(kind, level - n @ p, np.linalg.norm(q - p), RADIUS, sine, cosine)
    along = q - p - n * (n @ (q - p))
    along = along / np.linalg.norm(along) if tilt < 1.5 else np.cross(n, [0, 0, 1.0]) / np.linalg.norm(np.cross(n, [0, 0, 1.0]))
    side = np.cross(n, along)
    mean = p + along * t / v + n * (level - z / v - n @ p)
    rate = -n @ (velocity + np.cross(spin, mean - origin))
    rate_t, rate_b = -n @ np.cross(spin, along), -n @ np.cross(spin, side)
    tt = tt - t * t / v
    out = press(kind, p, q, n, level, velocity, spin, origin, d)
    lam = 100.0
    assert out[1] == pytest.approx(lam * v, rel=1e-11, abs=0)
    assert out[2] == pytest.approx(lam * v * (1 + d * rate), rel=1e-11, abs=0)
    assert out[3] == pytest.approx(lam * d * (rate ** 2 * v + rate_t ** 2 * tt + rate_b ** 2 * bb), rel=1e-10, abs=0)
    centre = out[2] * (mean - origin) + lam * d * (rate_t * tt * along + rate_b * bb * side)
    assert out[7] == pytest.approx(centre, abs=1e-10 * out[2])
    assert out[6] == pytest.approx(np.cross(centre, n), abs=1e-10 * out[2])
    assert out[5] == pytest.approx(out[2] * n, rel=1e-13, abs=0)
    arm = (mean - origin) - n * (n @ (mean - origin))
    still = press(kind, p, q, n, level, origin=origin)
    assert still[8] == pytest.approx(lam * (v * (arm @ arm) + tt + bb), rel=1e-11, abs=0)


@pytest.mark.parametrize("kind", ["cylinder", "capsule"])
def test_it_never_pulls_and_never_gives_energy(kind):
    rng = np.random.default_rng(9)
    for _ in range(300):
        tilt = rng.choice(TILTS)
        p, q, n, level = pose(kind, tilt, 10 ** rng.uniform(-4, 0.6), rng.integers(1000))
        velocity, spin = rng.normal(size=3) * 10 ** rng.uniform(-2, 3), rng.normal(size=3) * 10 ** rng.uniform(-2, 3)
        out = press(kind, p, q, n, level, velocity, spin, p, 0.7)
        energy, elastic, normal, loss, section, force, _, _, spread, points = out
        assert min(energy, elastic, normal, loss, section, spread) >= 0.0
        assert points == STATIONS
        assert force == pytest.approx(normal * n, rel=1e-12, abs=1e-300)
        # the loss is the power of the contact on the body beyond the elastic one
        still = press(kind, p, q, n, level, origin=p)
        power = [np.dot(o[5], velocity) + np.dot(o[6], spin) for o in (out, still)]
        size = sum(abs(np.dot(o[5], velocity)) + np.linalg.norm(o[6]) * np.linalg.norm(spin) for o in (out, still))
        assert power[1] - power[0] == pytest.approx(loss, abs=1e-12 * size)


def test_rocking_of_an_upright_cylinder_is_damped_about_every_axis():
    for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.6, 0.8, 0.0)):
        out = press_roller(CYLINDER, STILL, (0.0, 0.0, 1.0), RADIUS, (0.0, 0.0, 1.0), 0.01, STILL, axis, STILL, 1e4, 0.2)
        # λ d h ∫ ẋ² dA = λ d h π R⁴/4 for a spin of one about any diameter
        assert out[3] == pytest.approx(1e4 * 0.2 * 0.01 * math.pi * RADIUS ** 4 / 4, rel=1e-12, abs=0)
        assert np.dot(out[6], axis) == pytest.approx(-out[3], rel=1e-12, abs=0)


@pytest.mark.parametrize("kind", ["cylinder", "capsule"])
def test_ends_may_be_swapped_and_the_world_turned(kind):
    for tilt in TILTS:
        p, q, n, level = pose(kind, tilt, 0.4, 1)
        velocity, spin, origin = np.array([[1.0, 2, 3], [-1, 0.5, 2], [0.3, 0.1, 0.2]])
        one = press(kind, p, q, n, level, velocity, spin, origin, 0.01)
        other = press(kind, q, p, n, level, velocity, spin, origin, 0.01)
        turn = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
        turn *= np.linalg.det(turn)
        third = press(kind, turn @ p, turn @ q, turn @ n, level, turn @ velocity, turn @ spin, turn @ origin, 0.01)
        assert np.hstack(other) == pytest.approx(np.hstack(one), rel=1e-10, abs=1e-10)
        assert third[:5] == pytest.approx(one[:5], rel=1e-10, abs=1e-10)
        for a, b in zip(third[5:8], one[5:8], strict=True):
            assert a == pytest.approx(turn @ b, rel=1e-9, abs=1e-9)


def test_a_capsule_of_no_length_is_a_ball_and_a_flat_cylinder_nothing():
    out = press_roller(CAPSULE, STILL, STILL, RADIUS, (0.0, 0.0, 1.0), -0.3, STILL, STILL, STILL, 1.0, 0.0)
    h = 0.2
    assert out[1] == pytest.approx(math.pi * h * h * (RADIUS - h / 3), rel=1e-13, abs=0)
    assert out[0] == pytest.approx(math.pi * h ** 3 * (RADIUS / 3 - h / 12), rel=1e-12, abs=0)
    deep = press_roller(CAPSULE, STILL, STILL, RADIUS, (0.0, 0.0, 1.0), 2.0, STILL, STILL, STILL, 1.0, 0.0)
    assert deep[0] == pytest.approx(2.0 * 4 / 3 * math.pi * RADIUS ** 3, rel=1e-13, abs=0)
    assert press_roller(CYLINDER, STILL, STILL, RADIUS, (0.0, 0.0, 1.0), 1.0, STILL, STILL, STILL, 1.0, 0.0) == NOT_IN_PLANE


@pytest.mark.parametrize("kind", ["cylinder", "capsule"])
def test_above_the_surface_and_without_numbers_there_is_no_contact(kind):
    p, q, n, level = pose(kind, 0.3, -0.001, 1)
    assert press(kind, p, q, n, level) == NOT_IN_PLANE
    assert press(kind, p * math.nan, q, n, level) == NOT_IN_PLANE
    assert press(kind, p, q, n, math.nan) == NOT_IN_PLANE


def test_the_motion_is_seen_from_the_surface():
    rng = np.random.default_rng(0)
    origin, x1, v1, w1, x2, v2, w2 = rng.normal(size=(7, 3))
    velocity, spin = relative_motion(*(tuple(a) for a in (origin, x1, v1, w1, x2, v2, w2)))
    at = rng.normal(size=3)
    seen = v1 + np.cross(w1, at - x1) - v2 - np.cross(w2, at - x2)
    assert np.array(velocity) + np.cross(spin, at - origin) == pytest.approx(seen, rel=1e-13, abs=1e-14)
