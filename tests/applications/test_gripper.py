"""Soft grippers: fingers that bend towards their soles, skins whose shares are the surface, a fruit that friction lifts."""
import numpy as np
import pytest

from robotphi import SceneError, simulate
from robotphi.applications.gripper import Fruit, SoftFinger, lift_report, lifting_scene
from robotphi.applications.gripper.report import skin_shares
from robotphi.scenario import load_scenario


def test_a_finger_is_as_large_as_told_and_its_chamber_is_closed():
    told = SoftFinger(length=0.05, width=0.02, depth=0.015, wall=0.003, sole=0.004, cells=6)
    thing = told.object()
    np.testing.assert_allclose(np.ptp(thing.position, axis=0), (0.015, 0.02, 0.05), atol=1e-12)
    corner = thing.position[thing.facets[thing.facet_regions["chamber"]]]
    inside = -np.linalg.det(corner).sum() / 6.0          # its facets look into it
    assert abs(inside) == pytest.approx(0.008 * 0.014 * 0.05 * 4 / 6, rel=1e-9)


def test_sizes_that_leave_no_chamber_are_refused():
    with pytest.raises(SceneError, match="leave no chamber"):
        SoftFinger(wall=0.008)
    with pytest.raises(SceneError, match="fruit: young is -1"):
        Fruit(young=-1.0)


def test_shares_of_the_skin_add_up_to_its_surface():
    fruit = Fruit(radius=0.02, tip=0.02, height=0.03)
    side = 2.0 * 0.02 * np.sin(np.pi / 8)                # of eight
    around, ends = 8 * side * 0.03, 2 * 8 * 0.5 * 0.02**2 * np.sin(np.pi / 4)
    assert skin_shares(fruit.object()).sum() == pytest.approx(around + ends, rel=1e-9)


def test_fingers_bend_towards_their_soles_as_air_is_pumped_in():
    made = lifting_scene(3e4, gap=0.01, duration=0.06, frames=2, gravity=0.0)
    recording = simulate(made.scene)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        rows = recording.scene.objects[f"{side} finger"].particles
        low = rows[recording.position[0, rows, 2] < recording.position[0, rows, 2].min() + 1e-9]
        assert sign * (recording.position[-1, low, 0] - recording.position[0, low, 0]).mean() > 1e-4


@pytest.mark.slow
def test_without_friction_the_fruit_stays_where_it_is():
    """With it the scenario's own check sees it lifted."""
    slippery = lifting_scene(7e4, friction=0.05, duration=0.45, frames=5)
    lift = lift_report(simulate(slippery.scene), slippery.fruit)
    assert lift.rise > 0.01
    assert not lift.lifted


def test_lifts_are_told_in_files(tmp_path):
    module = load_scenario("soft_gripper").module
    recordings = module.run(pressure=5e4, duration=0.02, frames=2)
    figures = module.check(recordings, duration=0.02)
    assert figures["lifted"] == 0.0
    module.save_lifts(module.lifts(recordings), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"lifts.json", "lifts.csv", "50_kPa.csv"}
