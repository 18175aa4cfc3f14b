"""Acts that contact or a number switches: when they are on, and that what a switch changes is booked."""
import numpy as np
import pytest
from scipy.optimize import brentq

from robotphi import ContactMaterial, Scene, SceneError, Simulator, Stepping, build_model, simulate
from robotphi.model.acts import pushed as acts_push

LAW = ContactMaterial(stiffness=1e6, restitution=0.5, speed=1.0)


def thrown(when, act="pull"):
    """A ball comes down on a plane after 0.2 s or so, and is pulled or pushed aside."""
    scene = Scene("thrown", duration=1.0, frames=50, gravity=(0, 0, 0))
    scene.add_plane("ground", (0, 0, 0), contact=LAW)
    scene.add_ball("ball", (0, 0, 0.4), 0.1, density=500.0, velocity=(0, 0, -1.5), contact=LAW)
    if act == "pull":
        scene.add_pull("act", scene.rigids[0], (0.3, 0, 0.2), 20.0, damping=1.0, axes="x", when=when)
    else:
        scene.add_field("act", scene.rigids[0], "uniform", 2.0, axis=(1, 0, 0), when=when)
    return scene


def touched(run):
    """Frames in which the ball presses on the ground."""
    return np.array([bool(run.contacts(frame).normal.any()) for frame in range(len(run))])


@pytest.mark.parametrize("act", ["pull", "field"])
def test_an_act_is_on_since_until_or_while_things_touch(act):
    first = None
    for way in ("since", "until", "while"):
        run = simulate(thrown((way, "ball", "ground"), act))
        on = touched(run)
        first, moves = int(np.argmax(on)), np.abs(np.diff(run.rigid_velocity[:, 0, 0])) > 1e-9
        assert 0 < first < len(on) - 10
        before, behind = moves[:first - 1], moves[first + 1:]
        if way == "since":
            assert not before.any()
            assert behind.all()
        elif way == "until":
            assert before.all()
            assert not behind.any()
        else:
            gone = first + int(np.argmin(on[first:])) + 1
            assert not before.any()
            assert not moves[gone:].any()
            assert moves[first - 1:gone].any()


@pytest.mark.parametrize("way", ["since", "until", "while"])
def test_a_switch_by_contact_is_booked_and_a_run_goes_on_behind_it(way):
    run = simulate(thrown((way, "ground")))
    assert run.ledger["largest_residual"][-1] <= run.info["budget"] * run.ledger["reference_energy"][-1]
    assert abs(run.ledger["work:act"][-1]) > 1e-2   # what is switched on was given, and taken where it is switched off
    for frame in (5, 20):
        again = Simulator.continued(build_model(thrown((way, "ground"))), run, frame=frame).run()
        assert np.array_equal(again.rigid_position[-1], run.rigid_position[-1])
        assert np.array_equal(again.ledger["work:act"][-1], run.ledger["work:act"][-1])


def test_what_touches_at_the_start_switches_at_once():
    scene = Scene("lying", duration=0.1, frames=2)
    scene.add_plane("ground", (0, 0, 0), contact=LAW)
    scene.add_ball("ball", (0, 0, 0.0999), 0.1, density=500.0, contact=LAW)
    scene.add_field("act", scene.rigids[0], "uniform", 2.0, axis=(1, 0, 0), when=("since", "ball"))
    run = simulate(scene)
    assert run.rigid_velocity[-1, 0, 0] == pytest.approx(2.0 * 0.1 / scene.rigids[0].mass, rel=1e-6)


def test_what_a_switch_needs_is_said():
    for when in ("since", ("once", "ball"), ("since",)):
        with pytest.raises(SceneError, match=r'give \("since", thing\)'):
            thrown(when)
    with pytest.raises(SceneError, match="unknown thing that touches 'bell'; did you mean 'ball'"):
        thrown(("since", "bell"))


# Gates by a number ----------------------------------------------------------------------------------------------------

MASS, SPEED, PUSH = 2.0, 1.5, 3.0


def crossing(when, sensor, **stepping):
    """A particle flies along x from the origin, and is pushed along y where the gate is open; a rod turns at 1.5 rad/s."""
    scene = Scene("crossing", duration=1.0, frames=50, gravity=(0, 0, 0), stepping=Stepping(**stepping or {"budget": 1e-6}))
    p, q = scene.add_particles("p", [(0, 0, 0), (0, 0, 1.0)], MASS, velocity=[(SPEED, 0, 0), (0, 0, 0)])
    rod = scene.add_rigid("rod", [(0, 5, 0), (1, 5, 0)], mass=1.0, inertia=(0.1, 0.1, 0.1), centre=(0, 5, 0),
                          points={"tip": (0.5, 5, 0)})
    scene.add_joint("hinge", "revolute", None, rod, at=(0, 5, 0), axis=(0, 0, 1), rate=SPEED)
    of = {"position": p, "velocity": p, "speed": p, "coordinate": "hinge", "rate": "hinge", "distance": (p, q),
          "mark": (rod, "tip")}[sensor]
    scene.add_sensor("seen", "position" if sensor == "mark" else sensor, of)
    scene.add_field("act", p, "uniform", PUSH, axis=(0, 1, 0), when=when)
    return scene


