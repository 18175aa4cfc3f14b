"""A picture is pulled out of shape by forces: dragged, dragged and shaken, crossed by waves, as a flag in the wind, or by hand.

After A. Joukhadar, INRIA RR-3072 (1996), figures 5.18 and 5.19: the picture lies on a grid of particles and springs that forces
move. `--set picture=FILE` takes one's own, `--set effect=hand` opens a window where the mouse pulls. The springs have no length
at rest, so that the grid is a membrane whose equations are linear however far it is pulled, each coordinate by itself:

* drag, drag and vibration: every particle at every frame against the sum of the modes
  sin(πpi/(nu−1)) sin(πqj/(nv−1)), each q̈ + γ q̇ + ω² q = f(t) (Rayleigh, The Theory of Sound, § 194, on a net of masses);
* waves: columns against z = h e^{i(Ωt − qj)}, sin(q/2) = Ω/2 √(m/k); their speed Ω L/q beside that of long waves, L √(k/m).
"""
import csv
import json

import numpy as np

from robotphi import CheckFailed, ScenarioError, build_model, simulate
from robotphi.applications.picture import EFFECTS, Rubber, dragged, hand_scene, shape_of, travelling
from robotphi.applications.picture.effects import BEAT, GRABBED, HEIGHT, STARTING, forces_of
from robotphi.applications.picture.exact import beaten, wave_speed
from robotphi.scenario import run_scenario

HAND = "hand"
MOVIES = ("", "webp", "gif", "mp4")
SPEED_OFF = 2e-3                       # of the speed of waves; the rest of a start that fades
LOOKS = {"waves": "slanted", "flag": "front"}
QUICK = {"size": 21}


def printed_shape(picture, size):
    from robotphi.view.printed import read_picture
    wide, high = read_picture(picture).size
    return shape_of(wide / high, size)


def build(effect="drag", picture="", size=31, duration=5.0, frames=200, budget=1e-4, movie=""):
    """One effect.

    Args:
        effect: "drag", "drag and vibration", "waves" or "flag"; "hand" opens a window.
        picture: a file, or nothing for a drawn one; the grid has its shape.
        size: particles along its longer side.
        movie: "webp", "gif" or (with ffmpeg) "mp4": one of each effect; none unless told.
    """
    if movie not in MOVIES:
        raise ScenarioError(f"movie is {movie!r}; give one of: {', '.join(MOVIES[1:])}")
    if effect != HAND and effect not in EFFECTS:
        raise ScenarioError(f"effect is {effect!r}; give one of: {', '.join((*EFFECTS, HAND))}")
    shape, how = printed_shape(picture, size), {"duration": duration, "frames": frames, "budget": budget}
    rubber = grid(shape)
    if effect == HAND:
        return hand_scene(rubber)
    return EFFECTS[effect](shape, rubber.spacing, **how) if effect == "flag" else EFFECTS[effect](rubber, **how)


def grid(shape):
    """1.5 m along the longer side, waves of 1 m/s."""
    spacing = 1.5 / (max(shape) - 1)
    return Rubber(shape, spacing, mass=0.4 * spacing ** 2, stiffness=0.4)


def run(effect="", picture="", size=31, duration=5.0, frames=200, budget=1e-4, movie=""):
    if effect == HAND:
        from robotphi.view.by_hand import play
        from robotphi.view.printed import read_picture
        shape = printed_shape(picture, size)
        return {HAND: play(build_model(build(HAND, picture, size)), shape, grid(shape).places, read_picture(picture))}
    chosen = [effect] if effect else EFFECTS
    return {name: simulate(build(name, picture, size, duration, frames, budget, movie)) for name in chosen}


def check(recordings, picture="", size=31, duration=5.0, budget=1e-4):
    rubber, figures = grid(printed_shape(picture, size)), {}
    for name, recording in recordings.items():
        moved = recording.position - recording.position[0]
        figures |= {f"{name}: attempts": recording.counts["attempts"], f"{name}: farthest moved [m]": np.abs(moved).max()}
        if name.startswith("drag"):
            figures |= dragged_right(recording, rubber, name, duration, budget)
        elif name == "waves":
            figures |= waves_right(recording, rubber)
        elif name == "flag":
            figures["flag: how far it streams, of its length"] = streaming(recording, rubber.shape)
    return figures


def dragged_right(recording, rubber, name, duration, budget):
    """The path of an error whose energy is within the budget is off by √budget at most."""
    moved = recording.position.reshape(-1, *rubber.shape, 3) - rubber.places
    exact = dragged(rubber, rubber.at(*GRABBED), forces_of("vibration" in name, duration), recording.time)
    off = np.abs(moved - exact).max() / np.abs(exact).max()
    if off > np.sqrt(budget):
        raise CheckFailed(f"{name}: the picture is {off:.1e} of its largest shift off the sum of its modes")
    return {f"{name}: off its modes, over the largest shift": off}


