"""Arrays of mechanisms: rigids that joints hold together, as trees of links, parents first, and what closes their loops."""
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from robotphi.kernels.mechanism.columns import BY_STOPS, CLOSED_DENSE, EVENTFUL, WORLD, Closures, Mechanisms
from robotphi.kernels.mechanism.kinds import FREE, JOINTS, backwards, freedoms_of, rotation_of
from robotphi.model.arrays import aligned
from robotphi.model.assembly import assemble
from robotphi.model.closures import build_closures, matrix_of
from robotphi.model.loops import find_mechanisms
from robotphi.model.massless import check_massless
from robotphi.model.motors import freedom_numbers, with_motors
from robotphi.model.moved import check_driven, freedoms_in_loops, led_by
from robotphi.scene.checks import refuse
from robotphi.scene.drive import COMMAND
from robotphi.scene.motion import PLACE, TURN
from robotphi.scene.turns import quaternion_of

SUDDEN = 1e-6   # of the largest rate of a drive: changes of its rate that are more than rounding and the ends of a spline

OF_WHOLE = ("start", "free", "mass", "link_of_rigid", "viscous", "eventful", "led", "loop",
            "relation_start", "term_start",
            "term", "factor", "value", "motor", "damping", "motors")   # arrays that are not of links or freedoms


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
    own_at: np.ndarray = None      # (3,) m world, and (3, 3): the joint as it is drawn on the link itself
    own_frame: np.ndarray = None


@dataclass
class Built:
    """Arrays of all mechanisms, and where their coordinates start."""
    mechanisms: Mechanisms
    place: np.ndarray
    rate: np.ndarray
    turn: np.ndarray
    links: list = field(default_factory=list)
    closures: Closures = None
    relations: list = field(default_factory=list)   # names, in the order of the arrays
    motors: np.ndarray = None      # numbers in the scene, in the order of the arrays


def build_mechanisms(scene, pose, number):
    """Links of all mechanisms of a scene and the closures of their loops. The rigids in `pose` come to stand where the joints
    hold them, and get the velocities that the rates give them. `number` tells drives and tables."""
    order, starts, mechanisms = [], [0], find_mechanisms(scene)
    for found in mechanisms:
        _add_links(scene, order, found)
        starts.append(len(order))
    built = _arrays(scene, pose, order, starts, [found.free for found in mechanisms], number)
    built.mechanisms, built.motors = with_motors(
        scene, built.mechanisms, freedom_numbers(built.links, built.mechanisms.freedom_start), number)
    built.mechanisms, related = _related(scene, built, [bool(found.closures) for found in mechanisms])
    check_massless(scene, built.mechanisms)
    built.closures = build_closures(scene, pose, built.mechanisms, [found.closures for found in mechanisms], related)
    _check_loops(built)
    led, eventful = led_by(scene, built), built.mechanisms.eventful
    tied = (led == 1) | (np.diff(built.closures.start) > 0)
    built.mechanisms = built.mechanisms._replace(led=led, loop=freedoms_in_loops(built), eventful=aligned(
        np.where(tied & (eventful != 0), EVENTFUL, eventful), np.int32))
    chain = assemble(scene, pose, built)
    check_driven(built)
    _set_velocities(scene, pose, built, chain)
    return built


def _all_events(eventful):
    """What a mechanism is by its freedoms."""
    return EVENTFUL if (eventful == EVENTFUL).any() else eventful.max(initial=0)


def _related(scene, built, closed):
    """The mechanisms with their relations, those of one mechanism after those of another, those within loops last; and the rows
    of these for each mechanism."""
    mechanisms = built.mechanisms
    freedom = freedom_numbers(built.links, mechanisms.freedom_start)
    ends = mechanisms.freedom_start[mechanisms.start]
    own = []
    for relation in scene.relations:
        lost = next((name for name, k, _ in relation.terms if (name, k) not in freedom), None)
        if lost is not None:
            refuse(f"relation {relation.name!r}", f"joint {lost!r} closes a loop", "relate joints of trees")
        terms = [(freedom[name, k], factor) for name, k, factor in relation.terms]
        own.append((int(np.searchsorted(ends, terms[0][0], side="right")) - 1, terms, relation.value, relation.name))
    own.sort(key=lambda one: (closed[one[0]], one[0]))
    eventful = mechanisms.eventful.copy()
    eventful[[m for m, _, _, _ in own]] = EVENTFUL
    built.relations = [name for _, _, _, name in own]
    of_trees = [m for m, _, _, _ in own if not closed[m]]
    related = [[n for n, one in enumerate(own) if one[0] == m and closed[m]] for m in range(len(mechanisms.free))]
    return mechanisms._replace(
        relation_start=aligned(np.searchsorted(of_trees, np.arange(len(mechanisms.free) + 1)), np.int32),
        term_start=aligned(np.cumsum([0, *(len(terms) for _, terms, _, _ in own)]), np.int32),
        term=aligned([k for _, terms, _, _ in own for k, _ in terms], np.int32),
        factor=aligned([factor for _, terms, _, _ in own for _, factor in terms]),
        value=aligned([value for _, _, value, _ in own]), eventful=aligned(eventful, np.int32)), related


