"""Pressure inside a closed surface: what a pump asks for, and a gas of a given amount.

Of the facets with corners a, b, c and area vectors A, the volume and its gradient on a corner are
    V = σ/6 Σ (a − o)·((b − o) × (c − o))        ∂V/∂x = σ/3 Σ A, over the facets around it
with σ = −1 of a chamber, whose facets look inwards. The gas has p Vᵞ = N(t) p₀ V₀ᵞ, γ = 1 where it keeps its temperature
(p V = n R T), and outside is p_o:
    F = (p_asked(t) + p − p_o) ∂V/∂x        U = N u(V) + p_o V,   u = −p₀ V₀ ln(V/V₀)  or  p₀ V₀/(γ − 1) ((V₀/V)ᵞ⁻¹ − 1)
The force is a gradient of the volume, which knows no motion of the whole: both momenta stay. The pump gives p_asked V̇, filling
Ṅ u. A chamber whose volume has gone to nothing has no pressure by gas any more.
"""
import math
from typing import NamedTuple

from robotphi.kernels.acts import fields
from robotphi.kernels.acts.act import STORED, WORK, Act, cancel, stiffen, store, work
from robotphi.kernels.acts.drives import drive_value
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.maths.vectors import add_to, cross, dot, minus, norm, plus, read, scaled
from robotphi.kernels.step.slots import EXTENT

ISOTHERMAL = 1e-12     # γ − 1 below this is 0


class Pressure(NamedTuple):
    """One row for each facet, counterclockwise from outside."""
    a: fields.particles()
    b: fields.particles()
    c: fields.particles()
    side: fields.number("1", default=1.0, single=True)
    pressure: fields.drive("Pa", default=None)                  # that is asked for
    gas: fields.number("Pa", low=0.0, default=0.0, single=True)   # p₀, absolute; 0 for none
    volume: fields.number("m³", above=0.0, default=1.0, single=True)   # V₀
    outside: fields.number("Pa", low=0.0, default=0.0, single=True)
    exponent: fields.number("1", low=1.0, default=1.0, single=True)
    filling: fields.drive("1", default=1.0)                     # N
    count: fields.count()
    entry: fields.entry()


@kernel
def volume_of(rows, first, now):
    """The volume [m³]."""
    total, o = 0.0, read(now.position, rows.a[first])
    for i in range(first, first + rows.count[first]):
        a, b, c = corners(rows, i, now)
        total += dot(minus(a, o), cross(minus(b, o), minus(c, o)))
    return rows.side[first] * total / 6.0


@inlined
def corners(rows, i, now):
    return read(now.position, rows.a[i]), read(now.position, rows.b[i]), read(now.position, rows.c[i])


@inlined
def area_of(a, b, c):
    return scaled(cross(minus(b, a), minus(c, a)), 0.5)


@inlined
def gas_law(gas, volume_0, exponent, volume):
    """Pressure of a full filling [Pa], and its energy u [J]."""
    if not gas > 0.0 or not volume > 0.0:
        return 0.0, 0.0
    ratio = volume_0 / volume
    if exponent - 1.0 < ISOTHERMAL:
        return gas * ratio, gas * volume_0 * math.log(ratio)
    pressure = gas * ratio**exponent
    return pressure, (pressure * volume - gas * volume_0) / (exponent - 1.0)


@kernel
def pressures(rows, first, drives, volume, time, inside):
    """Pressure asked for, that of the gas, energy u [J], amount and its rate."""
    asked = 0.0
    if rows.pressure[first] >= 0:
        asked = drive_value(drives, rows.pressure[first], time, inside)[0]
    of_gas, energy = gas_law(rows.gas[first], rows.volume[first], rows.exponent[first], volume)
    amount, filling = drive_value(drives, rows.filling[first], time, inside)
    return asked, of_gas, energy, amount, filling


@inlined
def gas_size(rows, first, of_gas, volume):
    """What N u(V) + p_o V is a difference of [J]: near balance it is all but nothing beside either."""
    above = rows.exponent[first] - 1.0
    law = 1.0 / above if above > ISOTHERMAL else 1.0
    return law * (of_gas * volume + rows.gas[first] * rows.volume[first]) + rows.outside[first] * (volume + rows.volume[first])


@kernel
def push(rows, drives, buffers, now, time, inside):
    first = 0
    while first < len(rows.a):
        volume = volume_of(rows, first, now)
        asked, of_gas, energy, amount, _ = pressures(rows, first, drives, volume, time, inside)
        outside = rows.outside[first]
        third, surface = rows.side[first] * (asked + amount * of_gas - outside) / 3.0, 0.0
        for i in range(first, first + rows.count[first]):
            a, b, c = corners(rows, i, now)
            area = area_of(a, b, c)
            add_to(now.force, rows.a[i], area, third)
            add_to(now.force, rows.b[i], area, third)
            add_to(now.force, rows.c[i], area, third)
            surface += norm(area)
        store(buffers, rows.entry[first], amount * energy + outside * (volume - rows.volume[first]))
        cancel(buffers, gas_size(rows, first, amount * of_gas, volume) + 3.0 * abs(third) * surface * buffers.numbers[EXTENT])
        first += rows.count[first]


@kernel
def power(rows, drives, buffers, now, time, inside):
    first = 0
    while first < len(rows.a):
        asked, _, energy, _, filling = pressures(rows, first, drives, volume_of(rows, first, now), time, inside)
        swell = 0.0
        for i in range(first, first + rows.count[first]):
            a, b, c = corners(rows, i, now)
            speed = plus(plus(read(now.velocity, rows.a[i]), read(now.velocity, rows.b[i])), read(now.velocity, rows.c[i]))
            swell += dot(area_of(a, b, c), speed)
        work(buffers, rows.entry[first], asked * rows.side[first] * swell / 3.0 + filling * energy)
        first += rows.count[first]


@kernel
def bound(rows, drives, buffers, now, time, inside):
    """Of a pressure p that stays, ∂(A/3)/∂x is half a side: rows of the matrix add up to at most |p|/6 × the way around. The
    gas adds γ p/V g gᵀ with g = ∂V/∂x, which is at most γ p/V |g| Σ |g| for each corner."""
    first = 0
    while first < len(rows.a):
        volume = volume_of(rows, first, now)
        asked, of_gas, _, amount, _ = pressures(rows, first, drives, volume, time, inside)
        pressure, surface = abs(asked + amount * of_gas - rows.outside[first]), 0.0
        for i in range(first, first + rows.count[first]):
            a, b, c = corners(rows, i, now)
            surface += norm(area_of(a, b, c))
        stiff = rows.exponent[first] * amount * of_gas / volume if volume > 0.0 else 0.0
        for i in range(first, first + rows.count[first]):
            a, b, c = corners(rows, i, now)
            around = norm(minus(b, a)) + norm(minus(c, b)) + norm(minus(a, c))
            stiffness = pressure * around / 6.0 + stiff * surface * norm(area_of(a, b, c)) / 3.0
            stiffen(buffers, rows.a[i], stiffness, 0.0)
            stiffen(buffers, rows.b[i], stiffness, 0.0)
            stiffen(buffers, rows.c[i], stiffness, 0.0)
        first += rows.count[first]


ACT = Act("pressure", Pressure, (STORED, WORK), push=push, power=power, bound=bound)
