"""A hand of three fingers grasps a sphere, a cylinder or a mesh, and a post goes from under it: held, or dropped.

After A. Joukhadar, INRIA RR-3072 (1996), figures 5.7 to 5.11: a hand after Salisbury, three joints each finger, closed by
virtual forces; where these take hold makes a grasp by the tips, by the pulps or in the palm. Here joints are exact, pads rigid
and round; all dimensions are nominal. `--set thing=part.stl` grasps a mesh of one's own, in metres.

Between the tips friction must bear the weight: Σ μ N ≥ W. At 0.8 it does, at 0.05 three fingers of 2 N bear 0.3 N of 0.49 N at
most. In the palm the tips are below, and normal forces bear the weight: it holds at both. The quality of a grasp is that of
Ferrari and Canny (ICRA 1992), from the contacts that there are. Two pads alone begin to hold at μ = W/(2 N).
"""
import numpy as np

from robotphi import CheckFailed, simulate
from robotphi.applications.hand import Thing, grasp_report, grasp_scene, holding_friction
from robotphi.applications.hand.grasping import LOWERED
from robotphi.applications.hand.report import save_grasps, seen_from_palm
from robotphi.geometry.files import read_mesh
from robotphi.scenario import run_scenario

FRICTIONS = (0.8, 0.05)
GRASPS = ("tip", "palm")
KNOWN = {"sphere": Thing.sphere, "cylinder": lambda: Thing.cylinder(height=0.05)}
DUE = {(0.8, "tip"): True, (0.05, "tip"): False, (0.8, "palm"): True, (0.05, "palm"): True}
PADS_OFF = 0.02   # what is round drops a little while friction's springs give way, and then needs more
QUICK = {"duration": 1.0, "frames": 100}


def known(thing, mass=0.05):
    return KNOWN[thing]() if thing in KNOWN else Thing.mesh(read_mesh(thing), mass)


def build(thing="sphere", grasp="tip", friction=0.8, force=2.0, way="pulls", mass=0.05, duration=1.5, frames=150, budget=1e-4):
    """One grasp.

    Args:
        thing: "sphere", "cylinder", or a file of a closed mesh, of so much mass [kg]; those two have 0.05 kg.
        grasp: "tip", "pulp" or "palm".
        friction: of everything.
        force: of each finger [N].
        way: of closing, "pulls" or "servos".
    """
    return grasp_scene(known(thing, mass), grasp, friction, force, way, duration=duration, frames=frames, budget=budget).scene


def cases(thing=""):
    return [(one, grasp, friction) for one in ((thing,) if thing else KNOWN) for grasp in GRASPS for friction in FRICTIONS]


def label(one, grasp, friction):
    return f"{one if one in KNOWN else 'mesh'}, {grasp}, {friction:g}"


def run(thing="", force=2.0, way="pulls", mass=0.05, duration=1.5, frames=150, budget=1e-4):
    return {label(*case): simulate(build(*case, force, way, mass, duration, frames, budget)) for case in cases(thing)}


def grasps(recordings, thing, mass=0.05):
    return {label(*case): grasp_report(recordings[label(*case)], case[2], known(case[0], mass).radius) for case in cases(thing)}


def check(recordings, thing="", force=2.0, mass=0.05):
    found, figures = grasps(recordings, thing, mass), {}
    for case in cases(thing):
        name, grasp = label(*case), found[label(*case)]
        figures |= {f"{name}: {what}": float(value) for what, value in grasp.figures().items()}
        if not thing and force == 2.0 and grasp.held != DUE[case[2], case[1]]:
            raise CheckFailed(f"{name}: the thing should {'be held' if DUE[case[2], case[1]] else 'fall'}, and it went "
                              f"{1e3 * grasp.moved:.1f} mm")
        weight = known(case[0], mass).mass * np.array([0.0, 0.0, 9.81])
        if grasp.held:
            forces = (grasp.normal[:, None] * grasp.inwards + grasp.rubbing).sum(axis=0)
            figures[f"{name}: forces over weight - 1"] = off = float(np.linalg.norm(forces - weight) / weight[2])
            if not thing and off > 1e-3:
                raise CheckFailed(f"{name}: what is held should be at rest, and its forces are {off:.1e} of its weight off it")
    return figures if thing else figures | between_pads()


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


def draw(recordings, folder, thing="", mass=0.05):
    from robotphi.view.grasps import draw_falls, draw_grasps

    found = grasps(recordings, thing, mass)
    save_grasps(found, folder / "grasps.json")
    falls = {}
    for name, recording in recordings.items():
        file = name.replace(", ", "_")
        found[name].table().to_csv(folder / f"contacts_{file}.csv")
        recording.motion().save(folder / f"joints_{file}.csv")
        seen, start = seen_from_palm(recording)[0], recording.frame_at(LOWERED[0])
        falls[name] = recording.time[start:], np.linalg.norm(seen[start:] - seen[start], axis=1)
    shown = {name: (recording, found[name]) for name, recording in recordings.items()}
    return [draw_grasps(shown, folder / "grasps.png", columns=4), draw_falls(falls, folder / "falls.png")]


if __name__ == "__main__":
    run_scenario(__file__)
