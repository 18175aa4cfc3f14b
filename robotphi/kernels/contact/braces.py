"""Strong dampers from a link to what does not move, in the bounds of what touches a stiff object on that link.

Along p a spring with a damper counts k − β c in K − β C (`step/relief`). Where that is −n < 0 it is as good as inertia: with Λ
no less than the bound λ that comes out,

    K ≤ λ (M + n/Λ p pᵀ)    gives    K − n p pᵀ ≤ λ M

for K of all else, so that T⁻¹ becomes T⁻¹ − μ a aᵀ, a = T⁻¹ p, 1/μ = Λ/n + p·a. Where λ comes out above Λ, n (λ/Λ − 1) p·a is
what is left. Of several springs the one that counts most is taken.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.gives_way import led, of_link
from robotphi.kernels.maths.matrices import applied_back, get9
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, norm, plus, read, scaled
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.rigids import CENTRE
from robotphi.kernels.step.stiff_frame import FRAME
from robotphi.kernels.step.terms import damped_freely, straining

GREW = 1.15                # pairs that ask for so much more than they did are entered anew: Λ is above the last bound by that
ZERO = (0.0, 0.0, 0.0)
NO_BRACE = (0.0, ZERO, ZERO, ZERO, ZERO)   # μ, force and couple of p, velocity and spin of a


@kernel
def brace_of(arrays, buffers, now, o):
    """The brace of object o, whose link is known; what it leaves where the bound comes out higher is kept."""
    stiff, slow, numbers, kept = arrays.stiff, buffers.slow, buffers.numbers, buffers.touch.stiff
    limit, relief, best, found = GREW * numbers[at.JOINT_SQUARE], numbers[at.RELIEF], 0.0, NO_BRACE
    kept[o, c.BRACED], kept[o, c.BRACED_TO] = 0.0, 0.0
    if not (limit > 0.0 and relief > 0.0):
        return found
    frame, centre = get9(slow.motion, o, FRAME), get3(now.rigid, stiff.rigid[o], CENTRE)
    for place in range(stiff.brace_start[o], stiff.brace_start[o + 1]):
        row, u, less = less_than_none(arrays, buffers, now, relief, stiff.brace[place, 0], stiff.brace[place, 1],
                                      stiff.brace[place, 2])
        if not less > 0.0:
            continue
        force = applied_back(frame, u)
        couple = cross(applied_back(frame, minus(read(now.position, row), centre)), force)
        speed, spin = of_link(slow, o, force, couple)
        gives = dot(force, speed) + dot(couple, spin)
        if less * gives > best:
            best, found = less * gives, (1.0 / (limit / less + gives), force, couple, speed, spin)
            kept[o, c.BRACED], kept[o, c.BRACED_TO] = best, limit
    return found


@inlined
def less_than_none(arrays, buffers, now, relief, i, law, end):
    """The row on the link of spring i, of those with a law or the plain ones; its direction, and by how much β c is above k."""
    if law == 0:
        springs = arrays.linear
        d = minus(read(now.position, springs.first[i]), read(now.position, springs.second[i]))
        length, k, mu = norm(d), springs.stiffness[i], springs.viscosity[i]
        u = scaled(d, 1.0 / length) if length > 0.0 else ZERO
        row = springs.first[i] if end == 0 else springs.second[i]
    else:
        of_law = arrays.linear_law
        time, inside = buffers.numbers[at.TIME], buffers.numbers[at.INSIDE]
        u, length, _, k = straining(arrays, buffers, of_law, i, now.position, time, inside)
        mu = of_law.viscosity[i] if damped_freely(of_law, i, buffers.linear_law) else 0.0
        row = of_law.first[i] if end == 0 else of_law.second[i]
    return row, u, relief * mu - k if length > 0.0 else 0.0


@kernel
def braced(arrays, slow, o, brace, speed, spin):
    """What `give_way` has left, braced; returns the velocity and spin of the link then."""
    stiff, inverse, begin, first = arrays.stiff, arrays.particles.inverse_mass, arrays.stiff.start[o], arrays.stiff.first[o]
    share, force, couple, along, about = brace
    part = -share * (dot(force, speed) + dot(couple, spin))
    for k in range(begin, stiff.free_end[o]):
        j, own = first + 3 * (k - begin), part * inverse[stiff.particle[k]]
        for axis in range(3):
            slow.got[j + axis] += own * led(stiff, k, axis, along, about)
    return plus(speed, scaled(along, part)), plus(spin, scaled(about, part))


@kernel
def brace_link(slow, o, brace):
    """W of the link of object o, braced."""
    share, _, _, along, about = brace
    answer = (along[0], along[1], along[2], about[0], about[1], about[2])
    for a in range(6):
        for b in range(6):
            slow.solve[6 * o + a, b] -= share * answer[a] * answer[b]
