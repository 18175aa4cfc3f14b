"""The league: methods on problems whose truth is known."""
import numpy as np
import pytest

from identification.league import TRUTHS, play, winners
from identification.league.figure import draw
from identification.league.league import Row
from identification.verdict import judge, refine


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.name)
def test_a_truth_is_within_three_sd_of_the_least_squares_from_it(truth):
    problem = truth.problem(0)
    best, _ = refine(problem, list(truth.values))
    verdict = judge(problem, best, profiles=False)
    assert verdict.spread.size == pytest.approx(1.0, abs=0.4)
    hidden = {finding.name for finding in verdict.findings if finding.state == "confounded"}
    assert hidden == set(truth.hidden)
    for finding, value in zip(verdict.findings, truth.values, strict=True):
        wide = finding.high - finding.low
        assert finding.low - 0.3 * wide <= value <= finding.high + 0.3 * wide, finding.sentence()


def test_the_noise_of_a_truth_is_as_told():
    for truth in TRUTHS:
        rows = np.array([truth.problem(seed).evaluate([truth.values])[0].residuals for seed in range(200)])
        assert np.mean(rows ** 2) == pytest.approx(1.0, abs=0.1)
        assert np.mean(rows[:, 1:] * rows[:, :-1]) == pytest.approx(truth.correlation, abs=0.1)


def test_least_squares_wins_where_noise_is_white():
    rows = play(2, methods=("least_squares", "auto", "genetic"), truths=TRUTHS[:1])
    assert winners(rows)["noise"] in ("auto", "least_squares")
    assert rows[-1].method == "genetic"
    assert all(row.told == 4 for row in rows)


def test_nobody_wins_where_nobody_arrives():
    rows = play(2, methods=("genetic",), truths=TRUTHS[:1], most=20)
    assert rows[0].arrived == 0
    assert winners(rows) == {"noise": None}


def test_a_method_that_cannot_play_says_why():
    rows = play(1, methods=("auto", "no such method"), truths=TRUTHS[:1])
    assert rows[-1].method == "no such method"
    assert "give one of" in rows[-1].missing or "no such method" in rows[-1].missing


def test_the_league_is_drawn(tmp_path):
    rows = [Row("noise", "auto", 2, 2, 30.0, 40.0, 4, 4, 2), Row("noise", "genetic", 2, 0, np.inf, 600.0, 4, 3, 2)]
    assert draw(rows, tmp_path / "league.png", 600).stat().st_size > 10_000


@pytest.mark.slow
def test_a_null_direction_is_named_wherever_in_its_valley_a_fit_ends():
    truth = TRUTHS[-1]
    problem = truth.problem(1)
    for first in (9.0, 12.0, 30.0, 100.0):
        second = 1 / (1 / 12.0 + 1 / 20.0 - 1 / first)
        verdict = judge(problem, refine(problem, [first, second, 0.1])[0])
        assert verdict.groups == (("first", "second"),)
        assert verdict.findings[2].identified
