"""A planar arm is drawn to a goal behind obstacles: virtual forces keep all of it away from them, without a plan of the way.

After A. Joukhadar, INRIA RR-3072 (1996), section 5 and figure 5.5; the force is Khatib's (Int. J. Robotics Research 5, 1986):
½ η (1/d − 1/D)² for what is nearer than D to a disc, d from its rim. It pushes points along the links; the joints are passive.
The pull on the tool is limited, so that obstacles win. Without the fields the arm goes through them: that run is there beside
it. Energies of pull and fields pay what joints and damping take: goal and obstacles stand still and give nothing. What has no
plan may be caught: behind a disc between the goal and the base, the arm wraps round it and stays.
"""
import numpy as np

from robotphi import CheckFailed, Scene, Stepping, simulate
from robotphi.scenario import run_scenario

LENGTHS, MASS, RADIUS = (0.3, 0.3, 0.25, 0.25), 0.8, 0.02    # m, kg and m of each link, a rod
START = (-0.2, -0.15, -0.1, -0.1)                            # rad
GOAL, REACHED = (0.25, 0.72), 5e-3                           # m
DISCS = (((0.93, 0.1), 0.08), ((0.02, 0.42), 0.08))          # m, centre and radius
RANGE, STRENGTH, POINTS = 0.09, 1e-3, 3                      # m, N·m³ of η, points of a link that feel obstacles
VARIANTS = ("free", "blind")
QUICK = {"duration": 0.5, "frames": 50}


def build(variant="free", stiffness=80.0, damping=10.0, limit=12.0, viscosity=0.15, duration=4.0, frames=400, budget=1e-4):
    """With the fields of the obstacles ("free") or without ("blind")."""
    scene = Scene(f"obstacle avoidance: {variant}", duration=duration, frames=frames, gravity=(0, 0, 0),
                  stepping=Stepping(budget=budget))
    begin, turn, parent, felt = np.zeros(2), 0.0, None, []
    for i, (length, angle) in enumerate(zip(LENGTHS, START, strict=True)):
        turn += angle
        along = np.array([np.cos(turn), np.sin(turn)])
        end, inertia = begin + length * along, MASS * (3.0 * RADIUS**2 + length**2) / 12.0
        points = {f"p{k}": (*(begin + (k + 1) / POINTS * length * along), 0) for k in range(POINTS)}
        link = scene.add_rigid(f"link {i}", [(*begin, 0), (*end, 0)], mass=MASS, centre=(*(begin + end) / 2, 0),
                               inertia=(inertia, inertia, inertia), points=points)
        scene.add_joint(f"joint {i}", "revolute", parent, link, at=(*begin, 0), axis=(0, 0, 1), place=angle,
                        viscosity=viscosity)
        scene.add_sensor(f"q {i}", "coordinate", f"joint {i}")
        felt += [(link, point) for point in points]
        begin, parent = end, link
    scene.add_pull("pull", felt[-1], (*GOAL, 0.0), stiffness, damping=damping, limit=limit)
    for i, (centre, radius) in enumerate(DISCS):
        if variant == "free":
            scene.add_field(f"obstacle {i}", felt, "ball", STRENGTH, centre=(*centre, 0), radius=radius, width=RANGE)
    return scene


def run(stiffness=80.0, damping=10.0, limit=12.0, viscosity=0.15, duration=4.0, frames=400, budget=1e-4):
    return {variant: simulate(build(variant, stiffness, damping, limit, viscosity, duration, frames, budget))
            for variant in VARIANTS}


