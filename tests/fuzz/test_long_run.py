"""Long runs of random scenes: nothing is run twice, nothing that goes wrong is lost, other code begins anew."""
import json
import subprocess
import sys

import pytest

from tests.fuzz import long_run


def line(kind="random", seed=0, status="done", troubles=()):
    return {"kind": kind, "seed": seed, "status": status, "troubles": list(troubles), "message": "", "attempts": 7,
            "seconds": 0.5}


def command(path, *more):
    return ["--random", "3", "--thrown", "0", "--mechanisms", "0", "--workers", "1", "--file", str(path), *more]


def asked(monkeypatch, well=True):
    """Seeds that are asked for, each at once answered."""
    seeds = []

    def ask(worker, kind, seed):
        seeds.append(seed)
        return line(kind, seed, troubles=() if well else ["it went through the ground"])

    monkeypatch.setattr(long_run.Worker, "ask", ask)
    return seeds


def test_a_run_goes_on_where_it_was_broken_off(tmp_path, monkeypatch, capsys):
    path, seeds = tmp_path / "some.jsonl", asked(monkeypatch)
    assert long_run.main(command(path)) == 0
    assert sorted(seeds) == [0, 1, 2]
    text = path.read_text()
    path.write_text(text[:text.rindex('"seed"')])     # the last line was cut short
    seeds.clear()
    assert long_run.main(command(path)) == 0
    assert len(seeds) == 1
    assert sorted(json.loads(row)["seed"] for row in path.read_text().splitlines()[1:]) == [0, 1, 2]
    seeds.clear()
    assert long_run.main(command(path)) == 0
    assert long_run.main(command(path, "--tell")) == 0
    assert seeds == []
    assert "random: 3 of 3, 3 done" in capsys.readouterr().out


def test_no_scene_begins_after_its_time(tmp_path, monkeypatch):
    seeds = asked(monkeypatch)
    long_run.main(command(tmp_path / "some.jsonl", "--seconds", "0"))
    assert seeds == []


def test_other_code_begins_anew(tmp_path, monkeypatch, capsys):
    path, seeds = tmp_path / "some.jsonl", asked(monkeypatch)
    path.write_text(json.dumps({"code": "another"}) + "\n" + json.dumps(line()) + "\n")
    assert long_run.main(command(path)) == 2
    assert "other code" in capsys.readouterr().err
    assert long_run.main(command(path, "--anew")) == 0
    assert sorted(seeds) == [0, 1, 2]


def test_a_trouble_fails(tmp_path, monkeypatch, capsys):
    asked(monkeypatch, well=False)
    assert long_run.main(command(tmp_path / "some.jsonl")) == 1
    assert capsys.readouterr().out.count("it went through the ground") == 3


@pytest.mark.parametrize(("status", "well"), [("done", True), ("diverged", False), ("refused", False)])
def test_errors_must_be_rare(status, well):
    lines = [line(seed=seed, status=status if seed < 4 else "done") for seed in range(100)]
    assert [verdict for _, verdict in long_run.tell(lines, long_run.tasks(100, 0))][-1] is well


def test_bits_that_were_not_compared_must_not_be_the_rule():
    lines = [line("random bits", seed, "not compared" if seed < 6 else "the same") for seed in range(10)]
    assert [verdict for _, verdict in long_run.tell(lines[3:], [])] == [True]
    assert [verdict for _, verdict in long_run.tell(lines[:8], [])] == [False]


def test_what_is_raised_in_a_scene_is_its_trouble(monkeypatch):
    def broken(seed):
        raise ZeroDivisionError("of nothing")

    monkeypatch.setitem(long_run.KINDS, "random", broken)
    found = long_run.line_of("random", 5)
    assert (found["status"], found["seed"]) == ("error", 5)
    assert "ZeroDivisionError at test_long_run.py:" in found["troubles"][0]


def test_a_process_that_ends_or_hangs_is_the_trouble_of_its_scene(monkeypatch):
    worker = long_run.Worker()
    program = "import sys; sys.stdin.readline(); sys.exit(3)"
    worker.process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert worker.ask("random", 1)["troubles"] == ["the process ended with 3"]
    monkeypatch.setattr(long_run, "PATIENCE", 0.0)
    assert worker.ask("random", 2)["status"] == "hang"
    assert worker.process is None


@pytest.mark.slow
def test_scenes_run_in_a_process_of_their_own(tmp_path):
    path = tmp_path / "some.jsonl"
    assert long_run.main(["--random", "10", "--thrown", "10", "--mechanisms", "0", "--workers", "1", "--file", str(path)]) == 0
    _, lines = long_run.read(path)
    assert sorted(line["kind"] for line in lines) == ["random"] * 10 + ["random bits"] + ["thrown"] * 10 + ["thrown bits"]
