"""The benchmark of trees of joints: what it builds is one tree, and other engines' chains fall like ours."""
import numpy as np
import pytest

from robotphi import build_model, simulate
from tests.speed import chains


def test_chains_and_combs_are_single_trees():
    for scene, count in ((chains.chain(7), 7), (chains.comb(35), 35)):
        mechanisms = build_model(scene).arrays.mechanisms
        assert (len(mechanisms.free), len(mechanisms.rigid)) == (1, count)


def test_figures_and_their_budgets(monkeypatch):
    monkeypatch.setattr(chains, "TREES", (10, 20, 40, 80))
    monkeypatch.setattr(chains, "PEERS", (6,))
    monkeypatch.setattr(chains, "WORK", 1000.0)
    results = chains.measure_chains(True)
    assert list(results["trees"]) == [10, 20, 40]
    assert min(results["trees"].values()) > 0.0
    budgets = chains.judge_chains({**results, "chains": {6: {"ours": 1.0, "mujoco": 2.0, "pinocchio": 0.4}}})
    assert [budget["met"] for budget in budgets[1:]] == [True, False]


def test_mujoco_drops_the_same_chain():
    mujoco = pytest.importorskip("mujoco")
    model, steps = chains.mujoco_chain(6), 1000
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, steps)
    scene = chains.chain(6, duration=steps * chains.DT)
    recording = simulate(scene)
    # its step is of first order: g T τ/2 m behind after a time T, some times that by the way the links swing
    np.testing.assert_allclose(recording.rigid_position[-1], data.xipos[1:], rtol=0, atol=10 * 9.81 * steps * chains.DT ** 2)


def test_pinocchio_finds_the_same_accelerations():
    pinocchio = pytest.importorskip("pinocchio")
    from tests.kernels.mechanism.trees import Beside

    beside = Beside(chains.chain(6), "world")
    place, rate, gain = beside.numbers()
    model = chains.pinocchio_chain(6)
    found = pinocchio.aba(model, model.createData(), place, rate, np.zeros(6))
    np.testing.assert_allclose(found, gain, rtol=0, atol=1e-12 * np.abs(gain).max())
