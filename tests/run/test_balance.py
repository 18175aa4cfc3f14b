"""Newton's method with contact: its stiffness, what it finds along paths, and when it is certain that a rest is stable."""
import numpy as np
import pytest
from scipy.sparse import csc_matrix

from robotphi import ContactMaterial, Drive, Motion, Scene, Simulator, build_model, equilibria, settle
from robotphi.discretise import Material, deformable, discretise, rigid
from robotphi.geometry.shapes import box
from robotphi.kernels.step import slots
from robotphi.run import along_motion
from robotphi.run.balance import Balance
from robotphi.run.felt import Felt
from robotphi.run.settle import frame_of
from robotphi.run.statics import arms_of
from robotphi.run.tangent import Slipping, Tangent
from tests.run.test_settle import arch

G = 9.81


@pytest.fixture
def by_motion(monkeypatch):
    """The steps of each rest that was left to the loop."""
    taken, rest = [], along_motion.rest_by_motion

    def counted(*given, **named):
        taken.append(rest(*given, **named))
        return taken[-1]

    monkeypatch.setattr(along_motion, "rest_by_motion", counted)
    return taken


def law(friction=0.5, stiffness=1e8):
    return ContactMaterial(stiffness=stiffness, friction=friction, restitution=0.3, speed=0.1)


def block(height=0.1, friction=0.5, stiffness=1e8, push=(0.0, 0.0, 0.0), most=1.0, density=1000.0):
    scene = Scene("block", duration=1.0)
    scene.add_plane("ground", contact=law(friction, stiffness))
    placed = scene.add_object("block", rigid(box((0.1, 0.1, height), centre=(0, 0, height / 2)), density=density),
                              contact=law(friction, stiffness))
    if any(push):
        scene.add_force("push", placed.rigids[0], push, drive=Drive.table([0.0, 1.0], [0.0, most]))
    return scene


def soft(shape, counts=(1, 1, 1)):
    return deformable(discretise(shape, counts=counts), Material(young=2e5, density=1000.0))


def soft_on_hard():
    scene = block()
    scene.add_object("soft", soft(box((0.06, 0.06, 0.04), centre=(0.005, 0.003, 0.12))), contact=law(stiffness=2e7))
    return scene


def hard_on_soft():
    scene = Scene("pad", duration=1.0)
    scene.add_object("pad", soft(box((0.1, 0.1, 0.04), centre=(0, 0, 0.02)), (2, 2, 1)), support={"bottom": "xyz"},
                     contact=law(stiffness=2e7))
    scene.add_object("block", rigid(box(0.06, centre=(0.01, 0.004, 0.07)), mass=0.5), contact=law(stiffness=2e7))
    return scene


def ball_in_bowl():
    """On a field each place it stands on has a spring of its own."""
    scene, places = Scene("bowl", duration=1.0), np.linspace(-0.1, 0.1, 5)
    heights = 2.0 * (places[:, None] - 0.012)**2 + 3.0 * (places[None, :] + 0.007)**2
    scene.add_height_field("bowl", heights, spacing=0.05, origin=(-0.1, -0.1, 0.0), contact=law(stiffness=1e7))
    scene.add_ball("ball", (0.0, 0.0, 0.0502), 0.05, mass=0.5, contact=law(stiffness=1e7))
    return scene


# The stiffness ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("make", [block, soft_on_hard, hard_on_soft, ball_in_bowl])
def test_friction_in_closed_form_is_what_differences_of_all_forces_give(make):
    simulator = Simulator(build_model(make()))
    settle(simulator, tolerance=1e-6)
    felt = Felt(simulator.state, arms_of(simulator.model))
    felt.aim()
    felt.begin()
    felt.stretch = felt.rubbing.start = 0.5 * felt.rubbing.start   # within all limits
    reach, still = 1e-9 * felt.extent, np.zeros(felt.count)
    held = felt.differences(still, reach)[0]
    columns = reach * np.eye(felt.count) / felt.arm
    whole = np.stack([felt.forces_at(-way) - felt.forces_at(way) for way in columns], axis=1) * felt.arm / (2.0 * reach)
    by_arms, holding = np.outer(felt.arm, felt.arm), felt.rubbing.holding().toarray()
    assert np.abs(holding).max() > 0.0
    # a reach of 1e-9 of the extent is some 1e-4 of how deep things are pressed in
    np.testing.assert_allclose((whole - held) / by_arms, holding / by_arms, rtol=0, atol=1e-3 * np.abs(whole / by_arms).max())


