"""How long a pair counts as in touch: in half periods of its springs, and a break as long as that wipes it out."""
from types import SimpleNamespace

import numpy as np
import pytest

from robotphi.kernels.contact import columns as c
from robotphi.kernels.contact.accepted import count_lasting
from robotphi.model.arrays import Parts

MASS, STEEPNESS, DT = 2.0, 8e4, 1e-4
HALF_PERIOD = np.pi * np.sqrt(0.5 * MASS / STEEPNESS)   # of two equal masses


def kept(*stretches):
    """(lasting, lasted) after stretches (steps, touching), one step after the other; what came before touched likewise."""
    size = np.zeros((2, c.SIZE_COLUMNS))
    size[:, c.MASS] = MASS
    parts = Parts(**{name: size if name == "size" else np.zeros(0, np.int32) for name in Parts._fields})
    numbers = np.zeros((1, c.PAIR_NUMBERS))
    numbers[0, c.STEEPNESS] = STEEPNESS
    touched = stretches[0][1]
    for steps, touching in stretches:
        for _ in range(steps):
            count_lasting(parts, numbers, 0, 0, 1, touched, touching, DT)
            touched = touching
    return SimpleNamespace(lasting=numbers[0, c.LASTING], lasted=numbers[0, c.LASTED])


def test_touch_is_counted_in_half_periods():
    found = kept((200, True))
    assert found.lasted == pytest.approx(200 * DT, rel=1e-12)
    assert found.lasting == pytest.approx(200 * DT / HALF_PERIOD, rel=1e-12)


def test_a_short_break_takes_off_its_share():
    found = kept((200, True), (51, False))   # the step in which they part tells nothing
    assert found.lasting == pytest.approx(150 * DT / HALF_PERIOD, rel=1e-12)


def test_a_break_as_long_as_the_touch_wipes_it_out():
    assert kept((200, True), (202, False)).lasting == 0.0
    # what touches again after that begins anew
    assert kept((200, True), (300, False), (8, True)).lasting == pytest.approx(7 * DT / HALF_PERIOD, rel=1e-12)


def test_a_step_that_ends_in_touch_does_not_count():
    """It may have been a thousand times as long as the half period of springs that it has only just found."""
    assert kept((1, False), (1, True)).lasting == 0.0
