"""No bit of any result changes, unless digests.json is renewed on purpose: see `bits.py`."""
import pytest

from tests.bits.bits import check_entry, entries_of, source_of, sources, stored

ENTRIES = sorted(stored()["entries"])
LARGE = ("scenario discretisations", "scenario table")  # which take seconds to build


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) if name in LARGE else name for name in ENTRIES])
def test_no_bit_changes(name):
    assert check_entry(name) == ""


def test_every_scenario_and_case_has_an_entry():
    assert sorted({source_of(name) for name in ENTRIES}) == sorted(sources()), "renew digests.json"


@pytest.mark.slow
def test_every_simulation_of_scenarios_and_cases_has_an_entry():
    assert sorted(name for source in sources() for name in entries_of(source, 1)) == ENTRIES, "renew digests.json"
