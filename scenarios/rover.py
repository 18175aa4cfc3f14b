"""A rover of six wheels on rockers and bogies is drawn over rough ground; what its wheels bear, how they slip, what it costs.

After A. Joukhadar, INRIA RR-3072 (1996), figure 5.3: a vehicle of about 500 particles with passive joints follows a goal along
a path. Dimensions are nominal; `robotphi.applications.rover` takes any others. Loose soil is not claimed: the ground is firm.

Exact: at rest on level ground the loads follow from the balance of its links, here a sixth of the weight each; with its wheels
held it slides down a slope θ with g (sin θ − μ cos θ), so that tan θ = μ is the steepest on which it can stay; what guide and
motors give ends as heights, motion and losses, within the budget. Reported: what the course asks of wheels and friction.
"""
import numpy as np

from robotphi import CheckFailed, ContactMaterial, Scene, Simulator, Stepping, build_model, settle, simulate
from robotphi.applications.rover import (
    WHEELS,
    RockerBogie,
    add_rover,
    add_wheel_motors,
    draw_along,
    hills,
    level_loads,
    path_over,
    read_ground,
    rover_report,
)
from robotphi.scenario import run_scenario

GRAVITY = 9.81
PATH = ((0.3, 0.0), (0.8, 0.0), (1.4, 0.08), (2.0, 0.2), (2.6, 0.28), (3.2, 0.3), (3.6, 0.3))   # m, the path
BESIDE = 1e-3              # of the slope at which it begins to slide
STIFFNESS, DAMPING = 4e3, 800.0     # N/m, N·s/m of the guide, critical for 41 kg
STATICS, STANDS = 1e-3, 1e-6
SLIDES = {"slope below": 1.0 - BESIDE, "slope above": 1.0 + BESIDE}     # shares of the angle of friction
QUICK = {"duration": 1.0, "frames": 20}


def tyre(friction=0.7, stiffness=2e7):
    return ContactMaterial(stiffness=stiffness, restitution=0.3, speed=1.0, friction=friction)


def course(ground="", seed=1, height=0.1, spacing=0.1):
    """The Ground: a table of x, y and z, or hills that follow from a seed, level under the vehicle at the start."""
    if ground:
        return read_ground(ground)
    return hills(seed, (6.2, 2.4), spacing, height, 0.8, (-1.0, -1.0)).levelled(0.6)


def build(drive="guide", ground="", seed=1, height=0.1, speed=0.25, friction=0.7, sides=24, differential="bar", duration=16.0,
          frames=320, budget=1e-3):
    """The rover on rough ground.

    Args:
        drive: "guide", a virtual force along the path, or "motors" straight ahead.
        ground: a file with x, y and z; hills that follow from a seed, so high [m], unless told.
        speed: of the goal, or of the rims [m/s].
        sides: of a wheel; differential: "bar" or "relation".
    """
    scene, below = _scene("rover", duration, frames, budget), course(ground, seed, height)
    below.add_to(scene, tyre(friction))
    vehicle = add_rover(scene, RockerBogie(wheels="polyhedron", sides=sides, differential=differential), tyre(friction))
    if drive == "motors":
        add_wheel_motors(scene, vehicle, speed)
    else:
        draw_along(scene, vehicle, path_over(below, PATH), speed, STIFFNESS, DAMPING)
    return scene


def standing(rover, friction, slope=0.0, budget=1e-3):
    """On a plane; with its wheels held where that slopes."""
    scene = _scene(f"rover on {np.degrees(slope):.2f} degrees", 1.0, 20, budget, slope)
    scene.add_plane("ground", contact=tyre(friction))
    add_rover(scene, rover, tyre(friction), locked=slope != 0.0)
    return scene


def _scene(name, duration, frames, budget, slope=0.0):
    """With the weight turned by a slope [rad], uphill along x."""
    down = np.array([-np.sin(slope), 0.0, -np.cos(slope)])
    return Scene(name, duration=duration, frames=frames, gravity=GRAVITY * down, stepping=Stepping(budget=budget))


