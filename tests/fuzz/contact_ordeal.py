"""Runs one random scene of contact and lists whatever is wrong with what came of it.

As a program it runs seeds one after the other, one line of JSON each, so that a crash or a hang ends a worker and no more:
`python contact_ordeal.py first count [step]`.
"""
import json
import os
import select
import subprocess
import sys
import warnings
from typing import NamedTuple

import numpy as np

from robotphi import SceneError, SimulationDiverged, Simulator, build_model
from robotphi.kernels.step import slots
from robotphi.kernels.step.scales import ROUNDING
from tests import ROOT
from tests.fuzz.ordeal import not_finite
from tests.fuzz.random_contact import ATTEMPTS, random_contact_scene

MOMENTUM = 1e-10    # of the scales of the oracle
PATIENCE = 1200.0   # s without a word, after which a worker hangs: the first scene compiles, with others beside it
CLOSE = 0.3         # of the sum of the cores' radii: centres that come nearer have passed through each other
TURNED = 0.5        # of E_ref: energy booked to changes of contact directions


class Outcome(NamedTuple):
    seed: int
    world: str
    status: str       # of the recording, or "refused" by the scene
    troubles: list    # sentences; none where all is well
    message: str      # of the error, where there was one
    facts: dict


def throw(seed, attempts=ATTEMPTS):
    """Simulate the scene of a seed under its limits and look at everything."""
    watched = None
    try:
        watched = random_contact_scene(seed, attempts)
        simulator = Simulator(build_model(watched.scene))
    except SceneError as error:
        return Outcome(seed, watched.world if watched else "", "refused", [], str(error), {})
    message, troubles = "", []
    try:
        recording = simulator.run()
    except SceneError as error:   # of what overlaps at the start
        return Outcome(seed, watched.world, "refused", [], str(error), {})
    except SimulationDiverged as error:
        recording, message = error.recording, str(error)
        if recording is None or error.post_mortem is None:
            return Outcome(seed, watched.world, "diverged", ["an error without recording or post-mortem"], message, {})
    troubles += [*unfinished(recording, attempts), *not_finite(recording)]
    if not troubles:
        if recording.info["control"] == "ledger":
            troubles += beyond_budget(simulator, recording)
        troubles += [*gone_below(watched, simulator, recording), *passed_through(watched, recording),
                     *passed_wall(watched, simulator, recording)]
        if watched.free:
            troubles += lost_momentum(watched, simulator, recording)
    return Outcome(seed, watched.world, recording.status, troubles, message, facts(watched, recording))


def facts(watched, recording):
    ledger, counts = recording.ledger, recording.counts
    reference = ledger["reference_energy"][-1]
    return {"things": len(watched.things), "attempts": counts["attempts"], "refused": counts["refused"],
            "reserve": counts["reserve"], "rounding": counts["rounding"], "control": recording.info["control"],
            "budget": recording.info["budget"], "done": float(recording.time[-1] / watched.scene.duration),
            "direction": float(np.abs(ledger["contact_direction"]).max() / reference) if reference > 0 else 0.0,
            "contact": float(np.abs(ledger["contact"]).max() / reference) if reference > 0 else 0.0,
            "share": float(ledger["largest_residual"][-1] / reference) if reference > 0 else 0.0,
            "frames": len(recording.time)}


def unfinished(recording, attempts):
    if recording.status not in ("done", "attempt limit", "diverged"):
        yield f"status {recording.status}, {recording.counts['attempts']} attempts"
    if recording.counts["attempts"] > attempts:
        yield f"{recording.counts['attempts']} attempts"
    if recording.counts["reserve"] > 10 + 0.02 * recording.counts["accepted"]:
        yield f"{recording.counts['reserve']} of {recording.counts['accepted']} steps drew on the reserve"