def freedom_rows(model, number):
    """Rows of the freedoms of a joint by its number in the scene; none of one that closes a loop."""
    counts = [len(freedoms_of(joint.kind)) if link >= 0 else 0
              for joint, link in zip(model.scene.joints, model.link_of_joint[:, 0], strict=True)]
    first = sum(counts[:number])
    return model.freedoms_of_joints[first:first + counts[number]]


def _check_loops(built):
    """Where loops are many, viscosity acts as a force, and what holds still or is driven is not known."""
    mechanisms, closures = built.mechanisms, built.closures
    viscous, forced = mechanisms.viscous.copy(), mechanisms.forced.copy()
    for m, rows in enumerate(np.diff(closures.start)):
        if closures.dense[m] == 0:
            own = slice(*mechanisms.freedom_start[mechanisms.start[m:m + 2]])
            viscous[m], forced[own] = 0, mechanisms.damping[own]
            if mechanisms.eventful[m]:
                joints = [link.joint for link in built.links[slice(*mechanisms.start[m:m + 2])] if link.joint is not None]
                first = next((joint for joint in joints
                              if joint.friction.any() or np.isfinite(joint.limits).any() or any(joint.drive)), joints[0])
                refuse(f"joint {first.name!r}", "it has dry friction, stops, a drive or a relation, in a mechanism whose loops "
                       f"are closed by {rows} rows of joints", f"close them by {CLOSED_DENSE} at most, or join some by springs")
    built.mechanisms = mechanisms._replace(viscous=aligned(viscous, np.int32), forced=aligned(forced))


def rows_of_joints(scene, built):
    """Where each joint of the scene stands in the arrays: (j, 2) the link that it moves, the last of several and −1 for
    closures, and whether that is its parent; (k,) the rows of its freedoms, one joint after the other."""
    links, rows = {}, {}
    for i, link in enumerate(built.links):
        if link.joint is not None:
            links[link.joint.name] = i, int(link.rigid != link.joint.child.index)
            first = built.mechanisms.freedom_start[i]
            rows.setdefault(link.joint.name, {}).update({freedom.name: first + n for n, freedom in enumerate(link.freedoms)})
    found = [rows[joint.name][freedom.name] for joint in scene.joints if joint.name in rows
             for freedom in freedoms_of(joint.kind)]
    return np.reshape([links.get(joint.name, (-1, 0)) for joint in scene.joints], (-1, 2)), found


def numbered_freedoms(scene, built):
    """{(joint, freedom) by their numbers in the scene: row of the coordinate}; without those of joints that close loops."""
    links, rows = rows_of_joints(scene, built)
    named = [(number, k) for number, joint in enumerate(scene.joints) if links[number, 0] >= 0
             for k in range(len(freedoms_of(joint.kind)))]
    return dict(zip(named, map(int, rows), strict=True))


def _add_links(scene, order, found):
    """Links of all trees of a mechanism; the free base of a second one moves on that of the first, if that is free as well."""
    begin, link = len(order), {None: WORLD}
    for root, joints in found.trees:
        if root is not None:
            _check_free(root)
            link[root.index] = len(order)
            parent = begin if found.free and len(order) > begin else WORLD
            order.append(_Link(root.index, parent, FREE, np.eye(3), np.zeros(3)))
        for joint, end, other in joints:
            if end is not None and end.index not in link:
                _check_steady(scene, end)
                link[end.index] = -2 - end.index
            _check_free(other)
            _add_joint(order, joint, link[None if end is None else end.index], other, end is joint.child)
            link[other.index] = len(order) - 1


