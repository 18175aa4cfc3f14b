"""Names for what statements hold: handles by name, particles as places of blocks, so that people can read and change a file."""
import numpy as np

from robotphi.language.expressions import escaped
from robotphi.language.refs import ORDERS
from robotphi.scene.handles import KINDS
from robotphi.scene.statements import Handle

MANY = 48          # particles: more are named by a slice, or stand in the file beside it
WHOLE = ("pulled", "towards", "whole_thing")   # kinds of fields that look for objects first
OF_PARTICLES = ("particles", "target", "pulled", "point", "through", "towards")


class Names:
    """The names of a scene's things, and the particles of each."""

    def __init__(self, scene):
        self.scene = scene
        self.blocks = [block.name for block in scene.particle_blocks]
        self.starts = np.array([block.start for block in scene.particle_blocks], int)
        self.found = {}   # name → its particles, as a selector chooses among them

    def handle(self, value, order="things"):
        """The name of a handle; with its kind where the name alone would mean another thing."""
        for pool in ORDERS[order]:
            found = getattr(self.scene, pool).get(value.name)
            if found is not None:
                found = getattr(found, "placed", None) or found
                if KINDS.get(type(found)) == value.kind:
                    return escaped(value.name)
                break
        return {value.kind.replace(" ", "_"): escaped(value.name)}

    def labelled(self, value, order="things"):
        """(handle, mark) or (springs, place) as a text, None of what is neither."""
        if len(value) == 2 and isinstance(value[0], str):
            value = self._marked(*value) or ()
        if len(value) != 2 or not isinstance(value[0], Handle) or isinstance(value[1], (Handle, tuple, float, bool)):
            return None
        name, what = self.handle(value[0], order), value[1]
        if isinstance(what, str):
            label = escaped(f"{value[0].name}:{what}")
            return label if isinstance(name, str) else {next(iter(name)): label}
        if isinstance(what, (int, np.integer)) and value[0].kind == "springs" and isinstance(name, str):
            return f"{name}[{what}]"
        return None

    def _marked(self, name, mark):
        """(handle, mark) of a mark by two words, as verbs take them for objects before all else; None of other words."""
        placed = self.scene.objects.get(name)
        if not isinstance(mark, str) or mark in self.scene.things:
            return None
        if placed is not None:
            return (Handle("object", name), mark) if mark in placed.object.regions else None
        return (Handle("rigid", name), mark) if f"{name}.{mark}" in self.scene.things else None

    def of_kind(self, kind, value):
        """How a field of a kind that speaks of things is written, None where its value is written as it is."""
        order = "whole" if kind in WHOLE else "things"
        if isinstance(value, Handle):
            return self.handle(value, order)
        if isinstance(value, tuple) and not isinstance(value, Handle) and (label := self.labelled(value, order)) is not None:
            return label
        if kind in OF_PARTICLES and not isinstance(value, (bool, float, str, type(None))):
            return self._particles(kind, value)
        return None

    def _particles(self, kind, value):
        if isinstance(value, int):
            return self.particle(value)
        if isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.size:
            rows = value.reshape(-1)
        elif isinstance(value, tuple) and value and all(type(one) is int for one in value) and kind != "towards":
            rows = np.array(value)
        elif isinstance(value, tuple) and kind in ("through", "pulled"):
            return [self._end(one) for one in value]
        else:
            return None
        told = self.slice(rows, whole="" if kind == "particles" else "[:]")   # elsewhere the bare name is the thing itself
        return [self.particle(int(row)) for row in rows] if told is None and len(rows) <= MANY else told

    def _end(self, one):
        if isinstance(one, Handle):
            return self.handle(one)
        if isinstance(one, tuple):
            return self.labelled(one)
        return self.particle(int(one)) if isinstance(one, (int, np.integer)) else one

    def particle(self, row):
        """A particle as a place of what has it, such as cloth[8, 6]; its number where nothing that has a name does."""
        name, rows, place = self._place(row)
        if name is None:
            return row
        return f"{escaped(name)}[{', '.join(map(str, np.unravel_index(place, rows.shape)))}]"

    def _place(self, row):
        """(name, its particles, where among them a particle is), name None where it has none."""
        block = self.blocks[int(np.searchsorted(self.starts, row, side="right")) - 1] if 0 <= row < self.scene.particle_count \
            else None
        for name in (block, str(block).rpartition(".")[0]):   # of an object with rigid parts the blocks are object.part
            rows = self._rows(name)
            places = np.flatnonzero(rows.reshape(-1) == row)
            if len(places):
                return name, rows, int(places[0])
        return None, None, None

    def _rows(self, name):
        if name not in self.found:
            pools = [getattr(self.scene, pool) for pool in ORDERS["whole"]]
            found = next((pool[name] for pool in pools if name in pool), None)
            found = getattr(found, "placed", None) or found
            rows = getattr(found, "particles", getattr(found, "indices", None))
            has = isinstance(rows, np.ndarray) and KINDS.get(type(found)) in ("rigid", "particles", "rod", "grid", "object")
            self.found[name] = rows if has else np.empty(0, int)
        return self.found[name]

    def slice(self, rows, whole=""):
        """Several particles of one thing that go on evenly, as name[first:end:step]; None of others."""
        name, known, first = self._place(int(rows[0]))
        if name is None or known.ndim > 1 or len(rows) < 2:
            return None
        last = np.flatnonzero(known == rows[-1])
        step = (int(last[0]) - first) // (len(rows) - 1) if len(last) else 0
        if step < 1 or not np.array_equal(known[first:last[0] + 1:step], rows):
            return None
        if (first, step, len(rows)) == (0, 1, len(known)):
            return escaped(name) + whole
        end = "" if last[0] == len(known) - 1 and step == 1 else last[0] + 1
        return f"{escaped(name)}[{first or ''}:{end}{f':{step}' if step > 1 else ''}]"
