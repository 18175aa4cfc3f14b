"""Wherever a drive is taken: a Drive, a number, or a function of time."""
import numpy as np
import pytest

from robotphi import simulate
from robotphi.errors import SceneError
from robotphi.scene import Drive, Scene

DURATION = 2.0
TIMES = np.linspace(0.0, DURATION, 41)
CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


def corner():
    """Four particles that can carry every kind of spring, and a body."""
    scene = Scene("driven", duration=DURATION, frames=4)
    scene.add_particles("p", [[1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 1]], 1.0)
    scene.add_rigid("body", np.array(CORNERS) + 5.0, 1.0)
    return scene


PLACES = {
    "linear": lambda scene, drive: scene.add_linear("d", 0, 1, 5.0, drive=drive),
    "angular": lambda scene, drive: scene.add_angular("d", 0, 1, 2, 5.0, drive=drive),
    "articular": lambda scene, drive: scene.add_articular("d", 0, 1, 2, 3, 5.0, drive=drive),
    "force": lambda scene, drive: scene.add_force("d", 0, (1, 0, 0), drive=drive),
    "torque": lambda scene, drive: scene.add_torque("d", "body", (1, 0, 0), drive=drive),
    "particle": lambda scene, drive: scene.add_particle("d", (9, 9, 9), 1.0, drive={"y": drive}),
    "particles": lambda scene, drive: scene.add_particles("d", [[9, 9, 9], [8, 8, 8]], 1.0, drive={"y": drive}),
    "rigid": lambda scene, drive: scene.add_rigid("d", CORNERS, 1.0, drive={"y": drive}),
    "rotation": lambda scene, drive: scene.add_rigid("d", CORNERS, 1.0, drive={"rotation": ((0, 0, 1), drive)}),
}


def kept(scene):
    """The drive of the thing called d."""
    drive = scene.find("d").drive
    return next(iter(drive.values())) if isinstance(drive, dict) else drive


@pytest.fixture(params=PLACES.values(), ids=PLACES.keys())
def add(request):
    return request.param


@pytest.mark.parametrize("number", [0.25, 2, np.float32(0.5), np.array(3.0)])
def test_a_number_is_a_constant_drive(add, number):
    scene = corner()
    add(scene, number)
    assert np.array_equal(kept(scene).value(TIMES), np.full(len(TIMES), float(number)))
    assert scene.sampling_errors == {}


def test_a_function_is_sampled_over_the_duration_of_the_scene(add):
    scene = corner()
    add(scene, lambda t: 0.1 * np.sin(3 * t))
    drive = kept(scene)
    np.testing.assert_allclose(drive.value(TIMES), 0.1 * np.sin(3 * TIMES), rtol=0, atol=1e-11)
    assert drive.breakpoints.tolist() == [0.0, DURATION]
    (name, error), = scene.sampling_errors.items()
    assert name.partition(":")[0] == "d"
    assert 0 < error == drive.sampling_error < 1e-11


def test_a_function_that_jumps_is_warned_of_where_the_user_gave_it(add):
    scene = corner()
    with pytest.warns(UserWarning, match=r"'d', drive.*Drive\.steps") as told:
        add(scene, lambda t: float(t > 1.0003))
    assert told[0].filename == __file__
    assert next(iter(scene.sampling_errors.values())) > 0.1


@pytest.mark.parametrize("value", ["fast", True, 1j, [1.0], float, {"x": {}}])
def test_what_is_no_drive_is_refused_with_what_would_do(add, value):
    with pytest.raises(SceneError, match=r"'d': drive.* a number, or a function of time"):
        add(corner(), value)


def test_a_number_that_is_not_finite_is_refused(add):
    with pytest.raises(SceneError, match="is nan"):
        add(corner(), float("nan"))


def test_a_function_that_fails_is_refused_with_the_time(add):
    with pytest.raises(SceneError, match=r"'d', drive.*: the function returns nan at 1\.002 s"):
        add(corner(), lambda t: t if t <= 1.0 else float("nan"))


def test_the_axes_of_a_thing_have_their_sampling_errors_apart():
    scene = corner()
    scene.add_particle("led", (9, 9, 9), 1.0, drive={"x": np.sin, "y": Drive.sine(1.0, 1.0), "z": np.cos})
    scene.add_linear("spring", 0, 1, 5.0, drive=Drive.from_function(np.sin, DURATION, samples=11))
    assert sorted(scene.sampling_errors) == ["led:x", "led:z", "spring"]
    assert scene.sampling_errors["spring"] > 100 * scene.sampling_errors["led:x"]


def test_a_function_and_a_number_drive_as_their_drives_do():
    def fall(push, rise):
        scene = Scene("fall", duration=1.0, frames=10)
        ball = scene.add_particle("ball", (0, 0, 0), 2.0)
        led = scene.add_particle("led", (1, 0, 0), 1.0, support="xy", drive={"z": rise})
        scene.add_linear("spring", ball, led, 20.0, 0.1)
        scene.add_force("push", ball, (3, 0, 0), drive=push)
        return simulate(scene, threads=1)

    plain = fall(0.5, lambda t: 0.2 * t * t)
    exact = fall(Drive.constant(0.5), Drive.from_function(lambda t: 0.2 * t * t, 1.0))
    assert np.array_equal(plain.position, exact.position)
    assert np.abs(plain.position[:, 0]).max() > 0.1


def test_rotations_about_several_axes_are_refused_as_such():
    turn = Drive.sine(0.1, 1.0)
    pairs = [((0, 0, 1), turn), ((0, 1, 0), turn)]
    for given in (pairs, tuple(pairs)):
        with pytest.raises(SceneError, match=r"several pairs; give one \(axis, Drive\)"):
            Scene("led").add_rigid("stone", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], 1.0, drive={"rotation": given})
