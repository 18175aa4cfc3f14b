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
    # positions and velocities of 1000 particles in 1001 frames: 48 MB, and something for the state of each
    monkeypatch.setattr(room, "free_memory", lambda: 60 * 10**6)
    (told,) = crowd().warnings()
    assert "the recording of 1001 frames will take 4" in told
    assert "MiB, and 57.2 MiB of memory are free; frames=" in told
    assert "frames=600 in place of 1000" in told


def test_a_recording_that_does_not_fit_is_refused_before_the_run(monkeypatch):
    monkeypatch.setattr(room, "free_memory", lambda: 40 * 10**6)
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
