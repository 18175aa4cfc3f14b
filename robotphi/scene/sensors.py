"""Sensors at the door: a quantity and what it is of, resolved to indices."""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.mechanism.kinds import freedoms_of
from robotphi.kernels.springs.table import KINDS
from robotphi.scene.acts import PlacedAct
from robotphi.scene.blocks import Grid, Joint, ParticleBlock, Reference, Rigid, Rod, SpringBlock, SpringJoint, Springs
from robotphi.scene.checks import frozen, indices, refuse, word
from robotphi.scene.motors import Motor
from robotphi.scene.objects import Placed
from robotphi.scene.poses import mark_rows


class Quantity(NamedTuple):
    """What a sensor can show."""
    kinds: tuple      # of which things
    several: bool     # whether many things add up to one value
    width: int        # numbers a frame
    unit: str
    meaning: str


PRIMITIVES = ("particle", "rigid")
SPRINGS = ("linear", "angular", "articular")
QUANTITIES = {
    "position": Quantity(PRIMITIVES, False, 3, "m", "of a particle, or of a rigid's centre"),
    "velocity": Quantity(PRIMITIVES, False, 3, "m/s", "of a particle, or of a rigid's centre"),
    "speed": Quantity(PRIMITIVES, False, 1, "m/s", "size of the velocity"),
    "acceleration": Quantity(PRIMITIVES, False, 3, "m/s²", "of a particle or a mark, or of a rigid's centre"),
    "pose": Quantity(("pose",), False, 7, "m, 1", "of a rigid or a mark: position, and quaternion (w, x, y, z) of the turn "
                     "since it was drawn; a frame has axes of its own"),
    "distance": Quantity(("distance",), False, 1, "m", "between two points: particles, marks or centres of rigids"),
    "spin": Quantity(("rigid",), False, 3, "rad/s", "world frame"),
    "angular_momentum": Quantity(("rigid",), False, 3, "kg·m²/s", "about its own centre, world frame"),
    "kinetic_energy": Quantity(PRIMITIVES, True, 1, "J", "sum"),
    "momentum": Quantity(PRIMITIVES, True, 3, "kg·m/s", "sum"),
    "centre": Quantity(PRIMITIVES, True, 3, "m", "centre of mass"),
    "length": Quantity(("linear", "tendon"), True, 1, "m", "sum; of a tendon from end to end"),
    "elongation": Quantity(("linear",), True, 1, "m", "length over rest length, sum"),
    "strain": Quantity(("linear",), True, 1, "1", "elongation over rest length, of all together"),
    "tension": Quantity(("linear", "tendon"), True, 1, "N", "force of linear springs or a tendon, positive when it pulls; sum"),
    "energy": Quantity(SPRINGS, True, 1, "J", "stored in springs, sum"),
    "broken": Quantity(("linear",), True, 1, "1", "how many of the springs are broken"),
    "volume": Quantity(("pressure",), False, 1, "m³", "of a chamber"),
    "pressure": Quantity(("pressure",), False, 1, "Pa", "in a chamber, above that outside"),
    "force": Quantity(("pull", "field"), False, 3, "N", "of a virtual force on all that it acts on, sum"),
    "couple": Quantity(("attitude",), False, 3, "N·m", "of an attitude on what it turns"),
    "bend": Quantity(("angular",), False, 1, "rad", "pi − angle"),
    "angle": Quantity(("angular", "articular"), False, 1, "rad", "angle of an angular, turn of an articular spring"),
    "moment": Quantity(("angular", "articular"), False, 1, "N·m", "elastic and viscous"),
    "coordinate": Quantity(("joint",), False, 1, "rad or m", "of a freedom of a joint; an angle counts turns"),
    "rate": Quantity(("joint",), False, 1, "rad/s or m/s", "of a coordinate"),
    "effort": Quantity(("joint", "motor"), False, 1, "N·m or N", "all that acts on a coordinate, or a motor alone; positive "
                       "where it drives it on"),
    "power": Quantity(("joint", "motor", "force", *SPRINGS, *PRIMITIVES), True, 1, "W", "of a joint effort × rate, of all "
                      "freedoms or of one; of a motor likewise; of a force, or of the drives of springs, of a particle or of "
                      "a rigid what they give"),
    "support_force": Quantity(PRIMITIVES, False, 3, "N", "that holds or drives a particle or rigid, along axes held or driven"),
    "support_couple": Quantity(("rigid",), False, 3, "N·m", "likewise, about the rigid's centre"),
    "reaction_force": Quantity(("joint",), False, 3, "N", "of a joint's parent on the child, axes of the joint"),
    "reaction_couple": Quantity(("joint",), False, 3, "N·m", "of a joint's parent on the child, about the joint, in its axes"),
    "command": Quantity(("command",), False, 1, "as driven", "what a command stands at"),
    "contact_force": Quantity(("contact",), True, 3, "N", "on a thing by all it touches, or by one"),
    "contact_normal_force": Quantity(("contact",), True, 1, "N", "sum of the sizes of its pressures"),
    "contact_friction": Quantity(("contact",), True, 3, "N", "friction on a thing by all it touches, or by one"),
    "contact_area": Quantity(("contact",), True, 1, "m²", "pressed area, sum"),
    "contact_pressure": Quantity(("contact",), True, 1, "Pa", "mean over the area pressed, 0 without contact"),
    "contact_centre": Quantity(("contact",), True, 3, "m", "centre of pressure, NaN without contact"),
    "contact_slip": Quantity(("contact",), True, 1, "m/s", "mean speed along the surfaces by force, of what does not deform"),
}
# by forces of the instant: known while the run stands there
LIVE = ("acceleration", "support_force", "support_couple", "force", "couple")


