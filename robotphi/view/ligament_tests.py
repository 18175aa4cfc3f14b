"""Pictures of tests of ligaments: pulled and pushed, laxity over flexion, scatter of a motion, maps of grafts."""
import numpy as np
from matplotlib.colors import LogNorm, Normalize
from matplotlib.ticker import MaxNLocator

from robotphi.applications.ligament.sections import hull_of
from robotphi.view import style

CASES = {"intact": style.BLUE, "cut": style.RED}
LEAST, LEAST_SPAN = 0.5, 1.05         # mm of a bar of colours, and ratio of its ends
ROUND, FINE = np.array([1.0, 2.0, 5.0]), np.array([1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0])   # numbers at bars


def draw_tests(test, drawers, at, path, published=None):
    """Force over way of a ligament that is pulled, and of the tibia that is pushed; with what is published of the first."""
    figure, (pull, push) = style.new_figure(10.0, 4.4, 1, 2)
    pull.plot(1e3 * test.way, test.force, color=style.BLUE, label=f"this table, straight part {1e-3 * test.stiffness:.0f} N/mm")
    straight = test.way[-1] - test.force[-1] / test.stiffness
    pull.plot(1e3 * np.array([straight, test.way[-1]]), [0.0, test.force[-1]], ":", color=style.GREY,
              label=f"Σ k/L0 = {1e-3 * test.by_table:.0f} N/mm")
    if published:
        far = straight + test.force[-1] / (published.value + published.spread * np.array([-1.0, 0.0, 1.0]))
        pull.fill([1e3 * straight, 1e3 * far[0], 1e3 * far[2]], [0.0, test.force[-1], test.force[-1]], color=style.AMBER,
                  alpha=0.25, linewidth=0,
                  label=f"{1e-3 * published.value:.0f} ± {1e-3 * published.spread:.0f} N/mm from bone to bone\n"
                        f"({published.source})")
        series = 1.0 / (1.0 / published.value - 1.0 / test.stiffness)
        if series > 0.0:
            pull.plot([], [], " ", label=f"{1e-3 * series:.0f} N/mm in series would join the two")
    style.quiet(pull, "way [mm]", "force [N]", f"Pulled along itself at {at:.0f}° of flexion")
    pull.set_ylim(top=1.6 * test.force[-1])   # the legend stands above the curves
    style.legend(pull, fontsize=8, loc="upper left")
    for case, drawn in drawers.items():
        push.plot(1e3 * (drawn.place - drawn.place[len(drawn.place) // 2]), drawn.force, color=CASES[case],
                  label=f"{case}: {_signed(1e3 * drawn.anterior)} and {_signed(1e3 * drawn.posterior)} mm")
    push.axhline(0.0, color=style.GREY, linewidth=0.6)
    push.axvline(0.0, color=style.GREY, linewidth=0.6)
    style.quiet(push, "way of the tibia, anterior [mm]", "force on the tibia, anterior [N]",
                f"Drawer at {at:.0f}° of flexion, along x alone")
    style.legend(push)
    return style.save(figure, path)


def draw_laxity(degrees, found, knee, path, published=None):
    """How far the tibia comes forwards and backwards over flexion, intact and cut, beside what was measured."""
    figure, (ways, both) = style.new_figure(10.0, 4.4, 1, 2)
    for case, way in found.items():
        ways.plot(degrees, 1e3 * way[:, 0], color=CASES[case], marker="^", markersize=4, label=f"{case}, forwards")
        ways.plot(degrees, 1e3 * way[:, 1], "--", color=CASES[case], marker="v", markersize=4, label=f"{case}, backwards")
        both.plot(degrees, 1e3 * (way[:, 0] - way[:, 1]), color=CASES[case], marker="o", markersize=4, label=case)
        if published and case in published:
            one = published[case]
            both.plot(30.0, 1e3 * one.value, "D", color=CASES[case], markerfacecolor=style.PAPER, markersize=7,
                      label=f"{1e3 * one.value:g} mm, {one.of}\n({one.source})")
    ways.axhline(0.0, color=style.GREY, linewidth=0.6)
    style.quiet(ways, "flexion [°]", "way of the tibia, anterior [mm]", f"{knee.name}: drawer of ± 134 N along x alone")
    style.quiet(both, "flexion [°]", "forwards and backwards together [mm]", "Laxity")
    both.set_ylim(0.0, 1.6 * both.get_ylim()[1])
    ways.set_ylim(top=1.2 * ways.get_ylim()[1])
    style.legend(ways, fontsize=8, loc="upper right", ncols=2)
    style.legend(both, fontsize=8, loc="upper right")
    figure.suptitle(knee.flexion.said, fontsize=10, color=style.GREY)
    return style.save(figure, path)


def draw_scatter(found, strands, path):
    """Strain of one strand as recorded and filtered, and what filters take away over their frequency."""
    figure, (curves, filters) = style.new_figure(10.0, 4.4, 1, 2)
    one = int(np.argmin(strands.slack))
    curves.plot(found.times, 1e2 * found.raw[:, one], color=style.GREY, linewidth=0.6, label="as recorded")
    if found.smooth is not None:
        curves.plot(found.times, 1e2 * found.smooth[:, one], color=style.BLUE, linewidth=1.6,
                    label=f"filtered at {found.cutoff:g} Hz: {1e2 * found.of_strain:.2g} % rms less")
    style.quiet(curves, "time [s]", "strain [%]", f"Strand {strands.names[one]}, {1e3 * strands.slack[one]:.0f} mm long")
    style.legend(curves)
    filters.semilogx(found.cutoffs, 1e2 * found.taken, color=style.AMBER, marker="o", markersize=4,
                     label="what a filter takes away")
    if found.wrong is not None:
        filters.semilogx(found.cutoffs, 1e2 * found.wrong, color=style.RED, marker="o", markersize=4,
                         label="what is wrong after it")
    if found.cutoff:
        filters.axvline(found.cutoff, color=style.BLUE, linewidth=1.0, linestyle=":", label=f"in use: {found.cutoff:g} Hz")
    filters.set_ylim(bottom=0.0)
    style.quiet(filters, "cut-off frequency [Hz]", "strain, rms over strands and time [%]",
                "What scatter of places does to strain")
    style.legend(filters)
    figure.suptitle(found.said, fontsize=9, color=style.GREY, wrap=True)
    return style.save(figure, path)


def draw_graft_maps(maps, path, failure=None):
    """Change of length and peak tension over the places on bones, a row for each, with the footprint of the native ligament.

    Args:
        maps: a `GraftMap` of each bone, of one path.
        failure: what is published of the force at which a ligament fails; the line of it is drawn.
    """
    figure, panels = style.new_figure(10.5, 4.6 * len(maps) + 0.3, len(maps), 2, squeeze=False)
    for (change, peak), found in zip(panels, maps, strict=True):
        levels = MaxNLocator(14).tick_values(0.0, max(1e3 * found.change.max(), LEAST))
        _draw_map(figure, change, found, 1e3 * found.change, levels, Normalize(0.0, levels[-1]), "change of length [mm]")
        _best(change, found, "change", "least change of length")
        high = max(found.peak.max(), found.peak.min() * LEAST_SPAN)
        levels = np.geomspace(found.peak.min(), high, 17)
        bar = _draw_map(figure, peak, found, found.peak, levels, LogNorm(levels[0], high), "largest tension [N]")
        fine = ROUND if high > 10.0 * levels[0] else FINE
        ticks = [tick for power in range(6) for tick in 10.0**power * fine if levels[0] <= tick <= high]
        bar.set_ticks(ticks, labels=[f"{tick:.0f}" for tick in ticks])
        bar.ax.minorticks_off()
        if failure and found.peak.min() < failure.value < found.peak.max():
            peak.contour(1e3 * found.u, 1e3 * found.v, found.peak, [failure.value], colors=[style.RED], linewidths=1.5)
            peak.plot([], [], color=style.RED, label=f"{failure.value:.0f} N, where a native one fails\n({failure.source})")
        _best(peak, found, "peak", "least peak of tension")
    figure.suptitle(f"Where to fix a graft along this path: {maps[0].said}", fontsize=10, color=style.GREY)
    return style.save(figure, path)


def _draw_map(figure, axes, found, values, levels, norm, what):
    drawn = axes.contourf(1e3 * found.u, 1e3 * found.v, values, levels, cmap="viridis_r", norm=norm)
    bar = figure.colorbar(drawn, ax=axes, label=what, shrink=0.9)
    hull = 1e3 * np.array(hull_of(found.footprint))
    axes.fill(*hull.T, facecolor="none", edgecolor=style.INK, linewidth=1.2)
    axes.plot(*(1e3 * found.footprint.T), "o", color=style.PAPER, markeredgecolor=style.INK, markersize=5,
              label="native strands and their footprint")
    axes.set_aspect("equal")
    sides = {"x": "anterior x", "y": "proximal y", "z": "lateral z"}
    style.quiet(axes, f"{sides[found.axes[0]]} on the {found.bone} [mm]", f"{sides[found.axes[1]]} [mm]", found.bone.title())
    axes.grid(False)
    return bar


def _best(axes, found, what, said):
    u, v = found.best(what)
    edge = abs(u) >= found.u[-1] or abs(v) >= found.v[-1]
    axes.plot(1e3 * u, 1e3 * v, "*", color=style.RED, markeredgecolor=style.PAPER, markersize=15, clip_on=False, zorder=5,
              label=f"{said}: {_signed(1e3 * u, 0)}, {_signed(1e3 * v, 0)} mm" + (",\nat the edge of this map" if edge else ""))
    style.legend(axes, loc="upper center", bbox_to_anchor=(0.5, -0.13), fontsize=8)


def _signed(value, digits=1):
    """With a true minus."""
    return f"{value:+.{digits}f}".replace("-", "−")
