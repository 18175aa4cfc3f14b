"""Deformable objects: springs of every kind, their stiffness beside the simulator's own forces, sections, sizes."""

import numpy as np
import pytest

from robotphi import Scene, build_model, simulate
from robotphi.discretise import Material, SectionMaterial, deformable, discretise, sheet
from robotphi.discretise.joining.transform import turned
from robotphi.discretise.matter.lines import folds, straight_triples
from robotphi.discretise.matter.stiffness import solve, stiffness_matrix
from robotphi.errors import RobotphiError, SceneError
from robotphi.geometry import shapes
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.shapes import box
from robotphi.scene.objects import Object, SpringGroup
from tests.counted import python_lines
from tests.kernels.springs.probe import evaluate


def brick(counts=(2, 2, 2), size=(1.0, 1.0, 1.0)):
    return discretise(box(size), counts=counts)


@pytest.mark.parametrize("options", [
    {}, {"way": "corners", "angular": True}, {"articular": True}, {"way": "tetrahedra"},
    {"material": Material(1e3, poisson=0.1), "angular": True}, {"linear": False, "angular": True, "articular": True}])
def test_the_stiffness_matrix_is_the_slope_of_the_simulators_forces(options):
    """Central differences of kernel forces with step h = 1e-6: h² f''' and ε f/h, both below 1e-6 of stiffness 1e3."""
    thing = deformable(brick((2, 2, 1)), **{"material": Material(1e3), **options})
    scene = Scene("brick", gravity=(0, 0, 0))
    placed = scene.add_object("brick", thing)
    model = build_model(scene)
    matrix = stiffness_matrix(thing)
    direction = np.random.default_rng(1).standard_normal(thing.position.shape)
    at = scene.position
    step = 1e-6
    change = evaluate(model, at + step * direction)[0] - evaluate(model, at - step * direction)[0]
    slope = change[placed.particles] / (2 * step)
    wanted = -(matrix @ direction.ravel()).reshape(-1, 3)
    assert np.allclose(slope, wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())


def test_each_kind_of_springs_can_be_switched():
    mesh, material = brick(), Material(1e5)
    assert set(deformable(mesh, material).springs) == {"linear"}
    assert set(deformable(mesh, material, angular=True, articular=True).springs) == {"linear", "lines", "folds"}
    assert set(deformable(mesh, material, linear=False, angular=True).springs) == {"lines"}
    assert set(deformable(mesh, Material(1e5, poisson=0.2), linear=False).springs) == set()


def test_a_block_has_nine_linear_and_nine_angular_springs_a_particle():
    """Inside: 3 edges and 6 diagonals, each with a line through the particle; fewer at the surface."""
    counts = np.array([12, 10, 8])
    thing = deformable(brick(counts), Material(1e5), way="corners", angular=True)
    n = counts + 1
    edges = sum(counts[i] * n[(i + 1) % 3] * n[(i + 2) % 3] for i in range(3))
    diagonals = sum(2 * counts[i] * counts[(i + 1) % 3] * n[(i + 2) % 3] for i in range(3))
    lines = sum((counts[i] - 1) * n[(i + 1) % 3] * n[(i + 2) % 3] for i in range(3))
    cross = sum(2 * (counts[i] - 1) * (counts[(i + 1) % 3] - 1) * n[(i + 2) % 3] for i in range(3))
    assert len(thing.springs["linear"]) == edges + diagonals
    assert len(thing.springs["lines"]) == lines + cross


def test_lines_have_the_bending_stiffness_of_their_section():
    thing = deformable(brick((4, 4, 4), (4.0, 4.0, 4.0)), Material(1e5), way="corners", angular=True)
    lines = thing.springs["lines"]
    at = thing.position[lines.particles]
    along = np.all(at[:, [0, 2], 1:] == 0.0, axis=(1, 2)) & np.all(at[:, 1] == 0.0, axis=1)  # through the middle, along x
    # the isotropic cubic lattice of cell 1 has k = 0.4 E on its edges: A = k l/E = 0.4 and E I/l = E A²/12
    assert along.sum() == 1
    assert lines.stiffness[along][0] == pytest.approx(1e5 * 0.4 ** 2 / 12, rel=1e-9)


def test_sections_give_stiffness_by_length_alone():
    thing = deformable(brick((2, 1, 1), (1.0, 1.0, 1.0)), SectionMaterial(30.0, 2.0, 5.0, 0.5), angular=True, articular=True)
    group = thing.springs["linear"]
    length = np.linalg.norm(np.diff(thing.position[group.particles], axis=1)[:, 0], axis=1)
    assert np.allclose(group.stiffness, 30.0 / length)
    assert np.allclose(group.viscosity, 2.0 / length)
    assert {"lines", "folds"} <= set(thing.springs)
    with pytest.raises(SceneError, match="several materials"):
        deformable(brick(), Material(1e5), materials={"all": SectionMaterial(1.0)})


