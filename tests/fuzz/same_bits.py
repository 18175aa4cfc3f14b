"""Runs that must give the same bits: by teams of other sizes, and continued from a frame."""
import numpy as np

from robotphi import SceneError, SimulationDiverged, Simulator

STATE = ("time", "position", "velocity", "rigid_position", "rigid_orientation", "rigid_velocity", "rigid_momentum")


def run(simulator):
    """The recording, also of a run that diverges."""
    try:
        return simulator.run()
    except SimulationDiverged as error:
        return error.recording


def ready(model, threads):
    """A simulator, or None where the start is refused: things that overlap so deeply would burst apart."""
    simulator = Simulator(model, threads=threads)
    try:
        simulator.begin()
    except SceneError:
        return None
    return simulator


def assert_same_bits(one, two, seed, start=0):
    """`two` begins with frame `start` of `one`."""
    for name in STATE:
        np.testing.assert_array_equal(getattr(one, name)[start:], getattr(two, name), err_msg=f"seed {seed}: {name}")
    for name, values in one.ledger.items():
        np.testing.assert_array_equal(values[start:], two.ledger[name], err_msg=f"seed {seed}: {name}")


def assert_threads_do_not_matter(model, seed):
    """Returns whether there was something to compare: the start may be refused."""
    one, two = ready(model, 1), ready(model, 2)
    if one is None or two is None:
        assert one is two
        return False
    assert_same_bits(run(one), run(two), seed)
    return True


def assert_continues(model, seed):
    """From the middle frame as if it had never stopped; returns whether there was one."""
    straight = ready(model, None)
    straight = None if straight is None else run(straight)
    if straight is None or len(straight) < 3:
        return False
    middle = len(straight) // 2
    assert_same_bits(straight, run(Simulator.continued(model, straight, middle)), seed, middle)
    return True
