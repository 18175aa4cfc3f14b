"""Random mechanisms that are valid by construction: trees of exact joints with or without loops, one whole number each.

Masses over six decades, springs, viscosity, dry friction, stops and drives on coordinates, springs and dampers between links,
on the world, on held and driven rigids or free, a third of them thrown on a plane; and what `wider_mechanism` has.
"""
from dataclasses import dataclass, field, replace

import numpy as np

from robotphi import ContactMaterial, Drive, Scene, Stepping
from robotphi.kernels.mechanism.kinds import JOINTS
from tests.fuzz.drawing import Drawer
from tests.fuzz.wider_mechanism import widen

ATTEMPTS = 2000
TREE_KINDS = [kind for kind, each in JOINTS.items() if each.links is not None]


@dataclass
class Mechanic(Drawer):
    """Draws a mechanism."""
    size: float = 1.0                            # m, distance of neighbours
    bodies: list = field(default_factory=list)   # handles of what moves
    loops: bool = False                          # whether a joint closes a loop: then all joints are at rest at first …
    led: bool = False                            # … and one is driven at most
    material: object = None                      # of what is thrown
    free: bool = True                            # nothing outside acts on it

    def body(self, scene, name, centre, mass, **more):
        """A ball that may touch the ground, or a rigid of a few points."""
        if scene.touching:
            radius = 0.3 * self.size
            return scene.add_ball(name, centre, radius, mass=mass, contact=self.material, contact_group="mechanism", **more)
        moments = mass * (0.3 * self.size) ** 2 * self.random.uniform(0.1, 1.0, 3)
        moments[2] = min(moments[2], 0.99 * (moments[0] + moments[1]))
        moments[1] = min(moments[1], moments[0] + moments[2])
        moments[0] = min(moments[0], moments[1] + moments[2])
        points = centre + 0.3 * self.size * self.random.normal(size=(int(self.random.integers(1, 4)), 3))
        return scene.add_rigid(name, points, mass=mass, centre=centre, inertia=tuple(moments), **more)

    def base(self, scene, mass, duration):
        """What it hangs on: None is the world."""
        kind = self.pick("world", "held", "driven", "turned", "free", "free")
        if kind == "world":
            self.free = False
            return None
        start = self.random.normal(size=3) * self.size + [0.0, 0.0, 3.0 * self.size]
        if kind == "free":
            moving = self.chance(0.7) / duration
            return self.body(scene, "base", start, mass, velocity=self.direction() * self.size * moving,
                             spin=self.direction() * moving)
        self.free = False
        wave = Drive.sine(self.power(-2, 0) * (self.size if kind == "driven" else 1.0), self.power(-1, 1) / duration)
        if kind == "held":
            return self.body(scene, "base", start, mass, support="xyz", rotation_support="xyz")
        if kind == "driven":
            return self.body(scene, "base", start, mass, support="yz", rotation_support="xyz", drive={"x": wave})
        return self.body(scene, "base", start, mass, support="xyz", drive={"rotation": (self.direction(), wave)})

    def numbers(self, kind, mass, duration):
        """What acts on the coordinates of a joint, sized by an inertia of the mass and the duration."""
        freedoms = [freedom for freedoms in JOINTS[kind].links for freedom in freedoms]
        sizes = np.array([mass * self.size ** 2 if freedom.turn or kind == "screw" else mass for freedom in freedoms])
        units = np.array([1.0 if freedom.turn or kind == "screw" else self.size for freedom in freedoms])
        more = {"pitch": self.size * self.power(-2, 0)} if kind == "screw" else {}
        if not freedoms:
            return more
        if not self.loops and self.chance(0.6):
            more["rate"] = units * self.random.normal(size=len(units)) * self.power(-1, 1) / duration
        if self.chance(0.3):
            more["armature"] = sizes * self.power(-3, 1)
        if self.chance(0.4):
            more["viscosity"] = sizes * self.power(-2, 4) / duration
        if kind != "ball" and self.chance(0.4):
            more["stiffness"] = sizes * self.power(-1, 4) / duration ** 2
            more["rest"] = units * self.random.normal(size=len(units))
        if kind != "ball" and self.chance(0.2):
            more["friction"] = np.outer(sizes * units * self.power(-2, 2) / duration ** 2, (1.2, 1.0))
        if len(freedoms) == 1 and self.chance(0.2):
            more["limits"] = (-units[0] * self.power(-2, 0), units[0] * self.power(-2, 0))
            more["restitution"] = self.pick(0.0, 0.5, 1.0)
        elif len(freedoms) == 1 and self.loops and not self.led and self.chance(0.2):
            self.led, width, pace = True, units[0] * self.power(-2, -0.5), 2.0 * np.pi * self.power(-1, 1) / duration
            more["drive"] = lambda t: width * (1.0 - np.cos(pace * t))
        return more


