"""A soft finger with a chamber over a stiff sole bends as air is pumped into it: a given pressure, and a gas of given amount.

The chamber is a hole in the finger, whose walls are pushed by p ∂V/∂x (robotphi/kernels/acts/pressure.py). Small pressures bend
it as the linear statics K u = p ∂V/∂x of its springs at rest say; a beam of its section, with the moment p × (area of the
chamber) × (its height over the neutral axis), is told beside it (Euler). A sealed gas at one temperature keeps p V = N n R T
while it is pumped up, N the share of n that is there. A virtual damping of every particle brings it to rest.
"""
import numpy as np

from robotphi import CheckFailed, Drive, Scene, Stepping, simulate
from robotphi.discretise import Material, deformable, facets_of, in_box, name_facets, name_region, on_plane
from robotphi.discretise.matter.stiffness import solve, stiffness_matrix
from robotphi.geometry.mesh import Mesh
from robotphi.scenario import run_scenario

X = np.linspace(0.0, 0.06, 25)                                         # m, of the cells, at most twice as long as wide
Y, Z = np.array([0.0, 0.002, 0.006, 0.01, 0.012]), np.array([0.0, 0.002, 0.0055, 0.009, 0.011])
CHAMBER = ((0.0025, 0.002, 0.002), (0.0575, 0.01, 0.009))               # m, its corners
YOUNG, SOLE, DENSITY, OUTSIDE = 3e5, 4e6, 1100.0, 1e5                  # Pa, Pa, kg/m³, Pa
SMALL, LARGE, INSIDE, FILLED = 500.0, 3e4,   1.02e5, 1.6               # Pa, Pa, Pa, share of the air at the start
FIRST, CALM = 0.1, 40.0                                                # share of the pressure at the start; 1/s
PUMPED = 0.15                                                          # s
VARIANTS = ("small", "large", "sealed")
QUICK = {"duration": 0.02, "frames": 20}


def finger():
    """The Object: hexahedra without those of the chamber, whose walls are the region of facets "chamber"."""
    number = np.arange(len(X) * len(Y) * len(Z)).reshape(len(X), len(Y), len(Z))
    low, high = number[:-1, :-1, :-1], number[1:, 1:, 1:]
    corners = [low, number[1:, :-1, :-1], number[1:, 1:, :-1], number[:-1, 1:, :-1],
               number[:-1, :-1, 1:], number[1:, :-1, 1:], high, number[:-1, 1:, 1:]]
    cells = np.stack(corners, axis=-1)
    there = np.ones(cells.shape[:3], bool)
    there[1:-1, 1:-1, 1:-1] = False
    points = np.stack(np.meshgrid(X, Y, Z, indexing="ij"), axis=-1).reshape(-1, 3)
    sole = np.flatnonzero((np.indices(there.shape)[2] == 0)[there])
    used, corner = np.unique(cells[there], return_inverse=True)   # none within the chamber
    mesh = Mesh(points[used], {"hexahedron": corner.reshape(-1, 8)}, cell_regions={"sole": {"hexahedron": sole}})
    rubber, strip = (Material(young=young, density=DENSITY) for young in (YOUNG, SOLE))
    thing = deformable(mesh, rubber, way="corners", materials={"sole": strip})
    thing = name_facets(thing, "chamber", facets_of(thing, in_box(thing, *CHAMBER)))
    thing = name_region(thing, "root", on_plane(thing, (X[0], 0, 0), (1, 0, 0)))
    return name_region(thing, "tip", on_plane(thing, (X[-1], 0, 0), (1, 0, 0)))