def run(ground="", seed=1, height=0.1, speed=0.25, friction=0.7, sides=24, differential="bar", duration=16.0, frames=320,
        budget=1e-3):
    rover = RockerBogie(wheels="polyhedron", sides=sides, differential=differential)
    found = {drive: simulate(build(drive, ground, seed, height, speed, friction, sides, differential, duration, frames, budget))
             for drive in ("guide", "motors")}
    return found | {name: simulate(standing(rover, friction, share * np.arctan(friction), budget))
                    for name, share in SLIDES.items()}


def check(recordings, ground="", seed=1, height=0.1, speed=0.25, friction=0.7, sides=24, differential="bar", duration=16.0):
    rover = RockerBogie(wheels="polyhedron", sides=sides, differential=differential)
    figures = statics(rover, friction) | slopes(recordings, friction)
    figures["particles"] = recordings["guide"].position.shape[1]
    path = path_over(course(ground, seed, height), PATH)
    for name, report in reports(recordings, rover, path).items():
        figures |= {f"{name}: {what}": value for what, value in report.figures().items()}
    drawn = reports(recordings, rover, path)["guide"]
    left = float(np.linalg.norm(drawn.nose[-1, :2] - path.at(path.length)[:2]))
    figures["guide: left to the end of the path [m]"] = left
    held = friction * rover.mass * GRAVITY / STIFFNESS         # friction holds it so far from its goal at most
    if duration > path.length / speed + 2.0 and left > held:
        raise CheckFailed(f"the course is not finished: {left:.2f} m are left; {drawn.reason(friction)}")
    return figures


def reports(recordings, rover, path):
    return {name: rover_report(recordings[name], rover, path if name == "guide" else None) for name in ("guide", "motors")}


def statics(rover, friction):
    level = Simulator(build_model(standing(rover, friction)))
    settle(level)
    level.begin()
    wanted, load = level_loads(rover, GRAVITY), rover_report(level.recording(), rover).load[-1]
    off = max(abs(load[k] / wanted[wheel] - 1.0) for k, wheel in enumerate(WHEELS))
    if off > STATICS:
        raise CheckFailed(f"a wheel bears {off:.1e} of its load more or less than by the balance of rigid bodies")
    return {"load of a wheel on level ground [N]": float(load.mean()), "loads off statics, of the load": float(off)}


def slopes(recordings, friction):
    """Accelerations a little below and above the limit; above it they tell the friction at which it would go on evenly."""
    found = {}
    for name in SLIDES:
        time, speed = recordings[name].time, -recordings[name].rigid_velocity[:, 0, 0]
        half = len(time) // 2
        found[name] = float((speed[-1] - speed[half]) / (time[-1] - time[half]))
    low, high = found.values()
    angle = SLIDES["slope above"] * np.arctan(friction)
    limit = float(np.arctan(np.tan(angle) - high / (GRAVITY * np.cos(angle))) / np.arctan(friction))
    if low > STANDS or not high > 0.0 or abs(limit - 1.0) > BESIDE:
        raise CheckFailed(f"beside the limit of the slope it speeds up by {low:.1e} and {high:.1e} m/s²: limit {limit:.5f}")
    return {"slope limit over atan(friction)": limit, "speeding up 0.1 % below it [m/s2]": low,
            "speeding up 0.1 % above it [m/s2]": high}


def draw(recordings, folder, ground="", seed=1, height=0.1, friction=0.7, sides=24, differential="bar"):
    from robotphi.view import graphs, vehicles

    rover, below = RockerBogie(wheels="polyhedron", sides=sides, differential=differential), course(ground, seed, height)
    path, pictures = path_over(below, PATH), []
    for name, report in reports(recordings, rover, path).items():
        report.table().to_csv(folder / f"{name}.csv")
        report.to_json(folder / f"{name}.json", reason=report.reason(friction))
        pictures += [vehicles.draw_way(report, below, path if name == "guide" else None, folder / f"{name}_way.png"),
                     vehicles.draw_report(report, folder / f"{name}.png")]
    return [*pictures, vehicles.draw_on_ground(recordings["guide"], folder / "rover.png"),
            graphs.draw_ledger(recordings["guide"], folder / "ledger.png")]


if __name__ == "__main__":
    run_scenario(__file__)
