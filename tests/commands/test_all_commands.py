"""Every command: help with an example that can be typed, one JSON document and nothing else, and its exit codes.

A new command needs words here by which it is done, and by which its input is bad.
"""
import json
import re
import shlex
from dataclasses import replace

import pytest
from typer.main import get_command

from robotphi.commands import cli
from robotphi.record.recording import Recording
from robotphi.scenario.folder import RECORDING

TEXT = """robotphi: 1
scene: a fall
duration: 0.1
frames: 2
parameters: {height: {default: 1.0, unit: m, low: 0}}
things: {stone: {particle: {position: [0, 0, = height], mass: 1}}}
sensors: {place: {quantity: position, of: stone}}
figures: {last: {last: "place[2]"}}
"""
COMMANDS = {command.name: command.callback for command in cli.app.registered_commands}
# command → words with which it is done, its input is bad, and its check fails; SCENE, RUN, WRONG and OUT are files of the test
WORDS = {
    "run": ("SCENE --no-view --out OUT", "SCENE --set hight=1", "WRONG --no-view --out OUT"),
    "list": ("", None, None),
    "info": ("RUN", "nothing.vtkhdf", None),
    "lint": ("SCENE", "nothing.yaml", "WRONG"),
    "view": ("RUN --html OUT.html", "nothing.vtkhdf --html OUT.html", None),
    "convert": ("SCENE OUT.yaml", "SCENE OUT.txt", None),
    "schema": ("ball", "bal", None),
    "verify": ("'two masses, soft'", "'two mases, soft'", None),
    "replay": ("RUN", "nothing.vtkhdf", None),
    "repair": ("RUN", "nothing.vtkhdf", None),
    "pack": ("RUN --out OUT.vtkhdf", "nothing.vtkhdf", None),
    "export": ("RUN --to csv --out OUT.csv", "RUN --to cvs --out OUT.csv", None),
    "bench": (None, "--no-such-word", None),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Words → files: a scene, a run of it, a scene with a fixed step that is not stable."""
    folder = tmp_path_factory.mktemp("commands")
    scene, wrong = folder / "fall.yaml", folder / "wrong.yaml"
    scene.write_text(TEXT, encoding="utf-8")
    wrong.write_text(TEXT.replace("duration: 0.1", "duration: 1.0\nstepping: {control: fixed, dt: 0.05}").replace(
        "stone: {particle: {position: [0, 0, = height], mass: 1}}",
        "stone: {particle: {position: [0, 0, = height], velocity: [1, 0, 0], mass: 1}}, "
        "post: {particle: {position: [1, 0, 0], mass: 1}}, "
        "string: {linear: {first: stone, second: post, stiffness: 1e12}}"), encoding="utf-8")
    with pytest.raises(SystemExit):
        cli.app(["run", str(scene), "--no-view", "--out", str(folder / "run")])
    return {"SCENE": scene, "WRONG": wrong, "RUN": folder / "run" / RECORDING, "OUT": folder / "out"}


def called(capsys, name, words, files):
    """(exit code, what stands on standard output) with --json."""
    for word, path in files.items():
        words = re.sub(rf"\b{word}\b", str(path), words)
    capsys.readouterr()
    with pytest.raises(SystemExit) as ending:
        cli.app([name, *shlex.split(words), "--json"])
    return ending.value.code or 0, capsys.readouterr().out


def test_every_command_has_its_words():
    assert set(WORDS) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_a_sentence_and_an_example_that_can_be_typed(name, capsys):
    with pytest.raises(SystemExit) as ending:
        cli.app([name, "--help"])
    assert ending.value.code in (0, None)
    assert "Example: robotphi" in " ".join(capsys.readouterr().out.split())
    known = get_command(cli.app).commands[name]
    options = {word for option in known.params for word in (*option.opts, *option.secondary_opts)}
    example = re.search(r"Example: (.*)", COMMANDS[name].__doc__)[1]
    for typed in example.split("; "):
        program, command, *words = shlex.split(re.split(r", for| > ", typed)[0])
        assert (program, command) == ("robotphi", name)
        if name != "bench":   # whose words the benchmark takes
            assert {word for word in words if word.startswith("--")} <= options


@pytest.mark.parametrize("name", [name for name, words in WORDS.items() if words[0] is not None])
def test_what_is_done_ends_by_0_and_leaves_one_document(name, files, capsys):
    code, out = called(capsys, name, WORDS[name][0], files)
    assert (code, type(json.loads(out))) in ((0, dict), (0, list)), out[:500]


@pytest.mark.parametrize("name", [name for name, words in WORDS.items() if words[1] is not None])
def test_bad_input_ends_by_2_and_leaves_one_document(name, files, capsys):
    code, out = called(capsys, name, WORDS[name][1], files)
    told = json.loads(out)
    assert (code, told["exit_code"]) == (2, 2)
    assert told["error"]


@pytest.mark.parametrize("name", [name for name, words in WORDS.items() if words[2] is not None])
def test_what_fails_ends_by_1_and_leaves_one_document(name, files, capsys):
    code, out = called(capsys, name, WORDS[name][2], files)
    assert code == 1
    assert json.loads(out)


def test_a_replay_that_differs_ends_by_1(files, tmp_path, capsys):
    recording = Recording.load(files["RUN"])
    position = recording.position.copy()
    position[-1, 0, 2] += 1e-9
    replace(recording, position=position).save(tmp_path / "other.vtkhdf")
    code, out = called(capsys, "replay", str(tmp_path / "other.vtkhdf"), {})
    assert (code, json.loads(out)["same"]) == (1, False)


@pytest.mark.parametrize("words", [["no-such-command"], ["run"], ["run", "--no-such-option"], ["list", "--threads", "x"]])
def test_wrong_words_are_bad_input_too(words, capsys):
    with pytest.raises(SystemExit) as ending:
        cli.app([*words, "--json"])
    assert ending.value.code == 2
    assert json.loads(capsys.readouterr().out)["exit_code"] == 2
