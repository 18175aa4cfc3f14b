"""`robotphi export` and `robotphi pack`: a recording for other programs, and for keeping."""
import re
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from robotphi.commands.output import AsJson, answer, console, exit_codes
from robotphi.errors import RecordingError
from robotphi.record.files.make import check_target
from robotphi.record.files.names import ENDING
from robotphi.record.files.pack import pack
from robotphi.record.recording import Recording

ENDINGS = {"vtu": ".pvd", "gltf": ".glb", "csv": ".csv"}
LONGEST = 80   # letters of what was asked for, in the name of a file
File = Annotated[Path, typer.Argument(metavar="FILE", help="A recording.")]


def export_command(
    file: File,
    to: Annotated[str, typer.Option("--to", metavar="vtu|gltf|csv", help="VTU for ParaView, animated glTF, or CSV.")],
    out: Annotated[Path | None, typer.Option(metavar="P", help="File to write; beside the recording unless told.")] = None,
    of: Annotated[list[str] | None, typer.Option(
        metavar="NAME", help="Of CSV: sensors, entries of the ledger, quantities (speed@cloth of a thing), joints, joint:NAME, "
                             "contacts, steps. Of VTU: quantities.")] = None,
    every: Annotated[int | None, typer.Option(min=1, metavar="N", help="Every Nth frame alone.")] = None,
    as_json: AsJson = False,
):
    """Write a recording as other programs read it.

    Example: robotphi export runs/stack/recording.vtkhdf --to csv --of ledger
    """
    with exit_codes(as_json):
        if to not in ENDINGS:
            raise RecordingError(f"--to {to!r} is not known; give one of: {', '.join(ENDINGS)}")
        if not file.is_file():
            raise RecordingError(f"there is no recording {file}")
        path = out or _beside(file, of or (), ENDINGS[to])
        if path.suffix != ENDINGS[to]:
            raise RecordingError(f"{path} does not end in {ENDINGS[to]}, by which others know what it is")
        check_target(path)
        recording = Recording.load(file)
        try:
            made, frames = _write(recording, to, path, tuple(of or ()), every)
        except (OSError, OverflowError) as error:
            raise RecordingError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error
    if as_json:
        answer({"recording": file, "files": made, "frames": frames})
    else:
        for each in made:
            console().print(f"{each}: {frames} of {len(recording)} frames")


def _beside(file, names, ending):
    """A file of what was asked for, beside the recording: recording_ledger.csv."""
    words = re.sub(r"[^\w.]+", "_", "_".join(["", *names]))
    return file.with_name(f"{file.stem}{words[:LONGEST]}{ending}")


def _write(recording, to, path, names, every):
    """(paths, number of frames) of what was written."""
    from robotphi.view.quantities import quantity
    from robotphi.view.stage import Stage

    stage, frames = Stage(recording), np.arange(0, len(recording), every or 1)
    if to == "csv":
        from robotphi.view.export.table import write_csv
        return [write_csv(stage, path, names, frames)], len(frames)
    if to == "vtu":
        from robotphi.view.export.vtu import write_series
        return write_series(stage, path, frames, {name: quantity(stage, name) for name in names}), len(frames)
    if names:
        raise RecordingError("--of is for csv and vtu; glTF has what is seen")
    from robotphi.view.export.gltf import write_gltf
    made, frames = write_gltf(stage, path, frames if every else None)
    return [made], len(frames)


def pack_command(file: File, out: Annotated[Path | None, typer.Option(metavar="P", help="File to write.")] = None,
                 as_json: AsJson = False):
    """Write a copy of a finished recording in less room, with every byte of it; VTK, ParaView and Robot Φ read both.

    Example: robotphi pack runs/stack/recording.vtkhdf
    """
    with exit_codes(as_json):
        if not file.is_file():
            raise RecordingError(f"there is no recording {file}")
        packed = out or file.with_name(f"{file.stem}.packed{ENDING}")
        try:
            before, now = pack(file, packed)
        except (OSError, LookupError, ValueError) as error:
            raise RecordingError(f"{file} cannot be packed: {error}") from error
    if as_json:
        answer({"recording": file, "packed": packed, "bytes": [before, now]})
    else:
        console().print(f"{packed}: {now / 1e6:.3g} MB of {before / 1e6:.3g}")
