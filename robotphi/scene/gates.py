"""When acts are on, at the door: by time, by what touches, by a sensor that compiled code knows at every step."""
import numpy as np

from robotphi.scene.acts import Ends, declared
from robotphi.scene.checks import AXES, number, refuse, word
from robotphi.scene.drive import Drive, as_drive

SWITCHES = ("since", "until", "while")
OF_THREE = ("position", "velocity")
SAID = ('("since", thing), ("until", thing) or ("while", thing), with the name of what touches it as a third; or '
        '("while", sensor, "above", 0.3), "below" likewise')


def gate_of(scene, where, when):
    """Fields of a gate: ("since", "until" or "while", a thing, another one or None for any), or (…, sensor, side, value)."""
    if when is None:
        return {}
    if not isinstance(when, (tuple, list)) or len(when) not in (2, 3, 4) or when[0] not in SWITCHES:
        refuse(where, f"when is {when!r:.60}", f"give {SAID}")
    if len(when) < 4:
        sensors = {sensor.name for sensor in scene.sensors}
        if (when[1] in sensors if isinstance(when[1], str) else False) and when[1] not in scene.touching:
            refuse(where, f"when is {when!r:.60}, and {when[1]!r} is a sensor",
                   f'say from where on: ({when[0]!r}, {when[1]!r}, "above", 0.3)')
        return dict(zip(("when", "touch_first", "touch_second"), when, strict=False))
    way, sensor, side, threshold = when
    side = word(where, "side", side, declared("pull")["side"].words)
    return {"when": way, "side": side, "threshold": number(where, "threshold", threshold), **_seen(scene, where, sensor)}


def _seen(scene, where, given):
    """Fields that say which number is looked at, of a sensor by its name, or (sensor, axis) of one of three numbers."""
    name, axis = given if isinstance(given, (tuple, list)) and len(given) == 2 else (given, None)
    sensors = {sensor.name: sensor for sensor in scene.sensors}
    if not sensors:
        refuse(where, f"when looks at {name!r}, and there are no sensors so far", "add_sensor first, then this act")
    sensor = sensors[word(where, "sensor", getattr(name, "name", name), tuple(sensors))]
    of, quantity, known = sensor.of, sensor.quantity, declared("pull")["seen"].words[1:]
    if quantity not in known or (of.kind == "joint" and scene.joints[of.indices[0]].kind == "ball"):
        refuse(where, f"sensor {sensor.name!r} shows {quantity} of a {of.kind}, which a step does not look at",
               f"acts are switched by sensors of {', '.join(known)}; for all others let a controller set a command that "
               f"the act takes as active=")
    if (axis is None) == (quantity in OF_THREE):
        refuse(where, f"sensor {sensor.name!r} has {'three numbers' if axis is None else 'one number'}",
               f'give ({sensor.name!r}, "z") or another axis' if axis is None else f"give {sensor.name!r} alone")
    if of.kind == "spring joint":
        refuse(where, f"sensor {sensor.name!r} is of a joint by springs, whose coordinate is worked out behind a run",
               'use an exact joint (way="exact"), or a controller')
    if of.kind == "joint":
        return {"seen": quantity, "seen_joint": (int(of.indices[0]), max(int(of.indices[1]), 0))}
    if quantity == "distance":
        ends = [int(index) if kind == 0 else -1 - int(index) for kind, index in of.indices]
        return {"seen": quantity, "seen_at": Ends(np.array(ends[:1], np.int32)), "seen_to": Ends(np.array(ends[1:], np.int32))}
    end = int(of.indices[0]) if of.kind == "particle" else -1 - int(of.indices[0])
    found = {"seen": quantity, "seen_at": Ends(np.array([end], np.int32))}
    return found if axis is None else found | {"seen_along": np.eye(3)[AXES.index(word(where, "axis", axis, tuple(AXES)))]}


def share_of(scene, where, active):
    """The Drive that switches an act: from and to a time (None: for good), or what is taken for a drive."""
    if isinstance(active, (tuple, list)) and len(active) == 2:
        begin, end = active
        begin = number(where, "begin of active", begin)
        if end is None:
            return Drive.steps([begin - 1.0, begin], [0.0, 1.0])
        return Drive.steps([begin - 1.0, begin, number(where, "end of active", end, above=begin)], [0.0, 1.0, 0.0])
    return as_drive(where, "active", active, scene.duration)
