"""Two soft pads hold a rigid block by friction alone: it stays where it is if 2 s N ≥ W, and else slides out with g − 2 c N/m.

After A. Joukhadar, INRIA RR-3072 (1996), section 4.4: Coulomb's friction, anchored while it sticks. The pads are glued to jaws:
one is held, the other pressed against it by a virtual force N. The block, of weight W = m g, stands on a table until that is
lowered.
The load W/(2 s N) says what is asked of friction as a share of what it can give:

* load < 1: the block drops a little while the pads shear, and then holds. Every vertex of the pads in touch has its own
  anchored spring, so nothing creeps: once the vibration of the pads has died away, the block goes less than 1e-9 m in a
  second. The vertices share the weight, Σ F = W.
* load > 1: with c = s every vertex slides and gives c times its share of N, so that the block falls with g (1 − 1/load), until
  its upper end comes to the pads.
"""
import numpy as np

from robotphi import CheckFailed, ContactMaterial, Drive, Scene, Stepping, simulate
from robotphi.discretise import Material, deformable, discretise, glue, rigid
from robotphi.geometry.shapes import box
from robotphi.scenario import run_scenario

BLOCK, MASS, GRAVITY = (0.05, 0.05, 0.12), 0.2, 9.81     # m, kg, m/s²
PAD, JAW, MIDDLE = (0.02, 0.04, 0.04), 0.008, 0.06       # m, m, height of the pads' middle over the table
LOWERED, DEPTH = (0.15, 0.35), 0.1                       # s, m: the table goes down from … to, by
LOADS = (0.8, 0.95, 1.1)
CREEP, LATE = 1e-9, 0.1                                  # m/s; s before the end over which it is taken
QUICK = {"duration": 0.5, "frames": 100, "cells": 2}


