"""Mass properties against surface integrals of another kind, and the laws they obey."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from robotphi.errors import SceneError
from robotphi.geometry.hull import hull
from robotphi.geometry.mass_properties import join_properties, shifted_inertia, solid_properties
from robotphi.geometry.polyhedron import Polyhedron
from robotphi.geometry.shapes import box, cone, hexahedron, torus


def mirtich(solid):
    """Volume, centre and inertia about it by Mirtich (1996): volume integrals become integrals over the facets, those over the
    facets' shadows in a coordinate plane, and those over the edges of the shadows. Facets must be plane."""
    one, first, square, mixed = 0.0, np.zeros(3), np.zeros(3), np.zeros(3)
    origin = solid.vertices.mean(axis=0)
    for loop, normal, point in zip(solid.facets, solid.normals, solid.facet_centres - origin, strict=True):
        c = int(np.argmax(np.abs(normal)))
        a, b = (c + 1) % 3, (c + 2) % 3
        corners = solid.vertices[loop] - origin
        w = -normal @ point
        face = facet_integrals(shadow_integrals(corners[:, a], corners[:, b]), normal[a], normal[b], normal[c], w)
        one += normal[0] * face[(0 - a) % 3]
        for i, axis in enumerate((a, b, c)):
            first[axis] += normal[axis] * face[3 + i] / 2
            square[axis] += normal[axis] * face[6 + i] / 3
            mixed[axis] += normal[axis] * face[9 + i] / 2      # ∫ axis·next
    centre = first / one
    xx = square
    xy, yz, zx = mixed
    second = np.array([[xx[0], xy, zx], [xy, xx[1], yz], [zx, yz, xx[2]]]) - one * np.outer(centre, centre)
    return one, origin + centre, np.trace(second) * np.eye(3) - second


def shadow_integrals(a0, b0):
    """1, a, b, a², ab, b², a³, a²b, ab², b³ over a polygon of the plane, by Green's theorem along its edges."""
    a1, b1 = np.roll(a0, -1), np.roll(b0, -1)
    da, db = a1 - a0, b1 - b0
    c1 = a1 + a0
    ca = a1 * c1 + a0 ** 2
    caa, caaa = a1 * ca + a0 ** 3, a1 * (a1 * ca + a0 ** 3) + a0 ** 4
    cb = b1 * (b1 + b0) + b0 ** 2
    cbb, cbbb = b1 * cb + b0 ** 3, b1 * (b1 * cb + b0 ** 3) + b0 ** 4
    cab, kab = 3 * a1 ** 2 + 2 * a1 * a0 + a0 ** 2, a1 ** 2 + 2 * a1 * a0 + 3 * a0 ** 2
    caab, kaab = a0 * cab + 4 * a1 ** 3, a1 * kab + 4 * a0 ** 3
    cabb = 4 * b1 ** 3 + 3 * b1 ** 2 * b0 + 2 * b1 * b0 ** 2 + b0 ** 3
    kabb = b1 ** 3 + 2 * b1 ** 2 * b0 + 3 * b1 * b0 ** 2 + 4 * b0 ** 3
    return np.array([(db @ c1) / 2, (db @ ca) / 6, -(da @ cb) / 6, (db @ caa) / 12, (db @ (b1 * cab + b0 * kab)) / 24,
                     -(da @ cbb) / 12, (db @ caaa) / 20, (db @ (b1 * caab + b0 * kaab)) / 60,
                     -(da @ (a1 * cabb + a0 * kabb)) / 60, -(da @ cbbb) / 20])


def facet_integrals(shadow, na, nb, nc, w):
    """a, b, c; a², b², c²; a³, b³, c³; a²b, b²c, c²a over the facet na a + nb b + nc c + w = 0."""
    s1, sa, sb, saa, sab, sbb, saaa, saab, sabb, sbbb = shadow
    k1, k2, k3 = 1 / nc, 1 / nc ** 2, 1 / nc ** 3
    fc = -k2 * (na * sa + nb * sb + w * s1)
    fcc = k3 * (na ** 2 * saa + 2 * na * nb * sab + nb ** 2 * sbb + w * (2 * (na * sa + nb * sb) + w * s1))
    fccc = -k2 ** 2 * (na ** 3 * saaa + 3 * na ** 2 * nb * saab + 3 * na * nb ** 2 * sabb + nb ** 3 * sbbb
                       + 3 * w * (na ** 2 * saa + 2 * na * nb * sab + nb ** 2 * sbb)
                       + w ** 2 * (3 * (na * sa + nb * sb) + w * s1))
    fbbc = -k2 * (na * sabb + nb * sbbb + w * sbb)
    fcca = k3 * (na ** 2 * saaa + 2 * na * nb * saab + nb ** 2 * sabb + w * (2 * (na * saa + nb * sab) + w * sa))
    return [k1 * sa, k1 * sb, fc, k1 * saa, k1 * sbb, fcc, k1 * saaa, k1 * sbbb, fccc, k1 * saab, fbbc, fcca]


def assert_same(found, wanted, relative):
    volume, centre, inertia = wanted
    assert found.volume == pytest.approx(volume, rel=relative)
    assert np.linalg.norm(found.inertia - inertia) <= relative * np.linalg.norm(inertia)
    assert np.linalg.norm(found.centre - centre) <= relative * np.sqrt(np.linalg.norm(inertia) / volume)


