"""Joints held by springs, at the door: which particles stand where on the two rigids, and how stiff what is between them is.

With r the radius where springs take hold, and x, y, z the axes of the joint:

    at       three of the parent at r x, r y, r z on one of the child at the joint: k in all directions
    axes     of the parent at r e_i on the child's at r e_j, i ≠ j: two springs stretch as it turns about the third axis, k r²
    ring     three of the parent around the axis on two of the child on it, at r/√2: Σ d dᵀ = 1 each, k r² against bending
    cross    of the parent at ± r x on the child's at ± r y: these stay at right angles
    rails    angular springs at 180°: particles of the child on a line of two of the parent's, one more beside against turning

A gap is how far the two halves part at that radius under the load: k = load (reach/r)/gap, reach how far the child stands off.
"""
import numpy as np

from robotphi.scene.blocks import ParticleBlock, SpringJoint
from robotphi.scene.checks import frozen, number, numbers, refuse, word
from robotphi.scene.turns import rotation_about

GRAVITY = 9.81        # m/s², of the load that joints are made for
SHARE = 0.25          # of the reach: the radius where springs take hold
DAMPING = 0.1         # of the critical damping of the load on the springs
RAIL = 8.0            # r, half the length of a rail
KINDS = {"revolute": ("angle",), "prismatic": ("shift",), "cylindrical": ("shift", "angle"), "universal": ("first", "second"),
         "ball": ("rx", "ry", "rz"), "fixed": ()}
ON_AXIS = {"revolute": "articular", "prismatic": "linear"}   # springs on the one coordinate


def check_way(where, kind, way, gap, load):
    """Whether springs hold a joint."""
    if word(where, "way", way, ("exact", "springs")) == "exact":
        if gap is not None or load is not None:
            refuse(where, "an exact joint with a gap or a load", 'leave them out, or give way="springs"')
        return False
    if kind not in KINDS:
        refuse(where, f"a {kind} joint by springs", f'give way="exact", or one of: {", ".join(KINDS)}')
    if gap is None:
        refuse(where, "springs without a gap", "give by how much it may part under its load [m], such as gap=1e-5")
    return True


def load_of(scene, parent, child):
    """N: the weight beyond a joint, of what has been joined so far; where nothing holds that, of the heavier side."""
    (mass, held), (other, other_held) = _side(scene, child, parent), _side(scene, parent, child)
    return GRAVITY * (mass if other_held else other if held else max(mass, other))


def _side(scene, start, other):
    """Mass that hangs together with a rigid, and whether the world holds it."""
    seen, waiting, mass = {None if other is None else other.index}, [start], 0.0
    joints = [*scene.joints, *scene.spring_joints]
    while waiting:
        rigid = waiting.pop()
        if rigid is None:
            return mass, True
        if rigid.index in seen:
            continue
        seen.add(rigid.index)
        now = scene.rigids[rigid.index]
        if (now.support.all() and now.rotation_support.all()) or len(now.drive) == 4:
            return mass, True
        mass += now.mass
        for joint in joints:
            if rigid.index in (_index(joint.parent), _index(joint.child)):
                waiting.append(joint.child if _index(joint.parent) == rigid.index else joint.parent)
    return mass, False


def _index(rigid):
    return None if rigid is None else rigid.index


def spring_joint(scene, name, kind, parent, child, at, frame, place, gap, load, stiffness, rest, viscosity):
    """Add the particles and springs of a joint, all checked, and return its handle."""
    where = f"joint {name!r}"
    for part in ("springs", "axis", "parent", "child"):
        scene._new_name("joint", f"{name}.{part}")
    place = numbers(where, "place", place, len(KINDS[kind]))
    stiffness, viscosity = (numbers(where, what, value, len(place), low=0.0)
                            for what, value in (("stiffness", stiffness), ("viscosity", viscosity)))
    if (stiffness.any() or viscosity.any()) and kind not in ON_AXIS:
        refuse(where, f"stiffness or viscosity on the coordinates of a {kind} joint by springs",
               'give way="exact", or springs of your own')
    rest = place if rest is None else numbers(where, "rest", rest, len(place))
    gap = number(where, "gap", gap, above=0.0)
    load = load_of(scene, parent, child) if load is None else number(where, "load", load, above=0.0)
    if load <= 0.0:
        refuse(where, "nothing is known of its load", "give load=, the force [N] that it is made for")
    far = np.linalg.norm(scene.position[child.particles] - at, axis=1).max()
    reach = max(far, np.linalg.norm(child.centre - at), 1e-12)
    r = SHARE * reach
    k = load * max(reach / r, 2.0) / gap
    damping = 2.0 * DAMPING * np.sqrt(k * load / GRAVITY)
    held = _hold(scene, name, kind, parent, child, at, frame, float(place[0]) if len(place) else 0.0, r, k, damping)
    axis, particles = None, held.axis
    if stiffness.any() or viscosity.any():
        if kind == "revolute":
            axis = scene.add_articular(f"{name}.axis", *particles, stiffness[0], viscosity=viscosity[0], rest_angle=rest[0])
        else:
            axis = scene.add_linear(f"{name}.axis", *particles, stiffness[0], viscosity=viscosity[0],
                                    rest_length=rest[0] + held.zero)
    return SpringJoint(name, kind, parent, child, at, frame, place, held.springs, axis, float(k), float(load))


