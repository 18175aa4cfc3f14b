"""A team of two gives the bits of one thread, in every scenario and case: see `bits.py`."""
import pytest

from tests.bits.bits import check_entry, stored

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", sorted(stored()["entries"]))
def test_a_team_changes_no_bit(name):
    assert check_entry(name, threads=2) == ""
