"""Shapes: volumes in closed form, Euler's formula, convexity, facets that are plane, parts that meet, and what is refused."""
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotphi.errors import SceneError
from robotphi.geometry import shapes
from robotphi.geometry.checks_solid import check_convex, check_polyhedron

sizes, sides = st.floats(1e-3, 1e3), st.integers(3, 40)
centres = st.tuples(*[st.floats(-10.0, 10.0)] * 3)


def polygon_area(count):
    """Of the regular polygon in the unit circle."""
    return count / 2 * np.sin(2 * np.pi / count)


def rings_volume(radii, heights, count):
    """Frustums over regular polygons: h/3 (A + √(A B) + B)."""
    r, h = np.asarray(radii), np.diff(heights)
    return polygon_area(count) * np.sum(h / 3 * (r[1:] ** 2 + r[1:] * r[:-1] + r[:-1] ** 2))


def assert_good(solid, volume, centre=(0.0, 0.0, 0.0)):
    assert len(solid.vertices) - len(solid.edges) + len(solid.facets) == 2
    check_polyhedron(solid)
    check_convex(solid)
    # rounding of the coordinates, which the centre adds to, against the smallest of the sizes
    rounding = 1e-12 + 1e-14 * np.abs(solid.vertices).max() / np.ptp(solid.vertices, axis=0).min()
    assert solid.volume == pytest.approx(volume, rel=rounding)
    box = (solid.vertices.max(axis=0) + solid.vertices.min(axis=0)) / 2
    assert box[2] == pytest.approx(centre[2], abs=1e-12 * (solid.size + 10.0))


@given(st.tuples(sizes, sizes, sizes), centres)
@settings(max_examples=30)
def test_boxes(size, centre):
    solid = shapes.box(size, centre)
    assert np.ptp(solid.vertices, axis=0) == pytest.approx(size, rel=1e-11)
    if max(size) <= 1e3 * min(size):
        assert_good(solid, np.prod(size), centre)


@given(st.floats(0.1, 10.0), st.floats(0.1, 10.0), st.floats(0.01, 10.0), sides, centres)
@settings(max_examples=30)
def test_cylinders_cones_and_frustums(radius, height, top, count, centre):
    ends = (-height / 2, height / 2)
    assert_good(shapes.cylinder(radius, height, count, centre), polygon_area(count) * radius ** 2 * height, centre)
    assert_good(shapes.cone(radius, height, count, centre=centre), rings_volume((radius, 0.0), ends, count), centre)
    assert_good(shapes.cone(radius, height, count, top, centre), rings_volume((radius, top), ends, count), centre)


@given(st.floats(0.1, 10.0), sides, st.integers(2, 12), centres)
@settings(max_examples=30)
def test_uv_spheres_and_capsules(radius, count, rings, centre):
    angle = np.pi * np.arange(rings + 1) / rings
    volume = rings_volume(radius * np.sin(angle), -radius * np.cos(angle), count)
    assert_good(shapes.uv_sphere(radius, count, rings, centre), volume, centre)
    half = angle / 2
    cap = rings_volume(radius * np.sin(half), -radius * np.cos(half), count)
    solid = shapes.capsule(radius, 2.0, count, rings, centre)
    assert_good(solid, 2 * cap + 2.0 * radius ** 2 * polygon_area(count), centre)
    assert len(solid.facets_named("top cap")) == len(solid.facets_named("bottom cap")) == count * rings


@pytest.mark.parametrize("level", range(5))
def test_icospheres_near_the_sphere_with_second_order(level):
    """Each level halves the edges, so that what is missing tends to a quarter; the icosahedron has a closed form."""
    solid = shapes.sphere(2.0, level, (1.0, 2.0, 3.0))
    assert_good(solid, solid.volume, (1.0, 2.0, 3.0))
    assert len(solid.facets) == 20 * 4 ** level
    assert np.allclose(np.linalg.norm(solid.vertices - (1.0, 2.0, 3.0), axis=1), 2.0, rtol=1e-15, atol=0.0)
    missing, finer = (1.0 - each.volume / (32 * np.pi / 3) for each in (solid, shapes.sphere(2.0, level + 1)))
    assert missing / finer == pytest.approx(4.0, rel=0.3 / 4 ** level)
    if level == 0:
        edge = np.linalg.norm(np.diff(solid.vertices[solid.edges], axis=1), axis=2)
        assert np.ptp(edge) < 1e-14
        assert solid.volume == pytest.approx(16 * np.sqrt(10 + 2 * np.sqrt(5)) / 3, rel=1e-14)


