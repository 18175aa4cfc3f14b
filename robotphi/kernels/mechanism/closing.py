"""Rows of closures: what is to be nought between two rigids, how it pulls on them, and what their velocities bring along.

With c the centres, p the points of the joint, r = p − c, d = p₂ − p₁, a fixed in the first, b in the second:

    row        φ                         wrench on the second                   of the velocities alone in φ̈
    ALONG      a·d                       a at p₂                                a·(ω₂×(ω₂×r₂) − ω₁×(ω₁×(r₁+d)) − 2 ω₁×d′)
    ACROSS     s a·b                     couple s b×a                           s (ω₂ − ω₁)·d(b×a)/dt
    DISTANCE   |d| − s                   d/|d| at p₂                            e·(ω₂×(ω₂×r₂) − ω₁×(ω₁×r₁)) + |ḋ across d|²/|d|
    SCREWED    a·d − s θ                 a at p₂, couple −s a                   as ALONG, −s (ω₂ − ω₁)·(ω₁×a)
    BESIDE,    n·(d − C(t)), C′·(d − C)  n at p₂                                as ALONG with n, less n·C″ ṫ²
    ABOVE      = 0, n across C′

d′ = ḋ − ω₁×d as seen from the first. The first gets the opposite of each wrench, at the same point: so both momenta are kept
whether or not the row is nought. With A the accelerations of the links, φ̈ = wrenches·A + what the velocities bring.
"""
import math

from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import across, cross, dot, get3, minus, norm, plus, scaled, set3, unit
from robotphi.kernels.mechanism.curves import curve_at, nearest_on
from robotphi.kernels.mechanism.kinds import ABOVE, ACROSS, ALONG, BESIDE, DISTANCE, SCREWED
from robotphi.kernels.mechanism.poses import base_motion, base_of
from robotphi.kernels.step.rigids import rotate, rotate_back, row3


@kernel
def row_value(closures, links, rigid, rail, i):
    """φ of row i [m]; where it is about a curve, the place along it is renewed."""
    kind = closures.kind[i]
    centre, q = base_of(links, rigid, closures.one[i])
    other_centre, p = base_of(links, rigid, closures.other[i])
    a, b = rotate(q, row3(closures.axis, i)), rotate(p, row3(closures.across, i))
    if kind == ACROSS:
        return closures.size[i] * dot(a, b)
    d = minus(plus(other_centre, rotate(p, row3(closures.at_other, i))), plus(centre, rotate(q, row3(closures.at_one, i))))
    if kind == ALONG:
        return dot(a, d)
    if kind == DISTANCE:
        return norm(d) - closures.size[i]
    if kind == SCREWED:
        y = rotate(q, row3(closures.beside, i))
        angle, pitch = math.atan2(dot(b, cross(a, y)), dot(b, y)), closures.size[i]
        off = angle - dot(a, d) / pitch
        return -pitch * (off - 2.0 * math.pi * math.floor(off / (2.0 * math.pi) + 0.5))
    own = rotate_back(q, d)
    rail[i, 0] = nearest_on(closures, closures.curve[i], own, rail[i, 0])
    on, along, _ = curve_at(closures, closures.curve[i], rail[i, 0])
    return dot(normal_of(kind, row3(closures.axis, i), along), minus(own, on))


@inlined
def normal_of(kind, upright, along):
    """A unit vector across the curve, of its two rows, by a direction that it never goes along."""
    tangent = unit(along)
    beside = unit(cross(upright, tangent))
    return beside if kind == BESIDE else cross(tangent, beside)


@kernel
def set_wrench(closures, bound, links, rigid, i):
    """What row i does to its two rigids for each newton."""
    kind = closures.kind[i]
    centre, q = base_of(links, rigid, closures.one[i])
    other_centre, p = base_of(links, rigid, closures.other[i])
    a, b = rotate(q, row3(closures.axis, i)), rotate(p, row3(closures.across, i))
    force, couple = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    r = rotate(p, row3(closures.at_other, i))
    at = plus(other_centre, r)
    if kind == ACROSS:
        couple = scaled(cross(b, a), closures.size[i])
    elif kind == DISTANCE:
        force = unit(minus(at, plus(centre, rotate(q, row3(closures.at_one, i)))))
    elif kind == BESIDE or kind == ABOVE:
        _, along, _ = curve_at(closures, closures.curve[i], bound.rail[i, 0])
        force = rotate(q, normal_of(kind, row3(closures.axis, i), along))
    else:
        force = a
        if kind == SCREWED:
            couple = scaled(a, -closures.size[i])
    set3(bound.wrench, i, 0, force)
    set3(bound.wrench, i, 3, plus(couple, cross(r, force)))
    set3(bound.wrench, i, 6, scaled(force, -1.0))
    set3(bound.wrench, i, 9, scaled(plus(couple, cross(minus(at, centre), force)), -1.0))


@kernel
def row_rate(closures, bound, links, i):
    """What the other and what one bring to φ̇ of row i [m/s]."""
    speed, spin = base_motion(links, closures.one[i])
    other_speed, other_spin = base_motion(links, closures.other[i])
    of_other = dot(get3(bound.wrench, i, 0), other_speed) + dot(get3(bound.wrench, i, 3), other_spin)
    of_one = dot(get3(bound.wrench, i, 6), speed) + dot(get3(bound.wrench, i, 9), spin)
    return of_other, of_one


@kernel
def row_brought(closures, bound, links, rigid, i):
    """What the velocities alone bring to φ̈ of row i [m/s²]."""
    kind = closures.kind[i]
    centre, q = base_of(links, rigid, closures.one[i])
    other_centre, p = base_of(links, rigid, closures.other[i])
    speed, spin = base_motion(links, closures.one[i])
    other_speed, other_spin = base_motion(links, closures.other[i])
    a, b = rotate(q, row3(closures.axis, i)), rotate(p, row3(closures.across, i))
    turning = minus(other_spin, spin)
    if kind == ACROSS:
        change = plus(cross(cross(other_spin, b), a), cross(b, cross(spin, a)))
        return closures.size[i] * dot(turning, change)
    r_one, r = rotate(q, row3(closures.at_one, i)), rotate(p, row3(closures.at_other, i))
    d = minus(plus(other_centre, r), plus(centre, r_one))
    leaving = minus(plus(other_speed, cross(other_spin, r)), plus(speed, cross(spin, r_one)))
    outwards = cross(other_spin, cross(other_spin, r))
    if kind == DISTANCE:
        way = unit(d)
        aside = across(leaving, way)
        return dot(way, minus(outwards, cross(spin, cross(spin, r_one)))) + dot(aside, aside) / norm(d)
    seen = minus(leaving, cross(spin, d))
    bend = 0.0
    if kind == BESIDE or kind == ABOVE:
        _, along, turn = curve_at(closures, closures.curve[i], bound.rail[i, 0])
        normal = normal_of(kind, row3(closures.axis, i), along)
        a = rotate(q, normal)
        pace = dot(rotate_back(q, seen), along) / dot(along, along)
        bend = -dot(normal, turn) * pace * pace
    elif kind == SCREWED:
        bend = -closures.size[i] * dot(turning, cross(spin, a))
    of_one = plus(cross(spin, cross(spin, plus(r_one, d))), scaled(cross(spin, seen), 2.0))
    return dot(a, minus(outwards, of_one)) + bend
