"""Recordings for other programs: what their readers find is what was recorded."""
import csv
import json
import struct

import numpy as np
import pytest
from typer.testing import CliRunner

from robotphi.commands.cli import app
from robotphi.errors import RecordingError
from robotphi.scene.turns import matrix_of
from robotphi.view.export.binary import TYPES, WIDTHS, Document
from robotphi.view.export.gltf import unit_ball, write_gltf
from robotphi.view.export.table import write_csv
from robotphi.view.export.vtu import write_series
from robotphi.view.quantities import QUANTITIES
from robotphi.view.stage import Stage
from tests.view import played

FRAMES = np.arange(0, len(played.TIME), 3)


@pytest.fixture(scope="module")
def stage():
    return Stage(played.recording()[0])


# VTU

def read_grid(path):
    xml = pytest.importorskip("vtkmodules.vtkIOXML")
    from vtkmodules.util.numpy_support import vtk_to_numpy
    reader = xml.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    grid = reader.GetOutput()
    told = [{data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}
            for data in (grid.GetPointData(), grid.GetFieldData())]
    points = vtk_to_numpy(grid.GetPoints().GetData()) if grid.GetPoints() else np.empty((0, 3))
    kinds = [grid.GetCellType(i) for i in range(grid.GetNumberOfCells())]
    return points, *told, kinds


def test_vtk_finds_every_frame_in_the_series(stage, tmp_path):
    record = stage.recording
    whole, touching = write_series(stage, tmp_path / "run.pvd", FRAMES, {"speed": QUANTITIES["speed"]})
    assert sum(each.suffix == ".vtu" for each in tmp_path.iterdir()) == 2 * len(FRAMES)
    files = [line.split('file="')[1].split('"')[0] for line in whole.read_text().splitlines() if "timestep" in line]
    times = [float(line.split('timestep="')[1].split('"')[0]) for line in whole.read_text().splitlines() if "timestep" in line]
    assert times == record.time[FRAMES].tolist()
    for frame, file in zip(FRAMES, files, strict=True):
        points, values, fields, kinds = read_grid(tmp_path / file)
        assert points.tobytes() == record.position[frame].tobytes()
        assert values["velocity"].tobytes() == record.velocity[frame].tobytes()
        np.testing.assert_array_equal(values["speed"], np.linalg.norm(record.velocity[frame], axis=1))
        assert fields["TimeValue"] == record.time[frame]
        assert fields["kinetic"] == record.ledger["kinetic"][frame]
        assert kinds.count(1) == len(points)
        assert kinds.count(3) == 24   # threads of the net
        assert kinds.count(5) == sum(len(placed.facets) for placed in stage.scene.objects.values())
    files = [line.split('file="')[1].split('"')[0] for line in touching.read_text().splitlines() if "timestep" in line]
    for frame, file in zip(FRAMES, files, strict=True):
        points, values, _, _ = read_grid(tmp_path / file)
        assert points.tobytes() == record.frame_rows("contacts", frame)["point"].tobytes()
        if len(points):
            np.testing.assert_array_equal(values["normal"], record.frame_rows("contacts", frame)["normal"])


# glTF

def opened(path):
    """(document, function from the place of an accessor to its array) of a .glb, whose structure is looked at."""
    data = path.read_bytes()
    magic, version, total, length, kind = struct.unpack_from("<5I", data)
    assert (magic, version, total, kind) == (0x46546C67, 2, len(data), 0x4E4F534A)
    document = json.loads(data[20:20 + length])
    size, kind = struct.unpack_from("<2I", data, 20 + length)
    assert kind == 0x004E4942
    assert 28 + length + size == total
    assert length % 4 == size % 4 == 0
    assert 0 <= size - document["buffers"][0]["byteLength"] < 4
    body, dtypes, widths = data[28 + length:], {code: dtype for dtype, code in TYPES.items()}, {
        word: width for width, word in WIDTHS.items()}

    def array(place):
        told = document["accessors"][place]
        view, width, dtype = document["bufferViews"][told["bufferView"]], widths[told["type"]], dtypes[told["componentType"]]
        assert view["byteOffset"] % 4 == 0
        assert view["byteLength"] == told["count"] * width * dtype.itemsize
        assert view["byteOffset"] + view["byteLength"] <= document["buffers"][0]["byteLength"]
        found = np.frombuffer(body, dtype, told["count"] * width, view["byteOffset"]).reshape(-1, width)
        if "min" in told:
            np.testing.assert_array_equal(found.min(axis=0), told["min"])
            np.testing.assert_array_equal(found.max(axis=0), told["max"])
        return found
    return document, array


