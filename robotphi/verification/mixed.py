"""One scene with everything: two rigids, particles, and all three springs between them, free or under gravity.

Shared by the cases here and by the tests of steps, bits and plain Python.
"""
import numpy as np

from robotphi import Drive, Scene, Table

KINDS = ("linear", "angular", "articular")
TETRAHEDRON = np.array([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * 0.25
PLATE = np.array([[2.2, 0.3, 0.0], [2.2, -0.2, 0.5], [2.6, 0.1, 0.3], [2.5, 0.2, -0.3]])
# A bent and twisted line with a straight tail. The arms of the articular springs stand well off their axes: an arm that
# reaches its axis has no angle, and viscosity about the axis leads it there.
LINE = np.array([[0.7, 0.0, 0.0], [1.0, 0.35, 0.0], [1.4, 0.3, 0.35],
                 [1.75, -0.05, 0.2], [2.0, -0.35, 0.05], [2.25, -0.65, -0.1]])


def mixed_scene(stepping, duration, frames, damping=0.0, plastic=(), gravity=(0, 0, 0), driven=False):
    """A line of particles between a tetrahedron and a plate, twisted, bent, stretched and thrown.

    Args:
        damping: viscosity over stiffness of every spring [s]; 0 leaves the scene conservative.
        plastic: the kinds of spring that yield under the motion, some of `KINDS`.
        driven: with drives in a spring of each kind, a force, a torque, a cable and a spring with a toe.
    """
    scene = Scene("mixed", duration=duration, frames=frames, gravity=gravity, stepping=stepping)
    left = scene.add_rigid("block", TETRAHEDRON, mass=[0.3, 0.4, 0.5, 0.6], velocity=(0.1, 0.0, 0.2),
                           spin=(0.5, -0.3, 0.4)).particles
    plate = scene.add_rigid("plate", PLATE, mass=1.2, inertia=(0.1, 0.12, 0.18), velocity=(0.0, 0.1, -0.1),
                            spin=(0.2, 0.6, -0.3))
    right = plate.particles
    line = scene.add_particles("line", LINE, [0.2, 0.3, 0.25, 0.3, 0.2, 0.15],
                               velocity=[(0.3, 0, 0), (0, -0.2, 0.1), (0, 0.3, 0), (0.1, 0, -0.2), (0, 0, 0), (0, 0.2, 0.2)])

    def coefficients(stiffness):
        return {"stiffness": stiffness, "viscosity": damping * stiffness}

    def yielding(kind, limit, hardening):
        # a limit that the motion reaches in its first seconds
        name = "yield_force" if kind == "linear" else "yield_moment"
        return {name: limit, "hardening": hardening} if kind in plastic else {}

    ends = [line[0]] * 3 + [line[1]] * 2 + [line[3]] * 3 + [line[2]] * 2
    scene.add_linear("ties", [*left[:3], *left[:2], *right[:3], *right[:2]], ends, **coefficients(60.0))
    scene.add_linear("links", line[:-1], line[1:], rest_length=0.44, **coefficients(60.0), **yielding("linear", 1.0, 5.0))
    scene.add_angular("bends", line[:-4], line[1:-3], line[2:-2], **coefficients(4.0), **yielding("angular", 0.05, 0.5))
    scene.add_angular("tail", line[3], line[4], line[5], rest_angle=np.pi, **coefficients(2.0))
    scene.add_articular("twist", left[2], *line[:3], **coefficients(1.5), **yielding("articular", 0.03, 0.2))
    scene.add_articular("wrist", *line[1:4], right[2], **coefficients(1.5))
    if driven:
        scene.add_linear("cable", line[1], right[3], tension_only=True, **coefficients(20.0))
        scene.add_linear("toe", line[4], left[0], table=Table.toe(50.0, 0.1), viscosity=10.0 * damping)
        scene.add_linear("muscle", line[5], left[1], drive=Drive.sine(0.2, 1.5), **coefficients(20.0))
        scene.add_angular("servo", line[0], line[2], line[3], drive=Drive.table([0.0, 0.5, 1.0], [0.0, 0.4, -0.2]),
                          **coefficients(1.0))
        scene.add_articular("motor", line[3], right[0], right[1], right[2], drive=Drive.sine(0.5, 1.0), **coefficients(0.5))
        scene.add_force("push", int(line[3]), (1.0, 0.5, -0.3), Drive.sine(1.0, 2.0))
        scene.add_torque("turn", plate, (0.1, -0.2, 0.3))
    return scene
