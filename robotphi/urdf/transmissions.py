"""Transmissions of a URDF: what stands between an actuator and a joint. yourdfpy passes over their numbers.

Read is what has one joint and one actuator: <mechanicalReduction>, of the actuator, joint or transmission itself, and the
inertia of the rotor, for which URDF has no word of its own: <motorInertia>, <rotorInertia>, or <rotor_inertia value> beside
<gear_ratio value> as Drake has them, in any namespace.
"""
import math

from robotphi.errors import MeshError
from robotphi.urdf.robot import Transmission

RATIO = ("mechanicalReduction", "gear_ratio")
INERTIA = ("motorInertia", "rotorInertia", "rotor_inertia")


def transmissions_of(root, joints):
    """({joint: Transmission}, sentences on those that are not simulated) of a parsed file with these joints."""
    found, left_out = {}, []
    for one in root.findall("transmission"):
        name, ends = one.get("name"), [each.get("name") for each in one.findall("joint")]
        where, actuators = f"transmission {name!r}", one.findall("actuator")
        for joint in ends:
            if joint not in joints:
                raise MeshError(f"{where} names joint {joint!r}, which is not there; joints are {', '.join(list(joints)[:20])}")
        if len(ends) != 1 or len(actuators) != 1:
            left_out.append(f"{where} of {len(ends)} joints and {len(actuators)} actuators is not simulated")
            continue
        if ends[0] in found:
            raise MeshError(f"{where} is the second of joint {ends[0]!r}; give each joint one")
        places = [actuators[0], one.find("joint"), one]
        ratio, inertia = _number(where, places, RATIO, 1.0), _number(where, places, INERTIA, 0.0)
        if ratio == 0.0 or inertia < 0.0:
            raise MeshError(f"{where} has a reduction of {ratio:g} and a rotor of {inertia:g} kg m²; the first may not be 0, "
                            "nor the other negative")
        found[ends[0]] = Transmission(actuators[0].get("name"), ratio, inertia)
    return found, tuple(left_out)


def _number(where, places, words, default):
    """The first number that goes by one of the words, as text or value of an element."""
    for each in (each for place in places for each in place):
        local = each.tag.rpartition("}")[2] if isinstance(each.tag, str) else ""   # a comment has a function for a tag
        if local not in words:
            continue
        text = each.get("value", each.text or "")
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise MeshError(f"the {local} of {where} is {text.strip()!r:.40}; give one finite number")
        return value
    return default
