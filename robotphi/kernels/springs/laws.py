"""Springs with a law of their own, one at a time: plastic, driven, tension-only, tabulated, signed bends.

`linear_law` and `bent_law` are the laws: force and energy over strain and its rate. Forces, sensors (`measured`) and the
stability bound call them, so that each stands once.

Plasticity (return mapping): trial force f = k (e − e_p) on the flow e_p stored at the last accepted step; where |f| exceeds
the yield f_y + H α the spring flows by Δγ = (|f| − f_y − H α)/(k + H), so that the new force lies on the new yield. The loss is
yield × flow, exact for linear hardening: ½ (yield before + yield after) Δγ. Nothing is stored before the step is accepted.

Each function adds forces, keeps what each spring stores and gives in `state`, and returns the sums
(energy [J], dissipation [W], plastic loss of the step [J]).
"""
import math

from robotphi.kernels.acts.drives import drive_value, table_value
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.atan import arctangent2
from robotphi.kernels.maths.vectors import add_to, cross, dot, minus, norm, plus, read, scaled
from robotphi.kernels.springs.table import ACCUMULATED, BREAKS, BROKE, ENERGY, FLOW, LOSS, NORMAL, POWER

SOON = 1e-300  # s: of a spring that breaks at the start, since 0 says that it is whole
FLAT = 1e-15  # sine of the bend below which its plane is rounding noise


@inlined
def return_map(elastic, stiffness, limit, hardening, flow, accumulated):
    """Elastic strain left, flow and accumulated flow after the return, and the plastic loss [J]."""
    trial = elastic - flow
    yielding = limit + hardening * accumulated
    excess = abs(stiffness * trial) - yielding
    if not excess > 0.0:
        return trial, flow, accumulated, 0.0
    step = excess / (stiffness + hardening)
    after = yielding + hardening * step
    moved = step if trial > 0.0 else -step
    return trial - moved, flow + moved, accumulated + step, 0.5 * (yielding + after) * step


@inlined
def straight(stiffness, viscosity, strain, rate):
    """The law of springs without one of their own: elastic and viscous force [N] or moment [N·m], stored energy [J]."""
    elastic = stiffness * strain
    return elastic, viscosity * rate, 0.5 * elastic * strain


@inlined
def toe_law(stiffness, toe, stretch):
    """Fibres that straighten one after the other (Blankevoort et al. 1991): nothing when slack, k e²/(4 t) up to e = 2 t, then
    k (e − t), with t = ε_l L₀; force [N] and energy [J]. They are damped while they lengthen only."""
    if stretch <= 0.0:
        return 0.0, 0.0
    if stretch <= 2.0 * toe:
        elastic = 0.25 * stiffness * stretch * stretch / toe
        return elastic, elastic * stretch / 3.0
    return stiffness * (stretch - toe), stiffness * (0.5 * stretch * stretch - toe * stretch + 2.0 / 3.0 * toe * toe)


@inlined
def linear_law(springs, i, tables, stretch, rate, flow, accumulated):
    """What spring i does at an elongation and its rate: elastic and viscous pull [N], stored energy [J], stiffness [N/m], flow
    and accumulated flow after it [m], plastic loss [J]. The stiffness is that of the stability bound."""
    stiffness, plastic = springs.stiffness[i], 0.0
    if accumulated < 0.0:
        return 0.0, 0.0, 0.0, stiffness, flow, accumulated, 0.0   # it broke
    if springs.toe_strain[i] > 0.0:
        elastic, energy = toe_law(stiffness, springs.toe_strain[i] * springs.rest_length[i], stretch)
        return elastic, min(elastic, max(0.0, springs.viscosity[i] * rate)), energy, stiffness, flow, accumulated, 0.0
    pulls_only = springs.tension_only[i] == 1
    if springs.table[i] >= 0:
        elastic, energy = table_value(tables, springs.table[i], stretch)
        viscous = springs.viscosity[i] * rate
    elif pulls_only and stretch <= 0.0:
        return 0.0, 0.0, 0.0, stiffness, flow, accumulated, 0.0
    else:
        strain, flow, accumulated, plastic = return_map(
            stretch, stiffness, springs.yield_force[i], springs.hardening[i], flow, accumulated)
        elastic, viscous, energy = straight(stiffness, springs.viscosity[i], strain, rate)
    if pulls_only:
        # a cable never pushes, not even by its damping; and as it goes taut the damping grows with the pull, so
        # that the force has no jump for which no step would be short enough
        viscous = max(-elastic, min(elastic, viscous))
    return elastic, viscous, energy, stiffness, flow, accumulated, plastic


