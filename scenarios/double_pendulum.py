"""Two particles on stiff springs are a double pendulum, and become the exact one as 1/k → 0.

Point masses m = l = 1, both arms horizontal and at rest, g = 9.81. The angles after 1 s, integrated by DOP853 at 1e-13
(robotphi/verification/reference.py), are −0.6250876998 and −1.0345850857 from the downward vertical.
"""
import numpy as np

from robotphi import CheckFailed, Scene, Stepping, simulate
from robotphi.scenario import run_scenario
from robotphi.verification import reference
from robotphi.verification.estimate import SAFETY, extrapolated, slope

STIFFNESSES = (4e4, 1.6e5, 6.4e5, 2.56e6)
QUICK = {"duration": 0.3, "frames": 30}


def build(stiffness=4e4, duration=3.0, frames=300, budget=1e-4, control="ledger"):
    """Horizontal arms at rest fall freely, the springs start without tension: the fast motion of the arms hardly begins."""
    # "fixed" takes steps that fall like 1/√k, a tenth of the limit 2/ω of two unit masses on two springs, ω² = k (3 + √5)/2,
    # so that the errors of stretch and of step both fall like 1/k
    fastest = np.sqrt(stiffness * (3 + np.sqrt(5)) / 2)
    interval = duration / frames
    stepping = Stepping(budget=budget) if control == "ledger" else \
        Stepping(control="fixed", dt=interval / np.ceil(interval * fastest / 0.2))
    scene = Scene("double pendulum", duration=duration, frames=frames, stepping=stepping)
    hook = scene.add_particle("hook", (0, 0, 0), 1.0, support="xyz")
    upper = scene.add_particle("upper", (1, 0, 0), 1.0)
    lower = scene.add_particle("lower", (2, 0, 0), 1.0)
    scene.add_linear("arms", [hook, upper], [upper, lower], stiffness)
    return scene


def run(duration=3.0, frames=300):
    return {f"k = {k:g}": simulate(build(k, duration, frames, control="fixed")) for k in STIFFNESSES}


def angles(recording):
    """Angles of both arms from the downward vertical, unwrapped, (f, 2)."""
    arms = np.diff(recording.position[:, :3], axis=1)
    return np.unwrap(np.arctan2(arms[:, :, 0], -arms[:, :, 2]), axis=0)


def check(recordings):
    values = [angles(each) for each in recordings.values()]
    time = next(iter(recordings.values())).time
    judged = time <= 1.0 + 1e-9     # beyond, small differences grow too fast for the first order to rule
    exact = reference.double_pendulum(time)[:, :2]
    before, best = [extrapolated(*pair, order=1, ratio=4)[judged] for pair in zip(values[-3:-1], values[-2:], strict=True)]
    # what the last refinement moved, anywhere in the run, bounds what is left
    error, bar = np.abs(best - exact[judged]).max(), SAFETY * np.abs(best - before).max()
    if error > bar:
        raise CheckFailed(f"extrapolated to rigid arms the angles are off by {error:.2e} rad, expected at most {bar:.2e}")
    errors = [np.abs(value - exact)[judged].max() for value in values]
    order = slope(1 / np.array(STIFFNESSES), errors)
    if abs(order - 1) > 0.1:
        raise CheckFailed(f"the error falls with the order {order:.2f} in 1/k, expected 1")
    return {"error of the extrapolated angles up to 1 s [rad]": error, "error bar [rad]": bar,
            "order in 1/k": order, "error at the softest arms [rad]": errors[0]}


def draw(recordings, folder):
    from robotphi.view import graphs
    stiffest = list(recordings.values())[-1]
    exact = reference.double_pendulum(stiffest.time)[:, :2]
    errors = [np.abs(angles(each) - exact)[each.time <= 1.0 + 1e-9].max() for each in recordings.values()]
    arms = dict(zip(("upper arm", "lower arm"), angles(stiffest).T, strict=True))
    return [graphs.draw_series(folder / "angles.png", stiffest.time, arms, "angle from the downward vertical [rad]",
                               f"Double pendulum on springs of {STIFFNESSES[-1]:g} N/m",
                               references={"rigid arms": exact[:, 0], "_lower rigid arm": exact[:, 1]}),
            graphs.draw_convergence(folder / "convergence.png", 1 / np.array(STIFFNESSES), {"largest error up to 1 s": errors},
                                    "1/stiffness [m/N]", "error of the angles [rad]", order=1),
            draw_path(stiffest, exact, folder / "path.png")]


def draw_path(recording, exact, path):
    """The path of both masses with the arms at a few instants."""
    from robotphi.view import style
    figure, axes = style.new_figure(7.2, 4.2)
    for mass, colour in ((1, style.TEAL), (2, style.BLUE)):
        axes.plot(recording.position[:, mass, 0], recording.position[:, mass, 2], color=colour, linewidth=1.4)
    elbow = np.stack([np.sin(exact[:, 0]), -np.cos(exact[:, 0])], axis=1)
    hand = elbow + np.stack([np.sin(exact[:, 1]), -np.cos(exact[:, 1])], axis=1)
    axes.plot(*hand.T, color=style.INK, linewidth=0.9, linestyle=(0, (4, 3)), label="rigid arms")
    for index in np.linspace(0, len(recording) - 1, 13).astype(int):
        shade = 0.15 + 0.6 * index / len(recording)
        axes.plot(*recording.position[index, :3, [0, 2]], "-o", color=style.AMBER, alpha=shade, markersize=4)
    axes.set_aspect("equal")
    style.quiet(axes, "x [m]", "z [m]", "Two masses on stiff springs")
    style.legend(axes, loc="upper left")
    return style.save(figure, path)


if __name__ == "__main__":
    run_scenario(__file__)
