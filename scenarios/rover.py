"""Rovers of six and of four wheels, and one with a soft chassis, go over a step, hills, boulders and loose stones to the end.

After A. Joukhadar, INRIA RR-3072 (1996), figure 5.3: a vehicle with passive joints follows a goal along a path; here it steers
itself by motors in its wheels, or is drawn by a virtual force as in the report. Dimensions are nominal, firm ground, no soil;
`robotphi.applications.rover` takes any others. Reported: what the course asks of wheels, friction and motors.

Exact: loads at rest on level ground by the balance of the links; with its wheels held it slides down a slope θ with
g (sin θ − μ cos θ), tan θ = μ is the steepest on which it stays; a wheel of radius r climbs a step h where tow over load, or
the friction of a driven one, is √(r² − (r − h)²)/(r − h); what drives it ends as heights, motion and losses, within the budget.
"""
from pathlib import Path

import numpy as np

from robotphi import CheckFailed, ContactMaterial, ScenarioError, simulate
from robotphi.applications.rover import (
    DRIVES,
    GRAVITY,
    STONES,
    VEHICLES,
    climbs,
    course_scene,
    driven_wheel,
    left_to_go,
    level_loads,
    loads_at_rest,
    picture_ground,
    read_ground,
    read_points,
    rough_course,
    rover_report,
    slide,
    slope_scene,
    towed_wheel,
)
from robotphi.scenario import run_scenario

COURSES = {"six motors": ("six", "motors", False), "six guide": ("six", "guide", False),
           "four motors": ("four", "motors", False), "soft motors": ("soft", "motors", False),
           "six motors stones": ("six", "motors", True)}     # vehicle, what drives it, whether loose stones lie in its way
BESIDE, STATICS, STANDS, STEP = 1e-3, 1e-3, 1e-6, 0.02     # of the slope, of loads; m/s²; of tow and friction at a step
HEIGHT, RADIUS = 0.04, 0.12                                # m, of the step and the wheel that are held against the closed form
SHARES = {"below": -1.0, "above": 1.0}
ENDS = 0.03                                                # m from the end of the path: the course is finished
MOVIES = ("", "webp", "gif", "mp4")
PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif")     # other grounds are tables
OF_COURSE = ("ground", "seed", "height", "step", "path", "boulders")
QUICK = {"duration": 1.0, "frames": 20}


def tyre(friction=0.7, stiffness=2e7):
    return ContactMaterial(stiffness=stiffness, restitution=0.3, speed=1.0, friction=friction)


def course(stones=False, ground="", seed=1, height=0.1, step=0.03, path="", boulders=True):
    """The Course over a picture, a table of x, y and z, or hills that follow from a seed; along a table of x and y."""
    land = None
    if ground:
        land = picture_ground(ground, height=height) if Path(ground).suffix.lower() in PICTURES else read_ground(ground)
    own = {} if boulders else {"boulders": ()}
    if path:
        own["points"] = read_points(path)
    return rough_course(land, seed, height, step=(0.8, step, 0.4) if step else (), stones=STONES if stones else (), **own)


def build(vehicle="six", drive="motors", stones=False, ground="", seed=1, height=0.1, step=0.03, speed=0.25, friction=0.7,
          duration=22.0, frames=440, budget=1e-3, path="", boulders=True, movie=""):
    """One vehicle on the course.

    Args:
        vehicle: "six" or "four" wheels on rockers, or "soft", a chassis that bends.
        drive: "motors" that steer it along the path, or "guide", a virtual force.
        stones: whether loose ones lie in the way.
        ground: a file with x, y and z, or a picture, its black `height` below 0, its white above; hills that follow from a
            seed, so high [m], unless told.
        step: height of the step across the way [m].
        speed: of the rims, or of the goal [m/s].
        path: a file with x and y, along which it goes; boulders: whether any lie in the way.
        movie: "webp", "gif" or (with ffmpeg) "mp4" of each vehicle; none unless told.
    """
    for what, given, allowed in (("vehicle", vehicle, VEHICLES), ("drive", drive, DRIVES), ("movie", movie, MOVIES)):
        if given not in allowed:
            raise ScenarioError(f"{what} is {given!r}; give one of: {', '.join(filter(None, allowed))}")
    way = course(stones, ground, seed, height, step, path, boulders)
    return course_scene(VEHICLES[vehicle], way, tyre(friction), drive, speed, duration, frames, budget)


