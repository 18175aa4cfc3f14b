"""`robotphi repair` and `robotphi replay`: recordings that were cut off, and whether a recording can be trusted."""
from pathlib import Path
from typing import Annotated

import typer

from robotphi.commands.output import DONE, FAILED, AsJson, answer, console, exit_codes, say
from robotphi.commands.progress import shown_progress
from robotphi.errors import DamagedError, RecordingError
from robotphi.record.files.make import check_form
from robotphi.record.files.read import repair
from robotphi.record.files.seal import Changed
from robotphi.record.recording import Recording
from robotphi.run.account import versions
from robotphi.run.replay import replay

File = Annotated[Path, typer.Argument(metavar="FILE", help="A recording.")]


def repair_command(file: File, as_json: AsJson = False):
    """Make a recording whole whose run was cut off: all frames of its last flush, and no others. One that is whole is checked.

    Example: robotphi repair runs/stack/recording.vtkhdf
    """
    with exit_codes(as_json):
        if not file.is_file():
            raise RecordingError(f"there is no recording {file}")
        try:
            mended = repair(file)
        except Changed as error:
            raise DamagedError(f"{file} is damaged: {error}; robotphi replay {file} finds out where") from error
        except (OSError, LookupError, ValueError) as error:
            check_form(file)
            raise RecordingError(f"{file} cannot be made whole: {error}") from error
        recording = Recording.load(file)
    if as_json:
        answer({"recording": file, "mended": mended, "frames": len(recording), "time": recording.time[-1:].tolist()})
    else:
        until = f" until {recording.time[-1]:.6g} s" if len(recording) else ""
        console().print(f"{file}: {'mended' if mended else 'whole already'}; {len(recording)} frames{until}")


def replay_command(file: File, threads: Annotated[int | None, typer.Option(min=1, help="Threads of the loop.")] = None,
                   as_json: AsJson = False):
    """Simulate a recording again from what was said to its scene, and compare every byte of every frame.

    Example: robotphi replay runs/stack/recording.vtkhdf
    """
    with exit_codes(as_json):
        recording, damage = _even_damaged(file)
        if not len(recording):
            raise RecordingError(f"{file} has no frame to begin with")
        with shown_progress(file.name) as progress:
            found, moved = replay(recording, threads, bool(damage), progress)
    made, now, same = recording.info.get("versions", {}), versions(), not (found or damage)
    told = {"recording": file, "frames": len(recording), "same": same, "moved": moved, **({"damage": damage} if damage else {}),
            **({} if found is None else {"frame": found[0], "what": found[1]}),
            **({} if made == now else {"versions": {"recorded": made, "here": now}})}
    if as_json:
        answer(told)
    elif same:
        began = ", from its first frame on: it was settled, placed or gone on with before" if moved else ""
        console().print(f"{file}: {len(recording)} frames, every byte the same{began}")
    else:
        console().print(f"{file}: frame {found[0]} differs in {found[1]}" if found else damage)
    if made != now:
        say(f"robotphi: it was recorded with {_listed(made)}, replayed with {_listed(now)}")
    raise typer.Exit(DONE if same else FAILED)


def _even_damaged(file):
    """(recording, what is said to be wrong with its frames)."""
    try:
        return Recording.load(file), ""
    except DamagedError as error:
        damage = error
    try:
        return Recording.load(file, damaged=True), str(damage)
    except RecordingError:
        raise damage from None


def _listed(versions):
    return ", ".join(f"{name} {version}" for name, version in versions.items()) or "versions that nobody knows"
