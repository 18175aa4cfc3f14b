"""The compiled loop: from the present state to the next frame, without returning to Python.

Order of an attempt (equations in ARCHITECTURE.md, *The step*):
 1. plan       one member   the length of the step, under its caps and up to the next event
 2. place      all members  kick (apart: dampers for half the step) and drift of particles, weight and virtual forces; rigids
                            and driven axes: everything is where it is at the end of the attempt, with the velocities predicted
 3. springs    all members  level by level of the tree of groups; where the leaves are runs of rows, slab by slab with 2
 4. contact    all members  forces of what touches, where pairs are many; else one member
 5. act        one member   everything else that pushes from outside (`acts/table`), act by act; behind contact, so that sums
                            keep their order and slabs need not wait for each other
 6. correct    all members  second half kick (apart: dampers for the other half), kinetic energy; rigids
 7. decide     one member   ledger of the attempt: it stands and the buffers change roles, or it leaves no trace;
                            of what stands: friction is kept, pairs and contact directions are renewed, by all where many

`now` is the present state, `ahead` that at the end of the attempt.
"""
import functools

from robotphi.kernels.acts.driven import driven_count, place_driven
from robotphi.kernels.acts.forces import add_particle_forces
from robotphi.kernels.acts.table import push_acts
from robotphi.kernels.compiling.compiled import entry, kernel
from robotphi.kernels.compiling.reference import refer, taker, value
from robotphi.kernels.compiling.team import meet
from robotphi.kernels.contact.accepted import begin_contacts, end_contacts, look_again, renew_contacts
from robotphi.kernels.contact.columns import LACKING
from robotphi.kernels.contact.renewed import renew_together
from robotphi.kernels.contact.shared import add_contact_forces
from robotphi.kernels.mechanism.move import correct_mechanisms, predict_mechanisms, refresh_mechanisms
from robotphi.kernels.springs.forces import add_spring_forces, keep_flow, load_rigids, move_and_pull
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.apart import correct_apart, place_apart
from robotphi.kernels.step.buffers import Instant
from robotphi.kernels.step.damp_touch import exchange_rows
from robotphi.kernels.step.decide import decide
from robotphi.kernels.step.ledger import begin_acts
from robotphi.kernels.step.particles import correct_particles, force_scale, kinetic_energy, predict_particles, set_weight
from robotphi.kernels.step.path import rigid_path_error
from robotphi.kernels.step.plan import plan, set_out
from robotphi.kernels.step.rigids import (
    carry_others,
    carry_particles,
    carry_velocities,
    correct_rigid,
    predict_rigid,
    rigid_energy,
)
from robotphi.kernels.step.settle import settle_refresh
from robotphi.kernels.step.stiff import slow_down
from robotphi.kernels.step.stiff_energy import stiff_energies


