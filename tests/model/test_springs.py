"""The partition: a fixed tree of groups, and springs sorted by it."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotphi.model.springs import BLOCK_ROWS, LEAF_PARTICLES, LEAVES_MOST, STRIP, divide, groups, row_blocks, spring_order

SEEDS = st.integers(0, 2**32 - 1)
SHAPES = st.sampled_from(["cloud", "line", "point", "lattice"])


def positions(shape, count, seed):
    random = np.random.default_rng(seed)
    cloud = random.normal(size=(count, 3))
    return {"cloud": cloud, "line": cloud[:, :1] * [1.0, 2.0, -3.0], "point": np.ones((count, 3)),
            "lattice": random.integers(0, 4, size=(count, 3)).astype(float)}[shape]


@pytest.mark.parametrize(("count", "leaves"), [(1, 1), (4999, 1), (5000, 2), (9999, 2), (10000, 4), (39999, 8),
                                               (40000, 16), (200000, 16)])
def test_the_number_of_leaves_follows_the_number_of_particles(count, leaves):
    partition = divide(positions("cloud", count, 0))
    assert partition.leaf.max() + 1 == leaves
    assert partition.group_count == 2 * leaves - 1
    widths = np.diff(partition.level_start)
    assert widths.tolist() == [leaves >> level for level in range(len(widths))]
    assert widths[-1] == 1


@settings(max_examples=20, deadline=None)
@given(SHAPES, st.integers(5000, 45000), SEEDS)
def test_the_leaves_are_equally_full_whatever_the_positions(shape, count, seed):
    partition = divide(positions(shape, count, seed))
    sizes = np.bincount(partition.leaf)
    assert len(sizes) in (2, 4, 8, 16)
    assert sizes.max() - sizes.min() <= 1
    assert sizes.min() >= LEAF_PARTICLES
    assert len(sizes) == LEAVES_MOST or sizes.max() < 2 * LEAF_PARTICLES


def test_coincident_particles_are_shared_by_their_index():
    assert divide(np.zeros((5001, 3))).leaf.tolist() == [0] * 2500 + [1] * 2501


def test_the_first_cut_is_across_the_longest_axis():
    position = positions("cloud", 5000, 1) * [1.0, 1.0, 10.0]
    leaf = divide(position).leaf
    assert position[leaf == 0, 2].max() <= position[leaf == 1, 2].min()


@settings(max_examples=20, deadline=None)
@given(SHAPES, SEEDS, st.sampled_from([2, 3, 4]))
def test_two_groups_of_one_level_share_no_particle(shape, seed, ends):
    partition = divide(positions(shape, 21000, seed))
    random = np.random.default_rng(seed)
    columns = [random.integers(0, 21000, size=5000) for _ in range(ends)]
    group = groups(partition, columns)
    level = np.searchsorted(partition.level_start, group, side="right") - 1
    for one in range(len(partition.level_start) - 1):
        owner = np.full(21000, -1)
        for column in columns:
            chosen = level == one
            earlier = owner[column[chosen]]
            assert np.all((earlier == -1) | (earlier == group[chosen]))
            owner[column[chosen]] = group[chosen]


def test_a_spring_belongs_to_the_lowest_node_that_holds_its_particles():
    partition = divide(np.outer(np.arange(10000.0), [1, 0, 0]))
    # leaves of 2500 in a row: groups 0 … 3, their parents 4 and 5, the root 6
    first, second = np.array([0, 0, 2499, 5000, 2600]), np.array([1, 2500, 2500, 9999, 5000])
    assert groups(partition, [first, second]).tolist() == [0, 4, 4, 5, 6]
    assert groups(partition, [first, second, np.array([2499, 1, 9999, 7000, 4999])]).tolist() == [0, 4, 6, 5, 6]


@settings(deadline=None)
@given(SEEDS, st.integers(0, 60), st.integers(1, 7), st.sampled_from([1, 4]))
def test_springs_are_sorted_by_strips_and_their_ranges_are_full_lanes(seed, count, group_count, lanes):
    random = np.random.default_rng(seed)
    group, first = random.integers(0, group_count, size=(2, count)).astype(np.int32)
    order, row, start = spring_order(group, first, group_count, lanes)
    assert sorted(order) == list(range(count))
    assert order.tolist() == sorted(range(count), key=lambda i: (group[i], first[i] // STRIP, i))
    assert (start % lanes == 0).all()
    row = np.arange(count) if row is None else row
    assert np.array_equal(np.searchsorted(start, row, side="right") - 1 if count else row, group[order])
    assert len(set(row.tolist())) == count
    assert start[-1] - count < lanes * group_count


@pytest.mark.parametrize("rows", [5, 4096, 4097, 8192, 8193, 12288, 100004, 1000004])
def test_blocks_of_rows_are_even_in_number_and_size(rows):
    start = row_blocks(rows)
    sizes = np.diff(start)
    assert (start[0], start[-1], start.dtype) == (0, rows, np.int32)
    assert sizes.max() <= BLOCK_ROWS
    assert sizes.max() - sizes.min() <= 1
    assert len(sizes) == 1 if rows <= BLOCK_ROWS else len(sizes) % 2 == 0