def _add_joint(order, joint, parent, other, back):
    """Links of a joint, from its parent to its child or `back`."""
    forwards = JOINTS[joint.kind].links
    groups = backwards(forwards) if back else forwards
    names = [freedom.name for freedoms in forwards for freedom in freedoms]
    sides = (joint.at, joint.frame), (joint.at_child, joint.frame_child)
    (at, frame), (own_at, own_frame) = reversed(sides) if back else sides
    for n, freedoms in enumerate(groups):
        last = n == len(groups) - 1
        first = names.index(freedoms[0].name) if freedoms else 0
        order.append(_Link(other.index if last else -1, parent, freedoms, frame, at, joint, first, own_at if last else at,
                           own_frame if last else frame))
        parent = len(order) - 1


def _check_steady(scene, base):
    """What hangs on a driven rigid would have to follow a sudden change of its rate by an impulse."""
    motion = {} if base.motion is None else dict(zip(PLACE + TURN, base.motion.drives, strict=True))
    for axis, drive in {**base.drive, **motion}.items():
        if drive.kind == COMMAND:
            refuse(f"rigid {base.name!r}", f"its drive of {axis} is the command {drive.name!r}, whose rate changes at once, "
                   "and joints hang on it", "lead the rigid by a drive with a smooth rate, or set a coordinate of its joints")
        knots = drive.breakpoints
        for time in knots[(knots > 0.0) & (knots < scene.duration)]:
            before, after = drive.rate(np.nextafter(time, 0.0)), drive.rate(time)
            rounded = 2.0 * np.spacing(np.abs(drive.value(knots)).max()) / np.diff(knots).min(initial=time)
            if abs(after - before) > SUDDEN * np.abs(drive.rate(knots)).max() + rounded:
                refuse(f"rigid {base.name!r}", f"its drive of {axis} goes from {before:g} to {after:g} per second at once, at "
                       f"{time:g} s, and joints hang on it", "give a drive with a smooth rate, such as a function of time")


def _check_free(rigid):
    if rigid.prescribed.any() or rigid.turn_prescribed.any():
        refuse(f"rigid {rigid.name!r}", "it is held or driven on some axes and joined to others",
               "hold or drive all of it, or nothing: joints say what it may do")


def _arrays(scene, pose, order, starts, free, number):
    """Everything in the frames of the links as they are drawn; a link without mass has the frame of what carries it."""
    centres, axes = [], []
    rows = {name: [] for name in Mechanisms._fields if name not in OF_WHOLE}
    place, rate, turns = [], [], []
    freedom_start = [0]
    link_of_rigid = np.full(len(scene.rigids), -1)
    for i, link in enumerate(order):
        centre, turned = _drawn(pose, link.parent, centres, axes)
        base = link.joint is None
        own = pose.rigid_position[link.rigid] if link.rigid >= 0 else link.at
        frame = matrix_of(pose.rigid_orientation[link.rigid]) if link.rigid >= 0 else turned
        at, own_at = (np.zeros(3), own) if base else (link.at, link.own_at)
        drawn = frame if base or link.own_frame is link.frame else link.frame @ link.own_frame.T @ frame
        centres.append(own)
        axes.append(frame)
        rows["rigid"].append(link.rigid)
        rows["parent"].append(link.parent)
        rows["rotation"].append(rotation_of(link.freedoms))
        rows["on_parent"].append(turned.T @ (at - centre))
        rows["on_child"].append(np.zeros(3) if base else frame.T @ (own - own_at))
        alone = base and link.parent == WORLD
        rows["drawn"].append(np.array([1.0, 0, 0, 0]) if alone else quaternion_of(turned.T @ drawn))
        turns.append(pose.rigid_orientation[link.rigid] if alone else np.array([1.0, 0, 0, 0]))
        carrier = order[link.parent].rigid if link.parent >= 0 else -1
        _add_freedoms(rows, place, rate, link, turned, pose, number, carrier)
        freedom_start.append(len(rows["turn"]))
        if link.rigid >= 0:
            link_of_rigid[link.rigid] = i
    mass = [sum(scene.rigids[link.rigid].mass for link in order[a:b] if link.rigid >= 0)
            for a, b in pairwise(starts)]
    whole = {"rigid", "parent", "rotation", "freedom_start", "drive", "torque", "table"}
    widths = {"on_parent": 3, "on_child": 3, "drawn": 4, "axis": 3, "friction": 2, "limits": 2}
    rows["freedom_start"] = freedom_start
    arrays = {name: aligned(np.reshape(values, (-1, widths[name])) if name in widths else values,
                            np.int32 if name in whole else np.float64) for name, values in rows.items()}
    lossy = np.array(rows["viscosity"]) > 0.0
    stopped = np.isfinite(np.reshape(rows["limits"], (-1, 2))).any(axis=1)
    eventful = np.where((np.reshape(rows["friction"], (-1, 2))[:, 0] > 0.0) | (np.array(rows["drive"]) >= 0), EVENTFUL,
                        np.where(stopped, BY_STOPS, 0))
    ends = [freedom_start[start] for start in starts]
    none = {"motor": None, "damping": None, "motors": None,
            "relation_start": aligned(np.zeros(len(starts)), np.int32), "term_start": aligned([0], np.int32),
            "term": aligned([], np.int32), "factor": aligned([]), "value": aligned([])}
    mechanisms = Mechanisms(**none, viscous=aligned([lossy[a:b].any() for a, b in pairwise(ends)], np.int32),
                            eventful=aligned([_all_events(eventful[a:b]) for a, b in pairwise(ends)], np.int32),
                            start=aligned(starts, np.int32), free=aligned(free, np.int32), mass=aligned(mass),
                            led=aligned(np.zeros(len(free)), np.int32),
                            loop=aligned(np.full(len(rows["turn"]), -1), np.int32),
                            link_of_rigid=aligned(link_of_rigid, np.int32), **arrays)
    return Built(mechanisms, np.array(place), np.array(rate), np.reshape(turns, (-1, 4)), order)


