"""Waves in a cloth under a force on its middle that changes sign twenty times: what a jump does to the adaptive step.

A square cloth is stretched in a frame; a force across it pulls its middle up and down, at once, twenty times in 20 s
(A. Joukhadar, INRIA RR-3072, 1996, figure 3.10: mean step 0.01 s, smallest 1e-10 s, gain 1e8). Three ways are compared
with a reference at a fine fixed step:

* the report's scheme under its energy rule, the potential of the force counted: at a reversal the energy jumps by
  2 F z, no step passes, and the step falls to its floor. The gain, mean step over smallest, is made by that floor.
* the same with the potential left out: the work of the force is a change of energy like any other, and sets the step.
* verlet under the ledger: the work is explained and the reversals are events on which steps land.

The ledger's budget is the largest of a ladder that errs no more than either. The tolerance is small enough for the rules
themselves to choose the step: with a coarse one all three go as fast as an explicit step is stable, and err accordingly.
"""
import numpy as np

from robotphi import CheckFailed, Drive, Scene, Stepping, simulate
from robotphi.scenario import run_scenario

SIDE, MASS = 1.0, 0.3                 # m, kg
STIFFNESS, STRETCH = 12.0, 1.1        # N/m; length in the frame over rest length: the tension that carries the waves
DAMPING = 0.004                       # s, viscosity over stiffness
BENDING = 2e-5                        # N·m/rad
REVERSALS = np.arange(20) + 0.5       # s
FLOOR = 1e-10                         # s
QUICK = {"duration": 2.0, "frames": 20}


