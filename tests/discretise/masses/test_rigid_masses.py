"""Rigid solids on particles: exact mass, centre and inertia, and no negative mass."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import nnls

from robotphi.discretise.masses import rigid_masses as module
from robotphi.discretise.masses.rigid_masses import balanced, conditions, masses_on, rigid_masses
from robotphi.errors import SceneError
from robotphi.geometry import shapes
from robotphi.scene.rigid import mass_properties
from robotphi.verification.inertia import hulls
from robotphi.verification.surface_integrals import surface_integrals


def apart(spread, solid):
    """Relative errors of mass, centre and inertia against (mass, centre, inertia)."""
    mass, centre, inertia = mass_properties(spread.position, spread.mass)
    size = np.ptp(spread.position, axis=0).max()
    return np.array([abs(mass / solid[0] - 1.0), np.abs(centre - solid[1]).max() / size,
                     np.linalg.norm(inertia - solid[2]) / np.linalg.norm(solid[2])])


def test_random_convex_polyhedra_down_to_flatness_a_thousandth():
    for points, triangles in hulls(100, seed=4):
        exact = [each[0] for each in surface_integrals(points[triangles][None], 2.5)]
        spread = rigid_masses((points, triangles), density=2.5)
        assert apart(spread, exact).max() < 1e-12  # the bound asked for
        assert spread.mass.min() > 0.0
        assert not any(spread.added)
        # vertices, facet centres and the centre of inertia
        assert len(spread.position) == len(points) + len(triangles) + 1


@pytest.mark.parametrize("shape", [
    shapes.box((1, 2, 3)), shapes.box((1, 2, 0.001)), shapes.cylinder(1, 2, 24), shapes.cone(1, 2, 12), shapes.sphere(1, 2),
    shapes.uv_sphere(1), shapes.capsule(0.3, 1), shapes.torus(1, 0.3), shapes.tube(1, 0.8, 1)], ids=repr)
def test_shapes_keep_their_properties(shape):
    exact = shape.properties(3.0)
    assert apart(rigid_masses(shape, density=3.0), exact[1:]).max() < 1e-12
    assert_allclose(rigid_masses(shape, mass=7.0).mass.sum(), 7.0, rtol=1e-13)


def test_a_concave_surface_is_served_as_well():
    corners = np.array([[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]], float)  # L
    points = np.concatenate([np.insert(corners, 2, z, axis=1) for z in (0.0, 0.5)])
    cap = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]])
    side = [[i, (i + 1) % 6, (i + 1) % 6 + 6] for i in range(6)] + [[i, (i + 1) % 6 + 6, i + 6] for i in range(6)]
    triangles = np.concatenate([cap[:, ::-1], cap + 6, side])
    exact = [each[0] for each in surface_integrals(points[triangles][None])]
    spread = rigid_masses((points, triangles), density=1.0)
    assert apart(spread, exact).max() < 1e-12
    assert spread.mass.min() >= 0.0


def test_a_symmetric_solid_gets_symmetric_masses():
    mass = rigid_masses(shapes.box((1, 2, 3)), mass=1.0).mass
    assert_allclose(mass[:8], mass[0], rtol=1e-13)  # rounding of the ten conditions
    assert_allclose(mass[8:14].reshape(3, 2)[:, 0], mass[8:14].reshape(3, 2)[:, 1], rtol=1e-12)


@pytest.mark.parametrize("rounds", [module.ROUNDS, 0])  # Newton's way, and what stands in where it gets nowhere
def test_masses_are_missed_only_where_there_are_none(rounds, monkeypatch):
    monkeypatch.setattr(module, "ROUNDS", rounds)
    rng, found = np.random.default_rng(0), 0
    for _ in range(200):
        places = rng.normal(size=(int(rng.integers(10, 60)), 3))
        places = np.concatenate([places * rng.uniform(1.5, 4) / np.linalg.norm(places, axis=1)[:, None], [[0, 0, 0]]])
        rows, wanted = conditions(places)
        start = np.full(len(places), 1 / len(places))
        there_are = nnls(rows, wanted)[1] < 1e-9  # Lawson and Hanson's way knows
        mass = balanced(places, start)
        assert (mass is not None) == there_are
        if there_are:
            found += 1
            assert mass.min() >= 0.0
            assert_allclose(rows @ mass, wanted, atol=1e-13)
    assert 20 < found < 180
    # on a ball of radius √3 the second moments of mass 1 can be 1; within a smaller one they cannot
    assert masses_on(1.7 * places[:-1] / np.linalg.norm(places[:-1], axis=1)[:, None], 1.0, np.zeros(3), 2 * np.eye(3)) is None


def test_masses_are_found_on_given_particles():
    box = shapes.box((1, 2, 3)).properties(2.0)
    nodes = np.indices((3, 3, 3)).reshape(3, -1).T / 2 - 0.5
    place = nodes * [1, 2, 3]
    mass = masses_on(place, *box[1:])
    assert mass.min() >= 0.0
    total, centre, inertia = mass_properties(place, mass)
    assert_allclose(total, box.mass, rtol=1e-13)
    assert_allclose(centre, box.centre, atol=1e-13)
    assert_allclose(inertia, box.inertia, rtol=1e-12, atol=1e-12)


def test_six_particles_on_the_axes_help_where_nothing_else_does(monkeypatch):
    own = module.balanced
    monkeypatch.setattr(module, "balanced", lambda places, start: own(places, start) if len(places) > 15 else None)
    box = shapes.box((1, 2, 3), centre=(3, 0, 1))
    spread = rigid_masses(box, density=2.0)
    assert spread.added == (True,)
    assert len(spread.position) == 15 + 6
    assert apart(spread, box.properties(2.0)[1:]).max() < 1e-12
    monkeypatch.setattr(module, "balanced", lambda places, start: None)
    assert apart(rigid_masses(box, density=2.0), box.properties(2.0)[1:]).max() < 1e-12


def test_what_is_no_solid_is_refused():
    box = shapes.box(1.0)
    with pytest.raises(SceneError, match="one of the two"):
        rigid_masses(box)
    with pytest.raises(SceneError, match="one of the two"):
        rigid_masses(box, density=1.0, mass=1.0)
    with pytest.raises(SceneError, match="outwards"):
        rigid_masses((box.vertices, box.triangles[:, ::-1]), density=1.0)
