"""Words of the file, and names of users as HDF5 can hold them."""
from functools import lru_cache

FORMAT = "robotphi recording"
FORMAT_VERSION = 3   # from 3 on frames are chained by SHA-256, in 2 by BLAKE2b
FRAME_ARRAYS = ("time", "position", "velocity", "rigid_position", "rigid_orientation", "rigid_velocity", "rigid_spin",
                "rigid_momentum")
FRAME_GROUPS = ("ledger", "sensors", "checkpoint")
ENDING = ".vtkhdf"      # by which ParaView knows how to read it

OURS, VTK = "robotphi", "VTKHDF"    # the two groups of the file
PROGRESS = f"{OURS}/progress"       # (1,) frames that are whole
CHAIN = f"{OURS}/chain"             # (f, 32) digest of each frame and of all before it
OPENING, CLOSING = "opening", "closing"   # JSON texts of our group: what is known when a run begins, and when it is over
ROWS, STEPS, SCENE = (f"{OURS}/{name}" for name in ("rows", "steps", "scene"))
DIGEST = 32                         # bytes


@lru_cache(1024)   # a file asks for each of its names some times
def file_name(name):
    """A name as HDF5 can hold it: slashes and points would be read as paths."""
    return name.replace("%", "%25").replace("/", "%2F").replace(".", "%2E").replace("\0", "%00") or "%"


def plain_name(name):
    """The name that `file_name` was given."""
    return "" if name == "%" else name.replace("%00", "\0").replace("%2E", ".").replace("%2F", "/").replace("%25", "%")
