"""Pressure of half spaces and height fields: Archimedes, gradients, damping, agreement of the two."""

import numpy as np
import pytest

from robotphi.kernels.contact.columns import (
    PAIR_AREA,
    PAIR_CENTRE,
    PAIR_ELASTIC,
    PAIR_ENERGY,
    PAIR_FACING,
    PAIR_FORCE,
    PAIR_LOSS,
    PAIR_MOMENT,
    PAIR_NORMAL,
    PAIR_SPREAD,
)
from robotphi.kernels.contact.press.clip import CORNER_ROWS
from robotphi.kernels.contact.press.facets import press_polyhedra
from robotphi.kernels.contact.press.ground import press_on_field, press_on_plane
from robotphi.model.arrays import Fields
from tests.kernels.contact.press.facet_solids import (
    ZERO,
    box,
    empty_sums,
    gradient,
    icosphere,
    moment_of,
    moved,
    parts_of,
    tetrahedron,
    volume_of,
)

UP = (0.0, 0.0, 1.0)
STIFFNESS = 3.0e4
SOLIDS = (box(), tetrahedron(), icosphere(1), box(cells=3))


def on_plane(parts, x, v=None, n=UP, level=0.0, ground=(ZERO, ZERO, ZERO), damping=0.0, origin=ZERO, left=1.0):
    """Forces, sums and shares of part 0 on a half space."""
    v = np.zeros_like(x) if v is None else v
    force, sums, share = np.zeros_like(x), empty_sums(), np.zeros(len(x))
    press_on_plane(parts, 0, x, v, force, n, level, *ground, STIFFNESS, (damping, left), origin, share, sums, 0)
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
        assert sums[PAIR_ELASTIC] == pytest.approx(STIFFNESS * volume, abs=1e-11 * STIFFNESS)
        checked += 1
    assert checked > 20


def test_the_force_of_a_half_space_is_the_gradient_of_its_energy():
    generator = np.random.default_rng(2)
    h = 1e-5
    for _ in range(12):
        parts, x, n, level = random_case(generator)
        force, _, _ = on_plane(parts, x, n=n, level=level)
        want = gradient(lambda y, p=parts, n=n, level=level: on_plane(p, y, n=n, level=level)[1][PAIR_ENERGY], x,
                        range(len(x)), h)
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
        np.testing.assert_allclose(sums[PAIR_FORCE:PAIR_FORCE + 3], force[:, :3].sum(axis=0), atol=scale)
        np.testing.assert_allclose(sums[PAIR_MOMENT:PAIR_MOMENT + 3], moment_of(force, x, origin), atol=10 * scale)
        along = force[:, :3] @ np.array(n)
        assert sums[PAIR_NORMAL] == pytest.approx(along.sum(), abs=scale)
        np.testing.assert_allclose(share, along, atol=scale)
        rest = on_plane(parts, x, n=n, level=level)[0][:, :3] @ np.array(n)
        np.testing.assert_allclose(sums[PAIR_CENTRE:PAIR_CENTRE + 3], rest @ (x[:, :3] - origin), atol=10 * scale)


def test_damping_on_a_half_space_dissipates_and_never_pulls_a_rigid():
    generator = np.random.default_rng(4)
    losses = []
    for _ in range(60):
        parts, x, n, level = random_case(generator, warp=0.0)
        speed, spin = generator.normal(size=3), generator.normal(size=3)
        v = np.zeros_like(x)
        v[:, :3] = speed + np.cross(spin, x[:, :3])
        ground = tuple(tuple(generator.normal(size=3)) for _ in range(3))
        elastic, rest, _ = on_plane(parts, x, n=n, level=level)
        left = rest[PAIR_ELASTIC] / rest[PAIR_FACING] if rest[PAIR_FACING] > 0 else 1.0
        force, sums, _ = on_plane(parts, x, v, n, level, ground, 1.0, left=left)
        assert sums[PAIR_LOSS] >= -1e-12 * STIFFNESS
        assert sums[PAIR_NORMAL] >= -1e-12 * STIFFNESS
        assert sums[PAIR_ENERGY] == rest[PAIR_ENERGY]
        push = force[:, :3] - elastic[:, :3]
        np.testing.assert_allclose(push - np.outer(push @ np.array(n), n), 0.0, atol=1e-12 * STIFFNESS)
        # what the damping takes from the body and the ground: −Σ push·(v − ground at the same place)
        below = np.array(ground[0]) + np.cross(ground[1], x[:, :3] - ground[2])
        assert sums[PAIR_LOSS] == pytest.approx(-np.sum(push * (v[:, :3] - below)), abs=1e-11 * STIFFNESS)
        losses.append(sums[PAIR_LOSS])
    assert max(losses) > 0.01 * STIFFNESS


