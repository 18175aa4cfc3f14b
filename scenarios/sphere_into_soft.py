"""A rigid sphere is pressed deep into a soft block and comes back out by the side on which it went in.

After A. Joukhadar, INRIA RR-3072 (1996), section 4.2 and figure 4.18: the contact direction is renewed from the one held so
far, so it stays on the side of entry even when the way out through the other side has become shorter. The block is held at its
left and right end. The sphere, a polyhedron, arrives at an angle, is pressed down by a constant force and then left alone. The
contact is so soft that the sphere goes in beyond the middle of the block.

* way back: how far the sphere would have to move to be clear of the block by the side of entry, way through: by the other
  side; both from the block's surface as it then is. Whoever pushed the sphere out by the shorter way would push it through.
* Between one step and the next the direction turns a little; what that does to the stored energy is the ledger's entry
  contact_direction. It is no force's work, and of first order in the step: a quarter of the step leaves far less of it.
* Contact acts on both equally: the pressure on the sphere is the rate of its momentum less the force that presses it.
"""
import numpy as np

from robotphi import CheckFailed, ContactMaterial, Drive, Scene, Stepping, simulate
from robotphi.discretise import Material, deformable, discretise, rigid
from robotphi.geometry.shapes import box, sphere
from robotphi.scenario import run_scenario

SIZE, RADIUS, MASS = (0.3, 0.3, 0.06), 0.05, 0.5      # m, m, kg
START, SPEED = (-0.01, 0.005, 0.052), (0.5, 0.0, -1.0)    # m, m/s
LET_GO, OUT = 0.15, 0.45                              # s; by then it is free again
MAIN = "adaptive"
SPHERE = (0.93, 0.80, 0.58)                           # red, green, blue
QUICK = {"duration": 0.3, "frames": 60, "coarse": 2e-4}


def build(cells=6, subdivisions=1, young=2e5, stiffness=2.5e5, press=52.0, friction=0.0, duration=OUT, frames=90, budget=1e-4,
          dt=None):
    """The block with its top at z = 0, the sphere about to touch it; `dt` takes fixed steps."""
    stepping = Stepping(budget=budget) if dt is None else Stepping(control="fixed", dt=dt)
    scene = Scene("sphere into soft", duration=duration, frames=frames, gravity=(0, 0, 0), stepping=stepping)
    surface = ContactMaterial(stiffness=stiffness, restitution=0.5, speed=1.0, friction=friction)
    matter = Material(young=young, density=1000.0, damping_ratio=0.1)
    block = deformable(discretise(box(SIZE, centre=(0, 0, -SIZE[2] / 2)), counts=(cells, cells, 2)), matter)
    scene.add_object("block", block, support={"left": "xyz", "right": "xyz"}, contact=surface)
    solid = sphere(RADIUS, subdivisions).transformed(shift=START)
    placed = scene.add_object("sphere", rigid(solid, mass=MASS), velocity=SPEED, contact=surface)
    scene.add_force("press", placed.rigids[0], (0, 0, -press), Drive.steps([0.0, LET_GO], [1.0, 0.0]))
    return scene


def run(cells=6, subdivisions=1, young=2e5, stiffness=2.5e5, press=52.0, friction=0.0, duration=OUT, frames=90, budget=1e-4,
        coarse=1e-4):
    """In and out again under the ledger; then in at two fixed steps."""
    knobs = {"cells": cells, "subdivisions": subdivisions, "young": young, "stiffness": stiffness, "press": press,
             "friction": friction}
    recordings = {MAIN: simulate(build(**knobs, duration=duration, frames=frames, budget=budget))}
    for dt in (coarse, coarse / 4):
        recordings[f"steps of {dt:g} s"] = simulate(build(**knobs, duration=LET_GO, frames=30, dt=dt))
    return recordings


