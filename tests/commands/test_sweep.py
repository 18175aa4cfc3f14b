"""Sweeps: their words, their table whoever runs the points, and what is left when they are broken off."""
import csv
import json
import os
import signal
import subprocess
import sys
from itertools import islice

import pytest

from robotphi.errors import ScenarioError
from robotphi.scenario.sweep import sweep as sweeps
from robotphi.scenario.sweep.grid import MOST, grid, parse_sweep
from robotphi.scenario.sweep.kept import FILE, Kept
from robotphi.scenario.sweep.point import run_point
from robotphi.scenario.sweep.sweep import TABLE, run_sweep
from tests import ROOT
from tests.commands.test_scene_commands import call

TEXT = """robotphi: 1
scene: swing
duration: 0.2
frames: 10
parameters:
  k: {default: 100.0, unit: N/m, low: 1}
  m: {default: 1.0, unit: kg, low: 0.01}
things:
  post: {particle: {position: [0, 0, 0], mass: 1, support: xyz}}
  bob: {particle: {position: [0.2, 0, -0.3], mass: = m}}
  thread: {linear: {first: post, second: "bob[0]", stiffness: = k, viscosity: 0.5}}
sensors:
  place: {quantity: position, of: bob}
figures:
  lowest: {smallest: "place[2]"}
  fastest: {largest: "ledger:kinetic"}
"""
ELEVEN = ["k=lin(50,150,11)"]
KILLED = """
import os, signal, sys
from robotphi.scenario.sweep import kept, sweep
from robotphi.scenario.sweep.grid import parse_sweep

add = kept.Kept.add

def last(self, *row):
    add(self, *row)
    if len(self.rows) == 4:
        os.kill(os.getpid(), signal.SIGKILL)

kept.Kept.add = last
sweep.run_sweep(sys.argv[1], parse_sweep(["k=lin(50,150,11)"]), out=sys.argv[2], workers=2)
"""


@pytest.fixture
def swing(tmp_path):
    path = tmp_path / "swing.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def table_of(folder):
    return (folder / TABLE).read_bytes()


# Words ----------------------------------------------------------------------------------------------------------------------

def test_values_are_listed_or_spaced_with_both_ends_to_the_bit():
    [axis] = parse_sweep(["k=0.1,0.2,0.5"])
    assert axis == ("k", (0.1, 0.2, 0.5), "list")
    [axis] = parse_sweep(["k=lin(0,1,11)"])
    assert (axis.values[0], axis.values[-1], len(axis.values)) == (0.0, 1.0, 11)
    assert axis.values[3] == pytest.approx(0.3, abs=1e-15)
    [axis] = parse_sweep(["k=log(1e-3,1,4)"])
    assert (axis.values[0], axis.values[-1]) == (1e-3, 1.0)
    assert axis.values[1:3] == pytest.approx([1e-2, 1e-1], rel=1e-14)
    assert parse_sweep(["word=left,right"])[0].values == ("left", "right")
    assert parse_sweep(["on=true,false"])[0].values == (True, False)


def test_several_sweeps_make_a_grid_the_last_fastest_and_whole_knobs_stay_whole():
    points = grid(parse_sweep(["n=lin(2,4,3)", "k=1.5,2.5"]), {"n": 5, "k": 1.0})
    assert points[:3] == [{"n": 2, "k": 1.5}, {"n": 2, "k": 2.5}, {"n": 3, "k": 1.5}]
    assert len(points) == 6
    assert all(isinstance(point["n"], int) for point in points)


@pytest.mark.parametrize(("words", "says"), [
    (["k"], "not name=values"), (["=1,2"], "not name=values"), (["k="], "not name=values"), (["k=1,,2"], "cannot be read"),
    (["k=lin(0,1)"], "three numbers"), (["k=lin(0,1,1)"], "from 2 to"), (["k=lin(0,1,2.5)"], "from 2 to"),
    (["k=lin(1,1,3)"], "two different ends"), (["k=log(0,1,3)"], "neither is 0"), (["k=log(-1,1,3)"], "one sign"),
    (["k=lin(0,inf,3)"], "three numbers"), (["k=range(3)"], "cannot be read"), (["k=__import__('os')"], "cannot be read"),
    (["k=1,1"], "a value twice"), (["k=1,2", "k=3"], "given twice"), ([f"k=lin(0,1,{MOST + 1})"], "from 2 to"),
    (["k=lin(0,1,101)", "m=lin(1,2,101)"], "10,201 points")])
