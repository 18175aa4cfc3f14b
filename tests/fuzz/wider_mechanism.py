"""What random mechanisms may have beside trees and a loop: motors, relations, loops with rows too many, stiff objects.

Drawn by lots of their own, so that the rest of a seed's mechanism is what it is without.
"""
import numpy as np

from robotphi import Drive
from robotphi.discretise import Material, deformable, discretise, glue, moved, rigid
from robotphi.geometry.shapes import box
from robotphi.kernels.mechanism.kinds import JOINTS, freedoms_of


def widen(maker, scene, links, duration):
    """Add some of it to a scene whose joints are all there; `links` are those that move."""
    if maker.chance(0.3):
        add_motors(maker, scene, duration)
    if maker.chance(0.15):
        add_relation(maker, scene)
    if maker.loops and maker.chance(0.3):
        close_again(maker, scene)
    if maker.chance(0.15):
        add_parallelogram(maker, scene, links)
    elif not maker.loops and not scene.touching and maker.chance(0.15):   # mechanisms with loops take no stiff objects
        hang_object(maker, scene, links, duration)


def unmoved(scene):
    """(joint, freedom, inertia, unit) of what no drive moves, balls aside; inertia by the mass of the child."""
    found = []
    for joint in scene.joints:
        freedoms = () if joint.kind == "ball" or any(drive is not None for drive in joint.drive) else freedoms_of(joint.kind)
        for freedom in freedoms:
            turns = freedom.turn != 0.0 or joint.kind == "screw"
            found.append((joint, freedom.name if len(freedoms) > 1 else None, float(joint.child.mass), turns))
    return found


def add_motors(maker, scene, duration):
    """Servos, motors of speed and of torque, some of them at their limits."""
    for number, (joint, name, mass, turns) in enumerate(unmoved(scene)):
        if not maker.chance(0.3):
            continue
        unit = 1.0 if turns else maker.size
        size = mass * (maker.size ** 2 if turns else 1.0)
        effort = size * unit * maker.power(-1, 2) / duration ** 2
        wave = Drive.sine(unit * maker.power(-2, 0), maker.power(-1, 1) / duration)
        kind, more = maker.pick("servo", "speed", "torque"), {"limit": effort} if maker.chance(0.4) else {}
        if kind == "torque":
            more["torque"] = Drive.sine(effort, maker.power(-1, 1) / duration)
        else:
            more["damping"] = size * maker.power(-1, 4) / duration
            more["target" if kind == "servo" else "speed"] = maker.pick(0.3 * unit, wave)
        if kind == "servo":
            more["stiffness"] = size * maker.power(-1, 4) / duration ** 2
            if maker.chance(0.3):
                more["integral"] = more["stiffness"] * maker.power(-1, 1) / duration
        scene.add_motor(f"motor {number}", (joint.name, name) if name else joint.name, **more)


def add_relation(maker, scene):
    """A gear between two coordinates that are at rest at first."""
    still = [(joint.name, name) for joint, name, _, _ in unmoved(scene) if not np.any(joint.rate)]
    if len(still) > 1:
        pair = [still[k] for k in maker.random.choice(len(still), 2, replace=False)]
        scene.relate("gear", {f"{joint}:{name}" if name else joint: maker.pick(-1.0, 1.0) * maker.power(-0.5, 0.5)
                              for joint, name in pair})


def add_parallelogram(maker, scene, links):
    """Three bars with parallel axes on a link: of the five rows that close it, three follow from the others."""
    link, axis = maker.pick(*links), maker.direction()
    along = np.cross(axis, maker.direction())
    along *= 0.4 * maker.size / np.linalg.norm(along)
    beside = np.cross(axis, along) + 0.3 * along
    corners = [link.centre, link.centre + beside, link.centre + beside + along, link.centre + along]
    above = link
    for n in range(3):
        bar = maker.body(scene, f"bar {n}", 0.5 * (corners[n] + corners[n + 1]), float(link.mass) * maker.power(-1.5, 1.5))
        scene.add_joint(f"hinge {n}", "revolute", above, bar, corners[n], axis=axis)
        above = bar
    scene.add_joint("hinge 3", "revolute", link, above, corners[3], axis=axis)


def close_again(maker, scene):
    """The joint that closes a loop, twice: all of its rows follow from those of the first."""
    joint = next(joint for joint in scene.joints if joint.name == "closing")
    at = (joint.parent.centre, joint.child.centre) if joint.kind == "rod" else joint.at
    more = {"axis": joint.frame[0]} if JOINTS[joint.kind].needs_axis else {}
    scene.add_joint("closing again", joint.kind, joint.parent, joint.child, at, **more)


def hang_object(maker, scene, links, duration):
    """A soft block, glued to a rigid one that hangs on a link, its fast modes slowed down."""
    link, edge = maker.pick(*links), 0.3 * maker.size
    density = float(link.mass) * maker.power(-1, 1) / edge ** 3
    bone = rigid(box((edge, edge, edge), centre=(-edge / 2, 0, 0)), density=density)
    young = density * (edge * maker.power(1, 3) / duration) ** 2
    cells = discretise(box((edge, edge, edge), centre=(edge / 2, 0, 0)), counts=(2, 1, 1))
    thing = glue({"bone": bone, "block": deformable(cells, Material(young, density=density))})
    thing = moved(thing, link.centre + maker.size * maker.direction())
    placed = scene.add_object("soft", thing, stiff=0.01 * duration)
    scene.add_joint("soft hinge", "revolute", link, placed.rigids[0], 0.5 * (link.centre + placed.rigids[0].centre),
                    axis=maker.direction(), stiffness=float(link.mass) * (maker.size * maker.power(0, 1) / duration) ** 2)
