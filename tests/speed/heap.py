"""What a second thread gains where pairs are many: a heap of boxes, one and two threads by turns.

    python -m tests.speed.heap [--quick]

By the clock on the wall, the ratio within a round; rounds that other processes disturbed are taken again.
"""
import functools
import sys

import numpy as np

from robotphi.discretise import moved, rigid
from robotphi.geometry.shapes import box
from robotphi.model.build import build_model
from robotphi.scene import Scene, Stepping
from robotphi.scene.contact import ContactMaterial

from .ours import DURATION, WholeStep
from .timing import sample, summary
from .verdicts import add_budget

COUNTS = 6, 6, 8             # boxes
EDGES = 0.2, 0.16, 0.1       # m
ATTEMPTS, REPEATS, SEED = 60, 7, 1996
GAIN = 1.5                   # of a second thread


def heap():
    """Boxes that lie on each other and beside each other, a little off."""
    scene = Scene("heap", duration=DURATION, frames=1, stepping=Stepping(budget=1e-3))
    skin = ContactMaterial(stiffness=1e7, restitution=0.3, speed=1.0, friction=0.5)
    scene.add_plane("ground", contact=skin)
    places = np.stack(np.meshgrid(*map(np.arange, COUNTS), indexing="ij"), axis=-1).reshape(-1, 3)
    off = np.random.default_rng(SEED).uniform(-1e-4, 1e-4, places.shape)
    one = rigid(box(EDGES), density=1000.0)
    for number, at in enumerate((places + np.array((0, 0, 0.499))) * np.array(EDGES) * (1.01, 1.01, 0.999) + off):
        scene.add_object(f"box {number}", moved(one, tuple(at)), contact=skin)
    return scene


def measure_heap(quick=False):
    """Costs of a step on one and two threads [s], and the gain round by round."""
    model = build_model(heap())
    cases = {f"{threads} threads": functools.partial(WholeStep(model, threads).cost, ATTEMPTS // (3 if quick else 1))
             for threads in (1, 2)}
    for case in cases.values():
        case()
    samples = sample(cases, 3 if quick else REPEATS, np.random.default_rng(SEED))
    return {"cost": {name: summary(cost) for name, cost in samples.cost.items()}, "disturbed": samples.disturbed,
            "gain": summary(samples.ratio("1 threads", "2 threads"))}


def judge_heap(results):
    """The budgets: what, particles (none here), found, allowed, met."""
    budgets = []
    add_budget(budgets, f"gain of 2 threads, heap of {np.prod(COUNTS)} boxes", None, results["gain"], GAIN, least=True)
    return budgets


def main(arguments):
    found = measure_heap("--quick" in arguments)
    for name, cost in found["cost"].items():
        print(f"{name}: {1e6 * cost['median']:.0f} µs a step ({1e6 * cost['min']:.0f} … {1e6 * cost['max']:.0f})")
    print(f"gain {found['gain']['median']:.2f} ({found['gain']['min']:.2f} … {found['gain']['max']:.2f}), "
          f"{found['disturbed']} rounds disturbed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
