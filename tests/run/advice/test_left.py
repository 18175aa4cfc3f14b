"""What goes over the edge of a height field and falls is named; what stays, or lands elsewhere, is not."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, Stepping, simulate

LAW = ContactMaterial(stiffness=1e6, restitution=0.5, speed=1.0, friction=0.5)


def rolling(speed, *others, duration=1.0):
    """A ball on a field of 1 m x 1 m that rolls along x; what others add to the scene."""
    scene = Scene("edge", duration=duration, frames=20, stepping=Stepping(attempt_limit=50_000))
    scene.add_height_field("land", np.zeros((5, 5)), (0.25, 0.25), (-0.5, -0.5, 0.0), contact=LAW)
    scene.add_ball("ball", (0.3, 0.0, 0.05), 0.05, mass=0.1, contact=LAW, velocity=(speed, 0.0, 0.0), spin=(0, 20 * speed, 0))
    for add in others:
        add(scene)
    return simulate(scene)


def told(recording):
    return [text for text in recording.info["warnings"] if "over the edge" in text]


def test_what_falls_over_the_edge_is_named():
    recording = rolling(1.0)
    [text] = told(recording)
    # its centre passes the edge, 0.2 m away, at 0.2 s; the first frame behind that is told, a frame being 0.05 s
    assert text.startswith("'ball' went over the edge of 'land' by t = 0.25 s, at (0.54")
    assert "from (-0.5, -0.5) to (0.5, 0.5)" in text


def floor(scene):
    scene.add_plane("floor", point=(0, 0, -0.5), contact=LAW)


def tile(scene):
    scene.add_height_field("next", np.full((5, 5), -0.1), (0.25, 0.25), (0.5, -0.5, 0.0), contact=LAW)


@pytest.mark.parametrize(("speed", "others"), [(0.1, ()), (1.0, (floor,)), (0.8, (tile,))])
def test_what_stays_or_lands_is_not(speed, others):
    assert told(rolling(speed, *others)) == []
