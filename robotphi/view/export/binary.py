"""A glTF document as it grows: numbers go to a file straight away, what they are stays in memory; both become one .glb.

After the glTF 2.0 specification (Khronos), sections 3.6 (accessors) and 4.4 (binary files).
"""
import json
import shutil
import struct
import tempfile

import numpy as np

from robotphi import __version__
from robotphi.scene.whole_file import whole_file

TYPES = {np.dtype("<f4"): 5126, np.dtype("<u4"): 5125}
WIDTHS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
MAGIC, VERSION, JSON_CHUNK, BIN_CHUNK = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
MOST = 2**32 - 1   # bytes of a .glb


class Document:
    """Scenes, nodes, meshes, materials and animations, as lists of plain values; `numbers` puts arrays behind each other."""

    def __init__(self):
        self.parts = {name: [] for name in ("nodes", "meshes", "materials", "accessors", "bufferViews")}
        self.channels, self.samplers = [], []
        self._file, self._size = tempfile.TemporaryFile(), 0   # noqa: SIM115

    def add(self, part, value):
        """Append to a list; returns its place there."""
        self.parts[part].append(value)
        return len(self.parts[part]) - 1

    def numbers(self, pieces, bounds=False):
        """Append numbers, (k,) or (k, 3 or 4) of one type that come piece by piece; returns the place of their accessor.

        bounds: whether readers are told least and largest, as of positions and times they have to be.
        """
        self._file.write(b"\0" * (-self._size % 4))
        begin = self._size = self._size + -self._size % 4
        count, low, high, form = 0, None, None, None
        for piece in pieces:
            piece = np.ascontiguousarray(piece)
            self._file.write(piece.tobytes())
            self._size, count, form = self._size + piece.nbytes, count + len(piece), piece
            if bounds and len(piece):
                ends = piece.min(axis=0), piece.max(axis=0)
                low, high = ends if low is None else (np.minimum(low, ends[0]), np.maximum(high, ends[1]))
        view = self.add("bufferViews", {"buffer": 0, "byteOffset": begin, "byteLength": self._size - begin})
        told = {"bufferView": view, "componentType": TYPES[form.dtype], "count": count,
                "type": WIDTHS[1 if form.ndim == 1 else form.shape[1]]}
        if bounds:
            told |= {"min": np.atleast_1d(low).tolist(), "max": np.atleast_1d(high).tolist()}
        return self.add("accessors", told)

    def animate(self, node, path, times, pieces):
        """What a node does over time: `times` the place of an accessor, `pieces` of the values."""
        self.samplers.append({"input": times, "output": self.numbers(pieces), "interpolation": "LINEAR"})
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    def write(self, path, roots, name):
        """Write the .glb."""
        whole = {"asset": {"version": "2.0", "generator": f"Robot Φ {__version__}"}, "scene": 0,
                 "scenes": [{"name": name, "nodes": roots}], "buffers": [{"byteLength": self._size}],
                 **{part: values for part, values in self.parts.items() if values}}
        if self.channels:
            whole["animations"] = [{"name": name, "channels": self.channels, "samplers": self.samplers}]
        text = json.dumps(whole, ensure_ascii=False, allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        padding = -self._size % 4
        total = 12 + 8 + len(text) + 8 + self._size + padding
        if total > MOST:
            raise OverflowError(f"{total / 1e9:.3g} GB, and a .glb holds 4.29 GB at most")
        try:
            with whole_file(path) as part, open(part, "wb") as out:
                out.write(struct.pack("<5I", MAGIC, VERSION, total, len(text), JSON_CHUNK) + text)
                out.write(struct.pack("<2I", self._size + padding, BIN_CHUNK))
                self._file.seek(0)
                shutil.copyfileobj(self._file, out, 1 << 20)
                out.write(b"\0" * padding)
        finally:
            self._file.close()
