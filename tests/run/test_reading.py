"""Reading sensors at the present instant: the numbers that frames have, and nothing of the run changes by it."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, SceneError, Simulator, build_model

BOX = np.array([(0, 0, 0), (0.3, 0, 0), (0, 0.1, 0), (0, 0, 0.1)])


def rich(frames=8):
    """Two links with joints of several kinds, and a chain."""
    scene = Scene("rich", duration=0.4, frames=frames)
    torque, length = scene.add_command("torque", 0.3), scene.add_command("length", 0.0, rate=0.3)
    arm = scene.add_rigid("arm", BOX, mass=1.0, points={"end": (0.3, 0, 0)})
    hand = scene.add_rigid("hand", BOX + np.array((0.3, 0, 0)), mass=0.5, frames={"tool": ((0.6, 0, 0), (1, 0, 0, 0))})
    scene.add_joint("shoulder", "revolute", None, arm, at=(0, 0, 0), axis=(0, 0, 1), torque=torque, friction=0.01)
    scene.add_joint("wrist", "ball", arm, hand, at=(0.3, 0, 0))
    chain = scene.add_particles("chain", [(0, 2, 0), (0.1, 2, 0), (0.2, 2, 0)], 0.1, support=["xyz", "", ""])
    scene.add_linear("plain", chain[[0, 1]], chain[[2, 2]], 30.0, 0.2)
    scene.add_linear("links", chain[:-1], chain[1:], 200.0, 0.1, drive=length)
    for name, quantity, of in (
            ("angle", "coordinate", "shoulder"), ("rate", "rate", "shoulder"), ("effort", "effort", "shoulder"),
            ("turn", "coordinate", ("wrist", "ry")), ("turning", "rate", ("wrist", 2)), ("power", "power", "shoulder"),
            ("force", "reaction_force", "wrist"), ("couple", "reaction_couple", "shoulder"), ("end", "position", (arm, "end")),
            ("end speed", "velocity", (arm, "end")), ("spin", "spin", hand), ("momentum", "momentum", None),
            ("energy", "kinetic_energy", arm), ("length", "length", ("links", 0)), ("pull", "tension", ("links", 1)),
            ("torque", "command", torque), ("asked length", "command", length), ("all", "tension", "plain"),
            ("long", "elongation", ("plain", 1)),
            ("strain", "strain", "plain"), ("bow", "energy", "plain"), ("swing", "speed", ("chain", 2))):
        scene.add_sensor(name, quantity, of)
    return scene


def run(scene, read):
    simulator = Simulator(build_model(scene))
    seen = []
    for k in range(1, 9):
        for time in (0.05 * k - 0.02, 0.05 * k):
            simulator.advance_to(time)
            if read:
                seen.append(simulator.read())
            simulator.set({"torque": 0.3 + 0.1 * k, "length": 0.01 * (k % 3)})
    return simulator.recording(), seen[1::2]


def test_what_is_read_is_what_frames_have_and_reading_changes_nothing():
    read, seen = run(rich(), True)
    unread, _ = run(rich(), False)
    for name, values in read.sensors.items():
        for frame, instant in enumerate(seen, 1):
            np.testing.assert_allclose(instant[name], values[frame], rtol=1e-14, atol=1e-15, err_msg=name)
    assert np.array_equal(read.position, unread.position)
    for name in read.ledger:
        assert np.array_equal(read.ledger[name], unread.ledger[name]), name
    for name, values in unread.sensors.items():
        assert np.array_equal(read.sensors[name], values), name


def test_contact_is_read_as_frames_have_it():
    def thrown():
        scene = Scene("thrown", duration=0.2, frames=4)
        rubber = ContactMaterial(stiffness=1e6, friction=0.5, damping=0.1)
        scene.add_plane("ground", contact=rubber)
        for k in range(3):
            scene.add_ball(f"ball {k}", (0.3 * k, 0, 0.05), 0.05, mass=0.1, contact=rubber, velocity=(0.5, 0, -0.2 * k))
        scene.add_sensor("force", "contact_force", "ground")
        scene.add_sensor("friction", "contact_friction", ("ball 1", "ground"))
        scene.add_sensor("area", "contact_area", "ground")
        return Simulator(build_model(scene))

    simulator, seen = thrown(), []
    for k in range(1, 5):
        simulator.advance_to(0.05 * k)
        seen.append(simulator.read())
    recording = simulator.recording()
    assert np.array_equal(recording.position, thrown().run().position)
    for name, values in recording.sensors.items():
        np.testing.assert_array_equal([instant[name] for instant in seen], values[1:], err_msg=name)
    assert any(instant["force"].any() for instant in seen)


def test_one_or_some_sensors_are_read_and_unknown_ones_refused():
    simulator = Simulator(build_model(rich()))
    assert simulator.read("angle") == 0.0
    assert simulator.read(["torque", "rate"]) == {"torque": 0.3, "rate": 0.0}
    with pytest.raises(SceneError, match="did you mean 'angle'"):
        simulator.read("angel")


def test_what_is_read_stays_as_it_was():
    simulator = Simulator(build_model(rich()))
    before = simulator.read()
    kept = {name: np.array(value) for name, value in before.items()}
    simulator.advance_to(0.2)
    for name, value in kept.items():
        assert np.array_equal(before[name], value), name
