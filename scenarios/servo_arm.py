"""An industrial arm of six axes follows a trajectory by servos: what they need, how they lag, and what a feed-forward does.

The arm is the UR5e of data/urdf. Its joints swing by q = A − B cos (2π n t/T), slowly and fast. The torques are
those of the Newton–Euler recursion (Luh, Walker and Paul 1980): outwards w, ẇ and p̈ − g of all links, and on each axis z at o
what the links beyond it need, z · Σ (I ẇ + w × I w + (c − o) × m (c̈ − g)). First the joints are driven, and the torques are
what the simulator says. Then servos κ (q* − q) + c (q̇* − q̇) within the limits of the URDF move it; once the weight has sunk
into them they lag behind by κ e + c ė = τ. Last, these servos have the torques of the recursion fed forward. A slower
trajectory needs the torques that hold the arm, and of the rest the square of the ratio of times (Hollerbach 1984).
"""
import numpy as np
from scipy.spatial.transform import Rotation

from robotphi import CheckFailed, Drive, Scene, Stepping, simulate
from robotphi.applications.data import data_file
from robotphi.scenario import run_scenario
from robotphi.urdf import load_urdf

ROBOT = data_file("urdf/ur5e.urdf")
MIDDLE = np.array([0.3, -1.2, 1.3, -0.6, 0.5, 0.0])     # rad
SWING = np.array([0.8, 0.6, -0.45, 0.4, 0.5, 0.3])      # rad
TURNS = np.array([1, 1, 2, 2, 1, 3])                    # swings in one period
STIFFNESS = np.array([2e4, 2e4, 1e4, 2e3, 1e3, 50.0])   # N·m/rad
DAMPING = np.array([400.0, 400.0, 150.0, 15.0, 3.0, 0.1])   # N·m·s/rad
SLOW, FAST = 6.0, 2.0                                   # s, periods
WAYS = ("driven", "servos", "fed forward")
SETTLED = 0.25                                          # s after which the weight's fall into the servos is over
QUICK = {"share": 0.1, "frames": 40}


def place(time, period):
    """q, q̇, q̈ of the trajectory, (f, 6) each."""
    w = 2.0 * np.pi * TURNS / period
    turn = np.multiply.outer(time, w)
    return MIDDLE - SWING * np.cos(turn), SWING * w * np.sin(turn), SWING * w**2 * np.cos(turn)


def build(way="servos", period=FAST, share=1.0, frames=200, budget=1e-4):
    """`way`: of WAYS; `share`: of the period that is run."""
    robot, duration = load_urdf(ROBOT, visuals=False), share * period
    scene = Scene(f"servo arm: {way}, {period:g} s", duration=duration, frames=frames, stepping=Stepping(budget=budget))
    names = [name for name, joint in robot.joints.items() if joint.type == "revolute"]
    wanted = [Drive.sine(-b, n / period, phase=np.pi / 2, offset=a) for a, b, n in zip(MIDDLE, SWING, TURNS, strict=True)]
    start = dict(zip(names, place(0.0, period)[0], strict=True))
    if way == "driven":
        _add_driven(scene, robot, start, dict(zip(names, wanted, strict=True)))
        return scene
    arm = robot.add_to(scene, "arm", positions=start)
    fed = [None] * len(names)
    if way == "fed forward":
        times = np.linspace(0.0, duration, 400)
        fed = [Drive.table(times, one, kind="cubic") for one in newton_euler(robot, *place(times, period)).T]
    for k, name in enumerate(names):
        scene.add_motor(f"servo {name}", arm.joints[name].handle, target=wanted[k], torque=fed[k], stiffness=STIFFNESS[k],
                        damping=DAMPING[k], limit=robot.joints[name].effort)
    return scene


def _add_driven(scene, robot, start, wanted):
    """The same arm with joints that are driven; links by themselves, the base the world."""
    poses, links = robot.poses(start), {}
    for name, joint in robot.joints.items():
        if joint.type != "revolute":
            continue
        mass, centre, inertia = robot.inertial(robot.bodies[joint.child], poses)
        links[joint.child] = scene.add_rigid(f"arm.{joint.child}", [poses[joint.child][:3, 3]], mass=mass, centre=centre,
                                             inertia=inertia)
        scene.add_joint(f"arm.{name}", "revolute", links.get(joint.parent), links[joint.child], poses[joint.child][:3, 3],
                        axis=poses[joint.child][:3, :3] @ joint.axis, drive=wanted[name])


