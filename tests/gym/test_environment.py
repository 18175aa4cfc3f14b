"""Environments: gymnasium's checker, resets that are new starts to the bit, seeds, noise by addresses, processes."""
import numpy as np
import pytest

from robotphi import RobotphiError, Scene, SceneError, Simulator, build_model

pytest.importorskip("gymnasium", reason="gymnasium, of the extra gym, is not installed")

from gymnasium.utils.env_checker import check_env

from robotphi.gym import SceneEnvironment, side_by_side, uniform


def cart(**settings):
    """A mass on a spring that is to come to 0.1 m."""
    scene = Scene("cart", duration=2.0, frames=4, gravity=(0, 0, 0))
    push = scene.add_command("push", 0.0, low=-1.0, high=1.0)
    mass = scene.add_particle("mass", (0, 0, 0), 1.0)
    wall = scene.add_particle("wall", (-1, 0, 0), 1.0, support="xyz")
    scene.add_linear("spring", mass, wall, 5.0, 0.1)
    scene.add_force("push", mass, (1, 0, 0), drive=push)
    scene.add_sensor("x", "position", of=mass)
    scene.add_sensor("v", "velocity", of=mass)
    scene.add_sensor("length", "length", of="spring")
    return SceneEnvironment(scene, **{
        "observations": ["x", "v"], "actions": ["push"], "sensors": ["length"],
        "reward": lambda seen, action: -abs(seen["length"] - 1.1) - 0.01 * float(action @ action),
        "ended": lambda seen: abs(seen["x"][0]) > 0.5, "rate": 20.0, "seconds": 1.5,
        "noise": {("mass", "position"): 0.05, ("mass", "velocity"): 0.1}, **settings})


def arm(**settings):
    """Two links that hang, pushed at the shoulder."""
    box = np.array([(0, 0, 0), (0, 0.1, -0.5), (0, -0.1, -0.5), (0.1, 0, -0.3)])
    scene = Scene("arm", duration=1.0, frames=1)
    torque = scene.add_command("torque", 0.0, low=-2.0, high=2.0)
    upper = scene.add_rigid("upper", box, mass=1.0)
    lower = scene.add_rigid("lower", box - np.array((0, 0, 0.5)), mass=1.0)
    scene.add_joint("shoulder", "revolute", None, upper, at=(0, 0, 0), axis=(1, 0, 0), torque=torque)
    scene.add_joint("elbow", "revolute", upper, lower, at=(0, 0, -0.5), axis=(1, 0, 0))
    for name in ("shoulder", "elbow"):
        scene.add_sensor(name, "coordinate", of=name)
        scene.add_sensor(f"{name} rate", "rate", of=name)
    scene.add_sensor("tip", "position", of=int(lower.particles[1]))
    return SceneEnvironment(scene, **{
        "observations": ["shoulder", "elbow", "shoulder rate", "elbow rate", "tip"], "actions": ["torque"],
        "reward": lambda seen, action: seen["tip"][2], "noise": {("shoulder", "place"): 0.3, ("elbow", "rate"): uniform(1.0)},
        **settings})


def episode(environment, seed, steps=20):
    """Observations and rewards of an episode with actions of its own seed."""
    actions = np.random.default_rng(7).uniform(-1.0, 1.0, (steps, 1))
    found = [environment.reset(seed=seed)[0]]
    rewards = []
    for action in actions:
        seen, reward, ended, cut, _ = environment.step(action)
        found.append(seen)
        rewards.append(reward)
        if ended or cut:
            break
    return np.array(found), np.array(rewards)


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
@pytest.mark.parametrize("make", [cart, arm])
def test_gymnasium_finds_nothing_wrong(make):
    check_env(make(), skip_render_check=True)


@pytest.mark.parametrize("make", [cart, arm])
def test_a_seed_makes_an_episode_whatever_came_before(make):
    environment = make()
    first, rewards = episode(environment, 3)
    other, _ = episode(environment, 4)
    again, rewards_again = episode(environment, 3)
    fresh, _ = episode(make(), 3)
    assert np.array_equal(first, again)
    assert np.array_equal(first, fresh)
    assert np.array_equal(rewards, rewards_again)
    assert not np.array_equal(first[0], other[0])


