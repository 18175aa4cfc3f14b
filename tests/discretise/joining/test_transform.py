"""Transforms: moved, turned and mirrored objects behave as the original, seen in another frame."""
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robotphi.discretise.cells.quality import cell_volumes
from robotphi.discretise.deform import deformable
from robotphi.discretise.joining.assembly import glue, join, merge
from robotphi.discretise.joining.transform import MIRRORED, in_grid, in_line, in_ring, mirrored, moved, turned
from robotphi.discretise.masses.certificate import certificate
from robotphi.discretise.masses.spread import spread_mass
from robotphi.discretise.matter.material import Material
from robotphi.discretise.rigid import rigid
from robotphi.discretise.shape import discretise
from robotphi.discretise.sheet import sheet
from robotphi.errors import SceneError
from robotphi.geometry import shapes
from robotphi.geometry.cells import KINDS
from robotphi.geometry.mass_properties import solid_properties
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.transforms import mirror
from robotphi.run.simulator import simulate
from robotphi.scene import Scene, Stepping
from robotphi.scene.objects import Object
from robotphi.scene.rigid import mass_properties
from robotphi.scene.springs import dihedrals
from robotphi.scene.turns import rotation_about

AXIS, ANGLE, ABOUT = np.array([1.0, 2.0, -0.5]), 0.7, np.array([0.3, -0.2, 0.9])
NORMAL, POINT = np.array([2.0, -1.0, 0.5]), np.array([0.1, 0.4, -0.3])
TURN = rotation_about(AXIS / np.linalg.norm(AXIS), ANGLE)
MAPS = {  # transform, matrix, shift
    "moved": (lambda thing: moved(thing, (1, -2, 0.5)), np.eye(3), np.array([1, -2, 0.5])),
    "turned": (lambda thing: turned(thing, AXIS, ANGLE, ABOUT), TURN, ABOUT - TURN @ ABOUT),
    "mirrored": (lambda thing: mirrored(thing, NORMAL, POINT), *mirror(NORMAL, POINT)),
}


def soft():
    """A block with springs of all kinds."""
    block = discretise(shapes.box((1.0, 0.8, 0.6)), counts=(2, 1, 1))
    return deformable(block, Material(1e4, density=500.0, damping_ratio=0.1), angular=True, articular=True)


def hinged():
    """The block glued on a rigid one that is not centred on it."""
    return glue({"pad": soft(), "bone": rigid(shapes.box((0.5, 1.2, 1.0), centre=(0.75, 0.1, 0.0)), density=800.0)})


def run(thing, pull, velocity, spin):
    """A moment of free motion under a pull at one corner."""
    scene = Scene("transformed", duration=0.03, frames=3, gravity=(0, 0, 0), stepping=Stepping(control="fixed", dt=2.5e-4))
    placed = scene.add_object("thing", thing, velocity=velocity, spin=spin)
    scene.add_force("pull", int(placed.particles[0]), pull)
    return simulate(scene)


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize(("make", "near"), [(soft, 1e-13), (hinged, 1e-9)])
def test_a_transformed_object_moves_as_the_original_does(name, make, near):
    """Soft ones to rounding: 120 steps of some 1e-16. A rigid primitive turns about its principal axes in turn, and they
    may come in another order in the image: a difference of the order dt² (measured: 1.3e-10, a quarter of that at half dt)."""
    transform, matrix, shift = MAPS[name]
    thing = make()
    assert {label.split(".")[-1] for label in thing.springs} == {"linear", "lines", "folds"}
    pull, velocity, spin = np.array([30, 50, 20.0]), np.array([1, 0.5, -0.3]), np.array([0.4, -1.0, 0.7])
    turning = np.linalg.det(matrix) * matrix  # spins are axial vectors
    first = run(thing, pull, velocity, spin)
    second = run(transform(thing), matrix @ pull, matrix @ velocity, turning @ spin)
    assert_allclose(second.position, first.position @ matrix.T + shift, atol=near, rtol=0)
    assert_allclose(second.rigid_spin, first.rigid_spin @ turning.T, atol=near, rtol=0)
    for entry in ("kinetic", "elastic_linear", "elastic_angular", "elastic_articular"):
        assert_allclose(second.ledger[entry], first.ledger[entry], atol=100 * near * first.ledger["kinetic"].max(), rtol=0)
    assert first.ledger["elastic_articular"][-1] > 0.0
    assert first.ledger["elastic_angular"][-1] > 0.0