# Tolerance 1e-12: rounding 1e-16 of coordinates of a body 1000 times as long as thick makes 1e-13, times a few.

def test_hulls_agree_with_surface_integrals(scene_count):
    rng = np.random.default_rng(0)
    for _ in range(2 * scene_count):
        flat = 10.0 ** rng.uniform(-3.0, 0.0)
        turn = Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix()
        solid = hull(rng.normal(size=(rng.integers(5, 40), 3)) * (1.0, 1.0, flat) @ turn.T)
        assert_same(solid.properties(), mirtich(solid), 1e-12)


def test_triangulated_hexahedra_agree_with_surface_integrals(scene_count):
    rng = np.random.default_rng(9)
    for _ in range(scene_count):
        corners = (box(1.0).vertices + rng.uniform(-0.2, 0.2, (8, 3))) * (1.0, 1.0, 10.0 ** rng.uniform(-3.0, 0.0))
        solid = hexahedron(corners @ Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix().T)
        pieces = Polyhedron(solid.vertices, solid.triangles)
        assert_same(solid.properties(), mirtich(pieces), 1e-12)


def test_far_away_nothing_is_lost():
    """Coordinates 1000 sizes away that are exact in binary: the body is the same to the bit, and so must be the answer."""
    rng = np.random.default_rng(3)
    near = rng.integers(-512, 512, (20, 3)) / 512.0
    solid, moved = hull(near).properties(), hull(near + 1024.0).properties()
    assert abs(moved.volume - solid.volume) <= 1e-14 * solid.volume
    assert np.linalg.norm(moved.inertia - solid.inertia) <= 1e-14 * np.linalg.norm(solid.inertia)
    assert np.abs(moved.centre - 1024.0 - solid.centre).max() <= 2.3e-13  # half a bit of 1024


def test_a_box_has_the_closed_form():
    found = box((1.0, 2.0, 3.0), centre=(5.0, 6.0, 7.0)).properties(density=100.0)
    assert found.mass == pytest.approx(600.0, rel=1e-15)
    assert found.inertia == pytest.approx(np.diag([13.0, 10.0, 5.0]) * 50.0, abs=1e-11)
    assert found.centre == pytest.approx((5.0, 6.0, 7.0), rel=1e-15)


def test_an_inverted_surface_has_a_negative_volume_and_an_empty_one_is_refused():
    cube = box(1.0)
    assert solid_properties(cube.vertices, cube.triangles[:, ::-1]).volume == pytest.approx(-1.0)
    with pytest.raises(SceneError, match="volume is zero"):
        solid_properties(cube.vertices * (1.0, 1.0, 0.0), cube.triangles)


angles = st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3)


@given(angles, st.lists(st.floats(-10.0, 10.0), min_size=3, max_size=3), st.floats(0.1, 1e4))
def test_inertia_turns_with_the_body_and_scales_with_density(turn, shift, density):
    matrix = Rotation.from_euler("xyz", turn).as_matrix()
    solid = cone(1.0, 2.0, 5)
    before, after = solid.properties(density), solid.transformed(matrix, shift).properties(density)
    assert np.allclose(after.inertia, matrix @ before.inertia @ matrix.T, rtol=0.0, atol=1e-13 * density)
    assert np.allclose(after.centre, matrix @ before.centre + shift, rtol=0.0, atol=1e-13)
    assert after.mass == pytest.approx(density * solid.volume, rel=1e-13)


@given(st.floats(-0.4, 0.4), st.lists(st.floats(-10.0, 10.0), min_size=3, max_size=3))
def test_two_halves_join_to_the_whole_by_parallel_axes(cut, shift):
    shift = np.array(shift)
    left = box((cut + 0.5, 1.0, 2.0), shift + np.array(((cut - 0.5) / 2, 0.0, 0.0)))
    right = box((0.5 - cut, 1.0, 2.0), shift + np.array(((cut + 0.5) / 2, 0.0, 0.0)))
    joined, whole = join_properties([left.properties(), right.properties()]), box((1.0, 1.0, 2.0), shift).properties()
    assert np.allclose(joined.inertia, whole.inertia, rtol=0.0, atol=1e-13)
    assert np.allclose(joined.centre, whole.centre, atol=1e-13)
    about = whole.inertia + shifted_inertia(whole.mass, shift)
    assert np.trace(about) - np.trace(whole.inertia) == pytest.approx(2 * whole.mass * shift @ shift, abs=1e-12)


def test_a_torus_of_many_parts_nears_the_round_one():
    """Inscribed parts lose a volume of second order in the angles: (2π/n)²/6 per direction."""
    radius, tube = 2.0, 0.5
    volume = 2 * np.pi ** 2 * radius * tube ** 2
    about_axis = volume * (radius ** 2 + 0.75 * tube ** 2)
    found = torus(radius, tube, 96, 48).properties()
    assert found.volume == pytest.approx(volume, rel=(2 * np.pi / 48) ** 2 / 6 + (2 * np.pi / 96) ** 2 / 6)
    assert found.inertia[2, 2] == pytest.approx(about_axis, rel=0.01)