def beyond_budget(simulator, recording):
    """|Σ residual| ≤ budget × E_ref, and the rounding of each step that the control grants.

    A run cut short may not have come to the energies that its start was measured by.
    """
    ledger, counts = recording.ledger, recording.counts
    largest, reference = ledger["largest_residual"][-1], ledger["reference_energy"][-1]
    if recording.status != "done":
        reference = max(reference, simulator.state.buffers.numbers[slots.SCALE])
    size = sum(np.abs(values).max() for name, values in ledger.items() if "residual" not in name)
    noise = counts["accepted"] * ROUNDING * size
    if counts["rounding"]:
        stiffest = max(simulator.state.buffers.numbers[slots.STIFFEST],
                       simulator.model.arrays.contact.law[:, 0].max() * simulator.model.arrays.contact.parts.vertex_area.max())
        noise += counts["rounding"] * ROUNDING * np.abs(recording.position).max() * np.sqrt(2.0 * stiffest * size)
    budget = recording.info["budget"]
    if not largest <= budget * reference + noise:
        yield f"residual {largest:.3g} J is {largest / reference:.3g} of E_ref {reference:.3g} J, budget {budget:.3g}"


def centres(thing, recording, mass):
    """(frames, 3) centre of mass."""
    if thing.rigid >= 0:
        return recording.rigid_position[:, thing.rigid]
    first, last = thing.particles
    return np.einsum("fpi,p->fi", recording.position[:, first:last], mass[first:last]) / mass[first:last].sum()


def gone_below(watched, simulator, recording):
    """Things whose centre is below the ground by more than their size."""
    mass = simulator.model.arrays.particles.mass
    more = 3.0 if watched.overlapping else 1.0
    for thing in watched.things:
        centre = centres(thing, recording, mass)
        depth = -np.inf
        for plane in watched.planes:
            depth = max(depth, (-(centre - plane[:3]) @ plane[3:]).max())
        if watched.heights is not None:
            depth = max(depth, below_field(*watched.heights, centre))
        if depth > more * thing.reach:
            yield f"{thing.name} of radius {thing.reach:.3g} m is {depth:.3g} m below the ground"


def below_field(heights, spacing, origin, centre):
    """Largest depth below the lowest corner of the cell, over the field [m]."""
    place = (centre[:, :2] - origin[:2]) / spacing
    cell = np.floor(place).astype(int)
    on = ((cell >= 0) & (cell < np.array(heights.shape) - 1)).all(axis=1)
    if not on.any():
        return -np.inf
    i, j = cell[on].T
    lowest = np.minimum(np.minimum(heights[i, j], heights[i + 1, j]), np.minimum(heights[i, j + 1], heights[i + 1, j + 1]))
    return (lowest + origin[2] - centre[on, 2]).max()


def passed_through(watched, recording):
    """Pairs of convex rigids whose centres come so near that the middle of one is deep in the other."""
    if watched.overlapping:
        return
    solid = [thing for thing in watched.things if thing.core > 0.0]
    for i, first in enumerate(solid):
        for second in solid[i + 1:]:
            if (first.name, second.name) in watched.between:
                continue
            apart = recording.rigid_position[:, first.rigid] - recording.rigid_position[:, second.rigid]
            nearest = nearest_of_path(apart)
            if nearest < CLOSE * (first.core + second.core):
                yield (f"{first.name} and {second.name} came as near as {nearest:.3g} m, their cores have "
                       f"{first.core:.3g} and {second.core:.3g} m")


def nearest_of_path(apart):
    """Smallest distance from zero of a polygon of (frames, 3) points."""
    if len(apart) < 2:
        return float(np.linalg.norm(apart, axis=1).min())
    step = np.diff(apart, axis=0)
    share = np.clip(-np.einsum("fi,fi->f", apart[:-1], step) / np.maximum((step**2).sum(axis=1), 1e-300), 0.0, 1.0)
    return float(np.linalg.norm(apart[:-1] + share[:, None] * step, axis=1).min())


