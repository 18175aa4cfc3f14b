"""An arm of six passive joints follows its tool, which is drawn along a path: inverse kinematics without computing them.

After A. Joukhadar, INRIA RR-3072 (1996), section 5 and figure 5.2: no joint has a motor, only viscosity; a force on the tool
draws it along a closed path, a couple keeps it pointing down, and the angles q(t) that come out are what a robot is to be told.
They lead back to the tool by the product of exponentials (Brockett 1984; Murray, Li, Sastry 1994, section 3.2),
    T(q) = e^(ξ₁ q₁) … e^(ξ₆ q₆) T(0),   with ξ_k the screw of axis k as the arm stands at q = 0.
q, q̇, q̈ and torques at 100 instants a second, with the path of the tool, are written as CSV and JSON, and held against limits
of a robot; six servos that are told these angles lead the tool along the same way without any pull. Weight is left out: it is
borne by the motors of the robot, as in the report.
"""
import numpy as np
from scipy.spatial.transform import Rotation

from robotphi import CheckFailed, Drive, Path, Scene, Stepping, simulate
from robotphi.scenario import run_scenario

X, Y, Z = np.eye(3)
AXES = (Z, Y, Y, Z, Y, Z)                                   # of the joints at q = 0, where the arm stands upright
ENDS = np.array([(0, 0, 0), (0, 0, 0.3), (0, 0, 0.75), (0, 0, 0.95), (0, 0, 1.15), (0, 0, 1.25), (0.05, 0, 1.35)])   # m
MASSES, RADIUS = (6.0, 5.0, 3.0, 2.0, 1.0, 0.5), 0.04       # kg, m of the links, which are rods from joint to joint
START = np.array([0.0, 0.5, 1.3, 0.0, np.pi - 1.8, 0.0])    # rad: the tool points down
WAY = [(0.55, -0.25, 0.55), (0.7, 0.0, 0.45), (0.55, 0.25, 0.55), (0.45, 0.0, 0.65)]   # m
SPEED, RISE, AFTER = 0.3, 0.5, 1.5                          # m/s; s in which the force rises, after which it has caught up
RATE = 100.0                                                # 1/s, at which a robot is told where to be
SERVOS = (2e4, 2e4, 1e4, 2e3, 1e3, 200.0)                   # N·m/rad; each has a fiftieth of it as damping, N·m·s/rad
LIMITS = {"position": (-np.pi, np.pi), "speed": 3.0}        # of each joint, rad and rad/s: what a robot may be asked for
QUICK = {"duration": 0.5, "frames": 25}