def test_a_restarted_simulator_is_a_new_one_to_the_bit():
    scene = arm().scene
    simulator = Simulator(build_model(scene))
    simulator.advance_to(0.31)
    simulator.set({"torque": 1.5})
    before = simulator.run()
    kept = before.position.copy()
    simulator.restart()
    again, new = simulator.run(), Simulator(build_model(scene)).run()
    assert np.array_equal(again.position, new.position)
    assert np.array_equal(again.steps["dt"], new.steps["dt"])
    assert again.counts == new.counts
    for name in new.ledger:
        assert np.array_equal(again.ledger[name], new.ledger[name])
    assert np.array_equal(before.position, kept), "a recording that was given out stays"
    assert not np.array_equal(before.position, new.position)


def test_noise_moves_joints_with_all_that_hangs_on_them():
    environment = arm(noise={("shoulder", "place"): lambda random, value: value + 0.4,
                             ("elbow", "rate"): lambda random, value: value + 2.0})
    seen, _ = environment.reset(seed=0)
    scene = environment.scene
    np.testing.assert_allclose(seen[:4], (0.4, 0.0, 0.0, 2.0), atol=1e-15)
    drawn = scene.position[scene.rigids[1].particles[1]]
    turn = np.array([[1, 0, 0], [0, np.cos(0.4), -np.sin(0.4)], [0, np.sin(0.4), np.cos(0.4)]])
    np.testing.assert_allclose(seen[4:], turn @ drawn, atol=1e-12)


def test_noise_of_anything_else_gives_the_model_that_value():
    environment = cart(noise={("spring", "stiffness"): lambda random, value: value * random.uniform(0.5, 2.0)})
    stiffness = []
    for seed in (1, 2, 1):
        environment.reset(seed=seed)
        stiffness.append(environment.simulator.model.scene.value("spring", "stiffness")[0])
    assert stiffness[0] == stiffness[2] != stiffness[1]


def test_energy_is_known_from_where_noise_has_put_things():
    environment = cart(noise={("mass", "position"): lambda random, value: value + np.array((0.1, 0, 0))})
    environment.reset(seed=0)
    ledger = environment.simulator.state.ledger()
    assert ledger["elastic_linear"] == pytest.approx(0.5 * 5.0 * 0.1**2)
    assert ledger["residual"] == 0.0


@pytest.mark.slow
def test_environments_in_processes_give_what_one_after_another_gives():
    together = side_by_side(cart, 4)
    try:
        seen, _ = together.reset(seed=[10, 11, 12, 13])
        actions = np.random.default_rng(7).uniform(-1.0, 1.0, (10, 1))
        found, rewards = [seen], []
        for action in actions:
            seen, reward, *_ = together.step(np.tile(action, (4, 1)))
            found.append(seen)
            rewards.append(reward)
    finally:
        together.close()
    for place, seed in enumerate((10, 11, 12, 13)):
        alone, alone_rewards = episode(cart(), seed, 10)
        assert np.array_equal(np.array(found)[:, place], alone)
        assert np.array_equal(np.array(rewards)[:, place], alone_rewards)


@pytest.mark.parametrize(("given", "told"), [
    ({"observations": ["y"]}, "unknown sensor 'y'"), ({"actions": ["pull"]}, "unknown command 'pull'"),
    ({"actions": []}, "no actions"),
    ({"rate": 0.0}, "> 0"), ({"rate": 0.1}, "has 0 steps"), ({"seconds": 9.0}, "<= 2"), ({"reward": 3.0}, "give a function"),
    ({"noise": {("mass", "speed"): 0.1}}, "unknown quantity"), ({"noise": {("wall", "position"): 0.1}}, "held or driven"),
    ({"noise": {("mass", "position"): -0.1}}, ">= 0")])
def test_an_environment_that_cannot_be_is_refused(given, told):
    with pytest.raises(SceneError, match=told):
        cart(**given)


