"""Random scenes of things thrown together, valid by construction: one whole number makes the same scene everywhere and always.

Everything that can touch, on every ground: stiffness over four decades, restitution from 0.3 to 1, friction up to 1.5, sizes
and speeds over decades. Stiffnesses are chosen by how deep a hit at the speeds of the scene goes, 1e-4 to 1e-2 of the size:
much softer things can be pressed through each other, which is no fault. Where things overlap at the start it is ten times that.
"""
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from robotphi import ContactMaterial, Drive, Scene, Stepping
from robotphi.discretise import Material, deformable, discretise, rigid, sheet
from robotphi.geometry import shapes
from robotphi.geometry.hull import hull
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.polyhedron import Compound
from robotphi.geometry.rounds import sphere
from tests.fuzz.drawing import Drawer

ATTEMPTS = 3000
WORLDS = ("box", "box", "plane", "field", "free", "carried", "wall")
HARD = ("box", "slab", "icosphere", "cone", "hull", "compound", "ball")
ROLLING = ("capsule", "cylinder")           # pass through what is soft
SOFT = ("block", "sheet", "grains", "chain")


class Thing(NamedTuple):
    """What a scene is watched by."""
    name: str
    kind: str
    reach: float      # m, all of it is nearer to its centre
    core: float       # m, radius of the ball about the centre of mass inside of it; 0 where others may be within its hull
    cell: np.ndarray  # (3,) m, where it started
    rigid: int        # index, −1 for loose particles
    particles: tuple  # first and last + 1


