"""Springs: the lists that the kernels read, sorted by the groups of a partition, a fixed tree over the places of particles.

The tree depends on the positions alone, never on the number of threads, so that every sum has one order. Its leaves are
boxes of particles; a spring belongs to the lowest node that holds all its particles. Groups are the nodes numbered
from the leaves to the root, so that two groups of one level share no particle.
"""
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from robotphi.kernels.compiling.lanes import GHOSTS
from robotphi.kernels.springs.table import ANGULAR, IDENTITY, KINDS, LINEAR, START
from robotphi.model import arrays as m
from robotphi.scene.drive import Drive
from robotphi.scene.table import Table

LANES = 4
LEAF_PARTICLES = 2500  # springs of a leaf then stay in the cache of one core
LEAVES_MOST = 16       # more leaves would move springs into the upper, more serial, levels
BLOCK_ROWS = 4096
OVERLAP = 0.05         # of the size: halves by index that overlap no more than this are apart
THINNEST = 0.1         # of the longest side: a cut across a thinner side would leave too many springs between the halves
SLAB_ROWS = 2048       # rows of a slab: positions, velocities and forces of both ends of a step fit a core's cache
STRIP = 8              # particles whose springs are taken together, so that both ends of a spring are still in the cache


class Partition(NamedTuple):
    """Leaf of every particle, and the ranges of group numbers of each level."""
    leaf: np.ndarray              # (n,) int32
    level_start: np.ndarray       # (levels + 1,) int32

    @property
    def group_count(self):
        return int(self.level_start[-1])


def divide(position):
    """Halve the particles again and again across the longest axis of their box, ties by index."""
    count = len(position)
    depth = 0
    while 2 << depth <= LEAVES_MOST and count >= (2 << depth) * LEAF_PARTICLES:
        depth += 1
    leaf = np.zeros(count, dtype=np.int32)
    parts = [np.arange(count, dtype=np.int32)]
    for _ in range(depth):
        parts = [half for part in parts for half in _halves(position, part)]
    for number, part in enumerate(parts):
        leaf[part] = number
    widths = [1 << level for level in range(depth, -1, -1)]
    return Partition(leaf, np.concatenate(([0], np.cumsum(widths))).astype(np.int32))


