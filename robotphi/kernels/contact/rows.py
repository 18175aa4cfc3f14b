"""What a frame keeps of contact: tables with as many rows as there are contacts, read by recordings and kernels alike.

`contacts` and `contact_vertices` are what people read, `contact_state` and `vertex_state` what a run needs to go on.
"""
from typing import Any, NamedTuple

import numpy as np

from robotphi.kernels.contact.columns import KEPT_NUMBERS, KEPT_WHOLES, SLOT_KEPT

# column → (shape of a row, dtype)
CONTACTS = {"first": ((), np.int32), "second": ((), np.int32), "point": ((3,), float), "direction": ((3,), float),
            "depth": ((), float), "normal": ((3,), float), "friction": ((3,), float), "twist": ((), float), "area": ((), float),
            "energy": ((), float), "places": ((), np.int32), "pressed": ((), float), "sticks": ((), bool),
            "first_facet": ((), np.int32), "second_facet": ((), np.int32)}
VERTICES = {"part": ((), np.int32), "other": ((), np.int32), "particle": ((), np.int32), "normal": ((), float),
            "friction": ((3,), float), "sticks": ((), bool), "facet": ((), np.int32)}
PAIRS_KEPT = {"whole": ((KEPT_WHOLES,), np.int32), "number": ((KEPT_NUMBERS,), float)}
VERTICES_KEPT = {"place": ((), np.int32), "slot": ((), np.int32), "node": ((), np.int32), "number": ((SLOT_KEPT,), float)}
TABLES = {"contact_state": PAIRS_KEPT, "vertex_state": VERTICES_KEPT, "contacts": CONTACTS, "contact_vertices": VERTICES}


def _rows(name, columns):
    """The columns of a table as arrays with room for more, and how many rows are in use, (1,)."""
    made = NamedTuple(name, [("size", np.ndarray), *[(column, np.ndarray) for column in columns]])
    made.__module__ = __name__
    return made


ROWS = {table: _rows(f"{table}_rows", columns) for table, columns in TABLES.items()}
Starts = _rows("starts", TABLES)     # first row of each frame in each table, and behind the last frame


class Tables(NamedTuple):
    """The tables of all frames so far."""
    contact_state: Any
    vertex_state: Any
    contacts: Any
    contact_vertices: Any
    starts: Any
    needed: np.ndarray               # (4,) int64 rows of each that the present instant takes
