"""A ball on a spring swings in space: energy and angular momentum about the vertical stay, the path is the exact one.

m x'' = −k (|x| − l) x/|x| + m g, integrated by DOP853 at 1e-13 (robotphi/verification/reference.py); the energy and
m (x y' − y x') are integrals of the motion.
"""
import numpy as np

from robotphi import CheckFailed, Scene, Stepping
from robotphi.scenario import run_scenario
from robotphi.verification import reference

START, PUSH = (0.8, 0.0, -0.7), (0.0, 1.2, 0.0)
LENGTH = 1.0
QUICK = {"duration": 2.0, "frames": 100}


def build(stiffness=60.0, mass=1.0, duration=20.0, frames=1000, budget=1e-6):
    scene = Scene("spring pendulum", duration=duration, frames=frames, stepping=Stepping(budget=budget))
    hook = scene.add_particle("hook", (0, 0, 0), 1.0, support="xyz")
    ball = scene.add_particle("ball", START, mass, velocity=PUSH)
    scene.add_linear("spring", hook, ball, stiffness, rest_length=LENGTH)
    scene.add_sensor("length", "length", "spring")
    return scene


def vertical_momentum(recording, mass):
    x, v = recording.position[:, 1], recording.velocity[:, 1]
    return mass * (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0])


def path_bound(recording, stiffness, mass):
    """Largest distance from the exact path that the steps explain [m].

    verlet runs an oscillation fast by the part (ωτ)²/24: over the run its clock gains Σ ω² τ³/24, and the ball is ahead by its
    speed times that. The swing's curvature acts likewise at its lower frequency; the factor 2 is for it.
    """
    steps = recording.steps["dt"]
    ahead = stiffness / mass * (steps ** 3).sum() * recording.time[-1] / steps.sum() / 24
    return 2 * ahead * np.linalg.norm(recording.velocity[:, 1], axis=1).max()


def check(recording, stiffness=60.0, mass=1.0):
    exact, _ = reference.spring_pendulum(recording.time, START, PUSH, mass, stiffness, LENGTH)
    distance, bound = np.linalg.norm(recording.position[:, 1] - exact, axis=1).max(), path_bound(recording, stiffness, mass)
    if distance > bound:
        raise CheckFailed(f"the ball is {distance:.2e} m off its exact path, the steps explain {bound:.2e} m")
    momentum = vertical_momentum(recording, mass)
    turn = np.abs(momentum - momentum[0]).max() / np.abs(momentum[0])
    if turn > 1e-11:  # rounding of a central force, about 1e-16 a step
        raise CheckFailed(f"the angular momentum about the vertical changed by the part {turn:.2e}, expected rounding only")
    share = recording.ledger["largest_residual"][-1] / recording.ledger["reference_energy"][-1]
    if share > recording.info["budget"]:
        raise CheckFailed(f"the energy moved by the part {share:.2e}, more than the budget {recording.info['budget']:g}")
    return {"largest distance from the exact path [m]": distance, "distance that the steps explain [m]": bound,
            "energy residual over largest energy": share, "change of vertical angular momentum": turn}


def draw(recording, folder, stiffness=60.0, mass=1.0):
    from robotphi.view import graphs
    exact, _ = reference.spring_pendulum(recording.time, START, PUSH, mass, stiffness, LENGTH)
    x = recording.position[:, 1]
    return [draw_path(x, folder / "path.png"),
            graphs.draw_series(folder / "coordinates.png", recording.time, dict(zip(("x", "y", "z"), x.T, strict=True)),
                               "position of the ball [m]", "Spring pendulum: simulated and exact (dashes)",
                               references={"exact": exact[:, 0], "_exact y": exact[:, 1], "_exact z": exact[:, 2]}),
            graphs.draw_ledger(recording, folder / "ledger.png"),
            graphs.draw_steps(recording, folder / "steps.png")]


def draw_path(x, path):
    """The path from above and from the side, light at the start and dark at the end."""
    from matplotlib.collections import LineCollection

    from robotphi.view import style
    figure, views = style.new_figure(8.4, 4.2, 1, 2)
    shown = ((0, 1, "x [m]", "y [m]", "from above"), (0, 2, "x [m]", "z [m]", "from the side"))
    for axes, (i, j, *names) in zip(views, shown, strict=True):
        points = x[:, [i, j]]
        line = LineCollection(np.stack([points[:-1], points[1:]], axis=1), cmap="Blues", linewidths=1.2)
        line.set_array(np.linspace(0.3, 1.0, len(points) - 1))
        line.set_clim(0, 1)
        axes.add_collection(line)
        axes.plot(0, 0, "o", color=style.AMBER, markersize=6)
        axes.plot(*points[-1], "o", color=style.INK, markersize=7)
        axes.set_aspect("equal")
        axes.autoscale_view()
        style.quiet(axes, *names)
    return style.save(figure, path)


if __name__ == "__main__":
    run_scenario(__file__)
