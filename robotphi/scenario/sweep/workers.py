"""Who runs the points of a sweep: this process, processes of its own, or the workers of a Dask scheduler.

Each of them is a generator of (place of the task, row) in the order in which points are over.
"""
import signal
import sys
from multiprocessing import get_context
from multiprocessing.connection import wait

from robotphi.errors import ScenarioError
from robotphi.scenario.sweep.point import run_point

PATIENCE = 10.0   # s for a scheduler to answer, and for a worker to end its step when it is to stop
LOST = {"status": "worker lost", "error": "the process that ran it is gone", "figures": {}, "key": ""}


def here(tasks):
    """One after the other, in this process."""
    for place, task in enumerate(tasks):
        yield place, run_point(task)


def in_processes(tasks, count):
    """By so many processes, each of which takes the next point when it has done one."""
    context, waiting, busy = get_context("spawn"), list(enumerate(tasks))[::-1], {}
    try:
        while waiting or busy:
            while waiting and len(busy) < count:
                _begin(context, busy, waiting.pop())
            for pipe in wait(list(busy)):
                place, process = busy.pop(pipe)
                try:
                    row = pipe.recv()
                except (EOFError, ConnectionError):   # it was killed
                    pipe.close()
                    process.join(PATIENCE)
                    yield place, dict(LOST)
                    continue
                if waiting:
                    after = waiting.pop()
                    pipe.send(after[1])
                    busy[pipe] = after[0], process
                else:
                    _end(pipe, process)
                yield place, row
    finally:
        for _, process in busy.values():
            process.terminate()
        for pipe, (_, process) in busy.items():
            _end(pipe, process)


def _begin(context, busy, task):
    """A new process, and its first point."""
    pipe, other = context.Pipe()
    process = context.Process(target=_serve, args=(other,), daemon=True)
    process.start()
    other.close()
    pipe.send(task[1])
    busy[pipe] = task[0], process


def _end(pipe, process):
    pipe.close()
    process.join(PATIENCE)
    if process.is_alive():
        process.kill()


def _serve(pipe):
    """Life of a process: points come through the pipe, rows go back. It ends when nobody is at the other end.

    Ctrl-C reaches it too: a run stops at once, whoever asked for it knows; what scenarios print is no part of any answer.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
    try:
        while True:
            pipe.send(run_point(pipe.recv()))
    except (EOFError, ConnectionError):
        return


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