@dataclass
class Thrower(Drawer):
    """Draws a scene of contact."""
    size: float = 1.0          # m, largest radius of a thing
    speed: float = 1.0         # m/s
    fastest: float = 1.0       # m/s, with falls
    density: float = 1000.0
    law: str = "volume"        # of balls
    depths: tuple = (-4, -2)   # powers of ten of the size that a hit goes deep
    scene: Scene = None
    materials: list = field(default_factory=list)
    things: list = field(default_factory=list)

    def turn(self):
        """A random rotation."""
        q, r = np.linalg.qr(self.random.normal(size=(3, 3)))
        q *= np.sign(np.diag(r))
        return q * np.linalg.det(q)

    # what things are made of

    def draw_material(self):
        """A hit of two cubes of this size would press them together by `depth` of it: λ depth² ~ ρ v² L."""
        depth = self.power(*self.depths)
        stiffness = self.density * self.fastest**2 / (self.size * depth**2)
        loss = self.pick("elastic", "restitution", "restitution", "damping")
        kwargs = {"restitution": dict(restitution=self.random.uniform(0.3, 1.0), speed=self.speed),
                  "damping": dict(damping=self.power(-1, 0.3) / self.speed), "elastic": {}}[loss]
        if self.chance(0.6):
            kwargs["friction"] = self.random.uniform(0.0, 1.5)
            if self.chance(0.4):
                kwargs["static_friction"] = kwargs["friction"] * self.random.uniform(1.0, 1.5)
        law = self.law if self.chance(0.7) else "volume"
        if law != "volume":
            # ½ m v² = k x^(p + 1)/(p + 1) at the depth x
            power = 1.5 if law == "hertz" else 1.0
            mass = 4.0 * self.density * self.size**3
            kwargs.update(ball_law=law, ball_stiffness=0.5 * (power + 1.0) * mass * self.fastest**2
                          / (depth * self.size) ** (power + 1.0))
        return ContactMaterial(stiffness=stiffness, **kwargs)

    def motion(self, cell):
        """Velocity, often towards the middle, and spin."""
        towards = -cell / max(np.linalg.norm(cell), 1e-9 * self.size) if self.chance(0.5) else self.direction()
        velocity = towards * self.speed * self.random.uniform(0.0, 1.0) * self.chance(0.85)
        spin = self.direction() * self.speed / self.size * self.power(-1, 0.5) * self.chance(0.5)
        return dict(velocity=velocity, spin=spin)

    def solid(self, kind, r):
        """A shape about the origin within the radius r."""
        if kind in ("box", "slab"):
            edges = self.random.uniform(0.4, 1.0, 3)
            if kind == "slab":
                edges[self.random.integers(3)] = self.random.uniform(0.1, 0.2)
            return shapes.box(2.0 * r * edges / np.linalg.norm(edges))
        if kind == "icosphere":
            return sphere(r, level=int(self.random.integers(0, 2)))
        if kind == "cone":
            return shapes.cone(0.6 * r, 0.8 * r, sides=int(self.random.integers(3, 13)), top_radius=self.pick(0.0, 0.3 * r))
        if kind == "hull":
            points = self.random.normal(size=(int(self.random.integers(6, 25)), 3))
            points *= r * self.random.uniform(0.7, 1.0, (len(points), 1)) / np.linalg.norm(points, axis=1)[:, None]
            return hull(points)
        a, b, c = r * self.random.uniform(0.25, 0.5, 3)
        parts = [shapes.box((2 * a, b, c), centre=(0.0, -b / 2, 0.0)), shapes.box((a, b, c), centre=(-a / 2, b / 2, 0.0))]
        if self.chance(0.5):
            parts.append(shapes.box((a, b, c), centre=(-a / 2, b / 2, c)))
        return Compound(parts)

    # things

    def add(self, number, kind, cell, r):
        name = f"{kind}{number}"
        contact = dict(contact=self.pick(*self.materials), contact_group=self.pick(None, None, "one", "two"))
        first, rigids = self.scene.particle_count, len(self.scene.rigids)
        core = 0.0
        density = self.density * self.power(-0.5, 0.5)
        if kind in HARD and kind != "ball":
            solid = self.solid(kind, r).transformed(self.turn())
            if kind != "compound":
                core = float((solid.offsets - solid.normals @ solid.centre).min())
            solid = solid.transformed(shift=cell)
            self.scene.add_object(name, rigid(solid, density=density), **contact, **self.motion(cell))
        elif kind == "ball":
            core = r
            self.scene.add_ball(name, cell, r, density=density, **contact, **self.motion(cell))
        elif kind in ROLLING:
            arm = self.direction() * r * 0.6
            add = self.scene.add_capsule if kind == "capsule" else self.scene.add_cylinder
            radius = r * self.random.uniform(0.2, 0.4)
            add(name, cell - arm, cell + arm, radius, density=density, **contact, **self.motion(cell))
        else:
            getattr(self, f"add_{kind}")(name, cell, r, density, contact)
        index = rigids if kind in HARD + ROLLING else -1
        self.things.append(Thing(name, kind, r, core, cell, index, (first, self.scene.particle_count)))

    def young(self, density):
        """Stiff enough that a hit does not crush a soft thing flat."""
        return density * self.fastest**2 * self.power(2.0, 3.5)

    def add_block(self, name, cell, r, density, contact):
        edges = self.random.uniform(0.5, 1.0, 3)
        shape = shapes.box(2.0 * r * edges / np.linalg.norm(edges)).transformed(self.turn(), shift=cell)
        counts = tuple(int(n) for n in self.random.integers(1, 3, 3))
        material = Material(self.young(density), density=density, damping_ratio=self.pick(0.0, 0.05, 0.5))
        motion = self.motion(cell)
        self.scene.add_object(name, deformable(discretise(shape, counts=counts), material), **contact, **motion)

    def add_sheet(self, name, cell, r, density, contact):
        n = int(self.random.integers(2, 6))
        u = np.linspace(-r, r, n + 1) / np.sqrt(2.0)
        points = np.stack([*np.meshgrid(u, u, indexing="ij"), np.zeros((n + 1, n + 1))], axis=-1).reshape(-1, 3)
        at = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
        a, b, c, d = at[:-1, :-1].ravel(), at[1:, :-1].ravel(), at[1:, 1:].ravel(), at[:-1, 1:].ravel()
        cells = {"quad": np.stack([a, b, c, d], axis=1)} if self.chance(0.5) else \
            {"triangle": np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])}
        thickness = r * self.random.uniform(0.05, 0.2)
        material = Material(self.young(density), density=density, damping_ratio=self.pick(0.0, 0.05, 0.5))
        thing = sheet(Mesh(points @ self.turn().T + cell, cells), material, thickness)
        self.scene.add_object(name, thing, self_contact=self.chance(0.3), **contact, **self.motion(cell))

    def add_grains(self, name, cell, r, density, contact):
        """Loose particles with a size, side by side."""
        count = int(self.random.integers(1, 9))
        corners = [(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
        places = self.random.permutation(corners)[:count] * r / 2.0 + cell
        radius = r * self.random.uniform(0.1, 0.25, count)
        mass = 4.0 * density * radius**3
        rows = self.scene.add_particles(name, places, mass, velocity=self.motion(cell)["velocity"] + 0.1 * self.speed
                                        * self.random.normal(size=(count, 3)))
        self.scene.add_contact_balls(f"{name} size", rows, radius, **contact)

    def add_chain(self, name, cell, r, density, contact):
        """Beads on a string of springs, which may not touch each other."""
        count = int(self.random.integers(2, 6))
        radius = r / count * self.random.uniform(0.4, 0.9)
        places = cell + self.direction() * np.linspace(-r + radius, r - radius, count)[:, None]
        mass = 4.0 * density * radius**3
        rows = self.scene.add_particles(name, places, mass, velocity=self.motion(cell)["velocity"])
        stiffness = mass * (self.fastest / radius) ** 2 * self.power(1.0, 3.0)
        self.scene.add_linear(f"{name} string", rows[:-1], rows[1:], stiffness,
                              self.pick(0.0, 0.1, 1.0) * np.sqrt(stiffness * mass))
        self.scene.add_contact_balls(f"{name} size", rows, radius, self_contact=False, **contact)


class Watched(NamedTuple):
    """A scene and what must hold in it."""
    scene: Scene
    things: list
    world: str
    planes: np.ndarray     # (k, 6) point and outward normal of planes at rest, with everything above at the start
    heights: tuple | None  # heights, spacing, origin of a field
    free: bool             # nothing outside acts on it
    overlapping: bool      # some things overlap from the start, and fly apart as they like
    between: set           # pairs of names, sorted, that may pass through each other


def random_contact_scene(seed, attempts=ATTEMPTS):
    """The Watched scene of a seed."""
    random = np.random.default_rng([seed, 4])
    made = Thrower(random)
    made.size, made.density = made.power(-2, 0.7), made.power(2, 3.9)
    made.speed = made.size * made.power(-0.5, 1.5)
    world = made.pick(*WORLDS)
    count = int(random.integers(2, 51) if made.chance(0.3) else random.integers(2, 12))
    overlapping = bool(made.chance(0.06))
    if overlapping:
        made.depths = (-2, -1)  # what is pressed together at the start holds some hundred times the energy of a hit
    spacing = (1.3 if overlapping else 2.05 * made.power(0.0, 0.3)) * made.size
    side = int(np.ceil(count ** (1.0 / 3.0) + 0.3))
    reach = 0.5 * (side - 1) * spacing
    gravity = np.zeros(3)
    fall = 0.0
    if world != "free" and (world in ("plane", "field", "carried") or made.chance(0.6)):
        g = made.speed**2 / made.size * made.power(-1.5, 0.3)
        gravity = np.array([0.0, 0.0, -g]) if world != "box" or made.chance(0.6) else g * made.direction()
        fall = 2.0 * g * 2.0 * (reach + 2.0 * made.size)
    made.fastest = float(np.sqrt(4.0 * made.speed**2 + fall))
    made.law = made.pick("volume", "hertz", "linear")
    made.materials = [made.draw_material() for _ in range(int(random.integers(1, 4)))]
    duration = made.size / made.speed * made.power(0.3, 1.5)
    made.scene = Scene(f"thrown {seed}", duration=duration, frames=60, gravity=gravity,
                       stepping=_stepping(made, count, attempts))
    cells = (np.array([(i, j, k) for i in range(side) for j in range(side) for k in range(side)], float) - (side - 1) / 2)
    # where a wall stands the cells leave a gap, half of them on either side
    cells = random.permutation(cells)[:count] * spacing
    if world == "wall":
        cells[:, 0] += np.where(cells[:, 0] >= 0.0, 1.0, -1.0) * 1.5 * made.size
    planes, heights, lift = _ground(made, world, reach + 1.3 * made.size + (1.5 * made.size if world == "wall" else 0.0))
    kinds = HARD * 3 + SOFT * 2 + (ROLLING if world in ("plane", "box", "carried") else ())
    if made.chance(0.3):
        kinds = HARD
    for number, cell in enumerate(cells):
        made.add(number, made.pick(*kinds), cell + np.array([0.0, 0.0, lift]), made.size * made.power(-0.4, 0.0))
    between = _exclusions(made)
    return Watched(made.scene, made.things, world, planes, heights, world == "free", overlapping, between)


def _stepping(made, count, attempts):
    control = made.pick(*["ledger"] * 9, "energy")
    stepping = dict(control=control, budget=made.power(-6, -2), attempt_limit=attempts)
    if control == "energy":
        energy = 4.0 * made.density * made.size**3 * made.speed**2
        stepping.update(energy_tolerance=energy * made.power(-4, -1), at_floor="accept")
    return Stepping(**stepping)


def _ground(made, world, room):
    """Add what things fall on; returns planes at rest, a field, and how much higher things are to be."""
    scene, random, planes, heights, lift = made.scene, made.random, [], None, 0.0
    if world in ("box", "wall"):
        for axis in range(3):
            for sign in (-1.0, 1.0):
                normal = -sign * np.eye(3)[axis]
                point = -room * normal
                scene.add_plane(f"side {axis} {sign:g}", point, normal, contact=made.pick(*made.materials))
                planes.append([*point, *normal])
        if world == "wall":
            size = (made.size * random.uniform(0.3, 0.8), 4.0 * room, 4.0 * room)
            scene.add_object("wall", rigid(shapes.box(size), density=1000.0), support="xyz", contact=made.pick(*made.materials))
    elif world == "plane":
        normal = np.array([*random.uniform(-0.3, 0.3, 2) * made.chance(0.5), 1.0])
        normal /= np.linalg.norm(normal)
        point = -normal * room * np.abs(normal).sum()
        scene.add_plane("ground", point, normal, contact=made.pick(*made.materials))
        planes.append([*point, *normal])
    elif world == "field":
        n, width = int(random.integers(4, 15)), 12.0 * room
        heights = (random.uniform(0.0, 1.0, (n, n)) * made.size * made.power(-1, 0.3), width / (n - 1),
                   np.array([-width / 2, -width / 2, -room]))
        lift = heights[0].max()
        scene.add_height_field("ground", *heights, contact=made.pick(*made.materials))
    elif world == "carried":
        corners = 0.1 * made.size * np.array([[1, 0, -2], [-1, 0, -2], [0, 1, -2], [0, 0, -1.0]]) - [0.0, 0.0, room]
        rate = made.speed / made.size
        if made.chance(0.5):
            drive, support, turning = {"z": Drive.sine(0.3 * made.size, 0.3 * rate * made.power(-0.5, 0.5))}, "xy", "xyz"
        else:
            times = np.array([0.0, 1.0, 2.0]) * scene.duration
            drive = {"rotation": ((0, 0, 1), Drive.table(times, times * rate * made.power(-1, 0), kind="linear"))}
            support, turning = "xyz", ""
        lifter = scene.add_rigid("lift", corners, mass=1.0, support=support, rotation_support=turning, drive=drive)
        scene.add_plane("ground", (0.0, 0.0, -room), contact=made.pick(*made.materials), rigid=lifter)
        lift = 0.3 * made.size
    return np.array(planes, float).reshape(-1, 6), heights, lift


def _exclusions(made):
    """Now and then laws and exclusions of things and groups; returns the pairs that may pass through each other."""
    scene, between = made.scene, set()
    groups = {thing.group for thing in scene.touching.values() if thing.group}
    if made.chance(0.15) and {"one", "two"} <= groups:
        first, second = made.pick(("one", "two"), ("one", "one"))
        if made.chance(0.5):
            scene.set_contact(first, second, made.draw_material())
        else:
            scene.exclude_contact(first, second)
            names = {group: {thing.name for thing in scene.touching.values() if thing.group == group} for group in groups}
            between |= {pair for a in names[first] for b in names[second] for pair in ((a, b), (b, a))}
    return between
