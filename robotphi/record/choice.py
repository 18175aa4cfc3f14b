"""What of a run is to stay in its file, as its user chooses: so many frames, and what beside places, velocities and energies.

While the run goes on its file has everything, so that one that was cut off can go on; what was not chosen goes when it is over.
"""
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.files.names import FRAME_ARRAYS
from robotphi.scene.kept import EVERY, FRAMES
from robotphi.scene.kept import KEPT as GROUPS

CHECKPOINTS = "contact_state", "vertex_state"                  # tables that belong to the first
OF_CONTACTS = "contacts", "contact_vertices"
READ = ("joint_", "commands")                                  # names of a checkpoint that readings need as well


class Choice(NamedTuple):
    """What stays: each `every`-th frame and the last, and these `groups` beside what every frame has."""
    every: int = 1
    groups: tuple = tuple(GROUPS)

    @property
    def told(self):
        """What a recording can no longer do, a sentence each."""
        found = []
        if "checkpoint" not in self.groups:
            found.append("it keeps no checkpoints (keep): no run goes on from its frames, and it is replayed from time 0 alone")
        elif self.every > 1:
            found.append(f"it keeps one frame in {self.every} (keep): a run goes on from these in a recording of its own, "
                         "`--continue` cannot")
        return found


def choice_of(keep):
    """The Choice that words mean, "every=10" and names of GROUPS, or "frames" for none of them; all where none is told."""
    if not hasattr(keep, "__iter__"):
        raise RecordingError(f"keep is {keep!r:.60}; give words such as \"every=10\" or (\"contacts\", \"sensors\")")
    words = [each.strip() for each in keep.split(",")] if isinstance(keep, str) else list(keep)
    every, groups, known = 1, [], f"every=N, {FRAMES}, {', '.join(GROUPS)}"
    for word in words:
        if isinstance(word, str) and word.startswith(EVERY) and word[len(EVERY):].isdecimal() and int(word[len(EVERY):]) > 0:
            every = int(word[len(EVERY):])
        elif isinstance(word, str) and word in GROUPS:
            groups.append(word)
        elif word != FRAMES:
            raise RecordingError(f"keep {word!r:.60} is not known; give some of: {known}")
    bare = not groups and FRAMES not in words
    return Choice(every, tuple(GROUPS) if bare else tuple(name for name in GROUPS if name in groups))


def chosen(recording, choice):
    """The recording with what was chosen alone; it tells so, and what it can no longer do."""
    frames = np.unique(np.append(np.arange(0, len(recording), choice.every), max(len(recording) - 1, 0)))[:len(recording)]
    rows = {table: _rows_at(columns, frames, table == "commands") for table, columns in recording.rows.items()
            if ("contacts" in choice.groups or table not in OF_CONTACTS)
            and ("checkpoint" in choice.groups or table not in CHECKPOINTS)}
    kept = {name: values[frames] for name, values in recording.checkpoint.items()
            if "checkpoint" in choice.groups or name.startswith(READ)}
    warnings = [*recording.info.get("warnings", []), *choice.told]
    info = recording.info | {"kept": {"every": choice.every, "groups": list(choice.groups)}, "warnings": warnings}
    return replace(recording, **{name: getattr(recording, name)[frames] for name in FRAME_ARRAYS}, rows=rows, checkpoint=kept,
                   ledger={name: values[frames] for name, values in recording.ledger.items()}, info=info,
                   sensors={name: values[frames] for name, values in recording.sensors.items() if "sensors" in choice.groups})


def _rows_at(columns, frames, all_of_them):
    """The rows of a table at frames; those of commands are all of them, each at the next frame that stays."""
    start, values = columns["start"], {name: rows for name, rows in columns.items() if name != "start"}
    ends = start[frames + 1]
    if all_of_them:
        return {"start": np.concatenate([[0], ends]).astype(start.dtype), **values}
    counts = ends - start[frames]
    own = np.concatenate([np.empty(0, int), *(np.arange(start[frame], start[frame + 1]) for frame in frames)])
    return {"start": np.concatenate([[0], np.cumsum(counts)]).astype(start.dtype),
            **{name: rows[own] for name, rows in values.items()}}


def kept(recording):
    """The Choice by which a recording was kept."""
    told = recording.info.get("kept")
    return Choice(told["every"], tuple(told["groups"])) if told else Choice()


def check_kept(recording, group):
    """Refuse to read what a recording was told not to keep."""
    if group not in kept(recording).groups:
        raise RecordingError(f"this recording was told to keep no {group}, {GROUPS[group]}; run it anew with {group} in keep")


class Lacking(dict):
    """A checkpoint that was not kept as a whole, which says so where somebody asks for the rest."""

    def __missing__(self, name):
        raise RecordingError(f"this recording was told to keep no checkpoint, {GROUPS['checkpoint']}, and {name} is of it; run "
                             "it anew with checkpoint in keep")