def test_facets_and_regions_are_those_of_the_shape():
    thing = deformable(brick(), Material(1e5))
    top = thing.facet_regions["top"]
    assert len(top) == 8
    assert np.allclose(thing.position[thing.facets[top]][..., 2], thing.position[:, 2].max())
    corners = thing.position[thing.facets]
    volume = np.einsum("fi,fi->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert volume == pytest.approx(1.0)
    assert len(thing.region("left")) == 9
    assert thing.polyhedra["body"].size == len(thing.facets)


def test_a_folded_pair_of_triangles_is_found_once_and_oriented():
    triangles = np.array([[0, 1, 2], [2, 1, 3]])
    assert folds(triangles, 4).tolist() in ([[0, 1, 2, 3]], [[3, 2, 1, 0]])


def test_straight_triples_take_the_straightest_and_each_once():
    position = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0.05, 0], [2, 0.0, 0], [1, 1, 0]])
    pairs = np.array([[0, 1], [1, 2], [1, 3], [1, 4]])
    triples, spring = straight_triples(position, pairs)
    assert triples.tolist() in ([[0, 1, 3]], [[3, 1, 0]])
    assert sorted(spring[0].tolist()) == [0, 2]


def test_a_loose_part_is_told():
    thing = Object(np.eye(3), np.ones(3), {"one": SpringGroup("linear", np.array([[0, 1]]), np.ones(1), np.zeros(1))})
    with pytest.raises(RobotphiError, match="loose"):
        solve(stiffness_matrix(thing), np.ones((9, 1)), np.zeros(9, bool))


@pytest.mark.parametrize(("call", "says"), [
    (lambda: deformable("box", Material(1.0)), "give a Mesh with volume cells"),
    (lambda: deformable(Mesh(np.eye(3), {"triangle": [[0, 1, 2]]}), Material(1.0)), "sheet"),
    (lambda: deformable(brick(), 1e5), "Material"),
    (lambda: deformable(brick(), Material(1.0), way="heavy"), "way"),
    (lambda: deformable(brick(), Material(1e5, poisson=0.49)), "0 to 0.25"),
    (lambda: sheet(brick(), Material(1.0), 0.1), "solids")])
def test_bad_words_are_refused_with_what_works(call, says):
    with pytest.raises(SceneError, match=says):
        call()


def test_no_loop_of_python_goes_over_the_particles_of_a_block():
    def build(n):
        scene = Scene("block")
        scene.add_object("block", deformable(brick((n, n, n)), Material(1e5), way="corners", angular=True))
        build_model(scene)

    build(4)  # compiles
    assert python_lines(lambda: build(24)) < 1.5 * python_lines(lambda: build(4))  # 125 times the particles


def test_flat_folds_of_a_turned_block_stay_where_they_are():
    """Flat folds stand at half a turn, whose sign is a matter of rounding; none may start a whole turn from its rest."""
    turned_brick = turned(deformable(brick(), Material(1e5), articular=True), (1.0, 2.0, 3.0), 0.7)
    scene = Scene("still", duration=0.05, frames=1, gravity=(0, 0, 0))
    scene.add_object("brick", turned_brick)
    recording = simulate(scene)
    assert np.abs(recording.position[-1] - recording.position[0]).max() < 1e-12


def test_flat_and_doubled_cells_are_refused_and_named():
    good = brick((2, 1, 1), (2.0, 1.0, 1.0))
    points = good.points.copy()
    cell = good.cells["hexahedron"][1]
    points[cell[6]] = points[cell[7]]
    with pytest.raises(SceneError, match="folded or flat"):
        deformable(Mesh(points, good.cells), Material(1e5))
    with pytest.raises(SceneError, match="twice or overlap"):
        deformable(Mesh(good.points, {"hexahedron": np.concatenate([good.cells["hexahedron"]] * 2)}), Material(1e5))
    sliver = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.3, 0.3, 1e-9]])
    with pytest.warns(UserWarning, match="its cells reach E"):
        deformable(Mesh(sliver, {"tetrahedron": [[0, 1, 2, 3]]}), Material(1e5))
    with pytest.raises(SceneError, match="materials is"):
        deformable(good, Material(1e5), materials=[Material(1.0)])


def test_the_skin_bends_as_a_layer_half_a_cell_thick():
    thing = deformable(brick((4, 4, 4)), Material(1e5), articular=True)
    group = thing.springs["folds"]
    at = thing.position[group.particles]
    flat = np.all(at[..., 2] == thing.position[:, 2].max(), axis=1)
    # two right triangles of legs 1/4 about a common leg: κ = D |e|²/(A1 + A2) = D, about a diagonal 2 D
    plate = 1e5 * (0.5 * 0.25) ** 3 / 12.0
    assert np.allclose(np.unique((group.stiffness[flat] / plate).round(9)), [1.0, 2.0])


def test_parts_of_a_compound_keep_their_own_facets():
    thing = deformable(discretise(shapes.tube(0.5, 0.3, 1.0), size=0.3), Material(1e5))
    parts = [facets for name, facets in thing.polyhedra.items() if name.startswith("part")]
    assert len(parts) > 3
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(thing.facets)))


def test_warped_facets_at_the_surface_are_no_overlap():
    mesh = brick((3, 3, 3))
    points = mesh.points + np.random.default_rng(2).uniform(-0.05, 0.05, mesh.points.shape)
    assert len(deformable(Mesh(points, mesh.cells), Material(1e5)).position) == 64 + 27
