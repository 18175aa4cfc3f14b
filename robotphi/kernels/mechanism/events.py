"""What happens within a step to single freedoms: sliding that comes to its end, and stops that are hit (`stops`)."""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.mechanism.bases import keep_lent
from robotphi.kernels.mechanism.closed import measure_gaps
from robotphi.kernels.mechanism.columns import (
    ARRIVES,
    AWAY,
    DAMPING,
    EVENTS,
    FACTORED,
    HELD,
    KEPT,
    KEPT_MOTOR,
    KEPT_WORK,
    LEFT,
    LEG,
    LOOSE,
    MODE,
    MOTOR_WORK,
    PRESS,
    REACTION,
    REBOUND,
    SPRING,
    SPRING_THEN,
    STOP,
    WAY,
    WORK,
)
from robotphi.kernels.mechanism.ease import SMALL
from robotphi.kernels.mechanism.flow import factor_for, go_on, mean_gain, set_legs
from robotphi.kernels.mechanism.holds import choose_modes, settle_holds
from robotphi.kernels.mechanism.loops import goes_in_loops
from robotphi.kernels.mechanism.poses import move_links, pose_links, turn_balls
from robotphi.kernels.mechanism.relations import put_in_place
from robotphi.kernels.mechanism.stops import calm, strike

MOST = 32          # events in half a step; in the second half of them nothing rebounds
REFINED = 4        # times that an instant is taken anew where viscosity bends the way to it
SHORTEST = 1e-12   # of it, too little to go on with
ROUNDING = 1e-9    # of what half a step would bring: rates that are none
AT_REST, AHEAD, WITHIN = range(3)   # places: held, or only rates; in the first half of a step; in the second


@inlined
def time_to(distance, speed, gain):
    """Time to a stop at a distance that is not negative; of one that leaves the stop, until it is back."""
    if distance <= 0.0:
        return -2.0 * speed / gain if speed < 0.0 and gain > 0.0 else math.inf
    square = speed * speed + 2.0 * gain * distance
    if square < 0.0:
        return math.inf
    pace = speed + math.sqrt(square)
    return 2.0 * distance / pace if pace > 0.0 else math.inf


@inlined
def end_of_sliding(speed, gain, span, decay):
    """When a rate comes to nothing that in a time goes towards its steady value g by its share 1 − exp(−z), z = decay × span.

    u = g + (u₀ − g) exp(−decay t), so that t = log(1 − u₀/g)/decay.
    """
    z = decay * span
    if z < SMALL:
        return -speed / gain
    steady = speed + span * gain / (1.0 - math.exp(-z))
    return math.log(1.0 - speed / steady) / decay if steady * speed < 0.0 else span


@inlined
def time_of(mechanisms, flow, place, rate, gain, k, moves):
    """(time until freedom k hits a stop or has slid to its end, which stop or 0)."""
    speed, soonest, stop = rate[k, 0], math.inf, 0.0
    if flow[k, MODE] != LOOSE:
        return soonest, stop
    if mechanisms.friction[k, 0] > 0.0 and speed * gain < 0.0:
        soonest = -speed / gain
    if moves != AT_REST:
        at = place[k, 0] + flow[k, WAY]
        for side in range(2):
            sign, limit = 2.0 * side - 1.0, mechanisms.limits[k, side]
            if math.isfinite(limit):
                distance = 0.0 if flow[k, STOP] == sign else max(sign * (limit - at), 0.0)
                time = time_to(distance, sign * speed, sign * gain)
                if time < soonest:
                    soonest, stop = time, sign
    return soonest, stop


@kernel
def first_event(mechanisms, links, place, rate, gain, span, moves, first, last):
    """(freedom, time, stop) of what happens first within a piece of the step; −1 where nothing does."""
    found, soonest, where = -1, span, 0.0
    for k in range(first, last):
        time, stop = time_of(mechanisms, links.flow, place, rate, gain[k, 0], k, moves)
        if time < soonest or (time == soonest and found < 0):
            found, soonest, where = k, time, stop
    return found, soonest, where


