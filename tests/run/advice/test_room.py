"""What a recording will take is told before the run where it is much, and refused where it is not there."""
import numpy as np
import pytest

from robotphi import RecordingError, Scene, Simulator, build_model
from robotphi.run.advice import room


def crowd(count=1000, frames=1000):
    scene = Scene("crowd", duration=1.0, frames=frames, gravity=(0, 0, 0))
    scene.add_particles("one", np.random.default_rng(1).random((count, 3)), 1.0)
    return Simulator(build_model(scene), threads=1)


def test_what_fits_is_neither_told_nor_refused():
    simulator = crowd()
    assert simulator.warnings() == []
    assert len(simulator.run(until=0.002)) == 3


def test_a_recording_that_takes_most_of_the_memory_is_told(monkeypatch):
    simulator = crowd()
    frame = simulator._frames.frame_bytes(simulator.state)
    assert 48_000 < frame < 55_000, "positions and velocities of 1000 particles, and something for the state"
    monkeypatch.setattr(room, "free_memory", lambda: 1210 * frame)
    (told,) = simulator.warnings()
    assert f"the recording of 1001 frames will take {room.readable(1001 * frame)}" in told
    assert f"{room.readable(1210 * frame)} of memory are free; frames=600 in place of 1000 would take half of that" in told


def test_a_recording_that_does_not_fit_is_refused_before_the_run(monkeypatch):
    frame = crowd()._frames.frame_bytes(crowd().state)
    monkeypatch.setattr(room, "free_memory", lambda: 810 * frame)
    with pytest.raises(RecordingError, match=r"'crowd': the recording of 1001 frames, .* would take .*frames=400 in place of"):
        crowd().run()
    assert len(crowd().run(until=0.5)) == 501, "half of them fit"


def test_a_million_particles_in_many_frames_are_refused_in_words(monkeypatch):
    """They ended in a MemoryError once, at the first frame."""
    monkeypatch.setattr(room, "free_memory", lambda: 20 * 2**30)
    with pytest.raises(RecordingError, match=r"would take 89.5 GiB, and 20 GiB of memory are free; frames="):
        room.check_room(crowd(10, 1).model.scene, 48 * 10**6, 2001, 0)


def test_memory_that_is_free_is_found():
    assert room.free_memory() > 10**6
