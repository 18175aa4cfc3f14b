"""The seal at the end of a file, and the bytes that are put aside while the file is finished.

The seal is a digest of all but the arrays of frames: of these the large ones have their chain, the others a digest each, by
which they are told by name. So a flipped bit is told, and HDF5, which may hang or crash on damaged files, never sees it. A file
without a seal, such as one that was edited or is being written, is read as it is.

Finishing changes what HDF5 keeps of names and places, here and there in the file. Before that, all of it is put aside, so that
what is cut off then can be undone.
"""
import hashlib
import json
import os
import struct
from contextlib import suppress

from robotphi.record.files.names import DIGEST

MARK = b"robotphi blake2b"  # at the very end, behind the digest and the length of what the seal says
TAIL = struct.Struct(f"<{DIGEST}sQ{len(MARK)}s")
HEAD, HDF5 = struct.Struct("<8sB31xQ"), b"\x89HDF\r\n\x1a\n"   # of the form of HDF5 that we write: where the file ends
LARGE = 1 << 16             # bytes: arrays of frames below are in the seal itself
BLOCK = 1 << 20


class Changed(ValueError):
    """Arrays of frames are not those that were written; names and places in their file are."""


def write_seal(path, chained=(), own=()):
    """Seal a file.

    Args:
        chained: (byte, size) of what is left out.
        own: (byte, size, name) of arrays that have a digest of their own, so that they can be told by name.
    """
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        told = json.dumps(sorted([*chained, *((*place, _of(file, *place[:2]).hex()) for place in own)])).encode()
        digest = _digest(file, size, [*chained, *(place[:2] for place in own)], told)
        file.seek(size)
        file.write(told + TAIL.pack(digest, len(told), MARK))
        file.flush()
        os.fsync(file.fileno())


def check_seal(path):
    """Refuse a file that is not what was written; whether it has a seal at all."""
    wrong = wrong_arrays(path)
    if wrong:
        raise ValueError(f"the bytes of {wrong[0]} are not those that were written")
    return wrong is not None


def wrong_arrays(path):
    """Names of arrays whose bytes are not those that were written; None where a file has no seal.

    ValueError where what is changed has no name: names, places, texts.
    """
    with open(path, "rb") as file:
        whole, head = os.fstat(file.fileno()).st_size, file.read(HEAD.size)
        if whole < TAIL.size:
            return None
        file.seek(whole - TAIL.size)
        digest, length, mark = TAIL.unpack(file.read(TAIL.size))
        if mark != MARK:
            begin, version, end = HEAD.unpack(head)
            if (begin, version) == (HDF5, 0) and whole > end:   # what a program edits and closes ends where HDF5 says
                raise ValueError("it was cut short within its seal")
            return None
        size = whole - TAIL.size - length
        if size < 0 or length > BLOCK:
            raise ValueError("its bytes are not those that were written")
        file.seek(size)
        told = file.read(length)
        try:
            known = [(int(byte), int(size), *map(str, more)) for byte, size, *more in json.loads(told)]
        except (ValueError, TypeError):
            known = None
        if known is None or _digest(file, size, [place[:2] for place in known], told) != digest:
            raise ValueError("its bytes are not those that were written")
        return [name for byte, size, name, own in (each for each in known if len(each) == 4)
                if _of(file, byte, size).hex() != own]


def _of(file, byte, size):
    """The digest of a piece of a file."""
    return _digest(file, byte + size, [(0, byte)], b"")


def _digest(file, size, large, told):
    found = hashlib.blake2b(told, digest_size=DIGEST)
    for begin, end in _between(size, large):
        file.seek(begin)
        while begin < end and (block := file.read(min(BLOCK, end - begin))):
            found.update(block)
            begin += len(block)
    return found.digest()


def _between(size, large):
    """Pieces of a file of `size` bytes that none of the large arrays takes."""
    begin = 0
    for byte, taken in sorted(large):
        if byte > begin:
            yield begin, min(byte, size)
        begin = max(begin, byte + taken)
    if begin < size:
        yield begin, size


def put_aside(path, aside, large):
    """Copy all but the large arrays to the file `aside`, which is there once it is whole."""
    size, part = os.path.getsize(path), aside.with_name(aside.name + ".part")
    pieces = list(_between(size, large))
    with open(path, "rb") as file, open(part, "wb") as out:
        told = json.dumps([size, pieces]).encode()
        out.write(struct.pack("<Q", len(told)) + told)
        for begin, end in pieces:
            file.seek(begin)
            out.write(file.read(end - begin))
        out.flush()
        os.fsync(out.fileno())
    os.replace(part, aside)


def put_back(path, aside):
    """Undo what was done to a file since `put_aside`."""
    with open(aside, "rb") as kept, open(path, "r+b") as file:
        size, pieces = json.loads(kept.read(*struct.unpack("<Q", kept.read(8))))
        for begin, end in pieces:
            file.seek(begin)
            file.write(kept.read(end - begin))
        file.truncate(size)
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileNotFoundError):
        os.remove(aside)
