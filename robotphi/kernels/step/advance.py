"""The compiled loop: from the present state to the next frame, without returning to Python.

Order of an attempt (equations in ARCHITECTURE.md, *The step*):
 1. plan       one member   the length of the step, under its caps and up to the next event
 2. predict    all members  kick and drift of particles, weight, virtual forces; rigids and driven axes
 3. springs    all members  level by level of the tree of groups; where the leaves are runs of rows, slab by slab with 2
 4. contact    one member   forces of what touches, at the positions of the end
 5. correct    all members  second half kick, kinetic energy; rigids
 6. decide     one member   ledger of the attempt: it stands and the buffers change roles, or it leaves no trace;
                            of what stands: friction is kept, pairs and contact directions are renewed
"""
from robotphi.kernels.acts.forces import add_particle_forces, place_driven
from robotphi.kernels.acts.medium import add_medium_forces
from robotphi.kernels.compiling.compiled import entry, kernel
from robotphi.kernels.compiling.reference import refer, value
from robotphi.kernels.compiling.team import meet
from robotphi.kernels.contact.accepted import begin_contacts, end_contacts, look_again, renew_contacts
from robotphi.kernels.contact.columns import LACKING
from robotphi.kernels.contact.touch import add_contact_forces
from robotphi.kernels.springs.forces import add_spring_forces, keep_flow, load_rigids, move_and_pull
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.control import decide, plan, settle_refresh
from robotphi.kernels.step.particles import correct_particles, force_scale, kinetic_energy, predict_particles, set_weight
from robotphi.kernels.step.rigids import carry_particles, correct_rigid, predict_rigid, rigid_energy


