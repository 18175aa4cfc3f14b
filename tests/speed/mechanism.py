"""Links and hinges of springs: what rover and hand are made of, by nothing but the public interface.

A link is an object with marked points on one of its rigid parts; a hinge is what a robot's revolute joint becomes: three
particles of one link in a ring around the axis, two of the other on it, and six linear springs between them. At height r/√2
beside a ring of radius r they resist with 2 k along every direction, and with k r² bending.
"""
from dataclasses import replace
from typing import NamedTuple

import numpy as np

RING = np.sqrt(2.0)      # radius of the ring over the distance of the two particles of the axis from its plane


class Link:
    """An object in the making: points are marked until it is placed."""

    def __init__(self, name, thing, part=0, **placing):
        self.name, self.thing, self.part, self.placing = name, thing, part, placing
        self.points, self.placed = [], None

    def mark(self, point):
        """A point that goes along with the rigid part; returns what `particle` turns into its index."""
        self.points.append(np.asarray(point, float))
        return self, len(self.points) - 1

    def place(self, scene):
        self.placed = scene.add_object(self.name, marked(self.thing, self.points, self.part), **self.placing)

    @property
    def rigid(self):
        return self.placed.rigids[self.part]


def particle(mark):
    """Index in the scene of a marked point, once its link is placed."""
    link, row = mark
    return int(link.placed.particles[len(link.thing.position) + row])


def marked(thing, points, part=0):
    """The object with particles without mass of their own at these points [m], which belong to a rigid part."""
    if not len(points):
        return thing
    own = thing.rigids[part]
    particles = np.concatenate([own.particles, len(thing.position) + np.arange(len(points))])
    taken = None if own.taken is None else np.concatenate([own.taken, np.zeros(len(points))])
    rigids = [replace(own, particles=particles, taken=taken) if place == part else other
              for place, other in enumerate(thing.rigids)]
    return replace(thing, position=np.vstack([thing.position, points]), rigids=tuple(rigids),
                   mass=np.concatenate([thing.mass, np.zeros(len(points))]))


def fattened(thing, least):
    """The object with no principal moment of its rigid part below this [kg·m²]."""
    own, = thing.rigids
    moments, axes = np.linalg.eigh(own.inertia)
    return replace(thing, rigids=(replace(own, inertia=axes @ np.diag(np.maximum(moments, least)) @ axes.T),))


class Hinge(NamedTuple):
    """A hinge planned between two links; its axis goes from the first of `inner` to the second."""
    name: str
    parent: Link
    child: Link
    outer: tuple           # marks of the parent around the axis
    inner: tuple           # marks of the child on the axis
    arm: tuple             # mark of the child beside the axis
    at: np.ndarray         # m
    axis: np.ndarray


def hinge(name, parent, child, at, axis, half):
    """Mark where a hinge takes hold; the two particles on its axis are `half` [m] away from the middle `at`.

    Without `half` nothing is marked: the hinge is to be an exact joint.
    """
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    if half is None:
        return Hinge(name, parent, child, (), (), (), at, axis)
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across /= np.linalg.norm(across)
    beside, radius = np.cross(axis, across), RING * half
    turns = 2.0 * np.pi / 3.0 * np.arange(3)
    outer = tuple(parent.mark(at + radius * (np.cos(turn) * across + np.sin(turn) * beside)) for turn in turns)
    inner = tuple(child.mark(at + side * half * axis) for side in (-1.0, 1.0))
    return Hinge(name, parent, child, outer, inner, child.mark(at + radius * across), at, axis)


def place(scene, links, hinges, stiffness, damping):
    """Add links and the springs of hinges [N/m]; `damping` is viscosity over stiffness [s]. Exact ones (None) have none."""
    for link in links:
        link.place(scene)
    for each in hinges if stiffness is not None else ():
        outer, inner = ([particle(mark) for mark in marks] for marks in (each.outer, each.inner))
        scene.add_linear(each.name, np.repeat(outer, 2), np.tile(inner, 3), stiffness, viscosity=damping * stiffness)


def join(scene, each, **numbers):
    """The hinge as an exact joint of placed links; `numbers` of its coordinate, as for `Scene.add_joint`."""
    return scene.add_joint(each.name, "revolute", each.parent.rigid, each.child.rigid, each.at, axis=each.axis, **numbers)


def turning(scene, name, each, stiffness, damping, drive=None):
    """An articular spring about the axis of a hinge [N·m/rad, N·m·s/rad]; `drive` is added to its angle, the child's turn."""
    return scene.add_articular(name, particle(each.outer[0]), *map(particle, each.inner), particle(each.arm), stiffness,
                               viscosity=damping, drive=drive)
