"""Searches on a closed form: how many evaluations each takes, and what each change of the report's algorithm does."""
import numpy as np
import pytest

from identification.errors import ExperimentError
from identification.problem import FunctionProblem, Outcome, Parameter
from identification.search import Aim, Criterion, Search
from tests.identification.two_masses import TRUTH, closed_form

SEEDS = range(20)


def run(problem, near, target=TRUTH, **settings):
    """(generation, evaluations) at which both parameters were within a share of the truth; None where they never were."""
    search, count = Search(problem, **settings), 0
    while (points := search.ask()) is not None:
        outcomes = problem.evaluate(points)
        for point in points:
            count += 1
            if np.all(np.abs(point / target - 1.0) < near):
                return search.generation, count
        search.tell(outcomes)
    return None


def test_the_genetic_algorithm_finds_both_to_a_hundredth_within_25_generations_and_280_evaluations():
    found = [run(closed_form(), 1e-2, method="genetic", seed=seed) for seed in SEEDS]
    assert all(each is not None and each[0] <= 25 and each[1] <= 280 for each in found), found


@pytest.mark.slow
def test_a_width_by_the_excess_error_takes_five_times_fewer_evaluations_than_a_fixed_one_to_a_thousandth():
    excess = np.median([run(closed_form(), 1e-3, method="genetic", seed=seed)[1] for seed in SEEDS])
    fixed = [run(closed_form(), 1e-3, method="genetic", seed=seed, follows="nothing", width=0.1, generations=300)
             for seed in SEEDS[:6]]
    assert np.median([each[1] if each else 4520 for each in fixed]) >= 5.0 * excess


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.1, 0.3])
def test_noise_does_not_slow_down_a_width_by_the_excess_error(noise):
    def median(noise):
        found = []
        for seed in SEEDS:
            problem = closed_form(noise, seed)
            search = Search(problem, "least_squares", 1, starts=6)
            while (points := search.ask()) is not None:
                search.tell(problem.evaluate(points))
            found.append(run(problem, 1e-2, search.best[0], method="genetic", seed=seed))
        return np.median([each[1] for each in found])

    assert median(noise) <= 1.3 * median(0.0)


@pytest.mark.parametrize(("method", "near", "most"), [
    ("auto", 1e-4, 60), ("least_squares", 1e-6, 150), ("cma", 1e-4, 500),
    pytest.param("evolution", 1e-4, 900, marks=pytest.mark.slow)])
def test_a_method_takes_at_most_so_many_evaluations(method, near, most):
    if method == "cma":
        pytest.importorskip("cma", reason="CMA-ES is not installed: pip install '.[cma]'")
    found = [run(closed_form(), near, method=method, seed=seed) for seed in SEEDS]
    assert all(each is not None and each[1] <= most for each in found), found


def test_the_same_seed_asks_for_the_same_candidates():
    for method in ("auto", "genetic", "least_squares", "evolution"):
        first, second, other = (_asked(method, seed) for seed in (3, 3, 4))
        assert np.array_equal(first, second), method
        assert not np.array_equal(first[:10], other[:10]), method


def _asked(method, seed):
    problem, found = closed_form(), []
    search = Search(problem, method, seed, evaluations=80)
    while (points := search.ask()) is not None:
        found.append(points)
        search.tell(problem.evaluate(points))
    return np.concatenate(found)


def test_no_candidate_leaves_its_bounds_and_none_is_asked_for_twice():
    points = _asked("genetic", 5)
    assert np.all((points >= [0.1, 0.01]) & (points <= [20.0, 2.0]))
    assert len(np.unique(points, axis=0)) == len(points)


def test_integers_stay_whole_and_clones_of_them_cost_nothing():
    box = (Parameter("count", 1, 6, integer=True), Parameter("other", 1, 6, integer=True))
    problem = FunctionProblem(box, lambda values: values - [4.0, 2.0])
    search = Search(problem, "genetic", 1)
    asked = []
    while (points := search.ask()) is not None:
        asked.append(points)
        search.tell(problem.evaluate(points))
    asked = np.concatenate(asked)
    assert np.array_equal(search.best[0], [4.0, 2.0])
    assert np.array_equal(asked, np.round(asked))
    assert len(np.unique(asked, axis=0)) == len(asked)


