"""The end of a fit: values follow smaller budgets as far as the data can tell, and no further."""
from dataclasses import dataclass, replace

import numpy as np
import pytest

from identification.experiment.experiment import Experiment
from identification.finish import finish
from identification.fit import fit, search_for
from identification.judged import judge_and_write, judge_fit
from identification.problem import FunctionProblem, Problem
from identification.running.journal import JOURNAL
from identification.search import Aim
from identification.verdict import refine
from identification.verdict.checks import SAID, SMALLER
from identification.verdict.corrected import Corrected
from robotphi import read_scene
from tests.identification.two_masses import BOX, TIMES, TRUTH, stretch, write


@dataclass
class Biased(Problem):
    """Two masses whose simulation sees them stiffer, the more the larger its budget, and costs more the smaller that is."""
    data: np.ndarray
    sigma: float
    budget: float = 1.0
    parameters: tuple = BOX

    def __post_init__(self):
        self.series = FunctionProblem(BOX, lambda values: stretch(*values)).series

    def evaluate(self, points, held_out=False):
        exact = FunctionProblem(BOX, lambda values: (stretch(*(values * (1.0 + 1e-3 * self.budget))) - self.data) / self.sigma)
        return [replace(each, attempts=round(1000 / np.sqrt(self.budget))) for each in exact.evaluate(points)]

    def finer(self, budget):
        return Biased(self.data, self.sigma, budget)


@dataclass
class Shaken(Biased):
    """The same, and with an error that no parameter makes up for."""

    def evaluate(self, points, held_out=False):
        left = 1e-4 * self.budget * np.cos(7.0 * TIMES) / self.sigma
        return [replace(each, residuals=each.residuals + left) for each in super().evaluate(points)]

    def finer(self, budget):
        return Shaken(self.data, self.sigma, budget)


def ended(sigma, spent=100_000, seed=3):
    noise = np.random.default_rng(seed).standard_normal(len(TIMES))
    problem = Biased(stretch(*TRUTH) + sigma * noise, sigma)
    best, _ = refine(problem, TRUTH)
    return problem, best, finish(problem, best, problem.evaluate(best)[0], spent)


def test_noise_that_hides_the_budget_leaves_the_scene_its_own():
    problem, best, found = ended(1e-2)
    assert (found.budget, list(found.point)) == (1.0, list(best))
    assert len(found.tried) == 1                   # one evaluation tells


@pytest.mark.parametrize("sigma", [1e-5, 1e-6])
def test_values_follow_the_budget_to_where_a_tenth_of_it_moves_them_no_more_than_is_passed_over(sigma):
    problem, best, found = ended(sigma)
    exact, _ = refine(problem.finer(1e-9), TRUTH)   # what the data would say of an exact simulation
    moved = np.abs(best / exact - 1.0).max()
    assert moved > 5e-4
    assert np.abs(found.point / exact - 1.0).max() < 2e-2 * moved
    assert np.array_equal(found.outcome.residuals, problem.finer(found.budget).evaluate(found.point)[0].residuals)


def test_data_ten_times_as_exact_ask_for_a_tenth_of_the_budget():
    budgets = [ended(sigma, spent=10**8)[2].budget for sigma in (1e-3, 1e-4, 1e-5)]
    assert np.divide(budgets[1:], budgets[:-1]) == pytest.approx([0.1, 0.1])


def test_no_evaluation_takes_more_attempts_than_the_search_took():
    budgets = {spent: ended(1e-7, spent)[2].budget for spent in (3_000, 12_000, 1_000_000)}
    assert list(budgets.values()) == sorted(budgets.values(), reverse=True)
    assert budgets[12_000] >= 0.01 > budgets[1_000_000]
    assert all(1000 / np.sqrt(budget) <= 1.1 * spent for spent, budget in budgets.items())


