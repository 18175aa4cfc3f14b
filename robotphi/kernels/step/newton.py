"""Static equilibrium from nearby, by Newton's method on the free coordinates of particles and rigids.

The stiffness is taken from differences of forces, f(x + h) − f(x − h) over 2 h: no law of a spring is written twice. Unknowns
that no third one feels together are moved at once (Curtis, Powell & Reid 1974), so that a chain takes nine moves however long
it is. The signs of its factor tell whether the equilibrium is stable (see `maths/profile`). A factor serves for as long as it
makes the forces much smaller, in the next pose of a path as well.
"""
import functools
import math
from typing import NamedTuple

import numpy as np

from robotphi.kernels.compiling import compiled  # not its `entry`, which is a word of Work here: see `reach`
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.compiling.reference import taker
from robotphi.kernels.maths.profile import direction_of, factor_profile, solve_profile
from robotphi.kernels.springs.forces import keep_flow
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.relax import move, pull

REACH = 1e-6        # of the extent: half the distance between two forces whose difference is taken
NOTHING = 1e-7     # of the stiffness of its body: less is none
DOWN = 1e-7         # of it: what curves down by more is no error of a difference
SOFT = 1e-2         # of it comes to the diagonal far from balance, where slack cables come and go (Levenberg 1944)
FALLS = 0.1         # times the forces: what a factor must bring them down to, or it is made anew
FARTHEST = 0.1      # of the extent, in one step
RISES = 3           # steps that made the forces larger: then it leads nowhere

# what `follow` counts
STEPS, NEGATIVE, LOOSE, KNOWN = range(4)


class Pattern(NamedTuple):
    """Unknowns of a static scene in the order in which they are eliminated, and which of them feel each other."""
    body: np.ndarray       # (u,) int32 row of a free particle, or −1 − rigid
    axis: np.ndarray       # (u,) int32 0 … 2: shifts, 3 … 5: turns of a rigid
    arm: np.ndarray        # (u,) m over which a moment counts as a force; 1 of forces
    colour: np.ndarray     # (c + 1,) int32 into
    member: np.ndarray     # (u,) int32 unknowns, those that are moved at once after each other
    feel: np.ndarray       # (u + 1,) int32 into
    row: np.ndarray        # int32 unknowns that feel each of them
    first: np.ndarray      # (u,) int32 profile of the matrix: column at which a row begins
    begin: np.ndarray      # (u + 1,) int64 where in the entries
    held: np.ndarray       # (h,) int32 rows of particles that bear what the others hang on


class Work(NamedTuple):
    """What is worked out on the way."""
    entry: np.ndarray      # the matrix, then its factor
    other: np.ndarray      # entries above the diagonal, by the rows of those below
    size: np.ndarray       # (u,) N/m or N·m, stiffness of its body
    change: np.ndarray     # (u,)
    ahead: np.ndarray      # (u,) N, N·m
    speed: np.ndarray      # (rows, 4) m, what is to be moved
    rigid_speed: np.ndarray  # (r, 6) m, rad
    still: np.ndarray      # (rows, 4) zeros
    position: np.ndarray   # (rows, 4) and (r, 16) from where
    rigid: np.ndarray
    counts: np.ndarray     # (4,) int64
    load: np.ndarray       # (2,) N: given, or else found at rest; the residual


@inlined
def force_on(buffers, body, axis):
    return buffers.force[body, axis] if body >= 0 else buffers.load[-1 - body, axis]


@kernel
def shift(arrays, buffers, pattern, work, begin, end, chosen, sizes):
    """Move unknowns: those at `begin` … `end` of the members by their own small length × sizes, or all by the change."""
    work.speed[:] = 0.0
    work.rigid_speed[:] = 0.0
    for k in range(begin, end):
        i = pattern.member[k] if chosen else k
        length = sizes / pattern.arm[i] if chosen else sizes * work.change[i]
        body, axis = pattern.body[i], pattern.axis[i]
        if body >= 0:
            work.speed[body, axis] = length
        else:
            work.rigid_speed[-1 - body, axis] = length
    move(arrays, buffers, work.speed, work.rigid_speed, work.still)


@kernel
def copy_rows(source, target):
    for i in range(source.shape[0]):
        for k in range(source.shape[1]):
            target[i, k] = source[i, k]


