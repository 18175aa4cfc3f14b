"""The reference cloth of the speed measurements: a number of particles in, the flat arrays of its model out.

A grid of particles with structural and both diagonal linear springs between neighbours, and one angular spring for
every three neighbours of a grid line. Its first line is held, gravity pulls, the particles stand a little off the grid.
"""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.compiling.lanes import GHOSTS
from robotphi.model.arrays import Angular, Linear

GRIDS = {200: (10, 20), 1_000: (25, 40), 10_000: (100, 100), 100_000: (250, 400), 1_000_000: (1000, 1000)}
LANES = 4                  # springs computed at a time: lists are filled up to a multiple of it
STRIP = 8                  # columns listed together, the fastest order found: rows stay in the first cache, and
                           # neighbours in the list seldom share a particle, so that few additions wait for another

SPACING = 0.05             # m
MASS = 1e-3                # kg per particle
STIFFNESS = 100.0          # N/m; with MASS the explicit limit is dt < 2 ms
VISCOSITY = 0.02           # N·s/m
BEND_STIFFNESS = 1e-3      # N·m/rad, softer than the linear springs in every mode
BEND_VISCOSITY = 1e-6      # N·m·s/rad
GRAVITY = (0.0, 0.0, -9.81, 0.0)
OFFSET = 0.02              # largest offset of a particle from the flat grid, in spacings: no bend is zero


class Cloth(NamedTuple):
    """State, masses and springs; behind the `count` particles stand the resting ghosts of the idle springs."""
    count: int
    position: np.ndarray      # (rows, 4) m
    velocity: np.ndarray      # (rows, 4) m/s
    mass: np.ndarray          # (rows,) kg
    inverse_mass: np.ndarray  # (rows, 4) 1/kg, 0 where held
    gravity: np.ndarray       # (4,) m/s²
    linear: Linear
    angular: Angular
    linear_count: int         # springs of the cloth, idle ones left out
    angular_count: int


def build_cloth(count, seed=1996):
    """Build the cloth with one of the sizes of `GRIDS`; idle springs between ghosts fill its lists up."""
    if count not in GRIDS:
        raise ValueError(f"a cloth of {count} particles was asked for; there are grids of {', '.join(map(str, GRIDS))}")
    nx, ny = GRIDS[count]
    rows = count + GHOSTS
    position, velocity, inverse_mass = (aligned((rows, 4)) for _ in range(3))
    mass = aligned((rows,))
    line, column = np.divmod(np.arange(count), ny)
    position[:count, 0] = SPACING * line
    position[:count, 1] = SPACING * column
    position[:count, :3] += SPACING * OFFSET * np.random.default_rng(seed).uniform(-1, 1, (count, 3))
    position[count:, :3] = np.tri(GHOSTS, 3, -1)     # corners of a box: idle springs have a length and a bend
    mass[:count] = MASS
    inverse_mass[ny:count, :3] = 1 / MASS
    linear, angular = linear_pairs(nx, ny), angular_triples(nx, ny)
    return Cloth(count, position, velocity, mass, inverse_mass, np.array(GRAVITY),
                 linear_springs(linear, count, ny), angular_springs(angular, count), len(linear), len(angular))


def aligned(shape, dtype=np.float64):
    """An array of zeros that starts on a cache line: a row of four doubles never straddles two."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start:start + size].view(dtype).reshape(shape)


def linear_pairs(nx, ny):
    """Index pairs, strip by strip: along the line, across it, both diagonals."""
    grid = np.arange(nx * ny, dtype=np.int32).reshape(nx, ny)
    return in_strips(ny, [(grid[:, :-1], grid[:, 1:]), (grid[:-1], grid[1:]),
                          (grid[:-1, :-1], grid[1:, 1:]), (grid[:-1, 1:], grid[1:, :-1])])


def angular_triples(nx, ny):
    """Index triples (first, centre, second), strip by strip: along the line, then across it."""
    grid = np.arange(nx * ny, dtype=np.int32).reshape(nx, ny)
    return in_strips(ny, [(grid[:, :-2], grid[:, 1:-1], grid[:, 2:]), (grid[:-2], grid[1:-1], grid[2:])])


def in_strips(ny, kinds):
    """The index columns of several kinds of springs as one list, by line and strip of the first particle, then kind."""
    columns = np.concatenate([np.stack([column.ravel() for column in kind], 1) for kind in kinds])
    kind = np.repeat(np.arange(len(kinds)), [one[0].size for one in kinds])
    line, column = np.divmod(columns[:, 0], ny)
    return columns[np.lexsort((column, kind, column // STRIP, line))]


def filled(values, idle, dtype):
    """`values` with `idle` repeated behind them up to a multiple of LANES."""
    total = -len(values) % LANES + len(values)
    array = aligned((total,), dtype)
    array[:len(values)] = values
    array[len(values):] = idle
    return array


def linear_springs(pairs, count, ny):
    """Springs at their length on the flat grid; idle ones tie the first two ghosts."""
    steps = np.stack([pairs[:, 1] // ny - pairs[:, 0] // ny, pairs[:, 1] % ny - pairs[:, 0] % ny], 1)
    m = len(pairs)
    first = filled(pairs[:, 0], count, np.int32)
    return Linear(first, filled(pairs[:, 1], count + 1, np.int32), filled(np.full(m, STIFFNESS), 0, np.float64),
                  filled(np.full(m, VISCOSITY), 0, np.float64), filled(SPACING * np.hypot(*steps.T), 1, np.float64),
                  np.array([0, len(first)], np.int32), filled(np.arange(m), -1, np.int32))


def angular_springs(triples, count):
    """Springs that are straight at rest; idle ones bend about the second ghost."""
    m = len(triples)
    first = filled(triples[:, 0], count, np.int32)
    return Angular(first, filled(triples[:, 1], count + 1, np.int32), filled(triples[:, 2], count + 2, np.int32),
                   filled(np.full(m, BEND_STIFFNESS), 0, np.float64), filled(np.full(m, BEND_VISCOSITY), 0, np.float64),
                   filled(np.zeros(m), 0, np.float64), np.array([0, len(first)], np.int32),
                   filled(np.arange(m), -1, np.int32))
