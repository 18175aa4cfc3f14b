"""What a call costs in lines of Python: the same on every machine, whatever else it does meanwhile."""
import gc
import sys


def python_lines(call):
    """How many lines of Python a call runs, each counted as often as it is run; compiled code counts as nothing.

    A loop over particles makes them grow as the particles, one over pairs as their square; work in arrays leaves them alone.
    """
    count = 0

    def see(frame, event, value):
        nonlocal count
        count += event == "line"
        return see

    before, collects = sys.gettrace(), gc.isenabled()
    gc.collect()   # what others threw away would be finalised whenever it happens to be found, line by line
    gc.disable()
    sys.settrace(see)
    try:
        call()
    finally:
        sys.settrace(before)
        if collects:
            gc.enable()
    return count