@given(st.lists(st.floats(0.0, 6.28), min_size=3, max_size=12), st.floats(0.1, 10.0), st.booleans())
def test_prisms_over_any_convex_polygon(angles, height, clockwise):
    angles = np.unique(np.round(angles, 2))
    if len(angles) < 3 or np.max(np.diff(angles, append=angles[0] + 2 * np.pi)) > 3.0:
        return
    polygon = np.column_stack([2.0 * np.cos(angles), np.sin(angles)])
    x, y = polygon.T
    area = 0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert_good(shapes.prism(polygon[::-1] if clockwise else polygon, height), area * height)


def meeting(compound):
    """How many facets of the parts coincide in pairs, turned against each other; the others are the outside."""
    seen = {}
    for part in compound.parts:
        check_convex(part)
        for loop in part.facets:
            key = frozenset(tuple(row) for row in part.vertices[loop].tolist())
            seen[key] = seen.get(key, 0) + 1
    assert max(seen.values()) <= 2
    return sum(count == 2 for count in seen.values())


@given(st.floats(0.1, 0.9), sides, sides)
@settings(max_examples=20)
def test_tori(tube, sections, count):
    """Each part is a prism along its middle chord: area of the section, seen along the chord, times the chord of its centre."""
    solid = shapes.torus(1.0, tube, sections, count)
    assert meeting(solid) == len(solid.parts) == sections
    angle = 2 * np.pi * np.arange(count) / count
    area, x, y = polygon_area(count) * tube ** 2, tube * np.cos(angle), tube * np.sin(angle)
    nx, ny = np.roll(x, -1), np.roll(y, -1)
    moment = np.sum((x * ny - nx * y) * (x + nx)) / 6
    second = area + moment                                              # ∫ distance from the axis over the section
    assert solid.volume == pytest.approx(sections * np.sin(2 * np.pi / sections) * second, rel=1e-12)


@given(st.floats(0.05, 0.95), st.floats(0.1, 10.0), sides, centres)
@settings(max_examples=20)
def test_tubes(inner, height, count, centre):
    solid = shapes.tube(1.0, inner, height, count, centre)
    assert meeting(solid) == len(solid.parts) == count
    assert solid.volume == pytest.approx(polygon_area(count) * (1.0 - inner ** 2) * height, rel=1e-11)
    middle_of_wall = np.array(centre) + np.array(((inner + 1.0) / 2, 0.0, 0.0))
    assert solid.contains([centre, middle_of_wall]).tolist() == [False, True]


SQUARE = np.array([(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)])


def test_a_profile_swept_along_a_bent_path():
    """A centred profile, mitred: every piece has the volume area × length of the path."""
    path = np.array([(0, 0, 0), (0, 0, 2), (1, 0, 3), (2, 1, 3), (2, 2, 2)], float)
    solid = shapes.swept(SQUARE, path)
    assert meeting(solid) == 3
    lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert [part.volume for part in solid.parts] == pytest.approx(0.04 * lengths, rel=1e-12)
    first = solid.parts[0]
    assert first.vertices[:4] == pytest.approx(np.column_stack([SQUARE, np.zeros(4)]))  # along z the profile lies as given
    assert first.normals[first.facet("start")] == pytest.approx((0.0, 0.0, -1.0))


def test_a_closed_path_makes_a_frame():
    path = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float)
    solid = shapes.swept(SQUARE, path, closed=True)
    assert meeting(solid) == 4
    assert solid.volume == pytest.approx(4 * 0.04, rel=1e-12)
    with pytest.raises(SceneError, match="comes back turned"):
        shapes.swept(SQUARE, path + np.outer([0, 0.1, 1, 0.7], (0, 0, 1)), closed=True)


