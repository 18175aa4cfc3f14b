"""So soft a contact that things go right through each other: it must stay honest and cheap."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Stepping, simulate
from robotphi.discretise import Material, deformable, discretise, rigid
from robotphi.geometry.shapes import box, sphere
from robotphi.kernels.compiling.compiled import PLAIN


def pressed_through(restitution):
    """A rigid sphere under a force of twice what the contact can bear: λ × its volume is 42 N."""
    surface = ContactMaterial(stiffness=8e4, restitution=restitution, speed=1.0)
    # when far sides took from the force, the step once fell to nothing there: 170 000 attempts and no end
    scene = Scene("through", duration=0.15, frames=30, gravity=(0, 0, 0), stepping=Stepping(attempt_limit=15_000))
    block = deformable(discretise(box((0.3, 0.3, 0.06), centre=(0, 0, -0.03)), counts=(6, 6, 2)),
                       Material(young=2e5, density=1000.0, damping_ratio=0.1))
    scene.add_object("block", block, support={"left": "xyz", "right": "xyz"}, contact=surface)
    placed = scene.add_object("sphere", rigid(sphere(0.05, 1).transformed(shift=(-0.01, 0.005, 0.052)), mass=0.5),
                              velocity=(0.5, 0.0, -1.0), contact=surface)
    scene.add_force("press", placed.rigids[0], (0.0, 0.0, -84.0))
    return scene


@pytest.mark.skipif(PLAIN, reason="hundreds of steps")
def test_what_starts_far_below_the_ground_takes_no_more_steps_than_it_needs():
    """What presses from below is 25 times what is left of it: its rounding is no error of the step."""
    surface = ContactMaterial(stiffness=1e7, restitution=0.5, speed=1.0)
    scene = Scene("far below", duration=0.02, frames=4, stepping=Stepping(attempt_limit=20_000))
    scene.add_plane("ground", contact=surface)
    scene.add_object("box", rigid(box((0.2, 0.2, 0.2), centre=(0, 0, -4.9)), density=1000.0), contact=surface)
    assert simulate(scene).status == "done"


@pytest.mark.skipif(PLAIN, reason="thousands of steps")
@pytest.mark.parametrize("restitution", [1.0, 0.5])
def test_what_goes_through_a_soft_block_loses_what_the_ledger_tells(restitution):
    recording = simulate(pressed_through(restitution))
    ledger = recording.ledger
    assert recording.status == "done"
    assert recording.info["budget_kept"]
    assert recording.rigid_position[-1, 0, 2] < -0.12  # clear of the block
    lost = ledger["contact_dissipation"]
    assert np.all(np.diff(lost) >= 0.0)
    assert lost[-1] > 1.0 if restitution < 1.0 else lost[-1] == 0.0
    # what is stored when it is through, λ × (length of the block above it, over the sphere), is given up, not given back
    assert ledger["contact"][-1] == 0.0
    assert 0.5 < ledger["contact_direction"][-1] < 8e4 * 5.2e-4 * 0.06


@pytest.mark.skipif(PLAIN, reason="hundreds of steps")
@pytest.mark.parametrize("thing", ["ball", "icosphere", "block"])
def test_what_goes_through_a_held_plate_comes_out_on_the_other_side(thing):
    """Out by another side than it came in: the depth jumps, without work, and the ledger tells."""
    surface = ContactMaterial(stiffness=2e4, restitution=0.5, speed=1.0, friction=0.3)
    scene = Scene("plate", duration=0.6, frames=60, stepping=Stepping(attempt_limit=2000))
    scene.add_object("plate", rigid(box((0.6, 0.6, 0.05), (0, 0, -0.025)), mass=10.0), contact=surface, support="xyz")
    if thing == "ball":
        scene.add_ball("thing", (0.01, 0.02, 0.3), 0.06, mass=5.0, contact=surface)
    else:
        shape = sphere(0.06, 1, (0.01, 0.02, 0.3)) if thing == "icosphere" else box((0.1, 0.1, 0.1), (0.01, 0.02, 0.3))
        scene.add_object("thing", rigid(shape, mass=5.0), contact=surface, spin=(0.3, 0.2, 0.0))
    recording = simulate(scene)
    assert recording.status == "done"
    assert recording.info["budget_kept"]
    assert recording.rigid_position[-1, 1, 2] < -0.5
    assert recording.ledger["contact"][-1] == 0.0
    assert recording.ledger["contact_direction"][-1] > 0.1