@kernel
def flow_on(arrays, links, rigid, load, now, ahead, span, moves, m):
    """Take the rates `ahead` of mechanism m through a time, by the accelerations where the links stand.

    Coordinates go along from those of `now`, unless they are at rest: a stop is hit where it is.
    """
    place, rate, gain, bound = now.place, ahead.rate, ahead.gain, ahead.bound
    mechanisms, flow = arrays.mechanisms, links.flow
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    left, events = span, 0
    while left > SHORTEST * span:
        k = -1
        if mechanisms.eventful[m] != 0:
            calm(arrays, links, rigid, now, ahead, span, m)
            k = moving_into(mechanisms, flow, place, rate, moves, first, last)
        if k >= 0 and events < 2 * MOST:   # what still comes into a stop then does so by rounding
            if moves != AT_REST:
                go_along(mechanisms, links, now, ahead, m)
                pose_links(mechanisms, links, ahead, rigid, begin, end)
                if goes_in_loops(mechanisms, arrays.closures, m):   # where curves are met there
                    measure_gaps(arrays, links, rigid, ahead.place, bound.rail, bound, m)
                links.sums[m, FACTORED] = 0.0
            strike(arrays, links, rigid, bound, rate, gain, span, events >= MOST // 2, m)
            move_links(mechanisms, links, rate, begin, end)
            if moves == WITHIN:
                keep_middle(arrays, links, rate, left, first, last, m)
            events += 1
            links.sums[m, EVENTS] += 1.0
            continue
        choose_modes(mechanisms, links, rate, first, last)
        links.sums[m, AWAY] = left if moves == AT_REST else 0.0
        settle_holds(arrays, links, rigid, now, bound, load, rate, gain, left, m)
        for k in range(first, last):
            flow[k, PRESS] = -flow[k, REACTION] * now.ease[k, 0] if flow[k, MODE] == HELD else gain[k, 0]
        if mechanisms.eventful[m] == 0 or events >= MOST:
            go_on(arrays, links, bound, rate, gain, left, m)
            return
        k, time, stop = first_event(mechanisms, links, place, rate, gain, left, moves, first, last)
        if k < 0:
            go_on(arrays, links, bound, rate, gain, left, m)
            return
        if mechanisms.viscous[m] == 1:
            for _ in range(REFINED):
                time = max(time, SHORTEST * span)
                factor_for(arrays, links, rigid, now, bound, time, m)
                mean_gain(arrays, links, rigid, load, bound, rate, gain, time, m)
                if stop != 0.0:
                    time = nearer(mechanisms, flow, place, rate, gain, k, stop, time, left)
                elif rate[k, 0] * gain[k, 0] < 0.0:
                    time = min(end_of_sliding(rate[k, 0], gain[k, 0], time, flow[k, DAMPING] * now.ease[k, 0]), left)
            time = max(time, SHORTEST * span)
            factor_for(arrays, links, rigid, now, bound, time, m)
            mean_gain(arrays, links, rigid, load, bound, rate, gain, time, m)
        else:
            set_legs(mechanisms, links, rate, gain, time, first, last)
        into = stop * gain[k, 0]
        go_on(arrays, links, bound, rate, gain, time, m)
        left -= time
        events += 1
        links.sums[m, EVENTS] += 1.0
        if stop == 0.0:
            rate[k, 0] = 0.0
        else:
            flow[k, STOP] = stop
            if moves != AT_REST:   # what it is beyond would else be made up for by the step in which it comes to rest
                flow[k, WAY] = mechanisms.limits[k, 0 if stop < 0.0 else 1] - place[k, 0]
            flow[k, REBOUND] = 2.0 * mechanisms.restitution[k] * abs(rate[k, 0]) / into if into > 0.0 else math.inf


@inlined
def nearer(mechanisms, flow, place, rate, gain, k, stop, time, left):
    """The time until freedom k hits a stop, by a step of Newton's from one for which its way has been worked out."""
    arrival = (rate[k, 0] + time * gain[k, 0]) * stop
    if not arrival > 0.0:
        return time
    lacking = stop * (mechanisms.limits[k, 0 if stop < 0.0 else 1] - place[k, 0] - flow[k, WAY] - flow[k, LEG])
    return min(max(time + lacking / arrival, 0.1 * time), left)


@kernel
def go_along(mechanisms, links, now, ahead, m):
    """Coordinates ahead, from those of now by the ways gone; what stands at a stop is there."""
    begin, end, flow = mechanisms.start[m], mechanisms.start[m + 1], links.flow
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        ahead.place[k, 0] = now.place[k, 0] + flow[k, WAY]
        if flow[k, STOP] != 0.0:
            ahead.place[k, 0] = mechanisms.limits[k, 0 if flow[k, STOP] < 0.0 else 1]
    put_in_place(mechanisms, links, ahead.place, m)
    turn_balls(mechanisms, now, ahead, flow, WAY, begin, end)


@kernel
def moving_into(mechanisms, flow, place, rate, moves, first, last):
    """A freedom that stands at a stop and moves into it, or −1; what does not leave the stop it has come to is there."""
    found = -1
    for k in range(first, last):
        if flow[k, ARRIVES] > 0.0:
            continue
        at = place[k, 0] + (flow[k, WAY] if moves != AT_REST else 0.0)
        if at <= mechanisms.limits[k, 0] and rate[k, 0] <= 0.0:
            flow[k, STOP] = -1.0
        elif at >= mechanisms.limits[k, 1] and rate[k, 0] >= 0.0:
            flow[k, STOP] = 1.0
        if found < 0 and flow[k, STOP] * rate[k, 0] > 0.0:
            found = k
    return found


@kernel
def tell_arrivals(mechanisms, closures, flow, place, rate, gain, span, m):
    """What comes to its stop just where the ways of both halves end: that hit is the next step's.

    The second half would else be repeated with the hit at its beginning, which is half a step too early. What rests on its stop
    is held; in loops it may have a rate by rounding instead.
    """
    begin, end, closed = mechanisms.start[m], mechanisms.start[m + 1], goes_in_loops(mechanisms, closures, m)
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        at = place[k, 0] + flow[k, WAY]
        little = ROUNDING * span * max(abs(gain[k, 0]), abs(flow[k, PRESS]))
        for n in range(2):
            side = 2.0 * n - 1.0
            if (side * (at - mechanisms.limits[k, n]) >= 0.0 and flow[k, MODE] == LOOSE
                    and (not closed or side * rate[k, 0] > little)):
                flow[k, ARRIVES], flow[k, STOP] = 1.0, side


@kernel
def keep_middle(arrays, links, rate, left, first, last, m):
    """The second half of the step will begin here: rates, what is left of it, and what was lost and given so far."""
    for k in range(first, last):
        links.middle[k, 0] = rate[k, 0]
        links.flow[k, KEPT_WORK], links.flow[k, KEPT_MOTOR] = links.flow[k, WORK], links.flow[k, MOTOR_WORK]
        links.flow[k, SPRING_THEN] = links.flow[k, SPRING]
    for column in range(3):
        links.sums[m, KEPT + column] = links.sums[m, KEPT - 3 + column]
    keep_lent(arrays.mechanisms, arrays.closures, links, m, 4, 0)
    links.sums[m, LEFT] = left
