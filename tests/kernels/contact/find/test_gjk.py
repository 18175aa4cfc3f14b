"""Distance of two sets of corners: certificates of its answers, and arbiters where it is hardest.

A certificate needs no other program: the witnesses bound the distance from above, the support gap along n from below. At full
size, `gjk_arbiter.study` over 10⁶ pairs and `exact_study` over 10⁴.
"""
import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

from robotphi.kernels.contact.find.simplex import pressed
from robotphi.kernels.contact.find.support import scan, support
from tests import ROOT
from tests.kernels.contact.find.gjk_arbiter import (
    KINDS,
    Pairs,
    ellipsoid,
    exact_study,
    mixed_pairs,
    neighbours_of,
    random_pair,
    rotation,
    split_box,
    study,
)

CERTIFICATE = 1e-12     # of the size; a few hundred roundings of it


@pytest.fixture(scope="module")
def figures():
    return study(400, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_distance_equals_the_support_gap_along_n_and_the_witnesses_lie_in_their_hulls(figures, kind):
    assert figures[kind]["gap"] <= CERTIFICATE
    assert figures[kind]["weights"] <= 1e-15


@pytest.mark.parametrize("kind", KINDS)
def test_a_warm_start_gives_the_same_distance(figures, kind):
    assert figures[kind]["warm"] <= CERTIFICATE
    assert figures[kind]["most"] <= 80


def test_random_pairs_are_of_all_sorts(figures):
    assert 0.05 < figures["separated"]["overlapping"] / 400 < 0.5
    assert figures["deep"]["overlapping"] > 100
    assert figures["touching"]["overlapping"] < 40


def test_close_touching_and_degenerate_pairs_agree_with_rational_arithmetic():
    assert exact_study(105, 3) <= CERTIFICATE


@pytest.mark.parametrize("code", range(1, 16))
def test_the_corners_kept_of_a_simplex_close_ranks(code):
    kept = [i for i in range(4) if code >> i & 1]
    (n, *places), weights = pressed((4, 10, 11, 12, 13, 20, 21, 22, 23), (0.1, 0.2, 0.3, 0.4), code)
    assert n == len(kept)
    assert places[:n] == [10 + i for i in kept]
    assert places[4:4 + n] == [20 + i for i in kept]
    assert list(weights[:n]) == [(0.1, 0.2, 0.3, 0.4)[i] for i in kept]


def hulls(generator, count):
    """Pairs of large hulls with their triangles, from apart to touching."""
    made = [ellipsoid(generator, 100), ellipsoid(generator, 500), split_box(1), split_box(5), split_box(4, (1.0, 0.3, 1e-3))]
    pairs, triangles = [], []
    for _ in range(count):
        (a, of_a), (b, of_b) = made[generator.integers(5)], made[generator.integers(5)]
        a, b = a @ rotation(generator).T, b @ rotation(generator).T
        direction = generator.normal(size=3)
        direction /= np.linalg.norm(direction)
        gap = 10.0 ** generator.uniform(-15, 0)
        pairs.append((a, b + ((a @ direction).max() - (b @ direction).min() + gap) * direction))
        triangles.append((of_a, of_b))
    return pairs, triangles


def test_climbing_and_scanning_give_the_same_distance():
    pairs, triangles = hulls(np.random.default_rng(4), 100)
    climbed, scanned = Pairs(pairs, triangles), Pairs(pairs)
    answer = climbed.solve()
    assert climbed.certificate(answer)[0].max() <= CERTIFICATE
    assert (abs(answer["distance"] - scanned.solve()["distance"]) / climbed.size).max() <= CERTIFICATE


@pytest.mark.parametrize(("cells", "size"), [(1, (1, 1, 1)), (4, (1, 1, 1)), (6, (1, 1e-3, 1e-6)), (5, (1, 0, 1))])
def test_a_climb_leaves_every_plateau_of_split_facets(cells, size):
    """From every corner, along, against and slightly off the axes, turned or not, about the origin and standing on it: the
    middle of a split bottom is level with all its neighbours."""
    points, triangles = split_box(cells, size)
    start, neighbour = neighbours_of(len(points), triangles)
    vertex = np.arange(len(points), dtype=np.int32)
    generator = np.random.default_rng(5)
    for matrix, base in itertools.product((np.eye(3), rotation(generator)), (0.0, points.min(0))):
        position = np.zeros((len(points), 4))
        position[:, :3] = (points - base) @ matrix.T
        for axis, sign, tilt in itertools.product(range(3), (-1, 1), (0.0, 1e-16, 1e-9)):
            d = tuple(float(x) for x in sign * matrix[:, axis] + tilt * generator.normal(size=3))
            best = position[scan(position, vertex, 0, len(points), d), :3] @ d
            for k in range(len(points)):
                found = support(position, vertex, 0, len(points), start, neighbour, d, k)
                assert position[found, :3] @ d >= best - 1e-15  # two roundings of a product of ones


def answer_of(a, b):
    """(distance, n, simplex, weights) of one pair."""
    answer = Pairs([(np.asarray(a, float), np.asarray(b, float))]).solve()[0]
    return float(answer["distance"]), answer["n"], answer["simplex"], answer["weights"]


@pytest.mark.parametrize("gap", [1e-6, 1e-9, 1e-12])
def test_the_direction_of_nearly_touching_faces_is_that_of_the_face(gap):
    """The difference of the witnesses would be wrong by 1e-16 over the gap."""
    generator = np.random.default_rng(6)
    for _ in range(50):
        matrix = rotation(generator)
        b = split_box(1)[0] @ matrix.T
        a = split_box(1)[0] @ rotation(generator).T
        distance, n, _, _ = answer_of(a - a[(a @ matrix[:, 2]).argmin()] + matrix[:, 2] * (0.5 + gap), b)
        assert distance == pytest.approx(gap, abs=1e-15)
        assert np.linalg.norm(np.array(n) - matrix[:, 2]) <= 1e-14


def test_two_boxes_and_their_touch():
    box = split_box(1)[0]
    distance, n, simplex, weights = answer_of(box + np.array([0, 0, 1.5]), box)
    assert distance == 0.5
    assert n.tolist() == [0, 0, 1]
    assert simplex[0] in (1, 2, 3)
    assert sum(weights) == pytest.approx(1, abs=1e-15)
    for offset in (1.0, 0.7):
        distance, n, _, _ = answer_of(box + np.array([0, 0, offset]), box)
        assert distance == 0
        assert n.tolist() == [0, 0, 0]


def test_the_centre_of_a_ball_is_a_part_of_one_corner():
    box, triangles = split_box(3)
    answer = Pairs([(np.array([[0.2, 0.1, 2.0]]), box)], [(np.zeros((0, 3), int), triangles)]).solve()[0]
    assert answer["distance"] == pytest.approx(1.5, abs=1e-15)
    assert answer["n"] == pytest.approx([0, 0, 1], abs=1e-15)


def test_the_shift_moves_all_of_the_first_part():
    generator = np.random.default_rng(7)
    a, b = generator.normal(size=(2, 9, 3))
    shift = (0.5, -4.0, 0.25)
    pairs, moved = Pairs([(a, b)]), Pairs([(a + shift, b)])
    assert pairs.solve(shift=shift)["distance"] == pytest.approx(moved.solve()["distance"], abs=1e-14)
    assert pairs.solve(shift=shift)["n"] == pytest.approx(moved.solve()["n"], abs=1e-14)
    assert pairs.solve(pairs.solve()["simplex"], shift)["n"] == pytest.approx(moved.solve()["n"], abs=1e-14)


def test_a_warm_start_inside_costs_no_iteration_and_outside_one():
    generator = np.random.default_rng(8)
    pairs = Pairs([random_pair(generator, "deep", 12, 12) for _ in range(300)])
    cold = pairs.solve()
    warm = pairs.solve(cold["simplex"])
    inside = cold["simplex"][:, 0] == 4
    assert inside.sum() > 200
    assert (warm["iterations"][inside] == 0).mean() > 0.99
    pairs = Pairs([random_pair(generator, "touching", 12, 12) for _ in range(300)])
    assert pairs.solve(pairs.solve()["simplex"])["iterations"].mean() < 1.02


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e200, 1e-200])
def test_what_is_no_number_ends_it(bad):
    generator = np.random.default_rng(9)
    box, triangles = split_box(2)
    shapes = []
    for k in range(60):
        a, b = box + generator.normal(size=3), box.copy()
        a[generator.integers(0, len(box), 1 + k // 2), generator.integers(3)] = bad
        if k % 3 == 0:
            b[:] = bad
        shapes.append((a, b))
    for pairs in (Pairs(shapes), Pairs(shapes, [(triangles, triangles)] * 60)):
        answer = pairs.solve()
        assert answer["iterations"].max() <= 80
        assert pairs.solve(answer["simplex"])["iterations"].max() <= 80


def test_any_simplex_will_do_for_a_start():
    generator = np.random.default_rng(10)
    pairs = Pairs([random_pair(generator, KINDS[i % len(KINDS)], 6, 7) for i in range(400)])
    warm = np.zeros((400, 9), np.int64)
    warm[:, 0] = generator.integers(1, 5, 400)
    warm[:, 1:5] = generator.integers(pairs.span[:, :1], pairs.span[:, 1:2], (400, 4))
    warm[:, 5:] = generator.integers(pairs.span[:, 2:3], pairs.span[:, 3:], (400, 4))
    answer = pairs.solve(warm)
    gap, weights = pairs.certificate(answer)
    assert gap.max() <= CERTIFICATE
    assert weights.max() <= 1e-15
    assert (abs(answer["distance"] - pairs.solve()["distance"]) / pairs.size).max() <= CERTIFICATE


def test_coal_agrees_where_it_can_judge():
    """Gaps above 1e-4 of the size; below, coal's own tolerance of 1e-6 decides."""
    coal = pytest.importorskip("coal")
    generator = np.random.default_rng(11)
    for _ in range(60):
        (a, of_a), (b, of_b) = ellipsoid(generator, 30), ellipsoid(generator, 40)
        a = a @ rotation(generator).T
        direction = generator.normal(size=3)
        b = b + direction / np.linalg.norm(direction) * generator.uniform(1.8, 4)
        solids = []
        for points, triangles in ((a, of_a), (b, of_b)):
            corners, facets = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
            corners.extend(list(points))
            facets.extend([coal.Triangle(*map(int, t)) for t in triangles])
            solids.append(coal.Convex(corners, facets))
        still = coal.Transform3s.Identity()
        theirs = coal.distance(solids[0], still, solids[1], still, coal.DistanceRequest(), coal.DistanceResult())
        ours = answer_of(a, b)[0]
        assert ours > 1e-4
        assert ours == pytest.approx(theirs, abs=2e-6)


def test_uncompiled_it_is_the_same_to_the_last_bit():
    script = """
import numpy as np
from tests.kernels.contact.find.gjk_arbiter import Pairs, mixed_pairs
a = Pairs(mixed_pairs()).solve()
print(a["distance"].tobytes().hex(), a["n"].tobytes().hex(), a["simplex"].tobytes().hex())
"""
    plain = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                           env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, cwd=ROOT).stdout
    answer = Pairs(mixed_pairs()).solve()
    assert plain.split() == [answer[name].tobytes().hex() for name in ("distance", "n", "simplex")]
