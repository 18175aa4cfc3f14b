"""Trees of exact joints: the cost of a step over their size, and beside other engines where they are installed.

    python -m tests.speed.chains [--quick]

A chain has bars of 0.1 m and 0.1 kg, hinges about y and z in turn, gravity, and no contact; a tree is a comb of such chains of
ten. MuJoCo's figure is its whole step (explicit, contact off), Pinocchio's its articulated-body algorithm alone, the call of
the binding taken off. Ours is an attempt with its ledger.
"""
import argparse
import importlib.util
import time

import numpy as np

from robotphi import Scene, Simulator, Stepping, build_model

from .timing import slope
from .verdicts import add_budget

BAR, MASS, MOMENTS = 0.1, 0.1, (2e-5, 1e-4, 1e-4)   # m, kg, kg·m² about the centre, along x first
DT = 1e-4
PEERS, TREES = (6, 30, 100, 1000), (10, 100, 1000, 10_000)
REPEATS = 3
WORK = 4e5          # bodies times steps of a measure
SLOPE_LIMIT, MUJOCO_LIMIT, PINOCCHIO_LIMIT = 1.05, 1.0, 2.0
PINOCCHIO_MOST = 300   # bodies: its data hold tensors of their number cubed
CALLS = 2000        # of the binding


def axis_of(n):
    return (0, 1, 0) if n % 2 else (0, 0, 1)


def chain(count, length=None, duration=1.0):
    """Bars one behind the other on the world, in chains of a length."""
    scene = Scene("chain", duration=duration, frames=1, stepping=Stepping(control="fixed", dt=DT))
    above = None
    for n in range(count):
        row, place = divmod(n, length or count)
        above = None if place == 0 else above
        centre = np.array([BAR * (place + 0.5), 0.3 * row, 0.0])
        bar = scene.add_rigid(f"bar {n}", [centre], mass=MASS, centre=centre, inertia=MOMENTS)
        scene.add_joint(f"joint {n}", "revolute", above, bar, centre - [BAR / 2, 0, 0], axis=axis_of(place))
        above = bar
    return scene


def comb(count):
    """A spine with chains of ten on it: one tree."""
    scene = Scene("comb", duration=1.0, frames=1, stepping=Stepping(control="fixed", dt=DT))
    spine, before = [], None
    for n in range(count):
        row, place = divmod(n, 10)
        centre = np.array([BAR * (place + 0.5), 0.3 * row, 0.0])
        bar = scene.add_rigid(f"bar {n}", [centre], mass=MASS, centre=centre, inertia=MOMENTS)
        above = before if place else (spine[-1] if spine else None)
        scene.add_joint(f"joint {n}", "revolute", above, bar, centre - [BAR / 2, 0, 0], axis=axis_of(place))
        before = bar
        if place == 0:
            spine.append(bar)
    return scene


def cost(scene, steps):
    """µs of an attempt, the least processor time of some runs."""
    model, spent = build_model(scene), []
    for _ in range(REPEATS):
        simulator = Simulator(model, threads=1)
        simulator.begin()
        simulator.advance_to(10.0 * DT)
        attempts, began = simulator.counts()["attempts"], time.process_time()
        simulator.advance_to((10.0 + steps) * DT)
        spent.append((time.process_time() - began) / (simulator.counts()["attempts"] - attempts))
    return 1e6 * min(spent)


def steps_for(count):
    return int(np.clip(WORK / count, 20, 5000))


def measure_chains(quick=False):
    """{"trees": {count: µs}, "slope": …, "chains": {count: {"ours": µs, "mujoco": …, "pinocchio": …}}}."""
    counts = TREES[:3] if quick else TREES
    trees = {count: cost(comb(count), steps_for(count)) for count in counts}
    chains = {}
    for count in PEERS[:3] if quick else PEERS:
        chains[count] = {"ours": cost(chain(count), steps_for(count))}
        if importlib.util.find_spec("mujoco") is not None:
            chains[count]["mujoco"] = mujoco_cost(count)
        if importlib.util.find_spec("pinocchio") is not None and count <= PINOCCHIO_MOST:
            chains[count]["pinocchio"] = pinocchio_cost(count)
    return {"trees": trees, "slope": slope(list(trees), list(trees.values())), "chains": chains}


