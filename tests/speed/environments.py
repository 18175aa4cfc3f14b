"""Environments against gymnasium's own on MuJoCo: steps per second of processor time, and how far each is off.

    python -m tests.speed.environments [--steps 6000]

`InvertedPendulum-v5` and `Reacher-v5` with the masses, gears and dampers of their files, from seeds and actions alike. What is
exact is integrated here from the equations of motion (Dormand & Prince, order 8), from the first observation of each episode.
MuJoCo takes fixed steps of the fourth order there; ours are of the second, as long as the budget lets them be.
"""
import argparse
import importlib.util
import sys
import time
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.integrate import solve_ivp

from robotphi import Scene, Stepping
from robotphi.gym import SceneEnvironment
from robotphi.kernels.step import slots

G = 9.81
BUDGETS = 1e-4, 1e-3, 1e-2
EPISODES, WATCHED, REPEATS = 20, 10, 5   # of the comparison with what is exact; steps of each


class Task(NamedTuple):
    """An environment that both have.

    `coordinates`, `of_mujoco`: angles and rates in the two observations; `rates`: their rates of change at (t, y, effort).
    """
    peer: str
    build: Any
    period: float      # s
    most: Any          # N, N·m; MuJoCo's actions are these over the gear
    gear: float
    rates: Any
    coordinates: Any
    of_mujoco: Any


# InvertedPendulum ----------------------------------------------------------------------------------------------------------
CART, POLE, INERTIA, HEIGHT, ASIDE = 10.47197551, 5.01859164, 0.18874977, 0.3, 0.0005   # kg, kg, kg·m², m, m


def pendulum(budget):
    scene = Scene("inverted pendulum", duration=40.0, frames=1, gravity=(0, 0, -G), stepping=Stepping(budget=budget))
    cart = scene.add_rigid("cart", [(0, 0, 0)], mass=CART, centre=(0, 0, 0), inertia=(0.12671, 0.12671, 0.04817))
    pole = scene.add_rigid("pole", [(0, 0, 0)], mass=POLE, centre=(ASIDE, 0, HEIGHT), inertia=(INERTIA, INERTIA, 0.0059))
    scene.add_joint("slider", "prismatic", None, cart, at=(0, 0, 0), axis=(1, 0, 0), limits=(-1, 1), viscosity=1.0)
    scene.add_joint("hinge", "revolute", cart, pole, at=(0, 0, 0), axis=(0, 1, 0), viscosity=1.0, limits=(-1.57, 1.57))
    scene.add_motor("motor", "slider", torque=scene.add_command("force", 0.0, low=-300.0, high=300.0))
    told(scene, "slider", "hinge")
    noise = {(joint, what): 0.01 for what in ("place", "rate") for joint in ("slider", "hinge")}
    return SceneEnvironment(scene, [*scene_sensors(scene)], ["force"], lambda seen, action: 1.0,
                            ended=lambda seen: abs(seen["hinge"]) > 0.2, rate=25.0, noise=noise)


def pendulum_rates(_, y, force):
    _, angle, speed, rate = y
    length, angle = np.hypot(HEIGHT, ASIDE), angle + np.arctan2(ASIDE, HEIGHT)
    across = POLE * length * np.cos(angle)
    inertia = np.array([[CART + POLE, across], [across, INERTIA + POLE * length**2]])
    load = (force[0] - speed + POLE * length * rate**2 * np.sin(angle), POLE * length * G * np.sin(angle) - rate)
    return speed, rate, *np.linalg.solve(inertia, load)


# Reacher -------------------------------------------------------------------------------------------------------------------
LINK, TIP, LONG, BEYOND, ROTOR = 0.03560472, 0.00418879, 0.1, 0.11, 1.0   # kg, kg, m, m, kg·m²
SPIN, SPIN_TIP = 3.34e-5, 1.67551608e-07                                    # kg·m², across the plane


