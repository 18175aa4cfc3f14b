"""One scene with everything: two rigids, particles, and all three springs between them, free or under gravity."""
import numpy as np

from robotphi import Scene

TETRAHEDRON = np.array([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * 0.2


def mixed_scene(stepping, duration, frames, damping=0.0, plastic=False, gravity=(0, 0, 0)):
    """A bar of four particles between a tetrahedron and a plate, twisted, bent, stretched and thrown.

    Args:
        damping: viscosity over stiffness of every spring [s]; 0 leaves the scene conservative.
        plastic: whether some springs of each kind yield under the motion.
    """
    scene = Scene("mixed", duration=duration, frames=frames, gravity=gravity, stepping=stepping)
    block = scene.add_rigid("block", TETRAHEDRON, mass=[0.3, 0.4, 0.5, 0.6], velocity=(0.1, 0.0, 0.2), spin=(0.5, -0.3, 0.4))
    plate_points = np.array([[2.4, -0.2, -0.1], [2.4, 0.3, 0.0], [2.7, 0.0, 0.3], [2.8, 0.1, -0.2]])
    plate = scene.add_rigid("plate", plate_points, mass=1.2, inertia=(0.05, 0.06, 0.09), velocity=(0.0, 0.1, -0.1),
                            spin=(0.2, 0.6, -0.3))
    bar_points = np.array([[0.7, 0.0, 0.0], [1.1, 0.15, 0.0], [1.5, 0.0, 0.1], [1.9, 0.0, -0.1]])
    bar = scene.add_particles("bar", bar_points, [0.2, 0.3, 0.25, 0.15],
                              velocity=[(0.3, 0, 0), (0, -0.2, 0.1), (0, 0.3, 0), (0.1, 0, -0.2)])
    left, right = block.particles, plate.particles

    def springs(stiffness, limit):
        # `limit` is a yield force or moment reached in the first seconds
        return {"stiffness": stiffness, "viscosity": damping * stiffness}, limit if plastic else None

    linear, yields = springs(60.0, 1.5)
    scene.add_linear("ties", [left[0], left[1], bar[3], bar[3], bar[3]], [bar[0], bar[0], *right[:3]], **linear)
    scene.add_linear("links", bar[:-1], bar[1:], rest_length=0.42, yield_force=yields,
                     hardening=5.0 if plastic else 0.0, **linear)
    angular, yields = springs(2.0, 0.05)
    scene.add_angular("bends", bar[:-2], bar[1:-1], bar[2:], yield_moment=yields, **angular)
    straight, _ = springs(1.0, None)
    scene.add_angular("straight", left[2], bar[0], bar[1], rest_angle=np.pi, **straight)
    articular, yields = springs(1.5, 0.1)
    scene.add_articular("twist", left[1], bar[0], bar[1], bar[2], yield_moment=yields, **articular)
    scene.add_articular("wrist", bar[1], bar[2], bar[3], right[1], rest_angle=0.5, **articular)
    return scene