def newton_euler(robot, q, rate, gain):
    """(f, 6) N·m, torques of the joints for their places, rates and accelerations."""
    turned, at = np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3))
    spin, spinning, lift = np.zeros((len(q), 3)), np.zeros((len(q), 3)), np.tile((0.0, 0.0, 9.81), (len(q), 1))
    axes, pulls, k = [], [], 0
    for joint in robot.joints.values():
        arm = turned @ joint.origin[:3, 3]
        lift = lift + bent(spin, spinning, arm)
        at, turned = at + arm, turned @ joint.origin[:3, :3]
        if joint.type == "revolute":
            axis = turned @ joint.axis
            spinning = spinning + np.cross(spin, axis) * rate[:, k, None] + axis * gain[:, k, None]
            spin = spin + axis * rate[:, k, None]
            turned = turned @ Rotation.from_rotvec(q[:, k, None] * joint.axis).as_matrix()
            axes.append((axis, at, len(pulls)))
            k += 1
        link = robot.links[joint.child]
        centre, inertia = turned @ link.centre, turned @ link.inertia @ turned.transpose(0, 2, 1)
        couple = _times(inertia, spinning) + np.cross(spin, _times(inertia, spin))
        pulls.append((at + centre, link.mass * (lift + bent(spin, spinning, centre)), couple))
    return np.column_stack([sum((axis * (couple + np.cross(where - origin, force))).sum(axis=1)
                                for where, force, couple in pulls[first:]) for axis, origin, first in axes])


def bent(spin, spinning, arm):
    """(~ẇ + ~w ~w) r"""
    return np.cross(spinning, arm) + np.cross(spin, np.cross(spin, arm))


def _times(matrix, vector):
    return np.einsum("fij,fj->fi", matrix, vector)


def run(share=1.0, frames=200, budget=1e-4):
    wanted = {"slow driven": ("driven", SLOW), "fast driven": ("driven", FAST), "slow": ("servos", SLOW),
              "fast": ("servos", FAST), "fed forward": ("fed forward", FAST)}
    return {name: simulate(build(*way, share, frames, budget)) for name, way in wanted.items()}


def lag(recording, period):
    """e = q* − q and its rate, (f, 6) each."""
    motion, (q, rate, _) = recording.motion(), place(recording.time, period)
    return q - motion.position, rate - motion.rate


def check(recordings):
    robot, figures = load_urdf(ROBOT, visuals=False), {}
    limits = {f"arm.{name}": {"position": (joint.lower, joint.upper), "speed": joint.velocity, "torque": joint.effort}
              for name, joint in robot.joints.items() if joint.type == "revolute"}
    beyond, error = {}, {}                  # what does not hold the arm [N·m], and lags [rad]
    for name, recording in recordings.items():
        period, motion = SLOW if name.startswith("slow") else FAST, recording.motion()
        q, rate, gain = place(recording.time, period)
        needed, (error[name], rates) = newton_euler(robot, q, rate, gain), lag(recording, period)
        largest, off = np.abs(needed).max(), np.abs(motion.effort - needed)
        motion.check(limits)
        figures |= {f"{name}: largest torque [N·m]": np.abs(motion.effort).max(),
                    f"{name}: largest lag [rad]": np.abs(error[name]).max()}
        if "driven" in name:
            beyond[name] = motion.effort - newton_euler(robot, q, 0.0 * rate, 0.0 * gain)
            _hold(figures, f"{name}: torques off Newton–Euler, of the largest", off.max() / largest, 1e-12)   # rounding
            continue
        if name != "fed forward":
            law = np.abs(STIFFNESS * error[name] + DAMPING * rates - motion.effort).max()
            _hold(figures, f"{name}: torques off κ e + c ė [N·m]", law, 1e-9)
            late = recording.time > SETTLED
            if late.any():   # the lag has an inertia itself: (ω/Ω)² of it, with Ω of the arm on its servos 80 rad/s and more
                _hold(figures, f"{name}: settled torques off Newton–Euler, of the largest", off[late].max() / largest, 0.01)
        ledger = {what: values[-1] - values[0] for what, values in recording.ledger.items()}
        work = sum(value for what, value in ledger.items() if what.startswith("work:"))
        missing = abs(work - ledger["kinetic"] - ledger["gravity"]) / recording.ledger["reference_energy"][-1]
        _hold(figures, f"{name}: work of the servos missing, of the reference energy", missing, recording.scene.stepping.budget)
    slow, fast = beyond["slow driven"], beyond["fast driven"]
    scaled = np.abs(fast - (SLOW / FAST)**2 * slow).max() / np.abs(fast).max()
    _hold(figures, "fast torques off the slow ones, scaled, of the largest", scaled, 1e-11)
    nearer = np.abs(error["fast"]).max() / np.abs(error["fed forward"]).max()
    _hold(figures, "lag with feed-forward, of that without", 1.0 / nearer, 0.05)
    return {name: float(value) for name, value in figures.items()}


