"""Advice before a run: which contacts are so stiff that their steps would be very short, and which stiffness would do.

Two things of reduced mass μ = 1/(1/m1 + 1/m2) that meet at the speed v are pressed together until F = k xᵖ has taken up ½ μ v²,
or until it carries the weight μ g:
    balls: p = 2, k = π λ R;  along a cylinder of length l: p = 3/2, k = (4 √2/3) λ l √R;  face on face: p = 1, k = λ A
so that ω² = F'(x)/μ there, and λ a/m for the vertices of soft things, area a and mass m each. Steps of τ are stable up to 2/ω.
The energy of a vibration swings by (ω τ)²/4 of itself in the scheme, for which the ledger has about half of the budget:
(ω τ)²/4 × E ≤ ½ budget × E_ref (`kernels/step/promise`).

Only the size of the step is estimated, within a factor of a few: levers, corners that hit first and what else is pressed at
the same time are left out. The speed is that of a fall through the whole scene where nothing ties one of the two to what is
held, else the one at which the two start to move on each other. How it was in a run `slow` tells after it.
"""
from typing import NamedTuple

import numpy as np

from robotphi.kernels.contact import columns, kinds
from robotphi.run.advice.speeds import fall_height, falling, part_velocities

SHORT = 1e-7          # of the duration: a hit takes some ten thousand of such steps, a run that never rests ten million
SHARE = 0.5           # of the budget that a swing may need
LISTED = 3            # warnings at most
PER_DECADE = 4        # things whose masses and sizes fall into one step of so many a decade count as alike
SOFTEST = 1e-12       # of the stiffness: nothing softer is looked at
FLAT, FACE, ROUND, AXIS, SOFT = range(5)
FORMS = {kinds.GROUND: FLAT, kinds.FACETS: FACE, kinds.CENTRE_ROW: ROUND, kinds.AXIS: AXIS}
BALL_UNITS = {2.0: "N/m²", 1.5: "N/m^1.5", 1.0: "N/m"}   # of the stiffness of a law of balls, by its power


class StiffPair(NamedTuple):
    """What is expected of a pair that is too stiff."""
    first: int            # parts
    second: int
    alike: int            # how many pairs of classes' members there are besides
    dt: float             # s
    wanted: float         # s
    stiffness: float      # N/m³ of the pair, or of its ball law
    enough: float         # a stiffness that would do
    depth: float          # m with that stiffness
    thickness: float      # m, of the thinner one
    speed: float          # m/s
    unit: str


def contact_warnings(model):
    """One sentence for each kind of pair whose contact would force very short steps, the worst first; an empty list is good."""
    contact = model.arrays.contact
    if not len(contact.parts.kind):
        return []
    expected = Expected(model)
    form, size, ratio = forms(model)
    pairs = pairs_of_kinds(contact, form, size, expected.falls)
    found = [touch for touch in (expected.touch(*pair, form, size, ratio) for pair in pairs)
             if touch is not None]
    found.sort(key=lambda touch: touch.dt / touch.wanted)
    told = [_sentence(model, touch, expected) for touch in found[:LISTED]]
    if len(found) > LISTED:
        told[-1] += f"; {len(found) - LISTED} more kinds of pairs are as stiff"
    return told


def expected_step(model, first, second):
    """The longest step with which a hit of two parts is expected to be stable and within the budget [s]; inf: any."""
    expected = Expected(model)
    return expected.step(first, second, *forms(model))


def forms(model):
    """Per part its form, its size (m² of a face, m of a radius) and the largest area over mass of soft vertices [m²/kg]."""
    parts, inverse = model.arrays.contact.parts, model.arrays.particles.inverse_mass
    form = np.array([FORMS[kind.form] for kind in kinds.PART_KINDS])[parts.kind]
    form[(form == FACE) & (parts.rigid < 0)] = SOFT
    size = np.where((form == ROUND) | (form == AXIS), parts.size[:, columns.RADIUS], parts.size[:, columns.REFERENCE_AREA])
    ratio = np.zeros(len(form))
    of_part = np.repeat(np.arange(len(form)), np.diff(parts.vertex_start))
    np.maximum.at(ratio, of_part, parts.vertex_area * inverse[parts.vertex])
    return form, size, np.where(form == SOFT, ratio, 0.0)


