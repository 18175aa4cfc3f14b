"""Mechanisms found: rigids that joints hold together, as trees of links, parents first."""
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from robotphi.kernels.mechanism.columns import WORLD, Mechanisms
from robotphi.kernels.mechanism.kinds import FREE, JOINTS, rotation_of
from robotphi.model.arrays import aligned
from robotphi.model.massless import check_massless
from robotphi.scene.checks import refuse

SUDDEN = 1e-6   # of the largest rate of a drive: changes of its rate that are more than rounding and the ends of a spline


@dataclass
class _Link:
    """A link in the making."""
    rigid: int                     # −1 without mass
    parent: int
    freedoms: tuple
    frame: np.ndarray              # (3, 3) world, axes of its freedoms
    at: np.ndarray                 # (3,) m world, where the joint is
    joint: object = None           # None: a base that hangs on nothing
    first: int = 0                 # of its freedoms among those of the joint


@dataclass
class Built:
    """Arrays of all mechanisms, and where their coordinates start."""
    mechanisms: Mechanisms
    place: np.ndarray
    rate: np.ndarray
    turn: np.ndarray
    links: list = field(default_factory=list)


def build_mechanisms(scene, pose):
    """Links of all mechanisms of a scene; the rigids in `pose` get the velocities that the rates give them."""
    order, starts, free = [], [0], []
    for base, joints in _trees(scene):
        _add_links(scene, order, base, joints)
        starts.append(len(order))
        free.append(base is not None and not _is_held(base))
    built = _arrays(scene, pose, order, starts, free)
    check_massless(scene, built.mechanisms)
    _set_velocities(scene, pose, built)
    return built


def link_of_joint(scene, built):
    """(j,) the link that each joint of the scene moves: of several the last, which is the child."""
    last = {link.joint.name: i for i, link in enumerate(built.links) if link.joint is not None}
    return np.array([last[joint.name] for joint in scene.joints], int)


def _is_held(rigid):
    """Whether all that a rigid does is prescribed."""
    axes = rigid.support | np.array([axis in rigid.drive for axis in "xyz"])
    return bool(axes.all() and (rigid.rotation_support.all() or "rotation" in rigid.drive))


def _trees(scene):
    """(base, its joints with parents before children) of each mechanism; the base is None for the world, or a rigid.

    What hangs on the world or on held rigids comes from there; what hangs on nothing from the parent that is no child, or
    where there is none from the first rigid.
    """
    at = {}
    for joint in scene.joints:
        for end, other in ((joint.parent, joint.child), (joint.child, joint.parent)):
            at.setdefault(_key(end), []).append((joint, end, other))
    children = {_key(joint.child) for joint in scene.joints}
    roots = [None] if None in at else []
    roots += [rigid for rigid in scene.rigids if rigid.index in at and _is_held(rigid)]
    loose = [rigid for rigid in scene.rigids if rigid.index in at and not _is_held(rigid)]
    roots += [rigid for rigid in loose if rigid.index not in children] + loose
    seen, used = set(), set()
    for root in roots:
        if _key(root) in seen:
            continue
        ways = [_key(root)] if root is not None and not _is_held(root) else None
        yield from _grow(root, at, seen, used, ways)


def _key(end):
    return None if end is None else end.index


def _grow(root, at, seen, used, whole):
    """Trees behind a root: one for all where it moves, else one for each joint that hangs on it."""
    seen.add(_key(root))
    firsts = [at[_key(root)]] if whole else [[one] for one in at[_key(root)]]
    for first in firsts:
        joints, waiting = [], list(first)
        while waiting:
            joint, end, other = waiting.pop(0)
            if joint.name in used:
                continue
            used.add(joint.name)
            if _key(other) in seen or other is None or _is_held(other):
                refuse(f"joint {joint.name!r}", "it closes a loop of joints", "join one of the rigids of the loop by springs")
            seen.add(_key(other))
            joints.append((joint, end, other))
            waiting += at[_key(other)]
        if joints:
            yield root, joints


