"""Springs that break: where, what becomes of their energy, for good, and that it is told."""
import numpy as np
import pytest

from robotphi import Recording, Scene, SceneError, Simulator, Stepping, build_model, simulate

K, MASS, SPEED, LENGTH = (50.0, 80.0), 2.0, 1.0, 0.5


def torn(stepping=None, **said):
    """A mass flies off against two springs, the first of which is to break."""
    scene = Scene("torn", duration=1.0, frames=20, gravity=(0, 0, 0), stepping=stepping)
    wall = scene.add_particle("wall", (0, 0, 0), 1.0, support="xyz")
    mass = scene.add_particle("mass", (LENGTH, 0, 0), MASS, velocity=(SPEED, 0, 0), support="yz")
    scene.add_linear("springs", [mass, mass], [wall, wall], K, viscosity=0.2, **said)
    scene.add_sensor("broken", "broken", "springs")
    return scene


@pytest.mark.parametrize(("said", "stretch"), [({"break_force": [3.0, 1e9]}, 0.06), ({"break_strain": [0.1, 9.0]}, 0.05),
                                               ({"break_force": [3.0, 1e9], "tension_only": True}, 0.06)])
def test_a_spring_breaks_at_its_limit_and_what_it_stored_is_lost(said, stretch):
    run = simulate(torn(Stepping(control="fixed", dt=1e-4), **said))
    lost = run.ledger["breaking"]
    # found at the end of a step: at most the way of one step beyond its limit
    least, most = 0.5 * K[0] * stretch**2, 0.5 * K[0] * (stretch + SPEED * 1e-4)**2
    assert least <= lost[-1] <= most
    assert np.array_equal(run.sensors["broken"], (run.time >= run.broke_at("springs")[0]).astype(float))
    assert not lost[run.time < run.broke_at("springs")[0]].any()


def test_when_a_spring_broke_is_told_and_kept(tmp_path):
    run = simulate(torn(Stepping(control="fixed", dt=1e-3), break_force=[3.0, 1e9]))
    when = Recording.load(run.save(tmp_path / "torn.h5")).broke_at("springs")
    assert np.isnan(when[1])
    # e = u/ω sin ωt without damping: 0.06 m after some 61 ms; a step later at most, and damping is small
    omega = np.sqrt(sum(K) / MASS)
    assert when[0] == pytest.approx(np.arcsin(0.06 * omega / SPEED) / omega, abs=2e-3)


@pytest.mark.parametrize("said", [{"break_force": [3.0, 1e9]}, {"toe_strain": 0.03, "break_strain": [0.1, 9.0]}])
def test_a_break_leaves_the_ledger_of_second_order(said):
    coarse, fine = (np.abs(simulate(torn(Stepping(control="fixed", dt=dt), **said)).ledger["residual"]).max()
                    for dt in (1 / 400, 1 / 800))
    assert coarse / fine == pytest.approx(4.0, abs=0.5)


def test_a_run_goes_on_from_before_and_behind_a_break_with_the_same_bits():
    straight = simulate(torn(break_force=[3.0, 1e9]))
    for frame in (0, 1, 2, 10):
        again = Simulator.continued(build_model(torn(break_force=[3.0, 1e9])), straight, frame=frame).run()
        assert np.array_equal(again.position[-1], straight.position[-1])
        assert all(np.array_equal(again.ledger[name][-1], straight.ledger[name][-1]) for name in straight.ledger)


def test_a_spring_that_starts_beyond_its_limit_breaks_at_once():
    run = simulate(torn(rest_length=0.1, break_strain=[0.1, 9.0]))
    assert run.ledger["breaking"][1] == pytest.approx(0.5 * K[0] * 0.4**2, rel=1e-12)
    assert 0.0 < run.broke_at("springs")[0] < 1e-9


def test_what_breaking_needs_is_said():
    for words, said in (("must be > 0", {"break_force": 0.0}), ("rest length is 0", {"break_strain": 0.1, "rest_length": 0.0}),
                        ("rest length is 0", {"toe_strain": 0.1, "rest_length": 0.0}),
                        ("fibres never push", {"toe_strain": 0.1, "tension_only": True}),
                        ("use one of the two", {"toe_strain": 0.1, "yield_force": 1.0})):
        with pytest.raises(SceneError, match=words):
            torn(**said)
    run = simulate(torn(Stepping(control="fixed", dt=0.05)))
    assert "breaking" not in run.ledger
    assert np.isnan(run.broke_at("springs")).all()
    with pytest.raises(SceneError, match="unknown block of linear springs"):
        run.broke_at("ropes")
