"""A peg is led down to a hole along a wrong line and at a wrong angle; contact alone guides it home, or does not.

After A. Joukhadar, INRIA RR-3072 (1996), section 5 and figure 5.6 (passive assembly). In the plane, two points of the peg are
tied to its virtual duplicate by springs of length zero: a hand that gives way, which comes down straight. The rim of the hole
is bevelled at 45°, on which a peg slides where friction is below 1; one that misses the bevel stays outside.

Each square of the map is one start; all pegs of one clearance go into one long slot, in one run, and do not meet. The hand goes
on pushing, and what bears the push at rest tells how a peg ends: the floor, with no more lean than the hole leaves ("home") or
with more ("askew"); one wall alone, on its rim or bevel ("caught"); or both walls, which is a jam (Whitney, J. Dyn. Sys. Meas.
Control 104, 1982). Friction cones stay cones however hard one pushes, so that more of the same push moves nothing. Where the
line from one place of contact to the other lies within both cones (Nguyen, Int. J. Robotics Res. 7, 1988), the walls hold the
peg without any push and whatever the hand does: "wedged"; else it is the direction of the push that holds it: "jammed". Walls
are as hard as some cm of plastic, 0.4 GPa over 4 cm: into softer ones pegs are pressed without clearance, and none jams.
"""
import csv

import numpy as np

from robotphi import CheckFailed, ContactMaterial, Drive, Scene, Stepping, simulate
from robotphi.discretise import mark, moved, rigid, turned
from robotphi.geometry.shapes import box, prism
from robotphi.scenario import run_scenario

WIDTH, HEIGHT, THICK, DENSITY = 0.04, 0.1, 0.02, 1200.0       # m, m, m, kg/m³ of a peg
DEEP, BEVEL, WALL = 0.06, 0.012, 0.06                         # m: depth of the hole, its bevel, width of the walls
OFFSETS, TILTS = np.linspace(-0.018, 0.018, 9), np.linspace(-0.16, 0.16, 5)   # m, rad
CLEARANCES = {"loose": 1e-3, "tight": 2e-4, "none": 0.0}      # m on either side
ENDS = {"head": (0, 0, HEIGHT / 2), "foot": (0, 0, -HEIGHT / 2)}   # m, where a peg is tied
PITCH, OVER = 0.03, 0.012                                     # m between pegs; m over the rim at the start
LED, PUSHED = 0.6, 0.02                                       # s of the way down; m beyond the floor that the hand goes
STATES = ("home", "askew", "wedged", "jammed", "caught")
STUCK = ("wedged", "jammed")
FELT, LEVEL = 0.05, 2e-3                                      # N of a contact that counts; rad by which walls give way
QUICK = {"duration": 0.05, "frames": 10}


def starts():
    """(n, 2) offset [m] and tilt [rad] of each peg."""
    return np.stack(np.meshgrid(OFFSETS, TILTS, indexing="ij"), axis=-1).reshape(-1, 2)


def build(clearance="loose", friction=0.2, stiffness=400.0, damping=6.0, duration=1.3, frames=60, budget=1e-3):
    """A clearance of `CLEARANCES`; stiffness [N/m] and damping [N·s/m] of each of the two ties of a peg."""
    law = ContactMaterial(stiffness=1e10, restitution=0.2, speed=0.2, friction=friction)
    scene = Scene(f"peg in hole: {clearance}", duration=duration, frames=frames, gravity=(0, 0, 0),
                  stepping=Stepping(budget=budget))
    slot = PITCH * len(starts())
    half = WIDTH / 2 + CLEARANCES[clearance]
    for name, side in (("left", -1.0), ("right", 1.0)):
        outline = [(half, 0), (half + WALL, 0), (half + WALL, DEEP), (half + BEVEL, DEEP), (half, DEEP - BEVEL)]
        wall = rigid(prism([(side * x, z) for x, z in outline], slot), density=7800.0)
        scene.add_object(name, moved(turned(wall, (1, 0, 0), np.pi / 2), (0, slot / 2, 0)), support="xyz", contact=law)
    scene.add_plane("floor", (0, 0, 0), contact=law)
    down = Drive.table([0.0, LED], [0.0, -(DEEP + OVER + PUSHED)])
    peg = mark(rigid(box((WIDTH, THICK, HEIGHT)), density=DENSITY), points=ENDS)
    for i, (offset, tilt) in enumerate(starts()):
        over = DEEP + OVER + (HEIGHT * np.cos(tilt) + WIDTH * abs(np.sin(tilt))) / 2
        leaning = moved(turned(peg, (0, 1, 0), tilt), (offset, PITCH * (i + 0.5), over))
        placed = scene.add_object(f"peg {i}", leaning, support="y", contact=law, contact_group="pegs")
        scene.add_duplicate(f"hand {i}", [(placed, end) for end in ENDS], stiffness, damping=damping, z=down)
    scene.exclude_contact("pegs", "pegs")
    return scene


def run(friction=0.2, stiffness=400.0, damping=6.0, duration=1.3, frames=60, budget=1e-3):
    return {name: simulate(build(name, friction, stiffness, damping, duration, frames, budget)) for name in CLEARANCES}


