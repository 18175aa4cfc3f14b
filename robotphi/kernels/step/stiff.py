"""Stiff objects: what is fast in them is slowed down, so that it asks for no shorter steps; forces stay what they are.

The particles of a stiff object have inertia against straining beside their mass. With y = Rᵀ (x − c) in the frame R that turns
with the object and y' its rate there,

    (M + R A Rᵀ) v̇ = f + R A Rᵀ c        that is    v̇ = c + (M + R A Rᵀ)⁻¹ (f − M c)        c = ω × (ω × r)

A acts on y' alone: it is zero on motions of a rigid, so that both momenta, rests, and steady turns are those of the mass M. It
is laid down at the build (`model/stiff`), in the modes of the object at rest: of a frequency ω it leaves

    ω/(1 + (ω/ω_c)⁴)^(1/4)

slow ones are what they are (to 1 % at 0.45 ω_c), fast ones come near ω_c = 1.5/T for the step T that the object is to allow.
D = (M + A)⁻¹ is dense and constant in the frame: one product each evaluation of the forces. What A stores, ½ y'·A y', is an
entry of the ledger (`stiff_energy`).

Three ways. HELD: supports leave no rigid motion, the frame is the world. FREE: the frame is the best-fit rotation, R of the
polar decomposition of Σ m r Xᵀ (Σ m X Xᵀ)⁻¹, and ω follows from the momenta. The inverse is Π R D Rᵀ Πᵀ + B G⁻¹ Bᵀ: B the rigid
motions of now, G their inertia, Π = 1 − B G⁻¹ Bᵀ M; symmetric, with both momenta exact for any R and D. ON_RIGID: the frame is
the rigid the object is glued to, whose acceleration follows from the momenta of both together (`stiff_glued`); where joints
hold that rigid, from those of its whole mechanism (`mechanism/hung`). Forces of particles and the load of the rigid are
replaced by what gives these accelerations to M and the rigid's own inertia, so that all that comes after them does not know.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel, kernel_unless
from robotphi.kernels.compiling.team import meet
from robotphi.kernels.maths.matrices import applied, applied_back, get9
from robotphi.kernels.maths.vectors import cross, get3, minus, plus, read, scaled, set3
from robotphi.kernels.springs.forces import load_rigids
from robotphi.kernels.step.rigids import HELD as NO_TURN
from robotphi.kernels.step.rigids import MOMENTUM, row3
from robotphi.kernels.step.stiff_frame import (
    AT,
    EASE,
    FRAME,
    HELD,
    MASS,
    TURN,
    NoStiff,
    know_motion,
    outward,
    set_three,
    three,
    through_inverse,
)
from robotphi.kernels.step.stiff_glued import ANGULAR, LINEAR, MIXED, know_glued, push_glued, take_accelerations


@kernel_unless(NoStiff, lambda arrays, buffers, now, time, inside, member, team, generation: generation)
def slow_down(arrays, buffers, now, time, inside, member, team, generation):
    """Loads of rigids, and what stiff objects make of forces and loads; those on links wait for the mechanisms."""
    load_rigids(arrays, buffers, now, buffers.touch.load, time, inside, member, team)
    generation = meet(buffers.sync, team, generation)
    stiff, slow = arrays.stiff, buffers.slow
    for o in range(member, len(stiff.way), team):
        i = stiff.rigid[o]
        know_motion(arrays, slow, now, o)
        spin = get3(slow.motion, o, TURN)
        if i < 0:
            respond(arrays, slow, now, o, now.force, now.force, spin)
            continue
        know_glued(arrays, slow, now, o)
        push_glued(arrays, slow, o, now.force, spin)
        for axis in range(6):
            slow.load[o, axis] += now.load[i, axis]
        if arrays.mechanisms.link_of_rigid[i] >= 0:
            for axis in range(6):
                now.load[i, axis] = slow.load[o, axis]
            continue
        gyro = cross(spin, get3(now.rigid, i, MOMENTUM))
        push, turn = answer_of_rigid(arrays, slow, o, gyro)
        take_accelerations(arrays, slow, o, now.force, spin, push, turn)
        for axis in range(3):
            now.load[i, axis], now.load[i, 3 + axis] = slow.load[o, axis], slow.load[o, 3 + axis]
    return meet(buffers.sync, team, generation)


@kernel
def respond(arrays, slow, now, o, force, answer, spin):
    """What gives the particles of an object that no rigid carries their accelerations by forces (or impulses) on them.

    `spin`: ω of c, or zero where velocities bring nothing along.
    """
    if arrays.stiff.way[o] == HELD:
        respond_held(arrays, slow, o, force, answer)
    else:
        respond_free(arrays, slow, now, o, force, answer, spin)


@kernel
def respond_held(arrays, slow, o, force, answer):
    stiff, mass = arrays.stiff, arrays.particles.mass
    begin, first = stiff.start[o], stiff.first[o]
    for k in range(begin, stiff.free_end[o]):
        set_three(slow.given, first + 3 * (k - begin), read(force, stiff.particle[k]))
    through_inverse(stiff, slow, o)
    for k in range(begin, stiff.free_end[o]):
        i = stiff.particle[k]
        set3(answer, i, 0, scaled(three(slow.got, first + 3 * (k - begin)), mass[i]))


@kernel
def respond_free(arrays, slow, now, o, force, answer, spin):
    stiff, mass, motion = arrays.stiff, arrays.particles.mass, slow.motion
    begin, end, first = stiff.start[o], stiff.free_end[o], stiff.first[o]
    centre, frame, ease = get3(motion, o, AT), get9(motion, o, FRAME), get9(motion, o, EASE)
    total, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(begin, end):
        i = stiff.particle[k]
        r = minus(read(now.position, i), centre)
        b = minus(read(force, i), scaled(outward(spin, r), mass[i]))
        total, moment = plus(total, b), plus(moment, cross(r, b))
    share = 1.0 / motion[o, MASS]
    push, turn = scaled(total, share), applied(ease, moment)
    for k in range(begin, end):
        i = stiff.particle[k]
        r = minus(read(now.position, i), centre)
        rigid = plus(outward(spin, r), plus(push, cross(turn, r)))
        set_three(slow.given, first + 3 * (k - begin), applied_back(frame, minus(read(force, i), scaled(rigid, mass[i]))))
    through_inverse(stiff, slow, o)
    linear, angular = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(begin, end):
        i = stiff.particle[k]
        w = scaled(applied(frame, three(slow.got, first + 3 * (k - begin))), mass[i])
        linear, angular = plus(linear, w), plus(angular, cross(minus(read(now.position, i), centre), w))
    push, turn = minus(push, scaled(linear, share)), minus(turn, applied(ease, angular))
    for k in range(begin, end):
        i = stiff.particle[k]
        r = minus(read(now.position, i), centre)
        strained = applied(frame, three(slow.got, first + 3 * (k - begin)))
        set3(answer, i, 0, scaled(plus(strained, plus(outward(spin, r), plus(push, cross(turn, r)))), mass[i]))


# Rigids that move by themselves -----------------------------------------------------------------------------------------

@kernel
def answer_of_rigid(arrays, slow, o, gyro):
    """Acceleration of the rigid of object o by what is in `slow.load`, which becomes the load that gives it to the rigid."""
    rigids, solve, load, motion, glue = arrays.rigids, slow.solve, slow.load, slow.motion, slow.glue
    body, top, frame = arrays.stiff.rigid[o], 6 * o, get9(motion, o, FRAME)
    inertia = row3(rigids.inertia, body)
    for a in range(3):
        for b in range(3):
            solve[top + a, b], solve[top + a, 3 + b] = glue[o, LINEAR + 3 * a + b], glue[o, MIXED + 3 * a + b]
            solve[top + 3 + b, a], solve[top + 3 + a, 3 + b] = glue[o, MIXED + 3 * a + b], glue[o, ANGULAR + 3 * a + b]
        solve[top + a, a] += rigids.mass[body]
        solve[top + 3 + a, 3 + a] += inertia[a]
    turn_to_world(solve, top, frame)
    moves, turns = row3(rigids.inverse_mass, body), rigids.rotation[body] != NO_TURN
    for axis in range(3):
        solve[top + axis, 6] = load[o, axis] if moves[axis] > 0.0 else 0.0
        solve[top + 3 + axis, 6] = load[o, 3 + axis] - gyro[axis] if turns else 0.0
        hold_axis(solve, top, axis, not moves[axis] > 0.0)
        hold_axis(solve, top, 3 + axis, not turns)
    eliminate(solve, top)
    push = (solve[top, 6], solve[top + 1, 6], solve[top + 2, 6])
    turn = (solve[top + 3, 6], solve[top + 4, 6], solve[top + 5, 6])
    own = applied_back(frame, turn)
    torque = plus(applied(frame, (inertia[0] * own[0], inertia[1] * own[1], inertia[2] * own[2])), gyro)
    for axis in range(3):
        if moves[axis] > 0.0:
            load[o, axis] = rigids.mass[body] * push[axis]
        if turns:
            load[o, 3 + axis] = torque[axis]
    return push, turn


@kernel
def turn_to_world(solve, top, frame):
    """Z → T Z Tᵀ with T = diag(R, R)."""
    for half in range(0, 6, 3):
        for b in range(6):
            a = applied(frame, (solve[top + half, b], solve[top + half + 1, b], solve[top + half + 2, b]))
            for k in range(3):
                solve[top + half + k, b] = a[k]
    for a in range(6):
        for half in range(0, 6, 3):
            set3(solve, top + a, half, applied(frame, get3(solve, top + a, half)))


@inlined
def hold_axis(joint, top, a, held):
    """Unknown a is zero where the right side is."""
    if held:
        for b in range(6):
            joint[top + a, b] = joint[top + b, a] = 0.0
        joint[top + a, a] = 1.0


@kernel
def eliminate(solve, top):
    """Solve six equations in place; the inertia of a body needs no pivoting."""
    for a in range(6):
        share = 1.0 / solve[top + a, a]
        for b in range(a + 1, 6):
            factor = solve[top + b, a] * share
            for column in range(a + 1, 7):
                solve[top + b, column] -= factor * solve[top + a, column]
    for a in range(5, -1, -1):
        for b in range(a + 1, 6):
            solve[top + a, 6] -= solve[top + a, b] * solve[top + b, 6]
        solve[top + a, 6] /= solve[top + a, a]
