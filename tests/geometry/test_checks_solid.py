"""Checks of surfaces: every kind of bad mesh gets its own error that names facets, good ones pass, large ones in seconds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from robotphi.errors import SceneError
from robotphi.geometry import box_tree as box_tree_module
from robotphi.geometry.box_tree import box_tree, crossings
from robotphi.geometry.checks_solid import check_convex, check_polyhedron, check_surface
from robotphi.geometry.loops import halved
from robotphi.geometry.mass_properties import solid_properties
from robotphi.geometry.polyhedron import Polyhedron
from robotphi.geometry.shapes import box, cone, cylinder, height_field, hexahedron, sphere
from tests.counted import python_lines

CUBE = box(1.0)
POINTS, TRIANGLES = CUBE.vertices, np.array(CUBE.triangles)


def several(*parts):
    """Points and triangles of several surfaces as one."""
    starts = np.cumsum([0, *(len(points) for points, _ in parts[:-1])])
    rows = [rows + start for (_, rows), start in zip(parts, starts, strict=True)]
    return np.vstack([points for points, _ in parts]), np.vstack(rows)


def beside(x, y, z):
    """The cube, and another one moved by that much."""
    return several((POINTS, TRIANGLES), (POINTS + np.array((x, y, z)), TRIANGLES))


def merged(points, triangles):
    """The same with points that coincide made one."""
    points, rows = np.unique(points, axis=0, return_inverse=True)
    return points, rows.reshape(-1)[triangles]


def inward(triangles):
    return triangles[:, ::-1]


def changed(triangles, row, value):
    found = triangles.copy()
    found[row] = value
    return found


def dented(point, place):
    points = POINTS.copy()
    points[point] = place
    return points


TURN = Rotation.from_euler("xyz", (0.4, 0.3, 0.2)).as_matrix()


def klein():
    """A grid of 5 × 5 glued straight in one direction and turned round in the other: closed, with one side."""
    n = 5

    def at(i, j):
        return (i % n) * n + ((-j) % n if (i // n) % 2 else j % n)
    rows = [(at(i, j), at(i + 1, j), at(i + 1, j + 1)) for i in range(n) for j in range(n)]
    rows += [(at(i, j), at(i + 1, j + 1), at(i, j + 1)) for i in range(n) for j in range(n)]
    return np.random.default_rng(0).random((n * n, 3)), np.array(rows)


BAD = {
    "empty": ((POINTS, TRIANGLES[:0]), "it is empty"),
    "not finite": ((dented(3, np.nan), TRIANGLES), "index 3: .*finite"),
    "points that are not there": ((POINTS, changed(TRIANGLES, 2, 8)), "index 2: triangle .*points 0 to 7"),
    "one hole": ((POINTS, TRIANGLES[1:]), r"open: 3 edges of one facet only; edge 0–7 of facet 0; also facets \d+, \d+; add"),
    "soup": ((POINTS[TRIANGLES].reshape(-1, 3), np.arange(36).reshape(-1, 3)), "merge points that coincide: 28 of 36"),
    "one turned": ((POINTS, changed(TRIANGLES, 3, TRIANGLES[3, ::-1])), "1 triangle turned against the neighbours: facet 3;"),
    "half turned": ((POINTS, np.vstack([inward(TRIANGLES[:6]), TRIANGLES[6:]])), "6 triangles turned"),
    "inside out": ((POINTS, inward(TRIANGLES)), r"inside out.*volume -1 m³.*\[:, ::-1\]"),
    "all shells inside out": (several((POINTS, inward(TRIANGLES)), (POINTS + 3.0, inward(TRIANGLES))), "all its 2 shells"),
    "given twice": ((POINTS, np.vstack([TRIANGLES, TRIANGLES[4]])), "1 triangle given twice: facets 4, 12"),
    "given twice and turned": ((POINTS, np.vstack([TRIANGLES, TRIANGLES[4, ::-1]])), "given twice: facets 4, 12"),
    "no area": ((dented(6, POINTS[5]), TRIANGLES), "without area: facets"),
    "no area by number": ((POINTS, np.vstack([TRIANGLES, [(0, 0, 1)]])), "1 triangle without area: facet 12;"),
    "a fin": ((np.vstack([POINTS, [(-2, -2, 0)]]), np.vstack([TRIANGLES, [(0, 4, 8)]])), "open: 2 edges of one facet only"),
    "two cubes on one edge": (merged(*beside(1.0, 1.0, 0.0)), r"facets \d+, \d+, \d+, \d+ meet in one edge, .* 0 more"),
    "two cubes on one facet": (merged(*beside(1.0, 0.0, 0.0)), "given twice"),
    "one side": (klein(), "one side only"),
    "cutting itself": ((dented(6, (-0.6, -0.6, -0.6)), TRIANGLES), "touch or cut each other.*facet 7 and facet 8"),
    "overlapping shells": (beside(0.5, 0.5, 0.5), "touch or cut"),
    "touching along a facet": (beside(1.0, 0.3, 0.2), "touch or cut"),
    "touching along an edge": (beside(1.0, 1.0, 0.2), "touch or cut"),
    "touching in a point": (beside(1.0, 1.0, 1.0), "touch or cut"),
    "solid inside a solid": (several((POINTS, TRIANGLES), (POINTS / 2, TRIANGLES)),
                             r"shell 1 of 2 \(12 triangles, from facet 12 on\) lies inside another one and points outwards"),
    "inverted beside": (several((POINTS, TRIANGLES), (POINTS + 3.0, inward(TRIANGLES))), "shell 1 of 2 .* points inwards"),
    "inverted inside a hollow": (several((POINTS, TRIANGLES), (POINTS / 2, inward(TRIANGLES)), (POINTS / 4, inward(TRIANGLES))),
                                 "shell 2 of 3 .* points inwards"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize(("turn", "shift"), [(np.eye(3), 0.0), (TURN, 100.0)], ids=["here", "turned, far away"])
def test_bad_surfaces_are_refused_by_name(case, turn, shift):
    (points, triangles), message = BAD[case]
    with pytest.raises(SceneError, match=message):
        check_surface(points @ turn.T + shift, triangles)


@pytest.mark.parametrize("surface", [
    several((POINTS, TRIANGLES)),
    several((POINTS, TRIANGLES), (POINTS / 2, inward(TRIANGLES))),
    several((POINTS, TRIANGLES), (POINTS / 2, inward(TRIANGLES)), (POINTS / 4, TRIANGLES), (POINTS / 8, inward(TRIANGLES))),
    beside(3.0, 3.0, 3.0),
    beside(1.0 + 1e-9, 0.0, 0.0),
], ids=["cube", "hollow", "four nested", "side by side", "a hair apart"])
def test_good_surfaces_pass(surface):
    assert check_surface(*surface) is None
    assert check_surface(surface[0] * (1.0, 1.0, 1e-3) @ TURN.T + 10.0, surface[1]) is None


def test_facets_are_called_by_their_names():
    with pytest.raises(SceneError, match="turned against the neighbours: facet 'right'"):
        check_surface(POINTS, changed(TRIANGLES, 3, TRIANGLES[3, ::-1]), CUBE.triangle_facet, CUBE.names)


def test_a_triangle_folded_upon_its_neighbour_is_found():
    """The corner of a tetrahedron pressed flat across an edge: both triangles on one side of it, in one plane."""
    points = np.array([(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4), (1, 1, 0)], float)
    rows = np.array([(0, 1, 3), (1, 2, 3), (2, 0, 3), (1, 0, 4), (0, 2, 4), (2, 1, 4)])
    check_surface(points, rows)
    points[4] = (3, 3, 0)
    with pytest.raises(SceneError, match="facets 3, 5 lie folded upon each other"):
        check_surface(points, rows)
    points[4] = (2.5, 2.5, -1.0)
    check_surface(points, rows)


def brute_force(points, triangles):
    """Pairs without shared corners of which an edge of one pierces the other, by signed volumes."""
    def volume(a, b, c, d):
        return np.einsum("...i,...i->...", np.cross(b - a, c - a), d - a)
    found = set()
    for i, one in enumerate(triangles):
        for j, other in enumerate(triangles):
            if set(one) & set(other):
                continue
            a, b, c = points[other]
            for k in range(3):
                p, q = points[one[k]], points[one[(k + 1) % 3]]
                signs = np.sign([volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)])
                if volume(a, b, c, p) * volume(a, b, c, q) < 0.0 and abs(signs.sum()) == 3:
                    found.add((min(i, j), max(i, j)))
    return found


@given(st.integers(0, 10_000), st.integers(2, 10))
@settings(max_examples=30)
def test_the_tree_finds_the_pairs_that_cross_and_no_others(seed, count):
    points = np.random.default_rng(seed).random((3 * count, 3))
    triangles = np.arange(3 * count).reshape(-1, 3)
    pairs, decided = crossings(box_tree(points, triangles), triangles, 0.0, 1000)
    assert decided
    assert set(map(tuple, pairs.tolist())) == brute_force(points, triangles)


@pytest.mark.parametrize("solid", [cylinder(1.0, 1.0, 7), cylinder(1.0, 1.0, 64), cone(1.0, 1.0, 9), CUBE], ids=str)
def test_halved_facets_fill_the_same_solid(solid):
    triangles, facet = halved(solid.loops)
    assert len(triangles) == len(solid.triangles)
    assert np.array_equal(np.bincount(facet), np.bincount(solid.triangle_facet))
    assert solid_properties(solid.vertices, triangles).volume == pytest.approx(solid.volume, rel=1e-14)
    check_surface(solid.vertices, triangles)


def test_no_loop_of_python_goes_over_the_facets_of_a_mesh_that_is_checked():
    def check(solid):
        points, triangles = solid.vertices, np.array(solid.triangles)
        spiked = points.copy()
        spiked[12] *= -1.5
        check_surface(points, triangles)
        with pytest.raises(SceneError, match="touch or cut"):
            check_surface(spiked, triangles)

    small, large = sphere(1.0, 2), sphere(1.0, 6)
    check(small)  # compiles
    assert len(large.triangles) == 256 * len(small.triangles)
    assert python_lines(lambda: check(large)) < 1.1 * python_lines(lambda: check(small))


def test_a_fan_too_large_to_decide_says_so(monkeypatch):
    solid = cylinder(1.0, 1.0, 1000)
    monkeypatch.setattr(box_tree_module, "PATIENCE", 1_000_000)
    check_polyhedron(solid)  # cut otherwise, it is no trouble
    with pytest.raises(SceneError, match="so long and thin"):
        check_surface(solid.vertices, solid.triangles)


def test_convexity_is_refused_with_what_is_wrong():
    check_convex(CUBE)
    warped = CUBE.vertices.copy()
    warped[6] += 0.1
    with pytest.raises(SceneError, match=r"facet 'right' is not plane: vertex \d lies 0\.\d+ m out of it"):
        check_convex(hexahedron(warped))
    check_convex(hexahedron(warped), tolerance=0.2)
    with pytest.raises(SceneError, match=r"not convex: vertex \d+ stands"):
        check_convex(height_field(np.array([[2.0, 2.0], [1.0, 1.0], [2.0, 2.0]]), (2.0, 1.0), 0.0))
    with pytest.raises(SceneError, match="point inwards"):
        check_convex(Polyhedron(POINTS, [loop[::-1] for loop in CUBE.facets]))
    arrow = np.array([(0, 0), (2, 0), (0.5, 0.5), (0, 2)])
    low, high = (np.column_stack([arrow, np.full(4, z)]) for z in (0.0, 1.0))
    walls = [(0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    with pytest.raises(SceneError, match="turns inwards at vertex"):
        check_convex(Polyhedron(np.vstack([low, high]), [(3, 2, 1, 0), (4, 5, 6, 7), *walls]))
