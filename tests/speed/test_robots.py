"""The benchmark of robots: what it tells is of the run, and MuJoCo's do what ours do, where it is installed."""
import pytest

from robotphi import simulate
from tests.speed import peer, robots, rover


def level(duration=0.05):
    return rover.build("plane", "none", True, duration=duration, frames=1)


def test_figures_are_those_of_the_run(monkeypatch):
    monkeypatch.setitem(robots.ROBOTS, "level", robots.Robot(level, {}, 0.05, 0.05, 1e-6, None))
    figures = robots.measure_robots(True, ["level"])
    recording = simulate(level())
    assert figures["level"]["attempts"] == recording.counts["attempts"]
    assert figures["level"]["mean_step"] == pytest.approx(recording.time[-1] / recording.counts["accepted"], rel=1e-12)
    assert figures["level"]["peer"] is None
    (budget,) = robots.judge_robots(figures)
    assert (budget["what"], budget["met"]) == ("level, × real time", True)
    assert robots.robots_table(figures).row_count == 1


def test_a_robot_that_is_not_there_is_bad_input(capsys):
    with pytest.raises(SystemExit):
        robots.main(["tractor"])
    assert "there are rover" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("make", [peer.rover_on_plane, peer.rover_on_hills, peer.hand])
def test_the_same_things_in_mujoco_do_the_same(make):
    pytest.importorskip("mujoco")
    figures = make()    # it refuses a rover that lost its carrot, and a ball that was dropped
    assert figures["step_cost"] > 0.0
