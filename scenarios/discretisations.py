"""How shapes become particles: the discretisations of RR-3072, figures 2.15 to 2.22, each with its count and its certificate.

Quadrilateral by a grid, polygon by fronts, hexahedron, sweep, convex polyhedron by inner layers, rigid form with the fewest
particles, table top graded on one facet, and what the report's ways cannot fill: a concave surface, by tetrahedra. Mass and
centre are exact; the inertia is exact for tetrahedra and rigid forms and off by less than BOUND where cells are warped. All of
them are thrown into space, each with a spin: both momenta of the whole must stay.

Figure 2.15: with the mass lumped on the corners alone the inertia is too large by a share that falls with the square of the
size of the cells, N^(−2/3) of the number of particles; an inner particle per cell takes nearly all of it away.
"""
from functools import cache

import numpy as np

from robotphi import CheckFailed, Scene, Stepping
from robotphi.discretise import (
    Material,
    certificate,
    deformable,
    discretise,
    moved,
    polygon_mesh,
    quad_mesh,
    rigid,
    sheet,
    spread_mass,
)
from robotphi.geometry import hull, regular_polygon
from robotphi.geometry.shapes import box, hexahedron, swept, torus
from robotphi.record.measure import recorded_momenta
from robotphi.scenario import run_scenario
from robotphi.verification.estimate import slope

RUBBER = Material(young=1e6, density=1000.0)
THICKNESS, APART, SPIN = 0.05, 3.0, 4.0              # m, m, rad/s
GOLDEN = (1 + np.sqrt(5)) / 2
WARPED = np.array([[-0.5, -0.5, -0.5], [0.5, -0.4, -0.5], [0.4, 0.5, -0.4], [-0.5, 0.4, -0.5],
                   [-0.4, -0.3, 0.5], [0.4, -0.5, 0.3], [0.3, 0.4, 0.6], [-0.5, 0.5, 0.4]])
FLAT = {"quadrilateral": np.array([[-0.6, -0.4, 0], [0.5, -0.5, 0], [0.6, 0.4, 0], [-0.3, 0.5, 0]]),
        "polygon": np.column_stack([regular_polygon(7) * [0.6, 0.5], np.zeros(7)])}
BOUND = {"hexahedron": 1e-4, "sweep": 1e-3, "inner layers": 3e-3, "rigid form": 1e-12, "table top": 1e-4, "tetrahedra": 1e-12}
LUMPED = (1, 2, 3, 4, 6, 8, 10)                      # cells along each edge of the warped hexahedron of figure 2.15
QUICK = {"duration": 0.05, "frames": 5}


def arc():
    """A path of a sweep."""
    angle = np.linspace(-1.2, 1.2, 15)
    return 0.6 * np.column_stack([np.sin(angle), 0 * angle, 1 - np.cos(angle)])


