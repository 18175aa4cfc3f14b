"""Random trees of exact joints of all kinds, and what the kernels make of them beside the reference."""
import numpy as np

from robotphi import Drive, Scene, Simulator, Stepping, build_model
from robotphi.kernels.mechanism.kinds import JOINTS
from robotphi.kernels.step import slots
from robotphi.kernels.step.rigids import CENTRE, ORIENTATION, SPIN, VELOCITY
from robotphi.model.build import DriveList, Pose
from robotphi.model.mechanisms import build_mechanisms
from tests.kernels.mechanism.reference import Tree, matrix_of, placed, skew

BASES = ("world", "held", "driven", "turned", "free")
KINDS = ("revolute", "prismatic", "screw", "cylindrical", "universal", "planar", "ball", "fixed")
AMPLITUDE, FREQUENCY = 0.2, 0.7    # m or rad, Hz, of driven bases


def direction(random):
    d = random.normal(size=3)
    return d / np.linalg.norm(d)


def moments(random, mass, size):
    """Three that a body may have."""
    squares = random.uniform(0.05, 1.0, 3)
    return mass * size ** 2 * np.array([squares[1] + squares[2], squares[2] + squares[0], squares[0] + squares[1]])


def body(scene, random, name, centre, mass=None, size=0.3, **more):
    """A rigid of three points, turned at random."""
    mass = random.uniform(0.5, 2.0) if mass is None else mass
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    return scene.add_rigid(name, centre + size * random.normal(size=(3, 3)), mass=mass, centre=centre,
                           inertia=turn @ np.diag(moments(random, mass, size)) @ turn.T, **more)


def base_of(scene, random, kind, moving=True):
    """What the tree hangs on."""
    wave = Drive.sine(AMPLITUDE, FREQUENCY, phase=0.4)
    if kind == "world":
        return None
    if kind == "held":
        return body(scene, random, "base", random.normal(size=3), support="xyz", rotation_support="xyz")
    if kind == "driven":
        return body(scene, random, "base", random.normal(size=3), support="yz", rotation_support="xyz", drive={"x": wave})
    if kind == "turned":
        return body(scene, random, "base", random.normal(size=3), support="xyz", drive={"rotation": (direction(random), wave)})
    return body(scene, random, "base", random.normal(size=3), velocity=moving * random.normal(size=3),
                spin=moving * random.normal(size=3))


def base_motion(model, kind, time):
    """{index: (T, Ṫ, T̈)} of a held or driven base."""
    if kind in ("world", "free"):
        return {}
    rigid = model.scene.things["base"]
    i = rigid.index
    drawn = placed(matrix_of(model.rigid_orientation[i]), model.rigid_position[i])
    if kind == "held":
        return {i: (drawn, np.zeros((4, 4)), np.zeros((4, 4)))}
    rate = 2.0 * np.pi * FREQUENCY
    value = AMPLITUDE * (np.sin(rate * time + 0.4) - np.sin(0.4))
    speed, gain = AMPLITUDE * rate * np.cos(rate * time + 0.4), -AMPLITUDE * rate ** 2 * np.sin(rate * time + 0.4)
    if kind == "driven":
        shift = np.zeros((4, 4))
        shift[0, 3] = 1.0
        return {i: (drawn + value * shift, speed * shift, gain * shift)}
    axis = rigid.drive_axis
    k = skew(axis)
    turn = np.eye(3) + np.sin(value) * k + (1.0 - np.cos(value)) * k @ k
    one = placed(turn @ drawn[:3, :3], drawn[:3, 3])
    speeding, gaining = np.zeros((4, 4)), np.zeros((4, 4))
    speeding[:3, :3] = speed * k @ one[:3, :3]
    gaining[:3, :3] = (gain * k + speed ** 2 * k @ k) @ one[:3, :3]
    return {i: (one, speeding, gaining)}


def numbers_of(random, kind, springs, moving=True):
    """Keywords of a joint: rates, and what acts on its coordinates."""
    count = sum(len(freedoms) for freedoms in JOINTS[kind].links)
    if not count:
        return {}
    more = {"pitch": 0.2} if kind == "screw" else {}
    more["rate"] = random.normal(size=count) * moving
    if kind != "ball":
        more["place"] = random.normal(size=count)
        if springs:
            more["stiffness"], rest = random.uniform(0.0, 5.0, count), random.normal(size=count)
            more["rest"] = rest if moving else more["place"]
    if springs:
        more["armature"], viscosity = random.uniform(0.0, 0.2, count), random.uniform(0.0, 0.3, count)
        more["viscosity"] = viscosity * moving
    return more


