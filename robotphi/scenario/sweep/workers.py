"""Who runs the points of a sweep: this process, processes of its own, or the workers of a Dask scheduler.

Each of them is a generator of (place of the task, row) in the order in which points are over.
"""
from robotphi.errors import ScenarioError
from robotphi.scenario.sweep.point import run_point
from robotphi.scenario.sweep.processes import PATIENCE, Processes, serve

LOST = {"status": "worker lost", "error": "the process that ran it is gone", "figures": {}, "key": ""}


def here(tasks):
    """One after the other, in this process."""
    for place, task in enumerate(tasks):
        yield place, run_point(task)


def in_processes(tasks, count):
    """By so many processes, each of which takes the next point when it has done one."""
    processes = Processes(count, _life)
    try:
        for place, row in processes.answers(tasks):
            yield place, dict(LOST) if row is None else row
    finally:
        processes.close()


def _life(pipe):
    serve(pipe, lambda _: run_point)


def on_cluster(tasks, address):
    """By the workers of a Dask scheduler; they need this package and, for files, the same paths."""
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise ScenarioError("--cluster needs dask.distributed, which is not installed: pip install '.[cluster]', or use "
                            "--workers N") from None
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ScenarioError(f"no Dask scheduler answers at {address!r}: {error}; start one by `dask scheduler`, and workers by "
                            "`dask worker ADDRESS --nthreads 1`") from None
    try:
        places = {client.submit(run_point, task, pure=False): place for place, task in enumerate(tasks)}
        for future in as_completed(places, loop=client.loop):
            yield places[future], future.result() if future.status == "finished" else dict(LOST)
    finally:
        client.close()
