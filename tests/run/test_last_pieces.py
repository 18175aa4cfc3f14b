"""What a servo shows in the last frame of a run, with which the table of its target ends."""
import numpy as np

from robotphi import Drive, Scene, Simulator, build_model, simulate
from robotphi.run.last_pieces import with_last_pieces

INERTIA, STIFFNESS, DAMPING, RATE = 1.0, 100.0, 50.0, 2.0


def servo(duration=1.0, target=((0.0, 1.0), (0.0, RATE)), asked=False):
    """A wheel that is led at a steady rate up to 1 s."""
    scene = Scene("servo", duration=duration, frames=int(10 * duration), gravity=(0, 0, 0))
    wheel = scene.add_rigid("wheel", [(0, 0, 0)], mass=1.0, centre=(0, 0, 0), inertia=(INERTIA, INERTIA, INERTIA))
    scene.add_joint("axle", "revolute", None, wheel, at=(0, 0, 0), axis=(0, 0, 1))
    more = {"torque": scene.add_command("more", 0.0)} if asked else {}
    scene.add_motor("motor", "axle", target=Drive.table(*target), stiffness=STIFFNESS, damping=DAMPING, **more)
    scene.add_sensor("effort", "effort", "axle")
    return scene


def test_the_last_frame_of_a_servo_knows_the_rate_of_its_target():
    """It was damping × rate = 100 N·m, to a target that has stopped; the error goes by x'' = −50 x' − 100 x, x'(0) = 2."""
    slow, fast = np.roots([INERTIA, DAMPING, STIFFNESS])[::-1]
    time = np.linspace(0.0, 1.0, 11)[5:]
    lag = RATE * (np.exp(slow * time) - np.exp(fast * time)) / (slow - fast)
    lag_rate = RATE * (slow * np.exp(slow * time) - fast * np.exp(fast * time)) / (slow - fast)
    for asked in (False, True):
        efforts = simulate(servo(asked=asked)).sensors["effort"][5:]
        np.testing.assert_allclose(efforts, STIFFNESS * lag + DAMPING * lag_rate, rtol=0, atol=0.02)


def test_a_run_that_goes_on_for_longer_stops_its_target_in_time():
    longer = build_model(servo(2.0))
    straight = simulate(servo(2.0)).sensors["effort"]
    assert straight[10] < -0.9 * DAMPING * RATE   # from there on
    went_on = Simulator.continued(longer, Simulator(longer).run(until=1.0)).run().sensors["effort"]
    np.testing.assert_array_equal(went_on, straight[10:])


def test_targets_that_jump_or_end_before_stay_as_they_are():
    for scene in (servo(2.0), servo(target=((0.0, 0.5), (0.0, RATE)))):
        model = build_model(scene)
        assert with_last_pieces(model) is model
    jumps = build_model(servo())
    piece = jumps.arrays.drives.piece.copy()
    piece[-1, 1] += 0.1
    jumps = jumps._replace(arrays=jumps.arrays._replace(drives=jumps.arrays.drives._replace(piece=piece)))
    assert with_last_pieces(jumps) is jumps