def build(size=15, force=0.4, duration=20.0, frames=400, budget=1e-4, scheme="verlet", control="ledger",
          energy_tolerance=5e-5, count_force_potential=False, dt=2.5e-4):
    stepping = {"ledger": {"budget": budget}, "fixed": {"dt": dt},
                "energy": {"energy_tolerance": energy_tolerance, "count_force_potential": count_force_potential,
                           "dt_min": FLOOR, "at_floor": "accept"}}[control]
    scene = Scene("cloth waves", duration=duration, frames=frames, gravity=(0, 0, 0),
                  stepping=Stepping(scheme=scheme, control=control, **stepping))
    line = np.linspace(0, SIDE, size)
    positions = np.zeros((size, size, 3))
    positions[..., 0], positions[..., 1] = np.meshgrid(line, line, indexing="ij")
    border = np.ones((size, size), bool)
    border[1:-1, 1:-1] = False
    p = scene.add_particles("cloth", positions.reshape(-1, 3), MASS / size ** 2,
                            support=["xyz" if held else "" for held in border.ravel()]).reshape(size, size)
    for name, first, second in (("along", p[:-1], p[1:]), ("across", p[:, :-1], p[:, 1:])):
        scene.add_linear(name, first.ravel(), second.ravel(), STIFFNESS, DAMPING * STIFFNESS,
                         rest_length=SIDE / (size - 1) / STRETCH)
    for name, triple in (("bends along", (p[:-2], p[1:-1], p[2:])), ("bends across", (p[:, :-2], p[:, 1:-1], p[:, 2:]))):
        scene.add_angular(name, *(each.ravel() for each in triple), BENDING, DAMPING * BENDING, rest_angle=np.pi)
    signs = (-1.0) ** np.arange(len(REVERSALS) + 1)
    scene.add_force("pull", int(p[size // 2, size // 2]), (0, 0, force), drive=Drive.steps([0.0, *REVERSALS], signs))
    return scene


def run(energy_tolerance=5e-5, duration=20.0, frames=400, size=15):
    """Reference, both energy rules, and the ledger at the largest budget of a ladder that errs no more than they do."""
    common = {"duration": duration, "frames": frames, "size": size}
    energy = {"scheme": "taylor", "control": "energy", "energy_tolerance": energy_tolerance}
    recordings = {"reference": simulate(build(control="fixed", **common)),
                  "energy, potential counted": simulate(build(count_force_potential=True, **energy, **common)),
                  "energy": simulate(build(**energy, **common))}
    allowed = min(path_error(recordings[name], recordings["reference"]) for name in list(recordings)[1:])
    for budget in 10.0 ** np.arange(-1, -8, -0.5):
        recordings["ledger"] = simulate(build(budget=float(budget), **common))
        if path_error(recordings["ledger"], recordings["reference"]) <= allowed:
            return recordings
    return recordings


def path_error(recording, exact):
    """Root mean square distance from the reference over all particles and frames, as a part of the motion's."""
    moved = exact.position - exact.position[0]
    return float(np.sqrt(np.mean((recording.position - exact.position) ** 2) / np.mean(moved ** 2)))


def gain(recording):
    """Mean step over smallest step."""
    return float(recording.time[-1] / recording.counts["accepted"] / recording.steps["dt"].min())


def check(recordings, duration=20.0):
    exact, figures = recordings["reference"], {}
    for name in ("energy, potential counted", "energy", "ledger"):
        each = recordings[name]
        figures |= {f"{name}: attempts": each.counts["attempts"], f"{name}: error over motion": path_error(each, exact),
                    f"{name}: mean step [s]": each.time[-1] / each.counts["accepted"],
                    f"{name}: smallest step [s]": each.steps["dt"].min(), f"{name}: gain": gain(each),
                    f"{name}: floor hits": each.counts["floor_hits"]}
    ledger = recordings["ledger"]
    figures["ledger: budget"] = ledger.info["budget"]
    reversals = int(np.sum(duration > REVERSALS))
    for name in ("energy, potential counted", "energy"):
        if path_error(ledger, exact) > path_error(recordings[name], exact):
            raise CheckFailed(f"the ledger errs by {path_error(ledger, exact):.2e}, more than {name}")
        share = ledger.counts["attempts"] / recordings[name].counts["attempts"]
        figures[f"attempts of ledger over those of {name}"] = share
        if share > 0.2:
            raise CheckFailed(f"the ledger took {share:.2f} of the attempts of {name} at equal error, expected at most 0.2")
    if recordings["energy, potential counted"].counts["floor_hits"] < reversals:
        raise CheckFailed("a reversal passed above the floor although the energy, the force's potential counted, jumps there")
    if recordings["energy"].counts["floor_hits"]:
        raise CheckFailed("the step fell to its floor although the energy does not jump")
    landed = np.min(np.abs(ledger.steps["time"][:, None] - REVERSALS[duration > REVERSALS]), axis=0)
    if landed.max() > 0:
        raise CheckFailed("the ledger's steps do not land on the reversals")
    return figures


def draw(recordings, folder, size=15, duration=20.0):
    from robotphi import build_model
    from robotphi.view import graphs, scenes
    ledger = recordings["ledger"]
    after = [ledger.frame_at(REVERSALS[ledger.time[-1] > REVERSALS][-1] + later) for later in (0.1, 0.2, 0.3, 0.4)]
    middle = size * (size // 2) + size // 2
    late = ledger.time >= ledger.time[-1] - 4.0
    heights = {name: each.position[late, middle, 2] for name, each in recordings.items()}
    return [draw_surfaces(ledger, size, folder / "waves.png"),
            scenes.picture_frames(ledger, build_model(build(size)), folder / "springs.png", frames=after, columns=2),
            graphs.draw_series(folder / "middle.png", ledger.time[late], heights, "height of the middle [m]",
                               "Cloth under a force that changes sign every second",
                               references={"reference": heights.pop("reference")}),
            draw_steps(recordings, folder / "steps.png", duration), graphs.draw_ledger(ledger, folder / "ledger.png")]


def draw_steps(recordings, path, duration):
    """The step over time of the three ways, one above the other."""
    from robotphi.view import style
    names = ("energy, potential counted", "energy", "ledger")
    figure, rows = style.new_figure(7.2, 6.4, 3, 1, sharex=True, sharey=True)
    for axes, name, colour in zip(rows, names, (style.RED, style.AMBER, style.BLUE), strict=True):
        steps, counts = recordings[name].steps, recordings[name].counts
        axes.semilogy(steps["time"], steps["dt"], color=colour, linewidth=0.6)
        style.quiet(axes, "time [s]" if name == names[-1] else "", "step [s]",
                    f"{name}: {counts['attempts']} attempts, {counts['floor_hits']} at the floor")
        axes.set_xlim(0, duration)
    return style.save(figure, path)


def draw_surfaces(recording, size, path):
    """The cloth at six instants after a reversal, heights enlarged."""
    from robotphi.view import style
    start = REVERSALS[recording.time[-1] > REVERSALS][-1]
    chosen = [recording.frame_at(start + after) for after in np.linspace(0.0, 0.5, 6)]
    figure, grid = style.new_figure(9.6, 4.8, 2, 3, subplot_kw={"projection": "3d"})
    top = np.abs(recording.position[chosen, :, 2]).max()
    for axes, index in zip(grid.flat, chosen, strict=True):
        x, y, z = np.moveaxis(recording.position[index].reshape(size, size, 3), 2, 0)
        surface = axes.plot_surface(x, y, z, cmap="Blues_r", vmin=-1.2 * top, vmax=1.8 * top, rstride=1, cstride=1,
                                    linewidth=0.3, edgecolor=style.INK, antialiased=True, shade=False)
        surface.set_clip_on(False)
        axes.set(zlim=(-top, top))
        axes.set_box_aspect((1, 1, 0.5), zoom=1.3)
        axes.set_axis_off()
        axes.set_title(f"t = {recording.time[index]:.2f} s", color=style.INK, fontsize=10, loc="left")
    return style.save(figure, path)


if __name__ == "__main__":
    run_scenario(__file__)
