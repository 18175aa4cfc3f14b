"""What dampers that go apart (`apart`) take off the springs beside them in the bound of the step.

With all forces −K x, dampers C and R what their stages leave of a rate after τ/2, both scaled by inertia, the rates w of the
middles of steps follow C (1 − R²)⁻¹ (w⁺ − R² w) = −K x, x⁺ = x + τ w⁺: central differences of x with damping C and the mass
½ τ C (1 + R²)(1 − R²)⁻¹ =: G. So their energy, which C takes from, is positive as long as, for K and C that share no modes too,

    τ² K/4 < G        G ≥ S coth S ≥ √(1 + ⅔ S²) ≥ (1 + ⅔ s S)/√(1 + ⅔ s²)        S = τ C/2, any s ≥ 0

(R ≥ e^−S, whatever the number of stages; each of these functions is convex, its tangents lie below it). Tangents need no modes:
with β = ⁴⁄₃ s/(τ √(1 + ⅔ s²)) they say of λ ≥ K − β C

    (λ τ²/4)² + ⅜ β² τ² ≤ 1

and in K − β C each spring k stands with the damper c along the same gradient as one spring k − β c. What else is damped, by
forces at predicted velocities with a rate c', comes to it as λ τ²/4 + c' τ; without dampers apart that is (ω τ/2)² + c τ ≤ 1.

β, the relief, is free. It is found by the steps that it allows: at first the best one if half the damping rate belonged to the
fastest modes, then by a quarter more or less: each time that the bounds are taken anew as long as steps become longer by it
(`renewal`), with contact once each time, back where the step became shorter.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.step import slots as at

BELONGS = 0.5         # of the damping rate to the fastest modes, at first
FAINT = 0.05          # S that is not worth it
TRIED = 1.25          # times as much relief, or as little, the next time
FIRST = 0.3           # of β τ/2 at most, at first …
STEEPEST = 0.7        # … and later; it is below √⅔
NEWTON = 8            # steps to the root, from above


@inlined
def relieved(stiffness, damper, relief):
    """k − β c, of what is not negative."""
    return max(stiffness - relief * damper, 0.0)


@kernel
def relieved_step(square, relief, damping, limit, safety):
    """The step that bounds λ of K − β C and c' of other damping allow, and a limit by itself."""
    lean = 0.375 * relief * relief
    whole = lean + math.sqrt(lean * lean + 0.25 * square * square)
    if not whole > 0.0:
        return limit if damping == 0.0 else min(safety / damping, limit)
    tau = math.sqrt(2.0 / whole)
    if damping > 0.0:   # of (λ τ²/4 + c' τ)² + ⅜ β² τ² = 1, which is convex, and 5 at most where Newton begins
        tau = min(tau, 1.0 / damping)
        for _ in range(NEWTON):
            load = 0.25 * square * tau * tau + damping * tau
            slope = 2.0 * load * (0.5 * square * tau + damping) + 2.0 * lean * tau
            tau -= (load * load + lean * tau * tau - 1.0) / slope
    return min(safety * tau, limit)


@kernel
def next_relief(numbers, alone):
    """The relief to try when bounds are taken the next time, by the step that the present one allows. `alone`: where it is
    sought while they are taken (`renewal.seek_relief`), the one to begin with."""
    step, rate = numbers[at.RELIEVED_STEP], numbers[at.SPRING_DAMPING] + numbers[at.ROW_DAMPING]
    if not (0.0 < step < math.inf) or 0.5 * BELONGS * rate * step < FAINT:
        return 0.0
    relief = numbers[at.RELIEF]
    if relief == 0.0:
        s = 0.5 * BELONGS * rate * step
        relief, numbers[at.RELIEF_WAY] = 4.0 / 3.0 * s / (step * math.sqrt(1.0 + 2.0 / 3.0 * s * s)), TRIED
        relief = min(relief, 2.0 * FIRST / step)
    elif not alone:
        if step < numbers[at.RELIEF_BEFORE]:
            numbers[at.RELIEF_WAY] = 1.0 / numbers[at.RELIEF_WAY]
        relief *= numbers[at.RELIEF_WAY]
        if relief > 2.0 * STEEPEST / step:
            relief, numbers[at.RELIEF_WAY] = 2.0 * STEEPEST / step / TRIED, 1.0 / TRIED
    numbers[at.RELIEF_BEFORE] = step
    return relief