def random_mechanism(seed, attempts=ATTEMPTS):
    """The scene of a seed, and whether it is free (nothing outside acts on it)."""
    maker = Mechanic(np.random.default_rng(seed))
    maker.size = maker.power(-1.5, 1)
    duration = maker.power(-1, 1)
    thrown = maker.chance(0.3)
    gravity = (0.0, 0.0, 0.0)
    if thrown or maker.chance(0.5):
        down = np.array([0.0, 0.0, -1.0]) if thrown else maker.direction()
        gravity = down * maker.size * maker.power(-1, 1.5) / duration ** 2
        maker.free = False
    stepping = Stepping(budget=maker.power(-6, -2), attempt_limit=attempts)
    scene = Scene(f"mechanism {seed}", duration=duration, frames=int(maker.random.integers(1, 12)), gravity=gravity,
                  stepping=stepping)
    middle, spread = maker.random.uniform(-2, 2), maker.pick(0.0, 1.0, 3.0)
    count = int(maker.random.integers(1, 4 if maker.chance(0.3) else 16))
    masses = 10.0 ** np.clip(middle + maker.random.uniform(-spread, spread, count + 1), -3.0, 3.0)
    if thrown:
        speed = maker.size / duration
        stiffness = masses.max() * maker.power(1, 4) / (duration ** 2 * maker.size ** 2)
        maker.material = ContactMaterial(stiffness=stiffness, restitution=maker.pick(0.3, 0.8, 1.0), speed=speed,
                                         friction=maker.pick(0.0, 0.5))
        scene.add_plane("ground", contact=maker.material)
    maker.loops = count > 2 and maker.chance(0.3)
    above = [maker.base(scene, masses[-1], duration)]
    for n in range(count):
        parent = above[maker.random.integers(max(0, len(above) - 4), len(above))]
        at = parent.centre if parent is not None else np.array([0.0, 0.0, 3.0 * maker.size])
        at = at + 0.5 * maker.size * maker.direction()
        child = maker.body(scene, f"link {n}", at + 0.5 * maker.size * maker.direction(), masses[n])
        kind = maker.pick(*TREE_KINDS)
        axis = {"axis": maker.direction()} if JOINTS[kind].needs_axis else {}
        scene.add_joint(f"joint {n}", kind, parent, child, at, **axis, **maker.numbers(kind, masses[n], duration))
        above.append(child)
    if thrown:
        scene.exclude_contact("mechanism", "mechanism")
    tie(maker, scene, [body for body in above if body is not None], duration)
    if maker.loops:
        close(maker, scene, above[1:])
    widen(replace(maker, random=np.random.default_rng([seed, 1])), scene, above[1:], duration)
    return scene, maker.free


def tie(maker, scene, bodies, duration):
    """Springs and dampers between the first particles of links."""
    for k in range(int(maker.pick(0, 0, 1, 2, 4))):
        if len(bodies) < 2:
            return
        one, other = (bodies[i] for i in maker.random.choice(len(bodies), 2, replace=False))
        mass = min(float(one.mass), float(other.mass)) or 1.0
        stiffness = mass * maker.power(-1, 4) / duration ** 2
        scene.add_linear(f"tie {k}", one.particles[:1], other.particles[:1], stiffness,
                         viscosity=maker.pick(0.0, 1.0) * mass * maker.power(-2, 3) / duration)


def close(maker, scene, links):
    """A joint more between two links: it closes a loop, as drawn."""
    one, other = (links[i] for i in maker.random.choice(len(links), 2, replace=False))
    kind = maker.pick("rod", "ball", "revolute", "on_line", "on_plane")
    at = (one.centre, other.centre) if kind == "rod" else 0.5 * (one.centre + other.centre)
    more = {"axis": maker.direction()} if JOINTS[kind].needs_axis else {}
    scene.add_joint("closing", kind, one, other, at, **more)
