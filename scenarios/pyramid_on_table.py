"""A pyramid with a hollow bottom falls askew on a table top: it lands on a corner, tips over and comes to stand on its rim.

After A. Joukhadar, INRIA RR-3072 (1996), section 4.2 and figure 4.19: the contact direction of a corner that meets the table is
that of the table's face, and the force passes through the corner; when an edge and the rim follow, it passes to them. The
hollow never touches: the pyramid is a compound of four convex parts around it, each of which meets the table on its own.

* "rigid": the table top is rigid and held.
* "elastic": the same without friction and loss. The force must point along the normal of the table, be λ times the volume that
  is pressed in, and pass through the centre of that volume: while one corner is in, through that corner.
* "soft": the table top is a slab of springs and particles, held along two sides. It gives way and swings.
"""
import numpy as np

from robotphi import CheckFailed, ContactMaterial, Scene, Stepping, simulate
from robotphi.discretise import Material, deformable, discretise, moved, rigid, turned
from robotphi.geometry import Compound, hull
from robotphi.geometry.shapes import box
from robotphi.scenario import run_scenario

GRAVITY = 9.81
HALF, TALL, HOLLOW = 0.15, 0.25, 0.08             # m: half the side of the bottom, height, depth of the hollow
CORNERS = HALF * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)])
TOP = np.array([0.8, 0.8, 0.06])                  # m
WOOD = Material(young=4e6, density=600.0, damping_ratio=0.1)
STIFFNESS = 3e7                                   # N/m³
RIGID, SOFT = VARIANTS = ("rigid", "soft")
ELASTIC = "elastic"
QUICK = {"duration": 0.4, "cells": 6}


def pyramid():
    """Four tetrahedra from each side of the bottom to the apex and to the top of the hollow."""
    apex, hollow = (0, 0, TALL), (0, 0, HOLLOW)
    return Compound([hull(np.array([CORNERS[i], CORNERS[(i + 1) % 4], apex, hollow])) for i in range(4)])


MADE = rigid(pyramid(), density=500.0)
CORNER_ROWS = [i for i, at in enumerate(MADE.position)
               if min(np.linalg.norm(at - each) for each in (*CORNERS, (0, 0, TALL), (0, 0, HOLLOW))) < 1e-9]


def build(variant=RIGID, friction=0.4, restitution=0.4, height=0.3, stiffness=STIFFNESS, cells=8, duration=1.0, frames=500,
          budget=1e-4):
    """The pyramid tilted, its lowest corner at that height [m]; cells: of the soft top along a side."""
    contact = ContactMaterial(stiffness=stiffness, restitution=restitution, speed=2.0, friction=friction)
    scene = Scene(f"pyramid on a table: {variant}", duration=duration, frames=frames, gravity=(0, 0, -GRAVITY),
                  stepping=Stepping(budget=budget))
    slab = box(TOP, (0, 0, -TOP[2] / 2))
    if variant == SOFT:
        scene.add_object("table", deformable(discretise(slab, counts=(cells, cells, 1)), WOOD), contact=contact,
                         support={"left": "xyz", "right": "xyz"})
    else:
        scene.add_object("table", rigid(slab, density=WOOD.density), support="xyz", contact=contact)
    body = turned(MADE, (0.4, 1.0, 0.0), 0.35)
    scene.add_object("pyramid", moved(body, (0, 0, height - body.position[:, 2].min())), contact=contact, spin=(0, 0, 1.0))
    return scene


def run(friction=0.4, restitution=0.4, height=0.3, stiffness=STIFFNESS, cells=8, duration=1.0, frames=500, budget=1e-4):
    knobs = (height, stiffness, cells, duration, frames, budget)
    falls = {variant: simulate(build(variant, friction, restitution, *knobs)) for variant in VARIANTS}
    return falls | {ELASTIC: simulate(build(RIGID, 0.0, 1.0, *knobs))}


def rim(recording):
    """(f, 4, 3) m, the corners of the bottom."""
    corner = [int(np.argmin(np.linalg.norm(MADE.position - each, axis=1))) for each in CORNERS]
    return recording.position[:, recording.position.shape[1] - len(MADE.position):][:, corner]


