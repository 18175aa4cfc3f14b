"""An overhand knot is pulled tight and let go: friction alone holds it, or it comes undone; and turns of rope round a post.

A rope is a chain of capsules on exact universal joints: it bends, does not twist, and rubs wherever two links touch. Nothing
but contact and friction keeps the knot. Pulled tight it has a loop of radius R; nobody pulls any more, and bending opens the
loop unless the braid holds. For a loose knot of an elastic rod of radius r (Audoly, Clauvelin & Neukirch, Phys. Rev. Lett. 99,
164301, 2007)

    T r²/B = ½ ε⁴ ± σ μ ε³,    ε = √(r/R),    σ = 0.492

so that T = 0 leaves a loop where 2 σ μ ≥ ε: leading order in ε, told beside what is found. Closed form and check of friction:
the pull at which a rope slips round a post, link by link (`applications.rope.exact`), which for thin ropes is e^{μφ}.
"""
import csv
import json

import numpy as np

from robotphi import CheckFailed, ScenarioError, simulate
from robotphi.applications.rope import Rope, knot_radius, knot_scene, loop_radius, loosening_friction, turns_scene
from robotphi.applications.rope.scenes import axis_of
from robotphi.scenario import run_scenario

FRICTIONS = (0.1, 0.3, 0.35, 0.4, 0.6)   # of knots
TURNS = ((0.5, 0.2),)                   # round the post, friction
SLIPPED = 0.1                           # radii, by which the end that is pulled has gone
RATIO_OFF = 0.03                        # of the pull at which it slips
MOVIES = ("", "webp", "gif", "mp4")
KEPT = 1.1                              # of the loop's radius as it is let go: held
QUICK = {"frames": 60, "duration": 4.0, "frictions": "0.1,0.6", "post": False}


def build(friction=0.6, pull=0.03, loop=8.0, tail=30.0, duration=6.0, frames=120, budget=1e-3, movie=""):
    """One knot.

    Args:
        friction: of the rope on itself.
        pull: on both ends, in B/r².
        loop, tail: radius of the loop and length of the ends as laid, in radii of the rope.
        movie: "webp", "gif" or (with ffmpeg) "mp4" of the knots with least and most friction; none unless told.
    """
    if movie not in MOVIES:
        raise ScenarioError(f"movie is {movie!r}; give one of: {', '.join(MOVIES[1:])}")
    return knot_scene(friction, Rope(), pull, loop, tail, duration, frames, budget)


def run(frictions="", pull=0.03, duration=6.0, frames=120, budget=1e-3, post=True, movie=""):
    """Knots of several frictions, such as "0.1,0.6"; with `post`, turns round a post as well."""
    how = {"duration": duration, "frames": frames, "budget": budget, "movie": movie}
    recordings = {f"knot, {friction:g}": simulate(build(friction, pull, **how)) for friction in chosen(frictions)}
    return recordings | {f"turns, {turns:g}, {friction:g}": simulate(turns_scene(turns, friction, budget=budget)[0])
                         for turns, friction in (TURNS if post else ())}


def chosen(frictions):
    try:
        found = sorted({float(each) for each in frictions.split(",")}) if frictions else list(FRICTIONS)
    except ValueError:
        found = [-1.0]
    if not all(0 <= each <= 2 for each in found):
        raise CheckFailed(f"frictions are {frictions!r}; give numbers from 0 to 2 with commas between, such as 0.1,0.6")
    return found


def knots_of(recordings):
    """Friction → recording of the knots."""
    return {float(name.split(", ")[1]): each for name, each in recordings.items() if name.startswith("knot")}


def let_go(recording):
    """The frame from which nobody pulls."""
    return recording.frame_at(0.6 * recording.time[-1])


def check(recordings, pull=0.03):
    rope, knots, figures = Rope(), knots_of(recordings), {}
    held = {}
    for friction, recording in knots.items():
        loop, first = loop_radius(recording), let_go(recording)
        held[friction] = bool(loop[first:].max() <= KEPT * loop[first])
        figures |= {f"friction {friction:g}: loop as it is let go, over r": loop[first] / rope.radius,
                    f"friction {friction:g}: loop at the end, over r": loop[-1] / rope.radius,
                    f"friction {friction:g}: held": float(held[friction])}
        if friction and not held[friction]:
            stops = knot_radius(0.0, rope.bending, rope.radius, friction, -1) / rope.radius
            figures[f"friction {friction:g}: theory of loose knots: stops at, over r"] = stops
    figures |= bounds_of(knots, held, rope)
    for name, recording in recordings.items():
        if name.startswith("turns"):
            figures |= slips(recording, name)
    if min(knots) <= 0.1 and held[min(knots)]:
        raise CheckFailed(f"the knot holds at a friction of {min(knots):g}")
    if max(knots) >= 0.6 and not held[max(knots)]:
        raise CheckFailed(f"the knot does not hold at a friction of {max(knots):g}")
    if any(held[low] and not held[high] for low in knots for high in knots if high > low):
        raise CheckFailed("a knot comes undone at a friction above one at which it holds")
    return figures


def bounds_of(knots, held, rope):
    """Between which frictions it begins to hold, and what the theory of loose knots says of a loop of that size."""
    figures = {}
    if loose := [friction for friction, holds in held.items() if not holds]:
        figures["most friction that does not hold"] = max(loose)
    if tight := [friction for friction, holds in held.items() if holds]:
        least = min(tight)
        loop = loop_radius(knots[least])[let_go(knots[least])]
        figures |= {"least friction that holds": least,
                    "theory of loose knots: holds from": loosening_friction(loop, rope.radius)}
    return figures


