"""Mechanisms with loops for the tests: bars between points, and how far their closures are open."""
from itertools import pairwise

import numpy as np

from robotphi.model.build import build_model
from robotphi.model.chain import Chain
from robotphi.run.simulator import Simulator
from robotphi.scene.scene import Scene
from robotphi.scene.stepping import Stepping

WIDTH = 0.05


def scene_of(name, dt, duration, gravity=(0.0, 0.0, 0.0), frames=4, **stepping):
    stepping = Stepping(**stepping) if stepping else Stepping(control="fixed", dt=dt)
    return Scene(name, duration=duration, frames=frames, gravity=gravity, stepping=stepping)


def add_bar(scene, name, a, b, mass=1.0, inertia=None, **more):
    """A uniform rod; about itself it has a hundredth of the inertia across it, unless told."""
    a, b = np.array(a, float), np.array(b, float)
    length, centre = np.linalg.norm(b - a), (a + b) / 2
    along = (b - a) / length
    beside = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    beside /= np.linalg.norm(beside)
    corners = [centre + x * along * length / 2 + WIDTH * (y * beside + z * np.cross(along, beside))
               for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    if inertia is None:
        inertia = mass * length**2 / 12 * (np.eye(3) - 0.99 * np.outer(along, along))
    return scene.add_rigid(name, np.array(corners), mass=mass, inertia=inertia, **more)


def add_ball(scene, name, centre, mass=1.0, radius=0.1, **more):
    corners = np.array(centre, float) + radius * np.vstack((np.eye(3), -np.eye(3)))
    return scene.add_rigid(name, corners, mass=mass, inertia=np.full(3, 0.4 * mass * radius**2), **more)


def four_bar(dt=1e-3, duration=1.0, closing="revolute", swap=False, rate=2.0, frames=4, last="c", tilt=None, **stepping):
    """A crank, a coupler and a rocker in the plane, with one joint of another kind; `swap`: parents are said the other way.
    `last`: which joint is said last; with "d" another one closes."""
    tilt = np.eye(3) if tilt is None else tilt
    scene = scene_of("four", dt, duration, tilt @ (0.0, -9.81, 0.0), frames, **stepping)
    a, b, c, d = (tilt @ point for point in ((0, 0, 0), (0, 0.3, 0), (0.8, 0.6, 0), (0.7, 0, 0)))
    crank, coupler, rocker = (add_bar(scene, "crank", a, b), add_bar(scene, "coupler", b, c, 2.0),
                              add_bar(scene, "rocker", d, c, 1.5))
    z = tilt @ (0, 0, 1)
    scene.add_joint("a", "revolute", None, crank, a, axis=z, rate=rate)
    scene.add_joint("b", "revolute", *((coupler, crank) if swap else (crank, coupler)), b, axis=z)
    more = {"rate": None} if last == "c" else {"rate": 14.0 / 15.0}
    if last == "c":
        scene.add_joint("d", "revolute", None, rocker, d, axis=z)
    scene.add_joint("c", closing, *((rocker, coupler) if swap else (coupler, rocker)), c,
                    axis=None if closing == "ball" else z, across=tilt @ (1, 0, 0) if closing == "universal" else None, **more)
    if last == "d":
        scene.add_joint("d", "revolute", None, rocker, d, axis=z)
    return scene


def chain_of(simulator):
    """The links where the simulator has them now."""
    joints, arrays = simulator.state.buffers.joints, simulator.model.arrays
    return Chain(arrays.mechanisms, arrays.closures, simulator.model, joints.place[:, 0], joints.turn)


def gap_of(simulator):
    """The largest gap of all closures over the extent of their mechanism, worked out on the host."""
    chain, closures = chain_of(simulator), simulator.model.arrays.closures
    gaps = [np.abs(chain.closing(m)[0]).max() / closures.extent[m]
            for m, (begin, end) in enumerate(pairwise(closures.start)) if end > begin]
    return max(gaps)


def run_to(scene, time, model=None):
    simulator = Simulator(build_model(scene) if model is None else model, threads=1)
    simulator.advance_to(time)
    return simulator


def places(simulator):
    return simulator.state.buffers.rigid[:, :3].copy()


def lattice(cells, rows, dt=1e-3, duration=1.0, seed=0, **more):
    """Rows of square cells, of bars of length, mass and inertia one on ball joints, free; each cell has a closure. One row is
    Faure's ladder (E3). Nodes stand a little off the plane, so that no row of a closure follows from others."""
    scene, chance = scene_of("lattice", dt, duration, **more), np.random.default_rng(seed)
    node = {(i, j): np.array([i, j, 0.0]) + 0.15 * chance.standard_normal(3) for i in range(cells + 1) for j in range(rows + 1)}
    spans = [((i, j), (i, j + 1)) for i in range(cells + 1) for j in range(rows)]
    spans += [((i, j), (i + 1, j)) for i in range(cells) for j in range(rows + 1)]
    bars, at = [], {key: [] for key in node}
    for n, (a, b) in enumerate(spans):
        spin = 0.3 * chance.standard_normal(3) if n == 0 else (0, 0, 0)
        bar = add_bar(scene, f"bar{n}", node[a], node[b], inertia=np.ones(3), spin=spin)
        bars.append(bar)
        at[a].append(bar)
        at[b].append(bar)
    for key, own in at.items():
        for n, bar in enumerate(own[1:]):
            scene.add_joint(f"joint{key}{n}", "ball", own[0], bar, node[key])
    return scene


def bricard(dt=1e-3, duration=1.0, **more):
    """Bricard's mechanism as in the IFToMM benchmarks: five rods of 1 m and 1 kg and the ground along edges of a cube, six
    revolute joints whose axes go along edges as well, a freedom where counting finds none."""
    scene = scene_of("bricard", dt, duration, (0.0, -9.81, 0.0), **more)
    p = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], float)
    bars = [None] + [add_bar(scene, f"bar{n}", p[n], p[(n + 1) % 6]) for n in range(1, 6)]
    axes = [np.cross(p[n] - p[n - 1], p[(n + 1) % 6] - p[n]) for n in range(6)]
    for n in range(6):
        ends = (bars[n - 1], bars[n]) if bars[n] is not None else (None, bars[5])
        scene.add_joint(f"j{n}", "revolute", *ends, p[n], axis=axes[n])
    return scene


