"""`robotphi replay`, `repair` and `run --continue`, on files of runs that were whole, cut off and changed."""
import json

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

from robotphi import Simulator, build_model
from robotphi.commands.cli import app
from robotphi.record.files import places, read
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


def test_what_was_settled_before_it_was_recorded_is_simulated_again_from_there(tmp_path):
    simulator = Simulator(build_model(masses()))
    simulator.state.position[1] += 0.01   # moved by hand, as equilibria and placing do
    run = simulator.run()
    path = run.save(tmp_path / "run.vtkhdf")
    code, told = command("replay", path, "--json")
    assert (code, json.loads(told)["same"], json.loads(told)["moved"]) == (0, True, True)
    with h5py.File(path, "r+") as file:
        file["VTKHDF/Points"][2 * run.position.shape[1], 0] += 1e-12
    assert json.loads(command("replay", path, "--json")[1])["frame"] == 2


def test_a_changed_number_is_told_by_frame_and_array(tmp_path):
    run = Simulator(build_model(masses())).run()
    path = run.save(tmp_path / "run.vtkhdf")
    with h5py.File(path, "r+") as file:   # what was edited by somebody has no seal any more
        file["VTKHDF/PointData/velocity"][2 * run.velocity.shape[1], 0] += 1e-12
    code, told = command("replay", path, "--json")
    assert code == 1
    assert {"frame": 2, "what": "velocity"}.items() <= json.loads(told).items()


def flipped(path, place):
    """One bit of a file is the other one."""
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize("large", [1, 1 << 16])   # bytes from which on the seal leaves arrays to the chain
def test_a_flipped_bit_in_any_array_of_frames_is_named_with_frame_and_array(tmp_path, monkeypatch, large):
    monkeypatch.setattr(places, "LARGE", large)
    path = Simulator(build_model(bouncing(20)), controllers={"swing": swing}).run().save(tmp_path / "run.vtkhdf")
    monkeypatch.setattr(read, "SMALL", 1)   # as in a large file, which is not looked through when it is opened
    with h5py.File(path, "r") as file:
        told = json.loads(file["robotphi/opening"].asstr()[()])["places"]
        spots = {f"{group} {name}".strip(): file[where].id.get_offset() + 7 * file[where].nbytes // (20 + 1 + more) + 3
                  for group, name, where, *_, more in told if file[where].size}
        rows = file["robotphi/rows/contacts"]
        start, columns = rows["start"][()], {name: rows[name] for name in rows if name != "start"}
        frame = int(np.flatnonzero(np.diff(start))[0])
        spots |= {f"contacts {name}": (column.id.get_offset() + int(start[frame]) * column[:1].nbytes) for name, column
                   in columns.items() if column.size}
    assert len(spots) > 30
    wrong = {}
    for name, place in spots.items():
        flipped(path, place)
        code, said = command("replay", path, "--json")
        said = json.loads(said)
        if name.startswith("rows "):   # where the rows of each frame begin: nothing can be compared any more
            alright = code == 2 and f"{name[5:]} start" in said["error"]
        else:
            wanted = frame if name.startswith("contacts ") else 7
            alright = code == 1 and (said.get("frame"), said.get("what")) == (wanted, name)
        if not alright:
            wrong[name] = code, said
        flipped(path, place)
    assert wrong == {}
    assert command("replay", path)[0] == 0


@pytest.mark.parametrize("large", [1, 1 << 16])
@pytest.mark.parametrize("name", ["VTKHDF/Points", "VTKHDF/FieldData/kinetic"])
def test_a_flipped_bit_is_named_with_frame_and_array(tmp_path, monkeypatch, name, large):
    monkeypatch.setattr(places, "LARGE", large)
    monkeypatch.setattr(read, "SMALL", 1)
    run = Simulator(build_model(masses())).run()
    path = run.save(tmp_path / "run.vtkhdf")
    with h5py.File(path, "r") as file:
        flipped(path, file[name].id.get_offset() + 3 * file[name].nbytes // len(run))
    said = json.loads(command("replay", path, "--json")[1])
    assert (said["frame"], said["what"]) == (3, "position" if "Points" in name else "ledger kinetic")


def test_repair_looks_through_every_frame_of_a_file_that_is_whole(tmp_path, monkeypatch):
    run = Simulator(build_model(masses())).run()
    path = run.save(tmp_path / "run.vtkhdf")
    monkeypatch.setattr(places, "LARGE", 1)
    run.save(path)
    monkeypatch.setattr(read, "SMALL", 1)
    with h5py.File(path, "r") as file:
        place = file["VTKHDF/Points"].id.get_offset() + 3 * run.position[0].nbytes
    flipped(path, place)
    code, told = command("repair", path, "--json")
    assert code == 2
    assert "frame 3" in json.loads(told)["error"]


@pytest.mark.parametrize("word", ["repair", "pack", "replay", "info"])
def test_what_was_never_a_recording_is_told_so(tmp_path, word):
    path = tmp_path / "run.vtkhdf"
    path.write_text("robotphi: 1\n", encoding="utf-8")
    code, told = command(word, path, "--json")
    assert code == 2
    assert "is not an HDF5 file, so not a recording" in json.loads(told)["error"]


def test_what_is_whole_is_left_as_it_is_and_what_is_none_is_said(tmp_path):
    path = Simulator(build_model(masses())).run().save(tmp_path / "run.vtkhdf")
    before = path.read_bytes()
    assert json.loads(command("repair", path, "--json")[1])["mended"] is False
    assert path.read_bytes() == before
    code, told = command("repair", tmp_path / "none.vtkhdf", "--json")
    assert code == 2
    assert "there is no recording" in json.loads(told)["error"]
