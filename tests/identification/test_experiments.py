"""The experiments of `data/experiments/`: each is fitted, holds its truth, and is told what it cannot tell."""
import csv

import numpy as np
import pytest

from identification.experiment.experiment import Experiment
from identification.fit import fit
from identification.judged import judge_and_write, judge_fit
from identification.problem import DONE
from identification.search import Search
from identification.verdict import judge, refine
from identification.verdict.variants import variants_of
from tests import ROOT
from tests.identification.recordings import FILES, FOLDER, TRUTHS, recordings, restitution

CLOSED = ("two_masses", "slide", "finger", "ligament", "plastic_wire", "bounce")
SAME_MESH = (*CLOSED, "drop")
WANTED = ("links", "reach", "throw")    # nothing was measured
SIMULATED = ("drop", "soft_bar", "cloth_drape")


def judged(name, profiles=True, variants=False):
    """The verdict at the least squares that are reached from the truth."""
    experiment = Experiment.read(FOLDER / name / "experiment.yaml")
    with experiment.problem(0) as problem:
        best, _ = refine(problem, list(TRUTHS[name].values()))
        return judge(problem, best, profiles=profiles, variants=variants_of(experiment, problem, best) if variants else None)


def test_every_experiment_has_a_truth_for_each_parameter_and_a_row_in_the_readme():
    folders = sorted(path.name for path in FOLDER.iterdir())
    assert folders == sorted([*TRUTHS, *WANTED])
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert all(f"`experiments/{name}/`" in readme for name in WANTED)
    for name in TRUTHS:
        experiment = Experiment.read(FOLDER / name / "experiment.yaml")
        assert [each.name for each in experiment.parameters] == list(TRUTHS[name])
        assert all(each.low < TRUTHS[name][each.name] < each.high for each in experiment.parameters)
        assert sorted(path.name for path in (FOLDER / name).glob("*.csv")) == sorted(FILES[name])
        assert f"`experiments/{name}/`" in readme


@pytest.mark.parametrize("name", [*(each for each in TRUTHS if each not in SIMULATED),
                                  *(pytest.param(each, marks=pytest.mark.slow) for each in SIMULATED)])
def test_recordings_are_what_their_command_makes(name):
    for file, (heads, rows) in recordings(name).items():
        with open(FOLDER / name / file, encoding="utf-8", newline="") as text:
            kept = list(csv.reader(text))
        assert tuple(kept[0]) == heads
        np.testing.assert_allclose(np.array(kept[1:], float), rows, atol=2e-4 if name in SIMULATED else 6e-5, rtol=1e-6)


@pytest.mark.parametrize("name", ["two_masses", *(pytest.param(each, marks=pytest.mark.slow) for each in SAME_MESH[1:])])
def test_an_experiment_finds_its_truth(name):
    """Within three standard deviations: 3 of 1000 such values would not be."""
    verdict = judged(name, profiles=False)
    for finding, truth in zip(verdict.findings, TRUTHS[name].values(), strict=True):
        assert finding.identified, finding.sentence()
        half = max(truth - finding.low, finding.high - truth) / verdict.spread.quantile
        assert finding.low - 0.6 * half < truth < finding.high + 0.6 * half, finding.sentence()
    assert all(each.rms < 1.3 for each in verdict.held_out)


def test_the_restitutions_that_the_page_tells_are_those_of_its_losses():
    page = (ROOT / "docs" / "identification.md").read_text(encoding="utf-8")
    told, losses = ([float(each) for each in line.split("|")[2:-1]] for line in page.splitlines()
                    if line.startswith(("| restitution |", "| `loss` |")))
    assert len(told) == 10
    assert [restitution(loss) for loss in losses] == pytest.approx(told, abs=2e-4)


def test_two_springs_in_series_are_told_to_be_confounded():
    assert judged("two_in_series").groups == (("first", "second"),)