def _halves(position, part):
    """Two halves of ascending particle indices, split at the median of the longest axis.

    Where the order of the indices follows space (rows of a grid), the first and the second half of them are kept together:
    a leaf is then one run of rows in memory, and stays with one core. Else the median value, which is unique whatever the
    way of finding it; those that share it go left in the order of their index.
    """
    box = position[part]
    if _follows_space(box):
        return part[:len(part) // 2], part[len(part) // 2:]
    column = box[:, np.argmax(box.max(axis=0) - box.min(axis=0))]
    half = len(part) // 2
    median = np.partition(column, half)[half]
    left = column < median
    left[np.flatnonzero(column == median)[:half - np.count_nonzero(left)]] = True
    return part[left], part[~left]


def _follows_space(box):
    """Whether the first half of the points lies beside the second along an axis that is not a short one."""
    half = len(box) // 2
    low, high = box[:half], box[half:]
    size = box.max(axis=0) - box.min(axis=0)
    overlap = np.minimum(low.max(axis=0) - high.min(axis=0), high.max(axis=0) - low.min(axis=0))
    return bool(np.any((size >= THINNEST * size.max()) & (size > 0) & (overlap <= OVERLAP * size)))


def groups(partition, columns):
    """(m,) int32 group of each spring from its particle columns: the lowest common node of their leaves."""
    leaves = [partition.leaf[column] for column in columns]
    differ = np.zeros_like(leaves[0])
    for other in leaves[1:]:
        differ |= leaves[0] ^ other
    level_of = np.array([bits.bit_length() for bits in range(LEAVES_MOST)], dtype=np.int32)
    level = level_of[differ]
    return partition.level_start[level] + (leaves[0] >> level)


def spring_order(group, last, count, lanes):
    """Order of the springs by group, then by strips of their last particles, and the rows they take.

    Returns:
        order: (m,) indices of springs; row: (m,) rows that they take in this order, None when these are 0 … m − 1;
        start: (groups + 1,) int32 ranges of rows, rounded up to multiples of `lanes`.
    """
    rows = int(last.max()) + 1 if len(last) else 1
    order = np.argsort(group * np.int64(rows) + last // STRIP, kind="stable")
    size = np.bincount(group, minlength=count)
    filled = -(-size // lanes) * lanes
    start = np.concatenate(([0], np.cumsum(filled))).astype(np.int32)
    if (filled == size).all():
        return order, None, start
    shift = np.repeat(start[:-1] - np.concatenate(([0], np.cumsum(size)[:-1])), size)
    return order, np.arange(len(order)) + shift, start


def leaf_runs(partition, rows):
    """(leaves + 1,) first row of each leaf where every leaf is a run of rows, the last with the ghosts; else None."""
    change = np.flatnonzero(np.diff(partition.leaf)) + 1
    leaves = int(partition.level_start[1])
    if len(change) != leaves - 1 or (partition.leaf[:1] != 0).any():
        return None
    return np.concatenate(([0], change, [rows])).astype(np.int32)


def cut_slabs(runs, last_of_lists, start_of_lists, lanes):
    """Slabs of at most SLAB_ROWS rows for each leaf.

    Args:
        runs: what `leaf_runs` gave.
        last_of_lists: for each spring list, the last particle of each spring in its rows (−1 for idle ones).
        start_of_lists: for each spring list, its ranges of groups.

    Returns:
        start: (leaves + 1,); row: (s,) end of the rows; ends: for each list (s,) end of the springs.
    """
    start, row, ends = [0], [], [[] for _ in last_of_lists]
    for leaf, (begin, stop) in enumerate(pairwise(runs.tolist())):
        edges = [*range(begin + SLAB_ROWS - begin % STRIP, stop, SLAB_ROWS), stop]
        row += edges
        start.append(len(row))
        for end, last, group in zip(ends, last_of_lists, start_of_lists, strict=True):
            own = last[group[leaf]:group[leaf + 1]] // STRIP
            own = own[:np.searchsorted(own < 0, True)]  # idle springs stand behind
            here = np.searchsorted(own, np.array(edges[:-1]) // STRIP) // lanes * lanes
            end += [*(group[leaf] + here).tolist(), int(group[leaf + 1])]
    return np.array(start, np.int32), np.array(row, np.int32), [np.array(end, np.int32) for end in ends]


def row_blocks(rows):
    """(blocks + 1,) int32 even ranges of rows: one, or an even number of at most BLOCK_ROWS each."""
    blocks = -(-rows // BLOCK_ROWS)
    if blocks > 1:
        blocks += blocks % 2
    return (np.arange(max(blocks, 1) + 1, dtype=np.int64) * rows // max(blocks, 1)).astype(np.int32)


# Lists ----------------------------------------------------------------------------------------------------------------

def spring_lists(scene, partition, number):
    """The lists of springs: plain ones for the lanes, and those with a law of their own; `number` tells drives and tables."""
    lists = {}
    for kind in KINDS.values():
        for of_list in kind.lists:
            own = of_list == kind.own
            blocks = [block for block in scene.springs[kind.name] if (kind.plain is None or block.has_law) == own]
            lists[of_list] = _list(of_list, kind, blocks, partition, number, scene.particle_count)
    return lists


def _list(of_list, kind, blocks, partition, number, ghost):
    """One list of springs sorted by group; the groups of plain ones are filled up with idle springs to multiples of LANES."""
    fields = {field.name: field for field in kind.fields(of_list) if field != START}
    ends = {name: spring_column(blocks, fields[name], number) for name in kind.ends}
    columns = list(ends.values())
    order, row, start = spring_order(groups(partition, columns), np.maximum.reduce(columns), partition.group_count,
                                     LANES if of_list == kind.plain else 1)
    idle = {**{end: ghost + i for i, end in enumerate(kind.ends)}, kind.rest.name: kind.idle_rest, IDENTITY.name: -1}
    arrays = {START.name: m.aligned(start, START.dtype)}
    for name, field in fields.items():
        column = ends[name] if name in ends else spring_column(blocks, field, number)
        out = m.room((int(start[-1]), *column.shape[1:]), column.dtype)
        if row is None:
            np.take(column, order, axis=0, out=out, mode="clip")
        else:
            out[...] = idle.get(name, 0)
            out[row] = column[order]
        out.flags.writeable = False
        arrays[name] = out
    return m.SPRING_LISTS[of_list](**arrays)


def slabs(scene, partition, linear, angular):
    """Slabs of leaves that are runs of rows, in scenes whose particles all move by themselves."""
    runs = leaf_runs(partition, scene.particle_count + GHOSTS)
    moved = any(block.rigid >= 0 or block.drive or block.led for block in scene.particle_blocks)
    if runs is None or moved:
        return m.Slabs(*(m.aligned([0], np.int32), *(m.aligned([], np.int32) for _ in range(4))))
    last = [np.where(springs.identity < 0, -1, np.maximum.reduce([getattr(springs, end) for end in ends]))
            for springs, ends in ((linear, LINEAR.ends), (angular, ANGULAR.ends))]
    start, row, (linear_end, angular_end) = cut_slabs(runs, last, [linear.start, angular.start], LANES)
    return m.Slabs(*(m.aligned(values, np.int32) for values in (start, row, linear_end, angular_end, runs[:-1])))


def spring_column(blocks, field, number):
    """One field of several blocks in a row, one entry a spring."""
    width = () if field.width == 1 else (field.width,)
    parts = [np.broadcast_to(np.asarray(_value(block, field, number), field.dtype), (block.count, *width)) for block in blocks]
    return np.concatenate([np.empty((0, *width), field.dtype), *parts])


def _value(block, field, number):
    """What a block has of a field: numbers, or the number of its drive or table."""
    if field == IDENTITY:
        return block.indices
    value = getattr(block, field.name)
    if isinstance(value, (Drive, Table)):
        return number[value]
    if field.name == "stiffness" and getattr(block, "table", None) is not None:
        return block.table.largest_slope
    return field.missing if value is None else value
