"""Memory that the frames of a run will take: told before the run where it is much, refused where it is not there."""
import os
from math import floor

from robotphi.errors import RecordingError

MUCH = 0.5      # of the free memory: what is told


def free_memory():
    """Bytes of memory that are free or can be freed; infinite where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return float("inf")


def told_room(scene, frame_bytes, frames):
    """Sentences about what a recording of so many frames will take, none where that is little."""
    wanted, free = frame_bytes * frames, free_memory()
    if not wanted > MUCH * free:
        return []
    return [f"the recording of {frames} frames will take {readable(wanted)}, and {readable(free)} of memory are free; "
            f"{_fewer(scene, frame_bytes, free)}"]


def check_room(scene, frame_bytes, frames, kept):
    """Refuse a run whose frames do not fit into memory; `kept` of them are there already."""
    wanted, free = frame_bytes * (frames - kept), free_memory()
    if wanted > free:
        raise RecordingError(f"scene {scene.name!r}: the recording of {frames} frames, {readable(frame_bytes)} each, would "
                             f"take {readable(wanted)}, and {readable(free)} of memory are free; "
                             f"{_fewer(scene, frame_bytes, free)}")


def _fewer(scene, frame_bytes, free):
    """Advice with the number of frames that takes half of what is free."""
    fitting = floor(MUCH * free / frame_bytes) - 1
    if fitting < 1:
        return "use fewer particles, or a machine with more memory"
    return (f"frames={rounded_down(fitting)} in place of {scene.frames} would take half of that, a shorter run with until=… "
            "fewer")


def rounded_down(count):
    """A whole number of two digits and zeros, never upwards."""
    unit = 10 ** max(len(str(count)) - 2, 0)
    return count // unit * unit


def readable(count):
    """Bytes for people."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.3g} {unit}"
        count /= 1024
    return ""
