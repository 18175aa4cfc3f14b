"""Experiments: a scene with unknowns, recordings of what was done with the real thing, and which answers which."""
from dataclasses import dataclass, field
from pathlib import Path

from identification.errors import ExperimentError
from identification.experiment import nodes, read
from identification.experiment.addresses import resolved
from identification.experiment.parts import ADDRESS, OFFSET
from identification.experiment.plan import Plan
from identification.experiment.simulated import Simulated
from robotphi.errors import RobotphiError
from robotphi.scenario.file import load_scenario
from robotphi.scene.scene import Scene


@dataclass
class Experiment:
    """What is to be found, and from what.

    Attributes:
        name: of the experiment.
        scene: a scenario by name or file, a scene file, a Scene, or a function of knobs that builds one.
        unknowns: `Unknown`s, one a parameter.
        runs, compared, scalars: parts; see `identification.experiment.parts`.
        fit: settings of the fit: method, seed, settings, workers, cluster, attempts, evaluations, aim.
    """
    name: str
    scene: object
    knobs: dict
    allow: tuple
    unknowns: tuple
    runs: tuple
    compared: tuple
    scalars: tuple
    fit: dict
    about: str = ""
    path: Path | None = None
    _scenes: dict = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, path):
        """The experiment that a YAML file tells."""
        path = Path(path)
        if not path.is_file():
            raise ExperimentError(f"there is no experiment file {path}; give the path of a file that begins with "
                                  f"robotphi_experiment: {read.VERSION}")
        return cls._of(nodes.read_file(path), path.stem, path.parent, path)

    @classmethod
    def of(cls, scene, parameters, runs=None, compare=None, criteria=None, fit=None, knobs=None, name="experiment", folder="."):
        """The same from Python: `scene` may be a Scene or a function that builds one, all else is told as in a file."""
        said = {"robotphi_experiment": read.VERSION, "parameters": parameters, "runs": runs or {"run": {}},
                "knobs": knobs or {}, "compare": compare or {}, "criteria": criteria or {}, "fit": fit or {}}
        return cls._of(nodes.node_of(said, name), name, Path(folder), None, scene)

    @classmethod
    def _of(cls, root, name, folder, path, scene=None):
        read.check_version(root)
        scene = _source(root, folder) if scene is None else str(scene) if isinstance(scene, Path) else scene
        allow = tuple(str(folder / each) for each in nodes.texts(root, "allow"))
        said = nodes.section(root, "runs", needed=True).value
        if not said:
            nodes.fail(root.value["runs"], "there are no runs", "give runs: {name: {file: …}}")
        runs = tuple(read.read_run(each, node, folder) for each, node in said.items())
        known = knobs_of(scene, allow)
        unknowns = tuple(read.read_unknown(each, node, known, [run.name for run in runs])
                         for each, node in nodes.section(root, "parameters", needed=True).value.items())
        compared = tuple(read.read_compared(each, node, [run.name for run in runs])
                         for each, node in nodes.section(root, "compare").value.items())
        criteria = [read.read_scalar(each, node) for each, node in nodes.section(root, "criteria").value.items()]
        if not compared and not criteria:
            nodes.fail(root, "nothing is compared", "give compare: {name: {sensor: …, column: …}}, or criteria:")
        if not unknowns:
            nodes.fail(root, "nothing is unknown", "give parameters: {name: {set: …, bounds: […]}}")
        fit = read.read_fit(nodes.section(root, "fit"), [one for one, _ in criteria])
        knobs = read.plain_knobs(nodes.section(root, "knobs"), "knob")
        scalars = tuple(one for _, several in criteria for one in several)
        made = cls(name, scene, knobs, allow, unknowns, runs, compared, scalars, fit, nodes.text(root, "about", ""), path)
        made._resolve()
        return made

    @property
    def parameters(self):
        """`Parameter`s, in their order."""
        return tuple(each.parameter for each in self.unknowns)

    def scene_of(self, run):
        """The scene of a run as the scenario has it, without any candidate's values."""
        if run.name not in self._scenes:
            knobs = self.knobs | run.knobs
            missing = [name for name in knobs if name not in knobs_of(self.scene, self.allow)]
            if missing:
                raise ExperimentError(f"run {run.name!r}: the scene has no knob {missing[0]!r}; it has: "
                                      f"{', '.join(knobs_of(self.scene, self.allow)) or 'none'}")
            try:
                self._scenes[run.name] = Simulated(Plan(self.scene, self.allow, (), (), ())).scene(knobs)
            except RobotphiError as error:
                raise ExperimentError(f"run {run.name!r}: the scene cannot be built: {error}") from error
        return self._scenes[run.name]

    def _resolve(self):
        """Addresses as the model knows them, and knobs that are there."""
        scene = self.scene_of(self.runs[0])
        self.unknowns = tuple(resolved(scene, each) for each in self.unknowns)
        setters = {}
        for each in self.unknowns:
            for target in each.targets:
                other = setters.setdefault((target.kind, repr(target.what)), each.parameter.name)
                if other != each.parameter.name:
                    raise ExperimentError(f"parameters {other!r} and {each.parameter.name!r} both set {target.what!r}; leave "
                                          "one of them out")
        for each in self.unknowns:
            for target in each.targets:
                if target.kind == ADDRESS:
                    for run in self.runs:
                        _check_address(self.scene_of(run), run, each, target)

    def targets(self):
        """((number, kind, what, factor), …) of all parameters but offsets."""
        return tuple((number, target.kind, target.what, target.factor) for number, each in enumerate(self.unknowns)
                     for target in each.targets if target.kind != OFFSET)

    def problem(self, workers=0, cluster=None):
        """The problem that searches and verdicts see; its workers end with `close`, or as a `with` block does."""
        from identification.experiment.problem import ExperimentProblem

        return ExperimentProblem(self, workers, cluster)


def _source(root, folder):
    """A scenario's name as it is, of a file its path from the folder of the experiment."""
    said = nodes.text(root, "scene")
    if said is None:
        nodes.fail(root, "there is no scene", "give scene: the name of a scenario, or a .yaml or .py file")
    return str((folder / said).resolve()) if Path(said).suffix else said


def knobs_of(scene, allow):
    """Name → unit of what can be set when a scene is built."""
    if isinstance(scene, Scene):
        return {}
    if callable(scene):
        from robotphi.scenario.file import parameters

        return dict.fromkeys(parameters(scene), "")
    loaded = load_scenario(scene, allow)
    told = getattr(loaded.module, "parameters", {})
    return {name: getattr(told.get(name), "unit", "") for name in loaded.scene_knobs}


def _check_address(scene, run, unknown, target):
    try:
        value = float(unknown.parameter.value(0.5)) if unknown.parameter.start is None else unknown.parameter.start
        scene.with_values({target.what: value * target.factor})
    except RobotphiError as error:
        raise ExperimentError(f"parameter {unknown.parameter.name!r} of run {run.name!r}: {error}") from error
