"""`robotphi convert`: the scene of a scenario, recording or scene file as a scene file."""
from pathlib import Path
from typing import Annotated

import typer

from robotphi.commands.output import AsJson, answer, console, exit_codes, own_output
from robotphi.commands.run import parse_knobs
from robotphi.errors import ScenarioError, SceneError
from robotphi.language import read_scene, write_scene
from robotphi.model.arrays import model_digest
from robotphi.model.build import build_model
from robotphi.record.recording import Recording
from robotphi.scenario import load_scenario
from robotphi.scenario.file import checked_knobs
from robotphi.scenario.run import guarded
from robotphi.scenario.scene_file import ENDINGS
from robotphi.scene import Scene


def convert_command(
    source: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A scenario, by name or file; a recording; a scene file.")],
    target: Annotated[Path, typer.Argument(metavar="SCENE.yaml", help="The scene file to write.")],
    knobs: Annotated[list[str] | None, typer.Option("--set", metavar="K=V", help="Set a knob of the scenario.")] = None,
    allow: Annotated[list[Path] | None, typer.Option(metavar="DIR", help="Another folder that a scene file may read.")] = None,
    as_json: AsJson = False,
):
    """Write a scene as a YAML file, which is read again and compared: its model is the same to the bit.

    Example: robotphi convert pinch pinch.yaml --set friction=0.5
    """
    with exit_codes(as_json):
        if target.suffix.lower() not in ENDINGS:
            raise ScenarioError(f"{target} is no name of a scene file; let it end in .yaml")
        with own_output(as_json):
            scene, about = scene_of(source, parse_knobs(knobs or []), allow or ())
            paths = converted(scene, target, about)
        if as_json:
            answer({"files": paths, "scene": scene.name, "scene digest": model_digest(build_model(scene))})
        else:
            for path in paths:
                console().print(str(path))


def scene_of(source, knobs, allow=()):
    """(Scene, what it is about) of what can be named."""
    path = Path(source)
    if path.suffix.lower() in (".py", *ENDINGS) or (len(path.parts) == 1 and not path.suffix and not path.exists()):
        scenario = load_scenario(source, allow)
        found = guarded(scenario, scenario.module.build, **checked_knobs(scenario, knobs))
        if not isinstance(found, Scene):
            raise ScenarioError(f"{scenario.name}: build returned {found!r:.60}; it must return a Scene")
        return found, scenario.summary
    if knobs:
        raise ScenarioError(f"--set has no meaning for {source}, which is a recording; leave it out")
    return Scene.from_statements(Recording.load(path).statements), ""


def converted(scene, target, about=""):
    """The files that were written; statements keep their order where the scene would be another one else."""
    wanted = model_digest(build_model(scene))
    for exact in (False, True):
        paths = write_scene(scene, target, about, exact)
        try:
            if model_digest(build_model(read_scene(target))) == wanted:
                return paths
            problem = "its model differs"
        except SceneError as error:
            problem = str(error)
    raise SceneError(f"{target} was written, but read again it is not the same scene: {problem}")
