"""Candidates by the workers of a Dask scheduler, which need this package and, for files, the same paths."""
from identification.errors import ExperimentError
from identification.problem import LOST, Outcome
from identification.running.pool import maker, timed
from robotphi.scenario.sweep.processes import PATIENCE

_EVALUATORS = {}   # of a worker: key of a plan → what evaluates by it


class Cluster:
    """A pool at the address of a scheduler."""

    def __init__(self, address, plan):
        try:
            from distributed import Client
        except ImportError:
            raise ExperimentError("--cluster needs dask.distributed, which is not installed: pip install 'robotphi[cluster]', "
                                  "or use "
                                  "--workers N") from None
        try:
            self._client = Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise ExperimentError(f"no Dask scheduler answers at {address!r}: {error}; start one by `dask scheduler`, and "
                                  "workers "
                                  "by `dask worker ADDRESS --nthreads 1`") from None
        self._plan = self._client.submit(handed, plan, pure=False)   # made again where a worker that had it is gone
        self._key = self._plan.key

    def run(self, tasks, expected):
        """([Outcome], [(seconds, where)]) in the order of the tasks; the longest are submitted first."""
        order = sorted(range(len(tasks)), key=lambda k: -expected[k])
        futures = {k: self._submitted(tasks[k]) for k in order}
        found = [self._answer(futures[k]) for k in range(len(tasks))]
        for k, each in enumerate(found):
            if each is None:   # it was on workers that died: alone it tells whether by itself
                found[k] = self._answer(self._submitted(tasks[k])) or (Outcome(None, LOST, 0.0), (0.0, "nobody"))
        return [outcome for outcome, _ in found], [told for _, told in found]

    def _submitted(self, task):
        return self._client.submit(evaluate, self._key, self._plan, task, pure=False)

    def _answer(self, future):
        """What came of a candidate; None where its workers died."""
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker:
            return None

    def close(self):
        """Leave the scheduler."""
        self._client.close()


def handed(plan):
    """The plan itself."""
    return plan


def evaluate(key, plan, task):
    """A worker's side."""
    from identification.experiment.simulated import Simulated

    if key not in _EVALUATORS:
        _EVALUATORS.clear()
        _EVALUATORS[key] = maker(plan, Simulated)
    return timed(_EVALUATORS[key], task)
