"""Hits of a recording: what two things did to each other from when they first touched until they parted.

From momentum, for a body of mass m on which nothing acts but the other one and its weight, between two frames around the hit:
    J = m (v_after − v_before) − m g Δt,    whatever happened between them, to rounding
and along its direction, friction left out, with the relative velocity u of the mass centres before and after,
    e = u_separation/u_approach.
Between frames and hit the bodies fly: each speed is taken on to the distance s that the mass centres have where they touch,
u² + 2 a (s − s_frame), a the relative acceleration of flight; s is that of the first frame of the hit and its depth. With the
same s before and after, what the motion of the centres and their weight lost in all is ½ μ (u_approach² − u_separation²),
whatever s is: in the bodies as vibration, or for good.
"""
import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from robotphi.errors import RecordingError
from robotphi.record.bodies import Body
from robotphi.record.choice import check_kept
from robotphi.record.contacts import Names, contact_signs, frame_sums, parts_of

JUMP = 1e-6   # of the momenta that came and went: a jump in flight that rounding does not make


@dataclass(frozen=True, eq=False)
class Hit:
    """One hit of two things, a run of frames in which they touch; SI. Unknown numbers are NaN.

    Attributes:
        first, second: the names that were asked for.
        start, end: middle of the interval of frames in which it began and ended [s]; the first or last frame where it was
            under way there.
        time_error: half the widest of these intervals [s].
        frames: first and last frame in which they touch.
        complete: whether there is a frame before and one after it.
        impulse: on `first`, over the hit or over what was recorded of it [N·s], (3,).
        impulse_from: "momentum", or "forces" where other things acted on both: the integral of the recorded forces.
        impulse_error: how far two ways to get it are apart, where there are two, else 0 [N·s]: momenta of both things, or
            forces of all frames and of every second one.
        direction: unit vector along the impulse, where there is friction along that of the recorded pressure, (3,).
        approach, separation: speeds of the mass centres along the direction, before and after [m/s]; 0 where they had none, or
            parted too slowly to come as far as where they met.
        restitution: e = separation/approach; NaN where the approach is not more than the frames leave open.
        restitution_error: what the frames leave open of it: where in its interval a hit began, and what else acted.
        energy_lost: of the motion of both centres along the direction, ½ μ (approach² − separation²), and what a separation of
            0 lacks [J].
        depth: the largest in a frame [m]: of balls the largest, of faces the mean over the area.
        peak_force: the largest in a frame, pressure and friction [N].
        ledger: entry → its change from the frame before to the frame after [J]; of the whole scene.
    """
    first: str
    second: str
    start: float
    end: float
    time_error: float
    frames: tuple
    complete: bool
    impulse: np.ndarray
    impulse_from: str
    impulse_error: float
    direction: np.ndarray
    approach: float
    separation: float
    restitution: float
    restitution_error: float
    energy_lost: float
    depth: float
    peak_force: float
    ledger: dict


class Side(NamedTuple):
    """One of the two things over all frames."""
    body: Body
    centre: np.ndarray     # (f, 3) m
    velocity: np.ndarray   # (f, 3) m/s
    touches: np.ndarray    # (f,) bool, whether it touches anything
    others: np.ndarray     # (f,) bool, whether it touches anything but the other one
    known: np.ndarray      # (f,) bool, whether it is known how it moves without the other one: it rests in the world, or flies
    gravity: np.ndarray    # (f, 3) m/s² with which it falls; 0 where it does not, or something unknown acts
    weight: float          # m/s², gravity of the scene

    def impulse(self, before, after, time):
        """What it gained beyond its weight [N·s], or None where other things had a part in it."""
        if not self.body.alone or self.others[before:after + 1].any():
            return None
        fallen = self.body.model.scene.gravity * (time[after] - time[before])
        return self.body.mass * (self.velocity[after] - self.velocity[before] - fallen)


