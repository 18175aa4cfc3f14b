"""A hand of three fingers grasps a sphere, a cylinder or a mesh, and a post goes from under it: held, or dropped.

After A. Joukhadar, INRIA RR-3072 (1996), figures 5.7 to 5.11: a hand after Salisbury, three joints each finger, closed by
servos or virtual forces; where these take hold makes a grasp by the tips, by the pulps or in the palm. Joints are exact, pads
rigid and round, or soft, `--set tips=soft`; all dimensions are nominal. `--set thing=part.stl` grasps a mesh of one's own, in
metres; thing, grasp and friction together choose one case, of which all is told, for sweeps as well (docs/grasping.md).

Between the tips friction must bear the weight: Σ μ N ≥ W. At 0.8 it does, at 0.05 three fingers of 2 N bear 0.3 N of 0.49 N at
most. In the palm the tips are below, and normal forces bear the weight: it holds at both. The quality of a grasp is that of
Ferrari and Canny (ICRA 1992), from the contacts that there are. Two pads alone begin to hold at μ = W/(2 N).
"""
from robotphi import CheckFailed, simulate
from robotphi.applications.hand import Dimensions, Thing, grasp_report, grasp_scene, holding_friction
from robotphi.applications.hand.report import falls, save_grasps
from robotphi.geometry.files import read_mesh
from robotphi.scenario import run_scenario

FRICTIONS = (0.8, 0.05)
GRASPS = ("tip", "pulp", "palm")
KNOWN = {"sphere": Thing.sphere, "cylinder": lambda: Thing.cylinder(height=0.05)}
DUE = {(0.8, "tip"): True, (0.05, "tip"): False, (0.8, "pulp"): True, (0.8, "palm"): True, (0.05, "palm"): True}
TOLD = ("held", "moved [mm]", "largest use of friction", "epsilon")   # of each of many cases; all is in the files
SHOWN, HANDLED = "cylinder, tip, 0.8: handled", {"lift": 0.04, "shake": 0.01, "pull": 0.5, "duration": 2.5}
RATE = 4.0        # Hz, of shaking
PADS_OFF = 0.02   # what is round drops a little while friction's springs give way, and then needs more
QUICK = {"duration": 1.0, "frames": 50}


def known(thing, mass=0.05):
    return KNOWN[thing]() if thing in KNOWN else Thing.mesh(read_mesh(thing), mass)


def build(thing="sphere", grasp="tip", friction=0.8, force=2.0, way="servos", tips="rigid", mass=0.05, off_x=0.0, off_y=0.0,
          lift=0.0, shake=0.0, pull=0.0, duration=1.5, frames=150, budget=1e-4):
    """One grasp.

    Args:
        thing: "sphere", "cylinder", or a file of a closed mesh, of so much mass [kg]; those two have 0.05 kg.
        grasp: "tip", "pulp" or "palm".
        friction: of everything.
        force: of each finger [N].
        way: of closing, "servos" or "pulls".
        tips: "rigid" or "soft".
        off_x, off_y: by how much the thing stands beside the hand's axis [m].
        lift: of the palm [m]; shake: amplitude of the palm along x [m]; pull: downwards at the thing [N], all once it is held.
    """
    return grasp_scene(known(thing, mass), grasp, friction, force, way, Dimensions(tips=tips), off=(off_x, off_y), lift=lift,
                       shake=(shake, RATE) if shake else None, pull=(0.0, 0.0, -pull) if pull else None, duration=duration,
                       frames=frames, budget=budget).scene


def cases(thing="", grasp="", friction=0.0):
    """(thing, grasp, friction) of all that run."""
    return [(one, way, rough) for one in ((thing,) if thing else KNOWN) for way in ((grasp,) if grasp else GRASPS)
            for rough in ((friction,) if friction else FRICTIONS)]


def label(one, grasp, friction):
    return f"{one if one in KNOWN else 'mesh'}, {grasp}, {friction:g}"


def run(thing="", grasp="", friction=0.0, duration=1.5, frames=150, progress=None, **more):
    found = {label(*case): simulate(build(*case, duration=duration, frames=frames, **more), progress=progress)
             for case in cases(thing, grasp, friction)}
    if not (thing or grasp or friction or more or duration < HANDLED["duration"] / 2):
        found[SHOWN] = simulate(build("cylinder", **HANDLED, frames=125), progress=progress)
    return found


def grasps(recordings, thing="", grasp="", friction=0.0, mass=0.05):
    """Name → Grasp."""
    found = {label(*case): grasp_report(recordings[label(*case)], case[2], known(case[0], mass).radius)
             for case in cases(thing, grasp, friction)}
    if SHOWN in recordings:
        found[SHOWN] = grasp_report(recordings[SHOWN], 0.8, known("cylinder").radius)
    return found


def check(recordings, thing="", grasp="", friction=0.0, force=2.0, mass=0.05, **more):
    found, told = grasps(recordings, thing, grasp, friction, mass), {}
    usual = not (thing or force != 2.0 or more.keys() - {"tips", "way", "frames", "duration", "budget"})
    for (one, way, rough) in cases(thing, grasp, friction):
        name = label(one, way, rough)
        figures = found[name].figures()
        held, due = found[name].held, DUE.get((rough, way))
        if usual and due is not None and held != due:
            raise CheckFailed(f"{name}: the thing should {'be held' if due else 'fall'}, and it went "
                              f"{1e3 * found[name].moved:.1f} mm")
        if held and not any(more.get(what) for what in ("lift", "shake", "pull")):
            figures["forces over weight - 1"] = off = found[name].unbalance(known(one, mass).mass)
            if usual and off > 1e-3:
                raise CheckFailed(f"{name}: what is held should be at rest, and its forces are {off:.1e} of its weight off it")
        if len(found) == 1:
            return {what: float(value) for what, value in figures.items()}
        told |= {f"{name}: {what}": float(figures[what]) for what in TOLD}
    if SHOWN in found:
        told |= {f"{SHOWN}: {what}": float(found[SHOWN].figures()[what]) for what in TOLD}
    return told | between_pads() if not (thing or grasp or friction or more) else told


def between_pads(force=2.0):
    """The friction at which two pads begin to hold, beside W/(2 N)."""
    figures = {}
    for one, made in KNOWN.items():
        due = made().mass * 9.81 / (2.0 * force)
        found = holding_friction(made(), force, 0.8 * due, 1.2 * due)
        figures[f"{one}, two pads: friction that begins to hold"] = found
        figures[f"{one}, two pads: over W/(2 N) - 1"] = found / due - 1.0
        if abs(found / due - 1.0) > PADS_OFF:
            raise CheckFailed(f"{one}: two pads should hold from a friction of {due:.4f} on, they do from {found:.4f}")
    return figures


def draw(recordings, folder, thing="", grasp="", friction=0.0, mass=0.05):
    from robotphi.view import grasps as view

    found = grasps(recordings, thing, grasp, friction, mass)
    save_grasps(found, recordings, folder)
    shown = {name: (recording, found[name]) for name, recording in recordings.items() if name != SHOWN}
    best = SHOWN if SHOWN in recordings else next(iter(recordings))
    moving = best == SHOWN or len(recordings) == 1
    return [view.draw_grasps(shown, folder / "grasps.png", columns=min(len(shown), 2 * len(GRASPS))),
            view.draw_falls(falls(recordings), folder / "falls.png"), *view.play(recordings[best], folder, "hand", moving)]


if __name__ == "__main__":
    run_scenario(__file__)