def _add_links(scene, order, base, joints):
    link = {}
    if base is None:
        link[None] = WORLD
    elif _is_held(base):
        _check_steady(scene, base)
        link[base.index] = -2 - base.index
    else:
        _check_free(base)
        link[base.index] = len(order)
        order.append(_Link(base.index, WORLD, FREE, np.eye(3), np.zeros(3)))
    for joint, end, other in joints:
        _check_free(other)
        if end is not joint.parent:
            refuse(f"joint {joint.name!r}", f"its child {joint.child.name!r} is nearer to what the mechanism hangs on than its "
                   f"parent {joint.parent.name!r}", "exchange parent and child")
        parent, first = link[_key(end)], 0
        groups = JOINTS[joint.kind].links
        frame = joint.frame
        for n, freedoms in enumerate(groups):
            last = n == len(groups) - 1
            order.append(_Link(other.index if last else -1, parent, freedoms, frame, joint.at, joint, first))
            parent, first = len(order) - 1, first + len(freedoms)
        link[other.index] = parent


def _check_steady(scene, base):
    """What hangs on a driven rigid would have to follow a sudden change of its rate by an impulse."""
    for axis, drive in base.drive.items():
        for time in drive.breakpoints[(drive.breakpoints > 0.0) & (drive.breakpoints < scene.duration)]:
            before, after = drive.rate(np.nextafter(time, 0.0)), drive.rate(time)
            if abs(after - before) > SUDDEN * np.abs(drive.rate(drive.breakpoints)).max():
                refuse(f"rigid {base.name!r}", f"its drive of {axis} goes from {before:g} to {after:g} per second at once, at "
                       f"{time:g} s, and joints hang on it", "give a drive with a smooth rate, such as a function of time")


def _check_free(rigid):
    if rigid.support.any() or rigid.rotation_support.any() or rigid.drive:
        refuse(f"rigid {rigid.name!r}", "it is held or driven on some axes and joined to others",
               "hold or drive all of it, or nothing: joints say what it may do")


def _arrays(scene, pose, order, starts, free):
    """Everything in the frames of the links as they are drawn; a link without mass has the frame of what carries it."""
    centres, axes = [], []
    rows = {name: [] for name in Mechanisms._fields if name not in ("start", "free", "mass", "link_of_rigid")}
    place, rate, turns = [], [], []
    freedom_start = [0]
    link_of_rigid = np.full(len(scene.rigids), -1)
    for i, link in enumerate(order):
        centre, turned = _drawn(pose, link.parent, centres, axes)
        base = link.joint is None
        own = pose.rigid_position[link.rigid] if link.rigid >= 0 else link.at
        frame = _matrix(pose.rigid_orientation[link.rigid]) if link.rigid >= 0 else turned
        at = np.zeros(3) if base else link.at
        centres.append(own)
        axes.append(frame)
        rows["rigid"].append(link.rigid)
        rows["parent"].append(link.parent)
        rows["rotation"].append(rotation_of(link.freedoms))
        rows["on_parent"].append(turned.T @ (at - centre))
        rows["on_child"].append(np.zeros(3) if base else frame.T @ (own - at))
        rows["drawn"].append(np.array([1.0, 0, 0, 0]) if base else _quaternion(turned.T @ frame))
        turns.append(pose.rigid_orientation[link.rigid] if base else np.array([1.0, 0, 0, 0]))
        _add_freedoms(rows, place, rate, link, turned, pose)
        freedom_start.append(len(rows["turn"]))
        if link.rigid >= 0:
            link_of_rigid[link.rigid] = i
    mass = [sum(scene.rigids[link.rigid].mass for link in order[a:b] if link.rigid >= 0)
            for a, b in pairwise(starts)]
    whole = {"rigid", "parent", "rotation", "freedom_start"}
    widths = {"on_parent": 3, "on_child": 3, "drawn": 4, "axis": 3}
    rows["freedom_start"] = freedom_start
    arrays = {name: aligned(np.reshape(values, (-1, widths[name])) if name in widths else values,
                            np.int32 if name in whole else np.float64) for name, values in rows.items()}
    mechanisms = Mechanisms(start=aligned(starts, np.int32), free=aligned(free, np.int32), mass=aligned(mass),
                            link_of_rigid=aligned(link_of_rigid, np.int32), **arrays)
    return Built(mechanisms, np.array(place), np.array(rate), np.reshape(turns, (-1, 4)), order)


