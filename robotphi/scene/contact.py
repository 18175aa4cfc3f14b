"""Contact materials: how stiff, how lossy and how rough the surface of a thing is; restitution and damping."""
import math
from dataclasses import dataclass

from robotphi.scene.checks import number, refuse, word
from robotphi.scene.saying import made

WHERE = "contact material"
BALL_LAWS = {"volume": "N/m²", "hertz": "N/m^1.5", "linear": "N/m"}   # F = k depth², depth^1.5, depth


@made
@dataclass(frozen=True)
class ContactMaterial:
    """The surface of a thing that touches others; materials of equal values are one material.

    Where two things touch they are springs in series: each gives way by its own stiffness λ. The pressure between them is
    `1/(1/λ1 + 1/λ2)` times the depth of interpenetration; the damping is the mean of both by their shares of the depth,
    `(d1 λ2 + d2 λ1)/(λ1 + λ2)`, and coefficients of friction the geometric mean. `Scene.set_contact` gives two things a law of
    their own instead. Stiffnesses that may be left out are in series where both give one; where one does, that one counts.

    Attributes:
        stiffness: λ, pressure over depth [N/m³]; after the checks always there.
        young: E [Pa] and thickness [m] of the layer that gives way, instead of a stiffness: λ = E/thickness.
        restitution: e, speed after over speed before a hit without friction at `speed` [m/s]; 0 < e <= 1.
        damping: d [s/m] of the pressure λ depth (1 + d × speed of approach), instead of a restitution; 0 without either.
        friction: kinetic coefficient.
        static_friction: coefficient up to which it sticks, not less than `friction`; equal to it where left out.
        tangential_stiffness: of the spring that holds a sticking contact [N/m]; where left out, from λ and the sizes.
        ball_law: of two balls, "volume" (F ∝ depth², from λ), "hertz" (depth^1.5) or "linear" (depth). A ball of law "volume"
            takes the law of the other one.
        ball_stiffness: of that law [N/m², N/m^1.5 or N/m]; "volume" does without: π λ R1 R2/(R1 + R2).
    """
    stiffness: float | None = None
    young: float | None = None
    thickness: float | None = None
    restitution: float | None = None
    speed: float | None = None
    damping: float | None = None
    friction: float = 0.0
    static_friction: float | None = None
    tangential_stiffness: float | None = None
    ball_law: str = "volume"
    ball_stiffness: float | None = None

    def __post_init__(self):
        for what in ("stiffness", "young", "thickness", "speed", "tangential_stiffness", "ball_stiffness"):
            self._keep(what, _above_zero(what, getattr(self, what)))
        self._keep("stiffness", _stiffness(self.stiffness, self.young, self.thickness))
        self._keep("damping", _damping(self.restitution, self.speed, self.damping))
        self._keep("friction", number(WHERE, "friction", self.friction, low=0.0))
        self._keep("static_friction", _static(self.static_friction, self.friction))
        word(WHERE, "ball_law", self.ball_law, tuple(BALL_LAWS))
        if self.ball_law != "volume" and self.ball_stiffness is None:
            refuse(WHERE, f'ball_law is "{self.ball_law}" and ball_stiffness is missing',
                   f'give it in {BALL_LAWS[self.ball_law]}, or take ball_law="volume", which follows from the stiffness')

    def _keep(self, what, value):
        object.__setattr__(self, what, value)


def _above_zero(what, value):
    return None if value is None else number(WHERE, what, value, above=0.0)


def _stiffness(stiffness, young, thickness):
    if stiffness is not None and (young is not None or thickness is not None):
        refuse(WHERE, "stiffness is given and young or thickness as well", "give stiffness alone, or young and thickness")
    if stiffness is not None:
        return stiffness
    missing = [what for what, value in (("young", young), ("thickness", thickness)) if value is None]
    if len(missing) == 1:
        refuse(WHERE, f"{missing[0]} is missing", "give young [Pa] and thickness [m] of the layer that gives way, or "
               "stiffness [N/m³] alone")
    if missing:
        refuse(WHERE, "stiffness is missing", "give stiffness [N/m³], such as 1e9 for a table that gives way by 0.1 mm under "
               "a pressure of 100 kPa, or young [Pa] and thickness [m] of the layer that gives way")
    return number(WHERE, "young/thickness", young / thickness, above=0.0)


