"""Frames are kept by compiled code in memory that grows; what follows from them is worked out for many at once."""
import numpy as np
import pytest

from robotphi import Simulator, build_model
from robotphi.kernels.step import slots
from robotphi.record import recorder
from robotphi.record import rows as rows_of
from robotphi.record.files.names import FRAME_ARRAYS
from robotphi.run import frames
from tests.kernels.contact.touching_scenes import soft_block


def watched_block():
    """A soft block between two others, with sensors of every sort."""
    scene = soft_block()
    name = next(name for name, thing in scene.things.items() if getattr(thing, "kind", None) == "linear")
    for quantity, of in (("tension", (name, 1)), ("length", (name, 3)), ("contact_force", ("block", "ground")),
                         ("contact_normal_force", "block"), ("kinetic_energy", None), ("centre", None)):
        scene.add_sensor(quantity, quantity, of)
    return scene


@pytest.fixture(scope="module")
def straight():
    return Simulator(build_model(watched_block()), threads=1).run()


def assert_same(one, other):
    for name in FRAME_ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for group in ("ledger", "sensors", "checkpoint"):
        for name, values in getattr(one, group).items():
            np.testing.assert_array_equal(values, getattr(other, group)[name], err_msg=name)
    for table, rows in one.rows.items():
        for name, values in rows.items():
            np.testing.assert_array_equal(values, other.rows[table][name], err_msg=f"{table} {name}")


def test_a_frame_is_the_state_at_its_time():
    simulator = Simulator(build_model(watched_block()), threads=1)
    states = []
    simulator.begin()
    while True:
        states.append([array.copy() for array in (simulator.state.position, simulator.state.velocity,
                                                  *simulator.state.frame_record().values())])
        ledger = simulator.state.ledger()
        if not simulator.advance_frame():
            break
    recording = simulator.recording()
    assert ledger == {name: values[-1] for name, values in recording.ledger.items()}
    assert [*recording.checkpoint] == [*simulator.state.frame_record()]
    for frame, (position, velocity, *kept) in enumerate(states):
        np.testing.assert_array_equal(recording.position[frame], position)
        np.testing.assert_array_equal(recording.velocity[frame], velocity)
        for (name, values), array in zip(recording.checkpoint.items(), kept, strict=True):
            if name == "counters":
                array[[slots.CHUNK, slots.HISTORY_COUNT, slots.PARITY]] = 0
            np.testing.assert_array_equal(values[frame], array, err_msg=name)


def test_memory_that_grows_row_by_row_keeps_every_bit(straight, monkeypatch):
    monkeypatch.setattr(rows_of, "FIRST_ROOM", 1)
    simulator = Simulator(build_model(watched_block()), threads=1)
    simulator.begin()
    assert simulator.recorder.frames.room == 1
    early = simulator.recording()
    kept = early.position.copy()
    grown = simulator.run()
    assert len(straight.rows["contacts"]["first"]) > len(straight), "several contacts a frame: tables grow as well"
    assert_same(straight, grown)
    np.testing.assert_array_equal(early.position, kept)


def test_sensors_have_the_same_bits_however_many_frames_are_read_at_once(straight, monkeypatch):
    monkeypatch.setattr(frames, "SEEN_AT_ONCE", 1)
    assert_same(straight, Simulator(build_model(watched_block()), threads=1).run())


def test_frames_that_never_come_take_no_memory():
    rows = recorder.Rows({"position": ((10**6, 3), float)}, 10**6)
    assert rows.room * 24 * 10**6 <= rows_of.FIRST_ROOM   # none of it is touched before a frame comes
    rows = recorder.Rows({"time": ((), float)}, 10**12)
    assert rows.room * 8 <= rows_of.FIRST_ROOM
