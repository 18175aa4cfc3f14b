"""Random scenes end well or with a clear error, and errors are rare; `make fuzz` runs the long list."""
from collections import Counter

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from robotphi import build_model
from robotphi.model.arrays import model_digest
from tests.fuzz.ordeal import run_seed, runs_on
from tests.fuzz.random_scene import random_scene

RARE = 0.01  # share of the scenes that may end in an error


def test_random_scenes_end_well_or_in_a_rare_and_clear_error(scene_count):
    outcomes = []

    @settings(max_examples=scene_count, deadline=None, derandomize=True, database=None, phases=(Phase.generate,),
              suppress_health_check=list(HealthCheck))
    @given(st.integers(0, 2**40))
    def run(seed):
        outcome = run_seed(seed)
        outcomes.append(outcome)
        assert not outcome.troubles, f"seed {seed}: {'; '.join(outcome.troubles)}"

    run()
    assert len(outcomes) >= scene_count
    errors = [outcome for outcome in outcomes if outcome.status in ("diverged", "refused")]
    told = [(outcome.seed, outcome.message) for outcome in errors]
    assert len(errors) <= RARE * len(outcomes), told
    for outcome in errors:
        assert not list(runs_on(outcome)), f"seed {outcome.seed}"
    print(f"\n{len(outcomes)} scenes: {dict(Counter(outcome.status for outcome in outcomes))}")


def test_a_seed_makes_the_same_scene_again():
    for seed in range(20):
        one, two = (build_model(random_scene(seed)[0]) for _ in range(2))
        assert model_digest(one) == model_digest(two)


def test_the_random_scenes_have_everything_in_them():
    """Masses over six decades, stiffness over nine, damping ratios from 0 to 10, and every kind of thing."""
    seen, masses, stiffnesses = Counter(), [], []
    for seed in range(300):
        scene, free = random_scene(seed)
        arrays = build_model(scene).arrays
        masses += [m for m in arrays.particles.mass if m > 0] + list(arrays.rigids.mass)
        linear, law = arrays.linear, arrays.linear_law
        stiffnesses += [k for k in linear.stiffness if k > 0]
        for name in ("linear", "angular", "linear_law", "angular_law", "articular"):
            springs = getattr(arrays, name)
            seen[name] += len(springs.first)
            seen[f"driven {name}"] += int((getattr(springs, "drive", np.empty(0)) >= 0).sum())
            for limit in ("yield_force", "yield_moment"):
                seen[f"plastic {name}"] += int(np.isfinite(getattr(springs, limit, np.empty(0))).sum())
        seen.update({"cable": int(law.tension_only.sum()), "table": int((law.table >= 0).sum()),
                     "undamped": int((linear.viscosity == 0).sum()), "free": free,
                     "gravity": bool(np.any(arrays.particles.gravity)), "force": len(arrays.acts.forces.kind),
                     "driven particle": len(arrays.motions.particle), "driven rigid": len(arrays.motions.rigid),
                     "partly held rotation": int((arrays.rigids.rotation == 1).sum()), "breakpoint": len(arrays.breakpoints),
                     f"scheme {scene.stepping.scheme}": 1, f"control {scene.stepping.control}": 1})
    absent = {"driven linear", "driven angular", "plastic linear", "plastic angular"}  # plain springs have no laws
    wanted = {name for name in seen if name not in absent}
    assert {name for name in wanted if seen[name] < 10} == set()
    assert {"scheme verlet", "scheme taylor", "control ledger", "control energy", "control fixed"} <= wanted
    assert (min(masses) < 3e-3, max(masses) > 3e2) == (True, True)
    assert (min(stiffnesses) < 1e-2, max(stiffnesses) > 1e5) == (True, True)