def poses(recording, frame=-1):
    """Place of the foot [m] and tilt [rad] of each peg at a frame."""
    w, _, y, _ = recording.rigid_orientation[frame].T
    start = np.arctan2(recording.rigid_orientation[0, :, 2], recording.rigid_orientation[0, :, 0])
    tilt = 2.0 * (np.arctan2(y, w) - start)
    count = len(starts())
    tilt = (tilt[-count:] + starts()[:, 1] + np.pi) % (2.0 * np.pi) - np.pi
    centre = recording.rigid_position[frame, -count:]
    foot = centre - HEIGHT / 2 * np.column_stack([np.sin(tilt), np.zeros(count), np.cos(tilt)])
    return foot, tilt


def pressed(recording, frame=-1):
    """Forces on each peg by "floor", "left" and "right": normal and friction (n, 3) [N], and where they press (n, 3) [m]."""
    rows, count = recording.contacts(frame), len(starts())
    found = {name: np.zeros((3, count, 3)) for name in ("floor", "left", "right")}
    for k, (first, second) in enumerate(zip(rows.first_owner, rows.second_owner, strict=True)):
        name, other, sign = (first, second, 1.0) if first.startswith("peg") else (second, first, -1.0)
        found[other][:, int(name.split()[1])] = sign * rows.normal[k], sign * rows.friction[k], rows.point[k]
    return found


def play(clearance):
    """rad by which a peg on the floor leans between the raised corner of its foot and the bevel."""
    lean = 0.0
    for _ in range(20):
        lean = np.arcsin((2.0 * CLEARANCES[clearance] + WIDTH * (1.0 - np.cos(lean))) / (DEEP - BEVEL - WIDTH * np.sin(lean)))
    return lean