@pytest.mark.parametrize("name", MAPS)
def test_mass_centre_and_inertia_go_along(name):
    transform, matrix, shift = MAPS[name]
    thing = hinged()
    image = transform(thing)
    mass, centre, inertia = thing.properties
    for reached in (image.properties, mass_properties(image.position, image.mass)):
        assert_allclose(reached[0], mass, rtol=1e-13)
        assert_allclose(reached[1], matrix @ centre + shift, atol=1e-13)
        assert_allclose(reached[2], matrix @ inertia @ matrix.T, atol=1e-12 * np.trace(inertia))
    own, before = image.rigids[0].own(image.position), thing.rigids[0].own(thing.position)
    assert_allclose(own.centre, matrix @ before.centre + shift, atol=1e-12)


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("way", ["centre", "tetrahedra", "symmetric"])
def test_facets_stay_outward_and_cells_positive(name, way):
    transform, matrix, shift = MAPS[name]
    thing = deformable(discretise(shapes.box((1, 2, 1)), counts=(1, 2, 2)), Material(1e4), way)
    image = transform(thing)
    assert_allclose(solid_properties(image.position, image.facets).volume, 2.0, rtol=1e-12)
    corners = KINDS["hexahedron"].corners
    mesh = Mesh(image.position, {"hexahedron": image.cells["hexahedron"][:, :corners]})
    assert_allclose(cell_volumes(mesh)["hexahedron"], 0.5, rtol=1e-12)
    assert certificate(image)["rest"]["inertia error"] < certificate(thing)["rest"]["inertia error"] + 1e-13
    # inner particles keep to their own cells
    assert_array_equal(np.sort(image.cells["hexahedron"], axis=1), np.sort(thing.cells["hexahedron"], axis=1))


def test_inner_particles_follow_their_facets_and_tetrahedra():
    rng = np.random.default_rng(2)
    corners = {"hexahedron": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]],
               "pyramid": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1]],
               "tetrahedron": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
               "wedge": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]]}
    for kind, points in corners.items():
        for way in ("centre", "symmetric", "tetrahedra"):
            if (kind, way) == ("wedge", "tetrahedra"):  # its filling is left- or right-handed
                continue
            mesh = Mesh(np.array(points) + rng.uniform(-0.1, 0.1, (len(points), 3)), {kind: [list(range(len(points)))]})
            spread = spread_mass(mesh, 1.0, way)
            image = mirrored(Object(spread.position, spread.mass, cells=spread.cells, density=spread.density), NORMAL, POINT)
            again = spread_mass(mirrored(mesh, NORMAL, POINT), 1.0, way)
            if way == "tetrahedra" and kind == "hexahedron":  # `spread_mass` turns rows to alternate between neighbours
                again = replace(again, cells={kind: again.cells[kind][:, :8]})
                assert_array_equal(np.sort(image.cells[kind][:, [1, 3, 4, 6]]), np.sort(spread.cells[kind][:, [1, 3, 4, 6]]))
                rows = image.cells[kind][0]
                middles = image.position[rows[KINDS[kind].tetrahedra]].mean(axis=1)
                assert_allclose(image.position[rows[8:]], middles, atol=1e-14)
                continue
            assert_allclose(image.position[image.cells[kind]], again.position[again.cells[kind]], atol=1e-13)


def test_every_mirrored_kind_is_positive():
    for kind, order in MIRRORED.items():
        assert sorted(order) == list(range(KINDS[kind].corners))
        edges = {frozenset(edge) for edge in KINDS[kind].edges.tolist()}
        assert {frozenset((order[a], order[b])) for a, b in KINDS[kind].edges.tolist()} == edges
    mesh = discretise(shapes.cylinder(1, 2, 7), size=1.0)
    image = mirrored(mesh, NORMAL, POINT)
    for kind, volumes in cell_volumes(mesh).items():
        assert_allclose(cell_volumes(image)[kind], volumes, rtol=1e-10)
    assert_allclose(solid_properties(image.points, image.triangles).volume, shapes.cylinder(1, 2, 7).volume, rtol=1e-12)
    assert set(image.regions) == set(mesh.regions)


def test_articular_springs_of_the_image_keep_their_angles():
    mesh = discretise(shapes.sphere(1, 1), size=0.7)
    thing = deformable(mesh, Material(1e4), articular=True)
    image = mirrored(thing, NORMAL, POINT)
    angle, other = (dihedrals(each.position, *each.springs["folds"].particles.T)[0] for each in (thing, image))
    assert np.abs(angle).min() < 3
    assert_allclose(np.exp(1j * other), np.exp(1j * angle), atol=1e-10)  # π and −π are one angle
    assert image.springs["linear"] is thing.springs["linear"]


def test_a_mirrored_object_is_merged_with_the_original():
    half = deformable(discretise(shapes.box((1, 1, 1), centre=(0.5, 0, 0)), counts=2), Material(1e4), articular=True)
    whole = merge({"right": half, "left": mirrored(half, (1, 0, 0))})
    assert len(whole.regions["merged"]) == 9
    assert_allclose(whole.properties[1], 0, atol=1e-14)


