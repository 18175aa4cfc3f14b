"""What acts on the coordinates of joints by their places and by time: springs, tables, torques and motors; and viscosity."""
from robotphi.kernels.acts.drives import drive_value, table_value
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.mechanism.columns import BASE, DAMPING, FIT, LOOSE, MODE, SUMMED, WAY
from robotphi.kernels.mechanism.motors import lag_of, lead_motor, set_motor
from robotphi.kernels.step.entries import EXTRA


@inlined
def effort_of(arrays, k, place, time, inside):
    """(effort of spring, table and torque of freedom k, energy stored)"""
    mechanisms = arrays.mechanisms
    stretch = place - mechanisms.rest[k]
    base, stored = -mechanisms.stiffness[k] * stretch, 0.5 * mechanisms.stiffness[k] * stretch * stretch
    if mechanisms.table[k] >= 0:
        pull, energy = table_value(arrays.tables, mechanisms.table[k], stretch)
        base -= pull
        stored += energy
    if mechanisms.torque[k] >= 0:
        base += drive_value(arrays.drives, mechanisms.torque[k], time, inside)[0]
    return base, stored


@kernel
def set_bases(arrays, links, joints, time, inside, begin, end):
    """−k (q − q₀) − table(q − q₀) + torque(t) + motor of freedoms begin … end−1; returns the energy stored."""
    mechanisms, flow, stored = arrays.mechanisms, links.flow, 0.0
    for k in range(begin, end):
        base, energy = effort_of(arrays, k, joints.place[k, 0], time, inside)
        stored += energy
        flow[k, BASE], flow[k, DAMPING] = base, mechanisms.viscosity[k]
        if mechanisms.motor[k] >= 0:
            set_motor(arrays, links, joints, k, time, inside)
    return stored


@kernel
def lead_bases(arrays, links, joints, time, until, inside, begin, end):
    """For the second half of the way of a step: efforts as they are at its end, which the way of the first half foretells.

    What a damper c holds goes f/c, so that by f of the start alone it would lag behind in first order. With the f of the end in
    all of the second half a steady ramp of f is followed without any lag but that of inertia I/c, whatever c; without viscosity
    the step would then make energy. The share of the end is 1 − 4 (1 − B)², nought without viscosity, 1 where that is all, see
    `flow`; of what the way lacks 4 (I/c)²/h is left where z = c h/I is large (2 B − 1 would leave 2 I/c).
    """
    mechanisms, flow = arrays.mechanisms, links.flow
    for k in range(begin, end):
        share = 1.0 - 4.0 * (1.0 - flow[k, FIT])**2
        if flow[k, DAMPING] > 0.0 and flow[k, MODE] == LOOSE and share > 0.0:
            place, motor = joints.place[k, 0] + 2.0 * flow[k, WAY], mechanisms.motor[k]
            now, then = effort_of(arrays, k, joints.place[k, 0], time, inside), effort_of(arrays, k, place, until, inside)
            flow[k, BASE] += share * (then[0] - now[0])
            if motor >= 0:
                lead_motor(arrays, flow, k, place, joints.motor[motor, SUMMED], share, until, inside)


@kernel
def set_efforts(mechanisms, links, rate, begin, end):
    """The base less c q̇, of joint and motor; returns the power that viscosity takes."""
    lost = 0.0
    for k in range(begin, end):
        links.effort[k, 0] = links.flow[k, BASE] - links.flow[k, DAMPING] * rate[k, 0]
        lost += mechanisms.viscosity[k] * rate[k, 0] * rate[k, 0]
    return lost


@kernel
def book_torques(arrays, buffers, before, ahead, time, end, inside):
    """Work of the torques that are laws of time: their mean × way, and what that lags by, see `motors`."""
    mechanisms, books, flow = arrays.mechanisms, buffers.books, buffers.links.flow
    for k in range(len(mechanisms.torque)):
        if mechanisms.torque[k] >= 0:
            first = drive_value(arrays.drives, mechanisms.torque[k], time, inside)[0]
            last = drive_value(arrays.drives, mechanisms.torque[k], end, inside)[0]
            row = buffers.book_of_drive[mechanisms.torque[k]]
            books[row, EXTRA] += (0.5 * (first + last) * (ahead.place[k, 0] - before.place[k, 0])
                                  + lag_of(flow, before, ahead, k, last - first, end - time))
