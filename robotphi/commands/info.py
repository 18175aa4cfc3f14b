"""`robotphi info`: what is in a recording, mesh or robot file, or which knobs a scenario has."""
from pathlib import Path
from typing import Annotated

import typer

from robotphi.commands.output import AsJson, answer, console, exit_codes, own_output, table
from robotphi.record.balance import balance
from robotphi.record.causes import all_causes
from robotphi.record.contacts import contact_summary
from robotphi.record.joints import joint_summary
from robotphi.record.recording import Recording
from robotphi.scenario import load_scenario
from robotphi.scenario.scene_file import ENDINGS, describe_scene_file
from robotphi.scene.sensors import sensor_facts

LISTED = 20  # pairs of things that touched, causes of steps
TITLES = {
    "scene knobs": "knobs of its single scene, which runs instead of the study when one of them is set",
    "commands": "commands, and what they stood at in the beginning",
    "balance": "balance of the ledger: what is unexplained, as a share of the largest energy",
    "sampling errors": "drives made of functions: by how much their samples miss them",
}


def info_command(
    file: Annotated[str, typer.Argument(
        metavar="FILE", help="A recording, mesh, URDF or .yaml scene; or a scenario, by name or .py file.")],
    sensors: Annotated[bool, typer.Option(help="Of a scenario: build its scene and list its sensors.")] = False,
    as_json: AsJson = False,
):
    """Show what is in a recording, mesh or robot file, or what a scenario is about and which knobs it has.

    Example: robotphi info runs/pinch/recording.vtkhdf; robotphi info pinch --sensors
    """
    with exit_codes(as_json):
        path = Path(file)
        is_scenario = path.suffix == ".py" or (len(path.parts) == 1 and not path.suffix and not path.exists())
        with own_output(as_json):
            document = describe_scenario(load_scenario(file), sensors) if is_scenario else describe_file(path, sensors)
    if as_json:
        answer(document)
    else:
        _show(document)


def describe_scenario(scenario, sensors=False):
    found = sensor_facts(scenario.module.build()).get("sensors", []) if sensors else []
    return {"scenario": scenario.name, "file": scenario.path, "about": (scenario.module.__doc__ or "").strip(),
            **({"sensors": found} if found else {}),
            "knobs": scenario.study_knobs or scenario.scene_knobs,
            "scene knobs": {name: default for name, default in scenario.scene_knobs.items()
                            if scenario.is_study and name not in scenario.study_knobs}}


def describe_file(path, sensors=False):
    """A scene, mesh or robot file by its ending, anything else as a recording."""
    from robotphi.commands.shape_info import describe_shape, is_shape_file

    if path.suffix.lower() in ENDINGS:
        scenario = load_scenario(path)
        found = describe_scene_file(scenario.module)
        listed = {"sensors": sensor_facts(scenario.module.scene).get("sensors", [])} if sensors else {}
        return {"scene file": path, **({"about": scenario.summary} if scenario.summary else {}), **found, **listed}
    return describe_shape(path) if is_shape_file(path) else describe_recording(path)


def describe_recording(path):
    recording = Recording.load(path)
    info = dict(recording.info)
    objects = info.pop("objects", {})
    info.pop("touching", None)
    info.pop("joints", None)
    sensors, commands = info.pop("sensors", []), info.pop("commands", [])
    advice, causes = info.pop("advice", []), []
    if info.pop("causes", None) is not None:
        causes = [cause._asdict() for cause in all_causes(recording)]
    warnings = info.pop("warnings", [])
    touched, joints = contact_summary(recording), [joint._asdict() for joint in joint_summary(recording)]
    return {
        "recording": path, "status": recording.status, "frames": len(recording),
        "time": [float(recording.time[0]), float(recording.time[-1])] if len(recording) else [],
        "particles": recording.position.shape[1], "rigids": recording.rigid_position.shape[1],
        "balance": balance(recording), "sampling errors": recording.info.get("sampling_errors", {}),
        "info": info, "counts": recording.counts,
        "ledger at the end": {name: float(values[-1]) for name, values in recording.ledger.items()},
        "sensors at the end": {name: values[-1].tolist() for name, values in recording.sensors.items()},
        **({"sensors": sensors} if sensors else {}),
        **({"commands": dict(commands)} if commands else {}),
        **({"steps set by": causes} if causes else {}), **({"advice": advice} if advice else {}),
        **({"warnings": warnings} if warnings else {}), **({"contacts": touched} if touched else {}),
        **({"joints": joints} if joints else {}),
        "scene digest": recording.scene_digest, **({"objects": objects} if objects else {}),
    }


