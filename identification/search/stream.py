"""Random numbers of a search: one stream in the parent process, the same on every machine.

Only the raw words of PCG64 are numpy's, which stay as they are from version to version; what is made of them is made here.
"""
import math

import numpy as np


class Stream:
    """A stream of random numbers from a seed."""

    def __init__(self, seed):
        self._words = np.random.PCG64(seed)
        self._left = None   # the other one of a pair of normal numbers

    def uniform(self, *shape):
        """Numbers in [0, 1)."""
        if not shape:
            return (self._words.random_raw() >> 11) * 2.0 ** -53
        return (self._words.random_raw(math.prod(shape)) >> np.uint64(11)).astype(float).reshape(shape) * 2.0 ** -53

    def whole(self, count):
        """A whole number from 0 to count − 1."""
        return min(int(self.uniform() * count), count - 1)

    def normal(self):
        """A number of mean 0 and sd 1 (Box & Muller 1958)."""
        if self._left is not None:
            found, self._left = self._left, None
            return found
        size, turn = math.sqrt(-2.0 * math.log(1.0 - self.uniform())), 2.0 * math.pi * self.uniform()
        self._left = size * math.sin(turn)
        return size * math.cos(turn)

    def normals(self, *shape):
        """Such numbers in an array."""
        return np.array([self.normal() for _ in range(math.prod(shape))]).reshape(shape)

    def rayleigh(self):
        """A number ± √(−2 log y), the report's: two-sided, with no chance at 0 itself."""
        return math.copysign(math.sqrt(-2.0 * math.log(1.0 - self.uniform())), self.uniform() - 0.5)

    def spread(self, count, width):
        """(count, width) points of the unit box, one in each of `count` slices of every axis (McKay et al. 1979)."""
        found = np.empty((count, width))
        for k in range(width):
            found[:, k] = (np.argsort(self.uniform(count), kind="stable") + self.uniform(count)) / count
        return found
