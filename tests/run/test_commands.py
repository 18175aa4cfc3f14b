"""Commands: numbers that are set while a scene runs, as drives that jump; they are part of what frames keep."""
import numpy as np
import pytest

from robotphi import Drive, Recording, Scene, SceneError, Simulator, Stepping, build_model, simulate
from robotphi.model.arrays import model_digest

TIMES, PULLS = (0.25, 0.5, 0.8), (3.0, -1.0, 0.5)
ALL = ("position", "velocity", "time")


def pulled(force, length, **settings):
    """Two masses on a driven spring with viscosity, one of them pulled."""
    scene = Scene("pulled", duration=1.0, frames=40, stepping=Stepping(**settings))
    a, b, c = scene.add_particles("masses", [(0, 0, 0), (1, 0, 0), (1, 1, 0)], 1.0, support=["xyz", "", ""])
    scene.add_linear("driven", a, b, 400.0, 2.0, drive=length)
    scene.add_linear("other", b, c, 300.0, 1.0)
    scene.add_force("pull", c, (1.0, 0, 0), drive=force)
    scene.add_sensor("tension", "tension", of="driven")
    return scene


def commanded(rate=None, **settings):
    """The same, to be set by hand."""
    scene = Scene("pulled", duration=1.0, frames=40, stepping=Stepping(**settings))
    force, length = scene.add_command("force", 1.0, low=-5.0, high=5.0), scene.add_command("length", 0.0, rate=rate)
    a, b, c = scene.add_particles("masses", [(0, 0, 0), (1, 0, 0), (1, 1, 0)], 1.0, support=["xyz", "", ""])
    scene.add_linear("driven", a, b, 400.0, 2.0, drive=length)
    scene.add_linear("other", b, c, 300.0, 1.0)
    scene.add_force("pull", c, (1.0, 0, 0), drive=force)
    scene.add_sensor("tension", "tension", of="driven")
    scene.add_sensor("length", "command", of=length)
    return scene


def by_hand(scene, times=TIMES, forces=PULLS, lengths=(-0.1, 0.2, 0.05)):
    simulator = Simulator(build_model(scene))
    for time, force, length in zip(times, forces, lengths, strict=True):
        simulator.advance_to(time)
        simulator.set({"force": force, "length": length})
    return simulator.run()


def assert_same_bits(one, two, first=0):
    for name in ALL:
        assert np.array_equal(getattr(one, name)[first:], getattr(two, name)), name
    for name, values in two.ledger.items():
        assert np.array_equal(one.ledger[name][first:], values), name
    for name, values in two.sensors.items():
        assert np.array_equal(one.sensors[name][first:], values), name


@pytest.mark.parametrize("settings", [{}, {"control": "fixed", "dt": 1e-3}], ids=["ledger", "fixed"])
def test_a_command_is_the_drive_that_steps_at_that_instant_to_the_bit(settings):
    steps = Drive.steps((0.0, *TIMES), (1.0, *PULLS)), Drive.steps((0.0, *TIMES), (0.0, -0.1, 0.2, 0.05))
    driven = simulate(pulled(*steps, **settings))
    hand = by_hand(commanded(**settings))
    assert np.array_equal(driven.position, hand.position)
    assert np.array_equal(driven.velocity, hand.velocity)
    for name in ("kinetic", "work:driven", "work:pull", "spring_dissipation"):
        assert driven.ledger[name][-1] == hand.ledger[name][-1], name
    assert hand.ledger["work:driven"][-1] != 0.0


def test_the_work_of_a_jump_is_the_integral_of_the_force_along_it():
    """A spring at rest whose rest length jumps by d holds k d²/2, which the command gave."""
    scene = Scene("jump", duration=1.0, frames=10, gravity=(0, 0, 0), stepping=Stepping(budget=1e-6))
    length = scene.add_command("length", 0.0)
    a, b = scene.add_particles("ends", [(0, 0, 0), (1, 0, 0)], 1.0)
    scene.add_linear("spring", a, b, 100.0, 0.0, drive=length)
    simulator = Simulator(build_model(scene))
    simulator.advance_to(0.35)
    simulator.set({"length": 0.1})
    recording = simulator.run()
    np.testing.assert_allclose(recording.ledger["work:spring"][-1], 0.5 * 100.0 * 0.1**2, rtol=1e-12)
    total = recording.ledger["kinetic"] + recording.ledger["elastic_linear"] - recording.ledger["work:spring"]
    assert np.abs(total).max() <= 1e-6 * recording.ledger["reference_energy"][-1]


