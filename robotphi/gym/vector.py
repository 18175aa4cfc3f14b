"""Several environments at once, each in a process of its own."""
import gymnasium


def side_by_side(make, count):
    """A vector environment of `count` environments `make()`, in as many processes: the same returns as one after another.

    Args:
        make: function without arguments that gives an environment; it is called in each process.
        count: of environments.
    """
    return gymnasium.vector.AsyncVectorEnv([make] * count, context="spawn")
