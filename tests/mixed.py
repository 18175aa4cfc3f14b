"""A free scene that mixes particles, rigids and all three springs, damped and plastic; shared by several tests."""
import numpy as np

from robotphi import Drive, Scene, Table

FRAME = np.array([[0, 0, 0], [0.4, 0, 0], [0, 0.4, 0], [0, 0, 0.4], [0.3, 0.3, 0.3]])  # particles of a rigid


def mixed_scene(seed=1, stepping=None, duration=1.0, frames=4, damped=True, plastic=True, drives=False, gravity=(0, 0, 0)):
    """Twelve particles and two rigids in a net of springs; two particles hinged on the rigids, well off their axes."""
    random = np.random.default_rng(seed)
    scene = Scene("mixed", duration=duration, frames=frames, gravity=gravity, stepping=stepping)
    angle = np.linspace(0, 1.8 * np.pi, 10)
    ring = np.column_stack((np.cos(angle), np.sin(angle), 0.2 * np.sin(3 * angle))) + random.uniform(-0.05, 0.05, (10, 3))
    places = [np.array([-1.0, 0, 1.0]), np.array([1.0, 0, 1.0])]
    hung = np.array(places) + np.array([0.2, -0.7, 0.2])
    free = scene.add_particles("free", np.vstack((ring, hung)), random.uniform(0.5, 2.0, 12),
                               velocity=random.uniform(-0.3, 0.3, (12, 3)))
    rigids = [scene.add_rigid(f"rigid{k}", FRAME + places[k], mass=random.uniform(0.3, 1.0, 5),
                              velocity=random.uniform(-0.3, 0.3, 3), spin=random.uniform(-0.5, 0.5, 3)) for k in range(2)]
    body, other = rigids[0].particles, rigids[1].particles
    mu = 0.3 if damped else 0.0
    limit = {"yield_force": 2.0, "hardening": 5.0} if plastic else {}
    bend = {"yield_moment": 0.1, "hardening": 1.0} if plastic else {}
    scene.add_linear("net", free[:9], free[1:10], 40.0, mu)
    scene.add_linear("ties", free[[0, 3, 6]], body[[0, 1, 2]], 30.0, mu, rest_length=1.2)
    scene.add_linear("hold", free[[10, 10, 11, 11]], np.array([body[0], body[1], other[0], other[1]]), 60.0, mu)
    scene.add_linear("bridge", body[[3, 4]], other[[0, 1]], 25.0, mu, rest_length=1.6, **limit)
    scene.add_linear("cable", free[2], other[2], 20.0, mu, tension_only=True)
    scene.add_linear("toe", free[5], other[3], table=Table.toe(50.0, 0.1), viscosity=mu)
    scene.add_angular("bends", free[:8], free[1:9], free[2:10], 1.0, mu * 0.1)
    scene.add_angular("straighten", free[1], free[4], body[0], 0.8, mu * 0.1, rest_angle=np.pi)
    scene.add_angular("set", free[7], body[1], other[4], 1.5, mu * 0.1, rest_angle=1.5, **bend)
    scene.add_articular("hinge", free[10], body[0], body[1], body[2], 0.7, mu * 0.1, rest_angle=2.0, **bend)
    if drives:
        scene.add_linear("muscle", free[9], body[2], 20.0, mu, drive=Drive.sine(0.2, 1.5))
        scene.add_angular("servo", free[0], free[9], free[5], 1.0, mu * 0.1,
                          drive=Drive.table([0.0, 0.5, 1.0], [0.0, 0.4, -0.2]))
        scene.add_articular("motor", free[11], other[0], other[1], other[2], 0.5, mu * 0.1, drive=Drive.sine(0.5, 1.0))
        scene.add_force("push", int(free[3]), (1.0, 0.5, -0.3), Drive.sine(1.0, 2.0))
        scene.add_torque("twist", rigids[1], (0.1, -0.2, 0.3))
    return scene
