"""Loads of rigids: what their particles carry over, their weight, contact, and what pushes the rigids themselves."""
from robotphi.kernels.acts.forces import add_rigid_forces
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.rigids import gather_load


@kernel
def load_rigids(arrays, buffers, now, touching, time, inside, member, team):
    """Forces and moments on rigids, in this order: from their particles, weight, contact, virtual forces, acts."""
    g = (arrays.particles.gravity[0], arrays.particles.gravity[1], arrays.particles.gravity[2])
    load = now.load
    for i in range(member, len(arrays.rigids.mass), team):
        gather_load(arrays.rigids, i, now.rigid, now.position, now.force, g, load)
        for axis in range(6):
            load[i, axis] += touching[i, axis]
        if len(arrays.acts.forces.kind) > 0:
            add_rigid_forces(arrays.acts.forces, arrays.drives, i, load, time, inside)
        if buffers.counters[at.HAS_ACTS] == 1:
            for axis in range(6):
                load[i, axis] += buffers.act_load[i, axis]