def random_tree(seed, base, count=8, springs=True, gravity=(0.3, -0.2, -9.81), dt=1e-3, duration=1.0, frames=1,
                moving=True, **stepping):
    """A scene of `count` rigids on a base, each joined to one before it; unless it is to be moving, at rest, at ease,
    and without viscosity in its joints, which bounds no step."""
    random = np.random.default_rng(seed)
    stepping = stepping or {"control": "fixed", "dt": dt}
    scene = Scene(f"tree {seed}", duration=duration, frames=frames, gravity=gravity, stepping=Stepping(**stepping))
    bodies = [base_of(scene, random, base, moving)]
    kinds = list(random.permutation(KINDS)) * (count // len(KINDS) + 1)
    for n in range(count):
        parent = bodies[random.integers(max(0, len(bodies) - 3), len(bodies))]
        at = random.normal(size=3) if parent is None else parent.centre + 0.5 * random.normal(size=3)
        child = body(scene, random, f"link {n}", at + 0.5 * direction(random))
        scene.add_joint(f"joint {n}", str(kinds[n]), parent, child, at, axis=direction(random),
                        **numbers_of(random, kinds[n], springs, moving))
        bodies.append(child)
    return scene


class Beside:
    """A simulator of a tree, and the reference at its present state."""

    def __init__(self, scene, base):
        self.base, self.model = base, build_model(scene)
        self.simulator = Simulator(self.model, threads=1)
        self.tree = Tree(self.model, scene.things["base"] if base == "free" else None)
        self.order, self.ball_links = self._order(scene)
        self.simulator.begin()

    def _order(self, scene):
        """Of each freedom of the reference, which it is to the kernels; of each ball, its link."""
        built = build_mechanisms(scene, Pose(scene), DriveList(scene).number)
        starts = {None if joint is None else joint.name: start for joint, start in
                  zip((None, *self.tree.joints), (0, *self.tree.starts[:-1]), strict=True)}
        order, balls = np.zeros(self.tree.count, int), {}
        for i, link in enumerate(built.links):
            first = built.mechanisms.freedom_start[i]
            start = starts[None if link.joint is None else link.joint.name] + link.first
            for n in range(len(link.freedoms)):
                order[start + n] = first + n
            if link.joint is None or link.joint.kind == "ball":
                balls[scene.rigids[link.rigid].name if link.joint is None else link.joint.name] = (i, link)
        return order, balls

    def to(self, time):
        """Run on, and evaluate the forces anew there."""
        self.simulator.advance_to(time)
        self.refresh()

    def refresh(self):
        state = self.simulator.state
        state.begin_frame(state.time * (1.0 + 1e-9) + 1e-300)
        state.buffers.counters[slots.CHUNK] = 0
        self.simulator._loop.advance(state)

    @property
    def joints(self):
        return self.simulator.state.buffers.joints

    def numbers(self):
        """Coordinates, rates and accelerations in the order of the reference."""
        return tuple(each[self.order, 0].copy() for each in (self.joints.place, self.joints.rate, self.joints.gain))

    def turns(self):
        found = {}
        for name, (i, link) in self.ball_links.items():
            own = matrix_of(self.joints.turn[i])
            if link.joint is not None and link.joint.parent is not None:
                drawn = matrix_of(self.model.rigid_orientation[link.joint.parent.index])
                own = drawn @ own @ drawn.T
            found[name] = own
        return found

    def motions(self):
        place, rate, _ = self.numbers()
        base = base_motion(self.model, self.base, self.simulator.state.time)
        return self.tree.motions(place, rate, self.turns(), base)

    def rows(self):
        """Of each rigid by the kernels: T, and velocity with spin."""
        rigid = self.simulator.state.buffers.rigid
        return [(placed(matrix_of(row[ORIENTATION:ORIENTATION + 4]), row[CENTRE:CENTRE + 3]),
                 np.array([*row[VELOCITY:VELOCITY + 3], *row[SPIN:SPIN + 3]])) for row in rigid]

    def effort(self):
        """What springs and dampers on the coordinates do."""
        place, rate, _ = self.numbers()
        effort = np.zeros(self.tree.count)
        for joint, start in zip(self.tree.joints, self.tree.starts[:-1], strict=True):
            each = slice(start, start + len(joint.rate))
            effort[each] = -joint.stiffness * (place[each] - joint.rest) - joint.viscosity * rate[each]
        return effort

    def load(self):
        """(r, 6) of everything outside the joints."""
        return self.simulator.state.buffers.load.copy()
