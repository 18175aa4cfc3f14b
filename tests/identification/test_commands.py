"""The command line: check, fit, resume: what they say, and by which code they end."""
import json

import pytest
from typer.testing import CliRunner

from identification.commands.cli import app
from identification.running.journal import JOURNAL
from tests.identification.two_masses import TRUTH, write


def call(*words):
    found = CliRunner().invoke(app, [str(each) for each in words])
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    return found.exit_code, found.output


def said(output):
    """The JSON document in what was written to standard output and standard error."""
    return json.loads(output[output.index("{"):output.rindex("}") + 1])


def test_check_tells_columns_units_costs_corners_and_effects(tmp_path):
    code, told = call("check", write(tmp_path), "--json")
    found = said(told)
    assert code == 0
    assert [(each["name"], each["unit"], each["instants"], each["noise"]) for each in found["series"]] == [
        ("length", "mm", 25, pytest.approx(0.01))]
    assert found["attempts"] > 100
    assert [each["status"] for each in found["corners"]] == ["done"] * 4
    assert all(each["effect of 1 %"] > 10.0 for each in found["parameters"])
    assert found["without effect"] == []
    assert found["confounded"] == []


@pytest.mark.slow
def test_check_finds_corners_that_are_refused(tmp_path):
    code, told = call("check", write(tmp_path, box="[-1, 20], start: 8"), "--json")
    assert code == 0
    assert [each["status"] for each in said(told)["corners"]] == ["refused", "refused", "done", "done"]


def test_a_parameter_without_effect_is_refused_by_name(tmp_path):
    path = write(tmp_path)
    path.write_text(path.read_text().replace("runs:\n", "  nothing: {set: left.contact, bounds: [0, 1]}\nruns:\n").replace(
        "{set: left.contact", "{set: scene.gravity"))
    path.write_text(path.read_text().replace("scene.gravity", "energy_tolerance"))   # a knob that its control does not look at
    code, told = call("check", path)
    assert code == 2
    assert "nothing: nothing that is compared depends on it" in told


def test_two_parameters_that_make_up_for_each_other_are_named(tmp_path):
    path = write(tmp_path)
    path.write_text(path.read_text().replace("runs:\n", "  mass: {set: [left.mass, right.mass], unit: kg, bounds: [0.5, 2], "
                                             "start: 1}\nruns:\n"))
    [group] = said(call("check", path, "--json")[1])["confounded"]
    assert set(group["names"]) >= {"stiffness", "mass"}    # λ/m and μ/m are all that shows


@pytest.mark.slow
def test_fit_and_resume_come_to_the_same_end_and_a_folder_is_never_written_over(tmp_path):
    path, folder = write(tmp_path, noise="1 mm"), tmp_path / "run"
    code, told = call("fit", path, "--out", folder, "--json", "--workers", "0")
    assert code == 0
    values = said(told)["values"]
    assert [values["stiffness"], values["viscosity"]] == pytest.approx(TRUTH, rel=2e-3)
    whole = (folder / JOURNAL).read_bytes()
    code, told = call("fit", path, "--out", folder)
    assert (code, "resume" in told) == (2, True)
    (folder / JOURNAL).write_bytes(whole[:len(whole) // 2])
    code, told = call("resume", folder, "--json", "--workers", "0")
    assert code == 0
    assert said(told)["values"] == values
    assert (folder / JOURNAL).read_bytes() == whole


@pytest.mark.parametrize("words", [("fit", "nothing.yaml"), ("resume", "nowhere"), ("check", "nothing.yaml"),
                                   ("fit", "nothing.yaml", "--workers", "many")])
def test_bad_words_are_bad_input_without_a_traceback(words):
    code, told = call(*words)
    assert code == 2
    assert "Traceback" not in told


@pytest.mark.parametrize("kept", ["{}", "[]", "3", "", '{"experiment": 3, "settings": {}}',
                                  '{"experiment": "a.yaml", "settings": 3}'])
def test_a_folder_whose_facts_are_no_facts_is_bad_input(tmp_path, kept):
    (tmp_path / "fit.json").write_text(kept)
    for word in ("resume", "report"):
        code, told = call(word, tmp_path)
        assert (code, "holds no fit" in told) == (2, True)


def test_data_cannot_make_it_run_code(tmp_path):
    path = write(tmp_path)
    for bad in ("!!python/object/apply:os.system ['touch hacked']", "= __import__('os').system('touch hacked')"):
        path.write_text(write(tmp_path).read_text().replace("0.01 mm", bad))
        code, told = call("check", path)
        assert code == 2
        assert "two.yaml" in told or "noise of 'length'" in told
    assert not list(tmp_path.glob("**/hacked"))
