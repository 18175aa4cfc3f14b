"""Measures: by hand, by finite differences, and against the ledger of the compiled loop."""
import numpy as np
import pytest

from robotphi import Drive, Scene, Stepping, Table, build_model, simulate
from robotphi.errors import SceneError
from robotphi.record import measure
from robotphi.record.springs import drive_value, rests, spring_count, springs

SMALL = 1e-6  # step of central differences: error of order SMALL² and rounding/SMALL


@pytest.fixture(scope="module")
def scene():
    made = Scene("all kinds", duration=0.5, frames=10, stepping=Stepping(attempt_limit=100_000))
    places = np.array([[0, 0, 0], [1, 0, 0], [1.2, 0.9, 0.1], [0.3, 1.1, 0.8], [-0.5, 0.4, 0.9], [0.1, -0.7, 0.4]])
    p = made.add_particles("p", places, [1.0, 2.0, 1.5, 0.5, 1.0, 3.0], velocity=0.1 * places[::-1])
    made.add_linear("plain", p[:2], p[1:3], stiffness=[50.0, 80.0], viscosity=0.5, rest_length=0.9)
    made.add_linear("driven", p[2], p[3], stiffness=40.0, rest_length=1.0, drive=Drive.sine(0.1, 2.0))
    made.add_linear("cable", p[3], p[4], stiffness=30.0, rest_length=3.0, tension_only=True)
    made.add_linear("tissue", p[4], p[5], table=Table([0.0, 0.5, 1.0], [0.0, 2.0, 10.0]), rest_length=0.8)
    made.add_angular("corner", p[0], p[1], p[2], stiffness=3.0, viscosity=0.2, rest_angle=2.0)
    made.add_angular("driven corner", p[1], p[2], p[3], stiffness=2.0, normal=(0, 0, 1), drive=Drive.constant(0.1))
    made.add_articular("hinge", p[0], p[1], p[2], p[3], stiffness=1.5, viscosity=0.1, rest_angle=0.3)
    corners = [[3, 0, 0], [4, 0, 0], [3, 1, 0], [3, 0, 1]]
    made.add_rigid("box", corners, mass=2.0, velocity=(0.1, 0, 0), spin=(0.3, 0.2, 0.1))
    made.add_sensor("tip", "position", int(p[3]))
    made.add_sensor("pull", "tension", ("plain", 1))
    made.add_sensor("span", "length", "plain")
    made.add_sensor("turn", "angle", "hinge")
    made.add_sensor("bend", "bend", "corner")
    made.add_sensor("torque", "moment", "hinge")
    made.add_sensor("energy", "kinetic_energy", None)
    made.add_sensor("drift", "momentum", None)
    made.add_sensor("heart", "centre", None)
    made.add_sensor("box spin", "spin", "box")
    made.add_sensor("pace", "speed", "box")
    return made


@pytest.fixture(scope="module")
def model(scene):
    return build_model(scene)


@pytest.fixture(scope="module")
def recording(scene):
    done = simulate(scene)
    assert done.status == "done", "the scene should need some hundred steps"
    return done


def test_springs_come_in_the_order_in_which_they_were_added(model):
    linear = springs(model, "linear")
    assert spring_count(model, "linear") == 5
    assert linear.first.tolist() == [0, 1, 2, 3, 4]
    assert linear.rest[:4].tolist() == [0.9, 0.9, 1.0, 3.0]
    assert (linear.row >= 0).tolist() == [False, False, True, True, True]
    assert springs(model, "linear", [3, 1]).first.tolist() == [3, 1]


def test_lengths_elongations_and_slack_cables_by_hand(model):
    x = model.position
    distance = np.linalg.norm(x[3] - x[4])
    assert measure.lengths(model, x)[3] == pytest.approx(distance, rel=1e-15)
    assert measure.elongations(model, x, 0.125)[2] == pytest.approx(np.linalg.norm(x[2] - x[3]) - 1.1, rel=1e-14)
    assert measure.tensions(model, x, 0 * x, 0.0)[3] == 0.0
    assert measure.tensions(model, x, 0 * x, 0.0)[0] == pytest.approx(50.0 * 0.1, rel=1e-14)


def test_frames_give_what_each_instant_gives(model):
    many = np.stack([model.position, 1.1 * model.position, 0.9 * model.position])
    time = np.array([0.0, 0.1, 0.2])
    whole = measure.tensions(model, many, many, time)
    assert whole.shape == (3, 5)
    for k in range(3):
        np.testing.assert_array_equal(whole[k], measure.tensions(model, many[k], many[k], time[k]))


@pytest.mark.parametrize(("kind", "value"), [
    ("articular", lambda model, x: measure.angles(model, x)),
    ("angular", lambda model, x: measure.angles(model, x, kind="angular")),
])
def test_angle_rates_are_the_derivatives_of_angles(model, kind, value):
    x, velocity = model.position, np.random.default_rng(1).normal(size=model.position.shape)
    slope = (value(model, x + SMALL * velocity) - value(model, x - SMALL * velocity)) / (2 * SMALL)
    np.testing.assert_allclose(measure.angle_rates(model, x, velocity, kind=kind), slope, rtol=1e-7, atol=1e-7)