def hits(recording, first, second, scene=None, pause=0.0):
    """See `Recording.hits`."""
    model = _model_of(recording, scene)
    if not pause >= 0.0:
        raise RecordingError(f"pause is {pause!r}; give a time [s] that is not negative: shorter breaks are part of a hit")
    on, by = parts_of(Names(recording), first, second)
    table = recording.rows["contacts"]
    signs = contact_signs(table["first"], table["second"], on, by)
    pair = signs != 0.0
    sides = [_side(recording, model, table, own, pair) for own in (on, by)]
    _tell_unseen(recording, sides, (first, second))
    force, friction = (frame_sums(signs[:, None] * values, table["start"])
                       for values in (table["normal"] + table["friction"], table["friction"]))
    depth = np.zeros(len(recording))
    np.maximum.at(depth, np.repeat(np.arange(len(recording)), np.diff(table["start"]))[pair], table["depth"][pair])
    touches = frame_sums(pair.astype(float), table["start"]) > 0.0
    runs = _runs(touches, recording.time, pause)
    return [_hit(recording, (first, second), run, sides, force, friction, depth) for run in runs]


def _model_of(recording, scene):
    """The Model of a recording from its Scene or Model, or its own."""
    if scene is None:
        scene = recording.model
    if not hasattr(scene, "arrays"):
        from robotphi.model.build import build_model
        from robotphi.scene.scene import Scene

        if not isinstance(scene, Scene):
            raise RecordingError(f"scene is {scene!r:.60}; give the Scene or Model from which the recording was made")
        scene = build_model(scene)
    same = (recording.position.shape[1] == scene.particle_count and recording.info.get("scene") == scene.scene.name
            and recording.rigid_position.shape[1] == len(scene.arrays.rigids.mass)
            and tuple(Names(recording).parts) == scene.part_names)
    if not same:
        raise RecordingError(f"the recording is of {recording.info.get('scene', 'another scene')!r} and not of this scene, "
                             f"{scene.scene.name!r} with what it holds now; give the Scene or Model from which it was made")
    check_kept(recording, "contacts")
    if "contacts" not in recording.rows:
        raise RecordingError("this recording holds no contacts: nothing in its scene can touch, or an older version made it")
    return scene


def _side(recording, model, table, own, pair):
    """A thing over all frames; `own`: bool per part, `pair`: bool per row of contact, whether it is of the two asked for."""
    body = Body(model, own)
    rows = own[table["first"]] != own[table["second"]]
    touches, others = (frame_sums(some.astype(float), table["start"]) > 0.0 for some in (rows, rows & ~pair))
    flies = body.alone & ~others
    return Side(body, *body.motion(recording), touches, others, flies | body.rests,
                np.where(flies[:, None], model.scene.gravity, 0.0), float(np.linalg.norm(model.scene.gravity)))


