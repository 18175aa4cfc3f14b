"""A cloth with a thickness falls on a ball, drapes in folds, and comes to rest; nothing passes through.

Every vertex of the cloth is felt by the ball and the table from half its thickness on and rubs by itself; the cloth's facets
are felt by its own vertices (`self_contact`), so that folds that meet lie on each other. What is to be seen:

* the middle surface stays outside the ball, between the vertices as well, and no edge of the cloth passes through one of its
  facets in any frame: it goes neither through the ball nor through itself.
* in the end ball and table together carry the cloth's weight; how fast it still moves is told.
* the ledger closes within the budget, hits, folds and friction included.

Contact acts at the vertices: folds sharper than the cells let edges cross between them. With bending=1e-4 they do for moments.
"""
import numpy as np

from robotphi import CheckFailed, ContactMaterial, Scene, Stepping
from robotphi.discretise import Material, sheet
from robotphi.geometry import Mesh
from robotphi.scenario import run_scenario

RADIUS, DROP = 0.1, 0.03                          # m
AWAY = (0.013, 0.007)                             # m, middle of the cloth off the ball's
GRAVITY = 9.81                                    # m/s²
LONG = 1.5                                        # s, until it rests
QUICK = {"duration": 0.3, "frames": 30}


def cloth(cells, side, thickness, young, bending):
    """The Object: a square of quadrilaterals at the height from which it falls."""
    line = np.linspace(-side / 2, side / 2, cells + 1)
    points = np.zeros((cells + 1, cells + 1, 3))
    points[..., 0], points[..., 1] = np.meshgrid(line + AWAY[0], line + AWAY[1], indexing="ij")
    points[..., 2] = 2 * RADIUS + thickness / 2 + DROP
    number = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
    fabric = Material(young=young, density=200.0, damping_ratio=0.1)
    return sheet(Mesh(points.reshape(-1, 3), {"quad": quads}), fabric, thickness, bending_stiffness=bending)


def build(cells=20, side=0.5, thickness=0.006, young=7e4, bending=4e-4, friction=0.4, stiffness=2e6, duration=LONG, frames=75,
          budget=1e-4):
    """The ball, held on a table, and the cloth above it; `bending` is D [N·m]."""
    scene = Scene("cloth on sphere", duration=duration, frames=frames, stepping=Stepping(budget=budget),
                  gravity=(0, 0, -GRAVITY))
    surface = ContactMaterial(stiffness=stiffness, friction=friction)   # what hits lose, the fabric takes
    scene.add_object("cloth", cloth(cells, side, thickness, young, bending), contact=surface, self_contact=True)
    scene.add_ball("ball", (0, 0, RADIUS), RADIUS, contact=surface, support="xyz", rotation_support="xyz")
    scene.add_plane("table", contact=surface)
    return scene


# --- what passes through what ----------------------------------------------------------------------------------------
def nearest_to(point, corners):
    """(f,) distances of triangles (f, 3, 3) from a point."""
    distances = [np.full(len(corners), np.inf)]
    for i in range(3):
        a, along = corners[:, i], corners[:, (i + 1) % 3] - corners[:, i]
        share = np.clip(np.einsum("fx,fx->f", point - a, along) / np.einsum("fx,fx->f", along, along), 0.0, 1.0)
        distances.append(np.linalg.norm(a + share[:, None] * along - point, axis=1))
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    above = np.einsum("fx,fx->f", point - corners[:, 0], normal) / np.linalg.norm(normal, axis=1)
    over = np.ones(len(corners), bool)
    for i in range(3):
        side = np.cross(corners[:, (i + 1) % 3] - corners[:, i], point - corners[:, i])
        over &= np.einsum("fx,fx->f", side, normal) >= 0.0
    distances.append(np.where(over, np.abs(above), np.inf))
    return np.min(distances, axis=0)


