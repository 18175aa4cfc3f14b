"""`robotphi info` lists sensors with their units, and commands."""
import json

from typer.testing import CliRunner

from robotphi import simulate
from robotphi.commands.cli import app

SCENARIO = '''"""A mass that falls."""
from robotphi import Scene
from robotphi.scenario import run_scenario


def build(budget=1e-3):
    scene = Scene("falls", duration=0.1, frames=2)
    scene.add_particle("mass", (0, 0, 0), 1.0)
    scene.add_force("push", 0, (1, 0, 0), drive=scene.add_command("push", 2.0))
    scene.add_sensor("where", "position", of="mass")
    scene.add_sensor("gain", "acceleration", of="mass")
    return scene


def check(recording):
    return {}


def draw(recording, folder):
    return []
'''


def told(*words):
    result = CliRunner().invoke(app, ["info", *map(str, words), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def test_info_lists_the_sensors_of_a_recording_and_of_a_scenario_with_units(tmp_path):
    file = tmp_path / "falls.py"
    file.write_text(SCENARIO, encoding="utf-8")
    found = {name: (quantity, unit) for name, quantity, unit, _ in told(file, "--sensors")["sensors"]}
    assert found == {"where": ("position", "m"), "gain": ("acceleration", "m/s²")}
    assert "sensors" not in told(file)

    names = {}
    exec(SCENARIO, names)
    path = simulate(names["build"]()).save(tmp_path / "falls.h5")
    document = told(path)
    assert {name: (quantity, unit) for name, quantity, unit, _ in document["sensors"]} == found
    assert document["commands"] == {"push": 2.0}
    shown = CliRunner().invoke(app, ["info", str(path)])
    assert "m/s²" in shown.output
