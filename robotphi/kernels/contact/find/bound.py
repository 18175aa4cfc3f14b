"""What contact allows the step to be: a bound on its stiffness and damping, and the time in which two parts could meet.

A spring K between two bodies gives (see `stability`) ω² ≤ Σ 2 K w on each, w = 1/M + r²/I for a rigid and 1/m for a particle;
where the other side is fixed the factor 2 falls away. Contact forces of one instant are bounded by what they are now.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.contact.columns import TOTAL_DAMPING, TOTAL_SQUARE, TOTAL_STIFFEST
from robotphi.kernels.contact.kinds import MASS
from robotphi.kernels.maths.vectors import dot, minus
from robotphi.kernels.step.rigids import CENTRE, get3


@kernel
def rigid_mobility(rigids, rigid, i, point, spread):
    """1/M + (r² + spread)/I of rigid i for a force at a point [1/kg]."""
    w = max(rigids.inverse_mass[i, 0], max(rigids.inverse_mass[i, 1], rigids.inverse_mass[i, 2]))
    if rigids.rotation[i] == 2:
        return w
    inverse = max(rigids.inverse_inertia[i, 0], max(rigids.inverse_inertia[i, 1], rigids.inverse_inertia[i, 2]))
    arm = minus(point, get3(rigid, i, CENTRE))
    return w + (dot(arm, arm) + spread) * inverse


@kernel
def bound_part(rigids, particles, parts, part, other, rigid, limits, totals, row, point, spread, stiffness, damping):
    """Let a contact spring count for one of its parts: a rigid, or the particle of `row`."""
    share = 2.0 if math.isfinite(parts.size[other, MASS]) else 1.0
    i = parts.rigid[part]
    if i >= 0:
        w = share * rigid_mobility(rigids, rigid, i, point, spread)
        limits[i, 0] += stiffness * w
        limits[i, 1] += damping * w
        totals[TOTAL_SQUARE] = max(totals[TOTAL_SQUARE], limits[i, 0])
        totals[TOTAL_DAMPING] = max(totals[TOTAL_DAMPING], limits[i, 1])
    elif row >= 0:
        w = share * particles.inverse_mass[row]
        totals[TOTAL_SQUARE] = max(totals[TOTAL_SQUARE], stiffness * w)
        totals[TOTAL_DAMPING] = max(totals[TOTAL_DAMPING], damping * w)
    totals[TOTAL_STIFFEST] = max(totals[TOTAL_STIFFEST], stiffness)


@kernel
def bound_vertices(arrays, touch, part, stiffness, damping, rubs):
    """Let the vertices of a soft part count that have a share of the force: λ times the area around, and what friction adds.

    Friction's spring has the same stiffness unless told, with critical damping.
    """
    parts, particles, totals = arrays.contact.parts, arrays.particles, touch.totals
    for place in range(parts.vertex_start[part], parts.vertex_start[part + 1]):
        if touch.share[place] > 0.0:
            w = 2.0 * particles.inverse_mass[parts.vertex[place]]
            square = stiffness * parts.vertex_area[place] * w
            rate = damping * touch.share[place] * w
            totals[TOTAL_SQUARE] = max(totals[TOTAL_SQUARE], square)
            totals[TOTAL_DAMPING] = max(totals[TOTAL_DAMPING], rate + (math.sqrt(2.0 * square) if rubs else 0.0))
            totals[TOTAL_STIFFEST] = max(totals[TOTAL_STIFFEST], stiffness * parts.vertex_area[place])


@inlined
def meeting_time(room, speed, acceleration):
    """Smallest t > 0 with speed t + ½ acceleration t² = room; infinite where they never meet."""
    rate = speed + math.sqrt(max(speed * speed + 2.0 * acceleration * room, 0.0))
    return 2.0 * room / rate if rate > 0.0 else math.inf
