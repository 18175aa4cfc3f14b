"""Pressure: the volume and its gradient, gases against closed forms, chambers that face inwards, what a pump gives."""
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from robotphi import Drive, Scene, SceneError, Simulator, Stepping, build_model, simulate
from robotphi.discretise import Material, sheet
from robotphi.geometry.rounds import sphere
from robotphi.record.measure import recorded_momenta
from robotphi.scene.objects import Object
from tests.kernels.acts.probe import frequency_and_bound, gradient, halved, pushed, residuals

FREE = {"gravity": (0.0, 0.0, 0.0)}
RADIUS, OUT, MASS = 0.1, 1e5, 0.05
EIGHT = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], float)
FACES = np.array([(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)])


def octahedron(faces=FACES, stepping=None, **said):
    """Six particles without springs around a chamber of volume 4/3 r³."""
    scene = Scene("eight", duration=1.0, frames=8, stepping=stepping, **FREE)
    scene.add_object("skin", Object(RADIUS * EIGHT, np.full(6, MASS), facets=faces))
    scene.add_pressure("gas", "skin", **said)
    return scene


GASES = {"isothermal": {"gas": "isothermal", "inside": 1.3e5}, "adiabatic": {"gas": "adiabatic", "amount": 0.08},
         "half full": {"gas": "isothermal", "inside": 2e5, "filling": 0.5}}


@pytest.mark.parametrize("faces", [FACES, FACES[:, ::-1]], ids=["outwards", "inwards"])
@pytest.mark.parametrize("gas", GASES)
def test_a_gas_is_minus_the_gradient_of_what_it_stores(gas, faces):
    model = build_model(octahedron(faces, **GASES[gas]))
    points = RADIUS * EIGHT + 0.02 * np.random.default_rng(1).normal(size=(6, 3))
    force, _ = pushed(model, points)
    assert np.abs(force).max() > 10.0
    # differences carry U ε/h = 100 J × 1e-16/1e-6
    np.testing.assert_allclose(force, -gradient(model, points), rtol=1e-6, atol=1e-6)


def test_a_pressure_pushes_along_the_gradient_of_the_volume():
    model = build_model(octahedron(pressure=300.0))
    force = pushed(model, RADIUS * EIGHT)[0]
    # V = 4/3 r₁ r₂ r₃ of half diagonals r: of both ends of one together 4/3 r²
    np.testing.assert_allclose(force, 300.0 * 2.0 / 3.0 * RADIUS**2 * EIGHT, atol=1e-12)


@pytest.mark.parametrize("said", [GASES["isothermal"], {"pressure": 3e4}])
def test_the_bound_of_a_pressure_bounds_its_frequency(said):
    exact, bound = frequency_and_bound(octahedron(**said))
    assert exact * (1.0 - 1e-6) <= bound <= 6.0 * exact


@pytest.mark.parametrize(("gas", "gamma"), [("isothermal", 1.0), ("adiabatic", 1.4)])
def test_a_balloon_swings_as_its_gas_lets_it(gas, gamma):
    """All corners go outwards alike, 6 m r̈ = (p₀ (r₀/r)³ᵞ − p_o) 4 r²; near rest ω² = 2 γ p₀ r₀/m."""
    def build(stepping):
        scene = octahedron(stepping=stepping, gas=gas, inside=1.2 * OUT, outside=OUT)
        scene.duration = 0.02
        return scene

    def pulled(_, y):
        return y[1], (1.2 * OUT * (RADIUS / y[0])**(3.0 * gamma) - OUT) * 4.0 * y[0]**2 / (6.0 * MASS)

    exact = solve_ivp(pulled, (0.0, 0.02), (RADIUS, 0.0), rtol=1e-11, atol=1e-13, t_eval=np.linspace(0.0, 0.02, 9)).y[0]
    errors = []
    for steps in (200, 400):
        scene = build(Stepping(control="fixed", dt=0.02 / steps))
        errors.append(np.abs(simulate(scene).position[:, 0, 0] - exact).max())
    assert np.ptp(exact) > 0.05 * RADIUS
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.3)
    omega = np.sqrt(2.0 * gamma * 1.2 * OUT * RADIUS / MASS)
    assert errors[0] < np.ptp(exact) * 0.02 * omega * (omega * 0.02 / 200)**2 / 8


def balloon(stepping, **said):
    scene = Scene("balloon", duration=1.0, frames=4, stepping=stepping, **FREE)
    rubber = Material(young=2e3, density=1e3, poisson=1 / 3)
    scene.add_object("ball", sheet(sphere(0.1, 1).as_mesh(), rubber, 0.002, bending="none"), spin=(1, 2, 3))
    scene.add_pressure("air", "ball", **said)
    scene.add_sensor("volume", "volume", "air")
    scene.add_sensor("pressure", "pressure", "air")
    return scene


