"""Frames of cells: places in which a flat, long or slanted cell is as thick as it is long.

A volume of edges of length L is known to 1e-16 L³; of a cell that is a thousandth as thick and wide, nothing much remains of
that. In its own frame, r̃ = L⁻¹ r with the lower triangular L of Σ r rᵀ (Cholesky), every cell is stout, and det L is exact.
"""
from typing import NamedTuple

import numpy as np

THINNEST = 1e-14  # square of a frame's least thickness over its size: any frame is right, flat cells must not divide by 0


class Frame(NamedTuple):
    """L of many cells, its entries by row, each (c,)."""
    l00: np.ndarray
    l10: np.ndarray
    l11: np.ndarray
    l20: np.ndarray
    l21: np.ndarray
    l22: np.ndarray

    @classmethod
    def of(cls, moments):
        """L with L Lᵀ = second moments (6, c) in the order xx yy zz xy yz zx."""
        xx, yy, zz, xy, yz, zx = moments
        least = THINNEST * (xx + yy + zz) + np.finfo(float).tiny
        l00 = np.sqrt(np.maximum(xx, least))
        l10, l20 = xy / l00, zx / l00
        l11 = np.sqrt(np.maximum(yy - l10 * l10, least))
        l21 = (yz - l20 * l10) / l11
        return cls(l00, l10, l11, l20, l21, np.sqrt(np.maximum(zz - l20 * l20 - l21 * l21, least)))

    @property
    def volume(self):
        """Volume of the world over volume in the frame."""
        return self.l00 * self.l11 * self.l22

    def into(self, places):
        """L⁻¹ r of places (3, …, c)."""
        x = places[0] / self.l00
        y = (places[1] - self.l10 * x) / self.l11
        return np.stack([x, y, (places[2] - self.l20 * x - self.l21 * y) / self.l22])

    def back(self, places):
        """L r̃ of places (3, …, c)."""
        x, y, z = places
        return np.stack([self.l00 * x, self.l10 * x + self.l11 * y, self.l20 * x + self.l21 * y + self.l22 * z])

    def back_moments(self, moments):
        """L C̃ Lᵀ of second moments (6, c), as matrices (3, 3, c)."""
        xx, yy, zz, xy, yz, zx = moments
        rows = self.back(np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]))
        return self.back(rows.transpose(1, 0, 2))
