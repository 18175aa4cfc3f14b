"""How much of the budget an attempt may spend: the promise is max over time of |Σ residual| ≤ budget × E_ref.

What a symplectic scheme leaves swings and comes back, what a leak leaves adds up. So it is the running sum S of all that
steps left which is judged, not each step by itself. With B = 0.9 budget × E_ref (LEAST makes it up to 0.945; the last 5.5 %
are a reserve for jumps), an attempt that moves S away from zero may leave

    |residual| ≤ (B − |S|) τ / (T − t) + (e − |S|)         e = B (½ + ½ t/T)        B − |S| at least (T − t) B/20T

one that moves it back likewise with −|S|, and none more than B/200 (of runs of few steps ten even shares, up to B/10): a few
steps onto a kink of a force would spend it all. The first term spends what is left evenly over the time that is left: a leak by
itself comes to B at the end. The second is for what swings: S may go up to the envelope e at once, which is the forecast that a
leak of the mean rate so far stays within B.

Attempts are planned for less: by the largest residual of late, taken as the middle of a swing that lasts as many steps as those
before it (from one change of sign to the next), S is to stay in the inner part of the envelope. So the step is as good as
constant while the motion goes on as it was, and the scheme symplectic; it is the steps that change which make S drift.
A swing that becomes wider than planned, such as the first, gets an eighth of what is left up to 0.6 of the envelope, over as
many steps as it has lasted: an even share alone, which a leak gets, is too little to come to the end of a swing.

A residual within what rounding alone can make of a step may be rounding, or hide what the step left. Many of them together
tell: roundings add up like the root of the sum of their squares, |Σ y| ≤ 5 √(Σ y²) whatever their size, with y = residual τ³.
What is more than that on average is what steps leave: they are planned by it, and where S is beyond B those that show it are
refused. Roundings themselves are let through: no step helps against them, so no run ends by them, and a warning tells where S
comes to more than was promised.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.step import slots as at

SHARE = 0.9           # of the budget for ordinary steps
AT_ONCE = 0.5         # share of it that may be spent at the start of a run
LEAST = 0.05          # of it that is spent over a run in any case, so that steps stay possible; out of the reserve
AT_MOST = 0.0075      # of it in one attempt …
TIMES = 15.0          # … or so many even shares of it, where a run has few steps …
MOST_OF_ALL = 0.1     # … up to so much
INNER = 0.75          # part of the envelope that swings are to need
MORE = 0.125          # of what it leaves, that the next swing may be wider than the last
LIKELY = 25.0         # (5 standard deviations)²: sums of roundings beyond are none
BEYOND = 4.0          # times what rounding makes of a step at most by estimate: what is more is none
SHOWN = 0.015625      # of what rounding makes of a step by estimate: so much sums of many tell from it
REMEMBERED = 1024.0   # steps over which residuals within rounding are summed
WIDER = 0.6           # part of the envelope up to which a swing goes on that has become wider than was planned
SHORTEST = 8          # steps of a swing, at least
LATE = 4.0            # swings over which the largest residual is remembered
PART = 0.01           # of the run, likewise at most
FEWEST = 5.0          # steps, likewise at least
QUIET_PART = 0.25     # of it, below which an attempt counts as quiet
NOTHING = 1e-3        # of it, below which what left so much is over …
FORGET = 0.5          # … and forgotten by so much from one step to the next
QUIET_FADE = 0.8      # how much is remembered from one step to the next when it has been quiet for half a swing


@inlined
def ordinary_budget(numbers, reference):
    return SHARE * numbers[at.BUDGET] * reference


@inlined
def room_for_swings(numbers, most):
    """What the envelope leaves for the running sum to go on outwards [J]."""
    passed = min(numbers[at.TIME] / numbers[at.DURATION], 1.0)
    return most * (AT_ONCE + (1.0 - AT_ONCE) * passed)


@inlined
def even_share(numbers, most, spent, tau):
    left = max(numbers[at.DURATION] - numbers[at.TIME], tau)
    return max((most - spent) * tau / left, LEAST * most * tau / numbers[at.DURATION])


@inlined
def most_at_once(numbers, most, tau):
    return most * min(max(AT_MOST, TIMES * tau / numbers[at.DURATION]), MOST_OF_ALL)


@kernel
def allowed_residual(numbers, reference, residual, tau):
    """What an attempt of length τ may leave [J], by the side of zero to which it moves the running sum."""
    most = ordinary_budget(numbers, reference)
    spent = abs(numbers[at.SPENT]) if residual * numbers[at.SPENT] >= 0.0 else -abs(numbers[at.SPENT])
    room = max(room_for_swings(numbers, most) - spent, 0.0)
    return min(even_share(numbers, most, spent, tau) + room, most_at_once(numbers, most, tau))


@kernel
def planned_residual(numbers, counters, reference, tau):
    """What a step of length τ is planned to leave at most [J]."""
    most = ordinary_budget(numbers, reference)
    envelope = room_for_swings(numbers, most)
    side, back = counters[at.SIDE], abs(numbers[at.SWUNG_BEFORE])
    start = numbers[at.SPENT] - numbers[at.SWUNG]
    room = back + MORE * max(INNER * envelope - abs(start + side * back), 0.0)
    spent = side * numbers[at.SPENT]
    wider = MORE * max(WIDER * envelope - spent, 0.0)
    room = max(min(room, 1.5 * room - abs(numbers[at.SWUNG])), wider)
    room = min(room, max(envelope - spent, 0.0))
    steps = max(max(counters[at.SWING], counters[at.SWING_SO_FAR]), SHORTEST)
    return min(even_share(numbers, most, spent, tau) + 1.5 * room / steps, most_at_once(numbers, most, tau))


@kernel
def remember_residual(numbers, counters, left, tau):
    """The density c of |residual| = c τ³ (`taylor`: c τ²) of late, from what an attempt left beside rounding [J]."""
    density = left / (tau * tau)
    if counters[at.SCHEME] == at.VERLET:
        density /= tau
    known = numbers[at.DENSITY]
    counters[at.QUIET] = 0 if density > QUIET_PART * known else counters[at.QUIET] + 1
    steps = max(counters[at.SWING], SHORTEST)
    memory = max(min(LATE * steps, PART * numbers[at.DURATION] / tau), FEWEST)
    fade = QUIET_FADE if 2 * counters[at.QUIET] > steps else 1.0 - 1.0 / memory
    if density < NOTHING * known:  # a hit, or the kink of a law: swings themselves are as small for one step in 1500
        fade = FORGET
    numbers[at.DENSITY] = max(density, fade * known)


@kernel
def spend(numbers, counters, residual, left):
    """Book what a step leaves, and how long its swing has lasted. `left`: what of it is no rounding, with its sign."""
    numbers[at.SPENT] += residual
    counters[at.SWING_SO_FAR] += 1
    side = 0
    if left != 0.0:
        side = 1 if left > 0.0 else -1
    if side * counters[at.SIDE] < 0:
        counters[at.SWING] = max(counters[at.SWING_SO_FAR], counters[at.SWING] - counters[at.SWING] // 4)
        counters[at.SWING_SO_FAR] = 0
        numbers[at.SWUNG_BEFORE] = numbers[at.SWUNG]
        numbers[at.SWUNG] = 0.0
    if side != 0:
        counters[at.SIDE] = side
    numbers[at.SWUNG] += residual


@inlined
def order_of(counters):
    """The power of τ that a residual grows with."""
    return 3.0 if counters[at.SCHEME] == at.VERLET else 2.0


@kernel
def hidden_residual(numbers, counters, tau):
    """What steps of length τ leave on average beyond what their roundings explain, with its sign [J].

    Where residuals are c τ³ and roundings, c is nearest to Σ (residual τ³)/Σ τ⁶: long steps tell more of it.
    """
    beyond = abs(numbers[at.ROUNDED]) - math.sqrt(LIKELY * numbers[at.ROUNDED_SQUARE])
    if not beyond > 0.0:
        return 0.0
    return math.copysign(beyond / numbers[at.ROUNDED_WEIGHT] * tau**order_of(counters), numbers[at.ROUNDED])


@kernel
def may_be_rounding(numbers, counters, reference, residual, noise, tau):
    """Whether a residual within rounding is let through: the sum of all stays within the promise or where it has been already,
    or those of late add up as roundings do. What keeps growing in one direction is a leak, however small it is in each step."""
    if not abs(residual) <= noise:
        return False
    whole = numbers[at.RESIDUAL] + numbers[at.RESIDUAL + 1] + residual
    if abs(whole) <= max(ordinary_budget(numbers, reference), numbers[at.LARGEST_RESIDUAL]):
        return True
    hidden = hidden_residual(numbers, counters, tau)
    return abs(hidden) <= SHOWN * noise or hidden * residual <= 0.0


@kernel
def sum_rounding(numbers, counters, residual, noise, tau):
    """Add an accepted residual to those within rounding, or begin anew behind one that is clearly beyond."""
    if abs(residual) > BEYOND * noise:
        numbers[at.ROUNDED], numbers[at.ROUNDED_SQUARE], numbers[at.ROUNDED_WEIGHT] = 0.0, 0.0, 0.0
        return
    weight, fade = tau**order_of(counters), 1.0 - 1.0 / REMEMBERED
    part = residual * weight
    numbers[at.ROUNDED] = fade * numbers[at.ROUNDED] + part
    numbers[at.ROUNDED_SQUARE] = fade * fade * numbers[at.ROUNDED_SQUARE] + part * part
    numbers[at.ROUNDED_WEIGHT] = fade * numbers[at.ROUNDED_WEIGHT] + weight * weight


@kernel
def book_residual(numbers, counters, residual, noise, tau):
    """Book the residual of a step that stands; returns what of it is no rounding, as far as that shows [J]."""
    sum_rounding(numbers, counters, residual, noise, tau)
    left, hidden = max(abs(residual) - noise, 0.0), hidden_residual(numbers, counters, tau)
    spend(numbers, counters, residual, residual if left > 0.0 else hidden)
    return max(left, abs(hidden))
