"""How much friction a grasp needs: between two frictions, by bisection, a thing begins to be held by its tips, pulps or palm.

The hand and its things are those of `grasping`, dimensions nominal. `robotphi run grasp_friction --sweep thing=sphere,cylinder
--sweep grasp=tip,pulp,palm` makes one table of all, and goes on where it was broken off; `--set thing=part.stl` takes a mesh.

Between the tips friction bears the weight alone, at the threshold each contact is used up: μ Σ N = W, with the forces N that
there are. In the palm nothing is asked of friction but to keep the tips under the thing. Two runs are kept: the last that fell
and the first that was held.
"""
from robotphi import CheckFailed, simulate
from robotphi.applications.hand import Dimensions, Thing, grasp_friction, grasp_report, grasp_scene, holds_still
from robotphi.applications.hand.report import falls
from robotphi.geometry.files import read_mesh
from robotphi.scenario import run_scenario

KNOWN = {"sphere": Thing.sphere, "cylinder": lambda: Thing.cylinder(height=0.05)}
GRAVITY = 9.81
OFF = 0.05     # of the least friction by closed form, for the sphere and the cylinder
QUICK = {"within": 0.01, "duration": 1.0, "frames": 50}


def known(thing, mass=0.05):
    return KNOWN[thing]() if thing in KNOWN else Thing.mesh(read_mesh(thing), mass)


def build(thing="sphere", grasp="tip", friction=0.8, force=2.0, way="servos", tips="rigid", mass=0.05, duration=1.5, frames=75,
          budget=1e-4):
    """One grasp, knobs as of `grasping`."""
    return grasp_scene(known(thing, mass), grasp, friction, **hand(force, way, tips, duration, frames, budget)).scene


def hand(force=2.0, way="servos", tips="rigid", duration=1.5, frames=75, budget=1e-4):
    return {"force": force, "way": way, "dimensions": Dimensions(tips=tips), "duration": duration, "frames": frames,
            "budget": budget}


def run(thing="sphere", grasp="tip", force=2.0, way="servos", tips="rigid", mass=0.05, within=1e-3, duration=1.5, frames=75,
        budget=1e-4, progress=None):
    """`within`: how far apart the two frictions are at most."""
    how = hand(force, way, tips, duration, frames, budget)
    thing = known(thing, mass)
    return {f"friction {friction:.6g}": simulate(grasp_scene(thing, grasp, friction, **how).scene, progress=progress)
            for friction in grasp_friction(thing, grasp, within=within, **how)}


def frictions(recordings):
    """Of each recording, as its name tells."""
    return [float(name.split()[1]) for name in recordings]


def reports(recordings, thing, mass=0.05):
    """Friction → Grasp."""
    return {mu: grasp_report(recording, mu, known(thing, mass).radius)
            for mu, recording in zip(frictions(recordings), recordings.values(), strict=True)}


def check(recordings, thing="sphere", grasp="tip", mass=0.05, within=1e-3):
    found = reports(recordings, thing, mass)
    falls, holds = min(found), max(found)
    held = found[holds]
    weight, pressed = known(thing, mass).mass * GRAVITY, float(held.normal.sum())
    figures = {"falls at": falls if len(found) == 2 else 0.0, "is held at": holds, "begins to hold": 0.5 * (falls + holds),
               "normal forces [N]": pressed, "weight over normal forces": weight / pressed,
               "largest use of friction": float(held.use.max(initial=0.0))}
    still = {mu: holds_still(recording, mu, known(thing, mass))
             for mu, recording in zip(frictions(recordings), recordings.values(), strict=True)}
    if not still[holds] or (len(found) == 2 and still[falls]):
        raise CheckFailed(f"it should fall at {falls:g} and be held at {holds:g}")
    if grasp == "tip" and thing in KNOWN and abs(holds / (weight / pressed) - 1.0) > OFF + within / holds:
        raise CheckFailed(f"between the tips it should hold from {weight / pressed:.4f} on, it does from {holds:.4f}")
    return figures


def draw(recordings, folder, thing="sphere", mass=0.05):
    from robotphi.view import grasps as view

    found = reports(recordings, thing, mass)
    return [view.draw_grasps({name: (recording, found[float(name.split()[1])]) for name, recording in recordings.items()},
                             folder / "grasps.png"), view.draw_falls(falls(recordings), folder / "falls.png")]


if __name__ == "__main__":
    run_scenario(__file__)
