"""What a log says of a run beside rows of frames: the history of steps, and what was known when it was flushed last."""
import json

import numpy as np

from robotphi.record.steps import LISTS, Steps, steps_of_log

CUT_OFF = "interrupted"


class Loose:
    """Collects it, record by record.

    Attributes:
        facts: status, counts and info.
    """

    def __init__(self, forms):
        self._forms, self._steps, self._pairs = forms, [], []
        self.facts = {"status": CUT_OFF, "counts": {}, "info": {}}

    def without(self, records):
        """The records (table, first row, columns) of a log, all but those that are collected here."""
        for record in records:
            if not self.take(*record):
                yield record

    def take(self, table, first, columns):
        """Collect a record; returns whether it is one of those."""
        if table == "facts":
            told = json.loads(columns["text"].tobytes())
            for group in ("counts", "info"):
                self.facts[group] |= told[group]
        elif table == "steps":
            self._steps.append((first, columns))
        elif table == "pairs":
            self._pairs.append(np.stack([columns["limit"], columns["cause"]], axis=1))
        return table in ("facts", "steps", "pairs")

    def steps(self):
        """The history of steps as it was at the last flush."""
        if "number" in self._forms["steps"]:
            return self._steps_before()
        found, stride = steps_of_log(self._steps, np.concatenate([np.empty((0, *LISTS["pairs"][0]), np.int64), *self._pairs]))
        self.facts["info"]["step_stride"] = stride
        return found

    def _steps_before(self):
        """Logs of earlier versions told each row's number, and its columns as they are shown."""
        found = {name: np.concatenate([np.empty((0, *shape), dtype), *(part[name] for _, part in self._steps)])
                 for name, (shape, dtype) in self._forms["steps"].items()}
        chosen = found.pop("number") % found.pop("stride").max(initial=1) == 0
        return Steps.of({name: values[chosen] for name, values in found.items()})
