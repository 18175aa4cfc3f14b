"""A ball falls on the ground and bounces: the step falls at each hit, more for a faster one, and recovers in flight.

After A. Joukhadar, INRIA RR-3072 (1996), section 3.4 and figure 3.7.

* "drop": under gravity. From one hit to the next the speed falls, and a slower hit loses less: restitution is no constant. Each
  hit is compared with m z̈ = π λ R x² max(0, 1 + d ẋ) − m g, x the depth, integrated by DOP853 at 1e-12.
* "hits": without gravity, balls of equal energy at speeds from 0.1 to 10 m/s. The exact law of Hunt and Crossley's force,
  whatever the mass, the stiffness and the form of what touches, is d v (1 + e) = ln[(1 + d v)/(1 − e d v)].
"""
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

from robotphi import CheckFailed, ContactMaterial, Scene, Stepping, simulate
from robotphi.scenario import run_scenario
from robotphi.scene.contact import restitution_of

RADIUS, DENSITY, GRAVITY = 0.05, 1000.0, 9.81      # m, kg/m³, m/s²
DROP, HITS = VARIANTS = ("drop", "hits")
SPEEDS = np.geomspace(0.1, 10.0, 12)               # m/s
DRIFT = 0.5                                        # m/s sideways, so that bounces can be told apart
FLIGHT = 0.02                                      # s until the balls of "hits" arrive
QUICK = {"duration": 0.8, "frames": 160}


def surface(restitution, speed, stiffness):
    return ContactMaterial(stiffness=stiffness, restitution=restitution, speed=speed)


def build(variant=DROP, height=1.0, restitution=0.75, speed=3.0, stiffness=2e8, duration=None, frames=None, budget=1e-5):
    """A ball let go at a height [m] above the ground, or twelve on their way; restitution is what it is at `speed` [m/s]."""
    contact = surface(restitution, speed, stiffness)
    drop = variant == DROP
    scene = Scene(f"bouncing ball: {variant}", duration=(duration or 3.0) if drop else 0.1,
                  frames=(frames or 600) if drop else 100, gravity=(0, 0, -GRAVITY if drop else 0.0),
                  stepping=Stepping(budget=budget))
    scene.add_plane("ground", contact=contact)
    if drop:
        scene.add_ball("ball", (0, 0, RADIUS + height), RADIUS, density=DENSITY, contact=contact, velocity=(DRIFT, 0, 0))
        return scene
    for i, fast in enumerate(SPEEDS):
        place = (3 * RADIUS * i, 0, RADIUS + FLIGHT * fast)
        scene.add_ball(f"ball {i}", place, RADIUS, mass=0.01 / fast ** 2, contact=contact, velocity=(0, 0, -fast))
    return scene


def run(height=1.0, restitution=0.75, speed=3.0, stiffness=2e8, duration=None, frames=None, budget=1e-5):
    knobs = {"height": height, "restitution": restitution, "speed": speed, "stiffness": stiffness, "budget": budget}
    drop = simulate(build(DROP, duration=duration, frames=frames, **knobs))
    return {DROP: drop, HITS: simulate(build(HITS, **knobs))}