class _Held:
    """What holds a joint, in the making."""

    def __init__(self):
        self.springs, self.axis, self.zero = (), (), 0.0


def _hold(scene, name, kind, parent, child, at, frame, place, r, k, damping):
    x, y, z = frame.T
    held = _Held()
    if kind == "revolute":
        turns = [rotation_about(x, turn) @ y for turn in 2.0 * np.pi / 3.0 * np.arange(3)]
        outer = add_points(scene, f"{name}.parent", parent, [at + r * turn for turn in turns])
        inner = add_points(scene, f"{name}.child", child, [at - r / np.sqrt(2.0) * x, at + r / np.sqrt(2.0) * x,
                                                           at + r * rotation_about(x, place) @ y])
        held.springs = (_linear(scene, name, np.repeat(outer, 2), np.tile(inner[:2], 3), k, damping),)
        held.axis = (outer[0], inner[0], inner[1], inner[2])
    elif kind in ("prismatic", "cylindrical"):
        zero, long = at - (place if kind == "prismatic" else 0.0) * x, RAIL * r
        sides = (0.0, r) if kind == "prismatic" else (0.0,)
        outer = add_points(scene, f"{name}.parent", parent,
                           [zero + end * x + side * y for side in sides for end in (-long, long)])
        inner = add_points(scene, f"{name}.child", child,
                           [at - r * x, at + r * x, *([at + r * y] if kind == "prismatic" else [])])
        rows = [0, 0, 2][:len(inner)]
        ways = (2.0 / long) ** 2   # (1/p + 1/q)² in the middle of a rail: what leaves it by y bends it by y (1/p + 1/q)
        held.springs = (scene.add_angular(f"{name}.springs", outer[rows], inner, outer[np.array(rows) + 1], k / ways,
                                          viscosity=damping / ways, rest_angle=np.pi),)
        held.axis, held.zero = (outer[0], inner[0]), long - r
    else:
        outer = add_points(scene, f"{name}.parent", parent, [at + r * x, at + r * y, at + r * z, at - r * x])
        inner = add_points(scene, f"{name}.child", child, [at, at + r * x, at + r * y, at + r * z, at - r * y])
        first, second = [0, 1, 2], [0, 0, 0]
        if kind == "fixed":
            first, second = [*first, 0, 0, 1, 1, 2, 2], [*second, 2, 3, 1, 3, 1, 2]
        if kind == "universal":
            first, second = [*first, 0, 0, 3, 3], [*second, 2, 4, 2, 4]
        held.springs = (_linear(scene, name, outer[first], inner[second], k, damping),)
    return held


def _linear(scene, name, first, second, k, damping):
    return scene.add_linear(f"{name}.springs", first, second, k, viscosity=damping)


def add_points(scene, name, rigid, places):
    """Particles without mass that a rigid, or the world, carries; their indices."""
    places = frozen(np.array(places))
    nothing = np.broadcast_to(0.0, (len(places), 3))
    block = ParticleBlock(name, scene.particle_count, places, nothing, nothing[:, 0],
                          np.broadcast_to(rigid is None, (len(places), 3)), rigid=-1 if rigid is None else rigid.index)
    rows = scene._keep_particles(block)
    if rigid is not None:
        scene._carry(rigid.index, rows)
    return rows
