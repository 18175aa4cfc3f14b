"""Bounds of mechanisms beside exact eigenvalues of M⁻¹ K and M⁻¹ C in the coordinates of the joints, by differences of the
accelerations: never below, and near."""
import functools

import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Simulator, Stepping, build_model
from robotphi.discretise import rigid
from robotphi.geometry import shapes
from robotphi.kernels.contact import columns
from robotphi.kernels.step import slots
from robotphi.kernels.step.causes import cause_of
from robotphi.kernels.step.codes import LINEAR_STIFFNESS
from robotphi.kernels.step.rigids import CENTRE, MOMENTUM, ORIENTATION, SPIN, VELOCITY
from robotphi.scene.turns import quaternion_of
from tests.kernels.mechanism.reference import matrix_of, turn_about, velocity_of
from tests.kernels.mechanism.trees import Beside, base_motion, random_tree

WORST, MEDIAN = 2.0, 1.1
DIFFERENCED = 1e-5    # relative: central differences over 1e-6 of forces that rounding leaves to some 1e-12 of themselves
AMOUNT = 1e-6         # rad or m; and per second
CASES = [(base, seed) for base in ("world", "held", "free") for seed in range(4)]


def tied(seed, base, count=8, inside=False):
    """A tree at rest with springs to posts, or from link to link, none of them pulled."""
    scene = random_tree(seed, base, count=count, gravity=(0, 0, 0), moving=False)
    for joint in (one for one in scene.joints if len(one.place)):   # whose viscosity bounds no step
        scene.set_value(joint.name, "viscosity", 0.0)
    random = np.random.default_rng(100 + seed)
    for n in range(6):
        one, other = random.choice(count, 2, replace=False)
        stiffness = 10.0 ** random.uniform(1, 4)
        to = scene.things[f"link {other}"].particles[1:2] if inside else [
            scene.add_particle(f"post {n}", 2.0 * random.normal(size=3), 1.0, support="xyz")]
        scene.add_linear(f"tie {n}", scene.things[f"link {one}"].particles[:1], to, stiffness,
                         viscosity=stiffness * 10.0 ** random.uniform(-3, -2))
    return scene


class Moved(Beside):
    """The tree put where and as fast as one likes."""

    def __init__(self, scene, base):
        super().__init__(scene, base)
        self.simulator.state.buffers.counters[slots.HAS_DAMPERS] = 0   # all viscosity stays in the force
        self.place, _, _ = self.numbers()
        self.drawn_turns = self.turns()
        self.rest = np.zeros(self.tree.count)

    def put(self, place, rate, turns):
        b = self.simulator.state.buffers
        motions = self.tree.motions(place, rate, turns, base_motion(self.model, self.base, 0.0))
        b.joints.place[self.order, 0], b.joints.rate[self.order, 0] = place, rate
        for name, (i, link) in self.ball_links.items():
            drawn = np.eye(3)
            if link.joint is not None and link.joint.parent is not None:
                drawn = matrix_of(self.model.rigid_orientation[link.joint.parent.index])
            b.joints.turn[i] = quaternion_of(drawn.T @ turns[name] @ drawn)
        rigids = self.model.arrays.rigids
        for i, motion in motions.items():
            turn, speed = motion.place[:3, :3], velocity_of(motion)
            b.rigid[i, CENTRE:CENTRE + 3], b.rigid[i, ORIENTATION:ORIENTATION + 4] = motion.place[:3, 3], quaternion_of(turn)
            b.rigid[i, VELOCITY:VELOCITY + 3], b.rigid[i, SPIN:SPIN + 3] = speed[:3], speed[3:]
            b.rigid[i, MOMENTUM:MOMENTUM + 3] = turn @ (rigids.inertia[i] * (turn.T @ speed[3:]))
            rows = rigids.particle[rigids.start[i]:rigids.start[i + 1]]
            arm = rigids.local[rigids.start[i]:rigids.start[i + 1]] @ turn.T
            b.position[rows, :3], b.velocity[rows, :3] = motion.place[:3, 3] + arm, speed[:3] + np.cross(speed[3:], arm)
        self.refresh()
        return self.numbers()[2]

    def shifted(self, k, amount):
        """Coordinates and turns moved along freedom k."""
        place, turns = self.place.copy(), dict(self.drawn_turns)
        for name, (_, link) in self.ball_links.items():
            start = 3 if link.joint is None else self.tree.starts[self.tree.joints.index(link.joint)]
            if start <= k < start + 3:
                axis = np.eye(3)[k - start] if link.joint is None else link.joint.frame[:, k - start]
                turns[name] = turn_about(axis, amount) @ turns[name]
                return place, turns
        place[k] += amount
        return place, turns

    def exact(self):
        """Largest eigenvalues of M⁻¹ K and M⁻¹ C."""
        stiff, lossy = np.zeros((2, self.tree.count, self.tree.count))
        for k in range(self.tree.count):
            for sign in (-1.0, 1.0):
                place, turns = self.shifted(k, sign * AMOUNT)
                stiff[:, k] -= sign * self.put(place, self.rest, turns) / (2.0 * AMOUNT)
                rate = sign * AMOUNT * np.eye(self.tree.count)[k]
                lossy[:, k] -= sign * self.put(self.place, rate, self.drawn_turns) / (2.0 * AMOUNT)
        return tuple(float(np.linalg.eigvals(each).real.max()) for each in (stiff, lossy))


