"""Six cloths pulled up in the middle: what linear and angular springs, their stiffness and their viscosity each do.

After A. Joukhadar, INRIA RR-3072 (1996), figures 2.8 to 2.13. A square cloth is held at its corners, its border glides on a
table, its middle is lifted and the rest sinks under its weight.

* both kinds of springs: the same bump along both axes;
* angular stiffness that differs per axis, the same lift: it bends less along the stiffer axis;
* no angular springs: limp, flat facets that meet in sharp folds;
* angular viscosity without stiffness: as limp, but neighbours turn together;
* no linear springs: it stretches as it likes, and neighbours run apart;
* linear viscosity without stiffness: it still stretches, but neighbours keep together.

The report tells what is seen; the check puts a number on each of these sentences. The first four are shown at rest. A
cloth without linear stiffness has no rest, its particles drift along it without limit: the last two are shown after the lift.
"""
import numpy as np

from robotphi import CheckFailed, Drive, Scene, Stepping, simulate
from robotphi.scenario import run_scenario

SIDE, MASS, HEIGHT, RISE = 1.0, 1.0, 0.3, 0.15      # m, kg, m, s
LINEAR, ANGULAR = 500.0, 0.03                        # N/m, N·m/rad
SLOW = 0.004                                         # s, viscosity over stiffness of linear springs
TURNING = 2e-3                                       # N·m·s/rad
VARIANTS = {  # name → linear stiffness and viscosity, angular stiffness along both axes, angular viscosity
    "both springs": (LINEAR, SLOW * LINEAR, (ANGULAR, ANGULAR), TURNING),
    "angular stiffness per axis": (LINEAR, SLOW * LINEAR, (30 * ANGULAR, ANGULAR), TURNING),
    "no angular springs": (LINEAR, SLOW * LINEAR, (0.0, 0.0), 0.0),
    "angular viscosity only": (LINEAR, SLOW * LINEAR, (0.0, 0.0), TURNING),
    "no linear springs": (0.0, 0.0, (ANGULAR, ANGULAR), TURNING),
    "linear viscosity only": (0.0, SLOW * LINEAR, (ANGULAR, ANGULAR), TURNING),
}
AFTER_LIFT = 0.2                                     # s, when cloths without linear stiffness are shown
QUICK = {"size": 9, "duration": 0.3, "frames": 60}


def build(variant="both springs", size=21, duration=2.5, frames=500, budget=1e-4):
    stiffness, viscosity, bending, turning = VARIANTS[variant]
    if not stiffness and duration > AFTER_LIFT:
        frames, duration = round(frames * AFTER_LIFT / duration), AFTER_LIFT
    scene = Scene(f"cloth study: {variant}", duration=duration, frames=frames, stepping=Stepping(budget=budget))
    p = add_cloth(scene, size)
    if stiffness or viscosity:
        for name, first, second in (("along", p[:-1], p[1:]), ("across", p[:, :-1], p[:, 1:])):
            scene.add_linear(name, first.ravel(), second.ravel(), stiffness, viscosity)
    for name, own, triple in (("bends along", bending[0], (p[:-2], p[1:-1], p[2:])),
                              ("bends across", bending[1], (p[:, :-2], p[:, 1:-1], p[:, 2:]))):
        if own or turning:
            scene.add_angular(name, *(each.ravel() for each in triple), own, turning, rest_angle=np.pi)
    return scene