def reacher(budget):
    scene = Scene("reacher", duration=1.0, frames=1, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    mass, middle = LINK + TIP, (0.05 * LINK + BEYOND * TIP) / (LINK + TIP)
    spin = SPIN + SPIN_TIP + LINK * (0.05 - middle)**2 + TIP * (BEYOND - middle)**2
    upper = scene.add_rigid("upper", [(0, 0, 0)], mass=LINK, centre=(0.05, 0, 0), inertia=(1e-6, SPIN, SPIN))
    lower = scene.add_rigid("lower", [(LONG + BEYOND, 0, 0)], mass=mass, centre=(LONG + middle, 0, 0),
                            inertia=(1e-6, spin, spin))
    shoulder = scene.add_joint("shoulder", "revolute", None, upper, at=(0, 0, 0), axis=(0, 0, 1), viscosity=1.0, armature=ROTOR)
    elbow = scene.add_joint("elbow", "revolute", upper, lower, at=(LONG, 0, 0), axis=(0, 0, 1), viscosity=1.0, armature=ROTOR,
                            limits=(-3.0, 3.0))
    scene.add_particle("target", (0.1, -0.1, 0), 1.0)
    for joint in (shoulder, elbow):
        name = f"{joint.name} torque"
        scene.add_motor(name, joint, torque=scene.add_command(name, 0.0, low=-200.0, high=200.0))
    told(scene, "shoulder", "elbow")
    scene.add_sensor("tip", "position", of=int(lower.particles[0]))
    scene.add_sensor("target", "position", of="target")
    noise = {(joint, what): size for what, size in (("place", 0.1), ("rate", 0.005)) for joint in ("shoulder", "elbow")}
    noise["target", "position"] = lambda random, value: [[*random.uniform(-0.14, 0.14, 2), 0.0]]
    return SceneEnvironment(
        scene, [*scene_sensors(scene)], ["shoulder torque", "elbow torque"],
        lambda seen, action: -float(np.linalg.norm(seen["tip"] - seen["target"])) - 2.5e-5 * float(action @ action),
        rate=50.0, noise=noise)


def reacher_rates(_, y, torque):
    _, bend, first, second = y
    parts = ((LINK, 0.05, SPIN), (TIP, BEYOND, SPIN_TIP))
    own = sum(mass * reach**2 + spin for mass, reach, spin in parts)
    arm = sum(mass * reach for mass, reach, _ in parts) * LONG
    upper = LINK * 0.05**2 + SPIN + (LINK + TIP) * LONG**2
    across = own + arm * np.cos(bend)
    inertia = np.array([[upper + own + 2.0 * arm * np.cos(bend) + ROTOR, across], [across, own + ROTOR]])
    swing = arm * np.sin(bend)
    load = (torque[0] - first + swing * (2.0 * first * second + second**2), torque[1] - second - swing * first**2)
    return first, second, *np.linalg.solve(inertia, load)


def told(scene, *joints):
    for quantity, suffix in (("coordinate", ""), ("rate", " rate")):
        for joint in joints:
            scene.add_sensor(joint + suffix, quantity, joint)


def scene_sensors(scene):
    return (sensor.name for sensor in scene.sensors)


TASKS = {"InvertedPendulum": Task("InvertedPendulum-v5", pendulum, 0.04, (300.0,), 100.0, pendulum_rates,
                                  lambda seen: seen[:4], lambda seen: seen[:4]),
         "Reacher": Task("Reacher-v5", reacher, 0.02, (200.0, 200.0), 200.0, reacher_rates, lambda seen: seen[:4],
                         lambda seen: np.array([np.arctan2(seen[2], seen[0]), np.arctan2(seen[3], seen[1]), *seen[6:8]]))}
LONGEST = 50   # steps of an episode


def speed(environment, most, count):
    """Steps per second of processor time, resets among them, the best of some rounds."""
    actions, spent = np.random.default_rng(0).uniform(-1.0, 1.0, (count, len(most))) * most, []
    environment.reset(seed=0)
    for _ in range(REPEATS):
        began, length = time.process_time(), 0
        for action in actions:
            length += 1
            _, _, ended, cut, _ = environment.step(action)
            if ended or cut or length == LONGEST:
                environment.reset()
                length = 0
        spent.append(time.process_time() - began)
    return count / min(spent)


def error(environment, task, most, gear, coordinates):
    """Largest error of a coordinate within some steps of some episodes, and attempts of a step where it is one of ours."""
    random, worst, attempts = np.random.default_rng(1), 0.0, []
    for seed in range(EPISODES):
        exact = coordinates(environment.reset(seed=seed)[0])
        for _ in range(WATCHED):
            action = random.uniform(-1.0, 1.0, len(most)) * most
            exact = solve_ivp(task.rates, (0.0, task.period), exact, args=(gear * action,), method="DOP853", rtol=1e-11,
                              atol=1e-12).y[:, -1]
            seen, _, ended, _, _ = environment.step(action)
            if ended:
                break
        worst = max(worst, np.abs(coordinates(seen) - exact)[:2].max())
        if hasattr(environment, "simulator"):
            attempts.append(environment.simulator.state.buffers.counters[slots.ATTEMPTS] / environment._step)
    return worst, np.mean(attempts or [np.nan])


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m tests.speed.environments", description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=6000)
    steps = parser.parse_args(arguments).steps
    table = Table(title="environments, by processor time")
    for head in ("", "budget", "steps/s", "attempts a step", "largest error within 10 steps [m, rad]"):
        table.add_column(head, justify="left" if head == "" else "right")
    for name, task in TASKS.items():
        for budget in BUDGETS:
            ours = task.build(budget)
            worst, attempts = error(ours, task, task.most, 1.0, task.coordinates)
            table.add_row(name, f"{budget:g}", f"{speed(ours, task.most, steps):.0f}", f"{attempts:.2f}", f"{worst:.1e}")
        if importlib.util.find_spec("mujoco"):
            import gymnasium

            theirs = gymnasium.make(task.peer).unwrapped
            most = np.array(task.most) / task.gear
            worst, _ = error(theirs, task, most, task.gear, task.of_mujoco)
            table.add_row(task.peer, "", f"{speed(theirs, most, steps):.0f}", "", f"{worst:.1e}")
    Console(width=None if sys.stdout.isatty() else 160).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
