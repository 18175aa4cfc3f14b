"""Who evaluates candidates: this process, processes of its own, or the workers of a Dask scheduler, all behind one door.

A pool takes a batch as a whole and gives what came of it in the order of the candidates, whoever was quicker. The longest
begin first, so that all workers end at about the same time. A candidate whose worker dies is tried once more by a new one;
where that dies as well it is the candidate that kills.
"""
import os
import signal
import socket
import sys
import time
from multiprocessing import get_context
from multiprocessing.connection import wait

import numpy as np

from identification.errors import ExperimentError
from identification.problem import LOST, Outcome

TRIES = 2           # workers that a candidate may kill
PATIENCE = 10.0     # s for a worker to end, and for a scheduler to answer
MOST_WORKERS = 256


def open_pool(workers, cluster, plan, here):
    """The pool of so many processes; 0 is this one. `here` evaluates in this process, `plan` makes the same elsewhere."""
    if cluster is not None:
        from identification.running.cluster import Cluster

        return Cluster(cluster, plan)
    if workers == "all":
        workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        workers = 0 if workers == 1 else workers
    if not isinstance(workers, int) or isinstance(workers, bool) or not 0 <= workers <= MOST_WORKERS:
        raise ExperimentError(f"workers is {workers!r}; give a whole number, 0 for this process, or all")
    return Processes(workers, plan) if workers else Here(here)


class Here:
    """This process, one candidate after the other."""

    def __init__(self, evaluator):
        self._evaluator = evaluator

    def run(self, tasks, expected):
        """([Outcome], [(seconds, where)]) of tasks (values, limits, held_out)."""
        found = [timed(self._evaluator, task) for task in tasks]
        return [outcome for outcome, _ in found], [told for _, told in found]

    def close(self):
        """Nothing is to be ended."""


def timed(evaluator, task):
    """(Outcome, (seconds, where)) of a task."""
    began = time.perf_counter()
    outcome = evaluator.outcome(*task)
    return outcome, (time.perf_counter() - began, f"{socket.gethostname()}:{os.getpid()}")


class Processes:
    """So many processes, which stay from batch to batch."""

    def __init__(self, count, plan):
        self._context, self._plan = get_context("spawn"), plan
        self._count, self._free, self._busy = count, [], {}

    def run(self, tasks, expected):
        """The same by all processes."""
        waiting = [(int(k), 1) for k in np.argsort(np.asarray(expected), kind="stable")]   # taken from behind
        found = [None] * len(tasks)
        while waiting or self._busy:
            while waiting and len(self._busy) < self._count:
                place, attempt = waiting.pop()
                self._give(place, attempt, tasks[place])
            for pipe in wait(list(self._busy)):
                place, attempt, process = self._busy.pop(pipe)
                try:
                    found[place] = pipe.recv()
                    self._free.append((pipe, process))
                except (EOFError, ConnectionError):
                    _end(pipe, process)
                    if attempt < TRIES:
                        waiting.append((place, attempt + 1))
                    else:
                        found[place] = Outcome(None, LOST, 0.0), (0.0, "nobody")
        for each in found:
            if isinstance(each[0], BaseException):
                raise each[0]
        return [outcome for outcome, _ in found], [told for _, told in found]

    def _give(self, place, attempt, task):
        while True:
            pipe, process = self._free.pop() if self._free else self._begin()
            try:
                pipe.send(task)
            except ConnectionError:   # it was killed while it was idle
                _end(pipe, process)
                continue
            self._busy[pipe] = place, attempt, process
            return

    def _begin(self):
        pipe, other = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(other,), daemon=True)
        process.start()
        other.close()
        pipe.send(self._plan)
        return pipe, process

    def close(self):
        """End the processes, which have nothing to lose."""
        for pipe, process in [*self._free, *((pipe, busy[2]) for pipe, busy in self._busy.items())]:
            process.terminate()
            _end(pipe, process)
        self._free, self._busy = [], {}


def _end(pipe, process):
    pipe.close()
    process.join(PATIENCE)
    if process.is_alive():
        process.kill()


def _serve(pipe):
    """Life of a process: the plan comes first, then one task after the other. It ends when nobody is at the other end."""
    from identification.experiment.simulated import Simulated

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
    try:
        evaluator = maker(pipe.recv(), Simulated)
        while True:
            task = pipe.recv()
            try:
                answer = timed(evaluator, task)
            except Exception as error:
                answer = error, None
            pipe.send(answer)
    except (EOFError, ConnectionError):
        return


def maker(plan, otherwise):
    """What evaluates by a plan: it may say so itself, as those of tests do."""
    return plan.evaluator() if hasattr(plan, "evaluator") else otherwise(plan)
