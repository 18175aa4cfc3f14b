"""What acts on the coordinates of exact joints, at the door: dry friction, stops, and laws of time."""
import numpy as np

from robotphi.kernels.mechanism.kinds import freedoms_of
from robotphi.scene.blocks import Relation
from robotphi.scene.checks import floats, frozen, number, numbers, refuse, word
from robotphi.scene.drive import COMMAND, as_drive
from robotphi.scene.extremes import extremes

SUMS = 4001   # instants at which sums of several drives are looked at
NEAR = 1e-9   # rad or m: a joint drawn so near where its drive starts is drawn there
APART = 1e12  # of factors of a relation: beyond, rounding of the one is more than all of the other


def laws_of_time(scene, where, what, value, count):
    """A Drive or None for each freedom."""
    several = isinstance(value, (list, tuple))
    if not several and count != 1:
        if value is None:
            return (None,) * count
        refuse(where, f"one {what} for {count} freedoms", f"give a list of {count}, with None for those that have none")
    given = tuple(value) if several else (value,)
    if len(given) != count:
        refuse(where, f"{what} has {len(given)} entries", f"give {count}, with None for those that have none")
    made = tuple(None if one is None else as_drive(where, what, one, scene.duration) for one in given)
    if what == "drive":
        for n, one in enumerate(made):
            if one is not None and one.jumps:
                problem, remedy = one.why_jumps
                refuse(where, f"the drive {problem}, and a coordinate that jumps would need infinite torque", remedy, n)
    return made


def start_of(where, drive, torque, place, rate, count):
    """Coordinates as drawn, and rates at the start; what is driven starts where its drive does."""
    place = np.array(numbers(where, "place", np.array([0.0 if one is None else float(one.value(0.0)) for one in drive])
                             if place is None else place, count))
    rate = np.array(numbers(where, "rate", rate, count))
    for k, one in enumerate(drive):
        if one is None:
            continue
        if torque[k] is not None:
            refuse(where, "a torque on a coordinate that is driven", "leave one of them out", k)
        if abs(place[k] - one.value(0.0)) > NEAR:
            refuse(where, f"its drive starts at {float(one.value(0.0)):g}, and it is drawn at {place[k]:g}",
                   "draw it where the drive starts, and leave out its place", k)
        if rate[k] not in (0.0, one.rate(0.0)):
            refuse(where, f"a rate of {rate[k]:g} for a coordinate that is driven", "leave it out", k)
        place[k], rate[k] = one.value(0.0), one.rate(0.0)
    return frozen(place), frozen(rate)


def dry_friction(where, value, count):
    """(count, 2) static and kinetic friction."""
    array = floats(where, "friction", value)
    if array.shape not in ((), (2,), (count, 2)):
        refuse(where, f"friction has shape {array.shape}", f"give (static, kinetic), one number for both, or {count} pairs")
    array = np.array(np.broadcast_to(array, (count, 2)))
    if (array < 0.0).any() or (array[:, 1] > array[:, 0]).any():
        refuse(where, f"friction is {array.tolist()}", "none may be negative, and kinetic friction is at most the static one")
    return frozen(array)