def run(ground="", seed=1, height=0.1, step=0.03, speed=0.25, friction=0.7, duration=22.0, frames=440, budget=1e-3, path="",
        boulders=True, movie="", progress=None):
    how = (ground, seed, height, step, speed, friction, duration, frames, budget, path, boulders, movie)
    found = {name: simulate(build(*which, *how), progress=progress) for name, which in COURSES.items()}
    limits = {"slope": lambda side: slope_scene(VEHICLES["six"], tyre(friction), 1.0 + BESIDE * side, friction),
              "towed": lambda side: towed_wheel(HEIGHT, 1.0 + STEP * side, RADIUS),
              "driven": lambda side: driven_wheel(HEIGHT, 1.0 + STEP * side, RADIUS)}
    return found | {f"{what} {name}": simulate(scene(side)) for what, scene in limits.items() for name, side in SHARES.items()}


def check(recordings, speed=0.25, friction=0.7, duration=22.0, **knobs):
    figures = statics(friction) | slopes(recordings, friction) | steps(recordings)
    way = told_course(knobs)
    for name, report in reports(recordings, way).items():
        figures[f"{name}: particles"] = recordings[name].position.shape[1]
        figures |= {f"{name}: {what}": value for what, value in report.figures().items()}
        left = left_to_go(report, way, COURSES[name][1])
        figures[f"{name}: left to the end of the path [m]"] = left
        if duration > way.path.length / speed + 6.0 and left > ENDS:
            raise CheckFailed(f"{name}: the course is not finished, {left:.2f} m are left; {report.reason(friction)}")
    return figures


def told_course(knobs, stones=False):
    return course(stones, **{what: value for what, value in knobs.items() if what in OF_COURSE})


def reports(recordings, way):
    return {name: rover_report(recordings[name], VEHICLES[vehicle], way.path if drive == "guide" else None)
            for name, (vehicle, drive, _) in COURSES.items()}


def statics(friction):
    figures = {}
    for name in ("six", "four"):
        load, wanted = loads_at_rest(VEHICLES[name], tyre(friction)), level_loads(VEHICLES[name], GRAVITY)
        off = max(abs(load[wheel] / wanted[wheel] - 1.0) for wheel in wanted)
        figures[f"{name}: loads off statics, of the load"] = off
        if off > STATICS:
            raise CheckFailed(f"a wheel of {name} bears {off:.1e} of its load more or less than by the balance of rigid bodies")
    return figures


def slopes(recordings, friction):
    """Accelerations a little below and above the limit; above it they tell the friction at which it would go on evenly."""
    low, high = (slide(recordings[f"slope {name}"]) for name in SHARES)
    angle = (1.0 + BESIDE) * np.arctan(friction)
    limit = float(np.arctan(np.tan(angle) - high / (GRAVITY * np.cos(angle))) / np.arctan(friction))
    if low > STANDS or not high > 0.0 or abs(limit - 1.0) > BESIDE:
        raise CheckFailed(f"beside the limit of the slope it speeds up by {low:.1e} and {high:.1e} m/s²: limit {limit:.5f}")
    return {"slope limit over atan(friction)": limit, "speeding up 0.1 % below it [m/s2]": low,
            "speeding up 0.1 % above it [m/s2]": high}


def steps(recordings):
    """Whether a towed and a driven wheel are up, 2 % below and above the closed form."""
    names = [f"{what} {side}" for what in ("towed", "driven") for side in SHARES]
    up = {name: climbs(recordings[name], HEIGHT) for name in names}
    for name, risen in up.items():
        if risen != name.endswith("above"):
            raise CheckFailed(f"a wheel {name} what a step asks for by {STEP:.0%} {'comes up' if risen else 'stays below'}")
    return {f"wheel {name} the closed form: up": float(risen) for name, risen in up.items()}


def draw(recordings, folder, friction=0.7, movie="", **knobs):
    from robotphi.view import graphs, movies, vehicles

    way, pictures = told_course(knobs), []
    for name, report in reports(recordings, way).items():
        stem = name.replace(" ", "_")
        report.table().to_csv(folder / f"{stem}.csv")
        finished = left_to_go(report, way, COURSES[name][1]) < ENDS
        report.to_json(folder / f"{stem}.json", finished=finished, reason="" if finished else report.reason(friction))
        lie = vehicles.outlines(recordings[name], told_course(knobs, COURSES[name][2]).things)
        pictures += [vehicles.draw_way(report, way.ground, way.path, folder / f"{stem}_way.png", lie),
                     vehicles.draw_report(report, folder / f"{stem}_report.png"),
                     vehicles.draw_on_ground(recordings[name], folder / f"{stem}.png")]
        if movie:
            pictures.append(movies.write_movie(recordings[name], folder / f"{stem}.{movie}", speed=2.0))
    return [*pictures, graphs.draw_ledger(recordings["six motors"], folder / "ledger.png")]


if __name__ == "__main__":
    run_scenario(__file__)