def _damping(restitution, speed, damping):
    """d [s/m]; a restitution at a speed becomes one by the exact law of a hit."""
    if restitution is None:
        if speed is not None:
            refuse(WHERE, f"speed is {speed:g} m/s and restitution is missing", "give the restitution meant at that speed")
        return 0.0 if damping is None else number(WHERE, "damping", damping, low=0.0)
    if damping is not None:
        refuse(WHERE, "restitution and damping are both given", "give one of them: each follows from the other")
    restitution = number(WHERE, "restitution", restitution)
    if speed is None and restitution == 1.0:
        return 0.0
    if speed is None:
        refuse(WHERE, f"restitution is {restitution:g} and speed is missing",
               "give the speed of approach [m/s] at which it is meant: slower hits lose less")
    return float(damping_for(restitution, speed, WHERE))


def _static(static, kinetic):
    if static is None:
        return kinetic
    static = number(WHERE, "static_friction", static, low=0.0)
    if static < kinetic:
        refuse(WHERE, f"static_friction is {static:g} and friction {kinetic:g}",
               f"what sticks holds at least as much as what slides: give {kinetic:g} or more, or leave it out")
    return static


def contact_material(where, value):
    """The ContactMaterial at a door."""
    if not isinstance(value, ContactMaterial):
        refuse(where, f"contact is {value!r:.60}", "give a ContactMaterial(stiffness=…)")
    return value


# Restitution and damping ----------------------------------------------------------------------------------------------
#
# How much of an impact's speed comes back, and the damping that makes it so, both exact.
# A mass that hits at the speed v₀ against F = k xⁿ (1 + d ẋ) leaves at e v₀. Dividing m ẍ = −F by ẋ separates the variables;
# both ends have x = 0, so that k, m and n fall out (Hunt and Crossley 1975, there to first order), and with u = d v₀
#     u (1 + e) = ln[(1 + u)/(1 − e u)]        0 < e u < 1
# which for small u is e ≈ 1 − (2/3) u. The mass is the reduced one when two bodies meet: e is the same for all of them.

SERIES_BELOW = 0.4   # of u: beyond it the logarithms lose nothing that matters
TERMS = 48           # 0.4⁴⁸ = 8e-20
HALVINGS = 1200      # from any double to any other; stops as soon as they are neighbours


def damping_for(restitution, speed, where="restitution"):
    """Damping d [s/m] with which a hit at `speed` [m/s] comes back at `restitution` × `speed`."""
    speed = number(where, "the speed", speed, above=0)
    e = number(where, "the restitution", restitution, high=1)
    if e <= 0:
        refuse(where, f"the restitution is {e:g}, which no finite damping reaches at any speed",
               "give one above 0 and at most 1: 0.1 keeps 1 % of the energy; or give the damping itself")
    if e == 1:
        return 0.0
    u = _last_positive(lambda u: _surplus(u, e), 1 / e)
    damping = u / speed
    if not math.isfinite(damping):
        refuse(where, f"restitution {e:g} at speed {speed:g} asks for a damping beyond all numbers",
               "give a larger restitution or speed")
    return damping


def restitution_of(damping, speed, where="restitution"):
    """Share e of the speed that comes back from a hit at `speed` [m/s] with the damping d [s/m]."""
    speed = number(where, "the speed", speed, above=0)
    u = number(where, "the damping", damping, low=0) * speed
    if u == 0:
        return 1.0
    if not math.isfinite(u):
        return 0.0
    return _last_positive(lambda e: _surplus(u, e), min(1.0, 1 / u))


def _surplus(u, e):
    """[u (1 + e) − ln(1 + u) + ln(1 − e u)]/u²: it falls in u and in e, and its zero is the law.

    With f(x) = x − ln(1 + x) it is [f(u) − f(−e u)]/u²; for small u the series Σ uᵏ⁻²/k [(−1)ᵏ − eᵏ], k from 2, where the
    first term is taken as (1 − e)(1 + e)/2, so that nothing cancels when both u and 1 − e are tiny.
    """
    if e * u >= 1:
        return -math.inf
    if u >= SERIES_BELOW:
        return (u * (1 + e) - math.log1p(u) + math.log1p(-e * u)) / u / u
    total, power = 0.0, 1.0
    for k in range(2, TERMS):
        total += power / k * ((1 - e) * (1 + e) if k == 2 else (-1) ** k - e ** k)
        power *= u
    return total


def _last_positive(function, high):
    """The largest double in (0, high) where a falling function is positive, by halving."""
    low = 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return low
