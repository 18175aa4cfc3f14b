"""Mechanisms on rigids that are driven: how the base moves and speeds up, and what it takes to carry them.

Both are those of its drives, A along driven axes and α about a driven one. A link on it speeds up at its own centre, r
behind, by A + α × r, and α, beside what the velocities bring along. What the base pushes the link with comes out of the
articulated recursion; its opposite joins the load of the base, so that drives book its work and supports show it.
"""
from robotphi.kernels.acts.drives import drive_acceleration, drive_value
from robotphi.kernels.acts.led import move_led_bases
from robotphi.kernels.compiling.compiled import kernel
from robotphi.kernels.maths.matrices import applied, applied_back, get9
from robotphi.kernels.maths.vectors import cross, get3, minus, plus, scaled, set3
from robotphi.kernels.mechanism.articulated import MASS, MIXED, MOMENT
from robotphi.kernels.mechanism.closed import load_grounds
from robotphi.kernels.mechanism.columns import KNOWN, WORLD
from robotphi.kernels.step.rigids import row3


@kernel
def move_bases(arrays, links, time, inside):
    """Accelerations and velocities of all rigids that are driven, by their drives at `time`."""
    motions, base = arrays.motions, links.base
    for k in range(len(motions.rigid)):
        i, drive, axis = motions.rigid[k], motions.rigid_drive[k], motions.rigid_axis[k]
        rate = drive_value(arrays.drives, drive, time, inside)[1]
        gain = drive_acceleration(arrays.drives, drive, time, inside)
        if axis < 3:
            base[i, axis], base[i, 6 + axis] = gain, rate
        else:
            direction = row3(motions.rigid_direction, k)
            set3(base, i, 3, scaled(direction, gain))
            set3(base, i, 9, scaled(direction, rate))
    move_led_bases(arrays, base, time, inside)


@kernel
def load_bases(arrays, links, bound, load, m):
    """After the accelerations are found: what mechanism m pushes the rigids with that it hangs on joins their loads."""
    mechanisms = arrays.mechanisms
    for i in range(mechanisms.start[m], mechanisms.start[m + 1]):
        if mechanisms.parent[i] < WORLD:
            load_base(mechanisms, links, load, i)
    load_grounds(arrays.closures, bound, load, m)


@kernel
def load_base(mechanisms, links, load, i):
    """What link i pushes its parent with, a rigid."""
    base = -2 - mechanisms.parent[i]
    force, couple = get3(links.push, i, 0), get3(links.push, i, 3)
    for k in range(mechanisms.freedom_start[i + 1] - 1, mechanisms.freedom_start[i] - 1, -1):
        left = links.share[k, 1] * links.share[k, 0] + links.flow[k, KNOWN]
        force = plus(force, scaled(get3(links.hold, k, 0), left))
        couple = plus(couple, scaled(get3(links.hold, k, 3), left))
    brought, turning, mixed = get3(links.swing, i, 0), get3(links.swing, i, 3), get9(links.inertia, i, MIXED)
    force = plus(force, plus(applied(get9(links.inertia, i, MASS), brought), applied(mixed, turning)))
    couple = plus(couple, plus(applied_back(mixed, brought), applied(get9(links.inertia, i, MOMENT), turning)))
    couple = plus(couple, cross(get3(links.reach, i, 0), force))
    set3(load, base, 0, minus(get3(load, base, 0), force))
    set3(load, base, 3, minus(get3(load, base, 3), couple))
