"""Strokes: what acts and motions add to a picture as lines and spots, from a recording alone.

Tendons go over their points, the redder the more they pull of the largest tension of the run; pulls are arrows from what they
pull to their goal, which is a spot; goals that are led have their path through the whole run, led bodies theirs. The axis of a
motor stands out beyond that of its joint, with an arrow about it, or along it, the way in which the joint is driven at that
instant. Balls that repel are three circles each. What only damps, and acts on more things than can be told apart, are left out.
"""
from typing import NamedTuple

import numpy as np

from robotphi.scene.acts import NO_END
from robotphi.scene.turns import rotation_about
from robotphi.view import style

PULL, PATH, LED, MOTOR, BALL = style.AMBER, style.OLIVE, style.GREY, style.TEAL, style.INK
TENDONS = ("#e5b8b8", "#d98080", style.RED, "#7d1414")   # by quarters of the largest tension; the palest without any
CROWD = 40        # ends of an act beyond which its lines would hide all else
MOST = 400        # points of a path
ROUND = 49        # points of a circle, the first again at its end
BEYOND = 1.6      # times the axis of a joint: that of its motor
AROUND = 0.75     # likewise the radius of the arrow about it, three quarters of a turn
BARB = 0.15       # of an arrow's line: what its head goes back and aside
THIN, THICK = 1.0, 2.5


class Stroke(NamedTuple):
    """A line, or spots where there is no line."""
    points: np.ndarray          # (n, 3) m
    colour: str
    width: float = THIN         # 0: none
    spots: bool = False         # whether its points are balls


def strokes_of(stage, frame):
    """All Strokes of a frame."""
    return (*paths(stage, frame), *tendons(stage, frame), *pulls(stage, frame), *balls(stage, frame), *motors(stage, frame))


def _ends(stage, ends, frame):
    """(…, n, 3) m, where ends of acts are; `frame` may be all of them."""
    record = stage.recording
    return np.stack([record.position[frame, end] if end >= 0 else record.rigid_position[frame, -1 - end]
                     for end in ends.tolist()], axis=-2)


def _arrow(points, across=None, size=None):
    """(n + 3, 3) m, a line with a head at its end, in one stroke; `size` of the head, by the length unless told."""
    points = np.asarray(points, float)
    last = points[-1] - points[-2]
    length = np.linalg.norm(last)
    if length == 0.0:
        return points
    along = last / length
    if across is None:
        across = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    back, aside = (BARB * (length if size is None else size) * each for each in (along, across / np.linalg.norm(across)))
    return np.vstack((points, points[-1] - back + 0.5 * aside, points[-1], points[-1] - back - 0.5 * aside))


def tendons(stage, frame):
    shares = stage.tensions
    for number, act in enumerate(stage.scene.acts):
        if act.kind == "tendon":
            colour = TENDONS[min(int(len(TENDONS) * shares[number][frame]), len(TENDONS) - 1)]
            yield Stroke(_ends(stage, act.fields["through"], frame), colour, THICK, True)


def pulls(stage, frame):
    for act in stage.scene.acts:
        if act.kind == "pull" and _draws(act):
            pulled, goals = _pulled(stage, act, frame), _goals(stage, act, frame)
            for one, goal in zip(pulled, goals, strict=True):
                yield Stroke(_arrow((one, goal)), PULL)
            yield Stroke(goals, PULL, 0.0, True)


def _draws(act):
    """Whether a pull has a goal that can be shown: it draws there, and its things can be told apart."""
    many = act.count if act.fields["together"] == 1 else 1
    return many <= CROWD and (np.any(act.fields["stiffness"]) or np.any(act.fields["integral"]))


def _pulled(stage, act, frame):
    """(n, 3) m, what is pulled: each end, or the mean of those that are one thing."""
    ends = act.fields["target"]
    places = _ends(stage, np.broadcast_to(ends, act.count), frame)
    if act.fields["together"] == 1:
        return places
    weight = np.broadcast_to(act.fields["weight"], act.count)
    return (weight @ places / weight.sum())[None]


