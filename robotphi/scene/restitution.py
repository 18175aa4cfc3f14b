"""Restitution and damping: how much of an impact's speed comes back, and the damping that makes it so, both exact.

A mass that hits at the speed v₀ against F = k xⁿ (1 + d ẋ) leaves at e v₀. Dividing m ẍ = −F by ẋ separates the variables;
both ends have x = 0, so that k, m and n fall out (Hunt and Crossley 1975, there to first order), and with u = d v₀
```
u (1 + e) = ln[(1 + u)/(1 − e u)]        0 < e u < 1
```
which for small u is e ≈ 1 − (2/3) u. The mass is the reduced one when two bodies meet: e is the same for all of them.
"""
import math

from robotphi.scene.checks import number, refuse

SERIES_BELOW = 0.4   # of u: beyond it the logarithms lose nothing that matters
TERMS = 48           # 0.4⁴⁸ = 8e-20
HALVINGS = 1200      # from any double to any other; stops as soon as they are neighbours


def damping_for(restitution, speed, where="restitution"):
    """Damping d [s/m] with which a hit at `speed` [m/s] comes back at `restitution` × `speed`."""
    speed = number(where, "the speed", speed, above=0)
    e = number(where, "the restitution", restitution, high=1)
    if e <= 0:
        refuse(where, f"the restitution is {e:g}, which no finite damping reaches at any speed",
               "give one above 0 and at most 1: 0.1 keeps 1 % of the energy; or give the damping itself")
    if e == 1:
        return 0.0
    u = _last_positive(lambda u: _surplus(u, e), 1 / e)
    damping = u / speed
    if not math.isfinite(damping):
        refuse(where, f"restitution {e:g} at speed {speed:g} asks for a damping beyond all numbers",
               "give a larger restitution or speed")
    return damping


def restitution_of(damping, speed, where="restitution"):
    """Share e of the speed that comes back from a hit at `speed` [m/s] with the damping d [s/m]."""
    speed = number(where, "the speed", speed, above=0)
    u = number(where, "the damping", damping, low=0) * speed
    if u == 0:
        return 1.0
    if not math.isfinite(u):
        return 0.0
    return _last_positive(lambda e: _surplus(u, e), min(1.0, 1 / u))


def _surplus(u, e):
    """[u (1 + e) − ln(1 + u) + ln(1 − e u)]/u²: it falls in u and in e, and its zero is the law.

    With f(x) = x − ln(1 + x) it is [f(u) − f(−e u)]/u²; for small u the series Σ uᵏ⁻²/k [(−1)ᵏ − eᵏ], k from 2, where the
    first term is taken as (1 − e)(1 + e)/2, so that nothing cancels when both u and 1 − e are tiny.
    """
    if e * u >= 1:
        return -math.inf
    if u >= SERIES_BELOW:
        return (u * (1 + e) - math.log1p(u) + math.log1p(-e * u)) / u / u
    total, power = 0.0, 1.0
    for k in range(2, TERMS):
        total += power / k * ((1 - e) * (1 + e) if k == 2 else (-1) ** k - e ** k)
        power *= u
    return total


def _last_positive(function, high):
    """The largest double in (0, high) where a falling function is positive, by halving."""
    low = 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return low
