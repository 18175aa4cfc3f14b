"""Pictures of grasps: the hand and what it holds, forces of the contacts, use of friction."""
import numpy as np

from robotphi.view import graphs, movies, solids, style
from robotphi.view.page import write_page
from robotphi.view.touching import TouchingStage

LONG = 0.02   # m a newton
EVERY = 4     # frames of a movie
DASHES = ("-", (0, (4, 2)), (0, (1, 1)), (0, (6, 1, 1, 1)))
WIDE = 2.3    # in a panel and its title
TONES = {"palm": "#8aa5bd", "link": "#b9c8d6", "pulp": "#c98b7a", "tip": "#c0604a", "thing": "#e7c393", "post": "#8d8d8d"}


def draw_grasps(cases, path, view=(0.7, -1.0, 0.25), columns=None):
    """Each grasp of name → (recording, Grasp) at its end, with the forces on the thing as arrows."""
    panels = []
    for name, (recording, grasp) in cases.items():
        stage = TouchingStage(recording)
        stage = TouchingStage(recording, colours={each: tone for each in stage.tone for word, tone in TONES.items()
                                                  if word in each.split()})
        force = grasp.normal[:, None] * grasp.inwards + grasp.rubbing
        arrows = ((grasp.points - LONG * force, LONG * force, style.RED),) if len(force) else ()
        panels.append(stage.panel(len(recording) - 1)._replace(
            title=f"{name}: {'held' if grasp.held else 'dropped'}", scenery=(), arrows=arrows, strokes=(),
            joints=np.empty((0, 2, 3))))
    return solids.picture_solids(panels, path, view=view, columns=columns, width=max(10.0, WIDE * (columns or 0)))


def draw_falls(falls, path):
    """How far things went from where they were let go; name → (time [s], way [m])."""
    figure, axes = style.new_figure(7.6, 4.2)
    for (name, (time, way)), how in zip(falls.items(), told_apart(falls), strict=True):
        axes.semilogy(time, 1e3 * np.maximum(way, 1e-9), linewidth=1.5, label=name, **how)
    style.quiet(axes, "time [s]", "way from where it was let go [mm]")
    style.legend(axes, **graphs.BESIDE)
    return style.save(figure, path)


def told_apart(names):
    """Colour and dashes of each line: "sphere, tip, 0.8" has the colour of "sphere, tip", and dashes by its friction."""
    kinds = [tuple(name.rpartition(", ")[::2]) for name in names]
    groups, lasts = (list(dict.fromkeys(each)) for each in zip(*kinds, strict=True))
    return [{"color": style.CYCLE[groups.index(group) % len(style.CYCLE)],
             "linestyle": DASHES[lasts.index(last) % len(DASHES)]} for group, last in kinds]


def play(recording, folder, name, moving=True):
    """A page that plays a recording, name.html, and a movie of it, name.webp, if wanted and this machine can; their paths."""
    write_page(recording, folder / f"{name}.html")
    found = [folder / f"{name}.html"]
    if moving and style.off_screen_window() is not None:
        found.append(movies.write_movie(recording, folder / f"{name}.webp", every=EVERY))
    return found