def test_words_that_make_no_sense_are_refused(words, says):
    with pytest.raises(ScenarioError, match="sweep") as refused:
        parse_sweep(words)
    assert says in str(refused.value)


@pytest.mark.parametrize(("words", "says"), [
    (["--sweep", "k=0.5,2"], "at least 1 N/m"), (["--sweep", "kk=1,2"], "did you mean k?"),
    (["--sweep", "k=1,2", "--set", "k=3"], "both set and swept"), (["--workers", "2"], "without --sweep"),
    (["--cluster", "tcp://nobody:1"], "without --sweep"), (["--sweep", "k=1,soft"], "takes a number"),
    (["--sweep", "k=1,2", "--workers", "2", "--cluster", "tcp://nobody:1"], "leave out one of them"),
    (["--sweep", "k=1,2", "--continue", "run.vtkhdf"], "do not go together")])
def test_sweeps_that_cannot_be_are_bad_input_before_anything_runs(words, says, swing, tmp_path, capsys):
    code, out, err = call(capsys, "run", swing, *words, "--out", tmp_path / "out", "--json")
    assert (code, json.loads(out)["exit_code"]) == (2, 2)
    assert says in " ".join(err.split())
    assert not (tmp_path / "out" / FILE).exists()


# The table ------------------------------------------------------------------------------------------------------------------

def test_a_sweep_leaves_one_table_with_units_and_one_figure_and_no_recordings(swing, tmp_path, capsys):
    code, out, err = call(capsys, "run", swing, "--sweep", "k=50,100", "--sweep", "m=1,2", "--out", tmp_path / "out", "--json")
    told = json.loads(out)
    assert (code, told["points"], told["ran"], told["known"], told["passed"]) == (0, 4, 4, 0, True), err
    rows = list(csv.reader((tmp_path / "out" / TABLE).open(encoding="utf-8")))
    assert rows[0][:5] == ["k [N/m]", "m [kg]", "status", "lowest [m]", "fastest [J]"]
    assert [row[:2] for row in rows[1:]] == [["50", "1"], ["50", "2"], ["100", "1"], ["100", "2"]]
    alone = run_point({"scenario": str(swing), "knobs": {"k": 100, "m": 2}, "options": {}, "allow": [], "known": ""})
    assert [float(value) for value in rows[4][3:5]] == list(alone["figures"].values())
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [FILE, "sweep.csv", "sweep.png"]


def test_set_and_sweep_are_in_the_unit_of_the_parameter(tmp_path, capsys):
    """A pendulum let go from an angle sees it as it begins."""
    path = tmp_path / "pendulum.yaml"
    path.write_text("""robotphi: 1
scene: pendulum
duration: 0.01
frames: 2
parameters: {start: {default: 30, unit: deg, low: 0, high: 90}}
things:
  post: {particle: {position: [0, 0, 0], mass: 1, support: xyz}}
  bob: {particle: {position: [= sin(start), 0, = -cos(start)], mass: 1}}
sensors: {place: {quantity: position, of: bob}}
figures: {aside: {first: "place[0]"}}
""", encoding="utf-8")
    code, out, err = call(capsys, "run", path, "--sweep", "start=30,45", "--out", tmp_path / "out", "--json")
    assert code == 0, err
    rows = list(csv.reader((tmp_path / "out" / TABLE).open(encoding="utf-8")))
    assert rows[0][0] == "start [deg]"
    assert [float(row[rows[0].index("aside [m]")]) for row in rows[1:]] == pytest.approx([0.5, 0.5**0.5], rel=1e-12)
    code, out, err = call(capsys, "run", path, "--set", "start=90", "--out", tmp_path / "one", "--json")
    assert json.loads(out)["figures"]["aside"] == pytest.approx(1.0, rel=1e-12), err