def test_a_corrected_problem_has_the_finer_residuals_where_it_was_corrected_and_the_coarse_slopes_about_it():
    problem, best, _ = ended(1e-5)
    finer = problem.finer(0.01)
    corrected = Corrected(problem, finer, best)
    assert np.allclose(corrected.evaluate(best)[0].residuals, finer.evaluate(best)[0].residuals, rtol=0, atol=1e-9)
    away = best * [1.001, 0.99]
    moves = [np.subtract(each.evaluate(away)[0].residuals, each.evaluate(best)[0].residuals) for each in (corrected, problem)]
    assert np.allclose(*moves, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_where_the_budget_is_what_is_left_no_more_rounds_are_spent_and_the_fit_follows_it(seed):
    chosen = {"method": "auto", "seed": seed, "settings": {}, "evaluations": 2000, "aim": Aim(), "exact": True}
    found = search_for(Shaken(stretch(*TRUTH), 1e-5), chosen)
    assert found.evaluations <= 60
    assert np.abs(found.point / TRUTH - 1.0).max() < 1e-4


@pytest.mark.parametrize("seed", range(3))
def test_what_no_budget_explains_is_searched_for_in_more_rounds(seed):
    wrong = stretch(*TRUTH) + 1e-3 * np.sin(9.0 * TIMES)   # which no two masses do
    chosen = {"method": "auto", "seed": seed, "settings": {}, "evaluations": 2000, "aim": Aim(), "exact": False}
    assert search_for(Shaken(wrong, 1e-5), chosen).evaluations > 80


@pytest.mark.slow
def test_a_fit_at_a_coarse_budget_is_as_exact_as_its_data_and_says_at_which_budget(tmp_path):
    path = write(tmp_path, fit="{method: least_squares, seed: 1, workers: 0, settings: {starts: 1}}", noise="0.01 mm",
                 box="[0.1, 20], start: 8", drawn=1e-5)
    path.write_text(path.read_text().replace("frames: 25}", "frames: 25, budget: 1e-4}"))
    experiment, folder = Experiment.read(path), tmp_path / "run"
    kept = []

    def judged(asked, found):
        kept.append(judge_and_write(folder, experiment, asked, found)["verdict"])

    with experiment.problem(0) as problem:
        rough = fit(experiment, problem=problem, exact=False)
        found = fit(experiment, folder, problem=problem, after=judged)
        whole = (folder / JOURNAL).read_bytes()
        (folder / JOURNAL).write_bytes(whole[:-200])
        again = fit(experiment, folder, True, problem=problem, after=judged)
    assert rough.budget == 1.0
    for coarse, truth, told in zip(rough.point, TRUTH, kept[0]["parameters"], strict=True):
        assert told["low"] < truth < told["high"]
        assert not told["low"] < coarse < told["high"]
    assert list(again.point) == list(found.point)
    assert (folder / JOURNAL).read_bytes() == whole
    assert read_scene(folder / "fitted.yaml").stepping.budget == pytest.approx(1e-4 * found.budget)
    assert f"those of a budget of {1e-4 * found.budget:.3g}" in " ".join(kept[0]["says"])
    tenth = next(each for each in kept[0]["checks"] if each["name"] == "ever smaller budgets")
    assert max(map(abs, tenth["shift_over_sd"])) < SAID


@pytest.mark.parametrize("budget", [1e-3, pytest.param(1e-5, marks=pytest.mark.slow)])
def test_what_ever_smaller_budgets_would_move_is_the_whole_error_of_the_budget(tmp_path, budget):
    path = write(tmp_path, fit="{method: least_squares, seed: 1, workers: 0, exact: false, settings: {starts: 1}}",
                 box="[0.1, 20], start: 8")
    path.write_text(path.read_text().replace("frames: 25}", f"frames: 25, budget: {budget:g}}}"))
    experiment = Experiment.read(path)
    with experiment.problem(0) as problem:
        found = fit(experiment, problem=problem)
        told = next(each for each in judge_fit(experiment, problem, found, profiles=False).checks if each.name == SMALLER)
    share = (np.array(told.values) - found.point) / (TRUTH - found.point)
    assert np.all((share > 1.0) & (share < 1.25 / 0.9))    # nothing beyond what errors that fall by ten would leave