@kernel
def keep_place(buffers, work):
    copy_rows(buffers.position, work.position)
    copy_rows(buffers.rigid, work.rigid)


@kernel
def go_back(buffers, work):
    copy_rows(work.position, buffers.position)
    copy_rows(work.rigid, buffers.rigid)


@kernel
def take_stiffness(arrays, buffers, pattern, work, extent):
    """K = −∂f/∂x at the present place, and the stiffness of each body.

    Of both halves the lesser entry: they are the same but at the kink of a law, such as a cable that is just taut, where each
    axis sees a share w of the slope, k w_i u_i u_j. With min(w_i, w_j) that is a stiffness as it has to be, with the mean not.
    """
    begin, first, matrix, h = pattern.begin, pattern.first, work.entry, REACH * extent
    matrix[:] = 0.0
    work.other[:] = 0.0
    keep_place(buffers, work)
    for colour in range(len(pattern.colour) - 1):
        one, last = pattern.colour[colour], pattern.colour[colour + 1]
        shift(arrays, buffers, pattern, work, one, last, True, h)
        pull(arrays, buffers, work.still)
        for i in range(len(work.ahead)):
            work.ahead[i] = force_on(buffers, pattern.body[i], pattern.axis[i])
        go_back(buffers, work)
        shift(arrays, buffers, pattern, work, one, last, True, -h)
        pull(arrays, buffers, work.still)
        for k in range(one, last):
            j = pattern.member[k]
            share = 0.5 * pattern.arm[j] / h
            for m in range(pattern.feel[j], pattern.feel[j + 1]):
                i = pattern.row[m]
                drop = share * (force_on(buffers, pattern.body[i], pattern.axis[i]) - work.ahead[i])
                if i >= j:
                    matrix[begin[i] + j - first[i]] = drop
                else:
                    work.other[begin[j] + i - first[j]] = drop
        go_back(buffers, work)
    for i in range(len(first)):
        for k in range(begin[i], begin[i + 1] - 1):
            if matrix[k] * work.other[k] <= 0.0:
                matrix[k] = 0.0
            elif abs(work.other[k]) < abs(matrix[k]):
                matrix[k] = work.other[k]
    for i in range(len(work.size)):
        own = begin[i + 1] - 1
        work.size[i] = abs(matrix[own])
    for i in range(len(work.size)):   # unknowns of a body stand together: all of one kind get the largest
        for j in range(max(i - 5, 0), min(i + 6, len(work.size))):
            if pattern.body[j] == pattern.body[i] and (pattern.axis[j] < 3) == (pattern.axis[i] < 3):
                work.size[i] = max(work.size[i], abs(matrix[begin[j + 1] - 1]))


@kernel
def factor_here(arrays, buffers, pattern, work, extent, more):
    """Stiffness and its factor at the present place, with `more` of the stiffness of each body on the diagonal."""
    take_stiffness(arrays, buffers, pattern, work, extent)
    for i in range(len(work.size)):
        work.entry[pattern.begin[i + 1] - 1] += more * work.size[i]
    counts = work.counts
    counts[NEGATIVE], counts[LOOSE] = factor_profile(pattern.first, pattern.begin, work.entry, work.size, NOTHING, DOWN)
    counts[KNOWN] = 1
    if counts[NEGATIVE] > 0:
        for i in range(len(work.size)):
            own = pattern.begin[i + 1] - 1
            if work.entry[own] < 0.0 and not curves_down(arrays, buffers, pattern, work, extent, i):
                work.entry[own] = work.size[i]
                counts[NEGATIVE] -= 1
                counts[LOOSE] += 1


@kernel
def curves_down(arrays, buffers, pattern, work, extent, i):
    """Whether the energy itself curves down where a negative D says so.

    At the kink of a law, such as a cable that is just taut, differences along the axes see different slopes, and what is made
    of them may be no stiffness of anything; a difference along the direction tells.
    """
    direction_of(pattern.first, pattern.begin, work.entry, i, work.change)
    farthest, scale = 0.0, 0.0
    for k in range(len(work.change)):
        farthest = max(farthest, abs(work.change[k]) * pattern.arm[k])
        scale += work.size[k] * work.change[k] * work.change[k]
    length, curvature = REACH * extent / farthest, 0.0
    keep_place(buffers, work)
    for side in (1.0, -1.0):
        shift(arrays, buffers, pattern, work, 0, len(work.change), False, side * length)
        pull(arrays, buffers, work.still)
        for k in range(len(work.change)):
            curvature -= side * work.change[k] * force_on(buffers, pattern.body[k], pattern.axis[k])
        go_back(buffers, work)
    return curvature / (2.0 * length) < -DOWN * scale


