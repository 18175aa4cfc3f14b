"""`robotphi convert`: the scene of a scenario, recording or scene file as a scene file."""
from pathlib import Path
from typing import Annotated

import typer

from robotphi.commands.output import AsJson, answer, console, exit_codes, own_output, say
from robotphi.commands.run import parse_knobs
from robotphi.errors import ScenarioError, SceneError
from robotphi.language import read_scene, write_scene
from robotphi.language.expressions import escaped
from robotphi.language.parameters import Parameter
from robotphi.language.parametrised import parametrised
from robotphi.language.write import document_of
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
    parameters: Annotated[bool, typer.Option("--parameters/--no-parameters", help="Build the scene with other values of its "
                                             "knobs, to find what follows them.")] = True,
    as_json: AsJson = False,
):
    """Write a scene as a YAML file, which is read again and compared: its model is the same to the bit.

    Knobs from which numbers of the scene follow as c*p, c/p, p*q or a + b*p become parameters of the file; others stay values.

    Example: robotphi convert pinch pinch.yaml --set friction=0.5
    """
    with exit_codes(as_json):
        if target.suffix.lower() not in ENDINGS:
            raise ScenarioError(f"{target} is no name of a scene file; let it end in .yaml")
        _check_apart(source, target, allow or ())
        given = parse_knobs(knobs or [])
        with own_output(as_json):
            scene, about, define = scene_of(source, given, allow or ())
            known, figures = said_beside(source, scene, given, allow or ())

            def build(values):
                return scene_of(source, given | values, allow or ())[::2]

            paths, stay = converted(scene, target, about, known if parameters else (), build, figures, define)
        if stay:
            say(f"robotphi: {', '.join(stay)}: no parameter of the file: what follows is more than products and sums")
        if as_json:
            answer({"files": paths, "scene": scene.name, "scene digest": model_digest(build_model(scene)),
                    "parameters": [knob.name for knob in known if knob.name not in stay], "values": stay})
        else:
            for path in paths:
                console().print(str(path))


def scene_of(source, knobs, allow=()):
    """(Scene, what it is about, name → thing of what it defines) of what can be named."""
    if (scenario := _scenario(source, allow)) is not None:
        found = guarded(scenario, scenario.module.build, **checked_knobs(scenario, knobs))
        if not isinstance(found, Scene):
            raise ScenarioError(f"{scenario.name}: build returned {found!r:.60}; it must return a Scene")
        return found, scenario.summary, getattr(getattr(scenario.module, "file", None), "made", {})
    if knobs:
        raise ScenarioError(f"--set has no meaning for {source}, which is a recording; leave it out")
    return Scene.from_statements(Recording.load(source).statements), "", {}


def _scenario(source, allow):
    """The scenario of a name or file; None of a recording."""
    path = Path(source)
    named = path.suffix.lower() in (".py", *ENDINGS) or (len(path.parts) == 1 and not path.suffix and not path.exists())
    return load_scenario(source, allow) if named else None


def _check_apart(source, target, allow):
    """Refuse to write over what is read: a file that is converted, or one that it includes."""
    scenario = _scenario(source, allow)
    file = getattr(getattr(scenario, "module", None), "file", None)
    if target.exists() and any(target.samefile(root.file) for root in getattr(file, "roots", ())):
        raise ScenarioError(f"{target} is what is read, and would be written over; name another file")


def said_beside(source, scene, given, allow=()):
    """(knobs by which a scene is built, of a file with what is said of them; figures of a file), nothing of a recording."""
    scenario = _scenario(source, allow)
    file = getattr(getattr(scenario, "module", None), "file", None)
    if scenario is None or file is None:
        return [Parameter(name, given.get(name, default)) for name, default in getattr(scenario, "scene_knobs", {}).items()], {}
    figures = {escaped(name): {each.take: each.of if each.place is None else f"{each.of}[{each.place}]"}
               for name, each in file.figures(scene).items()}
    return list(file.parameters(**given).values()), figures


def converted(scene, target, about="", knobs=(), build=None, figures=None, define=None):
    """(files that were written, names of knobs that stay values); statements keep their order where the scene would be another
    one else, and values stand where the file with parameters would give another one."""
    wanted, problem = model_digest(build_model(scene)), ""
    for exact, tried in ((False, knobs), (True, knobs), *(((False, ()), (True, ())) if knobs else ())):
        stay = [] if tried else [knob.name for knob in knobs]

        def write(values, exact=exact):
            made, named = build(values)
            return document_of(made, target, about, exact, named)

        def change(document, arrays, tried=tried, write=write, stay=stay):
            document, found = parametrised(document, arrays, tried, write)
            stay += found
            return document | ({"figures": figures} if figures else {})

        paths = write_scene(scene, target, about, exact, change, define)
        try:
            if model_digest(build_model(read_scene(target))) == wanted:
                return paths, stay
            problem = "its model differs"
        except SceneError as error:
            problem = str(error)
    raise SceneError(f"{target} was written, but read again it is not the same scene: {problem}")