def two_four_bars(dt=1e-3, duration=1.0, speed=1.0, frames=4, **more):
    """Two four-bars in a row of five rods of 1 m and 1 kg (IFToMM): it passes through places where all rods lie in line."""
    scene = scene_of("double", dt, duration, (0.0, -9.81, 0.0), frames, **more)
    low, high = [(n, 0, 0) for n in range(3)], [(n, 1, 0) for n in range(3)]
    posts = [add_bar(scene, f"post{n}", low[n], high[n]) for n in range(3)]
    tops = [add_bar(scene, f"top{n}", high[n], high[n + 1]) for n in range(2)]
    z = (0, 0, 1)
    for n in range(3):
        scene.add_joint(f"ground{n}", "revolute", None, posts[n], low[n], axis=z, rate=-speed if n == 0 else None)
    for n in range(2):
        scene.add_joint(f"left{n}", "revolute", posts[n], tops[n], high[n], axis=z)
        scene.add_joint(f"right{n}", "revolute", tops[n], posts[n + 1], high[n + 1], axis=z)
    return scene


def slider_crank(dt=1e-3, duration=1.0, rate=8.0, radius=0.3, length=0.8, masses=(1.0, 2.0, 1.5), **more):
    scene = scene_of("slider", dt, duration, **more)
    a, b, c = (0, 0, 0), (0, radius, 0), (np.sqrt(length**2 - radius**2), 0, 0)
    crank, rod = add_bar(scene, "crank", a, b, masses[0]), add_bar(scene, "rod", b, c, masses[1])
    slider = add_ball(scene, "slider", c, masses[2])
    scene.add_joint("a", "revolute", None, crank, a, axis=(0, 0, 1), rate=rate)
    scene.add_joint("b", "revolute", crank, rod, b, axis=(0, 0, 1))
    scene.add_joint("c", "revolute", rod, slider, c, axis=(0, 0, 1))
    scene.add_joint("d", "prismatic", None, slider, c, axis=(1, 0, 0))
    return scene


def carried_four_bar(dt=1e-3, duration=0.5, drive=None, gravity=(0.0, -9.81, 0.0), **more):
    """A crank and a coupler on a rigid that is driven or held; the coupler's end is held by a rod to that rigid."""
    scene = scene_of("carried", dt, duration, gravity, **more)
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    driven = "".join(axis for axis in "xyz" if drive is None or axis not in drive)
    base = scene.add_rigid("base", corners, mass=1.0, inertia=np.ones(3), support=driven, drive=drive,
                           rotation_support="" if drive and "rotation" in drive else "xyz")
    a, b, c, d = (0, 0, 0), (0, 0.3, 0), (0.8, 0.6, 0), (0.7, 0, 0)
    crank, coupler = add_bar(scene, "crank", a, b), add_bar(scene, "coupler", b, c, 2.0)
    scene.add_joint("a", "revolute", base, crank, a, axis=(0, 0, 1), rate=2.0)
    scene.add_joint("b", "revolute", crank, coupler, b, axis=(0, 0, 1))
    scene.add_joint("c", "rod", base, coupler, (d, c))
    return scene