def test_a_box_that_sinks_straight_feels_the_law_of_hunt_and_crossley():
    points, facet = box()
    parts, x = parts_of((points + np.array([0, 0, 0.49]), facet))
    for speed in (-3.0, -0.5, 0.0, 0.5, 3.0):
        v = np.zeros_like(x)
        v[:, 2] = -speed
        _, sums, _ = on_plane(parts, x, v, damping=0.8)
        want = STIFFNESS * 0.01 * max(0.0, 1 + 0.8 * speed)
        assert sums[PAIR_NORMAL] == pytest.approx(want, abs=1e-12 * STIFFNESS)
        assert sums[PAIR_ENERGY] == pytest.approx(0.5 * STIFFNESS * 1e-4, abs=1e-14 * STIFFNESS)
        assert sums[PAIR_AREA] == pytest.approx(1.0, abs=1e-14)
        # mean of x² + y² over a unit square
        assert sums[PAIR_SPREAD] == pytest.approx(STIFFNESS * 0.01 / 6, abs=1e-12 * STIFFNESS)
        assert sums[PAIR_LOSS] == pytest.approx((want - STIFFNESS * 0.01) * speed, abs=1e-12 * STIFFNESS)


def field_of(height, spacing=(0.4, 0.3), origin=(-1.5, -1.4, 0.0)):
    """One height field, with another one before it."""
    height = np.asarray(height, float)
    return Fields(start=np.array([0, 4, 4 + height.size], np.int32), height=np.append(np.full(4, 50.0), height.ravel()),
                  shape=np.array([(2, 2), height.shape], np.int32), origin=np.array([(0, 0, 0), origin], float),
                  spacing=np.array([(9, 9), spacing], float))


def grid_xy(shape, spacing=(0.4, 0.3), origin=(-1.5, -1.4)):
    u, w = (origin[k] + spacing[k] * np.arange(shape[k]) for k in range(2))
    return np.meshgrid(u, w, indexing="ij")


def on_field(fields, parts, x, v=None, damping=0.0, origin=ZERO, left=1.0):
    v = np.zeros_like(x) if v is None else v
    force, sums, share = np.zeros_like(x), empty_sums(), np.zeros(len(x))
    corner = np.full((CORNER_ROWS, 2), np.nan)
    press_on_field(parts, 0, x, v, force, fields, 1, STIFFNESS, (damping, 1.0), origin, corner, share, sums, 0)
    return force, sums[0], share


def test_a_level_field_is_a_plane():
    generator = np.random.default_rng(5)
    for case in range(20):
        parts, x, _, level = random_case(generator)
        if case == 0:  # walls along lines of the grid
            parts, x = parts_of(moved(box((0.8, 0.6, 1.0)), shift=(0.1, 0.1, 0.0)))
        v, origin = generator.normal(size=x.shape), tuple(generator.normal(size=3))
        want = on_plane(parts, x, v, UP, level, damping=0.6, origin=origin)
        fields = field_of(np.full((9, 11), level - 0.2), origin=(-1.5, -1.4, 0.2))
        got = on_field(fields, parts, x, v, 0.6, origin)
        tiny = 1e-11 * STIFFNESS
        np.testing.assert_allclose(on_field(fields, parts, x)[0], on_plane(parts, x, level=level)[0], atol=tiny)
        for column in (PAIR_ENERGY, PAIR_ELASTIC, PAIR_AREA):
            assert got[1][column] == pytest.approx(want[1][column], abs=tiny)
        # the spread is a cubic, for which the points are not exact: smaller pieces, another sum
        assert got[1][PAIR_SPREAD] == pytest.approx(want[1][PAIR_SPREAD], abs=0.2 * STIFFNESS)
        rigid = np.zeros_like(x)
        rigid[:, 2] = -0.7
        want = on_plane(parts, x, rigid, level=level, damping=0.6)[0]
        np.testing.assert_allclose(on_field(fields, parts, x, rigid, 0.6)[0], want, atol=tiny)


