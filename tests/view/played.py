"""A small recording that was never simulated: a net, a ball and a box that move by formulas, with contacts and a ledger."""
import numpy as np

from robotphi import ContactMaterial, Scene, build_model
from robotphi.discretise import rigid
from robotphi.geometry import shapes
from robotphi.kernels.contact.rows import CONTACTS, VERTICES
from robotphi.record.recorder import Recorder
from robotphi.scene.turns import quaternion_of, rotation_about

TIME = np.linspace(0.0, 1.2, 13)
NAME = "</script><img src=x onerror=alert(1)>&\u2028"   # what an unkind recording may be called


def scene(name=NAME):
    made = Scene(name, duration=1.2, frames=12)
    surface = ContactMaterial(1e6, friction=0.5)
    places = np.array([[x, y, 0.0] for x in range(4) for y in range(4)], float)
    net = made.add_particles("net", places, 0.5, support=["xyz"] + [""] * 15)
    number = np.arange(16).reshape(4, 4)
    pairs = np.concatenate([np.stack([number[1:].ravel(), number[:-1].ravel()], 1),
                            np.stack([number[:, 1:].ravel(), number[:, :-1].ravel()], 1)])
    made.add_linear("threads", net[pairs[:, 0]], net[pairs[:, 1]], stiffness=100.0)
    made.add_object("box", rigid(shapes.box(0.8, (6, 1, 1)), density=100.0), contact=surface)
    made.add_ball("ball", (2, 6, 1.5), 0.7, mass=1.0, contact=surface)
    made.add_plane("ground", (0, 0, -1.5), contact=surface)
    made.add_force("push", int(net[5]), (0, 0, 3.0))
    made.add_pull("lead", int(net[15]), (4.0, 4.0, 2.0), 5.0)
    return made


def recording(name=NAME):
    said = scene(name)
    model, recorder = build_model(said), Recorder(len(TIME))
    owner, start = np.asarray(said.rigid_of_particle), np.array(said.position)
    centre = np.array([rigid.centre for rigid in said.rigids])
    for time in TIME:
        turn = rotation_about(np.array([0.0, 0.6, 0.8]), 2.0 * time)
        moved = centre + np.array([0.1 * time, 0.0, -time])
        position = start * (1.0 + 0.2 * time) + np.sin(3 * start[:, :1] + time) * np.array([0.0, 0.0, 0.1])
        for index in range(len(centre)):
            position[owner == index] = moved[index] + (start[owner == index] - centre[index]) @ turn.T
        spins = np.zeros_like(centre)
        recorder.add_frame(time, position, 0.3 * position, moved, np.tile(quaternion_of(turn), (len(centre), 1)), spins,
                           spins, spins, ledger={
                                   "kinetic": np.cos(time) ** 2, "elastic_linear": np.sin(time) ** 2, "gravity": -time,
                                   "spring_dissipation": time, "work:push": 0.0, "residual": 1e-6 * time,
                                   "reference_energy": 1.0},
                           sensors={"height": position[3, 2]}, tables=_touching(time))
    info = {"scene": name, "budget": 1e-4, "control": "ledger", "sensors": [["height", "position", "m", "z"]],
            "touching": [["box", 1], ["ball", 1], ["ground", 1]]}
    return recorder.recording(info=info, statements=said.statements), model


def _touching(time):
    """One contact of the ball on the ground, from halfway on."""
    count = int(time > 0.5)
    contacts = {name: np.zeros((count, *shape), dtype) for name, (shape, dtype) in CONTACTS.items()}
    contacts["first"][:], contacts["second"][:] = 1, 2
    contacts["point"][:], contacts["normal"][:], contacts["friction"][:] = (2, 6, -1.5), (0, 0, 20.0), (4.0, 0, 0)
    vertices = {name: np.zeros((0, *shape), dtype) for name, (shape, dtype) in VERTICES.items()}
    return {"contacts": contacts, "contact_vertices": vertices}
