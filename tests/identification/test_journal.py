"""The journal: the same bytes whoever evaluates, and the same end after whatever cut it off."""
import os
import signal
from dataclasses import dataclass

import numpy as np
import pytest

from identification.errors import JournalError
from identification.experiment.experiment import Experiment
from identification.fit import fit, search_for
from identification.problem import FunctionProblem, Outcome
from identification.running.journal import JOURNAL, Journal, Journaled, entry_of, outcome_of, read_journal
from identification.running.pool import Here, Workers
from identification.search import Aim
from tests.identification.two_masses import BOX, TRUTH, closed_form, stretch, write

DEADLY = 1.95   # viscosity of candidates that kill
CHOSEN = {"method": "genetic", "seed": 1, "aim": Aim(), "evaluations": 60, "settings": {}}


@dataclass(frozen=True)
class ClosedForm:
    """A plan that evaluates by itself; one candidate may kill its worker, always or once."""
    deadly: float = 0.0        # viscosities above it kill …
    once: str | None = None    # … but only while this file is not there

    def evaluator(self):
        return self

    def outcome(self, values, limits, held_out):
        if self.deadly and values[1] > self.deadly and not (self.once and os.path.exists(self.once)):
            if self.once:
                open(self.once, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return Outcome((stretch(*values) - stretch(*TRUTH))[:3], attempts=int(100 * values[0]))


class Pooled(FunctionProblem):
    """The closed form behind a pool."""

    def __init__(self, pool):
        super().__init__(BOX, lambda values: stretch(*values))
        self.pool = pool

    def evaluate(self, points, held_out=False):
        outcomes, self.told = self.pool.run([(tuple(map(float, point)), None, held_out) for point in np.atleast_2d(points)],
                                            np.atleast_2d(points)[:, 0])
        return outcomes


def journal_of(folder, pool, resume=False):
    try:
        found = search_for(Pooled(pool), CHOSEN, folder, {"made": "test"}, resume)
    finally:
        pool.close()
    return (folder / JOURNAL).read_bytes(), found


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    return journal_of(tmp_path_factory.mktemp("serial") / "run", Here(ClosedForm()))


@pytest.mark.parametrize("workers", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_any_number_of_workers_leaves_the_same_bytes(tmp_path, serial, workers):
    assert journal_of(tmp_path / "run", Workers(workers, ClosedForm()))[0] == serial[0]


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_nothing(tmp_path, serial):
    pool = Workers(2, ClosedForm(1.5, str(tmp_path / "killed")))
    assert journal_of(tmp_path / "run", pool)[0] == serial[0]
    assert (tmp_path / "killed").exists()


@pytest.mark.slow
def test_a_candidate_that_kills_its_workers_is_lost_and_counted(tmp_path):
    one, found = journal_of(tmp_path / "one", Workers(1, ClosedForm(DEADLY)))
    assert one == journal_of(tmp_path / "two", Workers(2, ClosedForm(DEADLY)))[0]
    assert found.counts["lost"] == sum(point[1] > DEADLY for point, _ in read_journal(tmp_path / "one"))
    assert found.counts["lost"] > 0


def test_torn_at_any_byte_of_its_last_line_it_goes_on_to_the_same_end(tmp_path, serial):
    whole, folder = serial[0], tmp_path / "run"
    lines = whole.split(b"\n")
    last = len(lines[-2]) + 1
    for cut in range(1, last + 1):
        folder.mkdir(exist_ok=True)
        (folder / JOURNAL).write_bytes(whole[:-cut])
        assert journal_of(folder, Here(ClosedForm()), resume=True)[0] == whole


@pytest.mark.parametrize("kept", [0, 1, 5, 21, 60])
def test_cut_off_anywhere_it_goes_on_to_the_same_end(tmp_path, serial, kept):
    folder = tmp_path / "run"
    folder.mkdir()
    lines = serial[0].split(b"\n")
    (folder / JOURNAL).write_bytes(b"\n".join(lines[:kept]) + (b"\n" + lines[kept][:10] if kept < len(lines) else b""))
    data, found = journal_of(folder, Here(ClosedForm()), resume=True)
    assert data == serial[0]
    assert np.array_equal(found.point, serial[1].point)


def test_known_answers_are_not_evaluated_again(tmp_path, serial):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / JOURNAL).write_bytes(serial[0])

    class Nobody:
        def run(self, tasks, expected):
            raise AssertionError("asked for what is known")

        def close(self):
            pass

    assert journal_of(folder, Nobody(), resume=True)[0] == serial[0]


def test_outcomes_come_back_to_the_bit():
    outcome = Outcome(np.array([0.1, -0.0, 1e-320, 1e300]), "done", 1.0, 7, {"a": 1.0 / 3.0})
    again = outcome_of(entry_of([0.1], outcome))
    assert again.residuals.tobytes() == outcome.residuals.tobytes()
    assert (again.status, again.reached, again.attempts, again.criteria) == ("done", 1.0, 7, {"a": 1.0 / 3.0})


def test_a_journal_is_never_written_over_and_never_gone_on_with_by_another_fit(tmp_path):
    Journal(tmp_path, {"seed": 1}).close()
    with pytest.raises(JournalError, match="resume"):
        Journal(tmp_path, {"seed": 1})
    with pytest.raises(JournalError, match="other seed"):
        Journal(tmp_path, {"seed": 2}, resume=True)


def test_another_candidate_than_then_is_refused_with_its_line(tmp_path):
    problem = closed_form()
    journal = Journal(tmp_path, {})
    Journaled(problem, journal).evaluate([[5.0, 0.5], [6.0, 0.5]])
    journal.close()
    again = Journal(tmp_path, {}, resume=True)
    with pytest.raises(JournalError, match=r"journal.jsonl:3: .*another candidate"):
        Journaled(problem, again).evaluate([[5.0, 0.5], [7.0, 0.5]])
    again.close()


@pytest.mark.slow
def test_a_fit_of_simulations_has_the_same_journal_by_itself_and_by_two_workers(tmp_path):
    path = write(tmp_path, fit="{method: auto, evaluations: 30}", noise="1 mm")
    for workers in (0, 2):
        fit(path, tmp_path / f"run{workers}", workers=workers)
    assert (tmp_path / "run0" / JOURNAL).read_bytes() == (tmp_path / "run2" / JOURNAL).read_bytes()


@pytest.mark.slow
def test_killed_at_random_moments_a_fit_resumes_to_the_same_end(tmp_path):
    import subprocess
    import sys

    path = write(tmp_path, fit="{method: genetic, evaluations: 150, workers: 0}")
    fit(path, tmp_path / "straight")
    whole, stream, killed = (tmp_path / "straight" / JOURNAL).read_bytes(), np.random.default_rng(0), 0
    folder = tmp_path / "run"
    for moment in stream.uniform(0.0, 1.0, 20):
        words = ["resume", str(folder)] if (folder / "fit.json").exists() else ["fit", str(path), "--out", str(folder)]
        process = subprocess.Popen([sys.executable, "-c", "from identification.commands.cli import main; main()", *words],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        size = int(moment * len(whole))
        while process.poll() is None:   # it ends by itself where it is not killed
            if (folder / JOURNAL).exists() and (folder / JOURNAL).stat().st_size >= size:
                process.kill()
                killed += 1
                break
            os.sched_yield()
        assert process.wait() in (0, -signal.SIGKILL), process.stderr.read()
        if (folder / JOURNAL).exists() and (folder / "fit.json").exists() and stream.uniform() < 0.5:
            data = (folder / JOURNAL).read_bytes()
            (folder / JOURNAL).write_bytes(data[:int(0.7 * len(data))])
    fit(Experiment.read(path), folder, resume=True)
    assert (folder / JOURNAL).read_bytes() == whole
    assert killed >= 10