@functools.cache
def found(base, seed, count=8, inside=False):
    beside = Moved(tied(seed, base, count, inside), base)
    numbers = beside.simulator.state.buffers.numbers
    bounded = numbers[slots.SPRING_SQUARE], numbers[slots.SPRING_DAMPING]
    return beside.exact(), bounded


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(("base", "seed"), CASES)
def test_a_bound_is_a_bound(base, seed, inside):
    for quantity, exact, bounded in zip(("ω²", "c"), *found(base, seed, inside=inside), strict=True):
        assert bounded >= (1.0 - DIFFERENCED) * exact, f"{quantity} {exact:g} is above its bound {bounded:g}"


@pytest.mark.parametrize("inside", [False, True])
def test_bounds_are_near_also_of_springs_from_link_to_link(inside):
    """A mechanism of few freedoms is one body: springs within it count by what the joints leave of them."""
    ratios = np.array([np.divide(*reversed(found(*case, inside=inside))) for case in CASES])
    assert (np.median(ratios, axis=0) <= MEDIAN).all(), ratios
    assert (ratios <= WORST).all(), ratios


@pytest.mark.parametrize("seed", range(3))
def test_of_many_freedoms_as_well(seed):
    """More than are taken by their whole matrix: by iteration, with its margin of a quarter."""
    for exact, bounded in zip(*found("world", seed, 24), strict=True):
        assert (1.0 - DIFFERENCED) * exact <= bounded <= WORST * exact


def tipped(restitution=1.0, apart=-1e-4):
    """A heavy bone on a hinge with a light ball fixed to its end, which presses on a free ball, or is so far apart from it."""
    scene = Scene("tipped", duration=1.0, frames=2, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=1e-5))
    skin = ContactMaterial(stiffness=1e8, restitution=restitution, speed=1.0)
    bone = scene.add_rigid("bone", [(0.5, 0, 0)], mass=BONE, inertia=(0.01, 0.08, 0.08), centre=(0.5, 0, 0))
    scene.add_joint("hinge", "revolute", None, bone, (0, 0, 0), axis=(0, 1, 0))
    tip = scene.add_ball("tip", (1.0, 0, 0), TIP_SIZE, mass=TIP, contact=skin)
    scene.add_joint("tip on bone", "fixed", bone, tip, (1.0, 0, 0))
    scene.add_ball("ball", (1.0, 0, TIP_SIZE + BALL_SIZE + apart), BALL_SIZE, mass=BALL, contact=skin)
    return scene


BONE, TIP, TIP_SIZE, BALL, BALL_SIZE = 1.0, 1e-3, 0.01, 0.2, 0.03
GIVES_WAY = 1.0 / BALL + 1.0 / (0.08 + 0.25 * BONE + TIP + 0.4 * TIP * TIP_SIZE**2)   # 1/kg along the normal, ball and bone


def test_what_touches_a_light_tip_of_a_heavy_link_is_bounded_by_the_link():
    simulator = Simulator(build_model(tipped()), threads=1)
    simulator.begin()
    b = simulator.state.buffers
    exact = b.touch.numbers[0, columns.STEEPNESS] * GIVES_WAY
    assert exact > 1e3
    assert (1.0 - 1e-6) * exact <= b.numbers[slots.JOINT_SQUARE] <= 1.1 * exact


