"""Scratch of each member of a team that may share the pairs of a step, see `kernels/contact/shared`."""
import math

import numpy as np

from robotphi.kernels.contact import columns, kinds
from robotphi.kernels.contact.press.ball_soft import PATCH_COLUMNS
from robotphi.kernels.contact.press.clip import CORNER_ROWS
from robotphi.kernels.contact.press.round_facet import BREAK_ROWS
from robotphi.kernels.step.buffers import Members

PARTS_SHARED = 32    # parts from which on there may be so many pairs that members of a team share them
MOST_MEMBERS = 8
WHEELS_SHARED = 4    # wheels and cylinders on a field from which on it is worth it: each takes some 10 µs
# how much work a pair is: two closed forms; facets on something; sweeps over what a round thing stands on; they are shared
# from WORTH on, when members wait less for each other than they do
OF_ROUND, OF_FACETS, OF_SWEPT, WORTH = 1, 8, 128, 512
ROUND = (kinds.BALL_BALL, kinds.BALL_PLANE, kinds.ROLLER_PLANE, kinds.BALL_SOLID, kinds.BALL_FIELD)
WEIGHT = np.full(len(kinds.CASES), OF_FACETS)
WEIGHT[list(ROUND)], WEIGHT[kinds.ROUND_FIELD] = OF_ROUND, OF_SWEPT


def aligned_zeros(shape):
    """Zeros that start on a cache line: rows of four doubles then never cross one."""
    count = math.prod(map(int, shape)) if isinstance(shape, tuple) else shape
    if count == 0:
        return np.zeros(shape)
    raw = np.zeros(count + 8)
    offset = -raw.__array_interface__["data"][0] % 64 // 8
    return raw[offset:offset + count].reshape(shape)


def may_share(parts):
    """Whether there are parts enough for so many pairs, or wheels on ground, that members of a team may share them."""
    return len(parts.kind) >= PARTS_SHARED or wheels_on_ground(parts) >= WHEELS_SHARED


def wheels_on_ground(parts):
    """How many wheels and cylinders there are for a height field; capsules, as of arms, are seldom on it."""
    rolls = np.count_nonzero((parts.kind == kinds.WHEEL) | (parts.kind == kinds.CYLINDER))
    return rolls if np.any(parts.kind == kinds.FIELD) else 0


def make_members(arrays):
    """Room for as many members as may share pairs, which is taken up by those that are there; none in small scenes."""
    parts = arrays.contact.parts
    count = MOST_MEMBERS if may_share(parts) else 0
    places, facets = len(parts.vertex), int(np.diff(parts.facet_start).max(initial=0))
    rows = rows_of_parts(parts) if count else []
    soft = (parts.rigid < 0) & (np.diff(parts.vertex_start) > 1)

    def real(*shape):
        return aligned_zeros((count, *shape))

    def whole(length, dtype):
        return np.zeros((count, length), dtype)

    return Members(
        force=real(len(arrays.particles.mass), 4), load=real(len(arrays.rigids.mass), 6), totals=real(columns.TOTALS),
        share=real(places), below=whole(places, np.int32), facet_index=whole(4 * facets + 2, np.int32),
        facet_box=real(2 * facets, 6), facet_corner=real(CORNER_ROWS, 2), facet_most=real(places),
        points=real(*columns.FIELD_ROWS), breaks=real(BREAK_ROWS, 3), patch=real(PATCH_COLUMNS),
        row_counts=whole(columns.ROW_SIZES, np.int64), sizes=whole(columns.SIZES, np.int64),
        seen=whole(8, np.int64), soonest=real(8),
        weight=WEIGHT, worth=np.array([WORTH], np.int64),
        taken=np.zeros(2 * len(parts.kind), np.int64),
        coloured=np.array([soft.any() or np.count_nonzero(parts.kind == kinds.FIELD) > 1], np.int64),
        row_start=np.cumsum([0, *map(len, rows)]).astype(np.int32),
        row=np.concatenate([np.zeros(0, np.int32), *rows]).astype(np.int32))


def rows_of_parts(parts):
    """The rows of particles that forces on a part act on: its vertices, and the corners of its facets; none of a ball, which
    takes them at its centre."""
    return [np.zeros(0, np.int32) if parts.kind[i] == kinds.SPHERE else
            np.unique(np.concatenate([parts.vertex[parts.vertex_start[i]:parts.vertex_start[i + 1]],
                                      parts.facet[parts.facet_start[i]:parts.facet_start[i + 1]].reshape(-1)]))
            for i in range(len(parts.kind))]