def is_live(sensor):
    """Whether a sensor is worked out as its frame is kept, from the forces of that instant."""
    return sensor.quantity in LIVE or (sensor.quantity == "power" and sensor.of.kind in PRIMITIVES)


def sensor_facts(scene):
    """What the sensors of a scene are: plain JSON values, [name, quantity, unit, meaning] of each; nothing without any."""
    rows = [[sensor.name, sensor.quantity, QUANTITIES[sensor.quantity].unit, QUANTITIES[sensor.quantity].meaning]
            for sensor in scene.sensors]
    return {"sensors": rows} if rows else {}


def resolve(scene, name, quantity, of):
    """Reference of a sensor, checked against its quantity."""
    where = f"sensor {name!r}"
    word(where, "quantity", quantity, tuple(QUANTITIES))
    known = QUANTITIES[quantity]
    if known.kinds == ("contact",):
        return Reference("contact", frozen(np.array(_touching(scene, where, quantity, of), np.int32)))
    if quantity in BY_THEMSELVES:
        return BY_THEMSELVES[quantity](scene, where, of)
    motors = [motor.name for motor in scene.motors]
    if "motor" in known.kinds and not isinstance(of, tuple) and getattr(of, "name", of) in motors:
        return Reference("motor", frozen(np.array([motors.index(getattr(of, "name", of))], np.int32)))
    if quantity == "power":
        return _power(scene, where, of)
    if known.kinds == ("command",):
        name = word(where, "command", getattr(of, "name", of), tuple(scene.commands))
        return Reference("command", frozen(np.array([list(scene.commands).index(name)], np.int32)))
    if "joint" in known.kinds:
        kind, *rows = _jointed(scene, where, quantity, of)
        return Reference(kind, frozen(np.array(rows, np.int32)))
    if of is None:
        if not (known.several and "rigid" in known.kinds):
            refuse(where, f"{quantity} of nothing", f"give of, one of: {', '.join(known.kinds)}")
        return Reference("scene", frozen(np.empty(0, dtype=np.int32)))
    return _checked(scene, where, quantity, _reference(scene, where, quantity, of, known.kinds))


def _checked(scene, where, quantity, reference):
    known = QUANTITIES[quantity]
    if reference.kind not in known.kinds:
        refuse(where, f"{quantity} of {reference.kind}", f"it exists for: {', '.join(known.kinds)}")
    if len(reference.indices) != 1 and not known.several:
        refuse(where, f"{quantity} of {len(reference.indices)} things at once", "choose one as (handle, index)")
    if quantity in LIVE and reference.kind == "particle" and any(
            np.isin(reference.indices, scene.objects[name].particles).any() for name in scene.stiff):
        refuse(where, f"{quantity} of a stiff object, whose inertia is not that of its particles", "give another object")
    if reference.kind == "particle" and known.several and (scene.rigid_of_particle[reference.indices] >= 0).any():
        refuse(where, f"{quantity} of particles inside a rigid primitive, which has the mass", "give the rigid itself")
    return reference