def criteria_problem():
    """Two criteria of one gene: a is small for small ones, b for large ones."""
    box = (Parameter("x", 0.0, 1.0), Parameter("y", 0.0, 1.0))
    return FunctionProblem(box, lambda values: Outcome(np.zeros(0), criteria={
        "a": float(values[0]**2 + values[1]**2), "b": float((values[0] - 1.0)**2 + values[1]**2)}))


def best_of(mode, **below):
    problem = criteria_problem()
    aim = Aim(tuple(Criterion(name, below.get(name, 0.0)) for name in "ab"), mode)
    search = Search(problem, "genetic", 2, aim, generations=40)
    while (points := search.ask()) is not None:
        search.tell(problem.evaluate(points))
    return search


def test_the_second_criterion_counts_only_among_those_that_satisfy_the_first():
    point, outcome = best_of("priority", a=0.04).best
    assert outcome.criteria["a"] <= 0.04
    assert point[0] == pytest.approx(0.2, abs=0.02)    # as far towards b as a allows


def test_criteria_with_priority_may_be_of_any_size():
    """A distance of thousandths and a cost of thousands: mutations must not follow one by the measure of the other."""
    box = (Parameter("x", 0.0, 1.0), Parameter("y", 0.0, 1.0))
    problem = FunctionProblem(box, lambda values: Outcome(np.zeros(0), criteria={
        "away": 1e-3 * float(values[0]**2 + values[1]**2), "cost": 1e3 * float(2.0 - values[0] + values[1])}))
    aim = Aim((Criterion("away", 4e-5), Criterion("cost")), "priority")
    for seed in range(5):
        search = Search(problem, "genetic", seed, aim, generations=40)
        while (points := search.ask()) is not None:
            search.tell(problem.evaluate(points))
        assert search.best[0] == pytest.approx([0.2, 0.0], abs=0.02), seed


def test_weighted_criteria_meet_in_the_middle_and_without_priority_both_are_satisfied():
    assert best_of("weighted").best[0][0] == pytest.approx(0.5, abs=0.02)
    outcome = best_of("any", a=0.3, b=0.3).best[1]
    assert outcome.criteria["a"] <= 0.3
    assert outcome.criteria["b"] <= 0.3


def test_a_pareto_front_reaches_from_one_criterion_to_the_other_and_none_of_it_is_beaten():
    front = np.array([one.numbers for one in best_of("pareto").front])
    assert len(front) >= 4
    for one in front:
        assert not np.any(np.all(front <= one, axis=1) & np.any(front < one, axis=1))
    assert np.ptp(front[:, 0]) > 0.2


def test_what_does_not_come_to_its_end_is_left_behind():
    def function(values):
        return Outcome(None, "diverged", 0.5 * values[0]) if values[0] > 0.5 else values - [0.3, 0.7]

    problem = FunctionProblem((Parameter("x", 0.0, 1.0, 0.2), Parameter("y", 0.0, 1.0, 0.5)), function)
    for method in ("auto", "genetic", "least_squares", "evolution"):
        search = Search(problem, method, 1, evaluations=600)
        while (points := search.ask()) is not None:
            search.tell(problem.evaluate(points))
        assert np.allclose(search.best[0], [0.3, 0.7], atol=2e-2), method


def test_words_that_a_search_does_not_know_are_refused_with_those_it_knows():
    with pytest.raises(ExperimentError, match="auto, genetic"):
        Search(closed_form(), "annealing")
    with pytest.raises(ExperimentError, match="population"):
        Search(closed_form(), "genetic", poplation=3)
    for wrong in ({"points": -5}, {"points": 0}, {"starts": 2.5}, {"generations": True}, {"points": 10**9}, {"points": "many"}):
        with pytest.raises(ExperimentError, match="give a whole number from 1 to"):
            Search(closed_form(), "auto", **wrong)
    with pytest.raises(ExperimentError, match=r"give a number from 0\.0 to 1\.0"):
        Search(closed_form(), "genetic", width=-0.5)
    with pytest.raises(ExperimentError, match="give one of gaussian"):
        Search(closed_form(), "genetic", mutation="cauchy")
    with pytest.raises(ExperimentError, match="residuals alone"):
        Search(criteria_problem(), "least_squares", aim=Aim((Criterion("a"),)))
