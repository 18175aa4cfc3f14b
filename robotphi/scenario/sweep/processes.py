"""Processes that answer tasks: each takes the next when it has done one, and stays for further ones.

A task whose process dies is given to a new one, as often as may be tried; then nobody has an answer.
"""
import signal
import sys
from multiprocessing import get_context
from multiprocessing.connection import wait

PATIENCE = 10.0   # s for a process to end


class Processes:
    """So many processes, begun when there is something for them to do.

    Args:
        count: of them.
        life: what each does with its end of a pipe, see `serve`.
        given: what each is told first.
        tries: processes that a task may kill.
    """

    def __init__(self, count, life, *given, tries=1):
        self._context, self._life, self._given, self._tries = get_context("spawn"), life, given, tries
        self._count, self._free, self._busy = count, [], {}

    def answers(self, tasks, order=None):
        """Yields (place of a task, its answer) as they come; None for an answer where its processes died.

        `order`: places of tasks, in which they are begun; as they are unless told.
        """
        waiting = [(int(place), 1) for place in (range(len(tasks)) if order is None else order)][::-1]
        while waiting or self._busy:
            while waiting and len(self._busy) < self._count:
                self._give(*waiting.pop(), tasks)
            for pipe in wait(list(self._busy)):
                place, attempt, process = self._busy.pop(pipe)
                try:
                    answer = pipe.recv()
                except (EOFError, ConnectionError):   # it was killed
                    _end(pipe, process)
                    if attempt < self._tries:
                        waiting.append((place, attempt + 1))
                        continue
                    answer = None
                else:
                    self._free.append((pipe, process))
                yield place, answer

    def _give(self, place, attempt, tasks):
        while True:
            pipe, process = self._free.pop() if self._free else self._begin()
            try:
                pipe.send(tasks[place])
            except ConnectionError:   # it was killed while it was idle
                _end(pipe, process)
                continue
            self._busy[pipe] = place, attempt, process
            return

    def _begin(self):
        pipe, other = self._context.Pipe()
        process = self._context.Process(target=self._life, args=(other,), daemon=True)
        process.start()
        other.close()
        for each in self._given:
            pipe.send(each)
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


def serve(pipe, begin):
    """Life of a process: tasks come through the pipe, answers go back. It ends when nobody is at the other end.

    Ctrl-C reaches it too, but whoever asked for its answers knows; what tasks print is no part of any answer.

    Args:
        begin: given what takes the next thing from the pipe, gives the function that answers a task.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
    try:
        answer = begin(pipe.recv)
        while True:
            pipe.send(answer(pipe.recv()))
    except (EOFError, ConnectionError):
        return
