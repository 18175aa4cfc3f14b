"""Motion out: coordinates of joints over time with rates, accelerations and efforts, at a robot's own rate, and a tool's path.

Between frames a coordinate is the cubic of its values and rates at both frames; rates and accelerations are those of the cubic,
at a frame the mean of both sides. So positions are of fourth order in the time between frames, accelerations of second. Efforts
go straight from frame to frame.
"""
import csv
import json
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from robotphi.errors import CheckFailed, RecordingError
from robotphi.kernels.mechanism.kinds import freedoms_of
from robotphi.record import motion_limits
from robotphi.record.files.make import check_target
from robotphi.record.poses import pose
from robotphi.scene.blocks import Rigid
from robotphi.scene.checks import number, refuse, word
from robotphi.scene.sensors import pose_rows

MOST = 10**7   # values of one quantity, instants × coordinates: 80 MB, and some ten times that while they are worked out


class Motion(NamedTuple):
    """What joints do over time, `n` instants and `k` coordinates; SI."""
    time: np.ndarray              # (n,) s
    joints: tuple                 # k names, of one freedom of several "joint:freedom"
    units: tuple                  # "rad" or "m" of each
    position: np.ndarray          # (n, k)
    rate: np.ndarray              # (n, k)
    acceleration: np.ndarray      # (n, k)
    effort: np.ndarray            # (n, k) N·m or N
    tool: np.ndarray              # (n, 7) position and quaternion; (n, 0) where no tool was told

    def passed(self, limits):
        """Where limits are passed, as a list of `motion_limits.Passed`; also between two instants.

        `limits`: {joint: {"position": (low, high), "speed": most, "torque": most}}, any of them, for any joints.
        """
        return motion_limits.passed(self, limits)

    def check(self, limits):
        """Raise CheckFailed where a limit is passed: joint, time and value; `limits` as for `passed`."""
        found = self.passed(limits)
        if found:
            raise CheckFailed("the motion passes limits: " + "; ".join(map(str, found)))

    def columns(self):
        """Name with unit → (n,) values, in the order of files."""
        found = {"time [s]": self.time}
        for k, (joint, unit) in enumerate(zip(self.joints, self.units, strict=True)):
            force = "N·m" if unit == "rad" else "N"
            found |= {f"{joint} position [{unit}]": self.position[:, k], f"{joint} rate [{unit}/s]": self.rate[:, k],
                      f"{joint} acceleration [{unit}/s²]": self.acceleration[:, k],
                      f"{joint} effort [{force}]": self.effort[:, k]}
        names = ("x [m]", "y [m]", "z [m]", "qw", "qx", "qy", "qz")[:self.tool.shape[1]]
        return found | {f"tool {name}": self.tool[:, i] for i, name in enumerate(names)}

    def save(self, path):
        """Write a .csv or .json file, every number as it is; returns the path."""
        if not isinstance(path, (str, PathLike)):
            raise RecordingError(f"{path!r:.60} is no path; give one such as \"motion.csv\"")
        path, columns = Path(path), self.columns()
        word("motion", "ending of the file", path.suffix, (".csv", ".json"))
        check_target(path)
        if path.suffix == ".json":
            text = json.dumps({name: values.tolist() for name, values in columns.items()}, ensure_ascii=False)
            path.write_text(text, encoding="utf-8")
            return path
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*(map(repr, values.tolist()) for values in columns.values()), strict=True))
        return path


def motion(recording, joints=None, rate=None, tool=None):
    """See `Recording.motion`."""
    chosen = _chosen(recording, joints)
    readings = [recording.joint(name, freedom) for name, freedom, _, _ in chosen]
    found = [np.stack([getattr(each, what) for each in readings], axis=-1) for what in ("coordinate", "rate", "effort")]
    place = _tool(recording, tool)
    time = recording.time
    if rate is not None:
        rate = number("motion", "rate", rate, above=0.0)
        if len(time) < 2:
            raise RecordingError("this recording has one frame alone, which is no motion; run it for longer")
        time = _instants(recording.time, rate, len(chosen))
    path = np.zeros((len(time), 0)) if place is None else _path(recording, place, time)
    position, speed, acceleration = hermite(recording.time, found[0], found[1], time)
    efforts = np.stack([np.interp(time, recording.time, effort) for effort in found[2].T], axis=-1)
    return Motion(time, tuple(label for *_, label, _ in chosen), tuple(unit for *_, unit in chosen), position, speed,
                  acceleration, efforts, path)


def _instants(frames, rate, count):
    """The instants of a rate from the first frame to the last."""
    duration = frames[-1] - frames[0]
    if duration * rate * count > MOST:
        refuse("motion", f"rate is {rate:g}, {duration * rate:.3g} instants of {count} coordinates in {duration:g} s",
               f"give a rate of at most {MOST / count / duration:.4g} per second, or fewer joints")
    return frames[0] + np.arange(int(duration * rate * (1.0 + 1e-12)) + 1) / rate


