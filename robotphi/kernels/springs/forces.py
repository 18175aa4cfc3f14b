"""All forces at one instant, shared out over the members of the team: on particles, and what these come to on rigids."""
from robotphi.kernels.acts.forces import add_particle_forces, add_rigid_forces
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.compiling.reference import value
from robotphi.kernels.compiling.team import meet
from robotphi.kernels.springs.articular import add_articular_forces, flow_articular
from robotphi.kernels.springs.laws import add_angular_law_forces, add_linear_law_forces, flow_angular, flow_linear
from robotphi.kernels.springs.plain import add_angular_forces, add_linear_forces
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.particles import predict_particles
from robotphi.kernels.step.rigids import gather_load


@kernel
def add_law_forces(arrays, group, buffers, position, velocity, force, time, inside, sums):
    """The springs of one group that have a law of their own, and the articular ones."""
    springs, drives = arrays.linear_law, arrays.drives
    a, b, c, tension = add_linear_law_forces(springs, springs.start[group], springs.start[group + 1], drives, arrays.tables,
                                             buffers.linear_law, position, velocity, force, time, inside)
    angular = arrays.angular_law
    d, e, f = add_angular_law_forces(angular, angular.start[group], angular.start[group + 1], drives,
                                     buffers.angular_law, position, velocity, force, time, inside)
    articular = arrays.articular
    g, h, i = add_articular_forces(articular, articular.start[group], articular.start[group + 1], drives,
                                   buffers.articular, position, velocity, force, time, inside)
    sums[group, at.SUM_LINEAR] += a
    sums[group, at.SUM_ANGULAR] += d
    sums[group, at.SUM_ARTICULAR] += g
    sums[group, at.SUM_LOSS] += (b + e) + h
    sums[group, at.SUM_PLASTIC] += (c + f) + i
    sums[group, at.SUM_TENSION] = tension


@kernel
def add_group_forces(arrays, group, buffers, position, velocity, force, time, inside):
    """All springs of one group; leaves their sums."""
    linear, angular = value(arrays.linear), value(arrays.angular)
    energy, loss = add_linear_forces(linear, linear.start[group], linear.start[group + 1], position, velocity, force)
    bend_energy, bend_loss = add_angular_forces(angular, angular.start[group], angular.start[group + 1],
                                                position, velocity, force)
    keep_sums(buffers.group_sums, group, energy, bend_energy, loss + bend_loss)
    if buffers.counters[at.HAS_LAWS] == 1:
        add_law_forces(arrays, group, buffers, position, velocity, force, time, inside, buffers.group_sums)


@kernel
def keep_sums(sums, group, linear, angular, loss):
    """Sums of the plain springs of a group; those with a law add theirs."""
    sums[group, at.SUM_LINEAR] = linear
    sums[group, at.SUM_ANGULAR] = angular
    sums[group, at.SUM_ARTICULAR] = 0.0
    sums[group, at.SUM_LOSS] = loss
    sums[group, at.SUM_PLASTIC] = 0.0
    sums[group, at.SUM_POTENTIAL] = 0.0
    sums[group, at.SUM_TENSION] = 0.0


@kernel
def add_spring_forces(arrays, buffers, position, velocity, force, time, inside, from_level, member, team, generation):
    """Add the forces of all springs from a level of the tree on; leaves the sums of each group. Returns the generation."""
    levels = arrays.tree.level_start
    for level in range(from_level, len(levels) - 1):
        begin, count = levels[level], levels[level + 1] - levels[level]
        for group in range(begin + count * member // team, begin + count * (member + 1) // team):
            add_group_forces(arrays, group, buffers, position, velocity, force, time, inside)
        generation = meet(buffers.sync, team, generation)
    return generation


@kernel
def move_and_pull(arrays, buffers, x, v, f, nx, nv, nf, dt, end, inside, member, team, generation):
    """Predict the rows of each slab and let its springs pull on them at once: the leaves of the tree in one pass."""
    particles, linear, angular = value(arrays.particles), value(arrays.linear), value(arrays.angular)
    slabs, sums = value(arrays.slabs), buffers.group_sums
    leaves = len(slabs.first_row)
    for leaf in range(leaves * member // team, leaves * (member + 1) // team):
        row, i, j = slabs.first_row[leaf], linear.start[leaf], angular.start[leaf]
        potential, energy, bend_energy, loss = 0.0, 0.0, 0.0, 0.0
        for k in range(slabs.start[leaf], slabs.start[leaf + 1]):
            potential += predict_particles(particles, row, slabs.row[k], x, v, f, nx, nv, nf, dt)
            if len(arrays.acts.forces.kind) > 0:
                add_particle_forces(arrays.acts.forces, arrays.drives, row, slabs.row[k], nf, end, inside)
            row = slabs.row[k]
            stored, lost = add_linear_forces(linear, i, slabs.linear[k], nx, nv, nf)
            bent, lost_bending = add_angular_forces(angular, j, slabs.angular[k], nx, nv, nf)
            i, j = slabs.linear[k], slabs.angular[k]
            energy += stored
            bend_energy += bent
            loss += lost + lost_bending
        keep_sums(sums, leaf, energy, bend_energy, loss)
        sums[leaf, at.SUM_POTENTIAL] = potential
        if buffers.counters[at.HAS_LAWS] == 1:
            add_law_forces(arrays, leaf, buffers, nx, nv, nf, end, inside, sums)
    return meet(buffers.sync, team, generation)


@kernel
def keep_flow(arrays, buffers, position, time, inside, member, team):
    """After an accepted step: keep plastic flow, bend normals and turns, each member its share."""
    m = len(arrays.linear_law.first)
    if flow_linear(arrays.linear_law, m * member // team, m * (member + 1) // team, arrays.drives, arrays.tables,
                   buffers.linear_law, position, time, inside):
        # forces are others now: every member that finds one says the same
        buffers.counters[at.FRESH] = at.STALE
        if buffers.counters[at.ORDER] == at.STEP:
            buffers.counters[at.ORDER] = at.REFRESH
    m = len(arrays.angular_law.first)
    flow_angular(arrays.angular_law, m * member // team, m * (member + 1) // team, arrays.drives, buffers.angular_law,
                 position, time, inside)
    m = len(arrays.articular.first)
    flow_articular(arrays.articular, m * member // team, m * (member + 1) // team, arrays.drives, buffers.articular,
                   position, time, inside)


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
