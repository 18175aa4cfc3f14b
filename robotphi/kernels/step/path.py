"""The error of the path, which no ledger sees: phases, orbits, attitudes.

A step's local error of velocity is judged by its energy, ε_e = ½ m ε_v² (RR-3072 §3.4: ε_v = √(2 ε_e/m)), against the same
budget as the ledger:

    E_path = ½ Σ m (κ τ Δa)² ≤ budget × E_ref        Δa the change of acceleration in the step, by the forces at its ends

In steady circular motion Δa = ω² τ v. The energy that the scheme follows exactly, H + τ² (v·Kv/12 − |f|²/24m), turns it by

    δω = ω (ωτ)² (1/6 − ½ mω²/(f' + 3mω²))        f' the stiffness along the radius

too fast: (ωτ)²/24 of ω where f' = mω², up to (ωτ)²/6 where it is stiff, and (ωτ)²/3 too slow under 1/r². κ = 50/6 makes the
bound on E_path one on the angle after 50 rad: √budget on springs, where the motion has all of E_ref. Time does not enter: fast
jitter of little energy costs no more than its own energy, steady acceleration costs nothing. v' being predicted, v⁺ corrected,
v⁺ − v' = ½ τ Δa is at hand; rigids have the same with their torques, ½ ΔL·I⁻¹ΔL.

Free rotation has no such difference. Its product of turns follows the energy H + τ² h exactly, so that spins are off by
τ² ∂h/∂L (`rigids.turn_free`): over 50 rad that is an angle 50 τ² |∂h/∂L|/ω, whose energy is ½ (50 τ² ∂h/∂L)·I(50 τ² ∂h/∂L).
It is zero where two moments are equal.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import dot, get3, minus, plus, scaled
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.rigids import (
    FREE,
    HELD,
    MOMENTUM,
    PARTLY,
    VELOCITY,
    axes_by_moment,
    get_orientation,
    rotate_back,
    row3,
    spin_of,
    support_momentum,
)

HORIZON = 50.0                        # rad
STRETCH = (2.0 * HORIZON / 6.0)**2    # (2 κ)²: E_path over ½ Σ m |v⁺ − v'|²
CLEARLY = 2.0                         # times what is allowed, for an attempt to be refused
TRIES = 10                            # refusals in a row behind which the path refuses no more: something jumps there
FADE = 0.9                            # how much of the known density is remembered from one step to the next
NOTHING, FORGET = 1e-6, 0.5           # of it, below which what made so much is over; it is then forgotten faster


@kernel
def rigid_path_error(rigids, i, load_now, ahead, load, dt):
    """½ M |ΔV|² + ½ ΔL·I⁻¹ΔL of what the second half of the step changed, and for free bodies that of their turn.

    In the units of ½ Σ m |v⁺ − v'|², that is without `STRETCH`.
    """
    half, change = 0.5 * dt, 0.0
    for k in range(3):
        force = half * (load[i, k] - load_now[i, k])
        change += force * force * rigids.inverse_mass[i, k]
    if rigids.rotation[i] == HELD:
        return 0.5 * change
    inverse, q = row3(rigids.inverse_inertia, i), get_orientation(ahead, i)
    torque = (half * (load[i, 3] - load_now[i, 3]), half * (load[i, 4] - load_now[i, 4]), half * (load[i, 5] - load_now[i, 5]))
    if rigids.rotation[i] == PARTLY:
        torque = support_momentum(q, torque, inverse, row3(rigids.support, i))
    return 0.5 * (change + turn_error(rigids, i, q, torque, get3(ahead, i, MOMENTUM), dt))


@kernel
def rigid_off_prediction(rigids, i, now, middle, ahead, dt):
    """The same where dampers go apart: of V⁺ − (2 V½ − V) and L⁺ − (2 L½ − L)."""
    change = 0.0
    for k in range(3):
        if rigids.inverse_mass[i, k] > 0.0:
            off = ahead[i, VELOCITY + k] - 2.0 * middle[i, VELOCITY + k] + now[i, VELOCITY + k]
            change += rigids.mass[i] * off * off
    if rigids.rotation[i] == HELD:
        return 0.5 * change
    inverse, q = row3(rigids.inverse_inertia, i), get_orientation(ahead, i)
    off = minus(plus(get3(ahead, i, MOMENTUM), get3(now, i, MOMENTUM)), scaled(get3(middle, i, MOMENTUM), 2.0))
    if rigids.rotation[i] == PARTLY:
        off = support_momentum(q, off, inverse, row3(rigids.support, i))
    return 0.5 * (change + turn_error(rigids, i, q, off, get3(ahead, i, MOMENTUM), dt))


@inlined
def turn_error(rigids, i, q, off, momentum, dt):
    """ΔL·I⁻¹ΔL, and what a free turn misses."""
    change = dot(off, spin_of(q, off, row3(rigids.inverse_inertia, i)))
    if rigids.rotation[i] == FREE:
        change += free_turn_error(rigids, i, q, momentum, dt)
    return change


@inlined
def free_turn_error(rigids, i, q, momentum, dt):
    """(50 τ² ∂h/∂L)·I(50 τ² ∂h/∂L) over `STRETCH`, with the h of `turn_free`."""
    inverse = row3(rigids.inverse_inertia, i)
    middle, outer, inner = axes_by_moment(inverse)
    a, b = inverse[outer] - inverse[middle], inverse[inner] - inverse[middle]
    if a * b == 0.0:
        return 0.0
    body = rotate_back(q, momentum)
    m, o, n = body[middle], body[outer], body[inner]
    on_outer = o * (a * (n * n - m * m) / 12.0 - b * n * n / 6.0)
    on_inner = n * (a * o * o / 12.0 + b * (m * m - o * o) / 6.0)
    on_middle = m * (b * n * n / 6.0 - a * o * o / 12.0)
    scale = HORIZON * dt * dt * a * b
    moments = row3(rigids.inertia, i)
    return scale * scale / STRETCH * (moments[outer] * on_outer * on_outer + moments[inner] * on_inner * on_inner
                                      + moments[middle] * on_middle * on_middle)


@inlined
def watches_path(counters):
    return counters[at.PATH] == 1 and counters[at.CONTROL] == at.LEDGER and counters[at.SCHEME] == at.VERLET


@kernel
def path_stands(numbers, counters, error, allowed, tau):
    """Whether the path of an attempt is near enough; its density error/τ⁴ is remembered either way, fading."""
    density = error / (tau * tau) / (tau * tau)
    known = numbers[at.PATH_DENSITY]
    numbers[at.PATH_DENSITY] = max(density, (FORGET if density < NOTHING * known else FADE) * known)
    return error <= CLEARLY * allowed or counters[at.IN_A_ROW] >= TRIES


@kernel
def path_step(numbers, allowed):
    """The step whose E_path ∝ τ⁴ is expected to be what is allowed [s]."""
    density = numbers[at.PATH_DENSITY]
    return (allowed / density)**0.25 if density > 0.0 else 1e300
