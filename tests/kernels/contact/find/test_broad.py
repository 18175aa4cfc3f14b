"""The broad phase finds the pairs of boxes that meet: all of them, nothing else, at a cost linear in parts and pairs."""
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from robotphi.kernels.compiling.compiled import PLAIN
from robotphi.kernels.contact.find import broad
from tests import ROOT
from tests.counted import python_lines

NONE = np.zeros(0, np.int64)


def arguments(box, active=None, excluded=NONE, cap=None, fill=0, seed=None):
    p = len(box)
    cap = 8 * p + 20 if cap is None else cap
    whole, real = broad.scratch_sizes(p, cap)
    scratch, numbers = np.full(whole, fill, np.int64), np.full(real, float(fill))
    if seed is not None:
        rng = np.random.default_rng(seed)
        scratch[:], numbers[:] = rng.integers(-9, 9, whole), rng.choice([np.nan, np.inf, -1.0, 0.0, 1e9], real)
    active = np.ones(p, np.int32) if active is None else active
    return box, active, excluded, p, scratch, numbers, np.full((cap, 2), -1, np.int32)


def pairs_of(box, active=None, excluded=NONE, cap=None, fill=0, seed=None):
    given = arguments(box, active, excluded, cap, fill, seed)
    count = broad.find_pairs(*given)
    if count > len(given[-1]):
        given = arguments(box, active, excluded, count, fill, seed)
        assert broad.find_pairs(*given) == count
    return given[-1][:count]


def all_pairs(box, active=None, excluded=NONE):
    """Every pair, one comparison at a time."""
    valid = np.all(box[:, :3] <= box[:, 3:], axis=1)
    if active is not None:
        valid &= active != 0
    meet = np.all((box[:, None, :3] <= box[None, :, 3:]) & (box[None, :, :3] <= box[:, None, 3:]), axis=2)
    first, second = np.nonzero(np.triu(meet & valid[:, None] & valid[None, :], 1))
    kept = ~np.isin(first * len(box) + second, excluded)
    return np.column_stack([first[kept], second[kept]])


def cubes(centre, half):
    return np.hstack([centre - half, centre + half])


def random_boxes(rng, p):
    """Boxes of every sort: equal, over decades, flat, stacked, on a grid, in one point, far away, not a box at all."""
    sort = rng.integers(0, 10)
    spread = float(rng.choice([0.5, 1.0, 3.0])) * p**(1 / 3)
    centre = rng.uniform(-1, 1, (p, 3)) * spread
    half = np.full((p, 3), 0.5)
    if sort == 1:
        half = 10.0**rng.uniform(-6, 1, (p, 1)) * np.ones(3)
    elif sort == 2:
        half = 10.0**rng.uniform(-3, 0.5, (p, 3))
    elif sort == 3:
        half[:, rng.integers(3)] = 0.0
    elif sort == 4:
        centre[:, :2] = 0.0
    elif sort == 5:
        centre = np.round(centre)  # edges that are equal to the bit
    elif sort == 6:
        centre[:], half[rng.random(p) < 0.5] = 0.0, 0.0
    elif sort == 7:
        centre += 1e15 * rng.integers(0, 2, 3)
    elif sort == 8:
        half[0] = 1e6, 1e6, 0.05
    box = cubes(centre, half)
    if sort == 9:
        wrong = rng.random(box.shape) < 0.1
        box[wrong] = rng.choice([np.nan, np.inf, -np.inf, 1e308, -1e308, 0.0, 5e-324], wrong.sum())
    return box


def differing(sets, most, seed):
    """Those of some random sets of boxes, by number, whose pairs are not those of brute force."""
    rng = np.random.default_rng(seed)
    for number in range(sets):
        p = int(rng.integers(1, most))
        box = random_boxes(rng, p)
        active = (rng.random(p) < rng.choice([0.5, 0.9, 1.0])).astype(np.int32)
        every = all_pairs(box)
        excluded = NONE
        if len(every) and rng.random() < 0.5:
            chosen = every[rng.random(len(every)) < 0.3]
            excluded = np.sort(chosen[:, 0] * p + chosen[:, 1])
        if not np.array_equal(pairs_of(box, active, excluded), all_pairs(box, active, excluded)):
            yield number


def test_the_pairs_are_those_of_brute_force():
    assert list(differing(sets=60 if PLAIN else 1200, most=60, seed=1)) == []
    assert list(differing(sets=1 if PLAIN else 60, most=400, seed=2)) == []


