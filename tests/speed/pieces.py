"""What single things cost: a recorded frame, a spring sensor, an idle particle of a rigid, a ball on a soft part.

    python -m tests.speed.pieces [--quick]

A frame and a sensor are what a run takes with them beside one without, a particle and a pair what a step does. All by processor
time; the least of some runs counts.
"""
import sys
import time

import numpy as np

from robotphi.discretise import Material, deformable, discretise
from robotphi.geometry.shapes import box
from robotphi.model.build import build_model
from robotphi.run.simulator import Simulator
from robotphi.scene import Scene, Stepping
from robotphi.scene.contact import ContactMaterial

from .calls import ball, masses
from .ours import WholeStep
from .verdicts import add_budget

FRAMES, SENSORS = 2500, 12
IDLE = 1000                        # particles of a rigid
STEPS = 20_000
TIP, RADIUS, PRESSED = 0.02, 0.03, 1e-3     # m: edge of a soft cube, radius of the ball, how deep it is in there
LIMITS = {"frame, two masses": 30.0, "frame, a ball on the ground": 30.0, "spring sensor": 1.0, "ball on a soft part": 3.0,
          "idle particle of a rigid, ns": 4.0}


def measure_pieces(quick=False):
    """Name → µs (of a particle ns)."""
    repeats, steps = (3, STEPS // 4) if quick else (7, STEPS)
    found = {"frame, two masses": of_frame(masses, repeats), "frame, a ball on the ground": of_frame(ball, repeats),
             "spring sensor": of_sensor(repeats)}
    one, many = (of_step(crowded(count), steps, repeats) for count in (0, IDLE))
    found["idle particle of a rigid, ns"] = 1e9 * (many - one) / IDLE
    on, near, off = (of_step(pressed(depth), steps, repeats) for depth in (PRESSED, -PRESSED, -10 * RADIUS))
    return {**{name: cost if name.endswith("ns") else 1e6 * cost for name, cost in found.items()},
            "ball on a soft part": 1e6 * (on - off), "ball 1 mm from it": 1e6 * (near - off)}


def least_of(runs, repeats):
    return min(runs() for _ in range(repeats))


def timed(function):
    start = time.process_time()
    function()
    return time.process_time() - start


def of_frame(make, repeats):
    """Seconds of a frame, the steps of a run without frames taken off."""
    few, many = build_model(make(1)), build_model(make(FRAMES))

    def run(model):
        simulator = Simulator(model, threads=1)
        simulator.begin()
        return timed(simulator.run)

    return (least_of(lambda: run(many), repeats) - least_of(lambda: run(few), repeats)) / FRAMES


def of_sensor(repeats):
    """Seconds of a spring sensor and frame."""
    def run(model):
        simulator = Simulator(model, threads=1)
        simulator.begin()
        return timed(simulator.run)

    plain, scene = build_model(masses(FRAMES)), masses(FRAMES)
    for i in range(SENSORS):
        scene.add_sensor(f"tension {i}", "tension", "spring")
    watched = build_model(scene)
    run(watched)
    return (least_of(lambda: run(watched), repeats) - least_of(lambda: run(plain), repeats)) / (FRAMES * SENSORS)


def of_step(model, steps, repeats):
    """Seconds of a step; the scene goes on from one timing to the next."""
    whole = WholeStep(model, 1, clock=time.process_time)
    whole.cost(10)
    return least_of(lambda: whole.cost(steps), repeats)


def crowded(idle):
    """A rigid on a spring, with particles that nothing asks for."""
    scene = Scene("crowded", duration=100.0, frames=1, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=1e-4))
    points = np.concatenate([np.eye(4, 3), np.random.default_rng(1).uniform(-1, 1, (idle, 3))])
    body = scene.add_rigid("body", points, mass=4.0, inertia=(1.0, 1.2, 1.5), centre=(0.2, 0.2, 0.2), spin=(1.0, 2.0, 3.0))
    hook = scene.add_particle("hook", (0, 0, 2), 1.0, support="xyz")
    scene.add_linear("spring", body.particles[2], hook, 100.0)
    return build_model(scene)


def pressed(depth):
    """A ball, held, so deep in a soft cube of 2 × 2 × 2 cells that stands on its base; negative: above it."""
    scene = Scene("pressed", duration=100.0, frames=1, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=5e-6))
    skin = ContactMaterial(stiffness=1e7, restitution=0.5, speed=1.0, friction=0.5)
    mesh = discretise(box((TIP, TIP, TIP), (0, 0, -TIP / 2)), counts=(2, 2, 2))
    tip = deformable(mesh, Material(young=2e5, density=1000.0, damping_ratio=0.1, damping_frequency=100.0))
    placed = scene.add_object("tip", tip, contact=skin)
    for k in np.flatnonzero(tip.position[:, 2] < -TIP + 1e-9):
        anchor = scene.add_particle(f"anchor {k}", tip.position[k] - (0, 0, TIP), 1.0, support="xyz")
        scene.add_linear(f"tie {k}", int(placed.particles[k]), anchor, 1000.0, 0.1)
    scene.add_ball("ball", (TIP / 20, TIP / 10, RADIUS - depth), RADIUS, contact=skin, support="xyz", rotation_support="xyz")
    return build_model(scene)


def judge_pieces(results):
    """The budgets: what, particles (none here), found, allowed, met."""
    budgets = []
    for name, limit in LIMITS.items():
        add_budget(budgets, name if name.endswith("ns") else f"{name}, µs", None, results[name], limit)
    return budgets


def main(arguments):
    for budget in judge_pieces(found := measure_pieces("--quick" in arguments)):
        print(f"{budget['what']:40} {budget['found']:8.2f}   {budget['allowed']:8} {'met' if budget['met'] else 'missed'}")
    print(f"{'ball 1 mm from it, µs':40} {found['ball 1 mm from it']:8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
