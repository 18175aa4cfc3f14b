"""Contact laws: what two materials make of each other, one row of the model for each pair of classes.

A class is a material together with the pairs of names (`Scene.set_contact`) that concern its owner, so that many things of one
material take one row.
"""
import numpy as np

from robotphi.kernels.contact import columns
from robotphi.scene.checks import refuse

POWERS = {"volume": 2.0, "hertz": 1.5, "linear": 1.0}   # F = k depth^power
SETTLED = 1e-3        # of the speed of a hit: below it a lossy contact settles (see `kernels/contact/hold/slide.settle`)
MOST = 1000           # classes: the table grows with their square


def contact_laws(scene, owners, round_owners):
    """((owners,) class of each, (classes², 8) laws); `round_owners` says which have balls, whose law must then be clear."""
    laws = [one for one in scene.between if one.contact is not None]
    signs = [(thing.contact, tuple(named(thing, one.first) + 2 * named(thing, one.second) for one in laws)) for thing in owners]
    number = {sign: i for i, sign in enumerate(dict.fromkeys(signs))}
    if len(number) > MOST:
        refuse(f"scene {scene.name!r}", f"it has {len(number)} different contact materials", f"use at most {MOST}")
    of_owner = np.array([number[sign] for sign in signs], np.int32).reshape(-1)
    has_balls = np.zeros(len(number), bool)
    has_balls[of_owner[round_owners]] = True
    table = np.zeros((len(number), len(number), columns.LAW_NUMBERS))
    signs = list(number)
    for a, (first, roles) in enumerate(signs):
        for b, (second, others) in enumerate(signs[a:], start=a):
            own = _own_law(laws, roles, others)
            table[a, b] = table[b, a] = (law_of(own.contact) if own is not None else
                                         law_between(first, second, bool(has_balls[a] and has_balls[b])))
    return of_owner, table.reshape(-1, columns.LAW_NUMBERS)


def named(thing, name):
    """Whether a name is that of a thing or of its contact group."""
    return thing.name == name or thing.group == name


def _own_law(laws, roles, others):
    """The last law that names one as its first and the other as its second thing."""
    for law, one, other in zip(reversed(laws), reversed(roles), reversed(others), strict=True):
        if (one & 1 and other & 2) or (one & 2 and other & 1):
            return law
    return None


def law_of(material):
    """(8,) the law that a material says as it stands, that of a pair named by the user."""
    return _row(material.stiffness, material.damping, material.static_friction, material.friction,
                material.tangential_stiffness or 0.0, POWERS[material.ball_law], material.ball_stiffness or 0.0,
                settling_speed(material))


def law_between(first, second, balls=True):
    """(8,) the law of two materials.

    Under one pressure both give way, x = x1 + x2 with λ1 x1 = λ2 x2 = λ x, so `λ = 1/(1/λ1 + 1/λ2)`. The damping is the mean of
    both, each counted by its share of the depth, `d = (d1 λ2 + d2 λ1)/(λ1 + λ2)`: two things of one material have the
    restitution that it says. Friction is the geometric mean: none where one of the two has none.
    """
    total = first.stiffness + second.stiffness
    power, ball_stiffness = _ball_law(first, second, balls)
    return _row(first.stiffness / total * second.stiffness,
                (first.damping * second.stiffness + second.damping * first.stiffness) / total,
                np.sqrt(first.static_friction * second.static_friction), np.sqrt(first.friction * second.friction),
                _in_series(first.tangential_stiffness, second.tangential_stiffness, 1.0), power, ball_stiffness,
                min(settling_speed(first), settling_speed(second)))


def _ball_law(first, second, balls):
    """(power, stiffness) of two balls: the law of the one that has another than "volume"."""
    law = first.ball_law if second.ball_law == "volume" else second.ball_law
    if balls and law != first.ball_law != "volume":
        refuse("contact materials", f'one has ball_law "{first.ball_law}", another "{law}", and both have balls',
               "give both the same ball_law, or the pair a law of its own with set_contact")
    given = [one.ball_stiffness if one.ball_law == law else None for one in (first, second)]
    return POWERS[law], _in_series(*given, POWERS[law])


def _in_series(first, second, power):
    """Two springs F = k xᵖ behind each other: `k^(−1/p) = k1^(−1/p) + k2^(−1/p)`; one alone counts alone, 0 for none."""
    given = [one for one in (first, second) if one is not None]
    if len(given) < 2:
        return given[0] if given else 0.0
    low, high = sorted(given)
    return low * (1.0 + (low / high) ** (1.0 / power)) ** -power   # without overflow


def settling_speed(material):
    """Speed [m/s] below which a contact of this material settles: well below that of the hits it is meant for."""
    if material.speed is not None:
        return SETTLED * material.speed
    return 0.1 * SETTLED / material.damping if material.damping > 0.0 else np.inf


def _row(stiffness, damping, static, kinetic, tangential, power, ball_stiffness, settling):
    row = np.zeros(columns.LAW_NUMBERS)
    row[[columns.STIFFNESS, columns.DAMPING, columns.STATIC_FRICTION, columns.KINETIC_FRICTION, columns.TANGENTIAL]] = (
        stiffness, damping, static, kinetic, tangential)
    row[[columns.BALL_POWER, columns.BALL_STIFFNESS, columns.SETTLING_SPEED]] = power, ball_stiffness, settling
    return row