def _hold(figures, what, value, most):
    figures[what] = value
    if value > most:
        raise CheckFailed(f"{what}: {value:.2e}, it should be {most:.0e} at most")


def draw(recordings, folder):
    from robotphi.view import style
    robot = load_urdf(ROBOT, visuals=False)
    names = [name for name, joint in robot.joints.items() if joint.type == "revolute"]
    recordings["fast"].motion(rate=125).save(folder / "fast.csv")
    figure, panels = style.new_figure(9.0, 4.2, 1, 2)
    angles = place(np.linspace(0.0, FAST, 161), FAST)[0]
    chains = np.array([[pose[:3, 3] for pose in robot.poses(dict(zip(names, one, strict=True))).values()] for one in angles])
    for axes, across, what in ((panels[0], 2, "from the side"), (panels[1], 1, "from above")):
        for at, shade in zip(np.linspace(0, 80, 7).astype(int), np.linspace(0.15, 1.0, 7), strict=True):
            axes.plot(chains[at, :, 0], chains[at, :, across], "-o", color=style.BLUE, alpha=shade, linewidth=3.0, markersize=4)
        axes.plot(chains[:, -1, 0], chains[:, -1, across], color=style.AMBER, linewidth=1.6, label="tool")
        axes.set_aspect("equal")
        style.quiet(axes, "x [m]", f"{'xyz'[across]} [m]", f"half of the trajectory {what}")
        style.legend(axes, loc="best")
    pictures = [style.save(figure, folder / "arm.png")]
    looks = {"fast": (FAST, style.AMBER), "slow": (SLOW, style.RED), "fed forward": (FAST, style.BLUE)}
    torques = {name: (one.time / looks[name][0], one.motion().effort, looks[name][1])
               for name, one in recordings.items() if name in ("fast", "slow")}
    exact = [(one.time / period, newton_euler(robot, *place(one.time, period)))
             for one, period in ((recordings["fast driven"], FAST), (recordings["slow driven"], SLOW))]
    lags = {name: (recordings[name].time / period, 1e3 * lag(recordings[name], period)[0], colour)
            for name, (period, colour) in looks.items()}
    return [*pictures, _panels(folder / "torques.png", names, "torque [N·m]", torques, exact),
            _panels(folder / "lags.png", names, "lag [mrad]", lags)]


def _panels(path, names, ylabel, curves, exact=()):
    """A panel for each joint."""
    from robotphi.view import style
    figure, panels = style.new_figure(10.0, 5.2, 2, 3, sharex=True)
    for k, axes in enumerate(panels.flat):
        for label, (share, values, colour) in curves.items():
            axes.plot(share, values[:, k], color=colour, linewidth=1.8, label=label)
        for n, (share, values) in enumerate(exact):
            axes.plot(share, values[:, k], color=style.INK, linewidth=1.0, linestyle=(0, (4, 3)),
                      label=None if n else "Newton–Euler")
        style.quiet(axes, "time over period" if k > 2 else "", ylabel if k % 3 == 0 else "", names[k].replace("_", " "))
    handles = panels.flat[-1].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncol=len(handles[0]), frameon=False, fontsize=9, labelcolor=style.INK)
    return style.save(figure, path)


if __name__ == "__main__":
    run_scenario(__file__)
