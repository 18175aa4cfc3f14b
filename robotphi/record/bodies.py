"""Bodies: what moves under a name that touches, with its mass, and whether anything but contact and its weight acts on it."""
import numpy as np

from robotphi.kernels.contact import kinds
from robotphi.kernels.springs.table import OF_LIST
from robotphi.scene.touching import TouchingObject


class Body:
    """The particles and rigids of a thing that touches, or of one of its parts.

    A part of a soft object stands for the whole object, since its parts hang together.

    Attributes:
        particles, rigids: what it is made of; nothing for a plane or a field that is fixed in the world.
        mass: of all of it [kg]; inf where nothing of it moves by itself.
        rests: whether it is fixed in the world.
        alone: whether it is free on all axes, and no spring, force or medium acts on it from outside.
    """

    def __init__(self, model, parts):
        """`parts`: bool per part."""
        self.model = model
        self.particles, self.rigids = _members(model, np.flatnonzero(parts))
        loose, rigid = model.arrays.particles, model.arrays.rigids
        self._masses = np.concatenate([loose.mass[self.particles], rigid.mass[self.rigids]])
        moves = np.concatenate([moving_axes(loose)[self.particles], rigid.inverse_mass[self.rigids] > 0.0])
        self.mass = float(self._masses.sum()) if moves.any() else np.inf
        self.rests = not len(moves)
        self.alone = bool(len(moves) and moves.all() and not self._acted_on())

    def motion(self, recording):
        """Mass centre [m] and its velocity [m/s] in every frame, (f, 3) each; zero for what is fixed in the world."""
        if not len(self._masses):
            return np.zeros((2, len(recording), 3))
        weight = self._masses / self._masses.sum() if self._masses.sum() > 0.0 else np.full(len(self._masses),
                                                                                            1.0 / len(self._masses))
        found = []
        for loose, rigid in ((recording.position, recording.rigid_position), (recording.velocity, recording.rigid_velocity)):
            rows = np.concatenate([loose[:, self.particles], rigid[:, self.rigids]], axis=1)
            found.append(np.einsum("fni,n->fi", rows, weight))
        return found

    def _acted_on(self):
        """Whether a spring joins it to something else, or a virtual force or a medium acts on it."""
        arrays = self.model.arrays
        inside = np.zeros(len(arrays.particles.mass), bool)
        inside[self.particles] = True
        for rigid in self.rigids:
            inside[arrays.rigids.particle[arrays.rigids.start[rigid]:arrays.rigids.start[rigid + 1]]] = True
        if inside[arrays.medium.facet].any():
            return True
        for name, kind in OF_LIST.items():
            springs = getattr(arrays, name)
            real = springs.identity >= 0
            ends = np.stack([inside[getattr(springs, end)[real]] for end in kind.ends])
            if (ends.any(axis=0) & ~ends.all(axis=0)).any():
                return True
        on_rigid = arrays.forces.kind > 0
        return bool(inside[arrays.forces.target[~on_rigid]].any() or np.isin(arrays.forces.target[on_rigid], self.rigids).any())


def _members(model, parts):
    """(particles, rigids) of some parts."""
    table, things = model.arrays.contact.parts, tuple(model.scene.touching.values())
    particles, rigids = [], [table.rigid[parts]]
    for part in parts[table.rigid[parts] < 0]:
        thing = things[table.owner[part]]
        if isinstance(thing, TouchingObject):
            placed = thing.placed
            particles.append(placed.particles[model.scene.rigid_of_particle[placed.particles] < 0])
            rigids.append([rigid.index for rigid in placed.rigids])
        elif table.kind[part] == kinds.SPHERE:
            particles.append(table.vertex[table.vertex_start[part]:table.vertex_start[part + 1]])
    rigids = np.unique(np.concatenate(rigids).astype(int))
    return np.unique(np.concatenate([np.empty(0, int), *particles])), rigids[rigids >= 0]


def moving_axes(particles):
    """(rows, 3) whether a particle moves by itself along that axis."""
    return (particles.moves[particles.axes, :3] > 0.0) & (particles.inverse_mass > 0.0)[:, None]