def pairs_of_kinds(contact, form, size, falls):
    """(first, second, how many more alike) of parts that can touch: the lightest of each class with that of each other."""
    parts, count = contact.parts, len(form)
    with np.errstate(divide="ignore"):
        steps = [np.nan_to_num(np.round(PER_DECADE * np.log10(values)), posinf=1e6, neginf=-1e6)
                 for values in (parts.size[:, columns.MASS], size)]
    _, of_part = np.unique(np.stack([parts.material, form, falls, *steps], axis=1), axis=0, return_inverse=True)
    order = np.lexsort((np.arange(count), parts.size[:, columns.MASS], of_part.reshape(-1)))
    classes = np.split(order, np.flatnonzero(np.diff(of_part.reshape(-1)[order])) + 1)
    never = contact.excluded
    for i, first in enumerate(classes):
        for second in classes[i:]:
            a, b = (side.reshape(-1) for side in np.meshgrid(first[:8], second[:8], indexing="ij"))
            keys = np.minimum(a, b).astype(np.int64) * count + np.maximum(a, b)
            place = np.searchsorted(never, keys)
            moves = np.isfinite(np.minimum(parts.size[a, columns.MASS], parts.size[b, columns.MASS]))
            meet = (a != b) & (keys != np.append(never, -1)[place]) & moves & ((form[a] != FLAT) | (form[b] != FLAT))
            if meet.any():
                at = int(np.argmax(meet))
                yield int(min(a[at], b[at])), int(max(a[at], b[at])), len(first) + len(second) > 2


class PairLaw(NamedTuple):
    """F = k xᵖ of a pair, and which stiffness k is proportional to."""
    power: float
    factor: float
    stiffness: float      # of the law of the pair
    word: str             # what it is called in a ContactMaterial
    unit: str


def pair_law(model, first, second, area=None):
    """The law of two parts; of faces by the area that meets [m²], expected where it is not given."""
    contact = model.arrays.contact
    form, size, _ = forms(model)
    if area is not None:
        size = np.where((form == FACE) | (form == SOFT) | (form == FLAT), area, size)
    row = contact.law[contact.parts.material[first] * round(np.sqrt(len(contact.law))) + contact.parts.material[second]]
    power, factor, _ = force_law(contact, first, second, form, size, row)
    if form[first] == form[second] == ROUND and row[columns.BALL_STIFFNESS] > 0.0:
        return PairLaw(power, factor, float(row[columns.BALL_STIFFNESS]), "ball_stiffness", BALL_UNITS[power])
    return PairLaw(power, factor, float(row[columns.STIFFNESS]), "stiffness", "N/m³")


def force_law(contact, a, b, form, size, row):
    """(p, k, largest depth) of F = k xᵖ."""
    stiffness, both = row[columns.STIFFNESS], (form[a], form[b])
    radii = [size[i] for i in (a, b) if form[i] in (ROUND, AXIS)]
    if both == (ROUND, ROUND) and row[columns.BALL_STIFFNESS] > 0.0:
        return row[columns.BALL_POWER], row[columns.BALL_STIFFNESS], min(radii)
    if ROUND in both:
        radius = 1.0 / sum(1.0 / radius for radius in radii)
        return 2.0, np.pi * stiffness * radius, min(radii)
    if AXIS in both:
        axis = a if form[a] == AXIS else b
        length = contact.parts.size[axis, columns.REFERENCE_AREA] / (0.02 * size[axis])
        return 1.5, 4.0 * np.sqrt(2.0) / 3.0 * stiffness * length * np.sqrt(size[axis]), size[axis]
    return 1.0, stiffness * min(size[a], size[b]), np.inf


