"""Makes the recordings of `data/experiments/` anew: known truths with noise from a seed.

    python -m tests.identification.recordings [name …]

None comes from the model that is fitted: those of springs, friction and joints are closed forms or equations of motion that
scipy integrates, those of `drop` are simulated with a hundredth of the budget, that of `cloth_drape` with a mesh four times as
fine and a tenth of the budget, that of `soft_bar` from meshes twice and four times as fine, by which it is extrapolated to ever
finer ones: their differences fall by 4.1.
"""
import sys
from functools import cache
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from identification.league.truths import noise
from robotphi import Stepping, read_scene, simulate
from tests import ROOT
from tests.identification.closed_forms import swing

FOLDER = ROOT / "data" / "experiments"
GRAVITY = 9.80665
RESTITUTION = 0.72   # of `bounce`


def restitution(loss):
    """What a thread with tension alone leaves of a speed v: F = k x + c v, c v held within ± k x, c = 2 loss √(k m).

    In units of 1/ω: at first c v > k x, ẍ = −2 x, up to tan √2 t = √8 loss; then ẍ = −x − 2 loss ẋ, whose speed is least where
    the force is nothing, tan s t = −4 loss s/(1 − 4 loss²), s² = 1 − loss²; then it leaves.
    """
    swing = np.sqrt(1.0 - loss ** 2)
    speed = 1.0 / np.sqrt(1.0 + 8.0 * loss ** 2)
    time = (np.pi - np.arctan2(4.0 * loss * swing, 1.0 - 4.0 * loss ** 2)) / swing
    return -speed * np.exp(-loss * time) * (np.cos(swing * time) - 3.0 * loss / swing * np.sin(swing * time))


TRUTHS = {   # in the units of the experiments
    "two_masses": {"stiffness": 8.94, "viscosity": 0.6},
    "two_in_series": {"first": 50.0, "second": 80.0},
    "slide": {"kinetic": 0.31, "excess": 0.07},
    "finger": {"friction": 0.004, "viscosity": 0.0003},
    "ligament": {"stiffness": 60.0, "slack": 31.2, "toe": 0.03},
    "plastic_wire": {"stiffness": 6.0, "yielding": 10.0, "hardening": 0.4},
    "drop": {"stiffness": 2e6, "restitution": 0.8, "friction": 0.15},
    "soft_bar": {"young": 4e4, "poisson": 0.2, "damping": 0.06},
    "cloth_drape": {"bending": 2e-4, "damping": 0.01, "stretching": 300.0},
    "bounce": {"loss": brentq(lambda loss: restitution(loss) - RESTITUTION, 0.01, 0.5), "height": 0.8},
}
SEEDS = {name: 1996 + index for index, name in enumerate(TRUTHS)} | {"bounce": 2006}   # 2005: white by a chance of 6e-6


# Closed forms: {column: values} over times -----------------------------------------------------------------------------

def two_masses(times, stretch=0.1):
    """Length of the spring [mm]."""
    return {"length [mm]": 1000 * (1 + stretch / 0.1 * swing([8.94, 0.6], times))}


def two_in_series(times, stretch=0.05):
    """The mass [mm]: ω² = K/m with 1/K = 1/k₁ + 1/k₂."""
    return {"x [mm]": 1000 * (0.4 + stretch * np.cos(np.sqrt(1 / (1 / 50.0 + 1 / 80.0)) * times))}


def slide(times, rate=4.0, static=0.38, kinetic=0.31):
    """Of 1 kg [mm]: it comes loose at F = μ_s m g, then m ẍ = r t − μ_k m g."""
    after = np.maximum(times - static * GRAVITY / rate, 0.0)
    return {"x [mm]": 1000 * (rate * after ** 3 / 6 + (static - kinetic) * GRAVITY * after ** 2 / 2)}


