"""The league as a figure: a panel for each truth, a bar for each method, its coverage beside it."""
import numpy as np

from robotphi.view.style import BLUE, GREY, INK, TEAL, new_figure, quiet, save


def draw(rows, path, most):
    """Write the figure and return its path."""
    truths = list(dict.fromkeys(row.truth for row in rows))
    figure, axes = new_figure(8.4, 1.75 * len(truths) + 0.5, len(truths), 1, sharex=True, squeeze=False)
    for truth, panel in zip(truths, axes[:, 0], strict=True):
        shown = [row for row in rows if row.truth == truth and not row.missing]
        for place, row in enumerate(shown):
            there = np.isfinite(row.evaluations)
            panel.barh(place, row.evaluations if there else most, height=0.6, color=TEAL if place == 0 and there else BLUE,
                       alpha=1.0 if there else 0.25, hatch="" if there else "///", edgecolor=GREY, linewidth=0.5)
            told = f"{row.evaluations:.0f}" if there else "not there"
            panel.annotate(f" {told}; {row.arrived}/{row.repeats} arrived; holds {100 * row.coverage:.0f} %",
                           (row.evaluations if there else most, place), va="center", fontsize=8, color=INK)
        panel.set_yticks(range(len(shown)), [row.method for row in shown])
        panel.invert_yaxis()
        panel.set_xscale("log")
        panel.set_xlim(5, 20 * most)
        quiet(panel, "evaluations until the noise explains what is left" if truth == truths[-1] else "", title=truth)
    return save(figure, path)
