"""A planar arm whose joints are passive is drawn to goals by a virtual force on its tool: inverse kinematics by simulation.

After A. Joukhadar, INRIA RR-3072 (1996), section 5 and figure 5.1: F = −k d − μ v pulls the tool, d from the goal, while the
joints have nothing but viscosity c; the angles that come out are the path of the joints. The equations of motion of two links,
    M(q) q̈ + h(q, q̇) + c q̇ = J(q)ᵀ F,
are integrated beside it by DOP853 at 1e-11 (any textbook of robotics, such as Siciliano et al. 2009, section 7.3.2). The angles
lead back to the tool by x = l₁ cos q₁ + l₂ cos (q₁ + q₂), y = l₁ sin q₁ + l₂ sin (q₁ + q₂).

Then the goal goes round a closed path: a carrot that runs ahead of the tool. The angles that come out are what a robot needs:
told to servos κ (q* − q) + c (q̇* − q̇), at 100 instants per second, they lead the tool along the same way without any pull.
"""
import numpy as np
from scipy.integrate import solve_ivp

from robotphi import CheckFailed, Drive, Path, Scene, Stepping, simulate
from robotphi.scenario import run_scenario

LENGTHS, MASSES, RADIUS = (0.4, 0.3), (2.0, 1.5), 0.02     # m, kg, m of the links, which are rods
START = (0.3, 0.9)                                          # rad
GOALS = {"near": (0.1, 0.45), "far": (-0.35, -0.3)}         # m
ROUND = [(0.35, 0.15), (0.5, 0.3), (0.3, 0.45), (0.15, 0.3)]
SPEED, AFTER = 0.25, 1.0                                    # m/s; s after which the tool has caught up with the carrot
SERVO, RATE = {"stiffness": 1500.0, "damping": 40.0}, 100.0  # N·m/rad, N·m·s/rad; 1/s
TITLES = {"replayed": "the path, by servos"}
QUICK = {"duration": 1.0, "frames": 50}


def build(goal="near", stiffness=60.0, damping=8.0, viscosity=0.3, duration=5.0, frames=250, budget=1e-6):
    """A goal of `GOALS`, or "path"."""
    scene, fore = arm(f"goal attraction: {goal}", viscosity, duration, frames, budget)
    law = {"stiffness": stiffness, "damping": damping}
    if goal == "path":
        scene.add_pull("pull", (fore, "tool"), Path([(*p, 0.0) for p in ROUND], closed=True), speed=SPEED, **law)
    else:
        scene.add_pull("pull", (fore, "tool"), (*GOALS[goal], 0.0), **law)
    return scene


