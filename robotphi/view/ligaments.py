"""Pictures of ligaments: fibres in the sagittal plane, curves over flexion, tests, maps of grafts."""
import numpy as np

from robotphi.view import style

SHOWN = 4   # poses in the picture of the fibres
PULLS = style.LinearSegmentedColormap.from_list("pulls", (style.BLUE, style.TEAL, style.AMBER, style.RED))


def draw_fibres(study, path):
    """The fibres in some poses, seen from the side, in axes of the tibia, coloured by tension."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    poses = np.unique(np.round(np.linspace(0, len(study.flexion) - 1, SHOWN)).astype(int))
    figure, panels = style.new_figure(2.9 * len(poses) + 0.8, 4.2, 1, len(poses), sharex=True, sharey=True, squeeze=False)
    colours = ScalarMappable(Normalize(0.0, max(float(study.tension.max()), 1e-9)), PULLS)
    for axes, k in zip(panels[0], poses, strict=True):
        for line, pull in zip(1e3 * study.places[k], study.tension[k], strict=True):
            axes.plot(line[:, 0], line[:, 1], "-" if pull > 0.0 else ":", linewidth=1.6, marker=".", markersize=2.5,
                      color=colours.to_rgba(pull) if pull > 0.0 else style.GREY)
        axes.plot(*(1e3 * study.places[k, :, 0, :2].T), "o", color=style.INK, markersize=3)
        axes.plot(*(1e3 * study.places[k, :, -1, :2].T), "s", color=style.INK, markersize=3)
        axes.set_aspect("equal")
        style.quiet(axes, "anterior x [mm]", "" if k else "proximal y [mm]", f"{study.flexion.degrees[k]:.0f}° of flexion")
    figure.colorbar(colours, ax=panels[0], label="tension [N]; slack ones are dotted", shrink=0.8)
    return style.save(figure, path)


def draw_passive(study, path):
    """Strain of every strand, tension, section and volume of ligaments and bundles over flexion."""
    d = study.flexion.degrees
    figure, ((strain, tension), (force, volume)) = style.new_figure(10.0, 7.0, 2, 2)
    names = [name for name in study.groups if name not in study.strands.ligaments] or list(study.groups)
    colours = {name: style.CYCLE[i % len(style.CYCLE)] for i, name in enumerate(names)}
    for name in names:
        for n, i in enumerate(study.rows(name)):
            strain.plot(d, 1e2 * study.strain[:, i], color=colours[name], linewidth=0.9, label=name if n == 0 else None)
    strain.axhline(0.0, color=style.INK, linewidth=0.8)
    for name in study.groups:
        colour = colours.get(name, style.INK)
        tension.plot(d, study.tension[:, study.rows(name)].sum(axis=1), color=colour, label=name)
        volume.plot(d, 1e9 * study.volume(name), color=colour, label=name)
    for value, axis, colour in zip(study.on("tibia").T, "xyz", style.CYCLE, strict=False):
        force.plot(d, value, color=colour, label=f"{axis} of the tibia")
    for value, axis, colour in zip(study.on("femur").T, "xyz", style.CYCLE, strict=False):
        force.plot(d, value, "--", color=colour, label=f"{axis} of the femur")
    for axes, ylabel, title in ((strain, "strain [%]", "Strain of every strand"), (tension, "tension [N]", "Tension"),
                                (force, "force on the bone [N]", "Forces on both bones, in their axes"),
                                (volume, "volume within the hull [mm³]", "Volume")):
        style.quiet(axes, "flexion [°]", ylabel, title)
        style.legend(axes)
    figure.suptitle(study.flexion.said, fontsize=10, color=style.GREY)
    return style.save(figure, path)


def draw_lengths(strands, ways, path):
    """Mean length of each bundle over flexion, by several motions."""
    names = tuple(dict.fromkeys(strands.bundles))
    figure, panels = style.new_figure(4.8 * len(names), 4.2, 1, len(names), squeeze=False)
    for axes, name in zip(panels[0], names, strict=True):
        bundle = strands.of(name)
        for (said, flexion), colour in zip(ways.items(), style.CYCLE, strict=False):
            axes.plot(flexion.degrees, 1e3 * bundle.lengths(flexion.poses).mean(axis=1), color=colour, label=said)
        axes.axhline(1e3 * bundle.slack.mean(), color=style.GREY, linestyle=":", label="slack length")
        style.quiet(axes, "flexion [°]", "mean length [mm]", f"{name}: the motion, or how it is read, decides")
        style.legend(axes, fontsize=8)
    return style.save(figure, path)


def draw_tests(test, drawers, at, path, published=None):
    """Force over way of a ligament that is pulled, and of the tibia that is pushed; published: (N/m, ±, who)."""
    figure, (pull, push) = style.new_figure(10.0, 4.2, 1, 2)
    pull.plot(1e3 * test.way, test.force, color=style.BLUE, label=f"straight part {1e-3 * test.stiffness:.0f} N/mm")
    straight = test.way[-1] - test.force[-1] / test.stiffness
    pull.plot(1e3 * np.array([straight, test.way[-1]]), [0.0, test.force[-1]], ":", color=style.GREY,
              label=f"Σ k/L0 = {1e-3 * test.by_table:.0f} N/mm")
    if published:
        stiffness, spread, who = published
        far = straight + test.force[-1] / np.array([stiffness - spread, stiffness, stiffness + spread])
        pull.fill([1e3 * straight, 1e3 * far[0], 1e3 * far[2]], [0.0, test.force[-1], test.force[-1]], color=style.AMBER,
                  alpha=0.25, linewidth=0, label=f"{who}: {1e-3 * stiffness:.0f} ± {1e-3 * spread:.0f} N/mm, bone to bone")
    style.quiet(pull, "way [mm]", "force [N]", f"Pulled along itself at {at:.0f}°")
    style.legend(pull)
    for (case, drawn), colour in zip(drawers.items(), (style.BLUE, style.RED), strict=False):
        push.plot(1e3 * (drawn.place - drawn.place[len(drawn.place) // 2]), drawn.force, color=colour,
                  label=f"{case}: {1e3 * drawn.total:.1f} mm both ways")
    style.quiet(push, "way of the tibia, anterior [mm]", "force on the tibia [N]", f"Drawer at {at:.0f}°, along x alone")
    style.legend(push)
    return style.save(figure, path)


def draw_graft_maps(found, path):
    """Change of length and peak tension over the places, with the footprint of the native ligament."""
    from matplotlib.colors import LogNorm

    figure, panels = style.new_figure(10.0, 4.6, 1, 2)
    for axes, what, values, levels in (
            (panels[0], "change of length [mm]", 1e3 * found.change, np.arange(0.0, 1e3 * found.change.max() + 1.0, 1.0)),
            (panels[1], "largest tension [N]", found.peak, np.geomspace(found.peak.min(), found.peak.max(), 17))):
        norm = LogNorm() if axes is panels[1] else None
        drawn = axes.contourf(1e3 * found.u, 1e3 * found.v, values, levels, cmap="viridis_r", norm=norm)
        figure.colorbar(drawn, ax=axes, label=what, shrink=0.85, format="%.0f")
        axes.plot(*(1e3 * found.footprint.T), "o", color=style.PAPER, markeredgecolor=style.INK, markersize=5,
                  label="native strands")
        axes.plot(*(1e3 * np.array(found.best())), "*", color=style.RED, markeredgecolor=style.PAPER, markersize=14,
                  label="least change of length")
        axes.set_aspect("equal")
        style.quiet(axes, f"{found.axes[0]} from the middle of the footprint [mm]", f"{found.axes[1]} [mm]")
        axes.grid(False)
        style.legend(axes, loc="upper left", frameon=True)
    figure.suptitle(found.said, fontsize=10, color=style.GREY)
    return style.save(figure, path)
