"""Particles of rigids: those that forces ask for are carried in every step, the others between calls of the loop only."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Drive, Scene, Simulator, Stepping, build_model, relax
from robotphi.discretise import rigid
from robotphi.geometry import shapes
from robotphi.model.used import used_rows

CORNERS = np.array([(x, y, z) for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.05, 0.05)])
AWAY = np.array([1.0, 0.0, 0.0])


def swinging(spin=(3.0, 2.0, 1.0), **options):
    """A block on a spring at its corner 2, with a force on its corner 5, that turns; one that is driven; one on its own."""
    scene = Scene("swinging", duration=0.5, frames=5, stepping=Stepping(budget=1e-3))
    hook = scene.add_particle("hook", (0.1, 0.3, 0.6), 1.0, support="xyz")
    block = scene.add_rigid("block", CORNERS, mass=2.0, spin=spin, **options)
    scene.add_linear("spring", block.particles[2], hook, 200.0, 1.0)
    scene.add_force("push", int(block.particles[5]), (0.3, 0.0, 0.1))
    turning = {"rotation": ((0, 0, 1), Drive.sine(0.5, 2.0))}
    scene.add_rigid("motor", CORNERS + AWAY, mass=1.0, support="xyz", drive=turning)
    scene.add_rigid("loose", CORNERS + 2 * AWAY, mass=1.0, velocity=(0.0, 1.0, 0.0), spin=(5.0, -2.0, 1.0))
    return scene


def used_of(model):
    rigids = model.arrays.rigids
    return [rigids.particle[a:b].tolist() for a, b in zip(rigids.start[:-1], rigids.used, strict=True)]


def test_what_springs_and_forces_ask_for_stands_in_front():
    model = build_model(swinging())
    assert used_of(model) == [[3, 6], [], []]
    rigids = model.arrays.rigids
    assert rigids.particle[:8].tolist() == [3, 6, 1, 2, 4, 5, 7, 8]
    np.testing.assert_array_equal(np.sort(rigids.particle), np.arange(1, 25))


def test_what_touches_and_what_feels_a_medium_is_used():
    box, other = (rigid(shapes.box((0.2, 0.2, 0.2), (x, 0, 0)), density=500.0) for x in (0, 1))
    scene = Scene("things", duration=1.0, frames=1)
    scene.add_object("still", other)
    scene.add_object("touching", box, contact=ContactMaterial(stiffness=1e6))
    scene.add_plane("ground", (0, 0, -1), contact=ContactMaterial(stiffness=1e6))
    still, touching = used_of(build_model(scene))
    placed = scene.objects["touching"]
    assert still == []
    assert set(touching) == set(np.unique(placed.particles[box.facets]).tolist())
    assert len(touching) < len(placed.particles), "the centre of the box is on no facet"


def test_every_array_that_names_particles_is_looked_at():
    """Rows of the arrays of a model that hold numbers of particles, found by their names."""
    arrays = build_model(swinging()).arrays
    lists = {name: getattr(arrays, name) for name in ("linear", "angular", "linear_law", "angular_law", "articular")}
    used = used_rows(25, lists, arrays.acts, arrays.contact)
    assert np.flatnonzero(used).tolist() == [0, 3, 6]


@pytest.mark.parametrize("options", [{}, {"support": "z", "rotation_support": "x", "spin": (0.0, 2.0, 1.0)}])
def test_all_particles_are_where_their_rigid_is_in_every_frame_and_stop(options):
    model = build_model(swinging(**options))
    simulator = Simulator(model, threads=1)
    rigids = model.arrays.rigids
    owner = np.repeat(np.arange(3), np.diff(rigids.start))
    for time in (0.0, 0.05, 0.1, 0.2345, 0.5):
        simulator.advance_to(time)
        state = simulator.state
        centre, speed, spin = state.rigid(0)[owner], state.rigid(3)[owner], state.rigid(13)[owner]
        w, u = state.rigid(6, 4)[owner, :1], state.rigid(7)[owner]
        arm = rigids.local + 2 * w * np.cross(u, rigids.local) + 2 * np.cross(u, np.cross(u, rigids.local))
        # a few roundings of coordinates of 2 m and speeds of 2 m/s
        np.testing.assert_allclose(state.position[rigids.particle], centre + arm, atol=4e-15, rtol=0)
        np.testing.assert_allclose(state.velocity[rigids.particle], speed + np.cross(spin, arm), atol=1e-14, rtol=0)
    assert np.abs(arm - rigids.local)[16:].max() > 0.1, "the loose one has turned"
    recording = simulator.recording()
    np.testing.assert_array_equal(recording.position[-1], simulator.state.position)
    np.testing.assert_array_equal(recording.position[0], model.position)


def test_a_relaxed_scene_shows_all_particles():
    scene = Scene("hanging", gravity=(0, 0, -9.81))
    hook = scene.add_particle("hook", (0, 0, 0.6), 1.0, support="xyz")
    block = scene.add_rigid("block", CORNERS, mass=2.0, rotation_support="xyz")
    scene.add_linear("spring", block.particles[2], hook, 200.0)
    found = relax(build_model(scene), tolerance=1e-6)
    shift = found.position[block.particles] - CORNERS
    np.testing.assert_allclose(shift, np.broadcast_to(shift[2], (8, 3)), atol=1e-15)
    assert np.abs(shift).max() > 0.01
