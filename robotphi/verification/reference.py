"""Exact answers, computed here: closed forms, elliptic integrals, or integrations far tighter than what they judge.

Nothing in this module knows the simulator. scipy is imported inside the functions, so that importing them costs nothing.
"""
import numpy as np

TIGHT = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13}  # of solve_ivp; observed global errors stay below 1e-11


def integrated(slope, time, start):
    """States (t, …) at the instants `time` of y' = slope(t, y), y(0) = start; the start alone where that is all there is."""
    from scipy.integrate import solve_ivp
    time = np.atleast_1d(np.asarray(time, float))
    if time[-1] == 0.0:
        return np.tile(np.asarray(start, float), (len(time), 1))
    return solve_ivp(slope, (0.0, time[-1]), start, t_eval=time, **TIGHT).y.T


# --- springs -------------------------------------------------------------------------------------------------------
def oscillator(time, stretch, rate, mass, stiffness, viscosity=0.0):
    """Stretch and its rate of `m x'' + μ x' + λ x = 0`: (x, x') at `time`, whatever the damping.

    With c = μ/2m and ω² = λ/m − c²: x = e^(−ct) (x0 C + (x0' + c x0) S), where C, S are cos ωt, sin(ωt)/ω for ω² > 0,
    1, t for ω² = 0 and cosh, sinh/ω for ω² < 0. (Any textbook; e.g. Landau & Lifshitz, Mechanics, §25.)
    """
    time = np.asarray(time, float)
    c, square = viscosity / (2 * mass), stiffness / mass - (viscosity / (2 * mass)) ** 2
    kick = rate + c * stretch
    if square > 0:
        w = np.sqrt(square)
        even, odd = np.exp(-c * time) * np.cos(w * time), np.exp(-c * time) * np.sin(w * time) / w
    elif square == 0:
        even, odd = np.exp(-c * time), np.exp(-c * time) * time
    else:
        w = np.sqrt(-square)
        slow, fast = stiffness / mass / (c + w), c + w          # the two decay rates; no difference of near equals
        even = 0.5 * (np.exp(-slow * time) + np.exp(-fast * time))
        odd = 0.5 * (np.exp(-slow * time) - np.exp(-fast * time)) / w
    x = stretch * even + kick * odd
    return x, -c * x + kick * even - stretch * square * odd


def two_masses(time, stretch, stiffness, viscosity, first_mass=1.0, second_mass=1.0):
    """Remaining stretch and its rate of two free particles and a spring, released at rest: the reduced mass oscillates."""
    return oscillator(time, stretch, 0.0, first_mass * second_mass / (first_mass + second_mass), stiffness, viscosity)


def chain_frequencies(count, mass, stiffness):
    """ω_j = 2 √(k/m) sin(jπ / 2(N+1)), j = 1 … N: N equal masses between two walls, N + 1 springs [rad/s]."""
    return 2 * np.sqrt(stiffness / mass) * np.sin(np.arange(1, count + 1) * np.pi / (2 * (count + 1)))


def hanging_stretch(count, mass, stiffness, gravity=9.81):
    """Stretch of N springs with a mass under each: spring i bears N − i + 1 masses, the sum is m g N (N + 1) / 2k [m]."""
    return mass * gravity * count * (count + 1) / (2 * stiffness)


def hanging_stretch_continuum(density, modulus, length, gravity=9.81):
    """Stretch ρ g L² / 2E of a rod under its own weight [m]."""
    return density * gravity * length ** 2 / (2 * modulus)


def axial_stretch(force, length, modulus, radius):
    """Stretch F L / E A of a round rod pulled at its end [m]."""
    return force * length / (modulus * np.pi * radius ** 2)


def catenary(span, length):
    """Sag and horizontal pull over weight of an inextensible rope between two level points.

    y = c cosh(x/c) with 2 c sinh(span/2c) = length; sag = c (cosh(span/2c) − 1); H/W = c/length.
    """
    from scipy.optimize import brentq
    # z = span/2c solves sinh z / z = length/span
    z = brentq(lambda z: np.sinh(z) / z - length / span, 1e-6, 50.0, xtol=1e-15, rtol=8.9e-16)
    c = span / (2 * z)
    return c * (np.cosh(z) - 1), c / length


