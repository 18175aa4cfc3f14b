"""The contact direction kept through interpenetration, against brute force over the faces of the difference of two hulls."""

import numpy as np
import pytest

from robotphi.kernels.contact.find.direction import contact_direction
from robotphi.kernels.contact.find.simplex import NONE
from tests.kernels.contact.find.gjk_arbiter import Pairs, ellipsoid, least_overlap, rotation, split_box, turn

ZERO = (0.0, 0.0, 0.0)
SAME = 1e-11    # of the size 1: a support along a direction that is good to a rounding over the length of its edges, 1e-4


class Follower:
    """Two hulls and what is kept of them from one question to the next."""

    def __init__(self, a, b, n=ZERO, depth=0.0):
        self.a, self.b, self.of_a, self.of_b = a[0], b[0], a[1], b[1]
        self.pairs = Pairs([(a[0], b[0])], [(a[1], b[1])])
        self.n, self.gap, self.simplex = n, -depth, NONE

    def ask(self, a=None):
        """Move A there; returns the number of runs of GJK."""
        if a is not None:
            self.a = a
            self.pairs.position[:len(a), :3] = a
        pairs = self.pairs
        self.n, self.gap, self.simplex, self.weights, asks = contact_direction(
            pairs.position, pairs.vertex, *pairs.span[0].tolist(), pairs.neighbour_start, pairs.neighbour,
            self.n, max(-self.gap, 0.0), 1.0, self.simplex)
        return asks


def random_hull(generator):
    kind = generator.integers(3)
    points, triangles = (split_box(1, generator.uniform(0.3, 1, 3)) if kind == 0 else
                         ellipsoid(generator, 4 if kind == 1 else int(generator.integers(5, 20))))
    return points @ rotation(generator).T, triangles


def approach(generator, deepest):
    """A pair that comes together from apart in small steps, straight and turning, until it overlaps by `deepest`.

    Yields the follower and its asks at every step that overlaps.
    """
    (a, of_a), b = random_hull(generator), random_hull(generator)
    direction = generator.normal(size=3)
    direction /= np.linalg.norm(direction)
    a = a + 0.2 * generator.normal(size=3)
    a = a + ((b[0] @ direction).max() - (a @ direction).min() + 1e-5) * direction
    step = 10.0 ** generator.uniform(-5, -4)
    velocity = 0.3 * generator.normal(size=3) - direction
    velocity *= step / np.linalg.norm(velocity)
    matrix = turn(step * generator.normal(size=3))
    follower = Follower((a, of_a), b)
    for _ in range(20_000):
        asks = follower.ask(a)
        if follower.gap < -deepest or follower.gap > 0.5:
            return
        if follower.gap < 0:
            yield follower, asks
        centre = a.mean(0)
        a = (a - centre) @ matrix.T + centre + velocity


def shallow_study(count, seed, every=1):
    """Over `count` approaches: errors of the gap against brute force at every so many steps that overlap, and mean asks."""
    generator = np.random.default_rng(seed)
    errors, asked = [], []
    for _ in range(count):
        for k, (follower, asks) in enumerate(approach(generator, 1e-3)):
            asked.append(asks)
            if k % every:
                continue
            _, gap = least_overlap(follower.a, follower.b, follower.of_a, follower.of_b)
            errors.append(abs(gap - follower.gap))
    return np.array(errors), np.mean(asked)


def test_shallow_overlap_entered_from_apart_is_the_least_over_all_faces():
    errors, asks = shallow_study(8, 1, 5)
    assert len(errors) > 30
    assert errors.max() <= SAME
    assert asks <= 1.2


def entry_study(count, seed):
    """Errors of the gap against brute force at the first overlap, taken in one step from apart, askew; and asks."""
    generator = np.random.default_rng(seed)
    errors, asked = [], []
    for _ in range(count):
        (a, of_a), b = random_hull(generator), random_hull(generator)
        direction = generator.normal(size=3)
        direction /= np.linalg.norm(direction)
        a = a + 0.2 * generator.normal(size=3)
        a = a + ((b[0] @ direction).max() - (a @ direction).min() + 1e-4) * direction
        follower = Follower((a, of_a), b)
        follower.ask()
        for _ in range(40):
            n = np.array(follower.n)
            velocity = 0.5 * generator.normal(size=3) - n
            velocity /= -(velocity @ n)
            near = follower.gap < 1e-3
            a = a + velocity * (follower.gap + 10.0 ** generator.uniform(-6, -3.2) if near else 0.9 * follower.gap)
            asks = follower.ask(a)
            if follower.gap <= 0:
                break
        if -1e-3 < follower.gap < 0:
            errors.append(abs(least_overlap(a, b[0], of_a, b[1])[1] - follower.gap))
            asked.append(asks)
    return np.array(errors), np.array(asked)


def test_at_the_first_overlap_a_nearer_face_beyond_an_edge_is_found():
    """Without `enter` four in a thousand take the farther face."""
    errors, asked = entry_study(500, 4)
    assert len(errors) > 450
    assert errors.max() <= SAME
    assert asked.mean() < 2.1   # one finds the overlap, one the direction


def test_a_nearer_face_beyond_a_very_sharp_edge_is_found():
    """Entry 423 is of two needles: the nearer face is turned by 168 degrees, its edge ten depths away."""
    errors, _ = entry_study(430, 64)
    assert len(errors) > 423
    assert errors.max() <= SAME


def test_the_gap_is_that_of_the_supports_along_the_direction():
    generator = np.random.default_rng(2)
    for _ in range(4):
        for follower, _ in approach(generator, 0.01):
            n = np.array(follower.n)
            assert np.linalg.norm(n) == pytest.approx(1, abs=1e-14)
            assert follower.gap == pytest.approx((follower.a @ n).min() - (follower.b @ n).max(), abs=1e-15)