def _drawn(pose, parent, centres, axes):
    """Centre and axes of a parent as it is drawn."""
    if parent >= 0:
        return centres[parent], axes[parent]
    if parent == WORLD:
        return np.zeros(3), np.eye(3)
    return pose.rigid_position[-2 - parent], matrix_of(pose.rigid_orientation[-2 - parent])


def _add_freedoms(rows, place, rate, link, turned, pose, number, carrier):
    joint, base = link.joint, link.joint is None
    motion = _motion_on(pose, link, carrier) if base else None
    for n, freedom in enumerate(link.freedoms):
        k = link.first + n
        rows["axis"].append(turned.T @ (link.frame @ np.array(freedom.axis)))
        rows["turn"].append(freedom.turn)
        rows["slide"].append(freedom.slide if base or not JOINTS[joint.kind].pitch else joint.pitch)
        rows["drawn_at"].append(0.0 if base else joint.place[k])
        for name in ("armature", "stiffness", "rest", "viscosity", "restitution"):
            rows[name].append(0.0 if base else getattr(joint, name)[k])
        rows["forced"].append(0.0)
        rows["friction"].append((0.0, 0.0) if base else joint.friction[k])
        # what is driven is held between its stops at the door
        rows["limits"].append((-np.inf, np.inf) if base or joint.drive[k] is not None else joint.limits[k])
        for name in ("drive", "torque"):
            rows[name].append(-1 if base or getattr(joint, name)[k] is None else number[getattr(joint, name)[k]])
        table = None if base else joint.table
        rows["table"].append(-1 if table is None else number[table])
        rows["steepest"].append(rows["stiffness"][-1] + (0.0 if table is None else table.largest_slope))
        if base:
            place.append(pose.rigid_position[link.rigid][n] if n < 3 else 0.0)
            rate.append(motion[n])
        else:
            place.append(joint.place[k])
            rate.append(joint.rate[k])


def _motion_on(pose, link, carrier):
    """Velocity and spin of a base, as seen from the rigid that carries it if one does."""
    speed, spin = pose.rigid_velocity[link.rigid], pose.rigid_spin[link.rigid]
    if carrier >= 0:
        turning = pose.rigid_spin[carrier]
        apart = pose.rigid_position[link.rigid] - pose.rigid_position[carrier]
        speed, spin = speed - pose.rigid_velocity[carrier] - np.cross(turning, apart), spin - turning
    return np.concatenate((speed, spin))


def _set_velocities(scene, pose, built, chain):
    """Velocities of the rigids by the rates of the joints, and of their particles."""
    motion = chain.motions(built.rate)
    for i, link in enumerate(built.links):
        if link.rigid >= 0 and link.joint is not None:
            rigid = scene.rigids[link.rigid]
            if (rigid.velocity != 0.0).any() or (rigid.spin != 0.0).any():
                refuse(f"rigid {rigid.name!r}", "it has a velocity or spin of its own, and joint "
                       f"{link.joint.name!r} decides how it moves", "give the joint a rate instead")
        if link.rigid >= 0:
            speed, spin = motion[i, :3], motion[i, 3:]
            pose.rigid_velocity[link.rigid], pose.rigid_spin[link.rigid] = speed, spin
            own = scene.rigids[link.rigid].particles
            pose.velocity[own] = speed + np.cross(spin, pose.position[own] - chain.centre[i])
