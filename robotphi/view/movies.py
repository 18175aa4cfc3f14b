"""A recording off screen: pictures and movies of what a Player shows."""
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.files.make import check_target
from robotphi.scene.checks import word
from robotphi.view import style
from robotphi.view.player import Player
from robotphi.view.scenes import VIEWS
from robotphi.view.stage import staged

SIZE = (1280, 720)
RATE = 25                # pictures a second of movies, and at most of the window
PICTURES, MOVIES = (".png", ".jpg", ".jpeg", ".webp"), (".webp", ".gif", ".mp4")


def plotter_of(off_screen):
    """A plotter; off screen in a window of the kind that this machine has."""
    if off_screen:
        kind = style.off_screen_window()
        if kind is None:
            raise RecordingError("this machine has no graphics library with which pyvista could draw (EGL or OSMesa); "
                                 "write a page instead: robotphi view RECORDING --html P")
        if kind:
            os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", kind)
    elif not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY") and os.name == "posix" and is_linux():
        raise RecordingError("there is no screen here (DISPLAY is not set); give --html P, --screenshot P or --movie P")
    import pyvista

    plotter = pyvista.Plotter(off_screen=off_screen, window_size=SIZE, lighting="light kit")
    plotter.enable_anti_aliasing("msaa" if not off_screen else "ssaa")
    return plotter


def is_linux():
    return os.uname().sysname == "Linux"


def checked(path, endings):
    path = Path(path)
    if path.suffix.lower() not in endings:
        raise RecordingError(f"{path} ends in {path.suffix!r}; use one of: {', '.join(endings)}")
    check_target(path)
    return path


def frame_of(record, time):
    if not len(record):
        raise RecordingError("this recording has no frame: there is nothing to show")
    return len(record) - 1 if time is None else record.frame_at(time)


@staged
def write_screenshot(stage, path, time=None, colour=None, look="oblique", show=()):
    """Write a picture of a recording; returns the path.

    Args:
        stage: the recording, or a Stage of it.
        time: instant [s], of which the nearest frame is drawn; the last one unless told.
        colour: a quantity, one of `quantities.QUANTITIES`.
        look: one of `scenes.VIEWS`.
        show: names of groups to switch, such as "springs inside", "frames", "trajectories".
    """
    from PIL import Image

    path, frame = checked(path, PICTURES), frame_of(stage.recording, time)
    word("view", "look", look, tuple(VIEWS))
    player = Player(stage, plotter_of(True), colour, look)
    for group in show:
        player.toggle(word("view", "group", group, tuple(player.shown)))
    player.show(frame)
    try:
        Image.fromarray(player.plotter.screenshot(return_img=True)).save(path)
    except OSError as error:
        raise _not_written(path, error) from error
    finally:
        player.plotter.close()
    return path


def _not_written(path, error):
    return RecordingError(f"{path} cannot be written: {error.strerror or error}; name another file")


@staged
def write_movie(stage, path, speed=1.0, every=1, colour=None, look="oblique", show=()):
    """Write a movie of a recording, .webp, .gif or (with ffmpeg, or the package imageio-ffmpeg) .mp4; returns the path.

    Args:
        stage: the recording, or a Stage of it.
        speed: how fast it goes, times the recording's time.
        every: of so many frames only one is shown.
    """
    path = checked(path, MOVIES)
    word("view", "look", look, tuple(VIEWS))
    frames = movie_frames(stage.recording, speed, every)
    player = Player(stage, plotter_of(True), colour, look)
    for group in show:
        player.toggle(word("view", "group", group, tuple(player.shown)))
    try:
        write_images(_images(player, frames), path)
    finally:
        player.plotter.close()
    return path


def write_images(images, path):
    """Pictures of one size, RATE a second, as the movie that the end of the path tells."""
    try:
        if path.suffix.lower() == ".mp4":
            _encode(_ffmpeg(), images, path)
        else:
            _animate(images, path)
    except OSError as error:
        raise _not_written(path, error) from error


def movie_frames(record, speed, every=1):
    """Frames of a recording that a movie shows at its RATE."""
    last = frame_of(record, None)
    if not 0 < speed < np.inf:
        raise RecordingError(f"speed is {speed:g}; give a number above 0, 1 for the time of the recording")
    count = max(1, round((record.time[-1] - record.time[0]) / speed * RATE))
    if count > 100_000:
        raise RecordingError(f"a movie at speed {speed:g} has {count} pictures; give a larger speed")
    wanted = record.time[0] + np.arange(count + 1) / count * (record.time[-1] - record.time[0])
    shown = np.arange(0, last + 1, every)
    return shown[np.searchsorted(record.time[shown], wanted + 1e-9, side="right") - 1]


def _images(player, frames):
    """Pictures of frames, those that follow each other drawn once."""
    known, image = None, None
    for frame in frames.tolist():
        if frame != known:
            player.show(frame)
            known, image = frame, player.plotter.screenshot(return_img=True)
        yield image


def _animate(images, path):
    """An animated WebP or GIF by Pillow, half as wide as the pictures; what stays is told by how long it does."""
    from PIL import Image

    kept, times = [], []
    for image in images:
        if kept and image is kept[-1][0]:
            times[-1] += 1000 // RATE
        else:
            kept.append((image, Image.fromarray(image).resize((SIZE[0] // 2, SIZE[1] // 2), Image.Resampling.LANCZOS)))
            times.append(1000 // RATE)
            kept[:-1] = [(None, small) for _, small in kept[:-1]]
    first, *others = (small for _, small in kept)
    how = {"quality": 80, "method": 4} if path.suffix.lower() == ".webp" else {"disposal": 2}
    first.save(path, save_all=True, append_images=others, duration=times, loop=0, **how)


def _ffmpeg():
    """Path of a program that makes mp4."""
    found = shutil.which("ffmpeg")
    if found is None:
        try:
            import imageio_ffmpeg
        except ImportError:
            raise RecordingError("mp4 needs ffmpeg: install it, or pip install 'robotphi[movie]'; .webp and .gif need "
                                 "nothing more") from None
        found = imageio_ffmpeg.get_ffmpeg_exe()
    return found


def _encode(program, images, path):
    words = [program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{SIZE[0]}x{SIZE[1]}", "-r",
             str(RATE), "-i", "-", "-an", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path.absolute())]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            for image in images:
                process.stdin.write(np.ascontiguousarray(image[..., :3]).tobytes())
        except BrokenPipeError:
            pass   # it tells why below
        complaint = process.communicate()[1].decode(errors="replace").strip()
    if process.returncode:
        raise RecordingError(f"ffmpeg could not write {path}: {complaint.splitlines()[-1] if complaint else 'no word why'}")
