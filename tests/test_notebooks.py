"""Notebooks run from top to bottom, are stored without output, and the table names them all."""
import json
import os
import subprocess
import sys

import pytest

from tests import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SAYS = {"the_step": [
    "budget 0.0001, governed: path", "budget 1e-06, governed: energy", "governed: none",
    "leave accuracy out", "limited_by_path", "would give"]}


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_says_what_it_shows(path, tmp_path):
    code = "\n\n".join("".join(cell["source"]) for cell in cells(path) if cell["cell_type"] == "code")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    for words in SAYS[path.stem]:
        assert words in done.stdout, done.stdout


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_output(path):
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells(path) if cell["cell_type"] == "code")


def test_the_table_of_notebooks_is_complete():
    readme = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")
    assert NOTEBOOKS
    assert all(f"[`{path.stem}`]({path.name})" in readme for path in NOTEBOOKS)