def build(variant="large", duration=0.6, frames=120, budget=1e-4):
    scene = Scene(f"pneumatic finger: {variant}", duration=duration, frames=frames, gravity=(0, 0, 0),
                  stepping=Stepping(budget=budget))
    placed = scene.add_object("finger", finger(), support={"root": "xyz"})
    if variant == "sealed":
        scene.add_pressure("air", placed, gas="isothermal", inside=INSIDE, outside=OUTSIDE, facets="chamber",
                           filling=Drive.table([0.0, PUMPED], [1.0, FILLED]))
    else:
        most = SMALL if variant == "small" else LARGE
        scene.add_pressure("air", placed, pressure=Drive.table([0.0, PUMPED], [FIRST * most, most]), facets="chamber")
    scene.add_pull("calm", placed.particles, (0, 0, 0), damping=CALM * placed.object.mass)
    for what in ("pressure", "volume"):
        scene.add_sensor(what, what, "air")
    return scene


def run(duration=0.6, frames=120, budget=1e-4):
    return {variant: simulate(build(variant, duration, frames, budget)) for variant in VARIANTS}


def tip_of(position, thing):
    """(…, 3) m, the middle of the tip, and (…,) rad, how far its face has turned towards the sole."""
    rows = thing.region("tip")
    face = position[..., rows, :]
    upper, lower = (face[..., side, :].mean(axis=-2) for side in (thing.position[rows, 2] == z for z in (Z[-1], Z[0])))
    up = upper - lower
    return face.mean(axis=-2), np.arctan2(up[..., 0], up[..., 2])


def linear(thing, pressure):
    """(n, 3) m, K u = p ∂V/∂x with the root held."""
    rows = thing.facets[thing.facet_regions["chamber"]]
    corners, force = thing.position[rows], np.zeros_like(thing.position)
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2.0
    for column in rows.T:
        np.add.at(force, column, -pressure * area / 3.0)   # the facets look into the chamber
    held = np.zeros(thing.position.shape, bool)
    held[thing.region("root")] = True
    return solve(stiffness_matrix(thing), force.reshape(-1, 1), held.ravel()).reshape(-1, 3)


def beam_angle(pressure):
    """rad, the turn of the tip of a beam of the section within the chamber: p A e L/(E I)."""
    low, high = np.array(CHAMBER)
    strips = [(YOUNG, *Y[[0, -1]], *Z[[1, -1]], 1.0), (YOUNG, low[1], high[1], low[2], high[2], -1.0),
              (SOLE, *Y[[0, -1]], *Z[:2], 1.0)]
    first = [sign * e * (b - a) * (d - c) for e, a, b, c, d, sign in strips]
    middle = sum(f * (c + d) / 2 for f, (*_, c, d, _) in zip(first, strips, strict=True)) / sum(first)
    bending = sum(f * ((d - c)**2 / 12 + ((c + d) / 2 - middle)**2) for f, (*_, c, d, _) in zip(first, strips, strict=True))
    area = (high[1] - low[1]) * (high[2] - low[2])
    return pressure * area * ((low[2] + high[2]) / 2 - middle) * (high[0] - low[0]) / bending