# sensor → (what it is looked at as, threshold, time at which it is passed)
PASSED = {"position": (("seen", "x"), 0.6, 0.4), "coordinate": ("seen", 0.6, 0.4),
          "distance": ("seen", np.hypot(0.6, 1.0), 0.4), "mark": (("seen", "y"), 5.0 + 0.5 * np.sin(0.6), 0.4)}


@pytest.mark.parametrize("sensor", PASSED)
def test_an_act_is_on_since_or_until_a_number_passes_a_threshold(sensor):
    """The push begins or ends at a known time: v_y = F t/m. What is pushed along y is farther away before."""
    seen, value, time = PASSED[sensor]
    for way, pushed in (("since", 1.0 - time), ("until", time), ("while", 1.0 - time)):
        run = simulate(crossing((way, seen, "above", value), sensor))
        longest = run.steps["dt"].max()
        if (sensor, way) == ("distance", "until"):
            time = pushed = brentq(lambda t: (SPEED * t)**2 + (0.5 * PUSH / MASS * t * t)**2 + 1.0 - value**2, 0.0, 1.0)
        assert run.velocity[-1, 0, 1] == pytest.approx(PUSH / MASS * pushed, abs=1e-8)
        assert run.ledger["largest_residual"][-1] <= run.info["budget"] * run.ledger["reference_energy"][-1]
        moved = run.velocity[:, 0, 1] > 1e-9
        before = run.time < time - longest
        assert not moved[before].any() if way != "until" else moved[1:].all()


def relay(frames, **stepping):
    """A particle falls by 10 m/s² above the ground and rises by 10 m/s² below it."""
    stepping = Stepping(**stepping or {"budget": 1e-3})
    scene = Scene("relay", duration=1.37, frames=frames, gravity=(0, 0, -10.0), stepping=stepping)
    p = scene.add_particle("p", (0, 0, 0.03), MASS)
    scene.add_sensor("height", "position", p)
    scene.add_field("act", p, "uniform", 20.0 * MASS, axis=(0, 0, 1), when=("while", ("height", "z"), "below", 0.0))
    return scene


@pytest.mark.parametrize(("frames", "stepping"), [(1, {}), (10, {}), (1000, {}), (10, {"control": "fixed", "dt": 0.013})])
def test_steps_end_where_a_number_passes_its_threshold(frames, stepping):
    """To and fro by parabolas, a quarter of a period in √(2 h/g): exact whatever the frames, and a turn costs some steps."""
    recording = simulate(relay(frames, **stepping))
    quarter = np.sqrt(2.0 * 0.03 / 10.0)
    turns, since = divmod((1.37 - quarter) / (2.0 * quarter), 1.0)
    since *= 2.0 * quarter
    height = (1.0 if turns % 2 else -1.0) * (np.sqrt(20.0 * 0.03) * since - 5.0 * since * since)
    assert recording.position[-1, 0, 2] == pytest.approx(height, abs=1e-6)
    steps = 1.37 / 0.013 if stepping else frames
    assert recording.counts["attempts"] < steps + 12 * (turns + 1) + 12
    assert recording.info["warnings"] == []


def test_a_swing_through_a_threshold_is_of_second_order():
    """On a spring, with a push while it is below: where gates turned at the ends of steps it was of first order."""
    def swing(dt):
        scene = Scene("swing", duration=2.0, frames=1, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=dt))
        p = scene.add_particle("p", (0, 0, 1.1), 1.0)
        scene.add_linear("spring", p, scene.add_particle("q", (0, 0, 0), 0.0, support="xyz"), 30.0, rest_length=1.0)
        scene.add_sensor("height", "position", p)
        scene.add_field("act", p, "uniform", 1.0, axis=(0, 0, 1), when=("while", ("height", "z"), "below", 1.02))
        return simulate(scene).position[-1, 0, 2]
    ends = [swing(dt) for dt in (0.04, 0.02, 0.01, 0.005)]
    errors = np.abs(np.diff(ends))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.3)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.3)


def test_a_gate_that_turns_back_at_once_costs_no_steps_and_is_told():
    scene = Scene("sliding", duration=1.0, frames=10, gravity=(0, 0, -10.0))
    p = scene.add_particle("p", (0, 0, 0), 1.0, velocity=(0, 0, 1.0))
    scene.add_sensor("seen", "velocity", p)
    scene.add_field("lift", p, "uniform", 20.0, axis=(0, 0, 1), when=("while", ("seen", "z"), "below", 0.0))
    recording = simulate(scene)
    assert recording.counts["attempts"] < 40
    assert any("'lift'" in told and "hysteresis" in told for told in recording.info["warnings"])


def test_speeds_and_rates_are_looked_at_and_below_is_the_other_side():
    for sensor, seen in (("speed", "seen"), ("velocity", ("seen", "x")), ("rate", "seen")):
        for side, threshold, on in (("above", 1.0, True), ("below", 1.0, False), ("below", 2.0, True)):
            run = simulate(crossing(("while", seen, side, threshold), sensor, control="fixed", dt=0.01))
            # the gate turns at the start: the first step has the push already
            assert run.velocity[1, 0, 1] == pytest.approx(PUSH / MASS * run.time[1] * on, abs=1e-12), (sensor, side)


