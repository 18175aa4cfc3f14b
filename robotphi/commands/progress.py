"""Progress on standard error: alive on a terminal, silent anywhere else."""
import sys
import time
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

REFRESH = 0.1  # seconds between two updates


@contextmanager
def shown_progress(name):
    """A callback for `Simulator.run`: simulated time, dt, speed over real time, time left; None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=30), TextColumn("{task.fields[state]}"),
               TimeRemainingColumn(compact=True))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield RunProgress(bar, name)


class RunProgress:
    """Keeps one bar up to date; a new run (time going back) starts it anew."""

    def __init__(self, bar, name):
        self.bar = bar
        self.task = bar.add_task(name, total=None, state="")
        self.began = self.updated = time.perf_counter()
        self.start = self.last = None

    def __call__(self, simulated, duration, dt):
        now = time.perf_counter()
        if self.last is None or simulated < self.last:
            self.bar.reset(self.task, total=duration)
            self.began, self.start = now, simulated
        self.last = simulated
        if now - self.updated < REFRESH and simulated < duration:
            return
        self.updated = now
        speed = (simulated - self.start) / max(now - self.began, 1e-9)
        self.bar.update(self.task, total=duration, completed=simulated,
                        state=f"{simulated:.4g} of {duration:.4g} s   dt {dt:.2e} s   {speed:.3g} × real time")


@contextmanager
def counted_progress(name):
    """A callback `(case, done, total)` that counts cases; None where nobody sees it."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = TextColumn("{task.description}"), BarColumn(bar_width=30), TextColumn("{task.completed} of {task.total}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda case, done, total: bar.update(task, total=total, completed=done, description=case.name)