def one_slip(stiff, across, hard, rub, friction):
    """A particle with K = [[stiff, across], [across, …]] pressed on something, at its limit of friction along its first axis.
    """
    class Rubbing:
        springs = 0

        @staticmethod
        def holding():
            return csc_matrix(np.diag([rub, 0.0]))

    tangent = Tangent(np.array([[stiff, across], [across, stiff + hard]]), np.array([[0.0, -hard]]), Rubbing, 1e-9)
    ways = np.zeros((1, 4, 2))
    ways[0, 0, 0] = 1.0
    return tangent, Slipping(np.array([0]), ways, np.array([[rub, 0.0, 0.0, 0.0]]), np.array([friction / rub]))


@pytest.mark.parametrize(("share", "ends"), [(0.98, True), (1.02, False)])
def test_slips_run_away_from_the_friction_of_klarbring_on(share, ends):
    """Of a particle on something hard: c = K_tt/|K_nt|; how stiff friction is does not matter."""
    for rub in (1e2, 1e5):
        tangent, slips = one_slip(1000.0, -700.0, 1e10, rub, share * 1000.0 / 700.0)
        assert tangent.holds
        assert tangent.comes_to_an_end(slips) == ends


def test_a_step_with_slips_is_that_of_the_whole_matrix():
    tangent, slips = one_slip(1000.0, -300.0, 1e4, 500.0, 0.4)
    whole = np.array([[1000.0, -300.0 - 0.4 * 1e4], [-300.0, 1e4 + 1000.0]])   # friction bears c N along its axis
    np.testing.assert_allclose(tangent.step(np.array([3.0, -2.0]), slips), np.linalg.solve(whole, [3.0, -2.0]), rtol=1e-12)


# Paths -----------------------------------------------------------------------------------------------------------------

def test_a_jaw_that_pushes_a_block_bears_its_friction(by_motion):
    """From where it gives way on c N, whatever the way; the jaw itself is smooth."""
    scene = block()
    scene.add_object("jaw", rigid(box((0.02, 0.2, 0.06), centre=(-0.06, 0, 0.05)), density=1000.0), support="xyz",
                     contact=ContactMaterial(stiffness=1e8))
    scene.exclude_contact("jaw", "ground")
    study = equilibria(scene, {"jaw": [(5e-5 * k, 0, 0) for k in range(9)]})
    jaw = next(rigid for rigid in study.model.scene.rigids if rigid.name == "jaw")
    pushes = np.abs(study.reaction(jaw)[:, 0])
    assert len(by_motion) == 1
    assert pushes[0] < 1e-6
    np.testing.assert_allclose(pushes[-4:], 0.5 * G, rtol=1e-3)   # the block leans by 3e-4
    for k in range(-4, 0):
        table = study.recording.contacts(k)
        row = next(k for k in range(len(table.first)) if "ground" in (table.first_owner[k], table.second_owner[k]))
        assert np.linalg.norm(table.friction[row]) == pytest.approx(0.5 * np.linalg.norm(table.normal[row]), rel=1e-7)
    np.testing.assert_allclose(np.diff(study.rigid_position[-4:, 0, 0]), 5e-5, rtol=1e-4)
    assert study.shares.max() > 1


def test_a_block_that_was_dragged_is_held_again_as_soon_as_the_pull_goes_back():
    """By k of the pull and k′ of friction in line, from c N on; what has slipped does not come back."""
    scene, pull = block(), 1e5
    corners = np.array([(-0.05, y, 0.0) for y in (-0.05, 0.05)])
    places = build_model(block()).position
    ends = [int(np.argmin(np.linalg.norm(places - at, axis=1))) for at in corners]
    led = scene.add_particles("led", corners - (0.2, 0, 0), 0.01, support="xyz")
    scene.add_linear("cord", led, ends, 0.5 * pull)
    reach, back = 1.5 * 0.5 * G / pull, 1e-5
    study = equilibria(scene, {"led": [(-way, 0, 0) for way in (0.0, 0.5 * reach, reach, reach - back)]})
    forces = study.tension("cord").sum(axis=1)
    assert forces[2] == pytest.approx(0.5 * G, rel=1e-4)   # cords lean with the block that sinks
    rubs = 0.5 * 1e8 * 0.1**2
    assert forces[2] - forces[3] == pytest.approx(back * pull * rubs / (pull + rubs), rel=1e-3)


