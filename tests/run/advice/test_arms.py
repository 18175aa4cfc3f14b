"""Runs that end because an arm of a spring fell on its axis or centre say so, and where."""
import numpy as np
import pytest

from robotphi import Scene, SimulationDiverged, Stepping, simulate

SPEED, DT, MASS, VISCOSITY = 1.0, 1e-3, 0.1, 0.01


def folding(kind, stepping):
    """A particle that comes straight at the axis or centre of a damped spring from 0.5 m."""
    scene = Scene(kind, duration=1.0, frames=4, gravity=(0, 0, 0), stepping=stepping)
    held = scene.add_particles("held", [(1, 0, 0), (0, 0, 0), (0, 0, 1)], 1.0, support="xyz")
    lead = scene.add_particle("lead", (0.02, 0.5, 0.0), MASS, velocity=(0, -SPEED, 0))
    if kind == "articular":
        scene.add_articular("fold", lead, held[1], held[2], held[0], 0.01, VISCOSITY, rest_angle=1.0)
    else:
        scene.add_angular("fold", lead, held[1], held[0], 0.01, VISCOSITY, rest_angle=1.0)
    return scene


@pytest.mark.parametrize("kind", ["angular", "articular"])
def test_fixed_steps_over_an_arm_that_folds_are_told_where_and_why(kind):
    """Its damper takes c = μ/(m r²): no step above 2/c is stable, so that steps of dt make energy from r = √(μ dt/2m) on."""
    with pytest.raises(SimulationDiverged) as caught:
        simulate(folding(kind, Stepping(control="fixed", dt=DT)))
    found, radius = caught.value.post_mortem, np.sqrt(VISCOSITY * DT / (2.0 * MASS))
    assert found.culprit == f"{kind} spring 'fold'"
    assert found.remedy == {"control": "ledger"}
    told = float(found.text.split("'fold' was ")[1].split(" m long")[0])
    assert told < 1.5 * radius, "it is looked at where energy was made, not at the frames before or after"
    assert "0.5 m at the start" in found.text
    assert ("Hold the arm off its axis" if kind == "articular" else "Hold the arm off its centre") in found.text


def test_fixed_steps_that_are_too_long_everywhere_blame_no_arm():
    """A stiff spring beside it, while the arm is as long as ever."""
    scene = folding("articular", Stepping(control="fixed", dt=DT))
    scene.add_linear("stiff", *scene.add_particles("ends", [(5, 0, 0), (6, 0, 0)], 1.0), 1e8, rest_length=1.001)
    with pytest.raises(SimulationDiverged) as caught:
        simulate(scene, until=0.25)
    assert caught.value.post_mortem.culprit == "linear spring 'stiff'"