def test_dampers_of_contact_at_such_a_tip_as_well():
    """As few rows they are bounded by what bone and ball give way together, which of one row is what it is."""
    simulator = Simulator(build_model(tipped(0.2)), threads=1)
    simulator.begin()
    simulator.state.buffers.counters[slots.VISCOSITY] = slots.APART
    simulator.advance_to(1e-3)
    b = simulator.state.buffers
    half = b.touch.row_counts[columns.ROW_HALF]
    rows = b.touch.row[half * (len(b.touch.row) // 2):][:b.touch.row_counts[columns.ROW_COUNT + half]]
    exact = rows[0, columns.DAMPER] * GIVES_WAY
    assert len(rows) == 1
    assert exact > 1.0
    assert (1.0 - 1e-6) * exact <= b.numbers[slots.ROW_DAMPING] <= 1.01 * exact   # the bone has turned since it was taken


def test_what_a_joint_leaves_no_way_bounds_nothing_and_is_not_named():
    """An arm about y with a second one fixed to it: 1e9 N/m between the two, 100 N/m to a post 2 m above its end."""
    scene = Scene("arm", duration=1.0, gravity=(0, 0, 0))
    points = np.array([(0, 0, 0), (0.5, 0, 0), (0, 0.1, 0), (0, 0, 0.1)])
    arm = scene.add_rigid("arm", points, mass=1.0, inertia=np.full(3, 0.1), centre=(0, 0, 0))
    hand = scene.add_rigid("hand", points + np.array([0.5, 0, 0]), mass=1.0, inertia=np.full(3, 0.1), centre=(0.5, 0, 0))
    scene.add_joint("shoulder", "revolute", None, arm, at=(0, 0, 0), axis=(0, 1, 0))
    scene.add_joint("wrist", "fixed", arm, hand, at=(0.5, 0, 0))
    scene.add_linear("brace", arm.particles[2:3], hand.particles[3:4], 1e9)
    post = scene.add_particle("post", (1.0, 0, 2.0), 1.0, support="xyz")
    scene.add_linear("tie", hand.particles[1:2], post, 100.0)
    simulator = Simulator(build_model(scene), threads=1)
    simulator.begin()
    simulator.run()
    buffers = simulator.state.buffers
    exact = 100.0 * 1.0**2 / (0.1 + 0.1 + 0.5**2)   # k r²/I
    assert exact <= buffers.numbers[slots.SPRING_SQUARE] * (1.0 + DIFFERENCED) <= WORST * exact
    assert buffers.counters[slots.STIFF_CAUSE] == cause_of(LINEAR_STIFFNESS, 1)


def test_contacts_between_links_of_one_mechanism_count_as_its_joints_let_them():
    """Three cubes one after the other, along x, y and x again: the last touches the first, whose pressure pushes the last joint
    alone. With all three of mass m, M⁻¹ has 3/(2 m) there, and both surfaces together a stiffness of half of either."""
    scene = Scene("cubes", duration=2e-4, frames=1, gravity=(0, 0, 0))
    surface, side, density = ContactMaterial(young=1e6, thickness=0.02, friction=0.5), 0.1, 1000.0
    first, middle, last = (
        scene.add_object(name, rigid(shapes.box((side, side, side), centre), density=density), contact=touching)
        for name, centre, touching in (("first", (0, 0, 0), surface), ("middle", (0, 0.3, 0), None),
                                       ("last", (side - 1e-4, 0, 0), surface)))
    for name, parent, child, axis in (("a", None, first, (1, 0, 0)), ("b", first, middle, (0, 1, 0)),
                                      ("c", middle, last, (1, 0, 0))):
        scene.add_joint(name, "prismatic", parent, child, at=(0, 0, 0), axis=axis)
    simulator = Simulator(build_model(scene), threads=1)
    simulator.run()
    exact = 1.5 * (0.5 * 1e6 / 0.02 * side**2) / (density * side**3)
    assert exact <= simulator.state.buffers.numbers[slots.JOINT_SQUARE] * (1.0 + DIFFERENCED) <= MEDIAN * exact


def test_what_a_link_may_do_until_it_meets_something_is_what_its_joints_let_it():
    """A force on the light tip of a heavy bone: F L/J about the hinge, at the far side of the tip, not F/m of the tip."""
    force, inertia = 2.0, 0.08 + 0.25 * BONE + TIP + 0.4 * TIP * TIP_SIZE**2
    scene = tipped(apart=0.5)
    tip = scene.things["tip"]
    scene.add_force("push", tip, (0, 0, force))
    simulator = Simulator(build_model(scene), threads=1)
    simulator.begin()
    b, parts = simulator.state.buffers, simulator.model.arrays.contact.parts
    part = int(np.flatnonzero(parts.rigid == tip.index)[0])
    exact = force / inertia * (1.0 + TIP_SIZE)
    assert b.touch.motion[part, 4] == pytest.approx(exact, rel=1e-9)
    simulator.advance_to(2e-5)   # and so at the end of a step, by the rates of its last half
    assert b.touch.motion[part, 4] == pytest.approx(exact, rel=1e-3)