@pytest.mark.parametrize("limit", ["break_force", "yield_force"])
def test_springs_yield_and_break_where_they_rest_not_on_the_way(by_motion, limit):
    """Behind a soft spring a stiff one bears 0.1 N; before what joins them has followed it would bear 100 N."""
    scene = block()
    ends = [scene.add_particles(name, [(x, 0.0, 0.5)], 0.01, support=axes)
            for name, x, axes in (("fixed", 1.0, "xyz"), ("joined", 0.0, "yz"), ("led", -1.0, "xyz"))]
    scene.add_linear("soft", ends[0], ends[1], 1e2)
    scene.add_linear("stiff", ends[1], ends[2], 1e5, **{limit: 1.0})
    study = equilibria(scene, {"led": [(0, 0, 0), (-1e-3, 0, 0)]})
    assert len(by_motion) == 1
    assert study.tension("stiff")[1, 0] == pytest.approx(1e-3 / (1e-2 + 1e-5), rel=1e-6)


def test_a_way_over_time_is_the_same_as_by_poses_whatever_its_speed(by_motion):
    """A cord that pulls a block within its friction: its damper would add 1 N where the end moves."""
    def pulled(**held):
        scene = block()
        corner = int(np.argmin(np.linalg.norm(build_model(block()).position - (-0.05, -0.05, 0.0), axis=1)))
        end = scene.add_particles("end", [(-0.3, -0.05, 0.0)], 0.01, **held)
        scene.add_linear("cord", end, [corner], 1e4, viscosity=1e3)
        return scene

    times = [0.0, 0.025, 0.05, 0.2]
    moves = Motion([0.0, 0.1, 1.0], [(0, 0, 0), (-1e-4, 0, 0), (-1e-4, 0, 0)], kind="linear")
    timed = equilibria(pulled(motion=moves), times)
    posed = equilibria(pulled(support="xyz"), {"end": [(-min(1e-3 * time, 1e-4), 0, 0) for time in times]})
    assert len(by_motion) == 2   # the first of each
    np.testing.assert_allclose(timed.position, posed.position, rtol=0, atol=1e-14)


@pytest.mark.slow
def test_friction_on_both_sides_is_where_ever_slower_dynamics_ends():
    """What a block that is pushed down at the jaw bears there hangs on all the way; dynamics falls short by as much as it is
    fast, so that two speeds tell where it goes."""
    def pushed(**held):
        scene = block()
        jaw = rigid(box((0.02, 0.2, 0.06), centre=(-0.0601, 0, 0.05)), density=1000.0)
        scene.add_object("jaw", jaw, contact=law(), **held)
        scene.exclude_contact("jaw", "ground")
        return scene

    study = equilibria(pushed(support="xyz"), {"jaw": [(5e-5 * k, 0, 0) for k in range(12)]})
    bears = []
    for time in (1.0, 4.0):
        way = Motion([0.0, time, time + 1.0], [(0, 0, 0), (5.5e-4, 0, 0), (5.5e-4, 0, 0)], kind="linear")
        scene = pushed(motion=way)
        scene.duration = time + 1.0
        simulator = Simulator(build_model(scene))
        settle(simulator)
        simulator.advance_to(time + 1.0)
        bears.append(settled_force(frame_of(simulator.state)))
    slowest = bears[1] + (bears[1] - bears[0]) / 3.0
    assert settled_force(study.recording) == pytest.approx(slowest, rel=1e-3)


@pytest.mark.parametrize("way", [1e-3, 2e-2])
def test_jaws_that_slide_up_a_block_at_once_bear_what_friction_does(way):
    """Pressed in by 2e-5 m they hold up μN each, too little to lift it; each share of the way is four of these depths."""
    scene, deep = block(friction=0.5, stiffness=1e7, density=100.0), 2e-5
    for name, x in (("left", -0.06), ("right", 0.06)):
        jaw = rigid(box((0.02, 0.06, 0.06), centre=(x, 0, 0.05)), density=1000.0)
        scene.add_object(name, jaw, support="xyz", contact=law(0.5, 1e7))
        scene.exclude_contact(name, "ground")
    poses = np.array([(0, 0, 0), (deep, 0, 0), (deep, 0, way)])
    study = equilibria(scene, {"left": poses, "right": poses * (-1, 1, 1)})
    table, weight = study.recording.contacts(-1), 0.1 * G
    jaws = [k for k in range(3) if "ground" not in (table.first_owner[k], table.second_owner[k])]
    ground, = {0, 1, 2} - set(jaws)
    for k in jaws:
        assert np.linalg.norm(table.friction[k]) == pytest.approx(0.5 * np.linalg.norm(table.normal[k]), rel=1e-6)
    lifted = 2.0 * 0.5 * np.linalg.norm(table.normal[jaws[0]])
    assert abs(table.normal[ground][2]) == pytest.approx(weight - lifted, rel=1e-3)


