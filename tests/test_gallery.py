"""The gallery has a small picture of each scenario that shows something, and its page names them all."""
import numpy as np
import pytest
from PIL import Image

from tests import ROOT

NAMES = sorted(path.stem for path in (ROOT / "scenarios").glob("*.py"))
FOLDER = ROOT / "docs" / "gallery"
LARGEST, ALL = 60_000, 3_000_000   # bytes
FEWEST = 200                       # pixels that are neither paper nor nearly so


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_small_and_shows_something(name):
    path = FOLDER / f"{name}.webp"
    assert path.stat().st_size <= LARGEST
    with Image.open(path) as image:
        assert (np.asarray(image.convert("RGB")).min(axis=2) < 180).sum() > FEWEST


def test_the_page_has_all_pictures_and_no_other():
    assert {path.stem for path in FOLDER.iterdir()} == set(NAMES)
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= ALL
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert all(page.count(f"](gallery/{name}.webp)") == 1 for name in NAMES)