def hermite(knots, value, rate, time):
    """Values, rates and accelerations at times, (n, k) each, of the cubics through values and rates at knots."""
    if len(knots) < 2:
        return value, rate, np.zeros_like(value)
    at_end, at_start = (_on_piece(knots, value, rate, time, side) for side in ("left", "right"))
    return at_start[0], at_start[1], 0.5 * (at_start[2] + at_end[2])


def _on_piece(knots, value, rate, time, side):
    i = np.clip(np.searchsorted(knots, time, side=side) - 1, 0, len(knots) - 2)
    h = (knots[i + 1] - knots[i])[:, None]
    s = (time[:, None] - knots[i][:, None]) / h
    a, b, u, v = value[i], value[i + 1], h * rate[i], h * rate[i + 1]
    second, third = 3.0 * (b - a) - 2.0 * u - v, 2.0 * (a - b) + u + v
    found = (a + s * (u + s * (second + s * third)), (u + s * (2.0 * second + s * 3.0 * third)) / h,
             (2.0 * second + 6.0 * s * third) / (h * h))
    for end in (0, 1):   # knots themselves, to the bit
        there = s[:, 0] == end
        for each, own in zip(found, (value, rate), strict=False):
            each[there] = own[i[there] + end]
    return found


# What is asked for ---------------------------------------------------------------------------------------------------

def _chosen(recording, joints):
    """(joint, freedom or None, label, unit) of each coordinate."""
    scene, found = recording.scene, []
    known = {one.name: one for one in (*scene.joints, *scene.spring_joints)}
    joints = [joints] if isinstance(joints, str) or (not hasattr(joints, "__iter__") and joints is not None) else joints
    names = [getattr(one, "name", one) for one in joints] if joints is not None else [
        name for name, one in known.items() if freedoms_of(one.kind) and one.kind != "ball"]
    for given in names:
        if given in [one.name for one in scene.rigids] and given not in known:
            refuse("motion", f"{given!r} is a rigid", "give joints; robotphi.Motion.of(recording, rigid) is what a rigid did")
        name, _, freedom = given.partition(":") if isinstance(given, str) else (given, "", "")
        joint = known[word("motion", "joint", name, tuple(known))]
        freedoms = freedoms_of(joint.kind)
        if joint.kind == "ball" or not freedoms:
            refuse("motion", f"joint {name!r} is a {joint.kind} joint, which has no coordinate that a rate belongs to",
                   "leave it out, or read it by recording.joint")
        if freedom:
            word("motion", f"freedom of {name!r}", freedom, tuple(each.name for each in freedoms))
        for each in freedoms:
            if freedom in ("", each.name):
                single = len(freedoms) == 1
                found.append((name, None if single else each.name, name if single else f"{name}:{each.name}",
                              "rad" if each.turn else "m"))
    if not found:
        raise RecordingError("the scene of this recording has no joints with coordinates, so there is no motion to tell")
    return found


def _tool(recording, tool):
    if tool is None:
        return None
    scene = recording.scene
    name, mark = tool if isinstance(tool, tuple) and len(tool) == 2 else (tool, None)
    name = getattr(name, "name", name)
    known = {one.name: one for one in scene.rigids}
    known |= {label: getattr(one, "placed", one) for label, one in scene.objects.items()}
    thing = known[word("motion", "tool", name, tuple(known))]
    if mark is None and not isinstance(thing, Rigid):
        refuse("motion", f"the tool is {name!r}, which is soft", "give a mark on it, as (name, mark)")
    return pose_rows(scene, "motion", thing if mark is None else (thing, mark))


def _path(recording, rows, time):
    """(n, 7) poses of the tool: positions as cubics, turns along the shortest way from frame to frame."""
    found = pose(recording.model, rows, SimpleNamespace(**vars(recording)))
    if np.array_equal(time, recording.time):
        return found
    speed = recording.rigid_velocity[:, rows[0]] if rows[1] < 0 else recording.velocity[:, rows[1]]
    place = hermite(recording.time, found[:, :3], speed, time)[0]
    return np.concatenate([place, _slerp(recording.time, found[:, 3:], time)], axis=1)


def _slerp(knots, turns, time):
    i = np.clip(np.searchsorted(knots, time, side="right") - 1, 0, len(knots) - 2)
    s = ((time - knots[i]) / (knots[i + 1] - knots[i]))[:, None]
    first, second = turns[i], turns[i + 1]
    cosine = (first * second).sum(axis=1, keepdims=True)
    second, cosine = np.where(cosine < 0.0, -second, second), np.abs(cosine)
    angle = np.arccos(np.minimum(cosine, 1.0))
    small = angle < 1e-8
    size = np.where(small, 1.0, np.sin(angle))
    mixed = np.where(small, (1.0 - s) * first + s * second,
                     (np.sin((1.0 - s) * angle) * first + np.sin(s * angle) * second) / size)
    mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
    return np.where(mixed[:, :1] < 0.0, -mixed, mixed)