def check(recordings, duration=0.6):
    thing, figures = finger(), {}
    for variant, recording in recordings.items():
        middle, angle = tip_of(recording.position, thing)
        pressure, volume = recording.sensors["pressure"], recording.sensors["volume"]
        ledger = {name: values[-1] - values[0] for name, values in recording.ledger.items()}
        figures |= {f"{variant}: pressure in the end [Pa]": float(pressure[-1]),
                    f"{variant}: turn of the tip [rad]": float(angle[-1]),
                    f"{variant}: growth of the chamber": float(volume[-1] / volume[0] - 1.0),
                    f"{variant}: work of pressure or filling [J]": float(ledger["work:air"])}
        if variant == "sealed":
            amount = np.interp(recording.time, [0.0, PUMPED], [1.0, FILLED])
            off = float(np.abs((pressure + OUTSIDE) * volume / (amount * INSIDE * volume[0]) - 1.0).max())
            figures["sealed: p V/(N n R T) - 1"] = off
            if off > 1e-12:
                raise CheckFailed(f"sealed: p V differs from N n R T by the part {off:.1e}")
        else:
            pumped = float(np.sum(0.5 * (pressure[1:] + pressure[:-1]) * np.diff(volume)))
            figures[f"{variant}: integral of p dV over the frames [J]"] = pumped
            if duration >= 0.6 and abs(pumped - ledger["work:air"]) > 1e-3 * abs(pumped):   # by trapezoids of 120 frames
                raise CheckFailed(f"{variant}: the pump gave {ledger['work:air']:.4g} J, ∫ p dV is {pumped:.4g} J")
        if duration < 0.6:
            continue
        late = recording.frame_at(recording.time[-1] - 0.05)
        creep = float(np.linalg.norm(middle[-1] - middle[late])) / 0.05
        figures[f"{variant}: speed of the tip in the end [m/s]"] = creep
        bent = float(np.linalg.norm(middle[-1] - middle[0]))
        if creep > 0.02 * bent:
            raise CheckFailed(f"{variant}: in the end the tip should rest, it goes {creep:.1e} m/s")
        if variant == "small":
            there = linear(thing, SMALL)
            wanted = tip_of(thing.position + there, thing)
            off = float(np.linalg.norm(middle[-1] - wanted[0])) / bent
            figures |= {"small: tip off the linear statics, share of its way": off,
                        "small: turn of the tip by linear statics [rad]": float(wanted[1]),
                        "small: turn of a beam [rad]": float(beam_angle(SMALL))}
            if off > 0.03:   # it turns by some 0.02 rad, of which the moment's lever and its arms see as much
                raise CheckFailed(f"small: the tip is {off:.3f} of its way off the linear statics")
        elif not angle[-1] > 10.0 * figures["small: turn of the tip [rad]"] > 0.0:
            raise CheckFailed(f"{variant}: the finger should bend to its sole, its tip turned by {angle[-1]:.2f} rad")
    return figures


def draw(recordings, folder):
    from robotphi.view import graphs, style
    thing = finger()
    rows = [np.flatnonzero(np.isclose(thing.position[:, 1], Y[0]) & np.isclose(thing.position[:, 2], z)) for z in Z]
    figure, panels = style.new_figure(9.0, 3.8, 1, 2, sharey=True)
    for axes, variant in zip(panels, ("large", "sealed"), strict=True):
        recording = recordings[variant]
        shown = np.unique([recording.frame_at(t) for t in (0.0, PUMPED / 2, PUMPED, recording.time[-1])])
        for at, shade in zip(shown, np.linspace(0.25, 1.0, len(shown)), strict=True):
            side = 1e3 * recording.position[at][:, [0, 2]]
            for line, colour in zip(rows, (style.RED, *[style.BLUE] * (len(Z) - 1)), strict=True):
                axes.plot(*side[line].T, color=colour, alpha=shade, linewidth=1.6)
            for column in zip(*rows, strict=True):
                axes.plot(*side[list(column)].T, color=style.BLUE, alpha=0.6 * shade, linewidth=0.8)
        axes.set_aspect("equal")
        reached = f"{recording.sensors['pressure'][-1] / 1e3:.0f} kPa, {'given' if variant == 'large' else 'sealed air'}"
        style.quiet(axes, "x [mm]", "z [mm]" if variant == "large" else "", reached)
    pictures = [style.save(figure, folder / "finger.png")]
    recording = recordings["sealed"]
    figure, panels = style.new_figure(7.2, 5.4, 3, 1, sharex=True)
    curves = {"pressure [kPa]": recording.sensors["pressure"] / 1e3, "volume [cm³]": recording.sensors["volume"] * 1e6,
              "turn of the tip [rad]": tip_of(recording.position, thing)[1]}
    for axes, (what, values), colour in zip(panels, curves.items(), style.CYCLE[:3], strict=True):
        axes.plot(recording.time, values, color=colour, linewidth=1.6)
        style.quiet(axes, "time [s]" if axes is panels[-1] else "", what,
                    "Air is pumped in until 0.15 s" if axes is panels[0] else "")
        axes.margins(x=0)
    pictures.append(style.save(figure, folder / "sealed.png"))
    pictures.append(graphs.draw_ledger(recordings["large"], folder / "ledger.png"))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
