"""The history of steps: 13 bytes a row, of which instants come back exactly, the rest as near as is said."""
import h5py
import numpy as np
import pytest

from robotphi.kernels.step.codes import LIMITS
from robotphi.record.files.names import STEPS
from robotphi.record.recording import Recording
from robotphi.record.rows import Rows
from robotphi.record.steps import STEP_ARRAYS, History, Steps, steps_of_log, unpacked_times
from tests.record.synthetic_run import run


def told(count, seed=3):
    """Columns of steps between 1e-9 and 1e-2 s, of which no two causes are alike."""
    random = np.random.default_rng(seed)
    dt = 10.0 ** random.uniform(-9, -2, count)
    return {"time": np.cumsum(dt), "dt": dt, "residual": random.normal(size=count) * 1e-9,
            "limit": random.integers(0, len(LIMITS), count), "cause": 16 * random.integers(0, 30, count)}


def added(history, columns, batch):
    for begin in range(0, len(columns["time"]), batch):
        history.add(*(columns[name][begin:begin + batch] for name in STEP_ARRAYS))
    return history


def assert_same_steps(one, other):
    for name in STEP_ARRAYS:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_instants_are_exact_and_the_rest_is_as_near_as_is_said(batch):
    columns = told(3000)
    steps = added(History(), columns, batch).steps()
    for name in ("time", "limit", "cause"):
        np.testing.assert_array_equal(steps[name], columns[name])
        assert steps[name].dtype == STEP_ARRAYS[name]
    np.testing.assert_allclose(steps["dt"], columns["dt"], rtol=2.0**-24, atol=0.0)
    np.testing.assert_allclose(steps["residual"], columns["residual"], rtol=2.0**-8 + 2.0**-24, atol=0.0)


def test_what_a_run_that_diverges_leaves_unexplained_is_finite():
    residual = np.array([1e300, -1e300, 3.4e38, 1e38, 0.0, -0.0, 1e-300, np.inf, np.nan])
    found = Steps.of({"time": np.arange(9.0), "residual": residual})["residual"]
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(residual))
    np.testing.assert_array_equal(np.sign(found), [1, -1, 1, 1, 0, 0, 0, 1, np.nan])
    assert found[3] == pytest.approx(1e38, rel=2.0**-8)


def test_a_row_takes_thirteen_bytes_in_memory():
    columns = told(100_000)
    packed = added(History(), columns, 4096).steps().packed
    lists = packed.pop("jumps").nbytes + packed.pop("pairs").nbytes
    assert sum(values.nbytes for values in packed.values()) == 13 * 100_000
    assert lists < 16 * 1000   # sixteenths of the powers of two that the run went through, and limits with their causes


@pytest.mark.parametrize("times", [[], [0.0], [5.0, 1.0, 2.0**-1074, 0.0, 1e300, 1e300], np.arange(64.0)])
def test_whatever_instants_come_back(times):
    assert Steps.of({"time": np.array(times, float)})["time"].tolist() == list(times)


def test_causes_beyond_those_that_a_byte_tells_keep_their_limit():
    columns = told(2000) | {"cause": 16 * np.arange(2000)}
    steps = added(History(), columns, 100).steps()
    np.testing.assert_array_equal(steps["limit"], columns["limit"])
    known = steps["cause"] == columns["cause"]
    assert known[:200].all()
    assert (steps["cause"][~known] == 0).all()


@pytest.mark.parametrize("batch", [1, 13, 64])
def test_a_log_that_was_flushed_now_and_then_has_the_thinned_history(batch):
    columns, history, parts = told(3000), History(rows=128), []
    history.begin_log()
    for begin in range(0, 3000, batch):
        history.add(*(columns[name][begin:begin + batch] for name in STEP_ARRAYS))
        if begin // batch % 5 == 2:
            parts += history.unfiled()
    parts += history.unfiled()
    found, stride = steps_of_log(parts, history.pairs)
    assert stride == history.stride > 8
    assert_same_steps(found, history.steps())
    np.testing.assert_array_equal(found["time"], columns["time"][::stride])


def test_a_history_that_begins_with_part_of_another_goes_on_as_that():
    columns = told(1000)
    whole, half = added(History(rows=64), columns, 10), added(History(rows=64), {name: values[:500] for name, values in
                                                                                 columns.items()}, 10)
    again = History(rows=64)
    again.take(half.steps(), half.stride, 500)
    assert_same_steps(added(again, {name: values[500:] for name, values in columns.items()}, 10).steps(), whole.steps())


def test_files_of_before_have_their_history(tmp_path):
    path = tmp_path / "run.vtkhdf"
    steps = run(path).steps
    with h5py.File(path, "r+") as file:
        del file[STEPS]
        for name in STEP_ARRAYS:
            file[f"{STEPS}/{name}"] = steps[name]
    read = Recording.load(path)
    assert_same_steps(read.steps, steps)
    assert_same_steps(Recording.load(read.save(tmp_path / "again.vtkhdf")).steps, steps)


def test_rows_that_a_file_has_take_no_memory():
    rows = Rows({"value": ((1000,), float)}, 1000)
    rows.extend({"value": np.ones((500, 1000))})
    rows.let_go(400)
    assert (rows["value"][400:] == 1.0).all()
    assert not rows["value"][:350].any()   # pages that were given back are empty
    rows.make_room(5000)
    assert (rows["value"][400:] == 1.0).all()
    assert rows.count == 500


def test_times_unpack_from_any_row_on():
    columns, history = told(500), History()
    history.begin_log()
    for begin in range(0, 500, 50):
        history.add(*(columns[name][begin:begin + 50] for name in STEP_ARRAYS))
        [(first, rows)] = history.unfiled()
        assert first == begin
        np.testing.assert_array_equal(rows["time"], columns["time"][begin:begin + 50])
    assert len(unpacked_times(np.empty((0, 3), "<u2"), np.empty((0, 2), np.int64))) == 0
