"""What a call costs beside the steps it takes: an entry into the compiled loop, a stop at a time, a recorded frame."""
import time

import numpy as np

from robotphi.model.build import build_model
from robotphi.run.simulator import Simulator
from robotphi.scene import Scene
from robotphi.scene.contact import ContactMaterial

from .timing import sample, summary

ENTRY_LIMIT, STOP_LIMIT = 3.0, 15.0   # µs of an entry; of a stop, beside the same time without it
STOPS = 1000                          # of a run: one each millisecond
DURATION = 1.0                        # s
ENTRIES = 5000
SEED = 1998
LABELS = {"entry": "entry into the loop", "entry 2 threads": "entry into the loop, 2 threads",
          "stop": "stop at a time, beside the steps of one long run", "frame": "recorded frame, likewise"}


def masses(frames):
    """Two masses on a spring."""
    scene = Scene("masses", duration=DURATION, frames=frames)
    ends = scene.add_particles("end", [(0, 0, 0), (1.2, 0, 0)], 1.0)
    scene.add_linear("spring", ends[:1], ends[1:], 100.0, 0.1)
    return scene


def ball(frames):
    """A ball that rolls on the ground."""
    rubber = ContactMaterial(stiffness=1e7, restitution=0.3, speed=1.0, friction=0.5)
    scene = Scene("ball", duration=DURATION, frames=frames)
    scene.add_plane("ground", contact=rubber)
    scene.add_ball("ball", (0, 0, 0.1), 0.1, mass=1.0, contact=rubber, velocity=(1.0, 0.2, -0.1))
    return scene


SCENES = {"masses": masses, "ball": ball}


def measure_calls(quick=False):
    """Microseconds per call of both scenes."""
    generator = np.random.default_rng(SEED)
    return {name: measure_scene(make, 3 if quick else 7, generator) for name, make in SCENES.items()}


def measure_scene(make, repeats, generator):
    few, many = build_model(make(1)), build_model(make(STOPS))
    cases = {"entry": entry(few, 1), "entry 2 threads": entry(few, 2), "long": long_run(few),
             "stop": stops(few, many.scene.frame_times[1:]), "frame": frames(many)}
    for case in cases.values():  # compiled before the clock runs
        case()
    samples = sample(cases, repeats, generator)
    long = samples.cost["long"]
    return {"disturbed": samples.disturbed,
            "microseconds": {name: summary(1e6 * (cost - long if name in ("stop", "frame") else cost))
                             for name, cost in samples.cost.items() if name != "long"}}


def entry(model, threads):
    """A call that finds the frame reached."""
    simulator = Simulator(model, threads)
    simulator.begin()

    def case():
        start = time.perf_counter()
        for _ in range(ENTRIES):
            simulator._loop.advance(simulator.state)
        return (time.perf_counter() - start) / ENTRIES
    return case


def timed(model, run):
    """Wall time of a run from its first frame on, per stop."""
    def case():
        simulator = Simulator(model, threads=1)
        simulator.begin()
        start = time.perf_counter()
        run(simulator)
        return (time.perf_counter() - start) / STOPS
    return case


def long_run(model):
    return timed(model, lambda simulator: simulator.advance_frame())


def stops(model, times):
    def run(simulator):
        for each in times:
            simulator.advance_to(each)
    return timed(model, run)


def frames(model):
    def run(simulator):
        while simulator.advance_frame():
            pass
    return timed(model, run)


def judge_calls(results):
    """The budgets: what, particles (none here), found, allowed, met."""
    budgets = []
    for scene, figures in results.items():
        for name, limit in (("entry", ENTRY_LIMIT), ("stop", STOP_LIMIT)):
            found = figures["microseconds"][name]
            budgets.append({"what": f"{LABELS[name]}, {scene}, µs", "particles": None, "found": found,
                            "allowed": f"≤ {limit}", "met": bool(found["median"] <= limit)})
    return budgets
