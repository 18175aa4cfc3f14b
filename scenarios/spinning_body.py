"""A plate thrown about its middle axis turns over again and again, and keeps its angular momentum to the last bit.

Four equal masses at the corners of a rectangle 2√2 × 2 have principal moments in the ratio 1 : 2 : 3. Rotation about the middle
one is unstable: the spin reverses every 2 K(m)/p seconds (Jacobi's functions, Landau & Lifshitz, Mechanics, §37; in
robotphi/verification/reference.py).
"""
import numpy as np

from robotphi import CheckFailed, Scene, Stepping
from robotphi.scenario import run_scenario
from robotphi.verification import reference

CORNERS = np.array([[1, 1, 0], [1, -1, 0], [-1, -1, 0], [-1, 1, 0]]) * [np.sqrt(2), 1.0, 0.0]
INERTIA = np.array([1.0, 2.0, 3.0])
QUICK = {"duration": 25.0, "frames": 500}


def build(first_spin=0.01, duration=90.0, frames=1800, budget=1e-6):
    scene = Scene("spinning body", duration=duration, frames=frames, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    scene.add_rigid("plate", CORNERS, mass=1.0, spin=(first_spin, 1.0, 0.0))
    return scene


def body_spin(recording):
    """Spin about the plate's own axes over time, (f, 3)."""
    x, y = CORNERS[0] - CORNERS[3], CORNERS[0] - CORNERS[1]
    corner = recording.position[:, :4]
    axes = [(corner[:, 0] - corner[:, 3]) / np.linalg.norm(x), (corner[:, 0] - corner[:, 1]) / np.linalg.norm(y)]
    axes.append(np.cross(*axes))
    return np.stack([np.einsum("fi,fi->f", recording.rigid_spin[:, 0], axis) for axis in axes], axis=1)


def reversals(recording):
    """Instants at which the middle spin changes sign."""
    from scipy.interpolate import CubicSpline
    if len(recording) < 2:
        return np.empty(0)
    return CubicSpline(recording.time, body_spin(recording)[:, 1]).roots(extrapolate=False)


def half_period_bound(recording, first_spin):
    """Largest error of the half period that steps and residual explain [s].

    The step is exact for a body whose energy is off by the part (ωτ)²/12 at most, and the half period moves by that part:
    in the mean over the run, with a factor 2. Steps of changing length let the energy itself wander by the residual δ; at
    the same momentum that is a body thrown with ω1² − 2 I2 δ/(I1 (I2 − I1)) about the first axis. Frames 0.05 s apart add 2e-8.
    """
    steps, half = recording.steps["dt"], reference.flip_half_period(INERTIA, (first_spin, 1.0, 0.0))
    wandered = 2 * INERTIA[1] / (INERTIA[0] * (INERTIA[1] - INERTIA[0])) * recording.ledger["largest_residual"][-1]
    if wandered >= first_spin ** 2:
        return np.inf
    nearer = reference.flip_half_period(INERTIA, (np.sqrt(first_spin ** 2 - wandered), 1.0, 0.0))
    return 2 * half * (1 + first_spin ** 2) * (steps ** 3).sum() / steps.sum() / 12 + (nearer - half) + 1e-7


def check(recording, first_spin=0.01):
    half = reference.flip_half_period(INERTIA, (first_spin, 1.0, 0.0))
    found, bound = reversals(recording), half_period_bound(recording, first_spin)
    exact = half * (0.5 + np.arange(len(found)))
    late = np.abs(found - exact) / (0.5 + np.arange(len(found)))
    if not len(found) or late.max() > bound:
        raise CheckFailed(f"the plate turns over at {np.round(found, 4)} s, exact {np.round(exact, 4)} s")
    momentum = recording.rigid_momentum[:, 0]
    drift = np.abs(momentum - momentum[0]).max() / np.linalg.norm(momentum[0])
    if drift > 1e-12:
        raise CheckFailed(f"the angular momentum moved by the part {drift:.2e}")
    share = recording.ledger["largest_residual"][-1] / recording.ledger["reference_energy"][-1]
    if share > recording.info["budget"]:
        raise CheckFailed(f"the energy moved by the part {share:.2e}, more than the budget {recording.info['budget']:g}")
    return {"half flip period, exact [s]": half, "largest error per half period [s]": late.max(),
            "error that the steps explain [s]": bound, "change of angular momentum": drift,
            "energy residual over energy": share}


def draw(recording, folder, first_spin=0.01):
    from robotphi.view import graphs
    names = ("about the long side", "about the short side", "across the plate")
    exact = reference.torque_free_spin(recording.time, INERTIA, np.array([first_spin, 1.0, 0.0]))
    # a label that starts with "_" stays out of the legend: one "exact" is enough
    references = {"exact" if i == 0 else f"_exact {i}": exact[:, i] for i in range(3)}
    return [graphs.draw_series(folder / "spin.png", recording.time, dict(zip(names, body_spin(recording).T, strict=True)),
                               "spin about the plate's axes [rad/s]", "A plate thrown about its middle axis",
                               references=references),
            draw_flip(recording, folder / "flip.png"), graphs.draw_ledger(recording, folder / "ledger.png")]


def draw_flip(recording, path):
    """The plate through its first reversal, or the run where it has none: one face blue, the other amber, a corner marked."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    from robotphi.view import style
    figure, panels = style.new_figure(9.6, 4.8, 2, 4, subplot_kw={"projection": "3d"})
    eye = np.array([0.62, -0.73, 0.3])
    found = reversals(recording)
    instants = found[0] + np.linspace(-4.2, 4.2, 8) if len(found) else np.linspace(0.0, recording.time[-1], 8)
    for axes, time in zip(panels.flat, instants, strict=True):
        index = recording.frame_at(time)
        corners = recording.position[index, :4]
        across = np.cross(corners[0] - corners[3], corners[0] - corners[1])
        face = style.BLUE if across @ eye > 0 else style.AMBER
        plate = Poly3DCollection([corners], facecolor=face, edgecolor=style.INK, linewidth=1.0, alpha=0.9)
        plate.set_clip_on(False)
        axes.add_collection3d(plate)
        axes.scatter(*corners[0], color=style.RED, s=22, depthshade=False, clip_on=False)
        axes.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), zlim=(-1.3, 1.3))
        axes.set_box_aspect((1, 1, 1), zoom=1.35)
        axes.view_init(np.degrees(np.arcsin(eye[2])), np.degrees(np.arctan2(eye[1], eye[0])))
        axes.set_axis_off()
        axes.set_title(f"t = {recording.time[index]:.2f} s", color=style.INK, fontsize=10, loc="left")
    return style.save(figure, path)


if __name__ == "__main__":
    run_scenario(__file__)
