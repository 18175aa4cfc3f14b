"""A plate falls through air: level or tilted it keeps its attitude, with a heavy edge the drag turns it until that edge leads.

After A. Joukhadar, INRIA RR-3072 (1996), section 4.5 and figure 4.16: what falls through air turns because of its drag.
Each facet feels −½ ρ c S (V·n) V where it faces the flow. Per area seen along the flow that is the same everywhere:

* "level", "tilted": drag acts in the middle of the silhouette, where the centre of mass of an even plate is as well. Nothing
  turns it or drives it sideways: v = v∞ tanh(g t/v∞), z = −(v∞²/g) ln cosh(g t/v∞), v∞² = 2 m g/(ρ c A), A the silhouette.
* "heavy edge": the centre of mass lies off the middle. The plate is turned until its heavy edge leads and swings about this
  attitude; since facets that move faster feel more, the swing fades.
* "heavy edge in a gust": a wind sets in from the side after half a second and carries the plate along.

The last two are compared with the equations of a rigid body in the plane, integrated by DOP853 at 1e-10.
"""
from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

from robotphi import CheckFailed, Drive, Scene, Stepping, simulate
from robotphi.discretise import rigid, turned, unify
from robotphi.geometry.shapes import box
from robotphi.scenario import run_scenario

SIZE, EDGE = np.array([0.4, 0.3, 0.01]), 0.05     # m; the edge is the last of the length
LIGHT, HEAVY = 50.0, 300.0                        # kg/m³
AIR, DRAG, GRAVITY = 1.2, 1.1, 9.81               # kg/m³, 1, m/s²
GUST = (0.5, 1.0, 3.0)                            # s, s, m/s: sets in, has risen to
EVEN, WEIGHTED = ("level", "tilted"), ("heavy edge", "heavy edge in a gust")
TILT = {"level": 0.0, "tilted": 0.6, "heavy edge": 0.0, "heavy edge in a gust": 0.0}   # rad at the start, heavy edge down
BUDGET, PLACE, ANGLE = 3e-6, 1e-4, 5e-4           # 1, of the depth, rad: how far off the plates may be by this budget
QUICK = {"duration": 0.8, "frames": 80, "budget": 1e-4}


def plate(variant):
    """The plate and its edge as one rigid body, the middle of the whole at 0, untilted."""
    rest = SIZE - [EDGE, 0, 0]
    parts = {"plate": rigid(box(rest, (-EDGE / 2, 0, 0)), density=LIGHT),
             "edge": rigid(box((EDGE, *SIZE[1:]), (rest[0] / 2, 0, 0)), density=LIGHT if variant in EVEN else HEAVY)}
    return unify(parts)


def gust(variant):
    start, end, speed = GUST
    return Drive.table([start, end], [0.0, speed]) if "gust" in variant else Drive.constant(0.0)


def build(variant="heavy edge", duration=3.0, frames=300, budget=BUDGET):
    scene = Scene(f"falling plate: {variant}", duration=duration, frames=frames, gravity=(0, 0, -GRAVITY),
                  stepping=Stepping(budget=budget))
    scene.add_object("plate", turned(plate(variant), (0, 1, 0), TILT[variant]))
    scene.set_medium(density=AIR, drag=DRAG, wind=(gust(variant), 0, 0))
    return scene


def run(duration=3.0, frames=300, budget=BUDGET):
    return {variant: simulate(build(variant, duration, frames, budget)) for variant in TILT}


def ends(recording, variant):
    """Middles of the light and of the heavy end over time, (f, 3) each."""
    placed = build(variant).objects["plate"]
    return [recording.position[:, placed.region(name)].mean(axis=1) for name in ("plate.left", "edge.right")]


def attitude(recording, variant):
    """Angle over time by which the heavy edge is down [rad]."""
    light, heavy = ends(recording, variant)
    along = heavy - light
    return np.unwrap(np.arctan2(-along[:, 2], along[:, 0]))


# --- what it should do ---------------------------------------------------------------------------------------------
def terminal_speed(variant):
    """v∞ of a plate that keeps its tilt."""
    tilt, mass = TILT[variant], LIGHT * SIZE.prod()
    silhouette = SIZE[1] * (SIZE[0] * np.cos(tilt) + SIZE[2] * np.sin(tilt))
    return np.sqrt(2 * mass * GRAVITY / (AIR * DRAG * silhouette))


def height_of_even(variant, time):
    terminal = terminal_speed(variant)
    return -terminal ** 2 / GRAVITY * np.log(np.cosh(GRAVITY * time / terminal))


@cache
def outside(variant):
    """Mass [kg], moment about y [kg·m²], and centres and area vectors of the outer facets in the plane of the fall, (f, 2)."""
    thing = plate(variant)
    mass, centre, inertia = thing.properties
    corners = thing.position[thing.facets]
    middles = corners.mean(axis=1)
    areas = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outer = (np.abs(2 * middles) > SIZE * (1 - 1e-9)).any(axis=1)     # not those between plate and edge
    return mass, inertia[1, 1], (middles - centre)[outer][:, [0, 2]], areas[outer][:, [0, 2]]


