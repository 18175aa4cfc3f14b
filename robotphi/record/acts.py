"""What acts do at an instant or over many frames: lengths and tensions of tendons, volumes and pressures of chambers."""
import numpy as np

from robotphi.kernels.acts.pressure import gas_law
from robotphi.kernels.acts.tendon import cable_tension
from robotphi.kernels.springs.measured import formula
from robotphi.kernels.step.entries import FIXED_ENTRIES, OF_ACT
from robotphi.record import measure
from robotphi.record.springs import drive_value


def act_reading(model, number, quantity, seen):
    """A quantity of an act of the scene, (f,) or a number."""
    kind = model.scene.acts[number].kind
    rows = getattr(model.arrays.acts, kind)
    own = np.flatnonzero(rows.entry == FIXED_ENTRIES + len(model.work_names) + len(OF_ACT) * number)
    rows = type(rows)(*(column[own] for column in rows))
    return {"tendon": _tendon, "pressure": _chamber}[kind](model, rows, quantity, seen)


def _tendon(model, rows, quantity, seen):
    away, speed = (np.diff(_of_ends(rows.through, *both), axis=-2)
                   for both in ((seen.position, seen.rigid_position), (seen.velocity, seen.rigid_velocity)))
    distance = np.linalg.norm(away, axis=-1)
    length = np.ascontiguousarray(distance).sum(axis=-1)
    if quantity == "length":
        return length
    rate = np.ascontiguousarray(measure.dot(away, speed) / np.where(distance > 0.0, distance, 1.0)).sum(axis=-1)
    stretch = length - rows.rest_length[0] - _driven(model, rows.drive, seen.time)
    asked = np.maximum(_driven(model, rows.tension, seen.time), 0.0)
    law = formula(cable_tension)

    def tension(stretch, asked, rate):
        elastic, viscous, _ = law(rows.stiffness[0], rows.viscosity[0], stretch, asked, rate)
        return elastic + viscous + asked
    return np.vectorize(tension, otypes=[float])(stretch, asked, rate)


def _chamber(model, rows, quantity, seen):
    a, b, c = (measure.rows_of(seen.position, column) for column in (rows.a, rows.b, rows.c))
    o = a[..., :1, :]
    volume = rows.side[0] / 6.0 * np.ascontiguousarray(measure.dot(a - o, np.cross(b - o, c - o))).sum(axis=-1)
    if quantity == "volume":
        return volume
    law = formula(gas_law)
    of_gas = np.vectorize(lambda v: law(rows.gas[0], rows.volume[0], rows.exponent[0], v)[0], otypes=[float])(volume)
    filling = drive_value(model.arrays.drives, rows.filling[0], seen.time)
    return _driven(model, rows.pressure, seen.time) + filling * of_gas - rows.outside[0]


def _of_ends(ends, particles, rigids):
    """Rows of ends, (…, n, 3)."""
    return np.stack([particles[..., end, :] if end >= 0 else rigids[..., -1 - end, :] for end in ends.tolist()], axis=-2)


def _driven(model, drives, time):
    """Value of a drive that may be left out."""
    return drive_value(model.arrays.drives, drives[0], time) if drives[0] >= 0 else np.zeros(np.shape(time))
