"""Experiments: files, what they compare, and that evaluations are what a run shows."""
import numpy as np
import pytest

from identification.errors import ExperimentError
from identification.experiment import reference
from identification.experiment.experiment import Experiment
from identification.experiment.problem import planned
from identification.experiment.simulated import Simulated, settled
from identification.fit import fit
from identification.problem import LIMIT, REFUSED
from robotphi import RobotphiError, Scene, simulate
from robotphi.scenario import load_scenario
from tests import ROOT
from tests.identification.two_masses import DURATION, TIMES, TRUTH, stretch, write


@pytest.fixture
def problem(tmp_path):
    with Experiment.read(write(tmp_path)).problem() as opened:
        yield opened


def test_residuals_are_those_of_a_run_with_these_values(problem):
    [outcome] = problem.evaluate([7.0, 0.3])
    scene = load_scenario("two_masses").module.build(stiffness=7.0, viscosity=0.3, duration=DURATION, frames=25)
    length = simulate(scene).sensors["length"][1:]
    assert outcome.residuals == pytest.approx((1e3 * length - problem.series[0].measured) / 0.01, abs=1e-6)
    assert outcome.attempts == simulate(scene).counts["attempts"]


def test_a_fit_finds_what_the_closed_form_was_made_with(tmp_path):
    found = fit(write(tmp_path))
    assert found.point == pytest.approx(TRUTH, rel=1e-3)   # the default budget's own error of both, 1.3e-4 and 7e-4
    assert found.counts == {"done": found.evaluations}


@pytest.mark.parametrize(("unknown", "values"), [
    ("{set: start, bounds: [10, 80]}", [40.0]), ("{set: start, unit: deg, bounds: [10, 80]}", [40.0]),
    ("{set: start, unit: rad, bounds: [0.2, 1.4]}", [np.radians(40.0)]),
    ("{set: plain, unit: deg, bounds: [10, 80]}", [40.0]), ("{set: plain, bounds: [0.2, 1.4]}", [np.radians(40.0)])])
def test_a_parameter_of_the_scene_and_of_the_experiment_may_be_in_different_units(tmp_path, unknown, values):
    (tmp_path / "tilt.yaml").write_text("""robotphi: 1
scene: tilt
duration: 0.1
gravity: [0, 0, 0]
parameters: {start: {default: 0, unit: deg}, plain: 0.0}
things:
  bob: {particle: {position: [= sin(start + plain), 0, 0], mass: 1}}
sensors: {place: {quantity: position, of: bob}}
""", encoding="utf-8")
    (tmp_path / "tilted.yaml").write_text(f"""robotphi_experiment: 1
scene: tilt.yaml
parameters: {{angle: {unknown}}}
compare: {{aside: {{sensor: place.x, take: last, measured: 0 m, noise: 1 m}}}}
runs: {{only: {{}}}}
""", encoding="utf-8")
    experiment = Experiment.read(tmp_path / "tilted.yaml")
    with experiment.problem() as problem:
        [outcome] = problem.evaluate([values])
    assert outcome.residuals == pytest.approx([np.sin(np.radians(40.0))], rel=1e-12)
    assert experiment.parameters[0].unit == ("" if "plain, bounds" in unknown else "rad" if "rad" in unknown else "deg")


def test_the_same_from_python_with_a_scene_and_values(tmp_path):
    scene = load_scenario("two_masses").module.build(duration=DURATION, frames=50)
    assert isinstance(scene, Scene)
    experiment = Experiment.of(scene, {"k": {"set": "spring.stiffness", "bounds": [1, 20]}}, compare={
        "at two": {"sensor": "length", "at": 2.0, "measured": 1.03, "noise": 1e-3},
        "most": {"sensor": "length", "take": "largest", "measured": 1.05, "noise": 1e-3, "from": 1.0}},
        criteria={"stretch": {"sensor": "length", "take": "range"}})
    with experiment.problem() as problem:
        [outcome] = problem.evaluate([5.0])
    recording = simulate(scene.with_values({("spring", "stiffness"): 5.0}))
    length, later = recording.sensors["length"], recording.time >= 1.0
    assert outcome.residuals[0] == pytest.approx((length[20] - 1.03) / 1e-3, abs=1e-6)
    assert outcome.residuals[1] == pytest.approx((length[later].max() - 1.05) / 1e-3, abs=1e-6)
    assert outcome.criteria["stretch"] == pytest.approx(np.ptp(length), abs=1e-9)


