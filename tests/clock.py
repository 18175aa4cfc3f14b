"""A clock for what is to look at one: it goes on only when it is looked at, so that no machine is too slow for a test."""
from types import SimpleNamespace

LOOK = 0.06  # s that pass from look to look: more than half of the simulator's tick, so that progress is told at every look


class Clock:
    """Stands where a module has its own `time`; `looks` tells how often it was asked."""

    def __init__(self):
        self.looks = 0

    def perf_counter(self):
        self.looks += 1
        return LOOK * self.looks

    def take_place(self, monkeypatch, module, name="time"):
        monkeypatch.setattr(module, name, SimpleNamespace(perf_counter=self.perf_counter))
        return self
