"""A recording of every scenario is drawn, measured and gone on with in a process that never saw the scenario's file."""
import json
import subprocess
import sys

import numpy as np
import pytest

from robotphi import Recording, Simulator, build_model
from robotphi.scenario import list_scenarios, load_scenario
from tests import ROOT

pytestmark = pytest.mark.slow

ALONE = """
import json, sys
from pathlib import Path
import numpy as np
from robotphi import Recording, Simulator
from robotphi.record import measure
from robotphi.record.compare import first_difference
from robotphi.view import scenes, solids, touching

told = {}
for path in sorted(Path(sys.argv[1]).glob("*.h5")):
    recording = Recording.load(path)
    draw = (touching.picture_touching if recording.scene.touching else
            solids.picture_frames if recording.scene.objects else scenes.picture_frames)
    draw(recording, path.with_suffix(".png"), frames=[-1 % len(recording)])
    linear, angular = measure.recorded_momenta(recording)
    steered = len(recording.scene.controllers) > 0   # by functions, which no recording holds: by the commands they gave
    on = Simulator.replayed(recording, 1) if steered else Simulator.continued(recording, frame=0, threads=1)
    on.run(until=recording.time[-1]).save(path.with_suffix(".on"))
    again = (Simulator.replayed(recording, 1) if steered else Simulator(recording.model, 1)).run(until=recording.time[-1])
    assert first_difference(recording, again) is None, path.stem
    told[path.stem] = [len(recording.scene.statements), bool(np.isfinite(linear).all() and np.isfinite(angular).all())]
assert not any("scenario" in name and "robotphi" not in name for name in sys.modules)
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What the process says of each recording, of one frame interval of each scenario; and where they are."""
    folder = tmp_path_factory.mktemp("recorded")
    for name in list_scenarios():
        model = build_model(load_scenario(name).module.build())
        Simulator(model, threads=1).run(until=model.scene.frame_times[1]).save(folder / f"{name}.h5")
    done = subprocess.run([sys.executable, "-c", ALONE, folder], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), folder


@pytest.mark.parametrize("name", list_scenarios())
def test_a_recording_stands_alone(told, name):
    said, folder = told
    assert said[name][0] > 1
    assert said[name][1], "momenta are measured"
    assert (folder / f"{name}.png").stat().st_size > 2000
    straight, on = (Recording.load(folder / f"{name}{ending}") for ending in (".h5", ".on"))
    assert len(straight) == len(on) == 2
    for what in ("time", "position", "velocity", "rigid_orientation", "rigid_momentum"):
        np.testing.assert_array_equal(getattr(straight, what), getattr(on, what), err_msg=what)
    assert {name: values.tolist() for name, values in straight.ledger.items()} == {
        name: values.tolist() for name, values in on.ledger.items()}