def _reference(scene, where, quantity, of, kinds):
    if isinstance(of, tuple) and len(of) == 2 and isinstance(of[0], (str, ParticleBlock)) and isinstance(of[1], str):
        of = (scene.objects.get(getattr(of[0], "name", of[0]), of[0]), of[1])   # the particles of an object have its name
    if isinstance(of, tuple) and len(of) == 2 and isinstance(of[0], (Rigid, Placed)) and isinstance(of[1], str):
        return Reference("particle", frozen(mark_rows(scene, where, *of)[:1]))
    if isinstance(of, tuple) and len(of) == 2 and not isinstance(of[0], (int, np.integer)):
        whole = _reference(scene, where, quantity, of[0], kinds)
        chosen = indices(where, "the chosen index", of[1], len(whole.indices), f"{whole.kind} of it")
        return Reference(whole.kind, frozen(np.atleast_1d(whole.indices[chosen])))
    if isinstance(of, str):
        of = scene.find(of, where)
    if isinstance(of, (Joint, SpringJoint)):
        known = ", ".join(name for name, each in QUANTITIES.items() if "joint" in each.kinds)
        refuse(where, f"{quantity} of joint {of.name!r}", f"it has {known}")
    if isinstance(of, (Rod, Grid)):
        of = _part(of, kinds)
    if isinstance(of, Motor):
        refuse(where, f"{quantity} of motor {of.name!r}", "it has effort, power")
    if isinstance(of, PlacedAct):
        return Reference(of.kind, frozen(np.array([scene.acts.index(of)], dtype=np.int32)))
    if isinstance(of, Rigid):
        return Reference("rigid", frozen(np.array([of.index], dtype=np.int32)))
    if isinstance(of, (Springs, SpringBlock)):
        return Reference(of.kind, frozen(of.indices))
    if isinstance(of, ParticleBlock):
        return Reference("particle", frozen(of.indices))
    kind = "particle" if "particle" in kinds else kinds[0]
    kinds = tuple(each for each in kinds if each in ("particle", "rigid", *KINDS)) or kinds   # what is known by numbers
    if len(kinds) > 1 and kind != "particle":
        refuse(where, f"{quantity} of {of!r:.60} could mean {' or '.join(kinds)}", "give the block's handle or name")
    if kind not in ("particle", "rigid", *KINDS):
        refuse(where, f"{quantity} of {of!r:.60}", f"give what add_{kinds[0]} returned, or its name")
    count = {"particle": scene.particle_count, "rigid": len(scene.rigids)}.get(kind)
    count = scene.spring_count(kind) if count is None else count
    flat = of.reshape(-1) if isinstance(of, np.ndarray) else of
    return Reference(kind, frozen(np.atleast_1d(indices(where, "of", flat, count, kind))))


def _power(scene, where, of):
    """What gives power beside motors: a joint, a force, springs with a drive, or a particle or rigid that is driven."""
    joints = [each.name for each in (*scene.joints, *scene.spring_joints)]
    first = of[0] if isinstance(of, tuple) and len(of) == 2 else of
    if getattr(first, "name", first) in joints:
        kind, *rows = _jointed(scene, where, "power", of)
        return Reference(kind, frozen(np.array(rows, np.int32)))
    names = [force.name for force in scene.forces]
    if getattr(of, "name", of) in names:
        return Reference("force", frozen(np.array([names.index(getattr(of, "name", of))], np.int32)))
    if of is None:
        refuse(where, "power of nothing", "give a joint, a motor, a force, springs with a drive, or what is driven")
    return _checked(scene, where, "power", _reference(scene, where, "power", of, (*PRIMITIVES, *SPRINGS)))


def _pose(scene, where, of):
    of = scene.find(of, where) if isinstance(of, str) else of
    if isinstance(of, tuple) and len(of) == 2 and isinstance(of[0], str):
        of = ({**scene.things, **scene.objects}.get(of[0]), of[1])
    thing = of[0] if isinstance(of, tuple) and len(of) == 2 and isinstance(of[1], str) else of
    if not isinstance(thing, (Rigid, Placed) if thing is not of else Rigid):
        refuse(where, f"pose of {of!r:.60}", "give a rigid, or a mark as (rigid or object, name)")
    return Reference("pose", frozen(np.array(pose_rows(scene, where, of), np.int32)))


