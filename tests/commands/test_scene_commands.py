"""`robotphi run`, `info`, `convert` and `schema` of scene files, in process."""
import json

import pytest

from robotphi.commands import cli
from robotphi.language import read_scene
from robotphi.record.recording import Recording
from tests import ROOT

PENDULUM = ROOT / "docs" / "scenes" / "spring_pendulum.yaml"
TEXT = """robotphi: 1
scene: a fall
about: Nothing but weight.
duration: 0.1
frames: 2
parameters: {height: {default: 1.0, unit: m, low: 0, about: at the start}}
things: {stone: {particle: {position: [0, 0, = height], mass: 1}}}
sensors: {place: {quantity: position, of: stone}}
figures: {last height: {last: "place[2]"}, work: {largest_size: "ledger:gravity"}}
"""


@pytest.fixture
def fall(tmp_path):
    path = tmp_path / "fall.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def call(capsys, *words):
    """(exit code, standard output, standard error) of the command line."""
    with pytest.raises(SystemExit) as ending:
        cli.app([str(word) for word in words])
    said = capsys.readouterr()
    return ending.value.code or 0, said.out, said.err


def test_a_scene_file_runs_with_its_parameters_and_gives_its_figures(fall, tmp_path, capsys):
    code, out, err = call(capsys, "run", fall, "--set", "height=3", "--out", tmp_path / "out", "--json", "--no-view")
    answer = json.loads(out)
    assert (code, answer["checked"], answer["name"]) == (0, True, "fall"), err
    assert answer["figures"]["last height"] == pytest.approx(3.0 - 0.5 * 9.81 * 0.01, rel=1e-9)
    recording = Recording.load(tmp_path / "out" / "recording.vtkhdf")
    assert recording.position[0, 0, 2] == 3.0
    assert [statement.verb for statement in recording.statements] == ["Scene", "add_particle", "add_sensor"]


def test_a_scene_file_says_what_stays_in_its_recording_unless_the_command_does(fall, tmp_path, capsys):
    fall.write_text(TEXT.replace("frames: 2", "frames: 10\nrecord: {every: 4, keep: [sensors]}"), encoding="utf-8")
    code, _, err = call(capsys, "run", fall, "--out", tmp_path / "own", "--no-view")
    read = Recording.load(tmp_path / "own" / "recording.vtkhdf")
    assert (code, read.time.tolist()) == (0, pytest.approx([0.0, 0.04, 0.08, 0.1])), err
    assert (read.info["kept"], "it keeps no checkpoints" in err) == ({"every": 4, "groups": ["sensors"]}, True)
    call(capsys, "run", fall, "--out", tmp_path / "told", "--no-view", "--keep", "checkpoint")
    read = Recording.load(tmp_path / "told" / "recording.vtkhdf")
    assert (len(read), read.info["kept"]["groups"]) == (11, ["checkpoint"])
    assert json.loads(call(capsys, "info", fall, "--json")[1])["record"] == ["every=4", "sensors"]


@pytest.mark.parametrize(("setting", "says"), [
    ("hight=3", "did you mean height?"), ("height=-1", "at least 0 m"), ("height=high", "takes a number such as 1.0")])
def test_a_parameter_that_cannot_be_set_is_bad_input(setting, says, fall, tmp_path, capsys):
    code, out, err = call(capsys, "run", fall, "--set", setting, "--out", tmp_path / "out", "--json")
    assert (code, json.loads(out)["exit_code"]) == (2, 2)
    assert says in err


def test_info_tells_parameters_figures_and_what_the_scene_holds(fall, capsys):
    code, out, _ = call(capsys, "info", fall, "--json", "--sensors")
    told = json.loads(out)
    assert (code, told["scene"], told["holds"]) == (0, "a fall", {"particles": 1})
    assert told["parameters"]["height"] == {"value": 1.0, "unit": "m", "low": 0, "high": None, "about": "at the start"}
    assert told["sensors"][0][:2] == ["place", "position"]
    code, out, _ = call(capsys, "info", fall)
    assert "at the start" in out