def test_a_driven_angle_lowers_the_rest_bend(model):
    corner = springs(model, "angular")
    assert rests(model, corner, 0.0)[0] == pytest.approx(np.pi - 2.0, rel=1e-15)
    assert rests(model, corner, 0.0)[1] == pytest.approx(corner.rest[1] - 0.1, rel=1e-12)


def test_drives_give_what_was_asked_for(model):
    linear = springs(model, "linear")
    time = np.linspace(0.0, 0.5, 7)
    expected = 0.1 * np.sin(2 * np.pi * 2.0 * time)
    np.testing.assert_allclose(drive_value(model.arrays.drives, linear.drive[2], time), expected, rtol=0, atol=1e-15)


def test_measured_elastic_energies_are_those_of_the_ledger(model, recording):
    law = recording.checkpoint["angular_law"]
    corner = springs(model, "angular")
    strain = measure.bends(model, recording.position, law) - rests(model, corner, recording.time)
    np.testing.assert_allclose(0.5 * strain**2 @ corner.stiffness, recording.ledger["elastic_angular"], rtol=1e-12)
    hinge = springs(model, "articular")
    turn = measure.angles(model, recording.position, recording.checkpoint["articular"]) - hinge.rest
    np.testing.assert_allclose(0.5 * turn**2 @ hinge.stiffness, recording.ledger["elastic_articular"], rtol=1e-12)


def test_measured_kinetic_energy_is_that_of_the_ledger(model, recording):
    energy = measure.kinetic_energy(model, recording.velocity, recording.rigid_velocity, recording.rigid_spin,
                                    recording.rigid_momentum)
    np.testing.assert_allclose(energy, recording.ledger["kinetic"], rtol=1e-12)


def test_sensors_record_what_measures_say(model, recording):
    x, v, time = recording.position, recording.velocity, recording.time
    np.testing.assert_array_equal(recording.sensors["tip"], x[:, 3])
    np.testing.assert_allclose(recording.sensors["pull"], measure.tensions(model, x, v, time)[:, 1], rtol=1e-13)
    np.testing.assert_allclose(recording.sensors["span"], measure.lengths(model, x)[:, :2].sum(axis=1), rtol=1e-14)
    np.testing.assert_allclose(recording.sensors["energy"], recording.ledger["kinetic"], rtol=1e-12)
    drift = measure.momentum(model, v, recording.rigid_velocity)
    np.testing.assert_allclose(recording.sensors["drift"], drift, rtol=0, atol=1e-12)
    np.testing.assert_allclose(recording.sensors["heart"], measure.centre_of_mass(model, x, recording.rigid_position),
                               rtol=1e-13, atol=1e-15)
    np.testing.assert_array_equal(recording.sensors["box spin"], recording.rigid_spin[:, 0])
    pace = np.linalg.norm(recording.rigid_velocity[:, 0], axis=1)
    np.testing.assert_allclose(recording.sensors["pace"], pace, rtol=1e-15)


def test_the_momenta_of_a_spinning_box_by_hand(model):
    spin = np.array([[0.3, 0.2, 0.1]])
    zero = 0 * model.position
    turning = np.array([[1.0, 2.0, 3.0]])
    up = np.array([[0.0, 0.0, 5.0]])
    found = measure.angular_momentum(model, model.position, zero, model.rigid_position, up, turning)
    centre = model.rigid_position[0]
    np.testing.assert_allclose(found, turning[0] + 2.0 * np.cross(centre, [0, 0, 5.0]), rtol=1e-14)
    energy = measure.kinetic_energy(model, zero, np.zeros((1, 3)), spin, turning)
    assert energy == pytest.approx(0.5 * (0.3 + 0.4 + 0.3), rel=1e-14)


def test_one_time_for_many_frames_of_driven_springs_is_refused():
    scene = Scene("driven")
    ends = scene.add_particles("end", [(0, 0, 0), (1, 0, 0)], 1.0)
    scene.add_linear("muscle", ends[0], ends[1], 100.0, drive=Drive.steps([0, 1], [0.0, 0.5]))
    model, still = build_model(scene), np.zeros((2, 2, 3))
    frames = np.stack([model.position, model.position])
    np.testing.assert_array_equal(measure.tensions(model, frames, still, np.array([0.0, 1.0])), [[0.0], [-50.0]])
    np.testing.assert_array_equal(measure.elongations(model, frames, np.array([0.0, 1.0])), [[0.0], [-0.5]])
    for wrong in (lambda: measure.tensions(model, frames, still, 0.0), lambda: measure.elongations(model, frames, 0.0)):
        with pytest.raises(SceneError, match=r"give one time per frame, such as recording\.time"):
            wrong()