@kernel
def predict(arrays, buffers, x, v, f, b, load, nx, nv, nf, nb, dt, end, inside, member, team, generation):
    """Positions and predicted velocities of the end of the step."""
    particles, rigids = value(arrays.particles), arrays.rigids
    blocks = len(particles.block) - 1
    for k in range(blocks * member // team, blocks * (member + 1) // team):
        begin, stop = particles.block[k], particles.block[k + 1]
        buffers.block_sums[k, at.PART_POTENTIAL] = predict_particles(particles, begin, stop, x, v, f, nx, nv, nf, dt)
        if len(arrays.forces.kind) > 0:
            add_particle_forces(arrays.forces, arrays.drives, begin, stop, nf, end, inside)
    generation = meet(buffers.sync, team, generation)
    if len(rigids.mass) == 0 and len(arrays.motions.particle) == 0:
        return generation
    g = (particles.gravity[0], particles.gravity[1], particles.gravity[2])
    taylor = buffers.counters[at.SCHEME] == at.TAYLOR
    for i in range(member, len(rigids.mass), team):
        buffers.rigid_sums[i, at.PART_POTENTIAL] = predict_rigid(rigids, i, b, load, nb, dt, g, taylor)
        carry_particles(rigids, i, nb, nx, nv)
    generation = meet(buffers.sync, team, generation)
    if len(arrays.motions.particle) + len(arrays.motions.rigid) > 0:
        if member == 0:
            buffers.numbers[at.STEP_GRAVITY] = place_driven(arrays, buffers.rigid_first, nx, nv, nb, end, inside)
        generation = meet(buffers.sync, team, generation)
    return generation


@kernel
def correct(arrays, buffers, x, v, b, load, nx, nv, nf, nb, nload, dt, end, inside, member, team, generation):
    """Velocities of the end of the step and the kinetic energy of each block and rigid."""
    particles, rigids = value(arrays.particles), arrays.rigids
    taylor = buffers.counters[at.SCHEME] == at.TAYLOR
    blocks = len(particles.block) - 1
    for k in range(blocks * member // team, blocks * (member + 1) // team):
        begin, stop = particles.block[k], particles.block[k + 1]
        if taylor:
            buffers.block_sums[k, at.PART_KINETIC] = kinetic_energy(particles, begin, stop, nv)
        else:
            buffers.block_sums[k, at.PART_KINETIC] = correct_particles(particles, begin, stop, v, nv, nf, dt)
    if len(rigids.mass) > 0:
        load_rigids(arrays, nb, nx, nf, buffers.touch.load, nload, end, inside, member, team)
        generation = meet(buffers.sync, team, generation)
        for i in range(member, len(rigids.mass), team):
            buffers.rigid_sums[i, at.PART_KINETIC] = correct_rigid(rigids, i, b, load, nb, nload, dt, taylor)
            carry_particles(rigids, i, nb, nx, nv)
    return generation


@kernel
def surround(arrays, buffers, x, v, f, b, dt, time, inside, member, team, generation):
    """Forces of what touches and of the medium, by one member, so that they come in one order."""
    if member == 0:
        if buffers.counters[at.HAS_CONTACT] == 1:
            add_contact_forces(arrays, buffers.touch, x, v, f, b, dt)
        if len(arrays.medium.facet) > 0:
            numbers = buffers.numbers
            lost, given, energy = add_medium_forces(value(arrays.medium), value(arrays.drives), x, v, f, time, inside)
            numbers[at.NEXT_DRAG_RATE], numbers[at.NEXT_WIND_RATE], numbers[at.NEXT_BUOYANCY] = lost, given, energy
    return meet(buffers.sync, team, generation)


@kernel
def lacks_room(buffers):
    """Whether the pairs found anew do not fit: the loop stops and is called again when there is room."""
    if buffers.counters[at.HAS_CONTACT] == 1 and buffers.touch.sizes[LACKING] > 0:
        buffers.counters[at.STATUS] = at.PAIRS_FULL
        buffers.counters[at.ORDER] = at.STOP
        return True
    return False


@kernel
def refresh_springs(arrays, buffers, x, v, f, member, team, generation):
    """Weight, virtual forces and springs at the present state itself."""
    particles = value(arrays.particles)
    time, inside = buffers.numbers[at.TIME], buffers.numbers[at.INSIDE]
    blocks = len(particles.block) - 1
    for k in range(blocks * member // team, blocks * (member + 1) // team):
        set_weight(particles, particles.block[k], particles.block[k + 1], f)
        add_particle_forces(arrays.forces, arrays.drives, particles.block[k], particles.block[k + 1], f, time, inside)
    generation = meet(buffers.sync, team, generation)
    return add_spring_forces(arrays, buffers, x, v, f, time, inside, 0, member, team, generation)


@kernel
def refresh_loads(arrays, buffers, x, v, f, b, load, member, team, generation):
    """Loads of rigids, energies and scales at the present state itself."""
    particles, rigids = value(arrays.particles), arrays.rigids
    time, inside = buffers.numbers[at.TIME], buffers.numbers[at.INSIDE]
    blocks = len(particles.block) - 1
    load_rigids(arrays, b, x, f, buffers.touch.load, load, time, inside, member, team)
    for k in range(blocks * member // team, blocks * (member + 1) // team):
        begin, stop = particles.block[k], particles.block[k + 1]
        buffers.block_sums[k, at.PART_KINETIC] = kinetic_energy(particles, begin, stop, v)
        buffers.block_sums[k, at.PART_SCALE] = force_scale(particles, begin, stop, f)
    for i in range(member, len(rigids.mass), team):
        buffers.rigid_sums[i, at.PART_KINETIC] = rigid_energy(rigids, i, b)
    return meet(buffers.sync, team, generation)


def make_advance(surrounded, surround, look_again, begin_contacts, end_contacts, renew_contacts):
    """`surrounded`: whether there may be contact or a medium; without them the loop compiles in a third of the time.

    Their kernels are handed in, so that the loop without them does not reach them.
    """
    def advance(all_arrays, all_buffers, member, team):
        """Run to the next frame, or until the plan says stop. Every member of the team calls it once."""
        arrays, buffers = refer(all_arrays), refer(all_buffers)
        generation = buffers.sync[16]
        numbers, counters = buffers.numbers, buffers.counters
        x, v, f, b, load = buffers.position, buffers.velocity, buffers.force, buffers.rigid, buffers.load
        nx, nv, nf = buffers.next_position, buffers.next_velocity, buffers.next_force
        nb, nload = buffers.next_rigid, buffers.next_load
        parity = 0
        if member == 0:
            if surrounded:
                if counters[at.BEGIN_CONTACT] == 2:
                    look_again(arrays, buffers, x, v, f, b, load)
            if not lacks_room(buffers):
                plan(arrays, buffers, x, v, b)
        generation = meet(buffers.sync, team, generation)
        while counters[at.ORDER] != at.STOP:
            if counters[at.ORDER] == at.REFRESH:
                if surrounded:
                    if counters[at.HAS_CONTACT] == 1 and counters[at.BEGIN_CONTACT] == 1:
                        generation = meet(buffers.sync, team, generation)  # all know the order before it may become STOP
                        if member == 0:
                            begin_contacts(arrays, buffers, x, v, b)
                            lacks_room(buffers)
                        generation = meet(buffers.sync, team, generation)
                        if counters[at.ORDER] == at.STOP:
                            break
                generation = refresh_springs(arrays, buffers, x, v, f, member, team, generation)
                if surrounded:
                    generation = surround(arrays, buffers, x, v, f, b, 0.0, numbers[at.TIME], numbers[at.INSIDE],
                                          member, team, generation)
                generation = refresh_loads(arrays, buffers, x, v, f, b, load, member, team, generation)
                if member == 0:
                    if surrounded:
                        counters[at.BEGIN_CONTACT] = 0
                        if counters[at.HAS_CONTACT] == 1:
                            end_contacts(arrays, buffers, x, v, f, b, load)
                    jumped = counters[at.EVENT_PASSED] == 1 or counters[at.STARTED] == 0
                    settle_refresh(arrays, buffers, x, v, f, b, load)
                    counters[at.EVALUATIONS] += 1
                    if jumped and counters[at.HAS_LAWS] == 1:
                        keep_flow(arrays, buffers, x, numbers[at.TIME], numbers[at.INSIDE], 0, 1)
                    plan(arrays, buffers, x, v, b)
                generation = meet(buffers.sync, team, generation)
                continue
            dt, end, inside = numbers[at.STEP_TAU], numbers[at.STEP_END], numbers[at.INSIDE]
            if len(arrays.slabs.first_row) > 0:
                generation = move_and_pull(arrays, buffers, x, v, f, nx, nv, nf, dt, end, inside, member, team, generation)
                generation = add_spring_forces(arrays, buffers, nx, nv, nf, end, inside, 1, member, team, generation)
            else:
                generation = predict(arrays, buffers, x, v, f, b, load, nx, nv, nf, nb, dt, end, inside,
                                     member, team, generation)
                generation = add_spring_forces(arrays, buffers, nx, nv, nf, end, inside, 0, member, team, generation)
            if surrounded:
                generation = surround(arrays, buffers, nx, nv, nf, nb, dt, end, inside, member, team, generation)
            generation = correct(arrays, buffers, x, v, b, load, nx, nv, nf, nb, nload, dt, end, inside,
                                 member, team, generation)
            generation = meet(buffers.sync, team, generation)
            if member == 0:
                counters[at.EVALUATIONS] += 1
                decide(arrays, buffers, nx, nv, nf, nb, nload, v, b)
                if counters[at.VERDICT] == 1:
                    if surrounded:
                        if counters[at.HAS_CONTACT] == 1:
                            renew_contacts(arrays, buffers, nx, nv, nf, nb, nload)
                    if not lacks_room(buffers):  # else the next step is planned when all pairs are known
                        plan(arrays, buffers, nx, nv, nb)
                else:
                    plan(arrays, buffers, x, v, b)
            generation = meet(buffers.sync, team, generation)
            if counters[at.VERDICT] == 1:
                if counters[at.HAS_LAWS] == 1:
                    keep_flow(arrays, buffers, nx, end, inside, member, team)
                    generation = meet(buffers.sync, team, generation)  # the next forces read what others kept
                x, nx = nx, x
                v, nv = nv, v
                f, nf = nf, f
                b, nb = nb, b
                load, nload = nload, load
                parity = 1 - parity
        generation = meet(buffers.sync, team, generation)
        if member == 0:
            counters[at.PARITY] = parity
    return advance


advance = entry(make_advance, False, None, None, None, None, None)
advance_surrounded = entry(make_advance, True, surround, look_again, begin_contacts, end_contacts, renew_contacts)