def passed_wall(watched, simulator, recording):
    """What starts on one side of the wall stays there."""
    if watched.world != "wall" or watched.overlapping:
        return
    mass = simulator.model.arrays.particles.mass
    for thing in watched.things:
        side = np.sign(thing.cell[0]) * centres(thing, recording, mass)[:, 0]
        if side.min() < 0.0:
            yield f"{thing.name} passed through the wall, by {-side.min():.3g} m"


def takes_no_moment(watched):
    """Whether particles with a size may rub on each other or on soft things: points that do not turn take no moment."""
    loose = any(thing.kind in ("grains", "chain") for thing in watched.things)
    return loose and any(thing.contact.static_friction > 0.0 for thing in watched.scene.touching.values())


def lost_momentum(watched, simulator, recording):
    """Both momenta of a free scene stay, to rounding of the largest that its parts have had."""
    arrays = simulator.model.arrays
    n = simulator.model.particle_count
    mass, heavy = arrays.particles.mass[:n, None], arrays.rigids.mass[:, None]
    point, speed, centre = recording.position, recording.velocity, recording.rigid_position
    total = mass.sum() + heavy.sum()
    middle = ((mass * point[0]).sum(axis=0) + (heavy * centre[0]).sum(axis=0)) / total
    linear = (mass * speed).sum(axis=1) + (heavy * recording.rigid_velocity).sum(axis=1)
    scale = (mass * np.abs(speed)).sum(axis=(1, 2)).max() + (heavy * np.abs(recording.rigid_velocity)).sum(axis=(1, 2)).max()
    turning = (np.cross(point - middle, mass * speed).sum(axis=1)
               + np.cross(centre - middle, heavy * recording.rigid_velocity).sum(axis=1) + recording.rigid_momentum.sum(axis=1))
    reach = max(np.abs(np.concatenate([point, centre], axis=1) - middle).max(), 1e-300)
    turn_scale = scale * reach + np.abs(recording.rigid_momentum).sum(axis=(1, 2)).max()
    moments = () if takes_no_moment(watched) else (("angular", turning, turn_scale),)
    for name, value, size in (("linear", linear, scale), *moments):
        lost = np.abs(value - value[0]).max()
        if lost > MOMENTUM * size:
            yield f"{name} momentum lost {lost:.3g}, {lost / size:.3g} of its scale"


def throw_many(first, count):
    """Outcomes of seeds, run by workers; one that dies or keeps silent leaves an Outcome that says so, and the next goes on."""
    seed, last = first, first + count
    while seed < last:
        worker = subprocess.Popen([sys.executable, "-m", "tests.fuzz.contact_ordeal", str(seed), str(last - seed)],
                                  stdout=subprocess.PIPE, cwd=ROOT)
        try:
            for told in lines(worker.stdout.fileno()):
                if told is None:
                    yield Outcome(seed, "", "hang", [f"nothing heard for {PATIENCE:g} s"], "", {})
                    seed += 1
                    break
                if "begins" not in told:
                    yield Outcome(**told)
                    seed = told["seed"] + 1
            else:
                if seed < last:
                    yield Outcome(seed, "", "crash", [f"the worker ended with {worker.wait()}"], "", {})
                    seed += 1
        finally:
            worker.kill()
            worker.wait()
            worker.stdout.close()


def lines(handle):
    """Decoded lines of a pipe; None where nothing came for so long."""
    rest = b""
    while True:
        if not select.select([handle], [], [], PATIENCE)[0]:
            yield None
            return
        more = os.read(handle, 65536)
        if not more:
            return
        *whole, rest = (rest + more).split(b"\n")
        yield from map(json.loads, whole)


def main(first, count, step=1):
    warnings.simplefilter("ignore")  # of long cells
    for seed in range(first, first + count * step, step):
        print(json.dumps({"begins": seed}), flush=True)
        print(json.dumps(throw(seed)._asdict()), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