def _distance(scene, where, of):
    if not isinstance(of, (tuple, list)) or len(of) != 2:
        refuse(where, f"distance of {of!r:.60}", "give two points, (one, other): particles, marks as (thing, name), or rigids")
    ends = [_checked(scene, where, "position", _reference(scene, where, "position", end, PRIMITIVES)) for end in of]
    return Reference("distance", frozen(np.array([[PRIMITIVES.index(end.kind), end.indices[0]] for end in ends], np.int32)))


def pose_rows(scene, where, of):
    """(rigid, point, particles along x and y) of a pose, −1 for what is not there: all that `record/poses` asks for."""
    if not isinstance(of, tuple):
        return of.index, -1, -1, -1
    rows = mark_rows(scene, where, *of).tolist()
    rigid = int(scene.rigid_of_particle[rows[0]])
    if rigid < 0 and len(rows) == 1:
        refuse(where, f"{of[1]!r} is a point of what is soft, which has no axes", "mark a frame there")
    return (rigid, *rows, -1, -1)[:4] if len(rows) == 1 else (rigid, *rows)


BY_THEMSELVES = {"pose": _pose, "distance": _distance}


def _touching(scene, where, quantity, of):
    """(number of a thing that touches, of the other one or −1 for all others)."""
    things = of if isinstance(of, tuple) else (of,)
    names = [thing if isinstance(thing, str) else getattr(thing, "name", None) for thing in things]
    if len(things) not in (1, 2) or not set(names) <= scene.touching.keys() or len(set(names)) < len(names):
        listed = ", ".join(map(repr, list(scene.touching)[:12])) or "nothing so far: add things with contact=… first"
        refuse(where, f"{quantity} of {of!r:.60}",
               f"give the name of a thing that touches, or (name, name); what can touch: {listed}")
    order = list(scene.touching)
    numbers = [order.index(name) for name in names]
    return numbers if len(numbers) == 2 else [*numbers, -1]


def _jointed(scene, where, quantity, of):
    """("joint" or "spring joint", its number, number of its freedom or −1 for all of them)."""
    joint, freedom = of if isinstance(of, tuple) and len(of) == 2 else (of, None)
    by_springs = getattr(joint, "name", joint) in [each.name for each in scene.spring_joints]
    kind, joints = ("spring joint", scene.spring_joints) if by_springs else ("joint", scene.joints)
    names = [each.name for each in joints]
    name = getattr(joint, "name", joint)
    if name not in names:
        listed = ", ".join(repr(each.name) for each in [*scene.joints, *scene.spring_joints][:12]) or "none so far"
        motors = f"; motors: {', '.join(repr(each.name) for each in scene.motors[:12])}" if quantity == "effort" else ""
        refuse(where, f"{quantity} of {of!r:.60}",
               f'give a joint or (joint, freedom), such as (hinge, "angle"); joints: {listed}{motors}')
    number = names.index(name)
    freedoms = [each.name for each in freedoms_of(joints[number].kind)]
    if quantity.startswith("reaction"):
        if freedom is not None:
            refuse(where, f"{quantity} of one freedom", "give the joint alone")
        return kind, number, -1
    if freedom is None:
        if len(freedoms) != 1 and (quantity != "power" or not freedoms):
            refuse(where, f"{quantity} of joint {name!r}, which has {len(freedoms)} freedoms",
                   f"choose one as (joint, name): {', '.join(freedoms)}" if freedoms else "it has reactions alone")
        return kind, number, -1
    if isinstance(freedom, str):
        freedom = freedoms.index(word(where, f"freedom of joint {name!r}", freedom, tuple(freedoms)))
    return kind, number, int(indices(where, "the freedom", freedom, len(freedoms), f"freedom of joint {name!r}"))


def _part(handle, kinds):
    """The part of a rod or grid that a quantity speaks of."""
    if "particle" in kinds:
        return handle.particles
    if isinstance(handle, Rod):
        return handle.linear if "linear" in kinds else handle.angular
    return handle.structural if "linear" in kinds else handle.bending