def build(load=0.8, friction=0.6, cells=4, young=2e5, stiffness=4e6, duration=1.3, frames=260, budget=1e-4):
    """The block between pads that press with N = W/(2 s load); an even number of `cells` of a pad across."""
    scene = Scene(f"pinch: load {load:g}", duration=duration, frames=frames, stepping=Stepping(budget=budget),
                  gravity=(0, 0, -GRAVITY))
    surface = ContactMaterial(stiffness=stiffness, restitution=0.3, speed=1.0, friction=friction)
    foam = Material(young=young, density=1000.0, damping_ratio=0.3, damping_frequency=40.0)
    for name, side in (("left", -1), ("right", 1)):
        centre = side * (BLOCK[0] + PAD[0]) / 2
        pad = deformable(discretise(box(PAD, (centre, 0, MIDDLE)), counts=(cells // 2, cells, cells)), foam, way="corners")
        jaw = rigid(box((JAW, *PAD[1:]), (centre + side * (PAD[0] + JAW) / 2, 0, MIDDLE)), density=2700.0, name="jaw")
        placed = scene.add_object(name, glue({"pad": pad, "jaw": jaw}), support={"jaw": "xyz" if side < 0 else "yz"},
                                  contact=surface)
    scene.add_force("press", placed.rigids[0], (-pressing(load, friction), 0, 0))
    scene.add_object("block", rigid(box(BLOCK, (0, 0, BLOCK[2] / 2)), mass=MASS, name="block"), contact=surface)
    down = Drive.table([0.0, *LOWERED], [0.0, 0.0, -DEPTH])
    table = scene.add_rigid("table", [(0, 0, 0)], support="xy", rotation_support="xyz", drive={"z": down})
    scene.add_plane("table top", (0, 0, 0), contact=surface, rigid=table)
    return scene


def pressing(load, friction):
    """N [N] of either side."""
    return MASS * GRAVITY / (2 * friction * load)


def run(friction=0.6, cells=4, young=2e5, stiffness=4e6, duration=1.3, frames=260, budget=1e-4):
    return {f"load {load:g}": simulate(build(load, friction, cells, young, stiffness, duration, frames, budget))
            for load in LOADS}


def drop(recording):
    """How far the block is below its start [m], (f,)."""
    height = recording.rigid_position[:, 2, 2]
    return height[0] - height


def acceleration(recording):
    """Downward acceleration [m/s²] while the block slides over the whole pads, from a line through its speeds."""
    gone = recording.time > LOWERED[0] + 0.02
    whole = drop(recording) < BLOCK[2] - MIDDLE - PAD[2] / 2 - 2e-3
    chosen = gone & whole
    return -float(np.polyfit(recording.time[chosen], recording.rigid_velocity[chosen, 2, 2], 1)[0])


def held_by(recording, frame=-1):
    """Upward friction of all vertices of the pads together [N], their normal force, and how many stick of how many."""
    found = recording.contact_vertices(frame)
    pads = found.other == "block"
    return (-float(found.friction[pads, 2].sum()), float(found.normal[pads].sum()), int(found.sticks[pads].sum()),
            int((pads & (found.normal > 0)).sum()))


def check(recordings, duration=1.3, friction=0.6):
    weight, figures = MASS * GRAVITY, {}
    for load, recording in zip(LOADS, recordings.values(), strict=True):
        name = f"load {load:g}"
        if load > 1:
            expected, seen = GRAVITY * (1 - 1 / load), acceleration(recording)
            figures |= {f"{name}: acceleration of the slide [m/s^2]": seen, f"{name}: g (1 - 1/load) [m/s^2]": expected}
            # the pads still swing when the slide sets in
            if abs(seen - expected) > 0.03 * GRAVITY:
                raise CheckFailed(f"{name}: the block should slide with {expected:.3f} m/s^2, it does with {seen:.3f}")
            continue
        late = recording.frame_at(recording.time[-1] - LATE)
        creep = float(np.linalg.norm(recording.rigid_position[-1, 2] - recording.rigid_position[late, 2])) / LATE
        up, normal, sticking, touching = held_by(recording)
        figures |= {f"{name}: drop [mm]": 1e3 * drop(recording)[-1], f"{name}: creep in the end [m/s]": creep,
                    f"{name}: friction over weight - 1": up / weight - 1,
                    f"{name}: normal force over N - 1": normal / (2 * pressing(load, friction)) - 1,
                    f"{name}: vertices that stick": sticking, f"{name}: vertices in touch": touching}
        if drop(recording)[-1] > 5e-3:
            raise CheckFailed(f"{name}: the block should be held, it dropped by {1e3 * drop(recording)[-1]:.1f} mm")
        if duration >= 1.0 and (creep > CREEP or abs(up / weight - 1) > 1e-6):
            raise CheckFailed(f"{name}: at the end the block should rest in the pads; it creeps at {creep:.1e} m/s, and they "
                              f"carry {up / weight:.8f} of its weight")
    return figures


def draw(recordings, folder, cells=4):
    from robotphi.view import graphs, style
    pictures = [draw_ends(recordings, folder / "pinch.png", cells)]
    figure, (upper, lower) = style.new_figure(7.6, 5.8, 2, 1, sharex=True)
    for (name, recording), colour in zip(recordings.items(), style.CYCLE, strict=False):
        upper.plot(recording.time, 1e3 * drop(recording), color=colour, linewidth=1.6, label=name)
        speed = np.linalg.norm(recording.rigid_velocity[:, 2], axis=1)
        lower.semilogy(recording.time, np.maximum(speed, 1e-14), color=colour, linewidth=1.2, label=name)
    for load, recording in zip(LOADS, recordings.values(), strict=True):
        if load > 1:
            start = int(np.argmax(drop(recording) > 2e-3))
            since = recording.time - recording.time[start]
            exact = (drop(recording)[start] - recording.rigid_velocity[start, 2, 2] * since
                     + GRAVITY * (1 - 1 / load) * since ** 2 / 2)
            shown = (since >= 0) & (exact < BLOCK[2] - MIDDLE - PAD[2] / 2)
            upper.plot(recording.time[shown], 1e3 * exact[shown], color=style.INK, linewidth=1.0, linestyle=(0, (4, 3)),
                       label="slides with g (1 − 1/load)")
    lower.axhline(CREEP, color=style.GREY, linewidth=1.0, linestyle=(0, (4, 3)))
    style.quiet(upper, "", "drop [mm]", "The table is lowered from 0.15 s on: held below load 1, sliding above")
    style.quiet(lower, "time [s]", "speed of the block [m/s]")
    upper.set_ylim(-5, 110)
    style.legend(upper, **graphs.BESIDE)
    pictures.append(style.save(figure, folder / "drop.png"))
    pictures.append(draw_shares(recordings["load 0.95"], folder / "shares.png", style))
    pictures.append(graphs.draw_ledger(recordings["load 1.1"], folder / "ledger.png"))
    return pictures


def draw_ends(recordings, path, cells):
    """Each load at its end."""
    from robotphi.view import solids, touching
    corner, panels = np.array([0.07, 0.05]), []
    for load, recording in zip(LOADS, recordings.values(), strict=True):
        stage = touching.TouchingStage(recording, colours={"left": "#a9c4e4", "right": "#a9c4e4", "block": "#e7c393"})
        level = float(recording.rigid_position[-1, -1, 2])
        table = touching.chequered(touching.grid_points(-corner, corner,
                                                        lambda p, z=level: np.insert(p, 2, z, axis=-1)))
        panels.append(stage.panel(len(recording) - 1)._replace(
            title=f"W/(2 s N) = {load:g}: {'held' if load < 1 else 'slid out, onto the table'}", scenery=(table,)))
    return solids.picture_solids(panels, path, view=(0.3, -1.0, 0.3), width=10.0,
                                 heading="A block between two soft pads, after the table was lowered by 0.1 m")


def draw_shares(recording, path, style):
    """Friction over normal force of each vertex in touch at the end, over the face of either pad."""
    found = recording.contact_vertices(-1)
    figure, panels = style.new_figure(8.4, 3.9, 1, 2, sharey=True)
    for axes, side in zip(panels, ("left", "right"), strict=True):
        own = np.char.startswith(found.part, side) & (found.other == "block") & (found.normal > 0)
        place = 1e3 * recording.position[-1, found.particle[own]]
        share = np.linalg.norm(found.friction[own], axis=1) / found.normal[own]
        size = 900 * found.normal[own] / found.normal[own].max(initial=1e-12)
        dots = axes.scatter(place[:, 1], place[:, 2], s=size, c=share, cmap="YlOrRd", vmin=0, vmax=0.6, edgecolor=style.INK,
                            linewidth=0.6)
        axes.quiver(place[:, 1], place[:, 2], found.friction[own, 1], found.friction[own, 2], color=style.INK, width=0.006)
        style.quiet(axes, "y [mm]", "z [mm]" if side == "left" else "", f"{side} pad")
        axes.set(aspect="equal")
        axes.margins(0.25)
    bar = figure.colorbar(dots, ax=list(panels), shrink=0.8)
    bar.set_label("friction over normal force", color=style.INK, fontsize=9)
    return style.save(figure, path)


if __name__ == "__main__":
    run_scenario(__file__)
