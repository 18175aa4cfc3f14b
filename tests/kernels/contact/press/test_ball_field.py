"""A ball on a height field: one contact on what is flat, smooth over ridges, shared in valleys, a force that is a gradient."""
import math

import numpy as np
import pytest
from scipy.optimize import nnls

from robotphi.kernels.contact.press.ball_field import (
    CLOSE,
    FIELD_NORMAL,
    FIELD_POINT,
    FIELD_SHARE,
    NOT_IN_FIELD,
    field_contacts,
    press_ball_on_field,
    shortest_move,
)
from robotphi.kernels.contact.press.field_places import nearest_triangle
from robotphi.model.arrays import Fields

RADIUS = 0.5


def field(height, spacing=(1.0, 1.0), origin=(0.0, 0.0, 0.0)):
    height = np.asarray(height, float)
    # a second field before it, so that indices into the flat array count
    other = np.full(7, 9.0)
    return Fields(np.array([0, 7, 7 + height.size], np.int32), np.concatenate((other, height.ravel())),
                  np.array([(1, 7), height.shape], np.int32), np.array([(0, 0, 0), origin], float),
                  np.array([(1, 1), spacing], float))


def contacts(fields, centre, radius=RADIUS):
    rows = np.zeros((8, 8))
    count, depth, push = field_contacts(fields, 1, tuple(float(c) for c in centre), radius, rows)
    return count, depth, np.array(push), rows[:count]


def rough(seed, height=0.3):
    return field(np.random.default_rng(seed).uniform(-height, height, (12, 12)), (0.3, 0.35), (0.1, -0.2, 0.05))


def gradient(fields, centre, h=1e-6):
    return np.array([contacts(fields, centre + e)[1] - contacts(fields, centre - e)[1] for e in np.eye(3) * h]) / (2 * h)


@pytest.mark.parametrize("slope", [(0.0, 0.0), (0.4, -1.1)])
def test_a_flat_field_is_one_plane_wherever_the_ball_stands(slope):
    """On corners, edges, diagonals and in between, touching or with the centre far under the surface."""
    u, w = np.meshgrid(np.arange(9) * 0.5, np.arange(9) * 0.5, indexing="ij")
    fields = field(slope[0] * u + slope[1] * w, (0.5, 0.5))
    n = np.array([-slope[0], -slope[1], 1.0])
    n /= np.linalg.norm(n)
    places = np.vstack((np.random.default_rng(1).integers(8, 25, (60, 2)) / 8, np.random.default_rng(2).uniform(1, 3, (60, 2))))
    for gap in (0.499, 0.4, 0.2, 0.01, -0.3):
        for a, b in places:
            centre = np.array([a, b, slope[0] * a + slope[1] * b]) + n * gap
            if min(centre[:2]) < 0.6 or max(centre[:2]) > 3.4:
                continue  # a tilted ball over the rim
            count, depth, push, rows = contacts(fields, centre)
            assert count == 1
            assert depth == pytest.approx(RADIUS - gap, abs=1e-12)
            assert push == pytest.approx(n, abs=1e-11)
            assert rows[0, FIELD_SHARE] == pytest.approx(1.0, abs=1e-12)
            assert rows[0, FIELD_POINT:FIELD_POINT + 3] == pytest.approx(centre - n * gap, abs=1e-11)
    assert contacts(fields, np.array([2, 2, 2 * slope[0] + 2 * slope[1]]) + n * 0.5001)[0] == 0


def test_over_a_ridge_the_one_contact_turns_smoothly():
    """Roof of slope 1: over the faces n is theirs, over the ridge it points from the ridge to the centre."""
    fields = field(-np.abs(np.arange(7) - 3.0)[:, None] + np.zeros((7, 7)))
    for x in np.linspace(-0.6, 0.6, 97):
        centre = np.array([3 + x, 3.3, 0.45])
        count, depth, push, rows = contacts(fields, centre)
        to_ridge = math.hypot(x, 0.45)
        if abs(x) < 0.45:  # between the normals of both faces
            distance, n = to_ridge, np.array([x, 0, 0.45]) / to_ridge
        else:
            distance, n = (0.45 + abs(x)) / math.sqrt(2), np.array([math.copysign(1, x), 0, 1]) / math.sqrt(2)
        if distance >= RADIUS:
            assert count == 0
            continue
        assert depth == pytest.approx(RADIUS - distance, abs=1e-12)
        assert push == pytest.approx(n, abs=1e-10)
        assert rows[:, FIELD_SHARE].sum() == pytest.approx(1.0, abs=1e-10)   # one direction, however many triangles say so


