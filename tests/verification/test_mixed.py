"""The mixed scene does what the momentum, order and ledger cases count on: everything in it takes part."""
import numpy as np
import pytest

from robotphi import Stepping, simulate
from robotphi.verification.mixed import KINDS, mixed_scene

FIXED = Stepping(control="fixed", dt=1e-3)


def test_every_kind_of_spring_stores_energy_and_both_rigids_turn():
    recording = simulate(mixed_scene(FIXED, 2.0, 100))
    for kind in ("elastic_linear", "elastic_angular", "elastic_articular"):
        assert np.ptp(recording.ledger[kind]) > 1e-3
    assert (np.ptp(recording.rigid_spin, axis=0).max(axis=1) > 0.1).all()


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_yields_in_the_plastic_scene(kind):
    recording = simulate(mixed_scene(FIXED, 2.0, 100, damping=0.005, plastic=(kind,)))
    assert recording.ledger["plastic_flow"][-1] > 1e-4
