"""From when on frames count: the digests of those that are handed over are chained, then progress says so.

Digests of large frames take longer than all else that writing them costs, and so do pages of the file where frames come for the
first time: there another thread sees to both while the run goes on.
"""
from concurrent.futures import ThreadPoolExecutor

from robotphi.record.files.chain import links
from robotphi.record.files.seal import LARGE

WAITING = 1 << 23   # bytes of frames that wait to be handed over; as many may be on their way
APART = 1 << 16     # bytes of a frame that is worth another thread
AHEAD = 2           # times as many frames as were handed over: pages that are made ready for those to come


class Counting:
    """Lets frames of a file count.

    Attributes:
        handed: how many frames were handed over.
    """

    def __init__(self, filed, places, link):
        """`link`: what stands before the first frame in the chain."""
        self._filed, self._link, self._ready, self.handed = filed, link, 0, 0
        self.frame_bytes = sum(place.size(1) for place in places)
        large = [(place, *filed.bytes.get(place.path, (0, 0))) for place in places]
        self._large = [(byte, size // (filed.frames + place.more)) for place, byte, size in large if size > LARGE]
        self._thread = ThreadPoolExecutor(1, "robotphi file") if self.frame_bytes >= APART else None
        self._under_way = None

    @property
    def counted(self):
        return int(self._filed.progress[0])

    def hand_over(self, last, starts, rows):
        """Frames up to the `last` are to count; `starts`, `rows` of tables as `links` takes them."""
        self.wait()
        first, self.handed = self.handed, last
        if self._thread:
            self._under_way = self._thread.submit(self._count, first, last, starts, rows)
        else:
            self._count(first, last, starts, rows)

    def _count(self, first, last, starts, rows):
        filed = self._filed
        for begin, end in stretches(first, last, self.frame_bytes):
            filed.chain[begin:end] = links(self._link, filed.digested, starts, rows, begin, end)
            self._link = filed.chain[end - 1].tobytes()
            for byte, each in self._large:   # it is read again from the file where somebody asks
                filed.mapped.forget(byte + begin * each, (end - begin) * each)
        filed.progress[0] = last
        if self._thread:
            self._make_ready(last, min(last + AHEAD * (last - first), filed.frames))

    def _make_ready(self, first, last):
        first, self._ready = max(first, self._ready), max(last, self._ready)
        for byte, each in self._large:
            self._filed.mapped.make_ready(byte + first * each, (last - first) * each)

    def wait(self):
        """Until all that was handed over counts."""
        if self._under_way:
            self._under_way.result()
            self._under_way = None

    def close(self):
        """Nothing more is handed over."""
        self.wait()
        if self._thread:
            self._thread.shutdown()


def stretches(first, last, each):
    """(begin, end) of rows of so many bytes each, as many in one go as may wait."""
    step = max(1, WAITING // max(each, 1))
    for begin in range(first, last, step):
        yield begin, min(begin + step, last)
