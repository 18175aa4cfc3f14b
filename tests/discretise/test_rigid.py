"""Rigid objects: particles, facets and inertia of the solid."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene, build_model
from robotphi.discretise import rigid
from robotphi.errors import RobotphiError, SceneError
from robotphi.geometry import shapes
from robotphi.geometry.decompose import convex_parts
from robotphi.geometry.mass_properties import solid_properties
from robotphi.geometry.mesh import Mesh
from robotphi.geometry.polyhedron import Compound
from robotphi.scene.rigid import mass_properties
from tests.geometry.test_decompose import angle_iron

THINGS = {"box": shapes.box((1.0, 2.0, 0.5)), "cylinder": shapes.cylinder(0.3, 1.0, 12), "torus": shapes.torus(1.0, 0.25)}


@pytest.mark.parametrize("name", THINGS)
def test_the_particles_have_the_inertia_of_the_solid(name):
    shape = THINGS[name]
    thing = rigid(shape, density=800.0)
    wanted = shape.properties(800.0)
    mass, centre, inertia = mass_properties(thing.position, thing.mass)
    assert mass == pytest.approx(wanted.mass, rel=1e-12)
    assert (thing.mass >= 0).all()
    assert np.allclose(centre, wanted.centre, rtol=0, atol=1e-12)
    assert np.linalg.norm(inertia - wanted.inertia) < 1e-12 * np.linalg.norm(wanted.inertia)
    assert thing.notes["certificate"]["rest"]["inertia error"] < 1e-12


@pytest.mark.parametrize("name", THINGS)
def test_facets_close_around_the_solid(name):
    shape = THINGS[name]
    thing = rigid(shape, mass=2.0)
    corners = thing.position[thing.facets]
    volume = np.einsum("fi,fi->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert volume == pytest.approx(shape.volume, rel=1e-12)
    assert sum(map(len, thing.polyhedra.values())) == len(thing.facets)


def test_a_closed_mesh_is_a_rigid_too():
    cube = shapes.box((1.0, 1.0, 1.0))
    points, triangles, _ = cube.triangulated()
    thing = rigid(Mesh(points, {"triangle": triangles}), density=3.0)
    assert thing.rigids[0].mass == pytest.approx(3.0)
    corners = thing.position[thing.facets]
    assert np.einsum("fi,fi->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6 == pytest.approx(1.0)


def test_a_scene_takes_mass_centre_and_inertia():
    scene = Scene("rigid")
    placed = scene.add_object("stone", rigid(THINGS["box"], density=1000.0), velocity=(1, 0, 0), spin=(0, 0, 3))
    made = placed.rigids[0]
    assert made.mass == pytest.approx(1000.0)
    assert np.allclose(made.spin, (0, 0, 3))
    assert np.allclose(made.velocity, (1, 0, 0))


def test_regions_are_the_facets_of_the_shape():
    thing = rigid(THINGS["box"], mass=1.0)
    assert np.allclose(thing.position[thing.region("top")][:, 2], 0.25)
    assert set(thing.facet_regions) == {"left", "right", "front", "back", "bottom", "top"}


@pytest.mark.parametrize("given", [{}, {"density": 1.0, "mass": 1.0}, {"mass": -1.0}])
def test_density_or_mass(given):
    with pytest.raises(SceneError, match="mass"):
        rigid(THINGS["box"], **given)


def test_faulty_surfaces_are_refused_by_naming_the_facet():
    points, triangles, _ = shapes.box((1.0, 1.0, 1.0)).triangulated()
    turned = triangles.copy()
    turned[3] = turned[3][::-1]
    for faulty, says in ((triangles[1:], "open"), (turned, "turned"), (np.concatenate([triangles, triangles[:1]]), "twice")):
        with pytest.raises(RobotphiError, match=says):
            rigid(Mesh(points, {"triangle": faulty}), density=1.0)


def test_overlapping_parts_of_a_rigid_are_refused():
    parts = Compound((THINGS["box"], shapes.box((1.0, 1.0, 1.0))))
    with pytest.raises(SceneError, match="parts 0 and 1 overlap"):
        rigid(parts, density=1.0)


def test_parts_that_overlap_touch_for_the_solid_that_they_stand_for():
    """A bar in two parts that share a third of it: mass, centre and inertia are those of the bar, and it can be dropped."""
    bar = shapes.box((3.0, 1.0, 1.0))
    halves = tuple(shapes.box((2.0, 1.0, 1.0), centre=(x, 0.0, 0.0)) for x in (-0.5, 0.5))
    compound = Compound(halves, bar).transformed(shift=(0.2, 0.0, 1.0))
    wanted = bar.properties(700.0)
    for thing in (rigid(compound, density=700.0), rigid(compound, mass=2100.0)):
        mass, centre, inertia = mass_properties(thing.position, thing.mass)
        assert mass == pytest.approx(2100.0, rel=1e-12)
        assert thing.rigids[0].mass == pytest.approx(2100.0, rel=1e-12)
        np.testing.assert_allclose(centre, (0.2, 0.0, 1.0), rtol=0, atol=1e-12)
        np.testing.assert_allclose(inertia, wanted.inertia, rtol=0, atol=1e-9 * np.trace(wanted.inertia))
    scene = Scene("bar")
    scene.add_object("bar", thing, contact=ContactMaterial(stiffness=1e8))
    scene.add_plane("ground", (0, 0, 0), contact=ContactMaterial(stiffness=1e8))
    assert len(build_model(scene).part_names) == 3


def test_convex_parts_of_a_mesh_make_a_rigid_with_its_inertia():
    pytest.importorskip("coacd")
    shape = angle_iron().as_mesh()
    thing = rigid(convex_parts(shape), density=900.0)
    assert len(thing.polyhedra) > 1
    wanted = solid_properties(shape.points, shape.triangles, 900.0)
    mass, centre, inertia = mass_properties(thing.position, thing.mass)
    assert mass == pytest.approx(wanted.mass, rel=1e-12)
    np.testing.assert_allclose(centre, wanted.centre, rtol=0, atol=1e-11)
    np.testing.assert_allclose(inertia, wanted.inertia, rtol=0, atol=1e-9 * np.trace(wanted.inertia))