def _goals(stage, act, frame):
    """(n, 3) m, the goal of each of these."""
    fields, count = act.fields, act.count if act.fields["together"] == 1 else 1
    if not np.all(fields["goal"] == NO_END):
        return np.broadcast_to(_ends(stage, fields["goal"], frame), (count, 3))
    return np.array([_led_to(act, k, stage.recording.time[frame]) for k in range(count)])


def _led_to(act, k, time):
    """(3,) m, where the goal of row k is at a time."""
    fields = act.fields

    def row(what):
        return np.broadcast_to(fields[what], (act.count, 3))[k]
    place = row("anchor")
    if fields["turn"] is not None:
        about = row("about")
        place = about + rotation_about(row("axis"), float(fields["turn"].value(time))) @ (place - about)
    shift = [0.0 if fields[what] is None else float(fields[what].value(time)) for what in ("goal_x", "goal_y", "goal_z")]
    return place + shift


def paths(stage, _):
    """Paths of goals that are led and of bodies that a motion leads, through all frames."""
    record = stage.recording
    shown = np.unique(np.linspace(0, len(record) - 1, MOST).astype(int))
    for act in stage.scene.acts:
        if act.kind == "pull" and _draws(act) and any(act.fields[what] for what in ("goal_x", "goal_y", "goal_z", "turn")):
            for k in range(act.count if act.fields["together"] == 1 else 1):
                yield Stroke(np.array([_led_to(act, k, time) for time in record.time[shown]]), PATH)
    for rigid in stage.scene.rigids:
        if rigid.motion is not None:
            yield Stroke(record.rigid_position[shown, rigid.index], LED)
    for block in stage.scene.particle_blocks:
        for _, rows in block.led:
            if block.rigid < 0 and len(rows):
                yield Stroke(record.position[np.ix_(shown, block.start + np.asarray(rows))].mean(axis=1), LED)


def balls(stage, frame):
    """Around each centre of a field that keeps things out of a ball, circles of its radius across all axes."""
    turn = np.linspace(0.0, 2.0 * np.pi, ROUND)
    flat = np.stack((np.cos(turn), np.sin(turn), np.zeros(ROUND)), axis=1)
    for act in stage.scene.acts:
        if act.kind == "field" and act.fields["law"] == "ball":
            around = act.fields["around"]
            middle = act.fields["centre"] if np.all(around == NO_END) else _ends(stage, around, frame)
            size = np.broadcast_to(act.fields["radius"], act.count)[:, None]
            for *at, radius in np.unique(np.hstack((np.broadcast_to(middle, (act.count, 3)), size)), axis=0):
                for axis in range(3):
                    yield Stroke(at + radius * np.roll(flat, axis, axis=1), BALL)


def motors(stage, frame):
    """Axes of joints that motors turn or push along, and which way the joint is driven."""
    efforts = stage.motor_efforts
    for joint, ends in zip(stage.all_joints, stage.joints(frame), strict=True):
        if joint.name in efforts:
            middle, half = ends.mean(axis=0), 0.5 * (ends[1] - ends[0])
            yield Stroke(middle + BEYOND * (ends - middle), MOTOR, THICK, True)
            effort = efforts[joint.name][frame]
            if effort != 0.0 and half.any():
                yield Stroke(_driven(joint.kind, middle, half, np.sign(effort)), MOTOR, THICK)


def _driven(kind, middle, half, sign):
    """An arrow about the axis of a joint, or along that of a slide."""
    size = np.linalg.norm(half)
    if kind == "prismatic":
        return _arrow(middle + np.stack((BEYOND, 2.0 * BEYOND)).reshape(-1, 1) * sign * half)
    axis = half / size
    first = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    first /= np.linalg.norm(first)
    turn = sign * np.linspace(0.0, 1.5 * np.pi, ROUND)[:, None]
    circle = middle + AROUND * size * (np.cos(turn) * first + np.sin(turn) * np.cross(axis, first))
    return _arrow(circle, circle[-1] - middle, 4.0 * AROUND * size)
