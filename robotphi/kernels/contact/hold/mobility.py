"""How easily what touches gives way to friction, and the damper that is critical for it.

The spring of friction, stiffness k, is critically damped by 2 √(k/W), W how easily both sides give way to a force across n. A
ball that touches at a point turns under it, by W = M⁻¹ + [r]ᵀ J⁻¹ [r]; what stands on a patch is kept from tilting by the
pressure there and moves as a whole, W = 1/M. Of a soft part a contact moves what is in touch: a surface of so many kg/m², at
least one vertex of it; as a whole it swings as slowly as the springs let it.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.sides import effective_mass
from robotphi.kernels.maths.vectors import cross, dot, get3, minus, unit
from robotphi.kernels.step.rigids import CENTRE, HELD, get_orientation, spin_of


@inlined
def moved_mass(parts, part, area):
    """Mass of a part that a pressure on so much of its surface moves [kg]: of a soft one what is there, at least one vertex."""
    size = parts.size
    return min(size[part, c.MASS], max(size[part, c.SURFACE_MASS] * area, size[part, c.VERTEX_MASS]))


@inlined
def reduced_mass(parts, a, b, area):
    """Reduced mass of two parts that press on each other over an area."""
    return effective_mass(moved_mass(parts, a, area), moved_mass(parts, b, area))


@inlined
def critical_damping(stiffness, mobility):
    """2 √(k m) of a spring on the mass 1/mobility [N·s/m]; none where nothing can move."""
    return 2.0 * math.sqrt(stiffness / mobility) if mobility > 0.0 else 0.0


@inlined
def turned_inverse(rigids, rigid, i, moment):
    """J⁻¹ M of rigid i."""
    inverse = (rigids.inverse_inertia[i, 0], rigids.inverse_inertia[i, 1], rigids.inverse_inertia[i, 2])
    return spin_of(get_orientation(rigid, i), moment, inverse)


@kernel
def give_across(rigids, rigid, i, point, n):
    """The largest u·W u of rigid i for unit vectors u across n [1/kg]."""
    s = unit(cross(n, (1.0, 0.0, 0.0) if abs(n[0]) < 0.6 else (0.0, 1.0, 0.0)))
    t = cross(n, s)
    ss = st = tt = 0.0
    for axis in range(3):
        w = rigids.inverse_mass[i, axis]
        ss, st, tt = ss + w * s[axis] * s[axis], st + w * s[axis] * t[axis], tt + w * t[axis] * t[axis]
    if rigids.rotation[i] != HELD:
        arm = minus(point, get3(rigid, i, CENTRE))
        by_s, by_t = cross(arm, s), cross(arm, t)
        spin = turned_inverse(rigids, rigid, i, by_s)
        ss, st = ss + dot(by_s, spin), st + dot(by_t, spin)
        tt += dot(by_t, turned_inverse(rigids, rigid, i, by_t))
    half = 0.5 * (ss - tt)
    return 0.5 * (ss + tt) + math.sqrt(half * half + st * st)


@kernel
def give_of_part(arrays, rigid, part, point, n, gyration):
    """How easily a part gives way across n at a point, or at a patch [1/kg]; a soft one as a whole."""
    mass, i = arrays.contact.parts.size[part, c.MASS], arrays.contact.parts.rigid[part]
    if i >= 0 and gyration == 0.0 and math.isfinite(mass):
        return give_across(arrays.rigids, rigid, i, point, n)
    return 1.0 / mass


@kernel
def pair_damping(arrays, numbers, k, rigid, a, b, point, n, gyration, stiffness, area, reach):
    """The damper of friction of a pair as a whole: critical for all of a soft part, no stronger than for what is in touch.

    `reach`: how many times as easily as by its mass that gives way, the force being off its middle; 0 where b is not soft.
    """
    give = give_of_part(arrays, rigid, a, point, n, gyration) + give_of_part(arrays, rigid, b, point, n, gyration)
    damping = critical_damping(stiffness, give)
    if reach > 0.0:
        give += reach / moved_mass(arrays.contact.parts, b, area)
        damping = min(damping, critical_damping(max(stiffness, numbers[k, c.STEEPNESS]), give))
    return damping
