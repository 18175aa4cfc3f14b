"""Layers: what a player draws over the things themselves, in a table: lines [m] and arrows [N], frame by frame."""
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from robotphi.scene.turns import matrix_of
from robotphi.view import strokes, style

AXES = 0.18        # of the scene's radius: the arms of frames
AXIS_COLOURS = (style.RED, style.OLIVE, style.BLUE)


class Layer(NamedTuple):
    """One thing that can be shown or hidden."""
    group: str               # what it is switched by, such as "contacts"
    colour: str
    arrows: bool             # segments are places and forces [N], drawn to one scale a group; else both ends of lines [m]
    shown: bool              # from the start
    segments: Callable       # of a cast and a frame: (k, 2, 3)
    titles: Callable | None = None   # likewise what each segment is, k words for people
    of_poses: bool = False   # whether it follows from poses of rigids alone, which a page has


def _contact_rows(cast, frame):
    found = cast.stage.contacts(frame)
    return found, np.isfinite(found.point).all(axis=1)


def _contact_arrows(of):
    def segments(cast, frame):
        found, told = _contact_rows(cast, frame)
        return np.stack([found.point, getattr(found, of)], axis=1)[told]
    return segments


def _contact_titles(cast, frame):
    found, told = _contact_rows(cast, frame)
    return [f"{a} on {b}" for a, b in zip(found.first[told], found.second[told], strict=True)]


def _forces(cast, frame):
    return np.swapaxes(cast.stage.forces(frame), 0, 1).reshape(-1, 2, 3)


def _strokes(made, colour):
    """Lines of acts and motions that have a colour."""
    def segments(cast, frame):
        found = [np.stack([one.points[:-1], one.points[1:]], axis=1) for one in made(cast.stage, frame)
                 if one.colour == colour and one.width > 0.0]
        return np.concatenate([np.empty((0, 2, 3)), *found])
    return segments


def _frame_arms(axis):
    def segments(cast, frame):
        record, size = cast.stage.recording, AXES * cast.radius
        middle = record.rigid_position[frame]
        along = matrix_of(record.rigid_orientation[frame])[..., axis] if len(middle) else np.empty((0, 3))
        return np.stack([middle, middle + size * along], axis=1)
    return segments


LAYERS = {
    "pressure": Layer("contacts", style.RED, True, True, _contact_arrows("normal"), _contact_titles),
    "friction": Layer("contacts", style.AMBER, True, True, _contact_arrows("friction"), _contact_titles),
    "forces": Layer("forces", style.TEAL, True, True, _forces),
    "joints": Layer("joints", style.VIOLET, False, True, lambda cast, frame: cast.stage.joints(frame),
                    lambda cast, frame: [joint.name for joint in cast.stage.all_joints]),
    **{f"tendons {quarter}": Layer("tendons", colour, False, True, _strokes(strokes.tendons, colour))
       for quarter, colour in enumerate(strokes.TENDONS, 1)},
    **{name: Layer(name, colour, False, True, _strokes(made, colour)) for name, made, colour in (
        ("pulls", strokes.pulls, strokes.PULL), ("paths of goals", strokes.paths, strokes.PATH),
        ("paths of what is led", strokes.paths, strokes.LED), ("motors", strokes.motors, strokes.MOTOR),
        ("balls that repel", strokes.balls, strokes.BALL))},
    **{f"axis {name}": Layer("frames", colour, False, False, _frame_arms(axis), of_poses=True)
       for axis, (name, colour) in enumerate(zip("xyz", AXIS_COLOURS, strict=True))},
}


def segments_of(cast, name, frames):
    """Segments of a layer in some frames: rows (total, 6) one frame after the other, and where each begins (f + 1,)."""
    found = [np.asarray(LAYERS[name].segments(cast, frame), float).reshape(-1, 6) for frame in frames]
    return np.concatenate([np.empty((0, 6)), *found]), np.cumsum([0, *map(len, found)])
