"""Mechanisms found: what joints hold together, which joints make its trees and which close its loops.

A joint that closes a loop is a closure: it has rows instead of coordinates. The tree takes those first that something acts on
along their coordinates, then those that would have most rows; it grows from the world and from what is held or driven, else
from the parent that is no child. Which end of a joint is called parent does not matter to it.
"""
from dataclasses import dataclass, field, fields
from heapq import heappop, heappush

import numpy as np

from robotphi.kernels.mechanism.kinds import JOINTS
from robotphi.scene.checks import refuse

GROUND = "ground"    # the world, and all that is held or driven
# fields of a joint that say nothing of efforts on its coordinates
PLAIN = {"name", "kind", "parent", "child", "at", "at_child", "frame", "frame_child", "pitch", "place", "rate", "rest", "size",
         "limits", "restitution", "curve", "closed", "assemble", "rate_said"}


@dataclass
class Found:
    """One mechanism: trees, each from a free rigid or, as None, from the ground; and what closes its loops."""
    trees: list                              # (root, [(joint, its end nearer to the root, the other), …])
    closures: list = field(default_factory=list)
    free: bool = False                       # nothing ties it to the ground


def find_mechanisms(scene):
    """A Found for each mechanism, those on the ground first."""
    held = {rigid.index for rigid in scene.rigids if rigid.is_prescribed}
    nodes = {rigid.index: GROUND if rigid.index in held else rigid.index for rigid in scene.rigids}
    ends = {joint.name: (_node(joint.parent, nodes), _node(joint.child, nodes)) for joint in scene.joints}
    for joint in scene.joints:
        if ends[joint.name] == (GROUND, GROUND):
            refuse(f"joint {joint.name!r}", "both its ends are held", "let one of them move")
    whole = sorted(_components(scene, ends), key=lambda joints: _rank(scene, joints, held))
    return [_found(scene, joints, ends) for joints in whole]


def _node(end, nodes):
    return GROUND if end is None else nodes[end.index]


def _components(scene, ends):
    """Lists of joints that hang together."""
    above = {}

    def top(node):
        while above.setdefault(node, node) != node:
            node = above[node]
        return node

    for joint in scene.joints:
        a, b = ends[joint.name]
        if GROUND not in (a, b):
            above[top(a)] = top(b)
    for relation in scene.relations:   # what is related moves as one
        nodes = [next(node for node in ends[name] if node != GROUND) for name, _, _ in relation.terms]
        for node in nodes[1:]:
            above[top(node)] = top(nodes[0])
    groups = {}
    for joint in scene.joints:
        moving = next(node for node in ends[joint.name] if node != GROUND)
        groups.setdefault(top(moving), []).append(joint)
    return groups.values()


def _rank(scene, joints, held):
    """Mechanisms on the world first, then those on what is held or driven, then free ones, each as they were said."""
    for n, joint in enumerate(joints):
        if joint.parent is None:
            return 0, 0, scene.joints.index(joints[n])
    on = [end.index for joint in joints for end in (joint.parent, joint.child) if end.index in held]
    return (1, min(on), scene.joints.index(joints[0])) if on else (2, _root(joints, None, set()).index, 0)


def _root(joints, ends, seen):
    """The rigid where a free tree begins: the first that is no child, else the first."""
    rigids = {end.index: end for joint in joints for end in (joint.parent, joint.child)
              if end is not None and not end.is_prescribed and end.index not in seen}
    children = {joint.child.index for joint in joints if JOINTS[joint.kind].links is not None}
    return rigids[min(rigids, key=lambda index: (index in children, index))] if rigids else None


def _found(scene, joints, ends):
    at = {}
    for joint in joints:
        for end, other in ((joint.parent, joint.child), (joint.child, joint.parent)):
            at.setdefault(_end_node(joint, end, ends), []).append((joint, end, other))
    grounded = any(GROUND in ends[joint.name] for joint in joints)
    found, seen, used = Found([], free=not grounded), set(), set()
    related = {name for relation in scene.relations for name, _, _ in relation.terms} | {one.joint for one in scene.motors}
    if any(JOINTS[joint.kind].links is not None for joint, _, _ in at.get(GROUND, [])):
        _add_tree(found, None, GROUND, at, ends, seen, used, related)
    while (root := _root(joints, ends, seen)) is not None:
        _add_tree(found, root, root.index, at, ends, seen, used, related)
    found.closures = [joint for joint in joints if joint.name not in used]
    for joint in found.closures:
        _check_plain(joint)
        if joint.name in related:
            refuse(f"joint {joint.name!r}", "it closes a loop of joints, and a relation or motor is about its coordinate",
                   "leave one joint of the loop without relations, motors, springs, friction, drives and the like")
    return found


def _end_node(joint, end, ends):
    return ends[joint.name][0 if end is joint.parent else 1]


def _add_tree(found, root, node, at, ends, seen, used, related):
    """Grow a tree: which joints are in it by their weight, in which order by their distance from the root."""
    chosen, heap, count = set(), [], 0
    seen.add(node)

    def offer(node):
        nonlocal count
        for joint, end, other in at.get(node, []):
            if JOINTS[joint.kind].links is not None:
                heappush(heap, (_weight(joint, related), count, joint, end, other))
                count += 1

    offer(node)
    while heap:
        _, _, joint, _, other = heappop(heap)
        there = _end_node(joint, other, ends)
        if there not in seen and there != GROUND:
            seen.add(there)
            chosen.add(joint.name)
            offer(there)
    order, waiting = [], list(at.get(node, []))
    while waiting:
        joint, end, other = waiting.pop(0)
        if joint.name in chosen and joint.name not in used:
            used.add(joint.name)
            order.append((joint, end, other))
            waiting += at[_end_node(joint, other, ends)]
    found.trees.append((root, order))


def _weight(joint, related):
    """Smaller: rather in the tree."""
    acted = acts_along(joint) or joint.name in related
    return not acted, not joint.rate_said, joint.kind != "screw", -len(JOINTS[joint.kind].rows)


def acts_along(joint):
    """Whether anything acts on the coordinates of a joint."""
    return (np.isfinite(joint.limits).any()
            or any(_is_there(getattr(joint, each.name)) for each in fields(joint) if each.name not in PLAIN))


def _is_there(value):
    if isinstance(value, np.ndarray):
        return bool((np.isfinite(value) & (value != 0.0)).any())
    if isinstance(value, tuple):
        return any(each is not None for each in value)
    return value is not None and value is not False and value != 0.0 and value != float("inf")


def _check_plain(joint):
    where = f"joint {joint.name!r}"
    if acts_along(joint):
        refuse(where, "it closes a loop of joints, and something acts on its coordinates as on those of all other joints of "
               "the loop", "leave one joint of the loop without stiffness, viscosity, armature and the like")
    if joint.rate_said:
        refuse(where, "it closes a loop of joints, and has a rate as all other joints of the loop have",
               "say fewer rates: those not said follow")