def test_a_spinning_balloon_that_is_pumped_keeps_its_momenta_and_closes_the_ledger_at_second_order():
    def build(stepping):
        return balloon(stepping, pressure=Drive.sine(5.0, 1.0, offset=5.0), gas="isothermal", inside=500.0, outside=500.0,
                       filling=lambda t: 1.0 + 0.02 * t)
    runs = halved(build, 500)
    coarse, fine = residuals(runs)
    assert coarse / fine == pytest.approx(4.0, abs=0.3)
    assert abs(runs[0].ledger["work:air"][-1]) > 10.0 * coarse
    for values in recorded_momenta(runs[0]):
        np.testing.assert_allclose(values, values[:1].repeat(len(values), axis=0), rtol=0, atol=1e-14)


def test_sensors_tell_the_state_of_a_gas():
    run = simulate(balloon(Stepping(), gas="isothermal", inside=600.0, outside=500.0))
    held = (run.sensors["pressure"] + 500.0) * run.sensors["volume"]
    np.testing.assert_allclose(held, held[0], rtol=1e-13)   # p V = n R T
    assert run.sensors["pressure"][0] == pytest.approx(100.0, rel=1e-12)
    assert np.ptp(run.sensors["volume"]) > 1e-3 * run.sensors["volume"][0]


def test_an_amount_of_gas_is_moles():
    model = build_model(octahedron(gas="isothermal", amount=0.05, temperature=300.0))
    rows = model.arrays.acts.pressure
    assert rows.gas[0] * rows.volume[0] == pytest.approx(0.05 * 8.314462618 * 300.0, rel=1e-12)
    assert rows.volume[0] == pytest.approx(4.0 / 3.0 * RADIUS**3, rel=1e-12)


def test_what_a_chamber_needs_is_said():
    scene = Scene("door", **FREE)
    scene.add_object("skin", Object(RADIUS * EIGHT, np.full(6, MASS), facets=FACES))
    scene.add_object("open", Object(RADIUS * EIGHT + 1.0, np.full(6, MASS), facets=FACES[:-1]))
    for words, given in (("neither pressure nor gas", {}), ("do not close a volume", {"thing": "open", "pressure": 1.0}),
                         ("unknown object 'ball'", {"thing": "ball", "pressure": 1.0}), ("without a gas", {"amount": 1.0}),
                         ("both amount and inside", {"gas": "isothermal", "amount": 1.0, "inside": 1.0}),
                         ("unknown gas 'steam'", {"gas": "steam"}), ("must be > 0", {"gas": "isothermal", "amount": 0.0}),
                         ("has no pressure", {"gas": "isothermal", "outside": 0.0}),
                         ("unknown region of facets 'inner'", {"pressure": 1.0, "facets": "inner"})):
        with pytest.raises(SceneError, match=words):
            scene.add_pressure("air", **{"thing": "skin"} | given)


@pytest.mark.parametrize("gas", ["isothermal", "adiabatic"])
@pytest.mark.parametrize(("viscosity", "until"), [(0.0, 0.02), (1e3, 0.02), (1e12, 1e-8)], ids=["free", "damped", "stiffly"])
def test_a_gas_that_is_pumped_from_balance_starts(gas, viscosity, until):
    """At balance its force is nought and grows with the pump: rounding of p V is all that a ledger sees at first. At 10¹² N·s/m
    even 101 stages are good for 10⁻¹⁰ s: that run is short."""
    scene = Scene("eight", duration=1.0, frames=8, **FREE)
    scene.add_object("skin", Object(RADIUS * EIGHT, np.full(6, MASS), facets=FACES))
    rim = [(a, b) for a in range(6) for b in range(a) if not np.allclose(EIGHT[a], -EIGHT[b])]
    scene.add_linear("edges", *np.transpose(rim), 1e4, viscosity)
    scene.add_pressure("gas", "skin", gas=gas, inside=OUT, outside=OUT, filling=Drive.table([0, 0.5, 1.0], [1.0, 1.5, 1.5]))
    simulator = Simulator(build_model(scene))
    assert simulator.advance_to(until)
    assert simulator.counts()["attempts"] < 5000
    assert simulator.state.position[0, 0] >= RADIUS


def test_what_rounding_makes_of_a_gas_keeps_the_budget():
    pump = Drive.table([0, 0.5, 1.0], [1.0, 1.0001, 1.0001])
    run = simulate(octahedron(gas="isothermal", inside=OUT, outside=OUT, filling=pump))
    assert np.abs(run.ledger["residual"]).max() <= 1e-4 * run.ledger["reference_energy"][-1] + 1e-11   # J: ε of 400 J, often