def test_the_time_at_which_a_column_has_settled_is_compared_with_that_of_the_sensor(tmp_path):
    times = np.linspace(0.0, 20.0, 401)
    rows = [f"{t!r},{1e3 * x!r}" for t, x in zip(times.tolist(), stretch(*TRUTH, times).tolist(), strict=True)]
    (tmp_path / "long.csv").write_text("\n".join(["t [s],x [mm]", *rows, ""]))
    scene = load_scenario("two_masses").module.build(stiffness=TRUTH[0], duration=20.0, frames=400, budget=1e-6)
    scene.add_sensor("stretch", "elongation", "spring")
    said = {"sensor": "stretch", "take": "settled", "within": 1e-3, "noise": "1 ms"}

    def experiment(**more):
        return Experiment.of(scene, {"c": {"set": "spring.viscosity", "bounds": [0.1, 2]}}, {"run": {"file": "long.csv"}},
                             {"rest": said | more}, folder=tmp_path)

    with experiment(column="x").problem() as problem:
        when, = problem.series[0].measured
        [outcome] = problem.evaluate([TRUTH[1]])
    assert problem.series[0].unit == "s"
    assert when == pytest.approx(settled(times, np.abs(stretch(*TRUTH, times)), 1e-3))
    assert abs(outcome.residuals[0]) < 1.0           # within a ms
    with experiment(measured=f"{when} s").problem() as problem:
        assert problem.evaluate([TRUTH[1]])[0].residuals == pytest.approx(outcome.residuals, abs=1e-6)
    with pytest.raises(ExperimentError, match="data are in mm, settled of sensor 'stretch' is measured in s"):
        experiment(measured="7 mm", unit="mm").problem()


def test_of_several_sensors_of_a_criterion_the_largest_counts():
    scene = load_scenario("two_masses").module.build(duration=DURATION, frames=50)
    scene.add_sensor("fast", "speed", ("left", 0))
    with Experiment.of(scene, {"k": {"set": "spring.stiffness", "bounds": [1, 20]}}, criteria={
            "one": {"sensor": "fast", "take": "largest"}, "other": {"sensor": "length", "take": "largest"},
            "both": {"sensor": ["fast", "length"], "take": "largest"}}, fit={"method": "genetic"}).problem() as problem:
        found = problem.evaluate([5.0])[0].criteria
    assert found["both"] == max(found["one"], found["other"]) > min(found["one"], found["other"])


def test_the_page_has_the_words_that_readers_know():
    page = (ROOT / "docs" / "identification.md").read_text(encoding="utf-8")
    assert reference.page() in page, "run: python -m identification.experiment.reference, and put it into the page"


def test_units_are_made_si_wherever_they_stand(tmp_path):
    text = write(tmp_path).read_text()
    other = tmp_path / "other.yaml"
    other.write_text(text.replace("unit: N/m, bounds: [0.1, 20]", "unit: N/mm, bounds: [0.1 N/m, 2e-2]"))
    assert fit(other).point == pytest.approx([TRUTH[0] * 1e-3, TRUTH[1]], rel=1e-3)


def test_a_clock_that_is_off_is_found(tmp_path):
    text = write(tmp_path).read_text()
    late = tmp_path / "late.csv"
    rows = (tmp_path / "pull.csv").read_text().split("\n")[1:21]
    late.write_text("\n".join(["t [ms],l "
                               "[mm]", *(f"{float(row.split(',')[0]) + 40.0},{row.split(',')[1]}" for row in rows), ""]))
    other = tmp_path / "other.yaml"
    other.write_text(text.replace("pull.csv", "late.csv").replace(
        "runs:", "  late: {time_offset_of: pull, unit: ms, bounds: [-100, 100]}\nruns:"))
    assert fit(other).point == pytest.approx([*TRUTH, 40.0], rel=2e-3)