@kernel
def feel(arrays, buffers, pattern, work):
    """Forces at the present place; returns the residual [N]."""
    pull(arrays, buffers, work.still)
    largest = 0.0
    for i in range(len(pattern.body)):
        force = abs(force_on(buffers, pattern.body[i], pattern.axis[i])) / pattern.arm[i]
        if not force <= largest:
            largest = force
    return largest


@kernel
def borne(buffers, pattern, work):
    """N: the load that was given, or else the largest force on what is held."""
    if work.load[0] > 0.0:
        return work.load[0]
    largest = 0.0
    for k in range(len(pattern.held)):
        for axis in range(3):
            largest = max(largest, abs(buffers.force[pattern.held[k], axis]))
    return largest


@kernel
def step_by_factor(arrays, buffers, pattern, work, extent):
    """x ← x + K⁻¹ f, no farther than makes sense."""
    work.counts[STEPS] += 1
    for i in range(len(work.change)):
        work.change[i] = force_on(buffers, pattern.body[i], pattern.axis[i])
    solve_profile(pattern.first, pattern.begin, work.entry, work.change)
    farthest = 0.0
    for i in range(len(work.change)):
        farthest = max(farthest, abs(work.change[i]) * pattern.arm[i])
    share = FARTHEST * extent / farthest if farthest > FARTHEST * extent else 1.0
    keep_place(buffers, work)
    shift(arrays, buffers, pattern, work, 0, len(work.change), False, share)


def make_follow(take_arrays, take_buffers, take_pattern, take_work):
    def follow(arrays_address, buffers_address, pattern_address, work_address, tolerance, least, extent, most, keeps):
        """To the equilibrium next to the present place, in at most so many steps; returns the residual [N].

        `tolerance`: share of the load, `least` [N]: what rounding leaves, or what is asked for. `keeps`: whether to go on
        to an equilibrium that is not stable; else the first sign of one ends this. Flow of springs is kept there.
        """
        arrays, buffers = take_arrays(arrays_address), take_buffers(buffers_address)
        pattern, work = take_pattern(pattern_address), take_work(work_address)
        counts, rises, fresh = work.counts, 0, False
        counts[STEPS] = 0
        residual = feel(arrays, buffers, pattern, work)
        while counts[STEPS] < most and math.isfinite(residual):
            if residual <= max(tolerance * borne(buffers, pattern, work), least):
                factor_here(arrays, buffers, pattern, work, extent, 0.0)   # is it stable; and for the next pose
                residual = feel(arrays, buffers, pattern, work)
                if counts[NEGATIVE] == 0 or keeps:
                    keep_flow(arrays, buffers, buffers.position, buffers.numbers[at.TIME], buffers.numbers[at.INSIDE], 0, 1)
                    residual = feel(arrays, buffers, pattern, work)
                break
            if counts[KNOWN] == 0:
                more = min(residual / max(borne(buffers, pattern, work), residual), 1.0) * SOFT
                factor_here(arrays, buffers, pattern, work, extent, more)
                feel(arrays, buffers, pattern, work)
                fresh = True
            if counts[NEGATIVE] > 0 and not keeps:
                break
            step_by_factor(arrays, buffers, pattern, work, extent)
            left = feel(arrays, buffers, pattern, work)
            if not left <= FALLS * residual:
                counts[KNOWN] = 0
            if not left < residual:
                if not fresh:   # a factor from elsewhere: not a step to go by
                    go_back(buffers, work)
                    left = feel(arrays, buffers, pattern, work)
                else:
                    rises += 1
                    if rises > RISES:
                        residual = math.inf
                        break
            fresh = False
            residual = left
        work.load[1] = borne(buffers, pattern, work)
        return residual
    return follow


@functools.cache
def follow_on(arrays, buffers, pattern, work):
    """The search for arrays and buffers of these types, by addresses (see `reference`)."""
    return compiled.entry(make_follow, taker(arrays), taker(buffers), taker(pattern), taker(work))