def cone_angles(by):
    """(n,) rad, the larger of the angles between each wall's pressure and the line to where the other one presses."""
    (left, _, at), (right, _, there) = by["left"], by["right"]
    line = there - at
    angles = []
    for force, way in ((left, line), (right, -line)):
        size = np.linalg.norm(force, axis=1) * np.linalg.norm(way, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            angles.append(np.arccos(np.clip((force * way).sum(axis=1) / size, -1.0, 1.0)))
    return np.maximum(*angles)


def states(recording, clearance, friction, frame=-1):
    """(n,) word of `STATES` for each peg."""
    by, tilt = pressed(recording, frame), poses(recording, frame)[1]
    bears = {name: np.linalg.norm(parts[0], axis=1) > FELT for name, parts in by.items()}
    fits = np.abs(tilt) < play(clearance) + LEVEL
    holds = cone_angles(by) < np.arctan(friction)
    between = np.where(bears["left"] & bears["right"], np.where(holds, "wedged", "jammed"), "caught")
    return np.where(bears["floor"], np.where(fits, "home", "askew"), between)


def pushes(recording, stiffness, frame=-1):
    """(n, 2) N, along x and z, with which the hand pushes a peg at rest: its ties, from the ends of the peg to their places."""
    forces = np.zeros((len(starts()), 2))
    for side in (-1.0, 1.0):
        places = []
        for at in (0, frame):
            foot, tilt = poses(recording, at)
            along = np.column_stack([np.sin(tilt), np.cos(tilt)])
            places.append(foot[:, [0, 2]] + HEIGHT / 2 * (1.0 + side) * along)
        forces += stiffness * (places[0] - (0.0, DEEP + OVER + PUSHED) - places[1])
    return forces


def check(recordings, friction=0.2, stiffness=400.0, duration=1.3):
    figures, shares, stuck = {}, [], []
    if duration < 1.0:
        return {"pegs": len(starts())}
    for clearance, recording in recordings.items():
        found = states(recording, clearance, friction)
        before = states(recording, clearance, friction, recording.frame_at(recording.time[-1] - 0.1))
        shares.append(float((found == "home").mean()))
        stuck.append(float(np.isin(found, STUCK).mean()))
        figures |= {f"{clearance}: {state}": float((found == state).mean()) for state in STATES}
        if (found != before).any():
            raise CheckFailed(f"{clearance}: {int((found != before).sum())} pegs are still on their way at the end")
        push, by = pushes(recording, stiffness), pressed(recording)
        borne = sum(parts[0] + parts[1] for parts in by.values())[:, [0, 2]]
        left = float((np.linalg.norm(push + borne, axis=1) / np.linalg.norm(push, axis=1)).max())
        figures[f"{clearance}: push that contact does not bear"] = left
        if left > 1e-3:   # of a peg at rest: what it still moves
            raise CheckFailed(f"{clearance}: contact bears all but {left:.1%} of the push of the hand")
        mirrored = found.reshape(len(OFFSETS), -1)[::-1, ::-1].ravel()
        figures[f"{clearance}: starts that end otherwise than their mirror images"] = int((found != mirrored).sum())
        if (found != mirrored).any():
            raise CheckFailed(f"{clearance}: {int((found != mirrored).sum())} starts end otherwise than their mirror images")
        grid = found.reshape(len(OFFSETS), -1)
        middle = grid[np.abs(OFFSETS) < 1e-9][:, np.abs(TILTS) < 1e-9]
        if CLEARANCES[clearance] > 0.0 and (middle != "home").any():
            raise CheckFailed(f"{clearance}: the peg that starts right above the hole does not come home")
    if not shares[0] >= shares[1] >= shares[2]:
        raise CheckFailed(f"more pegs come home with less clearance: {shares}")
    if not stuck[2] > stuck[0]:
        raise CheckFailed(f"no more pegs are stuck without clearance than with it: {stuck}")
    return figures


def write_map(recordings, path, friction, stiffness):
    """The map as CSV: a row for each start."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["clearance [m]", "offset [m]", "tilt [rad]", "ends", "foot x [m]", "foot z [m]", "leans [rad]",
                        "push x [N]", "push z [N]", "floor [N]", "left wall [N]", "right wall [N]",
                        "line out of the normals [rad]"])
        for clearance, recording in recordings.items():
            (foot, tilt), by = poses(recording), pressed(recording)
            sizes = [np.linalg.norm(by[name][0], axis=1) for name in ("floor", "left", "right")]
            columns = (*starts().T, states(recording, clearance, friction), foot[:, 0], foot[:, 2], tilt,
                       *pushes(recording, stiffness).T, *sizes, cone_angles(by))
            table.writerows((CLEARANCES[clearance], *row) for row in zip(*columns, strict=True))


def draw(recordings, folder, friction=0.2, stiffness=400.0):
    from matplotlib.patches import Patch

    from robotphi.view import graphs, style
    colours = dict(zip(STATES, (style.TEAL, style.OLIVE, style.RED, style.AMBER, style.GREY), strict=True))
    figure, panels = style.new_figure(10.0, 4.6, 1, 3, sharey=True)
    for axes, (clearance, recording) in zip(panels, recordings.items(), strict=True):
        found, foot = states(recording, clearance, friction), poses(recording)[0]
        share, stuck = (found == "home").mean(), np.isin(found, STUCK).mean()
        for (offset, tilt), state, height in zip(starts(), found, 1e3 * foot[:, 2], strict=True):
            axes.scatter(1e3 * offset, np.degrees(tilt), s=270, marker="s", color=colours[state])
            axes.text(1e3 * offset, np.degrees(tilt), f"{max(height, 0.0):.0f}", ha="center", va="center", fontsize=7,
                      color="white")
        style.quiet(axes, "offset of the start [mm]", "tilt of the start [°]" if clearance == "loose" else "",
                    f"{1e3 * CLEARANCES[clearance]:g} mm a side: {share:.0%} home, {stuck:.0%} stuck")
        axes.margins(0.12)
    figure.legend(handles=[Patch(color=colour, label=state) for state, colour in colours.items()], loc="outside lower center",
                  ncol=len(colours), frameon=False, fontsize=8, title="how pegs end; numbers: mm of the foot over the floor",
                  title_fontsize=8)
    write_map(recordings, folder / "map.csv", friction, stiffness)
    pictures = [style.save(figure, folder / "map.png")]
    pictures.append(draw_ways(recordings["loose"], folder / "ways.png", style))
    pictures.append(graphs.draw_steps(recordings["loose"], folder / "steps.png"))
    return pictures


def draw_ways(recording, path, style):
    """Some pegs on their way."""
    chosen = [int(np.argmin(np.abs(starts() - start).sum(axis=1) + 1e-9 * np.arange(len(starts()))))
              for start in ((0.0, 0.16), (0.009, 0.0), (-0.009, 0.08), (0.0135, -0.16), (0.018, 0.0))]
    outline = 500.0 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) * (WIDTH, HEIGHT)
    half, far = WIDTH / 2 + CLEARANCES["loose"], WIDTH / 2 + WALL / 2
    wall = 1e3 * np.array([(far, 0), (half, 0), (half, DEEP - BEVEL), (half + BEVEL, DEEP), (far, DEEP)])
    figure, panels = style.new_figure(10.0, 3.4, 1, len(chosen), sharey=True)
    for axes, peg in zip(panels, chosen, strict=True):
        for side in (1.0, -1.0):
            axes.fill(*(wall * (side, 1)).T, color="#c9ccd1")
        for frame, shade in zip(np.linspace(0, len(recording) - 1, 7).astype(int), np.linspace(0.2, 1.0, 7), strict=True):
            foot, tilt = (values[peg] for values in poses(recording, frame))
            turn = np.array([[np.cos(tilt), -np.sin(tilt)], [np.sin(tilt), np.cos(tilt)]])
            centre = 1e3 * (foot[[0, 2]] + HEIGHT / 2 * np.array([np.sin(tilt), np.cos(tilt)]))
            axes.plot(*(centre + outline @ turn).T, color=style.BLUE, alpha=shade, linewidth=1.3)
        axes.set_aspect("equal")
        offset, tilt = starts()[peg]
        style.quiet(axes, "x [mm]", "z [mm]" if peg == chosen[0] else "", f"{1e3 * offset:.1f} mm, {np.degrees(tilt):.0f}°")
    return style.save(figure, path)


if __name__ == "__main__":
    run_scenario(__file__)
