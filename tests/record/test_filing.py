"""When a run gets its file: after a second, or before more waits in memory than may."""
from math import inf
from types import SimpleNamespace

import pytest

from robotphi.record.choice import Choice
from robotphi.run.filing import AT_HAND, OFTEN, Filing


class Waiting:
    """A recorder of frames of one size, or of frames that grow; counted is how often it is asked what they take."""

    def __init__(self, each, power):
        self.each, self.power, self.frame_count, self.asked = each, power, 0, 0

    @property
    def taken(self):
        return self.each * self.frame_count**self.power

    @property
    def bytes(self):
        self.asked += 1
        return self.taken


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("each", [100, 20_000, 1_000_000, 2 * AT_HAND])
def test_no_more_waits_in_memory_than_may_though_it_is_looked_at_now_and_then(each, power, tmp_path, monkeypatch):
    recorder = Waiting(each, power)
    filing = Filing(tmp_path / "run.vtkhdf", SimpleNamespace(recorder=recorder), 10, True, Choice())
    filing._began = inf   # no second is ever over
    opened = []

    def opening():
        opened.append(recorder.taken)
        filing._file = SimpleNamespace(is_due=False)

    monkeypatch.setattr(filing, "_open", opening)
    while not opened:
        before = recorder.taken
        recorder.frame_count += 1
        assert before <= AT_HAND * (1 + 1 / OFTEN)
        filing.look()
    assert opened[0] >= AT_HAND
    assert recorder.asked <= 40 * OFTEN
