"""The law of a ball: force, energy and loss from one depth and one closing speed.

Hunt and Crossley 1975, with the elastic part of Hertz 1882 for n = 3/2: for a depth x > 0 that closes at the rate ẋ
```
F = k xⁿ max(0, 1 + d ẋ)        U = k xⁿ⁺¹/(n + 1)        loss = (F − k xⁿ) ẋ ≥ 0
```
n = 1 is a linear spring, 3/2 two elastic balls, 2 a bed of springs (force by volume). The damping is a factor on the elastic
force, so that there is no jump at first touch, and the force never pulls: where 1 + d ẋ < 0 the ball leaves faster than the
surfaces recover, and all the elastic power is lost.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel


@inlined
def depth_power(depth, power):
    """depthⁿ for depth > 0; the three laws without the library's power, so that they have the same bits everywhere."""
    if power == 1.5:
        return depth * math.sqrt(depth)
    if power == 1.0:
        return depth
    if power == 2.0:
        return depth * depth
    return depth ** power


@kernel
def press_ball(stiffness, power, damping, depth, closing):
    """Energy [J], elastic force [N], force [N] and loss [W] of a ball law at a depth [m] closing at a speed [m/s]."""
    if not depth > 0.0:
        return 0.0, 0.0, 0.0, 0.0
    elastic = stiffness * depth_power(depth, power)
    extra = damping * closing
    if extra < -1.0:
        extra = -1.0
    return elastic * depth / (power + 1.0), elastic, elastic * (1.0 + extra), elastic * extra * closing


@kernel
def ball_slope(stiffness, power, depth):
    """Stiffness dF/dx = n k xⁿ⁻¹ of the elastic law at a depth [N/m]; 0 where nothing touches."""
    if not depth > 0.0:
        return 0.0
    return power * stiffness * depth_power(depth, power) / depth
