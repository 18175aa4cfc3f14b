"""Stages of the dampers of mechanisms that go apart (`apart`): rates by impulses at held places, and what these sum up to."""
from robotphi.kernels.compiling.compiled import kernel, kernel_unless
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, plus, read, scaled, set3
from robotphi.kernels.mechanism.closed import is_closed, project_rates
from robotphi.kernels.mechanism.columns import BY_DAMPERS, HUNG_GOING, HUNG_POWER, REACTION, NoMechanisms
from robotphi.kernels.mechanism.gains import solve_links
from robotphi.kernels.mechanism.hung import hangs_any, object_on
from robotphi.kernels.mechanism.poses import base_motion, gone_along, move_links
from robotphi.kernels.mechanism.relations import add_multipliers, clear_push, has_relations
from robotphi.kernels.mechanism.tell import set_motion
from robotphi.kernels.step.damp_rows import gather_impulse
from robotphi.kernels.step.damp_touch import rigid_impulse
from robotphi.kernels.step.rigids import CENTRE, SPIN, VELOCITY
from robotphi.kernels.step.slots import PASSED, PASSED_BEFORE, POWER


@kernel_unless(NoMechanisms, lambda arrays, buffers, place, bound, start, found, velocity, impulse, weights, j, spent: None)
def stage_mechanisms(arrays, buffers, place, bound, start, found, found_velocity, impulse, weights, j, spent):
    """A stage of the dampers for all mechanisms: what `damp_rows.rigid_stage` is for single rigids."""
    mechanisms, rigids, links, damping = arrays.mechanisms, arrays.rigids, buffers.links, buffers.damping
    for i in range(len(mechanisms.rigid)):
        body = mechanisms.rigid[i]
        total, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if body >= 0:
            total, moment = gather_impulse(rigids, body, get3(place.rigid, body, CENTRE), place.position, impulse)
            of_rows = rigid_impulse(damping, body, j, weights)
            total, moment = plus(total, of_rows[0]), plus(moment, of_rows[1])
            if hangs_any(links):
                links.hung[i, HUNG_POWER] = (dot(total, get3(links.hung, i, HUNG_GOING))
                                             + dot(moment, get3(links.hung, i, HUNG_GOING + 3)))
                o = object_on(arrays, i)
                if o >= 0:
                    total = plus(total, get3(buffers.slow.load, o, 0))
                    moment = plus(moment, get3(buffers.slow.load, o, 3))
        set3(links.push, i, 0, scaled(total, -1.0))
        set3(links.push, i, 3, scaled(moment, -1.0))
    for m in range(len(mechanisms.free)):
        begin, end = mechanisms.start[m], mechanisms.start[m + 1]
        push_on(mechanisms, links, spent, m)
        if is_closed(arrays.closures, m):
            project_rates(arrays, links, bound, links.trial, 0.0, 0.0, m)
            move_links(mechanisms, links, links.trial, begin, end)
        for i in range(begin, end):
            body = mechanisms.rigid[i]
            if body >= 0:
                power = stage_of_rigid(arrays, links, i, body, place, start, found, found_velocity)
                if hangs_any(links):   # a·J, as of what hangs there (`step/damp_stiff`)
                    power = links.hung[i, HUNG_POWER]
                if j == 1:
                    damping.rigid_sums[body, PASSED] = damping.rigid_sums[body, PASSED_BEFORE] = 0.0
                    damping.rigid_sums[body, POWER] = 0.0
                keep_power(damping.rigid_sums, body, power, weights)


@kernel
def push_on(mechanisms, links, spent, m):
    """Rates `trial` of factored links, and how these move, by impulses −`push` beside the accelerations `pull` for a time."""
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    for k in range(first, last):
        links.effort[k, 0] = 0.0
    solve_links(mechanisms, links, links.effort, links.answer, begin, end)
    for k in range(first, last):
        links.trial[k, 0] = links.start[k, 0] + spent * links.pull[k, 0] + links.answer[k, 0]
        links.flow[k, BY_DAMPERS] = links.flow[k, REACTION]
    if has_relations(mechanisms, m):
        add_multipliers(mechanisms, links, links.answer, links.answer, 0.0, m)
        clear_push(links, begin, end)
        solve_links(mechanisms, links, links.effort, links.answer, begin, end)
        for k in range(first, last):
            links.trial[k, 0] += links.answer[k, 0]
            links.flow[k, BY_DAMPERS] += links.flow[k, REACTION]
    for i in range(begin, end):
        speed, spin = base_motion(links, mechanisms.parent[i])
        speed, spin = gone_along(mechanisms, links, links.trial, i, speed, spin)
        set3(links.pose, i, VELOCITY, speed)
        set3(links.pose, i, SPIN, spin)


@kernel
def stage_of_rigid(arrays, links, i, body, place, start, found, found_velocity):
    """Velocities of a rigid and its particles in a stage; returns F·(V − V₀) + N·(ω − ω₀) [W]."""
    rigids, speed, spin = arrays.rigids, get3(links.pose, i, VELOCITY), get3(links.pose, i, SPIN)
    centre = get3(place.rigid, body, CENTRE)
    set_motion(arrays, found, body, speed, spin)
    for k in range(rigids.start[body], rigids.used[body]):
        p = rigids.particle[k]
        v = plus(speed, cross(spin, minus(read(place.position, p), centre)))
        found_velocity[p, 0], found_velocity[p, 1], found_velocity[p, 2] = v
    return (dot(get3(place.load, body, 0), minus(speed, get3(start, body, VELOCITY)))
            + dot(get3(place.load, body, 3), minus(spin, get3(start, body, SPIN))))


@kernel
def keep_power(sums, i, power, weights):
    """Recursion of the integral of f·(v − v₀), see `damp.pass_on`."""
    on_last, on_before, on_power, _ = weights
    passed = on_last * sums[i, PASSED] + on_before * sums[i, PASSED_BEFORE] + on_power * sums[i, POWER]
    sums[i, PASSED_BEFORE], sums[i, PASSED], sums[i, POWER] = sums[i, PASSED], passed, power


@kernel
def sum_impulses(arrays, buffers, place, impulse, half):
    """What dampers have pushed each free mechanism with in a half, about its centre of mass."""
    mechanisms, rigids, links, damping = arrays.mechanisms, arrays.rigids, buffers.links, buffers.damping
    for m in range(len(mechanisms.free)):
        total, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for i in range(mechanisms.start[m], mechanisms.start[m + 1]):
            body = mechanisms.rigid[i]
            if body >= 0:
                centre = get3(place.rigid, body, CENTRE)
                push, turn = gather_impulse(rigids, body, centre, place.position, impulse)
                push = plus(push, get3(damping.rigid_impulse, body, 0))
                turn = plus(turn, get3(damping.rigid_impulse, body, 3))
                o = object_on(arrays, i) if hangs_any(links) else -1
                if o >= 0:
                    push, turn = plus(push, get3(buffers.slow.reaction, o, 0)), plus(turn, get3(buffers.slow.reaction, o, 3))
                total = plus(total, push)
                moment = plus(moment, plus(turn, cross(centre, push)))
        set3(links.impulse, m, half, total)
        set3(links.impulse, m, half + 3, moment)
