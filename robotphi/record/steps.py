"""The history of steps in 13 bytes a row, in memory and in files.

Of the instant of a step six of eight bytes are kept: the upper two rise by one where these start anew, and the few rows where
they do otherwise are listed, so that the instant is exact. The step itself is rounded to single precision, within 6·10⁻⁸ of it,
what it left unexplained to its first eight bits, within 0.4 %: nothing that goes on from there needs either. Its limit and the
cause of that are one byte, the place of both in a list of those that have come; what finds no room there keeps its limit alone.
"""
from collections.abc import Mapping

import numpy as np

from robotphi.kernels.step.codes import LIMITS
from robotphi.record.rows import Rows

STEP_ROWS = 2**20    # rows that are kept; beyond, every second row goes and later steps are thinned alike
STEP_ARRAYS = {"time": float, "dt": float, "residual": float, "limit": np.int32, "cause": np.int64}
PACKED = {"time": ((3,), "<u2"), "dt": ((), "<f4"), "residual": ((), "<u2"), "what": ((), "|u1")}
LISTS = {"jumps": ((2,), "<i8"), "pairs": ((2,), "<i8")}   # (row, upper bytes) of times; (limit, cause) of `what`
LOGGED = {"power": ((), "|u1"), "time": ((), "<f8"), **{name: PACKED[name] for name in ("dt", "residual", "what")}}
PAIRS_LOGGED = {"limit": ((), "<i8"), "cause": ((), "<i8")}
NO_JUMPS = np.empty((0, 2), np.int64)
MOST_PAIRS = 256     # that a byte tells apart
LARGEST = (2.0 - 2.0**-7) * 2.0**127   # that sixteen bits tell: what runs away from its balance leaves more
LIMIT_ROOM = 2**15   # limits that a key tells apart, (cause, limit) as one number


class Steps(Mapping):
    """Name → array, made where it is asked for: `time` [s], `dt` [s], `residual` [J], `limit`, `cause`.

    Attributes:
        packed: name → array of what is kept, see `PACKED` and `LISTS`.
    """

    def __init__(self, packed):
        self.packed = dict(packed)
        for values in self.packed.values():
            values.setflags(write=False)

    @classmethod
    def of(cls, columns):
        """The same of arrays, of which those that lack are nothing."""
        history, count = History(), len(columns.get("time", ()))
        history.rows = max(count, 1)
        history.add(*(columns.get(name, np.zeros(count)) for name in STEP_ARRAYS))
        return history.steps()

    def __len__(self):
        return len(STEP_ARRAYS)

    def __iter__(self):
        return iter(STEP_ARRAYS)

    def __getitem__(self, name):
        packed = self.packed
        if name == "time":
            found = unpacked_times(packed["time"], packed["jumps"])
        elif name == "dt":
            found = packed["dt"].astype(float)
        elif name == "residual":
            found = (packed["residual"].astype("<u4") << 16).view("<f4").astype(float)
        else:
            found = packed["pairs"][packed["what"], ["limit", "cause"].index(name)].astype(STEP_ARRAYS[name])
        found.setflags(write=False)
        return found


def unpacked_times(low, jumps):
    """(k,) s, exact, of the lower bytes of each and the rows whose upper ones do not follow from the row before."""
    whole = np.zeros((len(low), 4), "<u2")
    whole[:, :3] = low
    bits = whole.reshape(-1).view("<u8")
    risen = np.cumsum(np.concatenate([[0], bits[1:] < bits[:-1]])) if len(bits) else np.empty(0, int)
    rows, upper = jumps[:, 0], jumps[:, 1]
    high = risen + np.repeat(upper - risen[rows], np.diff(rows, append=len(bits)))
    whole[:, 3] = high
    return whole.reshape(-1).view("<f8")


def packed_times(times, before=None):
    """(lower bytes, jumps) of times; `before`: the one in front of them, if there is one."""
    told = np.concatenate([[] if before is None else [before], times]).astype("<f8")
    bits = told.view("<u8")
    low, high = bits & np.uint64(2**48 - 1), (bits >> np.uint64(48)).astype(np.int64)
    rows = np.flatnonzero(high[1:] != high[:-1] + (low[1:] < low[:-1])) + 1
    if before is None and len(told):
        rows = np.concatenate([[0], rows])
    begin = len(told) - len(times)
    return bits.view("<u2").reshape(-1, 4)[begin:, :3], np.stack([rows - begin, high[rows]], axis=1)


def first_bits(values):
    """The first sixteen bits of single precision, rounded, (k,) uint16; what is finite stays so."""
    values = np.asarray(values, float)
    bits = np.where(np.isinf(values), values, np.clip(values, -LARGEST, LARGEST)).astype("<f4").view("<u4")
    return ((bits + np.uint32(0x7FFF) + ((bits >> 16) & 1)) >> 16).astype("<u2")


