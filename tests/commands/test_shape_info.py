"""`robotphi info` of mesh and robot files."""
import json

import numpy as np
import pytest

from robotphi.commands.cli import app
from robotphi.discretise import discretise
from robotphi.geometry import shapes
from robotphi.geometry.files import write_mesh
from robotphi.geometry.mesh import Mesh
from tests import ROOT


@pytest.fixture
def info(capsys):
    def run(*words):
        with pytest.raises(SystemExit) as stop:
            app(["info", *map(str, words)])
        return stop.value.code, capsys.readouterr()
    return run


def test_a_solid_tells_its_mass_properties(info, tmp_path):
    path = tmp_path / "box.msh"
    write_mesh(path, discretise(shapes.box((1.0, 2.0, 3.0)), counts=(1, 2, 3)))
    code, said = info(path, "--json")
    document = json.loads(said.out)
    assert code == 0
    assert document["bounds a solid"]
    rows = document["mass properties for 1 kg/m³"]
    assert rows["mass [kg]"] == pytest.approx(6.0)
    assert rows["Ixx [kg m²]"] == pytest.approx(6.0 / 12 * (4 + 9))
    assert document["regions"]["top"] == 6


def test_an_open_surface_tells_where(info, tmp_path):
    path = tmp_path / "open.ply"
    points, triangles, _ = shapes.box((1.0, 1.0, 1.0)).triangulated()
    write_mesh(path, Mesh(points, {"triangle": triangles[1:]}))
    code, said = info(path)
    assert code == 0
    assert "open" in said.out


def test_a_robot_tells_links_joints_and_mass(info):
    pytest.importorskip("yourdfpy")
    code, said = info(ROOT / "data" / "urdf" / "ur5e.urdf", "--json")
    document = json.loads(said.out)
    assert code == 0
    assert document["mass properties in the zero pose"]["mass [kg]"] == pytest.approx(21.7)
    assert document["joints"]["elbow"].startswith("revolute")


def test_a_file_that_is_no_mesh_is_bad_input(info, tmp_path):
    path = tmp_path / "noise.stl"
    path.write_bytes(np.random.default_rng(0).bytes(300))
    code, said = info(path)
    assert code == 2
    assert "noise.stl" in said.err