def add_cloth(scene, size):
    """The particles: corners held, border on the table, the middle lifted; their indices (size, size)."""
    line = np.linspace(-SIDE / 2, SIDE / 2, size)
    x, y = np.meshgrid(line, line, indexing="ij")
    on_x, on_y = np.abs(x) == SIDE / 2, np.abs(y) == SIDE / 2
    # a tenth of a millimetre of unevenness: a cloth that is flat to the last bit would not know to which side to fold
    z = np.where(on_x | on_y, 0.0, 1e-4 * np.random.default_rng(1996).uniform(-1, 1, (size, size)))
    support = np.where(on_x & on_y, "xyz", np.where(on_x | on_y, "z", "")).ravel()
    positions = np.stack([x, y, z], axis=2).reshape(-1, 3)
    middle = len(positions) // 2
    positions[middle, 2] = 0.0
    share = np.linspace(0, 1, 41)
    lift = Drive.table(RISE * share, HEIGHT * share ** 2 * (3 - 2 * share), kind="cubic")
    mass = MASS / size ** 2
    before = scene.add_particles("before", positions[:middle], mass, support=list(support[:middle]))
    scene.add_particle("middle", positions[middle], mass, support="xy", drive={"z": lift})
    after = scene.add_particles("after", positions[middle + 1:], mass, support=list(support[middle + 1:]))
    return np.concatenate([before, [middle], after]).reshape(size, size)


def run(size=21, duration=2.5, frames=500):
    return {variant: simulate(build(variant, size, duration, frames)) for variant in VARIANTS}


# --- what is seen, as numbers --------------------------------------------------------------------------------------
def grid(values):
    """(…, n, 3) as (…, size, size, 3)."""
    size = round(np.sqrt(values.shape[-2]))
    return values.reshape(*values.shape[:-2], size, size, 3)


def bends(position, axis):
    """Bend at the inner particles of the grid lines along an axis [rad]."""
    arms = np.diff(grid(position), axis=axis)
    count = arms.shape[axis]
    first, second = np.take(arms, range(count - 1), axis), np.take(arms, range(1, count), axis)
    return np.arctan2(np.linalg.norm(np.cross(first, second), axis=-1), (first * second).sum(-1))


def root_mean_square(*arrays):
    return float(np.sqrt(np.mean(np.concatenate([np.ravel(each) ** 2 for each in arrays]))))


