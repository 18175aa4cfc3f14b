"""ARCHITECTURE.md speaks of files that are there, of every room, and defines each of its words once."""
import re
from collections import Counter

import pytest

from tests import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
ROOMS = sorted(path.name for path in (ROOT / "robotphi").iterdir() if path.is_dir() and not path.name.startswith("_"))


def files():
    """Backticked names of files and folders."""
    found = set(re.findall(r"`([\w./]+(?:\.py|/))`", TEXT))
    # a bare name stands for a file of the room that was named last
    return {name for name in found if "/" in name}, {name for name in found if "/" not in name}


def test_every_file_it_names_is_there():
    placed, bare = files()
    assert len(placed) > 30
    missing = {name for name in placed if not any((root / name).exists() for root in (
        ROOT, ROOT / "identification", ROOT / "robotphi", ROOT / "robotphi" / "discretise", ROOT / "robotphi" / "kernels",
        ROOT / "robotphi" / "run", ROOT / "robotphi" / "record", ROOT / "robotphi" / "kernels" / "contact"))}
    known = {path.name for path in (ROOT / "robotphi").rglob("*.py")}
    assert missing == set()
    assert bare - known == set()


@pytest.mark.parametrize(("section", "room"), [("## Contact", "contact"), ("## Mechanisms", "mechanism")])
def test_every_file_of_a_table_of_kernels_is_there(section, room):
    text = TEXT[TEXT.index(f"\n{section}\n"):]
    table = text[text.index("| file | what |"):].split("\n\n")[0]
    named = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    there = {path.stem for path in (ROOT / "robotphi" / "kernels" / room).rglob("*.py")} - {"__init__", "columns", "matrices"}
    assert named == there


def test_every_room_has_its_row():
    table = TEXT[TEXT.index("| room |"):].split("\n\n")[0]
    assert sorted(re.findall(r"^\| `(\w+)/`", table, re.M)) == ROOMS


def test_the_top_level_has_at_most_eighteen_entries():
    entries = [path for path in (ROOT / "robotphi").iterdir() if path.name != "__pycache__"]
    assert len(entries) <= 18, sorted(path.name for path in entries)


def test_every_word_is_defined_once():
    words = TEXT[TEXT.index("## Words"):TEXT.index("## Conventions")]
    counts = Counter(re.findall(r"\*\*([\w ]+)\*\*", words))
    assert len(counts) > 60
    assert {word for word, count in counts.items() if count > 1} == set()
    assert {"part", "pair", "carrier", "anchor", "place", "share", "slot", "case"} <= set(counts)