def chain(recording):
    """(f, 5, 2) m, the joints and the tool."""
    turn = np.cumsum(np.column_stack([recording.sensors[f"q {i}"] for i in range(len(LENGTHS))]), axis=1)
    steps = np.array(LENGTHS)[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    return np.concatenate([np.zeros((len(turn), 1, 2)), np.cumsum(steps, axis=1)], axis=1)


def clearances(recording):
    """(f, discs) m, the least distance of any link from the rim of each disc, negative within it."""
    joints = chain(recording)
    a, along = joints[:, :-1], np.diff(joints, axis=1)
    found = []
    for centre, radius in DISCS:
        share = np.einsum("fij,fij->fi", np.array(centre) - a, along) / np.einsum("fij,fij->fi", along, along)
        share = np.clip(share, 0.0, 1.0)
        found.append(np.linalg.norm(a + share[..., None] * along - centre, axis=-1).min(axis=1) - radius)
    return np.column_stack(found)


def check(recordings, duration=4.0):
    figures = {}
    for variant, recording in recordings.items():
        nearest = float(clearances(recording).min())
        left = float(np.linalg.norm(chain(recording)[-1, -1] - GOAL))
        figures |= {f"{variant}: least distance from an obstacle [m]": nearest, f"{variant}: tool off the goal [m]": left}
        ledger = {name: values[-1] - values[0] for name, values in recording.ledger.items()}
        worked = max(abs(ledger[name]) for name in ledger if name.startswith("work:"))
        share = recording.ledger["largest_residual"][-1] / recording.ledger["reference_energy"][-1]
        figures[f"{variant}: energy residual over largest energy"] = float(share)
        if worked > 0.0 or share > recording.info["budget"]:
            raise CheckFailed(f"{variant}: goal and obstacles that stand gave {worked:.1e} J, the residual is {share:.1e}")
        if variant == "free" and nearest <= 0.0:
            raise CheckFailed(f"a link is {-nearest:.4f} m within an obstacle")
        if duration >= 4.0 and left > REACHED:
            raise CheckFailed(f"{variant}: the tool ends {left:.4f} m off the goal")
    if duration >= 4.0 and figures["blind: least distance from an obstacle [m]"] > -0.02:
        raise CheckFailed("without fields the arm should go through an obstacle, else they show nothing")
    return figures


def draw(recordings, folder):
    from robotphi.view import graphs, style
    figure, panels = style.new_figure(9.4, 4.4, 1, 2, sharey=True)
    for axes, (variant, recording) in zip(panels, recordings.items(), strict=True):
        joints = chain(recording)
        for centre, radius in DISCS:
            axes.add_patch(style_disc(centre, radius, style.GREY, 0.6))
            if variant == "free":
                axes.add_patch(style_disc(centre, radius + RANGE, style.GREY, 0.12))
        way = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(joints[:, -1], axis=0), axis=1))))
        shown = np.unique(np.searchsorted(way, np.linspace(0.0, 0.999 * way[-1], 12)))
        for at, shade in zip(shown, np.linspace(0.2, 1.0, len(shown)), strict=True):
            axes.plot(*joints[at].T, "-o", color=style.BLUE, alpha=shade, linewidth=1.5, markersize=3)
        axes.plot(*joints[:, -1].T, color=style.AMBER, linewidth=1.6, label="tool")
        axes.plot(*GOAL, "x", color=style.INK, markersize=9, label="goal")
        axes.set_aspect("equal")
        style.quiet(axes, "x [m]", "y [m]" if variant == "free" else "",
                    "obstacles repel within the light discs" if variant == "free" else "without the fields")
        style.legend(axes, loc="lower left")
    pictures = [style.save(figure, folder / "ways.png")]
    curves = {f"{variant}, obstacle {i + 1}": 1e3 * one for variant, recording in recordings.items()
              for i, one in enumerate(clearances(recording).T)}
    recording = recordings["free"]
    pictures.append(graphs.draw_series(folder / "clearance.png", recording.time, curves, "distance [mm]",
                                       "Least distance of any link from the rim of an obstacle"))
    pictures.append(graphs.draw_ledger(recording, folder / "ledger.png"))
    return pictures


def style_disc(centre, radius, colour, alpha):
    from matplotlib.patches import Circle
    return Circle(centre, radius, color=colour, alpha=alpha, linewidth=0)


if __name__ == "__main__":
    run_scenario(__file__)
