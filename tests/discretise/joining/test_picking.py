"""Picking: particles and facets by where they are, and names for them."""
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from robotphi.discretise.deform import deformable
from robotphi.discretise.joining.picking import (
    common,
    facets_of,
    facing,
    in_box,
    in_sphere,
    name_facets,
    name_region,
    nearest,
    nearest_facet,
    on_plane,
    particles_of,
    union,
    where,
    without,
)
from robotphi.discretise.joining.transform import moved, turned
from robotphi.discretise.matter.material import Material
from robotphi.discretise.shape import discretise
from robotphi.errors import SceneError
from robotphi.geometry import shapes
from robotphi.geometry.mesh import Mesh
from robotphi.scene import Scene
from robotphi.scene.objects import Object, RigidPart

MESH = discretise(shapes.box((2, 2, 2)), counts=(4, 4, 4))
BLOCK = deformable(MESH, Material(1e4))


def placed(thing=BLOCK):
    scene = Scene("picked")
    scene.add_particles("before", np.eye(3), 1.0)
    return scene, scene.add_object("block", thing)


@pytest.mark.parametrize("thing", [MESH, BLOCK], ids=["mesh", "object"])
def test_particles_are_picked_by_place(thing):
    x = thing.points if isinstance(thing, Mesh) else thing.position
    assert_array_equal(on_plane(thing, (0, 0, 1), (0, 0, 3)), np.sort(thing.regions["top"]))
    assert_array_equal(in_box(thing, (-1, -1, -0.5), (0, 1, np.inf)), np.flatnonzero((x[:, 0] <= 0) & (x[:, 2] >= -0.5)))
    assert_array_equal(in_sphere(thing, (1, 1, 1), 0.5), np.flatnonzero(np.linalg.norm(x - 1, axis=1) <= 0.5))
    assert_array_equal(where(thing, lambda x: x[:, 1] > 0.2), np.flatnonzero(x[:, 1] > 0.2))
    corner = nearest(thing, (0.9, 1.2, -5))
    assert_array_equal(x[corner], [1, 1, -1])
    assert isinstance(corner, int)
    assert nearest(thing, (0.9, 1.2, -5), among="top") == nearest(thing, (1, 1, 1))


def test_a_tilted_plane_far_from_the_origin_is_found():
    far = moved(turned(BLOCK, (1, 2, 3), 1.0), (1e5, -2e5, 3e5))
    point, other = far.position[BLOCK.regions["top"]][:2]
    third = far.position[BLOCK.regions["top"]][-1]
    picked = on_plane(far, point, np.cross(other - point, third - point), tolerance=1e-8)
    assert_array_equal(picked, np.sort(BLOCK.regions["top"]))


def test_of_a_placed_object_they_are_particles_of_the_scene():
    thing = Object(BLOCK.position, BLOCK.mass, facets=BLOCK.facets, regions=BLOCK.regions, rigids=(
        RigidPart("body", BLOCK.regions["bottom"], 1.0, np.zeros(3), np.eye(3)),))
    scene, block = placed(thing)
    top = on_plane(block, (0, 0, 1), (0, 0, 1))
    assert_array_equal(scene.position[top][:, 2], 1.0)
    assert_array_equal(top, np.sort(block.region("top")))
    bottom = on_plane(block, (0, 0, -1), (0, 0, 1))  # rigid particles follow the free ones in the scene
    assert_array_equal(bottom, np.sort(block.region("bottom")))
    assert_array_equal(scene.position[nearest(block, (1, 1, -9))], [1, 1, -1])
    facets = facets_of(block, bottom)
    assert_array_equal(scene.position[block.facets[facets]][..., 2], -1.0)
    assert_array_equal(facets, facets_of(block, "bottom"))
    assert_array_equal(particles_of(block, facets), bottom)
    assert_array_equal(without(block, bottom, common(block, bottom, "left")), without(block, "bottom", "left"))
    with pytest.raises(SceneError, match="particle 0 of the scene is not one of this object"):
        facets_of(block, [0, *bottom])


def test_facets_are_picked_by_their_particles_distance_and_normal():
    for thing in (MESH, BLOCK):
        top = facets_of(thing, on_plane(thing, (0, 0, 1), (0, 0, 1)))
        assert len(top) == 32
        assert_array_equal(facing(thing, (0, 0, 1), 0.1), top)
        assert len(facing(thing, (0, 1, 1), np.pi / 4)) == 64  # within means including
        assert_array_equal(facets_of(thing, "top"), top)
        assert_array_equal(particles_of(thing, top), np.sort(thing.regions["top"]))
    facets = BLOCK.position[BLOCK.facets]
    for point in np.random.default_rng(1).uniform(-2, 2, (20, 3)):
        grid = np.array([(i, j, 20 - i - j) for i in range(21) for j in range(21 - i)]) / 20
        sampled = np.linalg.norm(np.einsum("gk,fkx->fgx", grid, facets) - point, axis=2).min(axis=1)
        # samples are 0.05 of an edge (≤ 0.71 m) apart, so no further than that from the true distance
        assert sampled[nearest_facet(BLOCK, point)] <= sampled.min() + 0.036


