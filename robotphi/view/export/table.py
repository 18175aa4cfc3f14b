"""Numbers over time as CSV with units in the head: sensors, ledger, quantities, joints; contacts and steps by themselves.

Every number is written as it is: what is read has the same bits.
"""
import csv
import itertools
from pathlib import Path

import numpy as np

from robotphi.errors import RecordingError
from robotphi.kernels.step.codes import LIMITS
from robotphi.record.causes import cause_names, limit_sentence, sentence_of
from robotphi.record.columns import COMPONENTS, USUAL, columns_of
from robotphi.record.contacts import Names
from robotphi.scene.whole_file import whole_file
from robotphi.view.curves import curve_of
from robotphi.view.quantities import QUANTITIES

TABLES = ("contacts", "steps")     # words for tables of their own, whose rows are no frames
UNITS = {"point": "m", "direction": "1", "depth": "m", "normal": "N", "friction": "N", "twist": "N·m", "area": "m²",
         "energy": "J", "pressed": "N"}
AT_ONCE = 4096                     # rows


def write_csv(stage, path, names=(), frames=None):
    """Write a table; returns the path.

    Args:
        stage: of the recording.
        names: of sensors, entries of the ledger, quantities (their mean over particles; "speed@cloth" of a thing); "sensors",
            "ledger" and "joints" for all of them, "joint:NAME" for one. Sensors and ledger unless told. "contacts" and "steps"
            alone are tables of their own.
        frames: numbers of those to write; all unless told.
    """
    apart = [name for name in names if name in TABLES]
    if apart and len(names) > 1:
        raise RecordingError(f"{apart[0]!r} is a table of its own, whose rows are no frames; write it into a file by itself")
    frames = np.arange(len(stage.recording)) if frames is None else frames
    if apart:
        head, rows = {"contacts": _contacts, "steps": _steps}[apart[0]](stage.recording, frames)
    else:
        columns = {"time [s]": stage.recording.time}
        for name in names or USUAL:
            columns |= _columns(stage, name)
        head, rows = list(columns), _in_pieces(list(columns.values()), frames)
    with whole_file(Path(path)) as part, open(part, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)
    return path


def _in_pieces(columns, frames):
    """The rows of columns at frames, a few thousand at once."""
    for begin in range(0, len(frames), AT_ONCE):
        own = frames[begin:begin + AT_ONCE]
        yield from zip(*(map(repr, np.asarray(each)[own].tolist()) for each in columns), strict=True)


def _columns(stage, name):
    """Name with unit → (f,) values, of what a word says."""
    record, found = stage.recording, columns_of(stage.recording, name)
    if found is not None:
        return found
    word, _, thing = name.partition("@")
    if word in QUANTITIES:
        curve = curve_of(record, (word, _particles_of(stage.scene, thing) if thing else None))
        return {f"{word} of {thing or 'all'}, mean [{QUANTITIES[word].unit or '1'}]": curve.values}
    known = [*record.sensors, *record.ledger, *QUANTITIES]
    raise RecordingError(f"{name!r:.60} is neither a sensor, an entry of the ledger nor a quantity of this recording; there "
                         f"are: {', '.join(known[:30])}; also sensors, ledger, joints, joint:NAME, contacts, steps")


def _particles_of(scene, name):
    known = {block.name: np.arange(block.start, block.start + block.count) for block in scene.particle_blocks}
    known |= {rigid.name: rigid.particles for rigid in scene.rigids}
    known |= {label: placed.particles for label, placed in scene.objects.items()}
    if name not in known:
        raise RecordingError(f"{name!r:.60} is nothing with particles; there are: {', '.join(map(str, list(known)[:30]))}")
    return known[name]


def _contacts(record, frames):
    """Head and rows of all contacts, frame by frame."""
    if "contacts" not in record.rows:
        raise RecordingError("nothing can touch in this recording, so it has no contacts")
    names, columns = Names(record), list(record.frame_rows("contacts", 0)) if len(record) else []
    wide = {name: record.rows["contacts"][name].shape[1:] for name in columns}
    head = ["time [s]", *itertools.chain.from_iterable(
        [f"{name} {part} [{UNITS[name]}]" for part in COMPONENTS] if wide[name] else
        [f"{name} [{UNITS[name]}]" if name in UNITS else name] for name in columns)]

    def rows():
        for frame in frames:
            own = record.frame_rows("contacts", int(frame))
            own |= {end: names.parts[own[end]] for end in ("first", "second")}
            values = [part for each in own.values() for part in (each.T if each.ndim > 1 else [each])]
            texts = [each.tolist() if each.dtype.kind != "f" else map(repr, each.tolist()) for each in values]
            yield from zip(itertools.repeat(repr(float(record.time[frame])), len(own["first"])), *texts, strict=True)
    return head, rows()


def _steps(record, frames):
    """Head and rows of the history of steps."""
    steps = record.steps
    causes = {int(code): cause_names(record.model, code) for code in np.unique(steps["cause"])} if record.statements else {}

    def cause(limit, code):
        known = causes.get(code)
        return sentence_of(*known[:3]) if known else limit_sentence(LIMITS[limit].name, record.info)

    def rows():
        for row in zip(*(steps[name].tolist() for name in ("time", "dt", "residual", "limit", "cause")), strict=True):
            yield [*map(repr, row[:3]), LIMITS[row[3]].name, cause(*row[3:])]
    return ["time [s]", "dt [s]", "residual [J]", "limit", "set by"], rows()
