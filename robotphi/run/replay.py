"""A recording simulated again, from where it began, by the commands that it tells of."""
from robotphi.record.choice import Choice, chosen, kept
from robotphi.record.compare import first_difference
from robotphi.run.simulator import Simulator


def replay(recording, threads=None, damaged=False, progress=None):
    """((frame, array) of the first bytes that differ from a recording simulated again, or None; whether it began elsewhere).

    What was settled, placed or gone on with before it was recorded begins with its own first frame, not as its scene says.

    Args:
        recording: to be simulated again.
        threads: as for any simulator.
        damaged: whether its bytes are known to be others than those that were written: its first frame says nothing then, and
            ledger and sensors are compared as well.
        progress: as `Simulator.run` takes it.
    """
    moved = bool(recording.time[0] > 0.0) or (not damaged and _begins_elsewhere(recording, threads))
    again = _at_the_start(recording, threads, moved).run(until=float(recording.time[-1]), progress=progress)
    return first_difference(recording, _as_kept(again, recording), damaged, int(moved)), moved


def _begins_elsewhere(recording, threads):
    """Whether the first frame is another one than that of the scene."""
    simulator = _at_the_start(recording, threads, False)
    simulator.begin()
    found = first_difference(recording, _as_kept(simulator.recording(), recording))
    return found is not None and found[0] == 0


def _at_the_start(recording, threads, moved):
    """A simulator at the first frame, to which the commands of the recording are given again where there were any."""
    if recording.commands:
        return Simulator.replayed(recording, threads, moved)
    return Simulator.continued(recording.model, recording, 0, threads) if moved else Simulator(recording.model, threads)


def _as_kept(again, recording):
    """What a recording was told to keep of it."""
    return again if kept(recording) == Choice() else chosen(again, kept(recording))
