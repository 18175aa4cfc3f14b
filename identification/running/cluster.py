"""Candidates by the workers of a Dask scheduler, which need this package and, for files, the same paths."""
from identification.errors import ExperimentError
from identification.problem import LOST, Outcome
from identification.running.pool import PATIENCE, maker, timed

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
        self._plan = self._client.scatter(plan, broadcast=True, hash=False)
        self._key = self._plan.key

    def run(self, tasks, expected):
        """([Outcome], [(seconds, where)]) in the order of the tasks; the longest are submitted first."""
        order = sorted(range(len(tasks)), key=lambda k: -expected[k])
        futures = {k: self._client.submit(evaluate, self._key, self._plan, tasks[k], pure=False) for k in order}
        found = [self._answer(futures[k]) for k in range(len(tasks))]
        return [outcome for outcome, _ in found], [told for _, told in found]

    def _answer(self, future):
        """What came of a candidate; one that kills its workers is lost."""
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker:
            return Outcome(None, LOST, 0.0), (0.0, "nobody")

    def close(self):
        """Leave the scheduler."""
        self._client.close()


def evaluate(key, plan, task):
    """A worker's side."""
    from identification.experiment.simulated import Simulated

    if key not in _EVALUATORS:
        _EVALUATORS.clear()
        _EVALUATORS[key] = maker(plan, Simulated)
    return timed(_EVALUATORS[key], task)