def build(way="drawn", told=None, viscosity=2.0, duration=8.0, frames=400, budget=1e-5):
    """`way`: "drawn" by its tool, or "replayed" by servos that are `told` the Motion of the former."""
    scene = Scene(f"passive arm: {way}", duration=duration, frames=frames, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    stands, parent = poses(START), None
    for k, (mass, angle) in enumerate(zip(MASSES, START, strict=True)):
        (turn, begin), (_, end) = stands[k], stands[k + 1]
        name, along = f"link {k + 1}", Rotation.align_vectors((end - begin)[None], Z[None])[0].as_matrix()
        length = np.linalg.norm(end - begin)
        across, about = mass * (3.0 * RADIUS**2 + length**2) / 12.0, mass * RADIUS**2 / 2.0
        link = scene.add_rigid(name, [begin, end], mass=mass, centre=(begin + end) / 2,
                               inertia=along @ np.diag((across, across, about)) @ along.T, points={"tool": end})
        scene.add_joint(f"joint {k + 1}", "revolute", parent, link, at=begin, axis=turn @ AXES[k], place=angle,
                        viscosity=0.0 if told else viscosity)
        if told:
            target = Drive.table(told.time, told.position[:, k], kind="cubic")
            scene.add_motor(f"servo {k + 1}", f"joint {k + 1}", target=target, stiffness=SERVOS[k],
                            damping=SERVOS[k] / 50.0)
        parent = link
    scene.add_sensor("tool", "position", (parent, "tool"))
    if not told:
        scene.add_pull("pull", (parent, "tool"), Path(WAY, closed=True), speed=SPEED, stiffness=400.0, damping=60.0,
                       active=Drive.table([0.0, RISE], [0.0, 1.0]))
        scene.add_attitude("down", parent, stiffness=40.0, damping=1.0)
    return scene


def run(viscosity=2.0, duration=8.0, frames=400, budget=1e-5):
    drawn = simulate(build("drawn", None, viscosity, duration, frames, budget))
    # a table holds its last value from its end on: there servos would be told to stop, so they play up to the frame before
    last = duration * (frames - 1) / frames
    return {"drawn": drawn, "replayed": simulate(build("replayed", told_by(drawn), viscosity, last, frames - 1, budget))}


def poses(q):
    """[(turn, place)] of the axes 1 to 6 and of the tool at angles q, by the product of exponentials."""
    turn, place, found = np.eye(3), np.zeros(3), []
    for angle, axis, end in zip(q, AXES, ENDS[:-1], strict=True):
        at = turn @ end + place                     # where the axis stands now
        found.append((turn, at))
        turn = turn @ Rotation.from_rotvec(angle * axis).as_matrix()
        place = at - turn @ end
    return [*found, (turn, turn @ ENDS[-1] + place)]


def told_by(recording):
    """The Motion that a robot is told."""
    return recording.motion(rate=RATE, tool=("link 6", "tool"))


def distances(recording):
    """(f,) m, of the tool from its path."""
    path = Path(WAY, closed=True)
    places = np.array([path.at(s) for s in np.linspace(0.0, path.length, 2000)])
    return np.array([np.linalg.norm(places - one, axis=1).min() for one in recording.sensors["tool"]])


def check(recordings, duration=8.0):
    figures, (drawn, replayed) = {}, (recordings[name] for name in ("drawn", "replayed"))
    for name, recording in recordings.items():
        q, tool = recording.motion().position, recording.sensors["tool"]
        led = max(float(np.linalg.norm(poses(one)[-1][1] - place)) for one, place in zip(q, tool, strict=True))
        figures[f"{name}: tool off the forward kinematics of q(t) [m]"] = led
        if led > 1e-9:   # m: the joints are exact, what is left is rounding
            raise CheckFailed(f"{name}: the angles lead {led:.1e} m away from the tool")
    motion = told_by(drawn)
    passed = motion.passed(dict.fromkeys(motion.joints, LIMITS))
    figures["limits of the robot that the motion passes"] = len(passed)
    if passed:
        raise CheckFailed(f"a robot cannot follow: {passed[0]}")
    figures["fastest joint [rad/s]"] = float(np.abs(motion.rate).max())
    tools = replayed.sensors["tool"], drawn.sensors["tool"][:len(replayed)]
    off = float(np.linalg.norm(tools[0] - tools[1], axis=1).max() / np.ptp(tools[1], axis=0).max())
    figures["replayed: tool off that of the force, of the size of its way"] = off
    if off > 0.01:   # servos lag by torque over stiffness
        raise CheckFailed(f"replayed by servos, the tool is off its way by {off:.1%} of the size of that")
    if duration > AFTER:
        figures["drawn: tool off the path [m]"] = far = float(distances(drawn)[drawn.time > AFTER].max())
        if far > 0.04:   # m: it is drawn across bends, by what holds it back over the stiffness
            raise CheckFailed(f"the tool is {far:.3f} m off its path")
    return figures


def draw(recordings, folder):
    from robotphi.view import graphs, style
    drawn, motion = recordings["drawn"], told_by(recordings["drawn"])
    for ending in ("csv", "json"):
        motion.save(folder / f"robot.{ending}")
    figure, panels = style.new_figure(9.0, 4.2, 1, 2)
    path = Path(WAY, closed=True)
    way = np.array([path.at(s) for s in np.linspace(0.0, path.length, 200)])
    q = drawn.motion().position
    shown = np.unique(np.linspace(0, len(q) - 1, 9).astype(int))
    for axes, (a, b), title in zip(panels, ((0, 2), (0, 1)), ("from the side", "from above"), strict=True):
        for at, shade in zip(shown, np.linspace(0.2, 1.0, len(shown)), strict=True):
            points = np.array([place for _, place in poses(q[at])])
            axes.plot(points[:, a], points[:, b], "-o", color=style.BLUE, alpha=shade, linewidth=1.6, markersize=3)
        axes.plot(way[:, a], way[:, b], color=style.INK, linewidth=1.0, linestyle=(0, (4, 3)), label="path of the goal")
        for name, colour in (("drawn", style.AMBER), ("replayed", style.TEAL)):
            tool = recordings[name].sensors["tool"]
            axes.plot(tool[:, a], tool[:, b], color=colour, linewidth=1.6, linestyle="-" if name == "drawn" else ":",
                      label=f"tool, {name}")
        axes.set_aspect("equal")
        style.quiet(axes, "x [m]", f"{'xyz'[b]} [m]", title)
    style.legend(panels[0], loc="lower left")
    pictures = [style.save(figure, folder / "arm.png")]
    for what, unit, values in (("angle", "rad", motion.position), ("rate", "rad/s", motion.rate)):
        found = dict(zip(motion.joints, values.T, strict=True))
        pictures.append(graphs.draw_series(folder / f"{what}s.png", motion.time, found, f"{what} [{unit}]",
                                           f"What the robot is told: {what}s of its joints"))
    played = recordings["replayed"].motion(rate=RATE)
    found = dict(zip(played.joints, played.effort.T, strict=True))
    pictures.append(graphs.draw_series(folder / "torques.png", played.time, found, "torque [N·m]",
                                       "Torques of the servos that play it again"))
    pictures.append(graphs.draw_ledger(drawn, folder / "ledger.png"))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
