"""Rods and grids: particles and springs of a section stiffness, cut into segments."""
import numpy as np

from robotphi.scene.blocks import Grid, Rod
from robotphi.scene.checks import AXES, number, refuse, vector, whole, word

ENDS = ("clamp", "pin")


def rod(scene, name, start, end, segments, axial_stiffness, bending_stiffness, mass_per_length, axial_viscosity,
        bending_viscosity, clamp_start, clamp_end):
    """A chain of equal segments l: linear springs EA/l, angular springs EI/l at 180°; see `Scene.add_rod`."""
    where = f"rod {name!r}"
    start, end = vector(where, "start", start), vector(where, "end", end)
    segments = whole(where, "segments", segments)
    span = np.linalg.norm(end - start)
    if span == 0.0:
        refuse(where, "start and end coincide", "move them apart")
    for what, value in (("axial_stiffness", axial_stiffness), ("bending_stiffness", bending_stiffness),
                        ("axial_viscosity", axial_viscosity), ("bending_viscosity", bending_viscosity)):
        number(where, what, value, low=0.0)
    for clamp in (clamp_start, clamp_end):
        if clamp is not None:
            word(where, "clamp", clamp, ENDS)
    length = span / segments
    mass = np.full(segments + 1, number(where, "mass_per_length", mass_per_length, above=0.0) * length)
    mass[[0, -1]] *= 0.5
    support = [AXES if clamp_start else "", *[""] * (segments - 1), AXES if clamp_end else ""]
    nodes = start + np.linspace(0.0, 1.0, segments + 1)[:, None] * (end - start)
    particles = scene.add_particles(name, nodes, mass, support=support)
    linear = scene.add_linear(f"{name}.linear", particles[:-1], particles[1:], axial_stiffness / length,
                              viscosity=axial_viscosity / length)
    if not (bending_stiffness or bending_viscosity):
        if "clamp" in (clamp_start, clamp_end):
            refuse(where, "a clamped end without bending_stiffness", 'give one, or use "pin"')
        return Rod(name, particles, linear, None)
    factor, triples = np.ones(segments - 1), np.column_stack((particles[:-2], particles[1:-1], particles[2:]))
    for clamp, side, row in ((clamp_start, "start", particles[:2]), (clamp_end, "end", particles[:-3:-1])):
        if clamp == "clamp":
            # Half a segment bends between the wall and the first node: 2 EI/l.
            behind = 2.0 * nodes[0 if side == "start" else -1] - nodes[1 if side == "start" else -2]
            ghost = scene.add_particle(f"{name}.{side}", behind, 0.0, support=AXES)
            triples, factor = np.vstack((triples, (ghost, *row))), np.append(factor, 2.0)
    if not len(factor):
        return Rod(name, particles, linear, None)
    angular = scene.add_angular(f"{name}.angular", *triples.T, factor * (bending_stiffness / length),
                                viscosity=factor * (bending_viscosity / length), rest_angle=np.pi)
    return Rod(name, particles, linear, angular)


def grid(scene, name, origin, edge_u, edge_v, shape, mass, structural, shear, bending, structural_viscosity,
         shear_viscosity, bending_viscosity, velocity, support):
    """A cloth of nu × nv particles; see `Scene.add_grid`."""
    where = f"grid {name!r}"
    origin, u, v = (vector(where, what, value) for what, value in
                    (("origin", origin), ("edge_u", edge_u), ("edge_v", edge_v)))
    if np.linalg.norm(np.cross(u, v)) <= 1e-9 * np.linalg.norm(u) * np.linalg.norm(v):
        refuse(where, f"edge_u {u.tolist()} and edge_v {v.tolist()} span no area", "give two directions that differ")
    try:
        nu, nv = (whole(where, "shape", n, low=2) for n in shape)
    except (TypeError, ValueError):
        refuse(where, f"shape is {shape!r:.60}", "give two whole numbers of at least 2")
    weight_u, weight_v = np.ones(nu), np.ones(nv)
    weight_u[[0, -1]] = weight_v[[0, -1]] = 0.5
    share = np.outer(weight_u, weight_v).ravel() / ((nu - 1) * (nv - 1))
    nodes = origin + np.linspace(0.0, 1.0, nu)[:, None, None] * u + np.linspace(0.0, 1.0, nv)[None, :, None] * v
    support = support if isinstance(support, str) else np.asarray(support, dtype=object).ravel().tolist()
    mass = number(where, "mass", mass, above=0.0) * share
    p = scene.add_particles(name, nodes.reshape(-1, 3), mass, velocity=velocity, support=support).reshape(nu, nv)
    along, across = (p[:-1], p[1:]), (p[:, :-1], p[:, 1:])
    diagonals = (p[:-1, :-1], p[1:, 1:]), (p[1:, :-1], p[:-1, 1:])
    triples = (p[:-2], p[1:-1], p[2:]), (p[:, :-2], p[:, 1:-1], p[:, 2:])
    made = [_family(where, scene, f"{name}.{kind}", families, stiffness, viscosity, kind) for
            kind, families, stiffness, viscosity in (
                ("structural", (along, across), structural, structural_viscosity),
                ("shear", diagonals, shear, shear_viscosity), ("bending", triples, bending, bending_viscosity))]
    return Grid(name, p, *made)


def _family(where, scene, name, families, stiffness, viscosity, kind):
    """One block of springs of two families (one a direction); a direction without coefficients has none."""
    columns, k, mu = [], [], []
    stiffnesses, viscosities = _pair(where, kind, stiffness), _pair(where, f"{kind}_viscosity", viscosity)
    for family, one_k, one_mu in zip(families, stiffnesses, viscosities, strict=True):
        if (one_k or one_mu) and family[0].size:
            columns.append(np.stack([column.ravel() for column in family]))
            k.append(np.full(family[0].size, one_k))
            mu.append(np.full(family[0].size, one_mu))
    if not columns:
        return None
    columns, k, mu = np.concatenate(columns, axis=1), np.concatenate(k), np.concatenate(mu)
    if kind == "bending":
        return scene.add_angular(name, *columns, k, viscosity=mu, rest_angle=np.pi)
    return scene.add_linear(name, *columns, k, viscosity=mu)


def _pair(where, what, value):
    if value is None:
        return 0.0, 0.0
    if np.ndim(value) == 0:
        value = (value, value)
    if len(value) != 2:
        refuse(where, f"{what} is {value!r:.60}", "give one number, or two: along edge_u and along edge_v")
    return tuple(number(where, what, one, low=0.0) for one in value)