@inlined
def bent_law(springs, i, strain, rate, flow, accumulated):
    """The same of angular and articular springs at a strain [rad] and its rate: moments [N·m], stiffness [N·m/rad]."""
    stiffness = springs.stiffness[i]
    strain, flow, accumulated, plastic = return_map(
        strain, stiffness, springs.yield_moment[i], springs.hardening[i], flow, accumulated)
    elastic, viscous, energy = straight(stiffness, springs.viscosity[i], strain, rate)
    return elastic, viscous, energy, stiffness, flow, accumulated, plastic


@inlined
def keep_found(state, i, energy, power, loss):
    """What this evaluation found for spring i, for the work of drives and for jumps; returns the energy."""
    state[i, ENERGY] = energy
    state[i, POWER] = power
    state[i, LOSS] = loss
    return energy


@inlined
def linear_strain(springs, drives, i, position, time, inside):
    """Unit vector from second to first, length, elongation and the rate of the driven rest length."""
    d = minus(read(position, springs.first[i]), read(position, springs.second[i]))
    length = norm(d)
    inverse = 1.0 / length if length > 0.0 else 0.0
    rest, rest_rate = springs.rest_length[i], 0.0
    if springs.drive[i] >= 0:
        change, rest_rate = drive_value(drives, springs.drive[i], time, inside)
        rest += change
    return scaled(d, inverse), length, length - rest, rest_rate


@kernel
def add_linear_law_forces(springs, begin, end, drives, tables, state, position, velocity, force, time, inside):
    """Linear springs with a law: F_a = −(f(e) + μ L̇) u. The fourth sum is that of |f| [N], by which rounding is judged."""
    energy_sum, loss_sum, plastic_sum, tension_sum = 0.0, 0.0, 0.0, 0.0
    for i in range(begin, end):
        u, length, stretch, rest_rate = linear_strain(springs, drives, i, position, time, inside)
        rate = dot(u, minus(read(velocity, springs.first[i]), read(velocity, springs.second[i])))
        elastic, viscous, energy, _, _, _, plastic = linear_law(
            springs, i, tables, stretch, rate, state[i, FLOW], state[i, ACCUMULATED])
        pull = -(elastic + viscous)
        add_to(force, springs.first[i], u, pull)
        add_to(force, springs.second[i], u, -pull)
        energy_sum += keep_found(state, i, energy, -elastic * rest_rate, plastic)
        loss_sum += viscous * rate
        plastic_sum += plastic
        tension_sum += abs(elastic)
    return energy_sum, loss_sum, plastic_sum, tension_sum


@kernel
def flow_linear(springs, begin, end, drives, tables, state, position, time, inside):
    """After an accepted step: keep the flow of linear springs; returns whether one of them broke.

    It breaks where it is found beyond its limit, between two steps: it has pulled with all its force up to there, and what it
    has stored is lost (`ledger.book_broken`).
    """
    broke = False
    for i in range(begin, end):
        if state[i, ACCUMULATED] >= 0.0 and min(springs.break_force[i], springs.break_strain[i]) < math.inf:
            stretch = linear_strain(springs, drives, i, position, time, inside)[2]
            found = linear_law(springs, i, tables, stretch, 0.0, state[i, FLOW], state[i, ACCUMULATED])
            if found[0] >= springs.break_force[i] or stretch >= springs.break_strain[i] * springs.rest_length[i]:
                state[i, FLOW], state[i, ACCUMULATED], state[i, BROKE] = found[2], BREAKS, max(time, SOON)
                broke = True
                continue
        if springs.yield_force[i] < math.inf:
            stretch = linear_strain(springs, drives, i, position, time, inside)[2]
            found = linear_law(springs, i, tables, stretch, 0.0, state[i, FLOW], state[i, ACCUMULATED])
            state[i, FLOW] = found[4]
            state[i, ACCUMULATED] = found[5]
    return broke


