"""Several environments at once, each in a process of its own."""
import gymnasium

from robotphi.scene.checks import refuse, whole

MOST = 1000   # processes


def side_by_side(make, count):
    """A vector environment of `count` environments `make()`, in as many processes: the same returns as one after another.

    Args:
        make: function without arguments that gives an environment; it is called in each process.
        count: of environments.
    """
    if not callable(make):
        refuse("side_by_side", f"make is {make!r:.60}", "give a function without arguments that gives an environment")
    count = whole("side_by_side", "count", count, high=MOST)
    return gymnasium.vector.AsyncVectorEnv([make] * count, context="spawn")
