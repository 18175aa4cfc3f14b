"""The laws of springs for measures: over arrays of strains instead of within a step."""
import numpy as np

from robotphi.kernels.compiling.compiled import entry
from robotphi.kernels.springs.laws import bent_law, linear_law

ELASTIC, VISCOUS, STORED, SLOPE = range(4)  # rows of what is read: N or N·m twice, J, N/m or N·m/rad
READ_ROWS = 4


def make_linear_reading():
    def read(springs, tables, strain, rate, flow, accumulated, found):
        for frame in range(strain.shape[0]):
            for i in range(strain.shape[1]):
                law = linear_law(springs, i, tables, strain[frame, i], rate[frame, i], flow[frame, i], accumulated[frame, i])
                for row in range(READ_ROWS):
                    found[row, frame, i] = law[row]
    return read


def make_bent_reading():
    def read(springs, _, strain, rate, flow, accumulated, found):
        for frame in range(strain.shape[0]):
            for i in range(strain.shape[1]):
                law = bent_law(springs, i, strain[frame, i], rate[frame, i], flow[frame, i], accumulated[frame, i])
                for row in range(READ_ROWS):
                    found[row, frame, i] = law[row]
    return read


READERS = {"linear": entry(make_linear_reading), "angular": entry(make_bent_reading), "articular": entry(make_bent_reading)}


def law_readings(kind, springs, tables, strain, rate, flow, accumulated):
    """(4, frames, m): what springs of a kind do at strains, their rates and flows, (frames, m) each."""
    found = np.empty((READ_ROWS, *strain.shape))
    READERS[kind](springs, tables, strain, rate, flow, accumulated, found)
    return found


def formula(kernel):
    """A kernel of plain arithmetic as Python, for arrays."""
    return getattr(kernel, "py_func", kernel)