def test_a_command_with_a_rate_is_the_drive_with_a_ramp():
    scene = commanded(rate=2.0, budget=1e-5)
    simulator = Simulator(build_model(scene))
    simulator.advance_to(0.31)
    simulator.set({"length": 0.1})   # there at 0.36
    simulator.advance_to(0.7)
    simulator.set({"length": 0.0128})   # there at 0.7436, where nobody looks
    simulator.advance_to(0.8)
    simulator.set({"length": -0.5})
    simulator.advance_to(0.85)
    simulator.set({"length": -0.0872})   # where it is: it stays there
    hand = simulator.run()
    ramp = Drive.table((0.0, 0.31, 0.36, 0.7, 0.7436, 0.8, 0.85), (0.0, 0.0, 0.1, 0.1, 0.0128, 0.0128, -0.0872))
    driven = simulate(pulled(Drive.constant(1.0), ramp, budget=1e-5))
    np.testing.assert_allclose(hand.position, driven.position, rtol=0, atol=1e-9)
    np.testing.assert_allclose(hand.ledger["work:driven"], driven.ledger["work:driven"], rtol=1e-6, atol=1e-9)
    assert hand.sensors["length"][13] == pytest.approx(0.03, abs=1e-12)   # at 0.325
    np.testing.assert_allclose(hand.sensors["tension"], driven.sensors["tension"], rtol=0, atol=1e-6)


@pytest.mark.parametrize("rate", [None, 3.0])
def test_a_run_continued_from_any_frame_goes_on_with_the_commands_of_the_frame(rate):
    recording = by_hand(commanded(rate=rate))
    for frame in (0, 9, 21, 39):
        simulator = Simulator.continued(recording, frame=frame)
        for time, force, length in zip(TIMES, PULLS, (-0.1, 0.2, 0.05), strict=True):
            if time >= recording.time[frame]:
                simulator.advance_to(time)
                simulator.set({"force": force, "length": length})
        assert_same_bits(recording, simulator.run(), frame)


@pytest.mark.parametrize("rate", [None, 3.0])
def test_a_recording_is_replayed_to_the_bit_by_its_commands(rate, tmp_path):
    recording = by_hand(commanded(rate=rate), times=(0.1, 0.2345678, 0.8))
    loaded = Recording.load(recording.save(tmp_path / "run.h5"))
    again = Simulator.replayed(loaded).run()
    assert_same_bits(recording, again)
    assert np.array_equal(again.rows["commands"]["value"], recording.rows["commands"]["value"])


def test_frames_show_what_a_command_was_up_to_them():
    recording = by_hand(commanded())
    assert recording.sensors["length"][10] == 0.0
    assert recording.sensors["length"][11] == -0.1
    times, values = recording.commands["length"]
    assert times.tolist() == [0.0, *TIMES]
    assert values.tolist() == [0.0, -0.1, 0.2, 0.05]


def test_a_scene_with_commands_is_said_again_to_the_bit():
    scene = commanded(rate=1.0)
    again = Scene.from_statements(scene.statements)
    assert model_digest(build_model(scene)) == model_digest(build_model(again))
    assert again.commands["force"].high == 5.0
    assert again.commands["length"].fastest == 1.0


def test_a_command_has_an_address():
    model = build_model(commanded()).with_values({("force", "value"): 2.0})
    assert Simulator(model).commands.value(0, 0.0) == 2.0


@pytest.mark.parametrize(("values", "told"), [
    ({"forse": 1.0}, "did you mean 'force'"), ({"force": float("nan")}, "finite"), ({"force": 9.0}, "at most 5"),
    ({"force": "much"}, "number"), ({"force": None}, "number"), ([1.0], "dictionary"),
    ({"length": 0.1, "force": -6}, "at least -5")])