def judge_chains(results):
    """The budgets: what, particles (none here), found, allowed, met."""
    budgets = []
    add_budget(budgets, "log–log slope, step of a tree", None, results["slope"], SLOPE_LIMIT)
    for count, costs in results["chains"].items():
        for name, limit in (("mujoco", MUJOCO_LIMIT), ("pinocchio", PINOCCHIO_LIMIT)):
            if name in costs:
                add_budget(budgets, f"chain of {count}, ours / {name}", None, costs["ours"] / costs[name], limit)
    return budgets


# --- other engines ---------------------------------------------------------------------------------------------------
def mujoco_chain(count):
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = DT, (0.0, 0.0, -9.81)
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    body = spec.worldbody
    for n in range(count):
        body = body.add_body(pos=(BAR if n else 0.0, 0.0, 0.0), mass=MASS, ipos=(BAR / 2, 0.0, 0.0), inertia=MOMENTS,
                             explicitinertial=True)
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis_of(n))
    return spec.compile()


def mujoco_cost(count):
    """µs of its step."""
    import mujoco

    model, spent, steps = mujoco_chain(count), [], max(5, min(2000, int(WORK / count ** 2)))
    for _ in range(REPEATS):
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, 2)
        began = time.process_time()
        mujoco.mj_step(model, data, steps)
        spent.append(time.process_time() - began)
    return 1e6 * min(spent) / steps


def pinocchio_cost(count):
    """µs of its accelerations, without what a call of the binding costs: what a chain of none would."""
    one, few = pinocchio_call(1), pinocchio_call(11)
    return pinocchio_call(count) - (one - (few - one) / 10.0)


def pinocchio_chain(count):
    import pinocchio

    model, above = pinocchio.Model(), 0
    for n in range(count):
        joint = pinocchio.JointModelRY() if n % 2 else pinocchio.JointModelRZ()
        place = pinocchio.SE3(np.eye(3), np.array([BAR if n else 0.0, 0.0, 0.0]))
        above = model.addJoint(above, joint, place, f"joint {n}")
        model.appendBodyToJoint(above, pinocchio.Inertia(MASS, np.array([BAR / 2, 0, 0]), np.diag(MOMENTS)),
                                pinocchio.SE3.Identity())
    return model


def pinocchio_call(count):
    import pinocchio

    model = pinocchio_chain(count)
    data, q, v = model.createData(), np.linspace(0.0, 1.0, count), np.ones(count)
    torque, calls, spent = np.zeros(count), max(20, CALLS // max(1, count // 10)), []
    for _ in range(2 * REPEATS):
        began = time.process_time()
        for _ in range(calls):
            pinocchio.aba(model, data, q, v, torque)
        spent.append((time.process_time() - began) / calls)
    return 1e6 * min(spent)


# --- command ---------------------------------------------------------------------------------------------------------
def main():
    parser = argparse.ArgumentParser(prog="python -m tests.speed.chains", description="Trees of joints and other engines.")
    parser.add_argument("--quick", action="store_true", help="to 1000 bodies, and chains to 100")
    results = measure_chains(parser.parse_args().quick)
    for count, value in results["trees"].items():
        print(f"tree of {count:6d}: {value:10.2f} µs an attempt, {1e3 * value / count:7.0f} ns a body")
    for count, costs in results["chains"].items():
        print(f"chain of {count:5d}: " + ", ".join(f"{name} {value:.2f} µs" for name, value in costs.items()))
    for budget in judge_chains(results):
        print(f"{budget['what']}: {budget['found']:.3f}, allowed {budget['allowed']}, {'met' if budget['met'] else 'missed'}")


if __name__ == "__main__":
    main()
