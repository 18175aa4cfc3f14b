"""Pressure between polyhedra: exact volumes, gradients, balance, nothing lost by leaving facets out."""
import os
import subprocess
import sys

import numpy as np
import pytest

from robotphi.kernels.compiling.compiled import PLAIN, kernel
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
from robotphi.kernels.contact.press.clip import CORNER_ROWS, frame
from robotphi.kernels.contact.press.facets import press_pair, press_polyhedra
from tests import ROOT
from tests.kernels.contact.press.facet_solids import (
    ZERO,
    box,
    empty_sums,
    gradient,
    icosphere,
    moment_of,
    moved,
    overlap,
    parts_of,
    tetrahedron,
)

UP = (0.0, 0.0, 1.0)
STIFFNESS = 2.0e4
SOLIDS = (box(), tetrahedron(), icosphere(0), box(cells=2), icosphere(1))
FEW = 3 if PLAIN else 1  # plain Python does a fraction of the cases


class Scratch:
    def __init__(self, parts):
        facets, places = len(parts.facet), len(parts.vertex)
        self.index, self.box = np.full(2 * facets, -7, np.int32), np.full((facets, 6), np.nan)
        self.corner, self.most = np.full((CORNER_ROWS, 2), np.nan), np.full(places, np.nan)
        self.share, self.below = np.zeros(places), np.full(places, -9, np.int32)


def press(parts, x, v=None, n=UP, damping=0.0, both=1, origin=ZERO, left=1.0):
    """Forces, sums, shares, wrench on B and which facet is below each vertex of part 0 on part 1."""
    v = np.zeros_like(x) if v is None else v
    force, sums, s = np.zeros_like(x), empty_sums(), Scratch(parts)
    wrench = press_polyhedra(parts, 0, 1, x, v, force, n, STIFFNESS, (damping, left), origin, both, s.index, s.box, s.corner,
                             s.most, s.share, s.below, sums, 0)
    return force, sums[0], s.share, np.array(wrench), s


@kernel
def press_all_pairs(facet, facet_vertex, start, x, v, force, n, s, t, stiffness, damping, origin, both, corner, most, share,
                    below, sums):
    """Every facet of part 0 with every facet of part 1."""
    wrench = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(start[0], start[1]):
        for j in range(start[1], start[2]):
            wrench = press_pair(facet, facet_vertex, i, j, x, v, force, n, s, t, stiffness, damping, origin, both, corner, most,
                                share, below, sums, 0, wrench)
    return wrench


def press_without_elimination(parts, x, v, n, damping, both, origin):
    force, sums, s = np.zeros_like(x), empty_sums(), Scratch(parts)
    s.most[:], s.below[:] = 0.0, -1
    across = frame(n)
    wrench = press_all_pairs(parts.facet, parts.facet_vertex, parts.facet_start, x, v, force, n, *across, STIFFNESS,
                             (damping, 1.0), origin, both, s.corner, s.most, s.share, s.below, sums)
    return force, sums[0], s.share, np.array(wrench), s


def random_direction(generator, spread):
    n = np.array(UP) + spread * generator.normal(size=3)
    return tuple(n / np.linalg.norm(n))


def random_pair(generator, warp=0.1, spread=0.3, solids=SOLIDS):
    """Two warped solids one above the other, from touching to deep; a direction near z."""
    first, second = (solids[generator.integers(len(solids))] for _ in range(2))
    shift = np.append(generator.uniform(-0.5, 0.5, 2), generator.uniform(-0.2, 1.0))
    parts, x = parts_of(moved(first, generator, shift, warp), moved(second, generator, warp=warp))
    return parts, x, random_direction(generator, spread)


def random_motion(generator, x):
    """A rigid motion of each part would do; this one is as soft as can be."""
    v = np.zeros_like(x)
    v[:, :3] = generator.normal(size=(len(x), 3))
    return v


def rigid_motion(generator, parts, x):
    v = np.zeros_like(x)
    for part in range(2):
        rows = slice(parts.vertex_start[part], parts.vertex_start[part + 1])
        v[rows, :3] = generator.normal(size=3) + np.cross(generator.normal(size=3), x[rows, :3])
    return v


# what differences are off by: h² × third derivative of U (≈ 400 λ for 0.05 m), rounding 1e-16 λ/h
DIFFERENCES = 3e-9 * STIFFNESS


def gradient_error(parts, x, n, h=1e-6):
    """How far the forces on both sides are from −∂U/∂x, and the largest of them."""
    force, _, _, _, _ = press(parts, x, n=n)
    want = gradient(lambda y: press(parts, y, n=n)[1][PAIR_ENERGY], x, range(len(x)), h)
    return abs(force[:, :3] - want).max(), abs(force).max()