def crossings(position, facets, edges):
    """How many edges pass through a facet with which they share no vertex."""
    start, end, corners = position[edges[:, 0]], position[edges[:, 1]], position[facets]
    low, high = np.minimum(start, end), np.maximum(start, end)
    near = ((low[:, None] <= corners.max(axis=1)) & (high[:, None] >= corners.min(axis=1))).all(axis=2)
    near &= ~(edges[:, None, :, None] == facets[None, :, None, :]).any(axis=(2, 3))
    e, f = np.nonzero(near)
    a, b, (u, v, w) = start[e], end[e], np.moveaxis(corners[f], 1, 0)

    def volume(p, q, r, s):
        return np.einsum("kx,kx->k", np.cross(q - p, r - p), s - p)

    apart = volume(u, v, w, a) * volume(u, v, w, b) < 0.0
    turns = np.sign(np.stack([volume(a, b, u, v), volume(a, b, v, w), volume(a, b, w, u)]))
    return int((apart & (np.abs(turns.sum(axis=0)) == 3)).sum())


def edges_of(facets):
    pairs = np.sort(np.concatenate([facets[:, [i, (i + 1) % 3]] for i in range(3)]), axis=1)
    return np.unique(pairs, axis=0)


def check(recording, cells=20, side=0.5):
    scene = build(cells, side)
    placed = scene.objects["cloth"]
    weight = GRAVITY * float(placed.object.mass.sum())
    centre = np.array([0.0, 0.0, RADIUS])
    clear = min(float(nearest_to(centre, position[placed.facets]).min()) for position in recording.position) - RADIUS
    edges = edges_of(placed.facets)
    through = [crossings(position, placed.facets, edges) for position in recording.position]
    lowest = float(recording.position[:, placed.particles, 2].min())
    carried = recording.contact_force("cloth")[:, 2] / weight
    folded = sum(any("cloth" == first == second for first, second in zip(found.first, found.second, strict=True))
                 for found in map(recording.contacts, range(len(recording))))
    speed = np.linalg.norm(recording.velocity[-1, placed.particles], axis=1)
    figures = {"least distance of a facet from the ball [m]": clear, "lowest vertex over the table [m]": lowest,
               "edges through facets, all frames": sum(through), "frames in which folds touch each other": folded,
               "carried at the end over the weight": carried[-1], "root mean square speed at the end [m/s]":
               float(np.sqrt(np.mean(speed ** 2))), "energy lost to friction [J]": recording.ledger["friction"][-1],
               "energy lost in the cloth [J]": recording.ledger["spring_dissipation"][-1]}
    if clear < 0.0 or lowest < 0.0:
        raise CheckFailed(f"the cloth went into the ball or the table by {-min(clear, lowest):.1e} m")
    if any(through):
        first = recording.time[np.flatnonzero(through)[0]]
        raise CheckFailed(f"the cloth passes through itself: {max(through)} edges through facets, first at {first:.3g} s")
    if recording.time[-1] >= LONG and abs(np.mean(carried[-10:]) - 1) > 0.05:
        raise CheckFailed(f"ball and table carry {np.mean(carried[-10:]):.3f} of the weight at the end")
    return figures


def draw(recording, folder, cells=20, side=0.5):
    from robotphi.view import graphs, touching
    scene = build(cells, side)
    last = recording.time[-1]
    frames = np.unique([recording.frame_at(share * last) for share in (0.0, 0.1, 0.16, 0.25, 0.4, 1.0)])
    colours = {"cloth": "#6f9bd1", "ball": "#e7c393"}
    pictures = [touching.picture_touching(recording, scene, folder / "drape.png", frames, colours, columns=3, width=12.0,
                                          view=(-0.5, -1.0, 0.55))]
    weight = GRAVITY * float(scene.objects["cloth"].object.mass.sum())
    carried = {name: recording.contact_forces("cloth", name)[:, 2] / weight for name in ("ball", "table")}
    pictures.append(graphs.draw_series(folder / "carried.png", recording.time, carried, "upward force over the weight",
                                       "What carries the cloth", references={"weight": np.ones(len(recording))}))
    pictures.append(graphs.draw_ledger(recording, folder / "ledger.png"))
    return pictures


if __name__ == "__main__":
    run_scenario(__file__)
