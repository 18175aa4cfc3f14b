"""Notebooks run from top to bottom, show pages and pictures, are stored without output, and the table names them all."""
import ast
import json
import os
import subprocess
import sys

import pytest

from tests import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SAYS = {   # words that it prints, pages and pictures that it shows
    "01_first_scene": (["of 6.9 J cannot be explained", "True <Scene 'hammock'", "spring: {linear:"], 2, 2),
    "02_from_a_shape_to_springs": (["E I is 1.09", "4 cells across: sag 1.9", "0.45 cannot be reached"], 1, 2),
    "03_the_ledger_and_the_step": (["'work:push': 1.24", "budget 0.0001, governed: path", "budget 1e-06, governed: energy",
                                    "governed: none", "leave accuracy out", "limited_by_path", "would give"], 1, 2),
    "04_contact_and_friction": (["asked 0.20, got 0.200", "asked 0.95, got 0.9", "the ground carries 6"], 2, 4),
    "05_making_it_move": (["work:hand", "shoulder position [rad]", "True 601 settings of the force"], 5, 2),
    "06_recordings_and_sweeps": (["foam on box", "[0.25 0.5 ]", "True", "material.young", "over 4"], 2, 4),
    "07_fitting": (["young: 4.0", "a finer mesh (cells 4): young would move by -", "confounded with second", "together 30.",
                    "stretched by 0.2 m: standard deviations × 0."], 0, 1),
    "grasping": (["tip, 0.8: held", "tip, 0.05: dropped", "palm, 0.05: held", "two pads: 0.12", "of what friction can give",
                  "soft tips, friction 0.8: held", "soft tips, friction 0.05: dropped", "2 contacts: epsilon 0.000"], 2, 1),
    "rover": (["six wheels: 3.", "four wheels: 3.", "the end is reached: True", "by statics to 1e-3: True",
               "0.999 of atan(friction): stands",
               "1.001 of atan(friction): slides", "0.98 of that: {'towed_wheel': False, 'driven_wheel': False}",
               "1.02 of that: {'towed_wheel': True, 'driven_wheel': True}", "the stone was moved: True",
               "the budget of 1e-3 is kept: True"], 2, 2),
    "soft_gripper": (["40 kPa: left lying", "70 kPa: lifted, not bruised", "the budget of 1e-4 is kept: True"], 1, 2),
    "rope_knot": (["friction 0.1: pulled to", "comes undone", "radii, holds", "thin rope 1.874"], 1, 1),
    "image_effects": (["largest shift: True", "the budget of 1e-3 is kept: True"], 1, 2),
    "knee_ligament": (["ACL 12 strands", "largest tension 329 N; off its law by less than 1e-6: True", "1.4 % of strain",
                       "346 N/mm here, 242 N/mm measured", "intact: 6.7 mm here", "longer than straight"], 0, 7)}


# A notebook asks what the last line of a cell gives for its page or picture.
SHOW = """
def show(value):
    for how in ("_repr_html_", "_repr_png_"):
        if hasattr(value, how):
            data = getattr(value, how)()
            assert data, f"{value!r} has nothing to show"
            return print(f"[{how}: {len(data)}]")
    if value is not None:
        print(repr(value))
"""


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def script(path):
    """The code of a notebook, which shows the last expression of each cell."""
    trees = [ast.parse("".join(cell["source"])) for cell in cells(path) if cell["cell_type"] == "code"]
    for tree in trees:
        if isinstance(tree.body[-1], ast.Expr):
            tree.body[-1].value = ast.Call(ast.Name("show"), [tree.body[-1].value], [])
    return "\n".join([SHOW, *(ast.unparse(ast.fix_missing_locations(tree)) for tree in trees)])


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_says(path, tmp_path):
    done = subprocess.run([sys.executable, "-c", script(path)], cwd=tmp_path, capture_output=True, text=True,
                          check=False, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    words, pages, pictures = SAYS[path.stem]
    for each in words:
        assert each in done.stdout, done.stdout
    assert tuple(done.stdout.count(how) for how in ("_repr_html_: ", "_repr_png_: ")) == (pages, pictures), done.stdout


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_output(path):
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells(path) if cell["cell_type"] == "code")


def test_the_table_of_notebooks_is_complete():
    readme = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")
    assert NOTEBOOKS
    assert all(f"[`{path.stem}`]({path.name})" in readme for path in NOTEBOOKS)
