"""The least friction at which something holds, by bisection: of a grasp of a hand, of two pads (`pads`)."""
import numpy as np

from robotphi.applications.hand.grasping import grasp_scene
from robotphi.applications.hand.report import grasp_report
from robotphi.run.simulator import simulate
from robotphi.scene.checks import number, refuse

STILL = 1e-3   # m/s: what is slower in the end has stopped, as gravity that is not borne makes it faster


def least_friction(holds, low, high, within):
    """(falls, holds): frictions `within` apart, or less, at which it does not hold and holds; (low, low) where it holds at low.

    Args:
        holds: function of a friction, whether it holds there.
        low, high: where to look; at high it is to hold.
    """
    low, high = number("friction", "low", low, low=0.0), number("friction", "high", high, above=low)
    number("friction", "within", within, above=0.0)
    if not holds(high):
        refuse("friction", f"a friction of {high:g} does not hold it", "give a larger `high`, or press harder")
    if holds(low):
        return low, low
    while high - low > within:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high


def grasp_friction(thing, grasp="tip", low=0.0, high=0.8, within=2e-3, **scene):
    """(falls, holds): frictions between which a grasp begins to hold a `Thing` still; more as of `grasp_scene`."""
    def holds(friction):
        return holds_still(simulate(grasp_scene(thing, grasp, friction, **scene).scene), friction, thing)
    return least_friction(holds, low, high, within)


def holds_still(recording, friction, thing):
    """Whether a hand holds a `Thing` and it no longer goes down: a thing that slides slowly is not held."""
    return grasp_report(recording, friction, thing.radius).held and speed_of(recording) < STILL


def speed_of(recording, thing="thing"):
    """m/s of a thing in the end."""
    body = next(rigid.index for rigid in recording.scene.rigids if rigid.name.split(".")[0] == thing)
    return float(np.linalg.norm(recording.rigid_velocity[-1, body]))
