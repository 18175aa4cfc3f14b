"""Motors and servos at the door: what drives a coordinate of an exact joint by efforts, checked, as a Motor."""
from dataclasses import dataclass

import numpy as np

from robotphi.kernels.mechanism.kinds import freedoms_of
from robotphi.scene.blocks import Joint
from robotphi.scene.checks import number, refuse, word
from robotphi.scene.drive import Drive, as_drive


@dataclass(frozen=True, eq=False)
class Motor:
    """What drives one coordinate of a joint by an effort, and the handle of it.

    effort = stiffness (target − q) + damping (speed − q̇) + integral ∫ (target − q) dt + torque, within ± limit
    """
    name: str
    joint: str
    freedom: int
    target: Drive | None          # rad or m
    speed: Drive | None           # rad/s or m/s; None: that of the target
    torque: Drive | None          # N·m or N
    stiffness: float              # N·m/rad or N/m
    damping: float                # N·m·s/rad or N·s/m
    integral: float               # N·m/(rad·s) or N/(m·s)
    limit: float                  # N·m or N, ∞ for none
    integral_limit: float         # N·m or N, ∞ for none
    inertia: float                # kg·m² or kg of the rotor, as the joint feels it

    @property
    def drives(self):
        return [drive for drive in (self.target, self.speed, self.torque) if drive is not None]


def motor(scene, where, name, joint, told, gains, limits, ratio, rotor, fastest):
    """A checked Motor; `told` are target, speed and torque, see `Scene.add_motor`."""
    (target, speed, torque), (limit, integral_limit) = told, limits
    known, freedom = _freedom(scene, where, joint)
    if known.drive[freedom] is not None:
        refuse(where, f"joint {known.name!r} is driven already", "leave out its drive: a motor moves it by efforts")
    taken = next((each for each in scene.motors if (each.joint, each.freedom) == (known.name, freedom)), None)
    if taken is not None:
        refuse(where, f"motor {taken.name!r} drives that coordinate already", "give one motor both a torque and a target")
    stiffness, damping, integral = (number(where, what, value, low=0.0) for what, value in
                                    zip(("stiffness", "damping", "integral"), gains, strict=True))
    _check_gains(where, target, speed, torque, stiffness, damping, integral)
    target, speed, torque = (None if value is None else as_drive(where, what, value, scene.duration)
                             for what, value in (("target", target), ("speed", speed), ("torque", torque)))
    if fastest is not None:
        if target is None:
            refuse(where, "it has a fastest rate and no target", "a rate limit is of the target")
        target = target.limited(number(where, "fastest", fastest, above=0.0), scene.duration)
    if number(where, "ratio", ratio) == 0.0:
        refuse(where, "ratio is 0, so that the rotor would never turn", "give turns of the rotor for one of the joint")
    rotor = number(where, "rotor", rotor, low=0.0)
    felt = float(ratio) ** 2 * rotor if abs(ratio) < 1e150 else np.inf
    if not felt < np.inf:
        refuse(where, f"ratio {ratio:g} and rotor {rotor:g} make an inertia beyond the range of numbers", "give smaller ones")
    return Motor(name, known.name, freedom, target, speed, torque, stiffness, damping, integral, _most(where, "limit", limit),
                 _most(where, "integral_limit", integral_limit), felt)


def _most(where, what, value):
    return np.inf if value is None else number(where, what, value, above=0.0)


def _check_gains(where, target, speed, torque, stiffness, damping, integral):
    if target is None and speed is None and torque is None:
        refuse(where, "nothing tells it what to do", "give target=, speed= or torque=")
    if target is not None and stiffness == 0.0 and integral == 0.0:
        refuse(where, "it has a target and nothing that goes there", "give stiffness= [N·m/rad or N/m]")
    if target is None and (stiffness or integral):
        refuse(where, "it has a stiffness or an integral, and no target", "give target= [rad or m]")
    if speed is not None and damping == 0.0:
        refuse(where, "it has a speed and nothing that goes there", "give damping= [N·m·s/rad or N·s/m]")
    if damping and target is None and speed is None:
        refuse(where, "it has a damping, and no speed or target", "give speed=0 for a brake, or the joint a viscosity")


def _freedom(scene, where, given):
    """(Joint, number of the freedom) of a joint of one freedom, or of (joint, freedom)."""
    joint, freedom = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    names = [each.name for each in scene.joints]
    name = getattr(joint, "name", joint)
    if isinstance(joint, Joint) or isinstance(name, str):
        word(where, "exact joint", name, tuple(names))
    else:
        refuse(where, f"joint is {given!r:.60}", "give an exact joint or its name, or (joint, freedom)")
    known = scene.joints[names.index(name)]
    freedoms = tuple(each.name for each in freedoms_of(known.kind))
    if known.kind == "ball" or not freedoms:
        refuse(where, f"joint {name!r} is a {known.kind} joint, which has no coordinate", "drive another one")
    if freedom is None and len(freedoms) > 1:
        refuse(where, f"joint {name!r} has {len(freedoms)} freedoms", f"choose one as (joint, freedom): {', '.join(freedoms)}")
    return known, 0 if freedom is None else freedoms.index(word(where, f"freedom of {name!r}", freedom, freedoms))