def test_actions_are_checked_and_steps_after_the_end_refused():
    environment = cart()
    with pytest.raises(SceneError, match="call reset"):
        environment.step(np.zeros(1))
    environment.reset(seed=0)
    with pytest.raises(SceneError, match="finite"):
        environment.step(np.array([np.nan]))
    with pytest.raises(SceneError, match="give 1 numbers"):
        environment.step(np.zeros(2))
    with pytest.raises(SceneError, match="at most 1"):
        environment.step(np.array([1.5]))
    scene = Scene("free")
    scene.add_command("push", 0.0)
    scene.add_particle("p", (0, 0, 0), 1.0)
    scene.add_sensor("x", "position", of=0)
    with pytest.raises(SceneError, match="no bounds"):
        SceneEnvironment(scene, ["x"], ["push"], lambda seen, action: 0.0)


@pytest.mark.parametrize("action", ["abc", None, [1.0, 2.0], 3.0, ["a"], {"push": 1.0}, [1j]])
def test_an_action_that_is_none_is_told_in_words(action):
    environment = cart()
    environment.reset(seed=0)
    with pytest.raises(SceneError, match="give 1 numbers"):
        environment.step(action)


@pytest.mark.parametrize("seed", [1.5, -1, "a", True])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(SceneError, match="seed is"):
        cart().reset(seed=seed)


@pytest.mark.parametrize(("given", "words"), [
    ({"observations": 3}, "unknown sensor 3"), ({"sensors": 3}, "unknown sensor 3"), ({"actions": ["push", "push"]}, "twice"),
    ({"noise": 3}, "noise: it is 3"), ({"rate": 1e12}, "per second"), ({"actions": None}, "no actions"),
    ({"noise": {("mass", "position"): lambda random, value: "a"}}, "returns is 'a'"),
    ({"noise": {("mass", "position"): lambda random, value: [1.0, 2.0]}}, r"shape \(2,\)"),
    ({"reward": lambda seen, action: None}, "the reward at 0.05 s is None"),
    ({"reward": lambda seen, action: np.nan}, "the reward at 0.05 s is nan"),
])
def test_what_an_environment_is_given_or_returns_is_told_in_words(given, words):
    def first_step():
        environment = cart(**given)
        environment.reset(seed=0)
        environment.step([0.0])

    with pytest.raises(SceneError, match=words):
        first_step()


def test_nothing_but_a_scene_is_an_environment_and_a_function_makes_some_of_them():
    with pytest.raises(SceneError, match="is no Scene"):
        SceneEnvironment(3, ["x"], ["push"], len)
    for make, count, words in ((3, 2, "give a function"), (cart, 0, "count is 0"), (cart, "a", "count is 'a'")):
        with pytest.raises(SceneError, match=words):
            side_by_side(make, count)


def test_a_simulator_that_was_moved_on_by_hand_is_not_taken_back():
    environment = arm()
    environment.reset(seed=0)
    environment.simulator.advance_to(0.5)
    with pytest.raises(RobotphiError, match="in the past"):
        environment.step([0.0])


def test_what_is_seen_twice_or_written_into_leaves_observations_as_they_are():
    def spoilt(seen, action):
        seen["x"][:] = 9.0
        return 0.0
    found = [cart(reward=reward, observations=["x", "v", "x"], sensors=["length", "x"]) for reward in (spoilt, lambda *_: 0.0)]
    first, second = ([each.reset(seed=1)[0], each.step([0.5])[0]] for each in found)
    assert np.array_equal(first, second)
    assert np.array_equal(first[1][:3], first[1][6:])


def test_a_coordinate_with_two_noises_is_moved_by_both():
    alone, both, other = (arm(noise=noise).reset(seed=1)[0][0] for noise in (
        {("shoulder", "place"): 0.3}, {("shoulder", "place"): 0.3, ("shoulder", "place", 0): lambda random, value: value + 0.1},
        {("shoulder", "place"): 0.3, ("shoulder", "place", 0): 0.2}))
    assert both == pytest.approx(alone + 0.1, abs=1e-15)
    assert other == pytest.approx(alone + 0.4 * np.random.default_rng(1).random(2)[1] - 0.2, abs=1e-15)


def test_a_list_may_be_an_action_and_rewards_see_an_array():
    environment = cart(reward=lambda seen, action: float(action @ action))
    environment.reset(seed=0)
    assert environment.step([0.5])[1] == 0.25
