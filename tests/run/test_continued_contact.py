"""A run with contact has the same bits for any number of threads, from run to run, and continued from any of its frames."""
from dataclasses import replace

import numpy as np
import pytest

from robotphi import Recording, RecordingError, Simulator, build_model
from robotphi.kernels.contact import columns
from tests.kernels.contact.touching_scenes import SCENES, gathering, soft_block, stack

ARRAYS = ("time", "position", "velocity", "rigid_position", "rigid_orientation", "rigid_velocity", "rigid_spin",
          "rigid_momentum")


def assert_same_from(straight, rest, frame):
    """Every number of the frames from one on, ledger, sensors, state and contacts included."""
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(straight, name)[frame:], getattr(rest, name), err_msg=name)
    for group in ("ledger", "sensors"):
        for name, values in getattr(straight, group).items():
            np.testing.assert_array_equal(values[frame:], getattr(rest, group)[name], err_msg=name)
    for name, values in straight.checkpoint.items():  # the first frame of a continued run says that it is one
        np.testing.assert_array_equal(values[frame + 1:], rest.checkpoint[name][1:], err_msg=name)
    assert straight.rows.keys() == rest.rows.keys()
    for table, rows in straight.rows.items():
        first = rows["start"][frame]
        np.testing.assert_array_equal(rows["start"][frame:] - first, rest.rows[table]["start"])
        for name in rows.keys() - {"start"}:
            np.testing.assert_array_equal(rows[name][first:], rest.rows[table][name], err_msg=f"{table} {name}")
    assert straight.counts == rest.counts


@pytest.fixture(scope="module", params=list(SCENES))
def run(request):
    model = build_model(SCENES[request.param]())
    return model, Simulator(model, threads=1).run()


def test_a_run_with_contact_continued_from_any_frame_equals_the_straight_run(run, tmp_path):
    model, straight = run
    assert len(straight.rows["contacts"]["first"]), "something must touch"
    straight.save(tmp_path / "run.h5")
    loaded = Recording.load(tmp_path / "run.h5")
    for frame in range(len(straight) - 1):
        assert_same_from(straight, Simulator.continued(loaded, frame=frame, threads=1).run(), frame)


def test_a_recording_with_contact_is_read_back_to_the_bit(run, tmp_path):
    _, straight = run
    straight.save(tmp_path / "run.h5")
    loaded = Recording.load(tmp_path / "run.h5")
    assert_same_from(straight, loaded, 0)
    for table, rows in straight.rows.items():
        assert {name: values.dtype for name, values in rows.items()} == {
            name: values.dtype for name, values in loaded.rows[table].items()}


@pytest.mark.slow
def test_threads_and_repetition_do_not_change_a_bit_of_contact(run):
    model, straight = run
    assert_same_from(straight, Simulator(model, threads=2).run(), 0)
    assert_same_from(straight, Simulator(model, threads=1).run(), 0)


def test_room_for_pairs_made_on_the_way_does_not_change_a_bit():
    model = build_model(gathering())
    cramped, roomy = Simulator(model), Simulator(model)
    before = len(cramped.state.buffers.touch.pairs)
    roomy.state.buffers.touch.sizes[columns.LACKING] = 1000
    roomy.state.make_room()
    runs = [each.run() for each in (cramped, roomy)]
    assert len(cramped.state.buffers.touch.pairs) > before, "the scene must run out of room"
    assert len(roomy.state.buffers.touch.pairs) == 1500
    assert_same_from(*runs, 0)


def test_a_state_without_contact_is_not_continued():
    model = build_model(stack(duration=0.02, frames=1))
    recording = Simulator(model).run()
    bare = Recording(**{name: getattr(recording, name) for name in (*ARRAYS, "ledger", "checkpoint", "scene_digest")})
    with pytest.raises(RecordingError, match="no state of contact"):
        Simulator.continued(model, bare, 0)


@pytest.mark.parametrize(("table", "column", "place"), [
    ("contact_state", "whole", columns.FIRST), ("contact_state", "whole", columns.CARRIER_ROW),
    ("vertex_state", "place", None), ("vertex_state", "slot", None), ("vertex_state", "node", None)])
@pytest.mark.parametrize("wrong", [-7, 10**6])
def test_a_state_of_contact_that_names_what_is_not_there_is_not_continued(table, column, place, wrong):
    model = build_model(soft_block(duration=0.02, frames=1))
    recording = Simulator(model).run()
    rows = {name: {what: values.copy() for what, values in kept.items()} for name, kept in recording.rows.items()}
    damaged = rows[table][column]
    assert len(damaged) > 0, "the scene must be in touch"
    damaged[(-1,) if place is None else (-1, place)] = wrong
    with pytest.raises(RecordingError, match="damaged"):
        Simulator.continued(model, replace(recording, rows=rows))
