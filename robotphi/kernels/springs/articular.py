"""Forces of articular springs: the signed dihedral angle about an axis, as its gradient on all four particles.

Axis g = d − c from centre c to end d, arms p = a − c and q = b − c, A = p × g, B = q × g:
    θ = atan2(g·(A × B)/|g|, A·B),  unwrapped over turns;
    ∂θ/∂a = |g| A/|A|²,   ∂θ/∂b = −|g| B/|B|²,
and c and d take what keeps both momenta: with s_a = p·g/|g|² the foot of a on the axis,
    ∂θ/∂c = −(1 − s_a) ∂θ/∂a − (1 − s_b) ∂θ/∂b,   ∂θ/∂d = −s_a ∂θ/∂a − s_b ∂θ/∂b.
Energy ½ k (θ − θ0)², damping −μ θ̇ ∂θ/∂x (RR-3072 §2.2.3, whose formula leaves d without force).
"""
import math

from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.atan import arctangent2
from robotphi.kernels.maths.vectors import add_to, cross, dot, minus, norm, plus, read, scaled
from robotphi.kernels.springs.laws import bent_law, keep_found
from robotphi.kernels.springs.table import ACCUMULATED, ANGLE, FLOW

FULL_TURN = 2.0 * math.pi


@inlined
def dihedral(springs, i, position, before):
    """Angle, unwrapped to lie within half a turn of `before`, and its gradients on a, b, c, d."""
    centre = read(position, springs.centre[i])
    g = minus(read(position, springs.end[i]), centre)
    p = minus(read(position, springs.first[i]), centre)
    q = minus(read(position, springs.second[i]), centre)
    axis = norm(g)
    a = cross(p, g)
    b = cross(q, g)
    aa = dot(a, a)
    bb = dot(b, b)
    if not (axis > 0.0 and aa > 0.0 and bb > 0.0):
        nothing = (0.0, 0.0, 0.0)  # an arm on the axis has no angle, and so no force
        return before, nothing, nothing, nothing, nothing
    angle = arctangent2(dot(g, cross(a, b)) / axis, dot(a, b))
    angle += FULL_TURN * math.floor((before - angle) / FULL_TURN + 0.5)
    on_a = scaled(a, axis / aa)
    on_b = scaled(b, -axis / bb)
    foot_a = dot(p, g) / (axis * axis)
    foot_b = dot(q, g) / (axis * axis)
    on_d = plus(scaled(on_a, -foot_a), scaled(on_b, -foot_b))
    on_c = minus(scaled(plus(on_a, on_b), -1.0), on_d)
    return angle, on_a, on_b, on_c, on_d


@inlined
def rest_of(springs, drives, i, time, inside):
    """Rest angle and its rate."""
    if springs.drive[i] < 0:
        return springs.rest_angle[i], 0.0
    change, rate = drive_value(drives, springs.drive[i], time, inside)
    return springs.rest_angle[i] + change, rate


@kernel
def add_articular_forces(springs, begin, end, drives, state, position, velocity, force, time, inside):
    """Add the forces of articular springs; returns (energy [J], dissipation [W], plastic loss of the step [J])."""
    energy_sum, loss_sum, plastic_sum = 0.0, 0.0, 0.0
    for i in range(begin, end):
        angle, on_a, on_b, on_c, on_d = dihedral(springs, i, position, state[i, ANGLE])
        rate = (dot(on_a, read(velocity, springs.first[i])) + dot(on_b, read(velocity, springs.second[i]))
                + dot(on_c, read(velocity, springs.centre[i])) + dot(on_d, read(velocity, springs.end[i])))
        rest, rest_rate = rest_of(springs, drives, i, time, inside)
        elastic, viscous, energy, _, _, _, plastic = bent_law(
            springs, i, angle - rest, rate, state[i, FLOW], state[i, ACCUMULATED])
        moment = -(elastic + viscous)
        add_to(force, springs.first[i], on_a, moment)
        add_to(force, springs.second[i], on_b, moment)
        add_to(force, springs.centre[i], on_c, moment)
        add_to(force, springs.end[i], on_d, moment)
        energy_sum += keep_found(state, i, energy, -elastic * rest_rate, plastic)
        loss_sum += viscous * rate
        plastic_sum += plastic
    return energy_sum, loss_sum, plastic_sum


@kernel
def flow_articular(springs, begin, end, drives, state, position, time, inside):
    """After an accepted step: keep the turns and the flow of articular springs."""
    for i in range(begin, end):
        angle = dihedral(springs, i, position, state[i, ANGLE])[0]
        rest = rest_of(springs, drives, i, time, inside)[0]
        found = bent_law(springs, i, angle - rest, 0.0, state[i, FLOW], state[i, ACCUMULATED])
        state[i, ANGLE] = angle
        state[i, FLOW] = found[4]
        state[i, ACCUMULATED] = found[5]