def test_runs_that_are_held_out_stand_behind_the_others_and_only_where_asked_for(tmp_path):
    text = write(tmp_path).read_text()
    other = tmp_path / "other.yaml"
    other.write_text(text.replace("runs:\n", 'runs:\n  aside: {file: pull.csv, time: t, hold_out: true, every: 5}\n'))
    with Experiment.read(other).problem() as problem:
        fitted, [both] = problem.evaluate([7.0, 0.3])[0], problem.evaluate([7.0, 0.3], held_out=True)
    assert [(each.run, each.start, each.stop) for each in problem.series] == [("pull", 0, 25), ("aside", 25, 30)]
    assert np.array_equal(both.residuals[:25], fitted.residuals)
    assert both.residuals[25:] == pytest.approx(fitted.residuals[::5], rel=1e-2, abs=1.0)   # other instants, other steps


def test_heads_with_nothing_below_them_are_told(tmp_path):
    path = write(tmp_path)
    (tmp_path / "pull.csv").write_text("t [ms],l [mm]\n")
    with pytest.raises(RobotphiError, match=r"pull.csv:2: there is nothing below the heads"):
        Experiment.read(path).problem()


@pytest.mark.parametrize(("head", "told"), [
    ("t [ms]", ""), ("Time [ms]", ""), ("u [ms]", "no column is called t or time.*'u \\[ms\\]'")])
def test_the_column_of_times_need_not_be_named_where_it_is_called_so(tmp_path, problem, head, told):
    path = write(tmp_path)
    path.write_text(path.read_text().replace(', time: "t [ms]"', ""))
    (tmp_path / "pull.csv").write_text((tmp_path / "pull.csv").read_text().replace("t [ms]", head))
    if told:
        with pytest.raises(RobotphiError, match=told):
            Experiment.read(path).problem()
    else:
        with Experiment.read(path).problem() as other:
            assert np.array_equal(other.series[0].measured, problem.series[0].measured)


def test_what_is_refused_and_what_takes_too_long_has_no_residuals_but_a_penalty(tmp_path):
    experiment = Experiment.read(write(tmp_path, box="[-1, 1e9]", fit="{attempts: 2 x nominal}").with_name("two.yaml"))
    experiment.unknowns[0].parameter.__dict__["start"] = 9.0
    with experiment.problem() as problem:
        refused, late, done = problem.evaluate([[-1.0, 0.5], [1e9, 0.5], [9.0, 0.5]])
    assert (refused.status, refused.reached) == (REFUSED, 0.0)
    assert late.status == LIMIT
    assert 0.0 < late.reached < 1.0
    assert done.error < late.error < refused.error < 1e13