def test_a_known_point_is_not_run_again_unless_file_or_version_changed(swing, tmp_path, monkeypatch):
    axes, out = parse_sweep(["k=50,100,150"]), tmp_path / "out"
    first = run_sweep(swing, axes, out=out, view=False)
    table = table_of(out)
    again = run_sweep(swing, axes, out=out, view=False)
    assert (first.ran, first.known, again.ran, again.known) == (3, 0, 0, 3)
    assert table_of(out) == table
    more = run_sweep(swing, parse_sweep(["k=50,100,200"]), out=out, view=False)
    assert (more.ran, more.known) == (1, 2)
    other = run_sweep(swing, axes, {"m": 2.0}, out=out, view=False)
    assert (other.ran, other.known) == (3, 0)
    shorter = run_sweep(swing, axes, out=out, view=False, until=0.1)
    assert (shorter.ran, shorter.known) == (3, 0)
    moved = TEXT.replace("[0.2, 0, -0.3]", "[0.25, 0, -0.3]")
    swing.write_text(moved, encoding="utf-8")
    assert run_sweep(swing, axes, out=out, view=False).ran == 3
    swing.write_text(moved.replace("smallest", "largest"), encoding="utf-8")   # of the same model
    assert run_sweep(swing, axes, out=out, view=False).ran == 3
    monkeypatch.setattr("robotphi.scenario.sweep.point.versions", lambda: {"robotphi": "another"})
    assert run_sweep(swing, axes, out=out, view=False).ran == 3


def test_a_point_that_cannot_be_built_is_told_and_the_others_run(tmp_path, capsys):
    path = tmp_path / "swing.yaml"
    path.write_text(TEXT.replace("m: {default: 1.0, unit: kg, low: 0.01}", "m: 1.0"), encoding="utf-8")
    code, out, err = call(capsys, "run", path, "--sweep", "m=-1,1", "--out", tmp_path / "out", "--json")
    told = json.loads(out)
    assert (code, told["ran"], told["passed"]) == (1, 2, False)
    assert [row[1] for row in told["rows"]] == ["refused", "done"]
    assert "m=-1: refused" in err
    assert len(Kept(tmp_path / "out").rows) == 1


def test_a_scenario_of_python_is_swept_by_its_knobs_and_checked(tmp_path):
    swept = run_sweep("spring_pendulum", parse_sweep(["budget=1e-3,1e-4"]), out=tmp_path / "out")
    assert [row["status"] for row in swept.rows] == ["done", "done"]
    assert swept.rows[0]["steps"] < swept.rows[1]["steps"]
    heads, _ = swept.table()
    assert heads[0] == "budget"
    assert len(heads) > 6   # what its check gives


# Whoever runs it ------------------------------------------------------------------------------------------------------------

def test_two_workers_give_the_table_of_one(swing, tmp_path):
    axes = parse_sweep(ELEVEN)
    run_sweep(swing, axes, out=tmp_path / "one", view=False)
    two = run_sweep(swing, axes, out=tmp_path / "two", view=False, workers=2)
    assert (two.ran, len(two.wrong)) == (11, 0)
    assert table_of(tmp_path / "two") == table_of(tmp_path / "one")