@given(st.integers(2, 5), st.integers(2, 5), st.integers(0, 1000))
@settings(max_examples=20)
def test_height_fields(nx, ny, seed):
    heights = np.random.default_rng(seed).random((nx, ny)) + 0.1
    solid, parts = (make(heights, (2.0, 3.0), -1.0) for make in (shapes.height_field, shapes.height_field_parts))
    assert len(solid.vertices) - len(solid.edges) + len(solid.facets) == 2
    check_polyhedron(solid)
    a, b, c, d = heights[:-1, :-1], heights[1:, :-1], heights[1:, 1:], heights[:-1, 1:]
    cell = 6.0 / ((nx - 1) * (ny - 1))
    volume = cell * np.sum(1.0 + (2 * a + b + 2 * c + d) / 6)             # mean height of two triangles, from the bottom
    assert solid.volume == pytest.approx(volume, rel=1e-13)
    assert parts.volume == pytest.approx(volume, rel=1e-13)
    assert np.allclose(solid.properties().inertia, parts.properties().inertia, rtol=0.0, atol=1e-12 * volume)
    inner = (nx - 1) * (ny - 1) + (nx - 2) * (ny - 1) + (nx - 1) * (ny - 2)
    assert meeting(parts) == inner
    assert np.all(solid.normals[solid.facets_named("top")][:, 2] > 0.0)
    assert np.all(solid.normals[solid.facets_named("left")] == (-1.0, 0.0, 0.0))


@pytest.mark.parametrize(("make", "message"), [
    (lambda: shapes.box(0.0), "give one length or three"),
    (lambda: shapes.box((1.0, 2.0)), "give one length or three"),
    (lambda: shapes.cylinder(-1.0, 1.0), "must be > 0"),
    (lambda: shapes.cylinder(1.0, 1.0, 2), "at least 3"),
    (lambda: shapes.cone(1.0, np.nan), "finite"),
    (lambda: shapes.sphere(1.0, 9), "at most 8"),
    (lambda: shapes.prism([(0, 0), (2, 0), (0.1, 0.1), (0, 2)], 1.0), "index 2: .*turns inwards"),
    (lambda: shapes.prism([(0, 0), (1, 0), (2, 0), (0, 2)], 1.0), "straight"),
    (lambda: shapes.prism([(np.cos(0.8 * np.pi * i), np.sin(0.8 * np.pi * i)) for i in range(5)], 1.0), "more than once"),
    (lambda: shapes.torus(1.0, 1.0), "smaller than radius"),
    (lambda: shapes.tube(1.0, 2.0, 1.0), "smaller than radius"),
    (lambda: shapes.swept(SQUARE, [(0, 0, 0), (1, 0, 0), (0, 0, 0)]), "turns back"),
    (lambda: shapes.swept(SQUARE, [(0, 0, 0), (0.05, 0, 0), (0.05, 1, 0)]), "too wide"),
    (lambda: shapes.swept(SQUARE, [(0, 0, 0), (0, 0, 0)]), "coincide"),
    (lambda: shapes.swept(SQUARE, [(0, 0, 0), (1, 0, 0)], up=(1, 0, 0)), "along the path"),
    (lambda: shapes.height_field(np.zeros((2, 2)), (1.0, 1.0), 0.0), "lower bottom"),
    (lambda: shapes.height_field(np.zeros(4), (1.0, 1.0), -1.0), "2 × 2"),
    (lambda: shapes.hexahedron(np.zeros((6, 3))), "eight rows"),
])
def test_shapes_that_cannot_be_are_refused(make, message):
    with pytest.raises(SceneError, match=message):
        make()


def test_shapes_keep_their_symmetry():
    for solid in (shapes.box(1.0), shapes.uv_sphere(1.0, 8, 6), shapes.capsule(1.0, 2.0, 8, 3), shapes.torus(2.0, 0.5, 8, 6)):
        inertia, centre = solid.properties()[3], solid.properties()[2]
        assert np.abs(centre).max() < 1e-14
        assert all(abs(inertia[i, j]) < 1e-13 * inertia[0, 0] for i, j in itertools.permutations(range(3), 2))
        assert inertia[0, 0] == pytest.approx(inertia[1, 1], rel=1e-14)


@pytest.mark.parametrize("make", [
    lambda: shapes.cylinder(1, 1, 10 ** 8), lambda: shapes.cone(1, 1, 10 ** 8),
    lambda: shapes.uv_sphere(1, 10 ** 5, 10 ** 5),
    lambda: shapes.capsule(1, 1, 10 ** 5, 10 ** 5), lambda: shapes.tube(1, 0.5, 1, 10 ** 8),
    lambda: shapes.torus(1, 0.2, 10 ** 5, 10 ** 5)])
def test_more_facets_than_a_shape_can_have_are_refused_at_once(make):
    with pytest.raises(SceneError, match="facets; there can be 2000000: give fewer sides"):
        make()


def test_lengths_whose_inertia_would_overflow_are_refused():
    with pytest.raises(SceneError, match="give metres"):
        shapes.box(1e300)
