"""Ties: alike in all directions, damped in all of them, momenta exact."""
import numpy as np
import pytest

from robotphi import Scene, Stepping, build_model, simulate
from robotphi.errors import SceneError
from robotphi.model.arrays import model_digest
from robotphi.record.measure import recorded_momenta

CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.2, 0.2) for z in (-0.1, 0.1)])
K, C, M = 100.0, 0.4, 1.0


@pytest.mark.parametrize("direction", [(1, 0, 0), (0, 0.6, 0.8), (0.48, 0.6, -0.64)])
def test_a_mass_tied_to_the_world_swings_as_one_on_a_damped_spring_in_any_direction(direction):
    scene = Scene("s", duration=0.5, frames=20, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=2e-4))
    mass = scene.add_particle("mass", (0.3, 0.2, 0.1), M, velocity=1e-2 * np.array(direction))
    scene.add_tie("tie", None, mass, K, C, reach=1.0)
    recording = simulate(scene)
    w = np.sqrt(K / M - (C / (2 * M)) ** 2)
    wanted = 1e-2 / w * np.exp(-C / (2 * M) * recording.time) * np.sin(w * recording.time)
    moved = recording.position[:, mass] - recording.position[0, mass]
    # swings of 1 mm at a reach of 1 m: the cubic part is 1e-6 of the force; the step is 2e-3 of 1/w, its square over 24 less
    np.testing.assert_allclose(moved @ direction, wanted, atol=3e-6 * np.abs(wanted).max())
    assert np.linalg.norm(np.cross(moved, direction), axis=1).max() < 3e-6 * np.abs(wanted).max()


def test_what_swings_across_is_damped_as_well_and_momenta_are_kept():
    scene = Scene("s", duration=2.0, frames=10, gravity=(0, 0, 0), stepping=Stepping(budget=1e-5))
    body = scene.add_rigid("body", CORNERS, 2.0, inertia=(0.1, 0.3, 0.35), spin=(0.1, 0.2, 0.3))
    ball = scene.add_particle("ball", (0.5, 0.2, 0.1), 0.5, velocity=(0.0, 0.1, 0.05))
    scene.add_tie("tie", body, ball, 200.0, 20.0)
    recording = simulate(scene)
    for kept in recorded_momenta(recording):
        np.testing.assert_allclose(kept, kept[[0]].repeat(len(kept), axis=0), atol=1e-13)
    corner = recording.position[:, body.particles[np.argmin(np.abs(CORNERS - (0.5, 0.2, 0.1)).sum(axis=1))]]
    assert np.linalg.norm(recording.position[:, ball] - corner, axis=1)[-1] < 2e-4
    assert recording.ledger["spring_dissipation"][-1] > 1e-4


def test_statements_marks_and_values():
    scene = Scene("s")
    arm = scene.add_rigid("arm", CORNERS, 1.0, points={"end": (0.5, 0, 0)})
    hand = scene.add_rigid("hand", CORNERS + np.array([1.0, 0, 0]), 1.0)
    assert scene.add_tie("tie", hand, (arm, "end"), 1e3).name == "tie.springs"
    model = build_model(scene)
    assert model_digest(model) == model_digest(build_model(Scene.from_statements(scene.statements)))
    assert scene.value("tie.springs", "stiffness").tolist() == [500.0] * 6


@pytest.mark.parametrize(("given", "words"), [
    ({"rigid": None}, ["a tie to the world without reach"]), ({"point": 0}, ["belongs to 'arm' itself"]),
    ({"stiffness": 0.0}, ["both zero"]), ({"point": 99}, ["point is", "99"]), ({"rigid": "arm"}, ["rigid is 'arm'"]),
    ({"stiffness": -1.0}, ["stiffness is -1"]), ({"reach": 0.0}, ["reach is 0"]),
])
def test_what_is_no_tie_is_refused(given, words):
    scene = Scene("s")
    arm = scene.add_rigid("arm", CORNERS, 1.0)
    ball = scene.add_particle("ball", (0, 0, 0), 1.0)
    with pytest.raises(SceneError) as refused:
        scene.add_tie("tie", **{"rigid": arm, "point": ball, "stiffness": 1.0, **given})
    assert all(word in str(refused.value) for word in words), refused.value
    assert scene.particle_count == 9


def test_a_rigid_of_one_particle_where_it_is_tied_has_no_reach_of_its_own():
    scene = Scene("s")
    dot = scene.add_rigid("dot", [(0, 0, 0)], mass=1.0, centre=(0.1, 0, 0), inertia=(1, 1, 1))
    ball = scene.add_particle("ball", (0, 0, 0), 1.0)
    with pytest.raises(SceneError, match=r"all particles of 'dot' are at the point, .* give reach"):
        scene.add_tie("tie", dot, ball, stiffness=1.0)
    scene.add_tie("tie", dot, ball, stiffness=1.0, reach=0.1)
