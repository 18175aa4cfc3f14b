"""No bit of any result changes, unless digests.json is renewed on purpose: see `bits.py`."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from bits import check_entry, entries_of, source_of, sources, stored

ENTRIES = sorted(stored()["entries"])


@pytest.mark.parametrize("name", ENTRIES)
def test_no_bit_changes(name):
    assert check_entry(name) == ""


def test_every_simulation_of_scenarios_and_cases_has_an_entry():
    assert sorted({source_of(name) for name in ENTRIES}) == sorted(sources()), "renew digests.json"
    assert sorted(name for source in sources() for name in entries_of(source)) == ENTRIES, "renew digests.json"
