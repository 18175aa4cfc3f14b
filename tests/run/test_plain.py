"""The kernels as plain Python: without compilation they give the same numbers, so that a debugger may look into them."""
import os
import subprocess
import sys

import numpy as np
import pytest

from tests import ROOT

PROGRAM = """
import sys
import numpy as np
from robotphi import Drive, Scene, Simulator, Stepping, build_model, simulate
from robotphi.kernels.compiling.compiled import PLAIN
from robotphi import relax
from robotphi.verification.mixed import KINDS, mixed_scene


def two_masses():
    scene = Scene("two masses", duration=0.2, frames=2, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=0.01))
    particles = scene.add_particles("ends", [(0, 0, 0), (1.1, 0.2, 0.1)], 1.0)
    scene.add_linear("spring", particles[0], particles[1], 100.0, 5.0, rest_length=1.0)
    return scene


def mixed():
    return mixed_scene(Stepping(dt=0.05, budget=1e-4), 0.3, 3, damping=0.01, plastic=KINDS, driven=True, gravity=(0, 0, -9.81))


def driven_rigid():
    scene = Scene("driven", duration=0.1, frames=2, stepping=Stepping(budget=1e-2))
    arm = scene.add_rigid("arm", [(0, 0, 0), (0.3, 0, 0), (0, 0.2, 0), (0, 0, 0.1)], mass=2.0, support="xyz",
                          drive={"rotation": ((0, 0.6, 0.8), Drive.sine(0.5, 2.0))})
    load = scene.add_particle("load", (0.5, 0, 0), 0.3)
    scene.add_linear("string", arm.particles[1], load, 50.0, 0.2)
    return scene


def rod():
    scene = Scene("rod")
    scene.add_rod("rod", (0, 0, 0), (0.3, 0, 0), 3, 1000.0, 0.5, 0.1, clamp_start="clamp")
    return scene


found = {"plain": np.array(PLAIN)}
for make in (two_masses, mixed, driven_rigid):
    recording = simulate(make())
    for name in ("position", "velocity", "rigid_orientation", "rigid_momentum"):
        found[f"{make.__name__} {name}"] = getattr(recording, name)
    for name, values in recording.ledger.items():
        found[f"{make.__name__} ledger {name}"] = values
    for name in ("attempts", "refused"):
        found[f"{make.__name__} {name}"] = np.array(recording.counts[name])
found["rod position"] = relax(build_model(rod()), tolerance=1e-4).position
np.savez(sys.argv[1], **found)
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Results of the program compiled and plain, by name."""
    results = []
    for plain in ("0", "1"):
        folder = tmp_path_factory.mktemp(f"plain{plain}")
        environment = {**os.environ, "NUMBA_DISABLE_JIT": plain}
        if plain == "1":
            environment["NUMBA_CACHE_DIR"] = str(folder / "cache")
        subprocess.run([sys.executable, "-c", PROGRAM, str(folder / "found.npz")],
                       check=True, env=environment, cwd=ROOT)
        with np.load(folder / "found.npz") as found:
            results.append(dict(found))
    return results


def test_one_run_is_compiled_and_the_other_is_not(both):
    compiled, plain = both
    assert not compiled["plain"]
    assert plain["plain"]
    assert compiled.keys() == plain.keys()


def test_the_mixed_scene_has_refused_steps_and_plastic_flow(both):
    assert both[1]["mixed refused"] > 0
    assert both[1]["mixed ledger plastic_flow"][-1] > 0


@pytest.mark.parametrize("scene", ["two_masses", "mixed", "driven_rigid", "rod"])
def test_plain_kernels_give_the_bits_of_the_compiled_ones(both, scene):
    compiled, plain = both
    names = [name for name in compiled if name.startswith(scene)]
    assert names
    for name in names:
        np.testing.assert_array_equal(plain[name], compiled[name], err_msg=name)
