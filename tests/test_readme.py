"""The README and the guide keep their word: examples run as printed, the table names the scenarios that exist."""
import os
import re
import shlex
import subprocess
import sys

import pytest

from robotphi.commands import cli
from robotphi.scenario import list_scenarios
from tests import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(("page", "examples", "says", "picture"), [
    (README, (0, 1), r"\S+ J of 6\.9 J cannot be explained\nthe ball hangs 0\.\d\d m", "hammock.png"),
    (README, (2,), r"tension +200000 +0\.2500", "finger.png"), (README, (3,), r"the ground carries 6\d\.\d N", "drop.png"),
    (GUIDE, (0,), r"the elbow ends at -?\d\.\d\d rad", None),
    (GUIDE, (1,), r"the pole leans by -?0\.\d+ rad, in the end by -?0\.0\d+", "balance.csv")])
def test_the_examples_run_and_make_their_pictures(tmp_path, page, examples, says, picture):
    found = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    code = "".join(found[example] for example in examples)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    assert re.search(says, done.stdout)
    assert picture is None or (tmp_path / picture).stat().st_size > 10_000


def test_the_path_of_rest_runs_and_writes_its_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = next(each for each in re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL) if "equilibria(" in each)
    exec(compile(code, "guide.md", "exec"), {})
    assert re.match(r"91 poses, stable; from \d\.\d N to \d{2,3}\.\d N", capsys.readouterr().out)
    assert len((tmp_path / "acl.csv").read_text().splitlines()) == 92


def test_the_path_from_a_file_to_the_browser_can_be_typed_as_it_stands(tmp_path, monkeypatch, capsys):
    part = README[README.index("## Your own scene"):README.index("## From a shape")]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bounce.yaml").write_text(re.search(r"```yaml\n(.*?)```", part, re.DOTALL)[1], encoding="utf-8")
    for line in re.search(r"```\n(robotphi.*?)```", part, re.DOTALL)[1].splitlines():
        with pytest.raises(SystemExit) as ending:
            cli.app(shlex.split(line)[1:])
        assert ending.value.code in (0, None), line
    assert "nothing looks wrong" in capsys.readouterr().out
    assert (tmp_path / "bounce.html").stat().st_size > 10_000
    rows = (tmp_path / "runs" / "bounce" / "sweep" / "sweep.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("height [m],friction,status,way [m],lost in hits [J],steps")
    assert len(rows) == 11


def test_the_table_of_scenarios_is_complete():
    assert sorted(re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)) == sorted(list_scenarios())


def test_every_linked_file_exists():
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), (page, target)
