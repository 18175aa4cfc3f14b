"""Pictures of ligaments along a motion: fibres in the sagittal plane, curves over flexion."""
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
