"""Sources whose columns are in memory already."""
import numpy as np

from identification.errors import DataError


class ArraySource:
    """Columns that are in memory already."""

    def __init__(self, path, columns):
        self.path, self._columns = path, columns
        self.titles = list(columns)
        self.heads = [name if unit is None else f"{name} [{unit}]" for name, unit in columns]

    def columns(self, indices, keep=None, ordered=None, skip=False):
        """(n, c) the numbers of some columns."""
        columns = list(self._columns.values())
        found = np.stack([np.asarray(columns[k], float) for k in indices], axis=1)
        if skip:
            found = found[np.isfinite(found).all(axis=1)]
        wrong = np.argwhere(~np.isfinite(found))
        if len(wrong):
            row, k = map(int, wrong[0])
            raise DataError(f"{self.path}: {self.heads[indices[k]]!r} is no number in frame {row}; say missing: skip in the "
                            "run")
        if ordered is not None and np.any(np.diff(found[:, ordered]) <= 0.0):
            raise DataError(f"{self.path}: {self.heads[indices[ordered]]!r} does not grow from frame to frame")
        return found if keep is None else found[keep(found)]