def finger(times, rate=0.0, friction=0.004, viscosity=0.0003):
    """Angle below level [deg]: I θ̈ = m g l cos θ − c θ̇ − τ sgn θ̇, from swing to swing, until friction holds."""
    mass, arm = 0.1, 0.05
    inertia = mass * (0.12 ** 2 + 0.02 ** 2) / 12 + mass * arm ** 2
    found, state, start, side = np.zeros(len(times)), np.array([0.0, rate]), 0.0, 1.0

    def motion(time, state, side):
        moment = mass * GRAVITY * arm * np.cos(state[0]) - viscosity * state[1] - friction * side
        return [state[1], moment / inertia]

    def turns(time, state, side):
        return state[1] if time > start + 1e-6 else side

    turns.terminal = True
    while True:
        path = solve_ivp(motion, (start, times[-1]), state, args=(side,), events=turns, rtol=1e-11, atol=1e-12,
                         dense_output=True)
        here = (times >= start) & (times <= path.t[-1])
        found[here] = path.sol(times[here])[0]
        start, state = path.t[-1], np.array([path.y[0, -1], 0.0])
        pull = mass * GRAVITY * arm * np.cos(state[0])
        if path.status != 1:
            break
        if abs(pull) <= friction:
            found[times > start] = state[0]
            break
        side = np.sign(pull)
    return {"angle [deg]": np.degrees(found)}


def ligament(times, way=0.004, stiffness=6e4, slack=0.0312, toe=0.03):
    """Force [N]: none when slack, k e²/(4 t) up to e = 2 t, then k (e − t), t = ε_l L₀ (Blankevoort et al. 1991)."""
    length = 0.03 + way * (1 - np.cos(np.pi * times)) / 2
    excess, bend = np.maximum(length - slack, 0.0), toe * slack
    force = np.where(excess < 2 * bend, stiffness * excess ** 2 / (4 * bend), stiffness * (excess - bend))
    return {"length [mm]": 1000 * length, "force [N]": force}


def plastic_wire(times, way=0.01, stiffness=6e3, yielding=10.0, hardening=400.0):
    """Tension [N] of isotropic linear hardening: on each straight piece of the path elastic, then with slope k H/(k + H)."""
    corners = np.array([0.0, 1.0, 2.0, 3.5, 4.0])
    places = way * np.array([0.0, 0.6, 0.2, 1.0, 0.8])
    place = np.interp(times, corners, places)
    found, force, limit = np.zeros(len(times)), 0.0, yielding
    slope = stiffness * hardening / (stiffness + hardening)
    for begin, end in zip(range(4), range(1, 5), strict=True):
        side = np.sign(places[end] - places[begin])

        def along(moved, side=side, force=force, limit=limit):
            elastic = np.maximum(side * limit - force, 0) / stiffness if side > 0 else np.maximum(force + limit, 0) / stiffness
            return force + side * (stiffness * np.minimum(moved, elastic) + slope * np.maximum(moved - elastic, 0))

        inside = (times >= corners[begin]) & (times <= corners[end])
        found[inside] = along(np.abs(place[inside] - places[begin]))
        force = float(along(abs(places[end] - places[begin])))
        limit = max(limit, abs(force))
    return {"force [N]": found}


def bounce(times, height=0.8, radius=0.03):
    """The centre of a ball that keeps the same share of its speed at each hit [mm]."""
    fall = height - radius
    hit, speed = np.sqrt(2 * fall / GRAVITY), RESTITUTION * np.sqrt(2 * fall * GRAVITY)
    found = fall - GRAVITY * times ** 2 / 2
    while hit < times[-1]:
        after = np.maximum(times - hit, 0.0)
        found = np.where(times >= hit, speed * after - GRAVITY * after ** 2 / 2, found)
        hit, speed = hit + 2 * speed / GRAVITY, RESTITUTION * speed
    return {"z [mm]": 1000 * (found + radius)}


# Simulated, more exactly than what is fitted ---------------------------------------------------------------------------

def simulated(name, knobs, budget, sensors):
    """{column: values in mm} of the sensors of an experiment's scene at its frames."""
    scene = read_scene(FOLDER / name / "scene.yaml", TRUTHS[name] | knobs)
    scene.stepping = Stepping(budget=budget)
    recording = simulate(scene)
    return {column: 1000 * recording.sensors[sensor][:, place] for column, (sensor, place) in sensors.items()}