def test_the_side_of_entry_is_kept_when_the_way_out_through_the_other_is_shorter():
    """A box through a plate, deeper than half the plate: RR-3072 figure 4.18."""
    plate, box = split_box(4, (4.0, 4.0, 0.2)), split_box(1, (0.3, 0.3, 0.4))
    height = 0.32
    follower = Follower((box[0] + [0, 0, height], box[1]), plate)
    follower.ask()
    total = 0
    for k in range(550):
        total += follower.ask(box[0] + [1e-4 * k, 0, height - 1e-3 * k])
        assert follower.n == pytest.approx((0, 0, 1), abs=1e-12)
        assert follower.gap == pytest.approx(0.02 - 1e-3 * k, abs=1e-12)
    assert total / 550 < 1.05
    # the brute force would have gone out below, where 0.6 − 0.529 is left
    assert least_overlap(follower.a, plate[0], box[1], plate[1])[1] > follower.gap + 0.4


def test_what_has_left_on_the_other_side_is_apart():
    plate, box = split_box(1, (4.0, 4.0, 0.2)), split_box(1, (0.3, 0.3, 0.4))
    follower = Follower((box[0] - [0, 0, 0.35], box[1]), plate, (0.0, 0.0, 1.0), 0.5)
    follower.ask()
    assert follower.gap == pytest.approx(0.05, abs=1e-15)
    assert follower.n == pytest.approx((0, 0, -1), abs=1e-15)


def test_one_ask_follows_a_turning_face():
    """The direction turns with the face, 0.002 rad a step; the origin falls on the new face, so nothing is left to ask."""
    base, box = split_box(3, (2.0, 2.0, 1.0)), split_box(3, (0.5, 0.5, 0.5))
    follower = Follower((box[0] + [0, 0, 0.76], box[1]), base)
    follower.ask()
    total = 0
    for k in range(200):
        matrix = turn(np.array([0.002 * (k + 1), 0.001, 0.0003]))
        total += follower.ask(box[0] @ matrix.T + [0.03, 0.02, 0.74 + 0.0002 * k])
    assert total / 200 < 1.1


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("sign", [-1, 1])
def test_with_no_direction_known_boxes_part_the_shortest_way(axis, sign):
    box = split_box(1)
    offset = np.array([0.1, 0.2, 0.15])
    offset[axis] = sign * 0.9
    follower = Follower((box[0] + offset, box[1]), box)
    follower.ask()
    n, gap = least_overlap(box[0] + offset, box[0], box[1], box[1])
    assert follower.gap == pytest.approx(gap, abs=1e-15)
    assert follower.n == pytest.approx(n, abs=1e-15)


def test_with_no_direction_known_plates_part_across_though_their_middles_lie_along():
    plate = split_box(1, (2.0, 2.0, 0.1))
    follower = Follower((plate[0] + [0.5, 0.0, 0.02], plate[1]), plate)
    follower.ask()
    assert follower.gap == pytest.approx(-0.08, abs=1e-15)
    assert follower.n == pytest.approx((0, 0, 1), abs=1e-15)


def test_the_answer_does_not_depend_on_what_was_asked_before():
    """The same question with another simplex: the same direction and gap."""
    generator = np.random.default_rng(3)
    for follower, _ in approach(generator, 0.05):
        twin = Follower((follower.a, follower.of_a), (follower.b, follower.of_b), follower.n, -follower.gap)
        twin.ask()
        assert twin.gap == pytest.approx(follower.gap, abs=SAME)
        break


def test_the_answer_stands_when_it_is_asked_for_again():
    """From any direction, well inside: the walk ends only where the origin falls plumb on the face."""
    generator = np.random.default_rng(5)
    moved = 0
    for _ in range(200):
        (a, of_a), b = random_hull(generator), random_hull(generator)
        n = generator.normal(size=3)
        follower = Follower((a + 0.1 * n, of_a), b, tuple((n / np.linalg.norm(n)).tolist()), 0.1)
        moved += follower.ask() > 1
        gap = follower.gap
        follower.ask()
        assert follower.gap == pytest.approx(gap, abs=SAME)
    assert moved > 50


def test_apart_it_is_the_distance():
    box = split_box(2)
    for known in (ZERO, (0.0, 0.0, -1.0)):
        follower = Follower((box[0] + [0.2, 0.1, 1.25], box[1]), box, known)
        assert follower.ask() == 1
        assert follower.gap == pytest.approx(0.25, abs=1e-15)
        assert follower.n == pytest.approx((0, 0, 1), abs=1e-15)


def test_the_centre_of_a_ball_sunk_into_a_box():
    centre = (np.array([[0.1, 0.05, 0.51]]), np.zeros((0, 3), int))
    follower = Follower(centre, split_box(3))
    for k in range(100):
        follower.ask(centre[0] - [0, 0, 4e-3 * k])
        assert follower.gap == pytest.approx(0.01 - 4e-3 * k, abs=1e-14)
        assert follower.n == pytest.approx((0, 0, 1), abs=1e-12)
    assert follower.simplex[0] == 3     # one corner of the ball, three of the face


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("depth", [0.0, 0.1, np.nan])
def test_what_is_no_number_ends_it(bad, depth):
    box = split_box(2)
    for k in range(0, len(box[0]), 5):
        points = box[0] + [0, 0, 0.9]
        points[k, k % 3] = bad
        for n in (ZERO, (0.0, 0.0, 1.0), (np.nan, 0.0, 0.0)):
            assert Follower((points, box[1]), box, n, depth).ask() <= 60