def _show_object(out, name, notes):
    """An object's materials, wanted and reached, and its certificate."""
    from robotphi.discretise.masses.certificate import describe

    out.print(f"\nobject {name!r}")
    for material in notes.get("materials", []):
        out.print("wanted   " + ", ".join(f"{key} {value:g}" for key, value in material.items()
                                          if isinstance(value, float) and value))
        if material.get("reached"):
            out.print("reached  " + ", ".join(f"{key} {value:.6g}" for key, value in material["reached"].items()
                                              if isinstance(value, float)))
    if "certificate" in notes:
        out.print(describe(notes["certificate"]), highlight=False, markup=False)


def _show_contacts(out, touched):
    """Which things touched, the largest force first."""
    rows = table("\ncontacts: pairs of things that touched", "things", "frames>", "largest normal force>", "at>", "deepest>",
                 "")
    for pair in touched[:LISTED]:
        rows.add_row(f"{pair['first']} on {pair['second']}", str(pair["frames"]), f"{pair['largest_normal_force']:.6g} N",
                     f"{pair['at']:.4g} s", f"{1e3 * pair['deepest']:.3g} mm", "slipped" if pair["slips"] else "held")
    out.print(rows)
    if len(touched) > LISTED:
        out.print(f"and {len(touched) - LISTED} more pairs")


def _show_joints(out, joints):
    """What each joint did, and the most that it had to bear."""
    rows = table("\njoints", "name", "kind", "between", "coordinates", "force>", "couple>")
    for joint in joints[:LISTED]:
        spans = ", ".join(f"{name} {low:.4g} … {high:.4g}" for name, (low, high) in joint["freedoms"].items())
        rows.add_row(joint["joint"], joint["kind"], f"{joint['parent'] or 'the world'}, {joint['child']}", spans,
                     f"{joint['largest_force']:.4g} N", f"{joint['largest_couple']:.4g} N·m")
    out.print(rows)
    if len(joints) > LISTED:
        out.print(f"and {len(joints) - LISTED} more joints")


def _show_parameters(out, parameters):
    """What can be set of a scene file."""
    rows = table("\nparameters, for --set", "name", "value>", "unit", "from", "to", "about")
    for name, each in parameters.items():
        low, high = ("" if bound is None else f"{bound:g}" for bound in (each["low"], each["high"]))
        rows.add_row(name, str(each["value"]), each["unit"], low, high, each["about"])
    out.print(rows)


def _show_sensors(out, sensors):
    """Which sensors there are, and what they tell."""
    rows = table("\nsensors", "name", "quantity", "unit", "what it is")
    for each in sensors:
        rows.add_row(*map(str, each))
    out.print(rows)


def _show_causes(out, causes, accepted):
    """What kept steps from being longer, what set most of them first."""
    rows = table("\nwhat set the steps", "by", "steps>", "share>", "mean step>")
    for cause in causes[:LISTED]:
        rows.add_row(cause["name"], str(cause["steps"]), f"{100.0 * cause['steps'] / max(accepted, 1):.3g} %",
                     "" if cause["dt"] is None else f"{cause['dt']:.3g} s")
    out.print(rows)


def _show(document):
    out = console()
    for key, value in document.items():
        if key == "objects":
            continue
        if key == "contacts":
            _show_contacts(out, value)
            continue
        if key == "sensors":
            _show_sensors(out, value)
            continue
        if key == "joints":
            _show_joints(out, value)
            continue
        if key == "parameters":
            _show_parameters(out, value)
            continue
        if key == "steps set by":
            _show_causes(out, value, document["counts"]["accepted"])
            continue
        if key in ("warnings", "advice"):
            for text in value:
                out.print(f"{key.removesuffix('s'):12s} {text}", highlight=False, markup=False)
            continue
        if isinstance(value, dict) and value:
            rows = table(f"\n{TITLES.get(key, key)}", "name", "value>")
            for name, member in value.items():
                rows.add_row(str(name), f"{member:.9g}" if isinstance(member, float) else str(member))
            out.print(rows)
        elif not isinstance(value, dict):
            text = " … ".join(f"{member:g} s" for member in value) if key == "time" else value
            out.print(text if key == "about" else f"{key:12s} {text}")
    for name, notes in document.get("objects", {}).items():
        _show_object(out, name, notes)