def stops(where, value, place, count):
    """(count, 2) lowest and highest coordinates."""
    if value is None:
        return frozen(np.tile((-np.inf, np.inf), (count, 1)))
    try:
        array = np.array([[side if end is None else end for end, side in zip(pair, (-np.inf, np.inf), strict=True)]
                          for pair in ([value] if np.ndim(value) == 1 else value)], dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape == (1, 2):
        array = np.tile(array, (count, 1))
    if array.shape != (count, 2) or np.isnan(array).any():
        refuse(where, f"limits is {value!r:.60}", f"give (lowest, highest), or {count} such pairs")
    if (array[:, 0] >= array[:, 1]).any():
        refuse(where, f"limits is {array.tolist()}", "the lowest must be below the highest")
    for k in range(count):
        if not array[k, 0] <= place[k] <= array[k, 1]:
            refuse(where, f"it is drawn at {place[k]:g}, beyond its stops at {array[k].tolist()}", "draw it between them", k)
    return frozen(array)


def keep_between_stops(where, drive, limits, duration):
    """Refuse a drive that leads its coordinate beyond the stops of the joint: one of both could not be."""
    for k, one in enumerate(drive):
        low, high = limits[k]
        if one is None or not np.isfinite(limits[k]).any():
            continue
        between = " and ".join(f"at {what} {limit:g}" for what, limit in (("least", low), ("most", high)) if np.isfinite(limit))
        if one.kind == COMMAND:
            told = [f"{what}={limit:g}" for what, limit, own in (("low", low, one.low), ("high", high, one.high))
                    if np.isfinite(limit) and (own is None or not low - NEAR <= own <= high + NEAR)]
            if told:
                refuse(where, f"its drive is the command {one.name!r}, which may be set beyond the stops: the coordinate is "
                       f"{between}", f"bound the command by add_command(…, {', '.join(told)}); a motor with the command as "
                       "target stops at the stops", k)
            continue
        (least, early), (most, late) = extremes(one, duration)
        value, time = (least, early) if least < low - NEAR else (most, late)
        if not low - NEAR <= value <= high + NEAR:
            refuse(where, f"its drive leads it to {value:g} at {time:g} s, beyond its stops: the coordinate is {between}",
                   "let the drive stay between the stops, or widen limits; a motor with that target stops at the stops", k)


def _check_factors(where, factors):
    """Refuse factors of which one makes rounding of all others."""
    least, most = (choose(factors, key=lambda name: abs(factors[name])) for choose in (min, max))
    if abs(factors[most]) > APART * abs(factors[least]):
        refuse(where, f"factors are {factors[least]:g} of {least!r} and {factors[most]:g} of {most!r}, which hardly moves",
               f"give factors within {APART:g} of each other, or hold {most!r} by a fixed joint")


def relation(scene, where, name, factors, value):
    """A Relation of joints that are there, met as they are drawn."""
    if name in [known.name for known in scene.relations]:
        refuse(where, f"the name {name!r} is taken", "call it otherwise")
    if not isinstance(factors, dict) or len(factors) < 2:
        refuse(where, f"factors is {factors!r:.60}", 'give factors of two joints or more, such as {"a": 1.0, "b": -2.0}')
    known, terms, total, speed = {joint.name: joint for joint in scene.joints}, [], 0.0, 0.0
    for key, factor in factors.items():
        joint_name, _, freedom = key.partition(":") if isinstance(key, str) else (key, "", "")
        word(where, "joint", joint_name, tuple(known))
        joint = known[joint_name]
        names = [each.name for each in freedoms_of(joint.kind)]
        if joint.kind == "ball" or not names:
            refuse(where, f"joint {joint_name!r} is a {joint.kind} joint, which has no coordinate", "relate others")
        if len(names) > 1 or freedom:
            word(where, f"freedom of {joint_name!r}", freedom, tuple(names))
        k, factor = names.index(freedom) if freedom else 0, number(where, f"factor of {key!r}", factor)
        if factor == 0.0:
            refuse(where, f"the factor of {key!r} is 0", "leave it out")
        if (joint_name, k) in [term[:2] for term in terms]:
            refuse(where, f"{key!r} is there twice", "name each coordinate once, with the sum of its factors")
        terms.append((joint_name, k, factor))
        total += factor * joint.place[k]
        speed += factor * joint.rate[k]
    _check_factors(where, factors)
    if value is not None and abs(number(where, "value", value) - total) > NEAR:
        refuse(where, f"value is {value:g}, and as drawn the sum is {total:g}", "draw the joints so, or leave it out")
    if abs(speed) > NEAR * max(1.0, *(abs(factor * known[joint].rate[k]) for joint, k, factor in terms)):
        refuse(where, f"the rates at the start make a sum of {speed:g}", "give rates whose sum is 0")
    first = next((n for n, (joint, k, _) in enumerate(terms) if known[joint].drive[k] is None), None)
    if first is None:
        refuse(where, "all its coordinates are driven", "leave one to follow")
    terms.insert(0, terms.pop(first))
    _keep_follower(scene, where, known, terms, total if value is None else float(value))
    return Relation(name, tuple(terms), total if value is None else float(value))


def _keep_follower(scene, where, known, terms, total):
    """Refuse drives that lead the one coordinate that follows them beyond its stops: the relation would not be met there.

    A command may be set to anything within its bounds, at any time and whatever others are.
    """
    (name, k, factor), *others = terms
    low, high = known[name].limits[k]
    told = [(known[joint].drive[n], -share / factor) for joint, n, share in others]   # what leads the follower, and how far
    if any(one is None for one, _ in told) or not np.isfinite((low, high)).any():
        return
    drives, reach = [each for each in told if each[0].kind != COMMAND], _reach_of_commands(told)
    instants = np.unique([0.0, *(time for one, _ in drives for _, time in extremes(one, scene.duration))])
    if len(drives) > 1:
        instants = np.union1d(instants, np.linspace(0.0, scene.duration, SUMS))
    place = total / factor + sum((share * one.value(instants) for one, share in drives), np.zeros(len(instants)))
    beyond = np.stack([low - place - reach[0], place + reach[1] - high])
    side, worst = np.unravel_index(int(np.argmax(beyond)), beyond.shape)
    if beyond[side, worst] <= NEAR:
        return
    stops, value = [float(low), float(high)], float(place[worst] + reach[side])
    if any(reach):
        names = sorted({one.name for one, _ in told if one.kind == COMMAND})
        refuse(where, f"{', '.join(names)} may be set such that joint {name!r} would be at {value:g}, beyond its stops at "
               f"{stops}",
               "bound the commands by add_command(…, low=, high=), widen its limits, or let a motor drive")
    refuse(where, f"it leads joint {name!r} to {value:g} at {instants[worst]:g} s, beyond its stops at {stops}",
           "let the drives stay within the stops, widen its limits, or let a motor drive")


def _reach_of_commands(told):
    """Least and most that commands come to together; one that leads by several coordinates counts by their sum."""
    shares, least, most = {}, 0.0, 0.0
    for one, share in told:
        if one.kind == COMMAND:
            shares[one] = shares.get(one, 0.0) + share
    for one, share in shares.items():
        ends = [share * (side * np.inf if bound is None else bound) if share else 0.0
                for bound, side in ((one.low, -1.0), (one.high, 1.0))]
        least, most = least + min(ends), most + max(ends)
    return least, most
