"""Figures: what a table of runs shows, each one number of a recording.

    figures:
      highest: {largest: height}
      warmed: {last: "ledger:friction"}
      aside: {mean: "place[1]"}
"""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.step.entries import ENTRIES
from robotphi.language.nodes import fail
from robotphi.language.scope import nearest

TAKEN = {"first": lambda values: values[0], "last": lambda values: values[-1], "largest": np.max, "smallest": np.min,
         "mean": np.mean, "range": np.ptp, "largest_size": lambda values: np.max(np.abs(values))}
MEANT = {"min": "smallest", "minimum": "smallest", "max": "largest", "maximum": "largest", "start": "first", "end": "last",
         "final": "last", "average": "mean", "extent": "range", "peak": "largest_size"}   # by those who say it otherwise
LEDGER = "ledger:"
OF_LEDGER = (*(entry.name for entry in ENTRIES), "residual", "largest_residual", "reference_energy")


class Figure(NamedTuple):
    """A number of a recording: what is taken of a sensor, or of an entry of the ledger, over the frames."""
    name: str
    take: str
    of: str
    place: int | None

    def value(self, recording):
        """The number; of several numbers that are no one place, that of their size."""
        if self.of.startswith(LEDGER):
            values = np.asarray(recording.ledger[self.of.removeprefix(LEDGER)])
        else:
            values = np.asarray(recording.sensors[self.of])
        if values.ndim > 1:
            values = values[:, self.place] if self.place is not None else np.linalg.norm(values, axis=1)
        return float(TAKEN[self.take](values))


def figures_of(node, scene):
    """Name → Figure of a section, checked against the sensors of a scene."""
    return {name: _figure(name, each, scene) for name, each in node.value.items()}


def _figure(name, node, scene):
    if not node.is_map or len(node.value) != 1:
        fail(node, f"figure {name!r} is {node.told()}", f"give {{{'|'.join(TAKEN)}: sensor}}")
    [(take, inner)] = node.value.items()
    if take not in TAKEN:
        fail(node.key(take), f"a figure takes no {take!r}", nearest(MEANT.get(take, take), list(TAKEN)))
    if not inner.is_text:
        fail(inner, f"{take} of {inner.told()}", "give the name of a sensor, or ledger:entry")
    text, known = inner.value, [sensor.name for sensor in scene.sensors]
    entry = text.removeprefix(LEDGER)
    if text.startswith(LEDGER) and ":" not in entry and entry not in OF_LEDGER:   # those of works and acts have a colon
        fail(inner, f"the ledger has no entry {entry!r}", nearest(entry, list(OF_LEDGER)))
    if text in known or text.startswith(LEDGER):
        return Figure(name, take, text, None)
    head, bracket, place = text.rpartition("[")
    if bracket and head in known and place.endswith("]") and place[:-1].isdecimal() and len(place) < 5:
        return Figure(name, take, head, int(place[:-1]))
    return fail(inner, f"there is no sensor {text!r}", nearest(head or text, known))
