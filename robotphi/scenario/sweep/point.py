"""One point of a sweep: a lean run, of which nothing stays but a row of plain JSON values.

A point is known by its key: the digests of its model and of the scenario's file, its knobs, and the versions of what it ran on.
A row that is known by its key is not run again.
"""
import json
from hashlib import sha256
from pathlib import Path
from threading import Lock

from robotphi.errors import RobotphiError
from robotphi.model.arrays import model_digest
from robotphi.model.build import build_model
from robotphi.record.balance import worst
from robotphi.run.account import versions
from robotphi.scenario import load_scenario
from robotphi.scenario.perform import perform, plain_json
from robotphi.scenario.run import guarded, instead_of_study
from robotphi.scene import Scene
from robotphi.scene.sensors import sensor_facts

FINAL = ("done", "diverged", "controller failed", "attempt limit")   # how a run ends that would end so again
ONE = Lock()   # scenarios change the folder they are in: within a process one point runs at a time


def run_point(task):
    """The row of a point; `task`: plain values, see `sweep.tasks`.

    A point that is known, {"known": True}, was not run.
    """
    with ONE:
        try:
            scenario = load_scenario(task["scenario"], [Path(each) for each in task["allow"]])
            known = task["known"] and task["known"] == key_of(task, scenario, _digest(scenario, task))
            return {"known": True} if known else _row(task, scenario)
        except RobotphiError as error:
            return {"status": "refused", "error": str(error), "figures": {}, "key": ""}
        except MemoryError:
            return {"status": "memory full", "error": "the memory of the machine is too small", "figures": {}, "key": ""}


def _row(task, scenario):
    """Run it, check it, and forget it."""
    outcome = perform(scenario, task["knobs"], view=False, filed=False, **task["options"])
    ledger = worst(outcome.ledger)[1] or {}
    final = outcome.status in FINAL
    return plain_json({
        "status": outcome.status if outcome.passed or outcome.status != "done" else "failed", "error": outcome.error,
        "figures": outcome.figures, "units": units(scenario),
        "attempts": outcome.counts.get("attempts"), "steps": outcome.counts.get("accepted"),
        "unexplained": ledger.get("share"), "digest": outcome.digest,
        "key": key_of(task, scenario, outcome.digest) if final else ""})


def _digest(scenario, task):
    """Fingerprint of the model of the single scene; "" of a study of several."""
    if scenario.is_study and not instead_of_study(scenario, task["knobs"], task["options"]):
        return ""
    scene = guarded(scenario, scenario.module.build, **task["knobs"])
    return model_digest(build_model(scene)) if isinstance(scene, Scene) else ""


def key_of(task, scenario, digest):
    """What a row is known by."""
    options = {name: value for name, value in task["options"].items() if name != "threads"}   # on which nothing depends
    file = sha256(scenario.path.read_bytes()).hexdigest()
    said = json.dumps([scenario.name, file, task["knobs"], options, versions(), digest], sort_keys=True)
    return sha256(said.encode()).hexdigest()


def units(scenario):
    """Name of a figure → its unit, of a scene file; of other scenarios the name tells it."""
    found = {}
    file, scene = getattr(scenario.module, "file", None), getattr(scenario.module, "scene", None)
    if file is not None and scene is not None:
        of_sensor = {name: unit for name, _, unit, _ in sensor_facts(scene).get("sensors", [])}
        for name, figure in file.figures(scene).items():
            found[name] = of_sensor.get(figure.of, "J")
    return found