def test_walls_along_the_lines_of_the_grid_are_pressed_once():
    """To rounding: seen from any reference point, neither of two cells leaves a wall out or both count it."""
    generator = np.random.default_rng(12)
    for _ in range(60):
        spacing, first, height = generator.uniform(0.2, 0.4, 2), generator.uniform(-2, -1.5, 2), generator.uniform(-0.4, 0.4)
        points, facet = box()
        points[:, :2] = first + spacing * ((points[:, :2] + 0.5) @ [(2, 2), (0, 3)] + (3, 2))  # along diagonals, and along v
        parts, x = parts_of((points, facet))
        origin = tuple(generator.normal(size=3))
        fields = field_of(np.full((9, 11), height), spacing, (*first, 0.0))
        want, _, _ = on_plane(parts, x, level=height, origin=origin)
        np.testing.assert_allclose(on_field(fields, parts, x, origin=origin)[0], want, atol=1e-12 * STIFFNESS)


def test_a_slope_pushes_by_the_volume_below_it_along_z():
    """φ = depth along z below z = c + a x + b y: λ × volume up, and sideways what its gradient says."""
    generator = np.random.default_rng(6)
    gx, gy = grid_xy((9, 11))
    for solid in (box(), tetrahedron(), icosphere(1)):
        a, b, c = 0.3, -0.2, 0.1
        points, _ = shape = moved(solid, generator)
        parts, x = parts_of(shape)
        force, sums, _ = on_field(field_of(c + a * gx + b * gy), parts, x)
        n = np.array([-a, -b, 1.0])
        volume, centroid = volume_of(cut_hull(points, n, c))
        # U = λ ∫ φ dV, φ = c + a x + b y − z: every piece of body below the slope is pushed by −λ ∇φ
        want = STIFFNESS * volume * n
        np.testing.assert_allclose(force[:, :3].sum(axis=0), want, atol=1e-10 * STIFFNESS)
        np.testing.assert_allclose(moment_of(force, x), np.cross(centroid, want), atol=1e-10 * STIFFNESS)
        assert sums[PAIR_ELASTIC] == pytest.approx(STIFFNESS * volume, abs=1e-10 * STIFFNESS)


def test_what_slides_along_a_slope_is_not_held_back_and_what_sinks_in_loses():
    generator = np.random.default_rng(14)
    gx, gy = grid_xy((9, 11))
    a, b = 0.3, -0.2
    fields = field_of(0.1 + a * gx + b * gy)
    for solid in (box(), tetrahedron(), icosphere(1)):
        parts, x = parts_of(moved(solid, generator))
        still = on_field(fields, parts, x)[0]
        along = np.zeros_like(x)
        along[:, :3] = (1.3, 0.4, 1.3 * a + 0.4 * b)
        force, sums, _ = on_field(fields, parts, x, along, 0.6)
        np.testing.assert_allclose(force, still, atol=1e-11 * STIFFNESS)
        assert abs(sums[PAIR_LOSS]) < 1e-11 * STIFFNESS
        into = np.zeros_like(x)
        into[:, :3] = generator.normal(size=3) - (0, 0, 3.0)
        force, sums, _ = on_field(fields, parts, x, into, 0.1)
        # what the damping takes from the body is the loss
        assert sums[PAIR_LOSS] > 0.0
        assert -np.sum((force - still)[:, :3] * into[:, :3]) == pytest.approx(sums[PAIR_LOSS], rel=1e-9)