def dodecahedron():
    """Twelve pentagons, of radius √3/2."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    long = np.array([[0, y / GOLDEN, z * GOLDEN] for y in (-1, 1) for z in (-1, 1)])
    return hull(0.5 * np.concatenate([signs, *(np.roll(long, turn, axis=1) for turn in range(3))]))


@cache
def things():
    """Name → (Mesh, Object)."""
    middle = {"x": ["middle", 1.6], "y": ["middle", 1.6]}
    meshes = {
        "quadrilateral": quad_mesh(FLAT["quadrilateral"], (10, 8)),
        "polygon": polygon_mesh(FLAT["polygon"], 4),
        "hexahedron": discretise(hexahedron(WARPED), counts=5),
        "sweep": discretise(swept(0.12 * regular_polygon(6), arc()), counts=2),
        "inner layers": discretise(dodecahedron(), counts=(3, 4)),
        "rigid form": discretise(dodecahedron(), way="rigid"),
        "table top": discretise(box((1.2, 1.2, 0.16)), counts=(14, 14, 2), grading={"top": middle}),
        "tetrahedra": discretise(torus(0.5, 0.2), size=0.09, way="lattice"),
    }

    def thing_of(name, mesh):
        if name == "rigid form":
            return rigid(dodecahedron(), density=RUBBER.density)
        return deformable(mesh, RUBBER) if mesh.is_solid else sheet(mesh, RUBBER, THICKNESS)

    return {name: (mesh, thing_of(name, mesh)) for name, mesh in meshes.items()}


def build(duration=0.3, frames=30, budget=1e-4):
    """All of them side by side in space, each with a spin of its own."""
    scene = Scene("discretisations", duration=duration, frames=frames, gravity=(0, 0, 0), stepping=Stepping(budget=budget))
    for index, (name, (_, thing)) in enumerate(things().items()):
        spin = SPIN * np.roll([0.6, 0.0, 0.8], index)
        scene.add_object(name, moved(thing, (APART * (index % 4), APART * (index // 4), 0)), spin=spin)
    return scene


def flat_mass(name):
    """Mass [kg] and centre [m] of a flat polygon of THICKNESS."""
    corners = FLAT[name]
    fan = np.stack([np.broadcast_to(corners[0], corners[2:].shape), corners[1:-1], corners[2:]], axis=1)
    area = 0.5 * np.cross(fan[:, 1] - fan[:, 0], fan[:, 2] - fan[:, 0])[:, 2]
    return RUBBER.density * THICKNESS * area.sum(), area @ fan.mean(axis=1) / area.sum()


def errors(name):
    """Relative errors of mass, centre (over the radius of gyration, of a sheet over its length) and inertia (not of sheets)."""
    thing = things()[name][1]
    if name in FLAT:
        mass, centre = flat_mass(name)
        away = np.abs(thing.properties[1] - centre).max()
        return abs(thing.properties[0] / mass - 1), away / np.ptp(FLAT[name], axis=0).max(), 0.0
    rest = certificate(thing)["rest"]
    return abs(rest["mass"]["relative"]), np.abs(rest["centre"]["relative"]).max(), rest["inertia error"]


@cache
def lumping(way):
    """Numbers of particles and inertia errors of the warped hexahedron, LUMPED times divided."""
    found = [certificate(spread_mass(discretise(hexahedron(WARPED), counts=count), 1000.0, way)) for count in LUMPED]
    return np.array([one["particles"] for one in found]), np.array([one["rest"]["inertia error"] for one in found])


def check(recording):
    figures = {}
    for name, (_, thing) in things().items():
        mass, centre, inertia = errors(name)
        figures |= {f"{name}: particles": len(thing.position), f"{name}: springs": sum(map(len, thing.springs.values())),
                    f"{name}: mass error": mass, f"{name}: centre error": centre, f"{name}: inertia error": inertia}
        # sums over some thousand cells: rounding
        if mass > 1e-12 or centre > 1e-12 or inertia > BOUND.get(name, 0.0):
            raise CheckFailed(f"{name}: relative errors of mass {mass:.1e}, centre {centre:.1e}, inertia {inertia:.1e}; "
                              f"allowed are 1e-12, 1e-12, {BOUND.get(name, 0.0):.0e}")
    (count, corners), (_, centres) = lumping("corners"), lumping("centre")
    order = slope(count[3:], corners[3:])
    figures |= {"on corners: exponent of the number of particles": order, "on corners: error, finest": corners[-1],
                "with inner particles: error, finest": centres[-1],
                "with inner particles: least gain": (corners / centres).min()}
    if not -0.85 < order < -0.55:
        raise CheckFailed(f"the inertia of mass on corners converges with N^{order:.2f}, expected N^-0.67")
    if (corners < 100 * centres).any():
        raise CheckFailed(f"inner particles should leave 0.01 of the error, but leave {(centres / corners).max():.3f}")
    linear, angular = recorded_momenta(recording)
    drift = np.abs(angular - angular[0]).max() / np.linalg.norm(angular[0])
    figures |= {"drift of angular momentum": drift, "momentum [kg m/s]": np.abs(linear).max()}
    # both are sums of some 1e4 terms, rounded at each of some 1e3 steps
    if drift > 1e-10 or np.abs(linear).max() > 1e-9 * np.linalg.norm(angular[0]):
        raise CheckFailed(f"the angular momentum changed by {drift:.1e} of it, the linear one became "
                          f"{np.abs(linear).max():.1e} kg m/s")
    return figures


def panel(name):
    """A look at one of them, cut open where there is an inside to see."""
    from robotphi.view.bodies import body_of, cut_open
    from robotphi.view.solids import SEEN_THROUGH, Panel
    mesh, thing = things()[name]
    inertia = errors(name)[2]
    cells = " + ".join(f"{len(rows)} {WORD[kind]}" for kind, rows in mesh.cells.items())
    exact = "mass, centre exact" if name in FLAT else f"mass, centre exact; inertia within {inertia:.0e}"
    exact = "mass, centre, inertia exact" if name not in FLAT and inertia < 1e-12 else exact
    title = f"{SAYS[name]}\n{len(thing.position)} particles, {cells}\n{exact}"
    if name == "rigid form":
        spokes = mesh.edges[(mesh.edges == mesh.regions["centre"]).any(axis=1)]
        rest = np.linalg.norm(mesh.points[spokes[:, 0]] - mesh.points[spokes[:, 1]], axis=1)
        return Panel(body_of(mesh, dots=True)._replace(springs=spokes, rest=rest), mesh.points, None, title, SEEN_THROUGH)
    return Panel(body_of(cut_open(mesh, *CUTS[name]) if name in CUTS else mesh), mesh.points, None, title)


SAYS = {"quadrilateral": "quadrilateral by a grid", "polygon": "polygon by fronts", "hexahedron": "hexahedron, cut open",
        "sweep": "sweep along an arc", "inner layers": "convex polyhedron by layers, cut open", "rigid form": "rigid form",
        "table top": "table top, upper facet graded", "tetrahedra": "concave surface by tetrahedra, cut open"}
WORD = {"triangle": "triangles", "quad": "quadrilaterals", "tetrahedron": "tetrahedra", "wedge": "wedges",
        "hexahedron": "hexahedra"}
CUTS = {"hexahedron": ((-0.4, -1, 0.5), (0, -0.05, 0)), "inner layers": ((-0.2, -1, 0), (0, -0.02, 0)),
        "tetrahedra": ((-0.3, -1, 0), (0, -0.03, 0))}


def draw(recording, folder):
    from robotphi.view import solids, style
    views = [(0.0, -0.6, 1.0) if name in FLAT else (-0.7, -1.4, 0.8) for name in things()]
    pictures = [solids.picture_solids([panel(name) for name in things()], folder / "discretisations.png", columns=4,
                                      own_scale=True, width=14.0, view=views)]
    figure, axes = style.new_figure(5.6, 4.2)
    for way, says, colour in (("corners", "mass on corners only", style.RED),
                              ("centre", "and on an inner particle a cell", style.BLUE)):
        axes.loglog(*lumping(way), "o-", color=colour, linewidth=1.4, markersize=4, label=says)
    count, error = lumping("corners")
    guide = 0.6 * error[-1] * (count / count[-1]) ** (-2 / 3)
    axes.loglog(count, guide, color=style.INK, linewidth=1.0, linestyle=(0, (4, 3)), label="N^(−2/3)")
    style.quiet(axes, "particles", "relative error of the inertia matrix", "A warped hexahedron, as in figure 2.15")
    style.legend(axes)
    return [*pictures, style.save(figure, folder / "inertia.png")]


if __name__ == "__main__":
    run_scenario(__file__)
