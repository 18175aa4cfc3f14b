"""Things that stay up by friction alone: a stack of boxes, a house of cards, an arch of stones. Without friction it comes down.

Standing is statics: forces between faces pass within them and within the cone of friction. The stack needs little; the house
and the arch do not stand without (scenes as in E. Catto's Solver2D). Each starts a little apart or askew, settles, and has to
lie still: nothing creeps.
"""
from itertools import pairwise

import numpy as np

from robotphi import CheckFailed, ContactMaterial, Scene, Stepping, simulate
from robotphi.discretise import moved, rigid, turned
from robotphi.geometry import hull
from robotphi.geometry.shapes import box
from robotphi.scenario import run_scenario

GRAVITY = 9.81
BOXES, CARDS, ARCH = VARIANTS = ("boxes", "cards", "arch")
STIFFNESS = {BOXES: 4e8, CARDS: 2e7, ARCH: 2e7}    # N/m³
HOLD = {BOXES: 2e5, CARDS: 2e5, ARCH: 2e6}        # N/m, tangential
APART = 1e-4                                      # m between boxes and between cards at first
SIDE, SHIFT = 0.2, 0.02                           # m, of a box and of every second one
CARD, LEAN = np.array([0.01, 0.3, 0.4]), np.radians(25.0)   # m: thick, wide, long
INNER, OUTER, STONES, WIDE = 0.8, 1.05, 9, 0.3    # m, m, 1, m
COLOURS = ("#7fa8d6", "#d9a441", "#7dbcae", "#cf8079", "#a48fd0")
QUICK = {"duration": 0.8, "frames": 40}


def build(variant=CARDS, count=None, friction=0.6, duration=2.0, frames=100, budget=1e-4):
    """Boxes (5 unless told), a house of so many pairs of cards in its lowest row (2), or an arch of so many stones (9)."""
    contact = ContactMaterial(stiffness=STIFFNESS[variant], restitution=0.05, speed=1.0, friction=friction,
                              tangential_stiffness=HOLD[variant])
    scene = Scene(f"stack: {variant}", duration=duration, frames=frames, gravity=(0, 0, -GRAVITY),
                  stepping=Stepping(budget=budget))
    scene.add_plane("ground", contact=contact)
    make = {BOXES: boxes, CARDS: cards, ARCH: arch}[variant]
    for i, body in enumerate(make(count) if count else make()):
        scene.add_object(f"{variant} {i}", body, contact=contact)
    return scene


def run(friction=0.6, duration=2.0, frames=100, budget=1e-4):
    standing = {variant: simulate(build(variant, None, friction, duration, frames, budget)) for variant in VARIANTS}
    return standing | {"cards without friction": simulate(build(CARDS, None, 0.0, min(duration, 0.3), frames, budget))}


def boxes(count=5):
    return [rigid(box(SIDE, (SHIFT * (i % 2), 0, SIDE * (i + 0.5) + APART * (i + 1))), density=800.0) for i in range(count)]


def cards(count=2):
    """Pairs that lean against each other, a lid between two pairs, and so on upwards; all just apart."""
    thick, _, long = CARD
    half = (long * np.sin(LEAN) + thick * np.cos(LEAN)) / 2      # of the width of a leaning card
    tall = long * np.cos(LEAN) + thick * np.sin(LEAN)
    pitch = max(4 * half + 2 * APART, long + 2 * APART)          # lids lie side by side
    leaning, flat = rigid(box(CARD), density=700.0), rigid(box((long, CARD[1], thick)), density=700.0)
    house, height = [], 0.0
    for row in range(count, 0, -1):
        places = pitch * (np.arange(row) - (row - 1) / 2)
        for x in places:
            for side in (1, -1):
                house.append(moved(turned(leaning, (0, 1, 0), side * LEAN), (x - side * (half + APART), 0, height + tall / 2)))
        height += tall + APART
        lids = places[:-1] + pitch / 2 if row > 1 else []
        house += [moved(flat, (x, 0, height + thick / 2)) for x in lids]
        height += thick + APART
    return house


def arch(count=STONES):
    """Stones between two half circles, without mortar; the outermost stand on the ground."""
    angles = np.linspace(0, np.pi, count + 1)
    return [rigid(hull(np.array([(r * np.cos(a), y, r * np.sin(a)) for a in pair for r in (INNER, OUTER)
                                 for y in (-WIDE / 2, WIDE / 2)])), density=2000.0)
            for pair in pairwise(angles)]


def check(recordings):
    figures = {}
    for name, recording in recordings.items():
        moved_by = np.linalg.norm(recording.rigid_position[-1] - recording.rigid_position[0], axis=1).max()
        late = recording.time >= 0.75 * recording.time[-1]
        creep = float(np.ptp(recording.rigid_position[late], axis=0).max())
        figures |= {f"{name}: moved by [m]": moved_by, f"{name}: moved in the last quarter [m]": creep,
                    f"{name}: fastest at the end [m/s]": np.abs(recording.rigid_velocity[-1]).max(),
                    f"{name}: attempts": recording.counts["attempts"]}
        if "without" in name:
            if moved_by < 0.05:
                raise CheckFailed(f"{name}: it should come down, it moved by {moved_by:.2e} m")
        elif moved_by > 0.03:
            raise CheckFailed(f"{name}: it should stand, it moved by {moved_by:.2e} m")
        elif recording.time[-1] >= 2.0 and creep > 1e-4:
            raise CheckFailed(f"{name}: it should lie still, in the last quarter it moved by {creep:.1e} m")
    return figures


def draw(recordings, folder):
    from robotphi.view import graphs, touching
    pictures = []
    for name, recording in recordings.items():
        scene = build(name.split()[0])
        colours = {thing: COLOURS[i % len(COLOURS)] for i, thing in enumerate(scene.objects)}
        pictures.append(touching.picture_touching(recording, scene, folder / f"{name.replace(' ', '_')}.png",
                                                  [0, len(recording) - 1], colours, view=(-0.5, -1.6, 0.5)))
    speeds = {name: (recording.time[1:], np.abs(recording.rigid_velocity[1:]).max(axis=(1, 2)) + 1e-16)
              for name, recording in recordings.items()}
    return [*pictures, graphs.draw_series(folder / "rest.png", None, speeds, "fastest [m/s]", "What stands comes to rest",
                                          log=True)]


if __name__ == "__main__":
    run_scenario(__file__)