# --- beams ---------------------------------------------------------------------------------------------------------
def elastica(load):
    """Cantilever under a dead tip load, a = P L²/EI: (w/L, u/L, tip angle), exact.

    EI θ'' = −P cos θ, θ(0) = 0, θ'(L) = 0. With k² = (1 + sin θ_L)/2 and sin φ = 1/(k √2):
    √a = K(k) − F(φ, k), w/L = 1 − 2 (E(k) − E(φ, k))/√a, 1 − u/L = √(2 sin θ_L / a)
    (Bisshopp & Drucker, Quarterly of Applied Mathematics 3, 1945).
    """
    from scipy.optimize import brentq
    from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

    def parameters(tip):
        m = (1 + np.sin(tip)) / 2
        return m, np.arcsin(min(1.0, 1 / np.sqrt(2 * m)))

    def excess(tip):
        m, phi = parameters(tip)
        return (ellipk(m) - ellipkinc(phi, m)) ** 2 - load

    tip = brentq(excess, 1e-12, np.pi / 2 - 1e-12, xtol=1e-15, rtol=8.9e-16)
    m, phi = parameters(tip)
    w = 1 - 2 * (ellipe(m) - ellipeinc(phi, m)) / np.sqrt(load)
    return w, 1 - np.sqrt(2 * np.sin(tip) / load), tip


def elastica_shape(load, arc):
    """The same cantilever at the fractions `arc` of its length: (x/L, w/L, angle), by integration from the clamp.

    The moment at the clamp is P times the reach of the tip, so the boundary value problem starts as an initial one.
    """
    from scipy.integrate import solve_ivp
    reach = 1 - elastica(load)[1]

    def slope(_, y):
        return [np.cos(y[2]), np.sin(y[2]), y[3], -load * np.cos(y[2])]

    found = solve_ivp(slope, (0.0, 1.0), [0.0, 0.0, 0.0, load * reach], dense_output=True, **TIGHT)
    return found.sol(np.asarray(arc, float))[:3]


def cantilever_frequencies(count, length, modulus, radius, density):
    """Euler–Bernoulli ω_j = β_j² √(EI / ρ A L⁴) with cos β cosh β = −1, round section: I/A = r²/4 [rad/s]."""
    from scipy.optimize import brentq
    # f = cos β + 1/cosh β changes sign once in each ((j − 1)π, jπ)
    roots = [brentq(lambda b: np.cos(b) + 1 / np.cosh(b), (j - 1) * np.pi + 1e-9 * (j == 1), j * np.pi, xtol=1e-14)
             for j in range(1, count + 1)]
    return np.array(roots) ** 2 * np.sqrt(modulus * radius ** 2 / (4 * density)) / length ** 2


# --- rigid primitives ----------------------------------------------------------------------------------------------
def flip_half_period(inertia, spin):
    """Time between two reversals of the middle spin of a torque-free body, I1 < I2 < I3: 2 K(m)/p [s].

    With 2T = Σ I ω², L² = Σ I² ω² (Landau & Lifshitz, Mechanics, §37; the axes swap roles with the sign of L² − 2T I2):
    p² = (I3 − I2)(L² − 2T I1)/(I1 I2 I3), m = (I2 − I1)(2T I3 − L²)/((I3 − I2)(L² − 2T I1)) for L² > 2T I2.
    """
    from scipy.special import ellipkm1
    p, complement, _ = _euler_constants(inertia, spin)
    return 2 * ellipkm1(complement) / p


def _euler_constants(inertia, spin):
    """p, 1 − m and whether L² > 2T I2; 1 − m directly from the data, since m comes near 1 on the separatrix."""
    one, two, three = inertia
    w1, w2, w3 = spin
    # L² − 2T I_i = Σ I_j (I_j − I_i) ω_j², without cancellation of large terms
    over_one = two * (two - one) * w2 ** 2 + three * (three - one) * w3 ** 2
    over_two = one * (one - two) * w1 ** 2 + three * (three - two) * w3 ** 2
    over_three = one * (one - three) * w1 ** 2 + two * (two - three) * w2 ** 2
    product = one * two * three
    if over_two > 0:                     # the body turns about the axis of the largest moment
        rate = (three - two) * over_one
        (two - one) * -over_three
    else:                                # about that of the smallest
        rate = (two - one) * -over_three
        (three - two) * over_one
    # rate − rest = (I3 − I1)(L² − 2T I2) up to sign
    return np.sqrt(rate / product), (three - one) * abs(over_two) / rate, over_two > 0


