"""Quantities that colours can tell: one value for each particle of a frame, and of springs for each line as well.

What springs have is told at a particle as the mean over its springs; NaN stands where there is nothing to tell.
"""
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from robotphi.errors import RecordingError
from robotphi.kernels.springs.table import KINDS
from robotphi.record import measure
from robotphi.record.springs import rests, springs
from robotphi.scene.checks import word
from robotphi.view.stage import USUAL, largest_usual


class Quantity(NamedTuple):
    """What colours can tell of a frame."""
    unit: str
    meaning: str
    signed: bool                  # colours lie about zero
    known: Callable               # of a stage: whether the recording has it
    values: Callable              # of a stage and a frame: (n,) at the particles
    of_lines: Callable | None = None   # likewise (m,) of the springs that are drawn as lines


def _speed(stage, frame):
    return np.linalg.norm(stage.recording.velocity[frame], axis=1)


def _displacement(stage, frame):
    return np.linalg.norm(stage.position(frame) - stage.position(0), axis=1)


def _height(stage, frame):
    return stage.position(frame)[:, 2]


def strains(stage, frame):
    """(m,) elongation over rest length of the moment of the stage's lines, as shares; NaN where there is none."""
    chosen = _lines(stage)
    rest = rests(stage.recording.model, chosen, float(stage.recording.time[frame]))
    rest = np.where(np.isfinite(stage.rest_lengths) & (rest > 0.0), rest, np.nan)
    found = measure.lengths(stage.recording.model, stage.position(frame), chosen) / rest - 1.0
    return np.where(_broken(stage, chosen, frame), np.nan, found)


def tensions(stage, frame):
    """(m,) N with which the stage's lines pull, damping included; nothing where they broke."""
    return _readings(stage, _lines(stage), frame)[0]


def _lines(stage):
    return _springs(stage, "linear")


def _springs(stage, kind):
    """The springs of a kind, gathered once a stage."""
    kept = vars(stage).setdefault("_gathered", {})
    if kind not in kept:
        kept[kind] = springs(stage.recording.model, kind)
    return kept[kind]


def _law(stage, chosen, frame):
    kept = stage.recording.checkpoint.get(KINDS[chosen.kind].own)
    return None if kept is None else kept[frame]


def _broken(stage, chosen, frame):
    law = _law(stage, chosen, frame)
    if law is None or not (chosen.row >= 0).any():
        return np.zeros(len(chosen.row), bool)
    return measure.broken(stage.recording.model, law, chosen)


def _readings(stage, chosen, frame):
    """Force and stored energy of springs, (m,) each; zero where they broke."""
    record = stage.recording
    found = measure.readings(record.model, chosen, record.position[frame], record.velocity[frame],
                             float(record.time[frame]), _law(stage, chosen, frame))
    whole = ~_broken(stage, chosen, frame) if chosen.kind == "linear" else True
    return np.where(whole, found.elastic + found.viscous, 0.0), np.where(whole, found.stored, 0.0)


def at_particles(stage, values):
    """(n,) mean of the values of lines over those at each particle, NaN where there are none."""
    known = np.isfinite(values)
    ends, count = stage.lines[known], stage.scene.particle_count
    total = sum(np.bincount(column, values[known], count) for column in ends.T)
    number = sum(np.bincount(column, minlength=count) for column in ends.T)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def _energy_density(stage, frame):
    """J/kg: what springs store, shared out over their ends, over the mass of these; NaN where there is no spring or mass."""
    count = stage.scene.particle_count
    mass, total, tied = measure.masses(stage.recording.model)[0], np.zeros(count), np.zeros(count, bool)
    for kind, known in KINDS.items():
        chosen = _springs(stage, kind)
        share = _readings(stage, chosen, frame)[1] / len(known.ends)
        for column in stage.springs(kind).T:
            total += np.bincount(column, share, count)
            tied[column] = True
    told = tied & (mass > 0.0) & (stage.scene.rigid_of_particle < 0)
    return np.where(told, total / np.where(mass > 0.0, mass, 1.0), np.nan)


def _contact_pressure(stage, frame):
    """Pa: a vertex's share of the normal force over its share of the surface, of parts that rub; NaN elsewhere."""
    found, position = stage.recording.contact_vertices(frame), stage.position(frame)
    count, area = stage.scene.particle_count, np.zeros(stage.scene.particle_count)
    for placed in stage.surfaces.values():
        corner = position[placed.facets]
        size = 0.5 * np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1)
        for column in placed.facets.T:
            area += np.bincount(column, size / 3.0, count)
    force = np.bincount(found.particle, found.normal, count)
    told = (area > 0.0) & (stage.scene.rigid_of_particle < 0)
    return np.where(told, force / np.where(area > 0.0, area, 1.0), np.nan)


def _has_lines(stage):
    return len(stage.lines) > 0


QUANTITIES = {
    "speed": Quantity("m/s", "size of the velocity", False, lambda stage: True, _speed),
    "displacement": Quantity("m", "distance from the first frame", False, lambda stage: True, _displacement),
    "height": Quantity("m", "z", False, lambda stage: True, _height),
    "strain": Quantity("1", "elongation of linear springs over their rest length; at a particle their mean", True,
                       lambda stage: bool(np.isfinite(stage.rest_lengths).any()),
                       lambda stage, frame: at_particles(stage, strains(stage, frame)), strains),
    "tension": Quantity("N", "pull of linear springs, damping included; at a particle their mean", True, _has_lines,
                        lambda stage, frame: at_particles(stage, tensions(stage, frame)), tensions),
    "energy density": Quantity("J/kg", "energy of springs over the mass of their particles", False,
                               lambda stage: any(len(stage.springs(kind)) for kind in KINDS), _energy_density),
    "contact pressure": Quantity("Pa", "normal force of rough contacts over the area, at the vertices of soft parts", False,
                                 lambda stage: bool(len(stage.recording.rows.get("contact_vertices", {}).get("part", ()))),
                                 _contact_pressure),
}
DERIVED = ("displacement", "height")   # that follow from positions: nobody needs to keep them


def quantity(stage, name):
    """A quantity by its name, which the recording must have."""
    word("view", "quantity", name, tuple(QUANTITIES))
    if not QUANTITIES[name].known(stage):
        has = ", ".join(repr(each) for each, one in QUANTITIES.items() if one.known(stage))
        raise RecordingError(f"this recording has no {name}; colours can tell {has}")
    return QUANTITIES[name]


def colour_limits(name, values):
    """Values at the ends of the colour scale: few lie beyond them."""
    known = values[np.isfinite(values)]
    if QUANTITIES[name].signed:
        most = largest_usual(known)
        return -most, most
    if name == "height":
        return (float(known.min()), float(max(known.max(), known.min() + 1e-9))) if len(known) else (0.0, 1.0)
    return 0.0, max(float(np.quantile(known[known > 0.0], USUAL)) if np.any(known > 0.0) else 1.0, 1e-300)
