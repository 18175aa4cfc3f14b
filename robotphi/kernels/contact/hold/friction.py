"""Friction: an anchored spring that holds until it slips.

Two surfaces in touch are tied by a tangential spring (stiffness k, critically damped) from where they first stuck. It holds
while k |y| ≤ s N, slips at k |y| = c N (RR-3072 §4.4: c kinetic, s > c static), and then its anchor follows. The stretch y has
three components across n and a fourth, the twist times the gyration radius ρ of the pressure: a patch resists sliding and
turning together, k |y| ≤ c N for both (the usual ellipsoid of soft fingers). It is turned with n and with the spin of the
surfaces, so that what lies still on a turning table stays where it is.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import across, cross, dot, minus, plus, scaled


@inlined
def carried(y, before, n, angle):
    """A vector across `before`, turned with it to n by the shortest way, then about n by a small angle; its size is kept."""
    size = dot(y, y)
    if size == 0.0:
        return y
    along = dot(y, n) / (1.0 + dot(before, n)) if dot(before, n) > -0.5 else 0.0
    turned = across(minus(y, scaled(plus(before, n), along)), n)
    turned = plus(turned, scaled(cross(n, turned), angle))
    left = dot(turned, turned)
    return scaled(turned, math.sqrt(size / left)) if left > 0.0 else (0.0, 0.0, 0.0)


@kernel
def hold(y, slide, speed, dt, k, damping, normal, static, kinetic, sticks):
    """One step of the anchored spring. Vectors of four.

    Args:
        y: stretch at the start, already turned; slide, speed: relative speeds at the start and at the end.
        normal: force at the end; sticks: 1 where it held so far.
    Returns:
        stretch at the end, force on the first surface, whether it sticks, energy lost by slipping, rate lost by the damper.
    """
    half = 0.5 * dt
    move = (half * (slide[0] + speed[0]), half * (slide[1] + speed[1]), half * (slide[2] + speed[2]),
            half * (slide[3] + speed[3]))
    trial = (y[0] + move[0], y[1] + move[1], y[2] + move[2], y[3] + move[3])
    size = k * math.sqrt(dot4(trial, trial))
    normal = max(normal, 0.0)
    if sticks == 0 and dt > 0.0 and size <= kinetic * normal and dot4(move, trial) <= 0.0:
        sticks = 1  # it came to rest or turned back; forces evaluated anew at an instant know of neither
    limit = (static if sticks == 1 else kinetic) * normal
    lost = 0.0
    if size > limit and dt > 0.0:  # forces evaluated anew at an instant leave the anchor where it is
        sticks = 0
        limit = kinetic * normal
        share = limit / size
        end = (trial[0] * share, trial[1] * share, trial[2] * share, trial[3] * share)
        slip = (trial[0] - end[0], trial[1] - end[1], trial[2] - end[2], trial[3] - end[3])
        # mean force × slip: with the trapezoid of the force along the whole way, this is what the step takes
        lost = max(0.5 * k * (dot4(y, slip) + dot4(end, slip)), 0.0)
    else:
        end = trial
    # where an instant's normal force alone has fallen, the anchor waits for the next step and the force does not
    share = limit / size if size > limit and dt == 0.0 else 1.0
    pull = (share * end[0], share * end[1], share * end[2], share * end[3])
    damping *= damped_share(pull, speed, k, damping, limit)
    force = (-k * pull[0] - damping * speed[0], -k * pull[1] - damping * speed[1], -k * pull[2] - damping * speed[2],
             -k * pull[3] - damping * speed[3])
    return end, force, sticks, lost, damping * dot4(speed, speed)


@inlined
def dot4(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


@inlined
def damped_share(y, speed, k, damping, limit):
    """The largest share β ≤ 1 of the damper with |k y + β c u| ≤ limit: friction never exceeds its limit."""
    a = damping * damping * dot4(speed, speed)
    b = k * damping * dot4(y, speed)
    c = k * k * dot4(y, y) - limit * limit
    if a + 2.0 * b + c <= 0.0:
        return 1.0
    if not a > 0.0:
        return 0.0
    # a β² + 2 b β + c = 0, the larger root without cancellation. A spring that slips is just at the limit: c is nothing but
    # rounding, whose sign must not decide whether a damper that lets it go back (b < 0) is there
    c = min(c, 0.0)
    root = math.sqrt(b * b - a * c)
    if b > 0.0:
        return min(-c / (b + root), 1.0)
    return min((root - b) / a, 1.0)