def test_what_cannot_be_set_is_refused_and_nothing_is_set(values, told):
    simulator = Simulator(build_model(commanded()))
    simulator.advance_to(0.1)
    with pytest.raises(SceneError, match=told):
        simulator.set(values)
    assert [simulator.commands.value(number, 0.1) for number in range(2)] == [1.0, 0.0]
    assert_same_bits(simulate(commanded()), simulator.run())


def test_what_leads_a_place_needs_a_rate():
    scene = Scene("led")
    jumping, going = scene.add_command("jumping", 0.0), scene.add_command("going", 0.0, rate=0.5)
    with pytest.raises(SceneError, match="give the command a rate"):
        scene.add_particle("p", (0, 0, 0), 1.0, drive={"x": jumping})
    scene.add_particle("p", (0, 0, 0), 1.0, drive={"x": going})
    box = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    with pytest.raises(SceneError, match="give the command a rate"):
        scene.add_rigid("r", box, mass=1.0, drive={"rotation": ((0, 0, 1), jumping)})
    arm = scene.add_rigid("arm", box, mass=1.0)
    with pytest.raises(SceneError, match="give the command a rate"):
        scene.add_joint("hinge", "revolute", None, arm, at=(0, 0, 0), axis=(0, 0, 1), drive=jumping)


def test_a_particle_is_led_by_a_command_along_a_straight_line():
    scene = Scene("led", duration=1.0, frames=10, gravity=(0, 0, 0))
    scene.add_particle("p", (0, 0, 0), 2.0, drive={"x": scene.add_command("x", 0.0, rate=0.5)})
    simulator = Simulator(build_model(scene))
    simulator.advance_to(0.2)
    simulator.set({"x": 0.1})   # there at 0.4
    recording = simulator.run()
    np.testing.assert_allclose(recording.position[:, 0, 0], np.clip(0.5 * (recording.time - 0.2), 0.0, 0.1), atol=1e-12)
    assert recording.velocity[3, 0, 0] == pytest.approx(0.5)
    assert recording.ledger["residual"][-1] == pytest.approx(0.0, abs=1e-12)


def test_commands_have_names_bounds_and_rates_that_make_sense():
    scene = Scene("doors")
    scene.add_command("a", 0.0)
    for given, told in ((("a", 0.0), "taken"), (("", 0.0), "empty"), (("b", float("nan")), "finite"),
                        (("b", 0.0, 1.0), "at least 1"), (("b", 0.0, 1.0, -1.0), "lower bound"),
                        (("b", 0.0, None, None, 0.0), "> 0")):
        with pytest.raises(SceneError, match=told):
            scene.add_command(*given)
    assert list(scene.commands) == ["a"]


def test_a_joint_is_led_and_pushed_by_commands():
    """One hinge that follows a command, one that a torque speeds up: ω = T t/I."""
    box = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    scene = Scene("arms", duration=1.0, frames=10, gravity=(0, 0, 0))
    angle, torque = scene.add_command("angle", 0.0, rate=2.0), scene.add_command("torque", 0.0)
    for name, given in (("led", {"drive": angle}), ("pushed", {"torque": torque})):
        body = scene.add_rigid(name, box, mass=1.0, inertia=(0.5, 0.5, 0.5), centre=(0, 0, 0))
        scene.add_joint(f"{name} joint", "revolute", None, body, at=(0, 0, 0), axis=(0, 0, 1), **given)
    simulator = Simulator(build_model(scene))
    simulator.advance_to(0.4)
    simulator.set({"angle": 1.0, "torque": 0.25})   # the angle is there at 0.9
    recording = simulator.run()
    led, pushed = recording.joint("led joint"), recording.joint("pushed joint")
    np.testing.assert_allclose(led.coordinate, np.clip(2.0 * (recording.time - 0.4), 0.0, 1.0), atol=1e-12)
    np.testing.assert_allclose(pushed.rate, 0.25 / 0.5 * np.maximum(recording.time - 0.4, 0.0), atol=1e-12)
    np.testing.assert_allclose(recording.ledger["residual"], 0.0, atol=1e-9)


def test_a_command_of_another_scene_is_refused():
    other = Scene("other").add_command("f", 1.0)
    scene = Scene("one")
    scene.add_particle("p", (0, 0, 0), 1.0)
    scene.add_force("push", 0, (1, 0, 0), drive=other)
    with pytest.raises(SceneError, match="belongs to another scene"):
        build_model(scene)