def test_a_gate_at_a_place_is_booked_and_a_run_goes_on_behind_it_with_the_same_bits():
    """A pull that is on while its target is below a height, in which it swings: every turn is work of the act."""
    def swinging():
        scene = Scene("swinging", duration=1.0, frames=20, gravity=(0, 0, 0))
        p = scene.add_particle("p", (0, 0, 0.2), 1.0, velocity=(0, 0, 1.0))
        scene.add_linear("spring", p, scene.add_particle("q", (0, 0, 1.0), 0.0, support="xyz"), 100.0, rest_length=0.8)
        scene.add_sensor("height", "position", p)
        scene.add_pull("act", p, (0, 0, 0), 20.0, when=("while", ("height", "z"), "below", 0.2))
        return scene
    run = simulate(swinging())
    assert run.ledger["largest_residual"][-1] <= run.info["budget"] * run.ledger["reference_energy"][-1]
    gained = (run.ledger["kinetic"] + run.ledger["elastic_linear"] + run.ledger["stored:act"])
    np.testing.assert_allclose(gained - gained[0], run.ledger["work:act"] - run.ledger["work:act"][0],
                               atol=2 * run.info["budget"] * run.ledger["reference_energy"][-1])
    turns = np.diff(run.ledger["work:act"])   # it was booked more than once, and not in between: what it stores there
    assert np.count_nonzero(turns) >= 3
    np.testing.assert_allclose(np.abs(turns[turns != 0.0]), 0.5 * 20.0 * 0.2**2, rtol=1e-6)
    for frame in (3, 11):
        again = Simulator.continued(build_model(swinging()), run, frame=frame).run()
        assert np.array_equal(again.position[-1], run.position[-1])
        assert np.array_equal(again.ledger["work:act"][-1], run.ledger["work:act"][-1])
    said = simulate(Scene.from_statements(swinging().statements))
    assert np.array_equal(said.position, run.position)


def test_the_threshold_of_a_gate_has_an_address():
    scene = crossing(("since", ("seen", "x"), "above", 0.6), "position")
    later = simulate(scene.with_values({("act", "threshold"): 1.2}))
    step = later.steps["dt"].max() * (1.0 + 2.0**-23)   # told in single precision
    assert later.velocity[-1, 0, 1] == pytest.approx(PUSH / MASS * 0.2, abs=PUSH / MASS * step)


def test_what_a_gate_cannot_look_at_is_said_with_what_it_can():
    for when, sensor, words in (
            (("since", "seem", "above", 1.0), "position", "unknown sensor 'seem'; did you mean 'seen'"),
            (("since", "seen", "above", 1.0), "position", r"has three numbers; give \('seen', \"z\"\)"),
            (("since", ("seen", "x"), "above", 1.0), "speed", "has one number; give 'seen' alone"),
            (("since", "seen", "over", 1.0), "speed", "unknown side 'over'"),
            (("since", "seen", "above", float("nan")), "speed", "threshold is nan"),
            (("since", "seen"), "speed", r"'seen' is a sensor; say from where on"),
            (("since", ("seen", "w"), "above", 1.0), "position", "unknown axis 'w'")):
        with pytest.raises(SceneError, match=words):
            crossing(when, sensor)
    scene = Scene("energy")
    p = scene.add_particle("p", (0, 0, 0), 1.0)
    with pytest.raises(SceneError, match="there are no sensors so far; add_sensor first"):
        scene.add_field("act", p, "uniform", 1.0, axis=(1, 0, 0), when=("since", "speed", "above", 1.0))
    scene.add_sensor("seen", "kinetic_energy", p)
    with pytest.raises(SceneError, match=r"switched by sensors of coordinate, rate, .*controller set a command .* active="):
        scene.add_field("act", p, "uniform", 1.0, axis=(1, 0, 0), when=("since", "seen", "above", 1.0))


def test_what_a_gate_looks_at_is_carried_along_and_is_not_pushed():
    model = build_model(crossing(("since", ("seen", "y"), "above", 5.3), "mark"))
    tip = model.scene.things["rod.tip"].indices[0]
    particles, rigids = acts_push(model.arrays)
    assert tip not in particles
    assert not len(rigids)
    rigids = model.arrays.rigids
    assert tip in rigids.particle[rigids.start[0]:rigids.used[0]]


@pytest.mark.parametrize("seen_joint", [None, (0, 0), (3, 1)])
def test_a_coordinate_that_is_not_there_is_refused_before_a_kernel_looks(seen_joint):
    scene = Scene("no joints", duration=0.1, frames=1)
    end = scene.add_particle("end", (0, 0, 0), 1.0)
    scene.add_act("field", "lead", target=[end], law="uniform", amount=1.0, axis=(1, 0, 0), seen="coordinate",
                  seen_joint=seen_joint)
    with pytest.raises(SceneError, match="which is no coordinate"):
        build_model(scene)