def ways(recording, scene):
    """Way back and way through [m] over time, (f,) each: along z, over the block's surface near the sphere."""
    placed = scene.objects["block"]
    rest = scene.position[placed.particles]
    top, bottom = (placed.particles[np.abs(rest[:, 2] - level) < 1e-9] for level in (0.0, -SIZE[2]))
    lowest = recording.position[:, scene.objects["sphere"].particles, 2].min(axis=1)
    highest = recording.position[:, scene.objects["sphere"].particles, 2].max(axis=1)
    centre = recording.rigid_position[:, 0]

    def level(rows, choose):
        """Height of the particles of a face that lie within a radius of the sphere's axis, the nearest at least."""
        away = np.linalg.norm(recording.position[:, rows, :2] - centre[:, None, :2], axis=2)
        near = away <= np.maximum(RADIUS, away.min(axis=1, keepdims=True))
        return choose(np.where(near, recording.position[:, rows, 2], -choose(np.array([-np.inf, np.inf]))), axis=1)

    return level(top, np.max) - lowest, highest - level(bottom, np.min)


def pressures(recording):
    """Force of the pressure on the sphere [N] over time, (f, 3), and the angle of the contact direction to z [rad], (f,).

    The angle is not a number where nothing touches.
    """
    force, angle = np.zeros((len(recording), 3)), np.full(len(recording), np.nan)
    for frame in range(len(recording)):
        found = recording.contacts(frame)
        if len(found.first):
            sign = 1.0 if found.first_owner[0] == "sphere" else -1.0
            force[frame] = sign * (found.normal[0] + found.friction[0])
            angle[frame] = np.arccos(np.clip(sign * found.direction[0, 2], -1.0, 1.0))
    return force, angle


def directed(recording):
    """Largest |contact_direction| in any frame [J]."""
    return float(np.abs(recording.ledger["contact_direction"]).max())


def check(recordings, cells=6, subdivisions=1):
    main, (coarse, fine) = recordings[MAIN], [each for name, each in recordings.items() if name != MAIN]
    scene = build(cells, subdivisions)
    back, through = ways(main, scene)
    deepest = int(back.argmax())
    force, angle = pressures(main)
    touching = np.isfinite(angle)
    energy = main.ledger["reference_energy"][-1]
    figures = {"deepest at [s]": main.time[deepest], "way back by the side of entry [m]": back[deepest],
               "way through by the other side [m]": through[deepest],
               "frames in which the way through is shorter": int((through < back)[touching].sum()),
               "largest angle of the contact direction to the vertical [deg]": np.degrees(angle[touching].max()),
               "least upward pressure on the sphere in touch [N]": force[touching, 2].min(),
               "largest upward pressure on the sphere [N]": force[:, 2].max(),
               "height of the sphere at the end [m]": main.rigid_position[-1, 0, 2],
               "speed upwards at the end [m/s]": main.rigid_velocity[-1, 0, 2],
               "contact_direction [J]": directed(main), "contact_direction over the largest energy": directed(main) / energy,
               "contact_direction at the coarse step [J]": directed(coarse),
               "contact_direction at a quarter of it [J]": directed(fine)}
    if not through[deepest] < back[deepest]:
        raise CheckFailed(f"the sphere should have gone in beyond the middle: {back[deepest]:.4f} m back and "
                          f"{through[deepest]:.4f} m through")
    if not np.nanmax(angle) < np.radians(60):
        raise CheckFailed(f"the contact direction left the side of entry: {np.degrees(np.nanmax(angle)):.0f} degrees off")
    if not directed(main) < 1e-4 * energy:
        raise CheckFailed(f"the turning of the contact direction made {directed(main):.1e} J of {energy:.3g} J")
    # first order: a quarter; single turns of the direction fall differently into the steps
    if not directed(fine) < 0.5 * directed(coarse):
        raise CheckFailed(f"contact_direction is {directed(coarse):.1e} J at the coarse step and {directed(fine):.1e} J at a "
                          "quarter of it; it should fall with the step")
    if main.time[-1] >= OUT - 1e-9 and not (back[-1] < 0 < main.rigid_velocity[-1, 0, 2]):
        raise CheckFailed("the sphere should have come out by the side of entry")
    return figures


