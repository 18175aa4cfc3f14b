"""Runs one random scene and lists whatever is wrong with what came of it."""
from typing import NamedTuple

import numpy as np

from robotphi import SceneError, SimulationDiverged, Simulator, build_model
from robotphi.kernels.step import slots
from robotphi.kernels.step.scales import ROUNDING
from robotphi.run.state import FLOOR_SHARE
from tests.fuzz.random_mechanism import random_mechanism
from tests.fuzz.random_scene import ATTEMPTS, random_scene

MOMENTUM = 1e-12    # of the scales of the oracle, per 1000 steps


class Outcome(NamedTuple):
    seed: int
    status: str       # of the recording, or "refused" by the scene
    troubles: list    # sentences; none where all is well
    message: str      # of the error, where there was one
    counts: dict
    rule: str         # scheme and control


def run_seed(seed, dt_min=None, attempts=ATTEMPTS):
    """Simulate the scene of a seed under its limits and look at everything."""
    try:
        scene, free = random_scene(seed, dt_min, attempts)
        simulator = Simulator(build_model(scene))
    except SceneError as error:
        return Outcome(seed, "refused", [], str(error), {}, "")
    rule = f"{scene.stepping.scheme} {scene.stepping.control}"
    return looked_at(seed, simulator, scene, free, rule)


def run_mechanism(seed):
    """The same of the mechanism of a seed."""
    try:
        scene, free = random_mechanism(seed)
        simulator = Simulator(build_model(scene))
    except SceneError as error:
        return Outcome(seed, "refused", [], str(error), {}, "")
    return looked_at(seed, simulator, scene, free, "verlet ledger")


def looked_at(seed, simulator, scene, free, rule):
    """Run, and whatever is wrong with it."""
    message = ""
    try:
        recording = simulator.run()
    except SimulationDiverged as error:
        recording, message = error.recording, str(error)
        complete = recording is not None and error.post_mortem is not None
        troubles = [] if complete else ["an error without recording or post-mortem"]
    else:
        troubles = []
    troubles += [*unfinished(recording), *creeping(recording), *not_finite(recording)]
    if not troubles:
        if rule == "verlet ledger":
            troubles += beyond_budget(simulator, recording)
        if free and scene.stepping.scheme == "verlet":
            troubles += lost_momentum(simulator, recording)
    return Outcome(seed, recording.status, troubles, message, recording.counts, rule)


def runs_on(outcome):
    """A scene that ended at the floor of its step ends there with a smaller one as well, else the floor was at fault."""
    if outcome.status == "diverged":
        floor = FLOOR_SHARE * random_scene(outcome.seed)[0].duration
        if run_seed(outcome.seed, dt_min=0.1 * floor, attempts=2 * ATTEMPTS).status != "diverged":
            yield "it runs on with a smaller floor"


def unfinished(recording):
    if recording.status not in ("done", "attempt limit", "diverged"):
        yield f"status {recording.status}"
    if recording.counts["attempts"] > ATTEMPTS:
        yield f"{recording.counts['attempts']} attempts"


def creeping(recording):
    """The reserve is for rare jumps: a run that lives on it goes nowhere, and hides that its forces do not fit its energies."""
    counts = recording.counts
    if counts["reserve"] > 10 + 0.02 * counts["accepted"]:
        yield f"{counts['reserve']} of {counts['accepted']} steps drew on the reserve"


def not_finite(recording):
    """Names of the arrays that hold anything but finite numbers."""
    for name in ("time", "position", "velocity", "rigid_position", "rigid_orientation", "rigid_velocity", "rigid_spin",
                 "rigid_momentum"):
        if not np.isfinite(getattr(recording, name)).all():
            yield f"{name} is not finite"
    for group in ("ledger", "steps"):
        for name, values in getattr(recording, group).items():
            if not np.isfinite(values).all():
                yield f"{group} {name} is not finite"


def beyond_budget(simulator, recording):
    """|Σ residual| ≤ budget × E_ref, and the rounding of each step that `rounding_noise` grants.

    A run cut short may not have come to the energies that its start was measured by.
    """
    ledger = recording.ledger
    largest, reference = ledger["largest_residual"][-1], ledger["reference_energy"][-1]
    if recording.status != "done":
        reference = max(reference, simulator.state.buffers.numbers[slots.SCALE])
    elastic = sum(np.abs(ledger[f"elastic_{kind}"]) for kind in ("linear", "angular", "articular", "joint")
                  if f"elastic_{kind}" in ledger).max()
    size = ledger["kinetic"].max() + elastic + np.abs(ledger["gravity"]).max() + reference
    budget, pull = recording.info["budget"], rounding_pull(simulator, recording)
    pull += ROUNDING * jointed_weight(simulator)
    noise = recording.counts["accepted"] * (ROUNDING * size + pull * np.abs(recording.position).max())
    if not largest <= budget * reference + noise:
        yield f"residual {largest:.3g} J is {largest / reference:.3g} of E_ref {reference:.3g} J, budget {budget:.3g}"


def jointed_weight(simulator):
    """N: links stand where their joints put them, at every step anew, and their weight feels the rounding of that."""
    arrays = simulator.model.arrays
    gravity = np.linalg.norm(arrays.particles.gravity)
    return float(arrays.rigids.mass[arrays.mechanisms.link_of_rigid >= 0].sum() * gravity)


def rounding_pull(simulator, recording):
    """N: forces that cancel each other, times the rounding of one number."""
    ledger = recording.ledger
    stiffest = simulator.state.buffers.numbers[slots.STIFFEST]
    elastic = sum(np.abs(ledger[f"elastic_{kind}"]) for kind in ("linear", "angular", "articular")).max()
    tables = simulator.state.buffers.group_sums[:, slots.SUM_TENSION].sum()
    return ROUNDING * (np.sqrt(2.0 * stiffest * elastic) + tables)


def lost_momentum(simulator, recording):
    """Both momenta of a free scene stay, to rounding of the largest that its parts have had."""
    arrays = simulator.model.arrays
    n = simulator.model.particle_count
    mass, heavy = arrays.particles.mass[:n, None], arrays.rigids.mass[:, None]
    point, speed = recording.position, recording.velocity
    centre, rigid_speed = recording.rigid_position, recording.rigid_velocity
    total = mass.sum() + heavy.sum()
    middle = ((mass * point[0]).sum(axis=0) + (heavy * centre[0]).sum(axis=0)) / total
    linear = (mass * speed).sum(axis=1) + (heavy * rigid_speed).sum(axis=1)
    scale = (mass * np.abs(speed)).sum(axis=(1, 2)).max() + (heavy * np.abs(rigid_speed)).sum(axis=(1, 2)).max()
    turning = (np.cross(point - middle, mass * speed).sum(axis=1) + np.cross(centre - middle, heavy * rigid_speed).sum(axis=1)
               + recording.rigid_momentum.sum(axis=1))
    reach = max(np.abs(point - middle).max(), 1e-300)
    turn_scale = scale * reach + np.abs(recording.rigid_momentum).sum(axis=(1, 2)).max()
    allowed = MOMENTUM * (1.0 + recording.counts["accepted"] / 1000.0)
    rounding = rounding_pull(simulator, recording) * recording.time[-1]
    for name, value, size, arm in (("linear", linear, scale, 1.0), ("angular", turning, turn_scale, reach)):
        lost = np.abs(value - value[0]).max()
        if lost > allowed * size + rounding * arm:
            yield f"{name} momentum lost {lost:.3g}, {lost / size:.3g} of its scale"
