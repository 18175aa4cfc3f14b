"""Names for what statements hold: handles by name, particles as places of blocks, so that people can read and change a file."""
import numpy as np

from robotphi.language.expressions import escaped
from robotphi.language.refs import ORDERS
from robotphi.scene.blocks import ParticleBlock
from robotphi.scene.handles import KINDS
from robotphi.scene.statements import Handle

MANY = 48          # particles: more are named by a slice, or stand in the file beside it
WHOLE = ("pulled", "towards", "whole_thing")   # kinds of fields that look for objects first


class Names:
    """The names of a scene's things, and the particles of each."""

    def __init__(self, scene):
        self.scene = scene
        self.blocks = [(block.start, block.name) for block in scene.particle_blocks if isinstance(block, ParticleBlock)]
        self.starts = np.array([start for start, _ in self.blocks], int)
        self.counts = {block.name: block.count for block in scene.particle_blocks}

    def handle(self, value, order="things"):
        """The name of a handle; with its kind where the name alone would mean another thing."""
        name = escaped(value.name)
        for pool in ORDERS[order]:
            found = getattr(self.scene, pool).get(value.name)
            if found is not None:
                found = getattr(found, "placed", None) or found
                return name if KINDS.get(type(found)) == value.kind else {value.kind.replace(" ", "_"): name}
        return {value.kind.replace(" ", "_"): name}

    def labelled(self, value, order="things"):
        """(handle, mark), (handle, place of a spring) as a text, None of what is neither."""
        if len(value) != 2 or not isinstance(value[0], Handle) or isinstance(value[1], (Handle, tuple, float, bool)):
            return None
        name, what = self.handle(value[0], order), value[1]
        if isinstance(what, str):
            return f"{name}:{escaped(what)}" if isinstance(name, str) else {next(iter(name)): f"{value[0].name}:{what}"}
        if isinstance(what, (int, np.integer)) and value[0].kind == "springs":
            return f"{name}[{what}]"
        return None

    def of_kind(self, kind, value):
        """How a field of a kind that speaks of things is written, None where its value is written as it is."""
        order = "whole" if kind in WHOLE else "things"
        if isinstance(value, Handle):
            return self.handle(value, order)
        if isinstance(value, tuple) and (label := self.labelled(value, order)) is not None:
            return label
        if kind == "named":
            return [*value] if isinstance(value, tuple) else None
        if kind in ("particles", "target", "pulled", "point", "through", "of", "towards"):
            return self._particles(kind, value)
        return None

    def _particles(self, kind, value):
        if isinstance(value, bool) or value is None:
            return None
        if isinstance(value, int):
            return None if kind == "of" else self.particle(value)
        if isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.size:
            rows = value.reshape(-1)
        elif isinstance(value, tuple) and value and all(type(one) is int for one in value) and kind != "towards":
            rows = np.array(value)
        elif isinstance(value, tuple) and kind in ("through", "pulled", "of"):
            return [self._end(one) for one in value]
        else:
            return None
        if kind == "of":
            return None
        return self.slice(rows) or ([self.particle(int(row)) for row in rows] if len(rows) <= MANY else None)

    def _end(self, one):
        if isinstance(one, Handle):
            return self.handle(one)
        if isinstance(one, tuple):
            return self.labelled(one)
        return self.particle(int(one)) if isinstance(one, (int, np.integer)) else one

    def particle(self, row):
        """A particle as a place of its block."""
        start, name = self._block(row)
        return f"{escaped(name)}[{row - start}]" if name is not None else row

    def _block(self, row):
        place = int(np.searchsorted(self.starts, row, side="right")) - 1
        if place < 0:
            return 0, None
        start, name = self.blocks[place]
        told = self.scene._handles.get(name)
        flat = told is None or getattr(told, "particles", np.empty(0)).ndim == 1
        inside = name in self.scene.things and isinstance(self.scene.things[name], ParticleBlock) and row - start < self.counts[name]
        return (start, name) if inside and flat and name not in self.scene.objects else (start, None)

    def slice(self, rows):
        """Several particles of one block that go on evenly, as name[first:end:step]; None of others."""
        start, name = self._block(int(rows[0]))
        if name is None or len(rows) < 2:
            return None
        steps = np.diff(rows)
        last = int(rows[-1]) - start
        if steps[0] <= 0 or (steps != steps[0]).any() or not last < self.counts[name]:
            return None
        first, step, count = int(rows[0]) - start, int(steps[0]), self.counts[name]
        begin, end = ("" if first == 0 else str(first)), ("" if last == count - 1 and step == 1 else str(last + 1))
        return escaped(name) if (begin, end, step) == ("", "", 1) else f"{escaped(name)}[{begin}:{end}{f':{step}' if step > 1 else ''}]"