@pytest.mark.slow
def test_a_coarse_bar_is_said_to_move_its_modulus_towards_the_truth():
    verdict = judged("soft_bar", profiles=False, variants=True)
    finer = next(check for check in verdict.checks if "finer mesh" in check.name)
    young = verdict.findings[0]
    assert not young.low < TRUTHS["soft_bar"]["young"] < young.high   # the mesh shows: the interval alone would be wrong
    assert young.value * np.exp(finer.shift[0] * young.sd) == pytest.approx(TRUTHS["soft_bar"]["young"], rel=0.005)
    assert "young" in [name for name, _ in finer.moved([finding.name for finding in verdict.findings])]
    others = [check for check in verdict.checks if check is not finer]
    assert len(others) == 2
    assert not any(check.moved(["young", "poisson", "damping"]) for check in others)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["soft_bar", "cloth_drape"])
def test_a_verdict_on_a_coarse_mesh_holds_the_truth_of_ever_finer_ones(name):
    experiment = Experiment.read(FOLDER / name / "experiment.yaml")
    with experiment.problem(0) as problem:
        verdict = judge_fit(experiment, problem, fit(experiment, problem=problem, exact=False))
    assert "ever finer meshes" in " ".join(verdict.sentences())
    for finding, truth in zip(verdict.findings, TRUTHS[name].values(), strict=True):
        assert finding.low <= truth <= finding.high, finding.sentence()


@pytest.mark.slow
def test_a_cloth_that_hardly_stretches_has_no_upper_bound_of_its_stiffness():
    finding = judged("cloth_drape").findings[2]
    assert finding.state == "bounded below"
    assert finding.low < TRUTHS["cloth_drape"]["stretching"]


@pytest.mark.slow
def test_gains_that_bring_a_finger_to_its_goal_sooner_are_found_in_five_generations(tmp_path):
    """I4 of the report (Salisbury's finger, λ = 457.6, μ = 10.33 after 100 generations of 10), beside its gains under one limit
    of the force: within 1e-5 m of the goal and below 1e-4 m/s for good, in 0.85 of the time at most.
    """
    experiment = Experiment.read(FOLDER / "reach" / "experiment.yaml")
    with experiment.problem(0) as problem:
        report, = problem.evaluate(problem.start)
        found = fit(experiment, problem=problem)
        told = judge_and_write(tmp_path, experiment, problem, found)
    assert found.generations <= 6                     # the first is drawn at random
    assert report.criteria["still"] < 0.6             # the report's gains arrive as well
    assert max(found.outcome.criteria[name] for name in ("near", "still")) <= 0.85 * max(
        report.criteria[name] for name in ("near", "still"))
    assert list(told["written"]) == ["scene"]         # nothing was measured: there is no verdict


def searched(name):
    """[(generation, criteria)] of candidates of a search that come to their end; those of the best one, of the start."""
    experiment = Experiment.read(FOLDER / name / "experiment.yaml")
    with experiment.problem(0) as problem:
        [start] = problem.evaluate(problem.start)
        chosen, seen = experiment.fit, []
        search = Search(problem, chosen["method"], chosen["seed"], chosen["aim"], **chosen["settings"])
        while (points := search.ask()) is not None:
            outcomes = problem.evaluate(points)
            seen += [(search.generation, each.criteria) for each in outcomes if each.status == DONE]
            search.tell(outcomes)
    return seen, search.best[1].criteria, start.criteria


@pytest.mark.slow
def test_an_elastic_pyramid_flies_like_a_rigid_one_at_half_the_cost_of_the_first_that_does():
    """I2 of the report (within 9e-4 from generation 7 on, 0.00089 after 37), of all particles in place of the centre alone: its
    path is right whatever the springs are.
    """
    seen, best, start = searched("throw")
    assert start["away"] > 9e-4
    generation, first = next((number, each) for number, each in seen if each["away"] <= 9e-4)
    assert generation <= 3
    assert best["away"] <= 9e-4
    assert best["evaluations"] <= 0.5 * first["evaluations"]


@pytest.mark.slow
def test_links_are_held_together_more_closely_than_by_hand_in_fewer_evaluations():
    """I3 of the report (by hand 2.0e-7 m and 157 s, by its algorithm 4.05e-8 m and 35 s), where 0.04 mN draw at them.

    The human's settings start the search. What made them dear, dampers that force small steps, forces none here.
    """
    _, best, human = searched("links")
    assert human["gap"] == pytest.approx(2e-7, rel=0.1)
    assert best["gap"] <= 4e-8
    assert best["evaluations"] <= 0.4 * human["evaluations"]
