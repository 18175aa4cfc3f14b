"""The same bits: for any number of threads, from run to run, and continued from the middle."""
import os
import subprocess
import sys

import numpy as np
import pytest

from robotphi import Recording, RecordingError, Scene, Simulator, Stepping, build_model, simulate
from robotphi.verification.mixed import KINDS, mixed_scene
from tests import ROOT


def mixed(stepping=None, duration=1.0, **more):
    """Everything but contact: springs of every law and drive, damped and plastic."""
    return mixed_scene(stepping or Stepping(), duration, 4, **{"damping": 0.01, "plastic": KINDS, "driven": True, **more})


def cloth(side=90, duration=0.02, frames=4):
    """More than one leaf of the partition, so that a team has groups to share."""
    scene = Scene("cloth", duration=duration, frames=frames, stepping=Stepping(budget=1e-4))
    grid = scene.add_grid("cloth", (0, 0, 0), (1, 0, 0), (0, 1, 0), (side, side), 1.0, structural=200.0, shear=100.0,
                          bending=1e-4, structural_viscosity=0.01)
    corner = grid.particles
    scene.add_force("poke", int(corner[side // 2, side // 2]), (0, 0, 1.0))
    return scene


def assert_same_bits(one, two):
    """Every number of two recordings, ledger and step history included."""
    for name in ("time", "position", "velocity", "rigid_position", "rigid_orientation", "rigid_velocity", "rigid_momentum"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), err_msg=name)
    for group in ("ledger", "steps", "checkpoint"):
        assert getattr(one, group).keys() == getattr(two, group).keys()
        for name, values in getattr(one, group).items():
            np.testing.assert_array_equal(values, getattr(two, group)[name], err_msg=f"{group} {name}")


@pytest.mark.slow
def test_threads_do_not_change_a_bit():
    model = build_model(cloth())
    assert len(model.arrays.tree.level_start) > 2, "the scene must be large enough to be shared"
    runs = [Simulator(model, threads=threads).run() for threads in (1, 2, 3)]
    assert_same_bits(runs[0], runs[1])
    assert_same_bits(runs[0], runs[2])


def test_threads_do_not_change_a_bit_of_rigids_and_laws():
    model = build_model(mixed(duration=0.1))
    assert_same_bits(*(Simulator(model, threads=threads).run() for threads in (1, 2)))


def test_two_runs_give_the_assert_same_bits():
    assert_same_bits(simulate(mixed()), simulate(mixed()))


PROGRAM = """
import hashlib
from robotphi import simulate
from tests.run.test_determinism import mixed
recording = simulate(mixed())
print(hashlib.sha256(recording.position.tobytes() + recording.ledger["residual"].tobytes()).hexdigest())
"""


def test_another_process_gives_the_assert_same_bits():
    found = set()
    for seed in ("1", "2"):
        run = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True,
                             env={**os.environ, "PYTHONHASHSEED": seed})
        found.add(run.stdout)
    assert len(found) == 1


CONTROLS = [Stepping(), Stepping(scheme="taylor", budget=1e-3), Stepping(control="fixed", dt=1.1e-3),
            Stepping(control="energy", energy_tolerance=0.05)]


@pytest.mark.parametrize("stepping", CONTROLS, ids=lambda s: f"{s.scheme} {s.control}")
@pytest.mark.parametrize("frame", [1, 3])
def test_a_run_continued_from_a_frame_equals_the_straight_run(tmp_path, stepping, frame):
    model = build_model(mixed(stepping, driven=stepping.control != "energy"))
    straight = Simulator(model).run()
    straight.save(tmp_path / "run.h5")
    rest = Simulator.continued(model, Recording.load(tmp_path / "run.h5"), frame).run()
    assert len(rest.time) == 5 - frame
    for name in ("time", "position", "velocity", "rigid_orientation", "rigid_momentum"):
        np.testing.assert_array_equal(getattr(straight, name)[frame:], getattr(rest, name), err_msg=name)
    for name in straight.ledger:
        np.testing.assert_array_equal(straight.ledger[name][frame:], rest.ledger[name], err_msg=name)
    assert rest.counts == straight.counts


def test_stopping_and_going_on_does_not_change_a_bit():
    """A pause inside a frame, as for a look at the clock, leaves no trace."""
    model = build_model(mixed())
    straight = Simulator(model).run()
    halting = Simulator(model)
    halting._chunk = 1
    halting.begin()
    while halting.advance_frame():
        halting._chunk = 1
    assert_same_bits(straight, halting.recording())


def test_a_recording_of_another_scene_is_not_continued():
    recording = simulate(mixed(duration=0.1))
    with pytest.raises(RecordingError, match="another scene"):
        Simulator.continued(build_model(mixed(duration=0.1, damping=0.02)), recording)


def test_a_large_undamped_cloth_continued_equals_the_straight_run():
    """Slab by slab or group by group: the sums of a frame's forces have one order, whoever evaluates them."""
    random = np.random.default_rng(3)
    scene = Scene("undamped", duration=0.01, frames=4, gravity=(0, 0, 0))
    scene.add_grid("cloth", (0, 0, 0), (1, 0, 0), (0, 1, 0), (100, 100), 1.0, structural=200.0, shear=100.0, bending=1e-4,
                   velocity=0.1 * random.uniform(-1, 1, (10000, 3)))
    model = build_model(scene)
    assert len(model.arrays.slabs.row) > 2, "the scene must have slabs"
    straight = Simulator(model, threads=1).run()
    rest = Simulator.continued(model, straight, 2, threads=1).run()
    np.testing.assert_array_equal(straight.position[2:], rest.position)
    np.testing.assert_array_equal(straight.ledger["residual"][2:], rest.ledger["residual"])
    assert rest.counts == straight.counts
