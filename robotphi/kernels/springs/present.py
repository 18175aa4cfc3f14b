"""Linear springs without laws of their own at the present instant, for those who read a few of them many times."""
import math

from robotphi.kernels.compiling.compiled import entry
from robotphi.kernels.maths.vectors import dot, minus, read
from robotphi.kernels.springs.laws import straight


def make_lengths_and_pulls():
    def lengths_and_pulls(springs, position, velocity, found):
        """Length [m] and pull [N] of each spring into (m, 2); `springs`: (m, 5) ends, stiffness, viscosity, rest length."""
        for i in range(springs.shape[0]):
            a, b = int(springs[i, 0]), int(springs[i, 1])
            d = minus(read(position, a), read(position, b))
            length = math.sqrt(dot(d, d))
            rate = dot(d, minus(read(velocity, a), read(velocity, b))) / length if length > 0.0 else 0.0
            law = straight(springs[i, 2], springs[i, 3], length - springs[i, 4], rate)
            found[i, 0], found[i, 1] = length, law[0] + law[1]
    return lengths_and_pulls


lengths_and_pulls = entry(make_lengths_and_pulls)