def settled_force(recording):
    """N, along the way, of block and jaw."""
    table = recording.contacts(-1)
    row = next(k for k in range(len(table.first)) if "jaw" in (table.first_owner[k], table.second_owner[k]))
    return abs(table.normal[row] + table.friction[row])[0]


def test_blocks_whose_sides_are_flush_are_no_obstacle(by_motion):
    """Forces across an arch jump where sides meet, by pressure on a side that comes to lie within the other block."""
    study = equilibria(arch(6), {"base 1": [(1e-6 * k, 0, 0) for k in range(5)]})
    assert len(by_motion) == 1
    assert (study.residual <= 1e-8 * study.load).all()
    assert study.steps[1:].max() < 10


@pytest.mark.parametrize("share", [0.97, 1.03])
def test_a_tall_block_on_soft_ground_stands_up_to_the_load_at_which_the_ground_lets_it_lean(share):
    """The pressure λ φ has λ b⁴/12 per angle of lean, a load at height h takes P h off; of two surfaces λ is half of each."""
    high, soft_ground, most = 0.5, 1e7, 100.0
    critical, weight = 0.5 * soft_ground * 0.1**4 / 12.0 / high, 0.1**2 * 2.0 * high * 10.0 * G
    model = build_model(block(2.0 * high, 0.8, soft_ground, (0.0, 0.0, -1.0), most, density=10.0))
    simulator = Simulator(model)
    settle(simulator)
    numbers = simulator.state.buffers.numbers
    numbers[slots.TIME] = (share * critical - weight) / most
    before = simulator.state.buffers.rigid.copy()
    found = Balance(simulator.state, arms_of(model)).find(lambda: 1e-6)
    assert (found > 0) == (share < 1.0)
    assert np.array_equal(simulator.state.buffers.rigid, before) == (share > 1.0)   # left as it was


def test_a_block_that_is_pushed_leans_on_the_point_that_its_weight_and_the_push_meet():
    """F z = m g x; it does not tip before x is half its width."""
    weight, high = 0.1 * 0.1 * 0.2 * 1000.0 * G, 0.2
    most, shares = 0.9 * weight * 0.1 / high, np.linspace(0.0, 1.0, 7)
    study = equilibria(block(high, 0.9, push=(1.0, 0.0, 0.0), most=most), shares)
    for k, share in enumerate(shares):
        table = study.recording.contacts(k)
        arm = table.point[0] - study.rigid_position[k, 0]
        assert arm[0] * weight == pytest.approx(-share * most * arm[2], abs=1e-7 * weight)
    assert set(study.stability) == {"stable"}


# What is not certain ----------------------------------------------------------------------------------------------------

def test_what_may_roll_is_not_certain_to_be_stable_and_left_as_it_was():
    scene = Scene("ball", duration=1.0)
    scene.add_plane("ground", contact=law())
    scene.add_ball("ball", (0, 0, 0.05), 0.05, mass=0.5, contact=law(stiffness=1e7))
    simulator = Simulator(build_model(scene))
    settle(simulator)
    state = simulator.state
    kept = state.buffers.rigid.copy(), state.buffers.touch.numbers.copy(), state.buffers.counters.copy()
    balance = Balance(state, arms_of(simulator.model))
    assert balance.find(lambda: 1e-6) == 0
    for now, before in zip((state.buffers.rigid, state.buffers.touch.numbers, state.buffers.counters), kept, strict=True):
        np.testing.assert_array_equal(now, before)


@pytest.mark.filterwarnings("error")
def test_what_touches_nothing_and_weighs_nothing_is_left_to_the_loop(by_motion):
    scene = Scene("apart", duration=1.0, gravity=(0, 0, 0))
    scene.add_plane("ground", contact=law())
    scene.add_object("block", rigid(box(0.1, centre=(0, 0, 0.06)), density=1000.0), contact=law())
    study = equilibria(scene, [0.0, 1.0])
    assert len(by_motion) == 2
    np.testing.assert_array_equal(study.rigid_position[0], study.rigid_position[1])


def test_a_block_in_balance_is_found_at_once_and_stands():
    simulator = Simulator(build_model(block()))
    found = settle(simulator)
    balance = Balance(simulator.state, arms_of(simulator.model))
    assert balance.find(lambda: 1e-8 * found.load) > 0
    assert balance.residual <= 1e-8 * found.load
    assert simulator.state.buffers.counters[slots.STARTED] == 0
    np.testing.assert_allclose(simulator.state.rigid(0), found.rigid_position, rtol=0, atol=1e-12)