def waves_right(recording, rubber):
    """Over the last two beats, once what the start sent ahead has gone; nothing is told of shorter runs."""
    late = recording.time > recording.time[-1] - 2 / BEAT + 1e-9
    if recording.time[late][0] < STARTING + 1.5 * (rubber.shape[0] - 1) * rubber.spacing / rubber.speed:
        return {}
    columns = recording.position[late].reshape(-1, *rubber.shape, 3)[..., rubber.shape[1] // 2, 2]
    found, exact = beaten(recording.time[late], columns, BEAT), travelling(rubber, HEIGHT, BEAT)
    speed, due = wave_speed(rubber, found, BEAT), wave_speed(rubber, exact, BEAT)
    if abs(speed / due - 1) > SPEED_OFF:
        raise CheckFailed(f"waves travel with {speed:.5f} m/s instead of {due:.5f}")
    return {"waves: speed [m/s]": speed, "waves: speed, exact [m/s]": due, "waves: speed of long waves [m/s]": rubber.speed,
            "waves: speed off, of itself": abs(speed / due - 1),
            "waves: heights off, over the edge's": np.abs(found - exact).max() / HEIGHT}


def streaming(recording, shape):
    """Mean of the last second: way from the mast to the free edge over the length of the flag."""
    places = recording.position[recording.time > recording.time[-1] - 1.0].reshape(-1, *shape, 3)
    length = np.ptp(recording.position[0, :, 0])
    return float(np.linalg.norm(places[:, -1] - places[:, 0], axis=-1).mean() / length)


def draw(recordings, folder, picture="", size=31, duration=5.0, budget=1e-4, movie=""):
    from robotphi.view import graphs, printed
    rubber, image = grid(printed_shape(picture, size)), printed.read_picture(picture)
    figures = {}
    if HAND not in recordings:
        figures = check(recordings, picture, size, duration, budget)
    (folder / "figures.json").write_text(json.dumps({name: float(value) for name, value in figures.items()}, indent=2) + "\n",
                                         encoding="utf-8")
    panels, paths = [], []
    for name, recording in recordings.items():
        look, stem = LOOKS.get(name, "above"), name.replace(" ", "_")
        write_places(recording, rubber.shape, folder / f"{stem}.csv")
        moved = np.linalg.norm(recording.position - recording.position[0], axis=2).max(axis=1)
        frame = int(moved.argmax()) if name != "flag" else len(recording) - 1
        panels.append((f"{name}, t = {recording.time[frame]:.2f} s", recording, rubber.shape, image, look, frame))
        if movie:
            paths.append(printed.write_printed_movie(recording, rubber.shape, image, folder / f"{stem}.{movie}", look))
    paths.append(printed.draw_printed(panels, folder / "pictures.png"))
    paths.append(graphs.draw_ledger(next(iter(recordings.values())), folder / "ledger.png"))
    return [*paths, *draw_checked(recordings, rubber, folder, duration)]


def draw_checked(recordings, rubber, folder, duration):
    """Where it is held against its modes; columns of waves against e^{−iqj}."""
    from robotphi.view import graphs, style
    paths = []
    if "drag and vibration" in recordings:
        recording, at = recordings["drag and vibration"], rubber.at(*GRABBED)
        exact = dragged(rubber, at, forces_of(True, duration), recording.time)[:, at[0], at[1]]
        moved = (recording.position.reshape(-1, *rubber.shape, 3) - rubber.places)[:, at[0], at[1]]
        paths.append(graphs.draw_series(folder / "held.png", recording.time, {f"{a}": moved[:, i] for i, a in enumerate("xyz")},
                                        "shift of what is held [m]", "Dragged and shaken; dashed: the sum of its modes",
                                        references={f"_{a}": exact[:, i] for i, a in enumerate("xyz")}))
    if "waves" in recordings:
        recording = recordings["waves"]
        z = recording.position[-1].reshape(*rubber.shape, 3)[:, rubber.shape[1] // 2, 2]
        due = (travelling(rubber, HEIGHT, BEAT) * np.exp(2j * np.pi * BEAT * recording.time[-1])).imag
        figure, axes = style.new_figure()
        axes.plot(np.arange(len(z)) * rubber.spacing, 1e3 * due, color=style.GREY, label="on and on to the right, exact")
        axes.plot(np.arange(len(z)) * rubber.spacing, 1e3 * z, ".", color=style.BLUE, label="simulated")
        style.quiet(axes, "along the picture [m]", "height [mm]", "Waves at the end")
        axes.set_ylim(top=1.5 * axes.get_ylim()[1])   # room for the legend
        style.legend(axes, loc="upper right")
        paths.append(style.save(figure, folder / "wave.png"))
    return paths


def write_places(recording, shape, path):
    """Where a net of nine places is over time."""
    u, v = (np.unique(np.linspace(0, n - 1, 5).round().astype(int)[1:4]) for n in shape)
    who = [(i, j) for i in u for j in v]
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["time [s]", *(f"{i}/{j} {axis} [m]" for i, j in who for axis in "xyz")])
        for time, places in zip(recording.time, recording.position, strict=True):
            table.writerow([repr(float(time)), *(repr(float(x)) for i, j in who for x in places[i * shape[1] + j])])


if __name__ == "__main__":
    run_scenario(__file__)
