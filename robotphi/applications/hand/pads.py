"""Two round pads press a thing from both sides: the friction at which it begins to hold, W/(2 N) in closed form.

One pad is held, the other, on a guide, pressed against the thing by a force N; a post goes from under it. Each pad bears half
of the weight by friction, so it slips iff μ N < W/2. What is round drops by δ = W/(2 k) while the springs of friction, of
stiffness k, give: the pads then press down on it, along lines that fall by φ = δ/(R + r): μ = tan(atan(W/(2 N)) + φ) is due.
"""
import numpy as np

from robotphi.applications.hand.grasping import GRAVITY, stand, surface
from robotphi.applications.hand.limits import STILL, least_friction, speed_of
from robotphi.run.simulator import simulate
from robotphi.scene.checks import number
from robotphi.scene.scene import Scene
from robotphi.scene.stepping import Stepping


def pads_scene(thing, friction, force=1.0, pad=0.009, contact=2e8, duration=1.0, frames=50, budget=1e-4, gravity=GRAVITY):
    """The scene of a `Thing` between two round pads of a radius [m], pressed together by a force [N]."""
    scene = Scene(f"two pads and a {thing.kind}, friction {friction:g}", duration=duration, frames=frames,
                  gravity=(0.0, 0.0, -gravity), stepping=Stepping(budget=budget))
    skin = surface(pad, contact, friction, force)
    frame = scene.add_ball("frame", (0.0, 0.0, 10.0 * thing.radius), pad, density=1000.0, support="xyz", rotation_support="xyz")
    for name, side in (("left", -1.0), ("right", 1.0)):
        place, normal = thing.met((3.0 * side * thing.radius, 0.0, 0.0), (-side, 0.0, 0.0))
        middle = place + pad * normal
        own = scene.add_ball(f"{name} pad", middle, pad, density=1000.0, contact=skin, contact_group="pads")
        scene.add_joint(f"{name} guide", "fixed" if name == "left" else "prismatic", frame, own, middle,
                        axis=None if name == "left" else (1.0, 0.0, 0.0))
    scene.exclude_contact("pads", "pads")
    scene.add_force("press", "right pad", (-number("pads", "force", force, above=0.0), 0.0, 0.0))
    thing.add(scene, "thing", np.zeros(3), skin)
    stand(scene, thing, skin, (0.0, 0.0))
    scene.exclude_contact("post", "pads")
    return scene


def holding_friction(thing, force=1.0, low=0.0, high=1.0, within=3e-4, **scene):
    """The friction at which two pads begin to hold a `Thing`, by bisection to `within`; more as of `pads_scene`."""
    return float(np.mean(least_friction(lambda friction: holds(simulate(pads_scene(thing, friction, force, **scene))),
                                        low, high, within)))


def holds(recording):
    """Whether the thing has stopped between the pads."""
    found = recording.contacts(-1)
    touching = set(found.first_owner[found.second_owner == "thing"]) | set(found.second_owner[found.first_owner == "thing"])
    return touching == {"left pad", "right pad"} and speed_of(recording) < STILL
