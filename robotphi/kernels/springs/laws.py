"""Springs with a law of their own, one at a time: plastic, driven, tension-only, tabulated, signed bends.

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

# columns of the state of a law spring: flow and accumulated flow at the last accepted step, then what the last evaluation
# found: energy, power of the drive, plastic loss
FLOW, ACCUMULATED, ENERGY, POWER, LOSS = 0, 1, 2, 3, 4
LAW_COLUMNS = 5
NORMAL = 5  # angular: bend normal, three columns; articular: unwrapped angle
ANGULAR_COLUMNS = 8
ARTICULAR_COLUMNS = 6
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
        plastic = 0.0
        if springs.tension_only[i] == 1 and stretch <= 0.0:
            elastic, energy, viscous = 0.0, 0.0, 0.0
        else:
            viscous = springs.viscosity[i] * rate
            if springs.table[i] >= 0:
                elastic, energy = table_value(tables, springs.table[i], stretch)
            else:
                stretch, flow, accumulated, plastic = return_map(
                    stretch, springs.stiffness[i], springs.yield_force[i], springs.hardening[i],
                    state[i, FLOW], state[i, ACCUMULATED])
                elastic = springs.stiffness[i] * stretch
                energy = 0.5 * elastic * stretch
            if springs.tension_only[i] == 1:
                # a cable never pushes, not even by its damping; and as it goes taut the damping grows with the pull, so
                # that the force has no jump for which no step would be short enough
                viscous = max(-elastic, min(elastic, viscous))
        pull = -(elastic + viscous)
        add_to(force, springs.first[i], u, pull)
        add_to(force, springs.second[i], u, -pull)
        energy_sum += keep_found(state, i, energy, -elastic * rest_rate, plastic)
        loss_sum += viscous * rate
        plastic_sum += plastic
        tension_sum += abs(elastic)
    return energy_sum, loss_sum, plastic_sum, tension_sum


@kernel
def flow_linear(springs, begin, end, drives, state, position, time, inside):
    """After an accepted step: keep the flow of linear springs."""
    for i in range(begin, end):
        if springs.table[i] < 0 and springs.yield_force[i] < math.inf:
            stretch = linear_strain(springs, drives, i, position, time, inside)[2]
            if not (springs.tension_only[i] == 1 and stretch <= 0.0):
                mapped = return_map(stretch, springs.stiffness[i], springs.yield_force[i], springs.hardening[i],
                                    state[i, FLOW], state[i, ACCUMULATED])
                state[i, FLOW] = mapped[1]
                state[i, ACCUMULATED] = mapped[2]


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
        strain, flow, accumulated, plastic = return_map(
            strain, springs.stiffness[i], springs.yield_moment[i], springs.hardening[i],
            state[i, FLOW], state[i, ACCUMULATED])
        elastic = springs.stiffness[i] * strain
        if dot(normal, normal) > 0.0:
            rate = -dot(turning, normal)
            moment = scaled(normal, -(elastic + springs.viscosity[i] * rate))
        else:
            rate = norm(turning)  # straight and without a normal: no elastic direction, damping along the rate
            moment = scaled(turning, springs.viscosity[i])
        fa = scaled(cross(moment, p), over_pp)
        fb = scaled(cross(q, moment), over_qq)
        add_to(force, springs.first[i], fa, 1.0)
        add_to(force, springs.second[i], fb, 1.0)
        add_to(force, springs.centre[i], plus(fa, fb), -1.0)
        energy_sum += keep_found(state, i, 0.5 * elastic * strain, -elastic * rest_rate, plastic)
        loss_sum += springs.viscosity[i] * rate * rate
        plastic_sum += plastic
    return energy_sum, loss_sum, plastic_sum


@kernel
def flow_angular(springs, begin, end, drives, state, position, time, inside):
    """After an accepted step: keep the flow and the normal of angular springs."""
    for i in range(begin, end):
        _, _, _, normal, strain, _ = angular_strain(springs, drives, i, state, position, time, inside)
        mapped = return_map(strain, springs.stiffness[i], springs.yield_moment[i], springs.hardening[i],
                            state[i, FLOW], state[i, ACCUMULATED])
        state[i, FLOW] = mapped[1]
        state[i, ACCUMULATED] = mapped[2]
        if dot(normal, normal) > 0.0:
            state[i, NORMAL], state[i, NORMAL + 1], state[i, NORMAL + 2] = normal
