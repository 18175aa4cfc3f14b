"""Checks of sizes and masses: numbers that look like those of another unit, and light things on heavy ones.

What is plausible is wide: 0.5 kg/m³ is lighter than foam, 25 t/m³ heavier than osmium. A slip of units is a thousand
or more: millimetres for metres, grams for kilograms, kPa for Pa.
"""
from typing import NamedTuple

import numpy as np

from robotphi.errors import SceneError
from robotphi.geometry.mass_properties import solid_properties
from robotphi.kernels.springs.table import KINDS
from robotphi.run.advice.slow import length
from robotphi.run.lint.findings import Finding, first_of
from robotphi.scene.blocks import Rigid

HEAVY = 1e3          # times the mass, from which the lighter end of a spring is told …
COUNTS = 0.25        # … where its spring has such a share of the largest ω²
APART = 100.0        # times the size of all else: a factor of a thousand, and what things differ by anyhow
CLOSED = 1e-6        # of the box around it: a surface of less volume is none of a solid


class Plausible(NamedTuple):
    """Between which numbers a quantity of robots and what they touch lies."""
    low: float
    high: float
    unit: str
    slip: str        # what it looks like outside


DENSITY = Plausible(0.5, 2.5e4, "kg/m³", "a mass in grams, or a shape in millimetres, looks so")
SIZE = Plausible(1e-6, 1e3, "m", "a length in millimetres or micrometres looks so")
YOUNG = Plausible(1e2, 2e12, "Pa", "a modulus in kPa, MPa or GPa looks so")
GRAVITY = Plausible(0.0, 300.0, "m/s²", "gravity in mm/s² looks so")
SPEED = Plausible(0.0, 3e3, "m/s", "a speed in mm/s looks so")


def _beyond(what, value, plausible, do):
    """A list of one finding where a value is not plausible."""
    if plausible.low <= value <= plausible.high:
        return []
    return [Finding(f"{what} is {value:.3g} {plausible.unit}: {plausible.slip}", do)]


def slipped_units(subject):
    """Densities, sizes, moduli, gravity and speeds that are not plausible, and things that are far larger than all else."""
    scene, found = subject.scene, []
    found += _beyond("gravity", float(np.linalg.norm(scene.gravity)), GRAVITY, "give m/s², such as (0, 0, -9.81)")
    speed = float(np.linalg.norm(subject.model.velocity, axis=1).max(initial=0.0))
    found += _beyond("the largest speed at the start", speed, SPEED, "give m/s")
    for name, value in densities(subject).items():
        found += _beyond(f"the density of {name!r}", value, DENSITY, "give kg and metres; read_mesh(…, scale=1e-3) reads "
                         "millimetres")
    for name, value in _moduli(scene).items():
        found += _beyond(f"the modulus of {name!r}", value, YOUNG, "give pascals: 1 MPa is 1e6")
    sizes = extents(subject)
    for name, value in sizes.items():
        found += _beyond(f"the size of {name!r}", value, SIZE, "give metres; read_mesh(…, scale=1e-3) reads millimetres")
    order = sorted(sizes, key=lambda name: -sizes[name])
    if len(order) > 1 and sizes[order[0]] > APART * sizes[order[1]] and order[0] in scene.objects:
        found.append(Finding(f"{order[0]!r} is {length(sizes[order[0]])} long, and all else {length(sizes[order[1]])} at most: "
                             "a mesh in millimetres looks so", "if it is one, read it by read_mesh(…, scale=1e-3)"))
    return first_of(found, "numbers look so")


def extents(subject):
    """Name → m: the longest side of the box around each object and rigid of more than one particle."""
    found, position = {}, subject.model.position
    for name, thing in subject.scene.things.items():
        if isinstance(thing, Rigid) and len(thing.particles) > 1:
            found[name] = float(np.ptp(position[thing.particles], axis=0).max())
    for name, placed in subject.scene.objects.items():
        found[name] = float(np.ptp(position[placed.particles], axis=0).max())
    return {name: value for name, value in found.items() if value > 0.0}


def densities(subject):
    """Name → kg/m³: of objects with a closed surface, and of balls."""
    found = {}
    for name, placed in subject.scene.objects.items():
        thing = placed.object
        volume = _volume(thing) if thing.cells or thing.rigids else 0.0   # a sheet has none
        if volume > CLOSED * float(np.prod(np.ptp(thing.position, axis=0))) and 0.0 < thing.properties[0] < np.inf:
            found[name] = thing.properties[0] / volume
    rigids = {rigid.name: rigid for rigid in subject.scene.rigids}
    for name, touching in subject.scene.touching.items():
        if getattr(touching, "shape", "") == "ball" and name in rigids and rigids[name].mass > 0.0:
            found[name] = rigids[name].mass / (4.0 / 3.0 * np.pi * touching.radius ** 3)
    return found


def _volume(thing):
    """m³ within the facets of an object, 0 where they close nothing."""
    try:
        return solid_properties(thing.position, thing.facets).volume if len(thing.facets) else 0.0
    except SceneError:
        return 0.0


def _moduli(scene):
    """Name of an object → Pa: the modulus of its first material that is not plausible, else of its first."""
    found = {}
    for name, placed in scene.objects.items():
        for material in materials(placed.object.notes):
            for value in np.atleast_1d(material.get("young") or []):
                if name not in found or not YOUNG.low <= value <= YOUNG.high:
                    found[name] = float(value)
    return found


def materials(notes):
    """Plain dicts of the materials of an object, those of joined ones too."""
    own = [each for each in notes.get("materials", []) if isinstance(each, dict)]
    return own + [each for part in notes.get("parts", {}).values() for each in materials(part)]


# Masses -------------------------------------------------------------------------------------------------------------------

def light_on_heavy(subject):
    """Springs between a light end and one a thousand times heavier, which set the step."""
    model, found = subject.model, []
    mass = _masses(model)
    for setter in subject.setters:
        if setter.thing not in KINDS or setter.share < COUNTS:
            continue
        kind = KINDS[setter.thing]
        for name in kind.lists:
            springs = getattr(model.arrays, name)
            block = model.scene.things[setter.names[0]]
            mine = np.isin(springs.identity, block.indices)
            ends = mass[np.stack([getattr(springs, end)[mine] for end in kind.ends])] if mine.any() else np.empty((0, 0))
            ratio = np.where(np.isfinite(ends), ends, 0.0).max(axis=0, initial=0.0) / ends.min(axis=0, initial=np.inf)
            if len(ratio) and ratio.max() > HEAVY:
                k = int(np.argmax(ratio))
                found.append(Finding(
                    f"springs {setter.names[0]!r} join {ends[:, k].min():.2g} kg to {ends[:, k].max():.2g} kg, {ratio[k]:.2g} "
                    "times as much, and set the step by the lighter one",
                    f"{4.0 * ends[:, k].min():.2g} kg at the lighter end would give twice the step; or make it part of a rigid",
                    serious=False))
    return found


def _masses(model):
    """(rows,) kg of what each particle is or belongs to; inf of what is held on all axes."""
    particles, rigids = model.arrays.particles, model.arrays.rigids
    mass = np.where(particles.inverse_mass > 0.0, particles.mass, np.inf)
    carrier = np.repeat(np.arange(len(rigids.mass)), np.diff(rigids.start))
    mass[rigids.particle] = np.where((rigids.inverse_mass > 0.0).any(axis=1), rigids.mass, np.inf)[carrier]
    return mass