def draw(recordings, folder, cells=6, subdivisions=1):
    from robotphi.view import graphs, style
    main, scene = recordings[MAIN], build(cells, subdivisions)
    back, through = ways(main, scene)
    pictures = [draw_cuts(main, scene, back, folder / "cuts.png")]
    figure, (upper, lower) = style.new_figure(7.2, 5.4, 2, 1, sharex=True)
    upper.plot(main.time, 1e3 * back, color=style.BLUE, linewidth=1.6, label="way back, by the side of entry")
    upper.plot(main.time, 1e3 * through, color=style.RED, linewidth=1.6, label="way through, by the other side")
    upper.fill_between(main.time, 0, 1, where=through < back, color=style.AMBER, alpha=0.25, linewidth=0,
                       transform=upper.get_xaxis_transform())   # from below to above
    style.quiet(upper, "", "way out [mm]", "It is pushed back by the way it came, though the other is shorter (amber)")
    style.legend(upper)
    lower.plot(main.time, pressures(main)[0][:, 2], color=style.BLUE, linewidth=1.6, label="pressure on the sphere, upwards")
    lower.axvline(LET_GO, color=style.GREY, linewidth=1.0, linestyle=(0, (4, 3)))
    lower.text(LET_GO, 0.5 * lower.get_ylim()[1], " let go", color=style.GREY, fontsize=9)
    style.quiet(lower, "time [s]", "force [N]")
    style.legend(lower)
    pictures.append(style.save(figure, folder / "ways.png"))
    turned = {name: (each.time, np.maximum(np.abs(each.ledger["contact_direction"]), 1e-12))
              for name, each in recordings.items() if name != MAIN}
    pictures.append(graphs.draw_series(folder / "direction.png", None, turned, "|contact direction| [J]",
                                       "Energy made by the turning of the direction falls with the step", log=True))
    pictures.append(graphs.draw_ledger(main, folder / "ledger.png"))
    return pictures


def draw_cuts(recording, scene, back, path):
    """The block cut open through the sphere's path, the sphere whole, at five instants."""
    from robotphi.geometry import Mesh
    from robotphi.view import solids
    from robotphi.view.bodies import body_of, cut_open, displacement
    placed, ball = scene.objects["block"], scene.objects["sphere"]
    thing = placed.object
    half = body_of(cut_open(Mesh(thing.position, {kind: rows[:, :8] for kind, rows in thing.cells.items()}), (0, -1, 0),
                            (0, 1e-6, 0)))
    body = half._replace(**{name: placed.particles[rows] for name, rows in half._asdict().items() if name != "rest"})
    deepest = int(back.argmax())
    first, last = int(np.argmax(back > 0)), len(recording) - 1
    out = next((frame for frame in range(deepest, last) if back[frame] < 0), last)
    chosen = np.unique([0, (first + deepest) // 2, deepest, (deepest + out) // 2, out])
    facets = ball.particles[ball.object.facets]
    skin = np.tile(SPHERE, (len(facets), 1))
    panels = [solids.Panel(body, recording.position[frame], 1e3 * displacement(recording.position[frame], scene.position),
                           f"t = {recording.time[frame]:.3f} s",
                           scenery=(solids.Scenery(recording.position[frame], facets, skin),)) for frame in chosen]
    most = max(panel.value[placed.particles].max() for panel in panels)
    return solids.picture_solids(panels, path, label="displacement of the block [mm]", view=(0.15, -1.0, 0.22), width=13.0,
                                 columns=5, limits=(0, most), heading="Pressed into a soft block, here cut open, and let go")


if __name__ == "__main__":
    run_scenario(__file__)
