"""All forces at one instant, shared out over the members of the team."""
from . import slots as at
from .angular import add_angular_forces
from .articular import add_articular_forces, flow_articular
from .compiled import kernel
from .laws import add_angular_law_forces, add_linear_law_forces, flow_angular, flow_linear
from .linear import add_linear_forces
from .loads import add_rigid_forces
from .reference import value
from .rigids import gather_load
from .team import meet


@kernel
def add_law_forces(arrays, group, buffers, position, velocity, force, time, inside, sums):
    """The springs of one group that have a law of their own, and the articular ones."""
    springs = arrays.linear_law
    a, b, c = add_linear_law_forces(springs, springs.start[group], springs.start[group + 1], arrays.drives, arrays.tables,
                                    buffers.linear_law, position, velocity, force, time, inside)
    angular = arrays.angular_law
    d, e, f = add_angular_law_forces(angular, angular.start[group], angular.start[group + 1], arrays.drives,
                                     buffers.angular_law, position, velocity, force, time, inside)
    articular = arrays.articular
    g, h, i = add_articular_forces(articular, articular.start[group], articular.start[group + 1], arrays.drives,
                                   buffers.articular, position, velocity, force, time, inside)
    sums[group, at.SUM_LINEAR] += a
    sums[group, at.SUM_ANGULAR] += d
    sums[group, at.SUM_ARTICULAR] += g
    sums[group, at.SUM_LOSS] += (b + e) + h
    sums[group, at.SUM_PLASTIC] += (c + f) + i


@kernel
def add_spring_forces(arrays, buffers, position, velocity, force, time, inside, member, team, generation):
    """Add the forces of all springs, level by level of the tree; leaves the sums of each group. Returns the generation."""
    sums = buffers.group_sums
    levels = arrays.tree.level_start
    linear, angular = value(arrays.linear), value(arrays.angular)
    laws = buffers.counters[at.HAS_LAWS] == 1
    for level in range(len(levels) - 1):
        begin, count = levels[level], levels[level + 1] - levels[level]
        for group in range(begin + count * member // team, begin + count * (member + 1) // team):
            energy, loss = add_linear_forces(linear, linear.start[group], linear.start[group + 1],
                                             position, velocity, force)
            bend_energy, bend_loss = add_angular_forces(angular, angular.start[group], angular.start[group + 1],
                                                        position, velocity, force)
            sums[group, at.SUM_LINEAR] = energy
            sums[group, at.SUM_ANGULAR] = bend_energy
            sums[group, at.SUM_ARTICULAR] = 0.0
            sums[group, at.SUM_LOSS] = loss + bend_loss
            sums[group, at.SUM_PLASTIC] = 0.0
            if laws:
                add_law_forces(arrays, group, buffers, position, velocity, force, time, inside, sums)
        generation = meet(buffers.sync, team, generation)
    return generation


@kernel
def load_rigids(arrays, row, position, force, load, time, inside, member, team):
    """Forces and moments on rigids from their particles, their weight and virtual forces."""
    g = (arrays.particles.gravity[0], arrays.particles.gravity[1], arrays.particles.gravity[2])
    for i in range(member, len(arrays.rigids.mass), team):
        gather_load(arrays.rigids, i, row, position, force, g, load)
        if len(arrays.forces.kind) > 0:
            add_rigid_forces(arrays.forces, arrays.drives, i, load, time, inside)


@kernel
def keep_flow(arrays, buffers, position, time, inside, member, team):
    """After an accepted step: keep plastic flow, bend normals and turns, each member its share."""
    m = len(arrays.linear_law.first)
    flow_linear(arrays.linear_law, m * member // team, m * (member + 1) // team, arrays.drives, buffers.linear_law,
                position, time, inside)
    m = len(arrays.angular_law.first)
    flow_angular(arrays.angular_law, m * member // team, m * (member + 1) // team, arrays.drives, buffers.angular_law,
                 position, time, inside)
    m = len(arrays.articular.first)
    flow_articular(arrays.articular, m * member // team, m * (member + 1) // team, arrays.drives, buffers.articular,
                   position, time, inside)