# --- hits --------------------------------------------------------------------------------------------------------------
def flights(recording):
    """Of each flight of the drop the speed at the ground [m/s], from height and speed in the middle, and that instant [s]."""
    gap, climb = recording.rigid_position[:, 0, 2] - RADIUS, recording.rigid_velocity[:, 0, 2]
    parts = np.split(np.arange(len(gap)), np.flatnonzero(np.diff((gap > 0).astype(int))) + 1)
    middles = [part[len(part) // 2] for part in parts if len(part) >= 3 and gap[part[0]] > 0]
    return np.sqrt(climb[middles] ** 2 + 2 * GRAVITY * gap[middles]), recording.time[middles]


def bounce(speed, stiffness, damping, mass):
    """Speed after a hit on the ground under gravity, from the differential equation."""
    def rate(_, state):
        x, v = state
        elastic = np.pi * stiffness * RADIUS * max(x, 0.0) ** 2
        return v, GRAVITY - elastic * max(0.0, 1 + damping * v) / mass

    def leaves(_, state):
        return state[0]

    leaves.terminal, leaves.direction = True, -1
    tiny = 1e-12
    solved = solve_ivp(rate, (0.0, 1.0), (tiny, speed), method="DOP853", rtol=1e-12, atol=1e-15, events=leaves)
    return -solved.y_events[0][0][1] if len(solved.y_events[0]) else 0.0


def restitutions(recordings):
    """Speeds and restitutions of the hits of both recordings: ((v, e), (v, e))."""
    before = flights(recordings[DROP])[0]
    after = recordings[HITS].rigid_velocity[-1, :, 2]
    return (before[:-1], before[1:] / before[:-1]), (SPEEDS, after / SPEEDS)


def steps_of_hits(recording):
    """Per hit of the drop the smallest step [s]; per flight the largest one."""
    time, dt = recording.steps["time"], recording.steps["dt"]
    middles = flights(recording)[1]
    smallest = np.array([dt[(time > start) & (time < end)].min() for start, end in pairwise(middles)])
    largest = np.array([dt[abs(time - middle) < 0.02].max() for middle in middles])
    return smallest, largest


def settling(fast, speed):
    return 2 * np.pi * (1e-3 * speed / fast) ** 3


def check(recordings, restitution=0.75, speed=3.0, stiffness=2e8, budget=1e-5):
    contact = surface(restitution, speed, stiffness)
    (drop_speed, drop_e), (speeds, e) = restitutions(recordings)
    exact = np.array([restitution_of(contact.damping, fast) for fast in speeds])
    mass = 4 / 3 * np.pi * RADIUS ** 3 * DENSITY
    wanted = np.array([bounce(fast, stiffness / 2, contact.damping, mass) / fast for fast in drop_speed])   # two in series
    smallest, largest = steps_of_hits(recordings[DROP])
    errors, drop_errors = np.abs(e - exact), np.abs(drop_e - wanted)
    figures = {"hits of the drop": len(drop_e), "restitution of the first hit": drop_e[0],
               "error of the hits of the drop": drop_errors.max(), "error of the hits without gravity": errors.max(),
               "smallest step at the first hit [s]": smallest[0], "smallest step at the last hit [s]": smallest[-1],
               "largest step in flight over smallest at hits": largest.min() / smallest.max(),
               "attempts": recordings[DROP].counts["attempts"]}
    # the budget is a share of the energy of all twelve balls, or of the whole drop: e² of one hit is off by no more, and e by
    # less; contacts settle below u₀, a thousandth of the speed of their restitution, which takes 2π (u₀/v)³ of a hit
    if (errors > 12 * budget + settling(speeds, speed)).any():
        raise CheckFailed(f"hits without gravity are {errors.max():.1e} off the exact law")
    if (drop_errors > budget * (drop_speed[0] / drop_speed) ** 2 + settling(drop_speed, speed)).any():
        raise CheckFailed(f"hits of the drop are {drop_errors.max():.1e} off the equation of motion")
    if (np.diff(smallest) < 0).any() or largest.min() < 10 * smallest.max():
        raise CheckFailed("the step should fall at each hit, more for a faster one, and recover in flight")
    return figures


def draw(recordings, folder, restitution=0.75, speed=3.0, stiffness=2e8):
    from robotphi.view import style, touching
    drop, scene = recordings[DROP], build(DROP, 1.0, restitution, speed, stiffness)
    seen = np.arange(0, len(drop), max(round(0.05 / (drop.time[1] - drop.time[0])), 1))
    bounces = touching.picture_touching(drop, scene, folder / "bounces.png", seen, {"ball": "#5b8cc4"}, together=True,
                                        view=(0.0, -1.0, 0.18), titles=["every 0.05 s"])
    damping = surface(restitution, speed, stiffness).damping
    return [bounces, draw_flight(recordings[DROP], folder / "steps.png", style),
            draw_restitution(recordings, damping, folder / "restitution.png", style)]


def draw_flight(recording, path, style):
    """Height and step over time, one above the other."""
    figure, (upper, lower) = style.new_figure(7.6, 5.2, 2, 1, sharex=True)
    upper.plot(recording.time, recording.rigid_position[:, 0, 2] - RADIUS, color=style.BLUE, linewidth=1.4)
    upper.fill_between(recording.time, 0, recording.rigid_position[:, 0, 2] - RADIUS, color=style.BLUE, alpha=0.08, linewidth=0)
    style.quiet(upper, "", "height [m]", "The step falls at each hit, more for a faster one, and recovers in flight")
    time, dt = recording.steps["time"], recording.steps["dt"]
    lower.semilogy(time, dt, color=style.GREY, linewidth=0.5)
    lower.semilogy(time, dt, ".", color=style.RED, markersize=1.5)
    style.quiet(lower, "time [s]", "step [s]")
    lower.margins(x=0.01)
    return style.save(figure, path)


def draw_restitution(recordings, damping, path, style):
    """e over the speed of the hit: the exact law as a curve, hits as points."""
    figure, axes = style.new_figure(6.4, 4.2)
    speeds = np.geomspace(0.05, 15, 200)
    axes.semilogx(speeds, [restitution_of(damping, fast) for fast in speeds], color=style.INK, linewidth=1.2,
                  label="exact: d v (1 + e) = ln[(1 + d v)/(1 − e d v)]")
    axes.semilogx(speeds, 1 - 2 / 3 * damping * speeds, color=style.GREY, linewidth=0.9, linestyle=(0, (4, 3)),
                  label="first order: e = 1 − (2/3) d v")
    (drop_speed, drop_e), (hit_speed, e) = restitutions(recordings)
    axes.semilogx(hit_speed, e, "o", color=style.BLUE, markersize=6, label="hits without gravity")
    axes.semilogx(drop_speed, drop_e, "d", color=style.AMBER, markersize=5, label="hits of the drop")
    axes.set_ylim(0, 1.05)
    style.quiet(axes, "speed of the hit v [m/s]", "restitution e", "What comes back of the speed of a hit")
    style.legend(axes)
    return style.save(figure, path)


if __name__ == "__main__":
    run_scenario(__file__)