def test_a_facet_without_an_area_faces_nowhere():
    flat = Object(np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0.0]]), np.ones(4), facets=[[0, 1, 2], [0, 1, 3]])
    assert_array_equal(facing(flat, (0, 0, 1), 1.0), [1])


def test_sets_are_united_and_taken_apart():
    top, left = BLOCK.regions["top"], BLOCK.regions["left"]
    assert_array_equal(union(BLOCK, "top", "left"), np.union1d(top, left))
    assert_array_equal(common(BLOCK, "top", left), np.intersect1d(top, left))
    mask = np.zeros(len(BLOCK.position), bool)
    mask[left] = True
    assert_array_equal(without(BLOCK, "top", mask), np.setdiff1d(top, left))
    with pytest.raises(SceneError, match=r"no particle is in all of the 2 sets; they hold 25, 25 particles"):
        common(BLOCK, "top", "bottom")
    with pytest.raises(SceneError, match="did you mean 'top'"):
        union(BLOCK, "tip")


def test_picked_particles_and_facets_get_names():
    edge = common(BLOCK, "top", "left")
    named = name_region(BLOCK, "edge", edge)
    assert_array_equal(named.region("edge"), edge)
    assert "edge" not in BLOCK.regions
    assert named.position is BLOCK.position
    named = name_facets(named, "cap", facets_of(named, "top"))
    assert_array_equal(named.facet_regions["cap"], named.facet_regions["top"])
    assert_array_equal(particles_of(named, "cap"), np.sort(BLOCK.regions["top"]))
    mesh = name_region(MESH, "edge", common(MESH, "top", "left"))
    assert_array_equal(deformable(mesh, Material(1e4)).region("edge"), edge)
    _, block = placed(named)
    assert_array_equal(block.region("edge"), block.particles[edge])
    assert_array_equal(union(block, "edge"), np.sort(block.region("edge")))
    with pytest.raises(SceneError, match="the name 'top' is taken"):
        name_region(BLOCK, "top", edge)
    with pytest.raises(SceneError, match="name regions of the Object before it is placed"):
        name_region(block, "new", edge)
    with pytest.raises(SceneError, match="a Mesh has no regions of facets"):
        name_facets(MESH, "cap", [0])


@pytest.mark.parametrize(("call", "says"), [
    (lambda: on_plane(BLOCK, (0, 0, 1.25), (0, 0, 1)), r"none of \d+ particles is on the plane; particle \d+ at .* 0.25 m"),
    (lambda: in_box(BLOCK, (2, 0, 0), (3, 1, 1)), r"none of \d+ particles is in the box; particle \d+ at .* at 1 m"),
    (lambda: in_sphere(BLOCK, (0, 0, 3), 0.5), r"none of \d+ particles is in the sphere; particle \d+ at .* at 1.5 m"),
    (lambda: where(BLOCK, lambda x: x[:, 0] > 5), "they lie between"),
    (lambda: where(BLOCK, lambda x: x), "give a function such as"),
    (lambda: in_box(BLOCK, (1, 0, 0), (0, 1, 1)), "give the lower corner first"),
    (lambda: in_box(BLOCK, (1, 0), (0, 1)), "give three numbers"),
    (lambda: on_plane(BLOCK, (0, 0, 0), (0, 0, 0)), "normal is zero"),
    (lambda: facing(BLOCK, (1, 1, 1), 0.1), r"none of 192 facets faces that way within 0.1 rad; facet \d+ .*, by 0.9553"),
    (lambda: facets_of(BLOCK, [0, 1]), r"none of 192 facets has its three particles among the 2 given"),
    (lambda: facets_of(BLOCK, [5000]), "particle 5000, which does not exist"),
    (lambda: nearest(Object(np.zeros((1, 3)), np.ones(1)), (0, 0, np.nan)), "give finite numbers"),
    (lambda: nearest_facet(Object(np.zeros((1, 3)), np.ones(1)), (0, 0, 0)), "has no facets; pick particles"),
    (lambda: nearest("block", (0, 0, 0)), "give an Object, a Mesh or what add_object returned")])
def test_what_is_not_there_is_said_with_what_is_near(call, says):
    with pytest.raises(SceneError, match=says):
        call()


@pytest.mark.parametrize("corner", ["abc", None, (1, 2), ((1, 2), 3), (0, 0, np.nan)], ids=str)
def test_a_corner_that_is_not_three_numbers_is_refused(corner):
    with pytest.raises(SceneError, match=r"low is .*give three numbers, inf for an open side"):
        in_box(discretise(shapes.box(1), counts=1), corner, (1, 1, 1))


def test_a_test_that_is_no_function_is_refused():
    with pytest.raises(SceneError, match="give a function such as"):
        where(MESH, 3)
