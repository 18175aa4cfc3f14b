"""Advice after a run: a budget that was missed, by how much, why, and what would keep it.

Rounding alone can miss it: coordinates far from the origin, or a budget near the precision of numbers. No step helps then, so
that the run goes on, and says so.
"""
import math

import numpy as np

from robotphi.kernels.step import slots

AWAY = 10.0           # times the size of a scene: so far from the origin, moving it nearer helps
REST = 100.0          # times what rounding of coordinates puts into springs: less has moved in a scene at rest
ROOM = 4.0            # times what was left, for the budget that is proposed


def missed_budget(simulator):
    """A sentence where the ledger left more than was promised; an empty list is good."""
    numbers, counts, stepping = simulator.state.buffers.numbers, simulator.counts(), simulator.model.scene.stepping
    largest, reference = float(numbers[slots.LARGEST_RESIDUAL]), float(numbers[slots.REFERENCE])
    reach = float(8.0 * np.finfo(float).eps * numbers[slots.EXTENT])
    if (stepping.control != "ledger" or largest <= numbers[slots.BUDGET] * reference
            or reference <= REST * numbers[slots.STIFFEST] * reach * reach):
        return []
    share = largest / reference
    told = f"the ledger leaves {share:.2g} of the largest energy unexplained, {share / stepping.budget:.2g} times the budget"
    if counts["floor_hits"]:
        return [f"{told} of {stepping.budget:g}: {counts['floor_hits']} steps stood at the floor dt_min; lower it, or give a "
                "larger budget"]
    if not counts["rounding"]:
        return [f"{told} of {stepping.budget:g}; give a larger budget"]
    nearer = f", or coordinates nearer to the origin than {farthest(simulator):.2g} m" if is_far(simulator) else ""
    return [f"{told} of {stepping.budget:g}: {counts['rounding']} steps left no more than rounding alone makes of a step, "
            f"which no shorter step mends; give budget={wide_enough(share):g}{nearer}"]


def wide_enough(share):
    """A budget that such a share keeps well within, to one digit, upwards."""
    wanted = ROOM * share
    unit = 10.0 ** math.floor(math.log10(wanted))
    return min(math.ceil(wanted / unit) * unit, 1.0)


def farthest(simulator):
    return float(np.abs(simulator.model.position).max(initial=0.0))


def is_far(simulator):
    """Whether a scene lies many times its size from the origin."""
    position = simulator.model.position
    return bool(len(position) and farthest(simulator) > AWAY * np.ptp(position, axis=0).max())
