"""build_model: what the kernels will read."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotphi.errors import SceneError
from robotphi.kernels.compiling.lanes import GHOSTS
from robotphi.model.build import aligned, build_model
from robotphi.model.springs import STRIP, divide, groups
from robotphi.scene import Drive, Scene, Table

POINTS = np.array([[0.0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 3]])


def every_array(model):
    def leaves(thing):
        if isinstance(thing, np.ndarray):
            yield thing
        elif isinstance(thing, tuple):
            for part in thing:
                yield from leaves(part)
    yield from leaves(model.arrays)
    yield from (value for value in model if isinstance(value, np.ndarray))


def turned(quaternion, vector):
    w, axis = quaternion[0], quaternion[1:]
    return vector + 2 * np.cross(axis, np.cross(axis, vector) + w * vector)


def rich():
    scene = Scene("rich", duration=2.0, frames=20)
    scene.add_particles("p", [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [3, 0, 0]], [1, 2, 4, 5, 8],
                        support=["xyz", "x", "", "", ""])
    scene.add_rigid("body", POINTS + 5, mass=[1, 2, 3, 4], velocity=(1, 0, 0), spin=(0, 0, 2))
    scene.add_linear("plain", [0, 1, 2], [1, 2, 3], 10.0)
    scene.add_linear("plastic", 0, 2, 5.0, yield_force=2.0, hardening=0.5)
    scene.add_linear("rope", 0, 3, 5.0, tension_only=True)
    scene.add_linear("fibre", [0, 1], [4, 4], table=Table.toe(100.0, 0.1))
    scene.add_linear("late", 3, 4, 7.0, rest_length=1.5)
    scene.add_angular("bend", 0, 1, 2, 3.0)
    scene.add_angular("hinge", 0, 1, 2, 3.0, normal=(0, 0, -1), yield_moment=1.0)
    scene.add_articular("twist", 0, 1, 2, 3, 2.0, viscosity=0.1)
    return scene


def test_every_array_is_read_only_contiguous_aligned_and_of_a_known_type():
    for scene in (rich(), Scene("one")):
        scene.add_particle("only", (7, 7, 7), 1.0)
        for array in every_array(build_model(scene)):
            assert not array.flags.writeable
            assert array.flags.c_contiguous
            assert array.dtype in (np.float64, np.int32, np.int64, np.uint8)
            assert array.size == 0 or array.ctypes.data % 64 == 0


def test_a_scene_without_particles_is_refused():
    with pytest.raises(SceneError, match=r"'none'.*no particles.*add_particles"):
        build_model(Scene("none"))


def test_supports_rigids_and_ghosts_have_no_inverse_mass():
    particles = build_model(rich()).arrays.particles
    assert particles.mass.tolist() == [1, 2, 4, 5, 8, 0, 0, 0, 0, *[0] * GHOSTS]
    assert particles.inverse_mass[:5].tolist() == [0, 0.5, 0.25, 0.2, 0.125]
    assert particles.moves[particles.axes[:5]].tolist() == [[0] * 4, [0, 1, 1, 0], *[[1, 1, 1, 0]] * 3]
    assert not particles.inverse_mass[5:].any()
    assert not particles.axes[5:].any()
    assert particles.gravity.tolist() == [0, 0, -9.81, 0]
    assert particles.block.tolist() == [[0, 13]]


def test_springs_go_to_the_lists_of_their_law_and_keep_their_identity():
    arrays = build_model(rich()).arrays
    assert sorted(i for i in arrays.linear.identity if i >= 0) == [0, 1, 2, 7]
    assert arrays.linear_law.identity.tolist() == [3, 4, 5, 6]
    assert arrays.linear_law.tension_only.tolist() == [0, 1, 1, 1]  # the table never pushes
    assert arrays.linear_law.table.tolist() == [-1, -1, 0, 0]
    assert arrays.linear_law.yield_force.tolist() == [2, np.inf, np.inf, np.inf]
    assert arrays.linear_law.hardening.tolist() == [0.5, 0, 0, 0]
    np.testing.assert_allclose(arrays.linear_law.stiffness, [5, 5, 100, 100])
    assert arrays.linear.rest_length[arrays.linear.identity == 7] == 1.5
    assert arrays.angular.identity.tolist() == [0, -1, -1, -1]
    assert arrays.angular_law.identity.tolist() == [1]
    assert arrays.angular_law.normal.tolist() == [[0, 0, -1]]
    assert (arrays.articular.first[0], arrays.articular.centre[0], arrays.articular.end[0],
            arrays.articular.second[0]) == (0, 1, 2, 3)
    np.testing.assert_allclose(arrays.articular.rest_angle, np.pi / 2)
    assert arrays.articular.yield_moment.tolist() == [np.inf]
    assert arrays.articular.drive.tolist() == [-1]
    assert arrays.tables.start.tolist() == [0, 3]


def test_idle_springs_tie_ghosts_and_do_nothing():
    scene = rich()
    scene.add_linear("fifth", 2, 4, 1.0)
    arrays, n = build_model(scene).arrays, scene.particle_count
    idle = arrays.linear.identity == -1
    assert idle.sum() == 3
    assert not arrays.linear.stiffness[idle].any()
    assert not arrays.linear.viscosity[idle].any()
    assert set(arrays.linear.rest_length[idle]) == {1.0}
    assert set(zip(arrays.linear.first[idle], arrays.linear.second[idle], strict=True)) == {(n, n + 1)}
    idle = arrays.angular.identity == -1
    ends = zip(arrays.angular.first[idle], arrays.angular.centre[idle], arrays.angular.second[idle], strict=True)
    assert set(ends) == {(n, n + 1, n + 2)}
    assert not arrays.angular.stiffness[idle].any()
    assert not arrays.angular.rest_bend[idle].any()


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([50, 5000, 12000]))
def test_every_spring_of_the_scene_is_in_the_model_once_with_its_own_numbers(seed, count):
    random = np.random.default_rng(seed)
    scene = Scene("random")
    p = scene.add_particles("p", random.normal(size=(count, 3)), 1.0)
    given = {}
    for block in range(3):
        first = random.integers(0, count, 700)
        second = (first + random.integers(1, count, 700)) % count
        stiffness = random.uniform(1, 2, 700)
        scene.add_linear(f"l{block}", p[first], p[second], stiffness, viscosity=block)
        given.update(enumerate(zip(first, second, stiffness, [block] * 700, strict=True), start=700 * block))
    model = build_model(scene)
    linear, tree = model.arrays.linear, model.arrays.tree
    real = linear.identity >= 0
    found = dict(zip(linear.identity[real], zip(linear.first[real], linear.second[real], linear.stiffness[real],
                                                linear.viscosity[real], strict=True), strict=True))
    assert found == given
    assert len(linear.start) == tree.level_start[-1] + 1
    assert (linear.start % 4 == 0).all()
    partition = divide(model.position)
    group = np.repeat(np.arange(partition.group_count), np.diff(linear.start))
    assert np.array_equal(groups(partition, [linear.first[real], linear.second[real]]), group[real])
    assert np.array_equal(np.lexsort((np.maximum(linear.first, linear.second)[real] // STRIP, group[real])), np.arange(2100))
    assert linear.start[-1] == len(linear.first)
    np.testing.assert_allclose(linear.rest_length[real], np.linalg.norm(
        model.position[linear.first[real]] - model.position[linear.second[real]], axis=1), rtol=1e-15)
    again = build_model(scene)
    assert all(np.array_equal(a, b) for a, b in zip(every_array(model), every_array(again), strict=True))


def test_a_rigid_is_given_in_its_principal_frame():
    scene = rich()
    model = build_model(scene)
    rigids, body = model.arrays.rigids, scene.find("body")
    assert rigids.mass.tolist() == [10]
    assert rigids.inverse_mass.tolist() == [[0.1, 0.1, 0.1]]
    assert (rigids.start.tolist(), rigids.particle.tolist(), rigids.rotation.tolist()) == ([0, 4], [5, 6, 7, 8], [0])
    np.testing.assert_allclose(model.rigid_position[0], POINTS.T @ [0.1, 0.2, 0.3, 0.4] + 5, rtol=1e-15)
    back = model.rigid_position[0] + np.array([turned(model.rigid_orientation[0], r) for r in rigids.local])
    np.testing.assert_allclose(back, POINTS + 5, rtol=0, atol=1e-14)
    mass, r = np.array([1, 2, 3, 4]), rigids.local
    local_inertia = np.einsum("i,ij,ij->", mass, r, r) * np.eye(3) - np.einsum("i,ij,ik->jk", mass, r, r)
    np.testing.assert_allclose(local_inertia, np.diag(rigids.inertia[0]), rtol=0, atol=1e-13)
    np.testing.assert_allclose(rigids.inverse_inertia * rigids.inertia, 1, rtol=1e-15)
    whirl = np.cross([0, 0, 2], POINTS + 5 - body.centre)
    np.testing.assert_allclose(model.velocity[5:], whirl + np.array([1, 0, 0]), atol=1e-14)


def test_a_rigid_of_diagonal_inertia_is_not_turned():
    scene = Scene("box")
    scene.add_rigid("box", POINTS, mass=1.0, inertia=(3, 1, 2.5), centre=(0, 0, 0))
    model = build_model(scene)
    assert model.rigid_orientation.tolist() == [[1, 0, 0, 0]]
    assert model.arrays.rigids.inertia.tolist() == [[3, 1, 2.5]]
    assert np.array_equal(model.arrays.rigids.local, POINTS)


def test_supports_and_drives_of_rigids_are_marked():
    scene = Scene("held")
    scene.add_rigid("free", POINTS, 1.0)
    scene.add_rigid("part", POINTS, 2.0, support="y", rotation_support="xz")
    scene.add_rigid("held", POINTS, support="xyz", rotation_support="xyz")
    scene.add_rigid("led", POINTS, 4.0, drive={"z": Drive.constant(0), "rotation": ((0, 0, 1), Drive.constant(0))})
    rigids = build_model(scene).arrays.rigids
    assert rigids.rotation.tolist() == [0, 1, 2, 2]
    assert rigids.support.tolist() == [[0, 0, 0], [1, 0, 1], [1, 1, 1], [0, 0, 0]]
    assert rigids.inverse_mass.tolist() == [[1, 1, 1], [0.5, 0, 0.5], [0, 0, 0], [0.25, 0.25, 0]]
    assert np.isfinite(rigids.inverse_inertia).all()


def test_driven_primitives_start_where_their_drives_say():
    scene = Scene("driven")
    ramp, swing = Drive.table([0, 1], [0.5, 2.5]), Drive.sine(0.2, 1.0, phase=0.3)
    scene.add_particle("p", (1, 2, 3), 2.0, drive={"y": ramp})
    scene.add_rigid("body", POINTS, 1.0, drive={"x": ramp, "rotation": ((0, 0, 3), swing)})
    model = build_model(scene)
    motions = model.arrays.motions
    assert model.position[0].tolist() == [1, 2.5, 3]
    assert model.velocity[0].tolist() == [0, 2, 0]
    assert model.arrays.particles.mass[0] == 2
    assert model.arrays.particles.inverse_mass[0] == 0.5
    assert model.arrays.particles.axes[0] == 0b101
    assert [column.tolist() for column in motions[:4]] == [[0], [1], [2], [0]]
    assert (motions.rigid.tolist(), motions.rigid_axis.tolist()) == ([0, 0], [0, 3])
    centre, angle, rate = POINTS.mean(axis=0), swing.value(0.0), swing.rate(0.0)
    np.testing.assert_allclose(motions.rigid_base, [centre[0], -angle], rtol=1e-15)
    assert motions.rigid_direction.tolist() == [[0, 0, 0], [0, 0, 1]]
    moved = centre + np.array([0.5, 0, 0])
    np.testing.assert_allclose(model.rigid_position[0], moved, rtol=1e-15)
    np.testing.assert_allclose(model.rigid_velocity[0], [2, 0, 0])
    np.testing.assert_allclose(model.rigid_spin[0], [0, 0, rate])
    turn = np.array([np.cos(angle / 2), 0, 0, np.sin(angle / 2)])
    expected = np.array([turned(turn, r) for r in POINTS - centre]) + moved
    np.testing.assert_allclose(model.position[1:], expected, rtol=0, atol=1e-14)
    whirl = np.cross([0, 0, rate], expected - moved)
    np.testing.assert_allclose(model.velocity[1:], whirl + np.array([2, 0, 0]), rtol=0, atol=1e-14)


def test_work_is_named_by_the_first_block_that_uses_a_drive_and_by_each_force():
    scene = Scene("work")
    shared, other, push = Drive.sine(1, 1), Drive.sine(2, 1), Drive.sine(3, 1)
    scene.add_particles("p", POINTS, 1.0)
    scene.add_force("early", 0, (1, 0, 0), drive=push)
    scene.add_linear("muscle", 0, 1, 1.0, drive=shared)
    scene.add_linear("twin", 0, 2, 1.0, drive=shared)
    scene.add_particle("led", (9, 9, 9), 1.0, drive={"x": other, "y": shared})
    scene.add_force("constant", 0, (0, 0, 1))
    scene.add_force("also", 0, (0, 0, 2), drive=shared)
    model = build_model(scene)
    assert model.work_names == ("muscle", "led:x", "early", "constant", "also")
    assert model.work_of_force.tolist() == [2, 3, 4]
    drives, forces = model.arrays.drives, model.arrays.acts.forces
    assert model.work_of_drive.tolist() == [-1, 0, 1, -1]
    assert len(drives.start) == 5
    assert forces.drive.tolist() == [0, 3, 1]
    assert model.arrays.linear_law.drive.tolist() == [1, 1]
    assert drives.piece[drives.start[3], 1] == 1.0
    assert forces.direction.tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 2]]


def test_forces_have_the_kind_and_target_that_was_given():
    scene = rich()
    scene.add_force("a", 3, (1, 0, 0))
    scene.add_force("b", "body", (1, 0, 0))
    scene.add_torque("c", "body", (1, 0, 0))
    forces = build_model(scene).arrays.acts.forces
    assert (forces.kind.tolist(), forces.target.tolist()) == ([0, 1, 2], [3, 0, 0])


def test_breakpoints_are_those_within_the_run_sorted_and_once():
    scene = Scene("events", duration=2.0, frames=8)
    scene.add_particles("p", POINTS, 1.0)
    scene.add_force("a", 0, (1, 0, 0), Drive.steps([-1, 0, 0.7, 2.0, 3.0], [0, 1, 2, 3, 4]))
    scene.add_force("b", 0, (1, 0, 0), Drive.table([0.3, 0.7, 1.1], [0, 1, 2]))
    assert build_model(scene).arrays.breakpoints.tolist() == [0.3, 0.7, 1.1, 2.0]


def test_a_drive_that_no_block_uses_has_no_event():
    scene = Scene("calm")
    scene.add_particle("p", (0, 0, 0), 1.0)
    Drive.steps([0, 1], [0, 1])
    assert len(build_model(scene).arrays.breakpoints) == 0


def test_instants_that_differ_by_rounding_become_one_and_the_pieces_follow():
    scene = Scene("rounding", duration=1.0, frames=10)
    scene.add_particles("p", POINTS, 1.0)
    near = 0.1 + 0.2  # one rounding above 0.3
    scene.add_force("a", 0, (1, 0, 0), Drive.steps([0, near, 0.55], [0, 1, 2]))
    scene.add_force("b", 0, (1, 0, 0), Drive.steps([0, 0.3, np.nextafter(0.55, 0)], [0, 1, 2]))
    arrays = build_model(scene).arrays
    assert arrays.breakpoints.tolist() == [scene.frame_times[3], np.nextafter(0.55, 0)]
    starts = set(arrays.drives.piece[:, 0].tolist()) - {-1e30}
    assert starts == set(arrays.breakpoints.tolist())


def test_many_breakpoints_are_sorted_quickly():
    scene = Scene("dense", duration=100.0)
    scene.add_particle("p", (0, 0, 0), 1.0)
    times = np.linspace(0, 100, 20001)
    scene.add_force("a", 0, (1, 0, 0), Drive.table(times, np.sin(times)))
    assert len(build_model(scene).arrays.breakpoints) == 20000


def test_an_aligned_copy_is_a_copy():
    values = np.arange(6).reshape(2, 3)
    copy = aligned(values)
    values[:] = 0
    assert copy.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert copy.ctypes.data % 64 == 0
