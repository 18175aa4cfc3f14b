"""Pictures of ligaments along a motion: fibres in the sagittal plane, curves over flexion."""
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from robotphi.applications.ligament.sections import hull_of
from robotphi.view import style

SHOWN = 4   # poses in the picture of the fibres
MARGIN = 6.0   # mm
VIEWS = ((0, "anterior x [mm]"), (2, "lateral z [mm]"))   # from the side, from the front
PULLS = style.LinearSegmentedColormap.from_list("pulls", (style.BLUE, style.TEAL, style.AMBER, style.RED))


def draw_fibres(study, path):
    """The fibres in some poses, in axes of the tibia, coloured by tension: from the side, round bones from the front too."""
    poses = np.unique(np.round(np.linspace(0, len(study.flexion) - 1, SHOWN)).astype(int))
    views = VIEWS if study.wound else VIEWS[:1]
    spans = [np.ptp(1e3 * study.places[poses][..., axis]) + MARGIN for axis in (0, 1)]
    high = float(np.clip(2.9 * spans[1] / spans[0], 2.2, 5.0)) + 0.9
    figure, panels = style.new_figure(2.9 * len(poses) + 1.2, high * len(views), len(views), len(poses), sharex="row",
                                      sharey="row", squeeze=False)
    colours = ScalarMappable(Normalize(0.0, max(float(study.tension.max()), 1e-9)), PULLS)
    for row, (across, said) in zip(panels, views, strict=True):
        for axes, k in zip(row, poses, strict=True):
            _draw_bones(axes, study, k, across)
            for line, pull in zip(1e3 * study.places[k], study.tension[k], strict=True):
                axes.plot(line[:, across], line[:, 1], "-" if pull > 0.0 else ":", linewidth=1.6, marker=".", markersize=2.5,
                          color=colours.to_rgba(pull) if pull > 0.0 else style.GREY)
            for end, mark in ((0, "o"), (-1, "s")):
                axes.plot(*(1e3 * study.places[k, :, end][:, [across, 1]].T), mark, color=style.INK, markersize=3)
            axes.set_aspect("equal")
            style.quiet(axes, said, "" if k else "proximal y [mm]", f"{study.flexion.degrees[k]:.0f}° of flexion")
    figure.colorbar(colours, ax=panels, label="tension [N]; slack ones are dotted", shrink=0.8, fraction=0.03, pad=0.02)
    if study.wound:
        figure.suptitle("Bones are nominal, or as given; dots femur, squares tibia", fontsize=10, color=style.GREY)
    return style.save(figure, path)


def _draw_bones(axes, study, k, across):
    """Outlines of the convex parts of bones in a pose."""
    if not study.wound:
        return
    pose = study.flexion.poses[k]
    for name, bone in study.wound.bones.items():
        for part in bone.parts:
            places = part.vertices @ pose[:3, :3].T + pose[:3, 3] if name == "femur" else part.vertices
            axes.fill(*(1e3 * np.array(hull_of(places[:, [across, 1]]))).T, facecolor=style.PALE, edgecolor=style.GREY,
                      linewidth=0.6, alpha=0.7)


def draw_passive(study, path):
    """Strain of every strand, tension, section and volume of ligaments and bundles over flexion."""
    d = study.flexion.degrees
    figure, ((strain, tension), (force, volume)) = style.new_figure(10.0, 7.0, 2, 2)
    colours = _colours(study)
    _draw_strains(strain, study, colours)
    for name, colour in colours.items():
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
        if axes is not force:
            style.legend(axes)
    low, high = force.get_ylim()
    force.set_ylim(top=high + 0.4 * (high - low))   # room for the legend
    style.legend(force, loc="upper center", ncols=2, fontsize=8)
    if not study.volume(study.groups[0]).any():
        volume.set_title("Volume: fewer than three strands enclose none", color=style.INK, loc="left")
    figure.suptitle(study.flexion.said, fontsize=10, color=style.GREY)
    return style.save(figure, path)


def _colours(study):
    """Name of a ligament or bundle → colour; ligaments whose strands are all of one bundle are told by that alone."""
    bundles = [name for name in study.groups if name not in study.strands.ligaments]
    names = bundles or list(study.groups)
    found = {name: style.CYCLE[i % len(style.CYCLE)] for i, name in enumerate(names)}
    for name in study.groups:
        if not any(len(study.rows(name)) == len(study.rows(other)) for other in bundles):
            found.setdefault(name, style.INK)
    return found


