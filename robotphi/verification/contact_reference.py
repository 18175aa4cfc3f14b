"""Exact answers about contact: hits, sliding and rolling, rows of balls, legs of a table. Nothing here knows the simulator."""
import math

import numpy as np

from robotphi.verification.reference import TIGHT

GRAVITY = 9.81
POWERS = {"linear": 1.0, "hertz": 1.5, "volume": 2.0}   # F = k depth^power
SPHERE, CYLINDER = 0.4, 0.5                             # moment of inertia over m r² of solid ones


# --- hits ----------------------------------------------------------------------------------------------------------
def hit_product(restitution):
    """d v₀ for which a hit comes back at e v₀: the root of d v₀ (1 + e) = ln[(1 + d v₀)/(1 − e d v₀)] above 0."""
    from scipy.optimize import brentq
    if restitution == 1.0:
        return 0.0

    def surplus(u):
        return u * (1 + restitution) - math.log1p(u) + math.log1p(-restitution * u)

    # for small u the surplus is (1 − e²) u²/2 − (1 + e³) u³/3: positive, and it falls to −∞ at 1/e
    return brentq(surplus, (1 - restitution) / 2, (1 - 1e-15) / restitution, xtol=1e-15, rtol=1e-14)


def hit_restitution(product):
    """Share e of the speed that comes back where d v₀ is `product`: the same equation, solved for e."""
    from scipy.optimize import brentq

    def surplus(e):
        return product * (1 + e) - math.log1p(product) + math.log1p(-e * product)

    return brentq(surplus, 0.0, min(1.0, (1 - 1e-15) / product), xtol=1e-15, rtol=1e-14)


def bouncing(times, height, speed, mass, stiffness, power, damping, gravity=GRAVITY):
    """Height of the lowest point over the ground and its rate, (t, 2): `m ẍ = −m g + k (−x)ⁿ max(0, 1 − d ẋ)` below 0.

    Flight by its closed form, each contact by DOP853 at 1e-13 from touch to leaving.
    """
    from scipy.integrate import solve_ivp

    def slope(_, y):
        depth = max(-y[0], 0.0)
        return [y[1], stiffness / mass * depth ** power * max(0.0, 1.0 - damping * y[1]) - gravity]

    def leaves(t, y):
        return y[0] if t > now + 1e-15 else -1.0

    leaves.terminal, leaves.direction = True, 1
    found, now, x, v, last = np.empty((len(times), 2)), 0.0, float(height), float(speed), times[-1]
    while now <= last:
        ahead = times >= now
        if x >= 0:
            root = math.sqrt(v * v + 2 * gravity * x)
            flight = (v + root) / gravity if gravity else (x / -v if v < 0 else math.inf)
            t = times[ahead] - now
            found[ahead] = np.stack([x + v * t - 0.5 * gravity * t * t, v - gravity * t], axis=1)
            now, x, v = now + flight, -0.0, v - gravity * flight if math.isfinite(flight) else v
            if not math.isfinite(now):
                break
            x = -1e-300
            continue
        out = solve_ivp(slope, (now, last + 1e-9), [0.0, v], events=leaves, dense_output=True, **{**TIGHT, "atol": 1e-15})
        inside = ahead & (times <= out.t[-1])
        if inside.any():
            found[inside] = out.sol(times[inside]).T
        if not len(out.t_events[0]):
            break
        now, (x, v) = out.t_events[0][0], out.y_events[0][0]
        x = 0.0
    return found


def row_of_balls(count, power):
    """Speeds of equal touching balls in line after the first came with speed 1: F = k depthⁿ between neighbours.

    They do not depend on mass and stiffness, which only set the scale of time. DOP853 at 1e-13 until all have parted.
    """
    from scipy.integrate import solve_ivp

    def slope(_, y):
        force = np.maximum(y[:count - 1] - y[1:count], 0.0) ** power
        return [*y[count:], *(np.append(0.0, force) - np.append(force, 0.0))]

    y = solve_ivp(slope, (0.0, 40.0), [0.0] * count + [1.0] + [0.0] * (count - 1), **{**TIGHT, "max_step": 0.02}).y[:, -1]
    return y[count:]


# --- sliding and rolling -------------------------------------------------------------------------------------------
def stopping_distance(speed, kinetic, gravity=GRAVITY):
    """v₀²/(2 c g) [m]"""
    return speed ** 2 / (2 * kinetic * gravity)


def slope_acceleration(tangent, kinetic, gravity=GRAVITY):
    """g (sin θ − c cos θ) of what slides down a slope of this tangent [m/s²]."""
    angle = math.atan(tangent)
    return gravity * (math.sin(angle) - kinetic * math.cos(angle))


def rolling_start(share, speed, kinetic, gravity=GRAVITY):
    """Instant at which a round body of inertia `share` × m r² thrown without spin rolls [s], and its speed from there on."""
    end = speed / (1 + share)
    return (speed - end) / (kinetic * gravity), end


def rolling_acceleration(share, tangent, gravity=GRAVITY):
    """g sin θ/(1 + share) of what rolls down a slope [m/s²]: a cylinder (2/3) g sin θ."""
    return gravity * math.sin(math.atan(tangent)) / (1 + share)


def rolling_table(box_mass, balls_mass, pull, friction, gravity=GRAVITY):
    """Accelerations of a box pulled over the ground and of the solid balls that roll on it without slip [m/s²].

    On a ball F = m a and F r = (2/5) m r² α with a + r α = a_box: a = (2/7) a_box.
    """
    drag = friction * (box_mass + balls_mass) * gravity
    box = (pull - drag) / (box_mass + 2 / 7 * balls_mass)
    return box, 2 / 7 * box


# --- statics -------------------------------------------------------------------------------------------------------
def leg_loads(weight, place, half):
    """Forces of four equal elastic legs at (± a, ± b) under a load at (x, y): W/4 (1 + x xᵢ/a² + y yᵢ/b²) [N], and the legs."""
    a, b = half
    legs = np.array([(sx * a, sy * b) for sx in (1, -1) for sy in (1, -1)])
    return weight / 4 * (1 + place[0] * legs[:, 0] / a ** 2 + place[1] * legs[:, 1] / b ** 2), legs