def check_structure(document, array):
    """What the specification asks of meshes, nodes and animations, as far as ours have them."""
    nodes, seen = document["nodes"], list(document["scenes"][0]["nodes"])
    for place in seen:
        seen += nodes[place].get("children", [])
    assert sorted(seen) == list(range(len(nodes)))   # each node has one place in the tree
    for mesh in document["meshes"]:
        [primitive] = mesh["primitives"]
        count = len(array(primitive["attributes"]["POSITION"]))
        assert "min" in document["accessors"][primitive["attributes"]["POSITION"]]
        assert {len(array(place)) for place in primitive["attributes"].values()} == {count}
        corners = array(primitive["indices"])
        assert len(corners) % {4: 3, 1: 2, 0: 1}[primitive["mode"]] == 0
        assert corners.max() < count
        assert primitive["material"] < len(document["materials"])
        for target in primitive.get("targets", ()):
            assert len(array(target["POSITION"])) == count
        assert len(mesh.get("weights", ())) == len(primitive.get("targets", ()))
    [animation] = document["animations"]
    assert len({(channel["target"]["node"], channel["target"]["path"]) for channel in animation["channels"]}) == len(
        animation["channels"])
    for channel in animation["channels"]:
        sampler, node = animation["samplers"][channel["sampler"]], nodes[channel["target"]["node"]]
        times, values = array(sampler["input"]), array(sampler["output"])
        assert (np.diff(times[:, 0]) > 0.0).all()
        assert times[0] == 0.0
        each = len(document["meshes"][node["mesh"]]["weights"]) if channel["target"]["path"] == "weights" else 1
        assert len(values) == len(times) * each
        assert values.shape[1] == {"weights": 1, "translation": 3, "rotation": 4}[channel["target"]["path"]]
        if channel["target"]["path"] == "rotation":
            np.testing.assert_allclose(np.linalg.norm(values, axis=1), 1.0, rtol=1e-6)


def shown(document, array, name, step):
    """(k, 3) m: the corners of all meshes of that name at a frame, as a viewer works them out, z up again."""
    [animation], nodes, found = document["animations"], document["nodes"], []
    moved = {(channel["target"]["node"], channel["target"]["path"]): array(animation["samplers"][channel["sampler"]]["output"])
             for channel in animation["channels"]}
    above = {child: place for place, node in enumerate(nodes) for child in node.get("children", ())}
    for place, node in enumerate(nodes):
        if "mesh" not in node or not node["name"].startswith(name):
            continue
        [primitive] = document["meshes"][node["mesh"]]["primitives"]
        points = array(primitive["attributes"]["POSITION"]).astype(float)
        if (place, "weights") in moved:
            weights = moved[place, "weights"].reshape(-1, len(primitive["targets"]))[step]
            points = points + sum(w * array(t["POSITION"]) for w, t in zip(weights, primitive["targets"], strict=True))
        while place != document["scenes"][0]["nodes"][0]:
            points = points * nodes[place].get("scale", [1.0] * 3)
            if (place, "rotation") in moved:
                x, y, z, w = moved[place, "rotation"][step]
                points = points @ matrix_of(np.array([w, x, y, z], float)).T
            if (place, "translation") in moved:
                points = points + moved[place, "translation"][step]
            place = above[place]
        found.append(points)
    return np.concatenate(found)


def test_a_viewer_of_gltf_sees_every_frame_where_it_was(stage, tmp_path):
    record = stage.recording
    path, frames = write_gltf(stage, tmp_path / "run.glb")
    assert len(frames) == len(record)
    document, array = opened(path)
    check_structure(document, array)
    assert document["nodes"][document["scenes"][0]["nodes"][0]]["rotation"] == pytest.approx([-0.5**0.5, 0, 0, 0.5**0.5])
    box, net = stage.scene.objects["box"], np.unique(stage.lines)
    near = 4.0 * np.finfo("f4").eps * np.abs(record.position).max()   # a place, a turn or a weight each rounded once
    for frame in (0, 1, 7, len(record) - 1):
        corners = shown(document, array, "box", frame)
        wanted = record.position[frame][np.unique(box.facets)]
        assert np.linalg.norm(corners[:, None] - wanted, axis=2).min(axis=0).max() < near
        np.testing.assert_allclose(shown(document, array, "springs", frame), record.position[frame][net], rtol=0, atol=near)
        ball = shown(document, array, "ball", frame)
        [centre] = [record.rigid_position[frame, one.index] for one in stage.scene.rigids if one.name == "ball"]
        assert np.linalg.norm(ball - centre, axis=1).max() == pytest.approx(0.7, abs=near)


def test_gltf_of_chosen_frames_has_these(stage, tmp_path):
    path, _ = write_gltf(stage, tmp_path / "run.glb", FRAMES)
    document, array = opened(path)
    check_structure(document, array)
    times = array(document["animations"][0]["samplers"][0]["input"])[:, 0]
    np.testing.assert_allclose(times, stage.recording.time[FRAMES], rtol=1e-6)


