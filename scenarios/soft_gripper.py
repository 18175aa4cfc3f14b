"""Two soft fingers, bent by air, lift a strawberry by friction: too little air drops it, too much bruises it.

Fingers with a chamber over a stiffer sole bend as air is pumped in (see `pneumatic_finger`); two of them press a soft fruit
between them and go up. Contact with friction alone holds it, soft on soft: it leaves the table iff 2 μ N ≥ W, N the force of a
finger. Its skin bears `bruise`. All dimensions, firmness and that limit are nominal, take those of your fruit:
`--set firmness=1e5 --set bruise=4000`; one pressure alone: `--set pressure=6e4`, or `--sweep "pressure=lin(4e4,1e5,7)"`.
"""
from robotphi import CheckFailed, ScenarioError, simulate
from robotphi.applications.gripper import Fruit, lift_report, lifting_scene, save_lifts
from robotphi.scenario import run_scenario

PRESSURES = (4e4, 7e4, 1e5)     # Pa
DUE = {4e4: (False, False), 7e4: (True, False), 1e5: (True, True)}     # lifted, bruised
BEARS = 1e-3                    # of the weight
FULL = 0.7                      # s
MOVIES, SLOWER = ("", "webp", "gif", "mp4"), 0.2
QUICK = {"duration": 0.03, "frames": 6}


def build(pressure=7e4, friction=0.6, firmness=2e5, bruise=5e3, duration=FULL, frames=70, budget=1e-4, movie=""):
    """The fingers and the fruit.

    Args:
        pressure: in the fingers [Pa].
        firmness: Young's modulus of the flesh [Pa]; bruise: pressure on the skin that bruises it [Pa].
        movie: "webp", "gif" or (with ffmpeg) "mp4" of the middle one of the pressures; none unless told.
    """
    if movie not in MOVIES:
        raise ScenarioError(f"movie is {movie!r}; give one of: {', '.join(MOVIES[1:])}")
    return lifting_scene(pressure, friction, fruit=Fruit(young=firmness, bruise=bruise), duration=duration, frames=frames,
                         budget=budget).scene


def run(pressure=0.0, friction=0.6, firmness=2e5, bruise=5e3, duration=FULL, frames=70, budget=1e-4, movie="", progress=None):
    return {label(each): simulate(build(each, friction, firmness, bruise, duration, frames, budget, movie), progress=progress)
            for each in ((pressure,) if pressure else PRESSURES)}


def label(pressure):
    return f"{pressure / 1e3:g} kPa"


def lifts(recordings, bruise=5e3):
    return {name: lift_report(recording, Fruit(bruise=bruise)) for name, recording in recordings.items()}


def check(recordings, friction=0.6, firmness=2e5, bruise=5e3, duration=FULL, **knobs):
    found, figures = lifts(recordings, bruise), {}
    for name, lift in found.items():
        told = {what: float(value) for what, value in lift.figures().items()}
        told["what friction can bear over weight"] = float(friction * lift.normal[-1].sum()) / lift.weight
        figures |= told if len(found) == 1 else {f"{name}: {what}": value for what, value in told.items()}
        bears, can = told["what fingers bear over weight - 1"], told["what friction can bear over weight"]
        if duration >= FULL and lift.lifted and (can < 1.0 or abs(bears) > BEARS):
            raise CheckFailed(f"{name}: what is lifted should hang from its fingers by friction; they bear {1.0 + bears:.4f} "
                              f"of its weight, and friction can bear {can:.3f} of it")
    for name, due in {label(each): due for each, due in DUE.items()}.items():
        if name in found and duration >= FULL and (friction, firmness, bruise) == (0.6, 2e5, 5e3):
            seen = found[name].lifted, found[name].bruised
            if seen != due:
                raise CheckFailed(f"{name}: lifted and bruised should be {due}, they are {seen}")
    return figures


def draw(recordings, folder, bruise=5e3, movie=""):
    from robotphi.view import lifts as view
    from robotphi.view import movies

    found = lifts(recordings, bruise)
    save_lifts(found, folder)
    last = list(recordings)[len(recordings) // 2]
    shown = [movies.write_movie(recordings[last], folder / f"gripper.{movie}", look="front", speed=SLOWER)] if movie else []
    return [view.draw_lifts(recordings, found, folder / "lifts.png"), view.draw_window(found, folder / "window.png"),
            view.play(recordings[last], folder / "gripper.html"), *shown]


if __name__ == "__main__":
    run_scenario(__file__)
