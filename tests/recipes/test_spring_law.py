"""A new law of linear springs: one that hardens, F = k e + k₃ e³, in three files.

1. `kernels/springs/table.py`: the name of the law, its numbers with units, and what cannot stand beside it. From here the
   blocks of a scene, the checks at the door, the arrays of the model and the measures know of it.
2. `kernels/springs/laws.py`: force, energy and stiffness over elongation. Forces, ledger, sensors and stability bound call it.
3. `scene/scene_springs.py`: the argument, and what it means.
"""
import numpy as np
import pytest

from tests.recipes.recipe import Edit, Recipe, cook, edited

TABLE = "kernels/springs/table.py"
LAWS = "kernels/springs/laws.py"
DOOR = "scene/scene_springs.py"

HARDENING = Recipe(edits=(
    Edit(TABLE, "before", "LINEAR = Kind(", """
CUBIC = Law("hardening", "force", (
    Field("cubic", "N/m³", "force per cube of the elongation", 0.0, least=0.0),),
    beside=(("table", "put it into the table"), ("yield_force", "use one of the two"), ("tension_only", "use one of the two")),
    needs_stiffness=True)
"""),
    Edit(TABLE, "instead", "laws=(PLASTIC, CABLE, TABULATED, DRIVEN, TOE, BREAKING, BREAKING_STRAIN),", """
    laws=(PLASTIC, CABLE, TABULATED, DRIVEN, TOE, BREAKING, BREAKING_STRAIN, CUBIC),
"""),
    Edit(LAWS, "before", "if pulls_only:", """
    cubic = springs.cubic[i]
    if cubic > 0.0:  # F = k e + k₃ e³
        elastic += cubic * stretch**3
        energy += 0.25 * cubic * stretch**4
        stiffness += 3.0 * cubic * stretch**2
"""),
    Edit(DOOR, "instead", "break_strain=None):", """
                   break_strain=None, cubic=None):
"""),
    Edit(DOOR, "after", "table: force over elongation instead of a stiffness.", """
            cubic: [N/m³] force per cube of the elongation, on top of the stiffness.
"""),
    Edit(DOOR, "instead", "break_force=break_force, break_strain=break_strain))", """
            break_force=break_force, break_strain=break_strain, cubic=cubic))
"""),
), scene="""
    import json, math, sys
    import numpy as np
    import robotphi
    from robotphi import Recording, Scene, SceneError, Stepping, simulate
    from robotphi.kernels.step import slots

    k, k3, mass, stretch = 40.0, 300.0, 2.0, 0.4
    # period of the oscillator: 4 K(m)/ω with ω² = (k + k₃ A²)/M and m = k₃ A²/(2 (k + k₃ A²)); K by the mean of Gauss
    a, g = 1.0, math.sqrt(1.0 - 0.5 * k3 * stretch**2 / (k + k3 * stretch**2))
    for _ in range(6):
        a, g = 0.5 * (a + g), math.sqrt(a * g)
    period = 2.0 * math.pi / a / math.sqrt((k + k3 * stretch**2) / mass)

    steps = Stepping(control="fixed", dt=period / 400)
    scene = Scene("hardening", duration=period, frames=8, gravity=(0, 0, 0), stepping=steps)
    wall, block = (int(scene.add_particles(name, at, mass, support=held)[0])
                   for name, at, held in (("wall", [[0, 0, 0]], "xyz"), ("block", [[1 + stretch, 0, 0]], "yz")))
    scene.add_linear("spring", block, wall, k, rest_length=1.0, cubic=k3)
    scene.add_sensor("pull", "tension", "spring")
    simulate(scene).save("run.h5")
    recording = Recording.load("run.h5")
    try:
        scene.add_linear("soft", block, wall, k, cubic=-1.0)
    except SceneError as error:
        refusal = str(error)
    print(json.dumps({
        "package": robotphi.__file__, "refusal": refusal, "period": period, "stiffness": k, "cubic": k3, "mass": mass,
        "elongation": (recording.position[:, block, 0] - 1.0).tolist(), "velocity": recording.velocity[:, block, 0].tolist(),
        "pull": recording.sensors["pull"].tolist(), "energy": recording.ledger["elastic_linear"].tolist(),
        "stable": recording.checkpoint["numbers"][:, slots.STABLE].tolist(),
        "safety": recording.checkpoint["numbers"][0, slots.SAFETY],
    }))
""")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    found = cook(HARDENING, tmp_path_factory.mktemp("hardening"))
    return {name: np.array(value) if isinstance(value, list) else value for name, value in found.items()}


def test_a_new_law_takes_three_files_and_fifteen_lines():
    assert HARDENING.files == sorted([TABLE, LAWS, DOOR])
    assert HARDENING.lines <= 15


def test_its_tension_and_energy_are_those_of_the_formula(found):
    e, k, k3 = found["elongation"], found["stiffness"], found["cubic"]
    # positions near 1 carry the elongation to one part in 10¹⁵ of 1 m
    np.testing.assert_allclose(found["pull"], k * e + k3 * e**3, rtol=1e-13, atol=1e-13 * k)
    np.testing.assert_allclose(found["energy"], k * e**2 / 2 + k3 * e**4 / 4, rtol=1e-13, atol=1e-13 * k)


def test_it_swings_with_the_period_of_the_closed_form(found):
    """At quarters of the period the elongation is A, 0, −A, 0, A. The scheme of second order has frequencies wrong by less than
    (ω τ)²/8, ω the highest there is, and so comes by T (ω τ)²/8 too early at most."""
    e, amplitude, period = found["elongation"][::2], found["elongation"][0], found["period"]
    highest = (found["stiffness"] + 3.0 * found["cubic"] * amplitude**2) / found["mass"]
    late = period * highest * (period / 400)**2 / 8
    fastest = np.abs(found["velocity"]).max()
    np.testing.assert_allclose(e, amplitude * np.array([1, 0, -1, 0, 1]), rtol=0, atol=fastest * late)
    assert fastest * late < 1e-3 * amplitude


def test_the_stability_bound_knows_how_stiff_it_is(found):
    """One end moves: ω² = k/M with k = F'(A); the step is a share of 2/ω, longer at smaller elongations."""
    steepest = found["stiffness"] + 3.0 * found["cubic"] * found["elongation"][0]**2
    assert found["stable"][0] == pytest.approx(found["safety"] * 2.0 / np.sqrt(steepest / found["mass"]), rel=1e-6)
    assert found["stable"][-1] > 1.1 * found["stable"][0], "the bound of the start was kept"


def test_the_door_refuses_what_the_table_does_not_allow(found):
    assert all(words in found["refusal"] for words in ("cubic is -1", ">= 0")), found["refusal"]


def test_an_anchor_that_has_gone_is_seen():
    with pytest.raises(AssertionError, match="0 lines read 'no such line'"):
        edited("one\ntwo", Edit("x.py", "after", "no such line", "three"))
    with pytest.raises(AssertionError, match="2 lines read 'one'"):
        edited("one\n  one", Edit("x.py", "after", "one", "three"))
