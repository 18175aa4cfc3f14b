"""Stiff objects that touch: the same rests in fewer steps, the budget kept, and the same bits however the run is made."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Simulator, Stepping, build_model
from robotphi.discretise import Material, deformable, discretise, glue, rigid
from robotphi.geometry.shapes import box
from robotphi.kernels.step import slots
from tests.run.test_continued_contact import assert_same_from

SIDE, STIFFNESS, BALL = 0.03, 1e7, 0.015   # m, N/m³, m
SKIN = ContactMaterial(stiffness=STIFFNESS, restitution=0.2, speed=0.5, friction=0.6)
BUDGET = 1e-4


def foot(stiff, duration=0.3, frames=6):
    """A soft pad under a box of steel, just above the ground and a little tilted, and a ball that falls beside it."""
    scene = Scene("foot", duration=duration, frames=frames, stepping=Stepping(budget=BUDGET))
    foam = Material(2e6, density=1000.0, damping_ratio=0.3, damping_frequency=200.0)
    pad = deformable(discretise(box((SIDE, SIDE, SIDE / 2), centre=(0, 0, SIDE / 4 + 1e-4)), counts=(2, 2, 1)), foam)
    block = rigid(box((SIDE, SIDE, SIDE / 2), centre=(0, 0, 0.75 * SIDE + 1e-4)), density=7800.0)
    scene.add_object("foot", glue({"block": block, "pad": pad}), velocity=(0.05, 0, 0), contact=SKIN, stiff=stiff)
    scene.add_plane("ground", contact=SKIN)
    scene.add_ball("ball", (3 * SIDE, 0, BALL + 1e-4), BALL, mass=0.02, contact=SKIN)
    return scene


@pytest.fixture(scope="module")
def runs():
    return {stiff: Simulator(build_model(foot(stiff))) for stiff in (False, 1e-3)}


def test_the_same_rest_in_fewer_steps(runs):
    found = {stiff: simulator.run() for stiff, simulator in runs.items()}
    for recording in found.values():
        ledger = recording.ledger
        assert ledger["largest_residual"][-1] <= BUDGET * ledger["reference_energy"][-1]
    steps = {stiff: simulator.state.buffers.counters[slots.ATTEMPTS] for stiff, simulator in runs.items()}
    assert steps[1e-3] < 0.6 * steps[False]
    sag = np.abs(found[False].position[-1, :, 2] - found[False].position[0, :, 2]).max()
    apart = found[1e-3].position[-1] - found[False].position[-1]
    assert np.abs(apart[:, 2]).max() < 1e-3 * sag              # it rests on the same springs
    assert np.abs(apart[:, :2]).max() < 0.1 * 0.05 * 0.05 / (2 * 0.6 * 9.81)   # and has slid about as far


def test_continued_from_any_frame_and_by_two_threads(runs):
    model = build_model(foot(1e-3, 0.06, 6))
    straight = Simulator(model, threads=1).run()
    assert len(straight.rows["contacts"]["first"]), "something must touch"
    for frame in range(len(straight) - 1):
        assert_same_from(straight, Simulator.continued(model, straight, frame=frame, threads=1).run(), frame)
    assert_same_from(straight, Simulator(model, threads=2).run(), 0)