class History:
    """Accepted steps as they come. Long histories are thinned by powers of two, evenly over the run.

    Attributes:
        stride: steps for which a row stands; `seen`: steps that were told.
    """

    def __init__(self, rows=STEP_ROWS):
        self.rows = rows
        self.restart(keep=True)

    def restart(self, keep):
        """No step yet; `keep`: what there is belongs to somebody, and stays as it is."""
        self.stride, self.seen, self._skip = 1, 0, 0   # `_skip`: steps to pass over before the next row is kept
        if keep:
            self._kept = Rows(PACKED, 1024)
        self._kept.size[0] = 0
        self._jumps, self._last = [NO_JUMPS], None
        if keep or len(self._pairs) > len(LIMITS):
            self._pairs = [(limit, 0) for limit in range(len(LIMITS))]
            self._index_pairs()
        self._filed, self._pending = None, []          # rows that a log has; None where there is none
        self._filed_time = None                        # of the last of them

    @property
    def count(self):
        return self._kept.count

    def add(self, time, dt, residual, limit, cause):
        """Append accepted steps, (k,) arrays each."""
        kept = slice(self._skip, None, self.stride)
        self._append(*(np.asarray(values)[kept] for values in (time, dt, residual, limit, cause)))
        self.seen += len(time)
        self._skip = (self._skip - len(time)) % self.stride
        while self.count > self.rows:
            self._thin()

    def _append(self, time, dt, residual, limit, cause):
        if not len(time):
            return
        low, jumps = packed_times(time, self._last)
        self._jumps.append(jumps + np.array([self.count, 0]))
        self._last = float(time[-1])
        self._kept.extend({"time": low, "dt": dt, "residual": first_bits(residual), "what": self._whats(limit, cause)})

    def _thin(self):
        odd = self.count % 2   # the next kept row must fall on the wider stride
        if self._filed is not None:
            self._pending.append(self._tail())
        times = unpacked_times(self._kept["time"], np.concatenate(self._jumps))[::2]
        self._kept.keep_every_second()
        low, jumps = packed_times(times)
        self._kept.columns["time"], self._jumps, self._last = np.array(low), [jumps], float(times[-1])
        self._skip += self.stride * odd
        self.stride *= 2
        if self._filed is not None:
            self._filed, self._filed_time = self.count, self._last

    def _index_pairs(self):
        keys = np.array([cause * LIMIT_ROOM + limit for limit, cause in self._pairs])
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def _whats(self, limit, cause):
        """Places of limits with their causes in the list of pairs, which gets those that are new."""
        keys = np.asarray(cause, np.int64) * LIMIT_ROOM + np.asarray(limit, np.int64)
        found = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        known = self._keys[found] == keys
        if not known.all() and len(self._pairs) < MOST_PAIRS:
            new, first = np.unique(keys[~known], return_index=True)
            new = new[np.argsort(first)][:MOST_PAIRS - len(self._pairs)]
            self._pairs += [(int(key % LIMIT_ROOM), int(key // LIMIT_ROOM)) for key in new]
            self._index_pairs()
            found = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
            known = self._keys[found] == keys
        alone = np.minimum(keys % LIMIT_ROOM, len(LIMITS) - 1)
        return np.where(known, self._order[found], alone)

    def take(self, steps, stride, seen):
        """Begin with what another history knows of the first `seen` steps."""
        self.stride, self.seen, kept = stride, seen, -(-seen // stride)
        self._skip = kept * stride - seen
        if isinstance(steps, Steps):
            self._pairs = [(int(limit), int(cause)) for limit, cause in steps.packed["pairs"]]
            self._index_pairs()
        self._append(*(steps[name][:kept] for name in STEP_ARRAYS))

    def steps(self):
        """The history so far as `Steps`; later rows do not change it."""
        return Steps({**{name: self._kept[name] for name in PACKED}, "jumps": np.concatenate(self._jumps),
                      "pairs": np.array(self._pairs, np.int64).reshape(-1, 2)})

    # into a log

    def begin_log(self):
        """All rows are to be told by `unfiled`, from the first on."""
        self._filed, self._pending = 0, []

    def end_log(self):
        self._filed, self._pending = None, []

    def unfiled(self):
        """[(number of the first step, columns)] of rows since this was last asked."""
        found, self._pending = [*self._pending, self._tail()], []
        self._filed = self.count
        return found

    @property
    def pairs(self):
        """(limits, causes) that the rows may name so far."""
        return np.array(self._pairs, np.int64).reshape(-1, 2)

    def _tail(self):
        begin, after = self._filed, slice(max(self._filed - 1, 0), None)
        rows = {name: self._kept[name][begin:].copy() for name in ("dt", "residual", "what")}
        low, jumps = self._kept["time"][after], np.concatenate(self._jumps)
        jumps = jumps[jumps[:, 0] >= begin] - (after.start, 0)
        if begin:   # the time of the row before is known
            jumps = np.concatenate([[(0, int(np.float64(self._filed_time).view("<u8")) >> 48)], jumps])
        times = unpacked_times(low, jumps)[begin - after.start:]
        self._jumps, self._filed_time = [np.concatenate(self._jumps)], self._last
        power = np.full(len(times), self.stride.bit_length() - 1, np.uint8)
        return begin * self.stride, {"power": power, "time": times, **rows}


def steps_of_log(parts, pairs):
    """The history of rows that `History.unfiled` told, [(number of the first step, columns)], at their widest stride."""
    widest = max((int(columns["power"].max(initial=0)) for _, columns in parts), default=0)
    chosen = []
    for first, columns in parts:
        if len(columns["power"]):
            numbers = first + (np.arange(len(columns["time"])) << int(columns["power"][0]))
            own = numbers % (1 << widest) == 0
            chosen.append({name: columns[name][own] for name in columns if name != "power"})
    found = {name: np.concatenate([np.empty((0, *shape), dtype), *(part[name] for part in chosen)])
             for name, (shape, dtype) in LOGGED.items() if name != "power"}
    found["time"], jumps = packed_times(found["time"])
    return Steps({**found, "time": np.array(found["time"]), "jumps": jumps, "pairs": pairs}), 1 << widest
