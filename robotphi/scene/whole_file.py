"""Files that are there as a whole or not at all."""
import os
from contextlib import contextmanager, suppress


@contextmanager
def whole_file(path):
    """A path beside another one, whose place it takes when all is written; what goes wrong leaves there what was there before.

    Nobody reads half a file so, and a full disk costs nobody the one that was to be replaced.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        yield part
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
