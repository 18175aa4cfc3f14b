"""What set the length of steps, by name: springs by block, rigids, pairs of things, drives, the budget; how often, how long
they were."""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.springs.table import KINDS
from robotphi.kernels.step.causes import CAUSE_CODE, CAUSE_STEPS, CAUSE_TIME
from robotphi.kernels.step.codes import CAUSE_KINDS, CAUSES, LIMITS, PAIR_BASE

TOLD = 3   # things at most that may be behind a step of which no spring is known to be


class StepCause(NamedTuple):
    """A thing that kept steps from being longer."""
    name: str      # in a sentence: "the viscosity of 'joint'"
    what: str      # of `codes.CAUSES`
    thing: str     # kind of spring, "rigid", "pair", "drive", "act"; "" for those that found no room, and for limits themselves
    names: tuple   # of the thing: of a pair both
    limit: str     # of `codes.LIMITS`
    steps: int     # accepted
    dt: float      # s, their mean; None where no recorded step tells


def cause_names(model, code):
    """(what, kind of thing, its names, limit) of a cause in `steps["cause"]` of a recording; None where it has no name."""
    what, thing = CAUSES[int(code) % CAUSE_KINDS], int(code) // CAUSE_KINDS
    if what.thing in KINDS:
        names = (_block(model.scene.springs[what.thing], thing),)
    elif what.thing == "rigid":
        names = (model.scene.rigids[thing].name,)
    elif what.thing == "pair":
        names = tuple(model.owner_names[i] for i in (thing % PAIR_BASE, thing // PAIR_BASE))
    else:
        names = _users_of_drive(model, thing) if what.thing == "drive" else beside_springs(model) if what.thing == "act" else ()
    return (what.name, what.thing, names, what.limit) if what.thing else None


def _block(blocks, index):
    """Name of the block of springs that holds one."""
    return blocks[int(np.searchsorted([block.start for block in blocks], index, side="right")) - 1].name


def _users_of_drive(model, drive):
    """The name of what a drive works on, where it has an entry of the ledger."""
    entry = int(model.work_of_drive[drive])
    return (model.work_names[entry],) if entry >= 0 else ()


def beside_springs(model):
    """Phrases for all that bounds steps and is no spring between particles: one of them is behind such a step."""
    scene, forced = model.scene, model.arrays.mechanisms.forced.any()
    found = [f"the spring of joint {each.name!r}" for each in scene.joints if each.stiffness.any() or each.table is not None]
    found += [f"the viscosity of joint {each.name!r}" for each in scene.joints if forced and each.viscosity.any()]
    found += [f"motor {each.name!r}" for each in scene.motors if each.stiffness > 0.0 or (forced and each.damping > 0.0)]
    found += [f"the stiff object {name!r}" for name in scene.stiff]
    found += [f"the {act.kind} {act.name!r}" for act in scene.acts]
    return tuple(found if scene.medium is None else [*found, "the medium"])


def sentence_of(what, thing, names):
    """A cause as a part of a sentence."""
    if thing == "pair":
        first, second = names
        if what == "approach":
            return f"how {first!r} moves" if first == second else f"{first!r} and {second!r} coming near each other"
        return f"the {what} of contact of {first!r} " + ("with itself" if first == second else f"and {second!r}")
    if thing == "rigid":
        return f"the turning of {names[0]!r}"
    if thing == "drive":
        return f"the drive of {names[0]!r}" if names else "a drive"
    if thing == "act":
        more = len(names) - TOLD
        return " or ".join([*names[:TOLD], f"one of {more} others"] if more > 0 else names) or "what turns under load"
    return f"the {what} of {names[0]!r}"


def step_causes(model, table):
    """A list of `StepCause`, most steps first, of the table that a state keeps; springs of one block are one."""
    found = {}
    for row in table[table[:, CAUSE_STEPS] > 0.0]:
        key = cause_names(model, row[CAUSE_CODE])
        steps, time = found.get(key, (0, 0.0))
        found[key] = steps + int(row[CAUSE_STEPS]), time + float(row[CAUSE_TIME])
    causes = [StepCause("others", "", "", (), "", steps, time / steps) if key is None else
              StepCause(sentence_of(*key[:3]), *key, steps, time / steps) for key, (steps, time) in found.items()]
    return sorted(causes, key=lambda cause: (-cause.steps, cause.name))


# Limits that have no thing behind them --------------------------------------------------------------------------------------

def limit_sentence(limit, info):
    """A limit by itself as a part of a sentence; `info` of the recording."""
    if limit == "budget":
        return "the energy tolerance" if info["control"] == "energy" else f"the budget of {info['budget']:g}"
    if limit == "user":
        return "the fixed step" if info["control"] == "fixed" else "dt_max"
    return {"event": "frames and events", "path": f"the budget of {info['budget']:g}, for the path"}.get(limit,
                                                                                                        f"{limit} of others")


def all_causes(recording):
    """A list of `StepCause`, most steps first, in which all steps are: those by name, and of each limit the rest.

    The mean step of such a rest is that of the steps which the recording holds; of a continued run it holds the last part.
    """
    named = [StepCause(**{**cause, "names": tuple(cause["names"])}) for cause in recording.info["causes"] if cause["thing"]]
    found = list(named)
    for limit in LIMITS:
        rest = recording.counts[f"limited_by_{limit.name}"] - sum(each.steps for each in named if each.limit == limit.name)
        if rest > 0:
            dt = recording.steps["dt"][of_limit(recording, limit.name)]
            found.append(StepCause(limit_sentence(limit.name, recording.info), "", "", (), limit.name, rest,
                                   float(dt.mean()) if len(dt) else None))
    return sorted(found, key=lambda cause: (-cause.steps, cause.name))


def of_limit(recording, name):
    """(steps,) mask of the steps that a limit has set with no thing behind it."""
    codes = [limit.name for limit in LIMITS]
    return (recording.steps["limit"] == codes.index(name)) & (recording.steps["cause"] == 0)


def of_cause(model, recording, cause):
    """(steps,) mask of the steps that a `StepCause` has set."""
    if not cause.thing:
        return of_limit(recording, cause.limit)
    wanted = cause.what, cause.thing, cause.names
    codes = [code for code in np.unique(recording.steps["cause"]) if (cause_names(model, code) or ())[:3] == wanted]
    return np.isin(recording.steps["cause"], codes)