@inlined
def signed_bend(p, q, m):
    """Bend about the kept normal m and the unit normal it is about.

    φ = atan2(|p×q|, −p·q) is signed by n·m: a bend that passes through the straight line comes out negative, instead of
    forgetting its plane. Straight arms take m itself, made perpendicular to them; (0, 0, 0) where there is none yet.
    """
    n = cross(p, q)
    s = norm(n)
    along = -dot(p, q)
    if s > FLAT * (abs(along) + s):
        sign = 1.0 if dot(n, m) >= 0.0 else -1.0
        return sign * arctangent2(s, along), scaled(n, sign / s)
    # straight: what is left of m across the arm
    upright = minus(m, scaled(p, dot(m, p) / dot(p, p)))
    size = norm(upright)
    return 0.0 if along > 0.0 else math.pi, scaled(upright, 1.0 / size if size > 1e-3 else 0.0)


@inlined
def angular_strain(springs, drives, i, state, position, time, inside):
    """Arms, bend and normal, strain (bend − rest bend) and the rate of the driven rest bend."""
    centre = read(position, springs.centre[i])
    p = minus(read(position, springs.first[i]), centre)
    q = minus(read(position, springs.second[i]), centre)
    m = (state[i, NORMAL], state[i, NORMAL + 1], state[i, NORMAL + 2])
    bend, normal = signed_bend(p, q, m)
    rest, rest_rate = springs.rest_bend[i], 0.0
    if springs.drive[i] >= 0:
        change, change_rate = drive_value(drives, springs.drive[i], time, inside)
        rest -= change
        rest_rate = -change_rate
    return p, q, bend, normal, bend - rest, rest_rate


@kernel
def add_angular_law_forces(springs, begin, end, drives, state, position, velocity, force, time, inside):
    """Angular springs with a law: moment T = −(k (b − b0) + μ ḃ) m about the bend normal m, ḃ = −Ω·m."""
    energy_sum, loss_sum, plastic_sum = 0.0, 0.0, 0.0
    for i in range(begin, end):
        p, q, bend, normal, strain, rest_rate = angular_strain(springs, drives, i, state, position, time, inside)
        middle = read(velocity, springs.centre[i])
        up = minus(read(velocity, springs.first[i]), middle)
        uq = minus(read(velocity, springs.second[i]), middle)
        over_pp = 1.0 / dot(p, p)
        over_qq = 1.0 / dot(q, q)
        turning = minus(scaled(cross(q, uq), over_qq), scaled(cross(p, up), over_pp))
        bends = dot(normal, normal) > 0.0
        # straight and without a normal there is no elastic direction, and the damping acts along the rate
        rate = -dot(turning, normal) if bends else norm(turning)
        elastic, viscous, energy, _, _, _, plastic = bent_law(springs, i, strain, rate, state[i, FLOW], state[i, ACCUMULATED])
        moment = scaled(normal, -(elastic + viscous)) if bends else scaled(turning, springs.viscosity[i])
        fa = scaled(cross(moment, p), over_pp)
        fb = scaled(cross(q, moment), over_qq)
        add_to(force, springs.first[i], fa, 1.0)
        add_to(force, springs.second[i], fb, 1.0)
        add_to(force, springs.centre[i], plus(fa, fb), -1.0)
        energy_sum += keep_found(state, i, energy, -elastic * rest_rate, plastic)
        loss_sum += viscous * rate
        plastic_sum += plastic
    return energy_sum, loss_sum, plastic_sum


@kernel
def flow_angular(springs, begin, end, drives, state, position, time, inside):
    """After an accepted step: keep the flow and the normal of angular springs."""
    for i in range(begin, end):
        _, _, _, normal, strain, _ = angular_strain(springs, drives, i, state, position, time, inside)
        found = bent_law(springs, i, strain, 0.0, state[i, FLOW], state[i, ACCUMULATED])
        state[i, FLOW] = found[4]
        state[i, ACCUMULATED] = found[5]
        if dot(normal, normal) > 0.0:
            state[i, NORMAL], state[i, NORMAL + 1], state[i, NORMAL + 2] = normal
