"""What is written of a fit: verdict, report, scene; and the next experiment among files."""
import json

import pytest

from identification.errors import ExperimentError
from identification.experiment.experiment import Experiment
from identification.fit import fit
from identification.judged import judge_fit, suggest_next, write_judgement
from robotphi import read_scene
from tests.identification.recordings import FOLDER

NAME = "two_masses"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder, kept = tmp_path_factory.mktemp("runs") / NAME, {}
    experiment = Experiment.read(FOLDER / NAME / "experiment.yaml")

    def after(problem, found):
        kept["verdict"] = judge_fit(experiment, problem, found)
        kept["paths"] = write_judgement(folder, experiment, problem, found, kept["verdict"], {"command": "test"})

    kept["fit"] = fit(experiment, folder, after=after, workers=0)
    return experiment, kept


def test_the_verdict_is_json_that_says_what_the_sentences_say(written):
    _, kept = written
    document = json.loads(kept["paths"]["verdict"].read_text(encoding="utf-8"))
    assert [each["says"] for each in document["parameters"]] == [each.sentence() for each in kept["verdict"].findings]
    assert all(each["identified"] and each["low"] < each["value"] < each["high"] for each in document["parameters"])
    assert [each["run"] for each in document["held_out"]] == ["pull_2"]
    assert {each["name"] for each in document["checks"]} == {"ever smaller budgets", "half the largest step"}


def test_the_fitted_scene_is_a_scene_file_with_the_fitted_values(written):
    _, kept = written
    scene = read_scene(kept["paths"]["scene"])
    assert scene.things["spring"].stiffness == pytest.approx(kept["fit"].values["stiffness"])


def test_the_report_has_the_history_of_the_search_alone(written):
    _, kept = written
    text = kept["paths"]["report"].read_text(encoding="utf-8")
    assert f"{kept['fit'].evaluations} evaluations" in text
    assert kept["verdict"].findings[0].sentence() in text


def test_the_next_experiment_is_chosen_among_files(written):
    experiment, kept = written
    said = {"stiffness": {"set": "stiffness", "unit": "N/m", "bounds": [0.1, 20]},
            "viscosity": {"set": "viscosity", "unit": "N·s/m", "bounds": [0.01, 2], "scale": "log"}}
    compare = {"length": {"sensor": "length", "column": "length [mm]", "noise": "0.5 mm"}}
    runs = {stretch: {"pull": {"file": "pull_1.csv", "time": "t [s]", "scene": {"stretch": stretch}}}
            for stretch in (0.05, 0.3)}
    candidates = {f"stretched by {stretch:g} m": Experiment.of(str(FOLDER / NAME / "scene.yaml"), said, run, compare,
                                                               folder=FOLDER / NAME) for stretch, run in runs.items()}
    told = suggest_next(experiment, kept["verdict"], candidates)
    assert told[0].name == "stretched by 0.3 m"
    assert max(told[0].ratio) < min(told[1].ratio) < 1.0
    other = Experiment.of(str(FOLDER / NAME / "scene.yaml"), {"stiffness": said["stiffness"]}, runs[0.3], compare,
                          folder=FOLDER / NAME)
    with pytest.raises(ExperimentError, match="the same ones"):
        suggest_next(experiment, kept["verdict"], {"other": other})