def test_a_file_that_is_wrong_is_bad_input_with_its_place(fall, capsys):
    fall.write_text(TEXT.replace("mass: 1", "mas: 1"), encoding="utf-8")
    code, out, err = call(capsys, "info", fall, "--json")
    assert (code, json.loads(out)["exit_code"]) == (2, 2)
    assert "fall.yaml:7:57: particle has no 'mas'; did you mean 'mass'?" in " ".join(err.split())


def test_convert_writes_scenarios_files_and_recordings(fall, tmp_path, capsys):
    code, out, _ = call(capsys, "convert", "two_masses", tmp_path / "two.yaml", "--set", "stiffness=7", "--json")
    assert (code, json.loads(out)["files"]) == (0, [str(tmp_path / "two.yaml")])
    assert read_scene(tmp_path / "two.yaml").things["spring"].stiffness[0] == 7.0
    call(capsys, "run", fall, "--out", tmp_path / "out", "--json", "--no-view")
    code, _, _ = call(capsys, "convert", tmp_path / "out" / "recording.vtkhdf", tmp_path / "again.yaml")
    assert (code, read_scene(tmp_path / "again.yaml").name) == (0, "a fall")
    code, _, _ = call(capsys, "convert", PENDULUM, tmp_path / "copy.yaml")
    assert (code, read_scene(tmp_path / "copy.yaml").things["spring"].stiffness[0]) == (0, 60.0)


@pytest.mark.parametrize(("words", "says"), [
    (("two_masses", "two.txt"), "let it end in .yaml"), (("two_mases", "two.yaml"), "did you mean two_masses"),
    (("two_masses", "none/two.yaml"), "cannot be written"), (("two_masses", "two.yaml", "--set", "k=1"), "no knob 'k'")])
def test_convert_refuses_what_it_cannot_write(words, says, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = call(capsys, "convert", *words)
    assert code == 2
    assert says in " ".join(err.split())


def test_convert_never_writes_over_what_it_reads(fall, tmp_path, capsys):
    whole, part = tmp_path / "whole.yaml", tmp_path / "part.yaml"
    part.write_text("robotphi: 1\nparameters: {height: 2}\n", encoding="utf-8")
    whole.write_text(TEXT.replace("parameters:", "include: [part.yaml]\n#"), encoding="utf-8")
    before = {path: path.read_bytes() for path in (fall, whole, part)}
    for source, target in ((fall, fall), (whole, whole), (whole, part)):
        code, _, err = call(capsys, "convert", source, target)
        assert (code, "would be written over" in err) == (2, True)
    assert before == {path: path.read_bytes() for path in (fall, whole, part)}


def test_an_end_behind_that_of_the_scene_is_told(fall, tmp_path, capsys):
    for until, told in (("0.1", False), ("7", True)):
        code, _, err = call(capsys, "run", fall, "--until", until, "--out", tmp_path / "out", "--no-view")
        assert (code, "it ends at 0.1 s" in err) == (0, told)


def test_schema_prints_itself_a_page_and_single_words(capsys):
    code, out, _ = call(capsys, "schema")
    assert (code, json.loads(out)["required"]) == (0, ["robotphi"])
    code, out, _ = call(capsys, "schema", "ball", "--json")
    assert json.loads(out)["kind ball"]["radius"] == {
        "kind": "number", "unit": "m", "bounds": [[">", 0.0]], "words": [], "required": True, "meaning": "[m]."}
    assert "frequency" in call(capsys, "schema", "sine")[1]
    code, _, err = call(capsys, "schema", "bal")
    assert (code, "did you mean 'ball'?" in err) == (2, True)


@pytest.mark.parametrize("command", ["convert", "schema"])
def test_help_shows_an_example(command, capsys):
    assert "Example: robotphi" in " ".join(call(capsys, command, "--help")[1].split())
