"""Stops that are far cost nothing: a mechanism goes by flow only in steps that may meet one."""
import numpy as np
import pytest

from robotphi import Scene, Simulator, Stepping, build_model
from robotphi.kernels.mechanism.by_flow import goes_by_flow
from robotphi.kernels.mechanism.columns import BY_STOPS, EVENTFUL

AXES = ((0, 1, 0), (0, 0, 1))


def arm(count=3, duration=1.0, budget=1e-5, **more):
    """Bars of 0.2 m on the world, hinges about y and z in turn, thrown."""
    scene = Scene("arm", duration=duration, frames=10, stepping=Stepping(budget=budget))
    above = None
    for n in range(count):
        centre = np.array([0.2 * n + 0.1, 0.0, 0.0])
        bar = scene.add_rigid(f"bar {n}", [centre], mass=0.5, centre=centre, inertia=(1e-4, 2e-3, 2e-3))
        scene.add_joint(f"joint {n}", "revolute", above, bar, centre - [0.1, 0, 0], axis=AXES[n % 2], rate=1.0 + n, **more)
        above = bar
    return scene


def run(scene, always=False):
    model = build_model(scene)
    if always:
        assert (model.arrays.mechanisms.eventful == BY_STOPS).all()
        eventful = model.arrays.mechanisms.eventful
        eventful.flags.writeable = True
        eventful[:] = EVENTFUL
    simulator = Simulator(model, threads=1)
    return simulator, simulator.run()


@pytest.mark.parametrize("viscosity", [0.0, 0.002, 0.2])
def test_stops_that_are_never_met_change_no_bit(viscosity):
    """Nor does it matter whether viscosity goes by flow, now and then, or as a force."""
    free, limited = (run(scene)[1] for scene in (arm(viscosity=viscosity), arm(viscosity=viscosity, limits=(-50.0, 50.0))))
    for one, other in zip(free.frames(), limited.frames(), strict=True):
        assert np.array_equal(one.position, other.position)


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_with_stops_that_are_met_it_is_as_near_as_the_run_that_always_looks_for_them(restitution):
    """Against a run at a thousandth of the budget, through some hits, which multiply errors."""
    more = {"limits": (-0.4, 0.5), "restitution": restitution, "duration": 0.4}
    fine = run(arm(**more, budget=1e-8), always=True)[1].frames()
    simulator, found = run(arm(**more))
    expected = run(arm(**more), always=True)[1].frames()
    errors = np.array([[np.abs(frame.position - true.position).max() for frame, true in zip(frames, fine, strict=True)]
                       for frames in (found.frames(), expected)])
    assert errors[0].max() < 2.0 * errors[1].max() + 1e-9, errors
    place = simulator.state.buffers.joints.place[:, 0]
    assert (np.abs(place - 0.05) <= 0.45).all()


def test_the_way_is_known_before_the_step():
    """No coordinate may come further than it was looked for: to the stop exactly is by flow, one number before it is not."""
    simulator = Simulator(build_model(arm(1, limits=(-1.0, 1.0))), threads=1)
    simulator.begin()
    mechanisms, joints = simulator.model.arrays.mechanisms, simulator.state.buffers.joints
    joints.place[0, 0], joints.rate[0, 0], joints.gain[0, 0] = 0.0, 2.0, -4.0
    assert not goes_by_flow(mechanisms, joints, 0.25, 0)     # 0.25 (2 + 0.5) = 0.625
    assert goes_by_flow(mechanisms, joints, 0.5, 0)          # 0.5 (2 + 1) = 1.5, and turns back at 0.5: it is not looked so far
    joints.gain[0, 0] = 0.0
    assert goes_by_flow(mechanisms, joints, 0.5, 0)          # to the stop
    assert not goes_by_flow(mechanisms, joints, np.nextafter(0.5, 0.0), 0)
    joints.rate[0, 0] = np.nan
    assert goes_by_flow(mechanisms, joints, 0.1, 0)


def test_a_step_by_flow_hands_its_end_to_the_next_one():
    """A kilogram on a rail that 1 N pushes through a damper, F (1 − exp(−z n))/c: steps of z = 0.12 go by flow, the halves
    that end at frames do not. What these begin with are the accelerations of an instant, not of the half step before."""
    z, count = 0.12, 20
    scene = Scene("rail", duration=1.5 * count, frames=count, stepping=Stepping(control="fixed", dt=1.0))
    body = scene.add_rigid("body", [(0.0, 0.0, 0.0)], mass=1.0, inertia=(0.1, 0.1, 0.1))
    rail = scene.add_joint("rail", "prismatic", None, body, at=(0, 0, 0), axis=(1, 0, 0), viscosity=z)
    scene.add_motor("motor", rail, torque=1.0)
    simulator, recording = run(scene)
    assert simulator.counts()["attempts"] == 2 * count
    rate = np.array([frame.velocity[0, 0] for frame in recording.frames()])
    expected = (1.0 - np.exp(-z * recording.time)) / z
    # of the half steps alone: a force at the mean of rates, z³/12 each of a rate of 1/z at most
    assert np.abs(rate - expected).max() < count * (0.5 * z)**3 / 12.0 / z + 1e-12
