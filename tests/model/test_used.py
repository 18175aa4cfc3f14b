"""Blocks of rows: what nothing asks for is in none of them."""
import numpy as np
import pytest

from robotphi import Scene, build_model, simulate
from robotphi.model.used import IDLE_RUN


def crowded(idle):
    """A rigid with so many particles that nothing asks for before and behind the one that a spring pulls; a free one."""
    scene = Scene("crowded", duration=0.1, frames=2, gravity=(0, 0, -9.81))
    points = np.random.default_rng(1).uniform(-1, 1, (2 * idle + 1, 3))
    body = scene.add_rigid("body", points, mass=2.0, inertia=(1.0, 1.2, 1.5), centre=(0.1, 0, 0), spin=(1.0, 2.0, 3.0))
    free = scene.add_particle("free", (0, 0, 3), 1.0)
    scene.add_linear("spring", body.particles[idle], free, 100.0, viscosity=1.0)
    return scene, int(body.particles[idle]), free


@pytest.mark.parametrize("idle", [IDLE_RUN - 1, IDLE_RUN, 5 * IDLE_RUN])
def test_rows_that_nothing_asks_for_are_in_no_block(idle):
    scene, pulled, free = crowded(idle)
    model = build_model(scene)
    for ranges in (model.arrays.particles.block, model.arrays.particles.damped):
        rows = np.concatenate([np.arange(*each) for each in ranges])
        assert len(set(rows.tolist())) == len(rows)
        assert {pulled, int(np.ravel(free)[0])} <= set(rows.tolist())
        if idle >= IDLE_RUN:
            assert rows[0] == pulled
        else:
            assert len(rows) == len(model.arrays.particles.mass)


def test_they_are_where_their_rigid_carries_them_all_the_same():
    scene, _, _ = crowded(5 * IDLE_RUN)
    recording = simulate(scene)
    rows = np.array(scene.rigids[0].particles)
    arm = recording.position[:, rows] - recording.rigid_position[:, None, 0]
    np.testing.assert_allclose(np.linalg.norm(arm, axis=2), np.linalg.norm(arm, axis=2)[[0]].repeat(len(arm), 0), rtol=1e-12)
    speed = recording.rigid_velocity[:, None, 0] + np.cross(recording.rigid_spin[:, None, 0], arm)
    np.testing.assert_allclose(recording.velocity[:, rows], speed, rtol=1e-12, atol=1e-12)