def test_boxes_that_share_an_edge_alone_meet_wherever_they_are():
    # the lower corner of one is exactly the upper corner of the other: no rounding may lose the pair
    rng = np.random.default_rng(3)
    for _ in range(5 if PLAIN else 300):
        p = 40
        corner = np.cumsum(rng.uniform(0.0, 1.0, (p + 1, 3)) * 10.0**rng.integers(-8, 3), axis=0) + rng.uniform(-1e3, 1e3, 3)
        box = np.hstack([corner[:-1], corner[1:]])
        assert np.array_equal(pairs_of(box), all_pairs(box))
        assert len(pairs_of(box)) >= p - 1
    # boxes of width 1 whose lower corners lie just before the borders of cells of width 2
    for tiny in (0.0, 5e-324, 1e-17, 1e-16, 1e-13, 1e-9):
        low = np.arange(-20.0, 20.0) - tiny
        box = np.column_stack([low, 0 * low, 0 * low, low + 1.0, 0 * low + 1.0, 0 * low + 1.0])
        box[1:, 0] = box[:-1, 3]
        assert np.array_equal(pairs_of(box), all_pairs(box))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_same_pairs_whatever_was_in_scratch(seed):
    rng = np.random.default_rng(7)
    box = random_boxes(rng, 200)
    assert np.array_equal(pairs_of(box, fill=0), pairs_of(box, seed=seed))
    # and one set after the other in the same arrays
    given = arguments(box, cap=2000)
    other = random_boxes(rng, 200)
    for which in (box, other, box):
        count = broad.find_pairs(which, *given[1:])
        assert np.array_equal(given[-1][:count], all_pairs(which))


def test_too_many_pairs_are_counted_and_a_sorted_choice_is_written():
    p = 50 if PLAIN else 1500
    given = arguments(cubes(np.zeros((p, 3)), 0.5), cap=1000)
    count = broad.find_pairs(*given)
    assert count == p * (p - 1) // 2
    keys = given[-1][:, 0].astype(np.int64) * p + given[-1][:, 1]
    assert np.all(np.diff(keys) > 0)
    assert np.all(given[-1][:, 0] < given[-1][:, 1])
    assert np.all(given[-1] >= 0)
    guarded = np.full((1010, 2), -1, np.int32)  # no row behind the last one is touched
    assert broad.find_pairs(*given[:-1], guarded[:1000]) == count
    assert np.all(guarded[1000:] == -1)
    assert broad.find_pairs(*arguments(cubes(np.zeros((p, 3)), 0.5), cap=0)) == count


def test_nothing_and_nonsense_have_no_pairs():
    assert len(pairs_of(np.zeros((0, 6)))) == 0
    assert len(pairs_of(np.full((100, 6), np.nan))) == 0
    assert len(pairs_of(np.tile([1.0, 1, 1, 0, 0, 0], (100, 1)))) == 0
    assert len(pairs_of(cubes(np.zeros((30, 3)), 1.0), active=np.zeros(30, np.int32))) == 0
    infinite = np.tile([-np.inf] * 3 + [np.inf] * 3, (20, 1))
    assert len(pairs_of(infinite)) == 190


def scenes(p, rng):
    """Scenes that grow without getting denser, and the name of each."""
    cloud = rng.random((p, 3)) * p**(1 / 3)
    column = np.column_stack([np.zeros(p), np.zeros(p), np.arange(p) + rng.random(p) * 0.02])
    plane = np.column_stack([rng.random((p, 2)) * 1.5 * p**0.5, rng.random(p) * 0.1])
    on_table = cubes(plane, 0.5)
    on_table[0] = -10, -10, -1, 1e4, 1e4, -0.3
    on_plates = cubes(2.0 * cloud, 0.5)
    on_plates[::50, :3] -= [8.0, 8.0, 0.0]
    on_plates[::50, 3:5] += 8.0
    on_plates[::50, 5] = on_plates[::50, 2] + 1e-5
    clusters = (rng.random((p // 10 + 1, 1, 3)) * 1e6 + rng.random((p // 10 + 1, 10, 3)) * 2.0).reshape(-1, 3)[:p]
    return {"cloud": cubes(2.0 * cloud, 0.5), "dense cloud": cubes(cloud, 0.5), "column": cubes(column, 0.5),
            "plates": cubes(column * [1, 1, 0.01], [0.5, 0.5, 0.005]), "plane": cubes(plane, 0.5), "table": on_table,
            "thin plates": on_plates,
            "sizes over three decades": cubes(cloud * 2.0, 0.5 * 10.0**rng.uniform(-3, 0, (p, 1))),
            "clusters": cubes(clusters, 0.5)}


def work(sizes):
    """Lines of Python that the kernel runs where it is not compiled, and parts + pairs, of each scene over the sizes."""
    rng, result = np.random.default_rng(11), {}
    sets = [scenes(p, rng) for p in sizes]
    for name in sets[0]:
        calls = [arguments(one[name]) for one in sets]
        lines = [python_lines(lambda given=given: broad.find_pairs(*given)) for given in calls]
        result[name] = [lines, [p + int(broad.find_pairs(*given)) for p, given in zip(sizes, calls, strict=True)]]
    return result


def test_the_cost_is_linear_in_parts_and_pairs():
    code = f"import json; from {__name__} import work; print(json.dumps(work([30, 300, 1200])))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT,
                          env=os.environ | {"NUMBA_DISABLE_JIT": "1"})
    for name, (lines, parts_and_pairs) in json.loads(done.stdout).items():
        assert np.polyfit(np.log(parts_and_pairs), np.log(lines), 1)[0] < 1.1, name  # quadratic would be 2
        assert np.all(np.array(lines) < 400 * np.array(parts_and_pairs)), name  # a scan of empty cells is far off