def away_from_middle(angles):
    """Bends without those at and beside the lifted particle, where every cloth has a tip."""
    rows, columns = angles.shape
    keep = np.ones(angles.shape, bool)
    keep[rows // 2 - 1:rows // 2 + 2, columns // 2 - 1:columns // 2 + 2] = False
    return angles[keep]


def sharpest_fold(position):
    """Mean of the sharpest twentieth of all bends [rad]."""
    all_bends = np.sort(np.concatenate([away_from_middle(bends(position, axis)) for axis in (0, 1)]))
    return float(all_bends[-len(all_bends) // 20:].mean())


def roughness(position):
    """Median change of the height's curvature from particle to particle, over a cell's side: of the cloth, not of its tip."""
    z = grid(position)[..., 2]
    thirds = np.concatenate([np.diff(z, 3, axis=axis).ravel() for axis in (0, 1)])
    return float(np.median(np.abs(thirds))) * (len(z) - 1) / SIDE


def neighbour_speed(recording, until):
    """Root mean square velocity of neighbours relative to each other up to an instant [m/s]."""
    velocity = grid(recording.velocity[recording.time <= until + 1e-9])
    return root_mean_square(*(np.diff(velocity, axis=axis) for axis in (1, 2)))


def stretch(position):
    """Longest side of a cell over its first length."""
    sides = [np.linalg.norm(np.diff(grid(position), axis=axis), axis=-1) for axis in (0, 1)]
    return max(float(each.max()) for each in sides) * (len(sides[0])) / SIDE


def seen(recordings):
    """The figures by which the six differ."""
    last = {name: each.position[-1] for name, each in recordings.items()}
    figures = {}
    for name in ("both springs", "angular stiffness per axis"):
        figures[f"{name}: bends along x over along y"] = \
            root_mean_square(away_from_middle(bends(last[name], 0))) / root_mean_square(away_from_middle(bends(last[name], 1)))
    for name in ("both springs", "no angular springs", "angular viscosity only"):
        figures[f"{name}: sharpest folds [rad]"] = sharpest_fold(last[name])
    for name in ("no angular springs", "angular viscosity only"):
        figures[f"{name}: roughness"] = roughness(last[name])
    for name in ("both springs", "no linear springs", "linear viscosity only"):
        figures[f"{name}: longest side over its first length"] = stretch(last[name])
    for name in ("no angular springs", "angular viscosity only", "no linear springs", "linear viscosity only"):
        figures[f"{name}: speed of neighbours [m/s]"] = neighbour_speed(recordings[name], AFTER_LIFT)
    return figures


def check(recordings, size=21):
    figures = seen(recordings)
    if size < 15:          # too coarse for folds: only that it ran
        return figures

    def expect(small, factor, large, sentence):
        if not figures[small] < factor * figures[large]:
            raise CheckFailed(f"{sentence}, but {small} is {figures[small]:.3g} and {large} is {figures[large]:.3g}")

    even, uneven = (f"{name}: bends along x over along y" for name in ("both springs", "angular stiffness per axis"))
    if abs(figures[even] - 1) > 0.05:
        raise CheckFailed(f"equal angular stiffness should bend both axes alike, but the ratio is {figures[even]:.3f}")
    expect(uneven, 0.8, even, "the stiffer axis should bend less")
    for limp in ("no angular springs", "angular viscosity only"):
        expect("both springs: sharpest folds [rad]", 0.5, f"{limp}: sharpest folds [rad]",
               "without angular stiffness a cloth is limp")
    expect("angular viscosity only: roughness", 0.5, "no angular springs: roughness",
           "angular viscosity should smooth the cloth")
    expect("both springs: longest side over its first length", 0.5, "no linear springs: longest side over its first length",
           "without linear springs the cloth should stretch freely")
    for viscous, free in (("angular viscosity only", "no angular springs"), ("linear viscosity only", "no linear springs")):
        expect(f"{viscous}: speed of neighbours [m/s]", 0.75, f"{free}: speed of neighbours [m/s]",
               "viscosity should keep neighbours together")
    return figures


def shaded(x, y, z, light=(-0.5, -0.6, 0.75)):
    """Colours of the cells of a surface, light where they face the light."""
    from matplotlib.colors import LinearSegmentedColormap
    corner = np.stack([x, y, z], axis=-1)
    across = np.cross(corner[1:, 1:] - corner[:-1, :-1], corner[:-1, 1:] - corner[1:, :-1])
    facing = across @ np.array(light) / np.linalg.norm(across, axis=-1) / np.linalg.norm(light)
    colours = LinearSegmentedColormap.from_list("cloth", ["#1d3d63", "#4f86c0", "#f2f7fd"])
    return colours(np.clip(0.5 + 0.5 * facing, 0, 1) ** 1.8)


def draw(recordings, folder):
    from robotphi.view import graphs, style
    figure, panels = style.new_figure(12.0, 6.2, 2, 3, subplot_kw={"projection": "3d"})
    for axes, (name, recording) in zip(panels.flat, recordings.items(), strict=True):
        x, y, z = np.moveaxis(grid(recording.position[-1]), 2, 0)
        surface = axes.plot_surface(x, y, z, facecolors=shaded(x, y, z), rstride=1, cstride=1, linewidth=0.25,
                                    edgecolor="#2c4a6b", shade=False)
        surface.set_clip_on(False)
        axes.set(xlim=(-0.5, 0.5), ylim=(-0.5, 0.5), zlim=(-0.15, HEIGHT))
        axes.set_box_aspect((1, 1, HEIGHT + 0.15), zoom=1.4)
        axes.view_init(24, -58)
        axes.set_axis_off()
        axes.set_title(f"{name}, t = {recording.time[-1]:g} s", color=style.INK, fontsize=11, loc="left")
    pictures = [style.save(figure, folder / "six_cloths.png")]
    speeds = {name: (each.time[early], np.sqrt(np.mean(each.velocity[early] ** 2, axis=(1, 2))))
              for name, each in recordings.items() for early in [each.time <= 0.6]}
    pictures.append(graphs.draw_series(folder / "speeds.png", None, speeds, "root mean square speed [m/s]",
                                       "Six cloths: lifted until 0.15 s, then left alone"))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