def arm(name, viscosity, duration, frames, budget):
    """A scene with the arm alone, and its last link."""
    scene = Scene(name, duration=duration, frames=frames, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    begin, turn, parent = np.zeros(2), 0.0, None
    for name, length, mass, angle in zip(("upper", "fore"), LENGTHS, MASSES, START, strict=True):
        turn += angle
        along = np.array([np.cos(turn), np.sin(turn)])
        end = begin + length * along
        inertia = mass * (3.0 * RADIUS**2 + length**2) / 12.0
        link = scene.add_rigid(name, [(*begin, 0), (*end, 0)], mass=mass, centre=(*(begin + end) / 2, 0),
                               inertia=(inertia, inertia, inertia), points={"tool": (*end, 0)})
        scene.add_joint(f"{name} joint", "revolute", parent, link, at=(*begin, 0), axis=(0, 0, 1), place=angle,
                        viscosity=viscosity)
        scene.add_sensor(f"q {name}", "coordinate", f"{name} joint")
        begin, parent = end, link
    scene.add_sensor("tool", "position", (parent, "tool"))
    return scene, parent


def replayed(recording, viscosity, duration, frames, budget):
    """The arm without a pull, whose servos are told the angles that came out."""
    scene, _ = arm("goal attraction: replayed", viscosity, duration, frames, budget)
    motion = recording.motion(rate=RATE)
    for k, joint in enumerate(motion.joints):
        scene.add_motor(f"servo {joint}", joint, target=Drive.table(motion.time, motion.position[:, k], kind="cubic"), **SERVO)
    return scene


def run(stiffness=60.0, damping=8.0, viscosity=0.3, duration=5.0, frames=250, budget=1e-6):
    knobs = (stiffness, damping, viscosity, duration, frames, budget)
    found = {goal: simulate(build(goal, *knobs)) for goal in (*GOALS, "path")}
    return found | {"replayed": simulate(replayed(found["path"], viscosity, duration, frames, budget))}


def tool_of(q):
    """(…, 2) m, the tool at angles (…, 2)."""
    both = q[..., 0] + q[..., 1]
    return np.stack([LENGTHS[0] * np.cos(q[..., 0]) + LENGTHS[1] * np.cos(both),
                     LENGTHS[0] * np.sin(q[..., 0]) + LENGTHS[1] * np.sin(both)], axis=-1)


def accelerations(q, u, goal, stiffness, damping, viscosity):
    """q̈ of the two links."""
    (l1, l2), (m1, m2) = LENGTHS, MASSES
    i1, i2 = (mass * (3.0 * RADIUS**2 + length**2) / 12.0 for mass, length in zip(MASSES, LENGTHS, strict=True))
    a, b, d = i1 + m1 * l1**2 / 4 + i2 + m2 * (l1**2 + l2**2 / 4), m2 * l1 * l2 / 2, i2 + m2 * l2**2 / 4
    c, s = np.cos(q[1]), np.sin(q[1])
    inertia = np.array([[a + 2 * b * c, d + b * c], [d + b * c, d]])
    turning = np.array([-b * s * (2 * u[0] * u[1] + u[1]**2), b * s * u[0]**2])
    both = q[0] + q[1]
    jacobian = np.array([[-l1 * np.sin(q[0]) - l2 * np.sin(both), -l2 * np.sin(both)],
                         [l1 * np.cos(q[0]) + l2 * np.cos(both), l2 * np.cos(both)]])
    force = -stiffness * (tool_of(q) - goal) - damping * jacobian @ u
    return np.linalg.solve(inertia, jacobian.T @ force - viscosity * u - turning)


def exact(recording, goal, stiffness, damping, viscosity):
    """(f, 2) rad by integration."""
    def rates(_, y):
        return np.concatenate([y[2:], accelerations(y[:2], y[2:], np.array(goal), stiffness, damping, viscosity)])
    return solve_ivp(rates, (0.0, recording.time[-1]), (*START, 0.0, 0.0), method="DOP853", rtol=1e-11, atol=1e-12,
                     t_eval=recording.time).y[:2].T


def angles(recording):
    return np.column_stack([recording.sensors["q upper"], recording.sensors["q fore"]])


def check(recordings, stiffness=60.0, damping=8.0, viscosity=0.3, duration=5.0):
    figures = {}
    for goal, recording in recordings.items():
        q, tool = angles(recording), recording.sensors["tool"][:, :2]
        led = float(np.abs(tool_of(q) - tool).max())
        figures[f"{goal}: tool off the forward kinematics of q(t) [m]"] = led
        if led > 1e-12:   # m: rounding, the joints are exact
            raise CheckFailed(f"{goal}: the angles lead {led:.1e} m away from the tool")
        if goal == "replayed":
            first = recordings["path"].sensors["tool"][:, :2]
            off = float(np.linalg.norm(tool - first, axis=1).max() / np.ptp(first, axis=0).max())
            figures["replayed: tool off that of the pull, of the size of its way"] = off
            if off > 0.01:   # servos lag by torque over stiffness, 1e-3 rad for each 1.5 N·m
                raise CheckFailed(f"replayed by servos, the tool is off its way by {off:.1%} of the size of that")
            continue
        if goal == "path":
            path = Path([(*p, 0.0) for p in ROUND], closed=True)
            places = np.array([path.at(s)[:2] for s in np.linspace(0.0, path.length, 2000)])
            late = tool[recording.time > AFTER]
            if len(late):
                off = max(float(np.linalg.norm(places - one, axis=1).min()) for one in late)
                figures[f"{goal}: tool off the path [m]"] = off
                if off > 0.06:   # m: the carrot pulls it across bends, by what holds it back over the stiffness
                    raise CheckFailed(f"{goal}: the tool is {off:.3f} m off its path")
            continue
        off = float(np.abs(q - exact(recording, GOALS[goal], stiffness, damping, viscosity)).max())
        figures[f"{goal}: angles off the integrated equations [rad]"] = off
        # the ledger holds the energy to the budget, motion is so far ahead as its root: 1e-3
        if off > 1e-3:
            raise CheckFailed(f"{goal}: the angles are {off:.1e} rad off the equations of motion")
        left = float(np.linalg.norm(tool[-1] - GOALS[goal]))
        figures[f"{goal}: tool off the goal in the end [m]"] = left
        if duration >= 3.0 and left > 2e-3:
            raise CheckFailed(f"{goal}: the tool ends {left:.4f} m off its goal")
        pulled = recording.ledger["stored:pull"]
        given = float(recording.ledger["work:pull"][-1])
        if given != 0.0 or pulled[-1] > pulled[0]:
            raise CheckFailed(f"{goal}: a goal that stays gave {given:.1e} J")
    return figures


def draw(recordings, folder):
    from robotphi.view import graphs, style
    figure, panels = style.new_figure(9.6, 8.4, 2, 2, sharex=True, sharey=True)
    for axes, (goal, recording) in zip(panels.flat, recordings.items(), strict=True):
        q = angles(recording)
        elbow = LENGTHS[0] * np.column_stack([np.cos(q[:, 0]), np.sin(q[:, 0])])
        tool = tool_of(q)
        gone = np.append(0.0, np.cumsum(np.abs(np.diff(q, axis=0)).sum(axis=1)))     # evenly along the way of the joints
        shown = np.unique(np.searchsorted(gone, np.linspace(0.0, gone[-1], 12)))
        for at, shade in zip(shown, np.linspace(0.2, 1.0, len(shown)), strict=True):
            points = np.array([(0, 0), elbow[at], tool[at]])
            axes.plot(*points.T, "-o", color=style.BLUE, alpha=shade, linewidth=1.6, markersize=3)
        axes.plot(*tool.T, color=style.AMBER, linewidth=1.6, label="tool")
        if goal == "replayed":
            axes.plot(*recordings["path"].sensors["tool"][:, :2].T, color=style.INK, linewidth=1.0, linestyle=(0, (4, 3)),
                      label="tool as it was pulled")
        elif goal == "path":
            path = Path([(*p, 0.0) for p in ROUND], closed=True)
            axes.plot(*np.array([path.at(s)[:2] for s in np.linspace(0.0, path.length, 200)]).T, color=style.INK, linewidth=1.0,
                      linestyle=(0, (4, 3)), label="path of the goal")
        else:
            axes.plot(*GOALS[goal], "x", color=style.INK, markersize=9, label="goal")
        axes.set_aspect("equal")
        below, left = goal in ("path", "replayed"), goal in ("near", "path")
        style.quiet(axes, "x [m]" if below else "", "y [m]" if left else "", TITLES.get(goal, f"goal: {goal}"))
        style.legend(axes, loc="lower right")
    pictures = [style.save(figure, folder / "arms.png")]
    recordings["path"].motion(rate=RATE, tool=("fore", "tool")).save(folder / "path.csv")
    recording = recordings["far"]
    found = dict(zip(("q1", "q2"), angles(recording).T, strict=True))
    pictures.append(graphs.draw_series(folder / "angles.png", recording.time, found, "angle [rad]",
                                       "The path of the joints to the far goal"))
    pictures.append(graphs.draw_ledger(recording, folder / "ledger.png"))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