def test_in_a_valley_two_faces_share_the_push():
    """A right angle: depth² = x₁² + x₂², each face pushes as a spring of its own would."""
    fields = field(np.abs(np.arange(7) - 3.0)[:, None] + np.zeros((7, 7)))
    faces = np.array([[1.0, 0, 1], [-1.0, 0, 1]]) / math.sqrt(2)
    for x in np.linspace(-0.1, 0.1, 21):
        centre = np.array([3 + x, 3.3, 0.6])
        count, depth, push, rows = contacts(fields, centre)
        single = RADIUS - faces @ (centre - np.array([3, 0, 0]))
        if single.min() <= 0:
            assert (count, depth) == pytest.approx((1, single.max()), abs=1e-12)
            continue
        assert count == 2
        assert depth == pytest.approx(np.linalg.norm(single), abs=1e-12)
        assert push * depth == pytest.approx(single @ faces, abs=1e-12)
        assert sorted(rows[:, FIELD_SHARE] * depth) == pytest.approx(sorted(single), abs=1e-12)


def test_a_slight_valley_is_hardly_more_than_a_plane():
    """A bend of 1e-4 must not count twice: the depth stays within the bend times the radius of the flat one, without a jump."""
    fields = field(1e-4 * np.abs(np.arange(7) - 3.0)[:, None] + np.zeros((7, 7)))
    depths = [contacts(fields, (3 + x, 3.3, 0.45))[1] for x in np.linspace(-2e-3, 2e-3, 401)]
    assert depths == pytest.approx(np.full(401, 0.05), abs=1e-6)
    assert np.abs(np.diff(depths)).max() < 2e-9   # slope 1e-4 × 1e-5


def rough_study(count, limit, seed=0):
    """Largest error of the push against central differences of the depth, and the number of balls by number of contacts."""
    rng, h = np.random.default_rng(seed), 1e-6
    worst, by_count = 0.0, [0, 0, 0, 0]
    fields = [rough(k) for k in range(10)]
    for k in range(count):
        centre = np.array([*rng.uniform(0.9, 2.6, 2), rng.uniform(0.2, 0.9)])
        contact_count, depth, push, _ = contacts(fields[k % 10], centre)
        if 0 < depth < limit * RADIUS:
            by_count[contact_count] += 1
            worst = max(worst, np.abs(gradient(fields[k % 10], centre, h) + push).max())
    return worst, by_count


def test_the_push_is_the_gradient_of_the_depth_on_rough_ground():
    """Slopes up to two; up to three tenths of the radius deep. Differences: rounding CLOSE R/h = 5e-7, order h."""
    worst, by_count = rough_study(5000, 0.3)
    assert worst < 1e-6
    assert min(by_count[1:]) > 5


def test_after_the_move_the_ball_is_free_and_touches_its_contacts():
    rng = np.random.default_rng(5)
    fields = rough(3)
    seen = 0
    for _ in range(400):
        centre = np.array([*rng.uniform(0.9, 2.6, 2), rng.uniform(0.2, 0.9)])
        count, depth, push, rows = contacts(fields, centre)
        if count == 0:
            assert nearest_triangle(fields, 1, tuple(centre), 2.0)[1] >= RADIUS * (1 - CLOSE)
            continue
        if depth > 0.5 * RADIUS:
            continue
        seen += 1
        moved = centre + depth * push
        assert nearest_triangle(fields, 1, tuple(moved), 2.0)[1] == pytest.approx(RADIUS, rel=1e-9, abs=0)
        normals = rows[:, FIELD_NORMAL:FIELD_NORMAL + 3]
        assert moved - rows[:, FIELD_POINT:FIELD_POINT + 3] == pytest.approx(RADIUS * normals, abs=1e-9)
        assert rows[:, FIELD_SHARE] @ normals == pytest.approx(push, abs=1e-12)
        assert rows[:, FIELD_SHARE].min() > 0
    assert seen > 50


def test_the_depth_has_no_jumps_along_paths():
    rng = np.random.default_rng(8)
    for seed in range(6):
        fields = rough(seed)
        start, end = np.array([1.0, 1.0, 0.0]), np.array([2.5, 2.3, 0.0]) + rng.uniform(-0.1, 0.1, 3)
        path = start + np.linspace(0, 1, 1500)[:, None] * (end - start)
        path[:, 2] = 0.8 + 0.1 * np.sin(9 * path[:, 0])
        depths = np.array([contacts(fields, c)[1] for c in path])
        step = np.linalg.norm(np.diff(path, axis=0), axis=1)
        fine = np.maximum(depths[1:], depths[:-1]) < 0.4 * RADIUS
        assert (np.abs(np.diff(depths)) <= step + 1e-9)[fine].all()   # a depth changes at most as fast as the place