def test_forces_on_both_parts_are_the_gradient_of_the_energy():
    generator = np.random.default_rng(1)
    error, largest = np.transpose([gradient_error(*random_pair(generator)) for _ in range(20 // FEW)])
    assert max(error) < DIFFERENCES
    assert max(largest) > 0.01 * STIFFNESS


def test_walls_along_the_direction_feel_their_pressure():
    """Boxes upright, one within the outline of the other or across its edge: walls just along n."""
    generator = np.random.default_rng(2)
    for shift in ((0.1, 0.07, 0.9), (0.63, 0.31, 0.6), (0.1, 0.05, 0.2), (0.03, 0.02, -0.3), (0.7, 0.6, 0.1)):
        aside = 0.01 * generator.normal(size=3)
        parts, x = parts_of(moved(box((0.8, 0.7, 0.9)), shift=shift), moved(box((1.0, 1.1, 0.7)), shift=aside))
        assert gradient_error(parts, x, UP)[0] < DIFFERENCES


def test_deep_overlap_and_dents_keep_the_gradient():
    generator = np.random.default_rng(3)
    for _ in range(6 // FEW):
        points, facet = box((1.6, 1.5, 1.0), 3)
        points = points + 0.03 * generator.normal(size=points.shape)
        middle = np.hypot(points[:, 0], points[:, 1]) < 0.5
        points[middle, 2] -= 0.3 * np.sign(points[middle, 2])
        for height in (0.3, 0.0, 0.6):
            parts, x = parts_of(moved(icosphere(0), generator, (0.05, 0.1, height), 0.1), (points, facet))
            assert gradient_error(parts, x, random_direction(generator, 0.2))[0] < DIFFERENCES


def test_the_push_on_a_rigid_is_stiffness_times_the_volume_of_the_overlap():
    """Along n always; exactly along n where the facet of B below is perpendicular to n."""
    generator = np.random.default_rng(4)
    checked = 0
    for case in range(60 // FEW):
        first = moved(SOLIDS[case % len(SOLIDS)], generator, (*generator.uniform(-0.3, 0.3, 2), generator.uniform(0.1, 0.9)))
        flat = case % 2 == 0
        second = box((3.0, 3.0, 1.0)) if flat else moved(SOLIDS[(case // 2) % len(SOLIDS)], generator)
        n = UP if flat else random_direction(generator, 0.3)
        parts, x = parts_of(first, second)
        volume, _ = overlap(first[0], second[0])
        _, sums, _, _, _ = press(parts, x, n=n, both=0)
        # volumes of qhull's points: they are within 1e-12 of the size
        assert sums[PAIR_ELASTIC] == pytest.approx(STIFFNESS * volume, abs=1e-10 * STIFFNESS)
        assert sums[PAIR_NORMAL] == pytest.approx(sums[PAIR_ELASTIC], abs=1e-12 * STIFFNESS)
        if flat and volume > 0.0:
            np.testing.assert_allclose(sums[PAIR_FORCE:PAIR_FORCE + 3], STIFFNESS * volume * np.array(n),
                                       atol=1e-10 * STIFFNESS)
            checked += 1
    assert checked > 20 // FEW


def test_forces_of_both_parts_cancel_and_tell_the_same_as_the_sums():
    generator = np.random.default_rng(5)
    for _ in range(60 // FEW):
        parts, x, n = random_pair(generator)
        v, origin = random_motion(generator, x), tuple(0.5 * generator.normal(size=3))
        force, sums, share, wrench, s = press(parts, x, v, n, 0.7, 1, origin)
        first = parts.vertex_start[1]
        f, tiny = force[:, :3], 1e-12 * STIFFNESS
        np.testing.assert_allclose(f.sum(axis=0), 0.0, atol=tiny)
        np.testing.assert_allclose(sums[PAIR_FORCE:PAIR_FORCE + 3], f[:first].sum(axis=0), atol=tiny)
        np.testing.assert_allclose(wrench[:3], f[first:].sum(axis=0), atol=tiny)
        np.testing.assert_allclose(sums[PAIR_MOMENT:PAIR_MOMENT + 3], moment_of(f[:first], x[:first], origin), atol=tiny)
        np.testing.assert_allclose(wrench[3:], moment_of(f[first:], x[first:], origin), atol=tiny)
        along = f @ np.array(n)
        np.testing.assert_allclose(share[:first], along[:first], atol=tiny)
        np.testing.assert_allclose(share[first:], -along[first:], atol=tiny)
        assert sums[PAIR_NORMAL] == pytest.approx(share[:first].sum(), abs=tiny)
        rest = press(parts, x, None, n, 0.0, 1, origin)[0][:first, :3] @ np.array(n)
        np.testing.assert_allclose(sums[PAIR_CENTRE:PAIR_CENTRE + 3], rest @ (x[:first, :3] - origin), atol=tiny)
        assert all(parts.facet_start[1] <= j < parts.facet_start[2] for j in s.below[:first][share[:first] > 1e-9 * STIFFNESS])
        assert all(s.below[first:] == -9)


def test_damping_dissipates_what_it_takes_and_leaves_both_momenta():
    generator = np.random.default_rng(6)
    losses = []
    for case in range(80 // FEW):
        parts, x, n = random_pair(generator, warp=0.0)
        rigid = case % 2 == 0
        v = rigid_motion(generator, parts, x) if rigid else random_motion(generator, x)
        elastic, rest, _, _, _ = press(parts, x, v, n, 0.0)
        left = max(rest[PAIR_ELASTIC], 0.0) / rest[PAIR_FACING] if rest[PAIR_FACING] > 0.0 else 1.0
        damped, sums, _, _, _ = press(parts, x, v, n, 1.5, left=left)
        push, tiny = (damped - elastic)[:, :3], 1e-12 * STIFFNESS
        np.testing.assert_allclose(push.sum(axis=0), 0.0, atol=tiny)
        np.testing.assert_allclose(moment_of(push, x), 0.0, atol=tiny)
        np.testing.assert_allclose(np.cross(push, n), 0.0, atol=tiny)
        assert sums[PAIR_LOSS] == pytest.approx(-np.sum(push * v[:, :3]), abs=100 * tiny)
        assert sums[PAIR_ENERGY] == rest[PAIR_ENERGY]
        assert sums[PAIR_LOSS] >= 0.0
        assert sums[PAIR_NORMAL] >= -tiny
        losses.append(sums[PAIR_LOSS])
    assert max(losses) > 1e-3 * STIFFNESS


def test_one_side_alone_gives_the_same_on_the_first_part_and_nothing_on_the_second():
    generator = np.random.default_rng(7)
    for _ in range(30 // FEW):
        parts, x, n = random_pair(generator)
        v = random_motion(generator, x)
        force, sums, share, _, s = press(parts, x, v, n, 0.4, 1)
        alone, alone_sums, alone_share, wrench, a = press(parts, x, v, n, 0.4, 0)
        first = parts.vertex_start[1]
        np.testing.assert_array_equal(alone[:first], force[:first])
        np.testing.assert_array_equal(alone_sums, sums)
        np.testing.assert_array_equal(alone_share[:first], share[:first])
        np.testing.assert_array_equal(a.below, s.below)
        assert not alone[first:].any()
        assert not wrench.any()


def compare_with_all_pairs(count, seed):
    """Largest difference, over `count` random deforming configurations, to all facets with all facets."""
    generator = np.random.default_rng(seed)
    worst, touching = 0.0, 0
    table = moved(box((80.0, 60.0, 2.0)), shift=(0, 0, -1))
    for case in range(count):
        if case % 4 == 3:  # a large facet below, or above
            body = moved(SOLIDS[generator.integers(len(SOLIDS))], generator, (*generator.uniform(-20, 20, 2), 0.4), 0.1)
            low = (table[0] + 0.05 * generator.normal(size=(8, 3)), table[1])
            parts, x = parts_of(body, low) if case % 8 == 3 else parts_of((low[0] + (0, 0, 2.4), low[1]), body)
            n = random_direction(generator, 0.05)
        else:
            parts, x, n = random_pair(generator, spread=(0.0, 0.3, 3.0)[case % 3])
        v = random_motion(generator, x)
        origin = tuple(x[0, :3])
        got = press(parts, x, v, n, 0.5, case % 2, origin)
        want = press_without_elimination(parts, x, v, n, 0.5, case % 2, origin)
        size = max(1.0, want[1][PAIR_ELASTIC] / STIFFNESS, np.ptp(x, axis=0).max())
        for one, other in zip(got[:4], want[:4], strict=True):
            worst = max(worst, abs(one - other).max() / (STIFFNESS * size ** 2))
        touching += want[1][PAIR_ENERGY] > 0.0
    return worst, touching


@pytest.mark.skipif(PLAIN, reason="needs compiled loops")
def test_leaving_facets_out_loses_nothing():
    worst, touching = compare_with_all_pairs(400, 8)
    assert touching > 200
    assert worst < 1e-13  # sums in another order


def test_nothing_depends_on_place_and_turn():
    from scipy.spatial.transform import Rotation
    generator = np.random.default_rng(9)
    for _ in range(20 // FEW):
        parts, x, n = random_pair(generator)
        v = random_motion(generator, x)
        force, sums, share, wrench, _ = press(parts, x, v, n, 0.5)
        turn, shift = Rotation.random(random_state=generator), generator.normal(size=3)
        y, w = x.copy(), v.copy()
        y[:, :3], w[:, :3] = turn.apply(x[:, :3]) + shift, turn.apply(v[:, :3])
        turned, other, other_share, other_wrench, _ = press(parts, y, w, tuple(turn.apply(n)), 0.5, 1, tuple(shift))
        tiny = 1e-12 * STIFFNESS
        np.testing.assert_allclose(turned[:, :3], turn.apply(force[:, :3]), atol=tiny)
        np.testing.assert_allclose(other_share, share, atol=tiny)
        np.testing.assert_allclose(other_wrench, np.append(turn.apply(wrench[:3]), turn.apply(wrench[3:])), atol=tiny)
        for column in (PAIR_ENERGY, PAIR_LOSS, PAIR_NORMAL, PAIR_ELASTIC, PAIR_AREA, PAIR_SPREAD):
            assert other[column] == pytest.approx(sums[column], abs=10 * tiny)


TILTS = (0.0, -1e-6, -1e-9, -1e-13, -1e-17, 1e-17, 1e-13, 1e-9, 1e-6)


@pytest.mark.parametrize("second", [False, True])
def test_a_wall_that_tilts_through_the_direction_has_no_jump(second):
    """The lateral force on a box sunk into a large one, its wall turned by tiny angles either way and not at all."""
    points, facet = box((0.6, 0.6, 1.0))
    wall = points[:, 0] > 0
    large = moved(box((2.0, 2.0, 1.0)), shift=(0, 0, -0.4))
    forces = []
    for tilt in TILTS:
        bent = points.copy()
        bent[wall, 0] += tilt * points[wall, 2]
        if second:
            parts, x = parts_of((large[0] * -1, large[1][:, ::-1]), (bent, facet))
            forces.append(press(parts, x)[0][8:, :3])
        else:
            parts, x = parts_of((bent, facet), large)
            forces.append(press(parts, x)[0][:8, :3])
    for tilt, one in zip(TILTS, forces, strict=True):
        # the force changes by as much as the wall moves, and by rounding
        np.testing.assert_allclose(one, forces[0], atol=(10 * abs(tilt) + 1e-13) * STIFFNESS)
    # the wall is sunk by 0.6 m over 0.6 m: ½ λ 0.6² 0.6
    assert abs(forces[0][wall, 0].sum()) == pytest.approx(0.5 * STIFFNESS * 0.6 ** 2 * 0.6, rel=1e-12)


def test_a_wall_along_an_edge_between_two_facets_is_pressed_once():
    """The wall stands on the diagonal of the table, to rounding: neither of the two facets leaves it out or both count it."""
    generator = np.random.default_rng(12)
    points, facet = box((4.0, 4.0, 1.0))
    diagonal = np.array([(1, 1, 0), (-1, 1, 0)]) / np.sqrt(2)
    top = [f for f in facet if all(points[f, 2] > 0)]
    if not any({tuple(points[a, :2]), tuple(points[b, :2])} == {(-2, -2), (2, 2)} for f in top for a in f for b in f):
        diagonal = diagonal[::-1]
    body, body_facet = box((0.6, 0.5, 1.0))
    body = (body[:, :1] + generator.uniform(-0.5, 0.5)) * diagonal[0] + (body[:, 1:2] + 0.25) * diagonal[1] \
        + (body[:, 2:] + 0.9) * np.array(UP)
    if np.linalg.det(np.vstack([diagonal, UP])) < 0:
        body_facet = body_facet[:, ::-1]
    want = 0.5 * STIFFNESS * 0.1 ** 2 * 0.6
    for _ in range(100 // FEW):
        angle = generator.uniform(0, 2 * np.pi)
        turn = np.array([(np.cos(angle), -np.sin(angle), 0), (np.sin(angle), np.cos(angle), 0), (0, 0, 1)])
        parts, x = parts_of((body @ turn.T, body_facet), (points @ turn.T, facet))
        _, sums, _, _, _ = press(parts, x)
        # walls opposite each other cancel: without this one the force along its normal would be `want`
        np.testing.assert_allclose(sums[PAIR_FORCE:PAIR_FORCE + 2], 0.0, atol=1e-10 * want)
        assert sums[PAIR_ELASTIC] == pytest.approx(STIFFNESS * 0.03, rel=1e-12)


def test_aligned_boxes_push_straight_and_share_evenly():
    """Outlines and diagonals that coincide: every tie there is."""
    parts, x = parts_of(moved(box(), shift=(0, 0, 0.99)), box())
    force, sums, _, wrench, _ = press(parts, x)
    np.testing.assert_allclose(sums[PAIR_FORCE:PAIR_FORCE + 3], (0, 0, STIFFNESS * 0.01), atol=1e-13 * STIFFNESS)
    np.testing.assert_allclose(sums[PAIR_MOMENT:PAIR_MOMENT + 3], 0.0, atol=1e-13 * STIFFNESS)
    np.testing.assert_allclose(wrench, np.append(-sums[PAIR_FORCE:PAIR_FORCE + 3], (0, 0, 0)), atol=1e-13 * STIFFNESS)
    assert sums[PAIR_ENERGY] == pytest.approx(0.5 * STIFFNESS * 1e-4, rel=1e-12)
    assert sums[PAIR_AREA] == pytest.approx(1.0, rel=1e-12)
    assert sums[PAIR_SPREAD] == pytest.approx(STIFFNESS * 0.01 / 6, rel=1e-12)  # mean of x² + y² over the unit square


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_numbers_that_are_none_do_not_hang(bad):
    generator = np.random.default_rng(10)
    for row in range(0, 20, 3):
        parts, x = parts_of(moved(box(), generator, (0, 0, 0.5)), icosphere(0))
        sound, _, _, _, _ = press(parts, x, x.copy(), UP, 0.5)
        assert np.isfinite(sound).all()
        x[row, row % 3] = bad
        assert press(parts, x, x.copy(), UP, 0.5)[0].shape == sound.shape
        x[:, 0] = bad
        assert press(parts, x, x.copy(), UP, 0.5)[0].shape == sound.shape
    assert len(press(*parts_of(box(), box()), n=(bad, bad, bad))[0]) == 16


def test_facets_without_area_give_nothing():
    points, facet = box()
    flat = np.vstack([facet, [(0, 0, 1), (2, 2, 2), (0, 7, 7)]])
    shift = np.array([0.1, 0.05, 0.9])
    for first, second in (((points + shift, flat), (points, facet)), ((points + shift, facet), (points, flat))):
        want = press(*parts_of((points + shift, facet), (points, facet)))
        got = press(*parts_of(first, second))
        np.testing.assert_allclose(got[0], want[0], atol=1e-14 * STIFFNESS)
        np.testing.assert_allclose(got[1][:PAIR_AREA], want[1][:PAIR_AREA], atol=1e-14 * STIFFNESS)


@pytest.mark.skipif(PLAIN, reason="needs compiled loops")
def test_pairs_compared_grow_as_the_facets_do():
    compared = []
    for cells in (8, 16, 32):
        points, facet = box((2.0, 2.0, 1.0), cells)
        low = points.copy()
        points = points + np.array([0.013, 0.017, 0.98])
        parts, x = parts_of((points, facet), (low, facet))
        scratch = press(parts, x)[4]
        compared.append(scratch.index[0] / len(facet))
    # a sweep along one axis compares a strip: per facet as the square root of their number, 2 for four times as many
    assert compared[2] / compared[1] < 2.6


def sums_of_cases():
    """Sums, forces and wrenches of a few cases of all three kernels, as hexadecimal numbers."""
    from tests.kernels.contact.press.test_ground import on_field, on_plane, random_case, rough_case
    generator = np.random.default_rng(11)
    found = []
    for case in range(6):
        parts, x, n = random_pair(generator, solids=SOLIDS[:3])
        force, sums, share, wrench, _ = press(parts, x, random_motion(generator, x), n, 0.5, case % 2)
        found += [force, sums, share, wrench]
        parts, x, n, level = random_case(generator)
        found += on_plane(parts, x, random_motion(generator, x), n, level, damping=0.5)
        fields, parts, x = rough_case(generator)
        found += on_field(fields, parts, x, random_motion(generator, x), 0.5)
    return [float(number).hex() for array in found for number in np.ravel(array)]


@pytest.mark.skipif(PLAIN, reason="compares with this")
def test_plain_python_gives_the_same_bits():
    code = "from tests.kernels.contact.press import test_facets; " \
           "assert test_facets.PLAIN; print(*test_facets.sums_of_cases())"
    plain = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                           env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}, cwd=ROOT)
    assert plain.stdout.split() == sums_of_cases()
