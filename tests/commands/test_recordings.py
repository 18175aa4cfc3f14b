"""`robotphi replay`, `repair` and `run --continue`, on files of runs that were whole, cut off and changed."""
import json

import h5py
import pytest
from typer.testing import CliRunner

from robotphi import Simulator, build_model
from robotphi.commands.cli import app
from tests.record.test_files import bouncing, swing
from tests.run.test_advance_to import masses


def command(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.stdout


@pytest.mark.parametrize("build", [masses, bouncing])
def test_a_recording_is_simulated_again_to_the_same_bytes(tmp_path, build):
    path = Simulator(build_model(build()), controllers={"swing": swing} if build is bouncing else None).run().save(
        tmp_path / "run.vtkhdf")
    code, told = command("replay", path, "--json")
    assert code == 0
    assert json.loads(told)["same"] is True


def test_a_run_that_went_on_is_simulated_again_from_where_it_began(tmp_path):
    whole = Simulator(build_model(masses())).run()
    path = Simulator.continued(whole, frame=3).run().save(tmp_path / "run.vtkhdf")
    assert command("replay", path)[0] == 0


def test_a_changed_number_is_told_by_frame_and_array(tmp_path):
    run = Simulator(build_model(masses())).run()
    path = run.save(tmp_path / "run.vtkhdf")
    with h5py.File(path, "r+") as file:   # what was edited by somebody has no seal any more
        file["VTKHDF/PointData/velocity"][2 * run.velocity.shape[1], 0] += 1e-12
    code, told = command("replay", path, "--json")
    assert code == 1
    assert {"frame": 2, "what": "velocity"}.items() <= json.loads(told).items()


def test_what_is_whole_is_left_as_it_is_and_what_is_none_is_said(tmp_path):
    path = Simulator(build_model(masses())).run().save(tmp_path / "run.vtkhdf")
    before = path.read_bytes()
    assert json.loads(command("repair", path, "--json")[1])["mended"] is False
    assert path.read_bytes() == before
    code, told = command("repair", tmp_path / "none.vtkhdf", "--json")
    assert code == 2
    assert "there is no recording" in json.loads(told)["error"]
