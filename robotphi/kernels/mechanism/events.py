"""What happens within a step to single freedoms: sliding that comes to its end, and stops that are hit.

    stops:  u ← u + M⁻¹ Eᵀ J with E u ← −e E u,   takes −½ (1 − e) J·E u = ½ (1 − e²) u_k²/(M⁻¹)_kk where it is one

E picks the freedoms that hit their stops, and those that rest on theirs as far as they are pushed onto them. A rebound that
would be back within a small share of the step is none: what is left of its energy is lost then and there, and the freedom
rests.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import set3
from robotphi.kernels.mechanism.articulated import factor_links
from robotphi.kernels.mechanism.bases import keep_lent, lend
from robotphi.kernels.mechanism.closed import bind_closures, measure_gaps
from robotphi.kernels.mechanism.columns import (
    AWAY,
    BESIDE,
    DAMPING,
    DRIVEN,
    FACTORED,
    HELD,
    KEPT,
    KEPT_MOTOR,
    KEPT_WORK,
    KNOWN,
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
    STOPPED,
    TRIES,
    WAY,
    WORK,
)
from robotphi.kernels.mechanism.flow import SMALL, factor_for, go_on, mean_gain, set_legs
from robotphi.kernels.mechanism.gains import solve_links
from robotphi.kernels.mechanism.holds import choose_modes, settle_holds
from robotphi.kernels.mechanism.loops import STILL, goes_in_loops, hit_loops
from robotphi.kernels.mechanism.poses import move_links, pose_links, turn_balls
from robotphi.kernels.mechanism.relations import add_multipliers, clear_push, factor_relations, has_relations, put_in_place

MOST = 32          # events in half a step; in the second half of them nothing rebounds
REFINED = 4        # times that an instant is taken anew where viscosity bends the way to it
CAUGHT = 0.01      # of the step: rebounds that are back sooner are none
SHORTEST = 1e-12   # of it, too little to go on with
TINY = 1e-9        # of what a step would bring: rates onto a stop that are rounding
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
        if mechanisms.eventful[m] == 1:
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
def calm(arrays, links, rigid, joints, ahead, span, m):
    """What stands at a stop, or leaves it so slowly that what pushes it would have it back at once, is at rest."""
    mechanisms, flow, rate = arrays.mechanisms, links.flow, ahead.rate
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    closed, any_slow = goes_in_loops(mechanisms, arrays.closures, m), False
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        flow[k, TRIES] = 0.0
        speed, pushed = rate[k, 0], flow[k, PRESS] * flow[k, STOP]
        if pushed > 0.0 and -0.5 * CAUGHT * span * pushed < speed * flow[k, STOP] <= TINY * span * pushed and speed != 0.0:
            if closed:
                flow[k, TRIES], any_slow = 1.0, True
                continue
            links.sums[m, STOPPED] += 0.5 * speed * speed / joints.ease[k, 0]
            rate[k, 0] = 0.0
    if any_slow:
        stop_loops(arrays, links, rigid, ahead.bound, rate, ahead.gain, m)


@kernel
def stop_loops(arrays, links, rigid, bound, rate, gain, m):
    """Freedoms marked, in loops, come to rest by impulses, since others go with them; what rests on its stop stays there."""
    mechanisms, flow = arrays.mechanisms, links.flow
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    for j in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        flow[j, KNOWN], flow[j, MODE] = 0.0, DRIVEN if mechanisms.drive[j] >= 0 else LOOSE
        if mechanisms.drive[j] < 0 and (flow[j, TRIES] > 0.0 or (flow[j, STOP] != 0.0 and flow[j, STOP] * rate[j, 0] >= 0.0)):
            flow[j, MODE], flow[j, KNOWN] = HELD, -rate[j, 0]
    settle_impulse(arrays, links, rigid, bound, rate, gain, m)
    take_impulse(arrays, links, bound, rate, gain, 0.0, m)


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
        at = place[k, 0] + (flow[k, WAY] if moves != AT_REST else 0.0)
        if at <= mechanisms.limits[k, 0] and rate[k, 0] <= 0.0:
            flow[k, STOP] = -1.0
        elif at >= mechanisms.limits[k, 1] and rate[k, 0] >= 0.0:
            flow[k, STOP] = 1.0
        if found < 0 and flow[k, STOP] * rate[k, 0] > 0.0:
            found = k
    return found


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


@kernel
def strike(arrays, links, rigid, bound, rate, gain, span, last_ones, m):
    """Whatever stands at a stop and moves into it hits it, all at once. What the velocities bring along is written over.

    `last_ones`: nothing comes back any more.
    """
    mechanisms = arrays.mechanisms
    begin, end, flow = mechanisms.start[m], mechanisms.start[m + 1], links.flow
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    e = 0.0 if last_ones else share_back(mechanisms, flow, rate, span, first, last)
    for j in range(first, last):
        flow[j, KNOWN], flow[j, MODE] = 0.0, LOOSE
        if mechanisms.drive[j] >= 0:
            flow[j, MODE] = DRIVEN
        elif flow[j, STOP] != 0.0 and flow[j, STOP] * rate[j, 0] >= 0.0:
            flow[j, MODE], flow[j, KNOWN], flow[j, TRIES] = HELD, -(1.0 + e) * rate[j, 0], 0.0
    settle_impulse(arrays, links, rigid, bound, rate, gain, m)
    take_impulse(arrays, links, bound, rate, gain, e, m)


@kernel
def settle_impulse(arrays, links, rigid, bound, rate, gain, m):
    """Impulses that push off stops and pull on none, but of freedoms that are marked."""
    mechanisms, flow = arrays.mechanisms, links.flow
    first = mechanisms.freedom_start[mechanisms.start[m]]
    last = mechanisms.freedom_start[mechanisms.start[m + 1]]
    for _ in range(last - first + 1):
        answer_impulse(arrays, links, rigid, bound, rate, gain, m)
        changed = False
        for j in range(first, last):
            if flow[j, MODE] == HELD and flow[j, TRIES] == 0.0 and flow[j, REACTION] * flow[j, STOP] > 0.0:
                flow[j, MODE], flow[j, KNOWN], changed = LOOSE, 0.0, True
        if not changed:
            break


@kernel
def take_impulse(arrays, links, bound, rate, gain, e, m):
    """Rates behind the impulses found, what they took and what was given against them."""
    mechanisms, flow = arrays.mechanisms, links.flow
    closed = goes_in_loops(mechanisms, arrays.closures, m)
    lend(mechanisms, arrays.closures, links, bound, 0.0, m)
    for j in range(mechanisms.freedom_start[mechanisms.start[m]], mechanisms.freedom_start[mechanisms.start[m + 1]]):
        if flow[j, MODE] == HELD:
            links.sums[m, STOPPED] -= 0.5 * (1.0 - e) * flow[j, REACTION] * rate[j, 0]
            rate[j, 0] *= -e
        elif flow[j, MODE] == LOOSE:
            before = rate[j, 0]
            rate[j, 0] += gain[j, 0]
            if closed and abs(rate[j, 0]) <= STILL * abs(before):
                rate[j, 0] = 0.0
        else:
            flow[j, WORK] += flow[j, REACTION] * rate[j, 0]


@kernel
def share_back(mechanisms, flow, rate, span, first, last):
    """The least restitution of all that hit their stops now; none of what would be back at once."""
    e = 1.0
    for j in range(first, last):
        if flow[j, STOP] * rate[j, 0] > 0.0:
            e = min(e, mechanisms.restitution[j] if flow[j, REBOUND] > CAUGHT * span else 0.0)
    return e


@kernel
def answer_impulse(arrays, links, rigid, bound, rate, gain, m):
    """Changes of all rates by impulses that change those of some, which are held, by what is known of them."""
    mechanisms, rigids = arrays.mechanisms, arrays.rigids
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    for j in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.flow[j, BESIDE] = mechanisms.armature[j] if links.flow[j, MODE] == LOOSE else math.inf
    factor_links(mechanisms, rigids, links, begin, end)
    for i in range(begin, end):
        set3(links.swing, i, 0, (0.0, 0.0, 0.0))
        set3(links.swing, i, 3, (0.0, 0.0, 0.0))
    related = has_relations(mechanisms, m)
    if related:
        factor_relations(mechanisms, links, m)
    for j in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.effort[j, 0] = 0.0
    clear_push(links, begin, end)
    solve_links(mechanisms, links, links.effort, gain, begin, end)
    if related:
        add_multipliers(mechanisms, links, gain, gain, 0.0, m)
        clear_push(links, begin, end)
        solve_links(mechanisms, links, links.effort, gain, begin, end)
    if goes_in_loops(mechanisms, arrays.closures, m):
        bind_closures(arrays, links, rigid, bound, m)
        hit_loops(arrays, links, rigid, bound, rate, gain, m)