@kernel
def place(arrays, buffers, now, ahead, member, team, generation):
    """Positions and predicted velocities of the end of the step."""
    particles, rigids, numbers = value(arrays.particles), arrays.rigids, buffers.numbers
    dt, end, inside = numbers[at.STEP_TAU], numbers[at.STEP_END], numbers[at.INSIDE]
    x, v, f, nx, nv, nf = now.position, now.velocity, now.force, ahead.position, ahead.velocity, ahead.force
    blocks = len(particles.block)
    for k in range(blocks * member // team, blocks * (member + 1) // team):
        begin, stop = particles.block[k, 0], particles.block[k, 1]
        buffers.block_sums[k, at.PART_POTENTIAL] = predict_particles(particles, begin, stop, x, v, f, nx, nv, nf, dt)
        if len(arrays.acts.forces.kind) > 0:
            add_particle_forces(arrays.acts.forces, arrays.drives, begin, stop, nf, end, inside)
    generation = meet(buffers.sync, team, generation)
    if len(rigids.mass) == 0 and driven_count(arrays.motions) == 0:
        return generation
    g = (particles.gravity[0], particles.gravity[1], particles.gravity[2])
    taylor = buffers.counters[at.SCHEME] == at.TAYLOR
    for i in range(member, len(rigids.mass), team):
        if arrays.mechanisms.link_of_rigid[i] < 0:
            buffers.rigid_sums[i, at.PART_POTENTIAL] = predict_rigid(rigids, i, now.rigid, now.load, ahead.rigid, dt, g, taylor)
            carry_particles(rigids, i, ahead.rigid, nx, nv)
    generation = meet(buffers.sync, team, generation)
    if driven_count(arrays.motions) > 0:
        if member == 0:
            numbers[at.STEP_GRAVITY] = place_driven(arrays, buffers.rigid_first, ahead, end, inside)
        generation = meet(buffers.sync, team, generation)
    return generation


@kernel
def correct(arrays, buffers, now, ahead, member, team, generation):
    """Velocities of the end of the step and the kinetic energy of each block and rigid."""
    particles, rigids, numbers = value(arrays.particles), arrays.rigids, buffers.numbers
    dt, end, inside = numbers[at.STEP_TAU], numbers[at.STEP_END], numbers[at.INSIDE]
    v, nv, nf = now.velocity, ahead.velocity, ahead.force
    taylor = buffers.counters[at.SCHEME] == at.TAYLOR
    blocks = len(particles.block)
    for k in range(blocks * member // team, blocks * (member + 1) // team):
        begin, stop = particles.block[k, 0], particles.block[k, 1]
        if taylor:
            buffers.block_sums[k, at.PART_KINETIC] = kinetic_energy(particles, begin, stop, nv)
        else:
            (buffers.block_sums[k, at.PART_KINETIC],
             buffers.block_sums[k, at.PART_PATH]) = correct_particles(particles, begin, stop, v, nv, nf, dt)
    if len(rigids.mass) > 0:
        if len(arrays.stiff.way) == 0:
            load_rigids(arrays, buffers, ahead, buffers.touch.load, end, inside, member, team)
        generation = meet(buffers.sync, team, generation)
        for i in range(member, len(rigids.mass), team):
            if arrays.mechanisms.link_of_rigid[i] >= 0:
                if len(arrays.stiff.way) > 0:   # it has its velocity already
                    carry_velocities(rigids, i, ahead.rigid, nv)
                continue
            buffers.rigid_sums[i, at.PART_KINETIC] = correct_rigid(rigids, i, now.rigid, now.load, ahead.rigid, ahead.load,
                                                                   dt, taylor)
            buffers.rigid_sums[i, at.PART_PATH] = rigid_path_error(rigids, i, now.load, ahead.rigid, ahead.load, dt)
            carry_velocities(rigids, i, ahead.rigid, nv)
    generation = meet(buffers.sync, team, generation)
    if len(arrays.stiff.way) > 0:
        generation = stiff_energies(arrays, buffers, ahead, member, team, generation)
    return generation


@kernel
def surround(arrays, buffers, now, dt, time, inside, member, team, generation):
    """Forces of what touches, and of all acts by one member, so that they come in one order."""
    if buffers.counters[at.HAS_CONTACT] == 1:
        generation = add_contact_forces(arrays, buffers, now.position, now.velocity, now.force, now.rigid, dt,
                                        member, team, generation)
    if member == 0:
        if buffers.counters[at.HAS_ACTS] == 1:
            begin_acts(buffers)
            buffers.numbers[at.ACT_SIZE] = 0.0
            pushed = refer(Instant(now.position, now.velocity, now.force, now.rigid, buffers.act_load))
            push_acts(arrays.acts, arrays.drives, buffers, pushed, time, inside)
    return meet(buffers.sync, team, generation)


@kernel
def renew(arrays, buffers, now, member, team, generation):
    """What follows for contact from an attempt that stands; by all members where they may share the pairs."""
    if buffers.members.load.shape[0] > 0:
        generation = meet(buffers.sync, team, generation)   # all know whether it does
        if buffers.counters[at.VERDICT] == 1:
            generation = renew_together(arrays, buffers, now.position, now.velocity, now.force, now.rigid, now.load,
                                        member, team, generation)
    elif member == 0 and buffers.counters[at.VERDICT] == 1:
        exchange_rows(buffers.touch, buffers.numbers)
        renew_contacts(arrays, buffers, now.position, now.velocity, now.force, now.rigid, now.load)
    return generation


@kernel
def lacks_room(buffers):
    """Whether the pairs found anew do not fit: the loop stops and is called again when there is room."""
    if buffers.counters[at.HAS_CONTACT] == 1 and buffers.touch.sizes[LACKING] > 0:
        buffers.counters[at.STATUS] = at.PAIRS_FULL
        buffers.counters[at.ORDER] = at.STOP
        return True
    return False


@kernel
def refresh_springs(arrays, buffers, now, member, team, generation):
    """Weight, virtual forces and springs at the present state itself."""
    particles, force = value(arrays.particles), now.force
    time, inside = buffers.numbers[at.TIME], buffers.numbers[at.INSIDE]
    blocks = len(particles.block)
    for k in range(blocks * member // team, blocks * (member + 1) // team):
        begin, stop = particles.block[k, 0], particles.block[k, 1]
        buffers.block_sums[k, at.PART_POTENTIAL] = 0.0  # steps by slabs keep theirs with the groups
        set_weight(particles, begin, stop, force)
        if len(arrays.acts.forces.kind) > 0:
            add_particle_forces(arrays.acts.forces, arrays.drives, begin, stop, force, time, inside)
    generation = meet(buffers.sync, team, generation)
    seen = buffers.still if buffers.counters[at.VISCOSITY] == at.APART else now.velocity
    return add_spring_forces(arrays, buffers, now.position, seen, force, time, inside, 0, member, team, generation)


@kernel
def refresh_loads(arrays, buffers, now, member, team, generation):
    """Loads of rigids, and what stiff objects make of them, at the present state itself."""
    time, inside = buffers.numbers[at.TIME], buffers.numbers[at.INSIDE]
    if len(arrays.stiff.way) > 0:
        generation = slow_down(arrays, buffers, now, time, inside, member, team, generation)
    elif len(arrays.rigids.mass) > 0:
        load_rigids(arrays, buffers, now, buffers.touch.load, time, inside, member, team)
    return meet(buffers.sync, team, generation)


@kernel
def refresh_energies(arrays, buffers, now, member, team, generation):
    """Energies and scales at the present state itself."""
    particles, rigids = value(arrays.particles), arrays.rigids
    blocks = len(particles.block)
    if len(arrays.stiff.way) > 0:
        generation = stiff_energies(arrays, buffers, now, member, team, generation)
    for k in range(blocks * member // team, blocks * (member + 1) // team):
        begin, stop = particles.block[k, 0], particles.block[k, 1]
        buffers.block_sums[k, at.PART_KINETIC] = kinetic_energy(particles, begin, stop, now.velocity)
        buffers.block_sums[k, at.PART_SCALE] = force_scale(particles, begin, stop, now.force)
        buffers.block_sums[k, at.PART_POTENTIAL] = 0.0  # slabs keep theirs with their springs, steps with dampers apart here
    for i in range(member, len(rigids.mass), team):
        buffers.rigid_sums[i, at.PART_KINETIC] = rigid_energy(rigids, i, now.rigid)
    return meet(buffers.sync, team, generation)


@kernel
def keep_refresh(arrays, buffers, now, joints):
    """What follows from forces that were evaluated anew, and what to do next."""
    numbers, counters = buffers.numbers, buffers.counters
    jumped = counters[at.EVENT_PASSED] == 1 or counters[at.STARTED] == 0
    settle_refresh(arrays, buffers, now, joints)
    counters[at.EVALUATIONS] += 1
    if jumped and counters[at.HAS_LAWS] == 1:
        keep_flow(arrays, buffers, now.position, numbers[at.TIME], numbers[at.INSIDE], 0, 1)
    plan(arrays, buffers, now, joints)


def make_advance(take_arrays, take_buffers, surrounded, jointed, surround, look_again, begin_contacts, end_contacts,
                 renew, predict_mechanisms, correct_mechanisms, refresh_mechanisms):
    """`surrounded`: whether there may be contact or acts; without them the loop compiles in a third of the time. `jointed`:
    whether there are mechanisms.

    Their kernels are handed in, so that the loop without them does not reach them.
    """
    def advance(arrays_address, buffers_address, member, team):
        """Run to the next frame, or until the plan says stop. Every member of the team calls it once."""
        arrays, buffers = take_arrays(arrays_address), take_buffers(buffers_address)
        generation = buffers.sync[16]
        numbers, counters = buffers.numbers, buffers.counters
        now = refer(Instant(buffers.position, buffers.velocity, buffers.force, buffers.rigid, buffers.load))
        ahead = refer(Instant(buffers.next_position, buffers.next_velocity, buffers.next_force, buffers.next_rigid,
                              buffers.next_load))
        joints, next_joints = buffers.joints, buffers.next_joints
        parity, moved, slowed = 0, False, len(arrays.stiff.way) > 0
        if member == 0:
            if counters[at.STATUS] == at.AIMED:
                set_out(arrays, buffers)
            if surrounded:
                if counters[at.BEGIN_CONTACT] == at.PAIRS_TO_FIND_AGAIN:
                    look_again(arrays, buffers, now.position, now.velocity, now.force, now.rigid, now.load)
            if not lacks_room(buffers):
                plan(arrays, buffers, now, joints)
        generation = meet(buffers.sync, team, generation)
        while counters[at.ORDER] != at.STOP:
            if counters[at.ORDER] == at.REFRESH:
                if surrounded:
                    if counters[at.HAS_CONTACT] == 1 and counters[at.BEGIN_CONTACT] == at.PAIRS_TO_FIND:
                        generation = meet(buffers.sync, team, generation)  # all know the order before it may become STOP
                        if member == 0:
                            begin_contacts(arrays, buffers, now.position, now.velocity, now.rigid)
                            lacks_room(buffers)
                        generation = meet(buffers.sync, team, generation)
                        if counters[at.ORDER] == at.STOP:
                            break
                generation = refresh_springs(arrays, buffers, now, member, team, generation)
                if surrounded:
                    generation = surround(arrays, buffers, now, 0.0, numbers[at.TIME], numbers[at.INSIDE],
                                          member, team, generation)
                generation = refresh_loads(arrays, buffers, now, member, team, generation)
                if jointed:
                    if member == 0:
                        refresh_mechanisms(arrays, buffers, now, joints)
                    generation = meet(buffers.sync, team, generation)
                generation = refresh_energies(arrays, buffers, now, member, team, generation)
                if member == 0:
                    if surrounded:
                        counters[at.BEGIN_CONTACT] = at.PAIRS_KNOWN
                        if counters[at.HAS_CONTACT] == 1:
                            exchange_rows(buffers.touch, numbers)
                            end_contacts(arrays, buffers, now.position, now.velocity, now.force, now.rigid, now.load)
                    keep_refresh(arrays, buffers, now, joints)
                generation = meet(buffers.sync, team, generation)
                continue
            dt, end, inside = numbers[at.STEP_TAU], numbers[at.STEP_END], numbers[at.INSIDE]
            apart, first_level = counters[at.VISCOSITY] == at.APART, 0
            if apart:
                generation = place_apart(arrays, buffers, now, ahead, joints, next_joints, member, team, generation)
            elif len(arrays.slabs.first_row) > 0:
                generation = move_and_pull(arrays, buffers, now.position, now.velocity, now.force, ahead.position,
                                           ahead.velocity, ahead.force, dt, end, inside, member, team, generation)
                first_level = 1
            else:
                generation = place(arrays, buffers, now, ahead, member, team, generation)
            if jointed and not apart:
                if member == 0:
                    predict_mechanisms(arrays, buffers, now, ahead, joints, next_joints)
                generation = meet(buffers.sync, team, generation)
            seen = buffers.still if apart else ahead.velocity
            generation = add_spring_forces(arrays, buffers, ahead.position, seen, ahead.force, end, inside,
                                           first_level, member, team, generation)
            if surrounded:
                generation = surround(arrays, buffers, ahead, dt, end, inside, member, team, generation)
            if apart:
                generation = correct_apart(arrays, buffers, now, ahead, joints, next_joints, member, team, generation)
            else:
                if slowed:   # what hangs on links follows them
                    generation = slow_down(arrays, buffers, ahead, end, inside, member, team, generation)
                    if jointed:
                        if member == 0:
                            correct_mechanisms(arrays, buffers, now, ahead, joints, next_joints)
                        generation = meet(buffers.sync, team, generation)
                generation = correct(arrays, buffers, now, ahead, member, team, generation)
            if member == 0:
                if jointed and not apart and not slowed:
                    correct_mechanisms(arrays, buffers, now, ahead, joints, next_joints)
                counters[at.EVALUATIONS] += 1
                decide(arrays, buffers, now, ahead, next_joints)
                if counters[at.VERDICT] == 0:
                    plan(arrays, buffers, now, joints)
            if surrounded:
                if counters[at.HAS_CONTACT] == 1:
                    generation = renew(arrays, buffers, ahead, member, team, generation)
            if member == 0 and counters[at.VERDICT] == 1:
                if not lacks_room(buffers):  # else the next step is planned when all pairs are known
                    plan(arrays, buffers, ahead, next_joints)
            generation = meet(buffers.sync, team, generation)
            if counters[at.VERDICT] == 1:
                if counters[at.HAS_LAWS] == 1:
                    keep_flow(arrays, buffers, ahead.position, end, inside, member, team)
                    generation = meet(buffers.sync, team, generation)  # the next forces read what others kept
                now, ahead = ahead, now
                joints, next_joints = next_joints, joints
                parity, moved = 1 - parity, True
        if moved:  # else all is where the last call left it, or where the scene said
            for i in range(member, len(arrays.rigids.mass), team):
                carry_others(arrays.rigids, i, now.rigid, now.position, now.velocity)
        generation = meet(buffers.sync, team, generation)
        if member == 0:
            counters[at.PARITY] = parity
    return advance


@functools.cache
def advance_on(arrays, buffers, surrounded, jointed):
    """The loop for arrays and buffers of these types, by addresses, with or without what surrounds particles and mechanisms."""
    around = (surround, look_again, begin_contacts, end_contacts, renew)
    moving = (predict_mechanisms, correct_mechanisms, refresh_mechanisms)
    return entry(make_advance, taker(arrays), taker(buffers), surrounded, jointed,
                 *(around if surrounded else [None] * len(around)), *(moving if jointed else [None] * len(moving)))