def pressed_in(position):
    """Volume [m³] of the pyramid below the table's face and its centre (2,) [m], from its particles at a frame."""
    volume, moment = 0.0, np.zeros(2)
    for part in MADE.polyhedra.values():
        rows = np.unique(MADE.facets[part])
        rows = rows[np.isin(rows, CORNER_ROWS)]
        at = position[rows]
        below = at[at[:, 2] < 0]
        if not len(below) or below[:, 2].min() > -1e-5:
            continue
        crossing = [p + (q - p) * p[2] / (p[2] - q[2]) for p in at for q in at if p[2] > 0 > q[2]]
        solid = hull(np.array([*below, *crossing]))
        volume, moment = volume + solid.volume, moment + solid.volume * solid.centre[:2]
    return volume, moment / volume if volume else moment


def pushes(recording, stiffness):
    """Until the first flight: impulses between frames (k, 3) [N·s], λ volume dt (k,), and by how far pushes pass the centre of
    the volume (k,) [m].
    """
    start = recording.position.shape[1] - len(MADE.position)
    volume, place = map(np.array, zip(*(pressed_in(each[start:]) for each in recording.position), strict=True))
    first = np.flatnonzero(volume)[0]
    last = first + int(np.argmin(volume[first:] > 0))
    among, dt = slice(first, last - 1), recording.time[1] - recording.time[0]
    impulse = MADE.properties[0] * (np.diff(recording.rigid_velocity[:, -1], axis=0) + dt * np.array([0, 0, GRAVITY]))
    turning = np.diff(recording.rigid_momentum[:, -1], axis=0)
    acts = np.stack([-turning[:, 1], turning[:, 0]], axis=1)[among] / impulse[among, 2:]     # M = r × F with F along z
    centre = recording.rigid_position[:, -1, :2]
    between = 0.5 * ((place - centre)[1:] + (place - centre)[:-1])[among]
    wanted = stiffness / 2 * 0.5 * (volume[1:] + volume[:-1])[among] * dt                     # two alike in series
    return impulse[among], wanted, np.linalg.norm(acts - between, axis=1)


def check(recordings, stiffness=STIFFNESS):
    figures = {}
    for name, recording in recordings.items():
        at = rim(recording)
        order = [float(recording.time[touched[0]]) for touched in map(np.flatnonzero, (at[:, :, 2] < 0).T) if len(touched)]
        low, high = at[-1, :, 2].min(), at[-1, :, 2].max()
        figures |= {f"{name}: attempts": recording.counts["attempts"], f"{name}: corners that touched": len(order),
                    f"{name}: first corner touches [s]": min(order, default=0.0),
                    f"{name}: lowest corner at the end [m]": low, f"{name}: highest corner at the end [m]": high}
        if not order:
            raise CheckFailed(f"{name}: the pyramid should have reached the table")
        if recording.time[-1] >= 1.0 and name == RIGID and np.abs(at[-1, :, 2]).max() > 0.01:
            raise CheckFailed(f"{name}: it should stand on its rim, its corners are at {at[-1, :, 2]} m")
        if at[:, :, 2].min() < -0.06:
            raise CheckFailed(f"{name}: a corner went {-at[:, :, 2].min():.3f} m into the table")
    impulse, wanted, missed = pushes(recordings[ELASTIC], stiffness)
    aside = np.linalg.norm(impulse[:, :2], axis=1).sum() / impulse[:, 2].sum()
    size, place = abs(impulse[:, 2].sum() / wanted.sum() - 1), float((missed * wanted).sum() / wanted.sum())
    figures |= {"elastic: share of the push aside of the normal": aside, "elastic: error of λ × volume": size,
                "elastic: push from the centre of the volume [m]": place}
    # the direction is that of the face to rounding; volumes are known at frames, tens of them while a corner is in
    if aside > 1e-9 or size > 0.02 or place > 0.03 * HALF:
        raise CheckFailed(f"the push should be λ times the volume, along the normal, through its centre: {aside:.1e} goes "
                          f"aside, it is {size:.1e} off and {place:.1e} m from the centre")
    return figures


def draw(recordings, folder, cells=8):
    from robotphi.view import graphs, touching
    pictures = []
    for name in VARIANTS:
        recording = recordings[name]
        frames = [0, *(recording.frame_at(time) for time in (0.27, 0.35)), len(recording) - 1]
        pictures.append(touching.picture_touching(
            recording, build(name, cells=cells), folder / f"{name}.png", frames, {"table": "#d8c3a0", "pyramid": "#7fa8d6"},
            view=(-0.5, -1.6, 0.45), columns=2))
    heights = {f"corner {i}": 100 * rim(recordings[RIGID])[:, i, 2] for i in range(4)}
    pictures.append(graphs.draw_series(folder / "corners.png", recordings[RIGID].time, heights, "height over the table [cm]",
                                       "One corner lands, then an edge, then the rim"))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