def rough_case(generator):
    solid = SOLIDS[generator.integers(len(SOLIDS))]
    parts, x = parts_of(moved(solid, generator, (*generator.uniform(-0.4, 0.4, 2), generator.uniform(0.0, 0.6)), 0.1))
    return field_of(0.15 * generator.normal(size=(9, 11))), parts, x


def test_the_force_of_a_rough_field_is_the_gradient_of_its_energy():
    generator = np.random.default_rng(7)
    for _ in range(8):
        fields, parts, x = rough_case(generator)
        force, sums, share = on_field(fields, parts, x)
        want = gradient(lambda y, f=fields, p=parts: on_field(f, p, y)[1][PAIR_ENERGY], x, range(len(x)), 1e-6)
        # as for the plane; the bends of the field are within the same bounds for a step of 1e-6
        np.testing.assert_allclose(force[:, :3], want, atol=3e-9 * STIFFNESS)
        assert sums[PAIR_NORMAL] == pytest.approx(share.sum(), abs=1e-12 * STIFFNESS)
        np.testing.assert_allclose(sums[PAIR_FORCE:PAIR_FORCE + 3], force[:, :3].sum(axis=0), atol=1e-12 * STIFFNESS)
        np.testing.assert_allclose(sums[PAIR_MOMENT:PAIR_MOMENT + 3], moment_of(force, x), atol=1e-12 * STIFFNESS)


def test_a_rough_field_is_the_polyhedron_below_it():
    """The same ground as a closed surface of triangles, by the other kernel."""
    generator = np.random.default_rng(8)
    for _ in range(10):
        fields, parts, x = rough_case(generator)
        height = fields.height[4:].reshape(9, 11)
        top = np.stack([*grid_xy((9, 11)), height], axis=-1).reshape(-1, 3)
        low = top * (1, 1, 0) - (0, 0, 9.0)
        cell = [(i * 11 + j, (i + 1) * 11 + j, (i + 1) * 11 + j + 1, i * 11 + j + 1) for i in range(8) for j in range(10)]
        facet = [t for a, b, c, d in cell
                 for t in ((a, b, c), (a, c, d), (a + 99, c + 99, b + 99), (a + 99, d + 99, c + 99))]
        both, y = parts_of((x[:, :3], parts.facet), (np.vstack([top, low]), np.array(facet)))
        v = np.zeros_like(y)  # damping apart: the ground's acts along its own slopes, that of a pair along n
        force, sums, share = np.zeros_like(y), empty_sums(), np.zeros(len(y))
        press_polyhedra(both, 0, 1, y, v, force, UP, STIFFNESS, (0.0, 1.0), ZERO, 0, np.zeros(2 * len(both.facet), np.int32),
                        np.zeros((len(both.facet), 6)), np.zeros((CORNER_ROWS, 2)), np.zeros(len(y)), share,
                        np.zeros(len(y), np.int32), sums, 0)
        got = on_field(fields, parts, x)
        np.testing.assert_allclose(got[0], force[:len(x)], atol=1e-12 * STIFFNESS)
        np.testing.assert_allclose(got[1][:PAIR_SPREAD + 1], sums[0, :PAIR_SPREAD + 1], atol=1e-12 * STIFFNESS)
        np.testing.assert_allclose(got[2], share[:len(x)], atol=1e-12 * STIFFNESS)


def test_beside_the_grid_there_is_no_ground():
    parts, x = parts_of(box())
    fields = field_of(np.full((3, 3), 0.5), (0.5, 0.5), (0.25, -0.5, 0.0))
    force, sums, _ = on_field(fields, parts, x)
    assert sums[PAIR_ELASTIC] == pytest.approx(STIFFNESS * 0.25, rel=1e-12)
    x[:, 0] += 3.0
    assert not on_field(fields, parts, x)[0].any()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_numbers_that_are_none_do_not_hang(bad):
    parts, x = parts_of(box(cells=2))
    fields = field_of(np.full((9, 11), 0.1))
    for axis in range(3):
        y = x.copy()
        y[3, axis] = bad
        assert on_field(fields, parts, y, y, 0.5)[0].shape == y.shape
        on_plane(parts, y, y, damping=0.5)
        y[:, axis] = bad
        on_field(fields, parts, y, y, 0.5)
