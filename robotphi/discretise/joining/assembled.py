"""Assembled objects: parts laid side by side, their particles renumbered, what cannot move left out."""
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from robotphi.discretise.masses.spread import soft_cells, within_rigid
from robotphi.geometry.cells import KINDS
from robotphi.scene.checks import frozen, refuse
from robotphi.scene.object_parts import combined
from robotphi.scene.objects import Object
from robotphi.scene.rigid import mass_properties


class SideBySide(NamedTuple):
    """Objects laid side by side."""
    names: tuple
    starts: np.ndarray       # (parts + 1,) first particle of each
    thing: Object            # all of them

    def say(self, row):
        """A particle for people."""
        part = np.searchsorted(self.starts, row, side="right") - 1
        return f"particle {row - self.starts[part]} of {self.names[part]!r}"

    @property
    def places(self):
        """(n, 3) of each part [m]."""
        return np.split(self.thing.position, self.starts[1:-1])


def side_by_side(where, objects, least):
    """`SideBySide` of {name: Object}; what a part contains keeps its name behind that of the part."""
    if not isinstance(objects, dict) or len(objects) < least or not all(isinstance(each, Object) for each in objects.values()):
        refuse(where, f"objects is {objects!r:.80}", f'give at least {least} by name, such as {{"pad": pad, "bone": bone}}')
    for name in objects:
        if not isinstance(name, str) or not name or set(name) & set(":/"):
            refuse(where, f"a part is called {name!r}", 'give a word without ":" and "/"')
    starts, first_facet = (np.cumsum([0, *counts]) for counts in zip(
        *((len(each.position), len(each.facets)) for each in objects.values()), strict=True))
    shifts = dict(zip(objects, starts, strict=False)), dict(zip(objects, first_facet, strict=False))
    named = {what: _prefixed(where, objects, what, change) for what, change in (
        ("springs", lambda group, name: replace(group, particles=_shifted(group.particles, shifts[0][name]))),
        ("regions", lambda rows, name: _shifted(rows, shifts[0][name])),
        ("polyhedra", lambda rows, name: _shifted(rows, shifts[1][name])),
        ("facet_regions", lambda rows, name: _shifted(rows, shifts[1][name])))}
    named["regions"] |= {name: np.arange(*starts[i:i + 2]) for i, name in enumerate(objects) if name not in named["regions"]}
    rigids = tuple(replace(part, name=f"{name}.{part.name}", particles=_shifted(part.particles, shifts[0][name]))
                   for name, each in objects.items() for part in each.rigids)
    cells, density = _cells(objects, starts)
    thing = Object(position=frozen(np.concatenate([each.position for each in objects.values()])),
                   mass=frozen(np.concatenate([each.mass for each in objects.values()])), rigids=rigids,
                   facets=np.concatenate([_shifted(each.facets, shifts[0][name]) for name, each in objects.items()]),
                   cells=cells, density=density, notes=_notes(objects), **named)
    return SideBySide(tuple(objects), starts, thing)


def _shifted(rows, start):
    return rows if start == 0 else frozen(rows + np.int32(start))


def _prefixed(where, objects, what, change):
    found = {}
    for name, each in objects.items():
        for label, value in getattr(each, what).items():
            if (full := f"{name}.{label}") in found:
                refuse(where, f"two of {what} would be called {full!r}", "call the parts otherwise")
            found[full] = change(value, name)
    return found


def _cells(objects, starts):
    """Cells of the deformable parts, for whom rigid parts have their inertia; columns that not all parts have are left out."""
    found, density = {}, {}
    for each, start in zip(objects.values(), starts, strict=False):
        for kind, soft in soft_cells(each).items():
            rows = each.cells[kind]
            found.setdefault(kind, []).append(_shifted(rows if soft.all() else rows[soft], start))
            density.setdefault(kind, []).append(np.broadcast_to(each.density.get(kind, np.nan), len(rows))[soft])
    for kind, several in found.items():
        width = several[0].shape[1] if len({rows.shape[1] for rows in several}) == 1 else KINDS[kind].corners
        found[kind] = np.concatenate([rows[:, :width] for rows in several])
    return {kind: rows for kind, rows in found.items() if len(rows)}, {
        kind: np.concatenate(several) for kind, several in density.items() if len(found[kind])}


def _notes(objects):
    """Those of the parts but for their certificates, and how the mass of all cells was spread, "mixed" where they differ."""
    ways = {each.notes.get("way", "") for each in objects.values() if each.cells}
    notes = {"way": ways.pop() if len(ways) == 1 else "mixed"} if ways else {}
    return {**notes, "parts": {name: {what: value for what, value in each.notes.items() if what != "certificate"}
                               for name, each in objects.items()}}


def renumbered(thing, lowest, position, rigids, region):
    """The object with particles of one group made one, with the mass of all; `lowest` names the group of each.

    `position`: places by the old numbers; `rigids(number, places)` gives the rigid parts by the new ones. The particles that
    groups of several become are the `region`.
    """
    kept, number, times = np.unique(lowest, return_inverse=True, return_counts=True)
    number = number.reshape(-1).astype(np.int32)
    places = frozen(position[kept])
    springs = {name: replace(group, particles=frozen(number[group.particles])) for name, group in thing.springs.items()}
    regions = {name: number[rows] for name, rows in thing.regions.items()} | {region: np.flatnonzero(times > 1)}
    return movable(replace(thing, position=places, mass=np.bincount(number, thing.mass), springs=springs, regions=regions,
                           rigids=tuple(rigids(number, places)), facets=number[thing.facets],
                           cells={kind: number[rows] for kind, rows in thing.cells.items()}))


def movable(thing):
    """The object without springs whose particles all lie in one rigid part, and without empty groups."""
    springs = {}
    for name, group in thing.springs.items():
        stays = ~within_rigid(group.particles, thing.rigid_of_particle) if thing.rigids else np.True_
        if not stays.all():
            group = replace(group, **{what: frozen(getattr(group, what)[stays]) for what in
                                      ("particles", "stiffness", "viscosity", "limit", "hardening")
                                      if getattr(group, what) is not None})
        springs[name] = group
    return replace(thing, springs={name: group for name, group in springs.items() if len(group)})


def taking(part, mass, position, given):
    """The rigid part with mass (k,) on its particles taken in from deformable parts; `given` (k,) is what it has of them."""
    if not mass.any():
        return replace(part, taken=given if given.any() else None)
    total, centre, inertia = combined([(part.mass, part.centre, part.inertia), mass_properties(position[part.particles], mass)])
    return replace(part, mass=total, centre=centre, inertia=inertia, taken=given + mass)


def taken_by(part):
    """(k,) kg on its particles that deformable parts gave to a rigid part."""
    return np.zeros(len(part.particles)) if part.taken is None else part.taken


def is_rigid(thing):
    """Whether an object is one rigid part with all its particles."""
    return len(thing.rigids) == 1 and len(thing.rigids[0].particles) == len(thing.position)