def test_transforms_there_and_back_give_the_same_object():
    thing = hinged()
    for image in (moved(moved(thing, (0.5, 0.25, 1)), (-0.5, -0.25, -1)), mirrored(mirrored(thing, (0, 1, 0)), (0, 1, 0)),
                  turned(turned(thing, (0, 0, 1), np.pi / 2), (0, 0, 1), -np.pi / 2)):
        assert_allclose(image.position, thing.position, atol=1e-15)
        assert_array_equal(image.facets, thing.facets)
        for name, group in thing.springs.items():
            assert_array_equal(image.springs[name].particles, group.particles)
        for kind, rows in thing.cells.items():
            assert_array_equal(image.cells[kind], rows)
    quarter = turned(thing, (0, 0, 2), np.pi / 2)  # exact: x to y, y to −x
    assert_array_equal(quarter.position, np.stack([-thing.position[:, 1], thing.position[:, 0], thing.position[:, 2]], axis=1))


def test_axes_of_materials_turn_along_and_the_certificate_goes():
    mesh = discretise(shapes.box((1, 1, 1)), counts=1)
    thing = deformable(mesh, Material((1e4, 2e4, 3e4)))
    image = turned(join({"a": thing}), (0, 0, 1), np.pi / 2)
    told = image.notes["parts"]["a"]["materials"][0]
    assert_array_equal(told["frame"], [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    assert told["reached"]["young_of_axes"] == pytest.approx([1e4, 2e4, 3e4])  # along the axes of the material
    assert thing.notes["materials"][0]["frame"] is None
    assert "certificate" in thing.notes
    assert "certificate" not in turned(thing, (0, 0, 1), 1.0).notes


def test_copies_in_patterns():
    one = sheet(discretise_square(), Material(1e4), 0.01)
    line = in_line(one, 3, (0, 0, 1))
    assert_array_equal([each.position[0, 2] for each in line], [0, 1, 2])
    grid = in_grid(one, (2, 3), ((2, 0, 0), (0, 3, 0)))
    assert_array_equal([each.position[0, :2] for each in grid], [(2 * i, 3 * j) for i in range(2) for j in range(3)])
    ring = in_ring(moved(one, (5, 0, 0)), 4, (0, 0, 1))
    centres = np.array([each.properties[1] for each in ring])
    assert_allclose(centres, [[5.5, 0.5, 0], [-0.5, 5.5, 0], [-5.5, -0.5, 0], [0.5, -5.5, 0]], atol=1e-14)
    half = in_ring(moved(one, (5, 0, 0)), 3, (0, 0, 1), angle=np.pi)
    assert_allclose(half[-1].properties[1], -centres[0], atol=1e-14)
    assert half[0].mass is one.mass  # copies share what they can
    whole = join({f"patch{i}": each for i, each in enumerate(ring)})
    assert_allclose(whole.properties[0], 4 * one.properties[0], rtol=1e-14)


def discretise_square():
    return Mesh(np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float), {"quad": [[0, 1, 2, 3]]})


@pytest.mark.parametrize(("call", "says"), [
    (lambda x: moved(x, (1, 2)), "give three numbers"), (lambda x: turned(x, (0, 0, 0), 1), "axis is zero"),
    (lambda x: turned(x, (0, 0, 1), "90"), "angle is '90'"), (lambda x: mirrored(x, (0, 0, 0)), "normal is zero"),
    (lambda x: moved("x", (0, 0, 1)), "give an Object or a Mesh"), (lambda x: in_line(x, 0, (1, 0, 0)), "at least 1"),
    (lambda x: in_grid(x, (2, 2), ((1, 0, 0),)), "2 counts and 1 steps"), (lambda x: in_ring(x, 2.5), "count is 2.5")])
def test_what_transforms_refuse(call, says):
    with pytest.raises(SceneError, match=says):
        call(discretise_square())


@pytest.mark.parametrize(("counts", "steps"), [(2, (0, 0, 1)), (None, None), ((2,), 1), (2, ((0, 0, 1),)), ("ab", "cd")],
                         ids=str)
def test_a_grid_needs_lists_of_counts_and_steps(counts, steps):
    with pytest.raises(SceneError, match="in_grid"):
        in_grid(discretise(shapes.box(1), counts=1), counts, steps)


def test_a_ring_goes_evenly_round_a_whole_turn_in_either_sense():
    mesh = discretise(shapes.box(1, (2, 0, 0)), counts=1)
    forth, back = (in_ring(mesh, 4, angle=angle) for angle in (2 * np.pi, -2 * np.pi))
    for i in range(4):
        assert_allclose(back[i].points, forth[-i % 4].points, atol=1e-14)    # rounding of turned points
        middle = 2 * np.array([np.cos(i * np.pi / 2), -np.sin(i * np.pi / 2), 0])
        assert_allclose(back[i].points.mean(axis=0), middle, atol=1e-14)
