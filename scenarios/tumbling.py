"""A box, a cone and a ball of facets tumble without friction or loss, on a plane and on hills: their energy stays.

A contact force that is the gradient of an energy gives back in each hit what it took, however the body lands: on a corner, an
edge or a face, while it turns. The energy ½ m v² + ½ ω·L + m g z of all three, where all fly, is to stay within a millionth
over about a hundred hits; one alone may leave more where another one leaves the opposite.
How many there are is chance, since each hit multiplies what rounding makes of the place; but no flight may last longer than E
allows: straight up and down with all of it, from and to the lowest place of the centre, t ≤ 2 √(2 (E/m − g z_min))/g. On the
plane nothing turns them about the vertical and nothing drives them sideways.
"""
from functools import reduce

import numpy as np

from robotphi import CheckFailed, ContactMaterial, Scene, Stepping, simulate
from robotphi.discretise import moved, rigid
from robotphi.geometry import shapes
from robotphi.scenario import run_scenario

GRAVITY, DENSITY = 9.81, 1000.0                   # m/s², kg/m³
BODIES = {"box": shapes.box((0.2, 0.25, 0.3)), "cone": shapes.cone(0.15, 0.3, 12), "ball": shapes.sphere(0.15, 1)}
PLACES = {"box": (-1.2, 0.0), "cone": (0.0, 0.0), "ball": (1.2, 0.0)}   # m
SPINS = {"box": (1.0, 2.0, 0.5), "cone": (2.0, 0.3, 1.0), "ball": (0.0, 3.0, 1.0)}   # rad/s
COLOURS = {"box": "#7fa8d6", "cone": "#d9a441", "ball": "#7dbcae"}
PLANE, HILLS = VARIANTS = ("plane", "hills")
SPACING, CELLS = 0.2, 40                          # m, of the hills
BUDGET = 1e-6
QUICK = {"duration": 1.5}
FRAME = 0.01                                      # s


def hills(height):
    """(n, n) m: waves that cross; the bodies start above hollows."""
    u = SPACING * np.arange(CELLS + 1) - SPACING * CELLS / 2
    return -height * np.cos(2 * np.pi * u / 1.2)[:, None] * np.cos(2 * np.pi * u / 2.4)[None, :]


def build(variant=PLANE, drop=0.05, stiffness=2e7, height=0.08, duration=8.0, budget=BUDGET):
    """Three bodies that fall by `drop` [m] and then go on; height of the hills [m]."""
    contact = ContactMaterial(stiffness=stiffness)
    scene = Scene(f"tumbling: {variant}", duration=duration, frames=round(duration / FRAME), gravity=(0, 0, -GRAVITY),
                  stepping=Stepping(budget=budget))
    if variant == HILLS:
        low = -SPACING * CELLS / 2
        scene.add_height_field("ground", hills(height), SPACING, (low, low, 0.0), contact=contact)
    else:
        scene.add_plane("ground", contact=contact)
    for name, shape in BODIES.items():
        body = rigid(shape, density=DENSITY)
        scene.add_object(name, moved(body, (*PLACES[name], drop - body.position[:, 2].min())), contact=contact,
                         spin=SPINS[name])
    return scene


def run(drop=0.05, stiffness=2e7, height=0.08, duration=8.0, budget=BUDGET):
    return {variant: simulate(build(variant, drop, stiffness, height, duration, budget)) for variant in VARIANTS}


def flights(recording):
    """Per body (times, energies [J] of the frames in flight, how many hits, the longest flight [s])."""
    scene = build(PLANE)
    result = {}
    for i, name in enumerate(BODIES):
        mass = scene.objects[name].object.properties[0]
        climb = recording.rigid_velocity[:, i, 2]
        pushed = np.diff(climb) / np.diff(recording.time) + GRAVITY > 1e-6 * GRAVITY
        hits = int(np.sum(pushed[1:] & ~pushed[:-1]))
        free = np.flatnonzero(~(np.append(pushed, True) | np.insert(pushed, 0, False)))
        energy = (0.5 * mass * (recording.rigid_velocity[free, i] ** 2).sum(axis=1)
                  + 0.5 * (recording.rigid_spin[free, i] * recording.rigid_momentum[free, i]).sum(axis=1)
                  + mass * GRAVITY * recording.rigid_position[free, i, 2])
        ends = np.flatnonzero(np.concatenate([[True], pushed, [True]]))
        result[name] = recording.time[free], energy, hits, float(np.max(np.diff(ends)) - 1) * FRAME
    return result


