"""Recipes: an extension as a list of edits of a copy of the package, and a scene that needs it.

The test of a recipe is its documentation, and cannot become untrue: an edit whose anchor line has gone fails, a scene that does
not do what its closed form says fails, and so does one more file than the recipe may touch.
"""
import json
import os
import shutil
import subprocess
import sys
from textwrap import dedent
from typing import NamedTuple

from tests import ROOT

LONGEST = 128  # characters of a line


class Edit(NamedTuple):
    """Lines for one file, put `where` ("before", "after" or "instead" of) its only line that reads `anchor`; or "new" ones."""
    file: str     # within the package
    where: str
    anchor: str   # without the white space around it
    text: str     # indented as it is to stand there


class Recipe(NamedTuple):
    """Edits, and a Python file that prints one line of JSON."""
    edits: tuple
    scene: str

    @property
    def files(self):
        return sorted({edit.file for edit in self.edits})

    @property
    def lines(self):
        return sum(len(written(edit)) for edit in self.edits)


def written(edit):
    """The lines of an edit."""
    return edit.text.strip("\n").split("\n")


def edited(text, edit):
    """The text of a file after an edit."""
    lines = text.split("\n")
    found = [i for i, line in enumerate(lines) if line.strip() == edit.anchor]
    assert len(found) == 1, f"{edit.file}: {len(found)} lines read {edit.anchor!r}; the recipe wants one to go by"
    first, last = {"before": (found[0], found[0]), "after": (found[0] + 1, found[0] + 1),
                   "instead": (found[0], found[0] + 1), "new": (found[0], found[0] + 1)}[edit.where]
    new = written(edit)
    assert max(map(len, new)) <= LONGEST, f"{edit.file}: a line of the recipe is longer than {LONGEST} characters"
    return "\n".join([*lines[:first], *new, *lines[last:]])


def cook(recipe, folder):
    """What the scene of a recipe prints, run in a folder by a copy of the package with the edits, as plain Python."""
    package = folder / "robotphi"
    shutil.copytree(ROOT / "robotphi", package, ignore=shutil.ignore_patterns("__pycache__"))
    for edit in recipe.edits:
        path = package / edit.file
        text = "" if edit.where == "new" else path.read_text(encoding="utf-8")
        path.write_text(edited(text, edit), encoding="utf-8")
    (folder / "scene.py").write_text(dedent(recipe.scene), encoding="utf-8")
    done = subprocess.run([sys.executable, "scene.py"], cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(folder)})
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["package"].startswith(str(package)), "the scene ran with another package than the edited one"
    return found
