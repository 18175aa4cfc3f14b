"""Runs of a scenario: its study of several scenes, or its single scene; what its functions raise becomes a message."""
import signal
import threading
from itertools import count

from robotphi.errors import RobotphiError, ScenarioError
from robotphi.model.build import build_model
from robotphi.record.choice import choice_of
from robotphi.record.files.names import ENDING
from robotphi.record.recording import Recording
from robotphi.run.filing import FILES
from robotphi.run.limits import SAME
from robotphi.run.simulator import LISTENERS, Simulator
from robotphi.scenario.file import accepted, parameters, reason, same_folder
from robotphi.scenario.folder import RECORDING
from robotphi.scenario.scene_file import SceneModule
from robotphi.scene import Scene

OF_ONE_RUN = ("threads", "until", "wall_limit", "resume", "keep")


def instead_of_study(scenario, knobs, options):
    """Why the single scene of a study is to run and not the study; "" where the study runs, or there is none.

    Knobs that `run` does not take are those of `build`; the options of one run have no meaning for several, unless `run`
    takes them itself.
    """
    if not scenario.is_study:
        return ""
    own = parameters(scenario.module.run)
    of_one = [name for name in knobs if name not in scenario.study_knobs]
    of_one += ["--" + name.replace("_", "-") for name in OF_ONE_RUN if name in options and name not in own]
    of_study = [name for name in knobs if name not in scenario.scene_knobs]
    if of_one and of_study:
        raise ScenarioError(f"{scenario.name}: what belongs to its study ({_listed(of_study)}) and what belongs to a single "
                            f"scene ({_listed(of_one)}) do not go together; leave out the one or the other")
    return f"{scenario.name}: the scene of build runs, not the study, because of {_listed(of_one)}" if of_one else ""


def _listed(names):
    return " and ".join(", ".join(names).rsplit(", ", 1))


def run_scene(scenario, knobs, options, folder=None):
    """Simulate the scene of `build`; its recording is written into the folder as it goes on, if there is one."""
    options = dict(options) | ({"to": folder / RECORDING} if folder else {})
    if folder and isinstance(scenario.module, SceneModule):
        options.setdefault("keep", scenario.module.keep)
    threads = options.pop("threads", None)
    scene = guarded(scenario, scenario.module.build, **knobs)
    if not isinstance(scene, Scene):
        raise ScenarioError(f"{scenario.name}: build returned {scene!r:.60}; it must return a Scene")
    if hasattr(options.get("progress"), "expect"):
        options["progress"].expect(min(scene.duration, options.get("until", scene.duration)))
    warn = options.pop("warn", None)
    resume, model = options.pop("resume", None), build_model(scene)
    if resume is None:
        simulator = Simulator(model, threads=threads)
    else:
        simulator = Simulator.resumed(Recording.load(resume), model, threads=threads)
    if warn is not None:
        for warning in simulator.warnings() + choice_of(options.get("keep", ())).told + _no_longer(scene, options.get("until")):
            warn(warning)
    return simulator.run(**options)


def _no_longer(scene, until):
    """What is to be said of an end behind that of the scene."""
    return [f"it ends at {scene.duration:g} s, as its scene says: to run until {until:g} s, give it that duration"
            ] if until is not None and until > scene.duration * (1.0 + SAME) else []


def run_study(scenario, knobs, options, folder=None):
    """Call `run`; a study that is interrupted keeps the runs that it has. Long runs are written into the folder
    as they go on, if there is one, under names of their own; those that the study does not give are removed."""
    run, finished, numbers = scenario.module.run, [], count()
    options = {name: value for name, value in options.items() if name in parameters(run)}
    LISTENERS.append(finished.append)
    FILES.append(lambda: folder / f"run_{next(numbers)}{ENDING}" if folder else None)
    before = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    try:
        if before is not None:
            signal.signal(signal.SIGINT, _stop_study)
        found = _recordings(scenario, guarded(scenario, run, **options, **accepted(run, knobs)))
        _remove_others(finished, found)
        return found
    except KeyboardInterrupt:
        if not finished:
            raise
        return {f"run {place}": recording for place, recording in enumerate(finished)}
    finally:
        LISTENERS.remove(finished.append)
        FILES.pop()
        if before is not None:
            signal.signal(signal.SIGINT, before)


def _remove_others(finished, found):
    """Remove the files of runs that a study made for itself."""
    given = {each.path for each in ([found] if isinstance(found, Recording) else found.values())}
    for recording in finished:
        if recording.path is not None and recording.path not in given:
            recording.path.unlink(missing_ok=True)


def _recordings(scenario, result):
    """What a study gave, if it is one recording or several by name."""
    if not isinstance(result, Recording) and not (
            isinstance(result, dict) and result and all(isinstance(each, Recording) for each in result.values())):
        raise ScenarioError(f"{scenario.name}: run returned {result!r:.60}; it must return a Recording or {{name: Recording}}")
    return result


def _stop_study(number, frame):
    """Ctrl-C ends the present run, which passes it on to here: the study ends with the runs that it has."""
    raise KeyboardInterrupt


def guarded(scenario, function, *arguments, **named):
    """Call a function of the scenario file; what it did not expect becomes a message with the line."""
    try:
        with same_folder():
            return function(*arguments, **named)
    except RobotphiError:
        raise
    except (Exception, SystemExit) as error:
        given = f" with {named}" if named and function is scenario.module.build else ""
        what = f"{function.__name__}{given} failed: {reason(error, scenario.path)}"
        raise ScenarioError(f"{scenario.name}: {what}") from error
