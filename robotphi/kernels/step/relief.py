"""What dampers that go apart (`apart`) take off the springs beside them in the bound of the step.

With all forces −K x, dampers C and R what their stages leave of a rate after τ/2, both scaled by inertia, the rates w of the
middles of steps follow C (1 − R²)⁻¹ (w⁺ − R² w) = −K x, x⁺ = x + τ w⁺: central differences of x with damping C and the mass
½ τ C (1 + R²)(1 − R²)⁻¹ =: G. So their energy, which C takes from, is positive as long as τ² K/4 < G, for K and C that share no
modes too. R is the polynomial of `damp`, with s stages for S = τ C/2 up to (s² + s − 2)/2.2: G lies above all tangents with
slopes up to 2 √γ of

    1 + γ S²        γ = ½, 0.43, 0.41 for s = 2, 3, 4, and 0.355 for any number of stages

(exact dampers would have ⅓: G = S coth S). Tangents need no modes: that of slope β τ/2 says of λ ≥ K − β C

    (λ + β²/4γ) τ²/4 + c' τ ≤ 1

and in K − β C each spring k stands with the damper c along the same gradient as one spring k − β c. What else is damped, by
forces at predicted velocities with a rate c', comes to it as c' τ; without dampers apart that is (ω τ/2)² + c τ ≤ 1. Viscosity
of joints, which `mechanism/flow` fits to exponentials, takes half of β c off their springs: more than that would be too much
(0.7 is, of random matrices), for in all it leaves no more than 1 + ⅓ S².

β, the relief, is free. It is found by the steps that it allows: at first the best one if half the damping rate belonged to the
fastest modes, then by a quarter more or less: each time that the bounds are taken anew as long as steps become longer by it
(`renewal`), with contact once each time, back by half as much where the step became shorter.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.step import slots as at

CURVED = (0.5, 0.43, 0.41, 0.355)   # γ of 2, 3, 4 and more stages
MARGIN = 1.1          # times the bound of the damping rate that stages stand: the shape may change until it is taken again
OF_JOINTS = 0.5       # of the viscosity of joints takes off their springs
BELONGS = 0.5         # of the damping rate to the fastest modes, at first
FAINT = 0.05          # S that is not worth it
TRIED = 1.25          # times as much relief, or as little, the next time, at first and at most …
FINEST = 1.1          # … and at least
FIRST = 0.3           # of β τ/2 at most, at first …
STEEPEST = 1.0        # … and later; it is below 2 √γ


@inlined
def relieved(stiffness, damper, relief):
    """k − β c, of what is not negative."""
    return max(stiffness - relief * damper, 0.0)


@inlined
def stages_for(rate):
    """Number of stages for c h = rate: (s² + s − 2)/2 ≥ 1.1 rate."""
    return max(2, math.ceil(0.5 * (math.sqrt(9.0 + 8.0 * MARGIN * rate) - 1.0)))


@kernel
def stable_step(square, damping, limit, safety):
    """The step that a bound ω² on frequencies, a bound c on damping rates and a limit by itself allow."""
    rate = damping + math.sqrt(damping * damping + square)
    return min(safety * 2.0 / rate if rate > 0.0 else math.inf, limit)


@kernel
def relieved_step(square, relief, rate, damping, limit, safety):
    """The step that bounds λ of K − β C, c of all that goes apart and c' of other damping allow, and a limit by itself."""
    tau = math.inf
    for more in range(len(CURVED)):
        tau = stable_step(square + relief * relief / (4.0 * CURVED[more]), damping, math.inf, safety)
        if rate == 0.0 or tau == math.inf or stages_for(0.5 * tau * rate) <= 2 + more:
            break
    return min(tau, limit)


@kernel
def next_relief(numbers, alone):
    """The relief to try when bounds are taken the next time, by the step that the present one allows. `alone`: where it is
    sought while they are taken (`renewal.seek_relief`), the one to begin with."""
    step, rate = numbers[at.RELIEVED_STEP], damping_apart(numbers)
    if not (0.0 < step < math.inf) or 0.5 * BELONGS * rate * step < FAINT:
        return 0.0
    relief = numbers[at.RELIEF]
    if relief == 0.0:
        relief, numbers[at.RELIEF_WAY] = 2.0 * CURVED[-1] * BELONGS * rate, TRIED
        relief = min(relief, 2.0 * FIRST / step)
    elif not alone:
        numbers[at.RELIEF_WAY] = next_way(numbers[at.RELIEF_WAY], step < numbers[at.RELIEF_BEFORE])
        relief *= numbers[at.RELIEF_WAY]
        if relief > 2.0 * STEEPEST / step:
            relief, numbers[at.RELIEF_WAY] = 2.0 * STEEPEST / step / TRIED, 1.0 / TRIED
    numbers[at.RELIEF_BEFORE] = step
    return relief


@inlined
def next_way(way, worse):
    """Back by half as much where that made steps shorter, else on by half as much again."""
    way = 1.0 / math.sqrt(way) if worse else way * math.sqrt(way)
    size = min(max(way, 1.0 / way, FINEST), TRIED)
    return size if way > 1.0 else 1.0 / size


@inlined
def damping_apart(numbers):
    """Bound of the rate of all dampers that go apart, of springs and of contact."""
    return numbers[at.SPRING_DAMPING] + numbers[at.ROW_DAMPING]
