"""What the control of the step promises: its reference, its budget over a whole run, and its path."""
import numpy as np
import pytest

from robotphi import Drive, Scene, Stepping, simulate


def led_in_circles(turns):
    """A taut spring whose end is led round its other end, which stands still: no net work, constant tension."""
    time = np.linspace(0.0, turns, 40 * turns + 1)
    angle = 2 * np.pi * time
    scene = Scene("led", duration=float(turns), frames=10, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=2e-3))
    pin = scene.add_particle("pin", (0, 0, 0), 1.0, support="xyz")
    drives = {"x": Drive.table(time, np.cos(angle) - 1.0, kind="cubic"), "y": Drive.table(time, np.sin(angle), kind="cubic")}
    end = scene.add_particle("end", (1, 0, 0), 1e-6, support="z", drive=drives)
    scene.add_linear("spring", pin, end, 100.0, rest_length=0.95)
    return scene


def test_work_that_comes_and_goes_does_not_raise_the_reference():
    """Each axis pulls with T cos φ and moves by cos φ: its work swings by T R = 5 J and comes back, with every turn."""
    one, five = (simulate(led_in_circles(turns)).ledger for turns in (1, 5))
    assert one["elastic_linear"][-1] == pytest.approx(0.125, rel=0.02)
    assert one["reference_energy"][-1] == pytest.approx(5.0, rel=0.1)
    assert five["reference_energy"][-1] == pytest.approx(one["reference_energy"][-1], rel=0.01)


def test_work_that_is_lost_again_counts():
    """A weight pulled at a constant speed through a damper: all work is dissipated, all of it is energy that was there."""
    scene = Scene("drag", duration=1.0, frames=10, gravity=(0, 0, 0))
    ends = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz"), scene.add_particle(
        "end", (1, 0, 0), 1.0, support="yz", drive={"x": Drive.table([0.0, 1.0], [0.0, 1.0])})
    scene.add_linear("damper", *ends, 0.0, viscosity=3.0, rest_length=1.0)
    ledger = simulate(scene).ledger
    assert ledger["spring_dissipation"][-1] == pytest.approx(3.0, rel=1e-3)
    assert ledger["reference_energy"][-1] == pytest.approx(3.0 + 0.5, rel=0.2)
