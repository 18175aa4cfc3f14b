"""A team of two gives the bits of one thread, in every scenario and case: see `bits.py`."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from bits import check_entry, stored


@pytest.mark.parametrize("name", sorted(stored()["entries"]))
def test_a_team_changes_no_bit(name):
    assert check_entry(name, threads=2) == ""
