"""Robots against real time: rover and hand in the default mode, by processor time, and what MuJoCo makes of the same things.

    python -m tests.speed.robots [--quick] [NAME …]

The steps of a run do not depend on the machine, its processor time does: the least of some runs counts.
"""
import argparse
import sys
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from robotphi.run.simulator import simulate

from . import hand, peer, rover
from .steps import attempt_cost, least, limits_text, mean_step, real_time, watched
from .verdicts import add_budget


class Robot(NamedTuple):
    """A scene of the benchmark."""
    build: object
    knobs: dict
    seconds: float         # simulated
    quick: float           # likewise with --quick
    least: float | None    # × real time, at least
    peer: object = None    # function that gives MuJoCo's figures


ROBOTS = {
    "rover": Robot(rover.build, {}, 8.0, 2.0, 3.0, peer.rover_on_hills),
    "rover, fat links": Robot(rover.build, {"fat": True}, 8.0, 2.0, 8.0),
    "rover, fat links, plane": Robot(rover.build, {"fat": True, "ground": "plane"}, 8.0, 2.0, None, peer.rover_on_plane),
    "rover, motors": Robot(rover.build, {"drive": "motors"}, 4.0, 1.0, None),
    "hand, rigid tips": Robot(hand.build, {}, 2.0, 0.5, 18.0, peer.hand),
    "hand, rigid tips, 50 s": Robot(hand.build, {"duration": 50.0, "frames": 2500}, 50.0, 1.0, 18.0),
    "rover, exact joints": Robot(rover.build, {"hinges": None}, 8.0, 2.0, 15.0, peer.rover_on_hills),
    "hand, exact joints, 50 s": Robot(hand.build, {"joints": None, "round_tips": True, "stiffness": 2e8, "budget": 1e-3,
                                                   "duration": 50.0, "frames": 500}, 50.0, 1.0, 300.0, peer.hand),
    "hand, exact joints, soft tips, 50 s": Robot(hand.build, {"soft": True, "joints": None, "stiff": 8e-3, "budget": 1e-3,
                                                              "duration": 50.0, "frames": 500}, 50.0, 1.0, 100.0, peer.hand),
    "hand, soft tips": Robot(hand.build, {"soft": True}, 2.0, 0.3, 1.0),
}
REPEATS = 3


def measure_robots(quick=False, names=None):
    """Figures of each scene: those of a run, and "peer", × real time and µs a step of MuJoCo, where it is installed."""
    return {name: measure_robot(ROBOTS[name], quick) for name in names or ROBOTS}


def measure_robot(robot, quick=False):
    runs = []
    with watched(runs, {}):
        for _ in range(1 if quick else REPEATS):
            simulate(robot.build(**robot.knobs), until=robot.quick if quick else robot.seconds)
    figures = runs[0]
    for again in runs[1:]:
        figures = least(figures, again)
    return {**figures, "mean_step": mean_step(figures), "attempt_cost": attempt_cost(figures), "real_time": real_time(figures),
            "peer": robot.peer() if robot.peer and peer.found() else None}


def judge_robots(results):
    """The budgets: what, particles (none here), found, allowed, met."""
    budgets = []
    for name, figures in results.items():
        if ROBOTS[name].least is not None:
            add_budget(budgets, f"{name}, × real time", None, figures["real_time"], ROBOTS[name].least, least=True)
    return budgets


def robots_table(results):
    """For people."""
    table = Table(title="robots, by processor time")
    for head in ("", "limited by [%]", "budget", "mean step [s]", "µs/attempt", "× real time", "MuJoCo × real time", "µs/step"):
        table.add_column(head, justify="left" if len(table.columns) < 2 else "right")
    for name, figures in results.items():
        other = figures["peer"]
        beside = ("", "") if other is None else (f"{other['real_time']:.1f}", f"{other['step_cost']:.1f}")
        table.add_row(name, limits_text(figures), figures["asked"].removeprefix("budget "), f"{figures['mean_step']:.2e}",
                      f"{figures['attempt_cost']:.1f}", f"{figures['real_time']:.2f}", *beside)
    return table


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m tests.speed.robots", description="Robots against real time.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of " + "; ".join(ROBOTS))
    parser.add_argument("--quick", action="store_true", help="short runs, once")
    options = parser.parse_args(arguments)
    if not set(options.names) <= set(ROBOTS):
        parser.error(f"{', '.join(set(options.names) - set(ROBOTS))}: there are {'; '.join(ROBOTS)}")
    Console(width=None if sys.stdout.isatty() else 160).print(robots_table(measure_robots(options.quick, options.names)))


if __name__ == "__main__":
    main(sys.argv[1:])
