"""Graphs of quantities, comparisons and measurements: the numbers that they draw, and that they draw something."""
from dataclasses import replace

import numpy as np
import pytest

from robotphi.errors import RecordingError
from robotphi.kernels.step.codes import LIMITS
from robotphi.view import curves
from tests.view import played
from tests.view.test_view import assert_shows_something


@pytest.fixture(scope="module")
def recording():
    return played.recording("swing")[0]


@pytest.mark.parametrize(("what", "label", "at"), [
    ("height", "height [m]", lambda r: r.sensors["height"]),
    ("elastic_linear", "elastic linear [J]", lambda r: r.ledger["elastic_linear"]),
    (("speed", [3]), "speed [m/s]", lambda r: np.linalg.norm(r.velocity[:, 3], axis=1)),
    (("speed", None), "speed [m/s]", lambda r: np.linalg.norm(r.velocity, axis=2).mean(axis=1)),
    (("strain", [3, 20]), "strain", lambda r: curves.curve_of(r, ("strain", [3])).values),   # a ball's particle has no spring
    (lambda r: r.position[:, 2, 0], "<lambda>", lambda r: r.position[:, 2, 0])])
def test_a_curve_is_what_was_asked_for(recording, what, label, at):
    found = curves.curve_of(recording, what)
    assert found.label == label
    np.testing.assert_allclose(found.values, at(recording), rtol=1e-14)
    assert found.time is recording.time


@pytest.mark.parametrize(("what", "said"), [("hight", "neither a sensor"), (lambda r: [1.0, 2.0], "one for each of 13 frames")])
def test_what_is_no_curve_is_told(recording, what, said):
    with pytest.raises(RecordingError, match=said):
        curves.curve_of(recording, what)


def test_differences_are_taken_at_the_frames_of_the_first():
    base = curves.Curve("a", np.array([0.0, 1.0, 2.0]), np.array([0.0, 10.0, 20.0]))
    other = curves.Curve("b", np.array([0.0, 1.5]), np.array([1.0, 4.0]))
    np.testing.assert_allclose(curves.difference(base, other), [1.0, -7.0, np.nan])
    measured = np.array([6.0, np.nan, 1.0])
    np.testing.assert_allclose(curves.residuals(base, np.array([0.5, 1.0, 2.5]), measured), [1.0, np.nan, np.nan])


def test_every_graph_is_drawn(recording, tmp_path):
    time = np.linspace(0, 2, 30)
    for path in (curves.draw_quantity(recording, tmp_path / "quantity.png", "strain"),
                 curves.draw_curves(recording, tmp_path / "curves.png", ["kinetic", "elastic_linear"]),
                 curves.draw_comparison({"one": recording, "two": recording}, tmp_path / "two.png", "height"),
                 curves.draw_measured(recording, tmp_path / "measured.png", "height", time, np.cos(time), spread=0.1)):
        assert_shows_something(path)


def test_curves_of_different_units_are_not_on_one_axis(recording, tmp_path):
    with pytest.raises(RecordingError, match=r"height \[m\], kinetic \[J\]"):
        curves.draw_curves(recording, tmp_path / "none.png", ["height", "kinetic"])


def test_nothing_measured_is_told(recording, tmp_path):
    with pytest.raises(RecordingError, match="nothing was measured"):
        curves.draw_measured(recording, tmp_path / "none.png", "height", [5.0], [1.0])
    with pytest.raises(RecordingError, match="as many of both"):
        curves.draw_measured(recording, tmp_path / "none.png", "height", [0.5, 0.6], [1.0])


def test_the_causes_of_steps_stand_by_name(recording, tmp_path, monkeypatch):
    frequent = {"name": "the viscosity of 'threads'", "what": "viscosity", "thing": "linear", "names": ["threads"],
                "limit": "stability", "steps": 30, "dt": 1e-3}
    steps = {"time": np.linspace(0, 1, 40), "dt": np.full(40, 1e-3), "residual": np.zeros(40),
             "limit": np.zeros(40, np.int32), "cause": np.zeros(40, np.int64)}
    told = dict.fromkeys((f"limited_by_{limit.name}" for limit in LIMITS), 0) | {"limited_by_stability": 30,
                                                                               f"limited_by_{LIMITS[0].name}": 10}
    monkeypatch.setitem(recording.info, "causes", [frequent])
    monkeypatch.setitem(recording.info, "control", "ledger")
    known = replace(recording, steps=steps, counts=told)
    labels = []
    monkeypatch.setattr(curves, "legend", lambda axes, **_: labels.extend(axes.get_legend_handles_labels()[1]))
    curves.draw_causes(known, tmp_path / "causes.png")
    assert labels[0] == "the viscosity of 'threads': 75 %"
    assert len(labels) == 2
    assert labels[1].endswith(": 25 %")
