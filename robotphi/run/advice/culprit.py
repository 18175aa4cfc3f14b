"""Which contact is to blame for a run that stopped, and what would help."""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.contact import columns, kinds
from robotphi.run.advice.steps import expected_step


class Blame(NamedTuple):
    """A pair of parts that touch."""
    first: int         # parts
    second: int
    name: str
    gained: float      # J that its pressure stores more than at the last frame
    unstable: bool     # whether the step that was tried is longer than is stable for it, as stiff as it is now


def blamed_contact(simulator, dt):
    """The pair that gained most energy since the last frame, one too stiff for the step before all others; or None."""
    model, touch = simulator.model, simulator.state.buffers.touch
    count = touch.sizes[columns.PAIR_COUNT]
    lost = ~np.isfinite(touch.sums[:count, columns.PAIR_ENERGY])
    touching = np.flatnonzero((touch.pairs[:count, columns.TRIAL_TOUCHING] == 1) | lost)
    if not len(touching):
        return None
    parts = model.arrays.contact.parts
    first, second = touch.pairs[touching, columns.FIRST], touch.pairs[touching, columns.SECOND]
    with np.errstate(all="ignore"):
        gained = touch.sums[touching, columns.PAIR_ENERGY] - _energies_before(simulator, first, second, len(parts.kind))
        reduced = 1.0 / (1.0 / parts.size[first, columns.MASS] + 1.0 / parts.size[second, columns.MASS])
        stable = 2.0 * np.sqrt(reduced / touch.numbers[touching, columns.STEEPNESS])
    gained, stable = np.nan_to_num(gained, nan=np.inf), np.nan_to_num(stable, nan=0.0, posinf=np.inf)
    unstable = dt > stable
    k = int(np.lexsort((gained, unstable))[-1])
    names = model.part_names
    name = f"the contact of {names[first[k]]!r} and {names[second[k]]!r}"
    return Blame(int(first[k]), int(second[k]), name, float(gained[k]), bool(unstable[k]))


def _energies_before(simulator, first, second, count):
    """J stored in the pressure of each pair at the last frame."""
    rows = simulator.recorder.last_rows("contacts")
    keys = rows["first"].astype(np.int64) * count + rows["second"]
    order = np.argsort(keys)
    wanted = first.astype(np.int64) * count + second
    place = np.searchsorted(keys, wanted, sorter=order)
    known = np.append(keys[order], -1)[place] == wanted
    return np.where(known, np.append(rows["energy"][order], 0.0)[place], 0.0)


def advise_contact(model, blame):
    """What to change, and the sentence that says so; a stiffness is that of the pair, as of two materials in series."""
    contact, stepping = model.arrays.contact, model.scene.stepping
    first, second = contact.parts.material[blame.first], contact.parts.material[blame.second]
    row = contact.law[first * round(np.sqrt(len(contact.law))) + second]
    of_balls = row[columns.BALL_STIFFNESS] > 0.0 and contact.parts.kind[blame.first] in kinds.OF_BALLS
    stiffness = float(row[columns.BALL_STIFFNESS if of_balls else columns.STIFFNESS])
    word = "ball_stiffness" if of_balls else "stiffness"
    softer = f"a {word} of the pair of {stiffness / 4.0:.3g} instead of {stiffness:.3g}"
    damped = "" if row[columns.DAMPING] > 0.0 else ", a restitution below 1, which takes energy out of hits"
    if stepping.control == "fixed":
        stable = expected_step(model, blame.first, blame.second)  # at the speeds of the scene, not of what blew up
        if 0.0 < stable < np.inf:
            dt = float(f"{0.5 * min(stable, stepping.dt):.1e}")
            return {"dt": dt}, (f"A hit is expected to be stable up to a step of about {stable:.3g} s: give dt={dt:g}, "
                                f'{softer}, or leave the step to control="ledger".')
        return {"control": "ledger"}, f'Leave the step to control="ledger", or give {softer}.'
    if stepping.dt_min is not None and stepping.control == "ledger":
        return {"dt_min": None}, (f"The floor dt_min={stepping.dt_min:g} s is high for a contact that closes: leave it out, or "
                                  f"give {softer}{damped}, or a larger budget.")
    return {word: stiffness / 4.0}, ("While it closes, its force grows faster than the step can follow within the budget: "
                                     f"give {softer}{damped}, or a larger budget.")
