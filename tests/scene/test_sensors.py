"""Sensors: what they are of, resolved when they are added."""
import numpy as np
import pytest

from robotphi.discretise import Material, deformable, discretise, mark
from robotphi.errors import SceneError
from robotphi.geometry.shapes import box
from robotphi.scene import Scene
from robotphi.scene.sensors import QUANTITIES


def rich():
    scene = Scene("rich")
    scene.add_particle("tip", (0, 0, 0), 1.0)
    scene.body = scene.add_rigid("body", np.eye(3) + 4, 1.0)
    scene.rod = scene.add_rod("rod", (0, 1, 0), (1, 1, 0), 4, 1.0, 1.0, 1.0)
    scene.tie = scene.add_linear("tie", [0, 0], [1, 2], 1.0)
    scene.add_articular("twist", 0, 4, 5, 1, 1.0)
    return scene


@pytest.mark.parametrize(("quantity", "of", "kind", "indices"), [
    ("position", 0, "particle", [0]),
    ("position", "tip", "particle", [0]),
    ("velocity", lambda s: s.body, "rigid", [0]),
    ("spin", "body", "rigid", [0]),
    ("spin", 0, "rigid", [0]),
    ("speed", ("rod", 2), "particle", [6]),
    ("length", lambda s: s.tie, "linear", [4, 5]),
    ("length", lambda s: s.rod, "linear", [0, 1, 2, 3]),
    ("tension", ("tie", 1), "linear", [5]),
    ("tension", lambda s: (s.rod, 3), "linear", [3]),
    ("tension", 2, "linear", [2]),
    ("bend", lambda s: (s.rod, 1), "angular", [1]),
    ("angle", "twist", "articular", [0]),
    ("moment", lambda s: (s.rod.angular, 0), "angular", [0]),
    ("centre", "rod", "particle", [4, 5, 6, 7, 8]),
    ("momentum", [0, 5], "particle", [0, 5]),
    ("kinetic_energy", None, "scene", []),
])
def test_a_sensor_knows_the_indices_of_what_it_is_of(quantity, of, kind, indices):
    scene = rich()
    sensor = scene.add_sensor("s", quantity, of(scene) if callable(of) else of)
    assert (sensor.of.kind, sensor.of.indices.tolist()) == (kind, indices)
    assert scene.sensors == [sensor]


def test_a_grid_is_sensed_by_its_corner_or_whole():
    scene = Scene("cloth")
    grid = scene.add_grid("g", (0, 0, 0), (1, 0, 0), (0, 1, 0), (3, 4), 1.0, structural=1.0, bending=1.0)
    assert scene.add_sensor("a", "position", grid.particles[2, 3]).of.indices.tolist() == [11]
    assert len(scene.add_sensor("b", "kinetic_energy", grid).of.indices) == 12
    assert scene.add_sensor("c", "bend", (grid, 0)).of.kind == "angular"
    assert scene.add_sensor("d", "momentum", grid.particles).of.indices.tolist() == list(range(12))


def test_a_mark_of_a_soft_object_is_sensed_by_names_as_by_the_handle():
    scene = Scene("bar")
    mesh = discretise(box((0.1, 0.1, 0.2)), counts=(2, 2, 4))
    thing = mark(deformable(mesh, Material(1e5, density=1000.0)), points={"tip": (0, 0, -0.1)})
    bar = scene.add_object("bar", thing)
    wanted = bar.region("tip").tolist()
    assert scene.add_sensor("a", "position", (bar, "tip")).of.indices.tolist() == wanted
    assert scene.add_sensor("b", "position", ("bar", "tip")).of.indices.tolist() == wanted
    assert scene.add_sensor("c", "position", (scene.things["bar"], "tip")).of.indices.tolist() == wanted


@pytest.mark.parametrize(("quantity", "of", "words"), [
    ("postion", 0, ["unknown quantity 'postion'", "did you mean 'position'"]),
    ("position", None, ["position of nothing", "particle, rigid"]),
    ("length", None, ["length of nothing", "linear"]),
    ("position", 99, ["particle 99", "0 to 8"]),
    ("position", "tipp", ["unknown name 'tipp'", "did you mean 'tip'"]),
    ("position", "rod", ["position of 5 things", "(handle, index)"]),
    ("tension", "tip", ["tension of particle", "linear"]),
    ("bend", "twist", ["bend of articular", "angular"]),
    ("tension", ("tie", 2), ["index is linear of it 2", "0 to 1"]),
    ("moment", 0, ["angular or articular", "handle or name"]),
    ("kinetic_energy", 1, ["inside a rigid", "give the rigid itself"]),
    ("position", 0.5, ["of is 0.5", "index"]),
])
def test_a_sensor_that_cannot_be_is_refused_with_what_would_work(quantity, of, words):
    with pytest.raises(SceneError) as refused:
        rich().add_sensor("probe", quantity, of)
    assert all(word in str(refused.value) for word in ["sensor 'probe'", *words]), refused.value


def test_two_sensors_of_one_name_are_refused_but_a_sensor_may_be_called_like_a_particle():
    scene = rich()
    scene.add_sensor("tip", "position", "tip")
    with pytest.raises(SceneError, match=r"'tip'.*taken"):
        scene.add_sensor("tip", "velocity", "tip")


def test_every_quantity_has_a_unit_and_a_meaning():
    assert all(known.unit and known.meaning and known.width in (1, 3, 7) for known in QUANTITIES.values())
