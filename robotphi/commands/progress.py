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
    """Keeps one bar up to date, called with (time, dt); a new run (time going back) starts it anew."""

    def __init__(self, bar, name):
        self.bar = bar
        self.task = bar.add_task(name, total=None, state="starting; the first run on a machine compiles for a minute")
        self.end = None  # simulated time at which the run will be over, where it is known
        self.start = self.last = None
        self.began = self.updated = time.perf_counter()

    def expect(self, end):
        """Tell when the run will be over [s of simulated time]: the bar then shows how much is left."""
        self.end = end

    def __call__(self, simulated, dt):
        now = time.perf_counter()
        if self.last is None or simulated < self.last:
            self.bar.reset(self.task, total=self.end)
            self.began, self.start = now, simulated
        self.last = simulated
        if now - self.updated < REFRESH:
            return
        self.updated = now
        speed = (simulated - self.start) / max(now - self.began, 1e-9)
        whole = f" of {self.end:.4g}" if self.end else ""
        self.bar.update(self.task, total=self.end, completed=simulated,
                        state=f"{simulated:.4g}{whole} s   dt {dt:.2e} s   {speed:.3g} × real time")


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
