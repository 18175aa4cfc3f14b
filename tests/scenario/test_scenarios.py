"""Every scenario builds, runs short, passes its own check and is drawn; slow: at full length, and within every budget."""
import numpy as np
import pytest

from robotphi import simulate
from robotphi.errors import CheckFailed
from robotphi.record.balance import check_balance
from robotphi.record.recording import Recording
from robotphi.scenario.file import accepted, list_scenarios, load_scenario, scenario_folder

SCENARIOS = sorted(list_scenarios())
TIGHT = ("two_masses", "spring_pendulum", "spinning_body")  # which also keep a budget of 1e-8
# seconds at full length and the smallest budget
LONG = ("cloth_study", "cloth_waves", "soft_bar", "table", "cable", "discretisations", "tumbling", "stack",
        "pyramid_on_table", "sphere_into_soft", "cloth_on_sphere", "pinch", "falling_plate", "peg_in_hole", "pneumatic_finger",
        "soft_gripper")
FULL = {"soft_bar": {"finest": 8, "refinements": 2},                      # half a minute at all that `robotphi run` does
        "table": {"finest": 24, "refinements": 2, "facet": 12}, "soft_gripper": {"pressure": 7e4}}


@pytest.fixture(params=SCENARIOS, scope="module")
def scenario(request):
    return load_scenario(request.param)


@pytest.fixture(scope="module")
def short(scenario):
    """What the scenario gives to its check when run short; looked at by several tests."""
    module = scenario.module
    return given_by(module, quick(scenario, getattr(module, "run", module.build)))


def quick(scenario, function, **more):
    """The knobs of QUICK, and more, that a function of the scenario takes."""
    return accepted(function, {**scenario.module.QUICK, **more})


def given_by(module, knobs):
    """One recording, or several by name."""
    study = getattr(module, "run", None)
    return study(**knobs) if study else simulate(module.build(**knobs))


def all_of(result):
    return [result] if isinstance(result, Recording) else list(result.values())


def residual_share(recording):
    """Largest residual so far over the reference energy so far, the worst of all frames with energy in them."""
    largest, reference = recording.ledger["largest_residual"], recording.ledger["reference_energy"]
    return float((largest[reference > 0] / reference[reference > 0]).max())


def test_a_scenario_passes_its_own_check_when_run_short(scenario, short):
    for recording in all_of(short):
        assert recording.status == "done"
        assert np.isfinite(recording.position).all()
        assert np.isfinite(recording.velocity).all()
        check_balance(recording)
    figures = scenario.module.check(short, **quick(scenario, scenario.module.check))
    assert figures
    assert all(np.isfinite(value) for value in figures.values())


@pytest.mark.slow
def test_a_scenario_passes_its_own_check_at_full_length(scenario):
    knobs = FULL.get(scenario.name, {})
    figures = scenario.module.check(given_by(scenario.module, knobs), **knobs)
    assert figures
    assert all(np.isfinite(value) for value in figures.values())


def test_a_scenario_draws_its_pictures(scenario, short, tmp_path):
    from matplotlib.image import imread

    draw = scenario.module.draw
    pictures = draw(short, tmp_path, **quick(scenario, draw))
    assert len(pictures) >= 2
    for path in pictures:
        assert path.parent == tmp_path
        if path.suffix == ".html":        # a page that plays it
            assert path.stat().st_size > 10_000
        else:
            assert imread(path).std() > 0.02  # not blank


@pytest.mark.slow
@pytest.mark.parametrize("budget", [1e-2, 1e-4, 1e-6])
def test_the_ledger_closes_within_the_budget(scenario, budget):
    build, variants = scenario.module.build, getattr(scenario.module, "VARIANTS", None)
    length = quick(scenario, build) if scenario.name in LONG else {}
    for more in [{"variant": name} for name in variants] if variants else [{}]:
        recording = simulate(build(**{**length, **more, "budget": budget}))
        assert recording.status == "done"
        assert residual_share(recording) <= budget, more


@pytest.mark.parametrize("name", TIGHT)
def test_the_ledger_closes_within_a_hundred_millionth(name):
    assert residual_share(simulate(load_scenario(name).module.build(budget=1e-8))) <= 1e-8


def test_a_scenario_without_its_physics_fails_its_check():
    pendulum = load_scenario("spring_pendulum").module
    recording = simulate(pendulum.build(duration=1.0, frames=50))
    with pytest.raises(CheckFailed, match="exact path"):
        pendulum.check(recording, stiffness=61.0)


def test_the_table_of_scenarios_is_complete():
    text = (scenario_folder() / "README.md").read_text(encoding="utf-8")
    assert [name for name in SCENARIOS if f"`{name}`" not in text] == []
