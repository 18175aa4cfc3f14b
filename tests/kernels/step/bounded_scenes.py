"""Scenes whose bounds are held against exact eigenvalues: cloths, solids, chains of rigids, robots."""
import numpy as np

from robotphi import ContactMaterial, Scene
from robotphi.discretise import Material, deformable, discretise, rigid
from robotphi.geometry.shapes import box
from robotphi.scenario import load_scenario
from tests.kernels.step.exact import begun
from tests.speed import hand, rover


def hinge(scene, name, parent, child, at, axis, radius, k, mu, friction):
    """A hinge of six linear springs and an articular damper; `parent` and `child` list the points of their rigids."""
    axis = np.asarray(axis, float)
    across = np.cross(axis, (0.0, 0.0, 1.0) if abs(axis[2]) < 0.9 else (1.0, 0.0, 0.0))
    across /= np.linalg.norm(across)
    other = np.cross(axis, across)
    ring = [at + radius * (np.cos(t) * across + np.sin(t) * other) for t in 2 * np.pi / 3 * np.arange(3)]
    line = [at + side * radius / np.sqrt(2) * axis for side in (-1, 1)]
    outer = [len(parent) + i for i in range(3)]
    parent += ring
    inner = [len(child) + i for i in range(3)]
    child += [*line, at + radius * across]
    return name, outer, inner, k, mu, friction


def chain(links=6, light=0.02):
    """Rigids joined by hinges, every second one light and thin, the first one held."""
    scene = Scene("chain", duration=0.2, frames=2, gravity=(0, 0, -9.81))
    points = [[] for _ in range(links)]
    joints = []
    for i in range(1, links):
        at = np.array([0.3 * i, 0.0, 0.02 * i])
        joints.append((i - 1, i, hinge(scene, f"j{i}", points[i - 1], points[i], at, (0, 1, 0) if i % 2 else (0, 0.6, 0.8),
                                       0.03, 2e4, 2.0, 1e-2)))
    bodies = []
    for i in range(links):
        mass = 2.0 if i % 2 == 0 else light * 2.0
        inertia = mass * np.diag([1e-4 if i % 2 else 2e-3, 8e-3, 8e-3])
        bodies.append(scene.add_rigid(f"link {i}", np.array(points[i]), mass=mass, inertia=inertia,
                                      centre=(0.3 * i + 0.15, 0, 0.02 * i), support="xyz" if i == 0 else "",
                                      rotation_support="xyz" if i == 0 else ""))
    for parent, child, (name, outer, inner, k, mu, friction) in joints:
        a = [int(bodies[parent].particles[j]) for j in outer]
        b = [int(bodies[child].particles[j]) for j in inner]
        scene.add_linear(name, np.repeat(a, 2), np.tile(b[:2], 3), k, mu)
        scene.add_articular(f"{name}.axis", a[0], b[0], b[1], b[2], 0.0, viscosity=friction)
    return scene


def robot():
    """A UR5e that holds itself by springs about its joints."""
    from robotphi.urdf import load_urdf
    from tests.urdf.urdf_files import ARM
    scene = Scene("robot", duration=0.2, frames=2, gravity=(0, 0, -9.81))
    load_urdf(ARM).add_to(scene, "ur5e", axis_stiffness=200.0, way="springs")
    return scene


def scenario(name, **options):
    return load_scenario(name).module.build(**options)


RUBBER = {"stiffness": 1e7, "friction": 0.6, "restitution": 0.3, "speed": 1.0}


def pad():
    """A soft pad on the ground, a block on it."""
    contact = ContactMaterial(**RUBBER)
    scene = Scene("pad", duration=0.2, frames=2, gravity=(0, 0, -9.81))
    scene.add_plane("ground", contact=contact)
    foam = Material(young=1e6, density=1000.0, damping_ratio=0.1)
    soft = deformable(discretise(box((0.1, 0.1, 0.05), (0, 0, 0.0249)), counts=(3, 3, 2)), foam)
    scene.add_object("pad", soft, contact=contact)
    scene.add_object("block", rigid(box((0.08, 0.08, 0.08), (0.005, 0, 0.0897)), density=2000.0), contact=contact)
    return scene


def pile(light=0.1):
    """Two boxes on the ground, a heavy one on a light one, and balls on top."""
    contact = ContactMaterial(**RUBBER)
    scene = Scene("pile", duration=0.2, frames=2, gravity=(0, 0, -9.81))
    scene.add_plane("ground", contact=contact)
    for k, density in enumerate((light, 1.0)):
        thing = rigid(box((0.1, 0.12, 0.1), (0.01 * k, 0, 0.05 + 0.0999 * k)), density=1000.0 * density)
        scene.add_object(f"box {k}", thing, contact=contact)
    for i in range(9):
        at = (0.03 * (i % 3) - 0.02, 0.03 * (i // 3) - 0.03, 0.2097)
        scene.add_ball(f"ball {i}", at, 0.01, density=1000.0, contact=contact)
    return scene


def slender():
    """A long thin capsule that lies on the ground and spins about its middle, and rolls."""
    scene = Scene("slender", duration=0.2, frames=2, gravity=(0, 0, -9.81))
    contact = ContactMaterial(**RUBBER)
    scene.add_plane("ground", contact=contact)
    scene.add_capsule("capsule", (-0.5, 0, 0.00995), (0.5, 0, 0.00995), 0.01, density=1000.0, contact=contact)
    return scene


SCENES = {
    "cloth": lambda: begun(scenario("cloth_study", size=9, duration=0.3, frames=6), 0.25),
    "cloth waves": lambda: begun(scenario("cloth_waves", size=9, duration=1.0, frames=4), 0.5),
    "soft bar": lambda: begun(scenario("soft_bar", cells=2), 0.01),
    "jelly cube": lambda: begun(scenario("jelly_cube", cells=3, duration=0.4, frames=4), 0.3),
    "chain": lambda: begun(chain(), 0.1),
    "double pendulum": lambda: begun(scenario("double_pendulum"), 0.2),
    "robot": lambda: begun(robot(), 0.1),
    "pad": lambda: begun(pad(), 0.1),
    "pile": lambda: begun(pile(), 0.1),
    "slender": lambda: begun(slender(), 0.1),
    "rover": lambda: begun(rover.build(duration=1.0, frames=25), 0.6),
    "hand": lambda: begun(hand.build(duration=1.0, frames=25), 0.6),
    "soft hand": lambda: begun(hand.build(soft=True, duration=1.0, frames=25), 0.04),
}