@pytest.mark.slow
def test_workers_of_a_dask_scheduler_give_the_same_table(swing, tmp_path):
    pytest.importorskip("distributed", reason="dask.distributed is not installed: pip install '.[cluster]'")
    axes = parse_sweep(ELEVEN)
    run_sweep(swing, axes, out=tmp_path / "here", view=False)
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    surroundings, processes = os.environ | {"PYTHONPATH": path}, []

    def begin(program, *words):
        processes.append(subprocess.Popen([sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard", *words],
                                          env=surroundings, cwd=tmp_path, stderr=subprocess.PIPE, text=True))
        return processes[-1].stderr

    try:
        told = begin("dask_scheduler", "--port", "0", "--host", "127.0.0.1")
        address = next(line.split()[-1] for line in told if "Scheduler at:" in line)
        for _ in range(2):
            begin("dask_worker", "--nthreads", "1", "--no-nanny", address)
        found = run_sweep(swing, axes, out=tmp_path / "there", view=False, cluster=address)
        again = run_sweep(swing, axes, out=tmp_path / "there", view=False, cluster=address)
    finally:
        for process in processes[::-1]:   # workers first: they look for a scheduler that is gone for a long time
            process.kill()
            process.communicate()
    assert (found.ran, again.ran, again.known) == (11, 0, 11)
    assert table_of(tmp_path / "there") == table_of(tmp_path / "here")


def test_a_scheduler_that_is_not_there_is_bad_input(swing, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("robotphi.scenario.sweep.workers.PATIENCE", 0.2)
    code, _, err = call(capsys, "run", swing, "--sweep", "k=1,2", "--cluster", "tcp://127.0.0.1:1", "--out", tmp_path / "out")
    assert code == 2
    assert "no Dask scheduler answers" in err or "dask.distributed, which is not installed" in err


# Broken off -----------------------------------------------------------------------------------------------------------------

def test_ctrl_c_loses_no_point_that_was_over_and_only_the_others_run_then(swing, tmp_path, monkeypatch):
    axes, out = parse_sweep(ELEVEN), tmp_path / "out"
    run_sweep(swing, axes, out=tmp_path / "whole", view=False)

    def pressed(tasks):
        yield from islice(((place, run_point(task)) for place, task in enumerate(tasks)), 4)
        raise KeyboardInterrupt

    monkeypatch.setattr(sweeps, "here", pressed)
    with pytest.raises(KeyboardInterrupt):
        run_sweep(swing, axes, out=out, view=False)
    rows = list(csv.reader((out / TABLE).open(encoding="utf-8")))
    assert [row[1] for row in rows[1:]] == ["done"] * 4 + ["missing"] * 7
    monkeypatch.undo()
    rest = run_sweep(swing, axes, out=out, view=False)
    assert (rest.ran, rest.known) == (7, 4)
    assert table_of(out) == table_of(tmp_path / "whole")


def test_a_line_that_was_cut_off_is_passed_over_and_run_again(swing, tmp_path):
    axes, out = parse_sweep(["k=50,100,150"]), tmp_path / "out"
    run_sweep(swing, axes, out=out, view=False)
    table, text = table_of(out), (out / FILE).read_bytes()
    for cut in (len(text) - 1, len(text) - 40):
        (out / FILE).write_bytes(text[:cut])
        again = run_sweep(swing, axes, out=out, view=False)
        assert (again.ran, again.known) == ((0, 3) if cut == len(text) - 1 else (1, 2))
        assert table_of(out) == table
        assert len(Kept(out).rows) == 3


@pytest.mark.slow
def test_a_sweep_that_is_killed_goes_on_with_what_is_missing(swing, tmp_path):
    axes, out = parse_sweep(ELEVEN), tmp_path / "out"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(swing), str(out)], cwd=ROOT)
    assert killed.returncode == -signal.SIGKILL
    known = len(Kept(out).rows)
    assert known == 4
    rest = run_sweep(swing, axes, out=out, view=False, workers=2)
    assert (rest.ran, rest.known) == (7, 4)
    run_sweep(swing, axes, out=tmp_path / "whole", view=False)
    assert table_of(out) == table_of(tmp_path / "whole")


def test_a_worker_that_is_lost_costs_its_point_alone(swing, tmp_path, monkeypatch):
    from robotphi.scenario.sweep.workers import in_processes

    tasks = [{"scenario": str(swing), "knobs": {"k": k}, "options": {}, "allow": [], "known": ""} for k in (50.0, 60.0, 70.0)]
    tasks[1] = {"scenario": None}   # nothing that a worker can stand
    rows = dict(in_processes(tasks, 2))
    assert [rows[place]["status"] for place in range(3)] == ["done", "worker lost", "done"]
