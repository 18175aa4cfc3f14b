"""`robotphi view`: a recording in a window, as a page for browsers, as a picture or as a movie."""
from pathlib import Path
from typing import Annotated

import typer

from robotphi.commands.output import AsJson, answer, console, exit_codes
from robotphi.record.recording import Recording


def view_command(
    recording: Annotated[Path, typer.Argument(metavar="RECORDING", help="A file that a run has left: recording.vtkhdf.")],
    html: Annotated[Path | None, typer.Option(metavar="P", help="Write a page that plays it in any browser, offline.")] = None,
    screenshot: Annotated[Path | None, typer.Option(metavar="P", help="Write a picture: .png, .jpg, .webp.")] = None,
    movie: Annotated[Path | None, typer.Option(metavar="P", help="Write a movie: .webp, .gif, .mp4.")] = None,
    time: Annotated[float | None, typer.Option(metavar="T", help="Instant of the picture [s]; the last unless told.")] = None,
    colour: Annotated[str | None, typer.Option(metavar="Q", help="Colour by a quantity, such as strain or speed.")] = None,
    look: Annotated[str, typer.Option(metavar="L", help="From where: oblique, front, side, top.")] = "oblique",
    speed: Annotated[float, typer.Option(metavar="X", help="Of a movie, times that of the recording.")] = 1.0,
    every: Annotated[int | None, typer.Option(min=1, metavar="N", help="Show every Nth frame of it alone.")] = None,
    as_json: AsJson = False,
):
    """Look at a recording: in a window, or in the files that are asked for.

    Example: robotphi view runs/hanging_chain/recording.vtkhdf --html chain.html
    """
    with exit_codes(as_json):
        found = Recording.load(recording)
        made = {}
        if html:
            from robotphi.view.page import write_page
            made["page"] = write_page(found, html, every=every)
        if screenshot or movie or not html:
            from robotphi.view import movies
            options = {"colour": colour, "look": look}
            if screenshot:
                made["picture"] = movies.write_screenshot(found, screenshot, time=time, **options)
            if movie:
                made["movie"] = movies.write_movie(found, movie, speed=speed, every=every or 1, **options)
            if not made:
                from robotphi.view.window import open_window
                open_window(found, time=time, **options)
    if as_json:
        answer({"recording": recording, **made})
    else:
        for kind, path in made.items():
            console().print(f"{kind:10s} {path}")