class Expected:
    """Speed, weight and control of a scene, and what they make of a pair."""

    def __init__(self, model):
        scene, self.contact = model.scene, model.arrays.contact
        self.stepping, self.duration = scene.stepping, scene.duration
        self.gravity = float(np.linalg.norm(scene.gravity))
        fall = float(np.sqrt(2.0 * self.gravity * fall_height(model, scene)))
        given = float(np.linalg.norm(np.ptp(np.concatenate([model.velocity, np.zeros((1, 3))]), axis=0)))
        self.fall = min(fall, self.gravity * scene.duration)
        self.any_speed = max(fall, given)   # however long it falls
        self.falls = falling(model)
        self.velocity = part_velocities(model)
        particles, rigids = model.arrays.particles, model.arrays.rigids
        self.mass = (particles.mass[particles.inverse_mass > 0.0].sum()
                     + rigids.mass[(rigids.inverse_mass > 0.0).any(axis=1)].sum())   # of all that moves by itself

    @property
    def wanted(self):
        """The step below which a warning is due [s]."""
        return self.stepping.dt if self.stepping.control == "fixed" else SHORT * self.duration

    def speed(self, a, b):
        """At which two parts are expected to meet [m/s]."""
        slow, fast = self.velocity[:, a], self.velocity[:, b]
        apart = np.maximum(slow[1] - fast[0], fast[1] - slow[0])   # largest difference of what moves on them, axis by axis
        given = float(np.linalg.norm(np.maximum(apart, 0.0)))
        return max(self.fall, given) if self.falls[a] or self.falls[b] else given

    def step(self, a, b, form, size, ratio):
        """The step expected of a pair [s]."""
        return self.step_and_depth(a, b, form, size, ratio)[0]

    def step_and_depth(self, a, b, form, size, ratio, speed=None):
        """(s, m): the step expected of a pair, and how deep it is pressed; at the speed expected unless told."""
        return self._expect(a, b, form, size, ratio, speed)[0](1.0)

    def _expect(self, a, b, form, size, ratio, speed=None):
        """What gives step and depth for a share of the stiffness; the law of the pair; its power."""
        speed = self.speed(a, b) if speed is None else speed
        parts = self.contact.parts
        row = self.contact.law[parts.material[a] * round(np.sqrt(len(self.contact.law))) + parts.material[b]]
        reduced = 1.0 / (1.0 / parts.size[a, columns.MASS] + 1.0 / parts.size[b, columns.MASS])
        power, factor, deepest = force_law(self.contact, a, b, form, size, row)

        def expect(scale):
            soft = scale * row[columns.STIFFNESS] * (ratio[a] + ratio[b])
            return self._step(speed, power, scale * factor, deepest, reduced, soft)
        return expect, row, power

    def touch(self, a, b, alike, form, size, ratio):
        """What is expected of a pair, or None where its steps are long enough."""
        expect, row, power = self._expect(a, b, form, size, ratio)
        dt, _ = expect(1.0)
        if not dt < self.wanted:
            return None
        own_law = form[a] == form[b] == ROUND and row[columns.BALL_STIFFNESS] > 0.0
        stiffness = row[columns.BALL_STIFFNESS if own_law else columns.STIFFNESS]
        enough = _rounded_down(stiffness * self._scale(expect))
        unit = BALL_UNITS[power] if own_law else "N/m³"
        thickness = 2.0 * float(self.contact.parts.size[[a, b], columns.HALF_THICKNESS].min())
        return StiffPair(a, b, alike, dt, self.wanted, stiffness, enough, expect(enough / stiffness)[1], thickness,
                         self.speed(a, b), unit)

    def _step(self, speed, power, factor, deepest, reduced, soft):
        """(step, depth) of a hit at a speed; `soft` is ω² of the vertices of soft things."""
        hit = ((power + 1.0) * reduced * speed ** 2 / (2.0 * factor)) ** (1.0 / (power + 1.0))
        depth = min(max(hit, (reduced * self.gravity / factor) ** (1.0 / power)), deepest)
        omega = np.sqrt(factor * power * depth ** (power - 1.0) / reduced + soft)
        if not omega > 0.0:
            return np.inf, depth
        stable = 2.0 / omega
        if self.stepping.control != "ledger":
            return stable, depth
        part = min(reduced / self.mass, 1.0) if self.mass > 0.0 else 1.0   # of the energy of all that falls
        return min(stable, np.sqrt(4.0 * SHARE * self.stepping.budget / part) / omega), depth

    def _scale(self, expect):
        """Largest share of the stiffness with which the step is as long as wanted."""
        low, high = np.log(SOFTEST), 0.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if expect(np.exp(middle))[0] >= self.wanted else (low, middle)
        return float(np.exp(low))


def _rounded_down(value):
    """To one digit, downwards."""
    place = 10.0 ** np.floor(np.log10(value))
    return float(np.floor(value / place) * place)


def rounded_up(value):
    """To one digit, upwards."""
    place = 10.0 ** np.floor(np.log10(value))
    return float(np.ceil(value / place) * place)


def _sentence(model, touch, expected):
    names = model.owner_names
    owner = model.arrays.contact.parts.owner
    more = " (and others like them)" if touch.alike else ""
    pair = f"{names[owner[touch.first]]!r} and {names[owner[touch.second]]!r}{more}"
    if expected.stepping.control == "fixed":
        problem = f"the step of {touch.wanted:.3g} s is longer than the {touch.dt:.1g} s that are stable there"
    else:
        problem = f"steps of about {touch.dt:.1g} s are to be expected, less than {SHORT:g} of the duration"
    budget = "; a larger budget helps as well" if expected.stepping.control == "ledger" else ""
    if touch.depth > touch.thickness > 0.0:
        softer = f"as soft as would do they sink in by {1e3 * touch.depth:.2g} mm, more than they are thick"
    else:
        softer = (f"a stiffness of the pair of {touch.enough:.1g} {touch.unit} instead of {touch.stiffness:.2g} would do, with "
                  f"which they sink in by {1e3 * touch.depth:.2g} mm")
    how = f"at a hit of {touch.speed:.2g} m/s" if touch.speed > 0.0 else "under their weight"
    return f"contact of {pair}: {how} {problem}; {softer}{budget}"