def test_other_readers_open_the_gltf(stage, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    path, _ = write_gltf(stage, tmp_path / "run.glb")
    assert len(trimesh.load(path).geometry) >= 3


def test_a_ball_is_round_and_closed():
    points, facets = unit_ball()
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0, rtol=1e-6)
    corner = points[facets].astype(float)
    assert np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1).min() > 1e-3
    volume = np.einsum("fi,fi->f", corner[:, 0], np.cross(corner[:, 1], corner[:, 2])).sum() / 6.0
    assert 0.9 * 4.0 / 3.0 * np.pi < volume < 4.0 / 3.0 * np.pi   # inscribed, all facets outwards


def test_a_document_too_large_for_its_format_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr("robotphi.view.export.binary.MOST", 100)
    document = Document()
    document.numbers([np.zeros(30, "<f4")])
    with pytest.raises(OverflowError, match=r"a \.glb holds"):
        document.write(tmp_path / "run.glb", [], "large")
    assert not list(tmp_path.iterdir())


# CSV

def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    return head, rows


def test_a_table_has_units_in_its_head_and_every_bit(stage, tmp_path):
    record = stage.recording
    head, rows = read_csv(write_csv(stage, tmp_path / "run.csv"))
    assert head[:3] == ["time [s]", "height [m]", "kinetic [J]"]
    values = np.array(rows, float)
    assert values[:, 0].tobytes() == record.time.tobytes()
    assert values[:, 1].tobytes() == record.sensors["height"].tobytes()
    assert values[:, 2].tobytes() == record.ledger["kinetic"].tobytes()
    head, rows = read_csv(write_csv(stage, tmp_path / "run.csv", ["speed@box", "gravity"], FRAMES))
    assert head == ["time [s]", "speed of box, mean [m/s]", "gravity [J]"]
    box = stage.scene.objects["box"].particles
    speed = np.linalg.norm(record.velocity[FRAMES][:, box], axis=2).mean(axis=1)
    np.testing.assert_allclose(np.array(rows, float)[:, 1], speed, rtol=1e-12)   # sums in another order


def test_contacts_are_a_table_of_their_own(stage, tmp_path):
    head, rows = read_csv(write_csv(stage, tmp_path / "run.csv", ["contacts"]))
    start = stage.recording.rows["contacts"]["start"]
    assert len(rows) == start[-1] > 0
    assert head[:6] == ["time [s]", "first", "second", "point x [m]", "point y [m]", "point z [m]"]
    assert rows[0][1:3] == ["ball", "ground"]
    assert float(rows[-1][0]) == stage.recording.time[-1]
    with pytest.raises(RecordingError, match="a table of its own"):
        write_csv(stage, tmp_path / "run.csv", ["contacts", "ledger"])


def test_what_a_table_cannot_have_is_said(stage, tmp_path):
    with pytest.raises(RecordingError, match=r"neither a sensor.*height, kinetic"):
        write_csv(stage, tmp_path / "run.csv", ["hight"])
    with pytest.raises(RecordingError, match=r"nothing with particles.*net"):
        write_csv(stage, tmp_path / "run.csv", ["speed@nett"])


# The command

@pytest.mark.parametrize(("to", "made", "frames"), [("vtu", ["run.pvd", "run_contacts.pvd"], 5), ("gltf", ["run.glb"], 5),
                                                    ("csv", ["run.csv"], 5)])
def test_the_command_writes_each_kind_beside_the_recording(stage, tmp_path, to, made, frames):
    path = stage.recording.save(tmp_path / "run.vtkhdf")
    done = CliRunner().invoke(app, ["export", str(path), "--to", to, "--every", "3", "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told == {"recording": str(path), "files": [str(tmp_path / each) for each in made], "frames": frames}
    assert all((tmp_path / each).stat().st_size for each in made)


def test_tables_of_other_things_have_other_names(stage, tmp_path):
    path = stage.recording.save(tmp_path / "run.vtkhdf")
    for of in (["--of", "ledger"], ["--of", "speed@net", "--of", "sensors"]):
        assert CliRunner().invoke(app, ["export", str(path), "--to", "csv", *of]).exit_code == 0
    assert {each.name for each in tmp_path.glob("*.csv")} == {"run_ledger.csv", "run_speed_net_sensors.csv"}


@pytest.mark.parametrize(("words", "message"), [
    (["--to", "obj"], "give one of: vtu, gltf, csv"), (["--to", "gltf", "--out", "run.png"], "does not end in .glb"),
    (["--to", "csv", "--out", "nowhere/run.csv"], "there is no folder"),
    (["--to", "csv", "--of", "nothing"], "is neither a sensor"),
    (["--to", "gltf", "--of", "speed"], "glTF has what is seen")])
def test_the_command_says_what_it_cannot_do(stage, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    path = stage.recording.save(tmp_path / "run.vtkhdf")
    done = CliRunner().invoke(app, ["export", str(path), *words, "--json"])
    assert done.exit_code == 2
    assert message in json.loads(done.stdout)["error"]
    assert [each.name for each in tmp_path.iterdir()] == ["run.vtkhdf"]
