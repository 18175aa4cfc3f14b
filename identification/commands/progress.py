"""Progress of a fit on standard error: best error, generation, evaluations a second, time left; silent where nobody looks."""
import sys
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from identification.problem import DONE


@contextmanager
def fit_progress(experiment):
    """A callback (search, seconds) of `fit`; None where standard error is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = TextColumn("{task.description}"), BarColumn(bar_width=30), TextColumn("{task.fields[state]}")
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(experiment.name, total=None, state="starting; the first run on a machine compiles for a minute")

        def show(search, seconds):
            bar.update(task, total=search.most, completed=search.evaluated, state=told(search, seconds))

        yield show


def told(search, seconds):
    """One line on how far a search is."""
    rate = search.evaluated / max(seconds, 1e-9)
    known = search.best is not None and search.best[1].status == DONE
    best = f"error {search.best[1].error:.3g}" if known else "nothing came to its end yet"
    left = (search.most - search.evaluated) / rate
    return (f"{best}   generation {search.generation}   {search.evaluated} of at most {search.most} evaluations   "
            f"{rate:.3g} a second   at most {left:.0f} s left")