def drop(times, **knobs):
    return simulated("drop", knobs | {"budget": 1e-6}, 1e-6, {"x [mm]": ("ball", 0), "z [mm]": ("ball", 2)})


def soft_bar(times):
    sensors = {"tip [mm]": ("tip", 2), "side [mm]": ("side", 0)}
    coarse, fine = (simulated("soft_bar", {"cells": cells}, 1e-5, sensors) for cells in (4, 8))
    return {column: fine[column] + (fine[column] - coarse[column]) / 3 for column in sensors}


def cloth_drape(times):
    return simulated("cloth_drape", {"cells": 40}, 1e-5, {"x [mm]": ("end", 0), "z [mm]": ("end", 2)})


# File → (truth, its knobs, times, noise of each column but the first) of each experiment
FILES = {
    "two_masses": {"pull_1.csv": (two_masses, {"stretch": 0.1}, np.arange(1, 51) / 10, (0.5,)),
                   "pull_2.csv": (two_masses, {"stretch": 0.15}, np.arange(1, 51) / 10, (0.5,))},
    "two_in_series": {"swing.csv": (two_in_series, {}, np.arange(1, 51) / 25, (0.3,))},
    "slide": {"slow.csv": (slide, {"rate": 4.0}, np.arange(1, 76) / 50, (0.5,)),
              "fast.csv": (slide, {"rate": 6.0}, np.arange(1, 76) / 50, (0.5,))},
    "finger": {"let_go.csv": (finger, {"rate": 0.0}, np.arange(1, 101) / 50, (0.3,)),
               "thrown.csv": (finger, {"rate": 6.0}, np.arange(1, 101) / 50, (0.3,))},
    "ligament": {"test_1.csv": (ligament, {"way": 0.004}, np.arange(1, 51) / 25, (0.0, 0.5)),
                 "test_2.csv": (ligament, {"way": 0.005}, np.arange(1, 51) / 25, (0.0, 0.5))},
    "plastic_wire": {"pulled.csv": (plastic_wire, {"way": 0.01}, np.arange(1, 101) / 25, (0.2,)),
                     "further.csv": (plastic_wire, {"way": 0.013}, np.arange(1, 101) / 25, (0.2,))},
    "drop": {"throw_1.csv": (drop, {"height": 0.4, "speed": 4.0}, np.arange(121) / 100, (1.0, 1.0)),
             "throw_2.csv": (drop, {"height": 0.6, "speed": 3.0}, np.arange(121) / 100, (1.0, 1.0))},
    "soft_bar": {"hung.csv": (soft_bar, {}, np.arange(61) / 100, (0.1, 0.01))},
    "bounce": {"drop.csv": (bounce, {}, np.arange(1, 161) / 100, (1.0,))},
    "cloth_drape": {"fall.csv": (cloth_drape, {}, np.arange(61) / 100, (0.5, 0.5))},
}


@cache
def exact(name, file):
    """{column: values} without noise."""
    truth, knobs, times, _ = FILES[name][file]
    return truth(times, **knobs)


def recordings(name, random=None, correlation=0.0):
    """{file: (heads, rows)} of an experiment with its own noise, or with that of another stream and of a correlation ρ."""
    random, found = random or np.random.default_rng(SEEDS[name]), {}
    for file, (_, _, times, sigma) in FILES[name].items():
        columns = exact(name, file)
        noisy = [values + size * noise(random, (len(times),), correlation)
                 for values, size in zip(columns.values(), sigma, strict=True)]
        found[file] = ("t [s]", *columns), np.column_stack([times, *noisy])
    return found


def write(name, folder=FOLDER, random=None, correlation=0.0):
    """The files of an experiment, with as many digits as its noise leaves; their paths."""
    paths = []
    for file, (heads, rows) in recordings(name, random, correlation).items():
        path = Path(folder) / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savetxt(path, rows, fmt="%.10g" if rows.shape[1] == 1 else ["%.6g", *["%.4f"] * (rows.shape[1] - 1)], delimiter=",",
                   header=",".join(heads), comments="", encoding="utf-8")
        paths.append(path)
    return paths


if __name__ == "__main__":
    for each in sys.argv[1:] or FILES:
        print(*write(each), sep="\n")
