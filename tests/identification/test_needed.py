"""Rows of large recordings that nothing asks for are passed over, and nothing that is compared changes by it."""
from types import SimpleNamespace

import numpy as np
import pytest

from identification.errors import DataError
from identification.experiment import needed
from identification.experiment.data import Columns, _of_column, _taken
from identification.experiment.parts import SERIES, TAKEN, VALUE, Compared
from identification.experiment.simulated import REDUCED, settled
from identification.measured import text

COUNT = 5000


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """(run, times, values in mm): uneven times, read in blocks of some forty rows."""
    monkeypatch.setattr(text, "BLOCK", 1000)
    random = np.random.default_rng(3)
    times = np.cumsum(random.uniform(0.2e-3, 2e-3, COUNT)).round(7)
    values = (1000.0 * np.exp(-times) * np.cos(9.0 * times) + random.normal(0.0, 20.0, COUNT)).round(3)
    path = tmp_path / "long.csv"
    np.savetxt(path, np.column_stack([times, values]), delimiter=",", header="t [s],z [mm]", comments="", fmt="%.7f")
    run = SimpleNamespace(path=path, topic=None, time="t [s]", unit=None, name="long", every=1, missing=False, begins=0.1)
    return run, times - 0.1, values


def compared(take, at=None, within=0.0, begin=0.3, end=3.7, step=None):
    return Compared("z", "tip", 2, "z [mm]", None, take, at, within, None, None, 1.0, begin, end, step, ())


def taken(run, each):
    """(times, values in SI) that are compared, and how many rows were kept for them."""
    columns = Columns(run, [each])
    unit, times, values = _of_column(each, run, columns)
    return *_taken(each, unit, times, values)[1:], len(columns.time)


def test_a_series_on_a_grid_is_that_of_all_rows(recorded):
    run, times, values = recorded
    inside = (times >= 0.3) & (times <= 3.7)
    grid = np.arange(times[inside][0], times[inside][-1], 0.02)
    found, of_grid, kept = taken(run, compared(SERIES, step=0.02))
    assert np.allclose(found, grid, rtol=0.0, atol=1e-9)
    assert np.allclose(of_grid, np.interp(grid, times[inside], values[inside]) / 1000.0, rtol=0.0, atol=1e-9)
    assert kept < COUNT / 4


def test_a_series_without_a_grid_has_all_rows_within_its_time(recorded):
    run, times, values = recorded
    inside = (times >= 0.3) & (times <= 3.7)
    found, of_rows, _ = taken(run, compared(SERIES))
    assert np.array_equal(found, times[inside])
    assert np.allclose(of_rows, values[inside] / 1000.0, rtol=1e-12)


@pytest.mark.parametrize("at", [0.3, 1.2345, 3.7])
def test_a_value_at_an_instant_is_that_between_the_rows_beside_it(recorded, at):
    run, times, values = recorded
    inside = (times >= 0.3) & (times <= 3.7)
    _, found, kept = taken(run, compared(VALUE, at=at))
    assert found == pytest.approx(np.interp(at, times[inside], values[inside]) / 1000.0, rel=1e-12)
    assert kept < COUNT / 4


@pytest.mark.parametrize("take", TAKEN)
def test_what_is_taken_of_a_stretch_is_that_of_all_its_rows(recorded, take):
    run, times, values = recorded
    inside = (times >= 0.3) & (times <= 3.7)
    own = values[inside] / 1000.0
    wanted = settled(times[inside], np.abs(own), 0.09) if take == "settled" else REDUCED[take](own)
    _, found, kept = taken(run, compared(take, within=0.09))
    assert found == pytest.approx(wanted, rel=1e-12)
    assert take == "mean" or kept < COUNT / 4


def test_several_that_ask_for_other_rows_have_what_each_has_alone(recorded):
    run, _, _ = recorded
    asked = [compared(SERIES, step=0.05), compared(VALUE, at=2.0, begin=1.0), compared("smallest", end=1.0)]
    columns = Columns(run, asked)
    for each in asked:
        unit, times, values = _of_column(each, run, columns)
        assert np.allclose(_taken(each, unit, times, values)[2], taken(run, each)[1], rtol=1e-9)


def test_every_so_many_rows_are_counted_through_all_blocks(recorded):
    run, times, _ = recorded
    run.every = 7
    inside = (times[::7] >= 0.3) & (times[::7] <= 3.7)
    assert np.array_equal(taken(run, compared(SERIES))[0], times[::7][inside])


def test_too_many_instants_are_counted_but_not_kept(recorded, monkeypatch):
    run, times, _ = recorded
    monkeypatch.setattr(needed, "MOST_INSTANTS", 200)
    monkeypatch.setattr("identification.experiment.data.MOST_INSTANTS", 200)
    inside = int(np.sum((times >= 0.3) & (times <= 3.7)))
    columns = Columns(run, [compared(SERIES)])
    assert len(columns.time) < 900
    with pytest.raises(DataError, match=f"{inside} instants of 'z' would be compared, at most 200"):
        _of_column(compared(SERIES), run, columns)
    with pytest.raises(DataError, match=r"3\d{3} instants of 'z' would be compared"):
        taken(run, compared(SERIES, step=1e-3))