@pytest.mark.parametrize(("old", "new", "told"), [
    ("stiffness: {set: spring.stiffness", "stiffness: {set: sprung.stiffness", "there are .*spring"),
    ("set: spring.stiffness", "set: spring.stifness", "stiffness"),
    ("bounds: [0.1, 20]", "bounds: [20, 0.1]", "two.yaml:5:14: .*the lower one first"),
    ("bounds: [0.1, 20]", "bounds: [0.1, 20], scale: cubic", "linear, log"),
    ("unit: N/m", "unit: kgf", "no unit that is known"),
    ("sensor: length", "sensor: lenght", "there are length"),
    ("sensor: length", "sensor: length.z", "is one number"),
    ('"l [mm]"', '"w [mm]"', r"pull.csv:1: there is no column 'w \[mm\]'"),
    ('"t [ms]"', '"l [mm]"', "is no time"),
    ("file: pull.csv", "file: push.csv", "there is no such file"),
    ("noise: 0.01 mm", "noise: 0.01 N", "not measured in mm"),
    ("noise: 0.01 mm", "noise: 0", "above 0"),
    ("method: auto", "method: luck", "auto, genetic"),
    ("scene: two_masses", "scene: three_masses", "unknown scenario"),
    ("knobs: {duration: 5.0", "knobs: {durration: 5.0", "no knob 'durration'"),
    ("robotphi_experiment: 1", "robotphi_experiment: 2", "version"),
    ("compare:", "compares:", "did you mean 'compare'"),
    ("runs:", "runs: {}\nold:", "old"),
    ("duration: 5.0", "duration: 2.0", "make the scene last longer"),
    ("noise: 0.01 mm", "noise: 0.01 mm, step: 0", "above 0"),
    ("noise: 0.01 mm", "noise: 0.01 mm, step: 1 ns", "instants of 'length' would be compared"),
    ("noise: 0.01 mm", "noise: .inf", "a finite number"),
    ("noise: 0.01 mm", "noise: [1]", "is a list or mapping"),
    ("noise: 0.01 mm", "noise: 0.01 mm, weight: .inf", "weight is inf"),
    ("noise: 0.01 mm", "noise: 0.01 mm, unit: cm", "its head says mm"),
    ("file: pull.csv", "file: pull.csv, unit: s", "its head says ms"),
    ("set: spring.viscosity", "set: spring.stiffness", "both set"),
    ("set: spring.viscosity", "set: []", "sets nothing"),
    ("set: spring.viscosity", "set: {thing: {a: 1}, quantity: mass}", "give a name or number"),
])
def test_what_is_wrong_with_an_experiment_is_told_with_what_would_work(tmp_path, old, new, told):
    path = write(tmp_path)
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(RobotphiError, match=told):
        Experiment.read(path).problem()


def test_times_whose_head_only_seems_to_tell_a_unit_are_refused_until_the_run_does(tmp_path):
    path = write(tmp_path)
    data = tmp_path / "pull.csv"
    with Experiment.read(path).problem() as problem:
        known = problem.series[0].times
    data.write_text(data.read_text().replace("t [ms]", "time_ms"))
    path.write_text(path.read_text().replace('"t [ms]"', "time_ms"))
    with pytest.raises(RobotphiError, match=r"seems to be in ms.*say unit: ms in run 'pull'"):
        Experiment.read(path).problem()
    path.write_text(path.read_text().replace("time: time_ms", "time: time_ms, unit: ms"))
    with Experiment.read(path).problem() as problem:
        assert np.array_equal(problem.series[0].times, known)


def test_settled_is_where_the_size_crosses_for_the_last_time():
    times = np.linspace(0.0, 4.0, 5)
    assert settled(times, np.array([3.0, 2.0, 0.5, 1.5, 0.5]), 1.0) == pytest.approx(3.5)
    assert settled(times, np.array([0.1, 0.2, 0.3, 0.2, 0.1]), 1.0) == 0.0
    assert settled(times, np.array([3.0, 2.0, 0.5, 1.5, 3.0]), 1.0) == pytest.approx(6.0)
    assert len(TIMES) == 25


def test_a_candidate_has_the_same_outcome_to_the_bit_whatever_its_worker_did_before(tmp_path):
    experiment = Experiment.read(write(tmp_path, times=np.linspace(0.13, 4.87, 25)))   # between the frames of the scene
    plan, _ = planned(experiment)
    asked = [((8.0, 0.5), 1.0), ((8.0, 0.5), 0.1), ((3.0, 1.5), 1.0), ((3.0, 1.5), 0.1)]
    alone = [Simulated(plan).outcome(values, budget=budget) for values, budget in asked]
    for order in ((0, 1, 2, 3), (3, 2, 1, 0), (1, 0, 3, 2)):
        worker = Simulated(plan)
        for place in order:
            values, budget = asked[place]
            found = worker.outcome(values, budget=budget)
            assert found.residuals.tobytes() == alone[place].residuals.tobytes()
            assert found.attempts == alone[place].attempts
