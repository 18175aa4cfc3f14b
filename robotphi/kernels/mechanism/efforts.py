"""What acts on the coordinates of joints by their places and by time: springs, tables, torques and motors; and viscosity."""
from robotphi.kernels.acts.drives import drive_value, table_value
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.mechanism.columns import BASE, DAMPING
from robotphi.kernels.mechanism.motors import set_motor
from robotphi.kernels.step.entries import EXTRA


@kernel
def set_bases(arrays, links, joints, time, inside, begin, end):
    """−k (q − q₀) − table(q − q₀) + torque(t) + motor of freedoms begin … end−1; returns the energy stored."""
    mechanisms, flow, stored = arrays.mechanisms, links.flow, 0.0
    for k in range(begin, end):
        stretch = joints.place[k, 0] - mechanisms.rest[k]
        base = -mechanisms.stiffness[k] * stretch
        stored += 0.5 * mechanisms.stiffness[k] * stretch * stretch
        if mechanisms.table[k] >= 0:
            pull, energy = table_value(arrays.tables, mechanisms.table[k], stretch)
            base -= pull
            stored += energy
        if mechanisms.torque[k] >= 0:
            base += drive_value(arrays.drives, mechanisms.torque[k], time, inside)[0]
        flow[k, BASE], flow[k, DAMPING] = base, mechanisms.viscosity[k]
        if mechanisms.motor[k] >= 0:
            set_motor(arrays, links, joints, k, time, inside)
    return stored


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
    """Work of the torques that are laws of time: their mean × way."""
    mechanisms, books = arrays.mechanisms, buffers.books
    for k in range(len(mechanisms.torque)):
        if mechanisms.torque[k] >= 0:
            first = drive_value(arrays.drives, mechanisms.torque[k], time, inside)[0]
            last = drive_value(arrays.drives, mechanisms.torque[k], end, inside)[0]
            row = buffers.book_of_drive[mechanisms.torque[k]]
            books[row, EXTRA] += 0.5 * (first + last) * (ahead.place[k, 0] - before.place[k, 0])