def _runs(touches, time, pause):
    """(first, last) frames of the runs of touching; breaks shorter than `pause` [s] are part of a run."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], touches, [0]])))
    found = []
    for first, last in zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True):
        if found and time[first] - time[found[-1][1]] <= pause:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def _hit(recording, names, run, sides, force, friction, depth):
    time, (first, last) = recording.time, run
    before, after = max(first - 1, 0), min(last + 1, len(time) - 1)
    impulse, source, doubt = _impulse(time, before, after, sides, force)
    rubs = np.any(friction[first:last + 1])
    along = _sum_over_time(time, force - friction, np.arange(before, after + 1)) if rubs else impulse
    size = float(np.linalg.norm(along))
    direction = along / size if size > 0.0 else np.full(3, np.nan)
    came, went, unsure = _speeds(time, run, sides, direction, depth)
    approach, separation = _root(-came), _root(went)
    restitution, error = np.nan, np.nan
    if approach > unsure:
        restitution = separation / approach
        error = unsure * (1.0 + abs(restitution)) / approach
    masses = np.array([side.body.mass for side in sides])
    reduced = 1.0 / np.sum(1.0 / masses) if np.isfinite(masses).any() else np.nan
    return Hit(
        *names, start=float(time[before] + time[first]) / 2, end=float(time[last] + time[after]) / 2,
        time_error=float(max(time[first] - time[before], time[after] - time[last])) / 2, frames=run,
        complete=first > 0 and last < len(time) - 1, impulse=impulse, impulse_from=source, impulse_error=doubt,
        direction=direction, approach=approach, separation=separation, restitution=restitution, restitution_error=error,
        energy_lost=float(0.5 * reduced * (-came - went)),
        depth=float(depth[first:last + 1].max()), peak_force=float(np.linalg.norm(force[first:last + 1], axis=1).max()),
        ledger={name: float(values[after] - values[before]) for name, values in recording.ledger.items()})


def _impulse(time, before, after, sides, force):
    """Impulse on the first thing, where it comes from, and how far two ways to it are apart."""
    first, second = (side.impulse(before, after, time) for side in sides)
    if first is not None and second is not None:
        lighter = first if sides[0].body.mass <= sides[1].body.mass else -second   # the same in fewer digits lost
        return lighter, "momentum", float(np.linalg.norm(first + second))
    if first is not None or second is not None:
        return (first if second is None else -second), "momentum", 0.0
    frames = np.arange(before, after + 1)
    coarse = np.unique(np.append(frames[::2], after))
    found, rough = (_sum_over_time(time, force, rows) for rows in (frames, coarse))
    return found, "forces", float(np.linalg.norm(found - rough))


def _sum_over_time(time, force, frames):
    """∫ force dt over some frames, by trapezoids [N·s]."""
    return np.sum(0.5 * (force[frames[1:]] + force[frames[:-1]]) * np.diff(time[frames])[:, None], axis=0)


def _speeds(time, run, sides, direction, depth):
    """Squares of the relative speed along a direction where the two touch, before and after, with the sign of the speed
    [m²/s²], and how much of the speeds the frames leave open [m/s].
    """
    first, last = run
    distance = (sides[0].centre - sides[1].centre) @ direction
    speed = (sides[0].velocity - sides[1].velocity) @ direction
    fall = (sides[0].gravity - sides[1].gravity) @ direction
    met = np.clip(distance[first] + depth[first], *sorted((distance[max(first - 1, 0)], distance[first])))
    squares, unsure = [np.nan, np.nan], 0.0
    for k, frame, inside in ((0, first - 1, first), (1, last + 1, last)):
        if 0 <= frame < len(time):
            square = speed[frame] ** 2 + 2.0 * fall[frame] * (met - distance[frame])
            squares[k] = np.copysign(1.0, speed[frame]) * square
            # where something unknown acts, what weight does in an interval
            unsure += 0.0 if all(side.known[frame] for side in sides) else sides[0].weight * abs(time[frame] - time[inside])
    # u is off by a Δs/u, Δs at most the way of one interval
    if squares[0] < 0.0:
        unsure += abs(fall[first - 1] * (distance[first] - distance[first - 1])) / np.sqrt(-squares[0])
    return squares[0], squares[1], float(unsure)


def _root(square):
    return float(np.sqrt(square) if square > 0.0 else 0.0 * square)


def _tell_unseen(recording, sides, names):
    """Warn of jumps of momentum between two frames in which a thing touches nothing: hits too short for the frames."""
    for side, name in zip(sides, names, strict=True):
        if not side.body.alone:
            continue
        fallen = np.diff(recording.time)[:, None] * side.body.model.scene.gravity
        jump = np.linalg.norm(np.diff(side.velocity, axis=0) - fallen, axis=1)
        size = np.linalg.norm(side.velocity[1:], axis=1) + np.linalg.norm(side.velocity[:-1], axis=1)
        flies = ~(side.touches[1:] | side.touches[:-1])
        unseen = np.flatnonzero(flies & (jump > JUMP * (size + np.linalg.norm(fallen, axis=1))))
        if len(unseen):
            warnings.warn(f"hits: the speed of {name!r} jumps {len(unseen)} times between two frames in neither of which it "
                          f"touches anything, first after {recording.time[unseen[0]]:.6g} s: no frame shows these hits; record "
                          "more frames", stacklevel=4)