def planar_fall(variant, time):
    """Place of the centre of mass relative to its start (f, 2) [m] and angle (f,) [rad] from the equations of motion."""
    mass, inertia, middles, areas = outside(variant)
    wind = gust(variant)

    def rates(now, state):
        angle, velocity, spin = state[2], state[3:5], state[5]
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])   # about y, x goes down
        arm, area = middles @ turn.T, areas @ turn.T
        v = velocity + spin * np.stack([arm[:, 1], -arm[:, 0]], axis=1) - [wind.value(now), 0.0]
        force = -0.5 * AIR * DRAG * np.maximum((v * area).sum(axis=1), 0.0)[:, None] * v
        moment = (arm[:, 1] * force[:, 0] - arm[:, 0] * force[:, 1]).sum()
        return [*velocity, spin, *(force.sum(axis=0) / mass - [0.0, GRAVITY]), moment / inertia]

    solved = solve_ivp(rates, (0.0, time[-1]), [0, 0, TILT[variant], 0, 0, 0], method="DOP853", t_eval=time, rtol=1e-10,
                       atol=1e-10, max_step=0.01)     # no step over the corners of the gust
    return solved.y[:2].T, solved.y[2]


def errors(recording, variant):
    """Largest error of the place over the depth of the fall, and of the angle [rad]."""
    moved = recording.rigid_position[:, 0] - recording.rigid_position[0, 0]
    place, angle = np.zeros((len(recording), 2)), TILT[variant]
    if variant in EVEN:
        place[:, 1] = height_of_even(variant, recording.time)
    else:
        place, angle = planar_fall(variant, recording.time)
    off = np.linalg.norm(moved[:, [0, 2]] - place, axis=1).max()
    return off / np.abs(place).max(), np.abs(attitude(recording, variant) - angle).max()


def check(recordings, budget=BUDGET):
    figures = {}
    for variant, recording in recordings.items():
        place, angle = errors(recording, variant)
        figures |= {f"{variant}: error of place over depth": place, f"{variant}: error of angle [rad]": angle,
                    f"{variant}: speed at the end [m/s]": float(np.linalg.norm(recording.rigid_velocity[-1, 0])),
                    f"{variant}: angle at the end [deg]": float(np.degrees(attitude(recording, variant)[-1]))}
        # the energy of the errors of velocity keeps within the budget, so errors of the path go by its root
        share = (budget / BUDGET) ** 0.5
        if place > PLACE * share or angle > (1e-12 if variant in EVEN else ANGLE * share):
            raise CheckFailed(f"{variant}: the plate is {place:.1e} of its depth and {angle:.1e} rad off")
        if variant in EVEN and np.abs(recording.rigid_position[:, 0, :2]).max() > 1e-12:
            raise CheckFailed(f"{variant}: the plate should fall straight, it went sideways")
    if recordings["level"].time[-1] < 2.0:     # short: only what happens on the way
        return figures
    for variant in EVEN:
        if abs(figures[f"{variant}: speed at the end [m/s]"] / terminal_speed(variant) - 1) > 1e-3:
            raise CheckFailed(f"{variant}: it should have reached {terminal_speed(variant):.4g} m/s")
    for variant in WEIGHTED:
        if abs((angle := figures[f"{variant}: angle at the end [deg]"]) - 90) > 20:
            raise CheckFailed(f"{variant}: the heavy edge should lead, it is {angle:.0f} degrees down")
    along = float(recordings[WEIGHTED[1]].rigid_velocity[-1, 0, 0])
    if not 0.8 * GUST[2] < along < GUST[2]:
        raise CheckFailed(f"a wind of {GUST[2]:g} m/s should have carried the plate along, it drifts at {along:.3g} m/s")
    return figures


def draw(recordings, folder):
    from robotphi.view import graphs
    pictures = [draw_falls(recordings, folder / "falls.png")]
    time = recordings["level"].time
    angles = {variant: np.degrees(attitude(recordings[variant], variant)) for variant in recordings}
    exact = {f"_{variant}": np.degrees(planar_fall(variant, time)[1]) for variant in WEIGHTED}
    pictures.append(graphs.draw_series(folder / "angle.png", time, angles, "heavy edge down by [°]",
                                       "Drag turns a plate whose centre of mass is off its middle", references=exact))
    speeds = {variant: -recordings[variant].rigid_velocity[:, 0, 2] for variant in recordings}
    exact = {f"_{variant}": terminal_speed(variant) * np.tanh(GRAVITY * time / terminal_speed(variant)) for variant in EVEN}
    pictures.append(graphs.draw_series(folder / "speed.png", time, speeds, "downwards [m/s]",
                                       "Even plates reach v∞, the others fall edge first", references=exact))
    pictures.append(graphs.draw_ledger(recordings["heavy edge in a gust"], folder / "ledger.png"))
    return pictures


def draw_falls(recordings, path, until=1.2, interval=0.08):
    """The plates seen from the side at equal intervals, the heavy end with a dot."""
    from robotphi.view import style
    figure, panels = style.new_figure(8.0, 6.4, 1, len(recordings), sharey=True)
    for axes, (variant, recording) in zip(panels, recordings.items(), strict=True):
        light, heavy = ends(recording, variant)
        until = min(until, float(recording.time[-1]))
        frames = [recording.frame_at(time) for time in np.arange(0.0, until + 1e-9, interval)]
        for frame in frames:
            share = frame / max(frames[-1], 1)
            axes.plot(*zip(light[frame, [0, 2]], heavy[frame, [0, 2]], strict=True), color=style.BLUE, linewidth=2.0,
                      alpha=0.35 + 0.65 * share, solid_capstyle="round")
            if variant in WEIGHTED:
                axes.plot(*heavy[frame, [0, 2]], "o", color=style.RED, markersize=4, alpha=0.35 + 0.65 * share)
        style.quiet(axes, "x [m]", "z [m]" if axes is panels[0] else "", variant.replace(" in", "\nin"))
        axes.set(aspect="equal", xlim=(-0.35, 0.65), xticks=(0.0, 0.5))
    return style.save(figure, path)


if __name__ == "__main__":
    run_scenario(__file__)