def test_the_law_is_that_of_a_ball_and_damping_never_pulls():
    fields, rows = rough(1), np.zeros((8, 8))
    rng = np.random.default_rng(3)
    for _ in range(300):
        centre = tuple(float(c) for c in (*rng.uniform(0.9, 2.6, 2), rng.uniform(0.2, 0.8)))
        velocity = tuple(float(c) for c in rng.normal(size=3) * 10 ** rng.uniform(-2, 2))
        count, depth, push = field_contacts(fields, 1, centre, RADIUS, rows)
        energy, elastic, force, loss, points = press_ball_on_field(fields, 1, centre, velocity, RADIUS, 70.0, 1.5, 0.4, rows)
        assert points == count
        assert elastic == pytest.approx(70.0 * depth ** 1.5, rel=1e-14, abs=0)
        assert energy == pytest.approx(0.4 * elastic * depth, rel=1e-14, abs=0)
        assert loss >= 0.0
        assert (rows[:count, FIELD_SHARE] >= 0.0).all()
        power = (elastic * np.array(push) - force) @ np.array(velocity)
        assert power == pytest.approx(loss, abs=1e-11 * (1 + elastic * np.linalg.norm(velocity)) * 10)
        still = press_ball_on_field(fields, 1, centre, (0.0, 0.0, 0.0), RADIUS, 70.0, 1.5, 0.4, rows)
        assert still[2] == pytest.approx(elastic * np.array(push), abs=1e-11 * (1 + elastic))


def test_beside_above_and_without_numbers_there_is_no_contact():
    fields, rows = rough(0), np.zeros((8, 8))
    places = ((-3.0, 1.0, 0.0), (1.0, 30.0, 0.0), (1.0, 1.0, 2.0), (1e300, 1.0, 0.0), (1.0, math.inf, 0.0),
              (math.nan, 1.0, 0.0), (1.0, 1.0, math.nan), (math.nan, math.nan, math.nan))
    for place in places:
        assert press_ball_on_field(fields, 1, place, (0.0, 0.0, 0.0), RADIUS, 1.0, 1.0, 0.0, rows) == NOT_IN_FIELD
    # the rim holds like a ridge
    flat = field(np.zeros((4, 4)))
    count, depth, push, _ = contacts(flat, (-0.3, 1.5, 0.2))
    assert (count, depth) == pytest.approx((1, RADIUS - math.hypot(0.3, 0.2)), abs=1e-12)
    assert push == pytest.approx(np.array([-0.3, 0, 0.2]) / math.hypot(0.3, 0.2), abs=1e-12)


def test_the_shortest_move_is_that_of_the_quadratic_programme():
    """min |δ| with N δ ≥ b as least distance programme (Lawson and Hanson 1974, chapter 23), for up to four planes."""
    rng, rows = np.random.default_rng(6), np.zeros((8, 8))
    for _ in range(400):
        count = int(rng.integers(1, 5))
        n = rng.normal(size=(count, 3)) + np.array([0, 0, 1.5])
        n /= np.linalg.norm(n, axis=1)[:, None]
        bound = rng.uniform(0.02, 0.2, count)
        rows[:count, FIELD_NORMAL:FIELD_NORMAL + 3], rows[4:4 + count, 0] = n, bound
        move = np.array(shortest_move(rows, count, 1e-13))
        _, residual = nnls(np.vstack((n.T, bound)), np.array([0, 0, 0, 1.0]))
        # |r|² = 1/(1 + |δ|²) for the residual r of that programme
        assert np.linalg.norm(move) == pytest.approx(math.sqrt(1 / residual ** 2 - 1), rel=1e-9, abs=0)
        assert (n @ move >= bound - 1e-12).all()
        assert rows[:count, FIELD_SHARE] @ n == pytest.approx(move, abs=1e-9)
        assert rows[:count, FIELD_SHARE].min() >= 0


def test_a_centre_under_the_surface_is_lifted_from_the_triangle_above_it():
    """One cell with a fold along its diagonal (a ridge): each half lifts along its own normal."""
    fields = field([[0.0, -1.0], [-0.5, 0.0]], (4.0, 4.0))
    for x, y, n in ((2.9, 0.9, (0.125, -0.125, 1)), (0.9, 2.9, (-0.25, 0.25, 1))):
        n = np.array(n) / np.linalg.norm(n)
        surface = -(n[0] * x + n[1] * y) / n[2]
        centre = np.array([x, y, surface - 0.2])
        count, depth, push, _ = contacts(fields, centre)
        assert count == 1
        assert depth == pytest.approx(RADIUS + 0.2 * n[2], abs=1e-12)
        assert push == pytest.approx(n, abs=1e-12)
