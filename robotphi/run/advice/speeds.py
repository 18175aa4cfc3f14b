"""How fast things may come to meet, as a scene says it before a run: what can fall, how far, and what moves at the start."""
import numpy as np

from robotphi.kernels.contact import kinds
from robotphi.kernels.springs.table import OF_LIST


def falling(model):
    """(parts,) whether a part may fall: whether nothing ties it to what is held or driven along the weight."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    particles, rigids, parts, n = (model.arrays.particles, model.arrays.rigids, model.arrays.contact.parts,
                                   model.particle_count)
    weighs = particles.gravity[:3] != 0.0
    carrier = np.repeat(np.arange(len(rigids.mass)), np.diff(rigids.start)) + n
    ties = [(rigids.particle, carrier)]
    for name, kind in OF_LIST.items():
        springs = getattr(model.arrays, name)
        first, *others = (getattr(springs, end)[springs.identity >= 0] for end in kind.ends)
        ties += [(first, other) for other in others]
    rows, columns_ = (np.concatenate(ends) for ends in zip(*ties, strict=True))
    count = n + len(rigids.mass)
    _, of_node = connected_components(coo_array((np.ones(len(rows)), (rows, columns_)), shape=(count, count)), directed=False)
    held = np.zeros(count, bool)
    held[:n] = ~(particles.moves[particles.axes[:n], :3][:, weighs] > 0.0).all(axis=1)
    held[rigids.particle] = False
    held[n:] = (rigids.inverse_mass[:, weighs] == 0.0).any(axis=1)
    tied = np.isin(of_node, of_node[held])
    first = np.append(parts.vertex, 0)[np.minimum(parts.vertex_start[:-1], max(len(parts.vertex) - 1, 0))]
    node = np.where(parts.rigid >= 0, parts.rigid + n, first)
    fixed = (parts.rigid < 0) & (np.diff(parts.vertex_start) == 0)
    return ~fixed & ~tied[node] & weighs.any()


def part_velocities(model):
    """(2, parts, 3) least and largest velocity of the particles of each part at the start, 0 of what has none [m/s]."""
    parts = model.arrays.contact.parts
    least, largest = np.full((len(parts.kind), 3), np.inf), np.full((len(parts.kind), 3), -np.inf)
    of_part = np.repeat(np.arange(len(parts.kind)), np.diff(parts.vertex_start))
    np.minimum.at(least, of_part, model.velocity[parts.vertex])
    np.maximum.at(largest, of_part, model.velocity[parts.vertex])
    return np.stack([np.where(np.isfinite(least), least, 0.0), np.where(np.isfinite(largest), largest, 0.0)])


def fall_height(model, scene):
    """How far something can fall in a scene [m]: from the highest particle to the lowest particle or ground."""
    gravity = np.linalg.norm(scene.gravity)
    if not gravity > 0.0:
        return 0.0
    up, parts, fields = -scene.gravity / gravity, model.arrays.contact.parts, model.arrays.contact.fields
    heights = [model.position @ up]
    ground = (parts.kind == kinds.PLANE) & (parts.rigid < 0) & (parts.plane[:, 3:] @ up > 0.1)
    heights.append(parts.plane[ground, :3] @ up)
    for row, origin in enumerate(fields.origin):
        heights.append(np.atleast_1d(origin @ up + up[2] * fields.height[fields.start[row]:fields.start[row + 1]].min()))
    return float(np.ptp(np.concatenate(heights)))