def _draw_strains(axes, study, colours):
    for name in [name for name in colours if name not in study.strands.ligaments] or list(colours):
        for n, i in enumerate(study.rows(name)):
            axes.plot(study.flexion.degrees, 1e2 * study.strain[:, i], color=colours[name], linewidth=0.9,
                      label=name if n == 0 else None)
    axes.axhline(0.0, color=style.INK, linewidth=0.8)


def draw_lengths(strands, ways, path):
    """Mean length of each bundle over flexion, by several motions."""
    names = tuple(dict.fromkeys(strands.bundles))
    figure, panels = style.new_figure(max(4.8 * len(names), 6.4), 4.8, 1, len(names), squeeze=False)
    for axes, name in zip(panels[0], names, strict=True):
        bundle = strands.of(name)
        for (said, flexion), colour in zip(ways.items(), style.CYCLE, strict=False):
            axes.plot(flexion.degrees, 1e3 * bundle.lengths(flexion.poses).mean(axis=1), color=colour, label=said)
        axes.axhline(1e3 * bundle.slack.mean(), color=style.GREY, linestyle=":", label="slack length")
        style.quiet(axes, "flexion [°]", "mean length [mm]",
                    f"{name}: the motion, or how it is read, decides" if len(ways) > 1 else f"{name}: how long its strands are")
    style.legend_below(figure, panels[0, 0], most=2)
    return style.save(figure, path)


def draw_page(study, title, path):
    """All of a study on one page, A4: strains, tensions, force and moment on both bones, and a table of the largest."""
    figure, panels = style.new_figure(8.27, 11.69, 4, 2)
    d, colours = study.flexion.degrees, _colours(study)
    (strain, tension), forces, moments, (volume, table) = panels
    _draw_strains(strain, study, colours)
    for name, colour in colours.items():
        tension.plot(d, study.tension[:, study.rows(name)].sum(axis=1), color=colour, label=name)
        volume.plot(d, 1e9 * study.volume(name), color=colour, label=name)
    for bone, force, moment in zip(("tibia", "femur"), forces, moments, strict=True):
        for k, colour in enumerate(style.CYCLE[:3]):
            force.plot(d, study.on(bone)[:, k], color=colour, label="xyz"[k])
            moment.plot(d, study.on(bone)[:, 3 + k], color=colour, label="xyz"[k])
        style.quiet(force, "flexion [°]", "force [N]", f"Force on the {bone}, in its axes")
        style.quiet(moment, "flexion [°]", "moment [N m]", f"Moment on the {bone}, about its origin")
    style.quiet(strain, "flexion [°]", "strain [%]", "Strain of every strand")
    style.quiet(tension, "flexion [°]", "tension [N]", "Tension")
    style.quiet(volume, "flexion [°]", "volume [mm³]", "Volume within the hull")
    for axes in panels.ravel()[:-1]:
        axes.xaxis.label.set_size(8)
        axes.yaxis.label.set_size(8)
        axes.tick_params(labelsize=7)
        style.legend(axes, fontsize=7)
    _draw_table(table, study)
    figure.suptitle(f"{title}\n{study.flexion.said}", fontsize=11, color=style.INK, wrap=True)
    return style.save(figure, path)


def _draw_table(axes, study):
    axes.axis("off")
    rows = []
    for name in study.groups:
        which = study.rows(name)
        pull, strain = study.tension[:, which].sum(axis=1), 1e2 * study.strain[:, which]
        rows.append([name, f"{pull.max():.0f} at {study.flexion.degrees[pull.argmax()]:.0f}°",
                     f"{strain.min():.0f} … {strain.max():.0f}".replace("-", "−"), f"{1e6 * study.section(name).mean():.0f}"])
    found = axes.table(rows, colLabels=["", "most tension [N]", "strain [%]", "section [mm²]"], loc="upper center",
                       cellLoc="center", edges="horizontal", colWidths=[0.18, 0.34, 0.26, 0.26])
    found.auto_set_font_size(False)
    found.set_fontsize(7.5)
    found.scale(1.0, 1.5)
    notes = f"{len(study.strands)} strands of {study.places.shape[2] - 2} particles, {len(study.flexion)} poses. x anterior, " \
            "y proximal, z lateral.\nSections and volumes are hulls of the strands, without thickness."
    axes.text(0.0, 0.0, notes, fontsize=7, color=style.GREY, transform=axes.transAxes, wrap=True)
