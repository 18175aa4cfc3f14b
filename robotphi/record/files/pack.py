"""Packed copies: every byte of a finished recording, in less room; HDF5 unpacks what VTK and we read.

Arrays become chunks of whole rows whose bytes are sorted by their place in a number and deflated: filters that every HDF5 has.
Frames keep their digests. Of such a file is read what is asked for (`packed`); `Recording.save` unpacks it.
"""
import os

import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.files.finish import ASIDE
from robotphi.record.files.make import NEW, beside, check_form, check_target, remove
from robotphi.record.files.names import CLOSING, OURS
from robotphi.record.files.seal import check_seal, write_seal

CHUNK = 1 << 18   # bytes of a chunk
SMALL = 1 << 12   # bytes of arrays that stay as they are
LEVEL = 4         # of deflating; higher ones gain a hundredth and take twice as long


def pack(path, packed):
    """Write the packed copy of a recording; returns (bytes before, bytes now)."""
    import h5py

    check_target(packed)
    if packed.exists() and packed.samefile(path):
        raise RecordingError(f"{packed} is the recording itself; name another file")
    if not beside(path, ASIDE).exists():
        check_form(path)
    if beside(path, ASIDE).exists() or not check_seal(path):
        raise RecordingError(f"{path} is not finished, or was changed by another program; robotphi repair finishes one that "
                             "was cut off, Recording.load(…).save(…) seals one anew")
    made = beside(packed, NEW)
    try:
        with h5py.File(path, "r") as file, h5py.File(made, "w", libver="earliest") as out:
            if CLOSING not in file.get(OURS, ()):
                raise RecordingError(f"{path} is a file of an earlier version; Recording.load(…).save(…) makes one of now")
            _copy(file, out, {})
        write_seal(made, [])
        os.replace(made, packed)
    except OSError as error:
        told = os.strerror(error.errno) if error.errno else error   # HDF5 says at length where it was
        raise RecordingError(f"cannot write {packed}: {told}") from error
    finally:
        remove(made)
    return path.stat().st_size, packed.stat().st_size


def _copy(group, out, copied):
    """A group with all that is in it; `copied`: where what has several names lies already."""
    import h5py

    for name, value in group.attrs.items():
        out.attrs.create(name, value, dtype=group.attrs.get_id(name).dtype)
    for name, member in group.items():
        own = h5py.h5o.get_info(member.id).addr
        if isinstance(member, h5py.Group):
            _copy(member, out.create_group(name), copied)
        elif own in copied:
            out[name] = copied[own]
        elif member.shape == () or member.nbytes <= SMALL:
            group.copy(member, out, name)
            copied[own] = out[name]
        else:
            copied[own] = _copy_rows(member, out, name)


def _copy_rows(data, out, name):
    each = max(1, CHUNK // max(data.dtype.itemsize * int(np.prod(data.shape[1:])), 1))
    rows = min(each, len(data))
    made = out.create_dataset(name, data.shape, data.dtype, chunks=(rows, *data.shape[1:]), compression="gzip",
                              compression_opts=LEVEL, shuffle=True)
    for begin in range(0, len(data), rows):
        made[begin:begin + rows] = data[begin:begin + rows]
    return made
