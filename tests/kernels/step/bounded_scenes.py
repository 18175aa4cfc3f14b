"""Scenes whose bounds are held against exact eigenvalues: cloths, solids, chains of rigids, robots."""
import numpy as np

from robotphi import Scene
from robotphi.scenario import load_scenario
from tests.kernels.step.exact import begun


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
    from tests.urdf.urdf_files import ARM
    from robotphi.urdf import load_urdf
    scene = Scene("robot", duration=0.2, frames=2, gravity=(0, 0, -9.81))
    load_urdf(ARM).add_to(scene, "ur5e", axis_stiffness=200.0)
    return scene


def scenario(name, **options):
    return load_scenario(name).module.build(**options)


SCENES = {
    "cloth": lambda: begun(scenario("cloth_study", size=9, duration=0.3, frames=6), 0.25),
    "cloth waves": lambda: begun(scenario("cloth_waves", size=9, duration=1.0, frames=4), 0.5),
    "soft bar": lambda: begun(scenario("soft_bar", cells=2), 0.01),
    "jelly cube": lambda: begun(scenario("jelly_cube", cells=3, duration=0.4, frames=4), 0.3),
    "chain": lambda: begun(chain(), 0.1),
    "double pendulum": lambda: begun(scenario("double_pendulum"), 0.2),
    "robot": lambda: begun(robot(), 0.1),
}
