"""Arrays of packed files: what is asked for is read and unpacked then, a frame or a few rows at a time."""
from math import prod

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

SMALL = 1 << 16   # bytes: smaller ones are read at once


def unpacked(file, path):
    """The rows of a packed dataset: an array where it is small, what reads them where it is not."""
    data = file[path]
    return data[()] if data.nbytes <= SMALL else Unpacked(file, data, data.shape, 0)


class Unpacked(NDArrayOperatorsMixin):
    """As an array of numpy that is only read: a single row, such as a frame, is read by itself, slices of rows wait until their
    numbers are asked for, all else reads what there is of it, once."""

    def __init__(self, file, data, shape, first):
        """`data`: a dataset of an open file, from its row `first` on."""
        self._file, self._data, self._first, self._all = file, data, first, None
        self.shape, self.dtype = tuple(shape), data.dtype

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: prod(self.shape))
    nbytes = property(lambda self: self.size * self.dtype.itemsize)

    @property
    def _each(self):
        """Rows of the file that one of ours takes."""
        return prod(self.shape[1:]) // prod(self._data.shape[1:])

    def __len__(self):
        return self.shape[0]

    def reshape(self, *shape):
        """The same bytes in rows of another shape."""
        shape = shape[0] if isinstance(shape[0], tuple) else shape
        if self._first or len(shape) < 2 or self._all is not None or prod(shape) != prod(self._data.shape):
            return np.asarray(self).reshape(shape)
        return Unpacked(self._file, self._data, shape, 0)

    def __getitem__(self, key):
        if self._all is None:
            if isinstance(key, slice) and key.step in (None, 1):
                begin, end, _ = key.indices(len(self))
                shape = max(end - begin, 0), *self.shape[1:]
                return Unpacked(self._file, self._data, shape, self._first + begin * self._each)
            if isinstance(key, (int, np.integer)) and -len(self) <= key < len(self):
                row = int(key) % len(self)
                return self._read(row, row + 1)[0]
        return np.asarray(self)[key]

    def _read(self, begin, end):
        each = self._each
        rows = self._data[self._first + begin * each:self._first + end * each].reshape(end - begin, *self.shape[1:])
        rows.setflags(write=False)
        return rows

    def __array__(self, dtype=None, copy=None):
        if self._all is None:
            self._all = self._read(0, len(self))
        return self._all if dtype is None and not copy else np.array(self._all, dtype)

    def __array_ufunc__(self, ufunc, method, *given, **more):
        return getattr(ufunc, method)(*(np.asarray(each) if isinstance(each, Unpacked) else each for each in given), **more)

    def __iter__(self):
        return (self[row] for row in range(len(self)))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)

    def __reduce__(self):
        return np.array, (np.asarray(self),)

    def __repr__(self):
        return f"{type(self).__name__} of {self._data.name}, {self.shape}"
