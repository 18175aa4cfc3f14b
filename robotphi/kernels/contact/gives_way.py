"""How stiff objects give way to what pushes their surface, and what that strains, for `on_stiff`.

Of an object on a link the mobility of particles is that by their own inertia and that of the link, as joints leave it with all
that hangs on its mechanism (`mechanism/hung`):

    T⁻¹ = D + Z W Zᵀ        W the answers of the link to unit wrenches

Others have theirs from the build (`Stiff.mobility`).

What touches, A, and the springs within, B, both ≥ 0 and scaled by inertia, are not both as fast where they are fastest. With
Σ c g gᵀ behind A and v = T⁻¹ g the answers to its pushes,

    |A + B| ≤ ½ (|A| + |B|) + √(¼ (|A| − |B|)² + |A^½ B^½|²)         |A^½ B^½|² ≤ tr AB = Σ c v·K v      (Kittaneh 1997)

with K the springs within, as they stand and are pulled: what touches the tip of a finger moves it all, and strains it little.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel, kernel_unless
from robotphi.kernels.maths.matrices import applied, applied_back, get9
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, norm, plus, read, scaled
from robotphi.kernels.mechanism.bounds import loosen
from robotphi.kernels.mechanism.columns import NoMechanisms
from robotphi.kernels.mechanism.gains import solve_links
from robotphi.kernels.mechanism.relations import clear_push
from robotphi.kernels.step.stiff_bounds import STIFF_EXTRA
from robotphi.kernels.step.stiff_frame import FRAME, HELD, multiply, three
from robotphi.kernels.step.terms import bends_within_stiff

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ZERO = (0.0, 0.0, 0.0)


@inlined
def is_on_link(arrays, o):
    return arrays.stiff.rigid[o] >= 0 and arrays.mechanisms.link_of_rigid[arrays.stiff.rigid[o]] >= 0


@kernel_unless(NoMechanisms, lambda arrays, buffers, o: None)
def know_link(arrays, buffers, o):
    """W of the link that object o is on, in the frame of the object, into its rows of `Slow.solve`."""
    mechanisms, links, solve = arrays.mechanisms, buffers.links, buffers.slow.solve
    link, frame, m = mechanisms.link_of_rigid[arrays.stiff.rigid[o]], get9(buffers.slow.motion, o, FRAME), 0
    while mechanisms.start[m + 1] <= link:
        m += 1
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    loosen(mechanisms, arrays.rigids, links, m)
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.effort[k, 0] = 0.0
    for b in range(6):
        clear_push(links, begin, end)
        push = applied(frame, AXES[b % 3])
        for axis in range(3):
            links.push[link, b // 3 * 3 + axis] = -push[axis]
        solve_links(mechanisms, links, links.effort, links.answer, begin, end)
        speed = applied_back(frame, get3(links.acceleration, link, 0))
        spin = applied_back(frame, get3(links.acceleration, link, 3))
        for axis in range(3):
            solve[6 * o + axis, b], solve[6 * o + 3 + axis, b] = speed[axis], spin[axis]


@inlined
def of_link(slow, o, force, couple):
    """W times a wrench, as velocity and spin."""
    w, top = slow.solve, 6 * o
    wrench = (force[0], force[1], force[2], couple[0], couple[1], couple[2])
    found = ZERO, ZERO
    for half in range(2):
        total = ZERO
        for b in range(6):
            total = plus(total, scaled((w[top + 3 * half, b], w[top + 3 * half + 1, b], w[top + 3 * half + 2, b]), wrench[b]))
        found = (total, found[1]) if half == 0 else (found[0], total)
    return found


@inlined
def felt_of(stiff, k, a, share):
    """Zᵀ a of place k, `share` over its mass, as force and couple."""
    force = scaled((dot(get3(stiff.lag, 6 * k, 0), a), dot(get3(stiff.lag, 6 * k + 1, 0), a),
                    dot(get3(stiff.lag, 6 * k + 2, 0), a)), share)
    return force, scaled((dot(get3(stiff.lag, 6 * k + 3, 0), a), dot(get3(stiff.lag, 6 * k + 4, 0), a),
                          dot(get3(stiff.lag, 6 * k + 5, 0), a)), share)


@inlined
def led(stiff, k, axis, speed, spin):
    """The impulse with which place k follows its link [kg m/s]."""
    return (stiff.lag[6 * k, axis] * speed[0] + stiff.lag[6 * k + 1, axis] * speed[1]
            + stiff.lag[6 * k + 2, axis] * speed[2] + stiff.lag[6 * k + 3, axis] * spin[0]
            + stiff.lag[6 * k + 4, axis] * spin[1] + stiff.lag[6 * k + 5, axis] * spin[2])


@kernel
def give_way(arrays, slow, o):
    """T⁻¹ times what is in `slow.given` into `slow.got`; returns the velocity and spin of its link, of others none."""
    stiff, inverse, begin, first = arrays.stiff, arrays.particles.inverse_mass, arrays.stiff.start[o], arrays.stiff.first[o]
    end, given, got = stiff.free_end[o], slow.given, slow.got
    count, matrix = 3 * (end - begin), stiff.matrix_start[o]
    if not is_on_link(arrays, o):
        multiply(stiff.mobility, matrix, count, stiff.width[o], given, first, got)
        return ZERO, ZERO
    multiply(stiff.inertia_inverse, matrix, count, stiff.width[o], given, first, got)
    force, couple = ZERO, ZERO
    for k in range(begin, end):
        j = first + 3 * (k - begin)
        own = felt_of(stiff, k, (given[j], given[j + 1], given[j + 2]), inverse[stiff.particle[k]])
        force, couple = plus(force, own[0]), plus(couple, own[1])
    speed, spin = of_link(slow, o, force, couple)
    for k in range(begin, end):
        j, share = first + 3 * (k - begin), inverse[stiff.particle[k]]
        for axis in range(3):
            got[j + axis] += share * led(stiff, k, axis, speed, spin)
    return speed, spin


@kernel
def gives_at(arrays, slow, o, row_of, n):
    """n·Z W Zᵀ n of a free row of object o on a link."""
    stiff = arrays.stiff
    force, couple = felt_of(stiff, stiff.place[row_of], n, arrays.particles.inverse_mass[row_of])
    speed, spin = of_link(slow, o, force, couple)
    return dot(force, speed) + dot(couple, spin)


@kernel
def know_places(arrays, slow, local, o):
    """How each particle of object o on a link gives way at most: by its own inertia and, as the trace, by that of the link."""
    stiff = arrays.stiff
    for k in range(stiff.start[o], stiff.free_end[o]):
        by_link = 0.0
        for axis in range(3):
            by_link += gives_at(arrays, slow, o, stiff.particle[k], AXES[axis])
        local[k] = min(stiff.local[k], stiff.alone[k] + by_link)


@inlined
def off_rigid(stiff, slow, o, particle, speed, spin):
    """Velocity of a row of object o in the frame, of those that a rigid carries none."""
    k = stiff.place[particle]
    if k >= stiff.free_end[o]:
        return ZERO
    return minus(three(slow.got, stiff.first[o] + 3 * (k - stiff.start[o])), plus(speed, cross(spin, get3(stiff.rest, k, 0))))


@kernel
def strained_by(arrays, slow, now, o, speed, spin):
    """v·K v of the velocities that `give_way` has left, with the springs within object o."""
    stiff, springs, total = arrays.stiff, arrays.linear, 0.0
    held, frame = stiff.way[o] == HELD, get9(slow.motion, o, FRAME)
    for place in range(stiff.line_start[o], stiff.line_start[o + 1]):
        i = stiff.line[place]
        a, b, k = springs.first[i], springs.second[i], springs.stiffness[i]
        d = minus(read(now.position, a), read(now.position, b))
        length = norm(d)
        if not length > 0.0:
            continue
        v = minus(off_rigid(stiff, slow, o, a, speed, spin), off_rigid(stiff, slow, o, b, speed, spin))
        along = dot(v, d if held else applied_back(frame, d)) / length
        total += k * along * along + max(k * (length - springs.rest_length[i]) / length, 0.0) * (dot(v, v) - along * along)
    return total


@kernel
def knows_strain(arrays, o):
    """Whether `strained_by` has all springs within object o, which is in the frame of a link or of the world."""
    if not (arrays.stiff.way[o] == HELD or is_on_link(arrays, o)):
        return False
    for i in range(len(arrays.angular.first)):
        if (arrays.angular.stiffness[i] > 0.0 and bends_within_stiff(arrays.stiff, arrays.angular, i)
                and arrays.stiff.object[arrays.angular.first[i]] == o):
            return False
    return True


@inlined
def of_both(slow, o, along, strain):
    """|A + B| of what touches object o and the springs within it, by |A| and |A^½ B^½|²."""
    own = slow.extra[o, STIFF_EXTRA]
    half = 0.5 * (along - own)
    return 0.5 * (along + own) + math.sqrt(half * half + min(strain, along * own))
