"""Quantities that colours tell, against what they are by hand; colours that those who see few of them can tell apart."""
import numpy as np
import pytest

from robotphi import Scene, SceneError, build_model
from robotphi.discretise import rigid
from robotphi.errors import RecordingError
from robotphi.geometry import shapes
from robotphi.kernels.contact.rows import VERTICES
from robotphi.record.recorder import Recorder
from robotphi.scene.objects import Object
from robotphi.view import style
from robotphi.view.quantities import QUANTITIES, colour_limits, quantity
from robotphi.view.stage import Stage

# Machado, Oliveira, Fernandes (2009), severity 1, on linear colours: who lacks red, green, blue
BLIND = {"red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
         "green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
         "blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]}


@pytest.fixture(scope="module")
def stage():
    """Three particles in a row, springs of 1 m at 3 and 1 m; the third is a damper; the last particle has no spring."""
    scene = Scene("row", duration=1.0, frames=1)
    line = scene.add_particles("line", [(0, 0, 0), (3, 0, 0), (4, 0, 0), (9, 9, 9)], [1.0, 2.0, 4.0, 1.0])
    scene.add_linear("pair", line[:2], line[1:3], stiffness=[10.0, 20.0], viscosity=[0.5, 0.0], rest_length=[2.0, 2.0])
    scene.add_linear("damper", line[:1], line[2:3], stiffness=0.0, viscosity=1.0)
    model, recorder = build_model(scene), Recorder(2)
    for time in (0.0, 1.0):
        position = np.array(scene.position) + time * np.array([(0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 3, 4.0)])
        velocity = np.array([(0, 0, 0), (2, 0, 0), (0, 0, 0), (0, 3, 4.0)])
        recorder.add_frame(time, position, velocity, *([np.zeros((0, 3))] * 5), ledger={"kinetic": 0.0})
    return Stage(recorder.recording(info={"scene": "row"}, statements=scene.statements), model)


NONE = np.nan
BY_HAND = {  # pull of the first 10 × 1 + 0.5 × 2, of the second 20 × −1, of the damper 1 × 0; energies 5 J and 10 J
    "speed": [0, 2, 0, 5], "displacement": [0, 0, 0, 5], "height": [0, 0, 0, 13],
    "strain": [0.5, 0.0, -0.5, NONE], "tension": [5.5, -4.5, -10.0, NONE], "energy density": [2.5, 3.75, 1.25, NONE]}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_quantity_is_what_it_is_by_hand(stage, name):
    np.testing.assert_allclose(quantity(stage, name).values(stage, 1), BY_HAND[name], rtol=1e-14, atol=1e-14)


def test_springs_have_values_of_their_own(stage):
    np.testing.assert_allclose(QUANTITIES["strain"].of_lines(stage, 0), [0.5, -0.5, np.nan])
    np.testing.assert_allclose(QUANTITIES["tension"].of_lines(stage, 0), [11.0, -20.0, 0.0])


def test_contact_pressure_is_force_over_the_share_of_the_surface():
    solid = rigid(shapes.box(0.8), density=1.0)
    scene = Scene("soft", duration=1.0, frames=1)
    count = len(solid.position)
    scene.add_object("box", Object(solid.position, np.ones(count), facets=solid.facets))
    scene.add_particle("away", (5, 5, 5), 1.0)
    recorder, rows = Recorder(1), {name: np.zeros((count, *shape), dtype) for name, (shape, dtype) in VERTICES.items()}
    rows["particle"][:], rows["normal"][:] = np.arange(count), 2.0
    recorder.add_frame(0.0, np.array(scene.position), np.zeros((count + 1, 3)), *([np.zeros((0, 3))] * 5), ledger={},
                       tables={"contact_vertices": rows})
    stage = Stage(recorder.recording(info={"touching": [["box", 1]]}, statements=scene.statements))
    found = quantity(stage, "contact pressure").values(stage, 0)
    assert np.nansum(2.0 / found[:count]) == pytest.approx(6 * 0.8 ** 2, rel=1e-12)
    assert np.isnan(found[count])


def test_what_a_recording_lacks_is_told(stage):
    with pytest.raises(RecordingError, match="no contact pressure; colours can tell 'speed'"):
        quantity(stage, "contact pressure")
    with pytest.raises(SceneError, match="speed"):
        quantity(stage, "sped")


def test_colours_reach_what_few_values_exceed():
    values = np.append(np.linspace(0, 1, 1000), [np.nan, 50.0])
    low, high = colour_limits("speed", values)
    assert low == 0.0
    assert 0.97 < high < 1.0
    low, high = colour_limits("strain", -values)
    assert low == -high
    assert colour_limits("speed", np.zeros(3))[1] > 0.0


@pytest.mark.parametrize("blind", BLIND)
@pytest.mark.parametrize("colours", [style.ELONGATION, style.LinearSegmentedColormap.from_list("m", style.MAGNITUDES)])
def test_a_quarter_of_a_scale_can_be_told_apart_by_everybody(colours, blind):
    samples = colours(np.linspace(0, 1, 17))[:, :3]
    linear = np.where(samples <= 0.04045, samples / 12.92, ((samples + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.array(BLIND[blind]).T, 0, 1)
    xyz = seen @ np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]).T
    xyz /= (0.9505, 1.0, 1.089)
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    lab = np.stack([116 * root[:, 1] - 16, 500 * (root[:, 0] - root[:, 1]), 200 * (root[:, 1] - root[:, 2])], axis=1)
    apart = [np.linalg.norm(lab[i] - lab[j]) for i in range(17) for j in range(i + 4, 17)]
    assert min(apart) > 10.0   # CIE 1976: 2.3 is just noticeable side by side