def longest_flight(name, energy, lowest):
    """s: what a body may fly with an energy [J] over ground that is nowhere lower [m]."""
    shape = BODIES[name]
    solid = shape.properties(DENSITY)
    above = (shape.offsets - shape.normals @ solid.centre).min()   # m, of the centre over ground that a face lies on
    return 2 * np.sqrt(2 * (energy / solid.mass - GRAVITY * (lowest + above))) / GRAVITY


def check(recordings, height=0.08, budget=BUDGET):
    figures = {}
    for variant, recording in recordings.items():
        reference = recording.ledger["reference_energy"][-1]
        lowest = hills(height).min() if variant == HILLS else 0.0
        flown = flights(recording)
        for name, (_, energy, hits, longest) in flown.items():
            off = np.abs(energy - energy[0]).max() / reference
            allowed = longest_flight(name, energy[0], lowest)
            figures |= {f"{variant}, {name}: hits": hits, f"{variant}, {name}: change of energy": off,
                        f"{variant}, {name}: longest flight over what its energy allows": longest / allowed}
            if longest > allowed:
                raise CheckFailed(f"{variant}: the {name} flies for {longest:.3g} s, its energy allows {allowed:.3g} s")
        # promised of all three together: one alone may leave more where another one leaves the opposite
        together = reduce(np.intersect1d, [times for times, *_ in flown.values()])
        total = sum(energy[np.searchsorted(times, together)] for times, energy, *_ in flown.values())
        off = np.abs(total - total[:1]).max(initial=0.0) / reference
        figures |= {f"{variant}, all: frames in which all fly": len(together), f"{variant}, all: change of energy": off}
        if off > budget:
            raise CheckFailed(f"{variant}: the energy of all changes by {off:.1e} of it")
        figures[f"{variant}: attempts"] = recording.counts["attempts"]
        if variant == PLANE:
            about = np.abs(recording.rigid_momentum[:, :, 2] - recording.rigid_momentum[0, :, 2]).max()
            aside = np.abs(recording.rigid_velocity[:, :, :2]).max()
            figures |= {"plane: sideways [m/s]": aside, "plane: change of momentum about z [kg·m²/s]": about}
            if aside > 1e-9 or about > 1e-9:
                raise CheckFailed(f"on the plane nothing should drive them sideways, {aside:.1e} m/s, or about z, {about:.1e}")
    return figures


def draw(recordings, folder, drop=0.05, stiffness=2e7, height=0.08):
    from robotphi.view import style, touching
    pictures = []
    for variant, recording in recordings.items():
        frames = [recording.frame_at(time) for time in (0.0, 0.5, 1.0)]
        pictures.append(touching.picture_touching(
            recording, build(variant, drop, stiffness, height), folder / f"{variant}.png", frames, COLOURS,
            floor=((-2.2, -0.9), (2.2, 0.9)), view=(-0.5, -1.6, 0.9), columns=1))
    figure, panels = style.new_figure(8.0, 5.2, len(recordings), 1, sharex=True, squeeze=False)
    for axes, (variant, recording) in zip(panels[:, 0], recordings.items(), strict=True):
        reference = recording.ledger["reference_energy"][-1]
        for colour, (name, (time, energy, hits, _)) in zip(style.CYCLE, flights(recording).items(), strict=False):
            change = 1e6 * (energy - energy[0]) / reference
            axes.plot(time, change, ".", markersize=2, color=colour, label=f"{name}, {hits} hits")
        below = "time [s]" if axes is panels[-1, 0] else ""
        style.quiet(axes, below, "energy [ppm]", f"On the {variant}: change of energy in flight")
        style.legend(axes, loc="center left", bbox_to_anchor=(1.0, 0.5), markerscale=4)
    return [*pictures, style.save(figure, folder / "energy.png")]


if __name__ == "__main__":
    run_scenario(__file__)