def _drawn(pose, parent, centres, axes):
    """Centre and axes of a parent as it is drawn."""
    if parent >= 0:
        return centres[parent], axes[parent]
    if parent == WORLD:
        return np.zeros(3), np.eye(3)
    return pose.rigid_position[-2 - parent], _matrix(pose.rigid_orientation[-2 - parent])


def _add_freedoms(rows, place, rate, link, turned, pose):
    joint, base = link.joint, link.joint is None
    for n, freedom in enumerate(link.freedoms):
        k = link.first + n
        rows["axis"].append(turned.T @ (link.frame @ np.array(freedom.axis)))
        rows["turn"].append(freedom.turn)
        rows["slide"].append(freedom.slide if base or not JOINTS[joint.kind].pitch else joint.pitch)
        rows["drawn_at"].append(0.0 if base else joint.place[k])
        for name in ("armature", "stiffness", "rest", "viscosity"):
            rows[name].append(0.0 if base else getattr(joint, name)[k])
        if base:
            place.append(pose.rigid_position[link.rigid][n] if n < 3 else 0.0)
            rate.append(pose.rigid_velocity[link.rigid][n] if n < 3 else pose.rigid_spin[link.rigid][n - 3])
        else:
            place.append(joint.place[k])
            rate.append(joint.rate[k])


def _set_velocities(scene, pose, built):
    """Velocities of the rigids by the rates of the joints, and of their particles."""
    mechanisms, motions = built.mechanisms, []
    for i, link in enumerate(built.links):
        centre, turned, speed, spin = _motion(pose, link.parent, motions)
        own = pose.rigid_position[link.rigid] if link.rigid >= 0 else link.at
        frame = _matrix(pose.rigid_orientation[link.rigid]) if link.rigid >= 0 else turned
        own_speed, own_spin = speed + np.cross(spin, own - centre), spin.copy()
        behind = np.zeros(3) if link.joint is None else own - link.at
        for k in range(mechanisms.freedom_start[i], mechanisms.freedom_start[i + 1]):
            axis = turned @ mechanisms.axis[k]
            own_speed += built.rate[k] * (mechanisms.slide[k] * axis + np.cross(mechanisms.turn[k] * axis, behind))
            own_spin += built.rate[k] * mechanisms.turn[k] * axis
        motions.append((own, frame, own_speed, own_spin))
        if link.rigid >= 0 and link.joint is not None:
            rigid = scene.rigids[link.rigid]
            if (rigid.velocity != 0.0).any() or (rigid.spin != 0.0).any():
                refuse(f"rigid {rigid.name!r}", "it has a velocity or spin of its own, and joint "
                       f"{link.joint.name!r} decides how it moves", "give the joint a rate instead")
            pose.rigid_velocity[link.rigid], pose.rigid_spin[link.rigid] = own_speed, own_spin
            pose.velocity[rigid.particles] = own_speed + np.cross(own_spin, pose.position[rigid.particles] - own)


def _motion(pose, parent, motions):
    if parent >= 0:
        return motions[parent]
    if parent == WORLD:
        return np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3)
    i = -2 - parent
    return pose.rigid_position[i], _matrix(pose.rigid_orientation[i]), pose.rigid_velocity[i], pose.rigid_spin[i]


def _matrix(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def _quaternion(matrix):
    from robotphi.scene.rigid import quaternion_of

    return quaternion_of(matrix)
