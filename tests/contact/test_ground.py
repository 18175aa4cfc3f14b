"""Pressure of half spaces and height fields: Archimedes, gradients, damping, agreement of the two."""
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from facet_solids import ZERO, box, empty_sums, gradient, icosphere, moment_of, moved, parts_of, tetrahedron, volume_of

from robotphi.kernels.contact.ground import press_on_plane
from robotphi.kernels.contact.kinds import (
    AREA,
    CENTRE,
    ELASTIC,
    ENERGY,
    FORCE,
    LOSS,
    MOMENT,
    NORMAL,
)

UP = (0.0, 0.0, 1.0)
STIFFNESS = 3.0e4
SOLIDS = (box(), tetrahedron(), icosphere(1), box(cells=3))


def on_plane(parts, x, v=None, n=UP, level=0.0, ground=(ZERO, ZERO, ZERO), damping=0.0, origin=ZERO):
    """Forces, sums and shares of part 0 on a half space."""
    v = np.zeros_like(x) if v is None else v
    force, sums, share = np.zeros_like(x), empty_sums(), np.zeros(len(x))
    press_on_plane(parts, 0, x, v, force, n, level, *ground, STIFFNESS, damping, origin, share, sums, 0)
    return force, sums[0], share


def random_case(generator, warp=0.15):
    solid = SOLIDS[generator.integers(len(SOLIDS))]
    n = generator.normal(size=3)
    n /= np.linalg.norm(n)
    level = generator.uniform(-0.5, 0.6)
    return *parts_of(moved(solid, generator, warp=warp)), tuple(n), level


def cut_hull(points, n, level):
    """Corners of the part of the hull of `points` below the plane."""
    height = points @ np.array(n) - level
    below = points[height < 0]
    crossing = [p + (q - p) * hp / (hp - hq) for p, hp in zip(points, height, strict=True)
                for q, hq in zip(points, height, strict=True) if hp > 0 > hq]
    return np.vstack([below, *crossing]) if len(below) else np.zeros((0, 3))


def test_a_half_space_pushes_with_stiffness_times_volume_through_the_centroid():
    generator = np.random.default_rng(1)
    checked = 0
    for _ in range(40):
        parts, x, n, level = random_case(generator, warp=0.0)
        piece = cut_hull(x[:, :3], n, level)
        force, sums, _ = on_plane(parts, x, n=n, level=level)
        if len(piece) < 4:
            assert not force.any()
            continue
        volume, centroid = volume_of(piece)
        # tolerance: sums of some hundred terms of size λ × 1 m³, each rounded to 1e-16; qhull merges within 1e-13
        want = STIFFNESS * volume * np.array(n)
        np.testing.assert_allclose(force[:, :3].sum(axis=0), want, atol=1e-11 * STIFFNESS)
        np.testing.assert_allclose(moment_of(force, x), np.cross(centroid, want), atol=1e-11 * STIFFNESS)
        assert sums[ELASTIC] == pytest.approx(STIFFNESS * volume, abs=1e-11 * STIFFNESS)
        checked += 1
    assert checked > 20


def test_the_force_of_a_half_space_is_the_gradient_of_its_energy():
    generator = np.random.default_rng(2)
    h = 1e-5
    for _ in range(12):
        parts, x, n, level = random_case(generator)
        force, _, _ = on_plane(parts, x, n=n, level=level)
        want = gradient(lambda y, p=parts, n=n, level=level: on_plane(p, y, n=n, level=level)[1][ENERGY], x, range(len(x)), h)
        # central differences: h² × third derivative (λ × 1 m² / 1 m², with kinks of it), and rounding 1e-16 λ / h
        np.testing.assert_allclose(force[:, :3], want, atol=2e-9 * STIFFNESS)


def test_sums_shares_and_forces_on_a_half_space_tell_the_same():
    generator = np.random.default_rng(3)
    for _ in range(30):
        parts, x, n, level = random_case(generator)
        v = generator.normal(size=x.shape)
        origin = tuple(generator.normal(size=3))
        ground = tuple(tuple(generator.normal(size=3)) for _ in range(3))
        force, sums, share = on_plane(parts, x, v, n, level, ground, 0.5, origin)
        scale = 1e-12 * STIFFNESS
        np.testing.assert_allclose(sums[FORCE:FORCE + 3], force[:, :3].sum(axis=0), atol=scale)
        np.testing.assert_allclose(sums[MOMENT:MOMENT + 3], moment_of(force, x, origin), atol=10 * scale)
        along = force[:, :3] @ np.array(n)
        assert sums[NORMAL] == pytest.approx(along.sum(), abs=scale)
        np.testing.assert_allclose(share, along, atol=scale)
        np.testing.assert_allclose(sums[CENTRE:CENTRE + 3], along @ (x[:, :3] - origin), atol=10 * scale)


def test_damping_on_a_half_space_dissipates_and_never_pulls_a_rigid():
    generator = np.random.default_rng(4)
    losses = []
    for _ in range(60):
        parts, x, n, level = random_case(generator, warp=0.0)
        speed, spin = generator.normal(size=3), generator.normal(size=3)
        v = np.zeros_like(x)
        v[:, :3] = speed + np.cross(spin, x[:, :3])
        ground = tuple(tuple(generator.normal(size=3)) for _ in range(3))
        force, sums, _ = on_plane(parts, x, v, n, level, ground, 1.0)
        elastic, rest, _ = on_plane(parts, x, n=n, level=level)
        assert sums[LOSS] >= -1e-12 * STIFFNESS
        assert sums[NORMAL] >= -1e-12 * STIFFNESS
        assert sums[ENERGY] == rest[ENERGY]
        push = force[:, :3] - elastic[:, :3]
        np.testing.assert_allclose(push - np.outer(push @ np.array(n), n), 0.0, atol=1e-12 * STIFFNESS)
        # what the damping takes from the body and the ground: −Σ push·(v − ground at the same place)
        below = np.array(ground[0]) + np.cross(ground[1], x[:, :3] - ground[2])
        assert sums[LOSS] == pytest.approx(-np.sum(push * (v[:, :3] - below)), abs=1e-11 * STIFFNESS)
        losses.append(sums[LOSS])
    assert max(losses) > 0.01 * STIFFNESS


def test_a_box_that_sinks_straight_feels_the_law_of_hunt_and_crossley():
    points, facet = box()
    parts, x = parts_of((points + np.array([0, 0, 0.49]), facet))
    for speed in (-3.0, -0.5, 0.0, 0.5, 3.0):
        v = np.zeros_like(x)
        v[:, 2] = -speed
        _, sums, _ = on_plane(parts, x, v, damping=0.8)
        want = STIFFNESS * 0.01 * max(0.0, 1 + 0.8 * speed)
        assert sums[NORMAL] == pytest.approx(want, abs=1e-12 * STIFFNESS)
        assert sums[ENERGY] == pytest.approx(0.5 * STIFFNESS * 1e-4, abs=1e-14 * STIFFNESS)
        assert sums[AREA] == pytest.approx(1.0, abs=1e-14)
        assert sums[LOSS] == pytest.approx((want - STIFFNESS * 0.01) * speed, abs=1e-12 * STIFFNESS)
