"""Scene files with something wrong in them end in words with a place, soon; `python -m tests.fuzz.mutated_files` makes more."""
import pytest

from robotphi.language import limits
from tests.fuzz import mutated_files
from tests.fuzz.mutated_files import mutated, run_many, sources

SAMPLE, MANY = 150, 4000


@pytest.fixture(autouse=True)
def no_clock(monkeypatch):
    """What a file asks for is bounded by counts here, not by seconds."""
    monkeypatch.setattr(mutated_files, "LONGEST", float("inf"))
    monkeypatch.setattr(limits, "MOST_PARTICLES", 20_000)
    monkeypatch.setattr(limits, "MOST_REPEATED", 10_000)


def troubles(first, count):
    return [(outcome.seed, outcome.trouble) for outcome in run_many(first, count) if outcome.trouble]


def test_a_file_with_something_wrong_is_told_with_its_place():
    assert troubles(0, SAMPLE) == []


@pytest.mark.slow
def test_thousands_of_files_with_something_wrong_are_told_with_their_places():
    assert troubles(SAMPLE, MANY) == []


def test_a_seed_makes_the_same_file_again_and_many_kinds_of_wrong():
    texts = sources()
    assert len(texts) >= 16
    made = [mutated(seed, texts) for seed in range(300)]
    assert made == [mutated(seed, texts) for seed in range(300)]
    assert len({*made}) > 280


def test_a_traceback_is_seen(monkeypatch):
    def fails(*args, **options):
        raise KeyError("slip")

    monkeypatch.setattr("robotphi.scenario.scene_file.SceneFile", fails)
    assert any("KeyError" in trouble for _, trouble in troubles(0, 3))
