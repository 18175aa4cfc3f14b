"""`robotphi view`: a recording in a window, as a page for browsers, as a picture or as a movie."""
import time as clock
from pathlib import Path
from typing import Annotated

import typer

from robotphi.commands.output import AsJson, answer, console, exit_codes, say
from robotphi.record.recording import Recording
from robotphi.view.follow import EACH, Followed


def view_command(
    recording: Annotated[Path, typer.Argument(metavar="RECORDING", help="A file that a run has left: recording.vtkhdf.")],
    html: Annotated[Path | None, typer.Option(metavar="P", help="Write a page that plays it in any browser, offline.")] = None,
    screenshot: Annotated[Path | None, typer.Option(metavar="P", help="Write a picture: .png, .jpg, .webp.")] = None,
    movie: Annotated[Path | None, typer.Option(metavar="P", help="Write a movie: .webp, .gif, .mp4.")] = None,
    time: Annotated[float | None, typer.Option(metavar="T", help="Instant [s] of the picture, where a page begins.")] = None,
    colour: Annotated[str | None, typer.Option(metavar="Q", help="Colour by a quantity, such as strain or speed.")] = None,
    look: Annotated[str, typer.Option(metavar="L", help="From where: oblique, front, side, top.")] = "oblique",
    speed: Annotated[float, typer.Option(metavar="X", help="Of a movie, times that of the recording.")] = 1.0,
    every: Annotated[int | None, typer.Option(min=1, metavar="N", help="Show every Nth frame of it alone.")] = None,
    follow: Annotated[bool, typer.Option(help="Of a run that is still writing: show new frames as they come.")] = True,
    as_json: AsJson = False,
):
    """Look at a recording: in a window, or in the files that are asked for.

    While a run is still writing it, window and page follow: a page is written anew until the run is over, or until Ctrl-C.

    Example: robotphi view runs/hanging_chain/recording.vtkhdf --html chain.html
    """
    with exit_codes(as_json):
        followed = Followed(recording) if follow else None
        found = followed.recording if follow else Recording.load(recording)
        made = {}
        if time is not None and len(found) and not found.time[0] <= time <= found.time[-1]:
            say(f"robotphi: there is {found.time[0]:g} to {found.time[-1]:g} s; the nearest to {time:g} s is shown")
        if html:
            made["page"] = _write_pages(found, followed, html, {"every": every, "time": time, "colour": colour, "look": look})
        if screenshot or movie or not html:
            from robotphi.view import movies
            options = {"colour": colour, "look": look}
            if screenshot:
                made["picture"] = movies.write_screenshot(found, screenshot, time=time, **options)
            if movie:
                made["movie"] = movies.write_movie(found, movie, speed=speed, every=every or 1, **options)
            if not made:
                from robotphi.view.window import open_window
                open_window(found, time=time, **options, followed=followed)
    if as_json:
        answer({"recording": recording, **made})
    else:
        for kind, path in made.items():
            console().print(f"{kind:10s} {path}")


def _write_pages(recording, followed, path, options):
    """The page of a recording; where it is followed anew whenever its run has written more. Ctrl-C leaves what there is."""
    from robotphi.view.page import write_page

    if followed is None:
        return write_page(recording, path, **options)
    try:
        while True:
            began = clock.monotonic()
            write_page(followed.recording, path, total=followed.total, **options)
            if followed.total is None:
                return path
            say(f"{path}: {followed.words}; Ctrl-C stops following")
            clock.sleep(max(EACH, clock.monotonic() - began))   # a run is not slowed down by more than half of a processor
            while not followed.look():
                clock.sleep(EACH)
    except KeyboardInterrupt:
        return write_page(followed.recording, path, **options)
