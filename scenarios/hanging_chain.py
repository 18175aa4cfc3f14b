"""A chain of masses and springs is let go and comes to rest: the stretch of every spring is the weight below it.

At rest the chain of N equal masses is longer by m g N (N + 1)/2k. On the way down it obeys a linear equation, solved here
by its modes: M z'' + β K z' + K z = −m g, each mode an oscillator about its rest, with damping βω²/2.
"""
import numpy as np

from robotphi import CheckFailed, Scene, Stepping
from robotphi.scenario import run_scenario
from robotphi.verification import reference

LENGTH, GRAVITY = 1.0, 9.81
QUICK = {"duration": 1.0, "frames": 50}


def build(count=10, mass=0.1, stiffness=500.0, damping=0.02, duration=12.0, frames=600, budget=1e-6):
    """`damping` is viscosity over stiffness [s]."""
    scene = Scene("hanging chain", duration=duration, frames=frames, gravity=(0, 0, -GRAVITY), stepping=Stepping(budget=budget))
    positions = np.zeros((count + 1, 3))
    positions[:, 2] = -np.linspace(0, LENGTH, count + 1)
    nodes = scene.add_particles("node", positions, mass, support=["xyz", *[""] * count])
    scene.add_linear("spring", nodes[:-1], nodes[1:], stiffness, damping * stiffness)
    return scene


def modes_of(count, mass, stiffness):
    """Squares of the frequencies, shapes as columns, and how far each mode hangs at rest."""
    matrix = 2 * np.eye(count) - np.eye(count, k=1) - np.eye(count, k=-1)
    matrix[-1, -1] = 1
    squares, shapes = np.linalg.eigh(stiffness / mass * matrix)
    return squares, shapes, shapes.T @ np.full(count, GRAVITY) / squares


def exact_sag(time, count, mass, stiffness, damping):
    """How far each mass is below its start over time, (t, N)."""
    squares, shapes, rest = modes_of(count, mass, stiffness)
    modes = [reference.oscillator(time, -r, 0.0, 1.0, w, damping * w)[0] for r, w in zip(rest, squares, strict=True)]
    return (rest + np.stack(modes, axis=1)) @ shapes.T


def motion_bound(recording, count, mass, stiffness, damping):
    """Largest error of the motion that the steps explain [m].

    A step adds to the phase of a mode of frequency ω (ωτ)³/24, and to the logarithm of what is left of it, at its decay
    rate c = βω²/2, at most (2cτ)³/12 (the third term of the exponential, halved by the trapezoid). Each times what is
    left of the mode by then, summed over steps and modes, with a factor 2.
    """
    squares, shapes, rest = modes_of(count, mass, stiffness)
    rate = damping * squares / 2
    time, step = recording.steps["time"][:, None], recording.steps["dt"][:, None]
    added = (squares ** 1.5 / 24 + (2 * rate) ** 3 / 12) * step ** 3 * np.exp(-rate * time)
    return 2 * added.sum(axis=0) @ (np.abs(rest) * np.abs(shapes).max(axis=0))


def check(recording, count=10, mass=0.1, stiffness=500.0, damping=0.02):
    sag = -(recording.position[:, 1:, 2] - recording.position[0, 1:, 2])
    exact = exact_sag(recording.time, count, mass, stiffness, damping)
    error, bound = np.abs(sag - exact).max(), motion_bound(recording, count, mass, stiffness, damping)
    if error > bound:
        raise CheckFailed(f"the chain is {error:.2e} m off its exact motion, the steps explain {bound:.2e} m")
    rest = reference.hanging_stretch(count, mass, stiffness, GRAVITY)
    figures = {"largest error of the motion [m]": error, "error that the steps explain [m]": bound,
               "stretch at rest, exact [m]": rest, "stretch at the end [m]": sag[-1, -1]}
    slowest = damping * modes_of(count, mass, stiffness)[0][0] / 2
    left = rest * np.exp(-slowest * recording.time[-1])
    if left < 1e-4 * rest and abs(sag[-1, -1] - rest) > 2 * left + bound:
        raise CheckFailed(f"the chain came to rest at a stretch of {sag[-1, -1]:.9f} m, exact {rest:.9f} m")
    return figures


def draw(recording, folder, count=10, mass=0.1, stiffness=500.0, damping=0.02):
    from robotphi.view import graphs
    exact = exact_sag(recording.time, count, mass, stiffness, damping)
    chosen = np.unique(np.linspace(1, count, min(count, 4)).astype(int))
    sag = {f"mass {i}": -(recording.position[:, i, 2] - recording.position[0, i, 2]) for i in chosen}
    # a label that starts with "_" stays out of the legend: one "exact" is enough
    references = {"exact" if i == chosen[0] else f"_exact {i}": exact[:, i - 1] for i in chosen}
    return [graphs.draw_series(folder / "sag.png", recording.time, sag, "way down [m]", "Hanging chain, let go and at rest",
                               references=references),
            draw_chain(recording, folder / "chain.png"), graphs.draw_ledger(recording, folder / "ledger.png")]


def draw_chain(recording, path):
    """The chain at instants of its first second and at rest, side by side."""
    from robotphi.view import style
    figure, axes = style.new_figure(7.2, 4.6)
    instants = [*np.linspace(0, min(0.9, recording.time[-1]), 10), recording.time[-1]]
    for place, time in enumerate(instants):
        z = recording.position[recording.frame_at(time), :, 2]
        colour = style.BLUE if place < 10 else style.RED
        axes.plot(np.full(len(z), place), z, "-o", color=colour, linewidth=1.2, markersize=4)
        axes.plot(place, z[0], "o", color=style.AMBER, markersize=7)
    style.quiet(axes, "time [s]", "height [m]", "The chain falls into its springs, and at rest")
    axes.set_xticks(range(len(instants)), [f"{time:.2g}" for time in instants])
    return style.save(figure, path)


if __name__ == "__main__":
    run_scenario(__file__)