def slips(recording, name):
    """The ratio of pulls at which the end goes, beside the chain's and e^{μφ}."""
    turns, friction = map(float, name.split(", ")[1:])
    ratio, due = turns_scene(turns, friction)[1:]
    axis = axis_of(recording)
    along = axis[0, -1] - axis[0, -2]
    gone = (axis[:, -1] - axis[0, -1]) @ along / np.linalg.norm(along) > SLIPPED * Rope().radius
    found = float(ratio.value(recording.time[gone.argmax()])) if gone.any() else np.inf
    if abs(found / due - 1) > RATIO_OFF:
        raise CheckFailed(f"{turns:g} turns at friction {friction:g} slip at {found:.3f} times the weight, due at {due:.3f}")
    return {f"{name}: slips at pull over weight": found, f"{name}: exact for the chain": due,
            f"{name}: thin rope, e^(μφ)": float(np.exp(2 * np.pi * turns * friction))}


def draw(recordings, folder, pull=0.03, movie=""):
    from robotphi.view import movies
    figures = check(recordings, pull)
    (folder / "figures.json").write_text(json.dumps({name: float(each) for name, each in figures.items()}, indent=2) + "\n",
                                         encoding="utf-8")
    for friction, recording in knots_of(recordings).items():
        write_loop(recording, folder / f"knot_{friction:g}.csv")
    knots = knots_of(recordings)
    ends = sorted({min(knots), max(knots)}) if movie else ()
    shown = [movies.write_movie(knots[friction], folder / f"knot_{friction:g}.{movie}", look="front") for friction in ends]
    return [*shown, draw_knots(knots, folder / "knots.png"), draw_loops(knots, folder / "loops.png", pull),
            draw_first_ledger(recordings, folder)]


def write_loop(recording, path):
    """Loop and ends over time."""
    axis, loop = axis_of(recording), loop_radius(recording)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["time [s]", "loop radius [m]", "from end to end [m]"])
        table.writerows(zip(recording.time.tolist(), loop.tolist(), np.linalg.norm(axis[:, 0] - axis[:, -1], axis=1).tolist(),
                            strict=True))


def draw_knots(knots, path):
    """Least and most friction: as laid, tight, let go, at the end; what is nearer is drawn over what is farther."""
    from robotphi.view import style
    ends = sorted({min(knots), max(knots)})
    figure, grid = style.new_figure(11.0, 2.0 * len(ends), len(ends), 4, squeeze=False)
    for row, friction in zip(grid, ends, strict=True):
        recording = knots[friction]
        axis = 1e3 * axis_of(recording)
        frames = [0, recording.frame_at(0.33 * recording.time[-1]), let_go(recording), len(recording) - 1]
        wide, high = 0.52 * np.ptp(axis[frames], axis=1).max(axis=0)[[0, 2]] + 1e3 * Rope().radius   # one scale for all
        for axes, frame in zip(row, frames, strict=True):
            draw_rope(axes, axis[frame], 1e3 * Rope().radius)
            x, _, z = 0.5 * (axis[frame].min(axis=0) + axis[frame].max(axis=0))
            axes.set(xlim=(x - wide, x + wide), ylim=(z - high, z + high))
            axes.set_title(f"μ = {friction:g}, t = {recording.time[frame]:.2f} s", color=style.INK, fontsize=9, loc="left")
    return style.save(figure, path)


def draw_rope(axes, points, radius):
    """A rope seen along y, each link as an outlined stroke."""
    from matplotlib.patches import Polygon

    from robotphi.view import style
    angle = np.linspace(-np.pi / 2, np.pi / 2, 9)
    for i in np.argsort(-(points[1:, 1] + points[:-1, 1])):
        a, b = points[i, [0, 2]], points[i + 1, [0, 2]]
        along = (b - a) / max(np.linalg.norm(b - a), 1e-12)
        across = np.array([-along[1], along[0]])
        cap = radius * (np.outer(np.cos(angle), along) + np.outer(np.sin(angle), across))
        shade = style.AMBER if i % 2 else "#e6b565"
        axes.add_patch(Polygon(np.concatenate([b + cap, a - cap]), facecolor=shade, edgecolor=style.INK, linewidth=0.4))
    axes.set_aspect("equal")
    axes.set_axis_off()


def draw_loops(knots, path, pull):
    from robotphi.view import style
    figure, axes = style.new_figure()
    for colour, (friction, recording) in zip(style.CYCLE, knots.items(), strict=False):
        axes.plot(recording.time, loop_radius(recording) / Rope().radius, color=colour, label=f"μ = {friction:g}")
    rope, last = Rope(), next(iter(knots.values())).time[-1]
    free = knot_radius(pull * rope.bending / rope.radius ** 2, rope.bending, rope.radius) / rope.radius
    axes.axhline(free, color=style.GREY, linewidth=0.8, linestyle="--", label="pulled, without friction")
    axes.axvspan(0.6 * last, last, color=style.PALE, zorder=0)
    axes.set_ylim(0, 30)
    style.quiet(axes, "time [s]", "radius of the loop, over r", "Pulled tight, let go; nobody pulls where it is grey")
    style.legend(axes)
    return style.save(figure, path)


def draw_first_ledger(recordings, folder):
    from robotphi.view import graphs
    return graphs.draw_ledger(next(iter(recordings.values())), folder / "ledger.png")


if __name__ == "__main__":
    run_scenario(__file__)
