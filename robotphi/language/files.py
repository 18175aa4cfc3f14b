"""Files beside a scene: where they may stand, and the arrays in them."""
import math
import zipfile
from pathlib import Path

import numpy as np

from robotphi.language.nodes import fail, text_at
from robotphi.language.refs import index_in
from robotphi.language.scope import nearest, worked_out

MOST_CHANGED = 10**6   # of an array that is written out
MOST_ENTRIES = 2**25   # of an array, 256 MiB of float64
TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64")


class Files:
    """What a scene file may read: all in its own folder, and in those that were allowed.

    Attributes:
        folders: resolved paths.
    """

    def __init__(self, path, allow=()):
        self.folders = [Path(folder).resolve() for folder in (Path(path).parent, *allow)]
        self.arrays = {}

    def path(self, node, text):
        """The path that a text of a file means, from the folder of that file."""
        try:
            found = (Path(node.file).parent / text).resolve()
            inside = any(found.is_relative_to(folder) for folder in self.folders)
            there = inside and found.is_file()
        except (OSError, ValueError, RuntimeError) as error:
            return fail(node, f"{text!r:.80} is no path ({error})", "give the name of a file beside the scene")
        if not inside:
            fail(node, f"{text!r:.80} is outside the folder of the scene", f"put it into {self.folders[0]}, or "
                                                                           "allow its folder by --allow FOLDER")
        if not there:
            fail(node, f"there is no file {text!r:.80} beside the scene", f"it would be {found}")
        return found

    def array(self, node, context):
        """{file: arrays.npz#name, axes: […]}: an array of numbers."""
        self._only(node, ("file", "axes"))
        text = worked_out(node.value["file"], context)
        if not isinstance(text, str):
            fail(node.value["file"], "file is no text", "give file: arrays.npz#name")
        if text not in self.arrays:
            self.arrays[text] = self._read(node.value["file"], text)
        found = self.arrays[text]
        if "axes" in node.value:
            axes = [each.value for each in node.value["axes"].value] if node.value["axes"].is_list else None
            if axes is None or sorted(axes, key=repr) != list(range(found.ndim)):
                fail(node.value["axes"], f"axes are {node.value['axes'].told()}",
                     f"give each of {list(range(found.ndim))} once, in the order in which they lie in memory")
            found = found.transpose(np.argsort(axes))
        return found

    def _read(self, node, text):
        name, _, member = text.partition("#")
        path = self.path(node, name)
        try:
            with zipfile.ZipFile(path) as archive:
                members = [each.removesuffix(".npy") for each in archive.namelist()]
                if member not in members:
                    fail(node, f"{name} has no array {member!r}", f"give {name}#name; {nearest(member, members)}")
                with archive.open(f"{member}.npy") as file:
                    version = np.lib.format.read_magic(file)
                    header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
                    shape, _, kind = header[version](file)
                if kind.name not in TYPES or math.prod(shape) > MOST_ENTRIES:
                    fail(node, f"{member!r} has {math.prod(shape):,} entries of {kind}",
                         f"give at most {MOST_ENTRIES:,} numbers")
                with archive.open(f"{member}.npy") as file:
                    found = np.lib.format.read_array(file, allow_pickle=False)
        except (OSError, ValueError, KeyError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile) as error:
            if isinstance(error, OSError) and not error.strerror:
                error = "it is damaged"
            return fail(node, f"{name} cannot be read as arrays ({error})", "write it by numpy.savez(file, name=array)")
        found.flags.writeable = False
        return found

    def one_for_all(self, node, context):
        """{all: 0.5, shape: [10, 3], but: {"0, :": 0}, type: float64}: one number or text in all places, others in some."""
        self._only(node, ("all", "shape", "but", "type"))
        value, shape = worked_out(node.value["all"], context), node.value.get("shape", node)
        sizes = [worked_out(each, context) for each in shape.value] if shape.is_list else [worked_out(shape, context)] \
            if not shape.is_map else [None]
        if not all(type(size) is int and size >= 0 for size in sizes) or math.prod(sizes) > MOST_ENTRIES or len(sizes) > 8:
            fail(shape, f"the shape is {sizes!s:.50}", f"give whole numbers, such as [10, 3], at most {MOST_ENTRIES} entries")
        if not isinstance(value, (bool, int, float, str)):
            fail(node.value["all"], f"{node.value['all'].told()} is no number and no text", "give one")
        kind = worked_out(node.value["type"], context) if "type" in node.value else None
        if kind is not None and kind not in TYPES:
            fail(node.value["type"], f"type is {kind!r:.40}", f"one of {', '.join(TYPES)}")
        try:
            found = np.broadcast_to(np.array(value, object if isinstance(value, str) else kind), sizes)
        except (OverflowError, ValueError) as error:
            return fail(node.value["all"], f"{value!r:.40} is no {kind} ({error})")
        return self._but(node.value["but"], found, context) if "but" in node.value else found

    @staticmethod
    def _but(node, array, context):
        """The array with other values in some places."""
        if not node.is_map or array.size > MOST_CHANGED:
            fail(node, f"but is {node.told()} of {array.size:,}", f'give {{"0, :": value}} of {MOST_CHANGED} entries at most')
        values = {place: worked_out(each, context) for place, each in node.value.items()}
        for place, value in values.items():
            if isinstance(value, str) != (array.dtype == object) or not isinstance(value, (bool, int, float, str)):
                fail(node.value[place], f"{node.value[place].told()} among {array.dtype if array.dtype != object else 'texts'}")
        real = any(isinstance(value, float) for value in values.values()) and array.dtype.kind in "iu"
        array = array.astype(float if real else array.dtype)
        for place, value in values.items():
            where = worked_out(text_at(node.key(place), place), context)
            if type(where) not in (int, str):
                fail(node.key(place), f"[{place}] is no place", 'give such as "3" or "0, :"')
            try:
                array[index_in(node.key(place), str(where))] = value
            except (IndexError, OverflowError, ValueError) as error:
                fail(node.key(place), f"[{place}] is outside {array.shape} ({error})", "places are counted from 0")
        return array

    @staticmethod
    def _only(node, known):
        for name in node.value:
            if name not in known:
                fail(node.key(name), f"an array has no {name!r}", nearest(name, list(known)))
