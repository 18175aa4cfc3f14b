"""Who evaluates candidates: this process, processes of its own, or the workers of a Dask scheduler, all behind one door.

A pool takes a batch as a whole and gives what came of it in the order of the candidates, whoever was quicker. The longest
begin first, so that all workers end at about the same time. A candidate whose worker dies is tried once more by a new one;
where that dies as well it is the candidate that kills.
"""
import os
import socket
import time

import numpy as np

from identification.errors import ExperimentError
from identification.problem import LOST, Outcome
from robotphi.scenario.sweep.processes import Processes, serve

TRIES = 2           # workers that a candidate may kill
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
    return Workers(workers, plan) if workers else Here(here)


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


class Workers:
    """So many processes, which stay from batch to batch."""

    def __init__(self, count, plan):
        self._processes = Processes(count, _life, plan, tries=TRIES)

    def run(self, tasks, expected):
        """The same by all processes."""
        found = [None] * len(tasks)
        for place, answer in self._processes.answers(tasks, np.argsort(np.asarray(expected), kind="stable")[::-1]):
            found[place] = answer or (Outcome(None, LOST, 0.0), (0.0, "nobody"))
        for each in found:
            if isinstance(each[0], BaseException):
                raise each[0]
        return [outcome for outcome, _ in found], [told for _, told in found]

    def close(self):
        """End the processes."""
        self._processes.close()


def _life(pipe):
    serve(pipe, _evaluating)


def _evaluating(receive):
    """What answers tasks by the plan that comes first; an error is an answer too."""
    from identification.experiment.simulated import Simulated

    evaluator = maker(receive(), Simulated)

    def answer(task):
        try:
            return timed(evaluator, task)
        except Exception as error:
            return error, None
    return answer


def maker(plan, otherwise):
    """What evaluates by a plan: it may say so itself, as those of tests do."""
    return plan.evaluator() if hasattr(plan, "evaluator") else otherwise(plan)