def torque_free_spin(time, inertia, spin):
    """Body spin over time, (len(time), 3), by Jacobi's functions, for I1 < I2 < I3 and any start off the separatrix.

    The middle spin is sn, the outer one that never changes sign dn, the other cn (Landau & Lifshitz, Mechanics, §37);
    the phase at time 0 is that of the given spin.
    """
    from scipy.special import ellipj, ellipkinc
    time = np.asarray(time, float)
    one, two, three = inertia
    spin = np.asarray(spin, float)
    p, complement, large = _euler_constants(inertia, spin)
    m = 1 - complement
    energy, square = inertia @ spin ** 2, np.asarray(inertia) ** 2 @ spin ** 2
    a1 = np.sqrt((energy * three - square) / (one * (three - one)))
    a3 = np.sqrt((square - energy * one) / (three * (three - one)))
    a2 = np.sqrt((energy * three - square) / (two * (three - two))) if large else \
        np.sqrt((square - energy * one) / (two * (two - one)))
    steady, swinging = (spin[2], spin[0]) if large else (spin[0], spin[2])
    s, c = spin[1] / a2, swinging / (a1 if large else a3)
    start = ellipkinc(np.arctan2(s, c), m)
    # ω2' = (I3 − I1)/I2 ω3 ω1 fixes the sense in which the phase runs
    sense = np.sign(steady) if steady else 1.0
    sn, cn, dn, _ = ellipj(start + sense * p * time, m)
    outer_first = a1 * cn if large else np.sign(steady) * a1 * dn
    outer_third = np.sign(steady) * a3 * dn if large else a3 * cn
    return np.stack([outer_first, a2 * sn, outer_third], axis=-1)


def torque_free_motion(time, inertia, spin):
    """Body spin (t, 3) and orientation (t, 4), quaternion (w, x, y, z) body to world, unit at time 0, by integration.

    I ω' = Iω × ω, q' = ½ q ∘ (0, ω).
    """
    inertia = np.asarray(inertia, float)

    def slope(_, y):
        w, q = y[:3], y[3:]
        turn = np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([np.cross(inertia * w, w) / inertia, turn / 2])

    found = integrated(slope, time, [*spin, 1, 0, 0, 0])
    return found[:, :3], found[:, 3:] / np.linalg.norm(found[:, 3:], axis=1)[:, None]


def double_pendulum(time, first_angle=np.pi / 2, second_angle=np.pi / 2, gravity=9.81):
    """Angles from the downward vertical and their rates, (t, 4), of two unit point masses on unit rods, from rest.

    With δ = θ1 − θ2: 2 θ1'' + θ2'' cos δ = −θ2'² sin δ − 2 g sin θ1; θ1'' cos δ + θ2'' = θ1'² sin δ − g sin θ2.
    """
    def slope(_, y):
        one, two, w1, w2 = y
        s, c = np.sin(one - two), np.cos(one - two)
        top, bottom = -w2 ** 2 * s - 2 * gravity * np.sin(one), w1 ** 2 * s - gravity * np.sin(two)
        first = (top - c * bottom) / (2 - c * c)
        return [w1, w2, first, bottom - c * first]

    return integrated(slope, time, [first_angle, second_angle, 0, 0])


def spring_pendulum(time, position, velocity, mass, stiffness, rest_length, viscosity=0.0, gravity=9.81):
    """Position and velocity, (t, 3) each, of a particle on a spring tied to the origin, swinging in space."""
    def slope(_, y):
        x, v = y[:3], y[3:]
        length = np.sqrt(x @ x)
        pull = (stiffness * (length - rest_length) + viscosity * (x @ v) / length) / length
        return np.concatenate([v, -pull / mass * x - [0, 0, gravity]])

    found = integrated(slope, time, [*position, *velocity])
    return found[:, :3], found[:, 3:]
