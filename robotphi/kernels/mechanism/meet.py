"""Coordinates, rates and accelerations of a step that are to meet closures: those of `closed`, by the links as they stand.

Mechanisms by flow have ways of their own (`loops`, `closing_by_flow`).
"""
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.mechanism.by_flow import factor_loose
from robotphi.kernels.mechanism.closed import (
    COARSE,
    add_answer,
    begin_with,
    bind_closures,
    closest,
    hold_accelerations,
    measure_gaps,
    project_rates,
    pull_links,
    solve_rows,
    tell_open,
)
from robotphi.kernels.mechanism.columns import PREDICTED, WAY
from robotphi.kernels.mechanism.gains import load_links, solve_links
from robotphi.kernels.mechanism.poses import move_links, pose_links, turn_balls

CLOSING = 40  # of what is left of closures, at most; else the step is refused
SHRINKING = 0.5   # times what was left: with more the closures are asked anew how they pull


@kernel
def drift_joints(mechanisms, links, now, ahead, dt, begin, end):
    """Coordinates of the end of the step by the rates of its middle, and the rates predicted for it."""
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        middle = links.middle[k, 0]
        links.flow[k, WAY] = dt * middle
        ahead.place[k, 0] = now.place[k, 0] + dt * middle
        ahead.rate[k, 0] = links.flow[k, PREDICTED] = 2.0 * middle - now.rate[k, 0]
    turn_balls(mechanisms, now, ahead, links.flow, WAY, begin, end)


@kernel
def close_loops(arrays, links, rigid, now, ahead, time, m, dt):
    """Change the rates of the middle so that the closures are met where they lead; where that fails, the step is refused.

    Where the closures pull quite another way at the end of the step than at its beginning, such as where a mechanism goes
    through a singular place, it is with their pull at the end that they are met.
    """
    mechanisms, closures = arrays.mechanisms, arrays.closures
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    wanted = closest(mechanisms, closures, links, ahead.place, m)
    begin_with(closures, now.bound, ahead.bound, m)
    left, renewed = measure_gaps(arrays, links, rigid, ahead.place, ahead.bound.rail, now.bound, m), False
    for _ in range(CLOSING):
        if not left > wanted:
            break
        bound, before = ahead.bound if renewed else now.bound, left
        solve_rows(arrays, bound, m, max(COARSE * left, 0.5 * wanted))
        add_answer(arrays, bound, m, 1.0 / dt, links.middle)
        drift_joints(mechanisms, links, now, ahead, dt, begin, end)
        pose_links(mechanisms, links, ahead, rigid, begin, end)
        left = measure_gaps(arrays, links, rigid, ahead.place, ahead.bound.rail, bound, m)
        if not left <= max(SHRINKING * before, wanted):
            factor_loose(mechanisms, arrays.rigids, links, begin, end)
            bind_closures(arrays, links, rigid, ahead.bound, m)
            left = measure_gaps(arrays, links, rigid, ahead.place, ahead.bound.rail, ahead.bound, m)
            renewed = True
    tell_open(links, left, wanted, time, m)


@kernel
def meet_rates(arrays, links, joints, share, dt, m):
    """Rates that keep the closures met; the links move with them."""
    mechanisms = arrays.mechanisms
    project_rates(arrays, links, joints.bound, joints.rate, share, 0.5 * dt, m)
    move_links(mechanisms, links, joints.rate, mechanisms.start[m], mechanisms.start[m + 1])


@kernel
def hold_closures(arrays, links, rigid, load, joints, m):
    """Multipliers that hold the closures at the rates found, and accelerations with them; efforts stand as they were told."""
    speed_up(arrays, links, load, joints, m)
    hold_accelerations(arrays, links, rigid, joints.bound, joints.gain, m)
    speed_up(arrays, links, load, joints, m)


@kernel
def speed_up(arrays, links, load, joints, m):
    """Accelerations by the loads, the multipliers and the efforts."""
    mechanisms = arrays.mechanisms
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    load_links(mechanisms, arrays.rigids, links, load, begin, end)
    pull_links(mechanisms, arrays.closures, joints.bound, links.push, links.effort, m)
    solve_links(mechanisms, links, links.effort, joints.gain, begin, end)
